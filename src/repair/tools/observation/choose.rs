//! What is watched: the methods that a test runs, the suspicious ones first, and the passing test that is nearest to it.

use crate::domain::{FailingTest, LineSpan, RepoPath, TestId};
use crate::tools::Workbench;
use crate::validate::Spectrum;
use std::collections::BTreeSet;

/// Methods that are watched.
const METHODS: usize = 24;
/// The methods whose lines say which passing test is near.
const SUSPICIOUS: usize = 4;
/// What the same class is worth, beside the share of lines.
const SAME_CLASS: f64 = 0.5;

/// A choice of tests and places.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chosen {
    /// The test that is looked at.
    pub test: TestId,
    /// The passing test beside it.
    pub passing: Option<TestId>,
    /// What is watched, the most suspicious first.
    pub places: Vec<(RepoPath, LineSpan)>,
}

impl Chosen {
    pub(crate) fn tests(&self) -> impl Iterator<Item = &TestId> {
        std::iter::once(&self.test).chain(&self.passing)
    }
}

type Lines = BTreeSet<(RepoPath, u32)>;

/// The first failing test of the bug with the methods it runs.
pub(super) fn first(bench: &Workbench) -> Option<Chosen> {
    around(bench, &bench.bug.failing.first()?.id, None)
}

/// A test with the places given, or with the methods it runs; nothing when none is known.
pub(crate) fn around(bench: &Workbench, test: &TestId, places: Option<Vec<(RepoPath, LineSpan)>>) -> Option<Chosen> {
    let spectrum = match &bench.spectrum {
        Some(spectrum) => spectrum,
        None => &bench.validator.baseline().spectrum,
    };
    let ran = lines_of(spectrum, test);
    let failing = bench.bug.failing.iter().find(|failing| failing.id == *test);
    let places = places.unwrap_or_else(|| suspicious(bench, &ran, failing));
    let fails = failing.is_some();
    let passing = fails.then(|| nearest(spectrum, test, &ran, &places)).flatten();
    (!places.is_empty()).then(|| Chosen { test: test.clone(), passing, places })
}

fn lines_of(spectrum: &Spectrum, test: &TestId) -> Lines {
    let own = spectrum.tests().filter(|(id, ..)| *id == test).flat_map(|(.., ran)| ran);
    own.flat_map(|(file, lines)| lines.iter().map(|line| (file.clone(), *line))).collect()
}

/// Methods that a test runs: those of the failure's frames and of the ranking in their order; all of the ranking where
/// nobody knows what it runs.
fn suspicious(bench: &Workbench, ran: &Lines, failing: Option<&FailingTest>) -> Vec<(RepoPath, LineSpan)> {
    let mut places: Vec<(RepoPath, LineSpan)> = Vec::new();
    let mut add = |file: &RepoPath, line: u32| {
        let is_product = bench.index.file(file).is_some_and(|file| !file.test);
        let Some(method) = bench.index.method_at(file, line).filter(|_| is_product && places.len() < METHODS) else {
            return;
        };
        let place = (file.clone(), method.span);
        let runs = ran.is_empty()
            || ran
                .range((file.clone(), method.span.first)..)
                .next()
                .is_some_and(|(at, line)| at == file && *line <= method.span.last);
        if runs && !places.contains(&place) {
            places.push(place);
        }
    };
    // What is ranked is looked at first; what threw is near it, and is watched in any case.
    const RANKED: usize = 8;
    let mut ranked = bench.ranking.lines.iter().map(|suspect| &suspect.location);
    for place in ranked.by_ref().take(RANKED) {
        add(&place.file, place.line);
    }
    for frame in failing.iter().flat_map(|test| &test.failure.frames) {
        if let (Some((file, _)), Some(line)) = (bench.index.class(&frame.class), frame.line) {
            add(&file.path, line);
        }
    }
    for place in ranked {
        add(&place.file, place.line);
    }
    for (file, line) in ran {
        add(file, *line);
    }
    if places.is_empty() { in_fields(bench, ran) } else { places }
}

/// Lines of functions that stand in a field, where no method is known to run.
fn in_fields(bench: &Workbench, ran: &Lines) -> Vec<(RepoPath, LineSpan)> {
    let product = |place: &&(RepoPath, u32)| bench.index.file(&place.0).is_some_and(|file| !file.test);
    let lines = ran.iter().filter(product).take(METHODS);
    lines.map(|(file, line)| (file.clone(), LineSpan { first: *line, last: *line })).collect()
}

/// The passing test that runs most of what the failing one runs, and reaches the suspicious methods; one of the same class
/// before others.
fn nearest(spectrum: &Spectrum, test: &TestId, ran: &Lines, places: &[(RepoPath, LineSpan)]) -> Option<TestId> {
    let watched = |(file, line): &(RepoPath, u32)| {
        places.iter().take(SUSPICIOUS).position(|(path, span)| path == file && span.contains(*line))
    };
    let mut best: Option<(f64, &TestId)> = None;
    for (id, ..) in spectrum.tests().filter(|(id, passed, _)| *passed && *id != test) {
        let own = lines_of(spectrum, id);
        let shared: Vec<&(RepoPath, u32)> = own.intersection(ran).collect();
        if !shared.iter().any(|line| watched(line).is_some()) {
            continue;
        }
        let share = shared.len() as f64 / own.union(ran).count().max(1) as f64;
        let score = share + if id.class == test.class { SAME_CLASS } else { 0.0 };
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, id));
        }
    }
    best.map(|(_, id)| id.clone())
}
