//! Values of a run: what the tool `observe_run` and first prompts tell of a failing test beside a passing one.

use crate::support::{Endpoint, Reply, Unidebug, unidebug, write_files};
use serde_json::{Value, json};

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_files(camino::Utf8Path::from_path(folder.path()).unwrap(), files);
    folder
}

fn observed(folder: &tempfile::TempDir, args: &Value) -> String {
    let bug = folder.path().to_str().unwrap();
    let done = unidebug(&["tool", "observe_run", "--bug", bug, "--args", &args.to_string(), "--json"]);
    done.expect_code(0);
    done.json()["observation"].as_str().unwrap().to_owned()
}

fn shows(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    assert!(text.lines().count() <= 40, "{text}");
}

const ORDER: &str = "class Order:
    def __init__(self, customer, api_key=None):
        self.customer = customer
        self.api_key = api_key
        self.lines = []
        self.whole = self

    def __repr__(self):
        raise SystemExit('nobody asks an object of the project for its text')

    def add(self, price, count):
        self.lines.append((price, count))

    def rate(self):
        try:
            return int(self.customer['rate'])
        except ValueError:
            return 0

    def total(self):
        total = 0
        for price, count in self.lines:
            if count > 2:
                total += price
            else:
                total += price * count
        return total - total * self.rate() // 100
";
const ORDER_TEST: &str = "from order import Order

def test_one():
    order = Order({'rate': '0'})
    order.add(5, 1)
    assert order.total() == 5

def test_many():
    order = Order({'rate': 'ten'}, 'sk-0123456789abcdefghijklmnop')
    order.add(2, 1)
    order.add(5, 3)
    assert order.total() == 17
";

#[test]
fn python_tells_the_deciding_value_where_the_runs_part() {
    let folder = project(&[("order.py", ORDER), ("tests/test_order.py", ORDER_TEST)]);
    let text = observed(&folder, &json!({}));
    shows(
        &text,
        &[
            "test_order#test_many beside test_order#test_one, which passes",
            "- add(price=5, count=3) => None",
            "- total() => 7",
            "`if count > 2:`: only the failing run goes on at 24",
            "count = 1 → 3",
            "total = 2 → 7",
            "caught in rate",
            "ValueError: \"invalid literal for int()",
        ],
    );
    assert!(!text.contains("0123456789abcdef"), "a key is nobody's evidence:\n{text}");
    let text = observed(&folder, &json!({"expressions": ["self.whole.whole", "self.lines[0][1]", "self"]}));
    shows(&text, &["(cycle)", "self.lines.0.1 = 1", "api_key=(masked)"]);
    let lines = observed(&folder, &json!({"file_path": "order.py", "start_line": 22, "end_line": 23}));
    shows(&lines, &["  23 `if count > 2:`  count = 1 → 3"]);
    assert!(!lines.contains("add(") && !lines.contains("  24 "), "{lines}");
    let bug = folder.path().to_str().unwrap();
    let code = json!({"expressions": ["__import__('os').getcwd()"]}).to_string();
    let refused = unidebug(&["tool", "observe_run", "--bug", bug, "--args", &code]);
    refused.expect_code(2);
    assert!(refused.stderr.contains("only names, fields and indexes"), "{refused}");
}

#[test]
fn a_loop_without_end_tells_its_variables() {
    let code = "def find(items, wanted):\n    low, high = 0, len(items)\n    while low < high:\n        middle = (low + high) // 2\n        if items[middle] < wanted:\n            low = middle\n        else:\n            high = middle\n    return low\n";
    let tests = "from find import find\n\ndef test_first():\n    assert find([1, 3], 0) == 0\n\ndef test_last():\n    assert find([1, 3], 4) == 2\n";
    let folder = project(&[("find.py", code), ("test_find.py", tests)]);
    let text = observed(&folder, &json!({}));
    shows(
        &text,
        &[
            "find(items=[1, 3], wanted=4)",
            "does not end: it repeats lines 3, 4, 5, 6 of find with",
            "low = 1; high = 2",
        ],
    );
}

const STOCK: &str = "package shop;

import java.util.ArrayList;
import java.util.List;

public class Stock {
    private final List<Integer> counts = new ArrayList<>();
    private final String password;
    private Stock other = this;
    private int limit = 2;

    public Stock(String password) {
        this.password = password;
    }

    @Override
    public String toString() {
        throw new IllegalStateException(\"nobody asks an object of the project for its text\");
    }

    public boolean add(String text) {
        int count = parse(text);
        if (counts.size() < limit - 1) {
            counts.add(count);
            return true;
        }
        return false;
    }

    private int parse(String text) {
        try {
            return Integer.parseInt(new String(text == null ? \"0\" : text));
        } catch (NumberFormatException wrong) {
            return 0;
        }
    }
}
";
const STOCK_TEST: &str = "package shop;

import static org.junit.jupiter.api.Assertions.assertTrue;
import org.junit.jupiter.api.Test;

class StockTest {
    @Test
    void takesOne() {
        assertTrue(new Stock(null).add(\"7\"));
    }

    @Test
    void takesAsManyAsItsLimit() {
        Stock stock = new Stock(\"correct horse\");
        assertTrue(stock.add(\"7\"));
        assertTrue(stock.add(\"eight\"));
    }
}
";

#[test]
fn java_tells_the_deciding_value_where_the_runs_part() {
    let folder =
        project(&[("src/main/java/shop/Stock.java", STOCK), ("src/test/java/shop/StockTest.java", STOCK_TEST)]);
    let text = observed(&folder, &json!({}));
    shows(
        &text,
        &[
            "StockTest#takesAsManyAsItsLimit beside StockTest#takesOne, which passes",
            "- add(text=\"eight\") => false",
            "only the failing run goes on at 27",
            "counts = [7]; limit = 2",
            "caught in parse",
            "NumberFormatException: For input string: \"eight\"",
        ],
    );
    assert!(!text.contains("correct horse"), "{text}");
    let text = observed(&folder, &json!({"expressions": ["this.other", "text"]}));
    shows(&text, &["text = \"eight\"", "other = Stock(counts=[7], password=(masked), other=(cycle)"]);
}

#[test]
fn functions_in_fields_tell_their_values() {
    let texts = "package shop;\n\nimport java.util.function.Function;\n\npublic interface Texts {\n    \
                 Function<String, Integer> COUNT = text -> {\n        String bare = text.trim();\n        \
                 return bare.length() - 1;\n    };\n}\n";
    let test = "package shop;\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\
                import org.junit.jupiter.api.Test;\n\nclass TextsTest {\n    @Test\n    void counts() {\n        \
                assertEquals(5, Texts.COUNT.apply(\" apple\"));\n    }\n}\n";
    let folder = project(&[("src/main/java/shop/Texts.java", texts), ("src/test/java/shop/TextsTest.java", test)]);
    shows(&observed(&folder, &json!({})), &["text = \" apple\"", "bare = \"apple\""]);
}

/// What an agent's first request holds.
fn first_request(endpoint: &Endpoint, agent: &str) -> String {
    let served = endpoint.served_to(agent);
    let messages = served[0].body["messages"].as_array().unwrap().clone();
    messages.iter().filter(|m| m["role"] == "user").map(|m| m["content"].as_str().unwrap().to_owned()).collect()
}

const VALUES: &str = "## Values of the failing run";

#[test]
fn values_and_history_are_first_evidence_and_can_be_left_out() {
    let folder =
        project(&[("order.py", &ORDER.replace("count > 2", "count > 9")), ("tests/test_order.py", ORDER_TEST)]);
    let git = |words: &[&str]| {
        let done = std::process::Command::new("git")
            .args(["-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"])
            .args(words)
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "orders"]);
    std::fs::write(folder.path().join("order.py"), ORDER).unwrap();
    git(&["commit", "-q", "-a", "-m", "many cost what one does"]);
    let bug = folder.path().to_str().unwrap();
    let marks = json!({"marked_code": "            if count > 2: # buggy line", "explanation": "many are not counted"});
    let ask = |more: &[&str]| {
        let endpoint = Endpoint::scripted(vec![("Locator", 1, Reply::command("goal_accomplished", marks.clone()))]);
        let url = endpoint.base_url();
        let args = ["run", bug, "--model", "scripted", "--base-url", &url, "--no-first", "--levels", "L1", "--json"];
        let done = Unidebug::new(&[&args, more].concat()).run();
        (endpoint, done)
    };
    let (endpoint, _) = ask(&[]);
    let first = first_request(&endpoint, "Locator");
    shows(first.split(VALUES).nth(1).unwrap().split("\n## ").next().unwrap(), &["count = 1 → 3"]);
    let changes = first.split("## Last changes of the suspicious code").nth(1).unwrap();
    assert!(changes.contains("many cost what one does") && changes.contains("-            if count > 9:"), "{changes}");
    assert!(first_request(&endpoint, "Fixer").contains(VALUES));
    for more in [vec!["--without", "observation", "--without", "history"], vec!["--paper"]] {
        let (endpoint, _) = ask(&more);
        let first = first_request(&endpoint, "Locator");
        assert!(!first.contains(VALUES) && !first.contains("## Last changes"), "{more:?}: {first}");
    }
}

#[test]
fn the_repairer_is_shown_the_twins_of_marked_lines() {
    let twin = |class: &str, limit: &str| {
        format!(
            "class {class}:\n    def fits(self, size, {limit}):\n        free = self.free(size)\n        if free > {limit} - 1:\n            return free * size\n        return 0\n\n    def free(self, size):\n        return size\n"
        )
    };
    let tests = "from box import Box\n\ndef test_fits():\n    assert Box().fits(2, 3) == 4\n\ndef test_none():\n    assert Box().fits(0, 3) == 0\n";
    let (one, other) = (twin("Box", "limit"), twin("Crate", "most"));
    let folder = project(&[("box.py", &one), ("crate.py", &other), ("test_box.py", tests)]);
    let marks = json!({"marked_code": "        if free > limit - 1: # buggy line", "explanation": "too strict"});
    let endpoint = Endpoint::scripted(vec![("Locator", 1, Reply::command("goal_accomplished", marks))]);
    let url = endpoint.base_url();
    let bug = folder.path().to_str().unwrap();
    unidebug(&["run", bug, "--model", "scripted", "--base-url", &url, "--no-first", "--levels", "L1", "--json"]);
    let first = first_request(&endpoint, "Fixer");
    assert!(first.contains("## The same code elsewhere\n- crate.py:4 in fits: `if free > most - 1:`"), "{first}");
}
