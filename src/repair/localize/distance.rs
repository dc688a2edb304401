//! Which methods a failing test reaches by calls that can be read in the source, and how far away they are.
//!
//! Static calls find what coverage misses: a failing test stops at its first failed assertion, and a test that never
//! ends leaves no coverage at all.

use crate::code::{CodeIndex, Method};
use crate::domain::FailingTest;
use std::collections::{HashMap, VecDeque};

/// Nearness of a method called in the failing statement itself.
const IN_FAILING_STATEMENT: f64 = 1.0;
/// Nearness of a method called elsewhere in the failing test.
const IN_TEST: f64 = 0.75;
/// Nearness of a method called by the test class's set-up.
const IN_SET_UP: f64 = 0.4;
/// What each further call leaves of the nearness.
const FADE: f64 = 0.6;
/// Below this nothing is followed any more: six calls from the failing statement.
const FLOOR: f64 = 0.05;
/// Methods visited for one test at most.
const MAX_METHODS: usize = 600;

/// How a method is reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached<'i> {
    /// The method.
    pub method: &'i Method,
    /// Nearness in `0.0..=1.0`: 1 for a call in the failing statement, less for each call in between.
    pub nearness: f64,
    /// Calls between the test and the method; 1 when the test calls it.
    pub calls: u32,
}

/// Methods reached from failing tests, by file and first byte.
#[derive(Debug, Default)]
pub struct Reach<'i> {
    methods: HashMap<*const Method, Reached<'i>>,
}

impl<'i> Reach<'i> {
    /// Follows the calls of all failing tests.
    pub fn of(index: &'i CodeIndex, failing: &[FailingTest]) -> Self {
        let mut reach = Self::default();
        for test in failing {
            reach.follow(index, test);
        }
        reach
    }

    /// How a method is reached, if it is.
    pub fn get(&self, method: &Method) -> Option<&Reached<'i>> {
        self.methods.get(&std::ptr::from_ref(method))
    }

    /// All reached product methods; in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Reached<'i>> {
        self.methods.values()
    }

    fn follow(&mut self, index: &'i CodeIndex, test: &FailingTest) {
        let mut open = VecDeque::new();
        for (method, nearness) in starts(index, test) {
            for call in &method.calls {
                let failing = test.failing_line == Some(call.line);
                let near = if failing { IN_FAILING_STATEMENT.min(nearness + 0.25) } else { nearness };
                open.extend(index.resolve_call(method, call).into_iter().map(|m| (m, near, 1)));
            }
        }
        let mut visited: HashMap<*const Method, f64> = HashMap::new();
        while let Some((method, nearness, calls)) = open.pop_front() {
            let key = std::ptr::from_ref(method);
            if visited.len() >= MAX_METHODS || visited.get(&key).is_some_and(|known| *known >= nearness) {
                continue;
            }
            visited.insert(key, nearness);
            // A helper of the test class is part of the test: going through it costs nothing.
            let is_test = index.file(&method.file).is_some_and(|file| file.test);
            if !is_test {
                self.note(Reached { method, nearness, calls });
            }
            let (next, depth) = if is_test { (nearness * 0.95, calls) } else { (nearness * FADE, calls + 1) };
            if next < FLOOR {
                continue;
            }
            for call in &method.calls {
                open.extend(index.resolve_call(method, call).into_iter().map(|m| (m, next, depth)));
            }
        }
    }

    fn note(&mut self, reached: Reached<'i>) {
        let entry = self.methods.entry(std::ptr::from_ref(reached.method)).or_insert_with(|| reached.clone());
        if reached.nearness > entry.nearness {
            *entry = reached;
        }
    }
}

/// The test method, and what its class runs before it.
fn starts<'i>(index: &'i CodeIndex, test: &FailingTest) -> Vec<(&'i Method, f64)> {
    let Some(file) = test.file.as_ref().and_then(|path| index.file(path)) else { return Vec::new() };
    let line = test.span.map(|span| span.first);
    let mut found: Vec<_> =
        file.methods().filter(|method| Some(method.span.first) == line).map(|method| (method, IN_TEST)).collect();
    let sets_up = |method: &&Method| {
        ["setUp", "setup_method"].contains(&method.name.as_str())
            || method.annotations.iter().any(|name| name.starts_with("Before"))
    };
    found.extend(file.methods().filter(sets_up).map(|method| (method, IN_SET_UP)));
    found
}

#[cfg(test)]
mod tests {
    use super::super::failing_tests;
    use super::super::metadata::tests::{baseline, shop, wrong_total};
    use super::*;
    use crate::domain::TestStatus;

    #[test]
    fn nearer_calls_are_nearer() {
        let index = shop();
        let failing = failing_tests(&index, &baseline("total", wrong_total(), TestStatus::Failed));
        let reach = Reach::of(&index, &failing);
        let nearness = |name: &str| {
            let method = index.methods_named(name).find(|m| m.file.as_str().starts_with("src")).unwrap();
            reach.get(method).map(|reached| (reached.nearness, reached.calls))
        };
        assert_eq!(nearness("total"), Some((1.0, 1)));
        assert_eq!(nearness("add"), Some((0.75, 1)));
        assert_eq!(nearness("check"), Some((0.75 * 0.6, 2)));
        assert_eq!(nearness("show"), None);
    }
}
