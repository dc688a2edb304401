//! What is made of lines that tests executed.

use super::failing::MEASURED;
use super::plan::{Deadlines, Plan};
use super::records::Executed;
use super::subject::{Build, Subject};
use super::{Baseline, Coverage, Enough, Spectrum, SpectrumScope, ValidateError, clean, lanes};
use crate::domain::{Fingerprint, Patch, RepoPath, RunEnd, TestId, TestReport, TestResult, TestStatus, outer_class};
use crate::language;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// A test that takes longer is too dear for what it says about lines.
const QUICK: Duration = Duration::from_secs(2);

/// Most time of a test without end for a candidate of a batch: an endless candidate must not cost what twenty others do.
const BRIEF: Duration = Duration::from_millis(1500);
/// How many times what such a test takes without the last change it gets, where it passes then.
const AS_BEFORE: u32 = 3;

/// What each test of a scope executes on the untouched project: what was measured with the failing classes, and further
/// classes as far as the time goes. Measured once for exactly this project and scope, and kept.
pub(super) async fn by_test(
    subject: &dyn Subject,
    baseline: &Baseline,
    scope: &SpectrumScope,
) -> Result<Option<Spectrum>, ValidateError> {
    let known = &baseline.spectrum;
    if !known.tests().any(|(_, passed, _)| !passed) {
        tracing::warn!("no spectrum: no triggering test told what it executed");
        return Ok(None);
    }
    let further = further_classes(subject, baseline, scope);
    if further.is_empty() || scope.time.is_zero() {
        return Ok(Some(Spectrum::clone(known)));
    }
    let file = subject.project_cache().join(format!("spectrum-{}.json", named(&further)));
    if let Some(cached) = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Spectrum>(&bytes).ok()) {
        return Ok(Some(known.with(cached).of_bug(&baseline.triggering)));
    }
    let lanes = lanes::count().min(further.len());
    let lane = async |number: usize| {
        let classes = further.iter().skip(number).step_by(lanes).cloned().collect();
        let plan = subject.plan(classes, Deadlines::of(QUICK, scope.time)).until_lost();
        let measured = subject.measured(&subject.copy()?, &plan).await?;
        Ok::<_, ValidateError>(measured.map(|(report, executed)| read(subject, &report, executed)))
    };
    let measured = futures::future::try_join_all((0..lanes).map(lane)).await?;
    let Some(more) = measured.into_iter().flatten().reduce(|all, more| all.with(more)) else {
        return Ok(Some(Spectrum::clone(known)));
    };
    if let Err(error) = super::failing::keep(&file, &more) {
        tracing::warn!("the spectrum will be measured again: {error}");
    }
    Ok(Some(known.with(more).of_bug(&baseline.triggering)))
}

/// Test classes near a change that are measured beside those of the triggering tests.
const NEAR: usize = 8;
/// Time for them all.
const WITH_A_PATCH: Duration = Duration::from_secs(20);
/// The part of it after which they go on only where what ran is not enough.
const AT_FIRST: Duration = Duration::from_secs(6);

/// What the classes of the triggering tests, and test classes near the change, execute of a patch, until it is enough.
pub(super) async fn with_patch(
    subject: &dyn Subject,
    baseline: &Baseline,
    (patch, build): (&Patch, &Arc<Build>),
    is_enough: &Enough<'_>,
) -> Result<Option<Spectrum>, ValidateError> {
    let classes = near(subject, baseline, &subject.order(patch, build), patch.paths());
    let files = patch.paths().cloned().collect();
    // Without the triggering tests the others say little.
    let own = baseline.triggering.iter().map(|id| (id.clone(), WITH_A_PATCH)).collect();
    let deadlines = Deadlines { own, ..Deadlines::of(QUICK, AT_FIRST) };
    let mut plan = Plan { files, ..subject.plan(classes, deadlines).until_lost() };
    let copy = subject.copy_with(patch, build)?;
    let Some((report, executed)) = subject.measured(&copy, &plan).await? else { return Ok(None) };
    let mut ran = read(subject, &report, executed);
    if report.end == RunEnd::TimedOut && !is_enough(&ran) {
        let is_done = |result: &TestResult| result.loss.is_none() || !baseline.triggering.contains(&result.id);
        plan.skip.extend(report.results.into_values().filter(is_done).map(|result| result.id));
        plan.deadlines.total = WITH_A_PATCH.saturating_sub(AT_FIRST);
        if let Some((report, executed)) = subject.measured(&copy, &plan).await? {
            ran = ran.with(read(subject, &report, executed));
        }
    }
    let is_told = ran.tests().next().is_some();
    Ok(is_told.then_some(ran))
}

/// The first classes of the failing tests (what so many execute of a change, others execute as well), and the first of some
/// others whose text names one of these files.
pub(super) fn near<'p>(
    subject: &dyn Subject,
    baseline: &Baseline,
    others: &[String],
    files: impl Iterator<Item = &'p RepoPath>,
) -> Vec<String> {
    let names = names(subject, files);
    let failing = subject.classes_of(&baseline.triggering);
    let others = others.iter().filter(|class| !failing.contains(class));
    let near = others.filter(|class| names_one(subject, class, &names)).take(NEAR);
    failing.iter().take(MEASURED).chain(near).cloned().collect()
}

/// What code calls some files.
pub(super) fn names<'p>(subject: &dyn Subject, files: impl Iterator<Item = &'p RepoPath>) -> Vec<String> {
    let Some(language) = language::by_name(&subject.checkout().language) else { return Vec::new() };
    files.map(|path| language.main_name(path)).collect()
}

/// Whether the text of a test class names one of these.
pub(super) fn names_one(subject: &dyn Subject, class: &str, names: &[String]) -> bool {
    let file = subject.test_file(class).map(|file| file.under(&subject.checkout().root));
    let text = file.and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    names.iter().any(|name| text.contains(name.as_str()))
}

/// Classes of a scope that were not measured with the failing ones, in the scope's order.
fn further_classes(subject: &dyn Subject, baseline: &Baseline, scope: &SpectrumScope) -> Vec<String> {
    let measured: BTreeSet<&str> = baseline.spectrum.tests().map(|(id, ..)| id.outer_class()).collect();
    let failing: BTreeSet<&str> = baseline.triggering.iter().map(TestId::outer_class).collect();
    let are_many = failing.len() > MEASURED;
    let wanted = |class: &&String| {
        let outer = outer_class(class);
        // Of many failing classes the first were measured, and stand for the others.
        let is_known = measured.contains(outer) || are_many && failing.contains(outer);
        !is_known && scope.classes.as_ref().is_none_or(|classes| classes.contains(outer))
    };
    subject.tests().iter().filter(wanted).cloned().collect()
}

/// Triggering tests that end by being cut, by us or by their framework's own time limit.
pub(super) fn endless(baseline: &Baseline) -> impl Iterator<Item = &TestId> {
    // A slow test that fails by itself is none: with the repair it may be as slow, and pass.
    let is_cut = |id: &&TestId| {
        baseline
            .report
            .results
            .get(*id)
            .is_some_and(|result| result.loss.is_some() || result.failure.as_ref().is_some_and(clean::gave_up))
    };
    baseline.triggering.iter().filter(is_cut)
}

/// What each triggering test without end gets for a candidate of a batch: where its neighbours are quick, so should it be,
/// unless it is known to take longer where it passes.
pub(super) fn brief(baseline: &Baseline) -> impl Iterator<Item = (TestId, Duration)> {
    let slowest = |id: &TestId| {
        let neighbours = baseline.report.results.values().filter(|result| result.id.class == id.class);
        neighbours.filter(|result| result.passed()).map(|result| result.millis).max()
    };
    let limit = move |id| {
        let known = baseline.took.get(id).map_or(Duration::ZERO, |millis| Duration::from_millis(*millis) * AS_BEFORE);
        let beside = slowest(id)
            .map_or(BRIEF, |millis| Duration::from_millis(millis.saturating_mul(20)).clamp(BRIEF / 2, BRIEF));
        beside.max(known)
    };
    endless(baseline).map(move |id| (id.clone(), limit(id)))
}

/// A name for a choice of classes.
fn named(classes: &[String]) -> String {
    let mut fingerprint = Fingerprint::default();
    for class in classes {
        fingerprint.add(class);
    }
    fingerprint.name()
}

/// What a measured run says of each test that ended.
pub(super) fn read(subject: &dyn Subject, report: &TestReport, executed: Executed) -> Spectrum {
    let mut known: BTreeMap<String, Option<RepoPath>> = BTreeMap::new();
    let (mut tests, mut seen) = (Vec::new(), BTreeSet::new());
    for (id, files) in executed {
        // A test may have been measured in two runs.
        let Some(result) = report.results.get(&id).filter(|_| seen.insert(id.clone())) else { continue };
        let passed = result.status == TestStatus::Passed;
        if passed || matches!(result.status, TestStatus::Failed | TestStatus::TimedOut) {
            let find = |name: &str| subject.source(name);
            tests.push((id, passed, parse(files.iter().map(|file| &**file), &mut known, &find)));
        }
    }
    Spectrum::of(tests)
}

/// What a runner says before a host beyond this machine.
const ASKED_FOR: &str = "asked-for ";

/// Tests that made a connection beyond this machine, or tried to, each with the host, where a runner tells that.
pub(super) fn asked_for(executed: &Executed) -> BTreeMap<TestId, String> {
    let host = |told: &[Arc<str>]| told.iter().find_map(|line| line.strip_prefix(ASKED_FOR)).map(str::to_owned);
    executed.iter().filter_map(|(id, told)| Some((id.clone(), host(told)?))).collect()
}

/// Reads `package/File.java 3 4 9` lines; `known` keeps what was found on disk.
pub(super) fn parse<'a>(
    lines: impl Iterator<Item = &'a str>,
    known: &mut BTreeMap<String, Option<RepoPath>>,
    find: &dyn Fn(&str) -> Option<RepoPath>,
) -> Coverage {
    let mut coverage = Coverage::default();
    for line in lines.filter(|line| !line.starts_with(ASKED_FOR)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Loss, RunEnd, TestResult};

    #[test]
    fn a_test_without_end_gets_little_and_less_beside_quick_ones() {
        let result = |name: &str, status, millis, loss| {
            let id: TestId = name.parse().unwrap();
            (id.clone(), TestResult { id, status, failure: None, millis, loss })
        };
        let cut = |name| result(name, TestStatus::TimedOut, 10_000, Some(Loss::Cut));
        let passed = |name, millis| result(name, TestStatus::Passed, millis, None);
        let results = [
            cut("Quick#hangs"),
            passed("Quick#passes", 2),
            cut("Slow#hangs"),
            passed("Slow#passes", 60),
            passed("Slow#quick", 1),
            cut("Alone#hangs"),
            result("Alone#fails", TestStatus::Failed, 5, None),
        ];
        let report = TestReport { end: RunEnd::Complete, results: results.into(), output_tail: String::new() };
        let triggering = ["Quick#hangs", "Slow#hangs", "Alone#hangs", "Alone#fails"];
        let triggering = triggering.iter().map(|name| name.parse().unwrap()).collect();
        let baseline = Baseline { report: Arc::new(report), triggering, ..Baseline::default() };
        let limits: Vec<(String, u128)> = brief(&baseline).map(|(id, time)| (id.class, time.as_millis())).collect();
        assert_eq!(limits, [("Quick".into(), 750), ("Slow".into(), 1200), ("Alone".into(), 1500)]);
    }
}
