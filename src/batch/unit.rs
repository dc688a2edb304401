//! How far a unit is: read from its folder alone, so that any worker on any machine sees the same.

use super::{BatchError, Unit};
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How often the environment may fail on one unit.
const TRIES: u32 = 3;
/// How much longer every pause is than the one before it.
const LONGER: u32 = 4;

/// What a finished run leaves, written whole or not at all.
const REPORT: &str = "report.json";
/// What a run leaves that has begun.
const FROZEN: &str = "config.json";
/// Failures of the environment.
const TROUBLE: &str = "trouble.json";

/// Why a unit could not be tried, so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trouble {
    /// How often the unit was tried and the environment failed.
    pub tries: u32,
    /// Exit code of the last time; `None` when a signal ended it.
    pub code: Option<i32>,
    /// What the last try said of its failure.
    pub message: String,
    /// When it was, in milliseconds since 1970 by the clock of the machine that tried.
    #[serde(default)]
    pub at_ms: u64,
    /// How long nobody tries again, in milliseconds.
    #[serde(default)]
    pub pause_ms: u64,
}

impl Trouble {
    /// How long it is until the unit is tried again; `None` when it is given up.
    pub(crate) fn again_in(&self) -> Option<Duration> {
        (self.tries < TRIES).then(|| {
            let then = UNIX_EPOCH.checked_add(Duration::from_millis(self.at_ms));
            // The clock of another machine can be ahead: that makes the pause shorter and never longer.
            let past = then.and_then(|then| SystemTime::now().duration_since(then).ok());
            past.map_or(Duration::ZERO, |past| Duration::from_millis(self.pause_ms).saturating_sub(past))
        })
    }
}

/// How far a unit is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum State {
    /// It has not begun.
    Waiting,
    /// It has begun and is not over: it runs, or whoever ran it is gone.
    Begun,
    /// The environment failed: it says nothing about the bug and is never counted as tried.
    Trouble(Trouble),
    /// It is over, with the object that `--json` prints.
    Over(Value),
}

impl Unit {
    /// The unit's run directory in a batch's folder.
    pub(crate) fn dir(&self, batch: &Utf8Path) -> Utf8PathBuf {
        batch.join(&self.folder)
    }

    /// How far the unit is.
    pub(crate) fn state(&self, batch: &Utf8Path) -> State {
        let dir = self.dir(batch);
        let read = |name: &str| std::fs::read(dir.join(name)).ok();
        if let Some(report) = read(REPORT).and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            return State::Over(report);
        }
        match read(TROUBLE).and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            Some(trouble) => State::Trouble(trouble),
            None if dir.join(FROZEN).exists() => State::Begun,
            None => State::Waiting,
        }
    }

    /// Whether its run directory holds a run to go on with.
    pub(super) fn has_begun(&self, batch: &Utf8Path) -> bool {
        self.dir(batch).join(FROZEN).exists()
    }

    /// How long it is until somebody may try the unit, zero when that is now; `None` when nobody may any more.
    pub(super) fn left_in(&self, batch: &Utf8Path) -> Option<Duration> {
        match self.state(batch) {
            State::Waiting | State::Begun => Some(Duration::ZERO),
            State::Trouble(trouble) => trouble.again_in(),
            State::Over(_) => None,
        }
    }

    /// Notes that the unit is over; gives whether it left a report. A run that was killed after its journal was complete
    /// left no report file; what it printed when it was gone on with is the same object.
    pub(super) fn over(&self, batch: &Utf8Path, stdout: &str) -> Result<bool, BatchError> {
        if matches!(self.state(batch), State::Over(_)) {
            return Ok(true);
        }
        let report: Value = serde_json::from_str(stdout.lines().last().unwrap_or("")).unwrap_or_default();
        if !report["verdict"].is_string() {
            return Ok(false);
        }
        self.write(batch, REPORT, &report).map(|()| true)
    }

    /// Forgets what kept the unit from being tried.
    pub(super) fn forgive(&self, batch: &Utf8Path) -> Result<(), BatchError> {
        let path = self.dir(batch).join(TROUBLE);
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(BatchError::Io { what: "forgetting a failure of the environment", path, source })
            }
            _ => Ok(()),
        }
    }

    fn write(&self, batch: &Utf8Path, name: &str, value: &impl Serialize) -> Result<(), BatchError> {
        let path = self.dir(batch).join(name);
        let io = |source| BatchError::Io { what: "writing the state of a unit", path: path.clone(), source };
        let mut file = tempfile::NamedTempFile::new_in(self.dir(batch)).map_err(io)?;
        serde_json::to_writer(&mut file, value).map_err(|error| io(error.into()))?;
        file.persist(&path).map_err(|error| io(error.error))?;
        Ok(())
    }

    /// Notes that the environment failed once more; after the first time nobody tries again for `pause`, then longer.
    pub(super) fn failed(
        &self,
        batch: &Utf8Path,
        pause: Duration,
        code: Option<i32>,
        message: String,
    ) -> Result<Trouble, BatchError> {
        let before = match self.state(batch) {
            State::Trouble(trouble) => trouble.tries,
            _ => 0,
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let pause = pause.saturating_mul(LONGER.saturating_pow(before));
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let tries = before.saturating_add(1);
        let trouble = Trouble { tries, code, message, at_ms: millis(now), pause_ms: millis(pause) };
        self.write(batch, TROUBLE, &trouble)?;
        Ok(trouble)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Configuration, Plan};

    fn unit() -> (tempfile::TempDir, Unit) {
        let folder = tempfile::tempdir().unwrap();
        let configurations = vec![Configuration { name: "run".into(), args: Vec::new() }];
        let unit = Plan::new(vec!["fixtures:a".parse().unwrap()], configurations, 1).unwrap().units().remove(0);
        std::fs::create_dir_all(folder.path().join(&unit.folder)).unwrap();
        (folder, unit)
    }

    #[test]
    fn every_try_waits_longer_and_the_third_is_the_last() {
        let (folder, unit) = unit();
        let batch = Utf8Path::from_path(folder.path()).unwrap();
        let pause = Duration::from_secs(100);
        let fail = || unit.failed(batch, pause, Some(4), "no answer".into()).unwrap();
        for (tries, wanted) in [(1, 100), (2, 400)] {
            let (trouble, wanted) = (fail(), Duration::from_secs(wanted));
            let left = unit.left_in(batch).unwrap();
            assert!(trouble.tries == tries && left <= wanted && left > wanted * 9 / 10, "{trouble:?}: {left:?}");
        }
        assert_eq!((fail().again_in(), unit.left_in(batch)), (None, None));
        unit.forgive(batch).unwrap();
        unit.forgive(batch).unwrap();
        assert_eq!(unit.left_in(batch), Some(Duration::ZERO));
    }

    #[test]
    fn no_clock_makes_a_pause_longer() {
        let (folder, unit) = unit();
        let batch = Utf8Path::from_path(folder.path()).unwrap();
        let trouble = unit.failed(batch, Duration::from_secs(60), None, "killed".into()).unwrap();
        let at = |at_ms| Trouble { at_ms, ..trouble.clone() }.again_in();
        assert_eq!(
            (at(u64::MAX), at(trouble.at_ms + 3_600_000), at(0)),
            (Some(Duration::ZERO), Some(Duration::ZERO), Some(Duration::ZERO))
        );
        std::fs::write(unit.dir(batch).join(TROUBLE), r#"{"tries":1,"code":3,"message":"of an older program"}"#)
            .unwrap();
        assert_eq!(unit.left_in(batch), Some(Duration::ZERO));
    }
}
