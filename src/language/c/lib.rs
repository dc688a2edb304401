//! All that the program knows of C. Each part adds its row to the table of the room that uses it, so this folder may use
//! those rooms, and none of them names it.
//!
//! | part | whose table |
//! |---|---|
//! | [`syntax`] | `language`: how files are read |
//! | [`project`] | `benchmark`: how projects are recognised, built and tested |
//! | [`suspicious`] | `patch`: what a person must look at |
//! | [`templates`] | `templates`: families of repairs, and how the engine reads a tree |
//! | [`toolchain`] | `validate`: compilers, sanitizers, coverage, tools that run single tests |

mod project;
mod suspicious;
mod syntax;
mod templates;
mod toolchain;

pub use syntax::C;

use unidebug_base::language::Registered;

inventory::submit! { Registered(&C) }
