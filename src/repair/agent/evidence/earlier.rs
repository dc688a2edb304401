//! What an agent answered before, for one that is asked again: FixAgent's agents reflect on their answers and refine them
//! (section 3.3).

use super::Evidence;
use crate::agent::profile::ContractKind;
use crate::domain::{Artifact, CaseFile, Mark, MarkKind, Reference, RepoPath};
use crate::tools::Workbench;
use std::fmt::Write;

impl Evidence {
    /// The newest answer of that kind, and that it did not lead to a repair; whether there is one. A repairer's patches
    /// stand with what was tried.
    pub(super) fn add_earlier(
        &mut self,
        bench: &Workbench,
        case: &CaseFile,
        contract: ContractKind,
        focus: Option<&RepoPath>,
    ) -> bool {
        let text = match contract {
            ContractKind::Marks => case.marks().map(|(marks, explanation)| marks_text(bench, marks, explanation)),
            ContractKind::Slice => case
                .slice()
                .map(|slice| format!("{}{}\n", super::case::segments_text(bench, slice), slice.explanation.trim())),
            ContractKind::Summary => {
                let file = focus.or(bench.bug.located.as_ref());
                file.and_then(|file| case.summary(file)).map(|summary| super::case::summary_text(summary, usize::MAX))
            }
            ContractKind::Files => files_text(case),
            ContractKind::Reference => {
                case.reference().map(|Reference { text, sources, .. }| match sources.as_slice() {
                    [] => format!("{}\n", text.trim_end()),
                    sources => format!("{}\n(from: {})\n", text.trim_end(), sources.join(", ")),
                })
            }
            ContractKind::Patch | ContractKind::Test => None,
        };
        let Some(text) = text else { return false };
        let after =
            "Agents who worked with it did not find a repair. Keep what holds, correct what does not, and answer anew.";
        self.push("Your earlier answer", format!("{}\n{after}\n", text.trim_end()));
        true
    }
}

/// Marked lines with their places.
fn marks_text(bench: &Workbench, marks: &[Mark], explanation: &str) -> String {
    let mut text = String::new();
    for mark in marks {
        let place = &mark.location;
        let code = bench.index.file(&place.file).and_then(|file| file.line(place.line)).unwrap_or("").trim();
        let tag = bench.language.mark(mark.kind);
        let _ = match mark.kind {
            MarkKind::Buggy => writeln!(text, "- {place}: `{code} {tag}`"),
            MarkKind::Missing => writeln!(text, "- after {place}, `{code}`: `{tag}`"),
        };
    }
    let _ = writeln!(text, "{}", explanation.trim());
    text
}

fn files_text(case: &CaseFile) -> Option<String> {
    let newest = case.artifacts.iter().rev().find_map(|(_, artifact)| match artifact {
        Artifact::Files { paths, explanation } => Some((paths, explanation)),
        _ => None,
    });
    let (paths, explanation) = newest?;
    let mut text: String = paths.iter().map(|path| format!("- {path}\n")).collect();
    let _ = writeln!(text, "{}", explanation.trim());
    Some(text)
}
