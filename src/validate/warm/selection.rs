//! Regression test selection: which tests can notice a change of a class.
//!
//! A candidate that passes the triggering tests need not run tests that execute nothing of what it changed. What each
//! test executes is measured once for exactly this project, in one process, and kept; tests are chosen by their class,
//! because an exception can hide from the measurement that a single one came by. The confirmation runs all of them.

use crate::domain::{TestId, TestStatus, outer_class};
use crate::validate::jvm::{Classes, Grain, Jvm, measured};
use crate::validate::plan::OnCrash;
use crate::validate::records::Executed;
use crate::validate::subject::Subject;
use crate::validate::{Baseline, ValidateError, baseline, coverage};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A suite that takes less is run whole: a process that measures it would take as long.
const WORTH: Duration = Duration::from_secs(1);

/// Test classes by the product classes they execute; classes by their outermost ones.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Selection {
    tests_of: BTreeMap<String, BTreeSet<String>>,
    /// Test classes of which every passing test was measured. The others are always chosen.
    measured: BTreeSet<String>,
}

impl Selection {
    /// What is kept of an earlier measurement, or a new one; `None` where all tests should run.
    ///
    /// # Errors
    /// No process can be started.
    pub(super) async fn of(jvm: &Jvm, known: &Baseline) -> Result<Option<Self>, ValidateError> {
        let usual: u64 = known.report.with_status(TestStatus::Passed).map(|result| result.millis).sum();
        if Duration::from_millis(usual) < WORTH {
            return Ok(None);
        }
        let file = jvm.kept.join("selection-1.json");
        if let Some(kept) = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            return Ok(Some(kept));
        }
        let mut plan = jvm.whole_plan(known, jvm.deadlines(&known.report));
        plan.skip.extend(coverage::endless(known).cloned());
        plan.on_crash = OnCrash::GoOn;
        plan.deadlines.default *= 2;
        let Some((_, executed)) = measured(jvm, plan, Grain::Classes).await? else { return Ok(None) };
        let selection = Self::from(known, executed);
        if let Err(error) = baseline::keep(&file, &selection) {
            tracing::warn!("what tests execute will be measured again: {error}");
        }
        Ok(Some(selection))
    }

    fn from(known: &Baseline, executed: Executed) -> Self {
        let mut unseen: BTreeMap<&str, BTreeSet<&TestId>> = BTreeMap::new();
        for id in &known.passing {
            unseen.entry(id.outer_class()).or_default().insert(id);
        }
        let mut selection = Self::default();
        for (id, products) in &executed {
            let class = id.outer_class();
            if let Some(unseen) = unseen.get_mut(class) {
                unseen.remove(id);
            }
            for product in products {
                selection.tests_of.entry(outer_class(product).to_owned()).or_default().insert(class.to_owned());
            }
        }
        let whole = unseen.into_iter().filter(|(_, left)| left.is_empty());
        selection.measured = whole.map(|(class, _)| class.to_owned()).collect();
        selection
    }

    /// Whether a test class, an outermost one, can notice a change of these product classes.
    pub(super) fn holds(&self, test_class: &str, changed: &BTreeSet<String>) -> bool {
        let executes = |product| self.tests_of.get(product).is_some_and(|tests| tests.contains(test_class));
        !self.measured.contains(test_class) || changed.iter().any(executes)
    }
}

/// The outermost classes that a candidate changes.
pub(super) fn changed(jvm: &Jvm, candidate: &Classes) -> BTreeSet<String> {
    let same = |name: &str, bytes: &[u8]| jvm.untouched(&name.replace('.', "/")).is_some_and(|old| old == bytes);
    let changed = candidate.iter().filter(|(name, bytes)| !same(name, bytes));
    changed.map(|(name, _)| outer_class(name).replace('/', ".")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{RunEnd, TestReport};

    fn selection() -> Selection {
        let report = TestReport { end: RunEnd::Complete, results: BTreeMap::new(), output_tail: String::new() };
        let passing = ["a.CartTest#adds", "a.CartTest#removes", "a.TaxTest#rounds", "a.AllTest#runs"];
        let known = Baseline {
            report: report.into(),
            triggering: Vec::new(),
            passing: passing.map(|name| name.parse().unwrap()).into(),
            set_aside: BTreeMap::new(),
            seconds: 0.0,
        };
        let ran = |name: &str, products: &[&str]| {
            (name.parse::<TestId>().unwrap(), products.iter().map(|name| (*name).into()).collect())
        };
        let executed = vec![
            ran("a.CartTest#adds", &["a.Cart$Line", "a.Money"]),
            ran("a.CartTest#removes", &[]),
            ran("a.TaxTest#rounds", &["a.Tax"]),
        ];
        Selection::from(&known, executed)
    }

    fn chosen(changed: &str) -> Vec<&'static str> {
        let changed = BTreeSet::from([changed.to_owned()]);
        ["a.AllTest", "a.CartTest", "a.TaxTest"]
            .into_iter()
            .filter(|class| selection().holds(class, &changed))
            .collect()
    }

    #[test]
    fn tests_that_execute_a_class_are_chosen_with_their_whole_class() {
        assert_eq!(chosen("a.Cart"), ["a.AllTest", "a.CartTest"]);
        assert_eq!(chosen("a.Tax"), ["a.AllTest", "a.TaxTest"]);
    }

    #[test]
    fn a_test_class_that_was_not_measured_is_always_chosen() {
        assert_eq!(chosen("a.Nobody"), ["a.AllTest"]);
    }
}
