//! What was typed. These structs do not leave `cli`; flags that are settings stand in [`super::flags`].

mod own;

pub(super) use own::{
    CompletionsArgs, ConfigCommand, ConfigShowArgs, DoctorArgs, ManArgs, PricesCommand, SelfTestArgs,
};

use super::bench::args::{BenchCommand, OfBatchArgs};
use super::choice::ChoiceArgs;
use super::findings::Form;
use super::flags::{JudgeSettings, Settings, ToolSettings};
use super::help;
use super::inspect::args::InspectArgs;
use super::mcp::args::McpArgs;
use super::report::args::ReportArgs;
use crate::report;
use crate::sandbox::confine;
use camino::Utf8PathBuf;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Finds the cause of a failing test and returns a validated patch.
#[derive(Debug, Parser)]
#[command(name = "unidebug", version = env!("VERSION_WITH_COMMIT"), max_term_width = 100)]
pub(super) struct Cli {
    /// Log to stderr: `error`, `warn`, `info`, `debug`, `trace`, or a filter such as `unidebug::llm=trace`.
    #[arg(long, global = true, value_name = "LEVEL", env = "UNIDEBUG_LOG")]
    pub log: Option<String>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program does, by the first word on its line.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Repair one bug.
    Run(Box<RunArgs>),
    /// Level 1 alone over many bugs: suspicious lines with reasons, and a patch where the engine finds one.
    Triage(Box<TriageArgs>),
    /// Say whether patches that anybody made are plausible, and why not; no model is asked.
    Judge(Box<JudgeArgs>),
    /// Go on with a run: after a crash, with a raised cap, after what it lacked is there.
    Resume(ResumeArgs),
    /// Write the patch of a run into the project, or take it back.
    Apply(ApplyArgs),
    /// List the runs of this machine, the newest first.
    Runs(RunsArgs),
    /// Repeat a finished run offline and compare it with its recording.
    Replay(ReplayArgs),
    /// List what can be run here.
    Bugs(BugsArgs),
    /// List the tools, or use one by hand on one bug.
    Tool(Box<ToolArgs>),
    /// What runs came to, side by side.
    Report(ReportArgs),
    /// How a run came to its end, step by step; also in forms that other tools read.
    Inspect(InspectArgs),
    /// Measure over many bugs.
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Serve tools to a host's agent (Model Context Protocol): judge a patch, localize, triage, repair.
    Mcp(Box<McpArgs>),
    /// Ask which model to use and where its key is, and write that into your settings.
    Init,
    /// Show and explain settings.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Prices of models.
    #[command(subcommand)]
    Prices(PricesCommand),
    /// Check this machine: what is missing, and the remedy for each.
    Doctor(Box<DoctorArgs>),
    /// Repair two small bugs that come with the program, and say what is missing on this machine.
    SelfTest(SelfTestArgs),
    /// A script that completes commands and flags.
    Completions(CompletionsArgs),
    /// Write the manual pages.
    Man(ManArgs),
    /// Becomes a confined program; the sandbox's own use.
    #[command(hide = true, name = confine::COMMAND)]
    Confine {
        /// What the program may use, as JSON.
        rules: String,
        /// The program and its arguments.
        #[arg(last = true, required = true)]
        words: Vec<String>,
    },
}

/// `triage`.
#[derive(Debug, Args)]
#[command(after_help = help::TRIAGE)]
pub(super) struct TriageArgs {
    /// Bugs: `benchmark:id`, a glob over ids, a whole benchmark, or the folder of a project.
    #[arg(value_name = "BUG", required = true)]
    pub bugs: Vec<String>,
    /// How it is opened and judged.
    #[command(flatten)]
    pub settings: Settings,
    /// Suspicious lines that are told of each bug.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = TriageFormat::Text)]
    pub format: TriageFormat,
    /// The same as `--format json`.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Show no progress.
    #[arg(long, short)]
    pub quiet: bool,
}

/// How suspicious lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TriageFormat {
    /// For a terminal.
    Text,
    /// One JSON object.
    Json,
    /// SARIF 2.1.0, which code hosts show on the lines.
    Sarif,
    /// Annotations for GitHub's runners.
    Github,
    /// Markdown for a comment on a pull request.
    Md,
}

/// `run`.
#[derive(Debug, Args)]
#[command(after_help = help::RUN)]
pub(super) struct RunArgs {
    /// `benchmark:id`, or the folder of a project.
    #[arg(value_name = "BUG")]
    pub bug: String,
    /// What the other layers do not decide.
    #[command(flatten)]
    pub settings: Settings,
    /// Print what would be asked, its size and what it can cost, and send nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// With `--dry-run`: also every first prompt in full.
    #[arg(long, requires = "dry_run")]
    pub show_prompts: bool,
    /// Where tests fail for several reasons, work on one bug after the other, each in a run directory of its own.
    #[arg(long, conflicts_with_all = ["dry_run", "failing", "account", "requests"])]
    pub all: bool,
    /// Text of an issue that no test shows yet, `-` for the standard input: a model writes a test that fails as it says, in
    /// the project's own style, and the repair works with it.
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["dry_run", "all", "failing", "test"])]
    pub issue: Option<Utf8PathBuf>,
    /// With `--issue`: show the test before the repair goes on; a terminal is asked whether it does.
    #[arg(long, requires = "issue")]
    pub show_test: bool,
    /// Take the verdicts of earlier runs on equal patches of this bug, by this build of the program, and keep those of
    /// this one: nothing is judged twice.
    #[arg(long)]
    pub known_verdicts: bool,
    /// Run directory; a new one below the state folder by default.
    #[arg(long, value_name = "DIR")]
    pub out: Option<Utf8PathBuf>,
    /// Name of this configuration in reports: runs of another name stand in another row.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The batch that the run belongs to.
    #[command(flatten)]
    pub of_batch: OfBatchArgs,
    /// Apply a plausible patch to the project's own folder, with the test that was written for an issue.
    #[arg(long)]
    pub apply: bool,
    /// With `--apply`: leave the test for an issue out.
    #[arg(long, requires = "apply")]
    pub leave_test: bool,
    /// How the end is written, where a text for a terminal is not wanted; `--json` is an object.
    #[arg(long, value_enum, conflicts_with_all = ["json", "dry_run", "all"])]
    pub format: Option<Form>,
    /// What programs read.
    #[command(flatten)]
    pub object: ObjectArgs,
    /// Show no progress.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The JSON object of a run.
#[derive(Debug, Args)]
pub(super) struct ObjectArgs {
    /// Print one JSON object to stdout, and nothing else there.
    #[arg(long)]
    json: bool,
    /// With `--json`: the object as programs of this schema know it. Schema 1 called its verdicts `unrepaired` and
    /// `exhausted`, and the candidates `validations`.
    #[arg(long, value_name = "N", requires = "json", default_value_t = report::SCHEMA, hide_short_help = true,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(report::SCHEMA)))]
    json_schema: u32,
}

impl ObjectArgs {
    /// The schema of the object, where one is wanted.
    pub(super) fn wanted(&self) -> Option<u32> {
        self.json.then_some(self.json_schema)
    }
}

/// `judge`.
#[derive(Debug, Args)]
#[command(after_help = help::JUDGE)]
pub(super) struct JudgeArgs {
    /// `benchmark:id`, or the folder of a project.
    #[arg(value_name = "BUG")]
    pub bug: String,
    /// A patch as a unified diff, `-` for the standard input. May be repeated: then the best comes first.
    #[arg(long, value_name = "FILE|-", required_unless_present = "since")]
    pub patch: Vec<Utf8PathBuf>,
    /// Judge what was changed in the work tree since this commit: changes of the product are the patch, and tests (with
    /// all else that a patch may not change) are taken as they are now.
    #[arg(long, value_name = "COMMIT", conflicts_with = "patch")]
    pub since: Option<String>,
    /// Take the verdicts of earlier runs on equal patches of this bug, by this build of the program, and keep those of
    /// this one: nothing is judged twice.
    #[arg(long)]
    pub known_verdicts: bool,
    /// What the other layers do not decide.
    #[command(flatten)]
    pub settings: JudgeSettings,
    /// Print one JSON object to stdout, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// `resume`.
#[derive(Debug, Args)]
#[command(after_help = help::RESUME)]
pub(super) struct ResumeArgs {
    /// The run: its folder, its name as `unidebug runs` lists it, or `last`.
    #[arg(value_name = "RUN")]
    pub run: Utf8PathBuf,
    /// Caps other than before.
    #[command(flatten)]
    pub raised: super::frozen::Raised,
    /// Take damaged records out of the journal first; it is kept as it was beside.
    #[arg(long)]
    pub repair: bool,
    /// The batch that the run belongs to.
    #[command(flatten)]
    pub of_batch: OfBatchArgs,
    /// Apply a plausible patch to the project's own folder, with the test that was written for an issue.
    #[arg(long)]
    pub apply: bool,
    /// With `--apply`: leave the test for an issue out.
    #[arg(long, requires = "apply")]
    pub leave_test: bool,
    /// What programs read.
    #[command(flatten)]
    pub object: ObjectArgs,
    /// Show no progress.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `apply`.
#[derive(Debug, Args)]
pub(super) struct ApplyArgs {
    /// The run: its folder, its name as `unidebug runs` lists it, or `last`.
    #[arg(value_name = "RUN")]
    pub run: Utf8PathBuf,
    /// Leave the test that was written for an issue out.
    #[arg(long, conflicts_with = "undo")]
    pub leave_test: bool,
    /// Take the patch back, if its files are as it left them.
    #[arg(long)]
    pub undo: bool,
    /// Print one JSON object to stdout, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// `runs`.
#[derive(Debug, Args)]
pub(super) struct RunsArgs {
    /// List only so many.
    #[arg(long, value_name = "N")]
    pub most: Option<usize>,
    /// Print one JSON object to stdout, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// `replay`.
#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// The run: its folder, its name as `unidebug runs` lists it, or `last`; or a folder with many, as an artifact is.
    #[arg(value_name = "RUN")]
    pub run: Utf8PathBuf,
    /// Where the bugs are on this machine, when that is elsewhere than where they were run.
    #[arg(long, value_name = "DIR")]
    pub root: Option<Utf8PathBuf>,
    /// Use the tools again instead of taking their results from the recording.
    #[arg(long)]
    pub rerun: bool,
    /// Print one JSON object to stdout, and nothing else there.
    #[arg(long)]
    pub json: bool,
    /// Show no progress.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `bugs`.
#[derive(Debug, Args)]
pub(super) struct BugsArgs {
    /// A benchmark, a glob or a range over its ids (`defects4j:Lang-1..9`), or a set with a name (`d4j-1.2`, `d4j-2.0`,
    /// `repairagent-835`); all benchmarks when absent.
    #[arg(value_name = "BENCHMARK")]
    pub set: Option<String>,
    /// Folder of the benchmark.
    #[arg(long, value_name = "DIR")]
    pub root: Option<Utf8PathBuf>,
    /// Which of them.
    #[command(flatten)]
    pub choice: ChoiceArgs,
    /// Print one JSON object to stdout, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// `tool`.
#[derive(Debug, Args)]
pub(super) struct ToolArgs {
    /// The tool; near misses are understood. All are listed when absent.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// The bug to use it on.
    #[arg(long, value_name = "BUG")]
    pub bug: Option<String>,
    /// Arguments of the tool, as a JSON object.
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub args: String,
    /// What the other layers do not decide.
    #[command(flatten)]
    pub settings: ToolSettings,
    /// Print one JSON object to stdout, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
