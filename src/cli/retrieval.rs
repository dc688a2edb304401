//! What Helper may search beside the corpus that comes with the program: `--corpus` and `--web`.

use super::config::Config;
use super::error::Failure;
use crate::llm::{Redactor, Secret};
use crate::retrieve::{ENDPOINT, LocalIndex, Source, Tavily, pairs};
use crate::tools::Workbench;
use std::sync::Arc;

/// Variable of the key.
const KEY: &str = "TAVILY_API_KEY";
/// Variable of another address than Tavily's own, for a proxy.
const ADDRESS: &str = "TAVILY_BASE_URL";

/// Further sources, checked before anything is compiled or paid for.
pub struct Retrieval {
    corpora: Vec<Arc<dyn Source>>,
    web: Option<(String, Secret)>,
}

impl Retrieval {
    /// Reads the corpora, and the key where the web may be searched.
    ///
    /// # Errors
    /// An unreadable corpus, no key.
    pub fn open(config: &Config) -> Result<Self, Failure> {
        let mut corpora: Vec<Arc<dyn Source>> = Vec::new();
        for path in &config.corpus {
            let loaded = pairs::load(path).map_err(|e| Failure::unusable(format!("--corpus: {e}"), FORMS))?;
            corpora.push(Arc::new(LocalIndex::of(loaded)));
        }
        let variable = |name| std::env::var(name).ok().filter(|text: &String| !text.trim().is_empty());
        let web = match (config.web, variable(KEY)) {
            (false, _) => None,
            (true, Some(key)) => Some((variable(ADDRESS).unwrap_or_else(|| ENDPOINT.into()), Secret::new(&key))),
            (true, None) => {
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
    pub fn add_to(&self, bench: &mut Workbench, redactor: &Arc<Redactor>) -> Result<(), Failure> {
        for corpus in &self.corpora {
            bench.solutions.add(corpus.clone());
        }
        if let Some((address, key)) = &self.web {
            let types = bench.index.files().iter().flat_map(|file| &file.types);
            let names = types.map(|kind| kind.simple_name().to_owned()).collect();
            let web = Tavily::new(address, key.clone(), redactor.clone(), names);
            let web = web.map_err(|e| Failure::unusable(e.to_string(), "leave `--web` away"))?;
            bench.solutions.add(Arc::new(web));
        }
        Ok(())
    }
}

/// What a corpus may be.
const FORMS: &str =
    "give JSON lines with `before` and `after`, a folder of them or of diffs, or one with rem.txt and add.txt";
