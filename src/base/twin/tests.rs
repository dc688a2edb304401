//! Twins of small programs, as a reader would check them.

use super::{Caution, Java, Naming, Python, Source, in_prose, reordered, rewritten, words_of};
use crate::language::{self, Language, parse, preorder};
use proptest::prelude::*;
use std::collections::BTreeSet;

const TILL: &str = "package shop;\n\nimport java.util.List;\n\n/** Sums prices; see {@link Till#totalOf(int)}. */\npublic class Till {\n    \
    private int sum;\n\n    public int totalOf(List<Integer> prices) {\n        for (int i = 0; i < prices.size(); i++) {\n            \
    if (sum == 0) {\n                sum = prices.get(i);\n            } else {\n                add(prices.get(i));\n            }\n        \
    }\n        return sum;\n    }\n\n    void add(int price) {\n        sum = sum + price;\n    }\n\n    @Override\n    public String toString() {\n        \
    return \"sum \" + sum;\n    }\n}\n";

const CART: &str = "import json\n\nLIMIT = 3\n\n\nclass Cart:\n    def __init__(self, prices=()):\n        self.prices = list(prices)\n        \
    self.index = 0\n\n    def total(self, max=None):\n        count = 0\n        while count < len(self.prices):\n            \
    count += 1\n        if self.index == 0:\n            return sum(self.prices)\n        else:\n            return json.dumps(count)\n\n\n\
    def test_total():\n    cart = Cart(prices=[1, 2])\n    cart.prices.append(3)\n    assert [1].index(1) == 0\n    assert cart.total(max=2) == 6\n";

fn source(path: &str, text: &str) -> Vec<Source> {
    vec![Source { path: path.parse().unwrap(), text: text.to_owned() }]
}

fn java(text: &str) -> (Naming, String) {
    let sources = source("src/shop/Till.java", text);
    let java = Java::read(&sources);
    let naming = Naming::draw(&java.declared(Caution::Little), &words_of(&sources), false, 7);
    let text = java.renamed(&naming, &BTreeSet::new()).swap_remove(0).0;
    (naming, text)
}

fn python(text: &str) -> (Naming, String) {
    let sources = source("shop/cart.py", text);
    let foreign = ["append", "index", "dumps", "count"].map(str::to_owned).into();
    let python = Python::read(&sources, foreign);
    let naming = Naming::draw(&python.declared(Caution::Little), &words_of(&sources), true, 7);
    let text = python.renamed(&naming).swap_remove(0);
    (naming, text)
}

/// The text under its old names again.
fn back(naming: &Naming, text: &str) -> String {
    super::prose::each_word(text, |word, _, _| naming.original(word).map(str::to_owned))
}

/// What the tree of a text is made of, without names.
fn kinds(text: &str, language: &dyn Language) -> Vec<String> {
    let tree = parse(text, language).unwrap();
    let mut kinds = Vec::new();
    preorder(tree.root_node(), |node| {
        kinds.push(node.kind().to_owned());
        true
    });
    kinds
}

#[test]
fn java_gets_other_names_where_the_project_declares_them() {
    let (naming, text) = java(TILL);
    for name in ["Till", "shop", "sum", "totalOf", "prices", "add", "price", "i"] {
        assert!(naming.of(name).is_some(), "{name} stays");
    }
    for unchanged in ["String toString()", "java.util.List", "List<Integer>", ".size()", "\"sum \""] {
        assert!(text.contains(unchanged), "{unchanged} was changed: {text}");
    }
    assert!(!text.contains("totalOf") && !text.contains("Till"), "the comment has the new names, too: {text}");
    assert_eq!(back(&naming, &text), TILL);
    assert_eq!(java(TILL).1, text, "the seed decides");
}

#[test]
fn python_gets_other_names_where_the_project_declares_them() {
    let (naming, text) = python(CART);
    for name in ["cart", "shop", "LIMIT", "Cart", "prices", "total", "max", "count", "test_total"] {
        assert!(naming.of(name).is_some(), "{name} stays");
    }
    for unchanged in ["import json", "json.dumps(", "sum(self.", ".append(3)", "[1].index(1)", "__init__", "len("] {
        assert!(text.contains(unchanged), "{unchanged} was changed: {text}");
    }
    assert!(!text.contains("self.index"), "the field of the project is no list's: {text}");
    assert!(text.contains("def test_") && !text.contains("test_total"), "{text}");
    assert!(!text.contains("max=") && !text.contains("(prices="), "arguments follow the parameters: {text}");
    assert_eq!(back(&naming, &text), CART);
}

#[test]
fn a_name_that_means_something_to_others_stays() {
    let text = "class A extends java.io.InputStream { public int read() { return 0; } private int next() { return 1; } \
                @Override public int available() { return 2; } public static void main(String[] args) {} }";
    let (naming, _) = java(text);
    for (name, stays) in [("read", true), ("next", false), ("available", true), ("main", true), ("args", false)] {
        assert_eq!(naming.of(name).is_none(), stays, "{name}");
    }
    let (naming, text) = python(
        "import pytest\n\n@pytest.mark.parametrize('one, other', [(1, 2)])\ndef test_it(one, other, tmp_path):\n    assert one\n",
    );
    assert!(naming.of("tmp_path").is_none());
    assert!(text.contains(&format!("'{}, {}'", naming.of("one").unwrap(), naming.of("other").unwrap())), "{text}");
}

#[test]
fn what_differs_between_two_versions_differs_in_the_twins() {
    let fixed = TILL.replace("sum + price", "sum - price");
    for (one, other, language) in [
        (TILL, fixed.as_str(), &language::Java as &dyn Language),
        (CART, &CART.replace("return sum(", "return 1 + sum("), &language::Python),
    ] {
        let mut places = 0;
        for seed in 0..8 {
            let (a, b, count) = rewritten(one, other, language, seed);
            places += count;
            for text in [&a, &b] {
                assert!(!parse(text, language).unwrap().root_node().has_error(), "{text}");
            }
            let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
            let differing = lines(&a).iter().zip(lines(&b)).filter(|(one, other)| **one != *other).count();
            assert_eq!((differing, lines(&a).len()), (1, lines(&b).len()), "{a}\n{b}");
        }
        assert!(places > 8, "{places} places in 8 twins");
    }
}

#[test]
fn other_words_mean_the_same() {
    let all = |text: &str, language: &dyn Language| -> String {
        (0..64).map(|seed| rewritten(text, text, language, seed).0).collect()
    };
    let java = |body: &str| all(&format!("class A {{ void f(int n, int[] a) {{ {body} }} }}"), &language::Java);
    assert!(java("if (n < 3) { g(); } else { h(); }").contains("if (!(n < 3)) { h(); } else { g(); }"));
    assert!(java("for (int i = 0; g(i); i++) { h(); }").contains("{ int i = 0; while (g(i)) { h(); i++; } }"));
    assert!(!java("for (int i = 0; g(i); i++) { if (n == 1) continue; h(); }").contains("while"));
    assert!(!java("for (int i = 0; g(i); i++) { h(); return; }").contains("while"), "what comes behind is not reached");
    assert!(java("while (g()) { h(); }").contains("for (; g(); ) { h(); }"));
    assert!(java("g(n < a[0]);").contains("g(a[0] > n);"));
    assert!(!java("g(h() < k());").contains("k() > h()"), "calls come in order");
    assert!(java("n++;").contains("n += 1;"));
    let python = |text: &str| all(text, &language::Python);
    assert!(
        python("def f(n):\n    while n > g():\n        n -= 1\n")
            .contains("    while True:\n        if not (n > g()):\n            break\n")
    );
    assert!(python("if not a:\n    b()\nelse:\n    c()\n").contains("if a:\n    c()\nelse:\n    b()\n"));
    assert!(!python("while a:\n    b()\nelse:\n    c()\n").contains("True"));
    assert!(!python("x += y\n").contains("x = x + y"), "a list would become another list");
}

#[test]
fn methods_change_places_with_their_comments() {
    let text = "class A {\n    int x;\n    /** One. */\n    void one() {}\n\n    // Two.\n    void two() {}\n\n    void three() {}\n}\n";
    let orders: BTreeSet<String> = (0..32).map(|seed| reordered(text, &language::Java, seed)).collect();
    assert_eq!(orders.len(), 6);
    for order in &orders {
        assert!(
            order.contains("    /** One. */\n    void one() {}") && order.contains("    // Two.\n    void two() {}"),
            "{order}"
        );
        assert!(order.starts_with("class A {\n    int x;\n"));
    }
    let bound = "def a():\n    pass\n\nx = a()\n\ndef b(y=x):\n    pass\n";
    assert!((0..32).all(|seed| reordered(bound, &language::Python, seed) == bound));
}

#[test]
fn comments_follow_the_names_but_words_stay_words() {
    let sources = source("A.java", "class A { int value; void setIt(int a) {} }");
    let java = Java::read(&sources);
    let naming = Naming::draw(&java.declared(Caution::Little), &BTreeSet::new(), false, 1);
    let prose = in_prose("Sets a value with setIt.\n@param value the one\nvalue: `value`", &naming);
    let [value, call] = ["value", "setIt"].map(|name| naming.of(name).unwrap());
    assert_eq!(prose, format!("Sets a value with {call}.\n@param {value} the one\n{value}: `{value}`"));
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        java(&text);
        python(&text);
        for language in [&language::Java as &dyn Language, &language::Python] {
            rewritten(&text, &text, language, 1);
            reordered(&text, language, 1);
        }
    }

    #[test]
    fn renaming_changes_names_alone(names in proptest::collection::vec("z[a-z]{0,2}", 5), seed in any::<u64>()) {
        let [a, b, c, d, e] = names.as_slice() else { unreachable!() };
        let text = format!("class K{a} {{ int {b}; int {c}(int {d}) {{ for (int {e} : {c}s()) {{ {b} += {d} * this.{b}; }} return {c}({d}); }} }}");
        let (naming, new) = java(&text);
        prop_assert_eq!(kinds(&text, &language::Java), kinds(&new, &language::Java));
        prop_assert_eq!(back(&naming, &new), text.clone());
        let news: BTreeSet<&str> = naming.pairs().map(|(_, new)| new).collect();
        prop_assert_eq!(news.len(), naming.len());
        let (one, other, _) = rewritten(&new, &new, &language::Java, seed);
        prop_assert_eq!(one, other);
        let text = format!("class K{a}:\n    def {b}(self, {c}):\n        self.{d} = [{c} for {e} in {c}]\n        return self.{b}({c}={d}x)\n");
        let (naming, new) = python(&text);
        prop_assert_eq!(kinds(&text, &language::Python), kinds(&new, &language::Python));
        prop_assert_eq!(back(&naming, &new), text);
    }
}
