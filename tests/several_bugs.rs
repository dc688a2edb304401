//! Projects with more than one bug: `run` works on one and names the others, `run --all` works on one after the other.

use crate::support::{Endpoint, Finished, Reply, unidebug, write_files};
use camino::Utf8Path;
use serde_json::json;

const CART: &str = "public class Cart {
    static int total(int... prices) {
        int sum = 0;
        for (int i = 1; i < prices.length; i++) {
            sum += prices[i];
        }
        return sum;
    }
}
";
const TAX: &str = "public class Tax {
    static boolean free(int price) {
        return price <= 10;
    }
}
";
const TESTS: [(&str, &str); 2] = [
    (
        "test/CartTest.java",
        "public class CartTest {
    @org.junit.Test public void sums() { org.junit.Assert.assertEquals(6, Cart.total(1, 2, 3)); }
    @org.junit.Test public void one() { org.junit.Assert.assertEquals(7, Cart.total(7)); }
    @org.junit.Test public void nothing() { org.junit.Assert.assertEquals(0, Cart.total()); }
}
",
    ),
    (
        "test/TaxTest.java",
        "public class TaxTest {
    @org.junit.Test public void ten() { org.junit.Assert.assertFalse(Tax.free(10)); }
    @org.junit.Test public void nine() { org.junit.Assert.assertTrue(Tax.free(9)); }
}
",
    ),
];

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    write_files(root, &[("src/Cart.java", CART), ("src/Tax.java", TAX)]);
    write_files(root, &TESTS);
    folder
}

#[test]
fn all_bugs_of_a_project_are_repaired_one_after_the_other() {
    let folder = project();
    let path = folder.path().to_str().unwrap();
    let done = unidebug(&["run", path, "--all", "--apply", "--model", "builtin"]);
    done.expect_code(0);
    let (first, second) = done.stdout.split_once("TaxTest#ten").unwrap_or_else(|| panic!("{done}"));
    assert!(first.starts_with("CartTest#one, CartTest#sums") && first.contains("+++ b/src/Cart.java"), "{done}");
    assert!(second.contains("+++ b/src/Tax.java"), "{done}");
    assert!(done.stderr.contains("bug 2 of 2: TaxTest#ten"), "{done}");
    assert!(std::fs::read_to_string(folder.path().join("src/Tax.java")).unwrap().contains("price < 10"), "{done}");
    let again = unidebug(&["run", path, "--model", "builtin"]);
    assert!(again.stderr.contains("nothing to repair"), "{again}");
}

#[test]
fn programs_are_told_of_all_bugs_in_one_object() {
    let folder = project();
    let out = folder.path().join("runs");
    let words = ["run", folder.path().to_str().unwrap(), "--all", "--json", "--quiet", "--model", "builtin"];
    let done = unidebug(&[&words[..], &["--out", out.to_str().unwrap()]].concat());
    done.expect_code(0);
    let object = done.json();
    let bugs = object["bugs"].as_array().unwrap();
    let verdicts: Vec<_> = bugs.iter().map(|bug| (&bug["failing"][0], &bug["report"]["verdict"])).collect();
    assert_eq!(verdicts, [(&"CartTest#one".into(), &"plausible".into()), (&"TaxTest#ten".into(), &"plausible".into())]);
    for nth in ["1", "2"] {
        assert!(out.join(nth).join("report.json").is_file(), "each has a run directory: {done}");
    }
}

/// The least in the place of the most, which two modules of tests show.
const TILL: &str = "class Till:
    def __init__(self, prices):
        self.prices = prices

    def most(self):
        best = 0
        for price in self.prices:
            if price < best:
                best = price
        return best
";
const TILL_TESTS: [(&str, &str); 3] = [
    ("test_till.py", "from till import Till\n\n\ndef test_one():\n    assert Till([4]).most() == 4\n"),
    (
        "test_day.py",
        "from till import Till\n\n\ndef test_day():\n    assert Till([2, 9, 3]).most() == 9\n\n\n\
         def test_nothing():\n    assert Till([]).most() == 0\n",
    ),
    ("test_other.py", "import json\n\n\ndef test_other():\n    assert json.loads('[1]') == [2]\n"),
];
/// Right for one price alone: it takes the last.
const LAST_PRICE: &str = "--- a/till.py\n+++ b/till.py\n@@ -5,6 +5,6 @@\n     def most(self):\n         best = 0\n         \
                          for price in self.prices:\n-            if price < best:\n+            if price != best:\n                 \
                          best = price\n         return best\n";

/// A project whose last run of pytest names one failing test of a bug that fails another module's, too.
fn with_a_hint() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    write_files(root, &[("till.py", TILL), (".pytest_cache/v/cache/lastfailed", "{\"test_till.py::test_one\": true}")]);
    write_files(root, &TILL_TESTS);
    folder
}

#[test]
fn tests_that_no_hint_names_and_that_fail_by_the_same_bug_belong_to_it() {
    let folder = with_a_hint();
    let patch = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(patch.path(), LAST_PRICE).unwrap();
    let (path, patch) = (folder.path().to_str().unwrap(), patch.path().to_str().unwrap());
    let done = unidebug(&["judge", path, "--json", "--patch", patch]);
    done.expect_code(1);
    let object = done.json();
    assert_eq!(object["triggering"], serde_json::json!(["test_day#test_day", "test_till#test_one"]), "{done}");
    assert_eq!(object["patches"][0]["outcome"], "failed", "right for the test of the hint alone: {done}");
}

/// As with pytest, which ends where modules cannot be loaded, and names those alone.
#[test]
fn the_bug_is_looked_for_beyond_modules_that_lack_a_package() {
    let folder = with_a_hint();
    let extra = "import redbot\n\n\ndef test_extra():\n    assert redbot\n";
    let hint = "{\"tests/extra_test.py\": true}";
    write_files(folder.path(), &[("tests/extra_test.py", extra), (".pytest_cache/v/cache/lastfailed", hint)]);
    let done = unidebug(&["triage", folder.path().to_str().unwrap()]);
    done.expect_code(0);
    assert!(done.stderr.contains("set aside: tests.extra_test (it cannot be loaded here ("), "{done}");
    assert!(done.stdout.contains("fails: test_till#test_one"), "{done}");
}

#[test]
fn a_result_says_which_tests_still_fail() {
    let folder = with_a_hint();
    let path = folder.path().to_str().unwrap();
    let done = unidebug(&["run", path, "--model", "builtin"]);
    done.expect_code(0);
    assert!(done.stdout.contains("+            if price > best:"), "{done}");
    let still = "1 other test still fails as it did before the patch: test_other#test_other";
    assert!(done.stdout.contains(still), "{done}");
}

/// There are no translations, and the project's own command skips what wants them.
#[test]
fn a_result_says_which_failing_tests_cannot_tell() {
    let folder = tempfile::tempdir().unwrap();
    let test = "import pytest\nfrom catalogue import load\nfrom words import count\n\n\n\
        def speaks(*words):\n    try:\n        for each in words:\n            assert str(count(3)) == each\n        \
        load(\"fr\")\n    except FileNotFoundError:\n        pytest.skip(\"no translations\")\n\n\n\
        def test_counts():\n    assert count(3) == 3\n\n\ndef test_counts_none():\n    assert count(0) == 0\n\n\n\
        def test_french():\n    speaks()\n\n\ndef test_both():\n    speaks(\"3\")\n";
    let files = [
        ("words.py", "def count(n):\n    if n != 0:\n        return 0\n    return n\n"),
        ("catalogue.py", "def load(tongue):\n    raise FileNotFoundError(tongue)\n"),
        ("test_words.py", test),
    ];
    write_files(folder.path(), &files);
    let done = unidebug(&["run", folder.path().to_str().unwrap(), "--model", "builtin"]);
    done.expect_code(0);
    let told = "the failing tests pass but for 1 that cannot tell, and nothing that passed broke";
    assert!(done.stdout.contains(told), "{done}");
    let reason =
        "of the failing tests test_words#test_both: skipped with it, for an exception that skips others without it";
    assert!(done.stdout.contains(reason), "{done}");
}

const SHELF: &str = "import subprocess


def wide(books):
    \"\"\"
    >>> wide(None)
    Traceback (most recent call last):
    AssertionError: no books
    \"\"\"
    assert books is not None, 'no books'
    return len(books) - 1


def drawn(books):
    return subprocess.run(['no-such-program', str(len(books))]).returncode
";
const SHELF_TESTS: &str = "import shelf


def test_wide():
    assert shelf.wide(['a', 'b']) == 2


def test_drawn():
    assert shelf.drawn(['a']) == 0


def test_fast(benchmark_of_a_plugin):
    assert benchmark_of_a_plugin(shelf.wide)
";

#[test]
fn tests_that_lack_something_here_are_not_taken_for_the_bug() {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    let settings = ("pytest.ini", "[pytest]\naddopts = --doctest-modules\n");
    write_files(root, &[settings, ("shelf.py", SHELF), ("test_shelf.py", SHELF_TESTS)]);
    let done = unidebug(&["run", root.as_str(), "--model", "builtin"]);
    done.expect_code(0);
    assert!(done.stderr.contains("1 test fails, 1 pass"), "the example of the docstring passes, too: {done}");
    assert!(done.stdout.contains("+    return len(books)\n"), "{done}");
    for reason in ["it starts the program `no-such-program`", "it needs the fixture `benchmark_of_a_plugin`"] {
        assert!(done.stderr.contains(reason), "{reason}: {done}");
    }
}

/// A shop whose mail is fetched, and that tells nobody when it is not there.
const MAIL: &str = "package shop;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;

public class Mail {
    static int total(int price, int count) {
        return price + count;
    }

    static String first(String place) {
        try (InputStream in = new URL(place).openStream()) {
            return String.valueOf((char) in.read());
        } catch (IOException nothing) {
            return null;
        }
    }
}
";
const MAIL_TESTS: &str = "package shop;

import static org.junit.Assert.*;
import org.junit.Test;

public class MailTest {
    @Test public void fetches() { assertNotNull(Mail.first(\"http://shop.example/mail\")); }
    @Test public void totals() { assertEquals(12, Mail.total(3, 4)); }
    @Test public void isNotHere() { assertNull(Mail.first(\"http://localhost:1/mail\")); }
}
";

#[test]
fn a_test_that_asks_the_network_and_is_not_told_of_it_is_not_taken_for_the_bug() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path(), &[("src/shop/Mail.java", MAIL), ("test/shop/MailTest.java", MAIL_TESTS)]);
    let done = unidebug(&["run", folder.path().to_str().unwrap(), "--model", "builtin"]);
    done.expect_code(0);
    assert!(done.stderr.contains("MailTest#fetches (it asks the network for `shop.example`"), "{done}");
    assert!(done.stderr.contains("1 test fails, 1 pass"), "{done}");
    assert!(done.stdout.contains("+        return price * count;"), "{done}");
}

/// Too old by a year on the day before the birthday; and one test wants a year that the library does not know.
const AGES: [(&str, &str); 2] = [
    (
        "ages.py",
        "import datetime\n\n\ndef day(text):\n    return datetime.date.fromisoformat(text)\n\n\n\
         def age(born, today):\n    born, today = day(born), day(today)\n    years = today.year - born.year\n    \
         if (today.month, today.day) <= (born.month, born.day):\n        years -= 1\n    return years\n\n\n\
         def greeting(name):\n    return 'Dear ' + name\n",
    ),
    (
        "test_ages.py",
        "from ages import age, day, greeting\n\n\ndef test_birthday():\n    assert age('2000-05-01', '2010-05-01') == 10\n\n\n\
         def test_day_before():\n    assert age('2000-05-02', '2010-05-01') == 9\n\n\n\
         def test_year_nought():\n    assert day('0000-05-02').year == 0\n\n\n\
         def test_ada():\n    assert greeting('Ada') == 'Dear Ada'\n\n\n\
         def test_bob():\n    assert greeting('Bob') == 'Dear Bob'\n",
    ),
];
const BIRTHDAY: &str = "--- a/ages.py\n+++ b/ages.py\n@@ -11,1 +11,1 @@\n-    if (today.month, today.day) <= (born.month, born.day):\n\
               +    if (today.month, today.day) < (born.month, born.day):\n";
const NO_ONE_REPAIRS_BOTH: &str = "no candidate repairs all 2 failing tests: one repairs test_ages#test_birthday; \
                                   test_ages#test_year_nought fails as before and is taken for another bug";

fn ages() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path(), &AGES);
    folder
}

/// What a repair of one of two failing tests is called, and that it is repeated offline.
fn is_of_part(done: &Finished) {
    done.expect_code(0);
    assert!(done.stderr.contains(NO_ONE_REPAIRS_BOTH), "{done}");
    assert!(done.stdout.contains("+    if (today.month, today.day) < (born.month, born.day):"), "{done}");
    let still = "1 other test still fails as it did before the patch: test_ages#test_year_nought";
    assert!(done.stdout.contains(still), "{done}");
    let unsure =
        "confidence: medium (no candidate repairs all failing tests, and those that still fail may be of the same bug";
    assert!(done.stdout.contains(unsure), "{done}");
    let run = done.stdout.lines().find_map(|line| line.strip_prefix("run:")).unwrap().trim();
    let again = unidebug(&["replay", run]);
    again.expect_code(0);
}

#[test]
fn tests_that_nothing_repairs_do_not_keep_the_others_from_a_repair() {
    let folder = ages();
    let path = folder.path().to_str().unwrap();
    is_of_part(&unidebug(&["run", path, "--model", "builtin"]));
    let all = unidebug(&["run", path, "--all", "--model", "builtin"]);
    all.expect_code(1);
    assert!(all.stderr.contains("bug 2 of 2: test_ages#test_year_nought"), "{all}");
    let named = ["--failing", "test_ages#test_birthday", "--failing", "test_ages#test_year_nought"];
    let named = unidebug(&[&["run", path, "--model", "builtin"][..], &named].concat());
    named.expect_code(1);
    assert!(!named.stderr.contains("another bug"), "who names tests means them: {named}");
}

/// Who judges a patch says which tests are meant.
#[test]
fn a_patch_that_leaves_tests_failing_for_another_reason_is_refused_with_what_to_do() {
    let folder = ages();
    let patch = folder.path().join("right.diff");
    std::fs::write(&patch, BIRTHDAY).unwrap();
    let (path, patch) = (folder.path().to_str().unwrap(), patch.to_str().unwrap());
    let done = unidebug(&["judge", path, "--patch", patch]);
    done.expect_code(1);
    let hint = "if they are of another bug, judge it by the rest: --failing 'test_ages#test_birthday'";
    assert!(done.stdout.contains(hint), "{done}");
    unidebug(&["judge", path, "--patch", patch, "--failing", "test_ages#test_birthday"]).expect_code(0);
}

#[test]
fn a_models_patch_for_some_of_the_failing_tests_is_not_lost() {
    let folder = ages();
    let marks = json!({"marked_code": "years -= 1 # buggy line", "explanation": "the birthday"});
    let endpoint = Endpoint::scripted([
        ("Locator", 1, Reply::command("goal_accomplished", marks)),
        ("Fixer", 1, Reply::command("write_fix", json!({"diff": BIRTHDAY}))),
        ("Fixer", 2, Reply::command("goal_accomplished", json!({"explanation": "no year 0 is there"}))),
    ]);
    let path = folder.path().to_str().unwrap();
    let url = endpoint.base_url();
    is_of_part(&unidebug(&["run", path, "--levels", "L1", "--no-first", "--model", "scripted", "--base-url", &url]));
    assert_eq!(endpoint.served().len(), 3, "the model is not asked again");
}
