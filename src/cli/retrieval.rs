//! What Helper may search beside the corpus that comes with the program: `--corpus` and `--web`.

use super::config::Config;
use super::error::Failure;
use super::event_sinks::EventSinks;
use super::models::Contact;
use crate::domain::{Event, EventSink};
use crate::journal::Past;
use crate::llm::{Redactor, Secret};
use crate::retrieve::{ENDPOINT, LocalIndex, RetrieveError, Solution, Source, Tavily, pairs};
use crate::tools::Workbench;
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Variable of the key.
const KEY: &str = "TAVILY_API_KEY";
/// Variable of another address than Tavily's own, for a proxy.
const ADDRESS: &str = "TAVILY_BASE_URL";

/// Further sources, checked before anything is compiled or paid for.
pub(super) struct Retrieval {
    corpora: Vec<Vec<pairs::Known>>,
    web: Web,
}

/// Whether the web may be searched.
enum Web {
    No,
    /// With this address and key.
    Endpoint(String, Secret),
    /// Only what was found before is there: nobody is contacted.
    Remembered,
}

impl Retrieval {
    /// Reads the corpora, and the key where the web may be searched.
    ///
    /// # Errors
    /// An unreadable corpus, no key.
    pub(super) fn open(config: &Config, contact: Contact<'_>) -> Result<Self, Failure> {
        let mut corpora = Vec::new();
        for path in &config.corpus {
            let loaded = pairs::load(path).map_err(|e| Failure::unusable(format!("--corpus: {e}"), FORMS))?;
            corpora.push(loaded);
        }
        let variable = |name| std::env::var(name).ok().filter(|text: &String| !text.trim().is_empty());
        let web = match (config.web, contact, variable(KEY)) {
            (false, ..) => Web::No,
            (true, Contact::None, _) => Web::Remembered,
            (true, _, Some(key)) => {
                Web::Endpoint(variable(ADDRESS).unwrap_or_else(|| ENDPOINT.into()), Secret::new(&key))
            }
            (true, _, None) => {
                let hint = format!("set {KEY}, or leave `--web` away: local corpora need no key");
                return Err(Failure::model("--web: no key for Tavily", hint));
            }
        };
        Ok(Self { corpora, web })
    }

    /// Puts the sources on the bench. Names of the project's own classes do not leave in a query.
    ///
    /// # Errors
    /// No TLS on this machine.
    pub(super) fn add_to(
        &self,
        bench: &mut Workbench,
        redactor: &Arc<Redactor>,
        event_sinks: &EventSinks,
    ) -> Result<(), Failure> {
        for corpus in &self.corpora {
            let fitting = pairs::of_language(corpus, bench.language.fence());
            bench.solutions.add(Arc::new(LocalIndex::of(fitting)));
        }
        let web = match &self.web {
            Web::No => return Ok(()),
            Web::Remembered => None,
            Web::Endpoint(address, key) => {
                let types = bench.index.files().iter().flat_map(|file| &file.types);
                let names = types.map(|kind| kind.simple_name().to_owned()).collect();
                let web = Tavily::new(address, key.clone(), redactor.clone(), names);
                Some(web.map_err(|e| Failure::unusable(e.to_string(), "leave `--web` away"))?)
            }
        };
        bench.solutions.add(Arc::new(Journaled {
            web,
            past: event_sinks.past.clone(),
            sink: event_sinks.sink.clone(),
        }));
        Ok(())
    }
}

/// The web behind the journal: what was searched before is not searched again, so that a run that goes on, or is
/// repeated, shows its agents the same.
struct Journaled {
    web: Option<Tavily>,
    past: Arc<Past>,
    sink: Arc<dyn EventSink>,
}

#[async_trait]
impl Source for Journaled {
    async fn search(&self, query: &str, most: usize) -> Result<Vec<Solution>, RetrieveError> {
        if let Some(Event::Retrieved { found, error, .. }) = self.past.retrieved(query) {
            return match error {
                Some(what) => Err(RetrieveError::Unreachable { what: what.clone() }),
                None => read(found).map(|mut found| {
                    found.truncate(most);
                    found
                }),
            };
        }
        let Some(web) = &self.web else {
            return Err(RetrieveError::Unreachable { what: "the recording holds no such search of the web".into() });
        };
        let result = web.search(query, most).await;
        let (found, error) = match &result {
            Ok(found) => (json!(found), None),
            Err(error) => (Value::Null, Some(error.to_string())),
        };
        let event = Event::Retrieved { query: query.to_owned(), sent: web.cleaned(query), found, error };
        // What is not kept could not be repeated: it counts as not found.
        let saved = self.sink.emit(&event);
        saved.map_err(|error| RetrieveError::Unreachable { what: format!("a search cannot be kept: {error}") })?;
        result
    }
}

fn read(found: &Value) -> Result<Vec<Solution>, RetrieveError> {
    let read = Vec::deserialize(found);
    read.map_err(|error| RetrieveError::Unreachable { what: format!("a search in the journal is damaged: {error}") })
}

/// What a corpus may be.
const FORMS: &str =
    "give JSON lines with `before` and `after`, a folder of them or of diffs, or one with rem.txt and add.txt";
