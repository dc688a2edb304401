//! How a validator is opened.

use super::{ChooseScope, WorkDir};
use crate::benchmark::jdk::Jdk;
use crate::domain::{TestId, Watcher};
use camino::Utf8PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The heap in MiB that a JVM takes by itself, within bounds: a test that passes by the project's own command must find as
/// much here.
fn default_heap() -> u64 {
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = info.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().split(' ').next()?.parse().ok());
    (total.unwrap_or(4 << 20) / 4 / 1024).clamp(512, 4096)
}

/// How a validator is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// The JDK; `None` takes the project's, else the one that is found.
    pub jdk: Option<Jdk>,
    /// Triggering tests the user names; a method may be left out to mean its class. Empty: the benchmark decides, else
    /// the baseline.
    pub failing: Vec<TestId>,
    /// Wall time a run of tests may take at most.
    pub max_time: Duration,
    /// An existing folder outside the checkout for copies and classes; its content is not kept.
    pub work_dir: WorkDir,
    /// Heap of the test process in MiB.
    pub heap_mib: u64,
    /// Hears how far long phases are.
    pub watcher: Watcher,
    /// Whether every candidate gets processes of its own: slower, and the same answers.
    pub cold: bool,
    /// Whether what tests cannot judge is accepted.
    pub accept_suspicious: bool,
    /// Whether verdicts of earlier runs of the same bug are taken, and those of this one kept.
    pub known_verdicts: bool,
    /// Chooses further tests that a spectrum will be asked of; they are measured while the failing ones are looked at.
    pub scope: Option<Arc<dyn ChooseScope>>,
}

impl Options {
    /// Defaults with this work folder: 30 minutes, and the heap that a JVM takes by itself.
    pub fn new(work_dir: impl Into<Utf8PathBuf>) -> Self {
        Self {
            jdk: None,
            failing: Vec::new(),
            max_time: Duration::from_secs(1800),
            work_dir: WorkDir::new(work_dir),
            heap_mib: default_heap(),
            watcher: Watcher::default(),
            cold: false,
            accept_suspicious: false,
            known_verdicts: false,
            scope: None,
        }
    }
}
