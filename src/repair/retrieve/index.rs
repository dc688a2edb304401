//! A local index of bug-fix pairs: BM25 over symptoms and code, in memory, made when it is first asked.

use super::{RetrieveError, Solution, Source};
use async_trait::async_trait;
use bm25::{Embedder, EmbedderBuilder, Scorer, Tokenizer};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// A word of the symptom counts for more than one of the code.
const SYMPTOM: f32 = 2.0;
/// Shorter words say nothing.
const SHORTEST: usize = 3;
/// Words of a query beyond these change nothing but the time.
const MOST_WORDS: usize = 64;

/// Bug-fix pairs that can be searched.
pub struct LocalIndex {
    inner: Arc<Inner>,
}

struct Inner {
    solutions: Vec<Solution>,
    fields: OnceLock<[(f32, Field); 2]>,
}

impl LocalIndex {
    /// An index of these pairs. Nothing is built yet.
    pub fn of(solutions: Vec<Solution>) -> Self {
        Self { inner: Arc::new(Inner { solutions, fields: OnceLock::new() }) }
    }

    /// How many pairs it holds.
    pub fn len(&self) -> usize {
        self.inner.solutions.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.inner.solutions.is_empty()
    }
}

impl Inner {
    fn search(&self, query: &str, most: usize) -> Vec<Solution> {
        let mut words = words(query);
        words.sort_unstable();
        words.dedup();
        words.truncate(MOST_WORDS);
        let query = words.join(" ");
        let mut scores: HashMap<usize, f32> = HashMap::new();
        for (weight, field) in self.fields.get_or_init(|| fields(&self.solutions)) {
            for (place, score) in field.scores(&query) {
                *scores.entry(place).or_default() += weight * score;
            }
        }
        let mut best: Vec<(usize, f32)> = scores.into_iter().collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        best.into_iter().take(most.max(1)).map(|(place, _)| self.solutions[place].clone()).collect()
    }
}

/// What is searched of each pair, and how much it counts.
fn fields(solutions: &[Solution]) -> [(f32, Field); 2] {
    let of = |text: fn(&Solution) -> String| Field::of(&solutions.iter().map(text).collect::<Vec<_>>());
    [
        (SYMPTOM, of(|pair| format!("{} {} {}", pair.id, pair.symptom, pair.why))),
        (1.0, of(|pair| format!("{} {}", pair.before, pair.after))),
    ]
}

/// One text of each pair, by the pair's place.
struct Field {
    embedder: Embedder<u32, Words>,
    scorer: Scorer<usize>,
}

impl Field {
    fn of(texts: &[String]) -> Self {
        let corpus: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embedder: Embedder<u32, Words> = EmbedderBuilder::with_tokenizer_and_fit_to_corpus(Words, &corpus).build();
        let mut scorer = Scorer::new();
        for (place, text) in corpus.into_iter().enumerate() {
            scorer.upsert(&place, embedder.embed(text));
        }
        Self { embedder, scorer }
    }

    /// Places of the pairs that share a word with a query, with BM25's score of each.
    fn scores(&self, query: &str) -> impl Iterator<Item = (usize, f32)> + use<> {
        self.scorer.matches(&self.embedder.embed(query)).into_iter().map(|found| (found.id, found.score))
    }
}

/// Takes a text apart as programs write words.
#[derive(Default)]
struct Words;

impl Tokenizer for Words {
    fn tokenize(&self, text: &str) -> Vec<String> {
        words(text)
    }
}

#[async_trait]
impl Source for LocalIndex {
    async fn search(&self, query: &str, most: usize) -> Result<Vec<Solution>, RetrieveError> {
        let (inner, query) = (self.inner.clone(), query.to_owned());
        // Building a large index takes seconds, which other agents need not wait for.
        let found = tokio::task::spawn_blocking(move || inner.search(&query, most)).await;
        found.map_err(|error| RetrieveError::Unreachable {
            what: format!("the local index cannot be searched: {error}"),
        })
    }
}

/// Words in lower case, `camelCase` taken apart, without plural endings, in order.
fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
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

fn keep(found: &mut Vec<String>, word: &mut String) {
    let word = std::mem::take(word);
    let stem = word.strip_suffix('s').filter(|stem| !stem.ends_with('s')).unwrap_or(&word);
    if stem.chars().count() >= SHORTEST {
        found.push(stem.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieve::pairs;

    async fn nearest(query: &str) -> Vec<String> {
        let found = LocalIndex::of(pairs::shipped().unwrap()).search(query, 3).await.unwrap();
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
        assert!(LocalIndex::of(Vec::new()).search("loop", 3).await.unwrap().is_empty());
    }

    #[test]
    fn words_are_taken_apart_as_programs_write_them() {
        assert_eq!(words("isFull(maxSlots) of A"), ["full", "max", "slot"]);
    }
}
