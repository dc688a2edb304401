//! Test libraries that a subject may lack: JUnit 4 with Hamcrest, JUnit 5, the engine of TestNG, JaCoCo.
//!
//! Looked for in the subject's class path, the local Maven repository, Debian's Java folder and this program's cache,
//! in that order; fetched once through Maven, checked against pinned SHA-256 sums, and kept in the cache.

use super::BenchmarkError;
use super::error::Unusable;
use super::mvn::Installed;
use crate::domain::Watcher;
use crate::sandbox::{Job, Sandbox};
use camino::{Utf8Path, Utf8PathBuf};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use std::time::Duration;

/// A jar as Maven names it, with the sum its bytes must have.
#[derive(Debug, Clone, Copy)]
struct Jar {
    group: &'static str,
    artifact: &'static str,
    version: &'static str,
    classifier: &'static str,
    sha256: &'static str,
}

const fn jar(group: &'static str, artifact: &'static str, version: &'static str, sha256: &'static str) -> Jar {
    Jar { group, artifact, version, classifier: "", sha256 }
}

const JUNIT_4: &[Jar] = &[
    jar("junit", "junit", "4.13.2", "8e495b634469d64fb8acfa3495a065cbacc8a0fff55ce1e31007be4c16dc57d3"),
    jar("org.hamcrest", "hamcrest-core", "1.3", "66fdef91e9739348df7a096aa384a5685f4e875584cce89386a7a47251c4d8e9"),
];

const JUNIT_5: &[Jar] = &[
    jar(
        "org.junit.jupiter",
        "junit-jupiter-api",
        "5.11.4",
        "ab83ef9e51ac4597d59d26b4b58812129550e2f579a404c8af7d09f5ce5b4293",
    ),
    jar(
        "org.junit.jupiter",
        "junit-jupiter-engine",
        "5.11.4",
        "cdf8ac59f3fad774ca738ad03890950eeb91833ef0e8908753177edd26f1581c",
    ),
    jar(
        "org.junit.jupiter",
        "junit-jupiter-params",
        "5.11.4",
        "02a6e015de7ce94ac7f256e7fa05b8091dea861fe79a555a7993313d0f6c7d96",
    ),
    jar(
        "org.junit.platform",
        "junit-platform-commons",
        "1.11.4",
        "9edd969b0d0670c54105bc91ae79bd1c6f503e12115faba82073b84c86bbc334",
    ),
    jar(
        "org.junit.platform",
        "junit-platform-engine",
        "1.11.4",
        "b1dd998f64f9acadc15966d9cd3d08074662677b3e390f0a38fcbf0bb4c72330",
    ),
    jar("org.opentest4j", "opentest4j", "1.3.0", "48e2df636cab6563ced64dcdff8abb2355627cb236ef0bf37598682ddf742f1b"),
    jar(
        "org.apiguardian",
        "apiguardian-api",
        "1.1.2",
        "b509448ac506d607319f182537f0b35d71007582ec741832a1f111e5b5b70b38",
    ),
];

/// TestNG's tests on the platform; TestNG itself is the project's.
const TESTNG: &[Jar] = &[
    jar(
        "org.junit.support",
        "testng-engine",
        "1.0.5",
        "ec80254342a89c02733e597a69f1d81b65e0fa984f872a7b415e8edffdd583b5",
    ),
    JUNIT_5[3],
    JUNIT_5[4],
    JUNIT_5[5],
    JUNIT_5[6],
];

/// What is put in the place of a TestNG that the engine does not know, and what that needs.
const TESTNG_6_14: &[Jar] = &[
    jar("org.testng", "testng", "6.14.3", "7266b68b9668ea0c4e86e384fd72ccaa29a20a2538b20c586fd3902f008b114e"),
    jar("com.beust", "jcommander", "1.72", "e0de160b129b2414087e01fe845609cd55caec6820cfd4d0c90fabcc7bdb8c1e"),
];

const JACOCO: &[Jar] = &[
    Jar {
        classifier: "runtime",
        ..jar(
            "org.jacoco",
            "org.jacoco.agent",
            "0.8.14",
            "3fb76eea65f81bd9415202bab34b6571728841dff1ab8e6bbe81adc2e299face",
        )
    },
    jar("org.jacoco", "org.jacoco.core", "0.8.14", "28abbf0eea5a08e4f24097f2fbac663ca17c341c25c3a04d90d6cd325943c995"),
    jar("org.ow2.asm", "asm", "9.9", "03d99a74ad1ee5c71334ef67437f4ef4fe3488caa7c96d8645abc73c8e2017d4"),
    jar("org.ow2.asm", "asm-commons", "9.9", "db2f6f26150bbe7c126606b4a1151836bcc22a1e05a423b3585698bece995ff8"),
    jar("org.ow2.asm", "asm-tree", "9.9", "42178f3775c9c63f9e5e1446747d29b4eca4d91bd6e75e5c43cfa372a47d38c6"),
];

/// JVM options for Maven where it runs for seconds: the second compiler would cost more than it brings.
pub(super) const SHORT_LIVED: &str = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto";

/// A set of jars that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// JUnit 4 and Hamcrest.
    JUnit4,
    /// Jupiter, its engine, parameterised tests and the platform.
    JUnit5,
    /// The platform's engine for tests of TestNG, and the platform.
    TestNg,
    /// The oldest TestNG that this engine takes.
    TestNg6,
    /// JaCoCo's agent (first), its analysis core and what that needs.
    JaCoCo,
}

impl Library {
    fn jars(self) -> &'static [Jar] {
        match self {
            Self::JUnit4 => JUNIT_4,
            Self::JUnit5 => JUNIT_5,
            Self::TestNg => TESTNG,
            Self::TestNg6 => TESTNG_6_14,
            Self::JaCoCo => JACOCO,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::JUnit4 => "JUnit 4",
            Self::JUnit5 => "JUnit 5",
            Self::TestNg => "the engine of TestNG",
            Self::TestNg6 => "TestNG 6.14",
            Self::JaCoCo => "JaCoCo",
        }
    }

    /// Whether a class path already brings it, judged by the names of its jars.
    pub(crate) fn on(self, class_path: &[Utf8PathBuf]) -> bool {
        // `junit-4.12.jar`, `junit4.jar`: the name, then a version or nothing.
        let has = |name: &str, major: &str| {
            class_path.iter().filter_map(|path| path.file_name()).any(|file| {
                let rest = file.strip_prefix(name).and_then(|rest| rest.strip_suffix(".jar"));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(&format!("-{major}")))
            })
        };
        match self {
            Self::JUnit4 => has("junit", "4") || has("junit4", "4"),
            Self::JUnit5 => has("junit-jupiter-engine", ""),
            Self::TestNg => has("testng-engine", ""),
            Self::TestNg6 | Self::JaCoCo => false,
        }
    }
}

impl Jar {
    fn file_name(self) -> String {
        let dash = if self.classifier.is_empty() { "" } else { "-" };
        format!("{}-{}{dash}{}.jar", self.artifact, self.version, self.classifier)
    }

    /// Path inside a Maven repository.
    fn repository_path(self) -> String {
        format!("{}/{}/{}/{}", self.group.replace('.', "/"), self.artifact, self.version, self.file_name())
    }

    fn coordinates(self) -> String {
        let tail = if self.classifier.is_empty() { String::new() } else { format!(":jar:{}", self.classifier) };
        format!("{}:{}:{}{tail}", self.group, self.artifact, self.version)
    }

    fn has_the_right_sum(self, path: &Utf8Path) -> bool {
        std::fs::read(path).is_ok_and(|bytes| HEXLOWER.encode(&Sha256::digest(bytes)) == self.sha256)
    }

    /// Whether Maven brought these very bytes into its repository; else why not.
    fn brought(&self, repository: &Utf8Path, output: &str) -> Result<(), Unusable> {
        let path = repository.join(self.repository_path());
        if !path.is_file() {
            let why = output.lines().find(|line| line.contains("ERROR"));
            return Err(why.unwrap_or("Maven did not bring it").into());
        }
        if !self.has_the_right_sum(&path) {
            // Left there, it would be used by whoever looks at the path only.
            let _ = std::fs::remove_file(&path);
            return Err("what Maven brought has another SHA-256 than the pinned one".into());
        }
        Ok(())
    }

    /// A copy of these very bytes on this machine.
    fn here(self, cache: &Utf8Path) -> Option<Utf8PathBuf> {
        let repositories = [local_repository(), Some(cache.join("m2")), Some("/usr/share/maven-repo".into())];
        let below = repositories.into_iter().flatten().map(|root| root.join(self.repository_path()));
        let loose =
            [Utf8PathBuf::from("/usr/share/java").join(self.file_name()), cache.join("jars").join(self.file_name())];
        loose.into_iter().chain(below).find(|path| path.is_file() && self.has_the_right_sum(path))
    }
}

/// Where this program keeps what can be made or fetched again: `UNIDEBUG_CACHE_DIR`, else `unidebug` below the user's
/// cache folder, else below the folder for temporary files.
pub(crate) fn cache_dir() -> Utf8PathBuf {
    if let Some(chosen) = std::env::var("UNIDEBUG_CACHE_DIR").ok().filter(|text| !text.is_empty()) {
        return chosen.into();
    }
    use etcetera::BaseStrategy;
    let base = etcetera::choose_base_strategy().ok().and_then(|base| Utf8PathBuf::from_path_buf(base.cache_dir()).ok());
    base.unwrap_or_else(|| "/tmp".into()).join("unidebug")
}

/// The user's local Maven repository, when there is one.
pub(crate) fn local_repository() -> Option<Utf8PathBuf> {
    let home = std::env::var("HOME").ok()?;
    Some(Utf8PathBuf::from(home).join(".m2/repository")).filter(|path| path.is_dir())
}

/// The jars of a library, absolute; fetched through Maven when they are nowhere on this machine.
///
/// # Errors
/// They are not here and Maven is missing, cannot reach its repository, or brought other bytes.
pub async fn find(library: Library, sandbox: &Sandbox, watcher: &Watcher) -> Result<Vec<Utf8PathBuf>, BenchmarkError> {
    let (jars, cache) = (library.jars(), &cache_dir());
    if let Some(all) = jars.iter().map(|jar| jar.here(cache)).collect() {
        return Ok(all);
    }
    let missing: Vec<Jar> = jars.iter().copied().filter(|jar| jar.here(cache).is_none()).collect();
    watcher.phase(format!("fetching {}, once", library.name()));
    fetch(library, &missing, sandbox, cache).await?;
    jars.iter().map(|jar| jar.here(cache).ok_or_else(|| not_here(library, jar, cache, "it did not stay"))).collect()
}

fn not_here(library: Library, jar: &Jar, cache: &Utf8Path, why: &str) -> BenchmarkError {
    BenchmarkError::Missing {
        what: format!("{} is not on this machine: {} ({why})", library.name(), jar.coordinates()),
        hint: format!("put {} into the local Maven repository or into {cache}/jars", jar.file_name()),
    }
}

/// Lets the user's own Maven, with the user's mirrors and proxies, bring jars: all at once, because its start is dear.
async fn fetch(library: Library, jars: &[Jar], sandbox: &Sandbox, cache: &Utf8Path) -> Result<(), BenchmarkError> {
    let Some(first) = jars.first() else { return Ok(()) };
    let Some(maven) = Installed::of(None) else {
        return Err(not_here(library, first, cache, "and Maven is not installed to fetch it"));
    };
    let io = |what: &str, path: &Utf8Path| {
        let (what, path) = (what.to_owned(), path.to_owned());
        move |source| BenchmarkError::Io { what, path, source }
    };
    let repository = cache.join("m2");
    std::fs::create_dir_all(&repository).map_err(io("making the cache of jars", &repository))?;
    let repository = repository.canonicalize_utf8().map_err(io("finding the cache of jars", &repository))?;
    let wanted = tempfile::Builder::new().suffix(".pom").tempfile_in(&repository);
    let wanted = wanted.map_err(io("writing what Maven shall fetch", &repository))?;
    std::fs::write(wanted.path(), pom(jars)).map_err(io("writing what Maven shall fetch", &repository))?;
    let mut job = Job::new(maven.program.as_str(), &repository)
        .args(["-q", "-B", &format!("-Dmaven.repo.local={repository}")])
        .args(["-f", &wanted.path().to_string_lossy(), "dependency:resolve"])
        .read([maven.home])
        .write(&repository)
        .wall(Duration::from_secs(300));
    if let Some(settings) = user_settings() {
        job = job.args(["-s", settings.as_str()]).read([settings.clone()]);
    }
    job.env = vec![("MAVEN_OPTS".into(), SHORT_LIVED.into())];
    job.network = true;
    let done = sandbox.run(job).await.map_err(|error| not_here(library, first, cache, &error.to_string()))?;
    let output = String::from_utf8_lossy(&done.stdout);
    let brought = |jar: &Jar| jar.brought(&repository, &output).map_err(|why| not_here(library, jar, cache, &why));
    jars.iter().try_for_each(brought)
}

/// A project that depends on these jars and on nothing that they depend on.
fn pom(jars: &[Jar]) -> String {
    let dependency = |jar: &Jar| {
        let Jar { group, artifact, version, classifier, .. } = jar;
        format!(
            "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>\
             <classifier>{classifier}</classifier><exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId>\
             </exclusion></exclusions></dependency>"
        )
    };
    let dependencies: String = jars.iter().map(dependency).collect();
    format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>unidebug</groupId><artifactId>jars</artifactId>\
         <version>1</version><packaging>pom</packaging><dependencies>{dependencies}</dependencies></project>"
    )
}

fn user_settings() -> Option<Utf8PathBuf> {
    let home = std::env::var("HOME").ok()?;
    Some(Utf8PathBuf::from(home).join(".m2/settings.xml")).filter(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_path_that_brings_junit_is_recognised() {
        let path = |text: &str| vec![Utf8PathBuf::from(text)];
        assert!(Library::JUnit4.on(&path("/m2/junit/junit/4.12/junit-4.12.jar")));
        assert!(Library::JUnit4.on(&path("/usr/share/java/junit4.jar")));
        assert!(!Library::JUnit4.on(&path("/m2/junit-jupiter-api-5.9.jar")));
        assert!(!Library::JUnit4.on(&path("/m2/junit/junit/3.8.1/junit-3.8.1.jar")));
        assert!(Library::JUnit5.on(&path("/m2/junit-jupiter-engine-5.9.2.jar")));
    }

    #[test]
    fn what_maven_brings_has_the_pinned_bytes_or_is_refused_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let repository = Utf8Path::from_path(folder.path()).unwrap();
        let jar = JUNIT_4[0];
        assert_eq!(jar.brought(repository, "INFO a\n[ERROR] no route\n"), Err("[ERROR] no route".into()));
        let path = repository.join(jar.repository_path());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "not a jar").unwrap();
        assert!(jar.brought(repository, "").unwrap_err().contains("SHA-256"));
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn jars_with_other_bytes_are_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Utf8Path::from_path(folder.path()).unwrap();
        let fake = cache.join("jars").join(JUNIT_4[0].file_name());
        std::fs::create_dir_all(fake.parent().unwrap()).unwrap();
        std::fs::write(&fake, "not a jar").unwrap();
        assert_ne!(JUNIT_4[0].here(cache), Some(fake));
    }
}
