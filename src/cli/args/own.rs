//! Commands about the program itself: its settings, its pages, and whether it works here.

use crate::cli::config::Time;
use crate::cli::flags::{Settings, ToolSettings};
use camino::Utf8PathBuf;
use clap::{Args, Subcommand};

/// `doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Flags as `run` takes them; a model that is named is asked with a few tokens.
    #[command(flatten)]
    pub settings: ToolSettings,
    /// Print one JSON object to stdout, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// `self-test`.
#[derive(Debug, Args)]
pub(crate) struct SelfTestArgs {
    /// Wall time for each bug.
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pub max_time: Time,
    /// Print one JSON object to stdout, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page for every command into this folder, as `man/man1`; without it the first page is printed.
    #[arg(long, value_name = "DIR")]
    pub out: Option<Utf8PathBuf>,
}

/// `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell that the script is for.
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: clap_complete::Shell,
}

/// `prices`.
#[derive(Debug, Subcommand)]
pub(crate) enum PricesCommand {
    /// Take a published list over: litellm's `model_prices_and_context_window.json`.
    Update {
        /// The published list, a JSON file.
        #[arg(value_name = "FILE")]
        list: Utf8PathBuf,
    },
}

/// `config`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Every setting and where it came from.
    Show(Box<ConfigShowArgs>),
    /// Write a commented file of your settings, where there is none yet.
    Init,
    /// Every setting with its flag, variable and default, and who may set it, as a page in Markdown.
    Reference,
}

/// `config show`.
#[derive(Debug, Args)]
pub(crate) struct ConfigShowArgs {
    /// The project whose `.unidebug.toml` counts; this folder when absent.
    #[arg(value_name = "BUG")]
    pub bug: Option<String>,
    /// Flags as `run` takes them, to see what they would do.
    #[command(flatten)]
    pub settings: Settings,
    /// Print one JSON object to stdout, and nothing else there.
    #[arg(long)]
    pub json: bool,
}
