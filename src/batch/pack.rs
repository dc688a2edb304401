//! A batch as one file for others: plan, frozen settings, journals, reports and patches, with the sum of each file. Who
//! has it repeats every run with `unidebug replay`, without a model and without a key.

use super::{BatchError, Plan, State};
use crate::journal::RunDir;
use camino::{Utf8Path, Utf8PathBuf};
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};

/// The list of what is in it.
pub(crate) const LIST: &str = "artifact.json";
/// Schema of the list.
const SCHEMA: u32 = 1;
/// What is taken of a run directory, beside its journal.
const OF_A_RUN: [&str; 6] =
    ["config.json", "report.json", "patch.diff", "developer.diff", "data_manifest.json", "sources.json"];
/// What is taken of the batch's folder.
const OF_THE_BATCH: [&str; 1] = ["plan.json"];

/// What an archive holds, with the sum of each file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct List {
    schema: u32,
    /// The program that packed it.
    pub version: String,
    /// Runs in it.
    pub runs: usize,
    /// SHA-256 of each file, by its path.
    pub files: BTreeMap<String, String>,
}

/// Packs what is over. `further` are files beside, by name; `is_clean` says whether nothing in a text looks like a secret.
///
/// # Errors
/// Nothing is over, a file holds what looks like a secret, or something cannot be read or written.
pub(crate) fn pack(
    folder: &Utf8Path,
    plan: &Plan,
    into: &Utf8Path,
    further: Vec<(String, Vec<u8>)>,
    is_clean: &dyn Fn(&str) -> bool,
) -> Result<List, BatchError> {
    let mut paths: Vec<Utf8PathBuf> = OF_THE_BATCH.iter().map(Utf8PathBuf::from).collect();
    let mut runs = 0;
    for unit in plan.units() {
        if matches!(unit.state(folder), State::Over(_)) {
            runs += 1;
            paths.extend(OF_A_RUN.iter().map(|name| unit.folder.join(name)));
            paths.push(RunDir::journal_in(&unit.folder));
        }
    }
    if runs == 0 {
        return Err(BatchError::Merge { what: format!("nothing in {folder} is over yet") });
    }
    let mut all = further;
    for path in paths {
        match std::fs::read(folder.join(&path)) {
            Ok(bytes) => all.push((path.to_string(), bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(io_at("reading what is packed", &folder.join(&path))(source)),
        }
    }
    if let Some((name, _)) = all.iter().find(|(_, bytes)| !is_clean(&String::from_utf8_lossy(bytes))) {
        return Err(BatchError::Merge {
            what: format!("{name} holds what looks like a secret, so nothing was packed"),
        });
    }
    let files = all.iter().map(|(name, bytes)| (name.clone(), HEXLOWER.encode(&Sha256::digest(bytes)))).collect();
    let list = List { schema: SCHEMA, version: env!("CARGO_PKG_VERSION").to_owned(), runs, files };
    write(into, &list, &all).map_err(io_at("writing the artifact", into))?;
    Ok(list)
}

/// One compressed archive with everything below one folder, whole or not at all.
fn write(into: &Utf8Path, list: &List, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    let parent = into.parent().filter(|parent| !parent.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
    std::fs::create_dir_all(parent)?;
    let mut file = tempfile::NamedTempFile::new_in(parent)?;
    let top = into.file_name().unwrap_or("artifact").trim_end_matches(".gz").trim_end_matches(".tar");
    let packed = flate2::write::GzEncoder::new(file.as_file_mut(), flate2::Compression::default());
    let mut archive = tar::Builder::new(packed);
    let list = serde_json::to_vec_pretty(list)?;
    let all = files.iter().map(|(name, bytes)| (name.as_str(), bytes)).chain([(LIST, &list)]);
    for (name, bytes) in all {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("{top}/{name}"), bytes.as_slice())?;
    }
    archive.into_inner()?.finish()?.flush()?;
    file.as_file().sync_all()?;
    file.persist(into).map_err(|error| error.error)?;
    Ok(())
}

/// Holds an unpacked artifact against its list; `None` where the folder is none. Gives what differs.
///
/// # Errors
/// The list or a file cannot be read.
pub(crate) fn unlike(folder: &Utf8Path) -> Result<Option<Vec<String>>, BatchError> {
    let path = folder.join(LIST);
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(io_at("reading the list of an artifact", &path)(source)),
    };
    let list: List =
        serde_json::from_slice(&text).map_err(|error| io_at("reading the list of an artifact", &path)(error.into()))?;
    let differs = |(name, sum): &(&String, &String)| {
        let inside = Utf8Path::new(name).components().all(|part| matches!(part, camino::Utf8Component::Normal(_)));
        let file = File::open(folder.join(name)).ok().filter(|_| inside);
        let found = file.and_then(|mut file| {
            let mut bytes = Vec::new();
            io::Read::read_to_end(&mut file, &mut bytes).ok()?;
            Some(HEXLOWER.encode(&Sha256::digest(&bytes)))
        });
        found.as_ref() != Some(*sum)
    };
    Ok(Some(list.files.iter().filter(differs).map(|(name, _)| name.clone()).collect()))
}

fn io_at(what: &'static str, path: &Utf8Path) -> impl FnOnce(io::Error) -> BatchError {
    let path = path.to_owned();
    move |source| BatchError::Io { what, path, source }
}
