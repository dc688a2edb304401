//! All that is known and made of one bug in one attempt: what an agent reads, and nothing else.

use super::{AgentName, Artifact, Hypothesis, Mark, PatchAttempt, Reference, RepoPath, Slice, Summary};

/// Artifacts, hypotheses and tried patches, in the order in which they came.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CaseFile {
    /// Products of agents; a later one of the same kind replaces an earlier one for readers.
    pub artifacts: Vec<(AgentName, Artifact)>,
    /// Hypotheses, refuted ones too.
    pub hypotheses: Vec<Hypothesis>,
    /// Patches that were judged, with the judge's answers.
    pub attempts: Vec<PatchAttempt>,
    /// Who proposed each of them, in the same order.
    pub authors: Vec<AgentName>,
    /// What the built-in engine found out before the first paid call, for people and models.
    pub engine_notes: Vec<String>,
    /// What agents said when they ended without what they owed, in order: why it failed, in their words.
    pub analyses: Vec<(AgentName, String)>,
}

impl CaseFile {
    /// Locator's newest marks with its explanation.
    pub fn marks(&self) -> Option<(&[Mark], &str)> {
        self.artifacts.iter().rev().find_map(|(_, artifact)| match artifact {
            Artifact::Marks { marks, explanation } => Some((marks.as_slice(), explanation.as_str())),
            _ => None,
        })
    }

    /// Slicer's newest segment.
    pub fn slice(&self) -> Option<&Slice> {
        self.newest(|artifact| if let Artifact::Slice(slice) = artifact { Some(slice) } else { None })
    }

    /// The newest summary of each file, ordered by path.
    pub fn summaries(&self) -> Vec<&Summary> {
        let mut by_file = std::collections::BTreeMap::new();
        for (_, artifact) in &self.artifacts {
            if let Artifact::Summary(summary) = artifact {
                by_file.insert(&summary.file, summary);
            }
        }
        by_file.into_values().collect()
    }

    /// The newest summary of one file.
    pub fn summary(&self, file: &RepoPath) -> Option<&Summary> {
        self.newest(|artifact| match artifact {
            Artifact::Summary(summary) if summary.file == *file => Some(summary),
            _ => None,
        })
    }

    /// RepoFocus's newest list of bug-related files; empty while there is none.
    pub fn files(&self) -> &[RepoPath] {
        self.newest(|artifact| if let Artifact::Files { paths, .. } = artifact { Some(paths.as_slice()) } else { None })
            .unwrap_or_default()
    }

    /// Helper's newest reference solution.
    pub fn reference(&self) -> Option<&Reference> {
        self.newest(|artifact| if let Artifact::Reference(reference) = artifact { Some(reference) } else { None })
    }

    /// What was said last of why the repair failed.
    pub fn analysis(&self) -> Option<&str> {
        self.analyses.last().map(|(_, text)| text.as_str())
    }

    fn newest<'c, T>(&'c self, pick: impl Fn(&'c Artifact) -> Option<T>) -> Option<T> {
        self.artifacts.iter().rev().find_map(|(_, artifact)| pick(artifact))
    }

    /// The newest hypothesis that stands.
    pub fn hypothesis(&self) -> Option<&Hypothesis> {
        self.hypotheses.iter().rev().find(|h| h.refuted.is_none())
    }
}
