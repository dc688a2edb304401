//! Sends what waits as batches, waits for them and collects the answers; a process that goes on finds the batches that
//! an earlier one sent, however long ago.

use super::super::openai::{Came, Item, Stage};
use super::super::{ModelError, OpenAi};
use super::folder::{CachedAnswer, Request, Sent, Store};
use camino::Utf8PathBuf;
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How often a request may come back without an answer: expired, cancelled, failed at the endpoint.
const TRIES: u32 = 3;
/// Most requests of a batch, below what any vendor takes.
const MOST_REQUESTS: usize = 10_000;
/// Most bytes of their texts.
const MOST_BYTES: usize = 90 << 20;

/// Why answers cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// The endpoint will not do it.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The folder cannot be read or written.
    #[error("the folder of requests cannot be used: {0}")]
    Io(#[from] io::Error),
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Waiting {
    /// Batches on their way.
    pub batches: usize,
    /// Requests in them.
    pub requests: usize,
    /// Of these, requests that the endpoint has worked on, where it says so.
    pub done: u64,
}

/// The sender of one folder.
pub struct Post {
    model: OpenAi,
    store: Store,
    /// Between two looks at a batch.
    pause: Duration,
    /// Called right before and right after a batch is sent: tests end the process there.
    moment: fn(&str),
}

impl Post {
    /// A sender of what runs leave in this folder.
    pub fn new(model: OpenAi, folder: Utf8PathBuf, pause: Duration, moment: fn(&str)) -> Self {
        Self { model, store: Store(folder), pause, moment }
    }

    /// The folder.
    pub fn folder(&self) -> &Utf8PathBuf {
        &self.store.0
    }

    /// Asks whether the endpoint is there and knows the model.
    ///
    /// # Errors
    /// As [`OpenAi::reach`].
    pub async fn reach(&self, model: &str) -> Result<(), ModelError> {
        self.model.reach(model).await
    }

    /// Until every request has come to something: collects what was sent, sends what waits. Gives whether there was
    /// anything to do.
    ///
    /// # Errors
    /// The endpoint refuses to work, or the folder cannot be used; what is on its way is collected the next time.
    pub async fn exchange(&self, tell: &(dyn Fn(Waiting) + Sync)) -> Result<bool, PostError> {
        let _lock = self.store.lock()?;
        let mut any = false;
        loop {
            let open: Vec<_> = self.store.batches()?.into_iter().filter(|(_, sent)| !sent.over).collect();
            if open.is_empty() && !self.send_all().await? {
                return Ok(any);
            }
            any = true;
            let mut waiting = Waiting { batches: open.len(), ..Waiting::default() };
            for (nth, sent) in open {
                waiting.requests += sent.requests.len();
                waiting.done += self.collect(&nth, sent).await?;
            }
            if waiting.batches > 0 && self.store.batches()?.iter().any(|(_, sent)| !sent.over) {
                tell(waiting);
                tokio::time::sleep(self.pause).await;
            }
        }
    }

    /// Sends everything that waits; whether anything does.
    async fn send_all(&self) -> Result<bool, PostError> {
        let mut begun = self.store.batches()?.len();
        let waiting = self.store.requests()?;
        for part in parts(&self.model, &waiting) {
            begun += 1;
            self.send(&format!("{begun:05}"), &part).await?;
        }
        Ok(!waiting.is_empty())
    }

    /// Notes what is about to be sent, sends it, and notes under which id.
    async fn send(&self, nth: &str, items: &[Item<'_>]) -> Result<(), PostError> {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let mut sent = Sent {
            tag: format!("unidebug-{:016x}", fastrand::u64(..)),
            at: i64::try_from(at).unwrap_or(0),
            id: None,
            requests: items.iter().map(|item| item.id.to_owned()).collect(),
            not: Vec::new(),
            over: false,
        };
        self.store.keep_batch(nth, &sent)?;
        (self.moment)("batch.before");
        match self.model.send_batch(&sent.tag, items).await {
            Ok(id) => {
                (self.moment)("batch.sent");
                sent.id = Some(id);
                self.store.keep_batch(nth, &sent)?;
                (self.moment)("batch.noted");
                Ok(())
            }
            // It may have arrived all the same: it is looked for before anything is sent again.
            Err(ModelError::Failed(why)) => {
                tracing::warn!("a batch may not have arrived: {why}");
                Ok(())
            }
            Err(refused) => {
                self.store.keep_batch(nth, &Sent { over: true, ..sent })?;
                Err(refused.into())
            }
        }
    }

    /// Takes what a batch came to; gives how many of its requests are worked on while it is not over.
    async fn collect(&self, nth: &str, mut sent: Sent) -> Result<u64, PostError> {
        let Some(id) = sent.id.clone() else { return self.look_for(nth, sent).await };
        match self.model.look_at_batch(&id).await {
            Ok(Stage::Working { done }) => Ok(done),
            Ok(Stage::Ended(came)) => {
                let ours = |name: &str| sent.requests.iter().any(|request| request == name);
                if !came.is_empty() && !came.iter().any(|(name, _)| ours(name)) {
                    sent.not.push(id);
                    sent.id = None;
                    self.store.keep_batch(nth, &sent)?;
                    return Ok(0);
                }
                self.keep(&sent, came)?;
                self.store.keep_batch(nth, &Sent { over: true, ..sent })?;
                Ok(0)
            }
            Ok(Stage::Refused(why)) => {
                self.store.keep_batch(nth, &Sent { over: true, ..sent })?;
                Err(ModelError::BadRequest(why.into()).into())
            }
            Err(ModelError::Failed(why)) => {
                tracing::warn!("a batch cannot be looked at now: {why}");
                Ok(0)
            }
            Err(other) => Err(other.into()),
        }
    }

    /// A batch without an id: the process that sent it died, or its answer was lost. It is taken over where the endpoint
    /// has it; else it never arrived, and its requests wait again.
    async fn look_for(&self, nth: &str, mut sent: Sent) -> Result<u64, PostError> {
        let known: Vec<String> = self.store.batches()?.into_iter().filter_map(|(_, other)| other.id).collect();
        let not: Vec<&str> = known.iter().chain(&sent.not).map(String::as_str).collect();
        match self.model.find_batch(&sent.tag, sent.at, sent.requests.len(), &not).await {
            Ok(Some(id)) => sent.id = Some(id),
            Ok(None) => sent.over = true,
            Err(ModelError::Failed(why)) => {
                tracing::warn!("batches cannot be listed now: {why}");
                return Ok(0);
            }
            Err(other) => return Err(other.into()),
        }
        self.store.keep_batch(nth, &sent)?;
        Ok(0)
    }

    /// Keeps every answer; what has none waits again, unless it did so too often.
    fn keep(&self, sent: &Sent, came: Vec<(String, Came)>) -> Result<(), PostError> {
        let mut open: std::collections::BTreeMap<String, Request> = self.store.requests()?.into_iter().collect();
        open.retain(|id, _| sent.requests.contains(id));
        for (id, came) in came {
            let Some(request) = open.get(&id) else { continue };
            let answer = match came {
                Came::Answer(response) => CachedAnswer::Answer { response },
                Came::Failed(failed) => match self.model.error_of(&request.query, &failed) {
                    // A parameter that was refused is left out the next time.
                    None => {
                        open.remove(&id);
                        continue;
                    }
                    Some(ModelError::ContextLength(why)) => CachedAnswer::TooLarge { why },
                    Some(ModelError::Failed(why)) => {
                        tracing::warn!("a request of a batch failed: {why}");
                        continue;
                    }
                    Some(other) => CachedAnswer::Refused { why: other.into_problem() },
                },
                Came::Nothing => continue,
            };
            self.store.keep_answer(&id, &answer)?;
            open.remove(&id);
        }
        for (id, mut request) in open {
            request.tries += 1;
            if request.tries < TRIES {
                self.store.keep_request(&id, &request)?;
            } else {
                let why = format!("the batch endpoint gave no answer in {TRIES} batches");
                self.store.keep_answer(&id, &CachedAnswer::Refused { why: why.into() })?;
            }
        }
        Ok(())
    }
}

/// What is sent together: requests of one model, in a form that one batch can have.
fn parts<'a>(model: &OpenAi, waiting: &'a [(String, Request)]) -> Vec<Vec<Item<'a>>> {
    let mut parts: Vec<Vec<Item<'a>>> = Vec::new();
    let mut bytes = 0;
    for (id, request) in waiting {
        let item = Item { id, query: &request.query };
        let size: usize = request.query.messages.iter().map(|message| message.content.len()).sum();
        bytes += size;
        match parts.iter_mut().rev().find(|part| model.share_a_batch(part[0].query, item.query)) {
            Some(part) if part.len() < MOST_REQUESTS && bytes < MOST_BYTES => part.push(item),
            _ => {
                bytes = size;
                parts.push(vec![item]);
            }
        }
    }
    parts
}
