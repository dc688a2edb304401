//! From the hunks of a diff to edits of a file: choosing among places, moving code to where it goes, refusing well.

use super::PatchError;
use super::diff::{DiffLine, Hunk, Role};
use super::indent::{indent_of, shifted};
use super::original::{Original, Splice, unappliable};
use super::seek::{Alignment, Haystack};
use crate::language::Language;
use std::fmt::Write;

/// Lines of the file that a refusal shows.
const SHOWN_LINES: usize = 12;
/// Places that a refusal of an ambiguous hunk names.
const SHOWN_PLACES: usize = 8;

/// Edits of one file by the hunks of a diff.
///
/// # Errors
/// Names the first hunk that has no place or several, with the nearest lines.
pub(super) fn edits(
    file: &Original,
    hunks: &[Hunk],
    language: &'static dyn Language,
) -> Result<Vec<Splice>, PatchError> {
    let haystack = Haystack::new(file, language);
    let mut places = Vec::with_capacity(hunks.len());
    for (number, hunk) in hunks.iter().enumerate() {
        let found = haystack.places(&hunk.lines);
        if found.is_empty() {
            return Err(unappliable(misfit(&haystack, hunk, number, hunks.len())));
        }
        places.push(found);
    }
    choose(&haystack, hunks, &mut places)?;
    let mut splices = Vec::new();
    for (hunk, places) in hunks.iter().zip(&places) {
        if let Some(alignment) = places.first() {
            hunk_edits(file, hunk, alignment, &mut splices);
        }
    }
    Ok(splices)
}

fn first_line(alignment: &Alignment) -> usize {
    alignment.iter().flatten().min().copied().unwrap_or(0)
}

fn last_line(alignment: &Alignment) -> usize {
    alignment.iter().flatten().max().copied().unwrap_or(0)
}

/// Leaves one place for each hunk. Hunks stand in the order of the file, so neighbours with one place bound the others;
/// then the heading of the hunk decides, then its line number.
fn choose(haystack: &Haystack<'_>, hunks: &[Hunk], places: &mut [Vec<Alignment>]) -> Result<(), PatchError> {
    for at in 0..places.len() {
        if places[at].len() == 1 {
            continue;
        }
        let below = (0..at).rev().find(|&i| places[i].len() == 1).map(|i| last_line(&places[i][0]));
        let above = (at + 1..places.len()).find(|&i| places[i].len() == 1).map(|i| first_line(&places[i][0]));
        let between = |place: &Alignment| {
            below.is_none_or(|below| first_line(place) > below) && above.is_none_or(|above| last_line(place) < above)
        };
        keep_if_any(&mut places[at], between);
        keep_if_any(&mut places[at], |place| under_heading(haystack, &hunks[at].heading, first_line(place)));
        // As many equal hunks as places: each has its own.
        let twins = (at..places.len()).take_while(|&i| hunks[i].lines == hunks[at].lines).count();
        if places[at].len() == twins {
            for (i, place) in places[at].clone().into_iter().enumerate() {
                places[at + i] = vec![place];
            }
            continue;
        }
        if let Some(hint) = hunks[at].hint {
            let nearest = places[at].iter().map(|place| first_line(place).abs_diff(hint.saturating_sub(1))).min();
            keep_if_any(&mut places[at], |place| Some(first_line(place).abs_diff(hint.saturating_sub(1))) == nearest);
        }
        if places[at].len() > 1 {
            let lines: Vec<_> =
                places[at].iter().take(SHOWN_PLACES).map(|place| (first_line(place) + 1).to_string()).collect();
            return Err(unappliable(format!(
                "hunk {} of {} fits {} places of {} (lines {}); show more unchanged lines around the change",
                at + 1,
                hunks.len(),
                places[at].len(),
                haystack.file.path,
                lines.join(", ")
            )));
        }
    }
    Ok(())
}

fn keep_if_any(places: &mut Vec<Alignment>, wanted: impl Fn(&Alignment) -> bool) {
    if places.iter().any(&wanted) {
        places.retain(wanted);
    }
}

/// Whether the nearest line above that could be a heading is the given one: it is less indented than the place.
fn under_heading(haystack: &Haystack<'_>, heading: &str, line: usize) -> bool {
    let file = haystack.file;
    let squeeze = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let wanted = squeeze(heading);
    if wanted.is_empty() {
        return false;
    }
    let Some(found) = (0..line.min(file.line_count())).rev().find(|&n| squeeze(file.line(n)).starts_with(&wanted))
    else {
        return false;
    };
    // Between the heading and the place nothing may be indented less than the heading: that would be another body.
    let depth = indent_of(file.line(found)).len();
    let inner = |n: usize| haystack.is_blank(n) || indent_of(file.line(n)).len() > depth;
    (found + 1..line).all(|n| inner(n) || file.line(n).trim() == "{")
}

/// Edits of one hunk at its place.
fn hunk_edits(file: &Original, hunk: &Hunk, alignment: &Alignment, splices: &mut Vec<Splice>) {
    let mut cursor = alignment.iter().flatten().next().copied().unwrap_or(0);
    let mut at = 0;
    while at < hunk.lines.len() {
        match (hunk.lines[at].role, alignment[at]) {
            (Role::Context, line) => {
                cursor = line.map_or(cursor, |line| line + 1);
                at += 1;
            }
            (Role::Delete, None) => at += 1,
            _ => at = run(file, hunk, alignment, at, &mut cursor, splices),
        }
    }
    final_line_end(file, hunk, alignment, splices);
}

/// One run of deleted and inserted lines. Deleted lines that are neighbours in the file and the lines inserted with
/// them are one edit, so that the order of `+` and `-` inside of the run does not matter.
fn run(
    file: &Original,
    hunk: &Hunk,
    alignment: &Alignment,
    start: usize,
    cursor: &mut usize,
    splices: &mut Vec<Splice>,
) -> usize {
    let end = (start..hunk.lines.len()).find(|&i| hunk.lines[i].role == Role::Context).unwrap_or(hunk.lines.len());
    let deleted: Vec<usize> = (start..end).filter_map(|i| alignment[i]).collect();
    let mut new = Vec::new();
    for i in (start..end).filter(|&i| hunk.lines[i].role == Role::Insert) {
        let (from, to) = indentation(file, hunk, alignment, i);
        new.push(shifted(&hunk.lines[i].text, from, to));
    }
    // Where the inserted lines go: to the first deleted line, else below the last line of context.
    let place = deleted.first().copied().unwrap_or(*cursor);
    let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
    for &line in &deleted {
        match ranges.last_mut() {
            Some(last) if last.end == line => last.end = line + 1,
            _ => ranges.push(line..line + 1),
        }
    }
    if ranges.is_empty() {
        ranges.push(place..place);
    }
    for (i, range) in ranges.into_iter().enumerate() {
        *cursor = (*cursor).max(range.end);
        splices.push(file.replace_lines(range, if i == 0 { &new } else { &[] }));
    }
    end
}

/// How the hunk and the file indent the nearest line that both have: what was written beside it moves with it.
fn indentation<'a>(file: &'a Original, hunk: &'a Hunk, alignment: &Alignment, at: usize) -> (&'a str, &'a str) {
    let both = |i: usize| {
        let line = alignment[i]?;
        let text = hunk.lines[i].text.as_str();
        (!text.trim().is_empty()).then(|| (indent_of(text), indent_of(file.line(line))))
    };
    (0..at).rev().find_map(both).or_else(|| (at..hunk.lines.len()).find_map(both)).unwrap_or(("", ""))
}

/// A hunk that shows the end of the file and marks only one side as open changes the final line end.
fn final_line_end(file: &Original, hunk: &Hunk, alignment: &Alignment, splices: &mut [Splice]) {
    let last = file.line_count().saturating_sub(1);
    if last_line(alignment) != last {
        return;
    }
    let open = |old: bool| {
        let skipped = if old { Role::Insert } else { Role::Delete };
        hunk.lines.iter().rev().find(|line| line.role != skipped).is_some_and(|line| line.open_end)
    };
    let Some(splice) = splices.last_mut().filter(|splice| splice.range.end == file.text.len()) else { return };
    let end = file.line_end(last);
    match (open(true), open(false)) {
        (false, true) if splice.text.ends_with(end) => splice.text.truncate(splice.text.len() - end.len()),
        // What is left must have a last line that the line end can belong to.
        (true, false) if file.ends_open() && hunk.lines.iter().any(|line| line.role != Role::Delete) => {
            splice.text.push_str(end);
        }
        _ => {}
    }
}

/// Why a hunk has no place, with the nearest lines of the file.
fn misfit(haystack: &Haystack<'_>, hunk: &Hunk, number: usize, of: usize) -> String {
    let file = haystack.file;
    let mut message = format!("hunk {} of {of} does not fit {}", number + 1, file.path);
    let code = |line: &&DiffLine| line.role != Role::Insert && !line.text.trim().is_empty();
    if !hunk.lines.iter().any(|line| code(&line)) {
        message.push_str(": it only inserts, and shows no unchanged line to find its place by");
        return message;
    }
    let Some(at) = haystack.nearest(&hunk.lines) else {
        let _ = write!(message, ": no line of it is in the file, which has {} lines", file.line_count());
        return message;
    };
    match haystack.first_stranger(&hunk.lines, at) {
        Some(line) => {
            let _ = write!(message, ": `{}` is not there", line.text.trim());
        }
        None => message.push_str(": its lines are there, but not in this order or with others between them"),
    }
    let _ = write!(message, "; the nearest lines are\n{}", numbered(file, at.saturating_sub(2), SHOWN_LINES));
    message
}

/// Lines of a file with their numbers, counted from 1.
pub(super) fn numbered(file: &Original, from: usize, most: usize) -> String {
    let lines = (from..file.line_count()).take(most).map(|n| format!("{:>5} | {}", n + 1, file.line(n)));
    lines.collect::<Vec<_>>().join("\n")
}
