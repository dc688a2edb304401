//! What of a project an issue speaks of: methods of the product by the words of its text, and the tests beside them.

use super::Workbench;
use crate::code::{Method, SourceFile, subtokens};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Words that are looked for.
const WORDS: usize = 14;
/// Places that a search gives.
const HITS: usize = 30;
/// Methods that are given.
const METHODS: usize = 12;
/// Methods of one name beyond which the name says little.
const NAMESAKES: usize = 6;
/// Shorter words say nothing by themselves.
const SHORTEST: usize = 4;
/// Words of any issue.
const IDLE: [&str; 30] = [
    "actual",
    "because",
    "behavior",
    "behaviour",
    "code",
    "could",
    "does",
    "error",
    "example",
    "exception",
    "expected",
    "fails",
    "from",
    "have",
    "issue",
    "java",
    "main",
    "python",
    "result",
    "returns",
    "should",
    "string",
    "test",
    "that",
    "this",
    "version",
    "when",
    "with",
    "which",
    "would",
];

/// What an issue is about, by its text.
pub(crate) struct SpokenOf<'b> {
    /// Methods of the product, those that the text names first.
    pub methods: Vec<&'b Method>,
    /// Files of tests, the nearest first.
    pub tests: Vec<&'b Arc<SourceFile>>,
}

impl<'b> SpokenOf<'b> {
    /// By the text of the issue.
    pub(crate) fn of(bench: &'b Workbench, issue: &str) -> Self {
        let words = words(issue);
        let methods = methods(bench, &words);
        let tests = tests(bench, &words, &methods);
        Self { methods, tests }
    }
}

/// The words of a text as names are spelled, each once, with how often it stands there.
fn words(text: &str) -> BTreeMap<&str, usize> {
    let mut found = BTreeMap::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        let starts = word.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        let idle = IDLE.contains(&word.to_ascii_lowercase().as_str());
        if starts && !idle && word.len() > 1 {
            *found.entry(word).or_insert(0) += 1;
        }
    }
    found
}

/// Whether a word is spelled as only names are: `addItem`, `add_item`.
fn is_name(word: &str) -> bool {
    subtokens(word).len() > 1
}

fn methods<'b>(bench: &'b Workbench, words: &BTreeMap<&str, usize>) -> Vec<&'b Method> {
    let index = &bench.index;
    let is_product = |method: &&Method| index.file(&method.file).is_some_and(|file| !file.test);
    let types: BTreeSet<&str> =
        words.keys().filter(|word| index.class(word).is_some_and(|(file, _)| !file.test)).copied().collect();
    let of_named_type = |method: &Method| method.class.split('.').any(|part| types.contains(part));
    let mut named: Vec<(u8, &Method)> = Vec::new();
    for word in words.keys() {
        let all: Vec<&Method> = index.methods_named(word).filter(is_product).collect();
        let few = all.len() <= NAMESAKES;
        for method in all {
            match (of_named_type(method), is_name(word)) {
                (true, _) => named.push((0, method)),
                (false, true) if few => named.push((1, method)),
                (false, false) if few && word.len() >= SHORTEST => named.push((3, method)),
                _ => {}
            }
        }
    }
    let hits = index.search(&sought(words, &types), HITS).hits;
    let hit = hits.iter().filter_map(|hit| index.method_at(&hit.file, hit.line)).filter(is_product);
    named.extend(hit.map(|method| (if of_named_type(method) { 2 } else { 4 }, method)));
    named.sort_by_key(|(rank, _)| *rank);
    let mut chosen: Vec<&Method> = Vec::new();
    for (_, method) in named {
        if chosen.len() < METHODS && !chosen.iter().any(|known| std::ptr::eq(*known, method)) {
            chosen.push(method);
        }
    }
    chosen
}

/// What is looked for in the code: types, then words spelled as names, then the words that stand there most often.
fn sought(words: &BTreeMap<&str, usize>, types: &BTreeSet<&str>) -> Vec<String> {
    let mut all: Vec<(&str, usize)> =
        words.iter().map(|(word, count)| (*word, *count)).filter(|(word, _)| word.len() >= SHORTEST).collect();
    all.sort_by_key(|(word, count)| (!types.contains(word), !is_name(word), std::cmp::Reverse(*count)));
    all.into_iter().take(WORDS).map(|(word, _)| word.to_owned()).collect()
}

/// Files of tests: by the types of the methods that their names hold, and by how many of the words they hold.
fn tests<'b>(bench: &'b Workbench, words: &BTreeMap<&str, usize>, methods: &[&Method]) -> Vec<&'b Arc<SourceFile>> {
    const SUBJECT: usize = 6;
    let subjects: Vec<String> = methods.iter().take(3).map(|method| subject(&method.class)).collect();
    let score = |file: &SourceFile| {
        let stem = file.path.stem().to_ascii_lowercase();
        let about = subjects.iter().position(|name| !name.is_empty() && stem.contains(name.as_str()));
        let held = words.keys().filter(|word| word.len() >= SHORTEST && file.text.contains(**word)).count();
        about.map_or(0, |at| SUBJECT - at) + held.min(SUBJECT)
    };
    let has_tests = |file: &&Arc<SourceFile>| file.test && file.methods().any(is_test);
    let mut all: Vec<_> = bench.index.files().iter().filter(has_tests).map(|file| (score(file), file)).collect();
    all.sort_by_key(|(score, file)| (std::cmp::Reverse(*score), file.text.len()));
    all.into_iter().map(|(_, file)| file).collect()
}

/// What a class is called in the names of its tests.
fn subject(class: &str) -> String {
    class.split('.').next().unwrap_or_default().to_ascii_lowercase()
}

/// Whether a method is a test, by its annotation or its name.
pub(crate) fn is_test(method: &Method) -> bool {
    method.annotations.iter().any(|name| name.ends_with("Test")) || method.name.starts_with("test")
}

#[cfg(test)]
mod units {
    use super::*;

    #[test]
    fn the_words_of_an_issue_are_those_of_its_names() {
        let all = words("Cart.addItem(null) should throw; see `add_item`, 3 times: addItem");
        assert_eq!(all["addItem"], 2);
        assert!(all.contains_key("Cart") && all.contains_key("add_item") && !all.contains_key("should"));
        assert!(is_name("addItem") && is_name("add_item") && !is_name("cart"));
        let types = BTreeSet::from(["Cart"]);
        assert_eq!(sought(&all, &types)[..3], ["Cart", "addItem", "add_item"]);
    }
}
