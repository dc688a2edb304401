//! The word on how much a plausible patch can be relied on. It refuses nothing: what it says is for the person who looks.
//!
//! What is looked at: whether tests run what changed, whether only the failing ones do, values that stand in those tests,
//! exceptions that are hidden, code that is only taken away.

mod checks;
mod paths;
mod unread;

use super::drawn::Warning;
use super::{Baseline, Spectrum, ValidateError, Validator, suite};
use crate::domain::words::counted;
use crate::domain::{Confidence, ConfidenceWord, FileChange, Patch, RepoPath, TestId, TestReport};
use crate::language::Language;
use crate::patch::{self, Changed, Exchange, Spread};
use checks::Evaded;
use std::collections::BTreeSet;

/// Lines that are named in a reason.
const NAMED: usize = 5;

/// As many passing tests for each failing one that run a condition say that which way it is does not matter.
const OUTVOTED: usize = 8;
/// Failing tests that say as much of what changed as tests that passed before.
const SEVERAL: usize = 3;

/// What a word is made of.
pub(super) struct Signs<'a> {
    /// The patch.
    pub patch: &'a Patch,
    /// What tests ran of it, where that could be measured, and the patch as it was measured.
    pub ran: Option<&'a (Spread, Spectrum)>,
    /// How tests end on the untouched code, and what they run of it, as far as that is known.
    pub before: &'a TestReport,
    pub untouched: &'a Spectrum,
    /// What drawn inputs say against it, where anything could be compared.
    pub drawn: Option<&'a [Warning]>,
    /// The change that broke the tests, where the patch only takes back some of it: `commit 1a2b3c4`.
    pub takes_back: Option<&'a str>,
    /// The failing tests.
    pub triggering: &'a [TestId],
    /// The code of the failing tests.
    pub tests: &'a [&'a str],
    /// The language of the sources.
    pub language: &'static dyn Language,
}

/// What the tests near a patch leave open, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOpen {
    /// They run all of it.
    Nothing,
    /// They do not run a statement or a side of a condition that it changes.
    Side,
    /// They do not run the check of the product that failed any more: the failure may only be hidden.
    Check,
    /// That check is an assertion, and it asserts something else.
    Assertion,
}

impl Validator {
    /// How much a plausible patch can be relied on; `tests` is the code of the failing tests.
    ///
    /// # Errors
    /// Faults of the environment.
    pub async fn confidence(
        &self,
        patch: &Patch,
        tests: &[&str],
        language: &'static dyn Language,
    ) -> Result<Confidence, ValidateError> {
        let (ran, drawn) = tokio::try_join!(self.executed(patch, language), self.warned(patch, language))?;
        let baseline = self.baseline();
        let (triggering, takes_back) = (&*baseline.triggering, baseline.taken_back(patch));
        let (ran, drawn) = (ran.as_ref(), drawn.as_deref());
        let (before, untouched) = (&*baseline.report, &*baseline.spectrum);
        Ok(weigh(&Signs { patch, ran, before, untouched, drawn, takes_back, triggering, tests, language }))
    }

    /// How much of a patch the tests near it leave open.
    ///
    /// # Errors
    /// Faults of the environment.
    pub async fn left_open(&self, patch: &Patch, language: &'static dyn Language) -> Result<LeftOpen, ValidateError> {
        let Some((spread, ran)) = self.executed(patch, language).await? else { return Ok(LeftOpen::Nothing) };
        let Baseline { triggering, report, spectrum, .. } = self.baseline();
        let evaded = || checks::evaded((triggering, report), spectrum, (&spread, &ran), language);
        match is_small(patch, language).then(evaded).flatten() {
            Some(Evaded::LeftOut(_)) => return Ok(LeftOpen::Check),
            Some(Evaded::Changed(_)) => return Ok(LeftOpen::Assertion),
            None => {}
        }
        let lines = Lines::of(&spread, &ran, triggering, language);
        let is_whole = lines.unrun.is_empty() && lines.branches.is_empty();
        Ok(if is_whole { LeftOpen::Nothing } else { LeftOpen::Side })
    }

    /// What tests run of a patch, with its conditions on lines of their own where it can be made so.
    async fn executed(
        &self,
        patch: &Patch,
        language: &'static dyn Language,
    ) -> Result<Option<(Spread, Spectrum)>, ValidateError> {
        let triggering = &self.baseline().triggering;
        let (spread, whole) = (Spread::of(patch, language), Spread::none(patch));
        for spread in spread.is_any().then_some(spread).into_iter().chain([whole]) {
            let is_enough = |ran: &Spectrum| Lines::of(&spread, ran, triggering, language).is_enough();
            if let Some(ran) = self.probe().executed(&spread.patch, &is_enough).await? {
                return Ok(Some((spread, ran)));
            }
        }
        Ok(None)
    }
}

/// Signs against a patch, with their weight, and signs for it.
#[derive(Default)]
struct Weighed {
    against: usize,
    bad: Vec<String>,
    good: Vec<String>,
}

impl Weighed {
    fn add(&mut self, weight: usize, reason: String) {
        self.against += weight;
        self.bad.push(reason);
    }
}

/// What the source of a patch says of it, without a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BySource {
    /// The weight of what speaks against it.
    pub against: usize,
    /// What it exchanges, where it changes operators alone.
    pub exchange: Option<Exchange>,
}

impl BySource {
    /// Reads a patch beside the code of the triggering tests.
    pub fn of(patch: &Patch, tests: &[&str], language: &'static dyn Language) -> Self {
        let mut weighed = Weighed::default();
        let (before, untouched) = (&suite::empty(), &Spectrum::default());
        let (ran, drawn, takes_back, triggering) = (None, None, None, &[][..]);
        let signs = Signs { patch, ran, before, untouched, drawn, takes_back, triggering, tests, language };
        by_code(&signs, &mut weighed);
        Self { against: weighed.against, exchange: Exchange::of(patch) }
    }
}

/// The word that signs come to: one that weighs little makes it medium, more of them low.
pub(super) fn weigh(signs: &Signs<'_>) -> Confidence {
    let mut weighed = Weighed::default();
    match signs.ran {
        Some((spread, ran)) => by_runs(signs, spread, ran, &mut weighed),
        None => weighed.add(1, "what the tests run of it could not be measured".into()),
    }
    let is_certain = |warning: &&Warning| !warning.is_of_uncalled || leave_something(signs);
    for Warning { weight, reason, .. } in signs.drawn.into_iter().flatten().filter(is_certain) {
        weighed.add(*weight, reason.clone());
    }
    if let Some(change) = signs.takes_back {
        // What no test asks for is as it was before.
        weighed.against = weighed.against.min(1);
        weighed.good.push(format!("it brings back what stood there before {change}"));
    }
    by_code(signs, &mut weighed);
    let word = match weighed.against {
        0 => ConfidenceWord::High,
        1 => ConfidenceWord::Medium,
        _ => ConfidenceWord::Low,
    };
    Confidence { word, reasons: weighed.bad.into_iter().chain(weighed.good).collect() }
}

/// Lines of a file that tests ran, and how many of the others than the failing ones ran any of these lines.
fn lines_of<'r>(ran: &'r Spectrum, file: &RepoPath) -> Vec<(&'r TestId, &'r BTreeSet<u32>)> {
    let own = |(id, _, files): (&'r TestId, bool, _)| -> Vec<(&'r TestId, &'r BTreeSet<u32>)> {
        let files: Box<dyn Iterator<Item = (&'r RepoPath, &'r BTreeSet<u32>)>> = files;
        files.filter(|(path, _)| *path == file).map(|(_, lines)| (id, lines)).collect()
    };
    ran.tests()
        .map(|(id, passed, files)| (id, passed, Box::new(files) as Box<dyn Iterator<Item = _>>))
        .flat_map(own)
        .collect()
}

/// Whether the failing tests leave a changed statement out.
fn leave_something(signs: &Signs<'_>) -> bool {
    let Some((spread, ran)) = signs.ran else { return false };
    programs(&spread.patch, signs.language).any(|file| {
        let tests = lines_of(ran, &file.path).into_iter().filter(|(id, _)| signs.triggering.contains(id));
        let lines = tests.flat_map(|(_, lines)| lines.iter().copied()).collect();
        !patch::changed(file, &lines, signs.language).unrun.is_empty()
    })
}

/// What tests ran of the lines that a patch changes.
#[derive(Default)]
struct Lines<'r> {
    statements: usize,
    /// Places of statements that no test ran, and of conditions of which no test took one side.
    unrun: Vec<String>,
    branches: Vec<String>,
    /// Places of conditions of which all was run but a side that only throws.
    guards: Vec<String>,
    /// Tests that ran some of them: the failing ones, and others.
    failing: BTreeSet<&'r TestId>,
    others: BTreeSet<&'r TestId>,
}

impl<'r> Lines<'r> {
    fn of(spread: &Spread, ran: &'r Spectrum, triggering: &[TestId], language: &'static dyn Language) -> Self {
        let mut found = Self::default();
        for file in programs(&spread.patch, language) {
            let tests = lines_of(ran, &file.path);
            if file.before.is_none() && tests.is_empty() {
                continue;
            }
            let all: BTreeSet<u32> = tests.iter().flat_map(|(_, lines)| lines.iter().copied()).collect();
            let Changed { statements: own, unrun, branches, guards, .. } = patch::changed(file, &all, language);
            for (id, _) in tests.iter().filter(|(_, lines)| own.iter().any(|line| lines.contains(line))) {
                if triggering.contains(id) { &mut found.failing } else { &mut found.others }.insert(*id);
            }
            found.statements += own.len();
            let named = |lines: Vec<u32>| {
                let lines: BTreeSet<u32> = lines.into_iter().map(|line| spread.origin(&file.path, line)).collect();
                lines.into_iter().map(|line| format!("{}:{line}", file.path))
            };
            found.unrun.extend(named(unrun));
            found.branches.extend(named(branches));
            found.guards.extend(named(guards));
        }
        found
    }
}

impl Lines<'_> {
    /// Whether what further tests run would change nothing but how many they are.
    fn is_enough(&self) -> bool {
        let places = [&self.unrun, &self.branches, &self.guards];
        !self.others.is_empty() && places.iter().all(|places| places.is_empty())
    }
}

/// What the lines say that tests ran.
fn by_runs(signs: &Signs<'_>, spread: &Spread, ran: &Spectrum, weighed: &mut Weighed) {
    let is_exchange = Exchange::of(signs.patch).is_some();
    let found = Lines::of(spread, ran, signs.triggering, signs.language);
    let Lines { statements, unrun, mut branches, guards, failing, others } = found;
    // Where operators alone are exchanged, the check was there, and nobody tested it before either.
    if !is_exchange {
        branches.extend(guards);
    }
    if statements == 0 {
        return by_declaration(signs, weighed);
    }
    let is_measured = |id: &TestId| ran.tests().any(|(other, ..)| suite::same_group(other, id));
    if failing.is_empty() && !signs.triggering.iter().all(is_measured) {
        weighed.add(1, "the failing tests take too long to measure what they run of it".into());
        return;
    }
    if !unrun.is_empty() {
        let weight = if 2 * unrun.len() > statements { 2 } else { 1 };
        weighed.add(weight, format!("no test near it runs {}", some(&unrun)));
    }
    if !branches.is_empty() {
        weighed.add(1, format!("no test near it takes both sides of the condition at {}", some(&branches)));
    }
    let (is_open, failed) = (is_open(signs), (signs.triggering, signs.before));
    if let Some(evaded) = checks::evaded(failed, signs.untouched, (spread, ran), signs.language).filter(|_| is_open) {
        weighed.add(1, evaded.reason());
    }
    // That these few take one side alone says the same once more.
    let is_told = is_exchange && !branches.is_empty();
    by_others(signs, (spread, ran), (&failing, &others), is_told, weighed);
}

/// What it says that tests that passed before run what changed, too; `is_told` where it is said that these few are not enough.
fn by_others(
    signs: &Signs<'_>,
    (spread, ran): (&Spread, &Spectrum),
    (failing, others): (&BTreeSet<&TestId>, &BTreeSet<&TestId>),
    is_told: bool,
    weighed: &mut Weighed,
) {
    let (exchange, is_open) = (Exchange::of(signs.patch), is_open(signs));
    let changed = paths::changed(signs.untouched, spread, ran, signs.language);
    match others.len() {
        // What is made for one test does not pass several at once.
        0 if failing.len() >= SEVERAL => {
            weighed.good.push(format!("{} failing tests run what changed", failing.len()));
        }
        0 => weighed.add(usize::from(!is_told), "only the failing tests run what changed".into()),
        // Each of them took the other side before, and none of them cares.
        n if is_open && exchange == Some(Exchange::Negation) && n > OUTVOTED * failing.len() => {
            let tests = counted(n as u64, "test");
            weighed.add(1, format!("{tests} that passed before run what it negates, and pass either way"));
        }
        n if is_open && changed > 0 && changed >= OUTVOTED * failing.len() => {
            let path = "take another path with it, and pass either way";
            weighed.add(1, format!("{changed} of {n} tests that passed before {path}"));
        }
        n => {
            let classes = signs.triggering.iter().filter(|trigger| trigger.method.is_empty());
            let is_new = classes.clone().any(|class| others.iter().any(|id| suite::same_group(id, class)));
            let which = if is_new { "that could not run before" } else { "that passed before" };
            let run = if n == 1 { "runs" } else { "run" };
            weighed.good.push(format!("{} {which} {run} it, too", counted(n as u64, "test")));
        }
    }
}

/// Whether a patch is small, and does not bring back what stood there before.
fn is_open(signs: &Signs<'_>) -> bool {
    signs.takes_back.is_none() && is_small(signs.patch, signs.language)
}

/// Whether a patch is one line for another, or exchanges operators alone.
fn is_small(patch: &Patch, language: &'static dyn Language) -> bool {
    if Exchange::of(patch).is_some() {
        return true;
    }
    let nothing = BTreeSet::new();
    let changed = patch.files.iter().map(|file| patch::changed(file, &nothing, language));
    changed.fold((0, 0), |(added, removed), file| (added + file.added, removed + file.removed)) == (1, 1)
}

/// What can be said of a patch that changes no statement: the lines of a header or a declaration run for all.
fn by_declaration(signs: &Signs<'_>, weighed: &mut Weighed) {
    let nothing = BTreeSet::new();
    let adds = |file| patch::changed(file, &nothing, signs.language).added > 0;
    // What only takes code away is spoken of by its code.
    if !programs(signs.patch, signs.language).any(adds) {
        return;
    }
    match signs.triggering.len() {
        n if n >= SEVERAL => weighed.good.push(format!("{n} failing tests ask for it")),
        _ => weighed.add(1, "what changed is no statement: nothing shows which other tests use it".into()),
    }
}

/// What the code of the patch says.
fn by_code(signs: &Signs<'_>, weighed: &mut Weighed) {
    let values = patch::suspicious::values_of_tests(signs.patch, signs.tests, signs.language);
    if !values.is_empty() {
        weighed.add(2, format!("it holds what stands in the failing tests: {}", some(&values)));
    }
    if let Some(name) = unread::no_longer_read(signs.patch, signs.language) {
        weighed.add(1, format!("nothing reads `{name}` any more, which each turn sets"));
    }
    let nothing = BTreeSet::new();
    let programs = programs(signs.patch, signs.language);
    let all: Vec<Changed> = programs.map(|file| patch::changed(file, &nothing, signs.language)).collect();
    let swallows: usize = all.iter().map(|changed| changed.swallows.len()).sum();
    if swallows > 0 {
        weighed.add(1, "it catches an exception and throws nothing".into());
    }
    if all.iter().all(|changed| changed.added == 0) && all.iter().any(|changed| changed.removed > 0) {
        weighed.add(1, "it only takes code away".into());
    }
    if patch::drops_an_operand(signs.patch) {
        weighed.add(1, "it only takes a part of a condition away".into());
    } else if patch::takes_words_out(signs.patch) {
        weighed.add(1, "it only takes a part of an expression away".into());
    }
}

/// The changed files that are programs.
fn programs<'p>(patch: &'p Patch, language: &'static dyn Language) -> impl Iterator<Item = &'p FileChange> {
    patch.files.iter().filter(move |file| language.is_source(file.path.as_str().into()) && !file.deletes())
}

fn some(all: &[String]) -> String {
    let more = if all.len() > NAMED { format!(" and {} more", all.len() - NAMED) } else { String::new() };
    format!("{}{more}", all[..all.len().min(NAMED)].join(", "))
}

#[cfg(test)]
mod tests;
