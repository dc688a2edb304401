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

/// The Gradle on PATH.
pub(super) fn on_path() -> Option<Launch> {
    let program = users_programs("gradle").into_iter().next()?;
    let real = program.canonicalize_utf8().unwrap_or(program);
    let folder = real.parent().and_then(Utf8Path::parent).map(Utf8Path::to_owned);
    let name = "gradle on PATH".into();
    Some(Launch { read: folder.into_iter().collect(), program: real, args: Vec::new(), name })
}
