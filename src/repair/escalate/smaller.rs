//! FixerPro's minimisation: a plausible patch without the parts it does not need, whoever made it.
//!
//! Every step is judged warm; the smallest patch is confirmed like any other, and the one it came from is kept beside
//! it.

use super::outcome::Repair;
use crate::domain::{Disagreement, LineSpan, Patch, PatchAttempt, RepoPath};
use crate::patch::Minimiser;
use crate::tools::Workbench;
use crate::validate::ValidateError;
use std::time::{Duration, Instant};

/// Smaller patches judged at most.
const MOST: usize = 60;
/// Time for that at most.
const TIME: Duration = Duration::from_secs(15);

/// What minimising came to.
pub(super) enum Smaller {
    /// There is no smaller patch.
    None,
    /// The smallest passed the quick look and not its confirmation.
    Refuted(Vec<Disagreement>),
    /// A smaller plausible patch, and what was done, in one sentence.
    Found(PatchAttempt, String),
}

/// Looks for a smaller plausible patch to take the place of a repair's own.
///
/// # Errors
/// Faults of the environment.
pub(super) async fn smaller(repair: &Repair, bench: &Workbench, deadline: Instant) -> Result<Smaller, ValidateError> {
    let whole = &repair.attempt.patch;
    let reached = |path: &RepoPath, span: LineSpan| is_run(bench, path, span);
    let mut minimiser = Minimiser::new(whole, bench.language, &reached);
    let until = deadline.min(Instant::now() + TIME);
    let mut judged = 0;
    while judged < MOST && Instant::now() < until {
        let Some(smaller) = minimiser.propose() else { break };
        minimiser.answer(passes(&smaller, bench).await?);
        judged += 1;
    }
    let best = minimiser.best();
    if best == *whole {
        return Ok(Smaller::None);
    }
    let verdict = bench.validator.verdict(&best).await?;
    if !verdict.validation.is_plausible() {
        return Ok(Smaller::Refuted(verdict.disagreements));
    }
    let note = format!("made smaller: {} (judged {judged} smaller patches)", shrunk(whole, &best));
    let explanation = format!("{}; {note}", repair.attempt.explanation);
    Ok(Smaller::Found(PatchAttempt { patch: best, validation: verdict.validation, explanation }, note))
}

async fn passes(patch: &Patch, bench: &Workbench) -> Result<bool, ValidateError> {
    let answer = bench.validator.screen_one(patch).await?;
    Ok(answer.outcome.passes())
}

/// Whether a triggering test runs any of these lines. Where nobody knows, a part of the patch stays.
fn is_run(bench: &Workbench, path: &RepoPath, span: LineSpan) -> bool {
    let ran = bench.coverage.as_ref().and_then(|coverage| coverage.lines.get(path));
    ran.is_some_and(|lines| lines.range(span.first..=span.last.max(span.first)).next().is_some())
}

/// How much smaller, in lines of the diff.
fn shrunk(whole: &Patch, best: &Patch) -> String {
    let lines = |patch: &Patch| {
        let diff = crate::patch::render(patch);
        let changed =
            |line: &&str| line.starts_with(['+', '-']) && !line.starts_with("+++ ") && !line.starts_with("--- ");
        diff.lines().filter(changed).count()
    };
    format!("{} changed lines instead of {}", lines(best), lines(whole))
}
