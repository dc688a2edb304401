//! Endpoints that are known beforehand: address, variable of the key, and what they take.
//!
//! What an endpoint takes can change any day, so the table only says where to begin: what is refused at run time is
//! left out from then on (`openai/learned.rs`). Fields of an answer that nobody knows need no echo here: every request
//! is a conversation of its own, with no earlier answer in it.

use reqwest::Url;
use serde::{Deserialize, Serialize};

/// In which form an answer is asked for; the stricter one first. An endpoint that does not take a form is asked for the
/// next one, and the last is always understood: text, perhaps in a fence, read and mended by our own parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Native tool calls.
    Tools,
    /// JSON of our schema.
    JsonSchema,
    /// Any JSON object.
    JsonObject,
    /// Text.
    Text,
}

/// The form in which requests are written and answers come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// OpenAI's chat completions, which nearly all servers know.
    Chat,
    /// OpenAI's Responses: some models are only there.
    Responses,
    /// Anthropic's messages.
    Messages,
}

/// Under which name the limit of the answer is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// `max_tokens`: what nearly all servers know.
    MaxTokens,
    /// `max_completion_tokens`: what OpenAI's reasoning models insist on.
    MaxCompletionTokens,
    /// Neither.
    Unlimited,
}

/// What may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// The form of requests and answers.
    pub api: Api,
    /// Name of the limit.
    pub limit: Limit,
    /// A sampling temperature.
    pub temperature: bool,
    /// Native tools.
    pub tools: bool,
    /// A schema for the answer.
    pub json_schema: bool,
    /// A schema that the answer is held to, letter by letter.
    pub strict_schema: bool,
    /// JSON without a schema.
    pub json_object: bool,
    /// How long a model thinks before it answers.
    pub reasoning_effort: bool,
    /// The same as a number of tokens, where the word for it is not known.
    pub thinking_budget: bool,
    /// Usage in streams, when it is asked for.
    pub stream_usage: bool,
    /// A seed of the sampling.
    pub seed: bool,
    /// A name under which equal beginnings of prompts are cached.
    pub cache_key: bool,
    /// Many requests as one batch, at half the price.
    pub batches: bool,
}

impl Abilities {
    /// Everything, under the names that nearly all servers know.
    pub const ALL: Self = Self {
        api: Api::Chat,
        limit: Limit::MaxTokens,
        temperature: true,
        tools: true,
        json_schema: true,
        strict_schema: false,
        json_object: true,
        reasoning_effort: true,
        thinking_budget: false,
        stream_usage: true,
        seed: true,
        cache_key: false,
        batches: false,
    };

    /// The strictest form that is taken, from the wished one down.
    pub(crate) fn form(&self, wished: Form) -> Form {
        let taken = |form: &Form| match form {
            Form::Tools => self.tools,
            Form::JsonSchema => self.json_schema,
            Form::JsonObject => self.json_object,
            Form::Text => true,
        };
        let forms = [Form::Tools, Form::JsonSchema, Form::JsonObject, Form::Text];
        forms.into_iter().filter(|form| *form >= wished).find(taken).unwrap_or(Form::Text)
    }
}

/// An endpoint that is known beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its base URL.
    pub base_url: &'static str,
    /// The variable that usually holds its key; `None` for servers on one's own machine.
    pub key_variable: Option<&'static str>,
    /// What it takes.
    pub abilities: Abilities,
    /// What one should know of it.
    pub note: Option<&'static str>,
}

const OPENAI: Abilities = Abilities {
    limit: Limit::MaxCompletionTokens,
    strict_schema: true,
    cache_key: true,
    batches: true,
    ..Abilities::ALL
};
const ANTHROPIC: Abilities = Abilities {
    api: Api::Messages,
    strict_schema: true,
    json_object: false,
    stream_usage: false,
    seed: false,
    batches: true,
    ..Abilities::ALL
};
const GEMINI: Abilities = Abilities { seed: false, ..Abilities::ALL };
const BEDROCK: Abilities =
    Abilities { limit: Limit::MaxCompletionTokens, json_object: false, seed: false, ..Abilities::ALL };
const DEEPSEEK: Abilities = Abilities { json_schema: false, reasoning_effort: false, ..Abilities::ALL };

/// The table; a new endpoint is a line.
pub const PROVIDERS: &[Provider] = &[
    line("openai", "https://api.openai.com/v1", Some("OPENAI_API_KEY"), OPENAI, None),
    line("anthropic", "https://api.anthropic.com/v1", Some("ANTHROPIC_API_KEY"), ANTHROPIC, None),
    line(
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        Some("GEMINI_API_KEY"),
        GEMINI,
        Some(
            "its compatible interface is in beta: no seed, no strict schema and no batches are sent to it, and it caches \
             prompts only as it likes",
        ),
    ),
    line(
        "bedrock",
        "https://bedrock-mantle.us-east-1.api.aws/v1",
        Some("AWS_BEARER_TOKEN_BEDROCK"),
        BEDROCK,
        Some(
            "the region is that of AWS_REGION, else us-east-1; its compatible interface offers a part of Bedrock's models, \
             and no seed, no cached prompts and no batches are asked of it",
        ),
    ),
    line("deepseek", "https://api.deepseek.com", Some("DEEPSEEK_API_KEY"), DEEPSEEK, None),
    line("openrouter", "https://openrouter.ai/api/v1", Some("OPENROUTER_API_KEY"), Abilities::ALL, None),
    line("groq", "https://api.groq.com/openai/v1", Some("GROQ_API_KEY"), Abilities::ALL, None),
    line("mistral", "https://api.mistral.ai/v1", Some("MISTRAL_API_KEY"), Abilities::ALL, None),
    line(
        "ollama",
        "http://127.0.0.1:11434/v1",
        None,
        Abilities::ALL,
        Some("it cuts longer prompts in silence: raise its context (num_ctx) above 16,000 tokens"),
    ),
    line(
        "vllm",
        "http://127.0.0.1:8000/v1",
        None,
        Abilities::ALL,
        Some("native tools need --enable-auto-tool-choice and --tool-call-parser"),
    ),
    line("llama.cpp", "http://127.0.0.1:8080/v1", None, Abilities::ALL, Some("native tools need --jinja")),
    line("lmstudio", "http://127.0.0.1:1234/v1", None, Abilities::ALL, None),
];

const fn line(
    name: &'static str,
    base_url: &'static str,
    key_variable: Option<&'static str>,
    abilities: Abilities,
    note: Option<&'static str>,
) -> Provider {
    Provider { name, base_url, key_variable, abilities, note }
}

impl Provider {
    /// The provider of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PROVIDERS.iter().find(|provider| provider.name == name)
    }

    /// Its base URL in a region, for a provider that has one in each.
    pub fn base_url_in(&self, region: Option<&str>) -> String {
        let fits = |region: &&str| region.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        match region.filter(fits).filter(|region| !region.is_empty()) {
            Some(region) if self.name == "bedrock" => self.base_url.replace("us-east-1", region),
            _ => self.base_url.to_owned(),
        }
    }

    /// The provider that a base URL belongs to, by its host; servers on one's own machine can be anything.
    pub fn at(base_url: &str) -> Option<&'static Self> {
        let host = |url: &str| Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let wanted = host(base_url)?;
        let mut remote = PROVIDERS.iter().filter(|provider| provider.key_variable.is_some());
        let known = remote.find(|provider| host(provider.base_url).as_ref() == Some(&wanted));
        // Bedrock has a host in every region, of two kinds.
        let bedrock = wanted.starts_with("bedrock-mantle.") && wanted.ends_with(".api.aws")
            || wanted.starts_with("bedrock-runtime.") && wanted.ends_with(".amazonaws.com");
        known.or_else(|| bedrock.then(|| Self::named("bedrock")).flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_consistent() {
        for provider in PROVIDERS {
            assert!(Url::parse(provider.base_url).is_ok(), "{}", provider.name);
            assert!(!provider.base_url.ends_with('/'), "{}", provider.name);
            assert_eq!(Provider::named(provider.name), Some(provider));
        }
        assert_eq!(Provider::at("https://api.openai.com/v2").unwrap().name, "openai");
        assert_eq!(Provider::at("http://127.0.0.1:11434/v1"), None);
        for host in ["bedrock-mantle.eu-central-1.api.aws", "bedrock-runtime.us-west-2.amazonaws.com"] {
            assert_eq!(Provider::at(&format!("https://{host}/v1")).unwrap().name, "bedrock", "{host}");
        }
        let bedrock = Provider::named("bedrock").unwrap();
        assert_eq!(bedrock.base_url_in(Some("eu-west-1")), "https://bedrock-mantle.eu-west-1.api.aws/v1");
        assert_eq!(bedrock.base_url_in(Some("evil.example/")), bedrock.base_url);
    }

    #[test]
    fn the_ladder_ends_at_text() {
        let all = Abilities::ALL;
        assert_eq!(all.form(Form::Tools), Form::Tools);
        let without = Abilities { tools: false, json_schema: false, ..all };
        assert_eq!(without.form(Form::Tools), Form::JsonObject);
        assert_eq!(Abilities { json_object: false, ..without }.form(Form::JsonSchema), Form::Text);
        assert_eq!(all.form(Form::Text), Form::Text);
    }
}
