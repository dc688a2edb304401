//! `run --issue`: a bug of which only a report is there. A test is written for it first, and shown where that is wanted;
//! with this test the levels work as with any other.

use super::error::Failure;
use super::event_sinks::EventSinks;
use super::open::Opened;
use super::session::Session;
use super::strategy;
use crate::benchmark::LOCAL;
use crate::domain::{BugId, Event, Reproduction};
use crate::escalate::{RunVerdict, Shown};
use crate::patch;
use crate::report;
use crate::tools::Workbench;
use camino::Utf8Path;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, IsTerminal, Read, Write};
use std::time::Duration;

/// Bytes of an issue that are read.
const MOST: u64 = 256 * 1024;
/// Folder of a run directory in which tests for the issue are tried; it can be made again.
pub(super) const SCRATCH: &str = "issue";

/// A report of a bug, frozen with the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Issue {
    /// Its text, which is data.
    pub text: String,
    /// Whether a person looks at the test before the repair goes on.
    #[serde(default)]
    pub show_test: bool,
}

/// What an issue came to before the levels.
pub(super) enum Opening {
    /// A test shows it; the bug is opened with this test in the project.
    Reproduced(Box<Opened>, Box<Reproduction>),
    /// The run ends here.
    Ended(Box<Workbench>, RunVerdict),
}

impl Issue {
    /// Reads it from a file, or from the standard input for `-`.
    ///
    /// # Errors
    /// It cannot be read, is empty, or is too long.
    pub(super) fn read(file: &Utf8Path, show_test: bool) -> Result<Self, Failure> {
        let unusable =
            |why: String| Failure::unusable(format!("--issue: {why} ({file})"), "give the text of one issue");
        let mut bytes = Vec::new();
        let read = match file.as_str() {
            "-" => std::io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes),
            _ => std::fs::File::open(file).and_then(|open| open.take(MOST + 1).read_to_end(&mut bytes)),
        };
        read.map_err(|error| unusable(error.to_string()))?;
        if bytes.len() as u64 > MOST {
            return Err(unusable(format!("it is longer than {} KiB", MOST / 1024)));
        }
        let text = crate::language::decode(&bytes).0.replace('\0', "");
        if text.trim().is_empty() {
            return Err(unusable("it is empty".into()));
        }
        Ok(Self { text, show_test })
    }
}

/// Refuses what is no project of the user's, which an issue belongs to.
///
/// # Errors
/// It is a benchmark's bug.
pub(super) fn refuse_foreign(bug: &BugId) -> Result<(), Failure> {
    if bug.benchmark == LOCAL {
        return Ok(());
    }
    Err(Failure::usage(format!("--issue: {bug} has failing tests already"), "name the folder of a project"))
}

/// The message where no model can write the test.
pub(super) fn no_model() -> Failure {
    Failure::usage(
        "--issue needs a model: the built-in engine writes no tests",
        "name one with `--model NAME` (`unidebug init` sets one up), or write a failing test yourself",
    )
}

impl Session {
    /// Has a test written for the issue, for at most `time`.
    ///
    /// # Errors
    /// Faults of the environment, the model and the journal; a person who does not want the test.
    pub(super) async fn open_issue(
        &self,
        issue: &Issue,
        folder: &Utf8Path,
        event_sinks: &EventSinks,
        time: Duration,
    ) -> Result<Opening, Failure> {
        let escalator = self.escalator(event_sinks, time)?;
        if !escalator.can_reproduce() {
            return Err(no_model());
        }
        let opened = self.opened().watched(event_sinks.watcher()).with_issue(&issue.text);
        let bench = opened
            .untested(&folder.join(SCRATCH), strategy::wanted(self.plan(), self.config()), &*event_sinks.sink)
            .await?;
        let found = match escalator.reproduce(&bench).await? {
            Shown::By(found) => found,
            Shown::ByNothing(why) => return Ok(Opening::Ended(Box::new(bench), RunVerdict::NotReproduced { why })),
            Shown::StoppedAtCap(cap) => return Ok(Opening::Ended(Box::new(bench), RunVerdict::StoppedAtCap { cap })),
        };
        event_sinks.notice(&format!("{} in {} shows what the issue reports", found.test, found.file))?;
        let begun = event_sinks.past.history().events().iter().any(|event| matches!(event, Event::Baseline { .. }));
        if issue.show_test && event_sinks.is_kept() && !begun {
            event_sinks.quiet();
            let shown = found.clone();
            let answer = tokio::task::spawn_blocking(move || show(&shown)).await;
            answer.map_err(|error| Failure::io("the question", &std::io::Error::other(error)))??;
        }
        Ok(Opening::Reproduced(Box::new(opened.with_test(&found)), found))
    }
}

/// Shows the test; on a terminal a person says whether the repair goes on.
fn show(found: &Reproduction) -> Result<(), Failure> {
    let diff = patch::render(&crate::domain::Patch { files: vec![found.change()] });
    let mut err = anstream::stderr();
    let failure = format!("{}: {}", found.failure.kind, found.failure.message);
    let text = format!(
        "the test for the issue:\n\n{}\nit fails by {}\n{}\n",
        report::coloured_diff(&diff),
        report::visible(&failure),
        report::visible(&found.explanation)
    );
    let _ = err.write_all(text.as_bytes());
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return Ok(());
    }
    loop {
        let _ = write!(err, "is this the bug? y(es), go on; n(o), stop: ").and_then(|()| err.flush());
        let mut answer = String::new();
        let read = std::io::stdin().lock().read_line(&mut answer);
        match (read.map_err(|error| Failure::io("reading the answer", &error))?, answer.trim()) {
            (0, _) | (_, "n" | "no") => return Err(Failure::declined()),
            (_, "y" | "yes") => return Ok(()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_is_a_text_of_some_length() {
        let folder = tempfile::tempdir().unwrap();
        let file = Utf8Path::from_path(folder.path()).unwrap().join("issue.md");
        std::fs::write(&file, "total() is wrong\n").unwrap();
        assert_eq!(Issue::read(&file, true).unwrap(), Issue { text: "total() is wrong\n".into(), show_test: true });
        std::fs::write(&file, " \n").unwrap();
        assert!(Issue::read(&file, false).unwrap_err().message.contains("empty"));
        std::fs::write(&file, "x".repeat(300 * 1024)).unwrap();
        assert!(Issue::read(&file, false).unwrap_err().message.contains("longer"));
        assert!(Issue::read(&file.join("gone"), false).unwrap_err().hint.contains("issue"));
    }
}
