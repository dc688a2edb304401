//! Candidates that bring back what stood in their place before the change that broke the tests.

use crate::benchmark::ProductChange;
use crate::domain::{FileChange, Patch};
use similar::{DiffTag, TextDiff};

/// Whether a patch does nothing but take back some of a change.
pub(super) fn restores(patch: &Patch, change: &ProductChange) -> bool {
    patch
        .files
        .iter()
        .all(|file| change.revert.files.iter().any(|own| own.path == file.path && is_on_the_way(file, own)))
}

/// Whether a file with a patch lies between what it is and what it was: each line that it changes is one line less to change.
fn is_on_the_way(patched: &FileChange, earlier: &FileChange) -> bool {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let now = text(patched.before.as_deref().unwrap_or_default());
    let (then, patched) = (text(&earlier.after), text(&patched.after));
    changed_lines(&now, &patched) + changed_lines(&patched, &then) == changed_lines(&now, &then)
}

/// Lines taken away and added.
fn changed_lines(one: &str, other: &str) -> usize {
    let diff = TextDiff::from_lines(one, other);
    let changed = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    changed.map(|op| op.old_range().len() + op.new_range().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RepoPath;

    #[test]
    fn a_line_as_it_was_is_restored_and_one_that_never_was_is_not() {
        let path = RepoPath::new("a.py").unwrap();
        let patch = |now: &str, after: &str| {
            let file =
                FileChange { path: path.clone(), before: Some(now.as_bytes().into()), after: after.as_bytes().into() };
            Patch { files: vec![file] }
        };
        let now = "a > b\nkept\nnew\n";
        let revert = patch(now, "a < b\nkept\n");
        let (others, texts) = Default::default();
        let change = ProductChange { name: "commit 1a2b3c4".into(), is_committed: true, revert, others, texts };
        let restored = |after: &str| restores(&patch(now, after), &change);
        assert!(restored("a < b\nkept\nnew\n") && restored("a > b\nkept\n") && restored("a < b\nkept\n"));
        assert!(!restored("a >= b\nkept\nnew\n") && !restored("a < b\nkept\nnew\nmore\n"));
        let elsewhere = Patch {
            files: vec![FileChange { path: RepoPath::new("b.py").unwrap(), ..patch("", "a").files.remove(0) }],
        };
        assert!(!restores(&elsewhere, &change));
    }
}
