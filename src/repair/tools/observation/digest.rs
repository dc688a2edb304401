//! The table: calls, where the two runs part, swallowed exceptions, and the values at suspicious lines; what both runs
//! share is left out.

use super::calls::{Call, calls};
use super::rows::{self, Table};
use crate::domain::words::clipped;
use crate::domain::{LineSpan, RepoPath, TestId};
use crate::tools::Workbench;
use crate::validate::observe::Trace;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Lines of the whole table.
const LINES: usize = 40;
/// Characters of the first evidence, which is read unasked; at least so many lines are shown all the same.
const FIRST: usize = 1100;
const FIRST_LINES: usize = 8;
/// Characters of its calls.
const CALLS: usize = 450;
/// Calls that say nothing of the bug: tests and their messages make them.
const IDLE: [&str; 5] = ["toString", "hashCode", "__repr__", "__str__", "__hash__"];
/// Lines of a loop without end that are named.
const LOOP: usize = 12;
/// Variables of it, and characters of each.
const STATE: usize = 8;
const OF_STATE: usize = 40;
/// Characters of a line.
const LINE: usize = 260;
/// Characters of what the passing run shows.
const BESIDE: usize = 70;
/// Characters of a piece of code.
const CODE: usize = 70;
/// Characters of a value, and of one that somebody asked for.
const VALUE: usize = 44;
const ASKED: usize = 120;
/// Calls from the test that are shown, the last ones.
const FROM_TEST: usize = 5;
/// Calls below the last of them.
const BELOW: usize = 8;
/// Places where the runs part.
const PARTS: usize = 3;
/// Swallowed exceptions.
const CAUGHT: usize = 3;
/// Rows of one method.
const ROWS: usize = 9;
/// Methods with rows.
const METHODS: usize = 3;

/// What somebody asked for beyond the first table.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Focus {
    /// Names whose values are shown at every line.
    pub expressions: Vec<String>,
    /// The only lines that are shown, with all their values.
    pub lines: Option<(RepoPath, LineSpan)>,
    /// Whether an agent asked for it: then the table may be longer.
    pub by_agent: bool,
}

/// The table, at most 40 lines; empty when it would say nothing.
pub(crate) fn digest(bench: &Workbench, watched: &Trace, passing_trace: Option<&Trace>, focus: &Focus) -> String {
    let failing = Run::of(watched);
    let passing = passing_trace.map(Run::of);
    let table = Digest { bench, failing: &failing, passing: passing.as_ref(), focus };
    let mut lines = Vec::new();
    if focus.lines.is_none() {
        lines.extend(table.endless(&watched.test));
        lines.extend(if focus.by_agent { table.calls() } else { brief(table.calls()) });
        lines.extend(table.parts());
        lines.extend(table.caught());
    }
    lines.extend(table.values(&lines));
    if lines.is_empty() {
        return String::new();
    }
    let name = |trace: &Trace| format!("{}#{}", trace.test.simple_class(), trace.test.method);
    let heading = match &passing_trace {
        Some(passing_trace) => {
            format!("{} beside {}, which passes; what both share is left out", name(watched), name(passing_trace))
        }
        None => name(watched),
    };
    lines.insert(0, heading);
    let most = if focus.by_agent { LINES } else { fitting(&lines) };
    let left = lines.len().saturating_sub(most);
    if left > 0 {
        lines.truncate(most - 1);
        // A heading alone says nothing.
        if lines.last().is_some_and(|line| line.ends_with(':')) {
            lines.pop();
        }
        lines.push("(more by `observe_run`)".to_owned());
    }
    lines.iter().map(|line| format!("{}\n", clipped(line, LINE))).collect()
}

/// Calls for which there is room unasked: those far from the test go first, then the early ones.
fn brief(mut calls: Vec<String>) -> Vec<String> {
    let size = |calls: &[String]| calls.iter().map(|line| line.chars().count()).sum::<usize>();
    let depth = |line: &str| line.len() - line.trim_start().len();
    while calls.len() > 1 && size(&calls) > CALLS {
        let deepest = calls.iter().map(|line| depth(line)).max().unwrap_or(0);
        let Some(at) = calls.iter().position(|line| depth(line) == deepest) else { break };
        calls.remove(at);
    }
    calls
}

/// Lines for which there is room unasked.
fn fitting(lines: &[String]) -> usize {
    let mut room = FIRST;
    let fits = |line: &&String| {
        let size = line.chars().count().min(LINE);
        let fits = size <= room;
        room = room.saturating_sub(size);
        fits
    };
    lines.iter().take_while(fits).count().clamp(FIRST_LINES.min(lines.len()), LINES)
}

/// The calls of one run.
struct Run {
    calls: Vec<Call>,
    /// Depth of what the test calls itself.
    top: u32,
}

impl Run {
    fn of(trace: &Trace) -> Self {
        let calls = calls(trace);
        let top = calls.iter().map(|call| call.depth).min().unwrap_or(0);
        Self { calls, top }
    }

    fn outermost(&self) -> impl Iterator<Item = (usize, &Call)> {
        let is_idle = |call: &Call| IDLE.contains(&call.method.as_str());
        self.calls.iter().enumerate().filter(move |(_, call)| call.depth == self.top && !is_idle(call))
    }

    fn has(&self, call: &Call) -> bool {
        let text = call.text();
        self.calls.iter().any(|own| own.method == call.method && own.text() == text)
    }

    fn of_method(&self, file: &RepoPath, method: &str) -> impl DoubleEndedIterator<Item = &Call> {
        self.calls.iter().filter(move |call| call.file == *file && call.method == method)
    }

    /// The call that runs alike the longest, with the number of lines that both run.
    fn alike<'r>(&'r self, call: &Call) -> Option<(&'r Call, usize)> {
        let lines = call.lines();
        let shared = |own: &Call| own.lines().iter().zip(&lines).take_while(|(a, b)| a == b).count();
        let own = self.calls.iter().filter(|own| own.file == call.file && own.method == call.method);
        own.map(|own| (own, shared(own))).max_by_key(|(_, shared)| *shared)
    }
}

/// The first line that is not among those known, with the line before it in its call.
fn leads_to(calls: &[&Call], known: &BTreeSet<u32>) -> Option<(u32, u32)> {
    calls.iter().find_map(|call| {
        let lines = call.lines();
        let at = lines.iter().position(|line| !known.contains(line)).filter(|at| *at > 0)?;
        Some((lines[at - 1], lines[at]))
    })
}

struct Digest<'d> {
    bench: &'d Workbench,
    failing: &'d Run,
    passing: Option<&'d Run>,
    focus: &'d Focus,
}

impl Digest<'_> {
    fn is_shared(&self, call: &Call) -> bool {
        self.passing.is_some_and(|run| run.has(call))
    }

    /// Where the last call from the test begins that the passing test does not make alike.
    fn act(&self) -> usize {
        let own = self.failing.outermost().filter(|(_, call)| !self.is_shared(call)).last();
        own.or_else(|| self.failing.outermost().last()).map_or(0, |(at, _)| at)
    }

    /// The calls of the act: from its begin to the next call from the test.
    fn of_act(&self) -> &[Call] {
        let (run, begin) = (self.failing, self.act());
        let next = run.calls.iter().skip(begin + 1).position(|call| call.depth == run.top);
        &run.calls[begin.min(run.calls.len())..next.map_or(run.calls.len(), |after| begin + 1 + after)]
    }

    /// The loop in which a test that has no end stays, with its variables as they are then.
    fn endless(&self, test: &TestId) -> Option<String> {
        const NEWEST: usize = 200;
        self.bench.bug.failing.iter().find(|failing| failing.id == *test && failing.timed_out)?;
        let call = self.failing.calls.iter().rev().find(|call| call.result.is_none() && call.visits.len() > LOOP)?;
        let newest = call.visits.len().saturating_sub(NEWEST);
        let lines: BTreeSet<u32> = call.visits[newest..].iter().map(|visit| visit.line).collect();
        let named: Vec<String> = lines.iter().take(LOOP).map(u32::to_string).collect();
        let state = call.state();
        let state = state.iter().take(STATE).map(|(name, value)| format!("{name} = {}", clipped(value, OF_STATE)));
        let state = state.collect::<Vec<_>>().join("; ");
        Some(format!("does not end: it repeats lines {} of {} with {state}", named.join(", "), call.method))
    }

    /// Arguments and results, from the test downwards.
    fn calls(&self) -> Vec<String> {
        let act = self.act();
        let mut from_test: Vec<(usize, &Call)> = self.failing.outermost().filter(|(_, c)| !self.is_shared(c)).collect();
        let left = from_test.len().saturating_sub(FROM_TEST);
        from_test.drain(..left);
        let mut lines = Vec::new();
        for (at, call) in from_test {
            lines.push(format!("- {}", call.text()));
            if at == act {
                lines.extend(self.below());
            }
        }
        lines
    }

    /// What the last call from the test calls, each once, the last ones where there are many.
    fn below(&self) -> Vec<String> {
        let mut lines: Vec<(u32, String)> = Vec::new();
        let is_named = |call: &Call| !call.method.starts_with('<') && !IDLE.contains(&call.method.as_str());
        for call in self.of_act().iter().skip(1).filter(|call| is_named(call) && !self.is_shared(call)) {
            let line = (call.depth - self.failing.top, call.text());
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        // What lies near the test says more than what lies deep.
        while lines.len() > BELOW {
            let Some(deepest) = lines.iter().map(|(depth, _)| *depth).max() else { break };
            let Some(at) = lines.iter().position(|(depth, _)| *depth == deepest) else { break };
            lines.remove(at);
        }
        lines.into_iter().map(|(depth, text)| format!("{}- {text}", "  ".repeat(depth.min(4) as usize))).collect()
    }

    /// The methods that are shown, by their most suspicious line, each with the calls that speak for it.
    fn methods(&self) -> Vec<(&RepoPath, &str, Vec<&Call>)> {
        let act = self.of_act();
        let mut methods: Vec<(usize, &RepoPath, &str, Vec<&Call>)> = Vec::new();
        for call in &self.failing.calls {
            if methods.iter().any(|(_, file, method, _)| *file == &call.file && *method == call.method) {
                continue;
            }
            let mut own: Vec<&Call> =
                act.iter().filter(|one| one.file == call.file && one.method == call.method).collect();
            if own.is_empty() {
                own.extend(self.failing.of_method(&call.file, &call.method).last());
            }
            methods.push((
                self.rank(own.iter().flat_map(|call| call.lines()), &call.file),
                &call.file,
                &call.method,
                own,
            ));
        }
        methods.sort_by_key(|(rank, ..)| *rank);
        methods.into_iter().map(|(_, file, method, own)| (file, method, own)).collect()
    }

    /// The place in the ranking of the most suspicious of some lines.
    fn rank(&self, lines: impl Iterator<Item = u32>, file: &RepoPath) -> usize {
        let lines: BTreeSet<u32> = lines.collect();
        let is_it = |place: &crate::domain::Location| place.file == *file && lines.contains(&place.line);
        self.bench.ranking.lines.iter().position(|suspect| is_it(&suspect.location)).unwrap_or(usize::MAX)
    }

    fn code(&self, file: &RepoPath, line: u32) -> String {
        let text = self.bench.index.file(file).and_then(|file| file.line(line)).unwrap_or("").trim();
        clipped(text, CODE)
    }

    fn words(&self, file: &RepoPath, line: u32) -> BTreeSet<String> {
        let text = self.bench.index.file(file).and_then(|file| file.line(line)).unwrap_or("");
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        text.split(|c| !is_word(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    fn table<'c>(&self, file: &RepoPath, calls: impl IntoIterator<Item = &'c Call>) -> Table {
        let most = if self.focus.by_agent { ASKED } else { VALUE };
        rows::table(calls, &|line| self.words(file, line), &self.focus.expressions, most)
    }

    /// Branches that one run takes and the other never does: the line before, with the line that it leads to.
    fn parts(&self) -> Vec<String> {
        let Some(passing) = self.passing else { return Vec::new() };
        let mut parts = Vec::new();
        for (file, method, calls) in self.methods() {
            let others: Vec<&Call> = passing.of_method(file, method).collect();
            let all = |calls: &[&Call]| calls.iter().flat_map(|call| call.lines()).collect::<BTreeSet<u32>>();
            let (own, its) = (all(&calls), all(&others));
            if own.is_empty() || its.is_empty() {
                continue;
            }
            let here = format!("parts in {method} ({})", file.file_name());
            if let Some((line, next)) = leads_to(&calls, &its) {
                let code = self.code(file, line);
                parts.push(format!("{here} at {line} `{code}`: only the failing run goes on at {next}"));
            } else if let Some((line, next)) = leads_to(&others, &own) {
                let code = self.code(file, line);
                parts.push(format!("{here} at {line} `{code}`: only the passing run goes on at {next}"));
            }
        }
        parts.truncate(PARTS);
        parts
    }

    /// Exceptions that were caught in the failing run alone.
    fn caught(&self) -> Vec<String> {
        let all = |run: &Run| {
            let of = |call: &Call| call.caught.iter().map(|(_, what)| (call.method.clone(), what.clone())).collect();
            run.calls.iter().flat_map(|call| -> Vec<(String, String)> { of(call) }).collect::<BTreeSet<_>>()
        };
        let shared = self.passing.map(all).unwrap_or_default();
        let mut texts: Vec<String> = Vec::new();
        for call in &self.failing.calls {
            for (line, what) in &call.caught {
                let text = format!("caught in {} at {}:{line}: {what}", call.method, call.file.file_name());
                if !shared.contains(&(call.method.clone(), what.clone())) && !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        texts.truncate(CAUGHT);
        texts
    }

    /// Values at the lines of the most suspicious methods.
    fn values(&self, calls: &[String]) -> Vec<String> {
        let told_of = |call: &Call| calls.iter().any(|line| line.trim_start().trim_start_matches("- ") == call.text());
        let mut lines = Vec::new();
        let wanted = self.focus.lines.as_ref();
        let methods = self.methods().into_iter().filter(|(file, ..)| wanted.is_none_or(|(path, _)| path == *file));
        let mut methods_shown = 0;
        for (file, method, calls) in methods {
            let rows = self.rows(file, &calls);
            if rows.is_empty() {
                continue;
            }
            let of = match calls.as_slice() {
                [one] if !told_of(one) => clipped(&one.text(), CODE * 2),
                [_] => method.to_owned(),
                several => format!("{method}, {} calls", several.len()),
            };
            lines.push(format!("values in {of} ({}):", file.file_name()));
            lines.extend(rows);
            methods_shown += 1;
            if methods_shown == METHODS {
                break;
            }
        }
        lines
    }

    /// The rows of one method that differ between the runs; the most suspicious where there are many.
    fn rows(&self, file: &RepoPath, calls: &[&Call]) -> Vec<String> {
        let own = self.table(file, calls.iter().copied());
        let other = self.passing.and_then(|run| {
            let (alike, _) = run.alike(calls.last()?)?;
            let all: Vec<&Call> = run.of_method(file, &alike.method).collect();
            Some(if calls.len() == 1 { self.table(file, [alike]) } else { self.table(file, all) })
        });
        let mut rows: Vec<(usize, u32, String)> = Vec::new();
        for (line, row) in &own {
            let is_wanted = self.focus.lines.as_ref().is_none_or(|(_, span)| span.contains(*line));
            let text = rows::text(row);
            let in_passing = other.as_ref().map(|table| table.get(line).map(|row| rows::text(row)));
            let is_shared = self.focus.lines.is_none() && matches!(&in_passing, Some(Some(same)) if *same == text);
            if !is_wanted || is_shared || text.is_empty() && !matches!(in_passing, Some(None)) {
                continue;
            }
            let mut shown = format!("  {line} `{}`", self.code(file, *line));
            if !text.is_empty() {
                let _ = write!(shown, "  {text}");
            }
            match &in_passing {
                Some(Some(in_passing)) if in_passing.is_empty() || *in_passing == text => {}
                Some(Some(in_passing)) => {
                    let _ = write!(shown, "  | passing: {}", clipped(in_passing, BESIDE));
                }
                Some(None) => shown.push_str("  | passing: does not run"),
                None => {}
            }
            rows.push((self.rank(std::iter::once(*line), file), *line, shown));
        }
        rows.sort();
        rows.truncate(if self.focus.by_agent { ROWS * 2 } else { ROWS });
        rows.sort_by_key(|(_, line, _)| *line);
        rows.into_iter().map(|(.., shown)| shown).collect()
    }
}
