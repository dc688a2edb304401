//! Which tests are measured for what they execute, and what is made of it.

use super::patience::lost;
use super::plan::OnCrash;
use super::records::Executed;
use super::subject::Subject;
use super::{Baseline, Coverage, Spectrum, SpectrumScope, ValidateError, clean, kept::short_hash};
use crate::domain::{RepoPath, TestId, TestReport, TestStatus, outer_class};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Tests without end that are run for their coverage: what they loop through is much the same.
const ENDLESS_TESTS: usize = 3;
/// Time for each: a loop shows its lines at once.
const ENDLESS_TIME: Duration = Duration::from_millis(1500);
/// A test that takes longer is too dear for what it says about lines.
const QUICK: Duration = Duration::from_secs(2);

/// The triggering tests whose lines are worth a run: those that end, and a few of the others.
pub(super) fn shown(baseline: &Baseline) -> Vec<TestId> {
    let endless: Vec<&TestId> = endless(baseline).collect();
    let ending = baseline.triggering.iter().filter(|id| !endless.contains(id));
    ending.chain(endless.iter().copied().take(ENDLESS_TESTS)).cloned().collect()
}

/// The short time of tests without end.
pub(super) fn brief(baseline: &Baseline) -> impl Iterator<Item = (TestId, Duration)> {
    endless(baseline).map(|id| (id.clone(), ENDLESS_TIME))
}

/// What each test of a scope executes on the untouched project, all in as few processes as a plain run takes. Measured
/// once for exactly this project and scope, and kept.
pub(super) async fn by_test(
    subject: &dyn Subject,
    baseline: &Baseline,
    scope: &SpectrumScope,
) -> Result<Option<Spectrum>, ValidateError> {
    let (classes, only) = chosen(subject, baseline, scope);
    let file = subject.kept().join(format!("spectrum-{}.json", named(&only)));
    if let Some(kept) = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Spectrum>(&bytes).ok()) {
        return Ok(Some(kept));
    }
    let mut plan = subject.plan(only, subject.deadlines(&baseline.report), OnCrash::GoOn);
    plan.classes = classes;
    plan.deadlines.default *= 2;
    plan.deadlines.total = plan.deadlines.total.min(scope.time);
    plan.deadlines.own.extend(brief(baseline));
    let Some((report, executed)) = subject.measured(plan).await? else { return Ok(None) };
    let spectrum = read(subject, &report, executed);
    if !spectrum.tests().any(|(_, passed, _)| !passed) {
        tracing::warn!("no spectrum: no triggering test told what it executed");
        return Ok(None);
    }
    if let Err(error) = super::baseline::keep(&file, &spectrum) {
        tracing::warn!("the spectrum will be measured again: {error}");
    }
    Ok(Some(spectrum))
}

/// Classes to run, those of the triggering tests first, and the tests in them: the triggering ones, of the endless ones
/// a few, and those that passed and are quick. Flaky tests and those that want the network say nothing about lines.
fn chosen(subject: &dyn Subject, baseline: &Baseline, scope: &SpectrumScope) -> (Vec<String>, Vec<TestId>) {
    let triggering: BTreeSet<&str> = baseline.triggering.iter().map(TestId::outer_class).collect();
    let wanted = |class: &str| {
        let outer = outer_class(class);
        triggering.contains(outer) || scope.classes.as_ref().is_none_or(|classes| classes.contains(outer))
    };
    let mut classes: Vec<String> = subject.tests().iter().filter(|class| wanted(class)).cloned().collect();
    classes.sort_by_key(|class| !triggering.contains(outer_class(class)));
    let spared: BTreeSet<&TestId> = endless(baseline).skip(ENDLESS_TESTS).collect();
    let mut only: Vec<TestId> = baseline.triggering.iter().filter(|id| !spared.contains(id)).cloned().collect();
    let quick = |id: &&TestId| {
        baseline.report.results.get(*id).is_some_and(|result| Duration::from_millis(result.millis) <= QUICK)
    };
    let passing = baseline.passing.iter().filter(|id| wanted(&id.class)).filter(quick);
    only.extend(passing.filter(|id| !baseline.set_aside.contains_key(id)).cloned());
    (classes, only)
}

/// Triggering tests that end by being cut, by us or by their framework's own time limit.
pub(super) fn endless(baseline: &Baseline) -> impl Iterator<Item = &TestId> {
    // A slow test that fails by itself is none: with the repair it may be as slow, and pass.
    let is_cut = |id: &&TestId| {
        baseline
            .report
            .results
            .get(*id)
            .is_some_and(|result| lost(result) || result.failure.as_ref().is_some_and(clean::gave_up))
    };
    baseline.triggering.iter().filter(is_cut)
}

/// A name for a choice of tests.
fn named(only: &[TestId]) -> String {
    let mut digest = Sha256::new();
    for id in only {
        digest.update(format!("{id}\n"));
    }
    short_hash(digest)
}

/// What a measured run says of each test that ended.
pub(super) fn read(subject: &dyn Subject, report: &TestReport, executed: Executed) -> Spectrum {
    let mut known: BTreeMap<String, Option<RepoPath>> = BTreeMap::new();
    let mut tests = Vec::new();
    for (id, files) in executed {
        let Some(result) = report.results.get(&id) else { continue };
        let passed = result.status == TestStatus::Passed;
        if passed || matches!(result.status, TestStatus::Failed | TestStatus::TimedOut) {
            let find = |name: &str| subject.source(name);
            tests.push((id, passed, parse(files.iter().map(|file| &**file), &mut known, &find)));
        }
    }
    Spectrum::of(tests)
}

/// Reads `package/File.java 3 4 9` lines; `known` keeps what was found on disk.
pub(super) fn parse<'a>(
    lines: impl Iterator<Item = &'a str>,
    known: &mut BTreeMap<String, Option<RepoPath>>,
    find: &dyn Fn(&str) -> Option<RepoPath>,
) -> Coverage {
    let mut coverage = Coverage::default();
    for line in lines {
        // Numbers stand at the end; a file name may hold spaces.
        let name = line.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
        let numbers = line[name.len()..].split(' ').filter_map(|word| word.parse::<u32>().ok());
        let path = known.entry(name.to_owned()).or_insert_with(|| find(name));
        if let Some(path) = path {
            coverage.lines.entry(path.clone()).or_default().extend(numbers);
        }
    }
    coverage
}
