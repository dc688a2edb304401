//! How good a ranking was, measured against a developer's repair after the fact.

use super::oracle::{Repaired, perfect};
use super::rank::{by_file, by_method};
use super::statements::statements;
use crate::code::CodeIndex;
use crate::domain::{Ranking, RepoPath};
use serde::Serialize;
use std::collections::BTreeSet;

/// Where the first faulty place stands in a ranking; places count from 1, `None` when it is not in it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Placement {
    /// Place of the first faulty line.
    pub line: Option<usize>,
    /// Place of the first faulty method.
    pub method: Option<usize>,
    /// Place of the first faulty file.
    pub file: Option<usize>,
    /// EXAM score (Wong et al., 2008): share of the project's statements looked at until the first faulty one; 1 when
    /// it is never reached.
    pub exam: f64,
}

/// Compares a ranking with the statements that the developer changed.
pub fn evaluate(index: &CodeIndex, ranking: &Ranking, repaired: &[Repaired<'_>]) -> Placement {
    let faulty = perfect(index, repaired, &[]);
    let lines: BTreeSet<_> = faulty.lines.iter().map(|suspect| &suspect.location).collect();
    let methods: BTreeSet<(&RepoPath, &str)> =
        faulty.lines.iter().filter_map(|s| Some((&s.location.file, s.method.as_deref()?))).collect();
    let files: BTreeSet<&RepoPath> = faulty.lines.iter().map(|suspect| &suspect.location.file).collect();
    let place = |at: Option<usize>| at.map(|at| at + 1);
    let line = place(ranking.lines.iter().position(|suspect| lines.contains(&suspect.location)));
    let all: usize =
        index.files().iter().filter(|file| !file.test).map(|file| statements(&file.text, index.language()).len()).sum();
    Placement {
        line,
        method: place(by_method(ranking).iter().position(|(file, method, _)| methods.contains(&(*file, *method)))),
        file: place(by_file(ranking).iter().position(|(file, _)| files.contains(file))),
        exam: line.map_or(1.0, |line| (line as f64 / all.max(1) as f64).min(1.0)),
    }
}

/// How many of the placements are among the first `n`.
pub fn top(placements: impl Iterator<Item = Option<usize>>, n: usize) -> usize {
    placements.flatten().filter(|place| *place <= n).count()
}

#[cfg(test)]
mod tests {
    use super::super::metadata::tests::{baseline, shop, wrong_total};
    use super::super::{Formula, Inputs, failing_tests, rank};
    use super::*;
    use crate::domain::TestStatus;

    #[test]
    fn the_faulty_line_is_found_where_it_stands() {
        let index = shop();
        let failing = failing_tests(&index, &baseline("total", wrong_total(), TestStatus::Failed));
        let inputs = Inputs {
            index: &index,
            failing: &failing,
            coverage: None,
            spectrum: None,
            formula: Formula::Ochiai,
            changed: None,
        };
        let ranking = rank(&inputs);
        let cart = RepoPath::new("src/shop/Cart.java").unwrap();
        let repaired = index.file(&cart).unwrap().text.replace("int i = 1", "int i = 0");
        let placement = evaluate(&index, &ranking, &[(&cart, &repaired)]);
        assert_eq!((placement.line, placement.method, placement.file), (Some(2), Some(1), Some(1)));
        assert!((placement.exam - 2.0 / 12.0).abs() < 1e-9, "{}", placement.exam);
        let money = RepoPath::new("src/shop/Money.java").unwrap();
        let other = index.file(&money).unwrap().text.replace("100 +", "10 +");
        let missed = evaluate(&index, &ranking, &[(&money, &other)]);
        assert_eq!((missed.line, missed.file), (None, None));
        assert_eq!(top([Some(1), Some(4), None].into_iter(), 3), 1);
    }
}
