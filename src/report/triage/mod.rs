//! What level 1 says of many bugs: suspicious lines with reasons, a patch where one fell out, cost; in five forms.

mod github;
mod sarif;

pub(crate) use github::github;
pub(crate) use sarif::sarif;

use super::ending::tests;
use super::summary::RunReport;
use super::tally::Sums;
use super::terminal::visible_line;
use crate::domain::words::counted;
use crate::domain::{BugId, Mark, MarkKind, Patch, Ranking, RepoPath, TestId, Usage};
use serde::Serialize;
use std::fmt::Write;

/// A suspicious line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Line {
    /// The file.
    pub file: RepoPath,
    /// The line, counted from 1.
    pub line: u32,
    /// Suspiciousness in `0.0..=1.0`, comparable inside one bug only.
    pub score: f64,
    /// The enclosing method, when there is one.
    pub method: Option<String>,
    /// Why, in short phrases.
    pub reasons: Vec<String>,
    /// The code of the line.
    pub code: String,
}

/// A plausible patch, as files and as text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fix {
    /// The changed files.
    pub patch: Patch,
    /// The unified diff.
    pub diff: String,
}

/// What became of one bug.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Triaged {
    /// Which bug.
    pub bug: BugId,
    /// Its failing tests.
    pub failing: Vec<TestId>,
    /// Tests that count for nothing, with the reason.
    pub set_aside: Vec<(TestId, String)>,
    /// What the language says of code that it cannot read.
    pub syntax: Vec<String>,
    /// Suspicious lines, the most suspicious first.
    pub lines: Vec<Line>,
    /// A patch that passed everything, where one fell out.
    pub fix: Option<Fix>,
    /// Tokens and money.
    pub usage: Usage,
    /// Seconds of wall time.
    pub seconds: f64,
    /// Why nothing can be said of it.
    pub error: Option<String>,
}

impl Triaged {
    /// A bug of which nothing can be said, and why.
    pub(crate) fn failed(bug: BugId, error: String) -> Self {
        let (failing, set_aside, syntax, lines) = Default::default();
        Self {
            bug,
            failing,
            set_aside,
            syntax,
            lines,
            fix: None,
            usage: Usage::default(),
            seconds: 0.0,
            error: Some(error),
        }
    }

    /// What a run that is over says of its bug; its patch with whole files, where they were kept.
    pub(crate) fn of_run(report: &RunReport, sums: &Sums, patch: Option<Patch>, most: usize) -> Self {
        let ranking = Ranking { lines: sums.known.suspects.clone(), ..Ranking::default() };
        let fix = report.patch.clone().map(|diff| Fix { diff, patch: patch.unwrap_or_default() });
        Self {
            bug: report.bug.clone(),
            failing: sums.known.failing.clone(),
            set_aside: sums.known.set_aside.clone(),
            syntax: Vec::new(),
            lines: lines(&ranking, &[], most, &|_, _| String::new()),
            fix,
            usage: report.usage,
            seconds: report.seconds.wall,
            error: None,
        }
    }

    /// The same, seen from a folder in which the project is one of its own: where a code host looks for files.
    pub(crate) fn below(mut self, folder: &str) -> Self {
        let moved = |path: &RepoPath| RepoPath::new(&format!("{folder}/{path}")).unwrap_or_else(|_| path.clone());
        for line in &mut self.lines {
            line.file = moved(&line.file);
        }
        for file in self.fix.iter_mut().flat_map(|fix| &mut fix.patch.files) {
            file.path = moved(&file.path);
        }
        self
    }

    /// The object for programs.
    pub(crate) fn json(&self) -> serde_json::Value {
        let aside = self.set_aside.iter().map(|(test, reason)| serde_json::json!({"test": test, "reason": reason}));
        serde_json::json!({
            "bug": self.bug, "failing": self.failing, "set_aside": aside.collect::<Vec<_>>(), "syntax_errors": self.syntax, "lines": self.lines,
            "patch": self.fix.as_ref().map(|fix| &fix.diff),
            "usage": self.usage, "seconds": self.seconds, "error": self.error,
        })
    }
}

/// The lines to look at first: those that an agent marked, then those of the ranking, at most `most`.
pub(crate) fn lines(
    ranking: &Ranking,
    marks: &[Mark],
    most: usize,
    code: &dyn Fn(&RepoPath, u32) -> String,
) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for mark in marks {
        let place = &mark.location;
        let ranked = ranking.lines.iter().find(|suspect| suspect.location == *place);
        let word = match mark.kind {
            MarkKind::Buggy => "marked by Locator",
            MarkKind::Missing => "marked by Locator: something is missing behind it",
        };
        let mut reasons = vec![word.to_owned()];
        reasons.extend(ranked.iter().flat_map(|suspect| suspect.reasons.clone()));
        let method = ranked.and_then(|suspect| suspect.method.clone());
        lines.push(Line {
            file: place.file.clone(),
            line: place.line,
            score: 1.0,
            method,
            reasons,
            code: String::new(),
        });
    }
    for suspect in &ranking.lines {
        let place = &suspect.location;
        if !marks.iter().any(|mark| mark.location == *place) {
            let (method, reasons) = (suspect.method.clone(), suspect.reasons.clone());
            let (file, line, score) = (place.file.clone(), place.line, suspect.score);
            lines.push(Line { file, line, score, method, reasons, code: String::new() });
        }
    }
    lines.truncate(most);
    for line in &mut lines {
        line.code = code(&line.file, line.line).trim().to_owned();
    }
    lines
}

/// For a person at a terminal.
pub(crate) fn text(all: &[Triaged]) -> String {
    let mut text = String::new();
    for bug in all {
        let _ = writeln!(text, "{}  ({})", bug.bug, spent(bug));
        if let Some(error) = &bug.error {
            let _ = writeln!(text, "  {error}");
        }
        for line in tests(&bug.failing, &bug.set_aside) {
            let _ = writeln!(text, "{}", visible_line(&line));
        }
        for line in &bug.syntax {
            let _ = writeln!(text, "  {}", visible_line(line));
        }
        for (nth, line) in bug.lines.iter().enumerate() {
            let _ = writeln!(text, "{:>3}. {:.3}  {}:{}  {}", nth + 1, line.score, line.file, line.line, line.code);
            let _ = writeln!(text, "            {}", line.reasons.join("; "));
        }
        if let Some(fix) = &bug.fix {
            let _ = writeln!(text, "\n  plausible patch:\n{}", fix.diff);
        }
        text.push('\n');
    }
    text
}

/// Tables for a page.
pub(crate) fn markdown(all: &[Triaged]) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('`', "'");
    let mut text = String::new();
    for bug in all {
        let _ = writeln!(text, "## {}\n\n{}\n", bug.bug, spent(bug));
        if let Some(error) = &bug.error {
            let _ = writeln!(text, "{error}\n");
        }
        for line in tests(&bug.failing, &bug.set_aside) {
            let _ = writeln!(text, "*{}", cell(&visible_line(&line)).trim_end());
        }
        for line in &bug.syntax {
            let _ = writeln!(text, "* {}", cell(&visible_line(line)));
        }
        if !bug.lines.is_empty() {
            text.push_str("\n| # | score | place | code | why |\n|---|---|---|---|---|\n");
        }
        for (nth, line) in bug.lines.iter().enumerate() {
            let (code, why) = (cell(&line.code), cell(&line.reasons.join("; ")));
            let _ =
                writeln!(text, "| {} | {:.3} | {}:{} | `{code}` | {why} |", nth + 1, line.score, line.file, line.line);
        }
        if let Some(fix) = &bug.fix {
            let _ = writeln!(text, "\n```diff\n{}```", fix.diff);
        }
        text.push('\n');
    }
    text
}

fn spent(bug: &Triaged) -> String {
    let fix = if bug.fix.is_some() { "a plausible patch" } else { "no patch" };
    let tokens = bug.usage.prompt_tokens + bug.usage.completion_tokens;
    let money = match (bug.usage.requests, bug.usage.cost_usd.0) {
        (0, _) => "no model asked".to_owned(),
        (_, Some(usd)) => format!("{tokens} tokens, ${usd:.4}"),
        (_, None) => format!("{tokens} tokens, price unknown"),
    };
    format!("{}, {fix}, {money}, {:.1} s", counted(bug.failing.len(), "failing test"), bug.seconds)
}
