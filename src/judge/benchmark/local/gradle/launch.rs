//! How Gradle is started.

use crate::sandbox::{find_program, users_programs};
use camino::{Utf8Path, Utf8PathBuf};

/// A way to start Gradle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Launch {
    pub program: Utf8PathBuf,
    /// What stands before Gradle's own arguments.
    pub args: Vec<String>,
    /// What it must be able to read.
    pub read: Vec<Utf8PathBuf>,
    /// For people: `Gradle 8.5`, `gradle on PATH`.
    pub name: String,
}

/// The Gradle of a distribution's folder.
pub(super) fn of_distribution(folder: &Utf8Path, version: &str) -> Option<Launch> {
    Some(Launch {
        // Its own program may not be marked as one.
        program: find_program("sh")?,
        args: vec![folder.join("bin/gradle").into_string()],
        read: vec![folder.to_owned()],
        name: format!("Gradle {version}"),
    })
}

/// The Gradle on PATH; one that a version manager put there to call another is passed over.
pub(super) fn on_path() -> Option<Launch> {
    users_programs("gradle").iter().find_map(|program| {
        let real = program.canonicalize_utf8().ok()?;
        let folder = real.parent()?.parent()?.to_owned();
        let name = "gradle on PATH".into();
        folder.join("lib").is_dir().then(|| Launch { program: real, args: Vec::new(), read: vec![folder], name })
    })
}
