//! Every setting that decides what a run does: what it is here, how the layers decide it is in [`layers`].

mod choices;
mod keys;
mod layers;
mod values;

pub(super) use choices::{Effort, LocalizationArg, SandboxArg};
pub(super) use layers::{Layers, Place, Setting, user_file};
pub(super) use values::{CapFlag, CapTable, Dollars, FormulaArg, Levels, PartArg, Time};

use crate::benchmark::facts::Words;
use crate::llm::Form;
use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// All settings, decided. A run freezes them; no key is among them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Config {
    /// Folder of the benchmark.
    pub root: Option<Utf8PathBuf>,
    /// Command that builds a local project.
    pub build: Option<Words>,
    /// Command that runs a local project's tests and leaves JUnit XML.
    pub test: Option<Words>,
    /// Triggering tests the user names.
    pub failing: Vec<String>,
    /// File with requirements in natural language.
    pub requirements: Option<Utf8PathBuf>,
    /// The JDK to compile and test with.
    pub java_home: Option<Utf8PathBuf>,
    /// Whether what a project loads into its build tool is loaded, too.
    pub trust_build: bool,
    /// Isolation.
    pub sandbox: SandboxArg,
    /// How suspicious lines are found.
    pub localization: Option<LocalizationArg>,
    /// Findings of static analysis, in SARIF.
    pub analysis: Vec<Utf8PathBuf>,
    /// Suspiciousness formula of the ranking.
    pub formula: FormulaArg,
    /// `builtin`, `replay:PATH`, an alias or a model's name, each perhaps for a part.
    pub model: Vec<String>,
    /// Names of the user's own for models.
    pub models: BTreeMap<String, String>,
    /// A known kind of endpoint.
    pub provider: Option<String>,
    /// OpenAI-compatible endpoint.
    pub base_url: Option<String>,
    /// Variable that holds the key.
    pub key_variable: Option<String>,
    /// File that holds the key.
    pub key_file: Option<Utf8PathBuf>,
    /// The form in which commands are asked for, from the strictest that the endpoint takes down to text.
    pub answers: Form,
    /// How long models think before they answer.
    pub reasoning_effort: Option<Effort>,
    /// Sampling temperature, each perhaps for a part.
    pub temperature: Vec<String>,
    /// Most tokens of one answer, thinking included.
    pub max_answer: Option<u32>,
    /// Whether answers are asked for piece by piece.
    pub stream: bool,
    /// Most requests on their way at the same time.
    pub concurrency: Option<u16>,
    /// Most requests in a minute.
    pub requests_per_minute: Option<u32>,
    /// Folder with agent profiles.
    pub agents: Option<Utf8PathBuf>,
    /// Folder with prompts.
    pub prompts: Option<Utf8PathBuf>,
    /// Folder for recorded requests and responses.
    pub record: Option<Utf8PathBuf>,
    /// Prices of models, in litellm's schema.
    pub prices: Option<Utf8PathBuf>,
    /// Whether models without a known price may run under a cap in dollars.
    pub allow_unpriced: bool,
    /// The unified system, or one of those it was made from.
    pub strategy: String,
    /// Whether the paper's own numbers are kept to.
    pub paper: bool,
    /// Parts that are left out.
    pub without: Vec<PartArg>,
    /// Levels that may be entered; the strategy's when absent.
    pub levels: Option<Levels>,
    /// How often all levels are tried; the strategy's number when absent.
    pub attempts: Option<u32>,
    /// Whether all levels are tried again until a cap is reached.
    pub until_cap: bool,
    /// Whether the built-in engine does not try before the first paid call.
    pub no_first: bool,
    /// Whether a plausible patch of levels 2 and 3 is not reviewed.
    pub no_review: bool,
    /// Whether Helper may search the web.
    pub web: bool,
    /// Bug-fix pairs that Helper searches, beside those that come with the program.
    pub corpus: Vec<Utf8PathBuf>,
    /// Whether candidates with suspicious constructs may become plausible.
    pub accept_suspicious: bool,
    /// Plausible patches that drawn inputs choose from; the first one where none are asked for.
    pub choose: Option<u32>,
    /// Variants asked of a model for each failed candidate.
    pub variants: Option<u32>,
    /// Most template candidates of the built-in engine.
    pub max_candidates: usize,
    /// Seed of the built-in engine.
    pub seed: u64,
    /// Wall time for the bug; its baseline counts, and leaves at least half of it. Where none is given it depends on who
    /// thinks: see [`Config::time`].
    pub max_time: Option<Time>,
    /// Most tokens for the bug.
    pub max_tokens: Option<u64>,
    /// Most US dollars for the bug.
    pub max_cost: Option<Dollars>,
    /// Most candidates that are judged for the bug.
    pub max_validations: Option<u64>,
    /// Cycles without anything new after which an agent is ended.
    pub idle_cycles: u32,
    /// Caps of calls, agents and levels.
    pub caps: CapTable,
    /// Globs of files that no model may see.
    pub deny: Vec<String>,
}

/// Wall time for a bug that only the built-in engine works on.
pub(super) const ENGINE_TIME: Duration = Duration::from_secs(60);
/// Wall time for a bug by a paper's own numbers: the papers know no such cap, and their slowest bugs take hours.
pub(super) const PAPER_TIME: Duration = Duration::from_secs(24 * 60 * 60);
/// Wall time for a bug that a model is asked about. Three levels are a dozen answers and their candidates; RepairAgent's
/// median is 920 s a bug (its figure 9).
pub(super) const MODEL_TIME: Duration = Duration::from_secs(15 * 60);

impl Config {
    /// Wall time for the bug: what was given, or what is usual with or without a model.
    pub(super) fn time(&self, any_model: bool) -> Duration {
        let usual = match (any_model, self.paper) {
            (true, true) => PAPER_TIME,
            (true, false) => MODEL_TIME,
            (false, _) => ENGINE_TIME,
        };
        self.max_time.map_or(usual, |time| time.0)
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            root: None,
            build: None,
            test: None,
            failing: Vec::new(),
            requirements: None,
            java_home: None,
            trust_build: false,
            sandbox: SandboxArg::Auto,
            localization: None,
            analysis: Vec::new(),
            formula: FormulaArg::default(),
            model: Vec::new(),
            models: BTreeMap::new(),
            provider: None,
            base_url: None,
            key_variable: None,
            key_file: None,
            answers: Form::Text,
            reasoning_effort: None,
            temperature: Vec::new(),
            max_answer: None,
            stream: false,
            concurrency: None,
            requests_per_minute: None,
            agents: None,
            prompts: None,
            record: None,
            prices: None,
            allow_unpriced: false,
            strategy: crate::escalate::strategy::DEFAULT.to_owned(),
            paper: false,
            without: Vec::new(),
            levels: None,
            attempts: None,
            until_cap: false,
            no_first: false,
            no_review: false,
            web: false,
            corpus: Vec::new(),
            accept_suspicious: false,
            choose: None,
            variants: None,
            max_candidates: 20_000,
            seed: 1,
            max_time: None,
            max_tokens: None,
            max_cost: None,
            max_validations: None,
            idle_cycles: 5,
            caps: CapTable::default(),
            deny: Vec::new(),
        }
    }
}
