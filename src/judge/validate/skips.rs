//! Tests that skip themselves whatever the product does: by a decorator or an annotation that asks nothing of it. Where a
//! class could not be loaded before, nobody saw them skipped; they speak against no patch that makes it load.

use super::subject::Subject;
use crate::domain::{TestId, outer_class};
use crate::language::{self, Language, children, text_of};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// Annotations of JUnit whose condition the product does not decide.
const ANNOTATIONS: [&str; 10] = [
    "Ignore",
    "Disabled",
    "DisabledOnOs",
    "EnabledOnOs",
    "DisabledOnJre",
    "EnabledOnJre",
    "DisabledForJreRange",
    "EnabledForJreRange",
    "DisabledIfEnvironmentVariable",
    "EnabledIfEnvironmentVariable",
];
/// Decorators of pytest and unittest.
const DECORATORS: [&str; 4] = ["skip", "skipIf", "skipUnless", "skipif"];
/// Modules that helpers of tests hand on.
const LIBRARIES: [&str; 5] = ["unittest", "pytest", "sys", "os", "platform"];
/// Names that lead to names are followed so far.
const DEEP: usize = 4;

/// Those tests of a class or module, and of the classes in it, that are skipped whatever the product does.
pub(super) fn always(subject: &dyn Subject, class: &str) -> BTreeSet<TestId> {
    let checkout = subject.checkout();
    let Some(file) = subject.test_file(class) else { return BTreeSet::new() };
    let Ok(text) = std::fs::read_to_string(file.under(&checkout.root)) else { return BTreeSet::new() };
    let Some(language) = language::by_name(&checkout.language) else { return BTreeSet::new() };
    in_text(&text, outer_class(class), language, |module| checkout.has_module(module, language.extension()))
}

/// The same of a text; `is_own` says whether a module is the project's.
fn in_text(text: &str, outer: &str, language: &dyn Language, is_own: impl Fn(&str) -> bool) -> BTreeSet<TestId> {
    let Some(tree) = language::parse(text, language) else { return BTreeSet::new() };
    let mut look = Look { text, language, names: names(tree.root_node(), text, is_own), found: BTreeSet::new() };
    let is_module = language.is_indented();
    look.walk(tree.root_node(), if is_module { Some(outer.to_owned()) } else { None }, outer, false);
    look.found
}

struct Look<'t> {
    text: &'t str,
    language: &'t dyn Language,
    names: BTreeMap<&'t str, Name<'t>>,
    found: BTreeSet<TestId>,
}

/// What a name at the top of a file stands for.
enum Name<'t> {
    /// Something of the language, or of a library.
    Foreign,
    /// Something of the project, or more than one thing.
    Own,
    /// What this expression gives.
    Value(Node<'t>),
}

impl<'t> Look<'t> {
    /// Adds the skipped tests below a node; `class` is the class around it, `outer` the file's.
    fn walk(&mut self, node: Node<'t>, class: Option<String>, outer: &str, is_skipped: bool) {
        for child in children(node) {
            let whole = if child.kind() == "decorated_definition" { child } else { self.language.whole(child) };
            let inner = child.child_by_field_name("definition").unwrap_or(child);
            let name = inner.child_by_field_name("name").map(|name| text_of(name, self.text));
            let syntax = self.language.syntax();
            match name {
                Some(name) if syntax.is_type(inner) => {
                    let is_skipped = is_skipped || self.skips(whole, inner);
                    let class = class.as_ref().map_or_else(|| outer.to_owned(), |class| format!("{class}${name}"));
                    self.walk(inner, Some(class), outer, is_skipped);
                }
                Some(name) if syntax.methods.contains(&inner.kind()) => {
                    if let Some(class) = class.as_ref().filter(|_| is_skipped || self.skips(whole, inner)) {
                        self.found.insert(TestId::new(class, name));
                    }
                }
                _ => self.walk(child, class.clone(), outer, is_skipped),
            }
        }
    }

    /// Whether a declaration carries what skips it, whatever the product does.
    fn skips(&self, whole: Node<'t>, declaration: Node<'t>) -> bool {
        let modifiers = children(declaration).into_iter().filter(|node| node.kind() == "modifiers").flat_map(children);
        modifiers.chain(children(whole)).any(|node| match node.kind() {
            "marker_annotation" | "annotation" => self.is_annotation(node),
            "decorator" => node.named_child(0).is_some_and(|mark| self.is_mark(mark, DEEP)),
            _ => false,
        })
    }

    fn is_annotation(&self, node: Node<'t>) -> bool {
        let Some(name) = node.child_by_field_name("name").map(|name| text_of(name, self.text)) else { return false };
        let simple = name.rsplit('.').next().unwrap_or(name);
        // A name that no import names comes with all those of a package, if one does.
        let imported = self.names.get(simple).or_else(|| self.names.get("*"));
        ANNOTATIONS.contains(&simple) && (name.starts_with("org.junit.") || matches!(imported, Some(Name::Foreign)))
    }

    /// Whether an expression is a mark that skips, and its condition asks nothing of the product.
    fn is_mark(&self, node: Node<'t>, deep: usize) -> bool {
        match node.kind() {
            "identifier" if deep > 0 => match self.names.get(text_of(node, self.text)) {
                Some(Name::Value(value)) => self.is_mark(*value, deep - 1),
                _ => false,
            },
            "attribute" => self.is_skip(node) && text_of(node, self.text).ends_with(".mark.skip"),
            "call" => {
                let called = node.child_by_field_name("function");
                let arguments = node.child_by_field_name("arguments").map(children).unwrap_or_default();
                let arguments: Vec<Node<'_>> = arguments.into_iter().filter(Node::is_named).collect();
                // A text is code that pytest runs.
                let is_text = |node: &Node<'_>| node.kind() == "string";
                let conditions = called.is_some_and(|called| text_of(called, self.text).ends_with("kip"));
                called.is_some_and(|called| self.is_skip(called))
                    && (conditions || !arguments.first().is_some_and(is_text))
                    && arguments.into_iter().all(|argument| self.is_foreign(argument, deep))
            }
            _ => false,
        }
    }

    fn is_skip(&self, called: Node<'t>) -> bool {
        let name = text_of(called, self.text);
        let last = name.rsplit('.').next().unwrap_or(name);
        DECORATORS.contains(&last) && self.is_foreign(called, DEEP)
    }

    /// Whether an expression names nothing of the project.
    fn is_foreign(&self, node: Node<'t>, deep: usize) -> bool {
        match node.kind() {
            "identifier" => match self.names.get(text_of(node, self.text)) {
                None | Some(Name::Foreign) => true,
                Some(Name::Own) => false,
                Some(Name::Value(value)) => deep > 0 && self.is_foreign(*value, deep - 1),
            },
            "attribute" => node.child_by_field_name("object").is_none_or(|object| self.is_foreign(object, deep)),
            "keyword_argument" => node.child_by_field_name("value").is_none_or(|value| self.is_foreign(value, deep)),
            _ => children(node).into_iter().all(|child| self.is_foreign(child, deep)),
        }
    }
}

/// What the names at the top of a file stand for.
fn names<'t>(root: Node<'t>, text: &'t str, is_own: impl Fn(&str) -> bool) -> BTreeMap<&'t str, Name<'t>> {
    let mut names: BTreeMap<&str, Name<'_>> = BTreeMap::new();
    let mut add = |name: &'t str, what: Name<'t>| {
        let what = if names.contains_key(name) { Name::Own } else { what };
        names.insert(name, what);
    };
    let mut brings_all = false;
    for node in children(root) {
        match node.kind() {
            "import_declaration" => {
                let name = text_of(node, text).trim_start_matches("import").trim().trim_end_matches(';');
                let is_foreign = name.starts_with("org.junit.");
                match name.rsplit('.').next().unwrap_or(name) {
                    // Whatever other packages bring all their names, JUnit's are among them.
                    "*" if is_foreign => brings_all = true,
                    "*" => {}
                    simple => add(simple, if is_foreign { Name::Foreign } else { Name::Own }),
                }
            }
            "import_statement" | "import_from_statement" => imported(node, text, &is_own).for_each(|(n, w)| add(n, w)),
            "expression_statement" => {
                let assigned = node.named_child(0).filter(|node| node.kind() == "assignment");
                let (left, right) =
                    assigned.map(|node| (node.child_by_field_name("left"), node.child_by_field_name("right"))).unzip();
                if let (Some(left), Some(right)) = (left.flatten(), right.flatten()) {
                    language::preorder(left, |inner| {
                        if inner.kind() == "identifier" {
                            add(text_of(inner, text), if inner == left { Name::Value(right) } else { Name::Own });
                        }
                        true
                    });
                }
            }
            // What is set in branches may be set more than once, and to anything.
            _ => language::preorder(node, |inner| {
                if inner.kind() == "identifier" && is_set(inner) {
                    add(text_of(inner, text), Name::Own);
                }
                true
            }),
        }
    }
    if brings_all {
        names.insert("*", Name::Foreign);
    }
    names
}

/// Whether a name stands where it gets its meaning.
fn is_set(name: Node<'_>) -> bool {
    let Some(up) = name.parent() else { return false };
    let is = |field| up.child_by_field_name(field) == Some(name);
    match up.kind() {
        "function_definition" | "class_definition" => is("name"),
        "assignment" | "for_statement" => is("left"),
        kind => kind.contains("import") || matches!(kind, "dotted_name" | "as_pattern_target" | "pattern_list"),
    }
}

/// The names that an import brings.
fn imported<'t>(
    node: Node<'t>,
    text: &'t str,
    is_own: &impl Fn(&str) -> bool,
) -> impl Iterator<Item = (&'t str, Name<'t>)> {
    let from = node.child_by_field_name("module_name");
    let parts = children(node).into_iter().filter(move |part| Some(*part) != from);
    parts.filter_map(move |part| {
        let (path, name) = match part.kind() {
            "aliased_import" => (part.child_by_field_name("name")?, text_of(part.child_by_field_name("alias")?, text)),
            "dotted_name" => (part, text_of(part, text).split('.').next()?),
            _ => return None,
        };
        let module = text_of(from.unwrap_or(path), text);
        let top = module.split('.').next()?;
        let is_handed_on = matches!(top, "test" | "tests") && LIBRARIES.contains(&name);
        let is_foreign = is_handed_on || !module.starts_with('.') && !is_own(top);
        Some((name, if is_foreign { Name::Foreign } else { Name::Own }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Java, Python};

    fn found(text: &str, outer: &str, language: &dyn Language) -> Vec<String> {
        in_text(text, outer, language, |module| module == "shop").iter().map(TestId::to_string).collect()
    }

    #[test]
    fn a_mark_that_asks_nothing_of_the_product_skips_always() {
        let text = "import sys\nfrom tests import unittest, Helper\nimport pytest\nimport shop\nfrom shop import READY\n\n\
            OLD = sys.version_info < (3, 0)\nold_only = pytest.mark.skipif(not OLD, reason='old')\n\
            ready_only = pytest.mark.skipif(not READY, reason='shop')\n\n\
            class TestShop(unittest.TestCase):\n\
            \x20   @unittest.skipIf(not hasattr(sys, 'maxint'), 'needs long')\n    def test_long(self):\n        pass\n\
            \x20   @unittest.skipUnless(shop.READY, 'not ready')\n    def test_ready(self):\n        pass\n\n\
            @old_only\ndef test_old():\n    pass\n\n@ready_only\ndef test_later():\n    pass\n\n\
            @pytest.mark.skip\ndef test_never():\n    pass\n\n\
            @pytest.mark.skipif('shop.READY')\ndef test_by_text():\n    pass\n\n\
            @unittest.skip('later')\nclass TestLater:\n    def test_one(self):\n        pass\n";
        let wanted = [
            "test_shop#test_never",
            "test_shop#test_old",
            "test_shop$TestLater#test_one",
            "test_shop$TestShop#test_long",
        ];
        assert_eq!(found(text, "test_shop", &Python), wanted);
    }

    #[test]
    fn names_of_the_project_are_not_taken_for_those_of_the_test_library() {
        let text = "import unittest\nfrom shop import skip\nfrom shop import unittest\n\n\
            @skip('mine')\ndef test_one():\n    pass\n\n@unittest.skip('mine')\ndef test_two():\n    pass\n";
        assert_eq!(found(text, "test_shop", &Python), [""; 0]);
        let java = "import shop.Ignore;\nclass CartTest {\n  @Ignore @Test void one() {}\n}\n";
        assert_eq!(found(java, "CartTest", &Java), [""; 0]);
    }

    #[test]
    fn annotations_of_junit_skip_always() {
        let text = "package shop;\nimport org.junit.jupiter.api.Disabled;\n\
            import org.junit.jupiter.api.condition.*;\nimport static shop.Cart.*;\nclass CartTest {\n  @Disabled(\"later\") @Test void one() {}\n\
            \x20 @Test void two() {}\n  @EnabledIf(\"ready\") @Test void three() {}\n\
            \x20 @Disabled @Nested class Inner {\n    @Test void four() {}\n  }\n}\n";
        assert_eq!(found(text, "shop.CartTest", &Java), ["shop.CartTest#one", "shop.CartTest$Inner#four"]);
    }
}
