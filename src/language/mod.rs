//! What differs by programming language: grammar, comment syntax, which files are source.
//!
//! A language is one file here and one line in [`by_name`]. What a *project* looks like is the benchmark room's
//! affair, how its tests are run is the validate room's.

mod java;

pub use java::Java;

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
    /// The tag of fenced code blocks.
    fn fence(&self) -> &'static str {
        self.name()
    }
    /// Whether a file of this name is source of the language.
    fn is_source(&self, path: &Utf8Path) -> bool;

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
