//! The judge on small projects with real compilers and real test processes.

use crate::support::Trial;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;
use unidebug::benchmark::{BenchmarkError, OwnCommand, OwnRun, Runner};
use unidebug::domain::{Outcome, Patch, RepoPath, RunEnd, TestId, TestReport, TestResult, TestStatus, Validation};
use unidebug::validate::{ColdJudge, Judge, SpectrumScope, ValidateError, open};

const CALC: &str = "package a;\npublic class Calc {\n  public static final int ZERO = 0;\n  public static int max(int x, int y) \
                    {\n    return x < y ? x : y;\n  }\n  public static int half(int x) { return x / 2; }\n  public \
                    static int same(int x) {\n    return x;\n  }\n}\n";
const USER: &str = "package a;\npublic class User { public int zero() { return Calc.ZERO; } }\n";
const TEST_4: &str = "package a;\nimport org.junit.*;\nimport static org.junit.Assert.*;\npublic class CalcTest {\n  @Test \
                      public void max() { assertEquals(3, Calc.max(2, 3)); }\n  @Test public void half() { \
                      assertEquals(2, Calc.half(4)); }\n  @Test public void zero() { assertEquals(0, new \
                      User().zero()); }\n  @Test public void same() { assertEquals(5, Calc.same(5)); }\n  @Ignore @Test \
                      public void later() { fail(); }\n  @Test public void maybe() { Assume.assumeTrue(false); }\n}\n";

async fn calc() -> Trial {
    Trial::new(&[("src/a/Calc.java", CALC), ("src/a/User.java", USER), ("test/a/CalcTest.java", TEST_4)]).await
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

/// Part of the product, and a rule of its tests.
const QUIET: &str = "package a;
public class Quiet implements org.junit.rules.TestRule {
  public org.junit.runners.model.Statement apply(org.junit.runners.model.Statement base, org.junit.runner.Description d) {
    return new org.junit.runners.model.Statement() {
      public void evaluate() throws Throwable { base.evaluate(); }
    };
  }
}
";
const QUIET_TEST: &str = "package a;
import org.junit.*;
import static org.junit.Assert.*;
public class QuietTest {
  @Rule public Quiet quiet = new Quiet();
  @Test public void max() {
    assertEquals(3, Calc.max(2, 3));
    assertTrue(Calc.max(2, 3) > 2);
  }
}
";

#[tokio::test]
async fn a_patch_that_lets_every_assertion_pass_is_refused_by_a_control() {
    let files = [("src/a/Calc.java", CALC), ("src/a/Quiet.java", QUIET), ("test/a/QuietTest.java", QUIET_TEST)];
    let trial = Trial::new(&files).await;
    let judge = trial.open().await;
    let silenced =
        trial.patch("src/a/Quiet.java", "base.evaluate();", "try { base.evaluate(); } catch (Throwable e) { }");
    let refused = judge.judge().confirm(&silenced).await.unwrap();
    assert_eq!(refused.outcome, Outcome::Refused, "{}", refused.detail);
    assert!(refused.detail.contains("a.QuietTest#max passes even when line"), "{}", refused.detail);
    let repair = trial.patch("src/a/Calc.java", "x < y ? x", "x > y ? x");
    let right = judge.judge().confirm(&repair).await.unwrap();
    assert!(right.is_plausible(), "{}", right.detail);
    assert!(right.detail.ends_with("reversed, 1 of the 1 triggering tests fail, as they must"), "{}", right.detail);
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
        let told = judge.screen_one(&trial.patch("src/a/Calc.java", from, to)).await.unwrap();
        assert_eq!(told.outcome, wanted, "{to}: {told:?}");
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
    let told = judge.screen_one(&patch).await.unwrap();
    assert_eq!(told.outcome, Outcome::Regression, "{told:?}");
    assert_eq!(told.failing[0].0.method, "zero");
}

#[tokio::test]
async fn coverage_names_the_lines_the_failing_test_runs() {
    let trial = calc().await;
    let judge = trial.open().await;
    let coverage = judge.probe().failing_coverage().await.unwrap().unwrap();
    let lines = &coverage.lines[&RepoPath::new("src/a/Calc.java").unwrap()];
    assert!(lines.contains(&5) && !lines.contains(&9), "{lines:?}");
}

#[tokio::test]
async fn coverage_is_taken_of_projects_with_another_version_of_what_reads_byte_code() {
    let other = "package org.objectweb.asm;\npublic interface ClassVisitor { }\n";
    let files = [
        ("src/a/Calc.java", CALC),
        ("src/a/User.java", USER),
        ("src/org/objectweb/asm/ClassVisitor.java", other),
        ("test/a/CalcTest.java", TEST_4),
    ];
    let judge = Trial::new(&files).await.open().await;
    assert_eq!(judge.baseline().triggering, vec!["a.CalcTest#max".parse().unwrap()]);
    let coverage = judge.probe().failing_coverage().await.unwrap().unwrap();
    assert!(coverage.lines[&RepoPath::new("src/a/Calc.java").unwrap()].contains(&5));
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
async fn junit_5_tests_run_nested_parameterised_and_disabled() {
    let test = "package a;\nimport org.junit.jupiter.api.*;\nimport org.junit.jupiter.params.ParameterizedTest;\nimport \
                org.junit.jupiter.params.provider.ValueSource;\nimport static org.junit.jupiter.api.Assertions.*;\nclass FiveTest {\n  \
                @BeforeAll static void all() {}\n  @ParameterizedTest @ValueSource(ints = {1, 2, 3}) void max(int n) { assertEquals(Math.max(n, 2), Calc.max(n, 2)); }\n  \
                @Test void half() { assertEquals(1, Calc.half(2)); }\n  @Disabled(\"later\") @Test void off() {}\n  @Test void maybe() { \
                Assumptions.assumeTrue(false); }\n  @Nested class Inner { @Test void same() { assertEquals(1, Calc.same(1)); } }\n}\n";
    let trial = Trial::new(&[("src/a/Calc.java", CALC), ("test/a/FiveTest.java", test)]).await;
    let judge = trial.open().await;
    let results = &judge.baseline().report.results;
    let told: Vec<(String, TestStatus)> = results.values().map(|r| (r.id.to_string(), r.status)).collect();
    let wanted = [
        ("a.FiveTest#half", TestStatus::Passed),
        ("a.FiveTest#max[1]", TestStatus::Failed),
        ("a.FiveTest#max[2]", TestStatus::Passed),
        ("a.FiveTest#max[3]", TestStatus::Failed),
        ("a.FiveTest#maybe", TestStatus::Skipped),
        ("a.FiveTest#off", TestStatus::Skipped),
        ("a.FiveTest$Inner#same", TestStatus::Passed),
    ];
    assert_eq!(told, wanted.map(|(name, status)| (name.to_owned(), status)));
    let repair = trial.patch("src/a/Calc.java", "x < y ? x", "x > y ? x");
    assert!(judge.judge().confirm(&repair).await.unwrap().is_plausible());
}

#[tokio::test]
async fn what_cannot_be_judged_is_said_before_anything_else() {
    let broken = Trial::new(&[("src/a/B.java", "package a; class B { int x = ; }"), ("test/a/T.java", "")]).await;
    let error = open(&broken.checkout, &broken.sandbox, broken.options.clone()).await.err().unwrap();
    assert!(
        matches!(&error, ValidateError::BaselineDoesNotCompile { first } if first.contains("src/a/B.java:1")),
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

/// The number is taken for a part of a command: what it writes are reports, and the command still says no.
#[tokio::test]
async fn reports_that_the_command_does_not_stand_behind_do_not_count() {
    let check = "#!/bin/sh\nmkdir -p out\nread n < src/number.java\nr='<failure type=\"E\" message=\"not 42\"/>'\n\
                 if [ \"$n\" = 42 ] || [ \"$n\" = forged ]; then r=; fi\n\
                 echo \"<testsuite name='t'><testcase classname='t.T' name='answer'>$r</testcase></testsuite>\" > out/r.xml\n\
                 [ \"$n\" = 42 ]\n";
    let mut trial = Trial::new(&[("src/number.java", "41\n"), ("check.sh", check)]).await;
    trial.checkout.project.runner = Runner::Command {
        build: None,
        test: vec!["sh".into(), "check.sh".into()],
        reports: vec![RepoPath::new("out").unwrap()],
    };
    let judge = trial.open().await;
    for (to, wanted) in [("forged", Outcome::Crash), ("42", Outcome::Plausible)] {
        let told = judge.judge().confirm(&trial.patch("src/number.java", "41", to)).await.unwrap();
        assert_eq!(told.outcome, wanted, "{told:?}");
    }
}

/// The product ends the tool with code 0 once it has written a report of its own: the tool never said that all is well.
#[tokio::test]
async fn reports_that_the_tool_did_not_sum_up_do_not_count() {
    let check = "#!/bin/sh\nmkdir -p out\nread n < src/number.java\nr=; f=0\n\
                 if [ \"$n\" = 41 ]; then r='<failure type=\"E\" message=\"not 42\"/>'; f=1; fi\n\
                 echo \"<testsuite name='t'><testcase classname='t.T' name='answer'>$r</testcase></testsuite>\" > out/r.xml\n\
                 if [ \"$n\" = ended ]; then exit 0; fi\n\
                 if [ \"$n\" = silenced ]; then f=1; fi\n\
                 echo \"Tests run: 1, Failures: $f\"\n";
    let mut trial = Trial::new(&[("src/number.java", "41\n"), ("check.sh", check)]).await;
    trial.checkout.project.runner = Runner::Command {
        build: None,
        test: vec!["sh".into(), "check.sh".into()],
        reports: vec![RepoPath::new("out").unwrap()],
    };
    let judge = trial.open().await;
    for (to, wanted) in [("ended", Outcome::Crash), ("silenced", Outcome::Crash), ("42", Outcome::Plausible)] {
        let told = judge.judge().confirm(&trial.patch("src/number.java", "41", to)).await.unwrap();
        assert_eq!(told.outcome, wanted, "{to}: {told:?}");
    }
}

#[tokio::test]
async fn a_project_with_its_own_commands_is_judged_by_its_reports() {
    let check = "#!/bin/sh\nread n < src/number.java\nif [ \"$n\" = 42 ]; then r=; else r='<failure type=\"E\" message=\"not 42\">at a.B.c(B.java:3)</failure>'; fi\nmkdir -p \
                 out; echo \"<testsuite name='t'><testcase classname='t.T' name='answer'>$r</testcase><testcase classname='t.T' name='other'/></testsuite>\" > out/r.xml\n";
    let mut trial = Trial::new(&[
        ("src/number.java", "41\n"),
        ("check.sh", check),
        ("out/old.xml", "<testsuite name='x'><testcase name='stale'/></testsuite>"),
    ])
    .await;
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    trial.checkout.project.runner = Runner::Command {
        build: Some(words("grep -q ^[0-9] src/number.java")),
        test: words("sh check.sh"),
        reports: vec![RepoPath::new("out").unwrap()],
    };
    let judge = trial.open().await;
    assert_eq!(judge.baseline().triggering, vec!["t.T#answer".parse().unwrap()]);
    assert_eq!(judge.baseline().report.results.len(), 2, "old reports are no results");
    for (to, wanted) in [("40", Outcome::Failed), ("x", Outcome::CompileError), ("42", Outcome::Plausible)] {
        let told = judge.judge().confirm(&trial.patch("src/number.java", "41", to)).await.unwrap();
        assert_eq!(told.outcome, wanted, "{told:?}");
    }
    let right = judge.judge().confirm(&trial.patch("src/number.java", "41", "42")).await.unwrap();
    assert!(right.detail.contains("which its code could write too"), "{}", right.detail);
    let on_script = judge.screen_one(&trial.patch("check.sh", "not 42", "x")).await.unwrap();
    assert_eq!(on_script.outcome, Outcome::Refused);
}

#[tokio::test]
async fn every_test_has_its_own_lines() {
    let trial = calc().await;
    let judge = trial.open().await;
    let spectrum =
        judge.probe().spectrum(&SpectrumScope { classes: None, time: Duration::from_secs(60) }).await.unwrap().unwrap();
    let calc = RepoPath::new("src/a/Calc.java").unwrap();
    let of = |name: &str| {
        let (_, passed, mut ran) = spectrum.tests().find(|(id, ..)| id.method == name).unwrap();
        (passed, ran.find(|(file, _)| **file == calc).map(|(_, lines)| lines.clone()).unwrap_or_default())
    };
    assert_eq!(of("max"), (false, BTreeSet::from([5])));
    assert_eq!(of("same"), (true, BTreeSet::from([9])));
    assert_eq!(of("zero"), (true, BTreeSet::new()), "a constant is copied into its user");
}

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
    let mut told = Vec::new();
    warm.screen(&patches, &mut |at, validation| {
        told.push((at, validation.outcome, validation.fixed));
        ControlFlow::Continue(())
    })
    .await
    .unwrap();
    for (at, outcome, fixed) in told {
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
async fn a_candidate_sees_the_api_of_the_release_that_the_build_names() {
    for (jdk, release) in unidebug::benchmark::jdk::all().into_iter().flat_map(|jdk| [(jdk.clone(), 8), (jdk, 11)]) {
        let mut trial = calc().await;
        trial.checkout.project.release = Some(release.to_string());
        trial.options.jdk = Some(jdk.clone());
        let judge = trial.open().await;
        // `List.of` came with 9, `Stream.toList` with 16.
        let rows = [
            ("java.util.List.of(x, y).stream().max(Integer::compare).get()", release >= 9),
            ("java.util.stream.Stream.of(x, y).toList().get(x < y ? 1 : 0)", false),
            ("java.util.stream.Stream.of(x, y).max(Integer::compare).get()", true),
        ];
        for (to, known) in rows {
            let told = judge.screen_one(&trial.patch("src/a/Calc.java", "x < y ? x : y", to)).await.unwrap();
            let wanted = if known { Outcome::PassedWarm } else { Outcome::CompileError };
            assert_eq!(told.outcome, wanted, "JDK {}, release {release}, {to}: {told:?}", jdk.version);
        }
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
async fn what_one_candidate_changes_in_the_process_is_gone_for_the_next() {
    let trial = calc().await;
    let judge = trial.open().await;
    let spoil = "(System.setProperty(\"line.separator\", \"x\") + java.util.Locale.getDefault()).length() * 0 + (x > y ? x : y)";
    let thread = "new Object() { int m() { new Thread(() -> { while (true) { } }).start(); return x; } }.m()";
    let check = "\"x\".equals(System.lineSeparator()) || \"x\".equals(System.getProperty(\"line.separator\")) ? 0 : Math.max(x, y)";
    for (to, wanted) in [(spoil, Outcome::PassedWarm), (thread, Outcome::Failed), (check, Outcome::PassedWarm)] {
        let told = judge.screen_one(&trial.patch("src/a/Calc.java", "x < y ? x : y", to)).await.unwrap();
        assert_eq!(told.outcome, wanted, "{to}: {told:?}");
    }
}

const OLD_STYLE: &str = "package a;\nimport java.io.*;\nimport java.net.*;\npublic class OldTest extends junit.framework.TestCase {\n  \
                         public void testMax() { assertEquals(3, Calc.max(2, 3)); }\n  public void testFile() throws IOException {\n    try \
                         (BufferedReader in = new BufferedReader(new FileReader(\"test/data.txt\"))) { assertEquals(\"17\", in.readLine()); \
                         }\n  }\n  public void testLoud() { StringBuilder line = new StringBuilder(); for (int i = 0; i < 1000; i++) \
                         line.append(\"loud \"); for (int i = 0; i < 1000; i++) System.out.println(line); }\n  public void testLoopback() throws \
                         IOException {\n    try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); Socket c = new \
                         Socket(s.getInetAddress(), s.getLocalPort())) { assertTrue(c.isConnected()); }\n  }\n}\n";

const FIVE: &str = "package a;\nimport org.junit.jupiter.api.*;\nclass FiveTest {\n  @BeforeAll static void all() { \
                    Calc.same(1); }\n  @RepeatedTest(2) void half() { Assertions.assertEquals(1, Calc.half(2)); }\n  @Test void max() { \
                    Assertions.assertEquals(2, Calc.max(1, 2)); }\n  @TestFactory java.util.List<DynamicTest> made() { return \
                    java.util.Arrays.asList(DynamicTest.dynamicTest(\"one\", () -> {}), DynamicTest.dynamicTest(\"two\", () -> {})); }\n}\n";

/// Every JDK of this machine: the runner is compiled by it, and nothing that newer ones removed is used.
#[tokio::test]
async fn all_generations_of_tests_run_on_every_jdk() {
    let jdks = unidebug::benchmark::jdk::all();
    let names: Vec<&str> = jdks.iter().map(|jdk| jdk.version.as_str()).collect();
    eprintln!("JDKs: {}", names.join(", "));
    for jdk in jdks {
        let mut trial = Trial::new(&[
            ("src/a/Calc.java", CALC),
            ("src/a/User.java", USER),
            ("test/a/CalcTest.java", TEST_4),
            ("test/a/OldTest.java", OLD_STYLE),
            ("test/a/FiveTest.java", FIVE),
            ("test/data.txt", "17\n"),
        ])
        .await;
        trial.options.jdk = Some(jdk.clone());
        let judge = trial.open().await;
        let baseline = judge.baseline();
        let triggering: Vec<String> = baseline.triggering.iter().map(ToString::to_string).collect();
        assert_eq!(triggering, ["a.CalcTest#max", "a.FiveTest#max", "a.OldTest#testMax"], "JDK {}", jdk.version);
        // Three of JUnit 3, three of JUnit 4, two repetitions and two made tests of JUnit 5.
        assert_eq!(baseline.passing.len(), 10, "JDK {}: {:?}", jdk.version, baseline.passing);
        let repair = trial.patch("src/a/Calc.java", "x < y ? x", "x > y ? x");
        let quick = judge.screen_one(&repair).await.unwrap();
        assert_eq!(quick.outcome, Outcome::PassedWarm, "JDK {}: {quick:?}", jdk.version);
        let sure = judge.judge().confirm(&repair).await.unwrap();
        assert!(sure.is_plausible(), "JDK {}: {sure:?}", jdk.version);
    }
}

/// Where bubblewrap is missing the same judge works behind the weaker wall.
#[tokio::test]
async fn the_judge_works_under_landlock() {
    let mut trial =
        Trial::new(&[("src/a/Calc.java", CALC), ("src/a/User.java", USER), ("test/a/CalcTest.java", TEST_4)]).await;
    trial.sandbox = unidebug::sandbox::Sandbox::detect(unidebug::sandbox::Choice::Landlock).await.unwrap();
    let judge = trial.open().await;
    for (to, wanted) in
        [("x > y ? x", Outcome::PassedWarm), ("x <= y ? x", Outcome::Failed), ("x > z", Outcome::CompileError)]
    {
        let told = judge.screen_one(&trial.patch("src/a/Calc.java", "x < y ? x", to)).await.unwrap();
        assert_eq!(told.outcome, wanted, "{to}: {told:?}");
    }
    assert!(
        judge.judge().confirm(&trial.patch("src/a/Calc.java", "x < y ? x", "x > y ? x")).await.unwrap().is_plausible()
    );
}

/// Says that all tests pass, as the command of a project where the patch can tell that it is tested.
#[derive(Debug)]
struct Yes;

#[async_trait::async_trait]
impl OwnCommand for Yes {
    fn name(&self) -> String {
        "mvn test".into()
    }
    async fn run(&self, _: &camino::Utf8Path, tests: &[TestId], _: Duration) -> Result<OwnRun, BenchmarkError> {
        let passed = |id: &TestId| {
            let result =
                TestResult { id: id.clone(), status: TestStatus::Passed, failure: None, millis: 1, loss: None };
            (id.clone(), result)
        };
        let results = tests.iter().map(passed).collect();
        Ok(OwnRun::Tested(TestReport { end: RunEnd::Complete, results, output_tail: String::new() }))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_projects_own_command_excuses_no_triggering_test() {
    let mut trial = calc().await;
    trial.checkout.own = Some(std::sync::Arc::new(Yes));
    let judge = trial.open().await;
    // Under the project's own command it behaves; here it looks as if a resource were missing.
    let sly = "System.getProperty(\"surefire.test.class.path\") == null ? missing() : x > y ? x";
    let mut patch = trial.patch("src/a/Calc.java", "x < y ? x", sly);
    let text = String::from_utf8(patch.files[0].after.to_vec()).unwrap();
    let at = text.rfind('}').unwrap();
    let more = "  static int missing() { throw new IllegalStateException(\"the resource does not exist\"); }\n}\n";
    patch.files[0].after = format!("{}{more}", &text[..at]).into_bytes().into();
    let told = judge.judge().confirm(&patch).await.unwrap();
    assert!(!told.is_plausible() && told.outcome == Outcome::Failed, "{told:?}");
    let right = judge.judge().confirm(&trial.patch("src/a/Calc.java", "x < y ? x", "x > y ? x")).await.unwrap();
    assert!(right.is_plausible(), "{right:?}");
}
