//! What is kept of a subject between runs of this program, under a name for exactly its content.

use super::{ValidateError, io_error};
use crate::benchmark::Checkout;
use camino::Utf8Path;
use sha2::{Digest, Sha256};

/// The first 24 digits of a hash: enough for a name.
pub(super) fn short_hash(digest: Sha256) -> String {
    digest.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

/// A name for exactly this content and build description, under what runs it.
pub(super) fn content_key(checkout: &Checkout, runner: &str) -> Result<String, ValidateError> {
    let mut digest = Sha256::new();
    let mut project = checkout.project.clone();
    // Compiled folders are content, wherever they lie.
    project.jdk = None;
    digest.update(format!("1 {project:?} {runner}"));
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
