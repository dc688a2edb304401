//! The chosen code as an agent sees it: methods in full while there is room, the others by signature, a lean skeleton.

use super::declared::declared;
use super::doc::{brief, doc};
use super::layout::{Sheet, body_start, lay_out};
use super::{Budget, select::Choice};
use crate::code::{Method, SourceFile, Type, TypeKind};
use crate::domain::{LineSpan, Mark, MarkKind, RepoPath};
use crate::language::Language;
use crate::prompt::count_tokens;
use crate::tools::Workbench;
use compact_str::CompactString;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Signatures that are shown of files other than those with code in full.
const OTHER_SIGNATURES: usize = 8;

/// Fields of a class with marks, up to which all of them are shown.
const FIELDS: usize = 12;

type Shown = Vec<(RepoPath, LineSpan)>;

/// The section's text and the lines it shows.
pub(super) fn render(bench: &Workbench, choice: &Choice<'_>, marks: &[Mark], budget: Budget) -> (String, Shown) {
    let mut sheets = lay_out(bench, choice, marks, budget);
    let mut text = String::new();
    let mut shown = Shown::new();
    let mut others = 0;
    let mut skeleton = budget.skeleton;
    sheets.sort_by_key(|sheet| !sheet.whole && sheet.full.is_empty());
    for sheet in &sheets {
        if sheet.whole {
            whole_file(sheet.file, marks, bench, &mut text, &mut shown);
        } else if !sheet.full.is_empty() || !sheet.named.is_empty() && others < OTHER_SIGNATURES {
            if sheet.full.is_empty() {
                let _ = writeln!(text, "### {}", sheet.file.path);
                others += sheet.named.len();
            } else {
                some_methods(sheet, marks, bench, &mut text, &mut shown);
            }
            // The hotter the file, the more of its outline.
            let lines = signatures(sheet, skeleton / 2, bench.language);
            skeleton = skeleton.saturating_sub(count_tokens(&lines));
            text.push_str(&lines);
        }
    }
    text.push_str(&declared(bench, &sheets, budget.skeleton));
    (text, shown)
}

/// A whole file, whatever its size.
pub(super) fn file(bench: &Workbench, file: &SourceFile, marks: &[Mark]) -> (String, Shown) {
    let (mut text, mut shown) = (String::new(), Shown::new());
    whole_file(file, marks, bench, &mut text, &mut shown);
    (text, shown)
}

/// Some lines of a file, cut from the original.
pub(super) fn segment(bench: &Workbench, file: &SourceFile, span: LineSpan) -> String {
    let LineSpan { first, last } = span;
    let fence = bench.language.fence();
    format!("### {}, lines {first} to {last}\n```{fence}\n{}\n```\n", file.path, file.lines(span))
}

fn whole_file(file: &SourceFile, marks: &[Mark], bench: &Workbench, text: &mut String, shown: &mut Shown) {
    let span = LineSpan { first: 1, last: file.line_count() };
    let _ = writeln!(text, "### {} (in full)\n```{}", file.path, bench.language.fence());
    text.push_str(&marked(file, body_start(file, bench.language)..=span.last, marks, bench));
    text.push_str("```\n");
    shown.push((file.path.clone(), span));
}

fn some_methods(sheet: &Sheet<'_>, marks: &[Mark], bench: &Workbench, text: &mut String, shown: &mut Shown) {
    let file = sheet.file;
    let _ = writeln!(text, "### {} (these methods in full)\n```{}", file.path, bench.language.fence());
    let mut full: Vec<&Method> = sheet.full.clone();
    full.sort_by_key(|method| method.span);
    let names: BTreeSet<&str> = full.iter().flat_map(|m| m.names.iter().map(CompactString::as_str)).collect();
    let used = file.imports.iter().filter(|import| names.contains(import.rsplit('.').next().unwrap_or("")));
    let used: Vec<&str> = used.map(String::as_str).collect();
    if !used.is_empty() {
        let _ = writeln!(text, "{} imports: {}", bench.language.line_comment(), used.join(", "));
    }
    for class in &file.types {
        let here: Vec<&&Method> = full.iter().filter(|m| m.class == class.name).collect();
        if here.is_empty() {
            continue;
        }
        let brackets = &bench.language.syntax().brackets;
        // What stands at the top of a file is shown as it stands there.
        let is_type = class.kind != TypeKind::Module;
        if is_type {
            let _ = writeln!(text, "{}{}", class.signature, brackets.opens);
        }
        text.push_str(&fields(class, &names, marks, bench, file, shown));
        for method in here {
            text.push_str(&doc(file, method, sheet.explained.contains(&method.span)));
            text.push_str(&marked(file, method.span.first..=method.span.last, marks, bench));
            shown.push((file.path.clone(), method.span));
        }
        if is_type && !brackets.closes.is_empty() {
            let _ = writeln!(text, "{}", brackets.closes);
        }
    }
    text.push_str("```\n");
}

/// Fields that the shown methods use, and marked ones. Of a class with marks the others are shown too: what its code lacks
/// may be a field that no shown method uses.
fn fields(
    class: &Type,
    names: &BTreeSet<&str>,
    marks: &[Mark],
    bench: &Workbench,
    file: &SourceFile,
    shown: &mut Shown,
) -> String {
    let mut text = String::new();
    let holds_mark =
        |span: LineSpan| marks.iter().any(|mark| mark.location.file == file.path && span.contains(mark.location.line));
    let all = class.fields.len() <= FIELDS && holds_mark(class.span);
    for field in &class.fields {
        if holds_mark(field.span) {
            text.push_str(&marked(file, field.span.first..=field.span.last, marks, bench));
            shown.push((file.path.clone(), field.span));
        } else if all || names.contains(field.name.as_str()) {
            let indent = if class.kind == TypeKind::Module { "" } else { "    " };
            let _ = writeln!(text, "{indent}{}", field.declaration);
        }
    }
    text
}

/// Signatures of what was chosen but did not fit, then of private helpers that the shown methods call.
fn signatures(sheet: &Sheet<'_>, budget: usize, language: &dyn Language) -> String {
    let names: BTreeSet<&str> = sheet.full.iter().flat_map(|m| m.calls.iter().map(|call| call.name.as_str())).collect();
    let helpers = sheet.file.types.iter().flat_map(|class| &class.methods).filter(|m| {
        names.contains(m.name.as_str()) && !sheet.full.iter().chain(&sheet.named).any(|known| known.span == m.span)
    });
    let mut text = String::new();
    for method in sheet.named.iter().copied().chain(helpers) {
        let line = format!("- {}\n", one_line(method, language));
        if !text.is_empty() && count_tokens(&text) + count_tokens(&line) > budget {
            text.push_str("- …\n");
            break;
        }
        text.push_str(&line);
    }
    if text.is_empty() { text } else { format!("Signature only (`extract_method` shows more):\n{text}\n") }
}

fn one_line(method: &Method, language: &dyn Language) -> String {
    let signature = method.signature.replace("final ", "");
    match &method.summary {
        Some(summary) => format!("{signature} {} {}", language.line_comment(), brief(summary)),
        None => signature,
    }
}

/// Original lines with Locator's marks in the language's comment syntax.
fn marked(file: &SourceFile, lines: std::ops::RangeInclusive<u32>, marks: &[Mark], bench: &Workbench) -> String {
    let mut text = String::new();
    for line in lines {
        let code = file.line(line).unwrap_or("").trim_end();
        let on = |kind: MarkKind| {
            marks.iter().find(|m| m.kind == kind && m.location.line == line && m.location.file == file.path)
        };
        match on(MarkKind::Buggy) {
            Some(mark) => {
                let _ = writeln!(text, "{code} {}", with_note(bench, mark));
            }
            None => {
                let _ = writeln!(text, "{code}");
            }
        }
        if let Some(mark) = on(MarkKind::Missing) {
            let _ = writeln!(text, "{}", with_note(bench, mark));
        }
    }
    text
}

fn with_note(bench: &Workbench, mark: &Mark) -> String {
    let tag = bench.language.mark(mark.kind);
    if mark.note.is_empty() { tag } else { format!("{tag}: {}", mark.note) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::outline_text;
    use crate::language::Java;
    use std::sync::Arc;

    #[test]
    fn outlines_keep_to_their_budget_and_say_that_more_is_there() {
        let methods: String =
            (0..50).map(|n| format!("int method{n}(final int value) {{ return value; }}\n")).collect();
        let file =
            Arc::new(outline_text(&RepoPath::new("A.java").unwrap(), &format!("class A {{\n{methods}}}\n"), &Java));
        let mut sheet = Sheet::of(&file, false);
        sheet.named = file.methods().collect();
        let text = signatures(&sheet, 60, &Java);
        assert!(count_tokens(&text) < 80, "{text}");
        assert!(text.contains("- int method0(int value)\n") && text.ends_with("- …\n\n"), "{text}");
    }
}
