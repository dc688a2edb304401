//! Reads what our runners write to their private channel.
//!
//! Whatever runs in the same process can write to it too. So every line must carry the nonce of the run; that a test
//! passed and that all is over needs a proof ([`super::keys`]); and a line that is not understood does not count.

use super::keys::{Followed, Keys};
use crate::domain::{Failure, Frame, Loss, TestId, TestResult, TestStatus};
use camino::Utf8Path;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What single tests executed, each file as the runner writes it; tests repeat each other, so texts are shared.
pub(super) type Executed = Vec<(TestId, Vec<Arc<str>>)>;

/// Tests that there are, by class and bare method, each with how often it runs; `None` where only a run can tell.
pub(super) type Discovered = BTreeMap<TestId, Option<usize>>;

/// What a test on the JVM throws that runs out of memory.
const NO_MEMORY: &str = "java.lang.OutOfMemoryError";

/// The records of one process.
#[derive(Debug, Default)]
pub(super) struct ProcessReport {
    /// Results, in the order they came.
    pub(super) results: Vec<TestResult>,
    /// What single tests executed, where that was asked for: files with their lines, as the runner writes them.
    pub(super) executed: Executed,
    /// Tests that there are, where that was asked for.
    pub(super) discovered: Discovered,
    /// The test that was started and not finished.
    pub(super) open: Option<TestId>,
    /// The end record: how many results the process says it sent, and why it stopped.
    pub(super) over: Option<Over>,
}

/// The end record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Over {
    pub(super) count: usize,
    pub(super) why: String,
}

impl ProcessReport {
    /// Whether the end record came, for this reason, and no result is missing or invented.
    pub(super) fn ended_with(&self, why: &str) -> bool {
        self.over.as_ref().is_some_and(|over| over.why == why && over.count == self.results.len())
    }

    /// The same with paths of the project in messages, where they are those of the copy in which the tests ran: no two
    /// copies have one path.
    pub(super) fn in_project(mut self, copy: &Utf8Path) -> Self {
        let below = format!("{copy}/");
        for failure in self.results.iter_mut().filter_map(|result| result.failure.as_mut()) {
            if failure.message.contains(copy.as_str()) {
                failure.message = failure.message.replace(&below, "").replace(copy.as_str(), ".");
            }
        }
        self
    }
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Start(Named),
    Lines(Ran),
    Test(Count),
    End(TestEnd),
    Over(Closing),
}

#[derive(Deserialize)]
struct Named {
    nonce: String,
    class: String,
    method: String,
}

#[derive(Deserialize)]
struct Count {
    nonce: String,
    class: String,
    method: String,
    count: i64,
}

/// How a test ended; `cut` is by the runner's own deadline, `timed_out` by the test's.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum How {
    Passed,
    Failed,
    Skipped,
    TimedOut,
    Cut,
}

#[derive(Deserialize)]
struct TestEnd {
    nonce: String,
    class: String,
    method: String,
    status: How,
    millis: u64,
    #[serde(default)]
    failure: Option<Thrown>,
    #[serde(default)]
    proof: String,
}

#[derive(Deserialize)]
struct Ran {
    nonce: String,
    class: String,
    method: String,
    files: Vec<Piece>,
}

/// A text, or the number of one that came before, counted from 0.
#[derive(Deserialize)]
#[serde(untagged)]
enum Piece {
    New(String),
    Again(usize),
}

/// The texts of a record; a number that stands for nothing is passed over.
fn texts(pieces: Vec<Piece>, known: &mut Vec<Arc<str>>) -> Vec<Arc<str>> {
    let mut text = |piece| match piece {
        Piece::Again(number) => known.get(number).cloned(),
        Piece::New(text) => {
            known.push(text.into());
            known.last().cloned()
        }
    };
    pieces.into_iter().filter_map(&mut text).collect()
}

#[derive(Deserialize)]
struct Closing {
    nonce: String,
    count: usize,
    why: String,
    #[serde(default)]
    proof: String,
}

#[derive(Deserialize)]
struct Thrown {
    kind: String,
    message: String,
    frames: Vec<(String, String, String, i64)>,
    #[serde(default)]
    cause: Option<Box<Thrown>>,
}

impl Thrown {
    /// One failure out of the chain: the outer kind and message, then the causes' messages; frames of the root cause
    /// come first, because they lie deepest.
    fn flatten(self) -> Failure {
        let mut message = self.message;
        let mut traces = vec![self.frames];
        let mut next = self.cause;
        while let Some(cause) = next {
            message.push_str(&format!("\ncaused by {}: {}", cause.kind, cause.message));
            traces.push(cause.frames);
            next = cause.cause;
        }
        let mut frames: Vec<Frame> = Vec::new();
        for (class, method, file, line) in traces.into_iter().rev().flatten() {
            let line = u32::try_from(line).ok().filter(|&line| line > 0);
            frames.push(Frame { class, method, file: (!file.is_empty()).then_some(file), line });
        }
        Failure { kind: self.kind, message, frames }
    }
}

/// Follows a run while it goes on: hands out keys, and sees its end.
pub(super) struct Listener {
    nonce: String,
    run: Followed,
}

impl Listener {
    pub(super) fn new(keys: &Keys) -> Self {
        Self { nonce: keys.nonce.clone(), run: keys.follow() }
    }

    /// What is to be answered on a line: the key of a test that begins.
    pub(super) fn answer(&mut self, line: &[u8]) -> Option<String> {
        // Few lines hold the word, so few are read twice.
        memchr::memmem::find(line, b"\"start\"")?;
        match serde_json::from_slice(line) {
            Ok(Line::Start(named)) if named.nonce == self.nonce => {
                Some(self.run.started(TestId::new(named.class, named.method)) + "\n")
            }
            _ => None,
        }
    }

    /// Whether a line is the end record of this run.
    pub(super) fn is_over(&self, line: &[u8]) -> bool {
        let candidate = memchr::memmem::find(line, b"\"over\"").is_some();
        candidate
            && matches!(serde_json::from_slice(line), Ok(Line::Over(closing))
                if closing.nonce == self.nonce && self.run.over(closing.count, &closing.why, &closing.proof))
    }
}

/// Reads the bytes of the channel.
pub(super) fn read(bytes: &[u8], keys: &Keys) -> ProcessReport {
    let mut report = ProcessReport::default();
    let (nonce, mut run) = (keys.nonce.as_str(), keys.follow());
    let (mut known, mut named) = (Vec::new(), BTreeSet::new());
    for line in bytes.split(|&byte| byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<Line>(line) else { continue };
        match line {
            // After the end record nothing is believed any more.
            _ if report.over.is_some() => {}
            Line::Start(named) if named.nonce == nonce => {
                let id = TestId::new(named.class, named.method);
                run.started(id.clone());
                report.open = Some(id);
            }
            Line::Lines(ran) if ran.nonce == nonce => {
                report.executed.push((TestId::new(ran.class, ran.method), texts(ran.files, &mut known)));
            }
            Line::Test(found) if found.nonce == nonce => {
                let id = TestId::new(&found.class, &found.method);
                // A suite may name a class twice, or one that runs by itself as well; results have one place for it.
                if !named.insert(id.clone()) {
                    continue;
                }
                let id = TestId::new(found.class, id.bare_method());
                // Invocations that are reported one by one are counted.
                let count = usize::try_from(found.count).ok();
                let known = report.discovered.entry(id).or_insert(Some(0));
                *known = known.zip(count).map(|(known, count)| known + count);
            }
            Line::End(end) if end.nonce == nonce => {
                let id = TestId::new(end.class, end.method);
                let is_proved = run.redeem(&id, &end.proof);
                if matches!(end.status, How::Passed) && !is_proved {
                    continue;
                }
                report.open = report.open.take().filter(|open| *open != id);
                let failure = end.failure.map(Thrown::flatten);
                let (status, loss) = match end.status {
                    How::Passed => (TestStatus::Passed, None),
                    How::Failed => {
                        let is_short = failure.as_ref().is_some_and(|why| why.kind == NO_MEMORY);
                        (TestStatus::Failed, is_short.then_some(Loss::Memory))
                    }
                    How::Skipped => (TestStatus::Skipped, None),
                    How::TimedOut => (TestStatus::TimedOut, None),
                    How::Cut => (TestStatus::TimedOut, Some(Loss::Cut)),
                };
                report.results.push(TestResult { id, status, failure, millis: end.millis, loss });
            }
            Line::Over(closing) if closing.nonce == nonce && run.over(closing.count, &closing.why, &closing.proof) => {
                report.over = Some(Over { count: closing.count, why: closing.why });
            }
            _ => {}
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id() -> TestId {
        TestId::new("a.T", "x")
    }

    /// What a runner tells of one test, with its proofs.
    fn told_by_a_runner(keys: &Keys, end: &str) -> String {
        let mut run = keys.follow();
        let key = run.started(id());
        let (passed, over) = (run.proof(&[&key, "passed"]), run.proof(&["over", "1", "done"]));
        let nonce = &keys.nonce;
        format!(
            "{}\n{}\n{}\n",
            format_args!(r#"{{"nonce":"{nonce}","kind":"start","class":"a.T","method":"x"}}"#),
            format_args!(
                r#"{{"nonce":"{nonce}","kind":"end","class":"a.T","method":"x","millis":3,{end},"proof":"{passed}"}}"#
            ),
            format_args!(r#"{{"nonce":"{nonce}","kind":"over","count":1,"why":"done","proof":"{over}"}}"#)
        )
    }

    const FAILED: &str = concat!(
        r#""status":"failed","failure":"#,
        r#"{"kind":"E","message":"m","frames":[["a.T","x","T.java",7],["b","c","",-2]],"#,
        r#""cause":{"kind":"C","message":"root","frames":[["a.P","p","P.java",2]]}}"#,
    );
    const PASSED: &str = r#""status":"passed""#;

    #[test]
    fn a_failure_carries_its_cause_first() {
        let keys = Keys::new();
        let report = read(told_by_a_runner(&keys, FAILED).as_bytes(), &keys);
        assert!(report.ended_with("done") && report.open.is_none());
        let failure = report.results[0].failure.as_ref().unwrap();
        assert_eq!(failure.message, "m\ncaused by C: root");
        assert_eq!((failure.frames[0].class.as_str(), failure.frames[0].line), ("a.P", Some(2)));
        assert_eq!(failure.frames[2].line, None);
    }

    #[test]
    fn a_test_that_is_named_twice_is_one_and_its_invocations_are_counted() {
        let keys = Keys::new();
        let named = |method: &str| {
            let nonce = &keys.nonce;
            format!("{{\"kind\":\"test\",\"nonce\":\"{nonce}\",\"class\":\"T\",\"method\":\"{method}\",\"count\":1}}\n")
        };
        let text: String = ["x", "x", "y[0]", "y[1]"].map(named).concat();
        let found = read(text.as_bytes(), &keys).discovered;
        assert_eq!(found, [(TestId::new("T", "x"), Some(1)), (TestId::new("T", "y"), Some(2))].into());
    }

    #[test]
    fn lines_of_another_run_are_not_believed() {
        let report = read(told_by_a_runner(&Keys::new(), PASSED).as_bytes(), &Keys::new());
        assert!(report.results.is_empty() && report.over.is_none());
    }

    #[test]
    fn a_pass_needs_its_proof_and_so_does_the_end() {
        let keys = Keys::new();
        let good = told_by_a_runner(&keys, PASSED);
        let report = read(good.as_bytes(), &keys);
        assert!(report.ended_with("done") && report.results[0].passed());
        let without = |line: usize| {
            let lines = good.lines().enumerate();
            let lines = lines.map(|(nth, text)| if nth == line { text.replace("proof", "word") } else { text.into() });
            lines.map(|line| line + "\n").collect::<String>()
        };
        let report = read(without(1).as_bytes(), &keys);
        assert!(report.results.is_empty() && !report.ended_with("done"), "a pass without its proof is no result");
        let report = read(without(2).as_bytes(), &keys);
        assert!(report.over.is_none(), "an end without its proof is none");
        // The proof of a failure's line proves no pass of a test that was not asked for.
        let early = good.lines().skip(1).collect::<Vec<_>>().join("\n");
        assert!(read(early.as_bytes(), &keys).results.is_empty(), "nobody asked for its key yet");
    }

    #[test]
    fn a_listener_hands_out_a_key_for_each_test_and_sees_the_end() {
        let keys = Keys::new();
        let text = told_by_a_runner(&keys, PASSED);
        let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
        let mut listener = Listener::new(&keys);
        assert!(!listener.is_over(lines[2]), "the key was not handed out yet");
        assert_eq!(listener.answer(lines[0]).map(|key| key.len()), Some(65));
        assert_eq!(listener.answer(lines[1]), None);
        assert!(listener.is_over(lines[2]) && !listener.is_over(lines[1]));
    }

    #[test]
    fn a_test_that_never_ended_is_open() {
        let keys = Keys::new();
        let text = told_by_a_runner(&keys, PASSED);
        assert_eq!(read(text.lines().next().unwrap().as_bytes(), &keys).open, Some(id()));
    }

    #[test]
    fn what_was_told_before_is_told_by_its_number() {
        let keys = Keys::new();
        let line = |files: &str| {
            let nonce = &keys.nonce;
            format!(r#"{{"nonce":"{nonce}","kind":"lines","class":"a.T","method":"x","files":{files}}}"#) + "\n"
        };
        let text = line(r#"["a/B.java 1 2","a/C.java 7"]"#) + &line(r#"[1,"a/D.java 3",9,0]"#);
        let report = read(text.as_bytes(), &keys);
        let files: Vec<Vec<&str>> =
            report.executed.iter().map(|(_, files)| files.iter().map(|file| &**file).collect()).collect();
        assert_eq!(files, [vec!["a/B.java 1 2", "a/C.java 7"], vec!["a/C.java 7", "a/D.java 3", "a/B.java 1 2"]]);
    }

    proptest! {
        #[test]
        fn nothing_on_the_channel_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            read(&bytes, &Keys::new());
        }

        #[test]
        fn a_torn_channel_never_ends(cut in 0.0..1.0) {
            let keys = Keys::new();
            let text = told_by_a_runner(&keys, PASSED);
            let at = ((text.len() - 2) as f64 * cut) as usize;
            prop_assert!(!read(&text.as_bytes()[..at], &keys).ended_with("done"));
        }
    }
}
