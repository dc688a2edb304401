//! The tools agents work with: RepairAgent's 14 (paper, Table II), FixAgent's toolbox and our own, one file each.
//!
//! A tool is its file, one line in [`Registry::builtin`] and its name in a profile. Name, schema, effect and behaviour
//! stand together. What a model does wrong comes back as an observation; only a broken environment is an error of the
//! run. A tool reaches a model through [`ToolContext`] alone.

pub mod analysers;
mod code_history;
mod collect_more_information;
mod dependency_graph;
mod discard_hypothesis;
mod express_hypothesis;
mod extract_method;
mod extract_tests;
mod find_similar_api_calls;
mod generate_method_body;
mod get_classes_and_methods;
mod goal_accomplished;
pub(crate) mod issue;
mod observation;
mod observe_run;
mod read_range;
mod recent_changes;
mod run_fault_localization;
mod run_tests;
pub mod sarif;
mod search_code_base;
mod search_solutions;
mod static_analysis;
mod syntax_tree;
mod test_coverage;
mod trial;
mod workbench;
mod write_fix;
mod write_test;

pub(crate) use dependency_graph::bearing_text;
pub use generate_method_body::GenerateMethodBody;
pub(crate) use goal_accomplished::GOAL_ACCOMPLISHED;
pub use search_code_base::search_text;
pub(crate) use search_solutions::solutions_text;
pub(crate) use trial::judge_again;
pub use trial::{attempt_of, judge, tell};
pub use workbench::{Observed, Workbench, failing_text, test_texts};
pub(crate) use workbench::{failing_test_text, failure_text};
pub use write_fix::WRITE_FIX;
pub(crate) use write_test::{WHY_NOT, WRITE_TEST};

use crate::benchmark::HistoryError;
use crate::domain::{Change, EventSink, LineSpan, PatchAttempt, Refusal, RepoPath, Scope};
use crate::validate::ValidateError;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Tools by which agents answer.
pub(crate) const ANSWERS: [&str; 3] = [WRITE_FIX, WRITE_TEST, GOAL_ACCOMPLISHED];

/// What a call changed, beside telling something.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// It showed something, and nothing else came of it.
    Nothing,
    /// Candidates were judged, the proposed one first.
    Tried(Vec<PatchAttempt>),
    /// The proposal did not become a patch: nothing was judged, the state stays.
    NotApplied(PatchAttempt),
    /// A hypothesis was expressed.
    Hypothesis(String),
    /// The current hypothesis was discarded, with the reason.
    Discarded(String),
    /// The agent ends and hands over these arguments.
    Accomplished(Value),
}

impl Effect {
    /// The same for the journal, which holds candidates by themselves.
    pub fn change(&self) -> Change {
        match self {
            Self::Nothing => Change::Told,
            Self::Tried(attempts) => Change::Tried(attempts.len()),
            Self::NotApplied(_) => Change::NotApplied,
            Self::Hypothesis(text) => Change::Hypothesis(text.clone()),
            Self::Discarded(reason) => Change::Discarded(reason.clone()),
            Self::Accomplished(args) => Change::Accomplished(args.clone()),
        }
    }

    /// The effect that a journaled change tells of, with its candidates; `None` when they are not all there.
    pub fn of(change: Change, mut attempts: Vec<PatchAttempt>) -> Option<Self> {
        Some(match change {
            Change::Told => Self::Nothing,
            Change::Tried(count) if count == attempts.len() => Self::Tried(attempts),
            Change::NotApplied => Self::NotApplied(attempts.pop()?),
            Change::Hypothesis(text) => Self::Hypothesis(text),
            Change::Discarded(reason) => Self::Discarded(reason),
            Change::Accomplished(args) => Self::Accomplished(args),
            Change::Tried(_) => return None,
        })
    }
}

/// What comes back from a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// What the agent sees.
    pub text: String,
    /// What it changed.
    pub effect: Effect,
    /// Lines of the original code that `text` shows in full.
    pub shown: Vec<(RepoPath, LineSpan)>,
}

impl Observation {
    /// An observation that only tells something.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), effect: Effect::Nothing, shown: Vec::new() }
    }

    /// The same, with what it changed.
    pub(crate) fn with(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    /// The same, with lines it shows.
    pub(crate) fn showing(mut self, file: &RepoPath, span: LineSpan) -> Self {
        self.shown.push((file.clone(), span));
        self
    }
}

/// Why a call has no observation.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The caller's to correct: it is told and goes on.
    #[error("{0}")]
    Correctable(String),
    /// Nothing can be judged here any more.
    #[error(transparent)]
    Environment(#[from] ValidateError),
    /// The journal cannot be written.
    #[error("the journal cannot be written: {0}")]
    Journal(#[from] std::io::Error),
}

impl From<Refusal> for ToolError {
    fn from(refusal: Refusal) -> Self {
        Self::Correctable(refusal.to_string())
    }
}

impl From<HistoryError> for ToolError {
    fn from(error: HistoryError) -> Self {
        Self::Correctable(error.to_string())
    }
}

/// Asks a model beside the agent's own conversation; such side queries cost no cycle.
#[async_trait]
pub trait SideModel: Send + Sync {
    /// Body of a method from the code before it and its signature.
    ///
    /// # Errors
    /// A sentence for the agent: no model, endpoint failed, cap reached.
    async fn method_body(&self, before: &str, signature: &str) -> Result<String, Refusal>;
}

/// Proposes and tries variants of a candidate that did not pass (RepairAgent, section III-D3).
#[async_trait]
pub trait Variants: Send + Sync {
    /// Whether they are tried beside a candidate that is plausible, too: what else passes tells how sure it is.
    fn rivals(&self) -> bool {
        false
    }

    /// Tries variants until one is plausible or nothing is left; returns what was tried.
    ///
    /// # Errors
    /// Only faults of the environment and the journal.
    async fn explore(&self, of: &PatchAttempt, cx: &ToolContext<'_>) -> Result<Explored, ToolError>;
}

/// Variants that were tried.
#[derive(Debug, Default)]
pub struct Explored {
    /// All of them; of plausible ones the best comes first.
    pub attempts: Vec<PatchAttempt>,
    /// Whether the first plausible one comes before the candidate that they are variants of.
    pub is_better: bool,
}

/// Everything a tool may use.
#[derive(Clone, Copy)]
pub struct ToolContext<'a> {
    /// The bug, its code, its judge.
    pub bench: &'a Workbench,
    /// Who calls.
    pub scope: &'a Scope,
    /// Where judged candidates are told.
    pub sink: &'a dyn EventSink,
    /// A model for side queries, when there is one.
    pub side: Option<&'a dyn SideModel>,
    /// Where variants of a failed candidate come from, when they are wanted.
    pub variants: Option<&'a dyn Variants>,
    /// Whether all of these lines were shown to the caller before; nothing was when absent.
    pub shown: Option<&'a IsShown<'a>>,
}

/// Tells whether lines of a file were shown.
pub(crate) type IsShown<'a> = dyn Fn(&RepoPath, LineSpan) -> bool + Sync + 'a;

impl ToolContext<'_> {
    /// Whether the caller was shown all of these lines before.
    pub(crate) fn is_shown(&self, file: &RepoPath, span: LineSpan) -> bool {
        self.shown.is_some_and(|shown| shown(file, span))
    }
}

/// A tool as the registry holds it.
#[async_trait]
pub trait Tool: Send + Sync {
    /// Its name: `read_range`.
    fn name(&self) -> &'static str;
    /// One line for models and people.
    fn about(&self) -> &'static str;
    /// JSON schema of its arguments.
    fn schema(&self) -> Value;
    /// Calls it with arguments of that schema.
    ///
    /// # Errors
    /// See [`ToolError`].
    async fn call(&self, args: Value, cx: &ToolContext<'_>) -> Result<Observation, ToolError>;
}

/// A tool with typed arguments, whose schema is derived from them; the form in which tools are written.
#[async_trait]
pub trait TypedTool: Send + Sync {
    /// Its name.
    const NAME: &'static str;
    /// One line for models and people.
    const ABOUT: &'static str;
    /// Its arguments; their doc comments are the schema's texts.
    type Args: DeserializeOwned + JsonSchema + Send;
    /// Does the work.
    ///
    /// # Errors
    /// See [`ToolError`].
    async fn run(&self, args: Self::Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError>;
}

#[async_trait]
impl<T: TypedTool> Tool for T {
    fn name(&self) -> &'static str {
        T::NAME
    }
    fn about(&self) -> &'static str {
        T::ABOUT
    }
    fn schema(&self) -> Value {
        schemars::schema_for!(T::Args).to_value()
    }
    async fn call(&self, args: Value, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let typed = serde_json::from_value(args).map_err(|e| ToolError::Correctable(e.to_string()))?;
        self.run(typed, cx).await
    }
}

/// All tools, by name.
pub struct Registry {
    tools: Vec<Box<dyn Tool>>,
}

impl Registry {
    /// The tools of this program.
    pub fn builtin() -> Self {
        Self {
            tools: vec![
                Box::new(read_range::ReadRange),
                Box::new(get_classes_and_methods::GetClassesAndMethods),
                Box::new(extract_method::ExtractMethod),
                Box::new(extract_tests::ExtractTests),
                Box::new(search_code_base::SearchCodeBase),
                Box::new(find_similar_api_calls::FindSimilarApiCalls),
                Box::new(generate_method_body::GenerateMethodBody),
                Box::new(run_tests::RunTests),
                Box::new(run_fault_localization::RunFaultLocalization),
                Box::new(write_fix::WriteFix),
                Box::new(write_test::WriteTest),
                Box::new(express_hypothesis::ExpressHypothesis),
                Box::new(collect_more_information::CollectMoreInformation),
                Box::new(discard_hypothesis::DiscardHypothesis),
                Box::new(goal_accomplished::GoalAccomplished),
                Box::new(observe_run::ObserveRun),
                Box::new(test_coverage::TestCoverage),
                Box::new(syntax_tree::SyntaxTree),
                Box::new(static_analysis::StaticAnalysis),
                Box::new(code_history::CodeHistory),
                Box::new(search_solutions::SearchSolutions),
                Box::new(dependency_graph::DependencyGraph),
            ],
        }
    }

    /// Adds a tool from outside; one of the same name is replaced.
    pub fn add(&mut self, tool: Box<dyn Tool>) {
        self.tools.retain(|known| known.name() != tool.name());
        self.tools.push(tool);
    }

    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<&dyn Tool> {
        self.tools.iter().find(|tool| tool.name() == name).map(|tool| &**tool)
    }

    /// All names, in order.
    pub fn names(&self) -> Vec<&'static str> {
        self.tools.iter().map(|tool| tool.name()).collect()
    }
}

/// A call as prompts show it: `read_range(file_path, start_line, end_line)`, optional arguments with `?`.
pub fn call_form(tool: &dyn Tool) -> String {
    let schema = tool.schema();
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(|name| name.as_str()).collect();
    let args: Vec<String> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, property)| {
            let list = if takes_list(property) { ": […]" } else { "" };
            let optional = if required.contains(&name.as_str()) { "" } else { "?" };
            format!("{name}{optional}{list}")
        })
        .collect();
    format!("{}({})", tool.name(), args.join(", "))
}

fn takes_list(property: &Value) -> bool {
    property["type"] == "array" || property["type"].as_array().is_some_and(|kinds| kinds.iter().any(|k| k == "array"))
}
