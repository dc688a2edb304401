//! What was typed behind those commands of `unidebug bench` that measure without a run.

use crate::cli::config::{FormulaArg, SandboxArg};
use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};

/// The bugs that are measured, and how.
#[derive(Debug, Args)]
pub(crate) struct MeasuredArgs {
    /// A benchmark, a glob over its ids (`fixtures:r*`), or one bug.
    #[arg(value_name = "SET")]
    pub set: String,
    /// Folder or file of the benchmark.
    #[arg(long, value_name = "DIR")]
    pub root: Option<Utf8PathBuf>,
    /// The JDK to compile and test with.
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<Utf8PathBuf>,
    /// Isolation of everything that is compiled or tested.
    #[arg(long, value_enum, default_value_t = SandboxArg::Auto)]
    pub sandbox: SandboxArg,
    /// How the table is written.
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
    /// The same as `--format json`.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

impl MeasuredArgs {
    /// The form that was asked for.
    pub(crate) fn form(&self) -> TableFormat {
        if self.json { TableFormat::Json } else { self.format }
    }
}

/// `bench localization`.
#[derive(Debug, Args)]
pub(crate) struct BenchLocalizationArgs {
    /// What is measured.
    #[command(flatten)]
    pub measured: MeasuredArgs,
    /// A formula to measure; may be repeated. All when absent.
    #[arg(long, value_name = "FORMULA")]
    pub formula: Vec<FormulaArg>,
}

/// `bench twin`.
#[derive(Debug, Args)]
pub(crate) struct BenchTwinArgs {
    /// Of which bugs twins are made.
    #[command(flatten)]
    pub measured: MeasuredArgs,
    /// The folder of the twins, which must be new or empty; `--root` of the benchmark `twin`.
    #[arg(long, value_name = "DIR")]
    pub out: Utf8PathBuf,
    /// What names and forms are drawn by; another one makes other twins.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// For a terminal.
    Text,
    /// JSON, for programs.
    Json,
    /// Markdown, for pages and comments.
    Md,
}
