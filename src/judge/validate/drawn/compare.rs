//! A patched version beside the untouched one: which inputs give another result, and what of that no failing test asks for.

use super::pairs::{Key, Pair, is_of_fault, is_value, key, kind, pairs};
use super::{Call, LONGEST, shown};
use crate::domain::TestId;
use crate::domain::words::counted;
use crate::patch::Exchange;
use std::collections::{BTreeMap, BTreeSet};

/// Inputs of one function that must be compared before there is a warning about all of them.
const ENOUGH: usize = 6;
/// Inputs of failing tests at most near which others are drawn where nothing near them was seen to change.
const AROUND: usize = 6;
/// Tests that passed before and whose text inputs near theirs no longer give.
const VOUCHING: usize = 5;
/// Inputs with another result before there is a warning about what they have in common.
const SEVERAL: usize = 4;
/// Results that they had before.
const DIFFERENT: usize = 3;

/// For each input with another result, those that no longer meet an exception, at least, before the first is odd.
const CURED: usize = 3;

/// Standard deviations by which one share must be larger than another to count: one time in six it is by chance.
const APART: f64 = 1.0;

/// What drawn inputs say against a patch.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// What it adds to the weight against a patch.
    pub weight: usize,
    /// What was seen, for people.
    pub reason: String,
    /// Whether it says that no failing test calls a function; one may call it with what cannot be copied.
    pub is_of_uncalled: bool,
}

/// Takes away calls with another result than in one run of the code before, unless a further run of it gave that result
/// again: what hangs on the time or on the process differs there, or is called with another input.
pub(super) fn keep_stable(calls: &mut Vec<Call>, one: &[Call], other: &[Call]) {
    let known: BTreeMap<Key<'_>, &str> = one.iter().map(|call| (key(call), &*call.result)).collect();
    let is_known = |call: &Call| known.get(&key(call)).is_none_or(|result| *result == call.result);
    let again: BTreeSet<Key<'_>> = other.iter().filter(|call| is_known(call)).map(key).collect();
    calls.retain(|call| is_known(call) || again.contains(&key(call)));
}

/// The tests that gave inputs with another result than before, or inputs near which were drawn.
pub(super) fn differing(before: &[Call], after: &[Call]) -> Vec<TestId> {
    let old: BTreeMap<Key<'_>, &str> = before.iter().map(|call| (key(call), &*call.result)).collect();
    let differs = |call: &&Call| old.get(&key(call)).is_some_and(|result| *result != call.result);
    let tests: BTreeSet<&TestId> = after.iter().filter(differs).map(|call| &call.test).collect();
    tests.into_iter().cloned().collect()
}

/// Inputs of failing tests with another result than before, in functions where none near one of theirs was seen to have
/// one: what to draw near, as [`Draw::around`](super::Draw::around) has it. The first version is the one before.
pub(super) fn alone(versions: &[Vec<Call>], triggering: &[TestId]) -> Vec<String> {
    let Some((before, patched)) = versions.split_first() else { return Vec::new() };
    let mut found = BTreeSet::new();
    for after in patched {
        let functions = by_function(before, after, triggering).into_values();
        let is_seen_near = |pair: &Pair<'_>| pair.near_failing && pair.drawn() && pair.changed();
        let is_alone = |pairs: &Vec<Pair<'_>>| !pairs.iter().any(is_seen_near);
        let changed = functions.filter(is_alone).flatten().filter(|pair| pair.triggering && pair.changed());
        let inputs = changed.map(|pair| format!("{}({}", pair.call.function, pair.call.input));
        found.extend(inputs.filter(|input| input.chars().count() < LONGEST));
    }
    found.into_iter().take(AROUND).collect()
}

/// How many inputs that no failing test gives have another result than before, and in how many characters those differ. That
/// an input no longer meets what a failing test met in the same function is asked for, if code hardly raises it on purpose.
pub(super) fn changed(before: &[Call], after: &[Call], triggering: &[TestId]) -> (usize, usize) {
    let none = BTreeSet::new();
    let functions = by_function(before, after, triggering).into_values();
    let functions: Vec<FunctionPairs<'_>> =
        functions.map(|pairs| FunctionPairs { pairs, exchange: None, agreed: &none }).collect();
    let changed = functions.iter().flat_map(|function| {
        let faults = function.faults();
        function.changed().filter(move |pair| !pair.triggering && !is_cured(pair, &faults))
    });
    changed.fold((0, 0), |(inputs, chars), pair| (inputs + 1, chars + shown::apart(pair.before, pair.after)))
}

/// The inputs that both versions were called with, by file and function.
fn by_function<'c>(
    before: &'c [Call],
    after: &'c [Call],
    triggering: &[TestId],
) -> BTreeMap<(&'c str, &'c str), Vec<Pair<'c>>> {
    let mut functions: BTreeMap<(&str, &str), Vec<Pair<'_>>> = BTreeMap::new();
    for ((file, function, _), pair) in pairs(before, after, triggering) {
        functions.entry((file, function)).or_default().push(pair);
    }
    functions
}

/// Whether an input no longer meets one of these faults, or one that an absent argument met.
fn is_cured(pair: &Pair<'_>, faults: &BTreeSet<&str>) -> bool {
    is_value(pair.after) && faults.contains(kind(pair.before)) || pair.is_mended()
}

/// What speaks against the version after, function by function. Where only operators are exchanged, an edge was off by one:
/// nothing but the edge should change.
pub fn warnings(before: &[Call], after: &[Call], triggering: &[TestId], exchange: Option<Exchange>) -> Vec<Warning> {
    warnings_beside(before, after, triggering, exchange, &BTreeSet::new())
}

/// The same beside other patches: that inputs of tests that passed before give another result speaks against none of them where
/// all give the same one. Those inputs are `agreed`.
pub(super) fn warnings_beside(
    before: &[Call],
    after: &[Call],
    triggering: &[TestId],
    exchange: Option<Exchange>,
    agreed: &BTreeSet<Key<'_>>,
) -> Vec<Warning> {
    by_function(before, after, triggering)
        .into_values()
        .flat_map(|pairs| FunctionPairs { pairs, exchange, agreed }.warnings())
        .collect()
}

/// One function with its inputs.
struct FunctionPairs<'c> {
    pairs: Vec<Pair<'c>>,
    exchange: Option<Exchange>,
    /// Inputs to which other patches give the same result.
    agreed: &'c BTreeSet<Key<'c>>,
}

impl FunctionPairs<'_> {
    fn warnings(&self) -> Vec<Warning> {
        let all = [
            self.passing(),
            self.narrow(),
            self.wide(),
            self.vouched(),
            self.constant(),
            self.swallowed(),
            self.broken(),
            self.beside_errors(),
        ];
        let found: Vec<Warning> = all.into_iter().flatten().collect();
        if found.is_empty() { self.unasked().into_iter().collect() } else { found }
    }

    fn changed(&self) -> impl Iterator<Item = &Pair<'_>> {
        self.pairs.iter().filter(|pair| pair.changed())
    }

    /// Faults that failing tests met, and no longer meet: exceptions that code hardly raises on purpose.
    fn faults(&self) -> BTreeSet<&str> {
        let met = self.pairs.iter().filter(|pair| pair.triggering && is_of_fault(pair.before) && is_value(pair.after));
        met.map(|pair| kind(pair.before)).collect()
    }

    /// Results of what failing tests ask for, before or after.
    fn triggering_values<'s>(&'s self, of: impl Fn(&Pair<'s>) -> &'s str) -> BTreeSet<&'s str> {
        self.pairs.iter().filter(|pair| pair.triggering).map(of).collect()
    }

    /// Results that failing tests ask for and other inputs may give as well. A patch made for one test may give its result
    /// for all inputs, but not by the opposite of one operator alone: then what is asked of one input is meant for many.
    fn asked(&self) -> BTreeSet<&str> {
        let is_asked = |pair: &&Pair<'_>| pair.triggering && self.exchange == Some(Exchange::Negation);
        self.changed().filter(is_asked).map(|pair| pair.after).collect()
    }

    /// Kinds of exceptions that some inputs no longer meet and others meet now, by the opposite of one operator alone: the
    /// check was there, the wrong way round.
    fn moved(&self) -> BTreeSet<&str> {
        let changed = || self.changed().filter(|_| self.exchange == Some(Exchange::Negation));
        let now: BTreeSet<&str> = changed().map(|pair| kind(pair.after)).collect();
        changed().map(|pair| kind(pair.before)).filter(|kind| now.contains(kind)).collect()
    }

    /// Inputs of tests that passed before give another result: those tests did not ask for it.
    fn passing(&self) -> Option<Warning> {
        let asked = self.asked();
        let is_own = |pair: &&Pair<'_>| pair.passing && !self.agreed.contains(&key(pair.call));
        let changed: Vec<_> = self.changed().filter(is_own).filter(|pair| !asked.contains(pair.after)).collect();
        let (inputs, gives) = (counted(changed.len(), "input"), one_or(changed.len(), "gives", "give"));
        warning(1, &format!("{inputs} of tests that passed before {gives} another result"), changed.first()?)
    }

    /// No failing test calls the function, and drawn inputs give another result.
    fn unasked(&self) -> Option<Warning> {
        let is_asked = self.pairs.iter().any(|pair| pair.triggering || pair.near_failing);
        let is_odd = |pair: &Pair<'_>| pair.is_of_state(pair.before) || pair.is_of_state(pair.after);
        let changed: Vec<_> = self.changed().filter(|pair| !is_asked && pair.drawn() && !is_odd(pair)).collect();
        let (inputs, gives) = (counted(changed.len(), "drawn input"), one_or(changed.len(), "gives", "give"));
        let what = format!("no failing test calls it, and {inputs} {gives} another result");
        Some(Warning { is_of_uncalled: true, ..warning(1, &what, changed.first()?)? })
    }

    /// Drawn inputs near those of failing tests, or near those of tests that passed before: those that changed, and all.
    fn near(&self, failing: bool) -> (Vec<&Pair<'_>>, usize) {
        let near: Vec<_> = self.pairs.iter().filter(|pair| pair.drawn() && pair.near_failing == failing).collect();
        let all = near.len();
        (near.into_iter().filter(|pair| pair.changed()).collect(), all)
    }

    /// Only the very inputs of the failing tests give another result, and not those near them.
    fn narrow(&self) -> Option<Warning> {
        let ((failing, near_failing), (passing, near_passing)) = (self.near(true), self.near(false));
        // What is empty has nothing near it that should change as well.
        let triggering = self.changed().find(|pair| pair.triggering && !holds_nothing(&pair.call.input))?;
        // What changes for tests that passed before is told by itself.
        if self.exchange.is_some() || self.changed().any(|pair| pair.passing) {
            return None;
        }
        let none = failing.is_empty() && passing.is_empty() && near_failing + near_passing >= ENOUGH;
        if !none && (near_failing < ENOUGH || !failing.is_empty()) {
            return None;
        }
        let near = counted(if none { near_failing + near_passing } else { near_failing }, "drawn input");
        let what = format!("of {near} near the failing tests none changes: only what those tests give does");
        warning(1, &what, triggering)
    }

    /// Inputs near those of tests that passed before change more often than those near the failing ones, and hardly by
    /// chance: what was right is changed rather than what was wrong. What met the fault of the failing tests was not right.
    fn wide(&self) -> Option<Warning> {
        let ((failing, near_failing), (mut passing, near_passing)) = (self.near(true), self.near(false));
        let faults = self.faults();
        passing.retain(|pair| !is_cured(pair, &faults));
        if near_failing.min(near_passing) < ENOUGH || failing.is_empty() || passing.len() < DIFFERENT {
            return None;
        }
        if !is_larger((passing.len(), near_passing), (failing.len(), near_failing)) {
            return None;
        }
        let what = format!(
            "{} of {} near tests that passed before give another result, and {} of {near_failing} near the failing tests",
            passing.len(),
            counted(near_passing, "drawn input"),
            failing.len()
        );
        warning(1, &what, passing.first()?)
    }

    /// Inputs near those of several passing tests gave the very text that those tests ask for, and no longer do.
    fn vouched(&self) -> Option<Warning> {
        let changed = || self.changed().filter(|pair| pair.drawn() && !pair.near_failing && pair.vouches.is_some());
        let tests: BTreeSet<&TestId> = changed().filter_map(|pair| pair.vouches).collect();
        let what = format!(
            "inputs near {} that passed before gave the same text as the tests' own, and do not now",
            counted(tests.len(), "test")
        );
        (tests.len() >= VOUCHING).then(|| warning(1, &what, changed().next()?)).flatten()
    }

    /// All inputs give the same result now, or all that changed do, where results differed.
    fn constant(&self) -> Option<Warning> {
        let asked = self.asked();
        let drawn: Vec<_> = self.changed().filter(|pair| pair.drawn() && !asked.contains(pair.after)).collect();
        let example = drawn.iter().find(|pair| is_value(pair.before))?;
        let different = |results: &mut dyn Iterator<Item = &Pair<'_>>| {
            let all: BTreeSet<String> =
                results.map(|pair| pair.before.to_owned()).filter(|text| is_value(text)).collect();
            all.len()
        };
        let same = |pairs: &mut dyn Iterator<Item = &Pair<'_>>| {
            let all: BTreeSet<String> = pairs.map(|pair| pair.after.to_owned()).collect();
            all.len() == 1
        };
        let all = &self.pairs;
        if all.len() >= ENOUGH && same(&mut all.iter()) && different(&mut all.iter()) > 1 {
            return warning(2, "every drawn input gives the same result now", example);
        }
        let several = drawn.len() >= SEVERAL && different(&mut drawn.iter().copied()) >= DIFFERENT;
        let what = format!("{} that gave several results give one now", counted(drawn.len(), "drawn input"));
        (several && same(&mut drawn.iter().copied())).then(|| warning(1, &what, example)).flatten()
    }

    /// Exceptions are gone that the failing tests do not meet.
    fn swallowed(&self) -> Option<Warning> {
        let (mut met, asked) = (self.triggering_values(|pair| kind(pair.before)), self.asked());
        met.extend(self.moved());
        let gone = |pair: &&Pair<'_>| is_error(pair.before) && is_value(pair.after) && !met.contains(kind(pair.before));
        // Behind the wrong side of a check code faults, and nobody raises that on purpose.
        let is_turned = |pair: &Pair<'_>| self.exchange == Some(Exchange::Negation) && is_of_fault(pair.before);
        let is_new = |pair: &&Pair<'_>| {
            !pair.is_of_state(pair.before) && !pair.is_mended() && !asked.contains(pair.after) && !is_turned(pair)
        };
        let gone: Vec<_> = self.changed().filter(gone).filter(is_new).collect();
        let (inputs, gives) = (counted(gone.len(), "drawn input"), one_or(gone.len(), "gives", "give"));
        let what = format!("{inputs} raised an exception that no failing test meets, and {gives} a result now");
        warning(1, &what, gone.first()?)
    }

    /// Where there was a result, there is an exception or no end, and no failing test asks for it. Where only operators are
    /// exchanged, what the failing tests met before is met by other inputs now: a check was the wrong way round.
    fn broken(&self) -> Option<Warning> {
        let mut expected = self.triggering_values(|pair| kind(pair.after));
        if self.exchange.is_some() {
            expected.extend(self.triggering_values(|pair| kind(pair.before)));
        }
        expected.extend(self.moved());
        let broken =
            |pair: &&Pair<'_>| is_value(pair.before) && !is_value(pair.after) && !expected.contains(kind(pair.after));
        let broken: Vec<_> = self.changed().filter(broken).filter(|pair| !pair.is_of_state(pair.after)).collect();
        let (inputs, gives) = (counted(broken.len(), "drawn input"), one_or(broken.len(), "gives", "give"));
        warning(1, &format!("{inputs} gave a result before and {gives} none now"), broken.first()?)
    }

    /// Where failing tests met exceptions alone: inputs that had a result have another one, and few do beside those that no
    /// longer meet such an exception. A wrong result comes of the same fault more often than that.
    fn beside_errors(&self) -> Option<Warning> {
        let met = self.triggering_values(|pair| kind(pair.before));
        let is_of_errors = !met.is_empty() && self.pairs.iter().all(|pair| !pair.triggering || is_error(pair.before));
        if !is_of_errors || self.exchange.is_some() {
            return None;
        }
        let drawn = || self.changed().filter(|pair| pair.drawn() && is_value(pair.after));
        let cured = drawn().filter(|pair| met.contains(kind(pair.before))).count();
        let other: Vec<_> = drawn().filter(|pair| is_value(pair.before)).collect();
        let (inputs, gives) = (counted(other.len(), "drawn input"), one_or(other.len(), "gives", "give"));
        let what = format!("{inputs} {gives} another result, where the failing tests met an exception");
        (other.len() * CURED <= cured).then(|| warning(1, &what, other.first()?)).flatten()
    }
}

/// Whether one share is larger than another, and hardly by chance: the pooled test of two proportions.
fn is_larger((hits, all): (usize, usize), (other_hits, others): (usize, usize)) -> bool {
    let (all_of_it, all_of_other) = (all as f64, others as f64);
    let pooled = (hits + other_hits) as f64 / (all_of_it + all_of_other);
    let deviation = (pooled * (1.0 - pooled) * (1.0 / all_of_it + 1.0 / all_of_other)).sqrt();
    hits as f64 / all_of_it - other_hits as f64 / all_of_other > APART * deviation
}

fn warning(weight: usize, what: &str, example: &Pair<'_>) -> Option<Warning> {
    let Pair { call, before, after, .. } = example;
    let reason = format!("{what}: {}", shown::parted(&call.written(), after, before));
    Some(Warning { weight, reason, is_of_uncalled: false })
}

fn one_or<'w>(number: usize, one: &'w str, more: &'w str) -> &'w str {
    if number == 1 { one } else { more }
}

/// Whether an argument of a call is an empty text or collection.
fn holds_nothing(input: &str) -> bool {
    const EMPTY: [&str; 6] = ["=\"\"", "=''", "=b''", "=[]", "={}", "=()"];
    EMPTY.iter().any(|empty| input.ends_with(empty) || input.contains(&format!("{empty}, ")))
}

fn is_error(result: &str) -> bool {
    result.starts_with("raises ")
}

#[cfg(test)]
mod tests;
