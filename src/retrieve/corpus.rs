//! Before/after pairs written for this program, found by plain keyword scoring: words weigh by how rare they are.

use super::{RetrieveError, Solution, Source};
use async_trait::async_trait;
use std::collections::{BTreeMap, BTreeSet};

/// One JSON object a line.
const PAIRS: &str = include_str!("pairs.jsonl");
/// A word of the symptom counts for more than one of the code.
const SYMPTOM: f64 = 2.0;
/// Shorter words say nothing.
const SHORTEST: usize = 3;

/// Solutions with the words by which they are found.
pub struct Corpus {
    entries: Vec<Entry>,
    /// In how many entries a word stands.
    spread: BTreeMap<String, usize>,
}

struct Entry {
    solution: Solution,
    symptom: BTreeSet<String>,
    code: BTreeSet<String>,
}

impl Corpus {
    /// The pairs that come with the program.
    ///
    /// # Errors
    /// A line is no solution.
    pub fn shipped() -> Result<Self, RetrieveError> {
        Self::parse(PAIRS)
    }

    /// A corpus from JSON lines; empty lines are passed over.
    ///
    /// # Errors
    /// A line is no solution.
    pub fn parse(text: &str) -> Result<Self, RetrieveError> {
        let mut entries = Vec::new();
        let mut spread: BTreeMap<String, usize> = BTreeMap::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let solution: Solution = serde_json::from_str(line)
                .map_err(|error| RetrieveError::Malformed { line: at + 1, what: error.to_string() })?;
            let symptom = words(&format!("{} {} {}", solution.id, solution.symptom, solution.why));
            let code = words(&format!("{} {}", solution.before, solution.after));
            for word in symptom.union(&code) {
                *spread.entry(word.clone()).or_default() += 1;
            }
            entries.push(Entry { solution, symptom, code });
        }
        Ok(Self { entries, spread })
    }

    fn score(&self, entry: &Entry, query: &BTreeSet<String>) -> f64 {
        let all = self.entries.len() as f64;
        let weight = |word: &String| (1.0 + all / self.spread.get(word).copied().unwrap_or(1) as f64).ln();
        let sum = |words: &BTreeSet<String>| query.intersection(words).map(weight).sum::<f64>();
        // Long entries would win by their length alone.
        let length = 1.0 + ((entry.symptom.len() + entry.code.len()) as f64).sqrt();
        (SYMPTOM * sum(&entry.symptom) + sum(&entry.code)) / length
    }
}

#[async_trait]
impl Source for Corpus {
    async fn search(&self, query: &str, most: usize) -> Result<Vec<Solution>, RetrieveError> {
        let query = words(query);
        let mut scored: Vec<(f64, &Entry)> = self.entries.iter().map(|e| (self.score(e, &query), e)).collect();
        scored.retain(|(score, _)| *score > 0.0);
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.solution.id.cmp(&b.1.solution.id)));
        Ok(scored.into_iter().take(most).map(|(_, entry)| entry.solution.clone()).collect())
    }
}

/// Words in lower case, `camelCase` taken apart, without plural endings.
fn words(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for token in text.split(|c: char| !c.is_alphanumeric()) {
        let mut word = String::new();
        let mut lower_before = false;
        for c in token.chars() {
            if c.is_uppercase() && lower_before {
                keep(&mut found, &mut word);
            }
            lower_before = c.is_lowercase() || c.is_numeric();
            word.extend(c.to_lowercase());
        }
        keep(&mut found, &mut word);
    }
    found
}

fn keep(found: &mut BTreeSet<String>, word: &mut String) {
    let word = std::mem::take(word);
    let stem = word.strip_suffix('s').filter(|stem| !stem.ends_with('s')).unwrap_or(&word);
    if stem.chars().count() >= SHORTEST {
        found.insert(stem.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn nearest(query: &str) -> Vec<String> {
        let found = Corpus::shipped().unwrap().search(query, 3).await.unwrap();
        found.into_iter().map(|solution| solution.id).collect()
    }

    #[tokio::test]
    async fn symptoms_find_their_repairs() {
        for (query, id) in [
            ("ring buffer is full too early, the last free slot is refused", "capacity-one-free"),
            ("ConcurrentModificationException removing in a loop", "concurrent-modification"),
            ("share of an amount is a cent too low, rounding", "round-half-up"),
            ("StackOverflowError in a recursion", "recursion-base-case"),
        ] {
            assert!(nearest(query).await.contains(&id.to_owned()), "{query}: {:?}", nearest(query).await);
        }
    }

    #[tokio::test]
    async fn what_fits_nothing_finds_nothing() {
        assert!(nearest("zzqx").await.is_empty());
        assert!(nearest("").await.is_empty());
    }

    #[test]
    fn ids_are_unique_and_a_damaged_line_is_named() {
        let corpus = Corpus::shipped().unwrap();
        let ids: Vec<&str> = corpus.entries.iter().map(|entry| entry.solution.id.as_str()).collect();
        assert!(ids.len() >= 30);
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        let error = Corpus::parse("\n{\"id\": 1}\n").err().unwrap();
        assert!(error.to_string().starts_with("line 2 "), "{error}");
    }
}
