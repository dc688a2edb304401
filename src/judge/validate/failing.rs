//! What fails: found before the first query, without running what passes.
//!
//! Hints are asked in order (tests that were named, reports of the last run, what was changed last); without any, the
//! suite runs until something fails, and a little longer. What fails is run again in fresh processes, and the project's
//! own command is asked as well: a test counts as the bug only if it fails by running, every time, and there too.

mod aside;
mod decide;
mod earlier;
mod edited;
mod flaky;
mod further;
mod group;
mod initialized;
mod leaning;
mod look;
mod measure;
mod near;
mod own;
mod search;
mod slow;
mod surroundings;
mod unloadable;

pub use aside::AsideReason;
pub(super) use decide::{Facts, Selection, classes_of, decide, matches};
pub use earlier::FailedBefore;
pub(super) use earlier::passing_without;
pub(super) use group::{breaks_as_one, of_bug, place};
pub(super) use initialized::is_of_class;

use super::plan::Deadlines;
use super::records::Executed;
use super::subject::Subject;
use super::{Baseline, ValidateError, coverage, io_error, skips, suite};
use crate::benchmark::Hint;
use crate::domain::{TestId, TestReport};
use edited::Edited;
use look::LookResult;
use measure::{measure, measured};
use own::Asked;
use serde::Serialize;
use slow::{beside_others, by_history, look_again, with_more_time};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time for a test before it is known how long it takes.
const FIRST: Duration = Duration::from_secs(5);
/// Classes that one hint may name, and that are measured, at most.
pub(super) const MEASURED: usize = 20;

/// Takes the facts from the cache or finds them, and decides what triggers.
///
/// # Errors
/// Nothing fails, a test that was named does not fail or does not exist, or no test can be run.
pub(super) async fn find(subject: &dyn Subject) -> Result<Baseline, ValidateError> {
    let begin = Instant::now();
    let selection = Selection::of(subject);
    let file = subject.project_cache().join(format!("failing-{}.json", selection.key()));
    let edited = Edited::of(subject);
    let known = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Facts>(&bytes).ok());
    let found = async |look: Look| {
        let facts = run(subject, &selection, edited.as_ref(), look).await?;
        keep(&file, &facts)?;
        Ok::<_, ValidateError>(facts)
    };
    let facts = match known.filter(Facts::is_readable) {
        Some(facts) => facts,
        None => found(Look::ForAFailure).await?,
    };
    let whole = facts.whole;
    let decided = match decide(facts, &selection, edited.as_ref()) {
        // What failed says nothing about the code; the rest of the tests may.
        Err(ValidateError::NothingFails { .. }) if selection.is_open() && !whole => {
            decide(found(Look::AtAll).await?, &selection, edited.as_ref())
        }
        decided => decided,
    };
    let decided = decided?;
    let unloaded = decided.triggering.iter().filter(|id| id.method.is_empty());
    let skipped = unloaded.flat_map(|id| skips::always(subject, &id.class)).collect();
    Ok(Baseline { skipped, spent: begin.elapsed().as_secs_f64(), ..decided })
}

/// Which tests are run to see what fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Those that hints name, else the suite until something fails.
    ForAFailure,
    /// The whole suite.
    AtAll,
}

/// Writes facts where the next run finds them, whole or not at all.
pub(super) fn keep(file: &camino::Utf8Path, facts: &impl Serialize) -> Result<(), ValidateError> {
    let io = || io_error("keeping what was found out", file);
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder).map_err(io())?;
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(io())?;
    serde_json::to_writer(&mut new, facts).map_err(|error| io()(error.into()))?;
    new.persist(file).map_err(|error| io()(error.error))?;
    Ok(())
}

async fn run(
    subject: &dyn Subject,
    selection: &Selection,
    edited: Option<&Edited>,
    look: Look,
) -> Result<Facts, ValidateError> {
    let begin = Instant::now();
    let mut found = match look {
        Look::ForAFailure => first_look(subject, selection).await?,
        Look::AtAll => search::run(subject, subject.tests(), look).await?,
    };
    let (asked, executed, report) = (found.asked.take(), found.executed.take(), found.report.clone());
    let (ask_own, by_hint) = (found.is_unasked(selection), found.by_hint);
    let is_asking = AtomicBool::new(ask_own);
    let own = async {
        let passing = if ask_own { own::passing(subject, asked, &report).await } else { Ok(BTreeSet::new()) };
        is_asking.store(false, Ordering::Relaxed);
        passing
    };
    // What was cut beside others is seldom of the bug, and takes long.
    let cut = if selection.is_open() { beside_others(&report) } else { Vec::new() };
    let mut known = Facts::new(report.clone(), BTreeSet::new(), found.whole, begin.elapsed().as_secs_f64());
    known.report.results.retain(|id, _| !cut.contains(id));
    let here = async {
        // Who looked at everything found what is not of the bug, too: what is near is measured when the bug is known.
        let near = by_hint.then_some((selection, edited));
        let executed = executed_near(subject, known, executed, &cut, near);
        let ours = by_our_runs(subject, selection, found, &is_asking);
        let ((mut facts, further), mut executed) = tokio::try_join!(ours, executed)?;
        executed.extend(further);
        facts.asked_for = coverage::asked_for(&executed);
        facts.spectrum = coverage::read(subject, &facts.report, executed);
        facts.seconds = begin.elapsed().as_secs_f64();
        // Where more fails than was known at first, more is near.
        near::measure(subject, &facts, selection, edited).await?;
        Ok(facts)
    };
    let (mut facts, own) = tokio::try_join!(here, own)?;
    facts.own_passes.extend(own);
    facts.seconds = begin.elapsed().as_secs_f64();
    Ok(facts)
}

/// What the tests of failing classes execute but those that were `cut`, measured where it is not known yet; that of tests near
/// them is kept, where the bug is likely what is known to fail.
async fn executed_near(
    subject: &dyn Subject,
    known: Facts,
    executed: Option<Executed>,
    cut: &[TestId],
    near: Option<(&Selection, Option<&Edited>)>,
) -> Result<Executed, ValidateError> {
    let executed = match executed {
        Some(executed) => executed,
        None => measure(subject, &known.report, cut).await?,
    };
    if let Some((selection, edited)) = near {
        let spectrum = coverage::read(subject, &known.report, executed.clone());
        near::measure(subject, &Facts { spectrum, ..known }, selection, edited).await?;
    }
    Ok(executed)
}

/// What our own runs tell of what the first look found, all but what tests execute; and what tests execute that failed
/// beside those.
async fn by_our_runs(
    subject: &dyn Subject,
    selection: &Selection,
    mut found: LookResult,
    is_asking: &AtomicBool,
) -> Result<(Facts, Executed), ValidateError> {
    let first = found.failing();
    let is_open = selection.is_open();
    let ask_own = found.is_unasked(selection);
    let look_further = ask_own && found.by_hint;
    let is_asking = || is_asking.load(Ordering::Relaxed);
    let (further, mut flaky, (slow, unknown, mut before)) = tokio::try_join!(
        async { if look_further { further::look(subject, &found, is_asking).await } else { Ok(None) } },
        flaky::of(subject, &found.report, &first),
        async {
            let before = match &found.before {
                Some(before) => Some(before.clone()),
                None => earlier::of(subject, &found.report, &first).await?,
            };
            let unknown = before.as_ref().filter(|_| is_open).and_then(|before| by_history(&found.report, before));
            let (slow, unasked) =
                if unknown.is_none() { with_more_time(subject, &found, is_asking).await? } else { Default::default() };
            Ok((slow, unknown.unwrap_or(unasked), before))
        }
    )?;
    // The command was not asked about what was cut at first.
    let mut own_passes = match ask_own {
        true => own::passing(subject, None, &TestReport { results: slow.clone(), ..suite::empty() }).await?,
        false => BTreeSet::new(),
    };
    found.report.results.extend(slow);
    let unended: BTreeSet<TestId> = unknown.into_iter().collect();
    found.report.results.retain(|id, _| !unended.contains(id));
    let (mut hinted, mut leaning) = Default::default();
    if let Some(further) = further {
        before = earlier::joined(before, further.before);
        hinted = first.into_iter().filter(|_| !found.is_stale).collect();
        flaky.extend(further.flaky);
        own_passes.extend(further.own_passes);
        found = further.found.after(Some(found));
    }
    if is_open {
        leaning = leaning::of(subject, &found.report, &found.failing()).await?;
    }
    let facts = Facts::new(found.report, flaky, found.whole, 0.0);
    Ok((Facts { own_passes, hinted, leaning, before, unended, ..facts }, found.executed.unwrap_or_default()))
}

async fn first_look(subject: &dyn Subject, selection: &Selection) -> Result<LookResult, ValidateError> {
    if !selection.named().is_empty() {
        let classes = classes_of(subject.tests(), selection.named());
        // Who names a test knows that it fails: an endless one is not waited for again.
        return look(subject, classes, "running the tests that were named").await;
    }
    let mut older: Option<LookResult> = None;
    for Hint { from, tests, by_own_command, is_stale } in &subject.checkout().hints {
        let mut classes = classes_of(subject.tests(), tests);
        // What the project's own command said is all that fails.
        if !by_own_command {
            classes.truncate(MEASURED);
        }
        if classes.is_empty() {
            continue;
        }
        let phase = format!("running tests named by {from}");
        let asked = match *by_own_command {
            false => Asked::early(subject, &classes)?,
            true => None,
        };
        let mut found = LookResult { asked, ..look(subject, classes, &phase).await? };
        found.endless.extend(look_again(subject, &mut found.report).await?);
        if found.report.failing().next().is_some() {
            let named =
                |id: &TestId| tests.iter().any(|test| test == id || test.method.is_empty() && test.class == id.class);
            // What fails here and is not named there passed by the project's own command, or is new.
            let by_own_command = *by_own_command && found.report.failing().all(|result| named(&result.id));
            // A report of an older run does not know what was changed since.
            if !by_own_command {
                found.before = earlier::of_uncommitted(subject, &found.report).await?;
            }
            // Where none fails by running and some lack a package, the other tests tell what the bug is.
            let lacks = found.report.failing().any(|result| unloadable::lacks_a_package(subject, result))
                && !unloadable::fails_by_running(&found.report);
            if lacks && found.before.is_none() {
                found.before = earlier::of(subject, &found.report, &found.failing()).await?;
            }
            let all = found.report.failing().count();
            if found.before.as_ref().map_or(lacks, |before| before.tests.len() == all) {
                found.asked = None;
                older = Some(found.after(older));
                continue;
            }
            let is_stale = *is_stale;
            return Ok(LookResult { by_own_command, by_hint: true, is_stale, ..found }.after(older));
        }
    }
    // What is older fails in the suite, too, and says nothing of when to stop.
    search::run(subject, subject.tests(), if older.is_some() { Look::AtAll } else { Look::ForAFailure }).await
}

/// Time before it is known how long tests take.
fn deadlines(subject: &dyn Subject) -> Deadlines {
    Deadlines::of(FIRST, subject.longest())
}

/// Runs some classes, and tells what their tests execute where that takes no longer.
async fn look(subject: &dyn Subject, classes: Vec<String>, phase: &str) -> Result<LookResult, ValidateError> {
    subject.options().watcher.phase(phase);
    if classes.len() > MEASURED {
        return search::run(subject, &classes, Look::AtAll).await;
    }
    let plan = subject.plan(classes, deadlines(subject));
    let (report, executed) = match subject.is_slow_when_measured() {
        // It is not yet known what fails.
        true => (subject.run(&subject.copy()?, &plan).await?, None),
        false => {
            let (report, executed) = measured(subject, &plan).await?;
            (report, Some(executed))
        }
    };
    let whole = plan.classes.len() == subject.tests().len();
    Ok(LookResult::of(report, executed, whole))
}

/// What the tests printed last.
fn last_line(report: &TestReport) -> Option<&str> {
    report.output_tail.lines().rev().find(|line| !line.trim().is_empty())
}
