//! Which methods an agent is shown: those that the failing tests reach, hottest first.

use crate::code::{Method, SourceFile, subtokens};
use crate::domain::{LineSpan, Mark, Patch, RepoPath};
use crate::prompt::count_tokens;
use crate::tools::Workbench;
use std::collections::{BTreeMap, BTreeSet};

/// How much a method is believed to matter when a frame of the trace lies in it.
const FRAME: f64 = 1.0;
/// … when the failing statement calls it.
const FAILING_CALL: f64 = 0.9;
/// … when another statement of the failing test calls it.
const TEST_CALL: f64 = 0.5;
/// What is left of a method's weight for a private method it calls.
const CALLEE: f64 = 0.7;
/// … for a public method it calls.
const PUBLIC_CALLEE: f64 = 0.45;
/// … for an overload: bugs come in twins.
const TWIN: f64 = 0.5;
/// A method that the failing tests never entered keeps this share, because static calls are only guesses.
const NOT_COVERED: f64 = 0.2;

/// What a method gains when the names of all failing tests speak of it.
const NAMED: f64 = 0.6;
/// Tokens beyond which a method must matter more to be shown: two small ones tell more than one of their size.
const ROOMY: f64 = 250.0;
/// Words of method names that say nothing about their subject.
const IDLE_WORDS: [&str; 12] = ["get", "set", "is", "has", "to", "of", "test", "with", "and", "create", "read", "next"];

/// A method with its weight.
pub struct Chosen<'b> {
    /// The method.
    pub method: &'b Method,
    /// How much it is believed to matter.
    pub weight: f64,
}

/// Methods by falling weight; ties by file and line.
pub struct Choice<'b> {
    /// The methods.
    pub methods: Vec<Chosen<'b>>,
}

type Key = (RepoPath, LineSpan);

struct Weights<'b> {
    bench: &'b Workbench,
    of: BTreeMap<Key, (&'b Method, f64)>,
}

impl<'b> Weights<'b> {
    fn raise(&mut self, method: &'b Method, weight: f64) {
        if self.bench.index.file(&method.file).is_none_or(|file| file.test) {
            return;
        }
        let entry = self.of.entry((method.file.clone(), method.span)).or_insert((method, 0.0));
        entry.1 = entry.1.max(weight);
    }

    /// Adds callees and twins of what is there, one level down.
    fn spread(&mut self) {
        let hot: Vec<(&Method, f64)> = self.of.values().copied().collect();
        for (method, weight) in hot {
            for call in &method.calls {
                for callee in self.bench.index.resolve_call(method, call) {
                    self.raise(callee, weight * if callee.private { CALLEE } else { PUBLIC_CALLEE });
                }
            }
            for twin in self.bench.index.methods_named(&method.name) {
                if twin.file == method.file && twin.span != method.span {
                    self.raise(twin, weight * TWIN);
                }
            }
        }
    }

    fn sorted(self) -> Choice<'b> {
        let bench = self.bench;
        let dense = |method: &Method, weight: f64| weight / (1.0 + tokens(bench, method) / ROOMY).sqrt();
        let mut methods: Vec<Chosen<'b>> =
            self.of.into_values().map(|(method, weight)| Chosen { method, weight: dense(method, weight) }).collect();
        methods.sort_by(|a, b| {
            let place = |c: &Chosen<'_>| (c.method.file.clone(), c.method.span);
            b.weight.total_cmp(&a.weight).then_with(|| place(a).cmp(&place(b)))
        });
        Choice { methods }
    }
}

fn tokens(bench: &Workbench, method: &Method) -> f64 {
    count_tokens(bench.index.text(method)) as f64
}

/// What the failing tests reach: frames of their traces, their static callees, what coverage and ranking say.
pub fn reached(bench: &Workbench) -> Choice<'_> {
    let mut weights = Weights { bench, of: BTreeMap::new() };
    for test in &bench.bug.failing {
        for frame in &test.failure.frames {
            let file = bench.index.class(&frame.class).map(|(file, _)| file);
            if let Some(method) = file.zip(frame.line).and_then(|(file, line)| bench.index.method_at(&file.path, line))
            {
                weights.raise(method, FRAME);
            }
        }
        let Some((file, span)) = test.file.as_ref().zip(test.span) else { continue };
        let Some(method) = bench.index.method_at(file, span.last.saturating_sub(1).max(span.first)) else { continue };
        for call in &method.calls {
            let here = test.failing_line == Some(call.line);
            for callee in bench.index.resolve_call(method, call) {
                weights.raise(callee, if here { FAILING_CALL } else { TEST_CALL });
            }
        }
    }
    for suspect in &bench.ranking.lines {
        if let Some(method) = bench.index.method_at(&suspect.location.file, suspect.location.line) {
            weights.raise(method, suspect.score);
        }
    }
    weights.spread();
    heat_what_tests_name(&mut weights);
    cool_what_never_ran(&mut weights);
    weights.sorted()
}

/// Raises methods whose subject the failing tests are named after: `isDelimiter` when they are about delimiters.
fn heat_what_tests_name(weights: &mut Weights<'_>) {
    let words = |name: &str| subtokens(name).into_iter().collect::<BTreeSet<_>>();
    let tests: Vec<BTreeSet<String>> = weights.bench.bug.failing.iter().map(|t| words(t.id.bare_method())).collect();
    for (method, weight) in weights.of.values_mut() {
        let subject: BTreeSet<String> =
            words(&method.name).into_iter().filter(|word| !IDLE_WORDS.contains(&word.as_str())).collect();
        if subject.is_empty() {
            continue;
        }
        let speaking = tests.iter().filter(|test| subject.is_subset(test)).count();
        *weight += NAMED * speaking as f64 / tests.len() as f64;
    }
}

fn cool_what_never_ran(weights: &mut Weights<'_>) {
    let Some(coverage) = &weights.bench.coverage else { return };
    for ((file, span), (_, weight)) in &mut weights.of {
        let ran = coverage.lines.get(file).is_some_and(|lines| lines.range(span.first..=span.last).next().is_some());
        if !ran {
            *weight *= NOT_COVERED;
        }
    }
}

/// All methods of one file at one weight, those that the failing tests reach first.
pub fn in_file<'b>(bench: &'b Workbench, file: &'b SourceFile) -> Choice<'b> {
    let of_file = |chosen: &Chosen<'b>| chosen.method.file == file.path;
    let hot: Vec<&Method> = reached(bench).methods.into_iter().filter(of_file).map(|c| c.method).collect();
    let rest = file.methods().filter(|method| !hot.iter().any(|known| known.span == method.span));
    let methods = hot.iter().copied().chain(rest).map(|method| Chosen { method, weight: FRAME }).collect();
    Choice { methods }
}

/// The methods that a patch changes, what they call, and their twins.
pub fn changed<'b>(bench: &'b Workbench, patch: &Patch) -> Choice<'b> {
    let mut weights = Weights { bench, of: BTreeMap::new() };
    for change in &patch.files {
        let before = String::from_utf8_lossy(change.before.as_deref().unwrap_or_default()).into_owned();
        let after = String::from_utf8_lossy(&change.after).into_owned();
        let same = before.lines().zip(after.lines()).take_while(|(a, b)| a == b).count();
        let tail = before.lines().rev().zip(after.lines().rev()).take_while(|(a, b)| a == b).count();
        let last = before.lines().count().saturating_sub(tail);
        let line = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (first, last) = (line(same + 1), line(last.max(same + 1)));
        let touched = bench.index.file(&change.path).into_iter().flat_map(|file| file.methods());
        for method in touched.filter(|m| m.span.first <= last && m.span.last >= first) {
            weights.raise(method, FRAME);
        }
    }
    weights.spread();
    weights.sorted()
}

/// The marked methods, what they call, and their twins.
pub fn around<'b>(bench: &'b Workbench, marks: &[Mark]) -> Choice<'b> {
    let mut weights = Weights { bench, of: BTreeMap::new() };
    for mark in marks {
        if let Some(method) = bench.index.method_at(&mark.location.file, mark.location.line) {
            weights.raise(method, FRAME);
        }
    }
    weights.spread();
    weights.sorted()
}
