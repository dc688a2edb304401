//! A run that repairs a part of the failing tests alone: where nobody says which tests are the bug, the others may be of another
//! one, or lack something on this machine.

use super::error::Failure;
use super::event_sinks::EventSinks;
use super::open::Opened;
use super::run_report::confidence_beside_others;
use super::session::Session;
use super::strategy;
use crate::domain::words::{counted, listed};
use crate::domain::{ConfidenceWord, Event, EventSink, Outcome, PatchAttempt, Scope, TestId};
use crate::escalate::{Repair, RunVerdict};
use crate::tools::{Workbench, attempt_of};
use crate::validate::Baseline;
use camino::Utf8Path;
use std::cmp::Reverse;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Folder of a run directory in which the part is worked on; it can be made again.
pub(super) const SCRATCH: &str = "part";
/// Candidates that are kept.
const KEPT: usize = 16;
/// Parts that are worked on, until the repair of one is sure.
const PARTS: usize = 3;
/// What is as sure as a repair of a part can be.
const SURE: ConfidenceWord = ConfidenceWord::Medium;
/// Tests that are named.
const NAMED: usize = 3;

/// The first candidates that repair a part of the failing tests, of those that repair the most.
#[derive(Default)]
pub(super) struct Nearest {
    judged: Mutex<Vec<Event>>,
}

impl EventSink for Nearest {
    fn emit(&self, event: &Event) -> std::io::Result<()> {
        let fixed = |event: &Event| match event {
            Event::Validated { outcome: Outcome::Failed, fixed, .. } => *fixed,
            _ => 0,
        };
        let mut judged = self.judged.lock().unwrap_or_else(PoisonError::into_inner);
        let (most, now) = (judged.first().map_or(1, fixed), fixed(event));
        if now > most {
            judged.clear();
        }
        if now >= most && judged.len() < KEPT {
            judged.push(event.clone());
        }
        Ok(())
    }
}

/// Failing tests that some candidates repair, with those candidates and who proposed them.
struct Part {
    tests: Vec<TestId>,
    tried: Vec<(Scope, PatchAttempt)>,
}

/// A repair of a part on the bench of that part.
struct OnPart {
    bench: Workbench,
    repair: Box<Repair>,
    word: ConfidenceWord,
}

impl Session {
    /// The bench and the verdict on a part of the failing tests, where no candidate repairs all of them, and some repair such a
    /// part. Of several parts the one counts whose repair is surest. What goes wrong here leaves the first verdict.
    pub(super) async fn or_on_part(
        &self,
        (bench, verdict): (Workbench, RunVerdict),
        opened: &Opened,
        folder: &Utf8Path,
        event_sinks: &EventSinks,
    ) -> Result<(Workbench, RunVerdict), Failure> {
        if matches!(verdict, RunVerdict::Plausible(_) | RunVerdict::NotReproduced { .. }) {
            return Ok((bench, verdict));
        }
        let mut surest: Option<OnPart> = None;
        let parts = parts_of(&bench, &event_sinks.nearest);
        for (nth, part) in parts.iter().enumerate() {
            event_sinks.notice(&told(&part.tests, bench.validator.baseline()))?;
            let found = self.on_part(part, opened, &folder.join(SCRATCH).join(nth.to_string()), event_sinks).await?;
            surest = [surest, found].into_iter().flatten().min_by_key(|found| Reverse(found.word));
            if surest.as_ref().is_some_and(|found| found.word >= SURE) {
                break;
            }
        }
        Ok(surest.map_or((bench, verdict), |found| (found.bench, RunVerdict::Plausible(found.repair))))
    }

    /// The repair of a part, if one is plausible.
    async fn on_part(
        &self,
        part: &Part,
        opened: &Opened,
        folder: &Utf8Path,
        event_sinks: &EventSinks,
    ) -> Result<Option<OnPart>, Failure> {
        let wanted = strategy::wanted(self.plan(), self.config());
        let bench = match opened.on_tests(&part.tests).bench(folder, wanted, &*event_sinks.sink).await {
            Ok(bench) => bench,
            Err(failure) => {
                event_sinks.notice(&format!("these tests cannot be worked on by themselves: {}", failure.message))?;
                return Ok(None);
            }
        };
        let escalator = self.escalator(event_sinks, Duration::ZERO)?;
        let Some(repair) = escalator.repair_of_part(&part.tried, &bench).await? else { return Ok(None) };
        let confidence = confidence_beside_others(&bench, &repair).await;
        let word = confidence.map_or(ConfidenceWord::Low, |confidence| confidence.word);
        Ok(Some(OnPart { bench, repair: Box::new(repair), word }))
    }
}

/// The parts that the nearest candidates repair, each with the candidates that repair it, in the order of those.
fn parts_of(bench: &Workbench, nearest: &Nearest) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for event in nearest.judged.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let (Event::Validated { scope, .. }, Some(attempt)) = (event, attempt_of(event, bench)) else { continue };
        let Some(tests) = bench.validator.baseline().repaired_part(&attempt.validation) else { continue };
        let tried = (scope.clone(), attempt);
        match parts.iter_mut().find(|part| part.tests == tests) {
            Some(part) => part.tried.push(tried),
            None => parts.push(Part { tests, tried: vec![tried] }),
        }
    }
    parts.truncate(PARTS);
    parts
}

/// Groups of tests, one a bug, without some tests.
pub(super) fn without(groups: Vec<Vec<TestId>>, tests: &[TestId]) -> Vec<Vec<TestId>> {
    let rest = |group: Vec<TestId>| group.into_iter().filter(|id| !tests.contains(id)).collect::<Vec<TestId>>();
    groups.into_iter().map(rest).filter(|group| !group.is_empty()).collect()
}

fn told(tests: &[TestId], baseline: &Baseline) -> String {
    let left: Vec<&TestId> = baseline.triggering.iter().filter(|id| !tests.contains(id)).collect();
    let fail = if left.len() == 1 { "fails as before and is" } else { "fail as before and are" };
    format!(
        "no candidate repairs all {}: one repairs {}; {} {fail} taken for another bug",
        counted(baseline.triggering.len(), "failing test"),
        listed(tests, NAMED),
        listed(&left, NAMED),
    )
}
