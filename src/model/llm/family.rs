//! What is known of a model by its name: how much it may say, and what it does not take.

/// Tokens of an answer of a model that does not think aloud.
const USUAL: u32 = 4096;
/// Tokens of an answer of a model whose thinking counts as answer.
const THINKING: u32 = 32_768;

/// Parts of names of models that think before they answer and are served with room for it. A thinking model that is not
/// named here gets more room once its first answer was cut.
const THINKERS: [&str; 9] = [
    "deepseek-reasoner",
    "deepseek-r1",
    "qwq",
    "thinking",
    "magistral",
    "gemini-2.5-pro",
    "gemini-3",
    "grok-4",
    "grok-3-mini",
];

/// Parts of names of Anthropic's models that know no adaptive thinking. One that is not named here and refuses it is
/// told a number of tokens from then on.
const OLDER_CLAUDES: [&str; 5] = ["claude-3", "-4-2025", "-4-0", "-4-1", "-4-5"];

/// A family of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// Tokens of one answer at most, thinking included.
    pub answer_tokens: u32,
    /// Whether it takes a sampling temperature, and with it a limit of its answer by its old name.
    pub temperature: bool,
    /// Whether OpenAI serves it by its Responses alone.
    pub only_responses: bool,
    /// Whether it thinks for as many tokens as it is told to; newer ones of Anthropic's are told a word.
    pub thinking_budget: bool,
    /// Whether tokens that go into the vendor's cache cost more than others.
    pub pays_for_caching: bool,
}

impl Family {
    /// The family of a model by its name, with or without a provider before it.
    pub fn of(model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let reasons = is_reasoning(&name);
        let thinks = reasons || THINKERS.iter().any(|part| name.contains(part));
        Self {
            answer_tokens: if thinks { THINKING } else { USUAL },
            temperature: !reasons,
            only_responses: is_only_at_responses(&name),
            thinking_budget: OLDER_CLAUDES.iter().any(|part| name.contains(part)),
            pays_for_caching: name.contains("claude"),
        }
    }
}

/// OpenAI's reasoning models: `o1`, `o3-mini`, `o4-mini-2025-04-16`, `gpt-5.1`, `gpt-6-sol`; chat variants of the latter are
/// none.
fn is_reasoning(name: &str) -> bool {
    let numbered = name.strip_prefix('o').is_some_and(|rest| {
        let number = rest.split('-').next().unwrap_or("");
        !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
    });
    let later = name.strip_prefix("gpt-").and_then(|rest| rest.chars().next()?.to_digit(10)).is_some_and(|n| n >= 5);
    numbered || later && !name.contains("-chat")
}

/// Models that OpenAI does not serve by chat completions: `o3-pro`, `gpt-5-pro`, `gpt-5.1-codex`, `codex-mini-latest`,
/// `o4-mini-deep-research`. One that is not named here says so itself when it is asked.
fn is_only_at_responses(name: &str) -> bool {
    let is_pro = is_reasoning(name) && name.split('-').any(|part| part == "pro");
    is_pro || name.contains("codex") || name.contains("deep-research") || name.starts_with("computer-use")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_models_are_known_by_name() {
        for name in ["o3", "openai/o4-mini", "o1-2024-12-17", "gpt-5", "gpt-5.1-codex", "GPT-5-mini", "gpt-6.1-sol"] {
            let family = Family::of(name);
            assert_eq!((family.answer_tokens, family.temperature), (THINKING, false), "{name}");
        }
        for name in ["gpt-4o-mini", "olmo-2", "o", "gpt-5-chat-latest", "gpt-4.1", "llama-3.1", ""] {
            let family = Family::of(name);
            assert_eq!((family.answer_tokens, family.temperature), (USUAL, true), "{name}");
        }
        let thinker = Family::of("deepseek/deepseek-r1");
        assert_eq!((thinker.answer_tokens, thinker.temperature), (THINKING, true));
    }

    #[test]
    fn vendors_ways_follow_from_the_name() {
        let only =
            ["o3-pro", "gpt-5.1-codex-mini", "gpt-5-pro-2025-10-06", "codex-mini-latest", "o4-mini-deep-research"];
        assert!(only.iter().all(|name| Family::of(name).only_responses));
        assert!(["o3", "gpt-5", "gpt-4o", "gemini-2.5-pro"].iter().all(|name| !Family::of(name).only_responses));
        assert!(
            Family::of("claude-sonnet-4-20250514").thinking_budget && !Family::of("claude-opus-4-7").thinking_budget
        );
        assert!(Family::of("anthropic/claude-opus-4-7").pays_for_caching && !Family::of("o3").pays_for_caching);
    }
}
