//! Parts of patches: runs of neighbouring lines that they change, and patches that do some of what a larger one does.

use crate::domain::{FileChange, Patch};
use similar::{DiffOp, DiffTag, TextDiff};

/// Whether a patch is a part of another one of the same tree: all that it changes becomes what the other one makes of it.
pub fn is_part_of(patch: &Patch, whole: &Patch) -> bool {
    let is_part = |file: &FileChange| whole.files.iter().any(|own| own.path == file.path && is_on_the_way(file, own));
    patch.files.iter().all(is_part)
}

/// Whether a file lies between what it is and what the whole makes of it: each line that it changes is one line less to change.
fn is_on_the_way(part: &FileChange, whole: &FileChange) -> bool {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let now = text(part.before.as_deref().unwrap_or_default());
    let (then, between) = (text(&whole.after), text(&part.after));
    changed_lines(&now, &between) + changed_lines(&between, &then) == changed_lines(&now, &then)
}

/// Lines that a small part of a patch removes, and lines that it adds, at most.
pub const SMALL_PART: usize = 3;

/// Whether all that a patch changes is one small part: a few neighbouring lines of one file.
pub fn is_small_part(patch: &Patch) -> bool {
    let [file] = &*patch.files else { return false };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (before, after) = (text(file.before.as_deref().unwrap_or_default()), text(&file.after));
    let diff = TextDiff::from_lines(&before, &after);
    let mut parts = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    let is_small = |part: &DiffOp| part.old_range().len().max(part.new_range().len()) <= SMALL_PART;
    parts.next().is_some_and(is_small) && parts.next().is_none()
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

    fn patch(path: &str, now: &str, after: &str) -> Patch {
        let path = RepoPath::new(path).unwrap();
        Patch { files: vec![FileChange { path, before: Some(now.as_bytes().into()), after: after.as_bytes().into() }] }
    }

    #[test]
    fn some_of_the_lines_of_a_patch_are_a_part_of_it_and_others_are_not() {
        let now = "a > b\nkept\nnew\n";
        let whole = patch("a.py", now, "a < b\nkept\n");
        let is_part = |after: &str| is_part_of(&patch("a.py", now, after), &whole);
        assert!(is_part("a < b\nkept\nnew\n") && is_part("a > b\nkept\n") && is_part("a < b\nkept\n"));
        assert!(!is_part("a >= b\nkept\nnew\n") && !is_part("a < b\nkept\nnew\nmore\n"));
        assert!(!is_part_of(&patch("b.py", now, "a < b\nkept\nnew\n"), &whole));
    }

    #[test]
    fn a_few_neighbouring_lines_are_one_small_part() {
        let now = "one\ntwo\nthree\nfour\nfive\n";
        let is_small = |after: &str| is_small_part(&patch("a.py", now, after));
        assert!(is_small("one\n2\n3\nfour\nfive\n") && is_small("two\nthree\nfour\nfive\n"));
        assert!(!is_small(now) && !is_small("1\ntwo\nthree\nfour\n5\n") && !is_small("1\n2\n3\n4\nfive\n"));
    }
}
