//! What the agents before made, as sections of the evidence: slice, summaries, files, reference, and what failed.

use super::{Budget, Evidence, code, head};
use crate::domain::{CaseFile, PatchAttempt, Summary};
use crate::prompt::count_tokens;
use crate::tools::{Workbench, failure_text};
use std::fmt::Write;

/// Patches that are shown in full, the newest last.
const PATCHES: usize = 3;
/// Failing tests of the newest patch that are shown in full.
const FAILURES: usize = 3;
/// Analyses that are shown, the newest last.
const ANALYSES: usize = 3;

impl Evidence {
    /// Slicer's segment in place of the chosen code; whether there is one.
    pub(super) fn add_slice(&mut self, bench: &Workbench, case: &CaseFile) -> bool {
        let Some(slice) = case.slice() else { return false };
        let Some(file) = bench.index.file(&slice.file) else { return false };
        let text = code::segment(bench, file, slice.span);
        self.push("Suspicious segment", text);
        self.push("Slicer's explanation", slice.explanation.trim().to_owned());
        self.shown.push((slice.file.clone(), slice.span));
        true
    }

    /// Summaries of all files, the bug-located one's first, at most about `room` tokens.
    pub(super) fn add_summaries(&mut self, bench: &Workbench, case: &CaseFile, mut room: usize) {
        let mut summaries = case.summaries();
        summaries.sort_by_key(|summary| Some(&summary.file) != bench.bug.located.as_ref());
        let mut text = String::new();
        for summary in summaries {
            let entry = summary_text(summary, room);
            room = room.saturating_sub(count_tokens(&entry));
            text.push_str(&entry);
        }
        self.push("Summary", text);
    }

    /// RepoFocus's list.
    pub(super) fn add_files(&mut self, case: &CaseFile) {
        let list: String = case.files().iter().map(|path| format!("- {path}\n")).collect();
        self.push("Bug-related files", list);
    }

    /// Helper's reference solution.
    pub(super) fn add_reference(&mut self, case: &CaseFile) {
        if let Some(reference) = case.reference() {
            let text = head(&reference.text, Budget::REFERENCE);
            self.push("Reference solution", format!("{}\n(from: {})\n", text.trim_end(), reference.sources.join(", ")));
        }
    }

    /// What was tried before this agent began and why it failed, the newest last; without what tests said of it where
    /// that is not to be known.
    pub(super) fn add_history(&mut self, case: &CaseFile, no_results: bool) {
        let mut text = String::new();
        let skipped = case.attempts.len().saturating_sub(PATCHES);
        for (nth, attempt) in case.attempts.iter().enumerate().skip(skipped) {
            let newest = nth + 1 == case.attempts.len();
            text.push_str(&if no_results { diff_text(attempt) } else { attempt_text(attempt, newest) });
        }
        for note in case.engine_notes.iter().filter(|_| !no_results) {
            let _ = writeln!(text, "- {note}");
        }
        let skipped = case.analyses.len().saturating_sub(ANALYSES);
        for (agent, analysis) in case.analyses.iter().skip(skipped) {
            let _ = writeln!(text, "- {agent} said: {analysis}");
        }
        self.push("Tried before, without success", text);
    }
}

fn summary_text(summary: &Summary, room: usize) -> String {
    let mut text = format!("### {}\n", summary.file);
    if !summary.explanation.is_empty() {
        let _ = writeln!(text, "{}", summary.explanation);
    }
    for (nth, entry) in summary.entries.iter().enumerate() {
        let name = match (entry.class.as_str(), entry.method.as_str()) {
            ("", method) => method.to_owned(),
            (class, "") => class.to_owned(),
            (class, method) => format!("{class}.{method}"),
        };
        let mut line = format!("- {name}: {}", entry.description);
        for (title, part) in [("parameters", &entry.parameters), ("returns", &entry.returns)] {
            if !part.is_empty() {
                let _ = write!(line, "; {title}: {part}");
            }
        }
        if count_tokens(&text) + count_tokens(&line) > room {
            let _ = writeln!(text, "- and {} more methods", summary.entries.len() - nth);
            break;
        }
        let _ = writeln!(text, "{line}");
    }
    text
}

fn diff_text(attempt: &PatchAttempt) -> String {
    format!("```diff\n{}```\n", crate::patch::render(&attempt.patch))
}

fn attempt_text(attempt: &PatchAttempt, newest: bool) -> String {
    let validation = &attempt.validation;
    let mut text = format!("{}{}: {}\n", diff_text(attempt), validation.outcome, validation.detail);
    if !attempt.explanation.is_empty() {
        let _ = writeln!(text, "its author said: {}", attempt.explanation);
    }
    if newest {
        for (test, failure) in validation.failing.iter().take(FAILURES) {
            let _ = writeln!(text, "{test}");
            text.push_str(&failure_text(failure, false));
        }
    }
    text
}
