//! The folder of requests, batches and answers. Every file is there whole or not at all, and stays after a loss of power.

use super::super::{Query, key};
use crate::domain::Problem;
use camino::{Utf8Path, Utf8PathBuf};
use data_encoding::HEXLOWER;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Write};

const REQUESTS: &str = "requests";
const BATCHES: &str = "batches";
const ANSWERS: &str = "answers";
/// Bytes of an id: vendors take names of up to 64 letters.
const ID_BYTES: usize = 20;

/// A request that waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Request {
    /// What is asked.
    pub query: Query,
    /// How often it came back without an answer.
    #[serde(default)]
    pub tries: u32,
}

/// What came of a request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "came")]
pub(super) enum CachedAnswer {
    /// An answer, as a raw response.
    Answer {
        /// The response.
        response: Value,
    },
    /// The endpoint will not answer it.
    Refused {
        /// Its message.
        #[serde(flatten)]
        why: Problem,
    },
    /// The prompt is larger than the model's context.
    TooLarge {
        /// Its message.
        #[serde(flatten)]
        why: Problem,
    },
}

/// Requests that were sent together.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Sent {
    /// A name of our own, by which a batch is found that was sent by a process that died then.
    pub tag: String,
    /// When it was about to be sent, in seconds since 1970.
    pub at: i64,
    /// The vendor's id, as soon as it is known.
    pub id: Option<String>,
    /// Ids of its requests.
    pub requests: Vec<String>,
    /// Ids of batches that turned out to be others.
    #[serde(default)]
    pub not: Vec<String>,
    /// Whether its answers are here.
    #[serde(default)]
    pub over: bool,
}

/// Where one run leaves its requests.
#[derive(Debug, Clone)]
pub struct Mailbox {
    folder: Utf8PathBuf,
    run: String,
}

impl Mailbox {
    /// That of a run, which is known by a name of its own.
    pub fn of(folder: &Utf8Path, run: &str) -> Self {
        Self { folder: folder.to_owned(), run: run.to_owned() }
    }

    pub(super) fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    /// What came of a request of this run, when something did.
    pub(super) fn answer(&self, query: &Query) -> io::Result<Option<CachedAnswer>> {
        read(&place(&self.folder, ANSWERS, &self.id(query)))
    }

    /// Leaves a request; it may lie there already.
    pub(super) fn leave(&self, query: &Query) -> io::Result<()> {
        let at = place(&self.folder, REQUESTS, &self.id(query));
        if at.exists() { Ok(()) } else { write(&at, &Request { query: query.clone(), tries: 0 }) }
    }

    /// The same request of another run is another one: its answer is drawn anew.
    fn id(&self, query: &Query) -> String {
        let digest = Sha256::digest(format!("{}\n{}", self.run, key(query)));
        HEXLOWER.encode(&digest[..ID_BYTES])
    }
}

/// The same folder for whoever sends and collects.
#[derive(Debug, Clone)]
pub(super) struct Store(pub Utf8PathBuf);

impl Store {
    /// Requests that wait, by id, in a steady order.
    pub(super) fn requests(&self) -> io::Result<Vec<(String, Request)>> {
        names(&self.0.join(REQUESTS))?
            .into_iter()
            .filter_map(|id| read(&place(&self.0, REQUESTS, &id)).transpose().map(|request| Ok((id, request?))))
            .collect()
    }

    /// Batches by number.
    pub(super) fn batches(&self) -> io::Result<Vec<(String, Sent)>> {
        names(&self.0.join(BATCHES))?
            .into_iter()
            .filter_map(|nth| read(&place(&self.0, BATCHES, &nth)).transpose().map(|sent| Ok((nth, sent?))))
            .collect()
    }

    pub(super) fn keep_batch(&self, nth: &str, sent: &Sent) -> io::Result<()> {
        write(&place(&self.0, BATCHES, nth), sent)
    }

    /// Keeps what came of a request, and only then takes the request away.
    pub(super) fn keep_answer(&self, id: &str, answer: &CachedAnswer) -> io::Result<()> {
        write(&place(&self.0, ANSWERS, id), answer)?;
        match std::fs::remove_file(place(&self.0, REQUESTS, id)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    pub(super) fn keep_request(&self, id: &str, request: &Request) -> io::Result<()> {
        write(&place(&self.0, REQUESTS, id), request)
    }

    /// The lock that one sender has at a time.
    pub(super) fn lock(&self) -> io::Result<File> {
        std::fs::create_dir_all(&self.0)?;
        let lock = File::options().create(true).truncate(false).write(true).open(self.0.join("lock"))?;
        lock.lock()?;
        Ok(lock)
    }
}

fn place(folder: &Utf8Path, kind: &str, name: &str) -> Utf8PathBuf {
    folder.join(kind).join(format!("{name}.json"))
}

fn names(folder: &Utf8Path) -> io::Result<Vec<String>> {
    let entries = match folder.read_dir_utf8() {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let names: io::Result<Vec<_>> = entries.map(|entry| Ok(entry?.file_name().to_owned())).collect();
    let mut names: Vec<String> =
        names?.iter().filter_map(|name| Some(name.strip_suffix(".json")?.to_owned())).collect();
    names.sort();
    Ok(names)
}

fn read<T: DeserializeOwned>(path: &Utf8Path) -> io::Result<Option<T>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn write(path: &Utf8Path, value: &impl Serialize) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Utf8Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec(value)?)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}
