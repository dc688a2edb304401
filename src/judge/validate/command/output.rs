//! The output of a test command: its reports, what it printed, and how it ended.

use super::{CommandJudge, printed, reports, summary};
use crate::domain::{RepoPath, RunEnd, TestId, TestReport, TestResult, TestStatus};
use crate::sandbox::{Exit, Finished};
use camino::Utf8Path;
use std::collections::BTreeMap;

const TAIL_CHARS: usize = 4000;

impl CommandJudge {
    /// What a test tool reported.
    pub(super) fn report_of(
        &self,
        done: &Finished,
        test: &[String],
        folders: &[RepoPath],
        tree: &Utf8Path,
    ) -> TestReport {
        let mut report = TestReport { end: RunEnd::Complete, results: BTreeMap::new(), output_tail: tail(done) };
        for folder in folders {
            reports::collect(&folder.under(tree), &mut report);
            if let Some(toolchain) = &self.toolchain {
                toolchain.add_output(test, &folder.under(tree), &mut report);
            }
        }
        let output = output_text(done);
        // Where tools seldom write JUnit XML, what they print tells their results.
        if folders.is_empty() || report.results.is_empty() && self.toolchain.is_some() {
            let tool = Utf8Path::new(test.first().map_or("", String::as_str)).file_name().unwrap_or("test");
            printed::collect(&output, tool, &mut report);
            let whole = whole(test, tool);
            let known = &self.baseline.report.results;
            // A tool that names what fails alone says of no test that it passed: a repaired one would be lost.
            let all_fail = report.results.values().all(|result| result.status == TestStatus::Failed);
            if !report.results.is_empty() && all_fail && (known.is_empty() || known.contains_key(&whole)) {
                let named: Vec<TestResult> = std::mem::take(&mut report.results).into_values().collect();
                let one = printed::of_failures(&whole, &named);
                report.results.insert(whole.clone(), one);
            }
            // A test that failed and has no name of its own is the command as a whole.
            let untold = !done.exit.success() && report.failing().next().is_none();
            if report.results.is_empty() || known.contains_key(&whole) || untold {
                let one = printed::as_one(&whole, done.exit.success(), &output);
                report.results.entry(whole).or_insert(one);
            }
        }
        let failed = report.failing().count();
        let agrees = [&done.stdout, &done.stderr]
            .iter()
            .any(|out| summary::failures(&String::from_utf8_lossy(out)) == Some(failed));
        let agreed = *self.says.get_or_init(|| agrees);
        report.end = match done.exit {
            Exit::TimedOut => RunEnd::TimedOut,
            Exit::OutOfMemory => RunEnd::OutOfMemory,
            Exit::Signal(_) | Exit::OutOfDisk => RunEnd::Crashed,
            // Test tools end with a code of their choice when tests fail, and the reports say which. A tool that says no
            // while its reports say yes did not write all of them.
            Exit::Code(code) if code != 0 && report.failing().next().is_none() => RunEnd::Crashed,
            // So does one that said how many failed before, and now says another number than its reports, or none.
            Exit::Code(_) if agreed && !agrees => RunEnd::Crashed,
            Exit::Code(_) => RunEnd::Complete,
        };
        report
    }
}

/// The last line that a run printed.
pub(super) fn last(report: &TestReport) -> &str {
    report.output_tail.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("none")
}

/// The test that a command as a whole is: `make#check`.
fn whole(test: &[String], tool: &str) -> TestId {
    TestId::new(
        tool,
        test.get(1..).unwrap_or_default().iter().rfind(|word| !word.starts_with('-')).map_or("exit", |w| w),
    )
}

/// All that a command printed.
pub fn output_text(done: &Finished) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
}

/// The end of what a command printed.
pub(super) fn tail(done: &Finished) -> String {
    let text = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    text.chars().skip(text.chars().count().saturating_sub(TAIL_CHARS)).collect()
}
