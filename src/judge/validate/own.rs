//! The project's own command as the last instance: it is asked when our judge rejects a patch in a way that may come from
//! how we run the tests.

use super::untouched::passes;
use super::{Baseline, ValidateError};
use crate::benchmark::{OwnCommand, OwnQuestion, OwnRun};
use crate::domain::{Failure, Outcome, TestId, Validation};
use camino::Utf8Path;
use std::collections::BTreeSet;
use std::time::Duration;

/// What failures say that may come from our class path, resources or JVM rather than from the patch.
const SURROUNDINGS: &[&str] = &[
    "ClassNotFoundException",
    "NoClassDefFoundError",
    "ExceptionInInitializerError",
    "UnsupportedClassVersionError",
    "IllegalAccessError",
    "InaccessibleObjectException",
    "NoSuchMethodError",
    "NoSuchFieldError",
    "IncompatibleClassChangeError",
    "ServiceConfigurationError",
    "MissingResourceException",
    "FileNotFoundException",
    "NoSuchFileException",
    "ModuleNotFoundError",
    "ImportError",
    "FileNotFoundError",
    "resource",
    "is null",
    "OutOfMemoryError",
    "does not exist",
    "cannot find symbol",
    // What a patch makes lies in a folder of ours, and some tests look where a class was loaded from.
    "/overlay/",
];

/// Whether an answer may say more of how we run tests than of the patch.
pub(super) fn is_doubtful(answer: &Validation) -> bool {
    let smells = |text: &str| SURROUNDINGS.iter().any(|word| text.contains(word));
    let of_failure = |failure: &Failure| smells(&failure.kind) || smells(&failure.message);
    match answer.outcome {
        Outcome::Failed | Outcome::Regression => answer.failing.iter().any(|(_, failure)| of_failure(failure)),
        Outcome::MissingTests | Outcome::OutOfMemory => true,
        // A compiler that does not find what the build generates names the symbol.
        Outcome::CompileError => answer.diagnostics.iter().any(|diagnostic| smells(&diagnostic.message)),
        _ => false,
    }
}

/// What the command says of a patched tree.
pub(super) enum OwnResult {
    /// It passes these tests.
    Passes,
    /// It does not, or cannot tell.
    Agrees,
}

/// Asks about the triggering tests and those that speak against a patch.
pub(super) async fn ask(
    own: &dyn OwnCommand,
    tree: &Utf8Path,
    baseline: &Baseline,
    against: &[TestId],
    wall: Duration,
) -> Result<OwnResult, ValidateError> {
    let tests: Vec<TestId> =
        baseline.triggering.iter().chain(against).cloned().collect::<BTreeSet<_>>().into_iter().collect();
    let question = OwnQuestion { tree, is_patched: true, tests: &tests, wall };
    Ok(match own.run(question).await? {
        OwnRun::Tested(report) if tests.iter().all(|id| passes(&report, id) == Some(true)) => OwnResult::Passes,
        OwnRun::Tested(_) | OwnRun::NotTested(_) => OwnResult::Agrees,
    })
}
