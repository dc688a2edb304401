//! What somebody sees who types the program's name for the first time: tests by name, what to do next, runs by name.

use crate::support::{Endpoint, Gate, Reply, Unidebug, fix, unidebug, write_files};
use camino::Utf8Path;
use insta::assert_snapshot;
use std::path::Path;

const TILL: &str = "package shop;

/** What a basket costs. */
public class Till {
    /** Whether a customer of this age pays less. */
    public static boolean reduced(int age) {
        return age < 18;
    }
}
";
const TEST: &str = "package shop;

import static org.junit.Assert.*;
import org.junit.Test;

public class TillTest {
    @Test public void eighteen() { assertTrue(Till.reduced(18)); }
    @Test public void nineteen() { assertFalse(Till.reduced(19)); }
    @Test public void abroad() throws Exception { java.net.InetAddress.getByName(\"shop.example.org\"); }
}
";

/// A small project with one bug, one test that wants the network, and a state folder beside it.
struct Day {
    folder: tempfile::TempDir,
}

impl Day {
    fn new(till: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        write_files(root, &[("shop/src/shop/Till.java", till), ("shop/test/shop/TillTest.java", TEST)]);
        Self { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn typed(&self, words: &[&str]) -> crate::support::Finished {
        Unidebug::new(words).env("UNIDEBUG_STATE_DIR", &self.path("state")).run()
    }

    /// What is on the screen, without times, folders and names that differ.
    fn screen(&self, text: &str) -> String {
        let text = text.replace(self.folder.path().to_str().unwrap(), "~");
        let text = regex::Regex::new(r"20\d{6}T\d{9}").unwrap().replace_all(&text, "TIME").into_owned();
        let text = regex::Regex::new(r"\d+(\.\d+)? s\b").unwrap().replace_all(&text, "N s").into_owned();
        let text =
            regex::Regex::new(r"\d+\.\d candidates a second, \d+ %").unwrap().replace_all(&text, "N").into_owned();
        // How many rivals are tried is a matter of time.
        let text =
            regex::Regex::new(r"\d+ candidates? \(.*\)").unwrap().replace_all(&text, "N candidates").into_owned();
        regex::Regex::new(r"20\d\d-\d\d-\d\d \d\d:\d\d").unwrap().replace_all(&text, "DAY AND HOUR").into_owned()
    }

    fn till(&self) -> String {
        std::fs::read_to_string(Path::new(&self.path("shop/src/shop/Till.java"))).unwrap()
    }
}

#[test]
fn a_folder_that_is_no_project_is_listed_with_an_error() {
    let day = Day::new(TILL);
    let nothing = day.path("nothing");
    write_files(&nothing, &[("readme", "nothing to build")]);
    day.typed(&["run", &nothing, "--model", "builtin"]).expect_code(3);
    let listed = day.typed(&["runs", "--json"]).json()["runs"][0].clone();
    assert_eq!(listed["verdict"], "error", "{listed}");
}

#[test]
fn a_repair_is_looked_at_applied_and_taken_back() {
    let day = Day::new(TILL);
    let shop = day.path("shop");
    let done = day.typed(&["run", &shop, "--model", "builtin"]);
    done.expect_code(0);
    assert!(done.stderr.contains("  fails: shop.TillTest#eighteen\n"), "{done}");
    assert!(done.stderr.contains("  set aside: shop.TillTest#abroad (it needs the network)"), "{done}");
    assert_snapshot!("repaired", day.screen(&done.stdout));
    assert_eq!(day.till(), TILL, "nothing is written before somebody says so");
    assert_snapshot!("runs", day.screen(&day.typed(&["runs"]).expect_code(0).stdout));

    // The natural way to apply what one saw, and the one that is named.
    let name = day.typed(&["runs", "--json"]).json()["runs"][0]["name"].as_str().unwrap().to_owned();
    let resumed = day.typed(&["resume", &name, "--apply"]);
    assert!(resumed.expect_code(0).stdout.contains("applied: src/shop/Till.java\n"), "{resumed}");
    assert!(day.till().contains("age <= 18"), "{}", day.till());
    let undone = day.typed(&["apply", "last", "--undo"]);
    assert_eq!(undone.expect_code(0).stdout, "undone: src/shop/Till.java\n");
    assert_eq!(day.till(), TILL);
    let applied = day.typed(&["apply", "last", "--json"]);
    assert_eq!(applied.expect_code(0).json()["files"], serde_json::json!(["src/shop/Till.java"]));
    std::fs::write(day.path("shop/src/shop/Till.java"), day.till().replace("less.", "less!")).unwrap();
    let refused = day.typed(&["apply", "last", "--undo"]);
    assert!(refused.expect_code(3).stderr.contains("is not as the patch left it; nothing was undone"), "{refused}");
    assert!(day.till().contains("less!") && day.till().contains("age <= 18"), "{}", day.till());
}

#[test]
fn a_bug_that_stays_says_what_is_known_and_what_to_type() {
    // No template makes a month out of a day.
    let day = Day::new(&TILL.replace("age < 18", "new String(\"x\" + age).length() < 3 && age < 3"));
    let shop = day.path("shop");
    let done = day.typed(&["run", &shop, "--model", "builtin", "--max-validations", "3"]);
    done.expect_code(5);
    assert_snapshot!("capped", day.screen(&done.stdout));
    let word = |line: &str| day.screen(&done.stdout).lines().any(|found| found.starts_with(line));
    assert!(word("next:    unidebug resume TIME-local-shop --max-validations 6"), "{done}");
    let last = day.typed(&["inspect", "last"]);
    assert!(last.expect_code(0).stdout.contains("shop.TillTest#eighteen"), "{last}");
    let none = day.typed(&["resume", "lost"]);
    assert!(none.expect_code(3).stderr.contains("hint: `unidebug runs` lists the runs"), "{none}");
}

#[test]
fn triage_names_tests_and_what_was_set_aside() {
    let day = Day::new(TILL);
    let done = day.typed(&["triage", &day.path("shop"), "--model", "builtin", "--top", "2", "--quiet"]);
    done.expect_code(0);
    assert_snapshot!("triage", day.screen(&done.stdout));
}

#[test]
fn a_patch_for_no_project_is_refused_before_any_work() {
    let done = unidebug(&["run", "fixtures:roman-numerals", "--apply"]);
    assert!(done.expect_code(2).stderr.contains("--apply: fixtures:roman-numerals is no project of yours"), "{done}");
    assert!(!done.stderr.contains("baseline"), "{done}");
}

#[test]
fn a_model_at_work_shows_its_thought_its_cost_and_the_usual_cap() {
    let gate = Gate::new();
    let endpoint = Endpoint::start(|agent, _, _| match agent {
        "Fixer" => fix("age >= limit"),
        _ => Reply::text(
            r#"{"thoughts": "the limit itself\nis left out", "command": {"name": "extract_tests", "args": {}}}"#,
        ),
    });
    let done = gate.run(&endpoint, &["--levels", "L1"]).run();
    assert!(done.stderr.contains("at most $3 are spent on this bug; `--max-cost` sets another cap"), "{done}");
    assert!(done.stderr.contains("L1 locator cycle 1: extract_tests (scripted, $0.00"), "{done}");
    assert!(done.stderr.contains("\n  the limit itself is left out\n"), "{done}");
    let frozen = std::fs::read_to_string(gate.run_dir().join("config.json")).unwrap();
    assert!(frozen.contains("\"max_cost\": 3.0"), "{frozen}");
    let capped = Gate::new().run(&endpoint, &["--levels", "L1", "--max-tokens", "90000"]).run();
    assert!(!capped.stderr.contains("at most $3"), "a cap was given: {capped}");
}

#[test]
fn flags_without_effect_and_batches_that_cannot_work_are_refused_at_once() {
    for command in ["run", "triage"] {
        let done = unidebug(&[command, "fixtures:ring-buffer", "--base-url", "http://127.0.0.1:9/v1"]);
        assert!(done.expect_code(2).stderr.contains("--base-url has no effect: no model is asked"), "{done}");
    }
    let day = Day::new(TILL);
    let batch = |more: &[&str]| {
        let out = day.path("batch");
        let done = unidebug(&[&["bench", "run", "fixtures:roman-numerals", "--out", &out][..], more].concat());
        assert!(!Path::new(&out).exists(), "nothing is begun: {done}");
        done
    };
    let keyless = batch(&["--", "--model", "gpt-4o-mini"]);
    assert!(keyless.expect_code(4).stderr.contains("no key for the model `gpt-4o-mini`"), "{keyless}");
    let dry = batch(&["--", "--dry-run"]);
    assert!(dry.expect_code(2).stderr.contains("`--dry-run`"), "{dry}");
    // Nothing is on this path, whatever the machine has.
    let slurm = ["bench", "run", "fixtures:roman-numerals", "--executor", "slurm", "--out", &day.path("slurm")];
    let slurm = Unidebug::new(&slurm).env("PATH", &day.path("nothing")).run();
    assert!(!Path::new(&day.path("slurm")).exists(), "nothing is begun: {slurm}");
    assert!(slurm.expect_code(3).stderr.contains("Slurm is not installed here"), "{slurm}");
}

#[test]
fn a_batch_ends_with_a_line_for_each_bug() {
    let day = Day::new(TILL);
    let out = day.path("batch");
    let args = ["bench", "run", "fixtures:roman-numerals", "--quiet", "--out", &out, "--", "--model", "builtin"];
    let done = unidebug(&args);
    let first = day.screen(done.expect_code(0).stdout.lines().next().unwrap_or_default());
    assert!(
        first.starts_with("plausible") && first.contains("1 candidate") && first.contains("roman-numerals"),
        "{done}"
    );
}

#[test]
fn code_that_the_language_cannot_read_is_told() {
    let day = Day::new(TILL);
    let files = [
        ("py/cart.py", "def total(xs):\n    for x in xs\n        pass\n"),
        ("py/test_cart.py", "from cart import total\n\ndef test_total():\n    assert total([]) == 0\n"),
    ];
    write_files(Utf8Path::from_path(day.folder.path()).unwrap(), &files);
    let done = unidebug(&["triage", &day.path("py"), "--model", "builtin"]);
    let error = "SyntaxError: expected ':' (cart.py, line 2)";
    assert!(done.expect_code(0).stdout.contains(&format!("\n  {error}\n")), "{done}");
    assert!(done.stderr.contains(&format!("test_cart: {error}")), "{done}");
    assert!(done.stdout.contains("cart.py:2  "), "the line is the first place to look at: {done}");
    assert!(!done.stderr.contains("refused"), "{done}");
}

#[test]
fn unrelated_failures_are_ranked_each_by_itself() {
    let day = Day::new(TILL);
    let tax = "package shop;\npublic class Tax {\n    static boolean free(int price) {\n        return price <= 10;\n    }\n}\n";
    let test = "package shop;\npublic class TaxTest {\n    @org.junit.Test public void ten() { \
                org.junit.Assert.assertFalse(Tax.free(10)); }\n    @org.junit.Test public void nine() { \
                org.junit.Assert.assertTrue(Tax.free(9)); }\n}\n";
    let files = [("shop/src/shop/Tax.java", tax), ("shop/test/shop/TaxTest.java", test)];
    write_files(Utf8Path::from_path(day.folder.path()).unwrap(), &files);
    let done = unidebug(&["triage", &day.path("shop"), "--model", "builtin", "--json", "--quiet"]);
    let object = done.expect_code(0).json();
    let bugs = object["bugs"].as_array().unwrap();
    let firsts: std::collections::BTreeSet<_> =
        bugs.iter().map(|bug| bug["lines"][0]["file"].as_str().unwrap().to_owned()).collect();
    assert_eq!(firsts, ["src/shop/Tax.java", "src/shop/Till.java"].map(str::to_owned).into(), "{done}");
}

#[test]
fn help_is_short_and_long_and_settings_are_told() {
    let (short, long) = (unidebug(&["run", "-h"]), unidebug(&["run", "--help"]));
    assert!(short.stdout.contains("Examples:") && short.stdout.contains("--model"), "{short}");
    assert!(!short.stdout.contains("--reasoning-effort") && long.stdout.contains("--reasoning-effort"), "{short}");
    for heading in ["Bug and project:", "Model:", "Strategy:", "Caps:", "This command:"] {
        assert!(short.stdout.contains(heading) && long.stdout.contains(heading), "{heading}: {short}");
    }
    let day = Day::new(TILL);
    let config = |word: &str| Unidebug::new(&["config", word]).env("XDG_CONFIG_HOME", &day.path("config")).run();
    assert!(config("show").expect_code(0).stdout.contains("max_time                   1m"), "effective, not null");
    config("init").expect_code(0);
    assert!(config("init").expect_code(3).stderr.contains("is there already; nothing was written"));
    config("show").expect_code(0);
}
