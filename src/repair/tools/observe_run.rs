//! `observe_run`: values of variables and expressions at lines while a test runs on the unchanged code.

use super::observation::{Focus, around, table};
use super::{Observation, ToolContext, ToolError, TypedTool, Workbench};
use crate::domain::{LineSpan, RepoPath, TestId};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

/// Expressions that are watched at once.
const EXPRESSIONS: usize = 8;
/// Characters of one.
const LONGEST: usize = 80;
/// Lines that are watched at once.
const MAX_LINES: u32 = 400;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Values to tell at every line beside those of its variables: `order.items[0].price`.
    #[serde(default)]
    expressions: Option<Vec<String>>,
    /// File of the lines to watch; the bug-located one when absent.
    file_path: Option<String>,
    /// First line to watch; without it the suspicious methods are watched.
    start_line: Option<u32>,
    /// Last line to watch.
    end_line: Option<u32>,
    /// Test as `Class#method`; the first failing one when absent.
    test: Option<String>,
}

pub(super) struct ObserveRun;

#[async_trait]
impl TypedTool for ObserveRun {
    const NAME: &'static str = "observe_run";
    const ABOUT: &'static str = "values of variables while a test runs";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let bench = cx.bench;
        let expressions = args.expressions.unwrap_or_default();
        check(&expressions)?;
        let test = test_of(bench, args.test.as_deref())?;
        let lines = match args.start_line {
            Some(first) => Some(lines_of(bench, args.file_path.as_deref(), first, args.end_line)?),
            None => None,
        };
        let places = lines.clone().map(|place| vec![place]);
        let Some(chosen) = around(bench, &test, places) else {
            return Ok(Observation::plain("it is not known which methods the test runs; name lines to watch\n"));
        };
        let focus = Focus { expressions, lines, by_agent: true };
        Ok(Observation::plain(match table(bench, &chosen, &focus).await? {
            Some(text) if !text.is_empty() => text,
            Some(_) => "the test runs there, and nothing can be told of its values\n".to_owned(),
            None => format!("{test} does not run there, or values cannot be observed in this project\n"),
        }))
    }
}

/// Names and numbers alone are followed: nothing is evaluated.
fn check(expressions: &[String]) -> Result<(), ToolError> {
    let is_path = |text: &String| {
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '[' | ']');
        text.len() <= LONGEST && text.chars().all(fits) && text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    };
    if let Some(wrong) = expressions.iter().find(|text| !is_path(text)) {
        let what =
            format!("`{wrong}` cannot be watched: only names, fields and indexes can, such as `order.items[0].price`");
        return Err(ToolError::Correctable(what));
    }
    if expressions.len() > EXPRESSIONS {
        return Err(ToolError::Correctable(format!("at most {EXPRESSIONS} expressions can be watched at once")));
    }
    Ok(())
}

fn lines_of(
    bench: &Workbench,
    path: Option<&str>,
    first: u32,
    last: Option<u32>,
) -> Result<(RepoPath, LineSpan), ToolError> {
    let file = bench.file_or_located(path)?;
    let last = last.unwrap_or(first).min(file.line_count()).min(first.saturating_add(MAX_LINES - 1));
    let span = LineSpan { first: first.max(1), last };
    if span.first > span.last {
        return Err(ToolError::Correctable(format!("{} has lines 1 to {}", file.path, file.line_count())));
    }
    Ok((file.path.clone(), span))
}

/// The test that is meant: by its id, by class and method without the package, or the first failing one.
fn test_of(bench: &Workbench, text: Option<&str>) -> Result<TestId, ToolError> {
    let Some(text) = text else {
        let first = bench.bug.failing.first().map(|test| test.id.clone());
        return first.ok_or_else(|| ToolError::Correctable("no test fails; name one".into()));
    };
    let wanted: TestId = text.parse().map_err(|error| ToolError::Correctable(format!("{error}")))?;
    let results = &bench.validator.baseline().report.results;
    let fits = |id: &&TestId| {
        let class = id.class == wanted.class || id.simple_class() == wanted.class;
        class && (id.method == wanted.method || id.bare_method() == wanted.method)
    };
    let known = results.keys().find(fits).cloned();
    known.ok_or_else(|| {
        let failing: Vec<String> = bench.bug.failing.iter().take(3).map(|test| test.id.to_string()).collect();
        ToolError::Correctable(format!("no test `{text}`; failing ones are: {}", failing.join(", ")))
    })
}
