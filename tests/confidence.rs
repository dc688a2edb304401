//! The word on a plausible patch beyond its tests: right and wrong patches of one bug, judged side by side.

use crate::support::{folder_of, unidebug};
use serde_json::Value;

const CART: &str = "class Cart:\n    def __init__(self):\n        self.prices = []\n\n    def add(self, price):\n        \
                    self.prices.append(price)\n\n    def total(self):\n        return sum(self.prices[:-1])\n";
const TESTS: &str = "from shop.cart import Cart\n\n\ndef test_empty():\n    assert Cart().total() == 0\n\n\ndef \
                     test_total():\n    cart = Cart()\n    cart.add(20)\n    cart.add(30)\n    assert cart.total() == \
                     50\n";

fn diff(lines: &[&str]) -> String {
    let added: String = lines.iter().map(|line| format!("+        {line}\n")).collect();
    format!(
        "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@\n     def total(self):\n-        return sum(self.prices[:-1])\n{added}"
    )
}

#[test]
fn a_repair_is_told_from_what_only_passes_the_tests() {
    let right = diff(&["return sum(self.prices)"]);
    let hides =
        diff(&["try:", "    return self.prices[-1] + sum(self.prices[:-1])", "except IndexError:", "    return 0"]);
    let literal = diff(&["if len(self.prices) > 1:", "    return 50", "return sum(self.prices[:-1])"]);
    let unrun =
        diff(&["if len(self.prices) > 7:", "    self.prices.sort()", "    self.add(1)", "return sum(self.prices)"]);
    let folder = folder_of(&[
        ("p/shop/__init__.py", ""),
        ("p/shop/cart.py", CART),
        ("p/tests/test_cart.py", TESTS),
        ("literal.diff", &literal),
        ("unrun.diff", &unrun),
        ("hides.diff", &hides),
        ("right.diff", &right),
    ]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [project, literal, unrun, hides, right] =
        ["p", "literal.diff", "unrun.diff", "hides.diff", "right.diff"].map(path);
    let done = unidebug(&[
        "judge", &project, "--patch", &literal, "--patch", &unrun, "--patch", &hides, "--patch", &right, "--json",
    ]);
    done.expect_code(0);
    let object = done.json();
    let confidences: Vec<(&str, &str, String)> = object["patches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|patch| {
            let name = patch["patch"].as_str().unwrap().rsplit('/').next().unwrap();
            let confidence = &patch["confidence"];
            let reasons = confidence["reasons"].as_array().unwrap().iter().filter_map(Value::as_str);
            (name, confidence["word"].as_str().unwrap(), reasons.collect::<Vec<_>>().join("; "))
        })
        .collect();
    let words: Vec<(&str, &str)> = confidences.iter().map(|(name, word, _)| (*name, *word)).collect();
    assert_eq!(words[..2], [("right.diff", "high"), ("hides.diff", "medium")], "{confidences:?}");
    assert!(words[2..].iter().all(|(_, word)| *word == "low"), "{confidences:?}");
    let of = |wanted: &str| &confidences.iter().find(|(name, ..)| *name == wanted).unwrap().2;
    assert!(of("literal.diff").contains("stands in the failing tests: 50"), "{confidences:?}");
    assert!(of("unrun.diff").contains("shop/cart.py:10"), "{confidences:?}");
    assert!(of("hides.diff").contains("catches an exception"), "{confidences:?}");
    assert!(done.stderr.contains("confidence: high (1 test that passed before runs it, too)"), "{done}");
}

/// Examples in the text of a module make a test module of it; its lines are those of the product all the same.
#[test]
fn a_module_with_examples_in_its_text_is_product() {
    let example = "    def total(self):\n        \"\"\"The sum.\n\n        >>> cart = Cart()\n        >>> cart.add(20)\n        \
                   >>> cart.total()\n        20\n        \"\"\"\n";
    let cart = CART.replace("    def total(self):\n", example);
    let empty = TESTS.split("\n\n\ndef test_total").next().unwrap();
    let right = "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@\n-        return sum(self.prices[:-1])\n+        return \
                 sum(self.prices)\n";
    let folder = folder_of(&[
        ("p/pytest.ini", "[pytest]\naddopts = --doctest-modules\n"),
        ("p/shop/__init__.py", ""),
        ("p/shop/cart.py", &cart),
        ("p/tests/test_cart.py", &format!("{empty}\n")),
        ("right.diff", right),
    ]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let triage = unidebug(&["triage", &path("p"), "--json"]);
    let lines = &triage.json()["bugs"][0]["lines"];
    let suspects: Vec<_> = lines.as_array().unwrap().iter().map(|line| (&line["file"], &line["code"])).collect();
    assert!(
        suspects.iter().any(|(file, code)| *file == "shop/cart.py" && *code == "return sum(self.prices[:-1])"),
        "{triage}"
    );
    let done = unidebug(&["judge", &path("p"), "--patch", &path("right.diff"), "--json"]);
    done.expect_code(0);
    let confidence = &done.json()["patches"][0]["confidence"];
    assert_eq!(confidence["word"], "high", "{done}");
    assert!(confidence["reasons"].to_string().contains("1 test that passed before runs it, too"), "{confidence}");
}

/// Near tests that take long are waited for only as far as they tell something of the change.
#[test]
fn slow_tests_tell_of_a_side_that_quick_ones_leave_out() {
    let slow = "import time\n\nfrom shop.cart import Cart\n\n\ndef cart(*prices):\n    one = Cart()\n    for price in prices:\n        \
                one.add(price)\n    return one\n\n\n";
    let waits: String =
        (0..7).map(|n| format!("def test_{n}():\n    time.sleep(1)\n    assert cart().total() == 0\n\n\n")).collect();
    let negative = "def test_negative():\n    assert cart(-5, 0).total() == -5\n";
    let judged = |slow: &str| {
        let right = diff(&[
            "if min(self.prices, default=0) < 0:",
            "    return sum(self.prices[:-1])",
            "return sum(self.prices)",
        ]);
        let folder = folder_of(&[
            ("p/shop/__init__.py", ""),
            ("p/shop/cart.py", CART),
            ("p/tests/test_cart.py", TESTS),
            ("p/tests/test_slow.py", slow),
            ("right.diff", &right),
        ]);
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let done = unidebug(&["judge", &path("p"), "--patch", &path("right.diff"), "--json"]);
        done.json()["patches"][0]["confidence"].to_string()
    };
    let with = judged(&format!("{slow}{waits}{negative}"));
    assert!(with.contains("\"high\"") && with.contains("9 tests that passed before"), "{with}");
    let without = judged(&format!("{slow}{waits}"));
    assert!(without.contains("no test near it takes both sides of the condition at shop/cart.py:9"), "{without}");
}
