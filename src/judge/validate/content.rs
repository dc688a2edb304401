//! What is kept of a subject between runs of this program, under a name for exactly its content.

use super::{ValidateError, io_error};
use crate::benchmark::{Checkout, is_output};
use crate::domain::Fingerprint;
use camino::{Utf8Path, Utf8PathBuf};

/// A name for exactly this content and build description, under what runs it.
pub(super) fn content_key(checkout: &Checkout, runner: &str) -> Result<String, ValidateError> {
    let mut fingerprint = Fingerprint::default();
    let mut project = checkout.project.clone();
    // Compiled folders are content, wherever they lie.
    project.jdk = None;
    // Settings of the build may name its folders in full, and every run has a copy of its own.
    let without_root = |text: String| text.replace(checkout.root.as_str(), ".");
    fingerprint.add(without_root(format!("{project:?} {runner}")));
    let mut walk = ignore::WalkBuilder::new(&checkout.root);
    walk.standard_filters(false).sort_by_file_path(std::cmp::Ord::cmp);
    let mut outputs: Vec<Utf8PathBuf> = Vec::new();
    for entry in walk.build().flatten() {
        let Some(path) = Utf8Path::from_path(entry.path()) else { continue };
        let sibling = |file: &str| path.with_file_name(file).is_file();
        if path.is_dir() && path.file_name().is_some_and(|name| is_output(name, sibling)) {
            outputs.push(path.to_owned());
        }
        // What a build writes beside its classes follows from the rest, but for paths and times of this very build.
        let by_the_way = path.extension() != Some("class") && outputs.iter().any(|output| path.starts_with(output));
        if by_the_way || !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let bytes = std::fs::read(path).map_err(io_error("reading the checkout", path))?;
        fingerprint.add(path.strip_prefix(&checkout.root).unwrap_or(path).as_str()).add(bytes);
    }
    for path in &checkout.project.class_path {
        let size = path.metadata().map_or(0, |meta| meta.len());
        fingerprint.add(without_root(format!("{path} {size}")));
    }
    Ok(fingerprint.name())
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
        key_of(root, Project::default())
    }

    fn key_of(root: Utf8PathBuf, project: Project) -> String {
        let bug = BugId { benchmark: crate::benchmark::LOCAL.into(), name: "x".into() };
        content_key(&Checkout::new(bug, root, "java", project), "runner").unwrap()
    }

    #[test]
    fn a_setting_that_names_a_folder_of_the_copy_is_the_same_in_each() {
        let keys = ["logging.properties", "logging.properties", "other.properties"].map(|name| {
            let folder = tempfile::tempdir().unwrap();
            let root = Utf8Path::from_path(folder.path()).unwrap().to_owned();
            let jvm_args = vec![format!("-Djava.util.logging.config.file={root}/target/{name}")];
            key_of(root, Project { jvm_args, ..Project::default() })
        });
        assert_eq!(keys[0], keys[1]);
        assert_ne!(keys[0], keys[2]);
    }

    #[test]
    fn what_a_build_writes_beside_its_classes_is_no_content() {
        let (source, build) = (("src/A.java", "class A {}"), ("pom.xml", "<project/>"));
        let (class, record) = ("target/classes/A.class", "target/maven-status/inputFiles.lst");
        let one = key(&[source, build, (record, "/runs/1/src/A.java"), (class, "1")]);
        assert_eq!(one, key(&[source, build, (record, "/runs/2/src/A.java"), (class, "1")]));
        assert_ne!(one, key(&[source, build, (record, "/runs/1/src/A.java"), (class, "2")]));
        let nothing_builds = key(&[source, ("target/notes", "1")]);
        assert_ne!(nothing_builds, key(&[source, ("target/notes", "2")]));
    }
}
