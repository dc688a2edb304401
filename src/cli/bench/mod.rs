//! `unidebug bench`: measurements over many bugs.

mod localization;
mod localization_table;

use super::args::{BenchCommand, SandboxArg, Source};
use super::error::Failure;
use crate::localize::Formula;
use camino::Utf8PathBuf;
use std::time::Duration;

/// Runs a measurement.
///
/// # Errors
/// Everything that keeps all bugs of the set from being measured.
pub async fn bench(command: BenchCommand) -> Result<u8, Failure> {
    match command {
        BenchCommand::Localization(args) => localization::run(&args).await,
    }
}

/// What `run` would be told about a bug of a set: defaults, but for where the set is.
fn source(root: Option<&Utf8PathBuf>, java_home: Option<&Utf8PathBuf>, sandbox: SandboxArg) -> Source {
    Source {
        root: root.cloned(),
        build: None,
        test: None,
        failing: Vec::new(),
        requirements: None,
        java_home: java_home.cloned(),
        sandbox,
        localization: None,
        formula: Formula::default(),
        max_time: Duration::from_secs(60),
    }
}
