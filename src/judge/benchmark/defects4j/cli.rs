//! The official command line, in the sandbox.
//!
//! A command may read the installation and the JDK it demands, and write the one working directory it works on; it has
//! no network. It sees the developer's patch, because the installation holds it: no agent and no tool ever starts one.

use super::text;
use crate::benchmark::BenchmarkError;
use crate::benchmark::jdk::{self, Jdk};
use crate::sandbox::{Exit, Finished, Job, PROGRAM_PATH, Sandbox};
use camino::{Utf8Path, Utf8PathBuf};
use std::time::Duration;

/// The program, in an installation.
pub(super) const PROGRAM: &str = "framework/bin/defects4j";
/// Where an installation says which Java it insists on.
const CONSTANTS: &str = "framework/core/Constants.pm";
/// Ant compiles and tests in its own JVM, whose heap is sized by the machine's memory and not by what it needs.
const MEMORY_MIB: u64 = 16 << 10;
/// A check-out or a build takes minutes at most.
pub(super) const PATIENCE: Duration = Duration::from_secs(900);
/// Where Perl modules lie that were not installed for everybody.
const PERL: [&str; 2] = ["PERL5LIB", "PERL_LOCAL_LIB_ROOT"];

/// An installation of Defects4J with the JDK its commands run under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cli {
    /// Its top folder, without links.
    pub root: Utf8PathBuf,
    /// Its version: `3.0.1`.
    pub version: String,
    /// The JDK.
    pub jdk: Jdk,
}

/// The feature release that an installation insists on, `None` when it takes any.
pub(super) fn demanded(root: &Utf8Path, version: &str) -> Option<u32> {
    let constants = std::fs::read(root.join(CONSTANTS)).ok();
    // Versions before 2.1 say it to people only.
    constants.and_then(|bytes| text::demanded_jdk(&bytes)).or_else(|| version.starts_with("2.").then_some(8))
}

/// The JDK for an installation: the chosen one, else one of this machine.
///
/// # Errors
/// It is another than the installation insists on, or there is none.
pub(super) fn suitable_jdk(root: &Utf8Path, version: &str, chosen: Option<&Utf8Path>) -> Result<Jdk, BenchmarkError> {
    let Some(wanted) = demanded(root, version) else { return jdk::find(chosen) };
    let found = match chosen {
        Some(home) => vec![jdk::find(Some(home))?],
        None => jdk::all(),
    };
    if let Some(jdk) = found.iter().find(|jdk| jdk.major == wanted) {
        return Ok(jdk.clone());
    }
    let known: Vec<String> = found.iter().map(|jdk| format!("{} at {}", jdk.major, jdk.home)).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Err(BenchmarkError::Missing {
        what: format!("Defects4J {version} runs under JDK {wanted} only (found {known})"),
        hint: format!("install a JDK {wanted}, and name it with --java-home if it is not found by itself"),
    })
}

impl Cli {
    /// Runs a command to a successful end.
    ///
    /// # Errors
    /// It could not be started, failed, or took too long.
    pub(super) async fn expect(
        &self,
        sandbox: &Sandbox,
        words: &[&str],
        work: &Utf8Path,
    ) -> Result<Finished, BenchmarkError> {
        let done = self.run(sandbox, words, work, PATIENCE).await?;
        if done.exit.success() { Ok(done) } else { Err(self.failed(words, &done)) }
    }

    /// Runs a command; `work` is the folder it may write.
    ///
    /// # Errors
    /// It could not be started.
    pub(super) async fn run(
        &self,
        sandbox: &Sandbox,
        words: &[&str],
        work: &Utf8Path,
        wall: Duration,
    ) -> Result<Finished, BenchmarkError> {
        let mut job = Job::new(self.root.join(PROGRAM), work)
            .args(words.iter().copied())
            .read([self.root.clone(), self.jdk.home.clone()])
            .write(work)
            .wall(wall);
        job.limits.memory_mib = MEMORY_MIB;
        job.env = vec![
            ("PATH".into(), format!("{}/bin:{PROGRAM_PATH}", self.jdk.home)),
            ("JAVA_HOME".into(), self.jdk.home.to_string()),
            // Its repositories may belong to whoever installed it.
            ("GIT_CONFIG_COUNT".into(), "1".into()),
            ("GIT_CONFIG_KEY_0".into(), "safe.directory".into()),
            ("GIT_CONFIG_VALUE_0".into(), "*".into()),
        ];
        for name in PERL {
            let Some(value) = std::env::var(name).ok().filter(|value| !value.is_empty()) else { continue };
            job = job.read(value.split(':').filter(|folder| folder.starts_with('/')));
            job.env.push((name.into(), value));
        }
        sandbox.run(job).await.map_err(|error| BenchmarkError::Missing {
            what: format!("Defects4J could not be started: {error}"),
            hint: error.hint(),
        })
    }

    /// The error for a command that did not end well.
    pub(super) fn failed(&self, words: &[&str], done: &Finished) -> BenchmarkError {
        let how = match done.exit {
            Exit::Code(_) => "failed".to_owned(),
            other => format!("was ended by {other}"),
        };
        BenchmarkError::Setup {
            what: format!("`defects4j {}` {how}: {}", words.join(" "), complaint(done)),
            hint: "`unidebug doctor` looks at what Defects4J needs; try the same command by hand".into(),
        }
    }
}

/// The line of a command's output that says most.
pub(super) fn complaint(done: &Finished) -> String {
    let output = format!("{}\n{}", String::from_utf8_lossy(&done.stderr), String::from_utf8_lossy(&done.stdout));
    let lines =
        || output.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Executed command"));
    let signs = ["is required", "Can't locate", "rror: ", "BUILD FAILED", "Couldn't", "fatal: ", "Cannot "];
    let line = signs.iter().find_map(|word| lines().find(|line| line.contains(word)));
    let line = line.or_else(|| lines().next_back()).unwrap_or("it said nothing");
    line.chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installation(constants: &str) -> (tempfile::TempDir, Utf8PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(temp.path().to_owned()).unwrap();
        std::fs::create_dir_all(root.join("framework/core")).unwrap();
        std::fs::write(root.join(CONSTANTS), constants).unwrap();
        (temp, root)
    }

    #[test]
    fn a_jdk_that_the_installation_refuses_is_refused_before_anything_runs() {
        let (_keep, root) = installation("die (\"Java 3 is required!\\n\");");
        let error = suitable_jdk(&root, "3.0.1", None).unwrap_err();
        assert!(error.to_string().contains("runs under JDK 3 only (found "), "{error}");
        assert!(error.hint().contains("--java-home"), "{}", error.hint());
        let here = jdk::find(None).unwrap();
        let (_keep, root) = installation(&format!("Java {} is required!", here.major));
        assert_eq!(suitable_jdk(&root, "3.0.1", None).unwrap().major, here.major);
        assert_eq!(suitable_jdk(&root, "3.0.1", Some(&here.home)).unwrap(), here);
    }

    #[test]
    fn an_old_installation_wants_java_8_though_its_code_does_not_ask() {
        let (_keep, root) = installation("");
        assert_eq!((demanded(&root, "2.0.0"), demanded(&root, "3.9")), (Some(8), None));
    }

    #[test]
    fn the_line_that_says_most_is_told() {
        let done = |stderr: &str| Finished {
            exit: Exit::Code(1),
            stdout: Vec::new(),
            stderr: stderr.into(),
            results: Vec::new(),
            wall: Duration::ZERO,
        };
        let output = "Running ant (compile)... FAIL\nExecuted command: cd /w\n[javac] /w/A.java:3: error: x\n1 error\n";
        assert_eq!(complaint(&done(output)), "[javac] /w/A.java:3: error: x");
        assert_eq!(complaint(&done("Java 11 is required!\n\nCompilation failed in require\n")), "Java 11 is required!");
        assert_eq!(complaint(&done("")), "it said nothing");
    }
}
