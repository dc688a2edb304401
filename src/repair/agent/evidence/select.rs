//! Which methods an agent is shown: those that the failing tests reach, hottest first.

use crate::code::{Method, SourceFile, subtokens};
use crate::domain::{FailingTest, LineSpan, Mark, Patch, RepoPath};
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
/// Methods at the head of the ranking that lead whatever their size.
const LEADERS: usize = 2;
/// Methods at the head of the ranking whose callees matter as if they were private: small ones that all code runs
/// through are blamed too little.
const HEAD: usize = 4;
/// Words of method names that say nothing about their subject.
const IDLE_WORDS: [&str; 12] = ["get", "set", "is", "has", "to", "of", "test", "with", "and", "create", "read", "next"];

/// A method with its weight.
pub(super) struct Chosen<'b> {
    pub method: &'b Method,
    /// How much it is believed to matter.
    pub weight: f64,
    /// Whether it is shown in full even beyond the budget of all code.
    pub leads: bool,
}

/// Methods that lead, then the others by falling weight; ties by file and line.
pub(super) struct Choice<'b> {
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

    /// The leaders in their order, then the others: what is small goes before what is large.
    fn sorted(self, leaders: &[&'b Method]) -> Choice<'b> {
        let bench = self.bench;
        let dense = |method: &Method, weight: f64| weight / (1.0 + tokens(bench, method) / ROOMY).sqrt();
        let place = |method: &Method| (method.file.clone(), method.span);
        let rank = |method: &Method| leaders.iter().position(|leader| place(leader) == place(method));
        let chosen = |(method, weight): (&'b Method, f64)| Chosen {
            method,
            weight: dense(method, weight),
            leads: rank(method).is_some(),
        };
        let mut methods: Vec<Chosen<'b>> = self.of.into_values().map(chosen).collect();
        methods.sort_by(|a, b| {
            let order = |chosen: &Chosen<'_>| rank(chosen.method).unwrap_or(usize::MAX);
            order(a)
                .cmp(&order(b))
                .then_with(|| b.weight.total_cmp(&a.weight))
                .then_with(|| place(a.method).cmp(&place(b.method)))
        });
        Choice { methods }
    }
}

fn tokens(bench: &Workbench, method: &Method) -> f64 {
    count_tokens(bench.index.text(method)) as f64
}

/// What the failing tests reach: frames of their traces, their static callees, what coverage and ranking say.
pub(super) fn reached(bench: &Workbench) -> Choice<'_> {
    let mut weights = Weights { bench, of: BTreeMap::new() };
    for (method, weight) in pointed_at(bench) {
        weights.raise(method, weight);
    }
    let mut ranked: Vec<&Method> = Vec::new();
    for suspect in &bench.ranking.lines {
        if let Some(method) = bench.index.method_at(&suspect.location.file, suspect.location.line) {
            weights.raise(method, suspect.score);
            if ranked.len() < HEAD && ranked.iter().all(|known| !std::ptr::eq(*known, method)) {
                ranked.push(method);
            }
        }
    }
    weights.spread();
    for method in &ranked {
        for call in &method.calls {
            for callee in bench.index.resolve_call(method, call) {
                weights.raise(callee, CALLEE);
            }
        }
    }
    heat_what_tests_name(&mut weights);
    cool_what_never_ran(&mut weights);
    weights.sorted(&ranked[..ranked.len().min(LEADERS)])
}

/// Methods in the traces of failing tests, and called by them; what few of many tests reach explains few of them.
fn pointed_at(bench: &Workbench) -> Vec<(&Method, f64)> {
    const WAYS: [f64; 3] = [FRAME, FAILING_CALL, TEST_CALL];
    let mut tests_by_way: BTreeMap<Key, (&Method, [usize; 3])> = BTreeMap::new();
    for test in &bench.bug.failing {
        let framed = test.failure.frames.iter().filter_map(|frame| {
            let (file, _) = bench.index.class(&frame.class)?;
            bench.index.method_at(&file.path, frame.line?)
        });
        let (failing, others) = called(bench, test);
        for (way, methods) in [framed.collect(), failing, others].into_iter().enumerate() {
            let once: BTreeMap<Key, &Method> = methods.into_iter().map(|m| ((m.file.clone(), m.span), m)).collect();
            for (key, method) in once {
                tests_by_way.entry(key).or_insert((method, [0; 3])).1[way] += 1;
            }
        }
    }
    let share = 1.0 / bench.bug.failing.len().max(1) as f64;
    let heaviest =
        |tests: [usize; 3]| WAYS.iter().zip(tests).map(|(way, n)| way * n as f64 * share).fold(0.0, f64::max);
    tests_by_way.into_values().map(|(method, tests)| (method, heaviest(tests))).collect()
}

/// What a failing test calls in its failing statement, and in the others.
fn called<'b>(bench: &'b Workbench, test: &FailingTest) -> (Vec<&'b Method>, Vec<&'b Method>) {
    let (mut failing, mut others) = (Vec::new(), Vec::new());
    let body = test.file.as_ref().zip(test.span);
    let method = body.and_then(|(file, span)| bench.index.method_at(file, span.last.saturating_sub(1).max(span.first)));
    for (method, call) in method.iter().flat_map(|method| method.calls.iter().map(move |call| (*method, call))) {
        let here = test.failing_line == Some(call.line);
        let callees = bench.index.resolve_call(method, call);
        if here { &mut failing } else { &mut others }.extend(callees);
    }
    (failing, others)
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

/// What the failing tests reach outside of a file.
pub(super) fn elsewhere<'b>(bench: &'b Workbench, file: Option<&RepoPath>) -> Choice<'b> {
    let mut choice = reached(bench);
    choice.methods.retain(|chosen| Some(&chosen.method.file) != file);
    choice
}

/// All methods of one file at one weight, those that the failing tests reach first.
pub(super) fn in_file<'b>(bench: &'b Workbench, file: &'b SourceFile) -> Choice<'b> {
    let of_file = |chosen: &Chosen<'b>| chosen.method.file == file.path;
    let mut methods: Vec<Chosen<'b>> = reached(bench).methods.into_iter().filter(of_file).collect();
    let cold = |method: &&Method| !methods.iter().any(|known| known.method.span == method.span);
    let rest: Vec<&Method> = file.methods().filter(cold).collect();
    methods.extend(rest.into_iter().map(|method| Chosen { method, weight: FRAME, leads: false }));
    methods.iter_mut().for_each(|chosen| chosen.weight = FRAME);
    Choice { methods }
}

/// The methods that a patch changes, what they call, and their twins.
pub(super) fn changed<'b>(bench: &'b Workbench, patch: &Patch) -> Choice<'b> {
    let mut leaders: Vec<&Method> = Vec::new();
    for change in &patch.files {
        let before = String::from_utf8_lossy(change.before.as_deref().unwrap_or_default()).into_owned();
        let after = String::from_utf8_lossy(&change.after).into_owned();
        let same = before.lines().zip(after.lines()).take_while(|(a, b)| a == b).count();
        let tail = before.lines().rev().zip(after.lines().rev()).take_while(|(a, b)| a == b).count();
        let last = before.lines().count().saturating_sub(tail);
        let line = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (first, last) = (line(same + 1), line(last.max(same + 1)));
        let touched = bench.index.file(&change.path).into_iter().flat_map(|file| file.methods());
        leaders.extend(touched.filter(|m| m.span.first <= last && m.span.last >= first));
    }
    led_by(bench, &leaders, &[])
}

/// The marked methods, what they call, and their twins, with those that are only named in the words beside the marks, and
/// those of the same files that the failing tests reach: they tell what a marked constructor leaves out.
pub(super) fn around<'b>(bench: &'b Workbench, marks: &[Mark], explanation: &str) -> Choice<'b> {
    let marked = marks.iter().filter_map(|mark| bench.index.method_at(&mark.location.file, mark.location.line));
    let is_beside = |chosen: &Chosen<'_>| marks.iter().any(|mark| mark.location.file == chosen.method.file);
    let beside = reached(bench).methods.into_iter().filter(is_beside);
    let beside = beside.map(|chosen| (chosen.method, chosen.weight.min(FRAME) * CALLEE));
    let spoken_of = spoken_of(bench, explanation).into_iter().map(|method| (method, CALLEE));
    led_by(bench, &marked.collect::<Vec<_>>(), &beside.chain(spoken_of).collect::<Vec<_>>())
}

/// Methods of the product that a text names: `average()`, `Cart.average`, `sum_up`. A name that many methods have names none.
fn spoken_of<'b>(bench: &'b Workbench, explanation: &str) -> Vec<&'b Method> {
    const NAMESAKES: usize = 3;
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut named = Vec::new();
    for word in explanation.split(|c: char| !is_name(c)).collect::<BTreeSet<_>>() {
        // A plain word may be English.
        let joined = word.contains('_') || word.chars().skip(1).any(char::is_uppercase);
        let called = explanation.contains(&format!("{word}(")) || explanation.contains(&format!(".{word}"));
        if word.len() < 2 || !(joined || called) {
            continue;
        }
        let of_product = |method: &&Method| bench.index.file(&method.file).is_some_and(|file| !file.test);
        let methods: Vec<&Method> = bench.index.methods_named(word).filter(of_product).collect();
        if methods.len() <= NAMESAKES {
            named.extend(methods);
        }
    }
    named
}

/// These methods, what they call, their twins, and others with their weights.
pub(super) fn led_by<'b>(bench: &'b Workbench, leaders: &[&'b Method], others: &[(&'b Method, f64)]) -> Choice<'b> {
    let mut weights = Weights { bench, of: BTreeMap::new() };
    for method in leaders {
        weights.raise(method, FRAME);
    }
    weights.spread();
    for (method, weight) in others {
        weights.raise(method, *weight);
    }
    weights.sorted(leaders)
}
