//! Verdicts of earlier runs of the same bug, by the normal form of the patches: what was judged is not judged again. Only
//! who asks for them has them; whatever may end otherwise another time is not kept.

use super::subject::Subject;
use super::{Baseline, failing};
use crate::domain::{Fingerprint, Outcome, Patch, Validation, Watcher};
use crate::language::{self, Language};
use crate::patch;
use camino::{Utf8Path, Utf8PathBuf};
use std::time::UNIX_EPOCH;

/// Verdicts that the same patch gets every time.
const KEPT: [Outcome; 6] = [
    Outcome::Plausible,
    Outcome::Refused,
    Outcome::CompileError,
    Outcome::Failed,
    Outcome::Regression,
    Outcome::Suspicious,
];

/// The verdicts on one bug under one build of this program.
pub(super) struct Known {
    folder: Utf8PathBuf,
    language: &'static dyn Language,
    watcher: Watcher,
}

impl Known {
    /// The verdicts on this bug; `None` where they are not asked for. `sandbox` is the name of the isolation.
    pub(super) fn of(subject: &dyn Subject, baseline: &Baseline, sandbox: &str) -> Option<Self> {
        let (checkout, options) = (subject.checkout(), subject.options());
        let language = language::by_name(&checkout.language).filter(|_| options.known_verdicts)?;
        let mut fingerprint = Fingerprint::default();
        fingerprint.add(this_build()?).add(sandbox);
        fingerprint.add(format!("{} {}", options.accept_suspicious, checkout.official.is_some()));
        for test in &baseline.triggering {
            fingerprint.add(test.to_string());
        }
        let folder = subject.project_cache().join("verdicts").join(fingerprint.name());
        Some(Self { folder, language, watcher: options.watcher.clone() })
    }

    fn file(&self, patch: &Patch) -> Utf8PathBuf {
        self.folder.join(format!("{}.json", patch::compare::normal_name(patch, self.language)))
    }

    /// The verdict of an earlier run on an equal patch, which costs nothing.
    pub(super) fn answer(&self, patch: &Patch) -> Option<Validation> {
        let answer = read(&self.file(patch))?;
        self.watcher.phase(format!("an earlier run judged this patch: {}", answer.outcome.title()));
        Some(Validation { seconds: 0.0, ..answer })
    }

    /// Keeps a verdict for later runs.
    pub(super) fn keep(&self, patch: &Patch, answer: &Validation) {
        if !KEPT.contains(&answer.outcome) {
            return;
        }
        if let Err(error) = failing::keep(&self.file(patch), answer) {
            tracing::warn!("a verdict will be found again: {error}");
        }
    }
}

fn read(file: &Utf8Path) -> Option<Validation> {
    let answer: Validation = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    KEPT.contains(&answer.outcome).then_some(answer)
}

/// What tells this build of the program from others: another one may judge otherwise.
fn this_build() -> Option<String> {
    let meta = std::env::current_exe().ok()?.metadata().ok()?;
    let made = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", env!("CARGO_PKG_VERSION"), meta.len(), made.as_nanos()))
}
