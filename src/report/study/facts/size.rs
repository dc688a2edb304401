//! How large a patch is: RepairAgent's section V-B4.

use crate::report::diff::{Kind, lines};
use serde::Serialize;
use similar::{ChangeTag, TextDiff};

/// The size of a unified diff.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct PatchSize {
    /// Lines that come in.
    pub added: u64,
    /// Lines that go.
    pub removed: u64,
    /// Tokens that come in or go: words, numbers and single signs.
    pub tokens: u64,
}

impl PatchSize {
    /// Measures a unified diff.
    pub(crate) fn of(diff: &str) -> Self {
        let mut size = Self::default();
        let (mut old, mut new) = (String::new(), String::new());
        for line in lines(diff) {
            let text = line.text.get(1..).unwrap_or_default();
            match line.kind {
                Kind::Added => (size.added, new) = (size.added + 1, format!("{new}{text}\n")),
                Kind::Removed => (size.removed, old) = (size.removed + 1, format!("{old}{text}\n")),
                // What stands between two places separates them.
                _ => size.tokens += changed(&std::mem::take(&mut old), &std::mem::take(&mut new)),
            }
        }
        size.tokens += changed(&old, &new);
        size
    }
}

/// Tokens that one text has and the other has not.
fn changed(old: &str, new: &str) -> u64 {
    let (old, new) = (tokens(old), tokens(new));
    let diff = TextDiff::from_slices(&old, &new);
    diff.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal).count() as u64
}

/// Words, numbers, and every other sign by itself.
fn tokens(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        found.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_tokens_of_a_diff_are_counted() {
        let head = "--- a/A.java\n+++ b/A.java\n@@ -1,3 +1,3 @@\n";
        let of = |rest: &str| PatchSize::of(&format!("{head}{rest}"));
        assert_eq!(of(" a\n-if (x <= y) {\n+if (x < y) {\n b\n"), PatchSize { added: 1, removed: 1, tokens: 1 });
        assert_eq!(of("+int size_1 = 20;\n"), PatchSize { added: 1, removed: 0, tokens: 5 });
        assert_eq!(of("-a.b();\n c\n+a.b();\n"), PatchSize { added: 1, removed: 1, tokens: 12 }, "moved code counts");
        assert_eq!(PatchSize::of(""), PatchSize::default());
    }
}
