//! The judge on small projects with real compilers and real test processes: what it says of candidates.

mod commands;
mod coverage;
mod generations;
mod passing;
mod process;
mod triggers;

use crate::support::Trial;
use unidebug::domain::{Outcome, TestId, TestStatus};
use unidebug::validate::{ValidateError, open};

const CALC: &str = "package a;\npublic class Calc {\n  public static final int ZERO = 0;\n  public static int max(int x, int y) \
                    {\n    return x < y ? x : y;\n  }\n  public static int half(int x) { return x / 2; }\n  public \
                    static int same(int x) {\n    return x;\n  }\n}\n";
const USER: &str = "package a;\npublic class User { public int zero() { return Calc.ZERO; } }\n";
const TEST_4: &str = "package a;\nimport org.junit.*;\nimport static org.junit.Assert.*;\npublic class CalcTest {\n  @Test \
                      public void max() { assertEquals(3, Calc.max(2, 3)); }\n  @Test public void half() { \
                      assertEquals(2, Calc.half(4)); }\n  @Test public void zero() { assertEquals(0, new \
                      User().zero()); }\n  @Test public void same() { assertEquals(5, Calc.same(5)); }\n  @Ignore @Test \
                      public void later() { fail(); }\n  @Test public void maybe() { Assume.assumeTrue(false); }\n}\n";

/// The project: a greatest number that is the smallest one, who uses a constant of it, and its tests.
const PROJECT: [(&str, &str); 3] =
    [("src/a/Calc.java", CALC), ("src/a/User.java", USER), ("test/a/CalcTest.java", TEST_4)];

async fn calc() -> Trial {
    Trial::new(&PROJECT).await
}

#[tokio::test]
async fn a_bug_is_known_and_its_repair_is_plausible_only_after_a_cold_confirmation() {
    let trial = calc().await;
    let judge = trial.open().await;
    let baseline = judge.baseline();
    assert_eq!(baseline.triggering, vec!["a.CalcTest#max".parse().unwrap()]);
    assert_eq!(baseline.passing.len(), 3);
    let skipped = |name: &str| baseline.report.results[&name.parse::<TestId>().unwrap()].status == TestStatus::Skipped;
    assert!(skipped("a.CalcTest#later") && skipped("a.CalcTest#maybe"));
    let repair = trial.patch("src/a/Calc.java", "x < y ? x", "x > y ? x");
    let first = judge.screen_one(&repair).await.unwrap();
    assert_eq!(first.outcome, Outcome::PassedWarm, "{first:?}");
    let confirmed = judge.judge().confirm(&repair).await.unwrap();
    assert!(confirmed.is_plausible() && confirmed.fixed == 1, "{confirmed:?}");
}

#[tokio::test]
async fn every_way_to_be_wrong_has_its_word() {
    let trial = calc().await;
    let judge = trial.open().await;
    let rows = [
        ("x < y ? x : y", "x < y ? x : y + 0", Outcome::Failed),
        ("x < y ? x : y", "undefined", Outcome::CompileError),
        (
            "x < y ? x : y;\n  }\n  public static int half(int x) { return x / 2",
            "Math.max(x, y); } public static int half(int x) { return x",
            Outcome::Regression,
        ),
        ("return x < y", "System.exit(0); return x < y", Outcome::Crash),
        ("return x < y", "Runtime.getRuntime().halt(0); return x < y", Outcome::Crash),
        ("return x < y ? x : y", "while (x < 100 || y > 0) {} return y", Outcome::Timeout),
        (
            "return x < y",
            "java.util.List<long[]> l = new java.util.ArrayList<>(); while (y > 0) l.add(new long[1 << 29]); return x < y",
            Outcome::OutOfMemory,
        ),
        (
            "return x < y",
            "if (true) throw new org.junit.AssumptionViolatedException(\"\"); return x < y",
            Outcome::Failed,
        ),
    ];
    for (from, to, wanted) in rows {
        let validation = judge.screen_one(&trial.patch("src/a/Calc.java", from, to)).await.unwrap();
        assert_eq!(validation.outcome, wanted, "{to}: {validation:?}");
    }
    let again = judge.screen_one(&trial.patch("src/a/Calc.java", rows[0].0, rows[0].1)).await.unwrap();
    assert_eq!(again.outcome, Outcome::Duplicate);
    let on_test =
        judge.screen_one(&trial.patch("test/a/CalcTest.java", "assertEquals(3", "assertEquals(2")).await.unwrap();
    assert_eq!(on_test.outcome, Outcome::Refused);
}

#[tokio::test]
async fn users_of_a_changed_constant_are_compiled_again() {
    let trial = calc().await;
    let judge = trial.open().await;
    let patch = trial.patch(
        "src/a/Calc.java",
        "ZERO = 0;\n  public static int max(int x, int y) {\n    return x < y ? x : y",
        "ZERO = 1;\n  public static int max(int x, int y) {\n    return x < y ? y : x",
    );
    let validation = judge.screen_one(&patch).await.unwrap();
    assert_eq!(validation.outcome, Outcome::Regression, "{validation:?}");
    assert_eq!(validation.failing[0].0.method, "zero");
}

#[tokio::test]
async fn what_cannot_be_judged_is_said_before_anything_else() {
    let broken = Trial::new(&[("src/a/B.java", "package a; class B { int x = ; }"), ("test/a/T.java", "")]).await;
    let error = open(&broken.checkout, &broken.sandbox, broken.options.clone()).await.err().unwrap();
    assert!(
        matches!(&error, ValidateError::BaselineDoesNotCompile { first, .. } if first.contains("src/a/B.java:1")),
        "{error}"
    );

    let trial = calc().await;
    for (name, word) in [("CalcTest#half", "passes"), ("CalcTest#none", "did not run")] {
        let mut options = trial.options.clone();
        options.failing = vec![name.parse().unwrap()];
        let error = open(&trial.checkout, &trial.sandbox, options).await.err().unwrap();
        assert!(
            error.to_string().contains(word) && error.hint().contains("a.CalcTest#max"),
            "{error} {}",
            error.hint()
        );
    }
}

/// Where bubblewrap is missing the same judge works behind the weaker wall.
#[tokio::test]
async fn the_judge_works_under_landlock() {
    let mut trial = calc().await;
    trial.sandbox = unidebug::sandbox::Sandbox::detect(unidebug::sandbox::Choice::Landlock).await.unwrap();
    let judge = trial.open().await;
    for (to, wanted) in
        [("x > y ? x", Outcome::PassedWarm), ("x <= y ? x", Outcome::Failed), ("x > z", Outcome::CompileError)]
    {
        let validation = judge.screen_one(&trial.patch("src/a/Calc.java", "x < y ? x", to)).await.unwrap();
        assert_eq!(validation.outcome, wanted, "{to}: {validation:?}");
    }
    assert!(
        judge.judge().confirm(&trial.patch("src/a/Calc.java", "x < y ? x", "x > y ? x")).await.unwrap().is_plausible()
    );
}
