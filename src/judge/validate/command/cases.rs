//! Programs that read their input and print their answer: each case is a run of its own, and what it prints decides.

use super::output::tail;
use super::{CommandJudge, Testing};
use crate::benchmark::{Case, jars};
use crate::domain::words::clipped;
use crate::domain::{Failure, HeldOut, Patch, RunEnd, TestId, TestReport, TestResult, TestStatus};
use crate::language::trace;
use crate::sandbox::{Exit, Finished, Job};
use crate::validate::{ValidateError, io_error};
use camino::Utf8Path;
use nix::sys::signal::Signal;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Time of a case before it is known how long it takes.
const FIRST: Duration = Duration::from_secs(10);
/// The least time of a case after that.
const LEAST: Duration = Duration::from_secs(2);
/// How much longer than with the bug a case may take.
const LONGER: u32 = 10;
/// Longest text of input, expectation and answer that a failure tells, in characters.
const SHOWN_BYTES: usize = 600;
/// Runs a program with a file as its input; both are arguments, and no shell reads them.
const WITH_INPUT: &str = "exec \"$@\" < \"$0\"";

impl CommandJudge {
    /// Runs the cases in a copy that is built, the triggering ones first; a candidate that loses one of them is spared
    /// the rest. `known` tells how they ended before: what was cut then is not run again.
    pub(super) async fn run_cases(
        &self,
        (run, cases): (&[String], &[Case]),
        tree: &Utf8Path,
        total: Duration,
        known: Option<&TestReport>,
        is_candidate: bool,
    ) -> Result<TestReport, ValidateError> {
        let inputs = tempfile::Builder::new().prefix("inputs-").tempdir_in(&self.options.work_dir);
        let inputs = inputs.map_err(io_error("making a folder for inputs", &self.options.work_dir))?;
        let inputs = Utf8Path::from_path(inputs.path()).unwrap_or(tree);
        let mut report = TestReport { end: RunEnd::Complete, results: BTreeMap::new(), output_tail: String::new() };
        let begin = Instant::now();
        for (nth, case) in self.ordered(cases, known).into_iter().enumerate() {
            let left = total.saturating_sub(begin.elapsed());
            if left.is_zero() {
                report.end = RunEnd::TimedOut;
                break;
            }
            let input = inputs.join(nth.to_string());
            std::fs::write(&input, &case.input).map_err(io_error("writing the input of a case", &input))?;
            let job = with_input(self.job(run, tree, left.min(self.limit(case)))?, &input);
            let done = self.sandbox.run(job).await?;
            let result = judged(case, &done);
            report.output_tail = tail(&done);
            let lost = result.status != TestStatus::Passed && self.baseline.triggering.contains(&result.id);
            report.results.insert(result.id.clone(), result);
            if lost && is_candidate {
                break;
            }
        }
        Ok(report)
    }

    /// Runs the cases that are held out, in a fresh copy with the patch. A case that the accepted program loses too, for its
    /// input is cut or it has several answers, says nothing and does not count.
    pub(super) async fn run_held_out(&self, patch: &Patch) -> Result<Option<HeldOut>, ValidateError> {
        let mut held_out = self.checkout.held_out.clone();
        if held_out.is_empty() {
            return Ok(None);
        }
        if let Some(oracle) = &self.checkout.oracle {
            let (_keep, tree) = self.copy()?;
            for (path, accepted) in &oracle.files {
                let place = path.under(&tree);
                std::fs::write(&place, accepted).map_err(io_error("writing the accepted program", &place))?;
            }
            let known = self.passed_of(&held_out, &tree).await?;
            held_out.retain(|case| known.contains(&case.test()));
        }
        if held_out.is_empty() {
            return Ok(None);
        }
        let (_keep, tree) = self.patched_copy(patch)?;
        let passed = self.passed_of(&held_out, &tree).await?.len();
        Ok(Some(HeldOut { tests: held_out.len(), passed }))
    }

    /// The cases that the program in a copy passes; none where it does not compile.
    async fn passed_of(&self, cases: &[Case], tree: &Utf8Path) -> Result<BTreeSet<TestId>, ValidateError> {
        let (Testing::Cases(run, _), wall) = (&self.commands.test, self.options.max_time) else {
            return Ok(BTreeSet::new());
        };
        if self.build_fails(self.commands.build.as_ref(), tree, wall).await?.is_some() {
            return Ok(BTreeSet::new());
        }
        let report = self.run_cases((run, cases), tree, wall, None, false).await?;
        Ok(report.results.into_values().filter(TestResult::passed).map(|result| result.id).collect())
    }

    fn ordered<'c>(&self, cases: &'c [Case], known: Option<&TestReport>) -> Vec<&'c Case> {
        let cut: BTreeSet<&TestId> = known
            .into_iter()
            .flat_map(|report| report.with_status(TestStatus::TimedOut))
            .map(|result| &result.id)
            .collect();
        let (mut first, rest): (Vec<_>, Vec<_>) = cases
            .iter()
            .filter(|case| !cut.contains(&case.test()))
            .partition(|case| self.baseline.triggering.contains(&case.test()));
        first.extend(rest);
        first
    }

    /// The time of a case: by how long it took with the bug.
    fn limit(&self, case: &Case) -> Duration {
        match self.baseline.report.results.get(&case.test()) {
            Some(before) if before.status != TestStatus::TimedOut => {
                LEAST.max(Duration::from_millis(before.millis) * LONGER)
            }
            _ => FIRST,
        }
    }
}

/// The same job with a file as its input. It reads the copy and writes nothing: one case must not help another.
pub fn with_input(job: Job, input: &Utf8Path) -> Job {
    let mut words = vec!["-c".to_owned(), WITH_INPUT.to_owned(), input.to_string(), job.program];
    words.extend(job.args);
    let (mut readable, writable) = (job.readable, job.writable);
    readable.extend(writable);
    readable.push(input.to_owned());
    readable.extend(jars::local_repository());
    Job { program: "sh".into(), args: words, readable, writable: Vec::new(), ..job }
}

fn judged(case: &Case, done: &Finished) -> TestResult {
    let (answer, errors) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    let shown = |text: &str| clipped(text.trim_end(), SHOWN_BYTES);
    let failed = |kind: String, what: &str, text: &str| Failure {
        kind,
        message: format!(
            "input:\n{}\nexpected output:\n{}\n{what}:\n{}",
            shown(&case.input),
            shown(&case.output),
            shown(text)
        ),
        frames: trace::frames(&errors),
    };
    let (status, failure) = match done.exit {
        Exit::Code(0) if same(&answer, &case.output, case.tolerance) => (TestStatus::Passed, None),
        Exit::Code(0) => (TestStatus::Failed, Some(failed("wrong output".into(), "output", &answer))),
        Exit::TimedOut => (TestStatus::TimedOut, Some(failed("timeout".into(), "output until then", &answer))),
        other => (TestStatus::Failed, Some(failed(ending(other), "it said", &errors))),
    };
    let millis = u64::try_from(done.wall.as_millis()).unwrap_or(u64::MAX);
    TestResult { id: case.test(), status, failure, millis, loss: None }
}

/// How a program ended, by the signal's name where it was one: a shell tells signals as codes above 128.
fn ending(exit: Exit) -> String {
    let number = match exit {
        Exit::Signal(number) => number,
        Exit::Code(code) => code - 128,
        _ => return exit.to_string(),
    };
    Signal::try_from(number).map_or_else(|_| exit.to_string(), |signal| signal.as_str().to_owned())
}

/// Whether an output is the expected one line by line; spaces at the end of lines and empty lines at the end say nothing.
fn same(output: &str, expected: &str, tolerance: Option<f64>) -> bool {
    let lines = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(|line| line.trim_end().to_owned()).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    };
    let (output, expected) = (lines(output), lines(expected));
    output == expected || tolerance.is_some_and(|most| are_near(&output, &expected, most))
}

/// Whether two outputs have the same words, numbers among them equal but for the tolerance.
fn are_near(output: &[String], expected: &[String], most: f64) -> bool {
    let near = |word: &str, other: &str| match (word.parse::<f64>(), other.parse::<f64>()) {
        (Ok(word), Ok(other)) => (word - other).abs() <= most * other.abs().max(1.0),
        _ => false,
    };
    output.len() == expected.len()
        && output.iter().zip(expected).all(|(line, other)| {
            let (words, others): (Vec<&str>, Vec<&str>) =
                (line.split_whitespace().collect(), other.split_whitespace().collect());
            let all = || words.iter().zip(&others).all(|(word, other)| word == other || near(word, other));
            words.len() == others.len() && all()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(exit: Exit, stdout: &str, stderr: &str) -> Finished {
        let wall = Duration::from_millis(7);
        Finished { exit, stdout: stdout.into(), stderr: stderr.into(), results: Vec::new(), wall }
    }

    fn judge_output(exit: Exit, stdout: &str, stderr: &str) -> (TestStatus, String) {
        let case = Case { name: "3".into(), input: "1 2\n".into(), output: "3\n".into(), tolerance: None };
        let result = judged(&case, &done(exit, stdout, stderr));
        assert_eq!((result.id.to_string().as_str(), result.millis), ("cases#3", 7));
        (
            result.status,
            result.failure.map_or_else(String::new, |failure| format!("{}: {}", failure.kind, failure.message)),
        )
    }

    #[test]
    fn what_is_printed_decides() {
        assert_eq!(judge_output(Exit::Code(0), "3 \r\n\n", "a warning").0, TestStatus::Passed);
        let (status, why) = judge_output(Exit::Code(0), "4\n", "");
        assert_eq!(
            (status, why.as_str()),
            (TestStatus::Failed, "wrong output: input:\n1 2\nexpected output:\n3\noutput:\n4")
        );
        assert!(
            judge_output(Exit::Code(1), "3\n", "Exception").1.starts_with("exit code 1: "),
            "a right answer and a crash"
        );
        assert_eq!(judge_output(Exit::TimedOut, "", "").0, TestStatus::TimedOut);
        assert!(judge_output(Exit::Code(139), "", "").1.starts_with("SIGSEGV: "));
        assert!(!same("3", "3\n4", None) && !same("", "3", None) && !same("1 2", "12", None));
    }

    #[test]
    fn numbers_may_differ_where_the_set_says_so() {
        let near = |output: &str, expected: &str| same(output, expected, Some(1e-6));
        assert!(near("0.3333333\nx 1000000.5", "0.33333333\nx 1000000\n") && !same("0.30", "0.3", None));
        assert!(
            !near("0.334", "0.3333") && !near("x", "y") && !near("1 2", "1") && !near("NaN", "0") && !near("1", "1\n2")
        );
    }

    proptest::proptest! {
        #[test]
        fn an_output_is_always_near_itself(text in ".{0,80}") {
            proptest::prop_assert!(same(&text, &text, None) && same(&text, &text, Some(0.0)));
        }
    }
}
