//! Failing tests that stand as they are committed, while nothing but tests was changed since: they failed before, for
//! another reason than the test that somebody writes now.

use super::group;
use crate::domain::{TestId, TestReport, outer_class};
use crate::language::{self, Language};
use crate::validate::method::methods;
use crate::validate::subject::Subject;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tree_sitter::Node;

/// Words of declarations that run for tests which do not name them.
const FOR_ALL: [&str; 10] = [
    "autouse",
    "setUp",
    "tearDown",
    "setup_",
    "teardown_",
    "@Before",
    "@After",
    "@RegisterExtension",
    "@Rule",
    "static {",
];

/// What a test file is, and was at the last commit.
struct Edit {
    before: Option<String>,
    now: String,
}

/// The test files that are not committed as they are, while all else is.
pub(in crate::validate) struct Edited {
    language: &'static dyn Language,
    /// By the class or module that the file holds.
    edits: BTreeMap<String, Edit>,
}

impl Edited {
    /// Nothing where no test was changed, or more than tests.
    pub(super) fn of(subject: &dyn Subject) -> Option<Self> {
        let checkout = subject.checkout();
        if checkout.edited_tests.is_empty() {
            return None;
        }
        let language = language::by_name(&checkout.language)?;
        let decoded = |bytes: &[u8]| language::decode(bytes).0;
        let mut edits = BTreeMap::new();
        for class in subject.tests() {
            let class = outer_class(class).to_owned();
            let Some(file) = subject.test_file(&class) else { continue };
            if let Some((_, before)) = checkout.edited_tests.iter().find(|(path, _)| *path == file) {
                let now = decoded(&std::fs::read(file.under(&checkout.root)).ok()?);
                edits.insert(class, Edit { before: before.as_deref().map(decoded), now });
            }
        }
        (!edits.is_empty()).then_some(Self { language, edits })
    }

    /// Those of some failing tests that are as they were, with all that they share with the others of their file; `report`
    /// names the others.
    pub(super) fn leaves(&self, failing: &[TestId], report: &TestReport) -> BTreeSet<TestId> {
        let mut left = BTreeSet::new();
        let classes: BTreeSet<&str> = failing.iter().map(TestId::outer_class).collect();
        for class in classes {
            let of_class = |id: &&TestId| id.outer_class() == class;
            let own = failing.iter().filter(of_class);
            let Some(Edit { before, now }) = self.edits.get(class) else {
                left.extend(own.cloned());
                continue;
            };
            let Some(before) = before else { continue };
            let tests: BTreeSet<TestId> = report.results.keys().filter(of_class).map(TestId::of_method).collect();
            let known = self.declared(before);
            let (before, now) = (self.parts(before, &tests, &known), self.parts(now, &tests, &known));
            if before.shared == now.shared {
                let is_same = |id: &&TestId| {
                    let code = now.tests.get(&id.of_method());
                    code.is_some() && code == before.tests.get(&id.of_method())
                };
                left.extend(own.filter(is_same).cloned());
            }
        }
        left
    }

    /// Names of the types and methods that a text declares.
    fn declared(&self, text: &str) -> BTreeSet<String> {
        let Some(tree) = language::parse(text, self.language) else { return BTreeSet::new() };
        let mut names = BTreeSet::new();
        language::preorder(tree.root_node(), |node| {
            names.extend(self.declares(node, text).map(str::to_owned));
            true
        });
        names
    }

    /// Whether a declaration runs for tests that do not name it.
    fn is_for_all(node: Node<'_>, text: &str) -> bool {
        let whole = node.parent().filter(|up| up.kind() == "decorated_definition").unwrap_or(node);
        FOR_ALL.iter().any(|word| language::text_of(whole, text).contains(word))
    }

    fn declares<'t>(&self, node: Node<'_>, text: &'t str) -> Option<&'t str> {
        let syntax = self.language.syntax();
        let name = node.child_by_field_name("name").filter(|_| syntax.is_type(node) || syntax.is_method(node))?;
        Some(language::text_of(name, text))
    }

    /// The code of these tests in a text, and the rest of it without what declares other names than the known ones: what is
    /// new changes nothing for a test that does not name it.
    fn parts(&self, text: &str, tests: &BTreeSet<TestId>, known: &BTreeSet<String>) -> Parts {
        let Some(tree) = language::parse(text, self.language) else { return Parts::default() };
        let root = tree.root_node();
        let mut of_class = HashMap::new();
        let mut found = BTreeMap::new();
        for id in tests {
            let methods = of_class.entry(id.class.as_str()).or_insert_with(|| methods(root, text, id, self.language));
            if let Some(method) = methods.get(id.method.as_str()) {
                found.insert(id, method.byte_range());
            }
        }
        let mut rest = text.to_owned();
        let mut ranges: Vec<_> = found.values().cloned().collect();
        language::preorder(root, |node| {
            let is_left_out =
                ranges.iter().any(|range| range.start <= node.start_byte() && node.end_byte() <= range.end);
            let is_new = !is_left_out && self.declares(node, text).is_some_and(|name| !known.contains(name));
            let is_new = is_new && !Self::is_for_all(node, text);
            if is_new {
                ranges.push(node.byte_range());
            }
            !is_left_out && !is_new
        });
        // From the end, so that earlier places stay where they are; what lies in a range goes with it.
        ranges.sort_by_key(|range| (range.start, Reverse(range.end)));
        let mut end = 0;
        ranges.retain(|range| {
            let is_outside = range.start >= end;
            end = end.max(range.end);
            is_outside
        });
        ranges.into_iter().rev().for_each(|range| rest.replace_range(range, ""));
        // Imports change nothing by themselves, and what is written in front of a test goes with it.
        let counts =
            |line: &&str| !line.is_empty() && !["import ", "from ", "@"].iter().any(|start| line.starts_with(start));
        Parts {
            shared: rest.lines().map(str::trim).filter(counts).map(str::to_owned).collect(),
            tests: found.into_iter().map(|(id, range)| (id.clone(), text[range].to_owned())).collect(),
        }
    }
}

/// Failing tests, and those that failed before what is not committed yet: where somebody writes a test for a bug, other
/// tests fail for another reason, but for those that fail at the same place.
pub(super) fn without_older(
    failing: Vec<TestId>,
    report: &TestReport,
    edited: Option<&Edited>,
) -> (Vec<TestId>, Vec<TestId>) {
    let Some(edited) = edited else { return (failing, Vec::new()) };
    let left = edited.leaves(&failing, report);
    let (older, newer): (Vec<TestId>, Vec<TestId>) = failing.iter().cloned().partition(|id| left.contains(id));
    if newer.is_empty() {
        return (failing, Vec::new());
    }
    let places: BTreeSet<_> = newer.iter().filter_map(|id| group::place(id, report)).collect();
    let (same, older) =
        older.into_iter().partition(|id| group::place(id, report).is_some_and(|at| places.contains(&at)));
    (newer.into_iter().chain::<Vec<TestId>>(same).collect(), older)
}

/// A test file, taken apart.
#[derive(Default)]
struct Parts {
    /// The lines that belong to no test.
    shared: Vec<String>,
    tests: BTreeMap<TestId, String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Python;

    #[test]
    fn a_test_in_a_new_class_is_taken_out_with_it() {
        let text = "import m\n\nLIMIT = 3\n\n\nclass NewTest:\n    def test_one(self):\n        assert m.one()\n\n    \
                    def test_two(self):\n        assert m.two()\n";
        let edited = Edited { language: &Python, edits: BTreeMap::new() };
        let tests = BTreeSet::from([TestId::new("test_m$NewTest", "test_one")]);
        let parts = edited.parts(text, &tests, &BTreeSet::new());
        assert_eq!(parts.shared, ["LIMIT = 3"]);
        assert!(parts.tests.values().all(|test| test.contains("m.one()")), "{:?}", parts.tests);
        let known = BTreeSet::from(["NewTest".to_owned(), "test_two".to_owned()]);
        let parts = edited.parts(text, &tests, &known);
        assert_eq!(parts.shared, ["LIMIT = 3", "class NewTest:", "def test_two(self):", "assert m.two()"]);
    }
}
