//! Bugs that stay on the bench between requests, so that the second patch meets a warm judge. A project whose files
//! changed is taken anew.

use super::listen::Listener;
use crate::benchmark::{self, LOCAL};
use crate::cli::config::Config;
use crate::cli::error::Failure;
use crate::cli::open::Opened;
use crate::cli::scratch::Scratch;
use crate::cli::{judge, strategy};
use crate::code::CodeIndex;
use crate::domain::BugId;
use crate::escalate::prepare::PrepareError;
use crate::language;
use crate::report::Tally;
use crate::tools::Workbench;
use camino::Utf8Path;
use ignore::WalkBuilder;
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::os::unix::fs::MetadataExt;
use std::sync::{Mutex, PoisonError};

/// Bugs that are kept. Each holds a test process, and on a large project some memory.
const MOST_WARM: usize = 3;

/// What a bug is prepared for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To judge patches: nobody looks for the fault.
    Judge,
    /// To find the fault and to run tests.
    Explore,
    /// To read its code, which may have no failing test.
    Read,
}

/// What a bug is prepared as.
pub(super) enum Held {
    /// With its failing tests.
    Bench(Box<Workbench>),
    /// Its code alone.
    Code(Box<CodeIndex>),
}

/// A bug that is ready.
pub(super) struct Warm {
    key: Key,
    /// The bench that holds it.
    pub held: Held,
    /// Who hears what is done with it.
    pub listener: Listener,
    _scratch: Scratch,
}

#[derive(PartialEq, Eq, Clone)]
struct Key {
    bug: BugId,
    failing: Vec<String>,
    purpose: Purpose,
    /// What the files were.
    files: Vec<u8>,
}

/// The bugs that are ready. One that is at work is with its request: what is cancelled does not come back.
#[derive(Default)]
pub(super) struct Benches(Mutex<VecDeque<Warm>>);

impl Benches {
    /// The bug, ready for its purpose.
    ///
    /// # Errors
    /// Everything that can be wrong with a bug.
    pub(super) async fn take(
        &self,
        bug: &BugId,
        config: &Config,
        purpose: Purpose,
        listener: &Listener,
    ) -> Result<Warm, Failure> {
        let key = Key { bug: bug.clone(), failing: config.failing.clone(), purpose, files: files_of(bug) };
        match self.find(&key) {
            Some(warm) => Ok(warm),
            None => open(key, config, listener.clone()).await,
        }
    }

    fn find(&self, key: &Key) -> Option<Warm> {
        let mut warm_benches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The same bug of other files is of no use any more.
        let same = |other: &Key| (&other.bug, &other.failing, other.purpose) == (&key.bug, &key.failing, key.purpose);
        warm_benches.retain(|warm| !same(&warm.key) || warm.key == *key);
        let at = warm_benches.iter().position(|warm| warm.key == *key)?;
        warm_benches.remove(at)
    }

    /// Keeps it for the next request.
    pub(super) fn put(&self, warm: Warm) {
        warm.listener.send_to(None);
        let mut warm_benches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        warm_benches.push_back(warm);
        while warm_benches.len() > MOST_WARM {
            warm_benches.pop_front();
        }
    }
}

async fn open(key: Key, config: &Config, listener: Listener) -> Result<Warm, Failure> {
    let opened = Opened::check(&benchmark::typed(&key.bug), config).await?.watched(listener.watcher());
    let scratch = Scratch::of("mcp")?;
    let sink = Tally::default();
    let held = match key.purpose {
        Purpose::Judge => Held::Bench(Box::new(opened.bench(scratch.path(), judge::wanted(config), &sink).await?)),
        Purpose::Explore => Held::Bench(Box::new(opened.bench(scratch.path(), strategy::plain(config), &sink).await?)),
        Purpose::Read => {
            let checkout = opened.checkout(scratch.path()).await?;
            let language = language::by_name(&checkout.language);
            let language = language.ok_or_else(|| PrepareError::NoLanguage { name: checkout.language.clone() })?;
            let (project, hidden) = (&checkout.project, strategy::hidden(config));
            Held::Code(Box::new(CodeIndex::without(
                &hidden,
                &checkout.root,
                &project.source_roots,
                &project.test_roots,
                language,
            )))
        }
    };
    Ok(Warm { key, held, listener, _scratch: scratch })
}

/// What tells the files of a project from what they were: names, sizes, and times that no program can set back.
fn files_of(bug: &BugId) -> Vec<u8> {
    if bug.benchmark != LOCAL {
        return Vec::new();
    }
    let mut hash = Sha256::new();
    let walk = WalkBuilder::new(Utf8Path::new(&bug.name))
        .standard_filters(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .sort_by_file_name(Ord::cmp)
        .build();
    for entry in walk.flatten() {
        if let Ok(about) = entry.metadata() {
            hash.update(entry.path().as_os_str().as_encoded_bytes());
            for number in [about.size().cast_signed(), about.ctime(), about.ctime_nsec(), about.mode().into()] {
                hash.update(number.to_le_bytes());
            }
        }
    }
    hash.finalize().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_written_again_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let bug = BugId { benchmark: LOCAL.into(), name: folder.path().to_str().unwrap().into() };
        let file = folder.path().join("a.py");
        std::fs::write(&file, "x = 1\n").unwrap();
        let before = files_of(&bug);
        assert_eq!(before, files_of(&bug));
        // As long, and with the old time of change: only the system's own clock tells.
        let time = std::fs::metadata(&file).unwrap().modified().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(&file, "x = 2\n").unwrap();
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
        assert_ne!(before, files_of(&bug));
    }
}
