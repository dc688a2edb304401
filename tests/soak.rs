//! Many candidates through the warm judge: it must neither grow nor change its mind. `make soak` sends a thousand.

use crate::support::Trial;
use std::ops::ControlFlow;
use unidebug::domain::{Outcome, Patch};
use unidebug::validate::{ColdJudge, Judge, Options, WarmJudge};

/// How many are sent.
fn candidates() -> usize {
    if std::env::var_os("UNIDEBUG_SOAK").is_some() { 1000 } else { 60 }
}

/// Every so many are judged again in fresh processes. Prime to the kinds, so that all kinds are.
const SAMPLE: usize = 21;

const SUM: &str = "package a;\nimport java.util.ArrayList;\nimport java.util.List;\npublic class Sum {\n  private static final \
                   List<long[]> SEEN = new ArrayList<>();\n  public static int of(int x, int y) {\n    SEEN.add(new \
                   long[1 << 12]);\n    return x - y;\n  }\n  public static int seen() {\n    return SEEN.size();\n  }\n}\n";

const TEST: &str = "package a;\nimport org.junit.*;\npublic class SumTest {\n  @Test public void adds() { \
                    Assert.assertEquals(7, Sum.of(3, 4)); }\n  @Test public void keepsZero() { Assert.assertEquals(5, \
                    Sum.of(5, 0)); }\n  @Test public void beginsAnew() { Assert.assertTrue(Sum.seen() <= 2); }\n}\n";

/// Four kinds in turn: fails, does not compile, breaks another test, passes.
fn candidate(at: usize) -> (String, Outcome) {
    match at % 4 {
        0 => (format!("x * {at} + y * {}", at + 1000), Outcome::Failed),
        1 => (format!("x + y{at}"), Outcome::CompileError),
        2 => (format!("y == 0 ? {} : x + y", at + 100), Outcome::Regression),
        _ => (format!("x + y + {at} - {at} * Integer.signum({at})"), Outcome::PassedWarm),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_candidates_leave_the_judge_as_it_was() {
    let trial = Trial::new(&[("src/a/Sum.java", SUM), ("test/a/SumTest.java", TEST)]).await;
    let options = Options { ..trial.options.clone() };
    let warm = WarmJudge::open(&trial.checkout, &trial.sandbox, options.clone()).await.unwrap();
    let cold = ColdJudge::open(&trial.checkout, &trial.sandbox, options).await.unwrap();
    let patches: Vec<Patch> =
        (0..candidates()).map(|at| trial.patch("src/a/Sum.java", "x - y", &candidate(at).0)).collect();
    let mut wrong = Vec::new();
    let mut memory = Vec::new();
    let begin = std::time::Instant::now();
    for (round, part) in patches.chunks(100).enumerate() {
        let mut record = |at: usize, validation: &unidebug::domain::Validation| {
            let (code, wanted) = candidate(round * 100 + at);
            // Equal byte code was judged before; a pass stays one.
            if validation.outcome != wanted {
                wrong.push(format!("{code}: {} instead of {wanted}: {}", validation.outcome, validation.detail));
            }
            ControlFlow::Continue(())
        };
        warm.validate_all(part, &mut record).await.unwrap();
        memory.push(warm.resident_mib().await);
    }
    eprintln!("{} candidates in {:?}, resident MiB after each hundred: {memory:?}", patches.len(), begin.elapsed());
    for at in (0..candidates()).step_by(SAMPLE) {
        let (code, wanted) = candidate(at);
        let validation = cold.confirm(&patches[at]).await.unwrap();
        let wanted = if wanted == Outcome::PassedWarm { Outcome::Plausible } else { wanted };
        if validation.outcome != wanted {
            wrong.push(format!("cold, {code}: {} instead of {wanted}", validation.outcome));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let (first, last) = (memory.first().unwrap(), memory.iter().max().unwrap());
    assert!(*last < first + 200, "it grows: {memory:?}");
    assert!(warm.workers_started().await < 12, "{} test processes were needed", warm.workers_started().await);
}
