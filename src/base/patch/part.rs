//! Parts of patches: runs of neighbouring lines that they change, and patches that do some of what a larger one does.

use super::content::{differing, lines_of};
use crate::domain::{FileChange, Patch};
use crate::language::decode;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Lines that a small part removes, and lines that it adds, at most.
const SMALL: usize = 3;

/// Whether one run of changed lines, as [`differing`] tells them, is short.
pub fn is_small(part: &DiffOp) -> bool {
    part.old_range().len().max(part.new_range().len()) <= SMALL
}

/// Whether all that a patch changes is one small part: a few neighbouring lines of one file.
pub fn is_small_part(patch: &Patch) -> bool {
    let [file] = &*patch.files else { return false };
    let [before, after] = texts(file);
    matches!(&*differing(&before, &after), [part] if is_small(part))
}

/// Whether a patch is a part of another one of the same tree: all that it changes becomes what the other one makes of it.
pub fn is_part_of(patch: &Patch, whole: &Patch) -> bool {
    let is_part = |file: &FileChange| whole.files.iter().any(|own| own.path == file.path && is_on_the_way(file, own));
    patch.files.iter().all(is_part)
}

/// Whether a file lies between what it is and what the whole makes of it: each line that it changes is one line less to change.
fn is_on_the_way(part: &FileChange, whole: &FileChange) -> bool {
    let ([now, between], [_, then]) = (texts(part), texts(whole));
    distance(&now, &between) + distance(&between, &then) == distance(&now, &then)
}

/// The fewest lines to take away and to add, as Myers finds them: another algorithm may find more.
fn distance(one: &str, other: &str) -> usize {
    let ops = capture_diff_slices(Algorithm::Myers, &lines_of(one), &lines_of(other));
    let changed = ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    changed.map(|op| op.old_range().len() + op.new_range().len()).sum()
}

/// A file before and after.
fn texts(file: &FileChange) -> [String; 2] {
    [file.before.as_deref().unwrap_or_default(), &*file.after].map(|bytes| decode(bytes).0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RepoPath;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn a_line_that_neither_side_has_is_no_part(
            now in "([abc]\n){0,12}", then in "([abc]\n){0,12}", at in 0_usize..12, part in "([abc]\n){0,12}",
        ) {
            let mut foreign = lines_of(&part);
            foreign.insert(at.min(foreign.len()), "foreign\n");
            prop_assert!(!is_part_of(&patch("a.py", &now, &foreign.concat()), &patch("a.py", &now, &then)));
        }

        #[test]
        fn all_of_a_patch_and_nothing_of_it_are_parts(now in "([abc]\n){0,12}", then in "([abc]\n){0,12}") {
            let whole = patch("a.py", &now, &then);
            prop_assert!(is_part_of(&whole, &whole) && is_part_of(&patch("a.py", &now, &now), &whole));
        }
    }

    #[test]
    fn a_few_neighbouring_lines_are_one_small_part() {
        let now = "one\ntwo\nthree\nfour\nfive\n";
        let is_small = |after: &str| is_small_part(&patch("a.py", now, after));
        assert!(is_small("one\n2\n3\nfour\nfive\n") && is_small("two\nthree\nfour\nfive\n"));
        assert!(!is_small(now) && !is_small("1\ntwo\nthree\nfour\n5\n") && !is_small("1\n2\n3\n4\nfive\n"));
    }
}
