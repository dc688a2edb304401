//! What the agents before made, as sections of the evidence: slice, summaries, files, reference.

use super::{Budget, Evidence, code, head};
use crate::domain::{CaseFile, LineSpan, RepoPath, Slice, Summary};
use crate::prompt::count_tokens;
use crate::tools::Workbench;
use std::fmt::Write;

impl Evidence {
    /// Slicer's segments in place of the chosen code; whether there are any.
    pub(super) fn add_slice(&mut self, bench: &Workbench, case: &CaseFile) -> bool {
        let Some(slice) = case.slice() else { return false };
        let text = segments_text(bench, slice);
        if text.is_empty() {
            return false;
        }
        self.push("Suspicious segment", text);
        self.push("Slicer's explanation", slice.explanation.trim().to_owned());
        self.shown.extend(slice.segments.iter().cloned());
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
            let from = match reference.sources.as_slice() {
                [] => "nothing that was found fits: from general knowledge".to_owned(),
                sources => format!("from: {}", sources.join(", ")),
            };
            self.push("Reference solution", format!("{}\n({from})\n", text.trim_end()));
        }
    }
}

pub(super) fn segments_text(bench: &Workbench, slice: &Slice) -> String {
    let text = |(file, span): &(RepoPath, LineSpan)| Some(code::segment(bench, bench.index.file(file)?, *span));
    slice.segments.iter().filter_map(text).collect()
}

pub(super) fn summary_text(summary: &Summary, room: usize) -> String {
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
