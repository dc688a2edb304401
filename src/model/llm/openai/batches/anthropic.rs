//! Anthropic's batches of messages: the requests go in one body, the results come as lines in any order.

use super::{Came, Failed, Item, OpenAi, Stage, id_in, lines, segment, shape};
use crate::llm::openai::failure::Failure;
use serde_json::{Value, json};

const PATH: &str = "/messages/batches";
/// Batches that a list names.
const LISTED: u32 = 100;
/// How far the clocks of two machines may be apart, in seconds.
const CLOCKS: i64 = 300;

impl OpenAi {
    pub(super) async fn send_messages(&self, items: &[Item<'_>]) -> Result<String, Failure> {
        let requests: Vec<Value> =
            items.iter().map(|item| json!({"custom_id": item.id, "params": self.body(item.query)})).collect();
        let body = json!({"requests": requests});
        id_in(&self.json_about_batches(|| self.http.post(self.at(PATH)).json(&body), false).await?)
    }

    /// These batches have no name of our own: one of the same size that was made then is looked at, and told by the
    /// names of its requests when it is over.
    pub(super) async fn find_messages(&self, at: i64, count: usize, not: &[&str]) -> Result<Option<String>, Failure> {
        let list = format!("{}?limit={LISTED}", self.at(PATH));
        let found = self.json_about_batches(|| self.http.get(&list), true).await?;
        let fits = |batch: &&Value| {
            let counts = batch["request_counts"].as_object().into_iter().flatten();
            let total: u64 = counts.filter_map(|(_, count)| count.as_u64()).sum();
            let made = batch["created_at"].as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
            total == count as u64
                && made.is_some_and(|made| made.as_second() >= at - CLOCKS)
                && batch["id"].as_str().is_some_and(|id| !not.contains(&id))
        };
        let batch = found["data"].as_array().into_iter().flatten().find(fits);
        Ok(batch.and_then(|batch| batch["id"].as_str()).map(str::to_owned))
    }

    pub(super) async fn look_at_messages(&self, id: &str) -> Result<Stage, Failure> {
        let at = self.at(&format!("{PATH}/{}", segment(id)));
        let batch = self.json_about_batches(|| self.http.get(&at), true).await?;
        if batch["processing_status"] != "ended" {
            let counts = &batch["request_counts"];
            let done = ["succeeded", "errored"].iter().filter_map(|name| counts[*name].as_u64()).sum();
            return Ok(Stage::Working { done });
        }
        let results = self.about_batches(|| self.http.get(format!("{at}/results")), true).await?;
        Ok(Stage::Ended(lines(&results).filter_map(came).collect()))
    }
}

fn came(line: Value) -> Option<(String, Came)> {
    let id = line["custom_id"].as_str()?.to_owned();
    let result = &line["result"];
    let came = match result["type"].as_str()? {
        "succeeded" => Came::Answer(shape::as_chat(result["message"].clone())),
        "errored" => {
            let status = match result["error"]["error"]["type"].as_str().or(result["error"]["type"].as_str()) {
                Some("invalid_request_error") => 400,
                Some("authentication_error") => 401,
                Some("permission_error") => 403,
                Some("not_found_error") => 404,
                Some("request_too_large") => 413,
                Some("rate_limit_error") => 429,
                Some("overloaded_error") => 529,
                _ => 500,
            };
            Came::Failed(Failed::of(status, &result["error"]))
        }
        _ => Came::Nothing,
    };
    Some((id, came))
}
