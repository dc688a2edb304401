//! What suites of tests hold beside plain methods: set-up that fails or gives up, time limits, parameters, classes in
//! classes, whole classes switched off. Each has its word in the baseline, and a repair is judged by all of them.

use crate::support::Trial;
use std::collections::BTreeMap;
use std::time::Duration;
use unidebug::domain::{Outcome, TestStatus};
use unidebug::validate::SpectrumScope;

const LIST: &str = "package a;\nimport java.util.*;\npublic class Primes {\n  public static List<Integer> below(int end) {\n    List<Integer> found = \
                    new ArrayList<>();\n    for (int n = 2; n <= end; n++) {\n      boolean prime = true;\n      for (int d = 2; d * d <= n; d++) {\n        \
                    prime &= n % d != 0;\n      }\n      if (prime) {\n        found.add(n);\n      }\n    }\n    return found;\n  }\n}\n";

/// The bug and its repair: 7 is not below 7.
const WRONG: &str = "n <= end";
const RIGHT: &str = "n < end";

const FOUR: &str = "package a;
import static org.junit.Assert.*;
import java.util.*;
import org.junit.*;
import org.junit.experimental.runners.Enclosed;
import org.junit.rules.Timeout;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Enclosed.class)
public class FourTest {
  @RunWith(Parameterized.class)
  public static class Each {
    @Parameterized.Parameters public static Object[] ends() { return new Object[] {6, 7}; }
    @Parameterized.Parameter public int end;
    @Test public void three() { assertEquals(3, Primes.below(end).size()); }
  }
  public static class Prepared {
    static int size;
    @BeforeClass public static void prepare() { size = Primes.below(7).size(); if (size > 3) throw new IllegalStateException(\"too many\"); }
    @Test public void three() { assertEquals(3, size); }
    @Test public void notNone() { assertTrue(size > 0); }
  }
  public static class GivesUp {
    @BeforeClass public static void prepare() { Assume.assumeTrue(Primes.below(0).size() > 0); }
    @Test public void never() { fail(); }
  }
  @Ignore(\"later\") public static class Off {
    @Test public void never() { fail(); }
  }
  public static class Limited {
    @Rule public Timeout limit = Timeout.millis(300);
    @Test public void inTime() { assertEquals(4, Primes.below(10).size()); }
    @Test public void late() throws Exception { if (Primes.below(7).contains(7)) { Thread.sleep(5000); } }
    @Test(expected = NullPointerException.class) public void thrown() { throw new NullPointerException(); }
  }
}
";

const FIVE: &str = "package a;
import static org.junit.jupiter.api.Assertions.*;
import java.nio.file.*;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.*;

class FiveTest {
  @ParameterizedTest @CsvSource({\"3, 1\", \"5, 2\"}) void csv(int end, int size) { assertEquals(size, Primes.below(end).size()); }
  @ParameterizedTest @MethodSource(\"ends\") void method(int end) { assertFalse(Primes.below(end).contains(end)); }
  static Stream<Integer> ends() { return Stream.of(4, 11); }
  @Test @Timeout(1) void inTime() { assertEquals(4, Primes.below(10).size()); }
  @Test void late() { assertTimeoutPreemptively(Duration.ofMillis(300), () -> { if (Primes.below(7).contains(7)) { Thread.sleep(5000); } }); }
  @Test void file(@TempDir Path folder) throws Exception { Files.write(folder.resolve(\"x\"), new byte[1]); }
  @Nested @TestInstance(TestInstance.Lifecycle.PER_CLASS) class Prepared {
    int size;
    @BeforeAll void prepare() { size = Primes.below(7).size(); assertEquals(3, size); }
    @Test void notNone() { assertTrue(size > 0); }
    @Nested class Deeper { @BeforeEach void more() { size++; } @Test void four() { assertEquals(4, size); } }
  }
  @Nested class GivesUp { @BeforeEach void prepare() { Assumptions.assumeFalse(true); } @Test void never() { fail(); } }
  @Nested @Disabled(\"later\") class Off { @Test void never() { fail(); } }
}
";

fn status(text: &str) -> TestStatus {
    match text {
        "passed" => TestStatus::Passed,
        "failed" => TestStatus::Failed,
        _ => TestStatus::Skipped,
    }
}

/// Results of the untouched code by name, without the package.
const WANTED: &[(&str, &str)] = &[
    ("FiveTest#csv[1]", "failed"),
    ("FiveTest#csv[2]", "failed"),
    ("FiveTest#file", "passed"),
    ("FiveTest#inTime", "passed"),
    ("FiveTest#late", "failed"),
    ("FiveTest#method[1]", "passed"),
    ("FiveTest#method[2]", "failed"),
    ("FiveTest$GivesUp#never", "skipped"),
    ("FiveTest$Off#never", "skipped"),
    ("FiveTest$Prepared", "failed"),
    ("FourTest$Each#three[0]", "passed"),
    ("FourTest$Each#three[1]", "failed"),
    ("FourTest$GivesUp#never", "skipped"),
    ("FourTest$Limited#inTime", "passed"),
    ("FourTest$Limited#late", "failed"),
    ("FourTest$Limited#thrown", "passed"),
    ("FourTest$Off", "skipped"),
    ("FourTest$Prepared", "failed"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_that_a_suite_holds_has_its_word_and_judges_the_repair() {
    let files = [("src/a/Primes.java", LIST), ("test/a/FourTest.java", FOUR), ("test/a/FiveTest.java", FIVE)];
    let trial = Trial::new(&files).await;
    let judge = trial.open().await;
    let results = &judge.baseline().report.results;
    let validation: BTreeMap<String, TestStatus> =
        results.values().map(|r| (r.id.to_string().replace("a.F", "F"), r.status)).collect();
    let wanted: BTreeMap<String, TestStatus> =
        WANTED.iter().map(|(name, text)| ((*name).to_owned(), status(text))).collect();
    assert_eq!(validation, wanted);
    let failed = WANTED.iter().filter(|(_, text)| *text == "failed").count();
    assert_eq!(judge.baseline().triggering.len(), failed);

    let repair = trial.patch("src/a/Primes.java", WRONG, RIGHT);
    for validation in [judge.screen_one(&repair).await.unwrap(), judge.judge().confirm(&repair).await.unwrap()] {
        assert!(matches!(validation.outcome, Outcome::PassedWarm | Outcome::Plausible), "{validation:?}");
        assert_eq!(validation.fixed, failed, "{validation:?}");
    }
    // Set-up that fails for one class alone is seen too.
    let half = trial.patch(
        "src/a/Primes.java",
        "return found;",
        "if (end == 7) { found.remove((Integer) 7); }\n    return found;",
    );
    for validation in [judge.screen_one(&half).await.unwrap(), judge.judge().confirm(&half).await.unwrap()] {
        assert_eq!(validation.outcome, Outcome::Failed, "{validation:?}");
    }
}

/// A test that fails, and a class beside it with plain, nested, repeated and generated tests, all of which take a while.
const SLOW: &str = "package a;
import static org.junit.jupiter.api.Assertions.*;
import java.util.stream.Stream;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.*;

class SlowTest {
  @BeforeEach void wait_() throws Exception { Thread.sleep(20); }
  @AfterAll static void after() { assertEquals(4, Primes.below(8).size()); }
  @RepeatedTest(3) void again() { assertEquals(0, Primes.below(1).size()); }
  @ParameterizedTest @ValueSource(ints = {0, 1}) void none(int end) { assertEquals(0, Primes.below(end).size()); }
  @TestFactory Stream<DynamicTest> made() { return Stream.of(DynamicTest.dynamicTest(\"one\", () -> assertEquals(0, Primes.below(1).size()))); }
  @Test void plain() { assertEquals(4, Primes.below(8).size()); }
  @Nested class Inner {
    @Test void one() { assertEquals(4, Primes.below(8).size()); }
    @Test void other() { assertEquals(4, Primes.below(9).size()); }
  }
}
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_time_of_a_run_ends_between_tests_of_one_class() {
    let fails = "package a;\nimport org.junit.jupiter.api.*;\nclass AFailsTest { @Test void three() { Assertions.assertEquals(3, Primes.below(7).size()); } }\n";
    for (millis, tests) in [(1, 2), (60_000, 10)] {
        // What was measured of the same files is kept.
        let fails = format!("{fails}// {millis} ms\n");
        let files = [("src/a/Primes.java", LIST), ("test/a/AFailsTest.java", &fails), ("test/a/SlowTest.java", SLOW)];
        let trial = Trial::new(&files).await;
        let scope = SpectrumScope { classes: None, time: Duration::from_millis(millis) };
        let spectrum = trial.open().await.probe().spectrum(&scope).await.unwrap().unwrap();
        let measured: Vec<String> = spectrum.tests().map(|(id, ..)| id.to_string()).collect();
        assert_eq!(measured.len(), tests, "{measured:?}");
        assert!(spectrum.tests().all(|(id, passed, _)| passed != (id.method == "three")), "{measured:?}");
    }
}

/// What is made of each text in the place of the wrong one, where this is what fails.
async fn outcomes(files: &[(&str, &str)], triggering: &str, texts: &[&str]) -> Vec<Outcome> {
    let trial = Trial::new(files).await;
    let judge = trial.open().await;
    assert_eq!(judge.baseline().triggering, vec![triggering.parse().unwrap()]);
    let mut found = Vec::new();
    for text in texts {
        let patch = trial.patch("src/a/Primes.java", WRONG, text);
        found.push(judge.judge().confirm(&patch).await.unwrap().outcome);
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_class_that_a_suite_names_twice_is_one_class() {
    let one = "package a;
public class OneCase extends junit.framework.TestCase {
  public void testThree() { assertEquals(3, Primes.below(7).size()); }
  public void testNone() { assertEquals(0, Primes.below(1).size()); }
}
";
    let all = "package a;
import junit.framework.*;
public class AllTest extends TestCase {
  public static Test suite() {
    TestSuite suite = new TestSuite(\"all\");
    suite.addTestSuite(OneCase.class);
    suite.addTestSuite(OneCase.class);
    return suite;
  }
}
";
    let files = [("src/a/Primes.java", LIST), ("test/a/OneCase.java", one), ("test/a/AllTest.java", all)];
    assert_eq!(outcomes(&files, "a.OneCase#testThree", &[RIGHT]).await, [Outcome::Plausible]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_class_whose_parameters_cannot_be_made_fails_as_a_class() {
    let drawn = "package a;
import static org.junit.Assert.*;
import org.junit.*;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class DrawnTest {
  @Parameterized.Parameters public static Object[] ends() {
    if (Primes.below(7).contains(7)) throw new IllegalStateException(\"7 is not below 7\");
    return new Object[] {6, 7};
  }
  @Parameterized.Parameter public int end;
  @Test public void three() { assertEquals(3, Primes.below(end).size()); }
}
";
    let files = [("src/a/Primes.java", LIST), ("test/a/DrawnTest.java", drawn)];
    let found = outcomes(&files, "a.DrawnTest", &[RIGHT, "n < end - 1"]).await;
    assert_eq!(found, [Outcome::Plausible, Outcome::Failed]);
}
