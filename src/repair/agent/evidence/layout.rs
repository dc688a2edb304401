//! Which methods are shown in full, and which by name: how the budget of an agent's code is spent.

use super::doc::doc;
use super::{Budget, select::Choice};
use crate::code::{Method, SourceFile};
use crate::domain::{LineSpan, Mark};
use crate::language::Language;
use crate::prompt::count_tokens;
use crate::tools::Workbench;
use std::sync::Arc;

/// A file of at most this many tokens is shown whole: cutting it would save less than it costs in doubt.
const SMALL_FILE: usize = 700;
/// Methods that lead are shown whole up to this size of all of them, even beyond the budget of all code.
const LEADERS: usize = 3000;
/// What is left at least for methods that do not lead.
const FOLLOWERS: usize = 600;
/// Methods whose weight is below this share of the hottest are not shown in full.
const LUKEWARM: f64 = 0.3;

/// What is shown of one file.
pub(super) struct Sheet<'b> {
    pub(super) file: &'b Arc<SourceFile>,
    pub(super) whole: bool,
    pub(super) full: Vec<&'b Method>,
    pub(super) named: Vec<&'b Method>,
    /// Methods in full whose documentation is shown too, not only its first sentence.
    pub(super) explained: Vec<LineSpan>,
}

impl<'b> Sheet<'b> {
    pub(super) fn of(file: &'b Arc<SourceFile>, whole: bool) -> Self {
        Self { file, whole, full: Vec::new(), named: Vec::new(), explained: Vec::new() }
    }
}

/// Spends the budget: leaders first, then the hottest methods, small files whole.
pub(super) fn lay_out<'b>(bench: &'b Workbench, choice: &Choice<'b>, marks: &[Mark], budget: Budget) -> Vec<Sheet<'b>> {
    let mut sheets: Vec<Sheet<'b>> = Vec::new();
    let (mut room, mut lead) = (budget.code, LEADERS);
    let top = choice.methods.iter().map(|chosen| chosen.weight).fold(0.0, f64::max);
    for (nth, chosen) in choice.methods.iter().enumerate() {
        let method = chosen.method;
        let Some(file) = bench.index.file(&method.file) else { continue };
        let wanted = chosen.weight >= top * LUKEWARM;
        let fits = |tokens: usize| (wanted && tokens <= room) || (chosen.leads && tokens <= lead);
        let mut spent = 0;
        let at = match sheets.iter().position(|sheet| sheet.file.path == file.path) {
            Some(at) => at,
            None => {
                let tokens = count_tokens(
                    file.lines(LineSpan { first: body_start(file, bench.language), last: file.line_count() }),
                );
                let whole = tokens <= SMALL_FILE && fits(tokens);
                spent = if whole { tokens } else { 0 };
                sheets.push(Sheet::of(file, whole));
                sheets.len() - 1
            }
        };
        if !sheets[at].whole {
            let explained = holds_mark(method, marks) || (nth == 0 && marks.is_empty());
            let tokens = count_tokens(bench.index.text(method)) + count_tokens(&doc(file, method, explained));
            if fits(tokens) {
                spent = tokens;
                sheets[at].full.push(method);
                sheets[at].explained.extend(explained.then_some(method.span));
            } else {
                sheets[at].named.push(method);
            }
        }
        room = room.saturating_sub(spent);
        if choice.methods.get(nth + 1).is_some_and(|next| chosen.leads && !next.leads) {
            room = room.max(FOLLOWERS.min(budget.code));
        }
        lead = lead.saturating_sub(if chosen.leads { spent } else { 0 });
    }
    add_unowned_marks(bench, marks, &mut sheets);
    sheets
}

fn holds_mark(method: &Method, marks: &[Mark]) -> bool {
    marks.iter().any(|mark| mark.location.file == method.file && method.span.contains(mark.location.line))
}

/// Marks outside every method (fields, imports) still need their file.
fn add_unowned_marks<'b>(bench: &'b Workbench, marks: &[Mark], sheets: &mut Vec<Sheet<'b>>) {
    for mark in marks {
        if !sheets.iter().any(|sheet| sheet.file.path == mark.location.file)
            && let Some(file) = bench.index.file(&mark.location.file)
        {
            let whole = count_tokens(&file.text) <= SMALL_FILE;
            sheets.push(Sheet::of(file, whole));
        }
    }
}

/// Skips a licence header: it says nothing about the bug.
pub(super) fn body_start(file: &SourceFile, language: &dyn Language) -> u32 {
    let block = language.block_comment();
    let first = file.text.lines().position(|line| {
        let line = line.trim_start();
        let in_block = block.is_some_and(|(opens, _)| line.starts_with(opens) || line.starts_with('*'));
        !(line.is_empty() || in_block || line.starts_with(language.line_comment()))
    });
    first.and_then(|n| u32::try_from(n + 1).ok()).unwrap_or(1)
}
