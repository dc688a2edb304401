//! What went wrong with a request, kept with its status, and what that means for a run.

use super::super::{ModelError, Secret};
use super::certificate;
use super::error_body::{as_text, quote, readable, retry_after, retry_delay};
use crate::domain::Problem;
use async_openai::error::OpenAIError;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::time::Duration;

/// Where an exchange broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// No connection.
    Connect,
    /// The response did not come in time.
    Timeout,
    /// The connection broke on the way.
    Broken,
    /// The endpoint answered with an error.
    Refused,
    /// A success whose body is a web page or plain text.
    NotJson,
    /// A success whose body cannot be used.
    Malformed,
    /// A success without an answer in it.
    NoChoices,
    /// More than any answer can be.
    TooLarge,
}

/// A failed exchange.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}{message}", self.prefix())]
pub(super) struct Failure {
    pub kind: Kind,
    /// HTTP status, or the one that a body claims.
    pub status: Option<u16>,
    /// The endpoint's own word, numbers as text.
    pub code: Box<str>,
    /// The parameter it names.
    pub param: Box<str>,
    pub message: String,
    pub retry_after: Option<Duration>,
    pub request_id: Option<Box<str>>,
    /// How often it was tried.
    pub tries: u32,
}

impl From<Failure> for OpenAIError {
    fn from(failure: Failure) -> Self {
        Self::Boxed(Box::new(failure))
    }
}

/// What a failure is judged by, beside itself.
pub(super) struct Target<'a> {
    pub host: &'a str,
    pub model: &'a str,
    pub key: Option<&'a Secret>,
    pub reached: bool,
}

impl Failure {
    pub(super) fn new(kind: Kind, message: String) -> Self {
        let (code, param) = (Box::default(), Box::default());
        Self { kind, status: None, code, param, message, retry_after: None, request_id: None, tries: 1 }
    }

    /// Out of what async-openai hands back: our own failure, as a rule.
    pub(super) fn from_client(error: OpenAIError) -> Self {
        match error {
            OpenAIError::Boxed(inner) => match inner.downcast::<Self>() {
                Ok(failure) => *failure,
                Err(other) => Self::new(Kind::Malformed, other.to_string()),
            },
            OpenAIError::Reqwest(error) => Self::transport(&error),
            other => Self::new(Kind::Malformed, other.to_string()),
        }
    }

    /// A failure below HTTP. Its text never holds the URL's query or a header.
    pub(super) fn transport(error: &reqwest::Error) -> Self {
        let kind = if error.is_connect() {
            Kind::Connect
        } else if error.is_timeout() {
            Kind::Timeout
        } else {
            Kind::Broken
        };
        let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
        let innermost = causes.last().map_or_else(|| error.to_string(), ToString::to_string);
        let message = match kind {
            Kind::Timeout => "no response in time".to_owned(),
            _ if error.is_timeout() => "no connection in time".to_owned(),
            _ => quote(&innermost),
        };
        Self::new(kind, message)
    }

    /// An error response, in any of the shapes servers give it.
    pub(super) fn of_response(status: u16, headers: &HeaderMap, body: &[u8]) -> Self {
        let value = serde_json::from_slice::<Value>(body).unwrap_or(Value::Null);
        let value = value.as_array().and_then(|list| list.first()).unwrap_or(&value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let field = |name: &str| as_text(error.get(name));
        let code = [field("code"), field("type"), field("status")].into_iter().find(|text| !text.is_empty());
        let message = match error {
            Value::String(text) => text.clone(),
            _ => {
                [error.get("message"), error.get("detail"), error.get("msg"), value.get("detail"), value.get("message")]
                    .into_iter()
                    .map(as_text)
                    .find(|text| !text.is_empty())
                    .unwrap_or_else(|| readable(body))
            }
        };
        // A success that carries an error tells the true status as its code, if at all.
        let claimed = field("code").parse::<u16>().ok().filter(|code| (400..600).contains(code));
        let status = if (200..300).contains(&status) { claimed } else { Some(status) };
        let message = match headers.get(reqwest::header::LOCATION).and_then(|to| to.to_str().ok()) {
            Some(to) if status.is_some_and(|status| (300..400).contains(&status)) => {
                format!("the endpoint redirects to `{to}`, which is not followed because the key would go there too")
            }
            _ => quote(&message),
        };
        Self {
            status,
            code: code.unwrap_or_default().into(),
            param: field("param").into(),
            retry_after: retry_after(headers).or_else(|| retry_delay(error)),
            request_id: headers
                .get("x-request-id")
                .or_else(|| headers.get("request-id"))
                .and_then(|id| id.to_str().ok())
                .map(Box::from),
            ..Self::new(Kind::Refused, message)
        }
    }

    /// A success that is no JSON: a web page from something that is no endpoint, or a body that was cut.
    pub(super) fn not_json(status: u16, headers: &HeaderMap, body: &[u8]) -> Self {
        let cut = body.trim_ascii_start().starts_with(b"{");
        let kind = if cut { Kind::Malformed } else { Kind::NotJson };
        let message = if cut { "the response is broken JSON".to_owned() } else { readable(body) };
        Self { kind, status: Some(status), message, ..Self::of_response(status, headers, b"") }
    }

    pub(super) fn after(mut self, tries: u32) -> Self {
        self.tries = tries;
        self
    }

    /// The same without the key, which some endpoints repeat.
    pub(super) fn without(mut self, key: Option<&Secret>) -> Self {
        if let Some(key) = key {
            self.message = self.message.replace(key.expose(), &key.tail());
        }
        self
    }

    pub(super) fn never_connected(&self) -> bool {
        self.kind == Kind::Connect
    }

    /// Whether the same request can succeed a moment later.
    pub(super) fn can_pass(&self) -> bool {
        match self.kind {
            Kind::Connect | Kind::Timeout | Kind::Broken | Kind::Malformed | Kind::NoChoices => true,
            Kind::NotJson | Kind::TooLarge => false,
            Kind::Refused => match self.status {
                Some(429) => !self.is_out_of_quota(),
                Some(408 | 409 | 425) => true,
                Some(501 | 505) => false,
                Some(status) if status >= 500 => true,
                Some(_) => false,
                None => ["rate", "overload", "timeout", "server_error", "unavailable", "internal"]
                    .iter()
                    .any(|word| self.text().contains(word)),
            },
        }
    }

    /// Whether the endpoint may have worked, and be paid, for this failure.
    pub(super) fn perhaps_paid(&self) -> bool {
        matches!(self.kind, Kind::Timeout | Kind::Malformed | Kind::NoChoices)
    }

    /// Whether waiting does not help. Google words a limit of this minute as it words the end of a quota, but says when
    /// to come back.
    fn is_out_of_quota(&self) -> bool {
        let text = self.text();
        if self.retry_after.is_some() && !text.contains("insufficient_quota") {
            return false;
        }
        ["insufficient_quota", "billing", "credit balance", "exceeded your current quota"]
            .iter()
            .any(|w| text.contains(w))
    }

    /// Everything the endpoint said, in lower case.
    pub(super) fn text(&self) -> String {
        format!("{} {} {}", self.code, self.param, self.message).to_lowercase()
    }

    fn prefix(&self) -> String {
        let status = self.status.map(|status| format!("HTTP {status}"));
        let code = Some(&*self.code).filter(|code| !code.is_empty() && !self.message.contains(code));
        let parts: Vec<String> = status.into_iter().chain(code.map(str::to_owned)).collect();
        if parts.is_empty() { String::new() } else { format!("{}: ", parts.join(" ")) }
    }

    /// Whether the prompt is larger than the context, as vendors say it.
    pub(super) fn is_context_overflow(&self) -> bool {
        const PHRASES: [&str; 10] = [
            "context_length_exceeded",
            "maximum context length",
            "prompt is too long",
            "exceeds the available context size",
            "context window",
            "context length",
            "input is too long",
            "too many tokens",
            "exceeds the maximum number of tokens",
            "request_too_large",
        ];
        let text = self.text();
        // "Too many tokens, please wait" is a limit of Bedrock's, on requests of a minute.
        let is_too_large = !text.contains("please wait");
        is_too_large
            && matches!(self.status, None | Some(400 | 413 | 422))
            && PHRASES.iter().any(|phrase| text.contains(phrase))
    }

    /// Whether the endpoint does not know the model.
    fn is_unknown_model(&self) -> bool {
        let text = self.text();
        let outright = ["model_not_found", "unknown model", "invalid model", "model not exist", "not a valid model"];
        let denied = ["not found", "not_found", "does not exist"].iter().any(|phrase| text.contains(phrase));
        let denies = (text.contains("model") && denied) || outright.iter().any(|phrase| text.contains(phrase));
        matches!(self.status, None | Some(400 | 403 | 404 | 422)) && denies
    }

    /// The class of the failure, with a message that teaches.
    pub(super) fn classify(&self, target: &Target<'_>) -> ModelError {
        let Target { host, model, key, reached } = target;
        let tried = if self.tries > 1 { format!(" ({} tries)", self.tries) } else { String::new() };
        let id = self.request_id.as_ref().map(|id| format!(" [request {id}]")).unwrap_or_default();
        let what = format!("{host}: {self}{id}{tried}");
        let hinted = |hint: &str| Problem::with_hint(what.as_str(), hint);
        match (self.kind, self.status) {
            (Kind::Connect | Kind::Timeout | Kind::Broken, _) if !reached => {
                ModelError::Unreachable(Problem::with_hint(
                    format!("cannot reach {host}: {}{tried}", self.message),
                    certificate::hint(&self.message).unwrap_or("is the server running, and is the base URL right?"),
                ))
            }
            (Kind::NotJson, _) => ModelError::Unreachable(Problem::with_hint(
                format!("{host} answers, but not as an OpenAI-compatible endpoint: {}", self.message),
                FORGOTTEN_VERSION,
            )),
            (Kind::Refused, Some(300..400)) => ModelError::Unreachable(hinted("use that address as base URL")),
            _ if self.is_context_overflow() => ModelError::ContextLength(hinted("use a model with a larger context")),
            _ if self.is_unknown_model() => ModelError::UnknownModel(Problem::with_hint(
                format!("{host} does not know the model `{model}`: {}", self.message),
                "the names it knows are listed at its `/models`",
            )),
            (Kind::Refused, Some(401 | 403)) => ModelError::Auth(refused_key(what, *key)),
            // Google's word for a key that it does not know.
            (Kind::Refused, Some(400)) if self.text().contains("api key not valid") => {
                ModelError::Auth(refused_key(what, *key))
            }
            (Kind::Refused, Some(402)) => ModelError::Auth(hinted("the account has no credit left")),
            (Kind::Refused, _) if self.is_out_of_quota() => ModelError::Auth(hinted("the account's quota is used up")),
            (Kind::Refused, Some(404 | 405)) => ModelError::Unreachable(hinted(FORGOTTEN_VERSION)),
            (Kind::Refused, Some(400..500)) if !self.can_pass() => ModelError::BadRequest(what.into()),
            _ => ModelError::Failed(hinted("try again later, or with fewer requests at a time")),
        }
    }
}

/// What to do where something answers that is no endpoint.
const FORGOTTEN_VERSION: &str = "did you forget `/v1` in the base URL?";

/// What to say when a key is refused, without saying the key.
pub(super) fn refused_key(what: String, key: Option<&Secret>) -> Problem {
    let hint = match key {
        Some(key) => format!("the key that ends in {} is refused; is it for this endpoint?", key.tail()),
        None => "no key was sent; set OPENAI_API_KEY or the configured variable".to_owned(),
    };
    Problem::with_hint(what, hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn error_bodies_of_all_servers_give_message_and_code() {
        let of = |body: &str| Failure::of_response(429, &HeaderMap::new(), body.as_bytes());
        let integer = of(r#"{"error": {"message": "slow down", "code": 429}}"#);
        assert_eq!((integer.message.as_str(), &*integer.code), ("slow down", "429"));
        assert_eq!(of(r#"{"error": "busy"}"#).message, "busy");
        let array = of(
            r#"[{"error": {"message": "quota", "status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "13s"}]}}]"#,
        );
        assert_eq!((array.message.as_str(), array.retry_after), ("quota", Some(Duration::from_secs(13))));
        assert_eq!(of(r#"{"detail": [{"msg": "field required"}]}"#).message, "field required");
        assert_eq!(of("<html><title>Bad\n gateway</title></html>").message, "a web page titled `Bad gateway`");
        assert_eq!(of("").message, "an empty body");
        let inside = Failure::of_response(200, &HeaderMap::new(), br#"{"error": {"message": "x", "code": 502}}"#);
        assert_eq!((inside.status, inside.can_pass()), (Some(502), true));
    }

    proptest! {
        #[test]
        fn any_response_is_classified(status in 0u16..700, body in prop::collection::vec(any::<u8>(), 0..200), text in any::<String>()) {
            for body in [body, format!("{{\"error\": {{\"message\": {text:?}, \"code\": {status}}}}}").into_bytes()] {
                let failure = Failure::of_response(status, &HeaderMap::new(), &body);
                let error = failure.classify(&Target { host: "h", model: "m", key: None, reached: true }).to_string();
                prop_assert!(error.len() < 4096);
            }
        }
    }
}
