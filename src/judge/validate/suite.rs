//! Runs tests in fresh processes until every wanted test has its result.
//!
//! A test that hangs cannot be stopped inside its process, so the process ends and a new one goes on with the rest.
//! Requests and records have one form for every runner: plain lines in, JSON records out.

use super::keys::Keys;
use super::plan::{Deadlines, Plan};
use super::records::{self, Discovered, Executed, Listener, ProcessReport};
use super::{ValidateError, losses, plausible};
use crate::domain::{Failure, Loss, RunEnd, TestId, TestReport, TestResult, TestStatus};
use crate::sandbox::{Dialogue, Exit, Finished};
use camino::Utf8Path;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The runner's exit code when it ends in order to go on in a new process.
const CUT: Exit = Exit::Code(97);
/// What a process needs to start on a busy machine.
pub(super) const START: Duration = Duration::from_secs(60);
const TAIL_CHARS: usize = 4000;
/// Tests in a row that are lost because something changed what decides about results.
const MOST_TAMPERED: usize = 10;

/// A way to run tests in a fresh process.
#[async_trait::async_trait]
pub(super) trait Process: Sync {
    /// Starts a process that gets this request, and waits for its end. `left` is the time for all its tests.
    ///
    /// # Errors
    /// Only when no process can be started.
    async fn start(&self, plan: &Plan, request: RunRequest, left: Duration) -> Result<Finished, ValidateError>;

    /// The copy of the project in which it runs.
    fn copy(&self) -> &Utf8Path;
}

/// The request to a process, and the keys for its tests.
pub(super) struct RunRequest {
    /// The request; a runner may add lines of its own.
    pub(super) request: String,
    keys: Keys,
}

impl RunRequest {
    fn new(plan: &Plan, report: &TestReport, keys: &Keys, left: Duration) -> Self {
        Self { request: request(plan, report, keys, left, &[]), keys: keys.clone() }
    }

    /// The keys for its tests.
    pub(super) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// As a process has it: the request with its length in front, then a key for each test that begins.
    pub(super) fn dialogue(self) -> Dialogue {
        let mut listener = Listener::new(&self.keys);
        let first = format!("{:010}{}", self.request.len(), self.request);
        Dialogue::new(first, move |line| listener.answer(line))
    }
}

/// Runs the plan, and adds what single tests executed, where the plan's arguments ask for it.
///
/// # Errors
/// As [`Process::start`].
pub(super) async fn run(
    process: &dyn Process,
    plan: &Plan,
    executed: &mut Executed,
) -> Result<TestReport, ValidateError> {
    let begin = Instant::now();
    let (mut report, mut tampered) = (empty(), 0);
    report.end = loop {
        let left = plan.deadlines.total.saturating_sub(begin.elapsed());
        if left.is_zero() {
            break RunEnd::TimedOut;
        }
        let Some(plan) = losses::shortened(plan, &report) else { break RunEnd::Complete };
        let keys = Keys::new();
        let started = Instant::now();
        let done = process.start(&plan, RunRequest::new(&plan, &report, &keys, left), left).await?;
        let seconds = started.elapsed().as_secs_f64();
        let (classes, only, first) = (plan.classes.len(), plan.only.len(), plan.classes.first());
        let asked: BTreeSet<&str> = plan.args.iter().filter_map(|arg| arg.split(' ').next()).collect();
        let exit = done.exit;
        tracing::debug!(classes, only, ?first, look = ?plan.look, ?asked, seconds, ?exit, "a process of tests ended");
        let mut answer = records::read(&done.results, &keys).in_project(process.copy());
        executed.append(&mut answer.executed);
        tampered = if answer.ended_with("tampered") { tampered + 1 } else { 0 };
        for result in answer.results.iter().filter(|result| !result.passed() && result.id.method.is_empty()) {
            tracing::debug!(id = %result.id, failure = ?result.failure, "a class did not pass as a whole");
        }
        let before = report.results.len();
        report.output_tail = tail(&done);
        match take(&mut report, answer, &done, &plan) {
            Next::Stop(end) => break end,
            Next::Apart => {
                for classes in halves(&plan) {
                    let total = plan.deadlines.total.saturating_sub(begin.elapsed());
                    let half =
                        Plan { classes, deadlines: Deadlines { total, ..plan.deadlines.clone() }, ..plan.clone() };
                    join(&mut report, Box::pin(run(process, &half, executed)).await?);
                }
                break report.end;
            }
            // A process that adds nothing would add nothing the next time either.
            Next::GoOn if report.results.len() == before => break RunEnd::Crashed,
            // Where every test changes its runner, it is the environment that does.
            Next::GoOn if tampered >= MOST_TAMPERED => break RunEnd::Crashed,
            Next::GoOn => {}
        }
    };
    Ok(report)
}

/// The classes of a plan in two halves.
fn halves(plan: &Plan) -> impl Iterator<Item = Vec<String>> {
    plan.classes.chunks(plan.classes.len().div_ceil(2).max(1)).map(<[String]>::to_vec)
}

/// Asks which tests there are; a class that cannot tell stands for itself.
///
/// # Errors
/// As [`Process::start`].
pub(super) async fn discover(process: &dyn Process, plan: &Plan) -> Result<Discovered, ValidateError> {
    let keys = Keys::new();
    let total = plan.deadlines.total;
    let done = process.start(plan, RunRequest::new(plan, &empty(), &keys, total), total).await?;
    let answer = records::read(&done.results, &keys);
    if answer.ended_with("apart") && plan.classes.len() > 1 {
        let mut found = Discovered::new();
        for classes in halves(plan) {
            found.extend(Box::pin(discover(process, &Plan { classes, ..plan.clone() })).await?);
        }
        return Ok(found);
    }
    if answer.over.as_ref().is_none_or(|over| over.why != "done") {
        tracing::info!("not all tests could be discovered: {}", last_chars(&String::from_utf8_lossy(&done.stderr)));
    }
    Ok(answer.discovered)
}

/// A report of nothing.
pub(super) fn empty() -> TestReport {
    TestReport { end: RunEnd::Complete, results: BTreeMap::new(), output_tail: String::new() }
}

/// Adds what a further run reports.
pub(super) fn join(all: &mut TestReport, more: TestReport) {
    if all.end == RunEnd::Complete {
        all.end = more.end;
    }
    all.output_tail = more.output_tail;
    all.results.extend(more.results);
}

/// The request for what is left of a plan: no test begins when the time that is left is over, and the run ends when one of
/// `must` does not pass.
pub(super) fn request(plan: &Plan, report: &TestReport, keys: &Keys, left: Duration, must: &[String]) -> String {
    let Keys { nonce, secret, .. } = keys;
    let [each, between, all] = [plan.deadlines.default, plan.deadlines.between, left].map(|time| time.as_millis());
    let mut text = format!("nonce {nonce}\nsecret {secret}\ndeadline {each}\nbetween {between}\ntotal {all}\n");
    let mut line = |word: &str, value: &str| {
        // Names with line breaks are no names of ours.
        if !value.contains('\n') {
            text.push_str(&format!("{word} {value}\n"));
        }
    };
    if plan.discover {
        line("discover", "yes");
    }
    if plan.look.is_plain() {
        line("plain", "yes");
    }
    plan.classes.iter().for_each(|class| line("class", class));
    plan.only.iter().for_each(|id| line("only", &spelled(id)));
    done_already(report).iter().for_each(|id| line("skip", id));
    plan.skip.iter().for_each(|id| line("skip", &skipped(&id.class, &id.method)));
    must.iter().for_each(|id| line("must", id));
    for (id, limit) in &plan.deadlines.own {
        line("limit", &format!("{} {}", limit.as_millis(), spelled(id)));
    }
    text
}

enum Next {
    GoOn,
    Stop(RunEnd),
    /// Some of the classes keep all from running.
    Apart,
}

/// Adds what one process reports, and decides whether another is needed.
fn take(report: &mut TestReport, answer: ProcessReport, done: &Finished, plan: &Plan) -> Next {
    let complete = answer.ended_with("done") && done.exit.success();
    let to_be_continued = done.exit == CUT && (answer.ended_with("cut") || answer.ended_with("runaway"));
    let (open, stopped, tampered) = (answer.open.clone(), answer.ended_with("stopped"), answer.ended_with("tampered"));
    let apart = answer.ended_with("apart");
    for result in answer.results {
        keep_worst(&mut report.results, result);
    }
    if complete {
        return Next::Stop(RunEnd::Complete);
    }
    if apart && plan.classes.len() > 1 {
        return Next::Apart;
    }
    let end = match done.exit {
        _ if stopped => RunEnd::TimedOut,
        CUT if to_be_continued => RunEnd::TimedOut,
        Exit::TimedOut => RunEnd::TimedOut,
        Exit::OutOfMemory => RunEnd::OutOfMemory,
        _ => RunEnd::Crashed,
    };
    if !to_be_continued {
        let Some(id) = open else { return Next::Stop(end) };
        let message = match tampered {
            true => "what decides about results was changed while this test ran".to_owned(),
            false => format!("the test process ended with {} while this test ran", done.exit),
        };
        keep_worst(&mut report.results, lost_with_process(id, end, message));
        // The time of the whole run is up.
        if done.exit == Exit::TimedOut {
            return Next::Stop(end);
        }
    }
    if losses::count(report) >= plan.losses { Next::Stop(end) } else { Next::GoOn }
}

/// Adds what a warm process reports; when it is gone, the test that was open went with it.
pub(super) fn add(report: &mut TestReport, answer: ProcessReport, gone: Option<RunEnd>) {
    for result in answer.results {
        keep_worst(&mut report.results, result);
    }
    if let (Some(id), Some(end)) = (answer.open, gone) {
        let message = "the test process ended while this test ran".into();
        keep_worst(&mut report.results, lost_with_process(id, end, message));
    }
}

/// The result of a test that ran when its process ended.
fn lost_with_process(id: TestId, end: RunEnd, message: String) -> TestResult {
    let (loss, message) = match end {
        RunEnd::TimedOut => (Loss::Cut, "the test process was cut at its deadline".into()),
        RunEnd::OutOfMemory => (Loss::Memory, "the test process ran out of memory".into()),
        RunEnd::Crashed | RunEnd::Complete => (Loss::Exit, message),
    };
    let (status, kind) = match loss {
        Loss::Cut => (TestStatus::TimedOut, "timeout"),
        Loss::Memory => (TestStatus::Failed, "out of memory"),
        Loss::Exit => (TestStatus::Failed, "exit"),
    };
    let failure = Failure { kind: kind.into(), message, frames: Vec::new() };
    TestResult { id, status, failure: Some(failure), millis: 0, loss: Some(loss) }
}

/// A test may run in several processes or classes; it passed only if it passed everywhere.
fn keep_worst(results: &mut BTreeMap<TestId, TestResult>, new: TestResult) {
    let rank = |result: &TestResult| match result.status {
        TestStatus::Skipped => 0,
        TestStatus::Passed => 1,
        TestStatus::Failed => 2,
        TestStatus::TimedOut => 3,
    };
    match results.get(&new.id) {
        Some(old) if rank(old) >= rank(&new) => {}
        _ => {
            results.insert(new.id.clone(), new);
        }
    }
}

/// What a continuing process leaves out: every test with a result, and the whole of a parameterised test of which one
/// invocation was cut, because its invocations cannot be chosen one by one.
fn done_already(report: &TestReport) -> BTreeSet<String> {
    let mut done = BTreeSet::new();
    for result in report.results.values() {
        done.insert(skipped(&result.id.class, &result.id.method));
        if result.loss.is_some() {
            done.insert(skipped(&result.id.class, result.id.method.split('[').next().unwrap_or("")));
        }
    }
    done
}

/// A test as the runner is told to leave it out; with an empty method, the class as a whole.
fn skipped(class: &str, method: &str) -> String {
    format!("{class}#{method}")
}

/// Whether a result belongs to what a name means: a class with the classes nested in it, or all invocations of a method.
pub(super) fn same_group(result: &TestId, name: &TestId) -> bool {
    if name.method.is_empty() {
        return plausible::is_within(&result.class, &name.class);
    }
    result.class == name.class && result.bare_method() == name.bare_method()
}

/// What to ask for in order to see some tests again: all invocations of each, because their names may hold values, and each
/// by its own name, because a name may hold what looks like an invocation.
pub(super) fn wanted(tests: &[TestId]) -> Vec<TestId> {
    let methods = tests.iter().map(|id| id.of_method());
    let all: BTreeSet<TestId> = methods.chain(tests.iter().cloned()).collect();
    all.into_iter().collect()
}

/// As the runner spells ids: the `#` stays even when there is no method.
pub(super) fn spelled(id: &TestId) -> String {
    if id.method.is_empty() { id.class.clone() } else { format!("{}#{}", id.class, id.method) }
}

/// The end of what the tests printed.
fn tail(done: &Finished) -> String {
    let mut text = String::from_utf8_lossy(&done.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&done.stderr));
    last_chars(&text)
}

/// The last characters of a text.
pub(super) fn last_chars(text: &str) -> String {
    let count = text.chars().count();
    text.chars().skip(count.saturating_sub(TAIL_CHARS)).collect()
}
