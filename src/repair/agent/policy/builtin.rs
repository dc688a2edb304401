//! The built-in engine decides: no model, no token. It drives the same states, tools and journal.

use super::reading;
use super::variants::{EngineVariants, SharedEngine};
use super::{CycleView, Decision, Policy};
use crate::agent::error::AgentError;
use crate::agent::limits::Limits;
use crate::agent::profile::ContractKind;
use crate::domain::{Location, MarkKind, PatchAttempt, PolicyKind, Suspect};
use crate::patch;
use crate::templates::{Budget as SearchBudget, Engine, Options, catch_up};
use crate::tools::{GOAL_ACCOMPLISHED, Variants, WRITE_FIX, Workbench};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// Lines the built-in Locator marks.
const MARKED: usize = 5;

/// The explanation where there is nothing to mark.
const NO_LINE: &str = "no line can be ranked: no coverage, no trace and no name leads to one";

/// A search that may take less is not begun: a candidate or two would decide nothing.
const LEAST: Duration = Duration::from_secs(1);

/// What the engine may use in one agent run.
#[derive(Debug, Clone, Copy)]
pub struct EngineBudget {
    /// Wall time of all searches of that run together.
    pub time: Duration,
    /// Candidates that are judged at most.
    pub candidates: usize,
    /// Decides ties between equal candidates; the same seed gives the same order.
    pub seed: u64,
    /// Whether that is all the time there is: then a search that it cut short goes on when the run has more of it.
    pub whole: bool,
}

impl EngineBudget {
    /// The same within the limits of an agent run.
    #[must_use]
    pub(crate) fn within(self, limits: &Limits) -> Self {
        let time = limits.until.map(|until| until.saturating_duration_since(Instant::now()));
        let most = limits.validations.and_then(|most| usize::try_from(most).ok());
        Self {
            time: time.map_or(self.time, |time| time.min(self.time)),
            candidates: most.map_or(self.candidates, |most| most.min(self.candidates)),
            ..self
        }
    }
}

/// The built-in policy of one agent run.
pub struct Builtin<'b> {
    engine: SharedEngine<'b>,
    budget: EngineBudget,
    fixer: Option<EngineVariants<'b>>,
    turns: u32,
}

impl<'b> Builtin<'b> {
    /// A policy that uses this engine within that budget.
    pub fn new(engine: SharedEngine<'b>, budget: EngineBudget) -> Self {
        Self { engine, budget, fixer: None, turns: 0 }
    }

    fn locate(&mut self, view: &CycleView<'_>) -> Result<Decision, AgentError> {
        let offered = |tool: &str| view.available().iter().any(|t| t.as_str() == tool);
        let top = view.bench.ranking.lines.first();
        Ok(match (self.turns, top) {
            (2.., None) => return Err(AgentError::Nothing(NO_LINE.into())),
            (1, _) if offered("run_fault_localization") => call("run_fault_localization", json!({})),
            (2, Some(top)) if offered("express_hypothesis") => {
                call("express_hypothesis", json!({"hypothesis": hypothesis(top)}))
            }
            _ => call(
                GOAL_ACCOMPLISHED,
                json!({"marked_code": marked_code(view.bench), "explanation": top.map(hypothesis).unwrap_or_default()}),
            ),
        })
    }

    async fn repair(&mut self, view: &CycleView<'_>) -> Decision {
        let offered = |tool: &str| view.available().iter().any(|t| t.as_str() == tool);
        if let (false, true, Some(top)) =
            (offered(WRITE_FIX), offered("express_hypothesis"), view.bench.ranking.lines.first())
        {
            return call("express_hypothesis", json!({"hypothesis": hypothesis(top)}));
        }
        if !self.engine.lock().await.knows_the_language() {
            return call(GOAL_ACCOMPLISHED, json!({"explanation": reading::no_templates(view.bench.language)}));
        }
        if self.engine.lock().await.parts.are_all() {
            return call(GOAL_ACCOMPLISHED, json!({"explanation": reading::tried(view.memory)}));
        }
        let first = self.engine.lock().await.next_batch(1).into_iter().next();
        if self.fixer.is_some() && (first.is_none() || !self.budget.whole) {
            self.engine.lock().await.put_back(first);
            return call(GOAL_ACCOMPLISHED, json!({"explanation": reading::tried(view.memory)}));
        }
        let left = view.deadline.saturating_duration_since(std::time::Instant::now());
        let EngineBudget { time, candidates, .. } = self.budget;
        let budget = SearchBudget { time: time.min(left), candidates, ..SearchBudget::default() };
        if budget.time < LEAST {
            self.engine.lock().await.put_back(first);
            let explanation = format!("no time is left for a further search; {}", reading::nothing_left(view.case));
            return call(GOAL_ACCOMPLISHED, json!({"explanation": explanation}));
        }
        self.fixer = Some(EngineVariants { engine: self.engine.clone(), budget, first: first.clone() });
        match first {
            Some(candidate) => {
                call(WRITE_FIX, json!({"diff": patch::render(&candidate.patch), "explanation": candidate.note}))
            }
            None if view.bench.ranking.lines.is_empty() => call(GOAL_ACCOMPLISHED, json!({"explanation": NO_LINE})),
            None => call(GOAL_ACCOMPLISHED, json!({"explanation": reading::nothing_left(view.case)})),
        }
    }
}

/// The engine of one bug. Nothing is generated yet.
pub(crate) fn shared_engine(bench: &Workbench, budget: EngineBudget) -> SharedEngine<'_> {
    let EngineBudget { candidates, seed, .. } = budget;
    let failing = bench.bug.failing.clone();
    let (exposure, broken_by) = (exposure(bench), bench.broken_by.clone());
    let options = Options { seed, max_candidates: candidates, failing, exposure, broken_by };
    Arc::new(Mutex::new(Engine::new(&bench.index, &bench.ranking, options)))
}

/// Share of the passing tests that run each line, by the spectrum.
fn exposure(bench: &Workbench) -> HashMap<Location, f64> {
    let mut counts: HashMap<Location, f64> = HashMap::new();
    let passing = || bench.spectrum.iter().flat_map(|spectrum| spectrum.tests()).filter(|(_, passed, _)| *passed);
    for (file, line) in passing().flat_map(|(.., ran)| ran).flat_map(|(f, lines)| lines.iter().map(move |l| (f, l))) {
        *counts.entry(Location { file: file.clone(), line: *line }).or_default() += 1.0;
    }
    let all = passing().count().max(1) as f64;
    counts.values_mut().for_each(|count| *count /= all);
    counts
}

#[async_trait]
impl Policy for Builtin<'_> {
    fn kind(&self) -> PolicyKind {
        PolicyKind::Builtin
    }

    async fn decide(&mut self, view: &CycleView<'_>) -> Result<Decision, AgentError> {
        self.turns += 1;
        Ok(match view.profile.contract {
            ContractKind::Marks => self.locate(view)?,
            ContractKind::Patch => self.repair(view).await,
            ContractKind::Slice => call(GOAL_ACCOMPLISHED, reading::slice(view)),
            ContractKind::Summary => call(GOAL_ACCOMPLISHED, reading::summary(view)),
            ContractKind::Files => call(GOAL_ACCOMPLISHED, reading::files(view)),
            ContractKind::Reference => call(GOAL_ACCOMPLISHED, reading::reference(view).await),
            ContractKind::Test => return Err(AgentError::Nothing(NO_WRITER.into())),
        })
    }

    async fn recall(&mut self, attempts: &[PatchAttempt]) {
        let mut engine = self.engine.lock().await;
        let first = self.fixer.as_ref().and_then(|fixer| fixer.first.as_ref()).zip(attempts.first());
        if let Some((first, attempt)) = first.filter(|(_, attempt)| attempt.validation.is_plausible()) {
            engine.learn(first, &attempt.validation);
        }
        // The first candidate was the decision itself.
        let judged = attempts.iter().skip(1).map(|attempt| (&attempt.patch, &attempt.validation));
        catch_up(&mut engine, judged);
    }

    fn variants(&self) -> Option<&dyn Variants> {
        self.fixer.as_ref().map(|fixer| fixer as &dyn Variants)
    }
}

/// Why the engine reproduces nothing.
const NO_WRITER: &str = "the built-in engine writes no tests";

fn call(name: &str, args: Value) -> Decision {
    Decision::Call { name: name.to_owned(), args, not_run: Vec::new() }
}

fn hypothesis(top: &Suspect) -> String {
    let method = top.method.as_deref().unwrap_or("its file");
    format!("the cause lies in {method}, near {}: {}", top.location, top.reasons.join(", "))
}

/// The most suspicious lines with their marks, each with its neighbours, in the form any agent answers.
fn marked_code(bench: &Workbench) -> Value {
    let parts: Vec<Value> = bench
        .ranking
        .lines
        .iter()
        .take(MARKED)
        .filter_map(|suspect| {
            let place = &suspect.location;
            let file = bench.index.file(&place.file)?;
            let mut code = String::new();
            for line in place.line.saturating_sub(2).max(1)..=(place.line + 2).min(file.line_count()) {
                let mark = if line == place.line { bench.language.mark(MarkKind::Buggy) } else { String::new() };
                let _ = writeln!(code, "{} {mark}", file.line(line).unwrap_or(""));
            }
            Some(json!({"file_path": place.file, "code": code}))
        })
        .collect();
    Value::Array(parts)
}
