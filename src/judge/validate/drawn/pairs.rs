//! One input beside itself: what came of it before and with a patch.

use super::{Call, Origin};
use crate::domain::TestId;
use std::collections::{BTreeMap, BTreeSet};

/// Exceptions of the language itself, by the ends of their names: an object throws them whose fields do not fit each other,
/// and code with a fault.
const LANGUAGE: [&str; 8] = [
    "IndexOutOfBoundsException",
    "NegativeArraySizeException",
    "NullPointerException",
    "ClassCastException",
    "AttributeError",
    "IndexError",
    "KeyError",
    "TypeError",
];

/// A call by what was called with what.
pub(super) type Key<'c> = (&'c str, &'c str, &'c str);

pub(super) fn key(call: &Call) -> Key<'_> {
    (&call.file, &call.function, &call.input)
}

/// One input: what came of it before and with the patch.
#[derive(Debug, Clone)]
pub(super) struct Pair<'c> {
    pub(super) call: &'c Call,
    pub(super) before: &'c str,
    pub(super) after: &'c str,
    /// Whether a failing test gives the input.
    pub(super) triggering: bool,
    /// Whether only tests that passed before give it.
    pub(super) passing: bool,
    /// Whether it was drawn near what a failing test gives.
    pub(super) near_failing: bool,
    /// A test that passed before and whose own input gave the very same text.
    pub(super) vouches: Option<&'c TestId>,
}

impl<'c> Pair<'c> {
    /// A call with the patch beside the same one before; which tests give its input is not known yet.
    fn of(call: &'c Call, old: &'c Call) -> Self {
        Self {
            call,
            before: &old.result,
            after: &call.result,
            triggering: false,
            passing: false,
            near_failing: false,
            vouches: None,
        }
    }

    pub(super) fn changed(&self) -> bool {
        // The JVM names the expression that is null, which any other code may spell otherwise.
        let is_null = kind(self.before) == kind(self.after) && kind(self.after).ends_with("NullPointerException");
        self.before != self.after && !is_null
    }

    /// Whether a result says more of an object in a state that its own methods may never leave it in than of the code.
    pub(super) fn is_of_state(&self, result: &str) -> bool {
        self.call.origin == Origin::Fields && is_of_fault(result)
    }

    /// Whether the code says that an argument may be absent, faulted on it, and no longer does.
    pub(super) fn is_mended(&self) -> bool {
        self.call.origin == Origin::Absent && is_of_fault(self.before) && is_value(self.after)
    }

    /// Whether no test gives the input.
    pub(super) fn drawn(&self) -> bool {
        !self.triggering && !self.passing
    }
}

/// Each input that both versions were called with, once.
pub(super) fn pairs<'c>(before: &'c [Call], after: &'c [Call], triggering: &[TestId]) -> BTreeMap<Key<'c>, Pair<'c>> {
    let old: BTreeMap<Key<'_>, &Call> = before.iter().map(|call| (key(call), call)).collect();
    let mut found: BTreeMap<Key<'c>, Pair<'c>> = BTreeMap::new();
    for call in after {
        if let Some(old) = old.get(&key(call)) {
            found.entry(key(call)).or_insert(Pair::of(call, old));
        }
    }
    let own = before.iter().filter(|call| call.is_own() && is_text(&call.result));
    let texts: BTreeSet<_> = own.map(|call| (&call.test, &call.function, &call.result)).collect();
    for call in before {
        let is_vouched = !call.is_own() && texts.contains(&(&call.test, &call.function, &call.result));
        if let Some(pair) = found.get_mut(&key(call)).filter(|_| is_vouched && !triggering.contains(&call.test)) {
            pair.vouches = Some(&call.test);
        }
    }
    for call in before.iter().chain(after) {
        if let Some(pair) = found.get_mut(&key(call)) {
            let fails = triggering.contains(&call.test);
            pair.triggering |= call.is_own() && fails;
            pair.passing |= call.is_own() && !fails;
            pair.near_failing |= !call.is_own() && fails;
        }
    }
    found.values_mut().for_each(|pair| pair.passing &= !pair.triggering);
    found
}

pub(super) fn is_value(result: &str) -> bool {
    result.starts_with("returns ")
}

/// Whether a result is an exception that code hardly raises on purpose.
pub(super) fn is_of_fault(result: &str) -> bool {
    !is_value(result) && LANGUAGE.iter().any(|error| kind(result).ends_with(error))
}

/// A result without the message of an exception, which often holds the input, and without what it leaves.
pub(super) fn kind(result: &str) -> &str {
    match is_value(result) {
        true => result,
        false => result.split(':').next().unwrap_or(result).split(" and leaves ").next().unwrap_or(result),
    }
}

/// Whether a call gives a text that is not empty: two such results are rarely equal by chance.
fn is_text(result: &str) -> bool {
    let value = result.strip_prefix("returns ").unwrap_or_default();
    value.starts_with(['"', '\'']) && !value.starts_with("\"\"") && !value.starts_with("''")
}
