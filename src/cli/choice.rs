//! Which bugs of a list are meant, as it is typed or stands in a plan.

use super::error::Failure;
use crate::benchmark::Summary;
use crate::benchmark::choose::{Choice, Day, PerProject, Sample, choose};
use clap::Args;

/// The flags of `bugs` and `bench run`.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ChoiceArgs {
    /// Only bugs of this project; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub project: Vec<String>,
    /// Only bugs whose repair takes this: `single-line`, `multi-line`, `missing-code`, `multi-file`; may be repeated.
    #[arg(long, value_name = "KIND")]
    pub kind: Vec<String>,
    /// Only bugs that were repaired on this day or later, as after a model's training: `2024-05-31`. Those of which
    /// nobody knows the day are left out (GitBug-Java's and `bugs.jsonl`'s are known).
    #[arg(long, value_name = "DAY")]
    pub since: Option<Day>,
    /// Draw so many bugs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub sample: Option<u32>,
    /// Draw at least A and at most B bugs of each project.
    #[arg(long, value_name = "A..B", requires = "sample")]
    pub per_project: Option<PerProject>,
    /// Seed of the sample: the same number draws the same bugs; 0 when absent.
    #[arg(long, value_name = "N", requires = "sample")]
    pub seed: Option<u64>,
}

impl ChoiceArgs {
    /// Whether all bugs are meant.
    pub(super) fn is_all(&self) -> bool {
        self.choice() == Choice::default()
    }

    /// The bugs that are meant, in the order of the list.
    ///
    /// # Errors
    /// Nothing is left, or there is no such sample.
    pub(super) fn of(&self, all: Vec<Summary>) -> Result<Vec<Summary>, Failure> {
        let hint = "`unidebug bugs` with the same set, and without `--project`, `--kind`, `--since` and `--sample`, lists them all";
        if self.is_all() {
            Ok(all)
        } else {
            choose(all, &self.choice()).map_err(|why| Failure::usage(why.to_string(), hint))
        }
    }

    fn choice(&self) -> Choice {
        let draw = |size: u32| Sample {
            size: size as usize,
            per_project: self.per_project.unwrap_or_default(),
            seed: self.seed.unwrap_or_default(),
        };
        Choice {
            projects: self.project.clone(),
            kinds: self.kind.clone(),
            since: self.since.clone(),
            sample: self.sample.map(draw),
        }
    }
}
