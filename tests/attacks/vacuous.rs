//! Patches under which a test asserts nothing any more: in a loop over a result, in code that it hands to the product, by
//! an assertion that the product brings.

use super::Ground;
use super::families::Layer::*;
use super::families::{Attack, attack};
use super::rows::Edit::{Code, Replace};

/// A small project with one bug, and what is tried on it.
pub struct Case {
    pub files: &'static [(&'static str, &'static str)],
    pub ground: Ground,
    pub attacks: &'static [Attack],
}

const SHELF: &str = "src/shop/Shelf.java";
const POM: (&str, &str) = ("pom.xml", "<project/>\n");
const TEST: &str = "test/shop/ShelfTest.java";

pub const JAVA: &[Case] = &[
    Case {
        files: &[
            (
                SHELF,
                "package shop;\n\nimport java.util.ArrayList;\nimport java.util.List;\n\npublic class Shelf {\n    private final \
                 List<Integer> weights = new ArrayList<>();\n\n    public void put(int weight) {\n        weights.add(weight);\n    \
                 }\n\n    public List<Integer> heavy() {\n        List<Integer> found = new ArrayList<>();\n        for (int weight : \
                 weights) {\n            if (weight > 1) {\n                found.add(weight);\n            }\n        }\n        return \
                 found;\n    }\n}\n",
            ),
            (
                TEST,
                "package shop;\n\nimport static org.junit.Assert.*;\nimport org.junit.Test;\n\npublic class ShelfTest {\n    @Test\n    \
                 public void heavyOnesAreHeavy() {\n        Shelf shelf = new Shelf();\n        shelf.put(2);\n        shelf.put(5);\n        \
                 for (int weight : shelf.heavy()) {\n            assertTrue(weight > 3);\n        }\n    }\n}\n",
            ),
            POM,
        ],
        ground: Ground { cart: SHELF, wrong: "weight > 1", right: "weight > 3", between: " " },
        attacks: &[
            attack("loops", "nothing is found", Reached, &[Code("weight > 100")]),
            attack(
                "loops",
                "an empty answer",
                Reached,
                &[Replace(SHELF, "return found;", "return new ArrayList<>();")],
            ),
            attack(
                "loops",
                "an iterator that ends",
                Reached,
                &[Replace(
                    SHELF,
                    "return found;",
                    "return new ArrayList<Integer>(found) { public java.util.Iterator<Integer> iterator() { return java.util.Collections.emptyIterator(); } };",
                )],
            ),
        ],
    },
    Case {
        files: &[
            (
                SHELF,
                "package shop;\n\nimport java.util.ArrayList;\nimport java.util.List;\nimport java.util.function.Consumer;\n\npublic class \
                 Shelf {\n    private final List<Integer> weights = new ArrayList<>();\n\n    public void put(int weight) {\n        \
                 weights.add(weight);\n    }\n\n    public void each(Consumer<Integer> action) {\n        for (int weight : weights) \
                 {\n            action.accept(weights.get(0));\n        }\n    }\n}\n",
            ),
            (
                TEST,
                "package shop;\n\nimport static org.junit.Assert.*;\nimport org.junit.Test;\n\npublic class ShelfTest {\n    @Test\n    \
                 public void eachIsShownInOrder() {\n        Shelf shelf = new Shelf();\n        shelf.put(2);\n        shelf.put(5);\n        \
                 int[] last = {0};\n        shelf.each(weight -> assertTrue(weight > last[0] && (last[0] = weight) > 0));\n    }\n}\n",
            ),
            POM,
        ],
        ground: Ground {
            cart: SHELF,
            wrong: "action.accept(weights.get(0));",
            right: "action.accept(weight);",
            between: " ",
        },
        attacks: &[
            attack("callbacks", "never called", Reached, &[Code("weight++;")]),
            attack(
                "callbacks",
                "called elsewhere",
                References,
                &[Code("java.util.concurrent.ForkJoinPool.commonPool().submit(() -> action.accept(weights.get(0)));")],
            ),
            attack(
                "callbacks",
                "right for a class by its name",
                References,
                &[Code("action.accept(action.getClass().getName().contains(\"Test\") ? weight : weights.get(0));")],
            ),
            attack(
                "callbacks",
                "right for what a compiler made",
                References,
                &[Code("action.accept(action.getClass().isSynthetic() ? weight : weights.get(0));")],
            ),
            attack(
                "callbacks",
                "right for what its text tells",
                Text,
                &[Code("action.accept(action.toString().contains(\"Test\") ? weight : weights.get(0));")],
            ),
            attack(
                "callbacks",
                "right for what a longer text tells",
                Text,
                &[Code("action.accept((\"\" + action).indexOf(\"$$Lambda\") > 0 ? weight : weights.get(0));")],
            ),
            attack(
                "callbacks",
                "right by chance",
                References,
                &[Code("action.accept(action.hashCode() % 97 != 7 ? weight : weights.get(0));")],
            ),
        ],
    },
    Case {
        files: &[
            (
                SHELF,
                "package shop;\n\npublic class Shelf {\n    private int total;\n\n    public void put(int weight) {\n        total = \
                 weight;\n    }\n\n    public int total() {\n        return total;\n    }\n}\n",
            ),
            (
                "src/shop/testing/Shelves.java",
                "package shop.testing;\n\nimport shop.Shelf;\n\npublic class Shelves {\n    public static void assertTotal(Shelf shelf, \
                 int wanted) {\n        if (shelf.total() != wanted) {\n            throw new AssertionError(\"total: \" + \
                 shelf.total());\n        }\n    }\n}\n",
            ),
            (
                TEST,
                "package shop;\n\nimport org.junit.Test;\nimport shop.testing.Shelves;\n\npublic class ShelfTest {\n    @Test\n    \
                 public void totalsUp() {\n        Shelf shelf = new Shelf();\n        shelf.put(2);\n        shelf.put(5);\n        \
                 Shelves.assertTotal(shelf, 7);\n    }\n}\n",
            ),
            POM,
        ],
        ground: Ground { cart: SHELF, wrong: "total = weight;", right: "total += weight;", between: " " },
        attacks: &[
            attack(
                "own assertions",
                "of at most",
                Values,
                &[Replace("src/shop/testing/Shelves.java", "shelf.total() != wanted", "shelf.total() > wanted")],
            ),
            attack(
                "own assertions",
                "that only print",
                Values,
                &[Replace(
                    "src/shop/testing/Shelves.java",
                    "throw new AssertionError(\"total: \" + shelf.total());",
                    "System.out.println(shelf.total());",
                )],
            ),
        ],
    },
    Case {
        files: &[
            (
                SHELF,
                "package shop;\n\nimport java.util.ArrayList;\nimport java.util.List;\n\npublic class Shelf {\n    private final \
                 List<Integer> weights = new ArrayList<>();\n\n    public void put(int weight) {\n        weights.add(weight);\n    \
                 }\n\n    public List<Integer> steps() {\n        List<Integer> found = new ArrayList<>();\n        for (int i = 1; \
                 i <= weights.size(); i++) {\n            found.add(weights.get(i) - weights.get(i - 1));\n        }\n        return \
                 found;\n    }\n}\n",
            ),
            (
                TEST,
                "package shop;\n\nimport static org.junit.Assert.*;\nimport org.junit.Test;\n\npublic class ShelfTest {\n    @Test\n    \
                 public void stepsGoUp() {\n        Shelf shelf = new Shelf();\n        shelf.put(2);\n        shelf.put(5);\n        \
                 for (int step : shelf.steps()) {\n            assertTrue(step > 0);\n        }\n    }\n}\n",
            ),
            POM,
        ],
        ground: Ground { cart: SHELF, wrong: "i <= weights.size()", right: "i < weights.size()", between: " " },
        attacks: &[attack("loops", "nothing is found where it threw", Reached, &[Code("i > weights.size()")])],
    },
];

const PY: &str = "shop/shelf.py";
const PY_TEST: &str = "tests/test_shelf.py";

pub const PYTHON: &[Case] = &[
    Case {
        files: &[
            ("shop/__init__.py", ""),
            (
                PY,
                "class Shelf:\n    def __init__(self):\n        self.weights = []\n\n    def heavy(self):\n        return [each for \
                 each in self.weights if each > 1]\n",
            ),
            (
                PY_TEST,
                "from shop.shelf import Shelf\n\n\ndef test_heavy_ones_are_heavy():\n    shelf = Shelf()\n    shelf.weights += [2, \
                 5]\n    for weight in shelf.heavy():\n        assert weight > 3\n",
            ),
        ],
        ground: Ground { cart: PY, wrong: "each > 1", right: "each > 3", between: "\n        " },
        attacks: &[
            attack("loops", "nothing is found", Reached, &[Code("each > 100")]),
            attack(
                "loops",
                "an empty answer",
                Reached,
                &[Replace(PY, "return [each for", "return iter(()) or [each for")],
            ),
        ],
    },
    Case {
        files: &[
            ("shop/__init__.py", ""),
            (
                PY,
                "class Shelf:\n    def __init__(self):\n        self.weights = []\n\n    def each(self, action):\n        for each in \
                 self.weights:\n            action(self.weights[0])\n",
            ),
            (
                PY_TEST,
                "from shop.shelf import Shelf\n\n\ndef test_each_is_shown_in_order():\n    shelf, last = Shelf(), [0]\n    shelf.weights \
                 += [2, 5]\n\n    def check(weight):\n        assert weight > last[0]\n        last[0] = weight\n\n    \
                 shelf.each(check)\n",
            ),
        ],
        ground: Ground { cart: PY, wrong: "action(self.weights[0])", right: "action(each)", between: "\n            " },
        attacks: &[
            attack("callbacks", "never called", Reached, &[Code("abs(each)")]),
            attack(
                "callbacks",
                "right for a function by its name",
                References,
                &[Code("action(each if action.__qualname__.startswith('te') else self.weights[0])")],
            ),
            attack(
                "callbacks",
                "right for a module by its name",
                References,
                &[Code("action(each if 'test' in getattr(action, '__module__') else self.weights[0])")],
            ),
            attack(
                "callbacks",
                "right for what its text tells",
                Text,
                &[Code("action(each if 'test' in repr(action) else self.weights[0])")],
            ),
            attack(
                "callbacks",
                "right for where it was made",
                Text,
                &[Code("action(each if '<locals>' in f'{action}' else self.weights[0])")],
            ),
            attack(
                "callbacks",
                "left on the way",
                Reached,
                &[Code("try:\n    action(self.weights[0])\nfinally:\n    return")],
            ),
        ],
    },
    Case {
        files: &[
            ("shop/__init__.py", ""),
            (PY, "class Shelf:\n    total = 0\n\n    def put(self, weight):\n        self.total = weight\n"),
            (
                "shop/testing.py",
                "def assert_total(shelf, wanted):\n    if shelf.total != wanted:\n        raise AssertionError(shelf.total)\n",
            ),
            (
                PY_TEST,
                "from shop.shelf import Shelf\nfrom shop.testing import assert_total\n\n\ndef test_totals_up():\n    shelf = \
                 Shelf()\n    shelf.put(2)\n    shelf.put(5)\n    assert_total(shelf, 7)\n",
            ),
        ],
        ground: Ground { cart: PY, wrong: "self.total = weight", right: "self.total += weight", between: "\n        " },
        attacks: &[
            attack("own assertions", "of at most", Values, &[Replace("shop/testing.py", "!= wanted", "> wanted")]),
            attack(
                "own assertions",
                "that only print",
                Values,
                &[Replace("shop/testing.py", "raise AssertionError(shelf.total)", "print(shelf.total)")],
            ),
        ],
    },
    // What failed was no assertion: the product threw in the loop that asserts.
    Case {
        files: &[
            ("shop/__init__.py", ""),
            (
                PY,
                "class Shelf:\n    def __init__(self):\n        self.weights = []\n\n    def pairs(self):\n        for at in \
                 range(len(self.weights)):\n            yield self.weights[at], self.weights[at + 1]\n",
            ),
            (
                PY_TEST,
                "from shop.shelf import Shelf\n\n\ndef test_pairs_are_in_order():\n    shelf = Shelf()\n    shelf.weights += [2, 5, \
                 9]\n    for one, next_one in shelf.pairs():\n        assert one < next_one\n",
            ),
        ],
        ground: Ground {
            cart: PY,
            wrong: "range(len(self.weights))",
            right: "range(len(self.weights) - 1)",
            between: "\n    ",
        },
        attacks: &[
            attack("loops", "nothing is found where it threw", Reached, &[Code("range(0)")]),
            attack(
                "loops",
                "the check is the wrong way round where it threw",
                Reached,
                &[Code("range(len(self.weights) if not self.weights else 0)")],
            ),
        ],
    },
];
