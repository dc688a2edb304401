//! What shown code takes from files that it includes: macros, constants and structures decide what it does.

use super::layout::Sheet;
use crate::code::{Method, SourceFile, Type, TypeKind};
use crate::domain::{LineSpan, RepoPath};
use crate::prompt::count_tokens;
use crate::tools::Workbench;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A longer structure is named and not shown, in lines.
const LONGEST: u32 = 25;
/// Headers are followed through so many others.
const DEEPEST: usize = 3;

/// Declarations that the shown code uses and that no sheet shows, by their files, within a budget of tokens. Empty in
/// languages in which a file includes no text of another.
pub(super) fn declared(bench: &Workbench, sheets: &[Sheet<'_>], budget: usize) -> String {
    if !bench.language.includes_declarations() {
        return String::new();
    }
    let mut used: BTreeSet<&str> = sheets.iter().flat_map(methods).flat_map(names).collect();
    let whole: BTreeSet<&RepoPath> = sheets.iter().filter(|sheet| sheet.whole).map(|sheet| &sheet.file.path).collect();
    let headers = headers(bench, sheets);
    let mut shown: BTreeMap<&RepoPath, BTreeSet<LineSpan>> = BTreeMap::new();
    let mut room = budget;
    // What a declaration uses is found in the second round.
    for _ in 0..2 {
        let mut found: BTreeSet<&str> = BTreeSet::new();
        for file in headers.iter().filter(|file| !whole.contains(&file.path)) {
            for span in file.types.iter().flat_map(|kind| spans(kind, &used)) {
                let text = file.lines(span);
                let tokens = count_tokens(text);
                let known = shown.get(&file.path).is_some_and(|spans| spans.contains(&span));
                if span.len() <= LONGEST && tokens <= room && !known {
                    room -= tokens;
                    shown.entry(&file.path).or_default().insert(span);
                    found
                        .extend(text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()));
                }
            }
        }
        used.extend(found);
    }
    let fence = bench.language.fence();
    let parts = shown.into_iter().filter_map(|(path, spans)| {
        let file = bench.index.file(path)?;
        let lines: String = spans.into_iter().map(|span| format!("{}\n", file.lines(span).trim_end())).collect();
        Some(format!("### {path} (what this code uses of it)\n```{fence}\n{lines}```\n"))
    });
    parts.collect()
}

fn methods<'b>(sheet: &Sheet<'b>) -> Vec<&'b Method> {
    match sheet.whole {
        true => sheet.file.types.iter().flat_map(|kind| &kind.methods).collect(),
        false => sheet.full.clone(),
    }
}

fn names(method: &Method) -> impl Iterator<Item = &str> {
    method.names.iter().map(compact_str::CompactString::as_str)
}

/// Files of the project that the shown ones include, nearest first.
fn headers<'b>(bench: &'b Workbench, sheets: &[Sheet<'b>]) -> Vec<&'b Arc<SourceFile>> {
    let mut known: Vec<&Arc<SourceFile>> = Vec::new();
    let mut next: Vec<&Arc<SourceFile>> = sheets.iter().map(|sheet| sheet.file).collect();
    for _ in 0..DEEPEST {
        let included = next.iter().flat_map(|file| &file.imports);
        let files: Vec<_> = included.filter_map(|name| Some(bench.index.class(name)?.0)).collect();
        next = Vec::new();
        for file in files {
            if !known.iter().any(|one| one.path == file.path) {
                known.push(file);
                next.push(file);
            }
        }
    }
    known
}

/// Lines of what a type declares of those names.
fn spans(kind: &Type, names: &BTreeSet<&str>) -> Vec<LineSpan> {
    if kind.kind != TypeKind::Module {
        return if names.contains(kind.simple_name()) { vec![kind.span] } else { Vec::new() };
    }
    kind.fields.iter().filter(|field| names.contains(field.name.as_str())).map(|field| field.span).collect()
}
