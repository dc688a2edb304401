//! Reads what our runner on the JVM told over its private channel.
//!
//! The channel can be written by whatever runs in the same process, so every line must carry the nonce of the run, and
//! a line that is not understood is dropped rather than believed.

use crate::domain::{Failure, Frame, Loss, TestId, TestResult, TestStatus};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What single tests executed, each file as the runner writes it; tests repeat each other, so texts are shared.
pub(super) type Executed = Vec<(TestId, Vec<Arc<str>>)>;

/// Tests that there are, by class and bare method, each with how often it runs; `None` where only a run can tell.
pub(super) type Discovered = BTreeMap<TestId, Option<usize>>;

/// What a test on the JVM throws that runs out of memory.
const NO_MEMORY: &str = "java.lang.OutOfMemoryError";

/// What one process told.
#[derive(Debug, Default)]
pub(super) struct Told {
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

impl Told {
    /// Whether the end record came, for this reason, and no result is missing or invented.
    pub(super) fn ended(&self, why: &str) -> bool {
        self.over.as_ref().is_some_and(|over| over.why == why && over.count == self.results.len())
    }
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Start(Named),
    Lines(Ran),
    Test(Found),
    End(Ended),
    Over(Closing),
}

#[derive(Deserialize)]
struct Named {
    nonce: String,
    class: String,
    method: String,
}

#[derive(Deserialize)]
struct Found {
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
struct Ended {
    nonce: String,
    class: String,
    method: String,
    status: How,
    millis: u64,
    #[serde(default)]
    failure: Option<Thrown>,
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

/// Whether a line is the end record of this run.
pub(super) fn is_over(line: &[u8], nonce: &str) -> bool {
    // Few lines hold the word, so few are read twice.
    let candidate = memchr::memmem::find(line, b"\"over\"").is_some();
    candidate && matches!(serde_json::from_slice(line), Ok(Line::Over(closing)) if closing.nonce == nonce)
}

/// Reads the bytes of the channel.
pub(super) fn read(bytes: &[u8], nonce: &str) -> Told {
    let mut told = Told::default();
    let mut known = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<Line>(line) else { continue };
        match line {
            // After the end record nothing is believed any more.
            _ if told.over.is_some() => {}
            Line::Start(named) if named.nonce == nonce => told.open = Some(TestId::new(named.class, named.method)),
            Line::Lines(ran) if ran.nonce == nonce => {
                told.executed.push((TestId::new(ran.class, ran.method), texts(ran.files, &mut known)));
            }
            Line::Test(found) if found.nonce == nonce => {
                let id = TestId::new(&found.class, &found.method);
                let id = TestId::new(found.class, id.bare_method());
                // Invocations that are told one by one are counted.
                let count = usize::try_from(found.count).ok();
                let known = told.discovered.entry(id).or_insert(Some(0));
                *known = known.zip(count).map(|(known, count)| known + count);
            }
            Line::End(ended) if ended.nonce == nonce => {
                let id = TestId::new(ended.class, ended.method);
                told.open = told.open.take().filter(|open| *open != id);
                let failure = ended.failure.map(Thrown::flatten);
                let (status, loss) = match ended.status {
                    How::Passed => (TestStatus::Passed, None),
                    How::Failed => {
                        let is_short = failure.as_ref().is_some_and(|why| why.kind == NO_MEMORY);
                        (TestStatus::Failed, is_short.then_some(Loss::Memory))
                    }
                    How::Skipped => (TestStatus::Skipped, None),
                    How::TimedOut => (TestStatus::TimedOut, None),
                    How::Cut => (TestStatus::TimedOut, Some(Loss::Cut)),
                };
                told.results.push(TestResult { id, status, failure, millis: ended.millis, loss });
            }
            Line::Over(closing) if closing.nonce == nonce => {
                told.over = Some(Over { count: closing.count, why: closing.why });
            }
            _ => {}
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GOOD: &str = concat!(
        r#"{"nonce":"n","kind":"start","class":"a.T","method":"x"}"#,
        "\n",
        r#"{"nonce":"n","kind":"end","class":"a.T","method":"x","status":"failed","millis":3,"failure":"#,
        r#"{"kind":"E","message":"m","frames":[["a.T","x","T.java",7],["b","c","",-2]],"#,
        r#""cause":{"kind":"C","message":"root","frames":[["a.P","p","P.java",2]]}}}"#,
        "\n",
        r#"{"nonce":"n","kind":"over","count":1,"why":"done"}"#,
        "\n"
    );

    #[test]
    fn a_failure_carries_its_cause_first() {
        let told = read(GOOD.as_bytes(), "n");
        assert!(told.ended("done") && told.open.is_none());
        let failure = told.results[0].failure.as_ref().unwrap();
        assert_eq!(failure.message, "m\ncaused by C: root");
        assert_eq!((failure.frames[0].class.as_str(), failure.frames[0].line), ("a.P", Some(2)));
        assert_eq!(failure.frames[2].line, None);
    }

    #[test]
    fn lines_of_another_run_are_not_believed() {
        let told = read(GOOD.as_bytes(), "other");
        assert!(told.results.is_empty() && told.over.is_none());
    }

    #[test]
    fn a_test_that_never_ended_is_open() {
        let first = GOOD.lines().next().unwrap();
        assert_eq!(read(first.as_bytes(), "n").open, Some(TestId::new("a.T", "x")));
    }

    #[test]
    fn a_count_that_does_not_fit_is_no_end() {
        let forged = GOOD.replace("\"count\":1", "\"count\":2");
        assert!(!read(forged.as_bytes(), "n").ended("done"));
    }

    #[test]
    fn what_was_told_before_is_told_by_its_number() {
        let line = |files: &str| {
            format!(r#"{{"nonce":"n","kind":"lines","class":"a.T","method":"x","files":{files}}}"#) + "\n"
        };
        let text = line(r#"["a/B.java 1 2","a/C.java 7"]"#) + &line(r#"[1,"a/D.java 3",9,0]"#);
        let told = read(text.as_bytes(), "n");
        let files: Vec<Vec<&str>> =
            told.executed.iter().map(|(_, files)| files.iter().map(|file| &**file).collect()).collect();
        assert_eq!(files, [vec!["a/B.java 1 2", "a/C.java 7"], vec!["a/C.java 7", "a/D.java 3", "a/B.java 1 2"]]);
    }

    proptest! {
        #[test]
        fn nothing_on_the_channel_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            read(&bytes, "n");
        }

        #[test]
        fn a_torn_channel_never_ends(cut in 0..GOOD.len() - 2) {
            prop_assert!(!read(&GOOD.as_bytes()[..cut], "n").ended("done"));
        }
    }
}
