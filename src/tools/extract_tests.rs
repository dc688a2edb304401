//! `extract_tests`: the code of the failing tests, with the failing statement marked.

use super::{Observation, ToolContext, ToolError, TypedTool, failing_test_text};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

/// More failing tests than this are named without their code.
const MAX_TESTS: usize = 5;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {}

pub struct ExtractTests;

#[async_trait]
impl TypedTool for ExtractTests {
    const NAME: &'static str = "extract_tests";
    const ABOUT: &'static str = "code of the failing tests";
    type Args = Args;

    async fn run(&self, _: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let failing = &cx.bench.bug.failing;
        let mut text = format!("{} failing test{}\n", failing.len(), if failing.len() == 1 { "" } else { "s" });
        let mut observation = Observation::told(String::new());
        for test in failing.iter().take(MAX_TESTS) {
            text.push_str(&failing_test_text(&cx.bench.index, test, true));
            if let (Some(file), Some(span)) = (&test.file, test.span) {
                observation = observation.showing(file, span);
            }
        }
        for test in failing.iter().skip(MAX_TESTS) {
            let _ = writeln!(text, "{} (code not shown)", test.id);
        }
        observation.text = text;
        Ok(observation)
    }
}
