//! Where requests go, and how long we wait.

use super::super::{Api, ModelError, Prices, Provider, Secret};
use crate::domain::Problem;
use async_openai::config::Config;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use secrecy::SecretString;
use std::sync::Arc;
use std::time::Duration;

/// How long we wait and how often we try.
#[derive(Debug, Clone)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// For the next byte of a response. A model that does not stream sends its first byte when it is done.
    pub idle: Duration,
    /// For a whole response.
    pub total: Duration,
    /// For the first contact, all of it. A local server that loads a model meanwhile takes its time.
    pub first_contact: Duration,
    /// Tries of one request, the first included; at least 1.
    pub tries: u32,
    /// Pause before the second try; it doubles from try to try and is jittered.
    pub first_pause: Duration,
    /// Longest pause, whatever the endpoint asks for.
    pub longest_pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(300),
            total: Duration::from_secs(600),
            first_contact: Duration::from_secs(30),
            tries: 6,
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(60),
        }
    }
}

/// Usual requests at the same time: more than the agents of one bug ever need.
const CONCURRENCY: usize = 16;

/// An OpenAI-compatible endpoint.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// What stands before `/chat/completions`: `https://api.openai.com/v1`.
    pub base_url: String,
    /// The key; `None` for local servers that want none.
    pub key: Option<Secret>,
    /// Waiting and trying again.
    pub patience: Patience,
    /// Whether answers are asked for piece by piece: a server that died is then noticed after [`Patience::idle`] even
    /// when whole answers take longer than that. Servers that do not know this answer as usual.
    pub stream: bool,
    /// Most requests on their way at the same time; further ones wait for their turn.
    pub concurrency: usize,
    /// Most requests in a minute, tries included; any number when absent.
    pub requests_per_minute: Option<u32>,
    /// What is known of it beforehand, when it is one that is known.
    pub provider: Option<&'static Provider>,
    /// Prices for endpoints that do not tell the cost themselves; without them costs are unknown.
    pub prices: Option<Arc<Prices>>,
}

impl Endpoint {
    /// An endpoint with usual patience, whole answers and no prices.
    pub fn new(base_url: &str, key: Option<Secret>) -> Self {
        let base_url = base_url.trim().trim_end_matches('/');
        // The address of the call itself is often pasted for the base.
        let calls = [Api::Chat, Api::Responses, Api::Messages].map(Api::path);
        let base_url = calls.iter().find_map(|call| base_url.strip_suffix(call)).unwrap_or(base_url);
        Self {
            provider: Provider::at(base_url),
            base_url: base_url.to_owned(),
            key,
            patience: Patience::default(),
            stream: false,
            concurrency: CONCURRENCY,
            requests_per_minute: None,
            prices: None,
        }
    }

    /// Whether it is a server on this machine, which needs no key.
    pub fn is_local(&self) -> bool {
        Url::parse(&self.base_url).is_ok_and(|url| is_local(&url))
    }

    pub(super) fn checked_url(&self) -> Result<Url, ModelError> {
        let refuse = |why: &str| {
            ModelError::Unreachable(Problem::with_hint(
                format!("`{}` is no base URL: {why}", self.base_url),
                "give the address before `/chat/completions`, as `http://127.0.0.1:8080/v1`",
            ))
        };
        let url = Url::parse(&self.base_url).map_err(|error| refuse(&error.to_string()))?;
        match url.scheme() {
            "http" | "https" if url.has_host() => {}
            _ => return Err(refuse("it must start with `http://` or `https://`")),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refuse("it must hold no user name and no password; keys are given by variable or file"));
        }
        if self.key.is_some() && url.scheme() == "http" && !is_local(&url) {
            tracing::warn!(host = host_of(&url), "the key goes over http without encryption; use https");
        }
        Ok(url)
    }

    pub(super) fn http_client(&self, url: &Url) -> Result<reqwest::Client, ModelError> {
        unidebug_base::tls::use_ring();
        let builder = reqwest::Client::builder()
            .user_agent(concat!("unidebug/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.patience.connect)
            .read_timeout(self.patience.idle)
            .timeout(self.patience.total)
            // A redirect could carry the key to another host; it is reported instead of followed.
            .redirect(reqwest::redirect::Policy::none());
        let builder = if is_local(url) { builder.no_proxy() } else { builder };
        // Where nothing is encrypted the system's certificates need not be read, which takes longer than a request.
        let builder = if url.scheme() == "http" { builder.tls_certs_only([]) } else { builder };
        builder.build().map_err(|error| ModelError::Unreachable(format!("cannot set up a connection: {error}").into()))
    }
}

/// The host of a URL with its port, when that is not the usual one.
pub(super) fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or("");
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn is_local(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => {
            let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
            address.is_ok_and(|address| address.is_loopback())
        }
        None => false,
    }
}

/// The version of Anthropic's interface that requests are written for.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// What async-openai needs to know. Its own configuration would read organisation and key from the environment and
/// send them to whatever endpoint is named.
#[derive(Clone)]
pub(super) struct Wiring {
    base_url: String,
    /// The call itself, where async-openai would name another.
    call: &'static str,
    headers: HeaderMap,
    key: SecretString,
}

impl Wiring {
    pub(super) fn new(endpoint: &Endpoint, api: Api) -> Result<Self, ModelError> {
        let headers = headers(endpoint.key.as_ref(), api)?;
        let key = endpoint.key.as_ref().map_or_else(|| SecretString::from(""), |key| key.inner().clone());
        Ok(Self { base_url: endpoint.base_url.clone(), call: api.path(), headers, key })
    }
}

/// The headers of every request to an endpoint of this form.
pub(super) fn headers(key: Option<&Secret>, api: Api) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    if api != Api::Messages {
        if let Some(value) = authorization(key)? {
            headers.insert(AUTHORIZATION, value);
        }
        return Ok(headers);
    }
    headers.insert("anthropic-version", HeaderValue::from_static(ANTHROPIC_VERSION));
    if let Some(value) = in_header(key, "")? {
        headers.insert("x-api-key", value);
    }
    Ok(headers)
}

/// The header that carries the key.
pub(super) fn authorization(key: Option<&Secret>) -> Result<Option<HeaderValue>, ModelError> {
    in_header(key, "Bearer ")
}

/// The key as the value of a header; it is marked so that it is not printed.
fn in_header(key: Option<&Secret>, before: &str) -> Result<Option<HeaderValue>, ModelError> {
    let Some(key) = key.filter(|key| !key.expose().is_empty()) else { return Ok(None) };
    let mut value = HeaderValue::from_str(&format!("{before}{}", key.expose())).map_err(|_| {
        ModelError::Auth(Problem::with_hint(
            "the key holds characters that no header can carry, such as a line break inside it",
            "the variable or file must hold the key alone",
        ))
    })?;
    value.set_sensitive(true);
    Ok(Some(value))
}

impl Config for Wiring {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }
    fn url(&self, path: &str) -> String {
        let path = if path == Api::Chat.path() { self.call } else { path };
        format!("{}{path}", self.base_url)
    }
    fn query(&self) -> Vec<(&str, &str)> {
        Vec::new()
    }
    fn api_base(&self) -> &str {
        &self.base_url
    }
    fn api_key(&self) -> &SecretString {
        &self.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_is_checked_before_anything_is_sent() {
        for bad in ["", "localhost:8080/v1", "ftp://a/v1", "http://", "https://user:pass@a.example/v1"] {
            let error = Endpoint::new(bad, None).checked_url().unwrap_err();
            assert!(matches!(&error, ModelError::Unreachable(problem) if problem.hint.is_some()), "{bad}: {error}");
        }
        let endpoint = Endpoint::new("http://127.0.0.1:8080/v1/chat/completions/", None);
        assert_eq!(endpoint.base_url, "http://127.0.0.1:8080/v1");
        assert_eq!(host_of(&endpoint.checked_url().unwrap()), "127.0.0.1:8080");
    }

    #[test]
    fn a_key_that_no_header_can_carry_is_refused_without_showing_it() {
        let error = authorization(Some(&Secret::new("sk-abc\ndef"))).unwrap_err().to_string();
        assert!(error.contains("line break") && !error.contains("abc"), "{error}");
        let endpoint = Endpoint::new("http://localhost/v1", Some(Secret::new("sk-visible")));
        assert!(!format!("{endpoint:?}").contains("visible"));
    }
}
