//! `extract_tests`: the code of the failing tests, with the failing statement marked; what was not shown yet comes first.

use super::{Observation, ToolContext, ToolError, TypedTool, failing_test_text};
use crate::domain::FailingTest;
use crate::domain::words::counted;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

/// Tests whose code is shown at once.
const MAX_TESTS: usize = 5;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Tests to pass over; without it those come first whose code was not shown yet.
    #[serde(default)]
    skip: Option<usize>,
}

pub(super) struct ExtractTests;

#[async_trait]
impl TypedTool for ExtractTests {
    const NAME: &'static str = "extract_tests";
    const ABOUT: &'static str = "code of the failing tests";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let failing = &cx.bench.bug.failing;
        let shown = |test: &FailingTest| match (&test.file, test.span) {
            (Some(file), Some(span)) => cx.is_shown(file, span),
            _ => false,
        };
        let chosen: Vec<usize> = match args.skip {
            Some(skip) if skip >= failing.len() => {
                let there = counted(failing.len(), "failing test");
                return Err(ToolError::Correctable(format!("there are {there}, and `skip` is {skip}")));
            }
            Some(skip) => (skip..failing.len()).take(MAX_TESTS).collect(),
            None => (0..failing.len()).filter(|&nth| !shown(&failing[nth])).take(MAX_TESTS).collect(),
        };
        let mut text = format!("{}\n", counted(failing.len(), "failing test"));
        let mut observation = Observation::plain(String::new());
        for &nth in &chosen {
            let test = &failing[nth];
            text.push_str(&failing_test_text(&cx.bench.index, test, true));
            if let (Some(file), Some(span)) = (&test.file, test.span) {
                observation = observation.showing(file, span);
            }
        }
        let (known, unseen): (Vec<usize>, Vec<usize>) =
            (0..failing.len()).filter(|nth| !chosen.contains(nth)).partition(|&nth| shown(&failing[nth]));
        for (nths, title) in [(unseen, "without their code"), (known, "their code was shown already")] {
            if let Some(first) = nths.first() {
                let _ = writeln!(text, "{title} (`skip: {first}` shows it):");
            }
            for nth in nths {
                let _ = writeln!(text, "{}", failing[nth].id);
            }
        }
        observation.text = text;
        Ok(observation)
    }
}
