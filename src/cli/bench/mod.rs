//! `unidebug bench`: measurements over many bugs.

pub(super) mod args;
mod batch;
mod context;
mod live;
mod localization;
mod localization_table;
mod measured;
mod pack;
mod plan;
mod posts;
mod twin;
mod twin_table;
mod watch;

use super::config::Config;
use super::error::Failure;
use super::open::Opened;
use super::scratch::Scratch;
use super::strategy;
use crate::domain::{BugId, EventSink, RepoPath};
use crate::localize::oracle::Repaired;
use crate::report::Tally;
use crate::sandbox::Sandbox;
use crate::tools::Workbench;
use args::BenchCommand;
use measured::MeasuredArgs;

/// Runs a measurement.
///
/// # Errors
/// Everything that keeps all bugs of the set from being measured.
pub(super) async fn bench(command: BenchCommand) -> Result<u8, Failure> {
    match command {
        BenchCommand::Run(args) => batch::run(&args).await,
        BenchCommand::Status(args) => batch::status(&args),
        BenchCommand::Watch(args) => watch::watch(&args).await,
        BenchCommand::Resubmit(args) => batch::resubmit(&args).await,
        BenchCommand::Work(args) => batch::work(&args).await,
        BenchCommand::Pack(args) => pack::pack(&args),
        BenchCommand::Merge(args) => batch::merge(&args),
        BenchCommand::Localization(args) => localization::run(&args).await,
        BenchCommand::Context(args) => context::run(&args).await,
        BenchCommand::Twin(args) => twin::run(&args).await,
    }
}

/// A bug whose developer's repair is known, on the bench; its folder goes with it.
struct Solved {
    bench: Workbench,
    sandbox: Sandbox,
    /// Repaired files: path and text.
    repaired: Vec<(RepoPath, String)>,
    _folder: Scratch,
}

impl Solved {
    /// Opens a bug of a set as `run` would by default, but for the warm judge: nothing is repaired.
    async fn open(bug: &BugId, args: &MeasuredArgs) -> Result<Self, Failure> {
        let MeasuredArgs { root, java_home, sandbox, .. } = args;
        let config =
            Config { root: root.clone(), java_home: java_home.clone(), sandbox: *sandbox, ..Config::default() };
        let opened = Opened::check(&bug.to_string(), &config).await?.without_warm_judge();
        let folder = Scratch::of("bench")?;
        let bench = opened.bench(folder.path(), strategy::plain(&config), &Tally::default() as &dyn EventSink).await?;
        let oracle = bench.checkout.oracle.as_ref().filter(|oracle| !oracle.files.is_empty());
        let oracle = oracle.ok_or_else(|| {
            Failure::unusable("it comes without a developer's repair", "name one with `fixed` or `patch` in bugs.jsonl")
        })?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let repaired = oracle.files.iter().map(|(path, bytes)| (path.clone(), text(bytes))).collect();
        Ok(Self { bench, sandbox: opened.sandbox, repaired, _folder: folder })
    }

    fn repaired(&self) -> Vec<Repaired<'_>> {
        self.repaired.iter().map(|(path, text)| (path, text.as_str())).collect()
    }
}
