//! The baseline: what the untouched bug does, and which of its failing tests are the bug.

use super::patience::{left_out, lost, out_of_memory};
use super::plan::{Deadlines, OnCrash, Plan};
use super::subject::{FIRST, SLACK, Subject};
use super::{Baseline, ValidateError, io_error};
use crate::domain::{Failure, RunEnd, TestId, TestReport, TestResult, TestStatus};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Runs of what passed, after the first.
pub(super) const REPEATS: usize = 2;
const SCHEMA: u32 = 5;
/// When more tests than these only want time or memory, that is no matter of slow tests.
const FEW: usize = 10;
/// Heap in MiB for a project whose tests run out of what others do with.
pub(super) const ROOM: u64 = 2048;
/// Time for the first run of a whole suite, where the user gave no more: what a candidate may take says nothing of it.
const FIRST_RUN: Duration = Duration::from_secs(15 * 60);

/// What is kept between runs of this program: facts, no decisions.
#[derive(Serialize, Deserialize)]
struct Kept {
    schema: u32,
    report: TestReport,
    flaky: BTreeSet<TestId>,
    /// Tests that only wanted more time or memory than a candidate's run gives.
    hungry: BTreeSet<TestId>,
    /// Whether tests ran out of memory here and would not with [`ROOM`]: nothing else was asked then.
    wants_room: bool,
    seconds: f64,
}

/// Takes the facts from the cache or makes them, and decides what triggers; `None` when the tests want [`ROOM`].
pub(super) async fn make(subject: &dyn Subject) -> Result<Option<Baseline>, ValidateError> {
    let file = subject.kept().join("baseline.json");
    let known = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Kept>(&bytes).ok());
    let facts = match known.filter(|kept| kept.schema == SCHEMA) {
        Some(kept) => kept,
        None => {
            let made = run(subject).await?;
            keep(&file, &made)?;
            made
        }
    };
    let Kept { report, flaky, hungry, seconds, wants_room, .. } = facts;
    if wants_room {
        return Ok(None);
    }
    let (by_user, by_benchmark) = (&subject.options().failing, subject.checkout().triggering.as_deref());
    decide(report, flaky, hungry, seconds, by_user, by_benchmark).map(Some)
}

/// Writes facts where the next run finds them, whole or not at all.
pub(super) fn keep(file: &camino::Utf8Path, facts: &impl Serialize) -> Result<(), ValidateError> {
    let io = || io_error("keeping the baseline", file);
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder).map_err(io())?;
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(io())?;
    serde_json::to_writer(&mut new, facts).map_err(|error| io()(error.into()))?;
    new.persist(file).map_err(|error| io()(error.error))?;
    Ok(())
}

async fn run(subject: &dyn Subject) -> Result<Kept, ValidateError> {
    let begin = Instant::now();
    let copy = subject.copy()?;
    let first = Deadlines { default: FIRST, own: BTreeMap::new(), total: subject.options().max_time.max(FIRST_RUN) };
    let report = subject.run(&copy, &subject.plan(Vec::new(), first, OnCrash::GoOn)).await?;
    let took = begin.elapsed();
    if report.results.is_empty() {
        return Err(ValidateError::Tool {
            what: format!("no test ran ({} classes were looked at): {}", subject.tests().len(), last_line(&report)),
            hint: "check the test folders and patterns, and that the test library is there".into(),
        });
    }
    // Where no test shows a bug, nobody needs to know which tests are flaky.
    let (by_user, by_benchmark) = (&subject.options().failing, subject.checkout().triggering.as_deref());
    if let Err(nothing @ ValidateError::NothingFails { .. }) =
        decide(report.clone(), BTreeSet::new(), BTreeSet::new(), 0.0, by_user, by_benchmark)
    {
        return Err(nothing);
    }
    if wants_room(subject, &report).await? {
        let (flaky, hungry) = Default::default();
        return Ok(Kept { schema: SCHEMA, report, flaky, hungry, wants_room: true, seconds: 0.0 });
    }
    // What tests took is their own time; on a busy machine they wait for much longer.
    let mut deadlines = subject.deadlines(&report);
    deadlines.total = deadlines.total.max(took * SLACK);
    let mut flaky = BTreeSet::new();
    for _ in 0..REPEATS {
        if report.with_status(TestStatus::Passed).next().is_none() {
            break;
        }
        // A fresh copy, so that what a run leaves on disk does not decide the next.
        let copy = subject.copy()?;
        let again = subject.plan(repeated(&report), deadlines.clone(), OnCrash::GoOn);
        flaky.extend(changed(&report, &subject.run(&copy, &again).await?));
    }
    let hungry = second_chance(subject, &report).await?;
    Ok(Kept { schema: SCHEMA, report, flaky, hungry, wants_room: false, seconds: begin.elapsed().as_secs_f64() })
}

/// What is run again: all that passed, and what failed by itself.
fn repeated(report: &TestReport) -> Vec<TestId> {
    let steady = |result: &&TestResult| match result.status {
        TestStatus::Passed => true,
        TestStatus::Failed => !lost(result),
        TestStatus::Skipped | TestStatus::TimedOut => false,
    };
    report.results.values().filter(steady).map(|result| result.id.clone()).collect()
}

/// Tests that ended otherwise in another run: passed once and not again, or failed once and passed then. A run that was
/// cut says nothing of the tests it did not come to.
pub(super) fn changed(report: &TestReport, again: &TestReport) -> Vec<TestId> {
    let other = |result: &&TestResult| {
        let now = again.results.get(&result.id);
        if now.is_none() && again.end == RunEnd::TimedOut {
            return false;
        }
        let passes = now.is_some_and(|again| again.status == TestStatus::Passed);
        match result.status {
            TestStatus::Passed => !passes,
            TestStatus::Failed => passes,
            TestStatus::Skipped | TestStatus::TimedOut => false,
        }
    };
    report.results.values().filter(other).map(|result| result.id.clone()).collect()
}

/// Tests that were cut or ran out of memory while others failed by themselves get a roomy run of their own: those that
/// pass in it are slow or large and say nothing of the bug. When nothing else fails, the cut is the bug.
async fn second_chance(subject: &dyn Subject, report: &TestReport) -> Result<BTreeSet<TestId>, ValidateError> {
    let ended = |result: &&TestResult| result.failure.as_ref().is_some_and(|failure| failure.kind == "exit");
    let only_cut = |result: &&TestResult| lost(result) && !ended(result);
    let cut: Vec<TestId> = report.failing().filter(only_cut).map(|result| result.id.clone()).collect();
    if cut.is_empty() || cut.len() > FEW || cut.len() == report.failing().count() {
        return Ok(BTreeSet::new());
    }
    let again = run_roomy(subject, cut).await?;
    // An assumption that does not hold with room is no failure either.
    let well = |r: &&TestResult| matches!(r.status, TestStatus::Passed | TestStatus::Skipped);
    Ok(again.results.values().filter(well).map(|result| result.id.clone()).collect())
}

/// Whether tests that ran out of memory end otherwise where there is more. Without it no candidate could be seen to
/// repair them; with it for everybody, every endless candidate would fill it first.
async fn wants_room(subject: &dyn Subject, report: &TestReport) -> Result<bool, ValidateError> {
    let out: Vec<TestId> = report.failing().filter(|r| out_of_memory(r)).map(|result| result.id.clone()).collect();
    if subject.options().heap_mib >= ROOM || out.is_empty() || out.len() > FEW {
        return Ok(false);
    }
    let again = run_roomy(subject, out).await?;
    Ok(again.results.values().any(|result| !lost(result)))
}

/// Some tests of the untouched code with more time and memory than a candidate gets.
async fn run_roomy(subject: &dyn Subject, tests: Vec<TestId>) -> Result<TestReport, ValidateError> {
    let each = subject.options().second_chance;
    let deadlines = Deadlines { default: each, own: BTreeMap::new(), total: each * 2 };
    let plan = Plan { roomy: true, ..subject.plan(tests, deadlines, OnCrash::GoOn) };
    subject.run(&subject.copy()?, &plan).await
}

fn last_line(report: &TestReport) -> &str {
    report.output_tail.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it printed nothing")
}

/// What triggers: the tests the user names, else the benchmark's, else all that fail and do not want something outside.
pub(super) fn decide(
    report: TestReport,
    flaky: BTreeSet<TestId>,
    hungry: BTreeSet<TestId>,
    seconds: f64,
    by_user: &[TestId],
    by_benchmark: Option<&[TestId]>,
) -> Result<Baseline, ValidateError> {
    let first = |id: &TestId| report.results.get(id).map(|result| result.status);
    let how = |id: &TestId| match first(id) {
        Some(TestStatus::Failed) => "flaky: it failed once and passed then",
        _ => "flaky: it passed once and not again",
    };
    let mut set_aside: BTreeMap<TestId, String> = flaky.iter().map(|id| (id.clone(), how(id).to_owned())).collect();
    let wants = "it wants more time or memory than a candidate's run gives, and passes with it";
    set_aside.extend(hungry.into_iter().map(|id| (id, wants.to_owned())));
    set_aside.extend(left_out(&report).map(|(id, why)| (id.clone(), why.to_owned())));
    let passing: BTreeSet<TestId> = report
        .with_status(TestStatus::Passed)
        .map(|result| result.id.clone())
        .filter(|id| !flaky.contains(id))
        .collect();
    let named = if by_user.is_empty() { by_benchmark } else { Some(by_user) };
    let triggering = match named {
        Some(named) => chosen(&report, &flaky, named)?,
        None => {
            for result in report.failing() {
                if let Some(reason) = result.failure.as_ref().and_then(outside) {
                    set_aside.insert(result.id.clone(), reason);
                }
            }
            report.failing().map(|result| result.id.clone()).filter(|id| !set_aside.contains_key(id)).collect()
        }
    };
    if triggering.is_empty() {
        let failing = report.failing().map(|result| &result.id);
        let aside = failing.filter_map(|id| Some(format!("{id}: {}", set_aside.get(id)?))).collect();
        return Err(ValidateError::NothingFails { passing: passing.len(), aside });
    }
    Ok(Baseline { report: report.into(), triggering, passing, set_aside, seconds })
}

/// The tests somebody named: each must exist and fail.
fn chosen(report: &TestReport, flaky: &BTreeSet<TestId>, named: &[TestId]) -> Result<Vec<TestId>, ValidateError> {
    let mut all = BTreeSet::new();
    for name in named {
        let same: Vec<_> = report.results.values().filter(|result| matches(name, &result.id)).collect();
        let failing = same.iter().filter(|r| matches!(r.status, TestStatus::Failed | TestStatus::TimedOut));
        let failing: Vec<TestId> = failing.map(|result| result.id.clone()).collect();
        let (unsteady, failing): (Vec<_>, Vec<_>) = failing.into_iter().partition(|id| flaky.contains(id));
        let (what, hint) = if same.is_empty() {
            let hint = format!("{} tests ran; failing: {}", report.results.len(), some(report));
            (format!("the test {name} did not run"), hint)
        } else if failing.is_empty() && !unsteady.is_empty() {
            let what = format!("the test {name} is flaky: it failed once and passed then, before any change");
            (what, "a repair could not be told from luck; mend the test first, or name another with --failing".into())
        } else if failing.is_empty() {
            let flaky = if same.iter().any(|result| flaky.contains(&result.id)) { " sometimes" } else { "" };
            (format!("the test {name} passes{flaky} before any change"), format!("failing: {}", some(report)))
        } else {
            all.extend(failing);
            continue;
        };
        return Err(ValidateError::Triggering { what, hint });
    }
    Ok(all.into_iter().collect())
}

/// Whether a name means a test: exactly, by its method without the invocation, or by its class; a class may be given
/// without its package.
pub(super) fn matches(name: &TestId, id: &TestId) -> bool {
    let class = name.class == id.class || !name.class.contains('.') && name.class == id.simple_class();
    class && (name.method.is_empty() || name.method == id.method || name.method == id.bare_method())
}

fn some(report: &TestReport) -> String {
    let names: Vec<String> = report.failing().take(5).map(|result| result.id.to_string()).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// Why a failure says nothing about the code: it wants the network, or a file that is not here.
fn outside(failure: &Failure) -> Option<String> {
    let text = format!("{} {}", failure.kind, failure.message);
    let network = [
        "UnknownHostException",
        "NoRouteToHostException",
        "Network is unreachable",
        "socket.gaierror",
        "Name or service not known",
    ];
    if network.iter().any(|word| text.contains(word)) {
        return Some("it needs the network".into());
    }
    let file = ["FileNotFoundException", "java.nio.file.NoSuchFileException", "FileNotFoundError"]
        .iter()
        .any(|word| text.contains(word));
    // A relative name is the project's own concern; an absolute one lies outside.
    let mut words = failure.message.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    let absolute = words.find(|word| word.starts_with('/') && word.len() > 1);
    absolute.filter(|_| file).map(|path| format!("it needs a file outside the project: {path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_the_surroundings_are_told_apart() {
        let failure =
            |kind: &str, message: &str| Failure { kind: kind.into(), message: message.into(), frames: vec![] };
        assert!(outside(&failure("java.net.UnknownHostException", "example.org")).is_some());
        assert!(
            outside(&failure("java.io.FileNotFoundException", "/data/x.bin (No such file or directory)")).is_some()
        );
        assert!(outside(&failure("java.io.FileNotFoundException", "src/x.bin (No such file or directory)")).is_none());
        assert!(outside(&failure("java.lang.AssertionError", "expected </a> but was </b>")).is_none());
    }

    #[test]
    fn a_test_is_named_in_short_or_in_full() {
        let id = TestId::new("a.b.CTest", "sum[2]");
        for name in ["a.b.CTest#sum[2]", "a.b.CTest#sum", "CTest#sum", "CTest"] {
            assert!(matches(&name.parse().unwrap(), &id), "{name}");
        }
        assert!(!matches(&"CTest#su".parse().unwrap(), &id));
    }
}
