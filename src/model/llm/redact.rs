//! Secrets are replaced before anything is sent or written.
//!
//! Known values (keys, and variables whose names say that they hold one) in plain, base64 and percent form, and what
//! has the shape of a well-known kind of key. Repository text can hold somebody's key; it is not ours to hand on.

use super::{Answer, ChatModel, Message, ModelError, Query, Secret, ToolCall};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use regex::Regex;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::ffi::OsString;
use std::sync::Arc;

/// Shorter values occur in any text by accident.
const SHORTEST: usize = 8;

/// Parts of a variable's name that say it holds a secret.
const TELLING: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD"];

/// Kinds of keys by their shape.
const SHAPES: [(&str, &str); 8] = [
    ("api-key", r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{20,}"),
    ("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})"),
    ("gitlab-token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("aws-key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("google-key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("slack-token", r"\bxox[abeprs]-[A-Za-z0-9-]{10,}"),
    ("private-key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|\z)"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
];

/// Replaces secrets by `[REDACTED:kind:first 8 hex digits of the SHA-256]`: the same secret is the same mark.
#[derive(Default)]
pub struct Redactor {
    /// Known values with their marks, longest first.
    known: Vec<(String, String)>,
    shapes: Vec<(&'static str, Regex)>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor").field("known", &self.known.len()).finish_non_exhaustive()
    }
}

impl Redactor {
    /// Knows the secrets in `keys` and those of `variables` (name, value) whose name tells that they are one.
    pub fn new(keys: impl IntoIterator<Item = Secret>, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut known = Vec::new();
        for key in keys {
            add(&mut known, "key", key.expose());
        }
        for (name, value) in variables {
            let name = name.to_uppercase();
            if TELLING.iter().any(|part| name.contains(part)) {
                add(&mut known, "variable", &value);
            }
        }
        // A value that holds another is replaced first, or half of it would stay.
        known.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        known.dedup_by(|(a, _), (b, _)| a == b);
        let shapes = SHAPES.iter().filter_map(|(kind, shape)| Some((*kind, Regex::new(shape).ok()?))).collect();
        Self { known, shapes }
    }

    /// Knows the secrets in `keys` and those of this process's environment. What is no text cannot stand in one.
    pub fn of_environment(keys: impl IntoIterator<Item = Secret>) -> Self {
        let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        Self::new(keys, std::env::vars_os().filter_map(text))
    }

    /// The text without secrets; borrowed when it holds none.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut clean = Cow::Borrowed(text);
        for (value, mark) in &self.known {
            if clean.contains(value.as_str()) {
                clean = Cow::Owned(clean.replace(value.as_str(), mark));
            }
        }
        for (kind, shape) in &self.shapes {
            if shape.is_match(&clean) {
                let marked = shape.replace_all(&clean, |found: &regex::Captures<'_>| marked_shape(kind, &found[0]));
                if marked != clean {
                    clean = Cow::Owned(marked.into_owned());
                }
            }
        }
        clean
    }

    /// The value with every text in it cleaned.
    pub(crate) fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text).into_owned()),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), self.value(value))).collect(),
            other => other.clone(),
        }
    }

    /// The query as it may be sent.
    pub(crate) fn query(&self, query: &Query) -> Query {
        let clean = |message: &Message| Message {
            role: message.role.clone(),
            content: self.text(&message.content).into_owned(),
        };
        Query { messages: query.messages.iter().map(clean).collect(), ..query.clone() }
    }
}

fn add(known: &mut Vec<(String, String)>, kind: &str, value: &str) {
    let value = value.trim();
    if value.chars().count() < SHORTEST {
        return;
    }
    let mark = mark(kind, value);
    let standard = STANDARD.encode(value);
    let forms = [
        value.to_owned(),
        standard.trim_end_matches('=').to_owned(),
        URL_SAFE_NO_PAD.encode(value),
        percent_encoded(value),
    ];
    known.extend(forms.into_iter().map(|form| (form, mark.clone())));
}

fn mark(kind: &str, value: &str) -> String {
    let hash = Sha256::digest(value.as_bytes());
    let head = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
    format!("[REDACTED:{kind}:{head:08x}]")
}

/// Names with hyphens have the shape of an API key too, but keys have digits.
fn marked_shape(kind: &str, found: &str) -> String {
    if kind == "api-key" && !found.bytes().any(|byte| byte.is_ascii_digit()) {
        found.to_owned()
    } else {
        mark(kind, found)
    }
}

fn percent_encoded(value: &str) -> String {
    value.bytes().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
        text
    })
}

/// A model that never sees a secret, and whose answers hold none.
pub struct Redacting {
    inner: Arc<dyn ChatModel>,
    redactor: Arc<Redactor>,
}

impl Redacting {
    /// Wraps a model.
    pub fn new(inner: Arc<dyn ChatModel>, redactor: Arc<Redactor>) -> Self {
        Self { inner, redactor }
    }
}

#[async_trait::async_trait]
impl ChatModel for Redacting {
    fn endpoint(&self) -> String {
        self.inner.endpoint()
    }

    async fn ask(&self, query: &Query) -> Result<Answer, ModelError> {
        let answer = self.inner.ask(&self.redactor.query(query)).await;
        // An endpoint can repeat the key in its complaint.
        let answer = answer.map_err(|error| error.map(|text| self.redactor.text(&text).into_owned()))?;
        let clean = |text: &str| self.redactor.text(text).into_owned();
        let calls =
            answer.calls.iter().map(|call| ToolCall { name: clean(&call.name), arguments: clean(&call.arguments) });
        Ok(Answer {
            text: clean(&answer.text),
            calls: calls.collect(),
            raw: self.redactor.value(&answer.raw),
            finish: answer.finish,
            usage: answer.usage,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use std::sync::LazyLock;

    fn redactor() -> Redactor {
        let variables = [("DB_PASSWORD", "hunter2-and-more"), ("HOME", "/home/somebody"), ("API_KEY", "short")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Redactor::new([Secret::new("canary-key/0123+456789")], variables)
    }

    #[test]
    fn known_values_go_in_every_form() {
        let redactor = redactor();
        let text = format!(
            "a canary-key/0123+456789 b {} c canary-key%2F0123%2B456789 d hunter2-and-more /home/somebody short",
            STANDARD.encode("canary-key/0123+456789")
        );
        let clean = redactor.text(&text);
        assert!(!clean.contains("0123") && !clean.contains("hunter2") && !clean.contains("Y2FuYXJ5"), "{clean}");
        assert!(clean.contains("/home/somebody short"), "{clean}");
        assert!(clean.starts_with("a [REDACTED:key:"), "{clean}");
    }

    #[test]
    fn well_known_shapes_go_and_program_text_stays() {
        let redactor = redactor();
        for secret in [
            format!("ghp_{}", "a1".repeat(18)),
            "sk-proj-abcdef0123456789abcdef".to_owned(),
            "AKIAIOSFODNN7EXAMPLE".to_owned(),
            "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----".to_owned(),
            format!("eyJ{0}.eyJ{0}.{0}", "hbGciOiJIUzI1"),
        ] {
            let clean = redactor.text(&secret).into_owned();
            assert!(clean.starts_with("[REDACTED:") && clean.ends_with(']'), "{secret} → {clean}");
        }
        for code in ["int risk-taking = task - 1;", "sk-some-long-css-class-name-here", "key = map.get(token);"] {
            assert!(matches!(redactor.text(code), Cow::Borrowed(_)), "{code}");
        }
        let value = json!({"a": ["canary-key/0123+456789", 1], "b": null});
        assert!(!redactor.value(&value).to_string().contains("canary-key"));
    }

    /// Made once: its shapes take longer to compile than a text to clean.
    static REDACTOR: LazyLock<Redactor> = LazyLock::new(redactor);

    proptest! {
        #[test]
        fn nothing_known_remains_in_any_text(before in any::<String>(), after in any::<String>()) {
            let redactor = &*REDACTOR;
            let clean = redactor.text(&format!("{before}canary-key/0123+456789{after}")).into_owned();
            prop_assert!(!clean.contains("canary-key/0123+456789"));
            prop_assert_eq!(redactor.text(&clean).into_owned(), clean);
        }
    }
}
