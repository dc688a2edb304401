//! Keyword search over method bodies (RepairAgent, section III-D2: `search_code_base`).
//!
//! Keywords are split into subtokens by camel case, underscore and period; each is looked for in the text of every
//! method, whatever the case. Plain scans need no inverted index at the size of a project, and keep nothing.

use super::{CodeIndex, Method};
use crate::domain::RepoPath;
use memchr::memmem::Finder;
use rayon::prelude::*;
use serde_json::{Map, Value};

/// Subtokens of a query beyond these are ignored.
const MAX_SUBTOKENS: usize = 32;

/// One method that holds subtokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its file.
    pub file: RepoPath,
    /// Its type with outer types.
    pub class: String,
    /// The method as `name(Type,Type)`.
    pub method: String,
    /// Its first line, counted from 1.
    pub line: u32,
    /// Whether its file is a test.
    pub test: bool,
    /// The subtokens it holds, in the order of the query.
    pub keywords: Vec<String>,
}

/// Methods that hold subtokens of a query, the best first.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHits {
    /// The subtokens that were looked for, in lower case.
    pub subtokens: Vec<String>,
    /// Subtokens of one or two letters, left out because longer ones were given.
    pub dropped: Vec<String>,
    /// Hits by falling rank, capped.
    pub hits: Vec<Hit>,
    /// How many methods match, without the cap.
    pub total: usize,
}

impl SearchHits {
    /// File → class → method → matched keywords, as the paper shows them; files in the order of their best hit.
    pub fn nested(&self) -> Value {
        let mut files = Map::new();
        for hit in &self.hits {
            let file = files.entry(hit.file.as_str()).or_insert_with(|| Value::Object(Map::new()));
            let Some(classes) = file.as_object_mut() else { continue };
            let class = classes.entry(hit.class.as_str()).or_insert_with(|| Value::Object(Map::new()));
            let Some(methods) = class.as_object_mut() else { continue };
            methods.insert(hit.method.clone(), Value::from(hit.keywords.clone()));
        }
        Value::Object(files)
    }
}

/// Subtokens of a keyword in lower case: split by camel case, underscore, period and everything else that no name
/// holds; `parseURLFast2` gives `parse`, `url`, `fast2`.
pub fn subtokens(keyword: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in keyword.split(|c: char| !c.is_alphanumeric()) {
        let chars: Vec<char> = word.chars().collect();
        let mut start = 0;
        for at in 1..=chars.len() {
            let ends = at == chars.len()
                || (chars[at].is_uppercase()
                    && (!chars[at - 1].is_uppercase() || chars.get(at + 1).is_some_and(|next| next.is_lowercase())));
            if ends {
                let token: String = chars[start..at].iter().collect::<String>().to_ascii_lowercase();
                start = at;
                if !token.is_empty() && !found.contains(&token) {
                    found.push(token);
                }
            }
        }
    }
    found
}

impl CodeIndex {
    /// Methods whose text holds subtokens of the keywords, tests too. Ranked by the number of distinct subtokens, then
    /// by whole keywords, then by the rarity of what matched, then sources before tests; at most `cap` are returned.
    /// Subtokens of one or two letters count only when nothing longer was given.
    pub fn search(&self, keywords: &[String], cap: usize) -> SearchHits {
        let mut wanted: Vec<String> = Vec::new();
        for token in keywords.iter().flat_map(|keyword| subtokens(keyword)) {
            if !wanted.contains(&token) {
                wanted.push(token);
            }
        }
        let (mut long, short): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|token| token.chars().count() > 2);
        let mut dropped = short;
        if long.is_empty() {
            long = std::mem::take(&mut dropped);
        }
        long.truncate(MAX_SUBTOKENS);
        let whole: Vec<String> =
            keywords.iter().map(|k| k.trim().to_ascii_lowercase()).filter(|k| k.len() > 2).collect();
        let found = self.matches(&long, &whole);
        let total = found.len();
        let hits = self.rank(found, long.len(), cap).into_iter().map(|found| self.hit(&found, &long)).collect();
        SearchHits { subtokens: long, dropped, hits, total }
    }

    fn matches(&self, tokens: &[String], whole: &[String]) -> Vec<Found<'_>> {
        let tokens: Vec<Finder<'_>> = tokens.iter().map(|token| Finder::new(token.as_bytes())).collect();
        let whole: Vec<Finder<'_>> = whole.iter().map(|keyword| Finder::new(keyword.as_bytes())).collect();
        let per_file = |at: usize| {
            let file = &self.files[at];
            // Only ASCII letters change, so that byte offsets stay.
            let lowered = file.text.to_ascii_lowercase().into_bytes();
            // Most files hold few of the tokens: what the file lacks need not be sought in its methods.
            let present: Vec<bool> = tokens.iter().map(|finder| finder.find(&lowered).is_some()).collect();
            if !present.contains(&true) {
                return Vec::new();
            }
            let present_whole: Vec<_> = whole.iter().filter(|finder| finder.find(&lowered).is_some()).collect();
            file.methods()
                .filter_map(|method| {
                    let body = lowered.get(method.bytes.clone())?;
                    let held: Vec<usize> =
                        (0..tokens.len()).filter(|&t| present[t] && tokens[t].find(body).is_some()).collect();
                    let whole = present_whole.iter().filter(|finder| finder.find(body).is_some()).count();
                    (!held.is_empty()).then_some(Found { file: at, method, held, whole })
                })
                .collect()
        };
        (0..self.files.len()).into_par_iter().flat_map_iter(per_file).collect()
    }

    fn rank<'a>(&'a self, mut found: Vec<Found<'a>>, tokens: usize, cap: usize) -> Vec<Found<'a>> {
        let mut holders = vec![0_u32; tokens];
        for one in &found {
            for &token in &one.held {
                holders[token] += 1;
            }
        }
        let rarity =
            |one: &Found<'_>| one.held.iter().map(|&token| 1.0 / f64::from(holders[token].max(1))).sum::<f64>();
        found.sort_by(|a, b| {
            let by_worth = b.held.len().cmp(&a.held.len()).then(b.whole.cmp(&a.whole));
            let by_rarity = by_worth.then_with(|| rarity(b).total_cmp(&rarity(a)));
            let by_kind = by_rarity.then_with(|| self.files[a.file].test.cmp(&self.files[b.file].test));
            by_kind.then_with(|| (a.file, a.method.bytes.start).cmp(&(b.file, b.method.bytes.start)))
        });
        found.truncate(cap);
        found
    }

    fn hit(&self, found: &Found<'_>, tokens: &[String]) -> Hit {
        Hit {
            file: found.method.file.clone(),
            class: found.method.class.clone(),
            method: found.method.overload(),
            line: found.method.span.first,
            test: self.files[found.file].test,
            keywords: found.held.iter().map(|&token| tokens[token].clone()).collect(),
        }
    }
}

/// A method that holds some of the subtokens.
struct Found<'a> {
    file: usize,
    method: &'a Method,
    held: Vec<usize>,
    whole: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::outline::tests::fixture_index;

    #[test]
    fn keywords_are_split_as_the_paper_says() {
        assert_eq!(subtokens("quickSortArray"), ["quick", "sort", "array"]);
        assert_eq!(subtokens("MAX_VALUE.parseURLFast2"), ["max", "value", "parse", "url", "fast2"]);
        assert_eq!(subtokens("if (x < 0 && prev == '-')"), ["if", "x", "0", "prev"]);
        assert_eq!(subtokens("größeÄndern"), ["größe", "Ändern"]);
        assert!(subtokens(" ._ ").is_empty());
    }

    #[test]
    fn subtokens_match_whatever_the_case_and_the_best_comes_first() {
        let index = fixture_index(&[
            (
                "src/A.java",
                "class A { void sortArray() {} void quickSort() {} void arrayQuickSort() {} void other() {} }",
            ),
            ("test/ATest.java", "class ATest { void t() { new A().QUICKSORT_array(); } }"),
        ]);
        let hits = index.search(&["quickSortArray".to_owned()], 10);
        let names: Vec<_> = hits.hits.iter().map(|hit| hit.method.as_str()).collect();
        assert_eq!(names, ["arrayQuickSort()", "t()", "sortArray()", "quickSort()"]);
        assert_eq!(hits.total, 4);
        assert!(hits.hits[1].test);
        let nested = hits.nested();
        assert_eq!(nested["src/A.java"]["A"]["sortArray()"], serde_json::json!(["sort", "array"]));
        assert_eq!(index.search(&["quickSortArray".to_owned()], 2).hits.len(), 2);
    }

    #[test]
    fn short_subtokens_count_only_alone() {
        let index = fixture_index(&[("src/A.java", "class A { void f() { int qz = 1; } void g() { parse(); } }")]);
        let both = index.search(&["is_parse".to_owned()], 10);
        assert_eq!((both.dropped.as_slice(), both.total), (["is".to_owned()].as_slice(), 1));
        assert_eq!(index.search(&["qz".to_owned()], 10).total, 1);
        assert_eq!(index.search(&[], 10).total, 0);
    }
}
