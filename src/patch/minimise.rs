//! Smaller patches that still pass: delta debugging over hunks, then over tokens.
//!
//! Source: Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input* (2002), with the test turned
//! round: what is kept is a part of the patch without which it does not pass. [`Minimiser`] is pure: it proposes a
//! smaller patch, whoever asks has it judged and answers.

use super::tokens::{Token, tokens};
use crate::domain::{FileChange, LineSpan, Patch, RepoPath};
use crate::language::{self, Language};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::ops::Range;
use std::sync::Arc;

/// More parts than this are not taken apart into single tokens.
const MAX_TOKENS: usize = 60;

/// A part of one file's change: these bytes of the original become that.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Delta {
    file: usize,
    range: Range<usize>,
    text: Vec<u8>,
    /// Whether a judge's pass says that the part is not needed.
    judged: bool,
}

/// Which grain is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grain {
    Hunks,
    Tokens,
    Done,
}

/// One minimisation.
pub struct Minimiser<'a> {
    files: Vec<(RepoPath, Arc<[u8]>)>,
    /// New files come whole or not at all: they stay.
    added: Vec<FileChange>,
    language: &'a dyn Language,
    grain: Grain,
    deltas: Vec<Delta>,
    search: Ddmin,
    proposed: Option<Vec<usize>>,
}

impl<'a> Minimiser<'a> {
    /// Takes a patch that passes. `is_judged` says of lines of an original file whether the triggering tests run them:
    /// where they do not, no test can say that a part is not needed, and it stays.
    pub fn new(patch: &Patch, language: &'a dyn Language, is_judged: &dyn Fn(&RepoPath, LineSpan) -> bool) -> Self {
        let mut files = Vec::new();
        let mut added = Vec::new();
        let mut deltas = Vec::new();
        for change in &patch.files {
            match &change.before {
                Some(before) => {
                    let path = &change.path;
                    deltas.extend(hunks(before, &change.after, files.len(), &|span| is_judged(path, span)));
                    files.push((change.path.clone(), before.clone()));
                }
                None => added.push(change.clone()),
            }
        }
        let search = Ddmin::over(&deltas);
        Self { files, added, language, grain: Grain::Hunks, deltas, search, proposed: None }
    }

    /// The next smaller patch to judge; `None` when nothing more can be left out. Ask [`Minimiser::answer`] in between.
    pub fn propose(&mut self) -> Option<Patch> {
        loop {
            if self.grain == Grain::Done {
                return None;
            }
            let Some(kept) = self.search.propose() else {
                self.refine();
                continue;
            };
            let patch = self.patch(&kept);
            // A text that does not parse needs no judge; the original may have been broken before.
            if patch.is_empty() || !self.parses(&patch) {
                self.search.answer(false);
                continue;
            }
            self.proposed = Some(kept);
            return Some(patch);
        }
    }

    /// Takes the judge's answer on the last proposal.
    pub fn answer(&mut self, passes: bool) {
        if self.proposed.take().is_some() {
            self.search.answer(passes);
        }
    }

    /// The smallest patch so far that passes.
    pub fn best(&self) -> Patch {
        self.patch(&self.search.kept)
    }

    /// From hunks to tokens, from tokens to the end.
    fn refine(&mut self) {
        let kept: Vec<Delta> = self.search.kept.iter().map(|&at| self.deltas[at].clone()).collect();
        if self.grain == Grain::Tokens {
            self.grain = Grain::Done;
            return;
        }
        self.grain = Grain::Tokens;
        self.deltas = kept.iter().flat_map(|delta| fine(delta, &self.files[delta.file].1)).collect();
        if self.deltas.len() > MAX_TOKENS {
            self.deltas = kept;
        }
        self.search = Ddmin::over(&self.deltas);
    }

    fn patch(&self, kept: &[usize]) -> Patch {
        let mut files = self.added.clone();
        for (number, (path, before)) in self.files.iter().enumerate() {
            let mut after = Vec::with_capacity(before.len());
            let mut at = 0;
            let mut chosen: Vec<&Delta> =
                kept.iter().map(|&delta| &self.deltas[delta]).filter(|delta| delta.file == number).collect();
            chosen.sort_by_key(|delta| (delta.range.start, delta.range.end));
            for delta in chosen {
                after.extend_from_slice(&before[at..delta.range.start]);
                after.extend_from_slice(&delta.text);
                at = delta.range.end;
            }
            after.extend_from_slice(&before[at..]);
            if *after != **before {
                files.push(FileChange { path: path.clone(), before: Some(before.clone()), after: after.into() });
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Patch { files }
    }

    fn parses(&self, patch: &Patch) -> bool {
        let errors = |bytes: &[u8]| {
            language::parse(&String::from_utf8_lossy(bytes), self.language)
                .is_some_and(|tree| tree.root_node().has_error())
        };
        patch.files.iter().all(|file| !errors(&file.after) || file.before.as_deref().is_some_and(errors))
    }
}

/// The hunks of a changed file, each with the bytes it replaces.
fn hunks(before: &[u8], after: &[u8], file: usize, is_judged: &dyn Fn(LineSpan) -> bool) -> Vec<Delta> {
    let (old, new) = (lines(before), lines(after));
    let (old_starts, new_starts) = (starts(&old), starts(&new));
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let ops = capture_diff_slices(Algorithm::Patience, &old, &new).into_iter();
    ops.filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| {
            let (from, to) = (op.old_range(), op.new_range());
            // What is only added is judged by the lines around it.
            let around = if from.is_empty() { from.start.saturating_sub(1)..from.end + 1 } else { from.clone() };
            let span = LineSpan { first: number(around.start + 1), last: number(around.end.min(old.len())) };
            Delta {
                file,
                range: old_starts[from.start]..old_starts[from.end],
                text: after[new_starts[to.start]..new_starts[to.end]].to_vec(),
                judged: is_judged(span),
            }
        })
        .collect()
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n').collect()
}

/// Where each line starts, and the end.
fn starts(lines: &[&[u8]]) -> Vec<usize> {
    let mut at = 0;
    let mut starts = vec![0];
    for line in lines {
        at += line.len();
        starts.push(at);
    }
    starts
}

/// The tokens of a hunk that differ, each a part of its own. White space and comments belong to the token behind them.
fn fine(delta: &Delta, before: &[u8]) -> Vec<Delta> {
    let old_bytes = &before[delta.range.clone()];
    let (old, new) = (tokens(old_bytes), tokens(&delta.text));
    let core = |tokens: &[Token], bytes: &[u8]| -> Vec<Vec<u8>> {
        tokens.iter().map(|token| bytes[token.core.clone()].to_vec()).collect()
    };
    let ops = capture_diff_slices(Algorithm::Myers, &core(&old, old_bytes), &core(&new, &delta.text));
    let edge = |tokens: &[Token], at: usize, end: usize| tokens.get(at).map_or(end, |token| token.start);
    let mut parts = Vec::new();
    for op in ops.into_iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
        let (from, to) = (op.old_range(), op.new_range());
        let (from_end, to_end) = (edge(&old, from.end, old_bytes.len()), edge(&new, to.end, delta.text.len()));
        let (from, to_start) = (edge(&old, from.start, old_bytes.len())..from_end, to.start);
        let range = delta.range.start + from.start..delta.range.start + from.end;
        if from.is_empty() && to.len() > 1 {
            // Added tokens one by one, all at the same place and in their order.
            parts.extend(to.map(|at| {
                let end = edge(&new, at + 1, to_end).min(to_end);
                Delta { range: range.clone(), text: delta.text[new[at].start..end].to_vec(), ..delta.clone() }
            }));
        } else {
            let text = delta.text[edge(&new, to_start, delta.text.len())..to_end].to_vec();
            parts.push(Delta { range, text, ..delta.clone() });
        }
    }
    if parts.is_empty() { vec![delta.clone()] } else { parts }
}

/// The search for parts that are not needed: ever smaller groups are left out.
struct Ddmin {
    kept: Vec<usize>,
    /// Parts that may not be left out.
    fixed: Vec<bool>,
    groups: usize,
    at: usize,
    trial: Vec<usize>,
}

impl Ddmin {
    fn over(deltas: &[Delta]) -> Self {
        let fixed: Vec<bool> = deltas.iter().map(|delta| !delta.judged).collect();
        Self { kept: (0..deltas.len()).collect(), fixed, groups: 2, at: 0, trial: Vec::new() }
    }

    fn propose(&mut self) -> Option<Vec<usize>> {
        loop {
            let loose: Vec<usize> = self.kept.iter().copied().filter(|&at| !self.fixed[at]).collect();
            if self.kept.len() < 2 || loose.is_empty() {
                return None;
            }
            let groups = self.groups.min(loose.len());
            if self.at >= groups {
                if groups >= loose.len() {
                    return None;
                }
                (self.groups, self.at) = (2 * groups, 0);
                continue;
            }
            let (from, to) = (self.at * loose.len() / groups, (self.at + 1) * loose.len() / groups);
            let out = &loose[from..to];
            self.trial = self.kept.iter().copied().filter(|at| !out.contains(at)).collect();
            if self.trial.is_empty() {
                self.at += 1;
                continue;
            }
            return Some(self.trial.clone());
        }
    }

    fn answer(&mut self, passes: bool) {
        if passes {
            self.kept = std::mem::take(&mut self.trial);
            self.groups = self.groups.saturating_sub(1).max(2);
        } else {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests;
