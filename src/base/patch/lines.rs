//! The paper's form of an edit: by line number of the original (RepairAgent, Figure 5).
//!
//! Numbers count from 1 and mean the original's lines, whatever else is edited. An insertion goes before its line; the
//! line after the last one names the end. A line that is both deleted and modified is modified.

use super::original::{Original, Splice, unappliable, written_lines};
use super::{LineEdits, PatchError};
use std::collections::{BTreeMap, BTreeSet};

/// Edits of one file.
///
/// # Errors
/// Line numbers outside the file, with its number of lines; two different modifications of one line.
pub(super) fn edits(file: &Original, edits: &LineEdits) -> Result<Vec<Splice>, PatchError> {
    let count = file.line_count();
    let line = |number: u32, what: &str, most: usize| {
        let at = number as usize;
        if (1..=most).contains(&at) {
            return Ok(at - 1);
        }
        Err(unappliable(format!("{what} of line {number}: {} has {count} lines, counted from 1", file.path)))
    };
    let mut replaced: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for change in &edits.modifications {
        let at = line(change.line_number, "modification", count)?;
        let new = written_lines(&change.modified_line);
        if replaced.get(&at).is_some_and(|earlier| *earlier != new) {
            return Err(unappliable(format!("line {} of {} is modified twice", change.line_number, file.path)));
        }
        replaced.insert(at, new);
    }
    let mut deleted = BTreeSet::new();
    for &number in &edits.deletions {
        deleted.insert(line(number, "deletion", count)?);
    }
    for at in deleted {
        replaced.entry(at).or_default();
    }
    let mut inserted: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for insertion in &edits.insertions {
        let at = line(insertion.line_number, "insertion before", count + 1)?;
        inserted.entry(at).or_default().extend(insertion.new_lines.iter().flat_map(|text| written_lines(text)));
    }
    Ok(merged(file, replaced, &inserted))
}

/// Edits of neighbouring lines become one, so that the end of the file is treated once.
fn merged(
    file: &Original,
    mut replaced: BTreeMap<usize, Vec<String>>,
    inserted: &BTreeMap<usize, Vec<String>>,
) -> Vec<Splice> {
    let mut runs: Vec<(std::ops::Range<usize>, Vec<String>)> = Vec::new();
    let places: BTreeSet<usize> = replaced.keys().chain(inserted.keys()).copied().collect();
    for at in places {
        let mut new = inserted.get(&at).cloned().unwrap_or_default();
        let range = match replaced.remove(&at) {
            Some(lines) => {
                new.extend(lines);
                at..at + 1
            }
            None => at..at,
        };
        match runs.last_mut() {
            Some((last, lines)) if last.end == range.start => {
                last.end = range.end;
                lines.extend(new);
            }
            _ => runs.push((range, new)),
        }
    }
    runs.into_iter().map(|(range, new)| file.replace_lines(range, &new)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RepoPath;
    use crate::patch::{Insertion, Modification};

    fn apply(
        text: &str,
        insertions: &[(u32, &[&str])],
        deletions: &[u32],
        changes: &[(u32, &str)],
    ) -> Result<String, String> {
        let edit = LineEdits {
            file_path: "A.java".into(),
            insertions: insertions
                .iter()
                .map(|(n, lines)| Insertion { line_number: *n, new_lines: lines.iter().map(|l| (*l).into()).collect() })
                .collect(),
            deletions: deletions.to_vec(),
            modifications: changes
                .iter()
                .map(|(n, line)| Modification { line_number: *n, modified_line: (*line).into() })
                .collect(),
        };
        let file = Original::new(RepoPath::new("A.java").unwrap(), text.as_bytes());
        let splices = edits(&file, &edit).map_err(|e| e.to_string())?;
        Ok(String::from_utf8(file.splice(splices).unwrap()).unwrap())
    }

    #[test]
    fn numbers_mean_the_original() {
        assert_eq!(apply("a\nb\nc\n", &[(2, &["x", "y"])], &[1], &[(3, "z")]).unwrap(), "x\ny\nb\nz\n");
        assert_eq!(apply("a\nb\n", &[(3, &["x"])], &[], &[]).unwrap(), "a\nb\nx\n");
        assert_eq!(apply("a\nb", &[(3, &["x\ny\n"])], &[2], &[]).unwrap(), "a\nx\ny");
        assert_eq!(apply("a\nb\n", &[(2, &["x"]), (2, &["y"])], &[], &[(2, "  z\n")]).unwrap(), "a\nx\ny\n  z\n");
    }

    #[test]
    fn deleting_and_modifying_a_line_modifies_it() {
        assert_eq!(
            apply("a\nb\n", &[], &[1, 1], &[(1, "completely different {")]).unwrap(),
            "completely different {\nb\n"
        );
    }

    #[test]
    fn numbers_outside_the_file_are_told() {
        for (deletions, insertions) in [(vec![0], 1), (vec![3], 1), (vec![], 4), (vec![], 0)] {
            let error = apply("a\nb\n", &[(insertions, &["x"])], &deletions, &[]).unwrap_err();
            assert!(error.contains("has 2 lines"), "{error}");
        }
        assert!(apply("a\n", &[], &[], &[(1, "x"), (1, "y")]).unwrap_err().contains("twice"));
    }
}
