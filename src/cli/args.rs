//! What was typed. These structs do not leave `cli`.

use crate::agent::ablation::Part;
use crate::localize::Formula;
use camino::Utf8PathBuf;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::time::Duration;

/// Finds the cause of a failing test and returns a validated patch.
#[derive(Debug, Parser)]
#[command(name = "unidebug", version, max_term_width = 100)]
pub struct Cli {
    /// Log filter for stderr: `debug`, `unidebug=trace`.
    #[arg(long, global = true, value_name = "FILTER", env = "UNIDEBUG_LOG")]
    pub log: Option<String>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Repair one bug.
    Run(Box<RunArgs>),
    /// List what can be run here.
    Bugs(BugsArgs),
    /// List the tools, or use one by hand on one bug.
    Tool(Box<ToolArgs>),
    /// Measure over many bugs.
    #[command(subcommand)]
    Bench(BenchCommand),
}

/// What is measured.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// How early rankings name what developers changed: Top-n by line, method and file, EXAM, first rank.
    Localization(BenchLocalizationArgs),
}

/// `bench localization`.
#[derive(Debug, Args)]
pub struct BenchLocalizationArgs {
    /// A benchmark, a glob over its ids (`fixtures:r*`), or one bug.
    #[arg(value_name = "SET")]
    pub set: String,
    /// Folder or file of the benchmark.
    #[arg(long, value_name = "DIR")]
    pub root: Option<Utf8PathBuf>,
    /// A formula to measure; may be repeated. All when absent.
    #[arg(long, value_name = "FORMULA", value_parser = formula)]
    pub formula: Vec<Formula>,
    /// The JDK to compile and test with.
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<Utf8PathBuf>,
    /// Isolation of everything that is compiled or tested.
    #[arg(long, value_enum, default_value_t = SandboxArg::Auto)]
    pub sandbox: SandboxArg,
    /// How the table is written.
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub format: TableFormat,
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// For a terminal.
    Text,
    /// For programs.
    Json,
    /// Markdown.
    Md,
}

/// Where the bug is and how its project is built and tested.
#[derive(Debug, Args)]
pub struct Source {
    /// Folder of the benchmark; for `jsonl` its file.
    #[arg(long, value_name = "DIR")]
    pub root: Option<Utf8PathBuf>,
    /// Command that builds a local project.
    #[arg(long, value_name = "COMMAND")]
    pub build: Option<String>,
    /// Command that runs a local project's tests and leaves JUnit XML.
    #[arg(long, value_name = "COMMAND")]
    pub test: Option<String>,
    /// The failing test to repair, `Class` or `Class#method`; may be repeated.
    #[arg(long, value_name = "TEST")]
    pub failing: Vec<String>,
    /// File with requirements in natural language.
    #[arg(long, value_name = "FILE")]
    pub requirements: Option<Utf8PathBuf>,
    /// The JDK to compile and test with.
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<Utf8PathBuf>,
    /// Isolation of everything that is compiled or tested.
    #[arg(long, value_enum, default_value_t = SandboxArg::Auto)]
    pub sandbox: SandboxArg,
    /// How suspicious lines are found; `spectrum` unless `--paper` says otherwise.
    #[arg(long, value_enum)]
    pub localization: Option<LocalizationArg>,
    /// Suspiciousness formula: ochiai, dstar, tarantula, op2 or barinel.
    #[arg(long, value_name = "FORMULA", value_parser = formula, default_value = "ochiai")]
    pub formula: Formula,
    /// Wall time for the bug, after its baseline.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    pub max_time: Duration,
}

/// Isolation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SandboxArg {
    /// The strongest that works here; refused when none does.
    Auto,
    /// Bubblewrap.
    Bubblewrap,
    /// None: code of the project and of the model runs with your rights.
    None,
}

/// Fault localization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LocalizationArg {
    /// From coverage, traces and names.
    Spectrum,
    /// The developer's lines, for research; the report says so.
    Perfect,
    /// The developer's files, for research; the report says so.
    File,
    /// None.
    None,
}

/// Who thinks.
#[derive(Debug, Args)]
pub struct Minds {
    /// `builtin`, `replay:PATH`, or a model at the endpoint; `L1=…` or `locator=…` for a part. May be repeated.
    #[arg(long, value_name = "[PART=]MODEL")]
    pub model: Vec<String>,
    /// OpenAI-compatible endpoint.
    #[arg(long, value_name = "URL", env = "OPENAI_BASE_URL")]
    pub base_url: Option<String>,
    /// Do not try the built-in engine before the first paid call.
    #[arg(long)]
    pub no_first: bool,
    /// Folder with agent profiles that replace or join the built-in ones.
    #[arg(long, value_name = "DIR")]
    pub agents: Option<Utf8PathBuf>,
    /// Folder with prompts that replace the built-in ones.
    #[arg(long, value_name = "DIR")]
    pub prompts: Option<Utf8PathBuf>,
    /// Record requests and responses into this folder.
    #[arg(long, value_name = "DIR")]
    pub record: Option<Utf8PathBuf>,
    /// Most tokens for the bug, prompts and answers together.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_tokens: Option<u64>,
    /// Most US dollars for the bug.
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub max_cost: Option<f64>,
    /// Prices of models, in litellm's schema.
    #[arg(long, value_name = "FILE")]
    pub prices: Option<Utf8PathBuf>,
}

/// How a bug is gone about.
#[derive(Debug, Args)]
pub struct Way {
    /// The unified system, or one of those it was made from: unified, fixagent, repairagent, lite, direct.
    #[arg(long, value_name = "NAME", default_value = crate::escalate::strategy::DEFAULT)]
    pub strategy: String,
    /// Keep to the paper's own numbers, localization and first prompt.
    #[arg(long)]
    pub paper: bool,
    /// Leave out what agents see of a part: helper, repo_focus, summarizer, slicer, locator, fixer_pro, search, fsm,
    /// memory, static, dynamic, testing, web. May be repeated.
    #[arg(long, value_name = "PART", value_parser = str::parse::<Part>)]
    pub without: Vec<Part>,
    /// Levels to climb, each only when the last one failed: `L1`, or a range `L1..L3`. All that the strategy has with a
    /// model, L1 with the built-in engine alone.
    #[arg(long, value_name = "LEVELS", value_parser = super::levels::levels)]
    pub levels: Option<super::levels::Levels>,
    /// How often the whole ladder is climbed, each time with what was learnt; 1 unless the strategy says otherwise.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub attempts: Option<u32>,
    /// Do not have a plausible patch of levels 2 and 3 reviewed.
    #[arg(long)]
    pub no_review: bool,
    /// Variants asked of a model, in one query, for each candidate that fails; none unless the strategy says otherwise.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=30))]
    pub variants: Option<u32>,
}

/// `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// `benchmark:id`, or the folder of a project.
    #[arg(value_name = "BUG")]
    pub bug: String,
    /// Where the bug is.
    #[command(flatten)]
    pub source: Source,
    /// Who thinks.
    #[command(flatten)]
    pub minds: Minds,
    /// How it is gone about.
    #[command(flatten)]
    pub way: Way,
    /// Let candidates with suspicious constructs become plausible.
    #[arg(long)]
    pub accept_suspicious: bool,
    /// Most template candidates of the built-in engine.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub max_candidates: usize,
    /// Seed of the built-in engine.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Run directory; a new one below the state folder by default.
    #[arg(long, value_name = "DIR")]
    pub out: Option<Utf8PathBuf>,
    /// Apply a plausible patch to the project's own folder.
    #[arg(long)]
    pub apply: bool,
    /// End stdout with one JSON object.
    #[arg(long)]
    pub json: bool,
    /// No progress.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `bugs`.
#[derive(Debug, Args)]
pub struct BugsArgs {
    /// A benchmark, or a glob over its ids; all benchmarks when absent.
    #[arg(value_name = "BENCHMARK")]
    pub set: Option<String>,
    /// Folder of the benchmark.
    #[arg(long, value_name = "DIR")]
    pub root: Option<Utf8PathBuf>,
    /// End stdout with one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `tool`.
#[derive(Debug, Args)]
pub struct ToolArgs {
    /// The tool; near misses are understood. All are listed when absent.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// The bug to use it on.
    #[arg(long, value_name = "BUG")]
    pub bug: Option<String>,
    /// Its arguments.
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub args: String,
    /// Where the bug is.
    #[command(flatten)]
    pub source: Source,
    /// Who thinks, for tools that ask a model.
    #[command(flatten)]
    pub minds: Minds,
    /// End stdout with one JSON object.
    #[arg(long)]
    pub json: bool,
}

fn formula(text: &str) -> Result<Formula, String> {
    let known = || Formula::ALL.map(Formula::name).join(", ");
    Formula::by_name(&text.to_lowercase()).ok_or_else(|| format!("`{text}` is no formula; there is {}", known()))
}

fn dollars(text: &str) -> Result<f64, String> {
    match text.trim_start_matches('$').parse::<f64>() {
        Ok(usd) if usd.is_finite() && usd > 0.0 => Ok(usd),
        _ => Err(format!("`{text}` is no sum of US dollars above 0")),
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time; write 60s, 5m or 1h");
    let span: jiff::SignedDuration = text.parse().map_err(|_| wrong())?;
    let time = Duration::try_from(span).map_err(|_| wrong())?;
    if time.is_zero() { Err(wrong()) } else { Ok(time) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        assert_eq!(duration("60s").unwrap(), Duration::from_secs(60));
        assert_eq!(duration("5m").unwrap(), Duration::from_secs(300));
        for wrong in ["", "60", "-5s", "0s", "soon"] {
            assert!(duration(wrong).is_err(), "{wrong:?}");
        }
    }
}
