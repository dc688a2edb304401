//! `run_tests`: the report of the test suite on the untouched code, with cleaned failures.

use super::{Observation, ToolContext, ToolError, TypedTool, failure_text};
use crate::domain::{TestId, TestReport, TestStatus};
use crate::validate::clean::clean;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

/// Failures that are shown in full.
const MAX_FAILURES: usize = 8;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Tests as `Class#method` or `Class`; all when absent.
    #[serde(default)]
    tests: Option<Vec<String>>,
}

pub(super) struct RunTests;

#[async_trait]
impl TypedTool for RunTests {
    const NAME: &'static str = "run_tests";
    const ABOUT: &'static str = "run tests on the unchanged code";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let baseline = cx.bench.validator.baseline();
        let wanted = args.tests.unwrap_or_default();
        if wanted.is_empty() {
            // The unchanged code was run for the baseline; running it again would tell the same.
            return Ok(Observation::plain(report_text(
                &baseline.report,
                &baseline.report.results.keys().cloned().collect::<Vec<_>>(),
            )));
        }
        let chosen = choose(&baseline.report, &wanted)?;
        let report = cx.bench.validator.probe().run_tests(&chosen).await?;
        Ok(Observation::plain(report_text(&report, &chosen)))
    }
}

/// Tests of the baseline that the given texts name: by id, by class, or by bare method.
fn choose(report: &TestReport, wanted: &[String]) -> Result<Vec<TestId>, ToolError> {
    let mut chosen = Vec::new();
    for text in wanted {
        let id: TestId = text.parse().map_err(|e| ToolError::Correctable(format!("{e}")))?;
        let fits = |known: &&TestId| {
            let class = known.class == id.class || known.simple_class() == id.class;
            let method = id.method.is_empty() || known.method == id.method || known.bare_method() == id.method;
            (class && method) || (id.method.is_empty() && known.bare_method() == id.class)
        };
        let before = chosen.len();
        chosen.extend(report.results.keys().filter(fits).cloned());
        if chosen.len() == before {
            let failing: Vec<String> = report.failing().take(3).map(|r| r.id.to_string()).collect();
            return Err(ToolError::Correctable(format!("no test `{text}`; failing ones are: {}", failing.join(", "))));
        }
    }
    chosen.sort();
    chosen.dedup();
    Ok(chosen)
}

fn report_text(report: &TestReport, among: &[TestId]) -> String {
    let results: Vec<_> = among.iter().filter_map(|id| report.results.get(id)).collect();
    let failing: Vec<_> =
        results.iter().filter(|r| matches!(r.status, TestStatus::Failed | TestStatus::TimedOut)).collect();
    let passed = results.iter().filter(|r| r.status == TestStatus::Passed).count();
    let mut text = format!("{} tests: {passed} passed, {} failed\n", results.len(), failing.len());
    for result in failing.iter().take(MAX_FAILURES) {
        let _ = writeln!(text, "{}", result.id);
        match &result.failure {
            Some(failure) => text.push_str(&failure_text(&clean(failure), result.status == TestStatus::TimedOut)),
            None => text.push_str("  no result\n"),
        }
    }
    for result in failing.iter().skip(MAX_FAILURES) {
        let _ = writeln!(text, "{}", result.id);
    }
    text
}
