//! Drawn inputs: patches that pass the same tests and behave differently are told apart.

mod absent;
mod at_hand;
mod held;
mod middle;

use crate::support::{folder_of, unidebug};
use serde_json::Value;

const LIMIT: &str = "def allowed(age, limit):\n    return age > limit\n";
const TESTS: &str = "from m import allowed\n\n\ndef test_above():\n    assert allowed(20, 18)\n\n\ndef test_below():\n    \
                     assert not allowed(3, 18)\n\n\ndef test_at():\n    assert allowed(18, 18)\n";

/// A diff that puts one text in the place of another.
fn whole(before: &str, after: &str) -> String {
    let marked = |sign: char, text: &str| text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>();
    let (old, new) = (before.lines().count(), after.lines().count());
    format!("--- a/m.py\n+++ b/m.py\n@@ -1,{old} +1,{new} @@\n{}{}", marked('-', before), marked('+', after))
}

/// Judges patches of one module; each with its name.
fn judged(code: &str, tests: &str, patches: &[(String, String)]) -> Value {
    let diffs: Vec<(String, String)> =
        patches.iter().map(|(name, after)| (format!("{name}.diff"), whole(code, after))).collect();
    let mut files = vec![("p/m.py", code), ("p/test_m.py", tests)];
    files.extend(diffs.iter().map(|(name, diff)| (name.as_str(), diff.as_str())));
    let folder = folder_of(&files);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut words = vec!["judge".to_owned(), path("p"), "--json".to_owned()];
    for (name, _) in &diffs {
        words.extend(["--patch".to_owned(), path(name)]);
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = unidebug(&words);
    done.expect_code(0).json()
}

fn name(patch: &Value) -> &str {
    patch["patch"].as_str().unwrap().rsplit('/').next().unwrap().trim_end_matches(".diff")
}

#[test]
fn the_patch_that_changes_least_comes_first_and_the_input_is_shown() {
    let patch = |name: &str, condition: &str| (name.to_owned(), LIMIT.replace("age > limit", condition));
    let object = judged(LIMIT, TESTS, &[patch("wide", "age > limit - 9"), patch("right", "age >= limit")]);
    let patches = object["patches"].as_array().unwrap();
    assert_eq!(patches.iter().map(name).collect::<Vec<_>>(), ["right", "wide"], "{object:#}");
    let changed = |at: usize| patches[at]["behaviour"]["changed"].as_u64().unwrap();
    assert!(changed(0) < changed(1), "{object:#}");
    let results = |at: usize| patches[at]["behaviour"]["results"].as_array().unwrap();
    let (input, right) = (&results(0)[0][0], &results(0)[0][1]);
    assert_eq!((input, right), (&results(1)[0][0], &Value::from("returns False")), "{object:#}");
    assert_eq!(results(1)[0][1], "returns True");
}

#[test]
fn several_plausible_patches_are_one_choice() {
    let folder = folder_of(&[("p/m.py", LIMIT), ("p/test_m.py", TESTS)]);
    let project = folder.path().join("p");
    let project = project.to_str().unwrap();
    let done = unidebug(&["run", project, "--model", "builtin", "--choose", "3", "--json"]);
    done.expect_code(0);
    let choice = &done.json()["choice"];
    assert!(choice["compared"].as_u64().unwrap() >= 6, "{choice:#}");
    let groups = choice["groups"].as_array().unwrap();
    let changed: Vec<u64> = groups.iter().map(|group| group["changed"].as_u64().unwrap()).collect();
    assert!(changed.is_sorted(), "{choice:#}");
    assert!(choice["patches"][0].as_str().unwrap().contains("+    return age >= limit"), "{choice:#}");
    let split = &choice["splits"][0];
    assert!(split["input"].as_str().unwrap().starts_with("allowed("), "{choice:#}");
    assert_eq!(split["results"].as_array().unwrap().len(), groups.len(), "{choice:#}");
}

const CART: &str = "package shop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

public class Cart {
    public enum Kind { CHILD, ADULT, OLD }

    private final List<Integer> prices = new ArrayList<>();

    public void add(int price) {
        prices.add(price);
    }

    public int total(Map<Kind, Integer> rates, Kind kind, String coupon) {
        int rate = rates.get(kind);
        int sum = -coupon.length();
        for (int i = 1; i < prices.size(); i++) {
            sum += prices.get(i) * rate;
        }
        return sum;
    }
}
";
const CART_TEST: &str = "package shop;

import static org.junit.Assert.*;
import java.util.HashMap;
import java.util.Map;
import org.junit.Test;

public class CartTest {
    private static int total(int rate, int... prices) {
        Cart cart = new Cart();
        for (int price : prices) {
            cart.add(price);
        }
        Map<Cart.Kind, Integer> rates = new HashMap<>();
        rates.put(Cart.Kind.ADULT, rate);
        return cart.total(rates, Cart.Kind.ADULT, \"none\");
    }

    @Test public void nothing() {
        assertEquals(-4, total(1));
    }

    @Test public void firstIsFree() {
        assertEquals(1, total(1, 0, 5));
    }

    @Test public void two() {
        assertEquals(46, total(1, 20, 30));
    }
}
";

#[test]
fn patches_of_java_are_warned_of_by_drawn_inputs() {
    let right = CART.replace("int i = 1", "int i = 0");
    let special = CART.replace(
        "        for (int i = 1",
        "        if (prices.size() > 1 && prices.get(0) > 0) {\n            return 2 * 23;\n        }\n        for (int i = 1",
    );
    let swallows = right.replace("int rate = rates.get(kind);", "int rate = rates.getOrDefault(kind, 0);");
    let names = [("right.diff", &right), ("special.diff", &special), ("swallows.diff", &swallows)];
    let file = "src/shop/Cart.java";
    let diffs = names.map(|(name, after)| (name, whole(CART, after).replace("m.py", file)));
    let mut files = vec![("p/src/shop/Cart.java", CART), ("p/test/shop/CartTest.java", CART_TEST)];
    files.extend(diffs.iter().map(|(name, diff)| (*name, diff.as_str())));
    let folder = folder_of(&files);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [project, right, special, swallows] = ["p", "right.diff", "special.diff", "swallows.diff"].map(path);
    let words = ["judge", &project, "--patch", &swallows, "--patch", &special, "--patch", &right, "--json"];
    let object = unidebug(&words).expect_code(0).json();
    let patches = object["patches"].as_array().unwrap();
    let confidence = |wanted: &str| {
        let confidence = &patches.iter().find(|patch| name(patch) == wanted).unwrap()["confidence"];
        (confidence["word"].as_str().unwrap(), confidence["reasons"].to_string())
    };
    assert_eq!(name(&patches[0]), "right", "{object:#}");
    assert_eq!(confidence("right"), ("high", "[\"2 tests that passed before run it, too\"]".into()));
    let (word, reasons) = confidence("special");
    assert_eq!(word, "medium", "{reasons}");
    assert!(reasons.contains("that gave several results give one now: Cart.total(this=Cart(prices=["), "{reasons}");
    assert!(reasons.contains("returns 46, and before: returns "), "{reasons}");
    let (word, reasons) = confidence("swallows");
    assert_eq!(word, "medium", "{reasons}");
    assert!(reasons.contains("raised an exception that no failing test meets"), "{reasons}");
    assert!(
        reasons.contains("kind=CHILD, coupon=\\\"none\\\") returns -4, and before: raises NullPointer"),
        "{reasons}"
    );
}

/// An object whose fields must fit each other.
const LINE: &str = "package text;

public class Line {
    private char[] chars = new char[4];
    private int size;

    public void add(char each) {
        if (size == chars.length) {
            chars = java.util.Arrays.copyOf(chars, 2 * size);
        }
        chars[size++] = each;
    }

    public void trim() {
        int blank = 0;
        while (blank < size && chars[blank] != ' ') {
            blank++;
        }
        if (blank > 0) {
            System.arraycopy(chars, blank, chars, 0, size - blank);
            size -= blank;
        }
    }

    public String text() {
        return new String(chars, 0, size);
    }
}
";
const LINE_TEST: &str = "package text;

import static org.junit.Assert.*;
import org.junit.Test;

public class LineTest {
    private static String trimmed(String text) {
        Line line = new Line();
        for (char each : text.toCharArray()) {
            line.add(each);
        }
        line.trim();
        return line.text();
    }

    @Test public void nothing() {
        assertEquals(\"\", trimmed(\"\"));
    }

    @Test public void blanksGo() {
        assertEquals(\"ab\", trimmed(\"   ab\"));
    }

    @Test public void lettersStay() {
        assertEquals(\"ab c\", trimmed(\"ab c\"));
    }
}
";

#[test]
fn fields_that_do_not_fit_each_other_say_nothing_against_a_repair() {
    let diff = whole(LINE, &LINE.replace("!= ' '", "== ' '")).replace("m.py", "src/text/Line.java");
    let folder =
        folder_of(&[("p/src/text/Line.java", LINE), ("p/test/text/LineTest.java", LINE_TEST), ("right.diff", &diff)]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let object = unidebug(&["judge", &path("p"), "--patch", &path("right.diff"), "--json"]).expect_code(0).json();
    assert_eq!(object["patches"][0]["confidence"]["word"], "high", "{object:#}");
}

/// An object that cannot tell of itself before it is set up, and has no dictionary.
const BOX: &str = "class Box:\n    __slots__ = ('size', 'name')\n\n    def __init__(self, size, most):\n        \
                   if size > 2 ** most:\n            raise ValueError(size)\n        self.size = size\n        \
                   self.name = 'box'\n\n    def __repr__(self):\n        return f'Box of {self.size}'\n\n    \
                   def room(self):\n        return self.size + 1\n";
const BOX_TESTS: &str = "import pytest\nfrom m import Box\n\n\ndef test_fits():\n    assert Box(3, 2).size == 3\n\n\n\
                         def test_too_large():\n    with pytest.raises(ValueError):\n        Box(4, 2)\n";

#[test]
fn constructors_are_drawn_for() {
    let patch = |name: &str, to: &str| (name.to_owned(), BOX.replace("size > 2 ** most", to));
    let patches =
        [patch("special", "size > 2 ** most or size == 2 ** most and most < 5"), patch("right", "size >= 2 ** most")];
    let object = judged(BOX, BOX_TESTS, &patches);
    let patches = object["patches"].as_array().unwrap();
    assert_eq!(patches.iter().map(name).collect::<Vec<_>>(), ["right", "special"], "{object:#}");
    let reasons = patches[1]["confidence"]["reasons"].to_string();
    assert!(
        reasons.contains("only what those tests give does: Box.__init__(self=Box(), size=4, most=2)"),
        "{object:#}"
    );
}

#[test]
fn fields_in_slots_are_drawn_for() {
    let patch = |name: &str, to: &str| (name.to_owned(), BOX.replace("self.size + 1", to));
    let tests = "from m import Box\n\n\ndef test_room():\n    assert Box(3, 2).room() == 3\n";
    let object = judged(BOX, tests, &[patch("special", "min(self.size, 9)"), patch("right", "self.size")]);
    let patches = object["patches"].as_array().unwrap();
    let results = |at: usize| patches[at]["behaviour"]["results"].to_string();
    assert!(results(0).contains("room(self=Box(name='box', size="), "{object:#}");
    assert_ne!(results(0), results(1), "told apart: {object:#}");
}

/// A token's kind is told by identity, as is a value that nobody gave.
const TOKENS: &str = "class Kind(tuple):\n    pass\n\n\nNAME, DOT = Kind(['name']), Kind(['dot'])\nNOTHING = object()\n\n\n\
                      def named(tokens, otherwise=NOTHING):\n    for kind, text in tokens:\n        if kind is NAME:\n            \
                      return text\n    return 'none' if otherwise is NOTHING else otherwise\n";

#[test]
fn what_code_knows_by_its_identity_is_no_other_in_a_copy() {
    let tests = "from m import DOT, NAME, named\n\n\ndef test_last():\n    assert named([(NAME, 'a'), (DOT, '.'), (NAME, \
                 'b')]) == 'b'\n\n\ndef test_none():\n    assert named([(DOT, '.')]) == 'none'\n";
    let patch = |name: &str, to: &str| (name.to_owned(), TOKENS.replace("in tokens:", to));
    let patches = [patch("special", "in tokens[2:]:"), patch("right", "in reversed(tokens):")];
    let object = judged(TOKENS, tests, &patches);
    let patches = object["patches"].as_array().unwrap();
    let results = |at: usize| patches[at]["behaviour"]["results"].to_string();
    let found = |at: usize| results(at).contains("returns 'a'") || results(at).contains("returns 'b'");
    assert!(found(0) || found(1), "names are found: {object:#}");
}

#[test]
fn what_a_module_holds_is_not_changed_by_drawing() {
    let code = "class Box:\n    def __init__(self, size):\n        self.size = size\n\n    def room(self):\n        return \
                self.size + 1\n\n\ndef weight(kilos):\n    return kilos * 2 + 1\n";
    let tests = "from m import Box, weight\n\nBOX = Box(3)\n\n\ndef test_a():\n    assert BOX.room() == 3\n\n\n\
                 def test_b():\n    assert BOX.size == 3\n    assert weight(7) == 14\n";
    let right = code.replace("self.size + 1", "self.size").replace("kilos * 2 + 1", "kilos * 2");
    let special = right.replace("kilos * 2", "min(kilos * 2, 14)");
    let object = judged(code, tests, &[("right".into(), right), ("special".into(), special)]);
    let results = object["patches"][0]["behaviour"]["results"].to_string();
    assert!(results.contains("weight(kilos="), "the second test came to its call: {object:#}");
}

#[test]
fn a_call_that_hangs_on_more_than_its_values_says_nothing() {
    let code = "COUNT = [0]\n\n\ndef ticket(price):\n    COUNT[0] += 1\n    return (COUNT[0], price - 1)\n";
    let tests = "from m import ticket\n\n\ndef test_price():\n    assert ticket(5)[1] == 5\n";
    let patch = |name: &str, to: &str| (name.to_owned(), code.replace("price - 1", to));
    let object = judged(code, tests, &[patch("right", "price"), patch("special", "max(price, 5)")]);
    assert!(object["patches"][0]["behaviour"].is_null(), "{object:#}");
}

#[test]
fn numbers_in_texts_and_bytes_that_are_no_text_are_drawn() {
    let code = "def read(raw):\n    return int(raw.decode('utf-8')) + 1\n";
    let tests = "from m import read\n\n\ndef test_read():\n    assert read(b'41') == 41\n";
    let patch = |name: &str, to: &str| (name.to_owned(), code.replace("int(raw.decode('utf-8')) + 1", to));
    let right = patch("right", "int(raw.decode('utf-8'))");
    let object = judged(code, tests, &[patch("ignores", "int(raw.decode('utf-8', 'ignore'))"), right]);
    let results = |at: usize| object["patches"][at]["behaviour"]["results"].to_string();
    assert_eq!(name(&object["patches"][0]), "right", "{object:#}");
    assert_ne!(results(0), results(1), "told apart: {object:#}");
}

#[test]
fn what_is_read_from_streams_is_drawn() {
    let code = "def count(lines, mark):\n    return sum(1 for line in lines if mark in line) + 1\n";
    let tests = "import io\n\nfrom m import count\n\n\ndef test_count():\n    assert count(io.StringIO('a;b\\nc\\n'), \
                 ';') == 1\n";
    let patch = |name: &str, to: &str| (name.to_owned(), code.replace("if mark in line) + 1", to));
    let object = judged(
        code,
        tests,
        &[patch("once", "if mark in line and line.startswith('a'))"), patch("right", "if mark in line)")],
    );
    let input = object["patches"][0]["behaviour"]["results"][0][0].as_str().unwrap_or_default();
    assert!(input.starts_with("count(lines=StringIO('"), "{object:#}");
}

#[test]
fn what_is_read_from_streams_and_written_to_them_is_drawn_in_java() {
    let code = "package text;

public class Marks {
    private final Character escape;
    Marks(Character escape) { this.escape = escape; }
    void quote(java.io.Reader in, Appendable out) throws java.io.IOException {
        for (int c = in.read(); c >= 0; c = in.read()) {
            out.append((char) c);
        }
    }
}
";
    let tests = "package text;

public class MarksTest {
    @org.junit.Test public void twice() throws Exception {
        StringBuilder out = new StringBuilder();
        new Marks('!').quote(new java.io.StringReader(\"a!b\"), out);
        org.junit.Assert.assertEquals(\"a!!b\", out.toString());
    }
}
";
    let last = "            out.append((char) c);\n";
    let with =
        |condition: &str| code.replace(last, &format!("{last}            if ({condition}) out.append((char) c);\n"));
    let file = "src/text/Marks.java";
    let diffs = [("right.diff", with("c == escape")), ("special.diff", with("c == '\\u0021'"))]
        .map(|(name, after)| (name, whole(code, &after).replace("m.py", file)));
    let mut files = vec![("p/src/text/Marks.java", code), ("p/test/text/MarksTest.java", tests)];
    files.extend(diffs.iter().map(|(name, diff)| (*name, diff.as_str())));
    let folder = folder_of(&files);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [project, right, special] = ["p", "right.diff", "special.diff"].map(path);
    let object = unidebug(&["judge", &project, "--patch", &special, "--patch", &right, "--json"]).expect_code(0).json();
    let behaviour = |at: usize| &object["patches"][at]["behaviour"];
    assert_ne!(behaviour(0)["group"], behaviour(1)["group"], "told apart: {object:#}");
    let results = behaviour(0)["results"].to_string();
    assert!(results.contains("in=StringReader(") && results.contains("leaves out="), "{results}");
}

#[test]
fn a_pattern_at_the_top_changes_the_functions_that_name_it_and_large_inputs_are_left_alone() {
    let code = "import re\n\nTAG = re.compile('<b>')\n\n\ndef count(text):\n    found = 0\n    \
                for each in TAG.finditer(text):\n        found += 1\n    return found\n";
    let tests = "from m import count\n\n\ndef test_open():\n    assert count('a <b c <b> d') == 2\n\n\n\
                 def test_large():\n    assert count('<b x ' * 30_000) >= 0\n";
    let patch = |name: &str, to: &str| (name.to_owned(), code.replace("'<b>'", to));
    let object = judged(code, tests, &[patch("right", "'<b'")]);
    assert!(!object.to_string().contains("no end"), "{object:#}");
    let two = judged(code, tests, &[patch("right", "'<b'"), patch("special", "'<b>|<b c'")]);
    let input = two["patches"][0]["behaviour"]["results"][0][0].as_str().unwrap_or_default();
    assert!(input.starts_with("count(text='"), "{two:#}");
}

/// Bugs with right patches and with wrong ones that pass the tests.
const CALIBRATION: &str = include_str!("judge/calibration.txt");

/// How many wrong patches are refused, warned of, or come behind every right one, and how many right ones are warned of.
#[test]
#[ignore = "judges forty patches: minutes; cargo test --test all -- --ignored calibration --nocapture"]
fn calibration_of_what_is_warned_of() {
    let (mut wrong, mut caught, mut right, mut blamed) = (0, 0, 0, 0);
    for bug in CALIBRATION.split("=== ").skip(1) {
        let parts: Vec<(&str, &str)> = bug.split("--- ").skip(1).map(|part| part.split_once('\n').unwrap()).collect();
        let named = |(nth, (kind, text)): (usize, &(&str, &str))| (format!("{kind} {nth}"), (*text).to_owned());
        let patches: Vec<(String, String)> = parts[2..].iter().enumerate().map(named).collect();
        let object = judged(parts[0].1, parts[1].1, &patches);
        let all = object["patches"].as_array().unwrap();
        let warned = |patch: &Value| patch["plausible"] == false || patch["confidence"]["word"] != "high";
        let last_right = all.iter().rposition(|patch| name(patch).starts_with("right")).unwrap();
        for (place, patch) in all.iter().enumerate() {
            let is_right = name(patch).starts_with("right");
            let group = |at: usize| &all[at]["behaviour"]["group"];
            // Behind the right ones because it behaves otherwise, not because its diff is longer.
            let behind = place > last_right && group(place) != group(last_right);
            match is_right {
                true => (right, blamed) = (right + 1, blamed + usize::from(warned(patch))),
                false => (wrong, caught) = (wrong + 1, caught + usize::from(warned(patch) || behind)),
            }
            println!("{:<40} {:<24} {}", bug.lines().next().unwrap(), name(patch), patch["confidence"]);
        }
    }
    println!("wrong: {caught} of {wrong} are caught; right: {blamed} of {right} are warned of");
    assert!(wrong >= 20 && right >= 20 && caught >= 15 && blamed <= 3);
}

/// A verdict is kept for the very project: the text of this one is new in each run of the test.
#[test]
fn an_equal_patch_of_an_earlier_run_is_not_judged_again() {
    let (code, right) = (LIMIT, LIMIT.replace("age > limit", "age >= limit"));
    let same = LIMIT.replace("age > limit", "(age >= limit)  # of age");
    let wrong = LIMIT.replace("age > limit", "age > limit + 1");
    let diffs = [("right.diff", right), ("same.diff", same), ("wrong.diff", wrong)];
    let diffs = diffs.map(|(name, after)| (name, whole(code, &after)));
    let unique = format!("{TESTS}\n# {}\n", tempfile::tempdir().unwrap().path().display());
    let mut files = vec![("p/m.py", code), ("p/test_m.py", unique.as_str())];
    files.extend(diffs.iter().map(|(name, diff)| (*name, diff.as_str())));
    let folder = folder_of(&files);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let judged = |patch: &str, with: &[&str]| {
        let (project, patch) = (path("p"), path(patch));
        let words = [&["judge", &project, "--patch", &patch, "--json"], with].concat();
        let patch = unidebug(&words).json()["patches"][0].clone();
        (patch["plausible"] == true, patch["seconds"].as_f64().unwrap() > 0.0)
    };
    let known = ["--known-verdicts"];
    assert_eq!(judged("right.diff", &known), (true, true));
    assert_eq!(judged("same.diff", &known), (true, false), "the same but for a comment and parentheses");
    assert_eq!(judged("same.diff", &[]), (true, true), "nobody asked for what is known");
    assert_eq!(judged("wrong.diff", &known), (false, true));
    assert_eq!(judged("wrong.diff", &known), (false, false), "a wrong one is known, too");
}
