//! A word of the product that stands nowhere else, and is nearly one that the project uses elsewhere.
//!
//! Such a word is likely a slip of the pen: a key, a name in a text, or an attribute that nothing has. Example:
//! `"tematic_break"` in a parser whose other parts speak of a `thematic_break`.

use super::super::edit::Change;
use super::spelling::SPELLING;
use super::{Candidate, Engine, Location, Ranking};
use crate::code::subtoken_ranges;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// Suspicious lines that are read.
const LINES: usize = 100;
/// Bytes of sources that the words are counted in.
const READ: usize = 8 << 20;
/// Letters of a word at least.
const LONG: usize = 5;
/// Candidates at most.
const MOST: usize = 3;

impl Engine<'_> {
    /// Makes the candidates: first where a word stands that a failure tells of, then the most suspicious lines.
    pub(super) fn respell_words(&mut self, ranking: &Ranking) {
        let index = self.index;
        let counts = counted(index.files().iter().map(|file| &*file.text));
        let mut made = 0;
        let told = self.places_of_told_words(&counts);
        let suspects = ranking.lines.iter().take(LINES).map(|suspect| suspect.location.clone());
        for place in told.into_iter().chain(suspects) {
            let slips = self.slips(&place, &counts);
            for (unit, change) in slips.into_iter().take(MOST - made) {
                let candidate = self.corrected(unit, change, place.clone());
                made += usize::from(candidate.is_some());
                self.returned.extend(candidate);
            }
            if made >= MOST {
                break;
            }
        }
        self.emitted += made;
    }

    /// Where words of the failures stand that stand nowhere else.
    fn places_of_told_words(&self, counts: &HashMap<&str, usize>) -> BTreeSet<Location> {
        let told = self.options.failing.iter().flat_map(|test| words(&test.failure.message));
        let rare: BTreeSet<&str> = told.map(|(_, word)| word).filter(|word| counts.get(word) == Some(&1)).collect();
        let place = |word: &str| {
            let found = self.index.files().iter().filter(|file| !file.test);
            let mut found = found.filter_map(|file| Some((file, file.text.find(word)?)));
            found.next().map(|(file, at)| {
                let line = u32::try_from(file.text[..at].matches('\n').count() + 1).unwrap_or(u32::MAX);
                Location { file: file.path.clone(), line }
            })
        };
        rare.into_iter().filter_map(place).collect()
    }

    /// The words of a line that are likely slips, each with the word that was meant.
    fn slips(&mut self, place: &Location, counts: &HashMap<&str, usize>) -> Vec<(usize, Change)> {
        let Some(file) = self.index.file(&place.file).filter(|file| !file.test) else { return Vec::new() };
        let mut lines = file.text.split_inclusive('\n').scan(0, |end, line| {
            *end += line.len();
            Some((*end - line.len(), line))
        });
        let Some((start, line)) = lines.nth(place.line.saturating_sub(1) as usize) else { return Vec::new() };
        let meant = words(line).filter_map(|(range, word)| Some((range, meant(word, counts)?)));
        let changes: Vec<Change> = meant
            .map(|(range, word)| Change { range: start + range.start..start + range.end, text: word.to_owned() })
            .collect();
        if changes.is_empty() {
            return Vec::new();
        }
        let unit = self.unit_of(place);
        unit.into_iter().flat_map(|unit| changes.iter().map(move |change| (unit, change.clone()))).collect()
    }

    fn corrected(&mut self, unit: usize, change: Change, place: Location) -> Option<Candidate> {
        let old = &self.units[unit].text[change.range.clone()];
        let note = format!("wrote `{}` for `{old}`, which stands nowhere else", change.text);
        self.unplanned(SPELLING, place, vec![(unit, change)], note)
    }
}

/// How often each word stands in some sources.
fn counted<'t>(texts: impl Iterator<Item = &'t str>) -> HashMap<&'t str, usize> {
    let (mut counts, mut left) = (HashMap::new(), READ);
    for text in texts {
        let Some(rest) = left.checked_sub(text.len()) else { continue };
        left = rest;
        words(text).for_each(|(_, word)| *counts.entry(word).or_default() += 1);
    }
    counts
}

/// The word that was meant by one that stands nowhere else; the one that is used most.
fn meant<'c>(word: &str, counts: &HashMap<&'c str, usize>) -> Option<&'c str> {
    if counts.get(word) != Some(&1) {
        return None;
    }
    let is_near = |other: &str| {
        let ends = [word, other].map(|word| (word.chars().next(), word.chars().next_back()));
        let is_plural = word.strip_suffix('s') == Some(other) || other.strip_suffix('s') == Some(word);
        other.len().abs_diff(word.len()) <= 1
            && (ends[0].0 == ends[1].0 || ends[0].1 == ends[1].1)
            && !is_plural
            && !word.eq_ignore_ascii_case(other)
            && strsim::osa_distance(word, other) == 1
    };
    counts
        .iter()
        .filter(|(other, _)| is_near(other))
        .max_by_key(|(other, count)| (**count, **other))
        .map(|(other, _)| *other)
}

/// The longer words of a text with their places, names taken apart.
fn words(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let words = subtoken_ranges(text).map(|range| (range.clone(), &text[range]));
    words.filter(|(_, word)| word.len() >= LONG && word.chars().all(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_stands_nowhere_else_is_a_slip_of_one_that_is_near() {
        let text = "thematicBreak thematic_break thematic tematic lists lists lists listX Lookup lookup";
        let counts = counted(std::iter::once(text));
        assert_eq!(meant("tematic", &counts), Some("thematic"));
        assert_eq!(meant("thematic", &counts), None);
        assert_eq!(meant("lists", &counts), None);
        assert_eq!(meant("Lookup", &counts), None);
        let found: Vec<_> = words("'a_footnoteText 1é'").collect();
        assert_eq!(found, [(3..11, "footnote")]);
        assert_eq!(words("").count(), 0);
    }
}
