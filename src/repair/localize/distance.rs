//! Which methods a failing test reaches by calls that can be read in the source, and how far away they are.
//!
//! Static calls find what coverage misses: a failing test stops at its first failed assertion, and a test that never
//! ends leaves no coverage at all.

use crate::code::{CodeIndex, Method};
use crate::domain::{FailingTest, Frame, RepoPath};
use std::collections::{HashMap, HashSet, VecDeque};

/// Nearness of a method called in the failing statement itself.
const IN_FAILING_STATEMENT: f64 = 1.0;
/// Nearness of a method called elsewhere in the failing test.
const IN_TEST: f64 = 0.75;
/// Nearness of a method called by the test class's set-up.
const IN_SET_UP: f64 = 0.4;
/// What a call in a helper of the tests leaves of the nearness.
const HELPER: f64 = 0.95;
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
        let failing_lines = failing_lines_of_helpers(index, test);
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
            // A helper of the test class is part of the test: going through it costs little, and nothing in the
            // statement that failed.
            let is_test = index.file(&method.file).is_some_and(|file| file.test);
            if !is_test {
                self.note(Reached { method, nearness, calls });
            }
            let (next, depth) = if is_test { (nearness * HELPER, calls) } else { (nearness * FADE, calls + 1) };
            if next < FLOOR {
                continue;
            }
            for call in &method.calls {
                let failing = is_test && failing_lines.contains(&(&method.file, call.line));
                let next = if failing { nearness } else { next };
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

/// Lines of test files in the failure's trace: where the failing statement stands when helpers of the tests hold it.
fn failing_lines_of_helpers<'i>(index: &'i CodeIndex, test: &FailingTest) -> HashSet<(&'i RepoPath, u32)> {
    let place = |frame: &Frame| Some((&index.class(&frame.class).filter(|(file, _)| file.test)?.0.path, frame.line?));
    test.failure.frames.iter().filter_map(place).collect()
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
    use super::super::metadata::tests::{baseline, frame, shop, shop_with, wrong_total};
    use super::*;
    use crate::domain::{Failure, TestStatus};

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

    #[test]
    fn the_failing_statement_may_stand_in_a_helper_of_the_test() {
        let test = "package shop;
public class CartTest {
    @Test public void adds() {
        check(new Cart());
    }
    void check(Cart cart) {
        cart.add(3);
        assertEquals(3, cart.total());
    }
}
";
        let index = shop_with(&[("test/shop/CartTest.java", test)]);
        let failure = Failure {
            kind: "java.lang.AssertionError".into(),
            frames: vec![frame("shop.CartTest", "check", 8), frame("shop.CartTest", "adds", 4)],
            ..Failure::default()
        };
        let failing = failing_tests(&index, &baseline("adds", failure, TestStatus::Failed));
        let reach = Reach::of(&index, &failing);
        let nearness = |name: &str| {
            let method = index.methods_named(name).find(|m| m.file.as_str().starts_with("src")).unwrap();
            reach.get(method).unwrap().nearness
        };
        assert_eq!((nearness("total"), nearness("add")), (1.0, 0.95));
    }
}
