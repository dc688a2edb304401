//! The HTTP service under async-openai: reads whole responses, keeps statuses, tries again what can pass.

use super::super::Secret;
use super::endpoint::{Endpoint, Patience};
use super::failure::{Failure, Kind};
use super::pace::Pace;
use super::{shape, stream};
use async_openai::middleware::HttpRequestFactory;
use reqwest::Response;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// No answer of a model is larger than this many bytes.
const MAX_BODY: usize = 32 << 20;

/// A response that took all its time, or came without content, may have been paid: it is asked for once more only.
const TRIES_WHEN_PERHAPS_PAID: u32 = 2;

/// An endpoint that only wants fewer requests a minute is given a minute.
const MORE_TRIES_WHEN_SLOWED: u32 = 2;

/// Sends requests; replaces the retries of async-openai, which know neither jitter nor most statuses.
#[derive(Clone)]
pub(super) struct Transport {
    client: reqwest::Client,
    patience: Patience,
    pace: Arc<Pace>,
    /// What no message may quote, though the endpoint may say it.
    key: Option<Secret>,
}

impl Transport {
    pub(super) fn new(client: reqwest::Client, endpoint: &Endpoint) -> Self {
        let pace = Arc::new(Pace::new(endpoint.requests_per_minute));
        Self { client, patience: endpoint.patience.clone(), pace, key: endpoint.key.clone() }
    }

    async fn deliver(self, factory: HttpRequestFactory) -> Result<Response, Failure> {
        let mut tried = 0;
        loop {
            tried += 1;
            self.pace.turn().await;
            let failure = match self.once(&factory).await {
                Ok(body) => return rebuilt(body),
                Err(failure) => failure.after(tried).without(self.key.as_ref()),
            };
            let most = match failure.status {
                _ if failure.perhaps_paid() => TRIES_WHEN_PERHAPS_PAID,
                Some(429) => self.patience.tries + MORE_TRIES_WHEN_SLOWED,
                _ => self.patience.tries,
            };
            if tried >= most || !failure.can_pass() {
                return Err(failure);
            }
            let pause = self.pause(tried, failure.retry_after);
            tracing::warn!(tried, pause_ms = pause.as_millis(), "request failed, trying again: {failure}");
            if failure.status == Some(429) {
                self.pace.pause(pause);
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// What the endpoint asks for, at most the longest pause; else doubling pauses. Always with up to a quarter more,
    /// so that many workers do not return at the same moment.
    fn pause(&self, tried: u32, retry_after: Option<Duration>) -> Duration {
        let doubled = self.patience.first_pause.saturating_mul(1 << tried.saturating_sub(1).min(16));
        let pause = retry_after.unwrap_or(doubled).min(self.patience.longest_pause);
        (pause + pause.mul_f64(fastrand::f64() / 4.0)).min(self.patience.longest_pause)
    }

    /// One exchange; the body of a success is JSON that holds an answer.
    async fn once(&self, factory: &HttpRequestFactory) -> Result<Vec<u8>, Failure> {
        let request = factory.build().await.map_err(Failure::from_client)?;
        let mut response = self.client.execute(request).await.map_err(|error| Failure::transport(&error))?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| Failure::transport(&error))? {
            if body.len() + chunk.len() > MAX_BODY {
                return Err(Failure::new(Kind::TooLarge, format!("the response is larger than {} MB", MAX_BODY >> 20)));
            }
            body.extend_from_slice(&chunk);
        }
        if (200..300).contains(&status) && stream::is_stream(&headers) {
            body = stream::assembled(&headers, &body)?;
        }
        let body = in_one_form(body);
        check(status, &headers, &body).map(|()| body)
    }
}

fn rebuilt(body: Vec<u8>) -> Result<Response, Failure> {
    let response = http::Response::builder().status(200).body(body);
    response.map(Response::from).map_err(|error| Failure::new(Kind::Malformed, error.to_string()))
}

/// The body as chat completions have it; what is no answer of another form stays as it is.
fn in_one_form(body: Vec<u8>) -> Vec<u8> {
    match serde_json::from_slice::<Value>(&body) {
        Ok(value) if value.get("choices").is_none() && value.is_object() => {
            shape::as_chat(value).to_string().into_bytes()
        }
        _ => body,
    }
}

/// Whether a response is an answer, whatever its status says.
pub(super) fn check(status: u16, headers: &HeaderMap, body: &[u8]) -> Result<(), Failure> {
    if !(200..300).contains(&status) {
        return Err(Failure::of_response(status, headers, body));
    }
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return Err(Failure::not_json(status, headers, body));
    };
    let choices = value.get("choices").and_then(Value::as_array).map_or(0, Vec::len);
    if choices > 0 {
        return Ok(());
    }
    let holds_error = value.is_array() || value.get("error").is_some_and(|error| !error.is_null());
    if holds_error {
        return Err(Failure::of_response(status, headers, body));
    }
    Err(Failure::new(Kind::NoChoices, "the response holds no choices".to_owned()))
}

impl tower::Service<HttpRequestFactory> for Transport {
    type Response = Response;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Failure>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        Box::pin(self.clone().deliver(factory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_are_jittered_and_never_exceed_the_longest() {
        let patience = Patience {
            first_pause: Duration::from_millis(100),
            longest_pause: Duration::from_secs(2),
            ..Patience::default()
        };
        let endpoint = Endpoint { patience, ..Endpoint::new("http://127.0.0.1/v1", None) };
        unidebug_base::tls::use_ring();
        let transport = Transport::new(reqwest::Client::new(), &endpoint);
        for (tried, low, high) in [(1, 100, 125), (2, 200, 250), (3, 400, 500), (9, 2000, 2000), (u32::MAX, 2000, 2000)]
        {
            let pause = transport.pause(tried, None).as_millis();
            assert!((low..=high).contains(&pause), "{tried}: {pause} ms");
        }
        let longest = transport.pause(1, Some(Duration::from_secs(86_400)));
        assert_eq!(longest, Duration::from_secs(2));
        assert!(transport.pause(1, Some(Duration::from_millis(700))) >= Duration::from_millis(700));
    }
}
