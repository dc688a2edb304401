//! What the judge's answers say about lines and templates.
//!
//! A candidate that makes some triggering tests pass, or repairs them all and breaks another, has found the place: more
//! is tried there, and it is combined with a second edit. One that changes nothing about the failure makes its line less
//! interesting, one that does not compile its template.

use super::Template;
use super::engine::Plan;
use crate::domain::{FailingTest, Failure, Outcome, TestId, Validation};
use std::collections::HashMap;

/// No line or template is given up entirely, and none takes over.
const RANGE: (f64, f64) = (0.25, 4.0);
/// Promising candidates combined in one search.
const MAX_PROMISING: usize = 24;

/// Factors learnt so far.
pub(super) struct Experience {
    failing: HashMap<TestId, Failure>,
    templates: Vec<f64>,
    places: HashMap<usize, f64>,
    promising: Vec<usize>,
    promises: HashMap<usize, f64>,
}

impl Experience {
    /// What the failures of the untouched code say already.
    pub(super) fn new(failing: &[FailingTest], templates: &[Box<dyn Template>]) -> Self {
        Self {
            failing: failing.iter().map(|test| (test.id.clone(), test.failure.clone())).collect(),
            templates: templates.iter().map(|template| hint(template.name(), failing)).collect(),
            places: HashMap::new(),
            promising: Vec::new(),
            promises: HashMap::new(),
        }
    }

    /// How much more or less a plan is worth than its base.
    pub(super) fn factor(&self, plan: &Plan) -> f64 {
        let place = self.places.get(&plan.place).copied().unwrap_or(1.0);
        place * self.templates.get(plan.template).copied().unwrap_or(1.0)
    }

    /// Takes one answer.
    pub(super) fn learn(&mut self, at: usize, plan: &Plan, validation: &Validation) {
        let all = self.failing.len().max(1) as f64;
        let fixed = validation.fixed as f64 / all;
        let (place, template) = match validation.outcome {
            Outcome::Plausible | Outcome::PassedWarm | Outcome::Suspicious => (1.5, 1.3),
            Outcome::Regression => (1.4, 1.1),
            _ if validation.fixed > 0 => (1.0 + 0.6 * fixed, 1.1),
            Outcome::CompileError => (1.0, 0.97),
            Outcome::Failed if self.is_unchanged(validation) => (0.95, 1.0),
            Outcome::Timeout | Outcome::OutOfMemory | Outcome::Crash => (0.97, 0.98),
            _ => (1.0, 1.0),
        };
        let promise = match validation.outcome {
            Outcome::Regression => 0.9,
            outcome if outcome.compiled() => fixed,
            _ => 0.0,
        };
        if promise > 0.0 && self.promises.len() < MAX_PROMISING {
            self.promising.push(at);
            self.promises.insert(at, 0.5 + 0.5 * promise);
        }
        scale(self.places.entry(plan.place).or_insert(1.0), place);
        if let Some(factor) = self.templates.get_mut(plan.template) {
            scale(factor, template);
        }
    }

    /// Plans that deserve a second edit and were not asked for before.
    pub(super) fn take_promising(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.promising)
    }

    /// How promising a plan was, `0.5..=1.0`.
    pub(super) fn promise(&self, plan: usize) -> f64 {
        self.promises.get(&plan).copied().unwrap_or(0.5)
    }

    /// Whether every failure is word for word the one of the untouched code.
    fn is_unchanged(&self, validation: &Validation) -> bool {
        !validation.failing.is_empty()
            && validation.failing.iter().all(|(test, failure)| {
                let known = self.failing.get(test);
                known.is_some_and(|known| known.kind == failure.kind && known.message == failure.message)
            })
    }
}

fn scale(factor: &mut f64, by: f64) {
    *factor = (*factor * by).clamp(RANGE.0, RANGE.1);
}

/// What the kinds of the failures say about a template: 1 when nothing.
fn hint(template: &str, failing: &[FailingTest]) -> f64 {
    let (kinds, endless, boost): (&[&str], bool, f64) = match template {
        "null_check" => (&["NullPointer"], false, 1.2),
        "range_check" => (&["IndexOutOfBounds", "NoSuchElement", "EmptyStack"], false, 1.2),
        "offset" | "boundary" => (&["IndexOutOfBounds", "StackOverflow"], true, 0.35),
        "swap_arguments" | "extend_condition" => (&["StackOverflow"], true, 0.3),
        "cast" => (&["ClassCast"], false, 1.5),
        "move" | "copy_statement" => (&["ConcurrentModification", "IllegalState"], false, 0.4),
        _ => return 1.0,
    };
    let speaks =
        |test: &&FailingTest| endless && test.timed_out || kinds.iter().any(|kind| test.failure.kind.contains(kind));
    1.0 + boost * failing.iter().filter(speaks).count() as f64 / failing.len().max(1) as f64
}
