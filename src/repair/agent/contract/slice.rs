//! Slicer's answer: first and last line of each segment, found in the original; the text is always the original's.

use super::Context;
use crate::code::SourceFile;
use crate::domain::{LineSpan, Refusal, RepoPath, Slice};
use crate::tools::Workbench;
use serde_json::{Value, json};
use std::sync::Arc;

/// A segment of more lines narrows nothing down.
const MAX_LINES: u32 = 400;
/// A file up to this length may be its own segment.
const SHORT_FILE: u32 = 120;

/// Segments at most: more of them narrow nothing down.
const MOST: usize = 6;

/// Reads `segments`, a list of `{file_path, first_line, last_line}`, or one segment that stands beside the explanation.
pub(super) fn read(args: &Value, context: Context<'_>, explanation: String) -> Result<Slice, Refusal> {
    let listed = args["segments"].as_array().filter(|list| !list.is_empty());
    let mut segments = match listed {
        Some(list) if list.len() > MOST => {
            return Err(format!("these are {} segments; name at most {MOST}", list.len()).into());
        }
        Some(list) => list.iter().map(|one| segment(one, context)).collect::<Result<Vec<_>, _>>()?,
        None => vec![segment(args, context)?],
    };
    segments.sort();
    segments.dedup();
    let lines: u32 = segments.iter().map(|(_, span)| span.len()).sum();
    let short =
        segments.first().and_then(|(file, _)| context.bench.index.file(file)).map_or(0, |file| file.line_count());
    if lines > MAX_LINES.max(SHORT_FILE.min(short)) {
        let what = if segments.len() == 1 { "the segment has" } else { "the segments have" };
        return Err(format!("{what} {lines} lines; narrow it down to at most {MAX_LINES}").into());
    }
    Ok(Slice { segments, explanation })
}

/// How the agent ended, for people.
pub(super) fn how(slice: &Slice) -> String {
    let one = |(file, span): &(RepoPath, LineSpan)| format!("lines {} to {} of {file}", span.first, span.last);
    format!("sliced {}", slice.segments.iter().map(one).collect::<Vec<_>>().join(", "))
}

fn segment(args: &Value, context: Context<'_>) -> Result<(RepoPath, LineSpan), Refusal> {
    let file = match args["file_path"].as_str().filter(|path| !path.trim().is_empty()) {
        Some(path) => context.bench.index.resolve(path).map_err(|unresolved| unresolved.to_string())?,
        None => context.file()?,
    };
    if file.test {
        return Err(format!("{} is a test; the cause lies in the product", file.path).into());
    }
    let firsts = anchors(&args["first_line"], "first_line", file)?;
    let lasts = anchors(&args["last_line"], "last_line", file)?;
    let span = choose(&firsts, &lasts, file, context.bench)
        .ok_or_else(|| format!("`last_line` stands before `first_line` in {}", file.path))?;
    Ok((file.path.clone(), span))
}

/// Lines that an anchor may mean: exactly as written, else without regard to white space, else by number.
fn anchors(given: &Value, name: &str, file: &SourceFile) -> Result<Vec<u32>, Refusal> {
    if let Some(number) = given.as_u64().and_then(|n| u32::try_from(n).ok()) {
        let known = (1..=file.line_count()).contains(&number);
        return if known { Ok(vec![number]) } else { Err(outside(name, number, file)) };
    }
    let text = given.as_str().unwrap_or("");
    // An anchor of several lines is meant by its outer one.
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let line = if name == "first_line" { lines.next() } else { lines.next_back() };
    let Some(line) = line else { return Err(format!("`{name}` is missing: the text of that line").into()) };
    let line = without_number(line);
    let all = || (1..=file.line_count()).filter_map(|n| Some((n, file.line(n)?)));
    let exact: Vec<u32> = all().filter(|(_, code)| code.trim_end() == line.trim_end()).map(|(n, _)| n).collect();
    if !exact.is_empty() {
        return Ok(exact);
    }
    let wanted = squeezed(line);
    let loose: Vec<u32> = all().filter(|(_, code)| squeezed(code) == wanted).map(|(n, _)| n).collect();
    if loose.is_empty() { Err(not_found(name, line, file)) } else { Ok(loose) }
}

fn outside(name: &str, number: u32, file: &SourceFile) -> Refusal {
    format!("`{name}` is line {number}, and {} has lines 1 to {}", file.path, file.line_count()).into()
}

/// `Line 12: int x;` as `read_range` shows it.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start().strip_prefix("Line ").and_then(|rest| rest.split_once(": "));
    match rest {
        Some((number, code)) if number.chars().all(|c| c.is_ascii_digit()) => code,
        _ => line,
    }
}

fn squeezed(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace()).collect()
}

fn not_found(name: &str, line: &str, file: &SourceFile) -> Refusal {
    let wanted = squeezed(line);
    let nearest = (1..=file.line_count())
        .filter_map(|n| Some((n, file.line(n)?)))
        .filter(|(_, code)| !code.trim().is_empty())
        .max_by(|a, b| {
            let near = |code: &str| strsim::normalized_levenshtein(&squeezed(code), &wanted);
            near(a.1).total_cmp(&near(b.1)).then(b.0.cmp(&a.0))
        });
    let nearest = nearest.map(|(n, code)| format!("; nearest: line {n}: {}", code.trim())).unwrap_or_default();
    format!("`{name}`, `{}`, does not stand in {}{nearest}", line.trim(), file.path).into()
}

/// Of all pairs the one that holds the most suspicious line; then one that ends where a method ends; then the first.
fn choose(firsts: &[u32], lasts: &[u32], file: &Arc<SourceFile>, bench: &Workbench) -> Option<LineSpan> {
    let top = bench.ranking.lines.iter().find(|s| s.location.file == file.path).map(|s| s.location.line);
    let ends: Vec<u32> = file.methods().map(|m| m.span.last).chain(file.types.iter().map(|t| t.span.last)).collect();
    let pairs = firsts.iter().flat_map(|&first| {
        let behind: Vec<u32> = lasts.iter().copied().filter(|&last| last >= first).collect();
        let nearest = behind.first().copied();
        let end = behind.iter().copied().find(|last| ends.contains(last));
        nearest.into_iter().chain(end).map(move |last| LineSpan { first, last })
    });
    pairs.min_by_key(|span| {
        let holds = top.is_some_and(|line| span.contains(line));
        (!holds, !ends.contains(&span.last), span.first, span.last)
    })
}

/// The arguments as an object, or a block of code whose outer lines are the anchors.
pub(super) fn bare(answer: &Value, bench: &Workbench) -> Option<Value> {
    let Some(text) = answer.as_str() else {
        let names_lines = answer.get("first_line").is_some() || answer.get("segments").is_some_and(Value::is_array);
        return names_lines.then(|| answer.clone());
    };
    let fenced = text.split("```").nth(1).map(|block| block.split_once('\n').map_or(block, |(_, body)| body));
    let lines: Vec<&str> = fenced.unwrap_or(text).lines().filter(|line| !line.trim().is_empty()).collect();
    let (first, last) = (lines.first()?, lines.last()?);
    if fenced.is_none() {
        // Prose is no segment: without a fence both ends must be code of the file.
        let file = bench.index.file(bench.bug.located.as_ref()?)?;
        let stands = |line: &str| file.text.lines().any(|code| squeezed(code) == squeezed(line));
        if !(stands(first) && stands(last)) {
            return None;
        }
    }
    let explanation = if fenced.is_some() { super::prose(text) } else { String::new() };
    Some(json!({"first_line": first, "last_line": last, "explanation": explanation}))
}
