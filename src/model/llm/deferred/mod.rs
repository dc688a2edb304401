//! Requests that are not sent one by one but together, as batches of the vendor's, at half the price.
//!
//! A run that asks leaves its request in a folder and stops ([`Deferred`]); whoever works on all runs sends what lies
//! there, waits, and collects the answers ([`Post`]); the run goes on and finds its answer. The folder is all there is:
//! a batch is noted there before it is sent and by its id at once when it is, so that nothing is bought twice.
//!
//! ```text
//! requests/ID.json   what a run asked and has no answer to
//! batches/N.json     what was sent together, and under which id
//! answers/ID.json    what came, or why nothing will
//! ```

mod folder;
mod post;

pub use folder::Mailbox;
pub use post::{Post, PostError, Waiting};

use super::{Answer, ChatModel, ModelError, Prices, Query, answer_from, openai};
use folder::CachedAnswer;
use std::sync::Arc;

/// A model whose answers come with the next batch.
pub struct Deferred {
    mailbox: Mailbox,
    host: String,
    prices: Option<Arc<Prices>>,
}

impl Deferred {
    /// A model of this host; `prices` are those of batches.
    pub fn new(mailbox: Mailbox, host: String, prices: Option<Arc<Prices>>) -> Self {
        Self { mailbox, host, prices }
    }
}

#[async_trait::async_trait]
impl ChatModel for Deferred {
    fn endpoint(&self) -> String {
        self.host.clone()
    }

    async fn ask(&self, query: &Query) -> Result<Answer, ModelError> {
        let failed = |error: std::io::Error| {
            let folder = self.mailbox.folder();
            ModelError::Failed(format!("the folder of requests cannot be used: {error} ({folder})").into())
        };
        match self.mailbox.answer(query).map_err(failed)? {
            Some(CachedAnswer::Answer { response }) => {
                let usage = openai::usage(&response, query, self.prices.as_deref());
                Ok(answer_from(response, usage))
            }
            Some(CachedAnswer::Refused { why }) => Err(ModelError::BadRequest(why)),
            Some(CachedAnswer::TooLarge { why }) => Err(ModelError::ContextLength(why)),
            None => {
                self.mailbox.leave(query).map_err(failed)?;
                Err(ModelError::Deferred("the request waits for the next batch".to_owned()))
            }
        }
    }
}
