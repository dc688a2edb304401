//! What is kept of a subject between runs of this program, under a name for exactly its content.

use crate::benchmark::Checkout;
use crate::benchmark::jdk::Jdk;
use crate::validate::jvm::{Harness, short_hash};
use crate::validate::{ValidateError, io_error};
use camino::Utf8Path;
use sha2::{Digest, Sha256};
use std::time::Duration;

/// What nobody opened for so long is made again when it is needed.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

/// Removes what was not made or opened for a month, so that the cache does not grow for ever.
pub(super) fn forget_old(projects: &Utf8Path) {
    for entry in projects.read_dir_utf8().into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age > KEPT_FOR) {
            // Another process may be faster; then there is nothing left to do.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// A name for exactly this content, build description, JDK and runner.
pub(super) fn content_key(
    checkout: &Checkout,
    jdk: &Jdk,
    harness: &Harness,
    heap_mib: u64,
) -> Result<String, ValidateError> {
    let mut digest = Sha256::new();
    let mut project = checkout.project.clone();
    // Compiled folders are content, wherever they lie.
    project.jdk = None;
    digest.update(format!("1 {project:?} {heap_mib} {} {} {}", jdk.home, jdk.version, harness.hash));
    let mut walk = ignore::WalkBuilder::new(&checkout.root);
    walk.standard_filters(false).sort_by_file_path(std::cmp::Ord::cmp);
    for entry in walk.build().flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())) {
        let Some(path) = Utf8Path::from_path(entry.path()) else { continue };
        let bytes = std::fs::read(path).map_err(io_error("reading the checkout", path))?;
        digest.update(path.strip_prefix(&checkout.root).unwrap_or(path).as_str());
        digest.update([0]);
        digest.update(bytes.len().to_le_bytes());
        digest.update(bytes);
    }
    for path in &checkout.project.class_path {
        let size = path.metadata().map_or(0, |meta| meta.len());
        digest.update(format!("{path} {size}"));
    }
    Ok(short_hash(digest))
}
