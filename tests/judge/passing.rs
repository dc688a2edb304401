//! Candidates that let tests pass and repair nothing.

use super::{CALC, calc};
use crate::support::Trial;
use unidebug::benchmark::{BenchmarkError, OwnCommand, OwnQuestion, OwnRun};
use unidebug::domain::{Outcome, RunEnd, TestId, TestReport, TestResult, TestStatus};

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
async fn what_an_exception_test_gives_the_product_is_no_value_that_it_expects() {
    let product = "package a;\npublic class Word {\n  public static String charset(String word) {\n    int end = \
                   word.indexOf('?', 2);\n    if (end == word.length()) throw new IllegalArgumentException();\n    \
                   return word.substring(2, end);\n  }\n}\n";
    let test = "package a;\nimport org.junit.*;\nimport static org.junit.Assert.*;\npublic class WordTest {\n  @Test \
                public void none() {\n    assertThrows(IllegalArgumentException.class, () -> Word.charset(\"=?=\"));\n  \
                }\n}\n";
    let trial = Trial::new(&[("src/a/Word.java", product), ("test/a/WordTest.java", test)]).await;
    let judge = trial.open().await;
    let repair = trial.patch("src/a/Word.java", "end == word.length()", "end < 0");
    let right = judge.judge().confirm(&repair).await.unwrap();
    assert!(right.is_plausible(), "{}", right.detail);
    assert!(right.detail.ends_with("reversed, 1 of the 1 triggering tests fail, as they must"), "{}", right.detail);
}

#[tokio::test]
async fn a_test_that_reads_its_own_file_is_not_controlled() {
    let style = "def complaints(path):\n    lines = open(path).read().splitlines()\n    return {'long' for line in lines if \
                 len(line) < 50}\n";
    let tests = "from style import complaints\n\n\ndef test_own_file():\n    assert complaints(__file__) == set(), 'it \
                 is too long'\n\n\ndef test_none():\n    assert complaints('/dev/null') == set()\n";
    let trial = Trial::python(&[("style.py", style), ("tests/test_style.py", tests)]).await;
    let judge = trial.open().await;
    let right = trial.patch("style.py", "len(line) < 50", "len(line) > 59");
    let passed = judge.judge().confirm(&right).await.unwrap();
    assert!(passed.is_plausible(), "{}", passed.detail);
    assert!(
        passed.detail.ends_with("no triggering test could be reversed, so that none was controlled"),
        "{}",
        passed.detail
    );
}

/// Says that all tests pass with a patch, as the command of a project where the patch can tell that it is tested.
#[derive(Debug)]
struct Yes;

#[async_trait::async_trait]
impl OwnCommand for Yes {
    fn name(&self) -> String {
        "mvn test".into()
    }
    async fn run(&self, question: OwnQuestion<'_>) -> Result<OwnRun, BenchmarkError> {
        let status = if question.is_patched { TestStatus::Passed } else { TestStatus::Failed };
        let passed = |id: &TestId| {
            let result = TestResult { id: id.clone(), status, failure: None, millis: 1, loss: None };
            (id.clone(), result)
        };
        let results = question.tests.iter().map(passed).collect();
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
    let validation = judge.judge().confirm(&patch).await.unwrap();
    assert!(!validation.is_plausible() && validation.outcome == Outcome::Failed, "{validation:?}");
    let right = judge.judge().confirm(&trial.patch("src/a/Calc.java", "x < y ? x", "x > y ? x")).await.unwrap();
    assert!(right.is_plausible(), "{right:?}");
}
