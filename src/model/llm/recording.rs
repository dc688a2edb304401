//! Recordings: what was asked and answered, on disk.

use super::{Answer, ChatModel, ModelError, Query, Redactor, key};
use crate::domain::Usage;
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Schema of recordings.
const SCHEMA: u64 = 1;
/// Name of the file in a folder of recordings.
pub(super) const FILE: &str = "recording.jsonl";

/// Why a recording cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The system refused.
    #[error("cannot use the recording `{path}`: {cause}")]
    Io {
        /// The file.
        path: Utf8PathBuf,
        /// The error of the system.
        cause: std::io::Error,
    },
    /// A line is no record.
    #[error("`{path}`:{line}: {what}")]
    Malformed {
        /// The file.
        path: Utf8PathBuf,
        /// Line counted from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A newer program made it.
    #[error("`{path}` was made by {made_by} with schema {schema}, and this program reads up to {SCHEMA}")]
    Newer {
        /// The file.
        path: Utf8PathBuf,
        /// Its schema.
        schema: u64,
        /// The program and version that made it.
        made_by: String,
    },
}

impl RecordingError {
    /// What to do about it, in one sentence without a full stop.
    pub fn hint(&self) -> String {
        match self {
            Self::Io { .. } => format!("give a folder made by --record, or its {FILE}"),
            Self::Malformed { .. } => "the file is no recording, or was changed by hand".into(),
            Self::Newer { made_by, .. } => format!("use {made_by}"),
        }
    }
}

/// One request with its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// Content key of the request.
    pub key: String,
    /// The request.
    pub request: Query,
    /// The raw response.
    pub response: Value,
    /// What it cost.
    pub usage: Usage,
}

/// A model whose answers are kept.
pub struct Recorder {
    inner: Arc<dyn ChatModel>,
    redactor: Arc<Redactor>,
    path: Utf8PathBuf,
    file: Mutex<File>,
}

impl Recorder {
    /// Records into `folder`, behind what a recording there holds already.
    ///
    /// # Errors
    /// The folder cannot be written, or holds something else under the name of a recording.
    pub fn create(
        inner: Arc<dyn ChatModel>,
        folder: &Utf8Path,
        redactor: Arc<Redactor>,
    ) -> Result<Self, RecordingError> {
        let path = folder.join(FILE);
        let io = |cause| RecordingError::Io { path: path.clone(), cause };
        std::fs::create_dir_all(folder).map_err(io)?;
        let whole = match std::fs::read(&path) {
            Ok(bytes) if !bytes.is_empty() => read(&path, &bytes)?.1,
            _ => 0,
        };
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(io)?;
        file.set_len(whole as u64).map_err(io)?;
        if whole == 0 {
            let head = json!({"schema": SCHEMA, "made_by": concat!("unidebug ", env!("CARGO_PKG_VERSION"))});
            writeln!(file, "{head}").and_then(|()| file.sync_all()).map_err(io)?;
        }
        Ok(Self { inner, redactor, path, file: Mutex::new(file) })
    }
}

#[async_trait::async_trait]
impl ChatModel for Recorder {
    fn endpoint(&self) -> String {
        self.inner.endpoint()
    }

    async fn ask(&self, query: &Query) -> Result<Answer, ModelError> {
        let answer = self.inner.ask(query).await?;
        let response = self.redactor.value(&answer.raw);
        let exchange = Exchange { key: key(query), request: query.clone(), response, usage: answer.usage };
        let written = serde_json::to_string(&exchange).map_err(std::io::Error::from).and_then(|line| {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.write_all(format!("{line}\n").as_bytes()).and_then(|()| file.sync_data())
        });
        written.map_err(|cause| {
            ModelError::Failed(format!("cannot write the recording `{}`: {cause}", self.path).into())
        })?;
        Ok(answer)
    }
}

/// Exchanges of a file, and the bytes they take; half a line at the end, which a killed process leaves, is passed over.
pub(super) fn read(path: &Utf8Path, bytes: &[u8]) -> Result<(Vec<Exchange>, usize), RecordingError> {
    let malformed =
        |index: usize, what: String| RecordingError::Malformed { path: path.to_owned(), line: index + 1, what };
    let (mut exchanges, mut whole) = (Vec::new(), 0);
    for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        if !line.ends_with(b"\n") {
            break;
        }
        if index == 0 {
            let head: Value = serde_json::from_slice(line).map_err(|error| malformed(index, error.to_string()))?;
            let schema = head["schema"].as_u64().ok_or_else(|| malformed(0, "it tells no schema".to_owned()))?;
            if schema > SCHEMA {
                let made_by = head["made_by"].as_str().unwrap_or("a newer program").to_owned();
                return Err(RecordingError::Newer { path: path.to_owned(), schema, made_by });
            }
        } else {
            exchanges.push(serde_json::from_slice(line).map_err(|error| malformed(index, error.to_string()))?);
        }
        whole += line.len();
    }
    Ok((exchanges, whole))
}
