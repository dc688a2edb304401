//! Locator's answer: marked code, whose marks are mapped onto lines of the original by matching the context.
//!
//! Only the places of the marks are taken from the answer; the code itself is always the original (FixAgent, section
//! 3.1: marks by contextual string matching).

use crate::code::SourceFile;
use crate::domain::{Location, Mark, MarkKind, Refusal};
use std::sync::Arc;

/// Lines of context on each side that decide between equal lines.
const CONTEXT: usize = 6;

/// A line of the marked code.
struct Line {
    /// Code without its mark, white space folded away; empty for blank lines, comments and mark lines.
    code: String,
    mark: Option<(MarkKind, String)>,
}

/// Maps the marks of a snippet onto the first file in which all of them are found; where there is none, each onto the
/// file whose code agrees best with what stands around it.
///
/// # Errors
/// No mark at all, or a mark whose line stands in none of the files; the text names it and the nearest lines.
pub(crate) fn map(snippet: &str, files: &[&Arc<SourceFile>], comment: &str) -> Result<Vec<Mark>, Refusal> {
    let lines: Vec<Line> = snippet.lines().map(|line| read(line, comment)).collect();
    if !lines.iter().any(|line| line.mark.is_some()) {
        return Err(format!("it holds neither `{comment} buggy line` nor `{comment} missing line`").into());
    }
    let mut first_problem = None;
    for file in files {
        match map_in(&lines, file, comment) {
            Ok(marks) => return Ok(marks),
            Err(problem) => {
                first_problem.get_or_insert(problem);
            }
        }
    }
    if let Some(marks) = across(&lines, files, comment) {
        return Ok(marks);
    }
    Err(first_problem.unwrap_or_else(|| "no product file was shown, so `file_path` is needed".into()))
}

/// Each mark in the file that agrees best; nothing when one of them is found nowhere.
fn across(lines: &[Line], files: &[&Arc<SourceFile>], comment: &str) -> Option<Vec<Mark>> {
    let originals: Vec<Vec<String>> = files.iter().map(|file| codes(file, comment)).collect();
    let mut marks = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((kind, note)) = &line.mark else { continue };
        let (anchor, shift) = anchor(lines, at)?;
        let found = originals.iter().zip(files).filter_map(|(original, file)| {
            let (score, at) = seek(lines, anchor, original)?;
            Some((score, at, *file))
        });
        // Of equals the first file counts: the bug-located one comes first.
        let (_, found, file) = found.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        marks.push(mark(file, found, shift, *kind, note));
    }
    Some(in_order(marks))
}

fn map_in(lines: &[Line], file: &SourceFile, comment: &str) -> Result<Vec<Mark>, Refusal> {
    let original = codes(file, comment);
    let mut marks = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((kind, note)) = &line.mark else { continue };
        let (anchor, shift) = anchor(lines, at).ok_or("a mark stands alone, without any line of the code around it")?;
        let found = seek(lines, anchor, &original).ok_or_else(|| not_found(&lines[anchor].code, &original, file))?;
        marks.push(mark(file, found.1, shift, *kind, note));
    }
    Ok(in_order(marks))
}

/// The lines of a file as they are compared.
fn codes(file: &SourceFile, comment: &str) -> Vec<String> {
    file.text.lines().map(|line| read(line, comment).code).collect()
}

/// The line that a mark belongs to, and how far before it the mark means: one that stands alone means after the line
/// before it, or else before the line after it.
fn anchor(lines: &[Line], at: usize) -> Option<(usize, u32)> {
    if !lines[at].code.is_empty() {
        return Some((at, 0));
    }
    match (0..at).rev().find(|&i| !lines[i].code.is_empty() && lines[i].code != ELLIPSIS) {
        Some(before) => Some((before, 0)),
        None => Some(((at + 1..lines.len()).find(|&i| !lines[i].code.is_empty())?, 1)),
    }
}

fn mark(file: &SourceFile, found: usize, shift: u32, kind: MarkKind, note: &str) -> Mark {
    let number = u32::try_from(found + 1).unwrap_or(u32::MAX);
    let line = number.saturating_sub(shift).max(1);
    Mark { location: Location { file: file.path.clone(), line }, kind, note: note.to_owned() }
}

fn in_order(mut marks: Vec<Mark>) -> Vec<Mark> {
    marks.sort();
    marks.dedup_by(|a, b| a.location == b.location && a.kind == b.kind);
    marks
}

/// What stands for left-out code in an answer.
const ELLIPSIS: &str = "...";

/// The agreement and the place of an original line that equals the anchor: the one with most equal lines around it, of
/// several the first.
fn seek(lines: &[Line], anchor: usize, original: &[String]) -> Option<(usize, usize)> {
    let wanted = &lines[anchor].code;
    let mut best: Option<(usize, usize)> = None;
    for (at, _) in original.iter().enumerate().filter(|(_, line)| *line == wanted) {
        let score = agreement(lines[..anchor].iter().rev(), original[..at].iter().rev())
            + agreement(lines[anchor + 1..].iter(), original[at + 1..].iter());
        if best.is_none_or(|(top, _)| score > top) {
            best = Some((score, at));
        }
    }
    best
}

/// How many of the next lines with code agree, in order, before the first that does not.
fn agreement<'l>(answer: impl Iterator<Item = &'l Line>, original: impl Iterator<Item = &'l String>) -> usize {
    let answer = answer.map(|line| &line.code).filter(|code| !code.is_empty());
    let original = original.filter(|code| !code.is_empty());
    answer.zip(original).take(CONTEXT).take_while(|(a, b)| a == b).count()
}

fn not_found(wanted: &str, original: &[String], file: &SourceFile) -> String {
    let mut near: Vec<(f64, usize)> = original
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
        .map(|(at, line)| (strsim::normalized_levenshtein(line, wanted), at))
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let nearest: Vec<String> = near
        .iter()
        .take(2)
        .filter_map(|&(_, at)| {
            let number = u32::try_from(at + 1).ok()?;
            Some(format!("line {number}: {}", file.line(number)?.trim()))
        })
        .collect();
    format!("the line `{wanted}` does not stand in {}; nearest: {}", file.path, nearest.join(" | "))
}

/// Splits a line into code and mark. White space is folded away, so that indentation and wrapping in the answer do
/// not matter; a comment that is no mark is dropped on both sides.
fn read(line: &str, comment: &str) -> Line {
    let (code, tail) = match split_comment(line, comment) {
        Some((code, tail)) => (code, tail.trim()),
        None => (line, ""),
    };
    let squeezed: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let squeezed = if squeezed == "…" { ELLIPSIS.to_owned() } else { squeezed };
    // The line may have had a comment of its own before the mark came behind it.
    let mark = std::iter::once(tail)
        .chain(tail.match_indices(comment).map(|(at, sign)| tail[at + sign.len()..].trim_start()))
        .find_map(mark_of);
    Line { code: squeezed, mark }
}

fn mark_of(tail: &str) -> Option<(MarkKind, String)> {
    let lower = tail.to_ascii_lowercase();
    for (word, kind) in
        [("buggy line", MarkKind::Buggy), ("missing line", MarkKind::Missing), ("missing code", MarkKind::Missing)]
    {
        if let Some(rest) = lower.strip_prefix(word) {
            let note = tail.get(tail.len() - rest.len()..).unwrap_or("");
            return Some((kind, note.trim_matches(|c: char| c == ':' || c.is_whitespace()).to_owned()));
        }
    }
    None
}

/// Splits at the first comment start that is not inside a string literal, as far as one line tells.
fn split_comment<'l>(line: &'l str, comment: &str) -> Option<(&'l str, &'l str)> {
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None => {
                if let Some(tail) = line[at..].strip_prefix(comment) {
                    return Some((&line[..at], tail));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::outline_text;
    use crate::domain::RepoPath;
    use crate::language::Java;

    const CODE: &str = "class A {\n  int f(int n) {\n    int s = 0; // start\n    for (int i = 0; i < n; i++) {\n      s += i;\n    }\n    return s;\n  }\n  int g(int n) {\n    int s = 0;\n    String t = \"//\";\n    return s;\n  }\n}\n";

    fn file() -> Arc<SourceFile> {
        Arc::new(outline_text(&RepoPath::new("A.java").unwrap(), CODE, &Java))
    }

    fn lines(snippet: &str) -> Result<Vec<(u32, MarkKind)>, Refusal> {
        map(snippet, &[&file()], "//").map(|marks| marks.iter().map(|m| (m.location.line, m.kind)).collect())
    }

    #[test]
    fn marks_land_on_the_original_lines() {
        assert_eq!(lines("for (int i=0; i<n; i++) { // buggy line\n  s += i;"), Ok(vec![(4, MarkKind::Buggy)]));
        assert_eq!(
            lines("int s = 0;\n// missing line\nfor (int i = 0; i < n; i++) {"),
            Ok(vec![(3, MarkKind::Missing)])
        );
    }

    #[test]
    fn a_mark_may_stand_behind_a_comment_of_the_line() {
        assert_eq!(lines("int s = 0; // start // buggy line: wrong start"), Ok(vec![(3, MarkKind::Buggy)]));
    }

    #[test]
    fn equal_lines_are_told_apart_by_their_neighbours() {
        assert_eq!(lines("String t = \"//\";\nreturn s; // buggy line: wrong value"), Ok(vec![(12, MarkKind::Buggy)]));
        assert_eq!(lines("    }\n    return s;   // buggy line"), Ok(vec![(7, MarkKind::Buggy)]));
    }

    #[test]
    fn several_snippets_may_stand_behind_each_other() {
        assert_eq!(
            lines("int g(int n) {\n// missing line\n...\ns += i; // BUGGY LINE"),
            Ok(vec![(5, MarkKind::Buggy), (9, MarkKind::Missing)])
        );
    }

    #[test]
    fn what_cannot_be_mapped_is_explained() {
        assert!(lines("return s;").unwrap_err().contains("neither `// buggy line` nor `// missing line`"));
        let message = lines("return total; // buggy line").unwrap_err();
        assert!(message.contains("does not stand in A.java") && message.contains("return s;"), "{message}");
    }

    #[test]
    fn marks_of_two_files_lie_in_the_file_that_agrees() {
        let other = "class B {\n  int h(int n) {\n    int u = 1;\n    return u;\n  }\n}\n";
        let other = Arc::new(outline_text(&RepoPath::new("B.java").unwrap(), other, &Java));
        let snippet = "s += i; // buggy line\n...\n    int u = 1;\n    return u; // buggy line\n";
        let marks = map(snippet, &[&file(), &other], "//").unwrap();
        let places: Vec<String> = marks.iter().map(|mark| mark.location.to_string()).collect();
        assert_eq!(places, ["A.java:5", "B.java:4"]);
        let error = map("s += i; // buggy line\nint nowhere; // buggy line", &[&file(), &other], "//").unwrap_err();
        assert!(error.contains("does not stand in A.java"), "{error}");
    }
}
