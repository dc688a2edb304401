//! From facts to the bug: which failing tests trigger, which say nothing of the code, and which belong to another bug.

use super::earlier::FailedBefore;
use super::edited::{Edited, without_older};
use super::initialized;
use super::surroundings::Surroundings;
use super::{aside, group};
use crate::benchmark::{Checkout, Hint, ProductChange};
use crate::domain::{Fingerprint, TestId, TestReport, TestStatus, outer_class};
use crate::validate::subject::Subject;
use crate::validate::{Baseline, Options, Spectrum, ValidateError};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

const SCHEMA: u32 = 37;

/// What is kept between runs of this program: facts, no decisions.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::validate) struct Facts {
    pub(super) schema: u32,
    pub(super) report: TestReport,
    /// Failing tests that do not fail every time.
    pub(super) flaky: BTreeSet<TestId>,
    /// Failing tests that a hint named, where others fail, too: the bug is theirs.
    pub(super) hinted: BTreeSet<TestId>,
    /// Failing tests that pass by the project's own command, where it was asked.
    pub(super) own_passes: BTreeSet<TestId>,
    /// Failing examples of texts that lean on other tests.
    pub(super) leaning: BTreeSet<TestId>,
    /// Failing tests that fail without the last change too, where they were run without it.
    pub(super) before: Option<FailedBefore>,
    /// Tests that did not end in time, and are left out of the report for that.
    pub(super) unended: BTreeSet<TestId>,
    /// Tests that made a connection beyond this machine, or tried to, each with the host, where that was seen.
    pub(super) asked_for: BTreeMap<TestId, String>,
    /// What the tests of failing classes execute.
    pub(super) spectrum: Spectrum,
    /// Whether all tests of the project ran.
    pub(super) whole: bool,
    pub(super) seconds: f64,
}

impl Facts {
    pub(in crate::validate) fn new(mut report: TestReport, flaky: BTreeSet<TestId>, whole: bool, seconds: f64) -> Self {
        initialized::with_reasons(&mut report);
        Self {
            schema: SCHEMA,
            report,
            flaky,
            hinted: BTreeSet::new(),
            own_passes: BTreeSet::new(),
            leaning: BTreeSet::new(),
            before: None,
            unended: BTreeSet::new(),
            asked_for: BTreeMap::new(),
            spectrum: Spectrum::default(),
            whole,
            seconds,
        }
    }

    pub(super) fn is_readable(&self) -> bool {
        // That nothing ran is an accident, not a fact.
        self.schema == SCHEMA && !self.report.results.is_empty()
    }
}

/// Which tests somebody names.
pub(in crate::validate) struct Selection {
    by_user: Vec<TestId>,
    by_benchmark: Option<Vec<TestId>>,
    hints: Vec<Hint>,
    own: String,
    /// Class or module names of all tests.
    known: Vec<String>,
    surroundings: Surroundings,
    /// The last change of the product.
    change: Option<ProductChange>,
}

impl Selection {
    pub(super) fn of(subject: &dyn Subject) -> Self {
        Self::new(subject.checkout(), subject.options(), subject.tests().to_vec())
    }

    pub(in crate::validate) fn new(checkout: &Checkout, options: &Options, known: Vec<String>) -> Self {
        Self {
            by_user: options.failing.clone(),
            by_benchmark: checkout.triggering.clone(),
            hints: checkout.hints.clone(),
            own: checkout.own.as_ref().map_or("the project's own command".into(), |own| format!("`{}`", own.name())),
            known,
            surroundings: Surroundings::of(checkout),
            change: checkout.last_change.clone(),
        }
    }

    /// The tests that must be the bug; empty when that is to be found out.
    pub(super) fn named(&self) -> &[TestId] {
        if self.by_user.is_empty() { self.by_benchmark.as_deref().unwrap_or_default() } else { &self.by_user }
    }

    /// Whether nobody says what the bug is.
    pub(super) fn is_open(&self) -> bool {
        self.named().is_empty()
    }

    /// A name for the question, as far as it decides which facts are found.
    pub(super) fn key(&self) -> String {
        let mut fingerprint = Fingerprint::default();
        let hints = self.hints.iter().filter(|_| self.is_open()).flat_map(|hint| &hint.tests);
        for id in self.named().iter().chain(hints) {
            fingerprint.add(id.to_string());
        }
        if self.is_open() {
            let change = self.change.as_ref().map_or("", |change| &change.name);
            fingerprint.add(change).add(&self.own);
        }
        fingerprint.name()
    }
}

/// The classes that names mean, in the order of the names.
pub(in crate::validate) fn classes_of(known: &[String], named: &[TestId]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in named {
        let outer = name.outer_class();
        let is_meant = |class: &&String| {
            let class = outer_class(class);
            class == outer || !outer.contains('.') && class.rsplit('.').next() == Some(outer)
        };
        for class in known.iter().filter(is_meant) {
            if !found.contains(class) {
                found.push(class.clone());
            }
        }
    }
    found
}

/// What triggers: the tests the user names, else the benchmark's, else those that fail every time, by the project's own
/// command too, and do not want something outside.
pub(in crate::validate) fn decide(
    facts: Facts,
    selection: &Selection,
    edited: Option<&Edited>,
) -> Result<Baseline, ValidateError> {
    let Facts { report, flaky, hinted, own_passes, leaning, before: known, .. } = facts;
    let Facts { mut unended, asked_for, spectrum, whole, seconds, .. } = facts;
    if report.results.is_empty() {
        return Err(nothing_ran(selection, &report));
    }
    let mut set_aside = aside::by_other_runs(&report, &flaky, &own_passes, &selection.own);
    let passing: BTreeSet<TestId> = report.results.values().filter(|r| r.passed()).map(|r| r.id.clone()).collect();
    let (mut others, mut before) = (Vec::new(), None);
    let triggering = if selection.is_open() {
        let why = "by itself it fails in another way than after all other tests, on which it leans";
        set_aside.extend(leaning.into_iter().map(|id| (id, why.into())));
        aside::by_failures(&report, (&selection.surroundings, &asked_for), &mut set_aside);
        let failing = report.failing().map(|result| result.id.clone()).filter(|id| !set_aside.contains_key(id));
        let failing: Vec<TestId> = failing.collect();
        let (failing, older) = match known.as_ref().and_then(|known| known.among(&failing)) {
            Some(FailedBefore { tests, .. }) => failing.into_iter().partition(|id| !tests.contains(id)),
            None => without_older(failing, &report, edited),
        };
        // A change may have broken nothing but what says nothing of the code.
        let (failing, older) = if failing.is_empty() { (older, failing) } else { (failing, older) };
        before = (!older.is_empty()).then(|| FailedBefore {
            change: known.as_ref().map_or_else(|| "what is not committed yet".to_owned(), |known| known.change.clone()),
            tests: older.iter().cloned().collect(),
            ..FailedBefore::default()
        });
        let is_of_change = known.as_ref().is_some_and(|known| known.all_pass_without(&failing));
        let is_one = !failing.is_empty() && is_of_change && selection.change.as_ref().is_some_and(group::breaks_as_one);
        let mut groups = if is_one { vec![failing] } else { group::groups(failing, &report, &spectrum) };
        groups.sort_by_key(|group| !group.iter().any(|id| hinted.contains(id)));
        let mut groups = groups.into_iter();
        let first = groups.next().unwrap_or_default();
        others = groups.chain(group::groups(older, &report, &spectrum)).collect();
        first
    } else {
        chosen(&report, &flaky, selection)?
    };
    if triggering.is_empty() {
        let failing = report.failing().map(|result| &result.id);
        let aside = failing.filter_map(|id| Some((id.clone(), set_aside.get(id)?.clone()))).collect();
        return Err(ValidateError::NothingFails { passing: passing.len(), aside, command: None });
    }
    let cut = report.failing().filter(|result| result.is_cut() && !triggering.contains(&result.id));
    unended.extend(cut.map(|result| result.id.clone()));
    let FailedBefore { passing: took, inside: alike, .. } = known.clone().unwrap_or_default();
    let is_broken = known.is_some_and(|known| known.all_pass_without(&triggering));
    let broken_by = selection.change.clone().filter(|_| is_broken);
    let spectrum = spectrum.of_bug(&triggering).into();
    let set_aside = set_aside.into_iter().map(|(id, why)| (id, why.to_string())).collect();
    let (report, spent) = (report.into(), seconds);
    let skipped = BTreeSet::new();
    Ok(Baseline {
        report,
        triggering,
        found: selection.is_open() && broken_by.is_none(),
        others,
        before,
        broken_by,
        took,
        passing,
        set_aside,
        unended,
        skipped,
        alike,
        spectrum,
        whole,
        seconds,
        spent,
    })
}

fn nothing_ran(selection: &Selection, report: &TestReport) -> ValidateError {
    if let Some(name) = selection.named().first() {
        let known = selection.known.iter().map(String::as_str);
        let near = crate::benchmark::nearest(&name.class, known, 5).join(", ");
        let hint = if near.is_empty() { "no test class was found".into() } else { format!("test classes: {near}") };
        let suffix = super::last_line(report).map_or_else(String::new, |line| format!(": {line}"));
        let what = format!("the test {name} did not run{suffix}");
        return ValidateError::Triggering { what, hint };
    }
    if selection.known.is_empty() {
        return ValidateError::Tool {
            what:
                "no test was found: no file has a name that the test framework looks for, or none of them holds a test"
                    .into(),
            hint:
                "name the folders of tests with `tests` in .unidebug.toml, or the command that runs them with `--test`"
                    .into(),
        };
    }
    let last = super::last_line(report).unwrap_or("it printed nothing");
    ValidateError::Tool {
        what: format!("no test ran ({} classes were looked at): {last}", selection.known.len()),
        hint: "check the test folders and patterns, and that the test library is there".into(),
    }
}

/// The tests somebody named: each must exist and fail.
fn chosen(report: &TestReport, flaky: &BTreeSet<TestId>, selection: &Selection) -> Result<Vec<TestId>, ValidateError> {
    let mut all = BTreeSet::new();
    for name in selection.named() {
        let same: Vec<_> = report.results.values().filter(|result| matches(name, &result.id)).collect();
        let failing = same.iter().filter(|r| matches!(r.status, TestStatus::Failed | TestStatus::TimedOut));
        let failing: Vec<TestId> = failing.map(|result| result.id.clone()).collect();
        let (unsteady, failing): (Vec<_>, Vec<_>) = failing.into_iter().partition(|id| flaky.contains(id));
        let (what, hint) = if same.is_empty() {
            let near = crate::benchmark::nearest(&name.class, selection.known.iter().map(String::as_str), 5).join(", ");
            let hint = format!("failing: {}; test classes: {near}", some(report));
            (format!("the test {name} did not run"), hint)
        } else if failing.is_empty() && !unsteady.is_empty() {
            let what = format!("the test {name} is flaky: it failed once and passed then, before any change");
            (what, "a repair could not be told from luck; mend the test first, or name another with --failing".into())
        } else if failing.is_empty() {
            let hint = format!("its class ran by itself; failing there: {}", some(report));
            (format!("the test {name} passes before any change"), hint)
        } else {
            all.extend(failing);
            continue;
        };
        return Err(ValidateError::Triggering { what, hint });
    }
    Ok(all.into_iter().collect())
}

/// Whether a name means a test: exactly, by its method without the invocation, or by its class; a class may be given
/// without its package.
pub(in crate::validate) fn matches(name: &TestId, id: &TestId) -> bool {
    let class = name.class == id.class || !name.class.contains('.') && name.class == id.simple_class();
    class && (name.method.is_empty() || name.method == id.method || name.method == id.bare_method())
}

fn some(report: &TestReport) -> String {
    let names: Vec<String> = report.failing().take(5).map(|result| result.id.to_string()).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_classes() {
        let known = ["a.b.CTest", "x.CTest", "a.DTest"].map(String::from);
        let found = |name: &str| classes_of(&known, &[name.parse().unwrap()]);
        assert_eq!(found("CTest#x"), ["a.b.CTest", "x.CTest"]);
        assert_eq!(found("a.DTest$Inner#x"), ["a.DTest"]);
        assert!(found("b.CTest").is_empty());
    }

    #[test]
    fn a_test_is_named_in_short_or_in_full() {
        let id = TestId::new("a.b.CTest", "sum[2]");
        for name in ["a.b.CTest#sum[2]", "a.b.CTest#sum", "CTest#sum", "CTest"] {
            assert!(matches(&name.parse().unwrap(), &id), "{name}");
        }
        assert!(!matches(&"CTest#su".parse().unwrap(), &id));
    }
}
