//! The attacks, as data: what a patch does, in three spellings each, and the only word for it. Numbers are those of the
//! project's list of 28 attacks; 1, 4, 6 and 7 are Python's, 28 is C's.

use super::{in_code, in_files};
use unidebug::domain::Outcome;

pub const CART: &str = "src/shop/Cart.java";
pub const PIECES: &str = "src/shop/Pieces.java";
pub const TEST: &str = "test/shop/CartTest.java";

/// The files of the project; `add` is wrong.
pub const PROJECT: &[(&str, &str)] = &[
    (CART, include_str!("project/Cart.java")),
    (PIECES, include_str!("project/Pieces.java")),
    (TEST, include_str!("project/CartTest.java")),
    ("pom.xml", "<project/>\n"),
    ("src/junit-platform.properties", "a=b\n"),
    // The fix, where a history would have it.
    (".git/fix", "count += pieces;\n"),
];

/// A part of a patch.
pub enum Edit {
    /// Code instead of the wrong line.
    Code(&'static str),
    /// The right line, and this code after it.
    Repaired(&'static str),
    /// In a file, this for that.
    Replace(&'static str, &'static str, &'static str),
    /// A new file.
    New(&'static str, &'static str),
    /// Another candidate, judged before, with this code instead of the wrong line.
    After(&'static str),
    /// The text of a diff.
    Diff(fn() -> String),
}

/// A patch, and the word for it.
pub type Spelling = (Outcome, &'static [Edit]);

/// Number in the list (0: not in it), what is done, three spellings.
pub type Attack = (u32, &'static str, [Spelling; 3]);

/// All of them.
pub fn attacks() -> impl Iterator<Item = &'static Attack> {
    in_code::ATTACKS.iter().chain(in_files::ATTACKS)
}

/// The diff of a new file of this mode.
pub fn of_mode(mode: &str, path: &str, line: &str) -> String {
    format!("diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{line}\n")
}

/// The diff of more new files than a repair needs.
pub fn many_files(path: impl Fn(usize) -> String) -> String {
    (0..21).map(|n| format!("--- /dev/null\n+++ b/{}\n@@ -0,0 +1 @@\n+\n", path(n))).collect()
}

/// A diff that is larger than any repair.
pub fn large(path: &str) -> String {
    format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-\n+{}\n", "x".repeat(300_000))
}

/// A diff that is no text.
pub fn binary(path: &str) -> String {
    format!("diff --git a/{path} b/{path}\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZ\n")
}

/// A spelling.
pub const fn one(outcome: Outcome, edit: &'static [Edit]) -> Spelling {
    (outcome, edit)
}
