//! Smaller patches that still pass: delta debugging over hunks. A hunk stays whole: tests rarely tell a part of what
//! somebody wrote from all of it, and a part is a program that nobody has thought of.
//!
//! Source: Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input* (2002), with the test turned
//! round: what is kept is a part of the patch without which it does not pass. [`Minimiser`] is pure: it proposes a
//! smaller patch, whoever asks has it judged and answers.

mod ddmin;

use crate::domain::{FileChange, LineSpan, Patch, RepoPath};
use crate::language::{self, Language};
use ddmin::Ddmin;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::ops::Range;
use std::sync::Arc;

/// A part of one file's change: these bytes of the original become that.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Delta {
    file: usize,
    range: Range<usize>,
    text: Vec<u8>,
    /// Whether a judge's pass says that the part is not needed.
    judged: bool,
}

/// The search for a smaller patch that a judge still passes.
pub struct Minimiser<'a> {
    files: Vec<(RepoPath, Arc<[u8]>)>,
    /// New files come whole or not at all: they stay.
    added: Vec<FileChange>,
    language: &'a dyn Language,
    /// What may be left out.
    parts: Vec<Delta>,
    search: Ddmin,
    proposed: Option<Vec<usize>>,
}

impl<'a> Minimiser<'a> {
    /// Takes a patch that passes. `is_judged` says of lines of an original file whether the triggering tests run them:
    /// where they do not, no test can say that a part is not needed, and it stays.
    pub fn new(patch: &Patch, language: &'a dyn Language, is_judged: &dyn Fn(&RepoPath, LineSpan) -> bool) -> Self {
        let mut files = Vec::new();
        let mut added = Vec::new();
        let mut parts = Vec::new();
        for change in &patch.files {
            match &change.before {
                Some(before) => {
                    let path = &change.path;
                    parts.extend(hunks(before, &change.after, files.len(), &|span| is_judged(path, span)));
                    files.push((change.path.clone(), before.clone()));
                }
                None => added.push(change.clone()),
            }
        }
        let search = Ddmin::over(parts.iter().map(|part| !part.judged).collect());
        Self { files, added, language, parts, search, proposed: None }
    }

    /// The next smaller patch to judge; `None` when nothing more can be left out. Ask [`Minimiser::answer`] in between.
    pub fn propose(&mut self) -> Option<Patch> {
        loop {
            let remaining = self.search.propose()?;
            let patch = self.patch(&remaining);
            // A text that does not parse needs no judge; the original may have been broken before.
            if patch.is_empty() || !self.parses(&patch) {
                self.search.answer(false);
                continue;
            }
            self.proposed = Some(remaining);
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
        self.patch(&self.search.remaining)
    }

    fn patch(&self, remaining: &[usize]) -> Patch {
        let mut files = self.added.clone();
        for (number, (path, before)) in self.files.iter().enumerate() {
            let mut after = Vec::with_capacity(before.len());
            let mut at = 0;
            let mut chosen: Vec<&Delta> =
                remaining.iter().map(|&part| &self.parts[part]).filter(|delta| delta.file == number).collect();
            chosen.sort_by_key(|delta| delta.range.start);
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

#[cfg(test)]
mod tests;
