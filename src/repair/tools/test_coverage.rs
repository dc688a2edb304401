//! `test_coverage`: the code of a file with the lines that failing tests execute, and those that few passing ones do.

use super::{Observation, ToolContext, ToolError, TypedTool, Workbench};
use crate::code::SourceFile;
use crate::domain::LineSpan;
use crate::validate::Spectrum;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A line that at most this share of the passing tests executes is a rare one.
const RARE: f64 = 0.2;
/// Lines that are shown; methods for which there is no room are named.
const MAX_LINES: u32 = 200;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// File; the bug-located one when absent.
    file_path: Option<String>,
}

pub(super) struct TestCoverage;

#[async_trait]
impl TypedTool for TestCoverage {
    const NAME: &'static str = "test_coverage";
    const ABOUT: &'static str = "lines that failing tests execute, and few passing ones";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let bench = cx.bench;
        let file = bench.file_or_located(args.file_path.as_deref())?;
        let Some(coverage) = &bench.coverage else {
            return Ok(Observation::plain("coverage could not be measured on this project\n"));
        };
        let Some(covered) = coverage.lines.get(&file.path).filter(|lines| !lines.is_empty()) else {
            return Ok(Observation::plain(format!("no failing test executes a line of {}\n", file.path)));
        };
        let passing = bench.spectrum.as_ref().map(|spectrum| Passing::of(spectrum, file));
        Ok(shown(bench, file, covered, passing.as_ref()))
    }
}

/// How many passing tests execute each line of one file.
struct Passing {
    tests: usize,
    lines: BTreeMap<u32, usize>,
}

impl Passing {
    fn of(spectrum: &Spectrum, file: &SourceFile) -> Self {
        let (mut tests, mut lines) = (0, BTreeMap::new());
        for (.., ran) in spectrum.tests().filter(|(_, passed, _)| *passed) {
            tests += 1;
            for line in ran.filter(|(path, _)| **path == file.path).flat_map(|(_, lines)| lines) {
                *lines.entry(*line).or_default() += 1;
            }
        }
        Self { tests, lines }
    }

    fn share(&self, line: u32) -> f64 {
        self.lines.get(&line).copied().unwrap_or(0) as f64 / self.tests.max(1) as f64
    }
}

fn shown(
    bench: &Workbench,
    file: &SourceFile,
    covered: &std::collections::BTreeSet<u32>,
    passing: Option<&Passing>,
) -> Observation {
    let mut text = format!("{} (F: a failing test executes it", file.path);
    text.push_str(if passing.is_some() { "; F!: and few passing ones)\n" } else { ")\n" });
    let mut observation = Observation::plain(String::new());
    let mut room = MAX_LINES;
    for method in file.methods().filter(|m| covered.range(m.span.first..=m.span.last).next().is_some()) {
        if method.span.len() > room {
            let _ = writeln!(text, "   {} (executed; left out for room)", method.signature);
            continue;
        }
        room -= method.span.len();
        for line in method.span.first..=method.span.last {
            let mark = match (covered.contains(&line), passing) {
                (true, Some(passing)) if passing.share(line) <= RARE => "F!",
                (true, _) => "F ",
                (false, _) => "  ",
            };
            let _ = writeln!(text, "{mark} {line:>4} {}", file.line(line).unwrap_or("").trim_end());
        }
        observation = observation.showing(&file.path, LineSpan { first: method.span.first, last: method.span.last });
    }
    if bench.validator.baseline().triggering.len() > 1 {
        let _ = writeln!(text, "({} failing tests together)", bench.validator.baseline().triggering.len());
    }
    observation.text = text;
    observation
}
