//! Public repositories that requests name.

use super::shelf::{Answer, Shelf};
use super::upstream::public;
use crate::domain::Fingerprint;
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// More repositories than a build has.
const MOST: usize = 64;

/// Whom files are asked for that are not kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// The repository, if it is public.
    Public,
    Nobody,
}

/// One folder for each repository, so that a project gets back only what the repository of its choice gave.
pub(super) struct Named {
    folder: Utf8PathBuf,
    asks: Asks,
    shelves: Mutex<HashMap<String, Arc<Shelf>>>,
}

impl Named {
    pub(super) fn new(folder: &Utf8Path, asks: Asks) -> Self {
        Self { folder: folder.to_owned(), asks, shelves: Mutex::default() }
    }

    pub(super) async fn find(&self, url: &str, path: &Utf8Path) -> Answer {
        match self.shelf(url) {
            Some(shelf) => shelf.find(path).await,
            None => Answer::NotFound,
        }
    }

    /// `None` for what is no public repository, and beyond the number that any build has.
    fn shelf(&self, url: &str) -> Option<Arc<Shelf>> {
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = shelves.get(url) {
            return Some(known.clone());
        }
        if shelves.len() >= MOST {
            return None;
        }
        let store = self.folder.join(Fingerprint::default().add(url).name());
        let upstreams = if self.asks == Asks::Public { vec![public(url)?] } else { Vec::new() };
        let shelf = Arc::new(Shelf::new(&store, upstreams).ok()?);
        shelves.insert(url.to_owned(), shelf.clone());
        Some(shelf)
    }
}
