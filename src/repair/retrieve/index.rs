//! A local index of bug-fix pairs: BM25 over symptoms and code, in memory, made when it is first asked.

use super::{RetrieveError, Solution, Source};
use async_trait::async_trait;
use std::sync::{Arc, OnceLock};
use tantivy::collector::TopDocs;
use tantivy::directory::RamDirectory;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{DocAddress, Index, Searcher, TantivyDocument, TantivyError, Term};

/// Memory in which the index is built before it is written out, in bytes.
const BUILDING: usize = 64 << 20;
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
    built: OnceLock<Result<Built, String>>,
}

struct Built {
    searcher: Searcher,
    symptom: Field,
    code: Field,
}

impl LocalIndex {
    /// An index of these pairs. Nothing is built yet.
    pub fn of(solutions: Vec<Solution>) -> Self {
        Self { inner: Arc::new(Inner { solutions, built: OnceLock::new() }) }
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
    fn search(&self, query: &str, most: usize) -> Result<Vec<Solution>, String> {
        let built = self.built.get_or_init(|| build(&self.solutions).map_err(|error| error.to_string()));
        let built = built.as_ref().map_err(Clone::clone)?;
        let mut words = words(query);
        words.sort_unstable();
        words.dedup();
        words.truncate(MOST_WORDS);
        let terms: Vec<(Occur, Box<dyn Query>)> =
            words.iter().flat_map(|word| [built.term(built.symptom, word), built.term(built.code, word)]).collect();
        let top = TopDocs::with_limit(most.max(1)).order_by_score();
        let found = built.searcher.search(&BooleanQuery::new(terms), &top).map_err(|error| error.to_string())?;
        // One segment, written in order: a document's number is its place in the list.
        let place = |at: DocAddress| self.solutions.get(at.doc_id as usize).cloned();
        Ok(found.into_iter().filter_map(|(_, at)| place(at)).collect())
    }
}

impl Built {
    fn term(&self, field: Field, word: &str) -> (Occur, Box<dyn Query>) {
        let term: Box<dyn Query> =
            Box::new(TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::WithFreqs));
        let boost = if field == self.symptom { SYMPTOM } else { 1.0 };
        (Occur::Should, Box::new(BoostQuery::new(term, boost)))
    }
}

fn build(solutions: &[Solution]) -> Result<Built, TantivyError> {
    let indexing =
        TextFieldIndexing::default().set_tokenizer("whitespace").set_index_option(IndexRecordOption::WithFreqs);
    let options = TextOptions::default().set_indexing_options(indexing);
    let mut schema = Schema::builder();
    let symptom = schema.add_text_field("symptom", options.clone());
    let code = schema.add_text_field("code", options);
    let index = Index::builder().schema(schema.build());
    let mut writer = index.single_segment_index_writer(RamDirectory::create(), BUILDING)?;
    for solution in solutions {
        let Solution { id, symptom: seen, before, after, why } = solution;
        let mut document = TantivyDocument::default();
        document.add_text(symptom, words(&format!("{id} {seen} {why}")).join(" "));
        document.add_text(code, words(&format!("{before} {after}")).join(" "));
        writer.add_document(document)?;
    }
    let searcher = writer.finalize()?.reader()?.searcher();
    Ok(Built { searcher, symptom, code })
}

#[async_trait]
impl Source for LocalIndex {
    async fn search(&self, query: &str, most: usize) -> Result<Vec<Solution>, RetrieveError> {
        let (inner, query) = (self.inner.clone(), query.to_owned());
        // Building a large index takes seconds, which other agents need not wait for.
        let found = tokio::task::spawn_blocking(move || inner.search(&query, most)).await;
        let broken =
            |what: String| RetrieveError::Unreachable { what: format!("the local index cannot be searched: {what}") };
        found.map_err(|error| broken(error.to_string()))?.map_err(broken)
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
