//! Rankings from a developer's repair, as the papers' perfect localization: only for `--localization perfect|file`.

use super::statements::statements;
use crate::code::CodeIndex;
use crate::domain::{Location, Ranking, RepoPath, Suspect, TestId};
use similar::{DiffOp, capture_diff_slices};
use std::collections::BTreeSet;

/// A file of the developer's repair: path and repaired text.
pub type Repaired<'a> = (&'a RepoPath, &'a str);

/// Exactly the lines that the developer changed; where lines were only added, those around the gap.
pub fn perfect(index: &CodeIndex, repaired: &[Repaired<'_>], tests: &[TestId]) -> Ranking {
    let mut lines = Vec::new();
    for (path, text) in repaired {
        let Some(file) = index.file(path) else { continue };
        let changed = changed_lines(&file.text, text);
        let found = statements(&file.text, index.language());
        let mut wanted = BTreeSet::new();
        for line in changed {
            // A changed line may lie inside a statement: the statement is what a template can edit.
            let owner = found.iter().filter(|s| s.lines.contains(line)).max_by_key(|s| s.lines.first);
            wanted.insert(owner.map_or(line, |statement| statement.lines.first));
        }
        lines.extend(wanted.into_iter().map(|line| suspect(index, path, line, "changed by the developer")));
    }
    Ranking { lines, tests: tests.to_vec(), source: Ranking::DEVELOPERS.into() }
}

/// All statement lines of the files that the developer changed, with equal scores.
pub fn file(index: &CodeIndex, repaired: &[Repaired<'_>], tests: &[TestId]) -> Ranking {
    let mut lines = Vec::new();
    for (path, _) in repaired {
        let Some(source) = index.file(path) else { continue };
        let firsts: BTreeSet<u32> =
            statements(&source.text, index.language()).into_iter().map(|s| s.lines.first).collect();
        lines.extend(firsts.into_iter().map(|line| suspect(index, path, line, "in a file the developer changed")));
    }
    Ranking { lines, tests: tests.to_vec(), source: "file".into() }
}

fn suspect(index: &CodeIndex, path: &RepoPath, line: u32, reason: &str) -> Suspect {
    Suspect {
        location: Location { file: path.clone(), line },
        method: index.method_at(path, line).map(crate::code::Method::qualified),
        score: 1.0,
        reasons: vec![reason.to_owned()],
    }
}

/// Lines of the buggy text, counted from 1, that differ but for white space, and neighbours of added ones.
fn changed_lines(buggy: &str, repaired: &str) -> BTreeSet<u32> {
    let trimmed = |text: &str| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let (old, new) = (trimmed(buggy), trimmed(repaired));
    let mut changed = BTreeSet::new();
    let number = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
    for op in capture_diff_slices(similar::Algorithm::Myers, &old, &new) {
        match op {
            DiffOp::Delete { old_index, old_len, .. } | DiffOp::Replace { old_index, old_len, .. } => {
                let code_lines = (old_index..old_index + old_len).filter(|&at| is_code(&old[at]));
                changed.extend(code_lines.map(number));
            }
            DiffOp::Insert { old_index, new_index, new_len } => {
                if (new_index..new_index + new_len).any(|at| is_code(&new[at])) {
                    let before = (0..old_index).rev().find(|&at| is_code(&old[at]));
                    let after = (old_index..old.len()).find(|&at| is_code(&old[at]));
                    changed.extend(before.into_iter().chain(after).map(number));
                }
            }
            DiffOp::Equal { .. } => {}
        }
    }
    changed
}

fn is_code(line: &str) -> bool {
    !line.is_empty() && !line.starts_with("//") && !line.starts_with('*') && !line.starts_with("/*")
}

#[cfg(test)]
mod tests {
    use super::super::metadata::tests::shop;
    use super::*;

    #[test]
    fn changed_lines_and_whole_files() {
        let index = shop();
        let path = RepoPath::new("src/shop/Cart.java").unwrap();
        let repaired = index.file(&path).unwrap().text.replace("int i = 1", "int i = 0");
        let lines = |ranking: &Ranking| ranking.lines.iter().map(|s| s.location.line).collect::<Vec<_>>();
        let perfect = perfect(&index, &[(&path, &repaired)], &[]);
        assert_eq!(lines(&perfect), [7]);
        assert_eq!(perfect.source, "perfect");
        assert_eq!(lines(&file(&index, &[(&path, &repaired)], &[])), [3, 6, 7, 8, 10, 13, 14, 15, 18, 19, 23]);
    }

    #[test]
    fn an_insertion_names_its_neighbours() {
        let changed = changed_lines("a();\n\n// why\nc();\n", "a();\n\nb();\n// why\nc();\n");
        assert_eq!(changed, BTreeSet::from([1, 4]));
        assert!(changed_lines("a();\n", "// note\n  a();\n").is_empty());
    }
}
