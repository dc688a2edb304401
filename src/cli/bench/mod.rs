//! `unidebug bench`: measurements over many bugs.

pub mod args;
mod batch;
mod context;
mod localization;
mod localization_table;

use super::args::BenchCommand;
use super::config::Config;
use super::error::Failure;
use super::flags::SandboxArg;
use camino::Utf8PathBuf;

/// Runs a measurement.
///
/// # Errors
/// Everything that keeps all bugs of the set from being measured.
pub async fn bench(command: BenchCommand) -> Result<u8, Failure> {
    match command {
        BenchCommand::Run(args) => batch::run(&args).await,
        BenchCommand::Status(args) => batch::status(&args),
        BenchCommand::Resubmit(args) => batch::resubmit(&args),
        BenchCommand::Work(args) => batch::work(&args).await,
        BenchCommand::Merge(args) => batch::merge(&args),
        BenchCommand::Localization(args) => localization::run(&args).await,
        BenchCommand::Context(args) => context::run(&args).await,
    }
}

/// What `run` would be told about a bug of a set: defaults, but for where the set is.
fn config(root: Option<&Utf8PathBuf>, java_home: Option<&Utf8PathBuf>, sandbox: SandboxArg) -> Config {
    Config { root: root.cloned(), java_home: java_home.cloned(), sandbox, ..Config::default() }
}
