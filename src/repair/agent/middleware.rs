//! Between a decision and a tool: mends names and arguments, holds the state machine, refuses repetitions and patches
//! of code that was never shown. Every refusal is explained (RepairAgent, section III-E).

use super::answer;
use super::contract;
use super::fsm;
use super::memory::Memory;
use super::mend::{self, Match, Threshold};
use super::policy::Decision;
use super::profile::{Profile, StateName};
use crate::domain::{PolicyKind, Refusal, ToolName};
use crate::patch::proposal;
use crate::patch::{Edits, replaced_methods};
use crate::prompt::{Library, PromptError};
use crate::tools::{GOAL_ACCOMPLISHED, Observation, Registry, Tool, WRITE_FIX, Workbench, call_form};
use serde_json::{Value, json};

/// What becomes of a decision.
#[derive(Debug, PartialEq)]
pub(crate) enum Admission {
    /// It is run.
    Run {
        /// The tool, by its own name where a near one was given.
        tool: ToolName,
        /// Its arguments as its schema wants them.
        args: Value,
        /// What was mended, for the agent.
        notes: Vec<String>,
    },
    /// It is not run.
    Refused {
        /// The tool, as far as it was understood.
        tool: ToolName,
        /// What was given, unmended: it is what the agent sees again.
        args: Value,
        /// The explanation for the agent, and the code that it shows.
        reply: Observation,
    },
}

/// The middleware of one agent run.
pub(crate) struct Middleware<'a> {
    /// Whose tools, states and limits hold.
    pub profile: &'a Profile,
    /// The tools that a call may name, in any state.
    pub registry: &'a Registry,
    /// Texts of the replies.
    pub library: &'a Library,
    /// The bug that is worked on, and what is known of it so far.
    pub bench: &'a Workbench,
    /// How far a misspelt name may be off.
    pub near: Threshold,
}

impl Middleware<'_> {
    /// Admits, mends or refuses a decision.
    ///
    /// # Errors
    /// A reply's template is broken.
    pub(crate) fn admit(
        &self,
        decision: &Decision,
        state: &StateName,
        memory: &Memory,
        kind: PolicyKind,
    ) -> Result<Admission, PromptError> {
        match decision {
            Decision::Unreadable(reason) => self.unreadable(reason, &Value::Null),
            Decision::Bare(bare) => {
                let tools = self.profile.tools();
                let names: Vec<&str> = tools.iter().map(|tool| tool.as_str()).collect();
                let named = bare.as_str().and_then(|text| answer::named_outside(text, &names));
                match named.or_else(|| contract::bare(self.profile.contract, bare, self.bench)) {
                    Some((name, args)) => self.admit_call(name, &args, &[], state, memory, kind),
                    None => self.unreadable("it holds no command", bare),
                }
            }
            Decision::Call { name, args, not_run } => self.admit_call(name, args, not_run, state, memory, kind),
        }
    }

    fn admit_call(
        &self,
        given: &str,
        args: &Value,
        not_run: &[String],
        state: &StateName,
        memory: &Memory,
        kind: PolicyKind,
    ) -> Result<Admission, PromptError> {
        let mut notes = Vec::new();
        let tool = match self.tool_named(given, state, &mut notes) {
            Ok(tool) => tool,
            Err(candidates) => {
                let available = self.available(state);
                let ctx = json!({"given": given, "candidates": candidates, "available": available});
                return self.refuse(ToolName(given.to_owned()), args, "replies/unknown_tool.md", ctx);
            }
        };
        let name = ToolName(tool.name().to_owned());
        if !fsm::offers(self.profile, state, &name) {
            return self.outside_state(name, args, state);
        }
        let args = match self.mend_args(tool, args, &mut notes) {
            Ok(args) => args,
            Err(reason) => {
                let reply = self.bad_arguments(&name, &reason)?;
                return Ok(Admission::Refused { tool: name, args: args.clone(), reply: Observation::plain(reply) });
            }
        };
        if let Some(earlier) = memory.earlier(&name, &args) {
            return self.refuse(name.clone(), &args, "replies/repeated.md", json!({"tool": name, "earlier": earlier}));
        }
        if kind != PolicyKind::Builtin
            && let Some(reply) = self.unseen_method(&name, &args, memory)?
        {
            return Ok(Admission::Refused { tool: name, args, reply });
        }
        if !not_run.is_empty() {
            notes.push(self.library.render("replies/not_run.md", json!({"names": not_run}))?);
        }
        Ok(Admission::Run { tool: name, args, notes })
    }

    /// The tool a name means. Tools of the present state are preferred: a near miss of one of them is no mistake.
    fn tool_named(&self, given: &str, state: &StateName, notes: &mut Vec<String>) -> Result<&dyn Tool, Vec<String>> {
        let here = self.available(state);
        let all: Vec<String> = self.profile.tools().into_iter().map(|tool| tool.0).collect();
        let mut candidates = Vec::new();
        for names in [&here, &all] {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            match mend::match_name(given, &names, self.near) {
                Match::Exact => return self.registry.get(given).ok_or_else(Vec::new),
                Match::Mended(name) => {
                    notes.push(format!("`{given}` was taken for `{name}`"));
                    return self.registry.get(&name).ok_or_else(Vec::new);
                }
                Match::Ambiguous(several) => candidates = several,
                Match::Unknown(_) => {}
            }
        }
        Err(candidates)
    }

    /// Arguments of `goal_accomplished` belong to the agent's contract, which is lenient by itself.
    fn mend_args(&self, tool: &dyn Tool, args: &Value, notes: &mut Vec<String>) -> Result<Value, Refusal> {
        if tool.name() == GOAL_ACCOMPLISHED {
            return Ok(if args.is_null() { json!({}) } else { args.clone() });
        }
        let (mended, mends) = mend::mend_args(args, &tool.schema(), self.near)?;
        notes.extend(mends);
        Ok(mended)
    }

    /// A whole-method edit of a method whose body was never shown: the body is sent instead (FIELD-NOTES 6.4).
    fn unseen_method(
        &self,
        name: &ToolName,
        args: &Value,
        memory: &Memory,
    ) -> Result<Option<Observation>, PromptError> {
        if name.as_str() != WRITE_FIX {
            return Ok(None);
        }
        let Ok(proposal) = proposal::parse(args) else { return Ok(None) };
        let Edits::Methods(methods) = proposal.edits else { return Ok(None) };
        for (path, span) in replaced_methods(&methods, &self.bench.originals, &self.bench.policy) {
            if memory.has_seen(&path, span) {
                continue;
            }
            let Some(file) = self.bench.index.file(&path) else { return Ok(None) };
            let name = self.bench.index.method_at(&path, span.last).map(|method| method.overload()).unwrap_or_default();
            let code = format!("```{}\n{}\n```", self.bench.language.fence(), file.lines(span).trim_end());
            let ctx = json!({"method": name, "file": path, "code": code});
            let reply = self.library.render("replies/unseen_method.md", ctx)?;
            return Ok(Some(Observation::plain(reply).showing(&path, span)));
        }
        Ok(None)
    }

    fn available(&self, state: &StateName) -> Vec<String> {
        self.profile.states.get(state).map(|s| s.tools.iter().map(|tool| tool.0.clone()).collect()).unwrap_or_default()
    }

    fn outside_state(&self, tool: ToolName, args: &Value, state: &StateName) -> Result<Admission, PromptError> {
        let elsewhere: Vec<String> = fsm::states_offering(self.profile, &tool).iter().map(|s| s.0.clone()).collect();
        let ways: Vec<String> = self
            .profile
            .states
            .get(state)
            .into_iter()
            .flat_map(|s| &s.next)
            .filter(|(_, target)| elsewhere.contains(&target.0))
            .map(|(by, target)| format!("{by} leads to {target}"))
            .collect();
        let ctx = json!({
            "tool": tool, "state": state.0, "available": self.available(state), "elsewhere": elsewhere,
            "way": if ways.is_empty() { "no single command leads there".to_owned() } else { ways.join(", ") },
        });
        self.refuse(tool, args, "replies/outside_state.md", ctx)
    }

    fn unreadable(&self, reason: &str, reply: &Value) -> Result<Admission, PromptError> {
        self.refuse(ToolName(String::new()), reply, "replies/unreadable.md", json!({"reason": reason}))
    }

    /// The reply to arguments that do not fit.
    ///
    /// # Errors
    /// The template is broken.
    pub(crate) fn bad_arguments(&self, tool: &ToolName, reason: &str) -> Result<String, PromptError> {
        let call = match self.registry.get(tool.as_str()) {
            Some(_) if tool.as_str() == GOAL_ACCOMPLISHED => contract::answer_form(self.profile.contract).to_owned(),
            Some(known) => call_form(known),
            None => tool.to_string(),
        };
        self.library.render("replies/bad_arguments.md", json!({"tool": tool, "reason": reason, "call": call}))
    }

    /// The reply to an answer that breaks its contract.
    ///
    /// # Errors
    /// The template is broken.
    pub(crate) fn answer_refused(&self, reason: &str, left: u32) -> Result<String, PromptError> {
        self.library.render("replies/answer_refused.md", json!({"reason": reason, "left": left}))
    }

    fn refuse(&self, tool: ToolName, args: &Value, reply: &str, ctx: Value) -> Result<Admission, PromptError> {
        let reply = Observation::plain(self.library.render(reply, ctx)?);
        Ok(Admission::Refused { tool, args: args.clone(), reply })
    }
}
