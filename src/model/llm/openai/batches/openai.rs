//! OpenAI's batches: a file of requests is uploaded, a batch of it is made, and two files come: answers and errors.

use super::{Came, Failed, Item, OpenAi, Stage, id_in, lines, segment, shape};
use crate::domain::words::listed;
use crate::llm::openai::failure::Failure;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

/// The only time that a batch can be given.
const WINDOW: &str = "24h";
/// The name of ours in what may be attached to a batch.
const TAG: &str = "unidebug";
/// Batches that a list names.
const LISTED: u32 = 100;
/// Most errors of a refused batch that are shown.
const SHOWN_ERRORS: usize = 3;

impl OpenAi {
    pub(super) async fn send_file(&self, tag: &str, items: &[Item<'_>]) -> Result<String, Failure> {
        let api = items.first().map(|item| self.learned.of(&item.query.model).api);
        let url = format!("/v1{}", api.unwrap_or(self.api).path());
        let line = |item: &Item<'_>| {
            json!({"custom_id": item.id, "method": "POST", "url": url, "body": self.body(item.query)}).to_string()
                + "\n"
        };
        let file: String = items.iter().map(line).collect();
        let form =
            || Form::new().text("purpose", "batch").part("file", Part::text(file.clone()).file_name("requests.jsonl"));
        // A file costs nothing: it may be there twice.
        let uploaded = self.json_about_batches(|| self.http.post(self.at("/files")).multipart(form()), true).await?;
        let body = json!({
            "input_file_id": id_in(&uploaded)?, "endpoint": url, "completion_window": WINDOW, "metadata": {TAG: tag},
        });
        id_in(&self.json_about_batches(|| self.http.post(self.at("/batches")).json(&body), false).await?)
    }

    pub(super) async fn find_file(&self, tag: &str) -> Result<Option<String>, Failure> {
        let list = format!("{}?limit={LISTED}", self.at("/batches"));
        let found = self.json_about_batches(|| self.http.get(&list), true).await?;
        let batch = found["data"].as_array().into_iter().flatten().find(|batch| batch["metadata"][TAG] == tag);
        Ok(batch.and_then(|batch| batch["id"].as_str()).map(str::to_owned))
    }

    pub(super) async fn look_at_file(&self, id: &str) -> Result<Stage, Failure> {
        let at = self.at(&format!("/batches/{}", segment(id)));
        let batch = self.json_about_batches(|| self.http.get(&at), true).await?;
        match batch["status"].as_str().unwrap_or("") {
            "completed" | "expired" | "cancelled" => {
                let mut all = Vec::new();
                for file in ["output_file_id", "error_file_id"].iter().filter_map(|name| batch[*name].as_str()) {
                    let at = self.at(&format!("/files/{}/content", segment(file)));
                    let content = self.about_batches(|| self.http.get(&at), true).await?;
                    all.extend(lines(&content).filter_map(came));
                }
                Ok(Stage::Ended(all))
            }
            "failed" => {
                let errors = batch["errors"]["data"].as_array().into_iter().flatten();
                let messages: Vec<String> =
                    errors.filter_map(|error| error["message"].as_str()).map(str::to_owned).collect();
                Ok(Stage::Refused(format!("{} does not take a batch: {}", self.host, listed(&messages, SHOWN_ERRORS))))
            }
            _ => Ok(Stage::Working { done: batch["request_counts"]["completed"].as_u64().unwrap_or(0) }),
        }
    }
}

fn came(line: Value) -> Option<(String, Came)> {
    let id = line["custom_id"].as_str()?.to_owned();
    let response = &line["response"];
    let came = match response["status_code"].as_u64().and_then(|status| u16::try_from(status).ok()) {
        Some(200) => Came::Answer(shape::as_chat(response["body"].clone())),
        Some(status) => Came::Failed(Failed::of(status, &response["body"])),
        // Expired or cancelled before it was worked on.
        None => Came::Nothing,
    };
    Some((id, came))
}
