//! Whether a patch exchanges operators and nothing else, as a repair does of an edge that was off by one.

use super::content::lines_of;
use crate::domain::{FileChange, Patch};
use crate::language::decode;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Operators that are words, in Python.
const WORDS: [&str; 5] = ["and", "or", "not", "in", "is"];

/// Whether the lines that a patch adds hold the names, numbers and words of those that it takes away, in the same order.
pub fn only_operators_change(patch: &Patch) -> bool {
    !patch.files.is_empty() && patch.files.iter().all(only_in_file)
}

fn only_in_file(file: &FileChange) -> bool {
    let before = file.before.as_deref().map(|bytes| decode(bytes).0).unwrap_or_default();
    let after = decode(&file.after).0;
    let (old, new) = (lines_of(&before), lines_of(&after));
    let [mut gone, mut added] = [Vec::new(), Vec::new()];
    for op in capture_diff_slices(Algorithm::Patience, &old, &new) {
        if !matches!(op, DiffOp::Equal { .. }) {
            gone.extend(old[op.old_range()].iter().flat_map(|line| words(line)));
            added.extend(new[op.new_range()].iter().flat_map(|line| words(line)));
        }
    }
    !added.is_empty() && gone == added
}

/// Names, numbers and words of a line, without those that are operators.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty() && !WORDS.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RepoPath;

    #[test]
    fn exchanged_operators_are_told_from_new_code() {
        let before = "def f(age):\n    return age < 18 or not age\n";
        let only = |after: &str| {
            let path = RepoPath::new("a.py").unwrap();
            let file = FileChange { path, before: Some(before.as_bytes().into()), after: after.as_bytes().into() };
            only_operators_change(&Patch { files: vec![file] })
        };
        assert!(only("def f(age):\n    return age <= 18 and age\n"));
        assert!(!only("def f(age):\n    return age < 18 or age == 18 or not age\n"), "a special case");
        assert!(!only("def f(age):\n    return age < 19 or not age\n"), "another number");
        assert!(!only(before), "nothing");
    }
}
