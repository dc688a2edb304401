//! What is kept of a subject between runs of this program, under a name for exactly its content.

use super::{ValidateError, io_error};
use crate::benchmark::Checkout;
use camino::Utf8Path;
use sha2::{Digest, Sha256};

/// What build tools write down of their own runs, below the folder they build into: paths and times of this run, no code.
const RECORDS: &[(&str, &[&str])] =
    &[("target", &["maven-status", "maven-archiver", "surefire-reports"]), ("build", &["tmp", "reports"])];
/// The same, wherever it lies.
const OWN_FOLDERS: &[&str] = &[".gradle"];

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
    walk.standard_filters(false).sort_by_file_path(std::cmp::Ord::cmp).filter_entry(|entry| !is_record(entry));
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

/// Whether a folder holds a build tool's records.
fn is_record(entry: &ignore::DirEntry) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let name = entry.file_name().to_str().unwrap_or_default();
    let parent = entry.path().parent().and_then(|path| path.file_name()).and_then(|name| name.to_str());
    let records = RECORDS.iter().find(|(folder, _)| parent == Some(folder));
    is_folder && (OWN_FOLDERS.contains(&name) || records.is_some_and(|(_, names)| names.contains(&name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::Project;
    use crate::domain::BugId;

    fn key(files: &[(&str, &str)]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().to_owned();
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let checkout = Checkout {
            bug: BugId { benchmark: "local".into(), name: "x".into() },
            root,
            language: "java".into(),
            project: Project::default(),
            triggering: None,
            requirements: None,
            oracle: None,
            notes: Vec::new(),
        };
        content_key(&checkout, "runner").unwrap()
    }

    #[test]
    fn what_a_build_tool_notes_of_its_run_is_no_content() {
        let source = ("src/A.java", "class A {}");
        let record = "target/maven-status/maven-compiler-plugin/inputFiles.lst";
        let one = key(&[source, (record, "/runs/1/src/A.java"), ("target/classes/A.class", "1")]);
        assert_eq!(one, key(&[source, (record, "/runs/2/src/A.java"), ("target/classes/A.class", "1")]));
        assert_ne!(one, key(&[source, (record, "/runs/1/src/A.java"), ("target/classes/A.class", "2")]));
        assert_ne!(one, key(&[source, ("src/maven-status/B.java", "class B {}"), ("target/classes/A.class", "1")]));
    }
}
