//! What a run came to, for its report: the verdict with the sums over its events.

use super::event_sinks::EventSinks;
use super::models::Models;
use crate::domain::words::listed;
use crate::domain::{Choice, Confidence, FileChange, HeldOut, Patch, PatchAttempt, PolicyKind, RepoPath, Reproduction};
use crate::escalate::prepare::Localization;
use crate::escalate::{Repair, RunVerdict};
use crate::patch::{self, Originals};
use crate::report::{self, By, Equality, Model, Retrieved, RunReport, VerdictWord, WrittenTest};
use crate::tools::Workbench;
use camino::Utf8Path;
use std::time::{Duration, Instant};

/// Failing tests that are skipped with the patch and named.
const SKIPPED_SHOWN: usize = 2;

/// Why a repair of a part of the failing tests is less sure.
const OF_PART: &str = "no candidate repairs all failing tests, and those that still fail may be of the same bug";

/// What the run came to.
pub(super) async fn report(
    localization: Localization,
    models: &Models,
    bench: &Workbench,
    folder: &Utf8Path,
    event_sinks: &EventSinks,
    verdict: &RunVerdict,
    (started, opened): (Instant, Duration),
) -> RunReport {
    let sums = event_sinks.tally.sums();
    let (name, endpoint) = models.describe();
    let repair = match verdict {
        RunVerdict::Plausible(repair) => Some(&**repair),
        _ => None,
    };
    let (word, analysis, cap) = match verdict {
        RunVerdict::Plausible(repair) => (VerdictWord::Plausible, repair.analysis.clone(), None),
        RunVerdict::NotReproduced { why } => (VerdictWord::NotReproduced, Some(why.clone()), None),
        RunVerdict::NoRepair { analysis } => (VerdictWord::NoRepair, analysis.clone(), None),
        RunVerdict::StoppedAtCap { cap } => (VerdictWord::StoppedAtCap, Some(cap.to_string()), Some(cap.clone())),
    };
    let mut seconds = sums.seconds;
    let before = event_sinks.past.history();
    seconds.wall = before.worked() + started.elapsed().as_secs_f64();
    // What opening took beside the first run of the tests, in this session.
    seconds.setup = (opened.as_secs_f64() - sums.baseline).max(0.0);
    // One candidate is compiled while another is tested, so that their times overlap and can add up to more.
    seconds.tests = seconds.tests.min(seconds.wall - seconds.model);
    let checked = Instant::now();
    let (equal_by, held_out, confidence) = match repair {
        Some(repair) => {
            let patch = &repair.attempt.patch;
            tokio::join!(equal_by(bench, patch), held_out(bench, patch), confidence_beside_others(bench, repair))
        }
        None => (None, None, None),
    };
    seconds.checks = checked.elapsed().as_secs_f64();
    seconds.wall += seconds.checks;
    RunReport {
        schema: report::SCHEMA,
        bug: bench.bug.id.clone(),
        verdict: word,
        level: repair.map(|r| r.level),
        by: repair.map(|r| by(r, sums.at_repair.as_ref().unwrap_or(&sums.usage))),
        patch: repair.map(|r| patch::render(&r.attempt.patch)),
        files: repair.map(|r| r.attempt.patch.paths().cloned().collect()).unwrap_or_default(),
        test: None,
        correct: equal_by.map(|_| true),
        equal_by,
        held_out,
        confidence,
        choice: repair.and_then(|repair| repair.choice.clone()),
        still_failing: repair.map(|r| r.attempt.validation.still_failing.clone()).unwrap_or_default(),
        skipped: repair.map(|r| r.attempt.validation.skipped()).unwrap_or_default(),
        confirmed_by: repair.and(bench.checkout.official.as_ref()).map(|judge| judge.name()),
        unverified: bench.checkout.project.unverified.clone(),
        localization: localization.label().to_owned(),
        jdk: None,
        model: Model { name, endpoint },
        candidates: sums.candidates,
        usage: sums.usage,
        possibly_billed: sums.possibly_billed + before.possibly_billed() as u64,
        seconds,
        retrieved: retrieved(bench),
        engine: sums.engine,
        analysis,
        cap,
        run_dir: folder.to_string(),
    }
}

/// A test that was written for an issue, as reports hold it.
pub(super) fn written(test: &Reproduction) -> WrittenTest {
    WrittenTest {
        id: test.test.clone(),
        file: test.file.clone(),
        diff: patch::render(&Patch { files: vec![test.change()] }),
        fails_by: test.failure.kind.clone(),
        message: test.failure.message.clone(),
        explanation: test.explanation.clone(),
    }
}

fn retrieved(bench: &Workbench) -> Option<Retrieved> {
    let (sources, dropped) = (bench.solutions.given(), bench.solutions.dropped());
    (!sources.is_empty() || dropped > 0).then_some(Retrieved { sources, dropped })
}

fn by(repair: &Repair, usage: &crate::domain::Usage) -> By {
    let by_model = repair.policy != PolicyKind::Builtin;
    By {
        agent: repair.agent.clone(),
        policy: repair.policy,
        attempt: repair.number,
        request: if by_model { usage.requests } else { 0 },
        cost_usd: usage.cost_usd.0,
    }
}

/// In what the patch equals the developer's: the cheap comparison first. A compiler that fails says nothing.
async fn equal_by(bench: &Workbench, found: &Patch) -> Option<Equality> {
    let developers = developers(bench)?;
    let files = &bench.checkout.oracle.as_ref()?.files;
    if patch::compare::correct(found, files, &bench.originals, bench.language) == Some(true) {
        return Some(Equality::SyntaxTree);
    }
    match bench.validator.probe().same_code(found, &developers).await {
        Ok(same) => same.filter(|same| *same).map(|_| Equality::Bytecode),
        Err(error) => {
            tracing::warn!("bytecode cannot be compared with the developer's: {error}");
            None
        }
    }
}

/// How the patch does on tests that are held out. A fault of the environment says nothing of it.
async fn held_out(bench: &Workbench, found: &Patch) -> Option<HeldOut> {
    bench.validator.probe().held_out(found).await.unwrap_or_else(|error| {
        tracing::warn!("the held-out tests cannot be run: {error}");
        None
    })
}

/// How much a plausible patch can be relied on. A fault of the environment says nothing of it.
pub(super) async fn confidence(bench: &Workbench, found: &PatchAttempt) -> Option<Confidence> {
    let judged = bench.validator.confidence(&found.patch, &bench.test_texts(), bench.language).await;
    let judged = judged
        .inspect_err(|error| tracing::warn!("nothing can be said of how far the patch is tested: {error}"))
        .ok()?;
    let skipped = found.validation.skipped();
    let reason = "skipped with it, for an exception that skips others without it";
    Some(match skipped.is_empty() {
        true => judged,
        false => judged.lowered(format!("of the failing tests {}: {reason}", listed(&skipped, SKIPPED_SHOWN))),
    })
}

/// The same of a repair, where other plausible patches may behave otherwise. What takes back the change that broke the tests
/// has a better word for it than those.
pub(super) async fn confidence_beside_others(bench: &Workbench, repair: &Repair) -> Option<Confidence> {
    let patch = &repair.attempt.patch;
    let confidence = confidence(bench, &repair.attempt).await?;
    let confidence = if repair.is_of_part { confidence.lowered(OF_PART.to_owned()) } else { confidence };
    let is_taken_back = bench.validator.baseline().taken_back(patch).is_some();
    match repair.choice.as_ref().and_then(Choice::rivals).filter(|_| !is_taken_back) {
        Some(reason) => Some(confidence.lowered(reason)),
        None => Some(confidence),
    }
}

/// The developer's repair as a patch, where the benchmark has it.
pub(super) fn developers(bench: &Workbench) -> Option<Patch> {
    let change = |(path, bytes): &(RepoPath, Vec<u8>)| FileChange {
        path: path.clone(),
        before: bench.originals.read(path),
        after: bytes.as_slice().into(),
    };
    let oracle = bench.checkout.oracle.as_ref().filter(|oracle| !oracle.files.is_empty())?;
    Some(Patch { files: oracle.files.iter().map(change).collect() })
}
