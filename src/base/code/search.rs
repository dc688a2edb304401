//! Keyword search over all code (RepairAgent, section III-D2: `search_code_base`): variables, methods and classes.
//!
//! Keywords are split into subtokens by camel case, underscore and period; each is looked for in the text of every
//! member with its documentation, whatever the case: methods, fields, and the heads of types. Plain scans need no inverted
//! index at the size of a project, and keep nothing.

use super::{CodeIndex, SourceFile};
use crate::domain::{LineSpan, RepoPath};
use memchr::memmem::Finder;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Subtokens of a query beyond these are ignored.
const MAX_SUBTOKENS: usize = 32;
/// Members that hold words of the keywords alone, where each keyword is found whole.
const WORDS_ALONE: usize = 5;
/// Lines that are given of one hit.
const MAX_LINES: usize = 2;
/// What a member is called that is the head of a type: its documentation and declaration.
const HEAD: &str = "(declaration)";
/// Beginnings of lines that name what stands elsewhere.
const IMPORTS: [&str; 3] = ["import ", "package ", "from "];

/// One member that holds subtokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The file that holds it.
    pub file: RepoPath,
    /// Its type with outer types.
    pub class: String,
    /// A method as `name(Type,Type)`, a field by its name, or the head of the type.
    pub member: String,
    /// Its first line, counted from 1.
    pub line: u32,
    /// Whether its file is a test.
    pub test: bool,
    /// The subtokens it holds, in the order of the query.
    pub keywords: Vec<String>,
    /// The lines that tell most, with their numbers: those with whole keywords first.
    pub lines: Vec<(u32, String)>,
}

/// Members that hold subtokens of a query, the best first.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHits {
    /// The subtokens that were looked for, in lower case.
    pub subtokens: Vec<String>,
    /// Subtokens of one or two letters, left out because longer ones were given.
    pub dropped: Vec<String>,
    /// Hits by falling rank, capped.
    pub hits: Vec<Hit>,
    /// How many members match, without the cap.
    pub total: usize,
    /// How many of them hold a keyword that is not split.
    pub whole: usize,
}

/// Subtokens of a keyword in lower case: split by camel case, underscore, period and everything else that no name
/// holds; `parseURLFast2` gives `parse`, `url`, `fast2`.
pub fn subtokens(keyword: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for range in subtoken_ranges(keyword) {
        let token = keyword[range].to_ascii_lowercase();
        if !found.contains(&token) {
            found.push(token);
        }
    }
    found
}

/// The places of the subtokens of a text, in order.
pub fn subtoken_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut chars = text.char_indices().peekable();
    let mut start = None;
    let mut before = None;
    std::iter::from_fn(move || {
        loop {
            let Some((at, c)) = chars.next() else { return start.take().map(|start| start..text.len()) };
            let last = before.replace(c);
            let ended = match start {
                Some(start) if !c.is_alphanumeric() => Some(start..at),
                Some(start) if begins_anew(last, c, chars.peek().map(|(_, next)| *next)) => Some(start..at),
                _ => None,
            };
            if ended.is_some() || start.is_none() {
                start = c.is_alphanumeric().then_some(at);
            }
            if ended.is_some() {
                return ended;
            }
        }
    })
}

/// Whether a capital letter begins a subtoken: after a small one, and the last one of `URLFast`.
fn begins_anew(before: Option<char>, c: char, next: Option<char>) -> bool {
    let is_capital = |c: char| c.is_uppercase();
    is_capital(c) && (!before.is_some_and(is_capital) || next.is_some_and(char::is_lowercase))
}

impl CodeIndex {
    /// Members whose text holds subtokens of the keywords, in tests too. Ranked by the number of whole keywords, then
    /// sources before tests, then by distinct subtokens and by the rarity of what matched; at most `cap` are returned.
    /// Subtokens of one or two letters count only when nothing longer was given, and where each keyword is found whole
    /// somewhere, few are returned that hold its words alone.
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
        let sought = Sought::of(&long, &whole);
        let found: Vec<Match<'_>> = self.files.par_iter().flat_map_iter(|file| sought.in_file(file)).collect();
        let total = found.len();
        let holders = found.iter().filter(|one| !one.whole.is_empty()).count();
        let known: BTreeSet<usize> = found.iter().flat_map(|one| one.whole.iter().copied()).collect();
        let mut found = rank(found, long.len());
        if known.len() == keywords.len() {
            found.truncate(holders + WORDS_ALONE);
        }
        let hits = found.into_iter().take(cap).map(|found| found.hit(&long, &sought)).collect();
        SearchHits { subtokens: long, dropped, hits, total, whole: holders }
    }
}

/// The best first.
fn rank(mut found: Vec<Match<'_>>, tokens: usize) -> Vec<Match<'_>> {
    let mut holders = vec![0_u32; tokens];
    for one in &found {
        for &token in &one.held {
            holders[token] += 1;
        }
    }
    let rarity = |one: &Match<'_>| one.held.iter().map(|&token| 1.0 / f64::from(holders[token].max(1))).sum::<f64>();
    found.sort_by(|a, b| {
        let by_name = b.whole.len().cmp(&a.whole.len()).then(a.file.test.cmp(&b.file.test));
        let by_worth = by_name.then(b.held.len().cmp(&a.held.len())).then_with(|| rarity(b).total_cmp(&rarity(a)));
        by_worth.then_with(|| (&a.file.path, a.unit.span.first).cmp(&(&b.file.path, b.unit.span.first)))
    });
    found
}

/// What is looked for.
struct Sought<'q> {
    tokens: Vec<Finder<'q>>,
    whole: Vec<Finder<'q>>,
}

impl<'q> Sought<'q> {
    fn of(tokens: &'q [String], whole: &'q [String]) -> Self {
        let finders = |words: &'q [String]| words.iter().map(|word| Finder::new(word.as_bytes())).collect();
        Self { tokens: finders(tokens), whole: finders(whole) }
    }

    fn in_file<'f>(&self, file: &'f SourceFile) -> Vec<Match<'f>> {
        // Only ASCII letters change, so that byte offsets stay.
        let lowered = file.text.to_ascii_lowercase();
        // Most files hold few of the tokens: what the file lacks need not be sought in its members.
        if self.tokens.iter().all(|finder| finder.find(lowered.as_bytes()).is_none()) {
            return Vec::new();
        }
        units(file)
            .into_iter()
            .filter_map(|unit| {
                let text = unit.text.to_ascii_lowercase();
                let [held, whole] = [&self.tokens, &self.whole].map(|finders| {
                    let holds = |&at: &usize| finders[at].find(text.as_bytes()).is_some();
                    (0..finders.len()).filter(holds).collect::<Vec<_>>()
                });
                (!held.is_empty()).then_some(Match { file, unit, held, whole })
            })
            .collect()
    }

    /// How much a line tells: whole keywords, then subtokens.
    fn worth(&self, line: &str) -> (usize, usize) {
        let lowered = line.to_ascii_lowercase();
        let count = |finders: &[Finder<'_>]| finders.iter().filter(|f| f.find(lowered.as_bytes()).is_some()).count();
        (count(&self.whole), count(&self.tokens))
    }
}

/// A member with the lines that belong to it: its own, and the comment above it.
struct Unit<'f> {
    class: &'f str,
    member: String,
    span: LineSpan,
    /// What is looked through: code that shares a line with another member is not its own.
    text: String,
}

/// Lines of a file, without those that name what stands elsewhere.
fn lines(file: &SourceFile, span: LineSpan) -> impl Iterator<Item = (u32, &str)> {
    let numbered = (span.first..=span.last).filter_map(|n| Some((n, file.line(n)?)));
    numbered.filter(|(_, line)| !IMPORTS.iter().any(|word| line.starts_with(word)))
}

/// All members of a file. Lines between methods belong to the field or the type that comes next: a comment stands above
/// what it is about.
fn units(file: &SourceFile) -> Vec<Unit<'_>> {
    let mut units: Vec<Unit<'_>> = Vec::new();
    let mut taken: Vec<LineSpan> = Vec::new();
    let mut anchors: BTreeMap<u32, (&str, String, &str)> = BTreeMap::new();
    for class in &file.types {
        anchors.insert(class.span.first, (&class.name, HEAD.to_owned(), &class.signature));
        for field in &class.fields {
            anchors.entry(field.span.last).or_insert((&class.name, field.name.clone(), &field.declaration));
        }
        for method in &class.methods {
            let span = LineSpan { first: method.doc_first.min(method.span.first), last: method.span.last };
            taken.push(span);
            let doc = LineSpan { last: method.span.first.saturating_sub(1), ..span };
            let code = file.text.get(method.bytes.clone()).unwrap_or("");
            let text = format!("{}\n{code}", file.lines(doc));
            units.push(Unit { class: &class.name, member: method.overload(), span, text });
        }
    }
    let mut first = 1;
    for (last, (class, member, declaration)) in anchors {
        // What stands before the anchor and in no method.
        let behind = taken.iter().filter(|span| span.last < last).map(|span| span.last + 1).max().unwrap_or(1);
        let begin = first.max(behind).min(last);
        let span = LineSpan { first: begin, last };
        let shared = taken.iter().any(|method| method.contains(last));
        let own: Vec<&str> = lines(file, span).filter(|(n, _)| !(shared && *n == last)).map(|(_, line)| line).collect();
        let text = format!("{}\n{}", own.join("\n"), if shared { declaration } else { "" });
        units.push(Unit { class, member, span, text });
        first = last + 1;
    }
    units
}

/// A member that holds some of the subtokens.
struct Match<'f> {
    file: &'f SourceFile,
    unit: Unit<'f>,
    /// Subtokens, by their place in the query.
    held: Vec<usize>,
    /// Keywords that are not split, by theirs.
    whole: Vec<usize>,
}

impl Match<'_> {
    fn hit(&self, tokens: &[String], sought: &Sought<'_>) -> Hit {
        let mut lines: Vec<(u32, &str)> = lines(self.file, self.unit.span).collect();
        lines.sort_by_key(|(number, line)| (std::cmp::Reverse(sought.worth(line)), *number));
        let matching = lines.into_iter().filter(|(_, line)| sought.worth(line) != (0, 0)).take(MAX_LINES);
        let mut lines: Vec<(u32, String)> = matching.map(|(number, line)| (number, line.trim().to_owned())).collect();
        lines.sort();
        Hit {
            file: self.file.path.clone(),
            class: self.unit.class.to_owned(),
            member: self.unit.member.clone(),
            line: self.unit.span.first,
            test: self.file.test,
            keywords: self.held.iter().map(|&token| tokens[token].clone()).collect(),
            lines,
        }
    }
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
        let names: Vec<_> = hits.hits.iter().map(|hit| hit.member.as_str()).collect();
        assert_eq!(names, ["arrayQuickSort()", "sortArray()", "quickSort()", "t()"]);
        assert!(hits.hits[3].test, "sources come before tests");
        assert_eq!(hits.hits[1].keywords, ["sort", "array"]);
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

    #[test]
    fn fields_heads_of_types_and_comments_are_found_with_their_lines() {
        let code = "import a.Widget;\n\n/**\n * Counts widgets.\n */\nclass Counter {\n    // most widgets at once\n    static final int LIMIT = 3;\n\n    /** Adds a widget. */\n    void add() {\n        total++;\n    }\n}\n";
        let index = fixture_index(&[("src/Counter.java", code), ("test/T.java", "class T { int LIMIT = 3; }")]);
        let found = |word: &str| {
            let hits = index.search(&[word.to_owned()], 10).hits;
            hits.into_iter().map(|hit| (hit.member, hit.lines)).collect::<Vec<_>>()
        };
        let line = |number: u32, text: &str| (number, text.to_owned());
        assert_eq!(
            found("widget"),
            [
                ("(declaration)".to_owned(), vec![line(4, "* Counts widgets.")]),
                ("LIMIT".to_owned(), vec![line(7, "// most widgets at once")]),
                ("add()".to_owned(), vec![line(10, "/** Adds a widget. */")]),
            ]
        );
        assert_eq!(found("LIMIT")[0], ("LIMIT".to_owned(), vec![line(8, "static final int LIMIT = 3;")]));
        assert_eq!(found("total"), [("add()".to_owned(), vec![line(12, "total++;")])]);
    }

    #[test]
    fn whole_names_come_before_their_words() {
        let index = fixture_index(&[
            ("src/A.java", "class A {\n  void lower() { to(); }\n  void other() { x.toLowerCase(); }\n}\n"),
            ("test/ATest.java", "class ATest {\n  void t() { x.toLowerCase(); }\n}\n"),
        ]);
        let hits = index.search(&["toLowerCase".to_owned()], 10).hits;
        let names: Vec<_> = hits.iter().map(|hit| hit.member.as_str()).collect();
        assert_eq!(names, ["other()", "t()", "lower()"]);
    }

    #[test]
    fn where_all_keywords_are_found_whole_few_hold_their_words_alone() {
        let others: String = (0..20).map(|n| format!("  void lower{n}() {{ toCase(); }}\n")).collect();
        let code = format!("class A {{\n{others}  void other() {{ x.toLowerCase(); }}\n}}\n");
        let index = fixture_index(&[("src/A.java", &code)]);
        let found = |words: &[&str]| {
            let hits = index.search(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>(), 25);
            (hits.hits.len(), hits.whole, hits.total)
        };
        assert_eq!(found(&["toLowerCase"]), (1 + WORDS_ALONE, 1, 21));
        assert_eq!(found(&["toLowerCase", "caseLowered"]), (21, 1, 21), "one of them is only found by its words");
        assert_eq!(found(&["lowerCased"]), (21, 0, 21));
    }
}
