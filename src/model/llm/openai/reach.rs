//! First contact: is the endpoint there, does it take the key, does it know the model? Asked before the baseline, so
//! that nobody waits minutes to learn of a misspelt name.

use super::super::ModelError;
use super::OpenAi;
use super::endpoint::headers;
use super::failure::{Failure, Kind, Target, refused_key};
use crate::domain::Problem;
use serde_json::Value;
use std::sync::atomic::Ordering;

/// Most names listed beside one that is unknown.
const NEAREST: usize = 3;

impl OpenAi {
    /// Reads the endpoint's list of models. A server without such a list is accepted when it answers at all; nothing
    /// is paid. Takes at most [`super::Patience::first_contact`].
    ///
    /// # Errors
    /// The endpoint cannot be reached, refuses the key, or lists its models without this one.
    pub async fn reach(&self, model: &str) -> Result<(), ModelError> {
        let limit = self.endpoint.patience.first_contact;
        match tokio::time::timeout(limit, self.first_contact(model)).await {
            Ok(result) => result,
            Err(_) => {
                let late = Failure::new(Kind::Connect, format!("no answer within {} s", limit.as_secs_f32().round()));
                Err(self.classified(&late, model))
            }
        }
    }

    async fn first_contact(&self, model: &str) -> Result<(), ModelError> {
        let (status, body) =
            self.get(&self.endpoint.base_url, "/models").await.map_err(|failure| self.classified(&failure, model))?;
        self.reached.store(true, Ordering::Relaxed);
        match status {
            401..=403 => {
                let refusal = Failure::of_response(status, &reqwest::header::HeaderMap::new(), &body);
                Err(ModelError::Auth(refused_key(format!("{}: {refusal}", self.host), self.endpoint.key.as_ref())))
            }
            200 if body.trim_ascii_start().starts_with(b"<") => {
                let page = Failure::not_json(status, &reqwest::header::HeaderMap::new(), &body);
                Err(page.classify(&Target { host: &self.host, model, key: None, reached: true }))
            }
            200 => self.known(model, &listed(&body)).await,
            404 => self.forgotten_version().await,
            _ => Ok(()),
        }
    }

    /// A server that has nothing at `/models` but a list at `/v1/models` was given by the wrong address.
    async fn forgotten_version(&self) -> Result<(), ModelError> {
        let with_version = format!("{}/v1", self.endpoint.base_url);
        match self.get(&with_version, "/models").await {
            Ok((200, body)) if !listed(&body).is_empty() => Err(ModelError::Unreachable(Problem::with_hint(
                format!("{} has no OpenAI-compatible interface at `{}`", self.host, self.endpoint.base_url),
                format!("use `{with_version}`"),
            ))),
            _ => Ok(()),
        }
    }

    async fn known(&self, model: &str, models: &[String]) -> Result<(), ModelError> {
        // Lists show dated or tagged names for what is asked by a shorter or longer one.
        let is_alias = |listed: &String| {
            let (short, long) =
                if listed.len() < model.len() { (listed.as_str(), model) } else { (model, listed.as_str()) };
            let stem = short.trim_end_matches("latest").trim_end_matches(['-', ':']);
            !stem.is_empty()
                && long.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':', '@']))
        };
        if models.is_empty() || models.iter().any(is_alias) {
            return Ok(());
        }
        if let Ok((200, _)) = self.get(&self.endpoint.base_url, &format!("/models/{model}")).await {
            return Ok(());
        }
        let mut nearest: Vec<&String> = models.iter().collect();
        nearest.sort_by(|a, b| strsim::jaro_winkler(b, model).total_cmp(&strsim::jaro_winkler(a, model)));
        let nearest = nearest.into_iter().take(NEAREST).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        Err(ModelError::UnknownModel(Problem::with_hint(
            format!("{} does not know the model `{model}` (it lists {})", self.host, models.len()),
            format!("nearest: {nearest}"),
        )))
    }

    async fn get(&self, base: &str, path: &str) -> Result<(u16, Vec<u8>), Failure> {
        let headers = headers(self.endpoint.key.as_ref(), self.api).unwrap_or_default();
        let request = self.http.get(format!("{base}{path}")).headers(headers);
        let response = request.send().await.map_err(|error| Failure::transport(&error))?;
        let status = response.status().as_u16();
        let body = response.bytes().await.map_err(|error| Failure::transport(&error))?;
        Ok((status, body.to_vec()))
    }
}

/// Names of models in a list of any of the usual shapes.
fn listed(body: &[u8]) -> Vec<String> {
    let Ok(value) = serde_json::from_slice::<Value>(body) else { return Vec::new() };
    let list = value.get("data").or_else(|| value.get("models")).unwrap_or(&value);
    let names = list.as_array().into_iter().flatten();
    let name = |item: &Value| {
        let text = item.as_str().or_else(|| item["id"].as_str()).or_else(|| item["name"].as_str())?;
        Some(text.strip_prefix("models/").unwrap_or(text).to_owned())
    };
    names.filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn lists_of_models_are_read_in_all_shapes() {
        assert_eq!(listed(br#"{"data": [{"id": "a"}, {"id": "models/b"}]}"#), ["a", "b"]);
        assert_eq!(listed(br#"{"models": [{"name": "c"}]}"#), ["c"]);
        assert_eq!(listed(br#"["d"]"#), ["d"]);
        assert!(listed(b"{\"data\": 3}").is_empty() && listed(b"<html>").is_empty());
    }
}
