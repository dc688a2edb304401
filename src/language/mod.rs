//! What differs by programming language: grammar, comment syntax, which files are source.
//!
//! A language is one file here and one line in [`by_name`]. What a *project* looks like is the benchmark room's
//! affair, how its tests are run is the validate room's.

mod decode;
mod java;
mod naming;
mod syntax;

pub use decode::{Encoding, decode, encode};
pub use java::Java;
pub use naming::{Unresolved, is_test, resolve};
pub use syntax::{
    Syntax, children, documentation, first_line, last_line, on_one_line, parameter, parameter_types, parse, preorder,
    text_of,
};

use crate::domain::MarkKind;
use camino::Utf8Path;

/// A programming language, as far as the other rooms must know it.
pub trait Language: Send + Sync + std::fmt::Debug {
    /// The name in lower case: `java`.
    fn name(&self) -> &'static str;
    /// The name for texts: `Java`.
    fn title(&self) -> &'static str;
    /// The grammar.
    fn grammar(&self) -> tree_sitter::Language;
    /// What starts a comment that runs to the end of the line.
    fn line_comment(&self) -> &'static str;
    /// What starts and ends a comment in the middle of a line, where the language has such.
    fn block_comment(&self) -> Option<(&'static str, &'static str)>;
    /// The tag of fenced code blocks.
    fn fence(&self) -> &'static str {
        self.name()
    }
    /// What kinds of nodes of the grammar mean.
    fn syntax(&self) -> &'static Syntax;
    /// The extension of source files, without the point.
    fn extension(&self) -> &'static str;
    /// Whether a file of this name is source of the language.
    fn is_source(&self, path: &Utf8Path) -> bool {
        path.extension() == Some(self.extension())
    }

    /// Locator's mark in the language's comment syntax: `// buggy line`.
    fn mark(&self, kind: MarkKind) -> String {
        let word = match kind {
            MarkKind::Buggy => "buggy line",
            MarkKind::Missing => "missing line",
        };
        format!("{} {word}", self.line_comment())
    }
}

/// The language of that name.
pub fn by_name(name: &str) -> Option<&'static dyn Language> {
    let all: [&'static dyn Language; 1] = [&Java];
    all.into_iter().find(|language| language.name() == name)
}
