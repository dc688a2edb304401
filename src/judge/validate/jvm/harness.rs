//! Our runner: sources carried in this program, classes made once by the JDK that will run them.

use super::javac::{Compiled, Javac, Level};
use crate::benchmark::jdk::Jdk;
use crate::benchmark::{TestPatterns, copy_files};
use crate::domain::{Diagnostic, Fingerprint};
use crate::sandbox::Sandbox;
use crate::validate::{ValidateError, io_error};
use camino::{Utf8Path, Utf8PathBuf};
use include_dir::{Dir, File, include_dir};
use std::collections::BTreeSet;

static SOURCES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/validate/jvm/java");

/// Sources that need a library of the subject, and the class that shows it is there.
const OPTIONAL: &[(&str, &str)] = &[
    (JUNIT_4, "org/junit/runner/Description.class"),
    (BARE, "org/junit/runner/Description.class"),
    ("JUnit5.java", "org/junit/platform/engine/TestEngine.class"),
    ("Platform.java", "org/junit/platform/engine/TestEngine.class"),
    ("PlatformListener.java", "org/junit/platform/engine/TestEngine.class"),
    ("PlatformNames.java", "org/junit/platform/engine/TestEngine.class"),
    ("Bodiless.java", "org/junit/jupiter/api/extension/DynamicTestInvocationContext.class"),
    ("Spectrum.java", "org/jacoco/core/analysis/Analyzer.class"),
    ("ProbeLines.java", "org/jacoco/core/analysis/Analyzer.class"),
    ("Weaver.java", "org/jacoco/core/analysis/Analyzer.class"),
    ("DrawnWeaver.java", "org/jacoco/core/analysis/Analyzer.class"),
];

/// What runs tests of JUnit 3 and 4.
const JUNIT_4: &str = "JUnit4.java";
/// What runs them in the plain look.
const BARE: &str = "Bare.java";

/// Where Jupiter looks for extensions, when it is told to.
const EXTENSIONS: &str = "META-INF/services/org.junit.jupiter.api.extension.Extension";

/// The compiler's own pool of tasks, which it uses for its shell, and its platforms: what lets others use them.
pub(super) const COMPILER_POOL: [&str; 4] = [
    "--add-exports",
    "jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED",
    "--add-exports",
    "jdk.compiler/com.sun.tools.javac.platform=ALL-UNNAMED",
];
/// The first JDK whose pool works as ours needs it.
pub(super) const POOL_SINCE: u32 = 11;

/// Packages of the libraries that those sources are compiled against.
const ADAPTED: [&str; 4] = ["org/junit/", "junit/framework/", "org/jacoco/", "org/objectweb/asm/"];

/// The runner's classes for one JDK and one set of libraries.
#[derive(Debug, Clone)]
pub(in crate::validate) struct Harness {
    /// Folder of its classes.
    pub(in crate::validate) classes: Utf8PathBuf,
    /// Content hash of sources, JDK and libraries: part of every cache key.
    pub(in crate::validate) hash: String,
}

impl Harness {
    /// Takes the classes from the cache, or compiles them against these libraries. What needs none of them is compiled once
    /// for a JDK, the rest once for each set of libraries that it knows.
    ///
    /// # Errors
    /// The JDK cannot compile our sources, which names its complaint.
    pub(in crate::validate) async fn prepare(
        sandbox: &Sandbox,
        jdk: &Jdk,
        (tests, libraries): (&TestPatterns, &[Utf8PathBuf]),
        cache: &Utf8Path,
    ) -> Result<Self, ValidateError> {
        let held = Held::of(libraries);
        let mut wanted = Vec::new();
        collect(&SOURCES, &mut wanted);
        wanted.retain(|file| !(tests.platform_only && [JUNIT_4, BARE].iter().any(|name| file.path().ends_with(name))));
        wanted.retain(|file| is_usable(name_of(file), &held, jdk));
        let (adapters, core): (Vec<_>, Vec<_>) = wanted.iter().partition(|file| needs(name_of(file)).is_some());
        let hash = key_of(&wanted, jdk, libraries.iter());
        let maker = Maker { sandbox, jdk, parent: cache.join("runner") };
        let core_key = key_of(&core, jdk, std::iter::empty());
        let core = maker.made(&core_key, &core, &[], None).await?;
        if adapters.is_empty() {
            return Ok(Self { classes: core, hash });
        }
        let key =
            key_of(&wanted, jdk, libraries.iter().zip(&held.adapted).filter(|(_, is)| **is).map(|(path, _)| path));
        let class_path: Vec<Utf8PathBuf> = libraries.iter().chain([&core]).cloned().collect();
        Ok(Self { classes: maker.made(&key, &adapters, &class_path, Some(&core)).await?, hash })
    }
}

/// A name for what is made of some sources with a JDK and libraries.
fn key_of<'l>(files: &[&File<'static>], jdk: &Jdk, libraries: impl Iterator<Item = &'l Utf8PathBuf>) -> String {
    let mut fingerprint = Fingerprint::default();
    for file in files {
        fingerprint.add(file.path().as_os_str().as_encoded_bytes()).add(file.contents());
    }
    fingerprint.add(format!("{} {}", jdk.home, jdk.version));
    for library in libraries {
        fingerprint.add(library.as_str());
    }
    fingerprint.name()
}

/// Makes classes of our sources where none are kept.
struct Maker<'m> {
    sandbox: &'m Sandbox,
    jdk: &'m Jdk,
    /// Where they are kept.
    parent: Utf8PathBuf,
}

impl Maker<'_> {
    /// The folder of what these sources make, with the classes of another folder beside them.
    async fn made(
        &self,
        key: &str,
        files: &[&File<'static>],
        class_path: &[Utf8PathBuf],
        beside: Option<&Utf8Path>,
    ) -> Result<Utf8PathBuf, ValidateError> {
        let classes = self.parent.join(key);
        if classes.join("unidebug/runner/Cold.class").is_file() {
            return Ok(classes);
        }
        let io = |what: &str| io_error(what, &classes);
        std::fs::create_dir_all(&self.parent).map_err(io("making the cache of the test runner"))?;
        let making = tempfile::tempdir_in(&self.parent).map_err(io("making the cache of the test runner"))?;
        let making = Utf8Path::from_path(making.path()).ok_or_else(|| ValidateError::Tool {
            what: "the cache folder's name is no UTF-8".into(),
            hint: "set UNIDEBUG_CACHE_DIR".into(),
        })?;
        let out = making.join("classes");
        std::fs::create_dir_all(&out).map_err(io("making the cache of the test runner"))?;
        let sources = unpacked(files, &making.join("java")).map_err(io("unpacking the test runner"))?;
        self.compile(&sources, class_path, &out, making).await?;
        if let Some(beside) = beside {
            let copy = |from: &Utf8Path, to: &Utf8Path| std::fs::copy(from, to).map(drop);
            copy_files(beside, &out, copy).map_err(io("making the cache of the test runner"))?;
        }
        if out.join("unidebug/runner/Bodiless.class").is_file() {
            let service = out.join(EXTENSIONS);
            let folder = service.parent().unwrap_or(&out);
            std::fs::create_dir_all(folder).map_err(io("making the cache of the test runner"))?;
            std::fs::write(&service, "unidebug.runner.Bodiless\n").map_err(io("unpacking the test runner"))?;
        }
        // Whoever renames first wins; the loser's classes are the same.
        if std::fs::rename(&out, &classes).is_err() && !classes.is_dir() {
            return Err(io("keeping the test runner")(std::io::Error::other("the folder could not be renamed")));
        }
        Ok(classes)
    }

    async fn compile(
        &self,
        sources: &[Utf8PathBuf],
        class_path: &[Utf8PathBuf],
        out: &Utf8Path,
        root: &Utf8Path,
    ) -> Result<(), ValidateError> {
        let Self { sandbox, jdk, .. } = *self;
        let mut level = Level::default();
        if jdk.major >= POOL_SINCE {
            level.args.extend(COMPILER_POOL.map(String::from));
        }
        let javac = Javac { sandbox, jdk, level, wall: std::time::Duration::from_secs(180) };
        let Compiled { ok, diagnostics, output, .. } = javac.compile(sources, class_path, out, root).await?;
        if ok {
            return Ok(());
        }
        let place = |found: &Diagnostic| match &found.file {
            Some(file) => format!("{file}:{}: {}", found.line, found.message),
            None => found.message.clone(),
        };
        let first = diagnostics.first().map_or(output, place);
        Err(ValidateError::Tool {
            what: format!("the test runner does not compile with JDK {}: {first}", jdk.version),
            hint: "name another JDK with --java-home".into(),
        })
    }
}

/// Writes sources below a folder.
fn unpacked(files: &[&File<'static>], folder: &Utf8Path) -> std::io::Result<Vec<Utf8PathBuf>> {
    let write = |file: &&File<'static>| {
        let path = folder.join(file.path().to_string_lossy().as_ref());
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        std::fs::write(&path, file.contents())?;
        Ok(path)
    };
    files.iter().map(write).collect()
}

/// What libraries hold, of what our sources need.
#[derive(Default)]
struct Held {
    /// Classes that show that a library is there.
    markers: BTreeSet<&'static str>,
    /// For each library whether some source is compiled against it.
    adapted: Vec<bool>,
}

impl Held {
    fn of(libraries: &[Utf8PathBuf]) -> Self {
        let mut held = Self::default();
        for entries in libraries.iter().map(|path| Entries::read(path)) {
            let markers: Vec<&str> = OPTIONAL.iter().map(|(_, class)| *class).filter(|it| entries.holds(it)).collect();
            held.adapted.push(!markers.is_empty() || ADAPTED.iter().any(|package| entries.holds(package)));
            held.markers.extend(markers);
        }
        held
    }
}

/// What a library holds: a folder of classes, or the bytes of a jar.
enum Entries<'l> {
    Folder(&'l Utf8Path),
    Jar(Vec<u8>),
}

impl<'l> Entries<'l> {
    fn read(path: &'l Utf8Path) -> Self {
        if path.is_dir() { Self::Folder(path) } else { Self::Jar(std::fs::read(path).unwrap_or_default()) }
    }

    /// Whether it holds an entry. The names in a jar's directory are not compressed, so no unpacking is needed.
    fn holds(&self, entry: &str) -> bool {
        match self {
            Self::Folder(folder) => folder.join(entry).exists(),
            Self::Jar(bytes) => memchr::memmem::rfind(bytes, entry.as_bytes()).is_some(),
        }
    }
}

fn collect(folder: &'static Dir<'static>, into: &mut Vec<&'static File<'static>>) {
    into.extend(folder.files());
    folder.dirs().for_each(|inner| collect(inner, into));
}

fn name_of(file: &File<'static>) -> Option<&'static str> {
    file.path().file_name().and_then(|name| name.to_str())
}

/// The class of a library that a source needs.
fn needs(name: Option<&str>) -> Option<&'static str> {
    OPTIONAL.iter().find(|(file, _)| Some(*file) == name).map(|(_, class)| *class)
}

fn is_usable(name: Option<&str>, held: &Held, jdk: &Jdk) -> bool {
    if matches!(name, Some("Pooled.java" | "Release.java")) {
        return jdk.major >= POOL_SINCE;
    }
    needs(name).is_none_or(|class| held.markers.contains(class))
}

/// Whether a jar or folder holds an entry.
pub(in crate::validate) fn holds(path: &Utf8Path, entry: &str) -> bool {
    Entries::read(path).holds(entry)
}
