//! All that is known and made of one bug in one attempt: what an agent reads, and nothing else.

use super::{AgentName, Artifact, Hypothesis, Mark, PatchAttempt};

/// Artifacts, hypotheses and tried patches, in the order in which they came.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CaseFile {
    /// Products of agents; a later one of the same kind replaces an earlier one for readers.
    pub artifacts: Vec<(AgentName, Artifact)>,
    /// Hypotheses, refuted ones too.
    pub hypotheses: Vec<Hypothesis>,
    /// Patches that were judged, with the judge's answers.
    pub attempts: Vec<PatchAttempt>,
    /// What the built-in engine found out before the first paid call, for people and models.
    pub engine_notes: Vec<String>,
}

impl CaseFile {
    /// Locator's newest marks with its explanation.
    pub fn marks(&self) -> Option<(&[Mark], &str)> {
        self.artifacts.iter().rev().find_map(|(_, artifact)| match artifact {
            Artifact::Marks { marks, explanation } => Some((marks.as_slice(), explanation.as_str())),
            _ => None,
        })
    }

    /// The newest hypothesis that stands.
    pub fn hypothesis(&self) -> Option<&Hypothesis> {
        self.hypotheses.iter().rev().find(|h| h.refuted.is_none())
    }
}
