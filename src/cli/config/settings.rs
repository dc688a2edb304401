//! Every setting, each declared once: its name in files, its flag and its variable, its help, its default, what fits it
//! and whether a repository may have a say.
//!
//! A setting of the name `max_cost` is `max_cost = …` in a file, `UNIDEBUG_MAX_COST=…` as a variable and `--max-cost` as
//! a flag. Its declaration reads
//!
//! ```text
//! /// Its help.
//! #[arg(what clap should know besides, such as the name of its value)]
//! name: Option<Type> from LEAST to MOST as Decided = DEFAULT, repository Lowers;
//! ```
//!
//! with `Vec<Type>` where it may be repeated. All that follows the type may be left out:
//!
//! * `alone "true"`: the flag may stand without a value, and then means this one;
//! * `from`, `to`: the least and the most of a number, in every layer;
//! * `as`: the type that [`Config`] holds, where that is another than the flag's;
//! * `=`: the default. Without one nothing is set, and [`Config`] holds an `Option` or an empty list;
//! * `repository`: the least layer that may set it is the project's own file, which `States` it, `Lowers` what its user
//!   allows, or `Adds` to it. Without that the user's file is the least.
//!
//! A path in a file is relative to that file, and `~/` is the home folder. `docs/settings.md` is made from this page.

use super::declare::settings;
use super::values::as_tables;
use super::{
    CapFlag, CapTable, Dollars, Effort, FormArg, FormulaArg, Levels, LocalizationArg, PartArg, SandboxArg, Time,
};
use crate::benchmark::facts::Words;
use crate::llm::Form;
use camino::Utf8PathBuf;
use std::collections::BTreeMap;

/// Heading of caps, which stand in several groups.
pub(in crate::cli) const CAPS: &str = "Caps";

settings! {
    /// Where the bug is and how its project is built and tested.
    flags SourceFlags under "Bug and project" {
        /// Folder of the benchmark; for `jsonl` its file.
        #[arg(value_name = "DIR")]
        root: Option<Utf8PathBuf>;
        /// Command that builds a local project.
        #[arg(value_name = "COMMAND")]
        build: Option<String> as Option<Words>, repository States;
        /// Command that runs a local project's tests and leaves JUnit XML.
        #[arg(value_name = "COMMAND")]
        test: Option<String> as Option<Words>, repository States;
        /// The failing test to repair, `Class` or `Class#method`; may be repeated.
        #[arg(value_name = "TEST")]
        failing: Vec<String>;
        /// File with requirements in natural language, or a folder with `NAME.md` or `NAME.txt` for each bug.
        #[arg(value_name = "FILE|DIR")]
        requirements: Option<Utf8PathBuf>;
        /// The JDK to compile and test with.
        #[arg(value_name = "DIR")]
        java_home: Option<Utf8PathBuf>, repository States;
        /// Load what the project adds to its build tool itself: `.mvn/extensions.xml`, agents in `.mvn/jvm.config`.
        trust_build: Option<bool> alone "true" = false;
        /// Isolation of everything that is compiled or tested.
        #[arg(value_enum)]
        sandbox: Option<SandboxArg> = SandboxArg::Auto;
        /// How suspicious lines are found: `spectrum` from coverage, traces and names; `perfect` or `file`, the
        /// developer's lines or files, for research; `none`; or the file of a ranking that GZoltar, FLACOCO or another
        /// tool made. `spectrum` unless `--paper` says otherwise.
        #[arg(value_name = "HOW|FILE")]
        localization: Option<LocalizationArg>;
        /// Findings of static analysis as SARIF, which agents are shown beside the compiler's. May be repeated.
        #[arg(value_name = "FILE")]
        analysis: Vec<Utf8PathBuf>;
        /// Suspiciousness formula: ochiai, dstar, tarantula, op2 or barinel.
        #[arg(value_name = "FORMULA")]
        formula: Option<FormulaArg> = FormulaArg::default();
        /// Files that no model may see, as a glob; may be repeated.
        #[arg(value_name = "GLOB")]
        deny: Vec<String>, repository Adds;
        /// Wall time for the bug; its baseline counts, and leaves at least half of it [default: 60s; 15m where a model
        /// is asked, 24h with `--paper`].
        #[arg(help_heading = CAPS, value_name = "TIME")]
        max_time: Option<Time>, repository Lowers;
    }

    /// Which models are asked, and how.
    flags ModelFlags under "Model" {
        /// `builtin`, `replay:PATH`, or a model at the endpoint; `L1=…` or `locator=…` for a part,
        /// `generate_method_body=…` for who generates code for that tool. May be repeated.
        #[arg(value_name = "[PART=]MODEL")]
        model: Vec<String>;
        /// A known endpoint: its address, the variable of its key, and what it can do.
        #[arg(value_name = "NAME")]
        provider: Option<String>;
        /// OpenAI-compatible endpoint.
        #[arg(value_name = "URL")]
        base_url: Option<String>;
        /// File that holds the key, instead of a variable.
        #[arg(value_name = "FILE")]
        key_file: Option<Utf8PathBuf>;
        /// The form in which commands are asked for; one that the endpoint refuses gives way to the next one below.
        #[arg(value_enum)]
        answers: Option<FormArg> as Form = Form::Text;
        /// How long models think before they answer.
        #[arg(value_enum)]
        reasoning_effort: Option<Effort>;
        /// Sampling temperature from 0 to 2; `L1=…` or `locator=…` for a part. Without one it is 0 at first and 0.8
        /// when the same is asked again. May be repeated.
        #[arg(value_name = "[PART=]T")]
        temperature: Vec<String>;
        /// Most tokens of one answer, thinking included; 4096, more for models that think long, and four times as much
        /// once where an answer was cut.
        #[arg(value_name = "N")]
        max_answer: Option<u32> from 1;
        /// Ask for answers piece by piece: a server that died is noticed sooner.
        stream: Option<bool> alone "true" = false;
        /// Most requests on their way at the same time [default: 16].
        #[arg(value_name = "N")]
        concurrency: Option<u16> from 1;
        /// Most requests in a minute.
        #[arg(value_name = "N")]
        requests_per_minute: Option<u32> from 1;
        /// Do not try the built-in engine before the first paid call.
        no_first: Option<bool> alone "true" = false;
        /// Folder with agent profiles that replace or join the built-in ones.
        #[arg(value_name = "DIR")]
        agents: Option<Utf8PathBuf>;
        /// Folder with prompts that replace the built-in ones.
        #[arg(value_name = "DIR")]
        prompts: Option<Utf8PathBuf>;
        /// Record requests and responses into this folder.
        #[arg(value_name = "DIR")]
        record: Option<Utf8PathBuf>;
        /// Most tokens for the bug, prompts and answers together.
        #[arg(help_heading = CAPS, value_name = "N")]
        max_tokens: Option<u64> from 1, repository Lowers;
        /// Most US dollars for the bug.
        #[arg(help_heading = CAPS, value_name = "USD")]
        max_cost: Option<Dollars>, repository Lowers;
        /// Most candidates that are judged for the bug.
        #[arg(help_heading = CAPS, value_name = "N")]
        max_validations: Option<u64> from 1, repository Lowers;
        /// A cap inside those of the bug: of a `call`, an `agent` or a `level`, on `tokens`, `cost`, `time`,
        /// `validations` or an agent's `cycles`, as `agent.tokens=20000`. May be repeated.
        #[arg(help_heading = CAPS, long = "cap", value_name = "PART.WHAT=MOST")]
        #[serde(serialize_with = "as_tables")]
        caps: Vec<CapFlag> as CapTable, repository Lowers;
        /// Prices of models, in litellm's schema.
        #[arg(help_heading = CAPS, value_name = "FILE")]
        prices: Option<Utf8PathBuf>;
        /// Let models whose price is unknown run under a cap in dollars.
        #[arg(help_heading = CAPS)]
        allow_unpriced: Option<bool> alone "true" = false;
    }

    /// How a bug is gone about.
    flags StrategyFlags under "Strategy" {
        /// The unified system, or one of those it was made from: unified, fixagent, repairagent, lite, direct.
        #[arg(value_name = "NAME")]
        strategy: Option<String> = crate::escalate::strategy::DEFAULT.to_owned();
        /// Keep to the paper's own numbers, localization and first prompt.
        paper: Option<bool> alone "true" = false;
        /// Leave out what agents see of a part: helper, repo_focus, summarizer, slicer, locator, fixer_pro, search,
        /// fsm, memory, static, dynamic, testing, web, observation, history, skipping. May be repeated.
        #[arg(value_name = "PART")]
        without: Vec<PartArg>;
        /// Levels that may be entered, each only when the last one failed: `L1`, or a range `L1..L3`. All that the
        /// strategy has with a model, L1 with the built-in engine alone.
        #[arg(value_name = "LEVELS")]
        levels: Option<Levels>;
        /// How often all levels are tried, each time with what was learnt; 1 unless the strategy says otherwise.
        #[arg(value_name = "K")]
        attempts: Option<u32> from 1 to 100;
        /// Try all levels again, each time with what was learnt, until a cap is reached.
        #[arg(conflicts_with = "attempts")]
        until_cap: Option<bool> alone "true" = false;
        /// Do not have a plausible patch of levels 2 and 3 reviewed.
        no_review: Option<bool> alone "true" = false;
        /// Let Helper search the web through Tavily, with the key in TAVILY_API_KEY; what leaves is a short query
        /// without names of the project.
        web: Option<bool> alone "true" = false;
        /// Bug-fix pairs that Helper searches too: JSON lines, a folder of them or of diffs, or CoCoNuT's training
        /// pairs. May be repeated.
        #[arg(value_name = "PATH")]
        corpus: Vec<Utf8PathBuf>;
        /// Take up to this many plausible patches, and choose by what they do with inputs near those of the tests;
        /// where they disagree the report shows the input.
        #[arg(value_name = "N")]
        choose: Option<u32> from 1 to 9;
        /// Variants asked of a model, in one query, for each candidate that fails; none unless the strategy asks for them.
        #[arg(value_name = "N")]
        variants: Option<u32> from 0 to 30;
        /// Cycles without anything new after which an agent is ended.
        #[arg(value_name = "N")]
        idle_cycles: Option<u32> from 1 = 5;
        /// Most template candidates of the built-in engine.
        #[arg(value_name = "N")]
        max_candidates: Option<usize> from 1 = 20_000, repository Lowers;
        /// Seed of the built-in engine.
        #[arg(value_name = "N")]
        seed: Option<u64> = 1;
    }

    /// What the judge takes.
    flags JudgingFlags under "Strategy" {
        /// Let candidates with suspicious constructs become plausible.
        accept_suspicious: Option<bool> alone "true" = false;
    }

    // Without a flag.
    files {
        /// Names of your own for models: each stands for the one that is written behind it.
        models: BTreeMap<String, String>;
        /// Variable that holds the key.
        key_variable: Option<String>;
    }
}
