//! What was typed for `inspect`.

use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};

/// `inspect`.
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// Run directories, or folders that hold some.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<Utf8PathBuf>,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = InspectFormat::Text)]
    pub format: InspectFormat,
    /// The same as `--format html`.
    #[arg(long, conflicts_with = "format")]
    pub html: bool,
    /// The same as `--format json`.
    #[arg(long, conflicts_with_all = ["format", "html"])]
    pub json: bool,
    /// Walk through a run on the whole terminal: its levels, agents and cycles as a tree, with search and diffs.
    #[arg(long, conflicts_with_all = ["format", "html", "json", "out"])]
    pub screen: bool,
    /// Show every request in full; the page and the exports always hold them.
    #[arg(long)]
    pub prompts: bool,
    /// With `--format diffs`: also what was tried and did not pass.
    #[arg(long)]
    pub candidates: bool,
    /// Write into this file instead of stdout; `sweagent`, `mini` and `diffs` write into this folder.
    #[arg(long, value_name = "PATH")]
    pub out: Option<Utf8PathBuf>,
}

/// How a run is shown or exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InspectFormat {
    /// To be read; on a terminal in `$PAGER`.
    Text,
    /// One page that needs nothing else.
    Html,
    /// Everything, for programs: one object a line.
    Json,
    /// SWE-agent's trajectories, `.traj`.
    Sweagent,
    /// mini-swe-agent's trajectories, `.traj.json`.
    Mini,
    /// Predictions for SWE-bench, as JSONL.
    Swebench,
    /// Predictions for Multi-SWE-bench and SWE-bench-java, as JSONL.
    MultiSwebench,
    /// Patches, a file each.
    Diffs,
    /// Spans for a collector of OpenTelemetry: OTLP as JSON, one object a line, without texts of prompts and answers.
    Otlp,
}
