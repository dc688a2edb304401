//! `extract_tests`: the code of the failing tests, with the failing statement marked.

use super::{Observation, ToolContext, ToolError, TypedTool, failing_test_text};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

/// More failing tests than this are named without their code.
const MAX_TESTS: usize = 5;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Tests to pass over, when there are more than are shown at once.
    #[serde(default)]
    skip: Option<usize>,
}

pub struct ExtractTests;

#[async_trait]
impl TypedTool for ExtractTests {
    const NAME: &'static str = "extract_tests";
    const ABOUT: &'static str = "code of the failing tests";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let failing = &cx.bench.bug.failing;
        let mut text = format!("{} failing test{}\n", failing.len(), if failing.len() == 1 { "" } else { "s" });
        let mut observation = Observation::told(String::new());
        let skip = args.skip.unwrap_or(0);
        if skip >= failing.len() && skip > 0 {
            return Err(ToolError::Correctable(format!(
                "there are {} failing tests, and `skip` is {skip}",
                failing.len()
            )));
        }
        for test in failing.iter().skip(skip).take(MAX_TESTS) {
            text.push_str(&failing_test_text(&cx.bench.index, test, true));
            if let (Some(file), Some(span)) = (&test.file, test.span) {
                observation = observation.showing(file, span);
            }
        }
        let rest = failing.iter().skip(skip + MAX_TESTS);
        if rest.len() > 0 {
            let _ = writeln!(text, "without their code (`skip: {}` shows it):", skip + MAX_TESTS);
        }
        for test in rest {
            let _ = writeln!(text, "{}", test.id);
        }
        observation.text = text;
        Ok(observation)
    }
}
