//! Whether a first prompt holds what a repair needs: every method that the developer changed, in full.

use super::Evidence;
use crate::agent::profile::ContractKind;
use crate::domain::{CaseFile, LineSpan, Ranking, RepoPath};
use crate::prompt::count_tokens;
use crate::tools::Workbench;
use std::collections::BTreeSet;

/// A way to choose what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// What level 1 shows: what the failing tests reach, by coverage, calls and names.
    LevelOne,
    /// The same with the values of the failing run, which are looked up before.
    WithValues,
    /// What Slicer is shown on level 2: the bug-located file, or of it what the failing tests reach.
    LevelTwo,
    /// FixAgent's bug metadata: the bug-located file, whole up to a limit.
    WholeFile,
}

impl Selection {
    /// All, in the order of tables.
    pub const ALL: [Self; 4] = [Self::LevelOne, Self::WithValues, Self::LevelTwo, Self::WholeFile];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::LevelOne => "level 1",
            Self::WithValues => "level 1, values",
            Self::LevelTwo => "level 2",
            Self::WholeFile => "whole file",
        }
    }

    /// The first prompt's evidence, chosen this way.
    pub(crate) fn evidence(self, bench: &Workbench) -> Evidence {
        let case = CaseFile::default();
        match self {
            Self::LevelOne | Self::WithValues => Evidence::to_locate(bench, &case),
            Self::LevelTwo => Evidence::to_slice(bench, &case),
            Self::WholeFile => Evidence::metadata(ContractKind::Marks, bench, &case, None),
        }
    }
}

/// What a selection shows of a bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Methods of the repair that are shown in full.
    pub methods: usize,
    /// Methods of the repair.
    pub of: usize,
    /// Tokens of the evidence, at four characters each.
    pub tokens: usize,
}

impl Held {
    /// Whether all of them are shown.
    pub fn complete(&self) -> bool {
        self.methods == self.of
    }
}

/// The methods in which the lines of a ranking lie; for the developer's lines, what the repair changes.
pub fn methods_of(bench: &Workbench, lines: &Ranking) -> BTreeSet<(RepoPath, LineSpan)> {
    let method = |place: &crate::domain::Location| bench.index.method_at(&place.file, place.line);
    lines.lines.iter().filter_map(|s| method(&s.location)).map(|m| (m.file.clone(), m.span)).collect()
}

/// What of these methods a selection shows.
pub fn held(bench: &Workbench, methods: &BTreeSet<(RepoPath, LineSpan)>, selection: Selection) -> Held {
    let evidence = selection.evidence(bench);
    let inside = |span: &LineSpan, line: u32| span.contains(line);
    let is_shown =
        |file: &RepoPath, line: u32| evidence.shown.iter().any(|(path, span)| path == file && inside(span, line));
    let shown = methods.iter().filter(|(file, span)| (span.first..=span.last).all(|line| is_shown(file, line)));
    Held { methods: shown.count(), of: methods.len(), tokens: count_tokens(&evidence.text()) }
}
