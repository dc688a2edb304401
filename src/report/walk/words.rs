//! What is shown of answers and arguments, for every form of a walk.

use super::{Answer, Call, Candidate, Cycle};
use crate::domain::words::counted;
use crate::domain::{Mark, MarkKind, Outcome, Usage};
use crate::report::study::{Correctness, RunFacts};
use serde_json::Value;
use std::collections::BTreeMap;

impl Answer {
    /// What the model thought, without the command that stands beside it; its whole text when it holds no command.
    pub(in crate::report) fn thoughts(&self) -> String {
        let text = self.text.trim();
        let Some((before, object)) = first_object(text) else { return text.to_owned() };
        let thoughts = match &object["thoughts"] {
            Value::String(text) => text.clone(),
            Value::Object(parts) => parts
                .values()
                .map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned))
                .collect::<Vec<_>>()
                .join("\n"),
            _ => String::new(),
        };
        // Fences around the object say nothing.
        let before = before.trim().trim_end_matches("```json").trim_end_matches("```").trim();
        [before, thoughts.trim()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

/// The first JSON object in a text, and what stands before it.
fn first_object(text: &str) -> Option<(&str, Value)> {
    let at = text.find('{')?;
    let object = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>().next()?.ok()?;
    object.is_object().then(|| (&text[..at], object))
}

/// Arguments that hold a patch as it was written.
const PATCHES: [&str; 3] = ["diff", "methods", "edits"];

/// Whether an argument is told better by the patch that became of it.
pub(super) fn is_applied(name: &str, cycle: &Cycle) -> bool {
    PATCHES.contains(&name) && cycle.candidates.iter().any(|candidate| !candidate.diff.is_empty())
}

impl Call {
    /// The tool's name, also where an answer named none.
    pub(super) fn name(&self) -> &str {
        if self.tool.as_str().is_empty() { "unreadable answer" } else { self.tool.as_str() }
    }

    /// Arguments by name; text as it is, everything else as JSON.
    pub(super) fn arguments(&self) -> Vec<(String, String)> {
        let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match &self.args {
            Value::Object(args) => args.iter().map(|(name, value)| (name.clone(), shown(value))).collect(),
            Value::Null => Vec::new(),
            other => vec![(String::new(), shown(other))],
        }
    }
}

/// What is known of a plausible patch's correctness, as it ends a sentence; empty when nothing is.
pub(super) fn meant(facts: &RunFacts) -> &'static str {
    match facts.correctness() {
        Some(Correctness::SameTree | Correctness::SameBytecode) => ", equal to the developer's patch",
        Some(Correctness::ReviewedCorrect) => ", correct by a review",
        Some(Correctness::ReviewedWrong) => ", wrong by a review",
        Some(Correctness::Waiting) | None => "",
    }
}

/// Tokens and money on one line; empty when nothing was asked.
pub(super) fn cost(usage: &Usage) -> String {
    if usage.requests == 0 {
        return String::new();
    }
    let money = usage.cost_usd.0.map_or_else(|| "unknown price".to_owned(), |usd| format!("${usd:.4}"));
    let cached = if usage.cached_tokens > 0 { format!(" ({} cached)", usage.cached_tokens) } else { String::new() };
    format!("{} tokens in{cached}, {} out, {money}", usage.prompt_tokens, usage.completion_tokens)
}

/// What a run asked, and what that cost.
pub(super) fn spent(usage: &Usage) -> String {
    match usage.requests {
        0 => "nothing was asked of a model".to_owned(),
        1 => format!("1 request, {}", cost(usage)),
        n => format!("{n} requests, {}", cost(usage)),
    }
}

/// How an agent ended whose end the journal does not tell.
pub(super) const STOPPED: &str = "the run stopped here";

/// A line that an agent marked.
pub(super) fn marked(mark: &Mark) -> String {
    let kind = if mark.kind == MarkKind::Buggy { "buggy line" } else { "missing line" };
    let note = if mark.note.is_empty() { String::new() } else { format!(": {}", mark.note) };
    format!("{} ({kind}){note}", mark.location)
}

/// What the built-in engine did for an agent: candidates and seconds.
pub(super) fn searched((candidates, seconds): (usize, f64)) -> String {
    format!("the built-in engine tried {candidates} candidates in {seconds:.1} s")
}

/// Candidates, counted by what became of them.
pub(super) fn outcomes<'c>(all: impl Iterator<Item = &'c Candidate>) -> String {
    let mut outcomes: BTreeMap<Outcome, usize> = BTreeMap::new();
    all.for_each(|candidate| *outcomes.entry(candidate.outcome).or_default() += 1);
    let counts: Vec<String> = outcomes.iter().map(|(outcome, n)| format!("{n} {}", outcome.title())).collect();
    format!("{}: {}", counted(outcomes.values().sum::<usize>(), "candidate"), counts.join(", "))
}

impl Candidate {
    /// Whether it passed all tests, and is shown also where others are only counted.
    pub(crate) fn passed(&self) -> bool {
        matches!(self.outcome, Outcome::Plausible | Outcome::Suspicious)
    }
}

/// Messages of a request: role and text.
pub(super) fn messages(request: &Value) -> Vec<(&str, &str)> {
    let messages = request["messages"].as_array().into_iter().flatten();
    messages
        .map(|message| (message["role"].as_str().unwrap_or(""), message["content"].as_str().unwrap_or("")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn thoughts(text: &str) -> String {
        let answer = Answer {
            text: text.to_owned(),
            reasoning: String::new(),
            native: Vec::new(),
            usage: Usage::default(),
            seconds: 0.0,
        };
        answer.thoughts()
    }

    #[test]
    fn thoughts_are_what_stands_beside_the_command() {
        assert_eq!(thoughts(r#"{"thoughts":"off by one","command":{"name":"write_fix","args":{}}}"#), "off by one");
        assert_eq!(
            thoughts("I see it.\n```json\n{\"thoughts\":{\"text\":\"a\",\"plan\":\"b\"}}\n```"),
            "I see it.\na\nb"
        );
        assert_eq!(thoughts("no command, just { words"), "no command, just { words");
        assert_eq!(thoughts(r#"{"name":"read_range"}"#), "");
    }

    proptest! {
        #[test]
        fn any_answer_can_be_shown(text in any::<String>()) {
            let _ = thoughts(&text);
            let _ = thoughts(&format!("{{\"thoughts\": {text}"));
        }
    }
}
