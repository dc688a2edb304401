//! Fault localization: from failing tests to a ranking of lines, and to the bug-located file.
//!
//! Everything here is a pure function of the code index, the baseline and coverage. Nothing looks at a fixed version,
//! except [`oracle`], which only runs when a user asks for it.

mod asserting;
mod changed;
mod decisive;
mod distance;
mod evaluate;
mod evidence;
mod formula;
mod frames;
pub mod given;
mod locate;
mod metadata;
mod names;
pub mod oracle;
mod rank;
mod scope;
mod score;
mod statements;

pub use changed::ChangedLines;
pub use distance::{Reach, Reached};
pub use evaluate::{Placement, evaluate, top};
pub use formula::{Counts, Formula};
pub use locate::locate;
pub use metadata::failing_tests;
pub use rank::{Inputs, by_file, rank};
pub use scope::covering_classes;
pub use score::{Scores, Tops};
pub use statements::{Statement, statements};
