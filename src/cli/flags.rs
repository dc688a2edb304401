//! The settings as flags, in groups. What is not typed is left to the other layers.

use super::config::{CapFlag, Dollars, Effort, FormulaArg, Levels, LocalizationArg, PartArg, SandboxArg, Time};
use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// In which form commands are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[value(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub(super) enum FormArg {
    /// Native tool calls.
    Tools,
    /// JSON of our schema.
    JsonSchema,
    /// Any JSON object.
    JsonObject,
    /// Text that holds one.
    Text,
}

/// Heading of caps, which stand in several groups.
pub(super) const CAPS: &str = "Caps";

/// Where the bug is and how its project is built and tested.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Bug and project")]
pub(super) struct Source {
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
    /// Load what the project adds to its build tool itself: `.mvn/extensions.xml`, agents in `.mvn/jvm.config`.
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, hide_possible_values = true)]
    pub trust_build: Option<bool>,
    /// Isolation of everything that is compiled or tested [default: auto].
    #[arg(long, value_enum)]
    pub sandbox: Option<SandboxArg>,
    /// How suspicious lines are found: `spectrum` from coverage, traces and names; `perfect` or `file`, the developer's
    /// lines or files, for research; `none`; or the file of a ranking that GZoltar, FLACOCO or another tool made. `spectrum`
    /// unless `--paper` says otherwise.
    #[arg(long, value_name = "HOW|FILE")]
    pub localization: Option<LocalizationArg>,
    /// Findings of static analysis as SARIF, which agents are shown beside the compiler's. May be repeated.
    #[arg(long, value_name = "FILE")]
    pub analysis: Vec<Utf8PathBuf>,
    /// Suspiciousness formula: ochiai, dstar, tarantula, op2 or barinel [default: ochiai].
    #[arg(long, value_name = "FORMULA")]
    pub formula: Option<FormulaArg>,
    /// Files that no model may see, as a glob; may be repeated.
    #[arg(long, value_name = "GLOB")]
    pub deny: Vec<String>,
    /// Wall time for the bug; its baseline counts, and leaves at least half of it [default: 60s; 15m where a model
    /// is asked, 24h with `--paper`].
    #[arg(help_heading = CAPS, long, value_name = "TIME")]
    pub max_time: Option<Time>,
}

/// Who thinks.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Model")]
pub(super) struct Minds {
    /// `builtin`, `replay:PATH`, or a model at the endpoint; `L1=…` or `locator=…` for a part, `generate_method_body=…`
    /// for who generates code for that tool. May be repeated.
    #[arg(long, value_name = "[PART=]MODEL")]
    pub model: Vec<String>,
    /// A known endpoint: its address, the variable of its key, and what it can do.
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// OpenAI-compatible endpoint.
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// File that holds the key, instead of a variable.
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<Utf8PathBuf>,
    /// The form in which commands are asked for; a form that the endpoint refuses gives way to the next one below it
    /// [default: text].
    #[arg(long, value_enum)]
    pub answers: Option<FormArg>,
    /// How long models think before they answer.
    #[arg(long, value_enum)]
    pub reasoning_effort: Option<Effort>,
    /// Sampling temperature from 0 to 2; `L1=…` or `locator=…` for a part. Without one it is 0 at first and 0.8 when the
    /// same is asked again. May be repeated.
    #[arg(long, value_name = "[PART=]T")]
    pub temperature: Vec<String>,
    /// Most tokens of one answer, thinking included; 4096, more for models that think long, and four times as much once
    /// where an answer was cut.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_answer: Option<u32>,
    /// Ask for answers piece by piece: a server that died is noticed sooner.
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, hide_possible_values = true)]
    pub stream: Option<bool>,
    /// Most requests on their way at the same time [default: 16].
    #[arg(long, value_name = "N")]
    pub concurrency: Option<u16>,
    /// Most requests in a minute.
    #[arg(long, value_name = "N")]
    pub requests_per_minute: Option<u32>,
    /// Do not try the built-in engine before the first paid call.
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, hide_possible_values = true)]
    pub no_first: Option<bool>,
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
    #[arg(help_heading = CAPS, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_tokens: Option<u64>,
    /// Most US dollars for the bug.
    #[arg(help_heading = CAPS, long, value_name = "USD")]
    pub max_cost: Option<Dollars>,
    /// Most candidates that are judged for the bug.
    #[arg(help_heading = CAPS, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_validations: Option<u64>,
    /// A cap inside those of the bug: of a `call`, an `agent` or a `level`, on `tokens`, `cost`, `time`, `validations`
    /// or an agent's `cycles`, as `agent.tokens=20000`. May be repeated.
    #[arg(help_heading = CAPS, long = "cap", value_name = "PART.WHAT=MOST")]
    #[serde(serialize_with = "caps")]
    pub caps: Vec<CapFlag>,
    /// Prices of models, in litellm's schema.
    #[arg(help_heading = CAPS, long, value_name = "FILE")]
    pub prices: Option<Utf8PathBuf>,
    /// Let models whose price is unknown run under a cap in dollars.
    #[arg(help_heading = CAPS, long, num_args = 0..=1, default_missing_value = "true", require_equals = true, hide_possible_values = true)]
    pub allow_unpriced: Option<bool>,
}

/// How a bug is gone about.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Strategy")]
pub(super) struct StrategyFlags {
    /// The unified system, or one of those it was made from: unified, fixagent, repairagent, lite, direct [default:
    /// unified].
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Keep to the paper's own numbers, localization and first prompt.
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, hide_possible_values = true)]
    pub paper: Option<bool>,
    /// Leave out what agents see of a part: helper, repo_focus, summarizer, slicer, locator, fixer_pro, search, fsm,
    /// memory, static, dynamic, testing, web, observation, history, skipping. May be repeated.
    #[arg(long, value_name = "PART")]
    pub without: Vec<PartArg>,
    /// Levels that may be entered, each only when the last one failed: `L1`, or a range `L1..L3`. All that the strategy has with a
    /// model, L1 with the built-in engine alone.
    #[arg(long, value_name = "LEVELS")]
    pub levels: Option<Levels>,
    /// How often all levels are tried, each time with what was learnt; 1 unless the strategy says otherwise.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub attempts: Option<u32>,
    /// Try all levels again, each time with what was learnt, until a cap is reached.
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, hide_possible_values = true,
          conflicts_with = "attempts")]
    pub until_cap: Option<bool>,
    /// Do not have a plausible patch of levels 2 and 3 reviewed.
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, hide_possible_values = true)]
    pub no_review: Option<bool>,
    /// Let Helper search the web through Tavily, with the key in TAVILY_API_KEY; what leaves is a short query without
    /// names of the project.
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, hide_possible_values = true)]
    pub web: Option<bool>,
    /// Bug-fix pairs that Helper searches too: JSON lines, a folder of them or of diffs, or CoCoNuT's training pairs. May
    /// be repeated.
    #[arg(long, value_name = "PATH")]
    pub corpus: Vec<Utf8PathBuf>,
    /// Let candidates with suspicious constructs become plausible.
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, hide_possible_values = true)]
    pub accept_suspicious: Option<bool>,
    /// Take up to this many plausible patches, and choose by what they do with inputs near those of the tests; where they
    /// disagree the report shows the input.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=9))]
    pub choose: Option<u32>,
    /// Variants asked of a model, in one query, for each candidate that fails; none unless the strategy says otherwise.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=30))]
    pub variants: Option<u32>,
    /// Cycles without anything new after which an agent is ended [default: 5].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub idle_cycles: Option<u32>,
    /// Most template candidates of the built-in engine [default: 20000].
    #[arg(long, value_name = "N")]
    pub max_candidates: Option<usize>,
    /// Seed of the built-in engine [default: 1].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// All groups: what `run` takes.
#[derive(Debug, Default, Args, Serialize)]
pub(super) struct Settings {
    /// Where the bug is.
    #[command(flatten)]
    #[serde(flatten)]
    pub source: Source,
    /// Who thinks.
    #[command(flatten)]
    #[serde(flatten)]
    pub minds: Minds,
    /// How it is gone about.
    #[command(flatten)]
    #[serde(flatten)]
    pub way: StrategyFlags,
}

/// What `tool` takes.
#[derive(Debug, Default, Args, Serialize)]
pub(super) struct ToolSettings {
    /// Where the bug is.
    #[command(flatten)]
    #[serde(flatten)]
    pub source: Source,
    /// Who thinks, for tools that ask a model.
    #[command(flatten)]
    #[serde(flatten)]
    pub minds: Minds,
}

/// What `judge` takes: nobody is asked.
#[derive(Debug, Default, Args, Serialize)]
pub(super) struct JudgeSettings {
    /// Where the bug is.
    #[command(flatten)]
    #[serde(flatten)]
    pub source: Source,
    /// Let patches with suspicious constructs be plausible.
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, hide_possible_values = true)]
    pub accept_suspicious: Option<bool>,
}

/// Caps as the table that a file would hold.
fn caps<S: Serializer>(flags: &[CapFlag], to: S) -> Result<S::Ok, S::Error> {
    let mut parts = Map::new();
    for CapFlag { part, what, most } in flags {
        let value = serde_json::from_str(most).ok().filter(Value::is_number).unwrap_or_else(|| most.as_str().into());
        let part = parts.entry(part.clone()).or_insert_with(|| Value::Object(Map::new()));
        if let Some(part) = part.as_object_mut() {
            part.insert(what.clone(), value);
        }
    }
    parts.serialize(to)
}
