//! Lines that the last change of the product brought, where the failing tests pass without it.

use crate::benchmark::ProductChange;
use crate::domain::{FileChange, RepoPath};
use crate::language::decode;
use crate::patch::differing;
use std::collections::{BTreeMap, BTreeSet};

/// What the last change touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedLines {
    /// The change, for people: `commit 1a2b3c4`.
    pub name: String,
    /// Lines of the product as it is now, by file; of what was taken away the lines around it.
    pub lines: BTreeMap<RepoPath, BTreeSet<u32>>,
}

impl ChangedLines {
    /// Reads them off what takes a change back.
    pub fn of(change: &ProductChange) -> Self {
        let lines = change.revert.files.iter().map(|file| (file.path.clone(), lines_of(file))).collect();
        Self { name: change.name.clone(), lines }
    }
}

/// Lines of one file; `after` is the file as it was before the change.
fn lines_of(file: &FileChange) -> BTreeSet<u32> {
    let [now, then] = [file.before.as_deref().unwrap_or_default(), &*file.after].map(|bytes| decode(bytes).0);
    let mut lines = BTreeSet::new();
    for op in differing(&then, &now) {
        let new = op.new_range();
        let is_gone = op.old_range().len() > new.len();
        let first = if is_gone { new.start } else { new.start + 1 };
        let last = if is_gone { new.end + 1 } else { new.end };
        lines.extend((first.max(1)..=last).filter_map(|line| u32::try_from(line).ok()));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_added_or_taken_away_is_named_by_its_lines_of_now() {
        let of = |then: &str, now: &str| {
            let path = RepoPath::new("a.py").unwrap();
            let file = FileChange { path, before: Some(now.as_bytes().into()), after: then.as_bytes().into() };
            lines_of(&file).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(of("a\nb\nc\n", "a\nx\nc\n"), [2]);
        assert_eq!(of("a\nc\n", "a\nx\ny\nc\n"), [2, 3]);
        assert_eq!(of("a\nb\nc\n", "a\nc\n"), [1, 2]);
        assert_eq!(of("", "a\n"), [1]);
        assert!(of("a\n", "a\n").is_empty());
    }
}
