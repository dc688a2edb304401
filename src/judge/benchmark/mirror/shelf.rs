//! What is kept of repositories, and where the rest comes from.

use super::{ID, Upstream, upstream};
use camino::{Utf8Path, Utf8PathBuf};
use data_encoding::HEXLOWER;
use sha1::{Digest, Sha1};
use std::io;

/// Files with the sums of others.
const SUMS: &[&str] = &[".sha1", ".md5", ".sha256", ".sha512", ".asc"];

/// What came of a request.
pub(super) enum Answer {
    File(Vec<u8>),
    /// No repository has it.
    NotFound,
    /// Some repository could not be asked.
    Unreachable(String),
}

/// A folder as Maven lays out a repository, and the repositories that fill it; without any it hands out what it has.
pub(super) struct Shelf {
    store: Utf8PathBuf,
    /// A repository of this machine, which is looked at before any other is asked.
    local: Option<Utf8PathBuf>,
    upstreams: Vec<upstream::Connected>,
}

impl Shelf {
    pub(super) fn new(store: &Utf8Path, upstreams: Vec<Upstream>) -> io::Result<Self> {
        let upstreams = upstreams.into_iter().map(Upstream::connected).collect::<io::Result<_>>()?;
        Ok(Self { store: store.to_owned(), local: None, upstreams })
    }

    /// The same that takes from a repository of this machine what is there.
    pub(super) fn beside(self, local: Option<Utf8PathBuf>) -> Self {
        Self { local, ..self }
    }

    pub(super) async fn find(&self, path: &Utf8Path) -> Answer {
        let file = self.kept_as(path);
        // Releases never change; what is said about versions does.
        let changes = path.as_str().contains("-SNAPSHOT/") || is_metadata(path);
        if !changes && let Some(bytes) = self.read(&file) {
            return Answer::File(bytes);
        }
        let local = self.local.as_ref().filter(|_| !changes).map(|local| local.join(path));
        if let Some(bytes) = local.and_then(|file| std::fs::read(file).ok()) {
            self.keep(path, &bytes);
            return Answer::File(bytes);
        }
        let mut out_of_reach = None;
        for upstream in &self.upstreams {
            match self.fetch(upstream, path).await {
                Ok(Some(bytes)) => return Answer::File(bytes),
                Ok(None) => {}
                Err(why) => out_of_reach = Some(why),
            }
        }
        match (out_of_reach, self.read(&file)) {
            (Some(_), Some(bytes)) => Answer::File(bytes),
            (Some(why), None) => Answer::Unreachable(why),
            (None, Some(bytes)) if self.upstreams.is_empty() => Answer::File(bytes),
            (None, _) => Answer::NotFound,
        }
    }

    /// Where Maven looks for a file of one mirror.
    fn kept_as(&self, path: &Utf8Path) -> Utf8PathBuf {
        let name = path.file_name().unwrap_or_default();
        let local = name.strip_prefix("maven-metadata.xml").map(|end| format!("maven-metadata-{ID}.xml{end}"));
        self.store.join(path).with_file_name(local.as_deref().unwrap_or(name))
    }

    fn read(&self, file: &Utf8Path) -> Option<Vec<u8>> {
        let bytes = std::fs::read(file).ok()?;
        // What names the repository it came from would only be used for that one; not there, it does not matter.
        let _ = std::fs::remove_file(file.with_file_name("_remote.repositories"));
        Some(bytes)
    }

    /// Fetches a file whose sum fits and keeps both.
    async fn fetch(&self, upstream: &upstream::Connected, path: &Utf8Path) -> Result<Option<Vec<u8>>, String> {
        let Some(bytes) = upstream.get(path.as_str()).await? else { return Ok(None) };
        if !SUMS.iter().any(|end| path.as_str().ends_with(end)) {
            let sum = format!("{path}.sha1");
            if let Some(published) = upstream.get(&sum).await? {
                let wanted =
                    String::from_utf8_lossy(&published).split_whitespace().next().unwrap_or_default().to_lowercase();
                if wanted != HEXLOWER.encode(&Sha1::digest(&bytes)) {
                    return Err(format!("the sum of {path} is wrong"));
                }
                self.keep(Utf8Path::new(&sum), &published);
            }
        }
        self.keep(path, &bytes);
        Ok(Some(bytes))
    }

    /// Keeping is for the next time only, so a full disk is no error here.
    fn keep(&self, path: &Utf8Path, bytes: &[u8]) {
        let file = self.kept_as(path);
        let Some(folder) = file.parent() else { return };
        let written = std::fs::create_dir_all(folder).and_then(|()| {
            let new = tempfile::NamedTempFile::new_in(folder)?;
            std::fs::write(new.path(), bytes)?;
            let _ = std::fs::remove_file(file.with_file_name("_remote.repositories"));
            new.persist(&file).map_err(|error| error.error)
        });
        if let Err(error) = written {
            tracing::warn!("{file} is not kept: {error}");
        }
    }
}

fn is_metadata(path: &Utf8Path) -> bool {
    path.file_name().is_some_and(|name| name.starts_with("maven-metadata"))
}
