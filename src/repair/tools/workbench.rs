//! What all tools of one bug share: the checkout, its index, its judge, and what was tried.

use super::ToolError;
use super::analysers::Analysers;
use super::sarif::Finding;
use super::{observation, recent_changes};
use crate::benchmark::{Checkout, History, ProductChange};
use crate::code::{CodeIndex, DependencyGraph, SourceFile};
use crate::domain::words::counted;
use crate::domain::{Bug, FailingTest, Failure, Ranking, RepoPath, TestId};
use crate::language::Language;
use crate::patch::{Folder, Policy};
use crate::retrieve::Finder;
use crate::validate::{Coverage, Spectrum, Validator};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, OnceLock};
use tokio::sync::OnceCell;

/// Lines of a failure's message that are shown.
const MAX_MESSAGE_LINES: usize = 12;
/// Frames that are shown; they are the project's own.
const MAX_FRAMES: usize = 6;

/// The bug on the bench.
pub struct Workbench {
    /// The private copy.
    pub checkout: Checkout,
    /// Its language.
    pub language: &'static dyn Language,
    /// Its code.
    pub index: Arc<CodeIndex>,
    /// What is known of the bug.
    pub bug: Bug,
    /// The judge.
    pub validator: Validator,
    /// The original files, for matching patches.
    pub originals: Folder,
    /// What a patch may touch.
    pub policy: Policy,
    /// Lines the failing tests execute, when it could be measured.
    pub coverage: Option<Coverage>,
    /// What single tests execute, when it was wanted and could be measured.
    pub spectrum: Option<Spectrum>,
    /// The first ranking of suspicious lines.
    pub ranking: Ranking,
    /// The last change, where the failing tests pass without it and history may be looked at.
    pub broken_by: Option<ProductChange>,
    /// How similar bugs were repaired.
    pub solutions: Finder,
    /// The version history of a user's project up to the revision that is worked on; benchmarks hide theirs.
    pub history: Option<History>,
    /// What analysers found that the user ran.
    pub findings: Vec<Finding>,
    /// What sanitizers reported of the triggering tests.
    pub sanitized: Vec<Failure>,
    /// Analysers that are installed here.
    pub analysers: Analysers,
    /// Made when it is first asked for.
    pub graph: OnceLock<DependencyGraph>,
    /// What was looked up for agents that see runs and history.
    pub observed: Observed,
}

/// What is looked up once, before the first agent that is shown it.
#[derive(Default)]
pub struct Observed {
    /// Values of the failing run where it differs from a passing one.
    pub values: OnceCell<Option<String>>,
    /// The commits that changed the suspicious lines last.
    pub changes: OnceCell<Option<String>>,
}

impl Workbench {
    /// Sources of the failing tests.
    pub fn test_texts(&self) -> Vec<&str> {
        test_texts(&self.bug, &self.index)
    }

    /// The dependency graph of the checkout.
    pub(crate) fn dependencies(&self) -> &DependencyGraph {
        self.graph.get_or_init(|| DependencyGraph::build(&self.index))
    }

    /// Runs the first failing test beside a passing one, and keeps what their values say. What cannot be had is left out.
    pub async fn see_values(&self) {
        let look = || async {
            observation::first(self).await.unwrap_or_else(|error| {
                tracing::warn!("no values of the run: {error}");
                None
            })
        };
        self.observed.values.get_or_init(look).await;
    }

    /// Asks the version history who changed the suspicious lines, and keeps the answer.
    pub(crate) async fn see_changes(&self) {
        self.observed.changes.get_or_init(|| recent_changes::of(self)).await;
    }

    /// Files that bear on the bug, each with its distance in steps: what the failing tests and the bug-located file
    /// depend on, and what depends on the latter.
    pub(crate) fn bearing(&self) -> BTreeMap<RepoPath, u32> {
        let graph = self.dependencies();
        let tests = self.bug.failing.iter().filter_map(|test| test.file.as_ref());
        let mut steps = graph.reachable(tests.chain(&self.bug.located));
        for user in self.bug.located.iter().flat_map(|located| graph.used_by(located)) {
            steps.entry(user.0.clone()).or_insert(1);
        }
        steps
    }

    /// The file that a model's path means; the bug-located one without a path.
    ///
    /// # Errors
    /// As [`Workbench::file`]; no path was given and no file was located.
    pub(crate) fn file_or_located(&self, path: Option<&str>) -> Result<&Arc<SourceFile>, ToolError> {
        let path = path.or(self.bug.located.as_ref().map(|path| path.as_str()));
        self.file(path.ok_or_else(|| ToolError::Correctable("no file was located; name one".into()))?)
    }

    /// The file that a model's path means: exact, or by its longest unique suffix.
    ///
    /// # Errors
    /// A correctable one that names the candidates.
    pub fn file(&self, path: &str) -> Result<&Arc<SourceFile>, ToolError> {
        self.index.resolve(path).map_err(|unresolved| ToolError::Correctable(unresolved.to_string()))
    }
}

/// Sources of the failing tests of a bug.
pub fn test_texts<'t>(bug: &Bug, index: &'t CodeIndex) -> Vec<&'t str> {
    let text = |test: &FailingTest| Some(index.file(test.file.as_ref()?)?.lines(test.span?));
    if bug.failing.iter().any(|test| test.file.is_some()) {
        return bug.failing.iter().filter_map(text).collect();
    }
    // Where no runner names a file, all tests speak for those that fail.
    index.files().iter().filter(|file| file.test).map(|file| &*file.text).collect()
}

/// A failing test for prompts: its id, its code with the failing statement marked, its cleaned failure.
pub(crate) fn failing_test_text(index: &CodeIndex, test: &FailingTest, with_code: bool) -> String {
    let mut text = format!("{}\n", test.id);
    let source = test.file.as_ref().and_then(|path| index.file(path));
    if let (Some(file), Some(span), true) = (source, test.span, with_code) {
        let _ = writeln!(text, "```{}", index.language().fence());
        let fails_here = format!("   {} <-- fails here", index.language().line_comment());
        for line in span.first..=span.last {
            let mark = if test.failing_line == Some(line) { fails_here.as_str() } else { "" };
            let _ = writeln!(text, "{}{mark}", file.line(line).unwrap_or("").trim_end());
        }
        text.push_str("```\n");
    }
    text.push_str(&failure_text(&test.failure, test.timed_out));
    text
}

/// Failing tests for prompts, grouped by what went wrong: the first of each cause in full, the others counted.
pub fn failing_text(failing: &[(TestId, Failure)], most: usize) -> String {
    let mut causes: Vec<(&TestId, &Failure, usize)> = Vec::new();
    for (test, failure) in failing {
        let same = |known: &&mut (&TestId, &Failure, usize)| {
            known.1.kind == failure.kind && first_line(known.1) == first_line(failure)
        };
        match causes.iter_mut().find(same) {
            Some(known) => known.2 += 1,
            None => causes.push((test, failure, 0)),
        }
    }
    let mut text = String::new();
    for (test, failure, others) in causes.iter().take(most) {
        let more = match others {
            0 => String::new(),
            n => format!(" (and {} in the same way)", counted(*n, "more test")),
        };
        let _ = writeln!(text, "{test}{more}");
        text.push_str(&failure_text(failure, false));
    }
    let left = causes.len().saturating_sub(most);
    if left > 0 {
        let tests: usize = causes[most..].iter().map(|(.., others)| others + 1).sum();
        let _ = writeln!(text, "(also failing: {}, for {})", counted(tests, "more test"), counted(left, "other cause"));
    }
    text
}

fn first_line(failure: &Failure) -> &str {
    failure.message.lines().next().unwrap_or("")
}

/// A cleaned failure for prompts.
pub(crate) fn failure_text(failure: &Failure, timed_out: bool) -> String {
    let mut text = String::new();
    if timed_out {
        text.push_str("  did not end in time (an endless loop, or far too slow)\n");
    }
    let mut lines = failure.message.lines();
    let kind = failure.kind.rsplit('.').next().unwrap_or(&failure.kind);
    match lines.next() {
        Some(first) if !kind.is_empty() => {
            let _ = writeln!(text, "  {kind}: {first}");
        }
        Some(first) => {
            let _ = writeln!(text, "  {first}");
        }
        None if !kind.is_empty() => {
            let _ = writeln!(text, "  {kind}");
        }
        None => {}
    }
    for line in lines.by_ref().take(MAX_MESSAGE_LINES) {
        let _ = writeln!(text, "    {line}");
    }
    for frame in failure.frames.iter().take(MAX_FRAMES) {
        let place = match (&frame.file, frame.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (Some(file), None) => file.clone(),
            _ => frame.class.clone(),
        };
        let class = frame.class.rsplit('.').next().unwrap_or(&frame.class);
        let _ = writeln!(text, "  at {class}.{}({place})", frame.method);
    }
    text
}
