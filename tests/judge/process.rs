//! Many candidates in one process that stays: the answers of a fresh one, whatever a candidate does to it.

use super::{CALC, TEST_4, USER, calc};
use crate::support::Trial;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use unidebug::domain::{Outcome, Patch, RepoPath, TestId, TestStatus, Validation};
use unidebug::validate::{ColdJudge, Judge, WarmJudge};

#[tokio::test]
async fn warm_and_cold_answers_are_the_same() {
    let trial = calc().await;
    let warm = trial.open().await;
    let cold = ColdJudge::open(&trial.checkout, &trial.sandbox, trial.options.clone()).await.unwrap();
    let replacements = [
        "x > y ? x : y",
        "x >= y ? x : y",
        "y",
        "x",
        "Math.max(x, y)",
        "x == y ? x : y + 0",
        "undefined",
        "0 / (x - 2)",
        "x < y ? y : x",
        "new int[] {y}[0]",
        "Integer.parseInt(\"3\")",
        "max(x, y)",
    ];
    let patches: Vec<Patch> =
        replacements.iter().map(|to| trial.patch("src/a/Calc.java", "x < y ? x : y", to)).collect();
    let mut answers = Vec::new();
    warm.screen(&patches, &mut |at, validation| {
        answers.push((at, validation.outcome, validation.fixed));
        ControlFlow::Continue(())
    })
    .await
    .unwrap();
    for (at, outcome, fixed) in answers {
        let slow = cold.validate(&patches[at]).await.unwrap();
        assert_eq!((outcome, fixed), (slow.outcome, slow.fixed), "{}", replacements[at]);
    }
}

#[tokio::test]
async fn a_project_whose_tests_fail_otherwise_in_a_process_that_stays_is_judged_without_one() {
    let loader = "if (Calc.class.getClassLoader() != ClassLoader.getSystemClassLoader()) throw new \
                  IllegalStateException(\"another loader\");\n    return x < y";
    let calc = CALC.replace("return x < y", loader);
    let files = [("src/a/Calc.java", calc.as_str()), ("src/a/User.java", USER), ("test/a/CalcTest.java", TEST_4)];
    let trial = Trial::new(&files).await;
    let judge = trial.open().await;
    let repair = trial.patch("src/a/Calc.java", "x < y ? x", "x > y ? x");
    assert_eq!(judge.screen_one(&repair).await.unwrap().outcome, Outcome::PassedWarm);
}

/// The system class loader of a process that stays knows libraries alone.
#[tokio::test]
async fn a_candidate_that_fails_in_a_new_way_is_asked_of_a_fresh_process() {
    let test = "package a;
import org.junit.Test;
import static org.junit.Assert.*;
public class CalcTest {
  @Test public void max() {
    assertEquals(3, Calc.max(2, 3));
    assertNotNull(ClassLoader.getSystemResource(\"a/Calc.class\"));
  }
}
";
    let trial = Trial::new(&[("src/a/Calc.java", CALC), ("test/a/CalcTest.java", test)]).await;
    let (wrong, right) = (
        trial.patch("src/a/Calc.java", "x < y ? x", "x <= y ? x"),
        trial.patch("src/a/Calc.java", "x < y ? x", "x > y ? x"),
    );
    for is_batch in [false, true] {
        let judge = trial.open().await;
        let mut outcomes = Vec::new();
        if is_batch {
            let patches = [wrong.clone(), right.clone()];
            let mut take = |_, validation: &Validation| {
                outcomes.push(validation.outcome);
                ControlFlow::Continue(())
            };
            judge.screen(&patches, &mut take).await.unwrap();
        } else {
            for patch in [&wrong, &right] {
                outcomes.push(judge.screen_one(patch).await.unwrap().outcome);
            }
        }
        assert_eq!(outcomes, [Outcome::Failed, Outcome::PassedWarm]);
        assert_eq!(judge.disagreements().len(), 1, "the right one failed at first");
    }
}

#[tokio::test]
async fn a_class_that_cannot_be_initialized_fails_by_its_reason_or_by_its_name_and_stays_in_one_process() {
    let rates = "package a;\npublic class Rates {\n  static final int[] ALL = new int[2];\n  static {\n    for (int i = 0; i <= 2; \
                 i++) ALL[i] = i;\n  }\n  public static int of(int at) { return ALL[at]; }\n}\n";
    let test = |name: &str| {
        format!(
            "package a;\nimport org.junit.*;\npublic class {name} {{\n  @Test public void a() {{ \
             Assert.assertEquals(1, Rates.of(1)); }}\n}}\n"
        )
    };
    let (one, two) = (test("OneTest"), test("TwoTest"));
    let files =
        [("src/a/Rates.java", rates), ("test/a/OneTest.java", one.as_str()), ("test/a/TwoTest.java", two.as_str())];
    let trial = Trial::new(&files).await;
    let warm = WarmJudge::open(&trial.checkout, &trial.sandbox, trial.options.clone()).await.unwrap();
    let kinds: BTreeSet<String> =
        warm.baseline().report.failing().filter_map(|result| Some(result.failure.clone()?.kind)).collect();
    assert_eq!(warm.baseline().triggering.len(), 2, "{kinds:?}");
    let repair = trial.patch("src/a/Rates.java", "i <= 2", "i < 2");
    assert_eq!(warm.validate(&repair).await.unwrap().outcome, Outcome::PassedWarm);
    assert_ne!(warm.workers_started().await, 0, "its tests run in a process that stays: {kinds:?}");
}

#[tokio::test]
async fn what_one_candidate_changes_in_the_process_is_gone_for_the_next() {
    let trial = calc().await;
    let judge = trial.open().await;
    let spoil = "(System.setProperty(\"line.separator\", \"x\") + java.util.Locale.getDefault()).length() * 0 + (x > y ? x : y)";
    let thread = "new Object() { int m() { new Thread(() -> { while (true) { } }).start(); return x; } }.m()";
    let check = "\"x\".equals(System.lineSeparator()) || \"x\".equals(System.getProperty(\"line.separator\")) ? 0 : Math.max(x, y)";
    for (to, wanted) in [(spoil, Outcome::PassedWarm), (thread, Outcome::Failed), (check, Outcome::PassedWarm)] {
        let validation = judge.screen_one(&trial.patch("src/a/Calc.java", "x < y ? x : y", to)).await.unwrap();
        assert_eq!(validation.outcome, wanted, "{to}: {validation:?}");
    }
}

#[tokio::test]
async fn a_caller_who_has_enough_stops_the_rest() {
    let trial = calc().await;
    let judge = trial.open().await;
    let patches = ["y", "x", "Math.max(x, y)"].map(|to| trial.patch("src/a/Calc.java", "x < y ? x : y", to));
    let mut count = 0;
    let mut stop = |_: usize, validation: &Validation| {
        count += 1;
        if validation.outcome == Outcome::PassedWarm { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    judge.screen(&patches, &mut stop).await.unwrap();
    assert_eq!(count, 1);
}

#[tokio::test]
async fn a_looping_test_is_cut_and_the_rest_still_runs() {
    let source = "package a;\npublic class Loop {\n  public static int count(int n) {\n    int c = 0;\n    while (n != 0) {\n      c++;\n    }\n    return c;\n  }\n}\n";
    let test = "package a;\nimport org.junit.*;\npublic class LoopTest {\n  @Test(timeout = 300) public void a() { Loop.count(1); }\n  @Test \
                public void b() { Assert.assertEquals(0, Loop.count(0)); }\n  @Test public void c() { Loop.count(2); }\n  @Test public void d() { \
                Assert.assertEquals(0, Loop.count(0)); }\n}\n";
    let trial = Trial::new(&[("src/a/Loop.java", source), ("test/a/LoopTest.java", test)]).await;
    let judge = trial.open().await;
    let status = |name: &str| judge.baseline().report.results[&TestId::new("a.LoopTest", name)].status;
    assert_eq!(
        [status("a"), status("b"), status("c"), status("d")],
        [TestStatus::Failed, TestStatus::Passed, TestStatus::TimedOut, TestStatus::Passed]
    );
    let coverage = judge.probe().failing_coverage().await.unwrap().unwrap();
    assert!(coverage.lines[&RepoPath::new("src/a/Loop.java").unwrap()].contains(&6), "{coverage:?}");
    let repair = trial.patch("src/a/Loop.java", "      c++;", "      n &= n - 1;\n      c++;");
    assert_eq!(judge.screen_one(&repair).await.unwrap().outcome, Outcome::PassedWarm);
}

#[tokio::test]
async fn a_project_whose_tests_need_much_memory_gets_it_and_one_that_has_no_end_does_not() {
    let source = "package a;\npublic class Table {\n  static int best(int n) {\n    int[] table = new int[n];\n    table[n - 1] = 1;\n    \
                  return table[0];\n  }\n}\n";
    let test = "package a;\nimport org.junit.*;\npublic class TableTest {\n  @Test public void large() { Assert.assertEquals(1, \
                Table.best(200_000_000)); }\n  @Test public void small() { Assert.assertEquals(1, Table.best(1)); }\n}\n";
    let trial = Trial::new(&[("src/a/Table.java", source), ("test/a/TableTest.java", test)]).await;
    let judge = trial.open().await;
    let repair = trial.patch("src/a/Table.java", "return table[0]", "return table[n - 1]");
    assert_eq!(judge.screen_one(&repair).await.unwrap().outcome, Outcome::PassedWarm);
    assert!(judge.judge().confirm(&repair).await.unwrap().is_plausible());

    let endless = source.replace("return table[0]", "while (n > 1) table = new int[table.length * 2]; return table[0]");
    let endless = endless.replace("int[] table = new int[n];", "int[] table = new int[n]; if (n > 1) n = 1000;");
    let trial = Trial::new(&[("src/a/Table.java", &endless), ("test/a/TableTest.java", test)]).await;
    let cold = ColdJudge::open(&trial.checkout, &trial.sandbox, trial.options.clone()).await.unwrap();
    let why = &cold.baseline().report.results[&TestId::new("a.TableTest", "large")].failure.as_ref().unwrap().kind;
    assert!(why.contains("emory"), "{why}");
}

#[tokio::test]
async fn half_a_character_in_a_failure_loses_no_test() {
    let source = "package a;\npublic class Cut {\n  static String first(String s) { return s.substring(0, 1); }\n}\n";
    let test = "package a;\nimport org.junit.*;\npublic class CutTest {\n  @Test public void first() { \
                Assert.assertEquals(\"\\uD842\\uDFB7\", Cut.first(\"\\uD842\\uDFB7A\")); }\n}\n";
    let trial = Trial::new(&[("src/a/Cut.java", source), ("test/a/CutTest.java", test)]).await;
    let judge = trial.open().await;
    let result = &judge.baseline().report.results[&TestId::new("a.CutTest", "first")];
    let message = &result.failure.as_ref().unwrap().message;
    // JUnit itself cuts between the halves.
    assert_eq!(message, "expected:<\\ud842[\\udfb7]> but was:<\\ud842[]>");
    let repair = trial.patch("src/a/Cut.java", "substring(0, 1)", "substring(0, s.offsetByCodePoints(0, 1))");
    assert!(judge.judge().confirm(&repair).await.unwrap().is_plausible());
}
