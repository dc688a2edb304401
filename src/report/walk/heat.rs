//! The ranking of suspicious lines on the source: how warm a line is says how suspicious.

use crate::domain::{Ranking, RepoPath};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Lines that are shown before and after a suspicious one.
const AROUND: usize = 3;
/// Most lines of a file that are shown.
const MOST: usize = 400;
/// Steps of warmth.
const STEPS: f64 = 5.0;

/// A file with its warm lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Heat<'t> {
    path: &'t str,
    lines: Vec<Warm<'t>>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Warm<'t> {
    number: usize,
    text: &'t str,
    /// From 0, not suspicious at all, to 5.
    warmth: u8,
    /// Its score; empty without one.
    score: String,
    /// Whether lines before it are left out.
    gap: bool,
}

/// The files of a ranking whose source is known.
pub(super) fn heat<'t>(ranking: Option<&Ranking>, sources: &'t [(RepoPath, String)]) -> Vec<Heat<'t>> {
    let Some(ranking) = ranking else { return Vec::new() };
    let most = ranking.lines.iter().map(|line| line.score).fold(f64::MIN_POSITIVE, f64::max);
    let of_file = |(path, text): &'t (RepoPath, String)| {
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for suspect in ranking.lines.iter().filter(|suspect| suspect.location.file == *path) {
            let score = scores.entry(suspect.location.line as usize).or_default();
            *score = score.max(suspect.score);
        }
        let lines = warm(text, &scores, most);
        (!lines.is_empty()).then(|| Heat { path: path.as_str(), lines })
    };
    sources.iter().filter_map(of_file).collect()
}

fn warm<'t>(text: &'t str, scores: &BTreeMap<usize, f64>, most: f64) -> Vec<Warm<'t>> {
    let shown: BTreeSet<usize> =
        scores.keys().flat_map(|line| line.saturating_sub(AROUND)..=line.saturating_add(AROUND)).collect();
    let mut last = 0;
    let numbered = text.lines().enumerate().map(|(at, text)| (at + 1, text));
    let lines = numbered.filter(|(number, _)| shown.contains(number)).take(MOST).map(|(number, text)| {
        let score = scores.get(&number).copied();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let warmth = score.map_or(0, |score| ((score / most).clamp(0.0, 1.0) * STEPS).ceil() as u8);
        let gap = number > last + 1;
        last = number;
        Warm { number, text, warmth, score: score.map_or_else(String::new, |score| format!("{score:.3}")), gap }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_suspicious_line_is_the_warmest_and_what_is_far_is_left_out() {
        let text: String = (1..=30).map(|n| format!("line {n}\n")).collect();
        let lines = warm(&text, &BTreeMap::from([(5, 0.8), (25, 0.2)]), 0.8);
        let rows: Vec<(usize, u8, bool)> = lines.iter().map(|line| (line.number, line.warmth, line.gap)).collect();
        assert_eq!(rows[..4], [(2, 0, true), (3, 0, false), (4, 0, false), (5, 5, false)]);
        assert_eq!(rows[7..11], [(22, 0, true), (23, 0, false), (24, 0, false), (25, 2, false)]);
        assert_eq!(rows.len(), 14);
    }
}
