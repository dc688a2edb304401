//! What a batch runs: bugs × configurations × repetitions, frozen when it begins.

use super::BatchError;
use crate::benchmark::choose::{Day, PerProject};
use crate::domain::BugId;
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::num::NonZeroU32;

/// Schema of the frozen plan.
const SCHEMA: u32 = 1;
/// File of the frozen plan in a batch's folder.
const FILE: &str = "plan.json";
/// More units than that are a slip of the keyboard, and no machine lists them.
const MOST_UNITS: u64 = 1_000_000;
/// Longest name of a folder made from a bug's id, in bytes.
const NAME_BYTES: usize = 80;

/// One way of running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Configuration {
    /// Its name in folders and reports.
    pub name: String,
    /// Arguments of `unidebug run`, as they would be typed.
    #[serde(default)]
    pub args: Vec<String>,
}

impl Configuration {
    /// Name of the only configuration of a batch whose plan names none; reports then name it by its settings.
    pub(crate) const UNNAMED: &str = "run";

    /// The name for reports.
    pub(crate) fn named(&self) -> Option<&str> {
        (self.name != Self::UNNAMED).then_some(&*self.name)
    }
}

/// The frozen plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// Schema of this file.
    pub schema: u32,
    /// The bugs, in order.
    pub bugs: Vec<BugId>,
    /// The ways of running; at least one.
    pub configurations: Vec<Configuration>,
    /// How often each bug is run under each configuration.
    pub repetitions: u32,
}

/// One run of one bug under one configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The bug that is run, by its id.
    pub bug: BugId,
    /// Index of the configuration in its plan.
    pub configuration: usize,
    /// Which repetition, from 1.
    pub repetition: u32,
    /// Its run directory, relative to the batch's folder.
    pub folder: Utf8PathBuf,
}

/// A plan as people write it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanFile {
    /// Sets of bugs: `fixtures`, `quixbugs-java:*`, `defects4j:Lang-1..9`, `d4j-2.0`, one id.
    pub bugs: Vec<String>,
    /// Only bugs of these projects.
    #[serde(default)]
    pub project: Vec<String>,
    /// Only bugs whose repair takes one of these, as `single-line`.
    #[serde(default)]
    pub kind: Vec<String>,
    /// Only bugs that were repaired on this day or later.
    #[serde(default)]
    pub since: Option<Day>,
    /// How many bugs to draw; all without.
    #[serde(default)]
    pub sample: Option<NonZeroU32>,
    /// How many of each project at least and at most: `1..10`.
    #[serde(default)]
    pub per_project: Option<PerProject>,
    /// Where chance begins: the same number draws the same bugs.
    #[serde(default)]
    pub seed: Option<u64>,
    /// How often each is run.
    #[serde(default = "once")]
    pub repetitions: u32,
    /// Ways of running.
    #[serde(default, rename = "configuration")]
    pub configurations: Vec<Configuration>,
}

fn once() -> u32 {
    1
}

impl Plan {
    /// A plan of these parts.
    ///
    /// # Errors
    /// There is nothing to run or far too much, or two configurations have one name.
    pub(crate) fn new(
        bugs: Vec<BugId>,
        configurations: Vec<Configuration>,
        repetitions: u32,
    ) -> Result<Self, BatchError> {
        let plan = Self { schema: SCHEMA, bugs, configurations, repetitions };
        plan.complaint().map_or(Ok(plan), |what| Err(BatchError::Plan { what }))
    }

    /// What is wrong with it, also where it was read: names become folders.
    fn complaint(&self) -> Option<String> {
        let Self { bugs, configurations, repetitions, .. } = self;
        if bugs.is_empty() || *repetitions == 0 || configurations.is_empty() {
            return Some("it runs nothing: it needs bugs, a configuration and at least one repetition".to_owned());
        }
        let each = (bugs.len() as u64).saturating_mul(configurations.len() as u64);
        let units = each.saturating_mul(u64::from(*repetitions));
        if units > MOST_UNITS {
            return Some(format!("it has {units} runs; the most is {MOST_UNITS}"));
        }
        let mut names = BTreeSet::new();
        for configuration in configurations {
            let name = &configuration.name;
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            if name.is_empty() || !name.chars().all(fits) || name.starts_with('.') {
                return Some(format!("`{name}` is no name of a configuration: letters, digits, `-`, `_` and `.`"));
            }
            if !names.insert(name) {
                return Some(format!("two configurations are named `{name}`"));
            }
        }
        let mut folders = BTreeSet::new();
        let twice = bugs.iter().find(|bug| !folders.insert(folder_name(bug)));
        twice.map(|bug| format!("`{bug}` would have the folder of another bug"))
    }

    /// Freezes the plan in a batch's folder; the same plan may be frozen again.
    ///
    /// # Errors
    /// The folder holds another plan, or cannot be written.
    pub(crate) fn freeze(&self, folder: &Utf8Path) -> Result<(), BatchError> {
        let file = folder.join(FILE);
        if file.exists() {
            return match Self::read(folder)? == *self {
                true => Ok(()),
                false => Err(BatchError::Other { folder: folder.to_owned() }),
            };
        }
        let io = |source| BatchError::Io { what: "writing the plan", path: file.clone(), source };
        std::fs::create_dir_all(folder).map_err(io)?;
        let mut new = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
        serde_json::to_writer_pretty(&mut new, self).map_err(|error| io(error.into()))?;
        new.as_file().sync_all().map_err(io)?;
        // Two workers may begin at once: the first plan stays, and both read it.
        match new.persist_noclobber(&file) {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => self.freeze(folder),
            Err(error) => Err(io(error.error)),
        }
    }

    /// The plan of a batch's folder.
    ///
    /// # Errors
    /// There is none, it cannot be read, or a newer program wrote it.
    pub(crate) fn read(folder: &Utf8Path) -> Result<Self, BatchError> {
        let file = folder.join(FILE);
        let bytes = std::fs::read(&file).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => BatchError::None { folder: folder.to_owned() },
            _ => BatchError::Io { what: "reading the plan", path: file.clone(), source },
        })?;
        let plan: Self = serde_json::from_slice(&bytes)
            .map_err(|error| BatchError::Plan { what: format!("{file} cannot be read: {error}") })?;
        if plan.schema > SCHEMA {
            return Err(BatchError::Plan { what: format!("{file} has schema {}, which is newer", plan.schema) });
        }
        match plan.complaint() {
            Some(what) => Err(BatchError::Plan { what: format!("{file}: {what}") }),
            None => Ok(plan),
        }
    }

    /// All units: every bug under every configuration before the next repetition begins, so that a batch that is
    /// stopped early has seen every bug.
    pub(crate) fn units(&self) -> Vec<Unit> {
        let mut units = Vec::new();
        for repetition in 1..=self.repetitions {
            for bug in &self.bugs {
                for (configuration, Configuration { name, .. }) in self.configurations.iter().enumerate() {
                    let folder = Utf8PathBuf::from(format!("runs/{name}/{}/{repetition}", folder_name(bug)));
                    units.push(Unit { bug: bug.clone(), configuration, repetition, folder });
                }
            }
        }
        units
    }
}

/// A folder's name for a bug; two bugs never share one.
fn folder_name(bug: &BugId) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let plain = |text: &str| text.chars().map(|c| if fits(c) { c } else { '-' }).collect::<String>();
    let BugId { benchmark, name } = bug;
    if name.len() <= NAME_BYTES && benchmark.chars().chain(name.chars()).all(fits) {
        return format!("{benchmark}+{name}");
    }
    let (benchmark, sum, name) = (plain(benchmark), crc32fast::hash(name.as_bytes()), plain(name));
    let end = &name[name.len().saturating_sub(NAME_BYTES)..];
    format!("{benchmark}+{}+{sum:08x}", end.trim_start_matches(['-', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(repetitions: u32) -> Plan {
        let bugs = ["fixtures:a-b", "fixtures:c", "local:/x/y-z", "local:/x-y/z"];
        let bugs = bugs.map(|id| id.parse().unwrap()).to_vec();
        let configurations = ["one", "two"].map(|name| Configuration { name: name.into(), args: Vec::new() });
        Plan::new(bugs, configurations.to_vec(), repetitions).unwrap()
    }

    #[test]
    fn every_unit_has_a_folder_of_its_own() {
        let units = plan(3).units();
        let folders: BTreeSet<_> = units.iter().map(|unit| unit.folder.clone()).collect();
        assert_eq!((units.len(), folders.len()), (24, 24));
        assert_eq!(units[0].folder, "runs/one/fixtures+a-b/1");
        assert_eq!(units[8].repetition, 2, "every bug once before any bug twice");
    }

    #[test]
    fn a_folder_keeps_its_plan() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(dir.path()).unwrap();
        assert!(matches!(Plan::read(folder), Err(BatchError::None { .. })));
        plan(1).freeze(folder).unwrap();
        plan(1).freeze(folder).unwrap();
        assert_eq!(Plan::read(folder).unwrap(), plan(1));
        assert!(matches!(plan(2).freeze(folder), Err(BatchError::Other { .. })));
    }

    #[test]
    fn a_plan_that_runs_nothing_or_names_twice_is_refused() {
        assert!(Plan::new(Vec::new(), plan(1).configurations, 1).is_err());
        let twice = vec![plan(1).configurations[0].clone(), plan(1).configurations[0].clone()];
        assert!(Plan::new(plan(1).bugs, twice, 1).is_err());
        let error = Plan::new(plan(1).bugs, plan(1).configurations, u32::MAX).unwrap_err().to_string();
        assert!(error.contains("34359738360 runs"), "{error}");
        let again = [plan(1).bugs, plan(1).bugs].concat();
        let error = Plan::new(again, plan(1).configurations, 1).unwrap_err().to_string();
        assert!(error.contains("`fixtures:a-b` would have the folder of another"), "{error}");
    }

    #[test]
    fn a_plan_of_somebody_else_leads_nowhere_outside() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(dir.path()).unwrap();
        let mut hostile = plan(1);
        hostile.configurations[0].name = "../../x".into();
        std::fs::write(folder.join(FILE), serde_json::to_string(&hostile).unwrap()).unwrap();
        let error = Plan::read(folder).unwrap_err().to_string();
        assert!(error.contains("plan.json: `../../x` is no name"), "{error}");
        let hostile = BugId { benchmark: "../../..".into(), name: "../x".into() };
        assert!(!folder_name(&hostile).contains('/'));
    }
}
