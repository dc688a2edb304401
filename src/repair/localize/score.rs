//! Sums of placements over many bugs: what a table of localization shows.

use super::evaluate::{Placement, top};
use serde::Serialize;

/// How often the first faulty place was among the first 1, 3, 5, 10.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tops {
    /// First.
    pub top1: usize,
    /// Among the first three.
    pub top3: usize,
    /// Among the first five.
    pub top5: usize,
    /// Among the first ten.
    pub top10: usize,
}

impl Tops {
    fn of(places: impl Iterator<Item = Option<usize>> + Clone) -> Self {
        let within = |n| top(places.clone(), n);
        Self { top1: within(1), top3: within(3), top5: within(5), top10: within(10) }
    }
}

/// One way to localize, over many bugs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Scores {
    /// Bugs measured.
    pub bugs: usize,
    /// By line.
    pub line: Tops,
    /// By method.
    pub method: Tops,
    /// By file.
    pub file: Tops,
    /// Mean EXAM score, `0.0..=1.0`; lower is better.
    pub exam: f64,
    /// Mean place of the first faulty line, over the bugs whose ranking holds it.
    pub first_rank: f64,
}

impl Scores {
    /// The sums of these placements.
    pub fn of(placements: &[Placement]) -> Self {
        let mean = |values: &[f64]| {
            if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
        };
        let ranks: Vec<f64> = placements.iter().filter_map(|placement| placement.line).map(|at| at as f64).collect();
        let exams: Vec<f64> = placements.iter().map(|placement| placement.exam).collect();
        Self {
            bugs: placements.len(),
            line: Tops::of(placements.iter().map(|placement| placement.line)),
            method: Tops::of(placements.iter().map(|placement| placement.method)),
            file: Tops::of(placements.iter().map(|placement| placement.file)),
            exam: mean(&exams),
            first_rank: mean(&ranks),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_and_what_was_not_found_counts_nowhere() {
        let at = |line, method, exam| Placement { line, method, file: Some(1), exam };
        let scores = Scores::of(&[at(Some(1), Some(1), 0.1), at(Some(6), Some(2), 0.2), at(None, None, 1.0)]);
        assert_eq!(scores.line, Tops { top1: 1, top3: 1, top5: 1, top10: 2 });
        assert_eq!(scores.method, Tops { top1: 1, top3: 2, top5: 2, top10: 2 });
        assert_eq!((scores.file.top1, scores.bugs), (3, 3));
        assert!((scores.exam - 1.3 / 3.0).abs() < 1e-9 && (scores.first_rank - 3.5).abs() < 1e-9);
        assert_eq!(Scores::of(&[]).exam, 0.0);
    }
}
