//! What is kept of a subject between runs of this program, under a name for exactly its content.

use crate::benchmark::Checkout;
use crate::benchmark::jdk::Jdk;
use crate::validate::jvm::{Harness, short_hash};
use crate::validate::{ValidateError, io_error};
use camino::Utf8Path;
use sha2::{Digest, Sha256};

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
