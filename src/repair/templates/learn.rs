//! What the judge's answers say about lines and templates.
//!
//! A candidate that makes some triggering tests pass has found the place: more is tried there, as much more as the best
//! one there achieved, and it is combined with a second edit. One that changes nothing about the failure makes its line
//! a little less interesting, one that does not compile its template. Every step is small: half of what one learns from
//! single answers is chance.

use super::Template;
use super::clues::Clues;
use super::plan::Plan;
use crate::domain::{FailingTest, Failure, Outcome, TestId, Validation};
use std::collections::HashMap;
use std::ops::Range;

/// No line or template is given up for bad answers.
const FLOOR: f64 = 0.5;
/// What a line gains when a candidate on it repairs all triggering tests but for one.
const GAIN: f64 = 0.4;
/// How much earlier a line's candidates come once one of them passed: what else passes there is the likeliest rival, which the
/// tests that ran cannot tell from it.
const RIVAL: f64 = 2.0;
/// The same for a change inside of what the one that passed changes: it may do too much.
const LESSER: f64 = 4.0;
/// What a plan gains that decides the value of a name, where a candidate on another statement that reads it repairs all
/// triggering tests.
const NAMED: f64 = 2.0;
/// Progress of a candidate that repairs the triggering tests and breaks others: mostly it turned a result around.
const REGRESSION: f64 = 0.3;
/// Promising candidates combined in one search.
const MAX_PROMISING: usize = 24;

/// What is known of one suspicious statement.
#[derive(Debug, Clone)]
struct Known {
    /// Share of triggering tests that the best candidate repaired.
    best: f64,
    /// What one that passed changes: a range of bytes.
    passed: Option<Range<usize>>,
    /// Falls with each answer that says nothing.
    interest: f64,
}

/// Factors learnt so far.
pub(super) struct Experience {
    failing: HashMap<TestId, Failure>,
    templates: Vec<f64>,
    places: HashMap<usize, Known>,
    promising: Vec<usize>,
    promises: HashMap<usize, f64>,
    /// Names that statements read where a candidate repaired some: the best share, and that statement.
    names: HashMap<String, (f64, usize)>,
}

impl Experience {
    /// What the failures of the untouched code say already.
    pub(super) fn new(failing: &[FailingTest], clues: &Clues, templates: &[Box<dyn Template>]) -> Self {
        Self {
            failing: failing.iter().map(|test| (test.id.clone(), test.failure.clone())).collect(),
            templates: templates
                .iter()
                .map(|template| hint(template.name(), failing) * exceptional(template.name(), clues))
                .collect(),
            places: HashMap::new(),
            promising: Vec::new(),
            promises: HashMap::new(),
            names: HashMap::new(),
        }
    }

    /// How much more or less a plan is worth than its base.
    pub(super) fn factor(&self, plan: &Plan) -> f64 {
        let place = self.places.get(&plan.place).map_or(1.0, |known| known.interest * (1.0 + GAIN * known.best));
        let set = plan.sets.as_ref().and_then(|name| self.names.get(name)).filter(|(_, at)| *at != plan.place);
        let named = set.map_or(1.0, |(share, _)| 1.0 + NAMED * share);
        place * named * self.templates.get(plan.template).copied().unwrap_or(1.0)
    }

    /// How much earlier a plan comes than its worth says. Its worth stays, for that is what rivals are ranked by.
    pub(super) fn hurry(&self, plan: &Plan) -> f64 {
        match self.places.get(&plan.place).and_then(|known| known.passed.as_ref()) {
            Some(passed) if touched(plan).is_some_and(|own| is_inside(&own, passed)) => LESSER,
            Some(_) => RIVAL,
            None => 1.0,
        }
    }

    /// Takes one answer.
    pub(super) fn learn(&mut self, at: usize, plan: &Plan, validation: &Validation) {
        let progress = match validation.outcome {
            Outcome::Regression => REGRESSION,
            // What passed needs no second edit.
            outcome if outcome.passes() => 0.0,
            outcome if outcome.compiled() => self.share(validation),
            _ => 0.0,
        };
        // Edits that repair no more together than one of them does have nothing to do with each other.
        if progress > plan.by_part && self.promises.len() < MAX_PROMISING {
            self.promising.push(at);
            self.promises.insert(at, progress);
        }
        let (place, template) = match validation.outcome {
            Outcome::CompileError => (1.0, 0.97),
            Outcome::Timeout | Outcome::OutOfMemory | Outcome::Crash => (0.98, 0.98),
            Outcome::Failed if self.is_unchanged(validation) => (0.98, 1.0),
            _ => (1.0, 1.0),
        };
        let known = self.places.entry(plan.place).or_insert(Known { best: 0.0, passed: None, interest: 1.0 });
        if known.passed.is_none() && validation.outcome.passes() {
            known.passed = touched(plan);
        }
        known.best = known.best.max(progress);
        known.interest = (known.interest * place).max(FLOOR);
        if let Some(factor) = self.templates.get_mut(plan.template) {
            *factor = (*factor * template).max(0.3);
        }
    }

    /// Takes the names that a plan's statement reads, where the answer is that it repairs some tests.
    pub(super) fn learn_names<'n>(
        &mut self,
        plan: &Plan,
        validation: &Validation,
        read: impl Iterator<Item = &'n str>,
    ) {
        let share = self.share(validation);
        if share == 0.0 || plan.edits > 1 {
            return;
        }
        for name in read {
            let known = self.names.entry(name.to_owned()).or_insert((share, plan.place));
            if known.0 < share {
                *known = (share, plan.place);
            }
        }
    }

    /// Share of the triggering tests that a candidate repairs.
    fn share(&self, validation: &Validation) -> f64 {
        (validation.fixed as f64 / self.failing.len().max(1) as f64).min(1.0)
    }

    /// Plans that deserve a second edit and were not asked for before.
    pub(super) fn take_promising(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.promising)
    }

    /// Share of the triggering tests that a promising plan repaired.
    pub(super) fn promise(&self, plan: usize) -> f64 {
        self.promises.get(&plan).copied().unwrap_or(0.0)
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

/// The bytes from a plan's first change to its last.
fn touched(plan: &Plan) -> Option<Range<usize>> {
    let start = plan.changes.iter().map(|change| change.range.start).min()?;
    let end = plan.changes.iter().map(|change| change.range.end).max()?;
    Some(start..end)
}

/// Whether a change is a part of a larger one.
fn is_inside(own: &Range<usize>, larger: &Range<usize>) -> bool {
    own != larger && larger.start <= own.start && own.end <= larger.end
}

/// What the kinds of the failures say about a template: 1 when nothing. A guard against a failure that was not seen is
/// less likely than any other repair.
fn hint(template: &str, failing: &[FailingTest]) -> f64 {
    let (kinds, endless, boost): (&[&str], bool, f64) = match template {
        "null_check" => (&["NullPointer", "AttributeError", "TypeError", "IndexError", "StopIteration"], false, 1.2),
        "range_check" => (&["IndexOutOfBounds", "NoSuchElement", "EmptyStack"], false, 1.2),
        "lookup" => (&["KeyError", "AttributeError"], false, 1.2),
        "conversion" | "type_check" => (&["TypeError", "AttributeError", "RuntimeError"], false, 0.5),
        "missing_argument" => (&["TypeError"], false, 0.4),
        "offset" | "boundary" => (&["IndexOutOfBounds", "StackOverflow"], true, 0.35),
        "swap_arguments" | "extend_condition" | "add_operand" => (&["StackOverflow"], true, 0.4),
        "cast" => (&["ClassCast"], false, 1.5),
        "move" | "copy_statement" => (&["ConcurrentModification", "IllegalState"], false, 0.4),
        _ => return 1.0,
    };
    let guard = matches!(template, "null_check" | "range_check" | "lookup") && !failing.is_empty();
    let speaks = |test: &&FailingTest| {
        let is_kind = kinds.iter().any(|kind| test.failure.kind.contains(kind));
        endless && test.timed_out || is_kind || guard && is_about_nothing(&test.id.method)
    };
    let share = failing.iter().filter(speaks).count() as f64 / failing.len().max(1) as f64;
    if guard && share == 0.0 { 0.5 } else { 1.0 + boost * share }
}

/// Whether the name of a test says that it is about what holds nothing: `test_empty_collection`.
fn is_about_nothing(method: &str) -> bool {
    let name = method.to_lowercase();
    ["empty", "null", "none", "missing", "blank"].iter().any(|word| name.contains(word))
}

/// How much likelier a template is for what the tests say about exceptions. One that makes exceptions is unlikely where
/// nobody waits for one.
fn exceptional(template: &str, clues: &Clues) -> f64 {
    let waited_for = !clues.expected.is_empty();
    match template {
        "translate" if waited_for && !clues.thrown.is_empty() => 1.5,
        "refusal" if waited_for => 1.5,
        "refusal" => 0.3,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::catalogue;
    use crate::templates::edit::Change;

    fn test(name: &str, kind: &str, timed_out: bool) -> FailingTest {
        FailingTest {
            id: TestId::new("T", name),
            file: None,
            span: None,
            failing_line: None,
            failure: Failure { kind: kind.into(), message: "no".into(), frames: Vec::new() },
            timed_out,
        }
    }

    fn answer(outcome: Outcome, fixed: usize) -> Validation {
        Validation { fixed, ..Validation::without_tests(outcome, "") }
    }

    fn plan(place: usize) -> Plan {
        Plan::for_tests(place, 0)
    }

    #[test]
    fn the_kind_of_failure_speaks_for_templates() {
        let crash = [test("a", "java.lang.NullPointerException", false)];
        assert!(hint("null_check", &crash) > 2.0 && hint("range_check", &crash) < 1.0);
        assert!(hint("null_check", &[test("splitsEmptyText", "E", false)]) > 2.0);
        assert!(hint("null_check", &[test("splitsText", "E", false)]) < 1.0);
        assert!(hint("boundary", &[test("a", "", true)]) > 1.0);
        assert!((hint("variable", &crash) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn progress_draws_and_silence_repels() {
        let failing = [test("a", "E", false), test("b", "E", false)];
        let mut experience = Experience::new(&failing, &Clues::default(), &catalogue(&crate::language::Java));
        let before = experience.factor(&plan(1));
        experience.learn(0, &plan(1), &answer(Outcome::Failed, 1));
        assert!(experience.factor(&plan(1)) > before);
        assert_eq!(experience.take_promising(), [0]);
        assert!((experience.promise(0) - 0.5).abs() < 1e-9);
        let mut silent = answer(Outcome::Failed, 0);
        silent.failing = failing.iter().map(|t| (t.id.clone(), t.failure.clone())).collect();
        for _ in 0..200 {
            experience.learn(1, &plan(2), &silent);
        }
        let factor = experience.factor(&plan(2));
        assert!(factor < before && factor >= FLOOR * before - 1e-9);
    }

    #[test]
    fn edits_that_repair_no_more_together_are_not_combined_further() {
        let failing = ["a", "b", "c"].map(|name| test(name, "E", false));
        let mut experience = Experience::new(&failing, &Clues::default(), &catalogue(&crate::language::Java));
        let pair = Plan { edits: 2, by_part: 1.0 / 3.0, ..plan(1) };
        experience.learn(7, &pair, &answer(Outcome::Failed, 1));
        assert!(experience.take_promising().is_empty());
        experience.learn(8, &pair, &answer(Outcome::Failed, 2));
        assert_eq!(experience.take_promising(), [8]);
    }

    #[test]
    fn what_changes_less_than_a_candidate_that_passed_comes_first() {
        let mut experience = Experience::new(&[], &Clues::default(), &catalogue(&crate::language::Java));
        let changing = |place, range| Plan { changes: vec![Change { range, text: String::new() }], ..plan(place) };
        experience.learn(0, &changing(1, 10..30), &answer(Outcome::Plausible, 1));
        let of = |place, range| experience.hurry(&changing(place, range));
        assert_eq!([of(1, 10..20), of(1, 25..40), of(1, 10..30), of(2, 10..20)], [LESSER, RIVAL, RIVAL, 1.0]);
    }

    #[test]
    fn what_gives_a_name_its_value_comes_earlier_where_a_change_to_what_reads_it_helps() {
        let failing = [test("a", "E", false), test("b", "E", false)];
        let mut experience = Experience::new(&failing, &Clues::default(), &catalogue(&crate::language::Python));
        let setting = |place| Plan { sets: Some("strip".into()), ..plan(place) };
        let worth = |experience: &Experience, place| experience.factor(&setting(place));
        experience.learn_names(&plan(1), &answer(Outcome::Failed, 0), ["strip"].into_iter());
        assert!((worth(&experience, 2) - 1.0).abs() < 1e-9, "nothing was repaired");
        experience.learn_names(&plan(1), &answer(Outcome::Failed, 1), ["self", "strip"].into_iter());
        assert!((worth(&experience, 2) - (1.0 + NAMED / 2.0)).abs() < 1e-9);
        assert!((worth(&experience, 1) - 1.0).abs() < 1e-9, "its own statement is tried anyhow");
        assert!((experience.factor(&plan(2)) - 1.0).abs() < 1e-9, "it gives no value to that name");
    }

    #[test]
    fn what_does_not_compile_costs_its_template() {
        let mut experience = Experience::new(&[], &Clues::default(), &catalogue(&crate::language::Java));
        let before = experience.factor(&plan(1));
        experience.learn(0, &plan(1), &answer(Outcome::CompileError, 0));
        assert!(experience.factor(&plan(5)) < before, "elsewhere too");
        assert!(experience.take_promising().is_empty());
    }
}
