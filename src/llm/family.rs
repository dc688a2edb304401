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

/// A family of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// Tokens of one answer at most, thinking included.
    pub answer_tokens: u32,
    /// Whether it takes a sampling temperature, and with it a limit of its answer by its old name.
    pub temperature: bool,
}

impl Family {
    /// The family of a model by its name, with or without a provider before it.
    pub fn of(model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        if is_reasoning(&name) {
            return Self { answer_tokens: THINKING, temperature: false };
        }
        let thinks = THINKERS.iter().any(|part| name.contains(part));
        Self { answer_tokens: if thinks { THINKING } else { USUAL }, temperature: true }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_models_are_known_by_name() {
        for name in ["o3", "openai/o4-mini", "o1-2024-12-17", "gpt-5", "gpt-5.1-codex", "GPT-5-mini", "gpt-6.1-sol"] {
            assert_eq!(Family::of(name), Family { answer_tokens: THINKING, temperature: false }, "{name}");
        }
        for name in ["gpt-4o-mini", "olmo-2", "o", "gpt-5-chat-latest", "gpt-4.1", "llama-3.1", ""] {
            assert_eq!(Family::of(name), Family { answer_tokens: USUAL, temperature: true }, "{name}");
        }
        assert_eq!(Family::of("deepseek/deepseek-r1"), Family { answer_tokens: THINKING, temperature: true });
    }
}
