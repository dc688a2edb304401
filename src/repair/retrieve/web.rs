//! The web, through Tavily's search: the one service that is asked, and only where `--web` says so.
//!
//! What leaves is a short query without names of the project; what comes back is text. No page is fetched.

use super::{RetrieveError, Solution, Source};
use crate::llm::{Redactor, Secret};
use async_trait::async_trait;
use reqwest::redirect::Policy;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Where Tavily answers.
pub const ENDPOINT: &str = "https://api.tavily.com";
/// Characters of a query.
const MAX_QUERY: usize = 200;
/// Bytes of an answer.
const MAX_BODY: usize = 2 << 20;
/// Wall time of a search.
const WALL: Duration = Duration::from_secs(10);
/// Characters of a result's text that are kept.
const MAX_TEXT: usize = 1500;
/// Sites that speak of programs; others are not searched.
const SITES: [&str; 9] = [
    "stackoverflow.com",
    "docs.oracle.com",
    "docs.python.org",
    "en.cppreference.com",
    "javadoc.io",
    "readthedocs.io",
    "baeldung.com",
    "codereview.stackexchange.com",
    "softwareengineering.stackexchange.com",
];

/// Tavily's search.
pub struct Tavily {
    client: reqwest::Client,
    endpoint: String,
    key: Secret,
    redactor: Arc<Redactor>,
    /// Words that do not leave: names of the project's own.
    denied: BTreeSet<String>,
}

#[derive(Deserialize)]
struct SearchReply {
    #[serde(default)]
    results: Vec<Page>,
}

#[derive(Deserialize)]
struct Page {
    url: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    content: String,
}

impl Tavily {
    /// A client for this endpoint and key. Queries go through the redactor and lose the denied words.
    ///
    /// # Errors
    /// No TLS on this machine.
    pub fn new(
        endpoint: &str,
        key: Secret,
        redactor: Arc<Redactor>,
        denied: BTreeSet<String>,
    ) -> Result<Self, RetrieveError> {
        unidebug_base::tls::use_ring();
        // A redirect would carry the key to another host.
        let client = reqwest::Client::builder().redirect(Policy::none()).timeout(WALL).build();
        let client = client.map_err(|error| unreachable(&error.to_string()))?;
        Ok(Self { client, endpoint: endpoint.trim_end_matches('/').to_owned(), key, redactor, denied })
    }

    /// What leaves of a query.
    pub fn cleaned(&self, query: &str) -> String {
        let query = self.redactor.text(query);
        let split = |c: char| c.is_whitespace() || ".,;:()[]{}\"'`".contains(c);
        let mut cleaned = String::new();
        for word in query.split(split).filter(|word| !word.is_empty() && !self.denied.contains(*word)) {
            if cleaned.chars().count() + word.chars().count() + 1 > MAX_QUERY {
                break;
            }
            cleaned.push_str(word);
            cleaned.push(' ');
        }
        cleaned.trim_end().to_owned()
    }

    async fn ask(&self, query: &str, most: usize) -> Result<SearchReply, RetrieveError> {
        let broken = |error: reqwest::Error| unreachable(&error.without_url().to_string());
        let body = json!({
            "query": query, "max_results": most, "search_depth": "basic", "include_domains": SITES,
            "include_answer": false, "include_raw_content": false, "include_images": false,
        });
        let request = self.client.post(format!("{}/search", self.endpoint)).bearer_auth(self.key.expose()).json(&body);
        let mut response = request.send().await.map_err(broken)?;
        let status = response.status();
        if !status.is_success() {
            return Err(unreachable(&format!("it answered {status}")));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            if bytes.len() + chunk.len() > MAX_BODY {
                return Err(unreachable(&format!("its answer is larger than {} MB", MAX_BODY >> 20)));
            }
            bytes.extend_from_slice(&chunk);
        }
        serde_json::from_slice(&bytes)
            .map_err(|error| unreachable(&format!("its answer is no list of results: {error}")))
    }
}

fn unreachable(what: &str) -> RetrieveError {
    RetrieveError::Unreachable { what: format!("the web cannot be searched: {what}") }
}

#[async_trait]
impl Source for Tavily {
    async fn search(&self, query: &str, most: usize) -> Result<Vec<Solution>, RetrieveError> {
        let query = self.cleaned(query);
        if query.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.ask(&query, most).await?;
        let cut = |text: &str| text.chars().take(MAX_TEXT).collect::<String>();
        let solution = |page: Page| Solution {
            id: page.url,
            symptom: cut(&page.title),
            why: cut(&page.content),
            ..Solution::default()
        };
        Ok(found.results.into_iter().take(most).map(solution).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_short_and_hold_neither_secrets_nor_names_of_the_project() {
        let secrets = [("DB_PASSWORD".to_owned(), "hunter2hunter2".to_owned())];
        let redactor = Arc::new(Redactor::new(None, secrets));
        let denied = BTreeSet::from(["RingBuffer".to_owned()]);
        let web = Tavily::new(ENDPOINT, Secret::new("k"), redactor, denied).unwrap();
        let query = web.cleaned("RingBuffer.isFull is full too early; hunter2hunter2");
        assert!(query.starts_with("isFull is full too early"), "{query}");
        assert!(!query.contains("RingBuffer") && !query.contains("hunter2"));
        assert!(web.cleaned(&"word ".repeat(200)).chars().count() <= MAX_QUERY);
    }
}
