//! Which Gradle a project wants, and which there is.

use crate::sandbox::find_program;
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;

const WRAPPER_PROPERTIES: &str = "gradle/wrapper/gradle-wrapper.properties";
const WRAPPER_JAR: &str = "gradle/wrapper/gradle-wrapper.jar";
const WRAPPER_CLASS: &str = "org.gradle.wrapper.GradleWrapperMain";

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
    /// Whether it first fetches the Gradle that it starts.
    pub fetches: bool,
}

/// All ways to start Gradle for the project in `root`, the best first: what its wrapper names, where that was fetched
/// before; the wrapper, which fetches it; the one on PATH. `own` is this program's home of Gradle, `users` the user's.
pub(super) fn all(root: &Utf8Path, own: &Utf8Path, users: Option<&Utf8Path>, java: &Utf8Path) -> Vec<Launch> {
    let mut found = Vec::new();
    if let Some(distribution) = wanted(root) {
        let homes = users.into_iter().chain([own]);
        match homes.filter_map(|home| fetched(home, &distribution)).next() {
            Some(folder) => found.push(of_distribution(folder, version(&distribution))),
            None if root.join(WRAPPER_JAR).is_file() => found.push(Launch {
                program: java.to_owned(),
                args: ["-cp", WRAPPER_JAR, WRAPPER_CLASS].map(str::to_owned).into(),
                read: Vec::new(),
                name: format!("the wrapper of Gradle {}", version(&distribution)),
                fetches: true,
            }),
            None => {}
        }
    }
    if let Some(program) = find_program("gradle") {
        let real = program.canonicalize_utf8().unwrap_or(program);
        let folder = real.parent().and_then(Utf8Path::parent).map(Utf8Path::to_owned);
        found.push(Launch {
            read: folder.into_iter().collect(),
            program: real,
            args: Vec::new(),
            name: "gradle on PATH".into(),
            fetches: false,
        });
    }
    found
}

/// The version that a project's wrapper names.
pub(super) fn wanted_version(root: &Utf8Path) -> Option<String> {
    wanted(root).map(|distribution| version(&distribution).to_owned())
}

/// The distribution that a project's wrapper names: `gradle-8.5-bin`.
fn wanted(root: &Utf8Path) -> Option<String> {
    let text = fs::read_to_string(root.join(WRAPPER_PROPERTIES)).ok()?;
    let address = text.lines().find_map(|line| line.trim().strip_prefix("distributionUrl"))?;
    let file = address.trim_start_matches([' ', '=', ':']).trim().rsplit('/').next()?;
    let stem = file.strip_suffix(".zip")?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '+');
    (stem.starts_with("gradle-") && stem.chars().all(is_name)).then(|| stem.to_owned())
}

fn version(distribution: &str) -> &str {
    let tail = distribution.trim_start_matches("gradle-");
    tail.trim_end_matches("-bin").trim_end_matches("-all")
}

/// The folder of a distribution that a wrapper fetched: `wrapper/dists/gradle-8.5-bin/HASH/gradle-8.5`.
fn fetched(home: &Utf8Path, distribution: &str) -> Option<Utf8PathBuf> {
    let below = |folder: &Utf8Path| -> Vec<Utf8PathBuf> {
        let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
        entries.map(|entry| entry.into_path()).filter(|path| path.is_dir()).collect()
    };
    let places = below(&home.join("wrapper/dists").join(distribution));
    places.iter().flat_map(|place| below(place)).find(|folder| folder.join("bin/gradle").is_file())
}

fn of_distribution(folder: Utf8PathBuf, version: &str) -> Launch {
    Launch {
        program: folder.join("bin/gradle"),
        args: Vec::new(),
        read: vec![folder],
        name: format!("Gradle {version}"),
        fetches: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::testing::write;

    #[test]
    fn the_wrapper_decides_and_a_fetched_distribution_comes_first() {
        let temp = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(temp.path()).unwrap();
        let (root, home) = (base.join("p"), base.join("home"));
        let address = "distributionUrl=https\\://example.org/distributions/gradle-8.5-bin.zip\n";
        write(&root.join(WRAPPER_PROPERTIES), address);
        write(&root.join(WRAPPER_JAR), "");
        let first = || all(&root, &home, None, Utf8Path::new("/j/java")).remove(0);
        assert_eq!((first().name.as_str(), first().fetches), ("the wrapper of Gradle 8.5", true));
        let folder = home.join("wrapper/dists/gradle-8.5-bin/abc/gradle-8.5");
        write(&folder.join("bin/gradle"), "");
        assert_eq!((first().program, first().fetches), (folder.join("bin/gradle"), false));
    }

    #[test]
    fn an_odd_address_names_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temp.path()).unwrap();
        write(&root.join(WRAPPER_PROPERTIES), "distributionUrl=https\\://host/a/gradle-..%2F..-bin.zip\n");
        assert_eq!(wanted(root), None);
    }
}
