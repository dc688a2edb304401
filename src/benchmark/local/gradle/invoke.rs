//! Running Gradle with our questions: offline first, with the network when something is missing.

use super::answers::{Answers, Build};
use super::complaint::{Complaint, complaint};
use super::launch::{self, Launch};
use crate::benchmark::copy::io_error;
use crate::benchmark::local::maven::is_about_the_jdk;
use crate::benchmark::{BenchmarkError, jars, jdk};
use crate::domain::RepoPath;
use crate::sandbox::{Exit, Finished, Job, Sandbox};
use camino::{Utf8Path, Utf8PathBuf};
use std::fs::{self, File};
use std::time::{Duration, Instant};

const SCRIPT: &str = include_str!("ask.gradle");

/// Downloading a large project's dependencies on a slow line takes minutes, not hours.
const DEADLINE: Duration = Duration::from_secs(30 * 60);

/// What one module's tests may take when all modules are run to see which fails.
const MODULE_TESTS_SECONDS: u32 = 300;

/// What Gradle is to do.
#[derive(Debug, Clone)]
pub(super) struct Request {
    /// The private copy.
    pub root: Utf8PathBuf,
    /// The module to compile, with those it needs; all when `None`, as far as they compile.
    pub only: Option<RepoPath>,
    /// Whether the tests are run, too.
    pub run_tests: bool,
}

/// What Gradle made and told.
#[derive(Debug)]
pub(super) struct Prepared {
    /// For people.
    pub note: String,
    pub build: Build,
    pub answers: Answers,
    /// How Gradle was started.
    pub launch: Launch,
    /// Why some modules were not compiled, where all were asked for.
    pub left_out: Option<String>,
}

/// Gradle on this machine.
#[derive(Debug, Clone)]
pub(super) struct Gradle {
    jdk: jdk::Jdk,
    /// Where Gradle keeps what it fetched and made: this program's own, for Gradle writes there even when it only reads.
    home: Utf8PathBuf,
    pub(super) sandbox: Sandbox,
}

impl Gradle {
    /// Gradle, run by the JDK that will compile the candidates.
    ///
    /// # Errors
    /// The JDK is missing, or the cache cannot be made.
    pub(super) fn new(sandbox: Sandbox, chosen_jdk: Option<&Utf8Path>) -> Result<Self, BenchmarkError> {
        let home = jars::cache_dir().join("gradle");
        let made = fs::create_dir_all(&home).and_then(|()| home.canonicalize_utf8());
        let home = made.map_err(|source| io_error("cannot make the cache", &home, source))?;
        Ok(Self { jdk: jdk::find(chosen_jdk)?, home, sandbox })
    }

    /// Compiles the project, and asks how it is compiled and tested.
    ///
    /// # Errors
    /// There is no Gradle, the project does not compile, or nothing that was tried worked.
    pub(super) async fn prepare(&self, request: &Request) -> Result<Prepared, BenchmarkError> {
        let root = &request.root;
        let launches = launch::all(root, &self.home, users_home().as_deref(), &self.jdk.java());
        if launches.is_empty() {
            return Err(missing(root));
        }
        let mut last = Complaint::Other("nothing was tried".into());
        for launch in launches {
            for network in if launch.fetches { &[true][..] } else { &[false, true][..] } {
                match self.attempt(request, &launch, *network).await? {
                    Ok(prepared) => return Ok(prepared),
                    Err(complaint @ Complaint::Missing(_)) => last = complaint,
                    Err(complaint) => {
                        last = complaint;
                        break;
                    }
                }
            }
            // A Gradle that the wrapper names has the last word; one that could not be fetched has none.
            let is_there = !launch.fetches || !launch::all(root, &self.home, None, &self.jdk.java())[0].fetches;
            if is_there {
                return Err(self.refused(root, &launch, &last));
            }
            tracing::info!("{} could not be had: {}", launch.name, last.text());
        }
        Err(missing(root))
    }

    async fn attempt(
        &self,
        request: &Request,
        launch: &Launch,
        network: bool,
    ) -> Result<Result<Prepared, Complaint>, BenchmarkError> {
        let started = Instant::now();
        let answers = Answers::new()?;
        let mut args = vec!["unidebugAsk".to_owned(), "--continue".into()];
        if let Some(only) = &request.only {
            args.push(format!("-Dunidebug.only={only}"));
        }
        if request.run_tests {
            args.extend(["-Dunidebug.test=all".into(), format!("-Dunidebug.seconds={MODULE_TESTS_SECONDS}")]);
        }
        let (done, said) = self.call(&request.root, launch, &answers, args, network, DEADLINE).await?;
        let said = said.replace(&format!("{}/", request.root), "");
        let build = answers.build();
        let told = |build: &Build| {
            let has_tests = build.modules.iter().any(|module| module.test.is_some());
            !has_tests || (0..build.modules.len()).any(|nth| answers.compiled(nth).is_some())
        };
        let Some(build) = build.filter(told) else { return Ok(Err(complaint(&said, done.exit))) };
        let left_out = (!done.exit.success()).then(|| complaint(&said, done.exit));
        // What the network may bring is not left out.
        if let Some(complaint @ Complaint::Missing(_)) = &left_out
            && !network
        {
            return Ok(Err(complaint.clone()));
        }
        let how = if network { "with the network" } else { "offline" };
        let seconds = started.elapsed().as_secs_f64();
        let note = format!("compiled by Gradle {}, {how}, {seconds:.1} s", build.gradle);
        let left_out = left_out.map(|complaint| complaint.text().to_owned());
        let launch = self.now(&request.root, launch);
        Ok(Ok(Prepared { note, build, answers, launch, left_out }))
    }

    /// The same Gradle from now on: what a wrapper fetched is started directly.
    fn now(&self, root: &Utf8Path, launch: &Launch) -> Launch {
        let all = launch::all(root, &self.home, None, &self.jdk.java());
        if launch.fetches { all.into_iter().next().unwrap_or_else(|| launch.clone()) } else { launch.clone() }
    }

    /// Runs Gradle once in a folder that it may write. Tells what it said.
    ///
    /// # Errors
    /// It cannot be started.
    pub(super) async fn call(
        &self,
        root: &Utf8Path,
        launch: &Launch,
        answers: &Answers,
        args: Vec<String>,
        network: bool,
        wall: Duration,
    ) -> Result<(Finished, String), BenchmarkError> {
        let folder = answers.folder()?;
        let script = folder.join("ask.gradle");
        fs::write(&script, SCRIPT).map_err(|source| io_error("cannot write the init script", &script, source))?;
        let _alone = self.alone().await?;
        let mut job = Job::new(launch.program.as_str(), root).args(launch.args.clone()).write(root).write(&folder);
        job = job.read(launch.read.clone()).read([self.jdk.home.clone()]).write(&self.home).wall(wall);
        job = job.args(["--no-daemon", "--console=plain", "-g", self.home.as_str(), "-I", script.as_str()]);
        job = job.args([format!("-Dunidebug.answers={folder}")]).args(AS_A_RULE.iter().copied());
        if network {
            job.network = true;
        } else {
            job = job.args(["--offline"]);
        }
        let mut env = vec![
            ("JAVA_HOME".into(), self.jdk.home.to_string()),
            ("GRADLE_USER_HOME".into(), self.home.to_string()),
            ("GRADLE_OPTS".into(), format!("-Xmx2g -Xss16m {}", jars::SHORT_LIVED)),
        ];
        // Newer versions look there for what the user's own builds fetched.
        if let Some(caches) = users_home().map(|home| home.join("caches")).filter(|c| c.join("modules-2").is_dir()) {
            job = job.read([caches.clone()]);
            env.push(("GRADLE_RO_DEP_CACHE".into(), caches.into_string()));
        }
        job.env = env;
        job.limits.memory_mib = 8192;
        let done = self.sandbox.run(job.args(args)).await.map_err(|error| BenchmarkError::Setup {
            what: format!("Gradle could not be started: {error}"),
            hint: "`unidebug doctor` tells what is missing".into(),
        })?;
        let said = String::from_utf8_lossy(&done.stdout).into_owned() + "\n" + &String::from_utf8_lossy(&done.stderr);
        Ok((done, said))
    }

    /// Waits until no other process of this program uses the home: Gradle's own locks ask their holder over the loopback
    /// device, which each sandbox has for itself.
    async fn alone(&self) -> Result<File, BenchmarkError> {
        let path = self.home.join("unidebug.lock");
        let failed = |source| io_error("cannot lock Gradle's home", &self.home, source);
        let file = File::create(&path).map_err(failed)?;
        let locked = tokio::task::spawn_blocking(move || file.lock().map(|()| file)).await;
        locked.map_err(std::io::Error::other).and_then(|locked| locked).map_err(failed)
    }

    fn refused(&self, root: &Utf8Path, launch: &Launch, complaint: &Complaint) -> BenchmarkError {
        let jdk = format!("Java {}", self.jdk.version);
        let is_other = |wanted: &String| !launch.name.ends_with(wanted.as_str()) && !is_about_the_jdk(complaint.text());
        let wanted = launch::wanted_version(root).filter(is_other);
        let (what, hint) = match complaint {
            Complaint::Compile(what) => (
                format!("the project does not compile before any change: {what}"),
                "a bug is a project that compiles and has a failing test; see `gradle testClasses`".into(),
            ),
            Complaint::Version(what) => (
                format!("{} and {jdk} cannot set the project up: {what}", launch.name),
                match wanted {
                    Some(wanted) => format!(
                        "the project's wrapper names Gradle {wanted}, which could not be fetched: run `./gradlew help` once"
                    ),
                    None => {
                        "name another JDK with --java-home, or put the Gradle that the project wants on PATH".into()
                    }
                },
            ),
            Complaint::Missing(what) | Complaint::Other(what) => (
                format!("Gradle could not set the project up: {what}"),
                "see what `gradle testClasses` says in the project, or use `--build` and `--test`".into(),
            ),
        };
        BenchmarkError::Setup { what, hint }
    }
}

/// Settings of a build that would keep a process, or its settings, for later ones.
const AS_A_RULE: &[&str] = &[
    "-Dorg.gradle.daemon=false",
    "-Dorg.gradle.vfs.watch=false",
    "-Dorg.gradle.configureondemand=false",
    "-Dorg.gradle.configuration-cache=false",
    "-Dorg.gradle.unsafe.configuration-cache=false",
    "-Dorg.gradle.unsafe.isolated-projects=false",
];

/// Whether a process that ended so was cut.
pub(super) fn was_cut(exit: Exit) -> bool {
    matches!(exit, Exit::TimedOut | Exit::OutOfMemory)
}

fn missing(root: &Utf8Path) -> BenchmarkError {
    let what = match launch::wanted_version(root) {
        Some(version) => format!("the project wants Gradle {version}, which could not be fetched, and none is on PATH"),
        None => "the project is built with Gradle, and there is none on PATH".to_owned(),
    };
    let hint = "install Gradle, or run `./gradlew help` once where there is a network; or use `--build` and `--test`";
    BenchmarkError::Missing { what, hint: hint.into() }
}

/// The user's home of Gradle.
fn users_home() -> Option<Utf8PathBuf> {
    let said = std::env::var("GRADLE_USER_HOME").ok().map(Utf8PathBuf::from);
    let usual = || std::env::var("HOME").ok().map(|home| Utf8PathBuf::from(home).join(".gradle"));
    said.or_else(usual)?.canonicalize_utf8().ok()
}
