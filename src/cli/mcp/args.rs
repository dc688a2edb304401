//! What was typed for `mcp`. What stands here is the host's word: a request may lower caps and nothing else.

use crate::cli::config::{CAPS, JudgingFlags, ModelFlags, SandboxArg, StrategyFlags, Time};
use crate::cli::help;
use camino::Utf8PathBuf;
use clap::Args;
use serde::Serialize;

/// `mcp`.
#[derive(Debug, Args)]
#[command(after_help = help::MCP)]
pub(crate) struct McpArgs {
    /// Folder in which projects may be worked on; may be repeated. Roots that the client lists are taken where none is
    /// given, and can only narrow those that are.
    #[arg(help_heading = "This command", long, value_name = "DIR")]
    pub root: Vec<Utf8PathBuf>,
    /// Serve streamable HTTP on this port of 127.0.0.1 instead of stdin and stdout; 0 takes a free one.
    #[arg(long, value_name = "PORT", requires = "root")]
    pub http: Option<u16>,
    /// What the other layers do not decide.
    #[command(flatten)]
    pub settings: McpSettings,
}

/// Settings of every request.
#[derive(Debug, Clone, Default, Args, Serialize)]
pub(crate) struct McpSettings {
    /// Isolation of everything that is compiled or tested.
    #[arg(help_heading = "Bug and project", long, value_enum)]
    pub sandbox: Option<SandboxArg>,
    /// Files that no tool shows, as a glob; may be repeated.
    #[arg(help_heading = "Bug and project", long, value_name = "GLOB")]
    pub deny: Vec<String>,
    /// Most wall time of one `repair`, which is refused without this cap.
    #[arg(help_heading = CAPS, long, value_name = "TIME")]
    pub max_time: Option<Time>,
    /// Which models are asked.
    #[command(flatten)]
    #[serde(flatten)]
    pub model: ModelFlags,
    /// How it is gone about.
    #[command(flatten)]
    #[serde(flatten)]
    pub strategy: StrategyFlags,
    /// What may become plausible.
    #[command(flatten)]
    #[serde(flatten)]
    pub judging: JudgingFlags,
}

/// Settings of one request: those of the server, and the tests that it names.
#[derive(Debug, Serialize)]
pub(crate) struct RequestSettings {
    /// The server's.
    #[serde(flatten)]
    pub server: McpSettings,
    /// The failing tests to work on.
    pub failing: Vec<String>,
}
