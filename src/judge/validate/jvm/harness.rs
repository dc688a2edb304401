//! Our runner: sources carried in this program, classes made once by the JDK that will run them.

use super::javac::{Compiled, Javac, Level};
use crate::benchmark::TestPatterns;
use crate::benchmark::jdk::Jdk;
use crate::domain::{Diagnostic, Fingerprint};
use crate::sandbox::Sandbox;
use crate::validate::{ValidateError, io_error};
use camino::{Utf8Path, Utf8PathBuf};
use include_dir::{Dir, File, include_dir};

static SOURCES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/validate/jvm/java");

/// Sources that need a library of the subject, and the class that shows it is there.
const OPTIONAL: &[(&str, &str)] = &[
    (JUNIT_4, "org/junit/runner/Description.class"),
    (BARE, "org/junit/runner/Description.class"),
    ("JUnit5.java", "org/junit/platform/engine/TestEngine.class"),
    ("Platform.java", "org/junit/platform/engine/TestEngine.class"),
    ("Bodiless.java", "org/junit/jupiter/api/extension/DynamicTestInvocationContext.class"),
    ("Spectrum.java", "org/jacoco/core/analysis/Analyzer.class"),
    ("Lines.java", "org/jacoco/core/analysis/Analyzer.class"),
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

/// The runner's classes for one JDK and one set of libraries.
#[derive(Debug, Clone)]
pub(in crate::validate) struct Harness {
    /// Folder of its classes.
    pub(in crate::validate) classes: Utf8PathBuf,
    /// Content hash of sources, JDK and libraries: part of every cache key.
    pub(in crate::validate) hash: String,
}

impl Harness {
    /// Takes the classes from the cache, or compiles them against these libraries.
    ///
    /// # Errors
    /// The JDK cannot compile our sources, which names its complaint.
    pub(in crate::validate) async fn prepare(
        sandbox: &Sandbox,
        jdk: &Jdk,
        (tests, libraries): (&TestPatterns, &[Utf8PathBuf]),
        cache: &Utf8Path,
    ) -> Result<Self, ValidateError> {
        let mut wanted = Vec::new();
        collect(&SOURCES, &mut wanted);
        wanted.retain(|file| !(tests.platform_only && [JUNIT_4, BARE].iter().any(|name| file.path().ends_with(name))));
        wanted.retain(|file| is_usable(file.path().file_name().and_then(|name| name.to_str()), libraries, jdk));
        let mut fingerprint = Fingerprint::default();
        for file in &wanted {
            fingerprint.add(file.path().as_os_str().as_encoded_bytes()).add(file.contents());
        }
        fingerprint.add(format!("{} {}", jdk.home, jdk.version));
        for library in libraries {
            fingerprint.add(library.as_str());
        }
        let hash = fingerprint.name();
        let classes = cache.join("runner").join(&hash);
        if classes.join("unidebug/runner/Cold.class").is_file() {
            return Ok(Self { classes, hash });
        }
        let io = |what: &str| io_error(what, &classes);
        let parent = cache.join("runner");
        std::fs::create_dir_all(&parent).map_err(io("making the cache of the test runner"))?;
        let making = tempfile::tempdir_in(&parent).map_err(io("making the cache of the test runner"))?;
        let making = Utf8Path::from_path(making.path()).ok_or_else(|| ValidateError::Tool {
            what: "the cache folder's name is no UTF-8".into(),
            hint: "set UNIDEBUG_CACHE_DIR".into(),
        })?;
        let (sources, out) = (making.join("java"), making.join("classes"));
        std::fs::create_dir_all(&out).map_err(io("making the cache of the test runner"))?;
        let mut files = Vec::new();
        for file in wanted {
            let path = sources.join(file.path().to_string_lossy().as_ref());
            let folder = path.parent().unwrap_or(&sources);
            std::fs::create_dir_all(folder).map_err(io("unpacking the test runner"))?;
            std::fs::write(&path, file.contents()).map_err(io("unpacking the test runner"))?;
            files.push(path);
        }
        let mut level = Level::default();
        if jdk.major >= POOL_SINCE {
            level.args.extend(COMPILER_POOL.map(String::from));
        }
        let javac = Javac { sandbox, jdk, level, wall: std::time::Duration::from_secs(180) };
        let Compiled { ok, diagnostics, output, .. } = javac.compile(&files, libraries, &out, making).await?;
        if !ok {
            let place = |found: &Diagnostic| match &found.file {
                Some(file) => format!("{file}:{}: {}", found.line, found.message),
                None => found.message.clone(),
            };
            let first = diagnostics.first().map_or(output, place);
            return Err(ValidateError::Tool {
                what: format!("the test runner does not compile with JDK {}: {first}", jdk.version),
                hint: "name another JDK with --java-home".into(),
            });
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
        Ok(Self { classes, hash })
    }
}

fn collect(folder: &'static Dir<'static>, into: &mut Vec<&'static File<'static>>) {
    into.extend(folder.files());
    folder.dirs().for_each(|inner| collect(inner, into));
}

fn is_usable(name: Option<&str>, libraries: &[Utf8PathBuf], jdk: &Jdk) -> bool {
    if matches!(name, Some("Pooled.java" | "Release.java")) {
        return jdk.major >= POOL_SINCE;
    }
    let needs = OPTIONAL.iter().find(|(file, _)| Some(*file) == name);
    needs.is_none_or(|(_, class)| libraries.iter().any(|path| holds(path, class)))
}

/// Whether a jar or folder holds an entry. The names in a jar's directory are not compressed, so no unpacking is needed.
pub(in crate::validate) fn holds(path: &Utf8Path, entry: &str) -> bool {
    if path.is_dir() {
        return path.join(entry).is_file();
    }
    let Ok(bytes) = std::fs::read(path) else { return false };
    memchr::memmem::rfind(&bytes, entry.as_bytes()).is_some()
}
