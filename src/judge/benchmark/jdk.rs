//! Finds the JDK that compiles and runs the subject.

use super::BenchmarkError;
use super::error::Unusable;
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeSet;

/// What compilers say of a language level that they do not take.
const REFUSED_LEVEL: [&str; 4] =
    ["is no longer supported. Use", "invalid source release", "invalid target release", "error: release version"];

/// What to do where the compiler refuses the project's language level as too old or too new for it; `None` where its
/// complaint is about something else.
pub(super) fn refused_level(complaint: &str) -> Option<&'static str> {
    let is_refused = REFUSED_LEVEL.iter().any(|sign| complaint.contains(sign));
    is_refused.then_some(
        "the project is written for a Java that this JDK does not compile: name another JDK with --java-home",
    )
}

/// A Java development kit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jdk {
    /// Its folder, without symbolic links.
    pub home: Utf8PathBuf,
    /// Feature release: 8, 11, 17, ….
    pub major: u32,
    /// The version as it calls itself: `17.0.15`.
    pub version: String,
}

impl Jdk {
    /// The launcher.
    pub fn java(&self) -> Utf8PathBuf {
        self.home.join("bin/java")
    }

    /// The compiler.
    pub fn javac(&self) -> Utf8PathBuf {
        self.home.join("bin/javac")
    }

    /// The oldest source level its compiler takes.
    pub fn oldest_release(&self) -> u32 {
        match self.major {
            20.. => 8,
            12.. => 7,
            _ => 6,
        }
    }
}

/// The JDK at `chosen` (`--java-home`), else `JAVA_HOME`, else the one of `java` on PATH, else the newest below
/// `/usr/lib/jvm`.
///
/// # Errors
/// There is none with a compiler, or the chosen one is not a JDK.
pub fn find(chosen: Option<&Utf8Path>) -> Result<Jdk, BenchmarkError> {
    if let Some(home) = chosen {
        return inspect(home).map_err(|what| missing(format!("`{home}` is not a JDK: {what}")));
    }
    let mut tried = Vec::new();
    for home in candidates() {
        match inspect(&home) {
            Ok(jdk) => return Ok(jdk),
            Err(what) => tried.push(format!("{home}: {what}")),
        }
    }
    let looked = if tried.is_empty() { String::new() } else { format!("; looked at {}", tried.join(", ")) };
    Err(missing(format!("no JDK found in JAVA_HOME, on PATH or below /usr/lib/jvm{looked}")))
}

/// Every JDK on this machine, newest first, each once.
pub fn all() -> Vec<Jdk> {
    let mut seen = BTreeSet::new();
    let found = candidates().into_iter().filter_map(|home| inspect(&home).ok());
    let mut all: Vec<Jdk> = found.filter(|jdk| seen.insert(jdk.home.clone())).collect();
    all.sort_by(|a, b| b.major.cmp(&a.major).then_with(|| a.home.cmp(&b.home)));
    all
}

fn missing(what: String) -> BenchmarkError {
    BenchmarkError::Missing {
        what,
        hint: "install a JDK 8 or newer (`apt-get install openjdk-17-jdk-headless`), or name one with --java-home"
            .into(),
    }
}

/// Places worth a look, in the order of preference.
fn candidates() -> Vec<Utf8PathBuf> {
    let mut homes: Vec<Utf8PathBuf> = std::env::var("JAVA_HOME").ok().map(Utf8PathBuf::from).into_iter().collect();
    let path = std::env::var("PATH").unwrap_or_default();
    for folder in path.split(':').filter(|folder| !folder.is_empty()) {
        // `/usr/bin/java` is a chain of links to the JDK's own `bin/java`.
        let real = Utf8Path::new(folder).join("javac").canonicalize_utf8();
        homes.extend(real.ok().and_then(|javac| Some(javac.parent()?.parent()?.to_owned())));
    }
    let mut installed: Vec<(u32, Utf8PathBuf)> = Utf8Path::new("/usr/lib/jvm")
        .read_dir_utf8()
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((inspect(entry.path()).ok()?.major, entry.path().to_owned())))
        .collect();
    installed.sort_by(|a, b| b.cmp(a));
    homes.extend(installed.into_iter().map(|(_, home)| home));
    homes
}

/// Reads the `release` file every JDK since 7 carries; no process is needed.
fn inspect(home: &Utf8Path) -> Result<Jdk, Unusable> {
    let home = home.canonicalize_utf8().map_err(|error| error.to_string())?;
    if !home.join("bin/javac").is_file() {
        return Err("it has no bin/javac (a runtime only)".into());
    }
    let release = std::fs::read_to_string(home.join("release")).map_err(|error| format!("release file: {error}"))?;
    let version = parse_version(&release).ok_or("its release file names no JAVA_VERSION")?;
    let major = major_of(&version).ok_or_else(|| format!("version `{version}` is not understood"))?;
    Ok(Jdk { home, major, version })
}

fn parse_version(release: &str) -> Option<String> {
    let line = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    Some(line.trim().trim_matches('"').to_owned())
}

/// `1.8.0_402` is 8, `17.0.15` is 17.
fn major_of(version: &str) -> Option<u32> {
    let mut numbers = version.split(['.', '_', '-', '+']).map(|part| part.parse::<u32>());
    match numbers.next()? {
        Ok(1) => numbers.next()?.ok(),
        Ok(major) => Some(major),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_old_and_new_are_read() {
        assert_eq!(major_of("1.8.0_402"), Some(8));
        assert_eq!(major_of("17.0.15"), Some(17));
        assert_eq!(major_of("25"), Some(25));
        assert_eq!(major_of("x"), None);
        assert_eq!(parse_version("A=1\nJAVA_VERSION=\"11.0.2\"\n").as_deref(), Some("11.0.2"));
    }

    #[test]
    fn a_folder_that_is_no_jdk_is_refused_with_a_hint() {
        let Err(BenchmarkError::Missing { what, hint }) = find(Some(Utf8Path::new("/usr"))) else { panic!() };
        assert!(what.contains("/usr") && hint.contains("--java-home"), "{what} {hint}");
    }

    #[test]
    fn the_jdk_of_this_machine_is_found_with_its_compiler() {
        let jdk = find(None).unwrap();
        assert!(jdk.major >= 8 && jdk.java().is_file() && jdk.javac().is_file());
        assert!(all().contains(&jdk));
    }
}
