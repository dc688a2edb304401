//! Triggering tests of every kind, each with the right patch and wrong ones that let something pass: classes and modules
//! that cannot be loaded, tests that come and go with a patch, names that hold values, files that a test leaves behind.

use crate::support::Trial;
use unidebug::domain::TestId;

/// A bug of a project.
struct Row {
    /// The tests that fail, joined by ` + `; a class or a module stands for all its tests.
    trigger: &'static str,
    file: &'static str,
    /// The repair: this for that.
    right: (&'static str, &'static str),
    /// What is no repair, each as edits of the same file.
    wrong: &'static [&'static [(&'static str, &'static str)]],
}

/// What is said otherwise than it must be.
async fn wrong_words(trial: &mut Trial, rows: &[Row]) -> Vec<String> {
    let mut found = Vec::new();
    for row in rows {
        trial.options.failing = row.trigger.split(" + ").map(|name| name.parse::<TestId>().unwrap()).collect();
        let judge = trial.open().await;
        let (from, to) = row.right;
        let validation = judge.judge().confirm(&trial.patch(row.file, from, to)).await.unwrap();
        if !validation.is_plausible() {
            found.push(format!("{}: the repair is {}: {}", row.trigger, validation.outcome, validation.detail));
        }
        for edits in row.wrong {
            let mut patch = trial.patch(row.file, edits[0].0, edits[0].1);
            let mut text = String::from_utf8(patch.files[0].after.to_vec()).unwrap();
            for (from, to) in &edits[1..] {
                assert!(text.contains(from), "{from}");
                text = text.replace(from, to);
            }
            patch.files[0].after = text.into_bytes().into();
            let validation = judge.judge().confirm(&patch).await.unwrap();
            if validation.is_plausible() {
                found.push(format!("{}: {edits:?} is plausible: {}", row.trigger, validation.detail));
            }
        }
    }
    found
}

const TILL: &str = "package shop;
public class Till {
  static final int[] RATES = read(\"7,19\");
  static int[] read(String text) {
    String[] parts = text.split(\";\");
    return new int[] {Integer.parseInt(parts[0]), Integer.parseInt(parts[1])};
  }
  public static int rate(int n) { return RATES[n]; }
  public static boolean isOpen() { return true; }
}
";
/// The assumption stands in the test that sorts first.
const TILL_TEST: &str = "package shop;
import static org.junit.Assert.*;
import org.junit.*;
public class TillTest {
  static int first;
  @BeforeClass public static void begin() { first = Till.rate(0); }
  @Test public void aTillIsOpen() { Assume.assumeTrue(Till.isOpen()); }
  @Ignore @Test public void thereIsAThirdRate() { assertEquals(25, Till.rate(2)); }
  @Test public void ratesAreRead() { assertEquals(7, first); assertEquals(19, Till.rate(1)); }
}
";
const DESK: &str = "package shop;
public class Desk {
  static int places() { return 0; }
  public static void open() { if (places() == 0) throw new IllegalStateException(\"no place\"); }
  public static int seats(int rows) { return rows * places(); }
}
";
const DESK_TEST: &str = "package shop;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
class DeskTest {
  @BeforeAll static void begin() { Desk.open(); }
  @Test void aDeskOpens() { Assumptions.assumeTrue(Desk.seats(1) > 0); }
  @Disabled @Test void aDeskIsRound() { fail(); }
  @Nested class Inside { @Test void rowsHaveSeats() { assertEquals(8, Desk.seats(2)); } }
}
";
const SHELF: &str = "package shop;
public class Shelf {
  public static int[] weights() { return new int[] {1, 2}; }
  public static boolean isLight(int weight) { return weight < 2; }
}
";
const SHELF_TEST: &str = "package shop;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
class ShelfTest {
  static java.util.stream.IntStream weights() { return java.util.Arrays.stream(Shelf.weights()); }
  @ParameterizedTest @MethodSource(\"weights\") void isLight(int weight) { assertTrue(Shelf.isLight(weight)); }
}
";
const COINS: &str = "package shop;
public class Coins {
  public static String[] all() { return new String[] {\"1c\", \"2e\"}; }
}
";
const COINS_TEST: &str = "package shop;
import static org.junit.Assert.*;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
@RunWith(Parameterized.class)
public class CoinsTest {
  @Parameterized.Parameters(name = \"{index}: {0}\") public static Object[] all() { return Coins.all(); }
  @Parameterized.Parameter public String coin;
  @Test public void isInCents() { assertTrue(coin, coin.endsWith(\"c\")); }
}
";
const DIARY: &str = "package shop;
public class Diary {
  public static int pages(int days) { return days - 1; }
}
";
const DIARY_TEST: &str = "package shop;
import static org.junit.Assert.*;
import java.nio.file.*;
import org.junit.Test;
public class DiaryTest {
  @Test public void aDayIsAPage() throws Exception {
    Files.createFile(Paths.get(\"diary.txt\"));
    assertEquals(3, Diary.pages(3));
  }
}
";

const CATALOGUE: &str = "package shop;
public class Catalogue {
  public static void load(String tongue) { throw new IllegalStateException(tongue); }
}
";
const WORDS: &str = "package shop;
public class Words {
  public static int count(int n) { return n - 1; }
  public static String spoken(int n) { return String.valueOf(count(n)); }
}
";
/// There are no translations: what the project's own command skips, the repair cannot make pass.
const WORDS_TEST: &str = "package shop;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
class WordsTest {
  static void speaks(String... words) {
    try {
      for (String each : words) assertEquals(each, Words.spoken(3));
      Catalogue.load(\"fr\");
      assertEquals(\"trois\", Words.spoken(3));
    } catch (IllegalStateException error) { throw new org.opentest4j.TestAbortedException(\"no translations\", error); }
  }
  @Test void counts() { assertEquals(3, Words.count(3)); }
  @Test void speaksFrench() { speaks(); }
  @Test void speaksBoth() { speaks(\"3\"); }
}
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kind_of_trigger_in_java_tells_right_from_wrong() {
    let mut trial = Trial::new(&[
        ("src/shop/Till.java", TILL),
        ("test/shop/TillTest.java", TILL_TEST),
        ("src/shop/Desk.java", DESK),
        ("test/shop/DeskTest.java", DESK_TEST),
        ("src/shop/Shelf.java", SHELF),
        ("test/shop/ShelfTest.java", SHELF_TEST),
        ("src/shop/Coins.java", COINS),
        ("test/shop/CoinsTest.java", COINS_TEST),
        ("src/shop/Diary.java", DIARY),
        ("test/shop/DiaryTest.java", DIARY_TEST),
        ("src/shop/Catalogue.java", CATALOGUE),
        ("src/shop/Words.java", WORDS),
        ("test/shop/WordsTest.java", WORDS_TEST),
    ])
    .await;
    let rows = [
        Row {
            trigger: "shop.TillTest",
            file: "src/shop/Till.java",
            right: ("\";\"", "\",\""),
            wrong: &[
                &[("read(\"7,19\")", "{7, 7}"), ("isOpen() { return true", "isOpen() { return false")],
                &[("\";\"", "\",\""), ("isOpen() { return true", "isOpen() { return false")],
            ],
        },
        Row {
            trigger: "shop.DeskTest",
            file: "src/shop/Desk.java",
            right: ("return 0", "return 4"),
            wrong: &[&[("if (places() == 0)", "if (places() < 0)")], &[("return 0", "return 3")]],
        },
        Row {
            trigger: "shop.ShelfTest#isLight[2]",
            file: "src/shop/Shelf.java",
            right: ("weight < 2", "weight < 3"),
            wrong: &[&[("weight < 2", "weight < 3"), ("{1, 2}", "{1, 2, 9}")], &[("{1, 2}", "{1}")]],
        },
        Row {
            trigger: "shop.CoinsTest#isInCents[1: 2e]",
            file: "src/shop/Coins.java",
            right: ("2e", "2c"),
            wrong: &[&[("2e", "2f")], &[("\"1c\", \"2e\"", "\"1c\"")]],
        },
        Row {
            trigger: "shop.DiaryTest#aDayIsAPage",
            file: "src/shop/Diary.java",
            right: ("days - 1", "days"),
            wrong: &[&[("days - 1", "days + 1")]],
        },
        Row {
            trigger: "shop.WordsTest#counts + shop.WordsTest#speaksBoth",
            file: "src/shop/Words.java",
            right: ("n - 1", "n"),
            wrong: &[
                &[("return String", "Catalogue.load(\"fr\"); return String")],
                &[("n - 1", "n"), ("return String", "Catalogue.load(\"fr\"); return String")],
            ],
        },
    ];
    let wrong = wrong_words(&mut trial, &rows).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const WORDS_PY: &str = "from shop.catalogue import load


def count(n):
    return n - 1


def spoken(n):
    return str(count(n))
";
const WORDS_TEST_PY: &str = "import pytest
from shop.catalogue import load
from shop.words import count, spoken


def speaks(*words):
    try:
        for each in words:
            assert spoken(3) == each
        load(\"fr\")
        assert spoken(3) == \"trois\"
    except FileNotFoundError:
        pytest.skip(\"no translations\")


def test_counts():
    assert count(3) == 3


def test_speaks_french():
    speaks()


def test_speaks_both():
    speaks(\"3\")
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kind_of_trigger_in_python_tells_right_from_wrong() {
    let mut trial = Trial::python(&[
        ("shop/__init__.py", ""),
        (
            "shop/till.py",
            "RATES = [int(each) for each in \"7,19\".split(\";\")]\n\n\ndef is_open():\n    return True\n",
        ),
        (
            "tests/test_till.py",
            "import pytest\nfrom shop.till import RATES, is_open\n\n\nclass TestTill:\n    def test_a_till_is_open(self):\n        \
             if not is_open():\n            pytest.skip(\"closed\")\n\n    def test_rates_are_read(self):\n        assert RATES == [7, \
             19]\n",
        ),
        ("shop/shelf.py", "WEIGHTS = [1, 2]\n\n\ndef is_light(weight):\n    return weight < 2\n"),
        (
            "tests/test_shelf.py",
            "import pytest\nfrom shop.shelf import WEIGHTS, is_light\n\n\n@pytest.mark.parametrize(\"weight\", WEIGHTS)\ndef \
             test_is_light(weight):\n    assert is_light(weight)\n",
        ),
        ("shop/scale.py", "def grams(kilos):\n    return kilos 1000\n\n\nREADY = True\n"),
        (
            "tests/test_scale.py",
            "import sys\nimport unittest\nfrom shop.scale import READY, grams\n\n\nclass TestScale(unittest.TestCase):\n    \
             @unittest.skipIf(sys.version_info > (3,), \"for Python 2\")\n    def test_long(self):\n        \
             self.assertEqual(grams(2), 2001)\n\n    @unittest.skipUnless(READY, \"not ready\")\n    def \
             test_grams(self):\n        self.assertEqual(grams(2), 2000)\n",
        ),
        ("shop/coins.py", "COINS = [\"1c\", \"2e\"]\n"),
        (
            "tests/test_coins.py",
            "import pytest\nfrom shop.coins import COINS\n\n\n@pytest.mark.parametrize(\"coin\", COINS)\ndef \
             test_is_in_cents(coin):\n    assert coin.endswith(\"c\")\n",
        ),
        ("shop/diary.py", "def pages(days):\n    return days - 1\n"),
        (
            "tests/test_diary.py",
            "from shop.diary import pages\n\n\ndef test_a_day_is_a_page():\n    open(\"diary.txt\", \"x\").close()\n    assert \
             pages(3) == 3\n",
        ),
        ("shop/catalogue.py", "def load(tongue):\n    raise FileNotFoundError(tongue)\n"),
        ("shop/words.py", WORDS_PY),
        ("tests/test_words.py", WORDS_TEST_PY),
    ])
    .await;
    let rows = [
        Row {
            trigger: "tests.test_till",
            file: "shop/till.py",
            right: ("\";\"", "\",\""),
            wrong: &[
                &[("\"7,19\".split(\";\")", "\"7\""), ("return True", "return False")],
                &[("\";\"", "\",\""), ("return True", "return False")],
            ],
        },
        Row {
            trigger: "tests.test_scale",
            file: "shop/scale.py",
            right: ("kilos 1000", "kilos * 1000"),
            wrong: &[&[("kilos 1000", "kilos * 100"), ("True", "False")], &[("kilos 1000", "kilos + 1000")]],
        },
        Row {
            trigger: "tests.test_shelf#test_is_light[2]",
            file: "shop/shelf.py",
            right: ("weight < 2", "weight < 3"),
            wrong: &[&[("weight < 2", "weight < 3"), ("[1, 2]", "[1, 2, 9]")], &[("[1, 2]", "[1]")]],
        },
        Row {
            trigger: "tests.test_coins#test_is_in_cents[2e]",
            file: "shop/coins.py",
            right: ("2e", "2c"),
            wrong: &[&[("2e", "2f")], &[("\"1c\", \"2e\"", "\"1c\"")]],
        },
        Row {
            trigger: "tests.test_diary#test_a_day_is_a_page",
            file: "shop/diary.py",
            right: ("days - 1", "days"),
            wrong: &[&[("days - 1", "days + 1")]],
        },
        Row {
            trigger: "tests.test_words#test_counts + tests.test_words#test_speaks_both",
            file: "shop/words.py",
            right: ("n - 1", "n"),
            wrong: &[
                &[("return str(count(n))", "return load(\"fr\")")],
                &[("n - 1", "n"), ("return str(count(n))", "return load(\"fr\")")],
            ],
        },
    ];
    let wrong = wrong_words(&mut trial, &rows).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A test that fails at once and takes longer than a quick look gives it, once it passes.
const QUEUE: &str = "package shop;
public class Queue {
  public static int served(int people) throws InterruptedException {
    if (people > 1) return 0;
    Thread.sleep(2300);
    return people;
  }
}
";
const QUEUE_TEST: &str = "package shop;
import static org.junit.Assert.*;
import org.junit.Test;
public class QueueTest {
  @Test public void allAreServed() throws Exception { assertEquals(2, Queue.served(2)); }
}
";
const PY_QUEUE: &str = "import time


def served(people):
    if people > 1:
        return 0
    time.sleep(2.3)
    return people
";

/// What a door says of the right and of a wrong patch, otherwise than it must.
async fn wrong_verdicts(trial: &Trial, file: &str, from: &str, wrong: &str) -> Vec<String> {
    let judge = trial.open().await;
    let mut found = Vec::new();
    let right = judge.verdict(&trial.patch(file, from, "people > 2")).await.unwrap().validation;
    if !right.is_plausible() {
        found.push(format!("{file}: the repair is {}: {}", right.outcome, right.detail));
    }
    let validation = judge.verdict(&trial.patch(file, "return people", wrong)).await.unwrap().validation;
    if validation.is_plausible() {
        found.push(format!("{file}: {wrong} is plausible: {}", validation.detail));
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trigger_that_takes_long_once_it_passes_has_the_time_for_it() {
    let java = Trial::new(&[("src/shop/Queue.java", QUEUE), ("test/shop/QueueTest.java", QUEUE_TEST)]).await;
    let py = Trial::python(&[
        ("shop/__init__.py", ""),
        ("shop/queue.py", PY_QUEUE),
        (
            "tests/test_queue.py",
            "from shop.queue import served\n\n\ndef test_all_are_served():\n    assert served(2) == 2\n",
        ),
    ])
    .await;
    let (mut found, more) = tokio::join!(
        wrong_verdicts(&java, "src/shop/Queue.java", "people > 1", "return people + 1"),
        wrong_verdicts(&py, "shop/queue.py", "people > 1", "return people + 1"),
    );
    found.extend(more);
    assert!(found.is_empty(), "{}", found.join("\n"));
}
