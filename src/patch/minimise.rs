//! Smaller patches that still pass: delta debugging over hunks, then over tokens.
//!
//! Source: Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input* (2002), with the test turned
//! round: what is kept is a part of the patch without which it does not pass. [`Minimiser`] is pure: it proposes a
//! smaller patch, whoever asks has it judged and answers.

mod ddmin;

use super::tokens::{Token, is_word, tokens};
use crate::domain::{FileChange, LineSpan, Patch, RepoPath};
use crate::language::{self, Language};
use ddmin::Ddmin;
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
    /// Place among the parts of the same offset.
    order: usize,
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
    /// What may be left out, each part as a whole.
    parts: Vec<Vec<Delta>>,
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
        let parts: Vec<Vec<Delta>> = deltas.into_iter().map(|hunk| vec![hunk]).collect();
        let search = Ddmin::over(fixed(&parts));
        Self { files, added, language, grain: Grain::Hunks, parts, search, proposed: None }
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

    /// How many parts the patch has at the grain that is looked at: hunks first.
    pub fn parts(&self) -> usize {
        self.search.kept.len()
    }

    /// The smallest patch so far that passes.
    pub fn best(&self) -> Patch {
        self.patch(&self.search.kept)
    }

    /// From hunks to tokens, from tokens to the end.
    fn refine(&mut self) {
        if self.grain == Grain::Tokens {
            self.grain = Grain::Done;
            return;
        }
        self.grain = Grain::Tokens;
        let kept: Vec<Delta> = self.search.kept.iter().flat_map(|&at| self.parts[at].clone()).collect();
        let parts = |hunk: &Delta| paired(fine(hunk, &self.files[hunk.file].1, self.language));
        let fine: Vec<Vec<Delta>> = kept.iter().flat_map(parts).collect();
        let few = fine.len() <= MAX_TOKENS;
        self.parts = if few { fine } else { kept.into_iter().map(|hunk| vec![hunk]).collect() };
        self.search = Ddmin::over(fixed(&self.parts));
    }

    fn patch(&self, kept: &[usize]) -> Patch {
        let mut files = self.added.clone();
        for (number, (path, before)) in self.files.iter().enumerate() {
            let mut after = Vec::with_capacity(before.len());
            let mut at = 0;
            let mut chosen: Vec<&Delta> =
                kept.iter().flat_map(|&part| &self.parts[part]).filter(|delta| delta.file == number).collect();
            chosen.sort_by_key(|delta| (delta.range.start, delta.order));
            for delta in chosen {
                append(&mut after, &before[at..delta.range.start]);
                append(&mut after, &delta.text);
                at = delta.range.end;
            }
            append(&mut after, &before[at..]);
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

/// Of each part, whether it may not be left out.
fn fixed(parts: &[Vec<Delta>]) -> Vec<bool> {
    parts.iter().map(|part| part.iter().any(|delta| !delta.judged)).collect()
}

/// Appends bytes; words that what is left out stood between stay two words.
fn append(text: &mut Vec<u8>, bytes: &[u8]) {
    let joins = text.last().copied().is_some_and(is_word) && bytes.first().copied().is_some_and(is_word);
    if joins {
        text.push(b' ');
    }
    text.extend_from_slice(bytes);
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
                order: 0,
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

/// The tokens of a hunk that differ, each a part of its own. White space and comments belong to the token behind them;
/// where they alone differ they stay as the patch has them.
fn fine(delta: &Delta, before: &[u8], language: &dyn Language) -> Vec<Delta> {
    let old = Text::of(&before[delta.range.clone()], language);
    let new = Text::of(&delta.text, language);
    let mut parts = Vec::new();
    let mut part = |from: Range<usize>, to: Range<usize>, judged: bool| {
        if old.bytes[from.clone()] != new.bytes[to.clone()] {
            let range = delta.range.start + from.start..delta.range.start + from.end;
            let text = new.bytes[to].to_vec();
            let order = parts.len();
            parts.push(Delta { file: delta.file, range, text, order, judged: judged && delta.judged });
        }
    };
    for op in capture_diff_slices(Algorithm::Myers, &old.cores(), &new.cores()) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                for nth in 0..len {
                    part(old.space(old_index + nth), new.space(new_index + nth), false);
                }
            }
            // Added tokens one by one, all at the same place and in their order.
            DiffOp::Insert { old_index, new_index, new_len } => {
                let at = old.start(old_index);
                for nth in new_index..new_index + new_len {
                    part(at..at, new.start(nth)..new.start(nth + 1), true);
                }
            }
            DiffOp::Delete { .. } | DiffOp::Replace { .. } => {
                let (from, to) = (op.old_range(), op.new_range());
                part(old.start(from.start)..old.start(from.end), new.start(to.start)..new.start(to.end), true);
            }
        }
    }
    part(old.end()..old.bytes.len(), new.end()..new.bytes.len(), false);
    parts
}

/// Added brackets with their partners: one without the other never parses.
fn paired(deltas: Vec<Delta>) -> Vec<Vec<Delta>> {
    let mut parts: Vec<Vec<Delta>> = Vec::new();
    let mut open: Vec<(u8, usize)> = Vec::new();
    for delta in deltas {
        let sign = match delta.text.trim_ascii() {
            [sign] if delta.range.is_empty() => *sign,
            _ => 0,
        };
        let opener = match sign {
            b')' => b'(',
            b'}' => b'{',
            b']' => b'[',
            _ => 0,
        };
        if open.last().is_some_and(|(last, _)| *last == opener) {
            if let Some((_, part)) = open.pop() {
                parts[part].push(delta);
            }
            continue;
        }
        if matches!(sign, b'(' | b'{' | b'[') {
            open.push((sign, parts.len()));
        }
        parts.push(vec![delta]);
    }
    parts
}

/// Bytes with their tokens.
struct Text<'b> {
    bytes: &'b [u8],
    tokens: Vec<Token>,
}

impl<'b> Text<'b> {
    fn of(bytes: &'b [u8], language: &dyn Language) -> Self {
        Self { bytes, tokens: tokens(bytes, language) }
    }

    fn cores(&self) -> Vec<&'b [u8]> {
        self.tokens.iter().map(|token| &self.bytes[token.core.clone()]).collect()
    }

    /// Where the last token ends.
    fn end(&self) -> usize {
        self.tokens.last().map_or(0, |token| token.core.end)
    }

    /// Where the white space in front of a token starts; behind the last one its end.
    fn start(&self, at: usize) -> usize {
        self.tokens.get(at).map_or(self.end(), |token| token.start)
    }

    /// The white space in front of a token.
    fn space(&self, at: usize) -> Range<usize> {
        self.tokens.get(at).map_or(0..0, |token| token.start..token.core.start)
    }
}

#[cfg(test)]
mod tests;
