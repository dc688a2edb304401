//! Running Gradle with our questions: offline first, through a mirror when something is missing.

use super::answers::{Answers, Build};
use super::complaint::{Complaint, complaint};
use super::dependencies::{mirror, users_files, users_home};
use super::distribution::Distribution;
use super::home::Home;
use super::launch::{self, Launch};
use crate::benchmark::copy::io_error;
use crate::benchmark::local::store::Store;
use crate::benchmark::mirror::Mirror;
use crate::benchmark::{BenchmarkError, jars, jdk};
use crate::domain::RepoPath;
use crate::sandbox::{Exit, Finished, Job, Sandbox};
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;
use std::time::{Duration, Instant};

const ASK: &str = include_str!("ask.gradle");
const REDIRECT: &str = include_str!("mirror.gradle");

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

/// What Gradle made and reported.
#[derive(Debug)]
pub(super) struct Prepared {
    /// For people.
    pub note: String,
    pub build: Build,
    pub answers: Answers,
    /// How Gradle was started.
    pub launch: Launch,
    /// Where it finds what the build depends on, from now on.
    pub store: Store,
    /// Why some modules were not compiled, where all were asked for.
    pub left_out: Option<String>,
}

/// Gradle on this machine, for one project.
#[derive(Debug, Clone)]
pub(super) struct Gradle {
    jdk: jdk::Jdk,
    home: Home,
    pub(super) sandbox: Sandbox,
}

impl Gradle {
    /// Gradle for the user's project in the folder `project`, run by the JDK that will compile the candidates.
    ///
    /// # Errors
    /// The JDK is missing, or the cache cannot be made.
    pub(super) fn new(
        sandbox: Sandbox,
        chosen_jdk: Option<&Utf8Path>,
        project: &Utf8Path,
    ) -> Result<Self, BenchmarkError> {
        Ok(Self { jdk: jdk::find(chosen_jdk)?, home: Home::of(project)?, sandbox })
    }

    /// Compiles the project, and asks how it is compiled and tested.
    ///
    /// # Errors
    /// There is no Gradle, the project does not compile, or nothing that was tried worked.
    pub(super) async fn prepare(&self, request: &Request) -> Result<Prepared, BenchmarkError> {
        let root = &request.root;
        let launch = self.launch(root).await.ok_or_else(|| missing(root))?;
        let _alone = self.home.alone().await?;
        let mut stores = vec![Store::Filled];
        if self.home.is_old() {
            stores.insert(0, Store::Own);
        }
        if users_files().is_some() {
            stores.insert(0, Store::Users);
        }
        let mut last = Complaint::Other("nothing was tried".into());
        for store in stores {
            match self.attempt(request, &launch, store).await? {
                Ok(prepared) => return Ok(prepared),
                Err(complaint) => last = complaint,
            }
            if !matches!(last, Complaint::Missing(_)) {
                break;
            }
        }
        Err(self.refused(root, &launch, &last))
    }

    /// The Gradle that the project's wrapper names, fetched where it is missing; else the one on PATH.
    async fn launch(&self, root: &Utf8Path) -> Option<Launch> {
        let Some(wanted) = Distribution::wanted(root) else { return launch::on_path() };
        let folder = match wanted.found(users_home().as_deref()) {
            Some(folder) => Ok(folder),
            None => wanted.fetch(&self.sandbox, &self.jdk.home).await,
        };
        match folder {
            Ok(folder) => launch::of_distribution(&folder, wanted.version()),
            Err(why) => {
                tracing::info!("Gradle {} could not be had: {why}", wanted.version());
                launch::on_path()
            }
        }
    }

    async fn attempt(
        &self,
        request: &Request,
        launch: &Launch,
        store: Store,
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
        let mirror = mirror(store, &self.sandbox, &self.jdk.home).await?;
        let job = self.job(&request.root, launch, &answers, mirror.as_ref())?.write(self.home.path());
        let (done, output) = self.run(job, self.home.path(), args, DEADLINE).await?;
        let output = mirror.as_ref().map_or_else(|| output.clone(), |mirror| mirror.unnamed(&output));
        let output = output.replace(&format!("{}/", request.root), "");
        let build = answers.build();
        let is_whole = |build: &Build| {
            let has_tests = build.modules.iter().any(|module| module.test.is_some());
            !has_tests || (0..build.modules.len()).any(|nth| answers.compiled(nth).is_some())
        };
        let Some(build) = build.filter(is_whole) else { return Ok(Err(complaint(&output, done.exit))) };
        let left_out = (!done.exit.success()).then(|| complaint(&output, done.exit));
        // What the network may bring is not left out.
        if let Some(complaint @ Complaint::Missing(_)) = &left_out
            && store != Store::Filled
        {
            return Ok(Err(complaint.clone()));
        }
        let how = store.network();
        // What was fetched is kept.
        let store = store.offline();
        let seconds = started.elapsed().as_secs_f64();
        let note = format!("compiled by Gradle {}, {how}, {seconds:.1} s", build.gradle);
        let left_out = left_out.map(|complaint| complaint.text().to_owned());
        Ok(Ok(Prepared { note, build, answers, launch: launch.clone(), store, left_out }))
    }

    /// Runs tasks once on a tree that a candidate may have changed, with a copy of the home. Gives Gradle's output.
    ///
    /// # Errors
    /// It cannot be started.
    pub(super) async fn call(
        &self,
        tree: &Utf8Path,
        (launch, store): (&Launch, Store),
        answers: &Answers,
        args: Vec<String>,
        wall: Duration,
    ) -> Result<(Finished, String), BenchmarkError> {
        let mirror = mirror(store, &self.sandbox, &self.jdk.home).await?;
        let copied = {
            let _alone = self.home.alone().await?;
            self.home.copy()?
        };
        // What it made once may be named there by its old place.
        let job =
            self.job(tree, launch, answers, mirror.as_ref())?.write(&copied.path).read([self.home.path().to_owned()]);
        self.run(job, &copied.path, args, wall).await
    }

    /// A call of Gradle in a folder that it may write, but for its home and its tasks.
    fn job(
        &self,
        root: &Utf8Path,
        launch: &Launch,
        answers: &Answers,
        mirror: Option<&Mirror>,
    ) -> Result<Job, BenchmarkError> {
        let folder = answers.folder()?;
        let script = |name: &str, text: &str| {
            let path = folder.join(name);
            let written = fs::write(&path, text);
            written.map(|()| path.clone()).map_err(|source| io_error("cannot write the init script", &path, source))
        };
        let ask = script("ask.gradle", ASK)?;
        let mut job = Job::new(launch.program.as_str(), root).args(launch.args.clone()).write(root).write(&folder);
        job = job.read(launch.read.clone()).read([self.jdk.home.clone()]);
        job = job.args(["--no-daemon", "--console=plain", "-I", ask.as_str()]);
        job = job.args([format!("-Dunidebug.answers={folder}")]).args(AS_A_RULE.iter().copied());
        job = match mirror {
            None => job.args(["--offline"]),
            Some(mirror) => {
                let redirect = script("mirror.gradle", REDIRECT)?;
                let mut job = job.args(["-I", redirect.as_str(), &format!("-Dunidebug.mirror={}", mirror.url)]);
                job.door = Some(mirror.door.clone());
                job
            }
        };
        job.limits.memory_mib = 8192;
        // A first build fetches all that a large project depends on.
        job.limits.disk_mib = 16 << 10;
        Ok(job)
    }

    async fn run(
        &self,
        job: Job,
        home: &Utf8Path,
        args: Vec<String>,
        wall: Duration,
    ) -> Result<(Finished, String), BenchmarkError> {
        let mut job = job.args(["-g", home.as_str()]).args(args).wall(wall);
        job.env = vec![
            ("JAVA_HOME".into(), self.jdk.home.to_string()),
            ("GRADLE_USER_HOME".into(), home.to_string()),
            ("GRADLE_OPTS".into(), format!("-Xmx2g -Xss16m {}", jars::SHORT_LIVED)),
        ];
        // Newer versions look there for what the user's own builds fetched.
        if let Some(caches) = users_files() {
            job = job.read([caches.clone()]);
            job.env.push(("GRADLE_RO_DEP_CACHE".into(), caches.into_string()));
        }
        let done = self.sandbox.run(job).await.map_err(|error| BenchmarkError::Setup {
            what: format!("Gradle could not be started: {error}"),
            hint: "`unidebug doctor` tells what is missing".into(),
        })?;
        let output = String::from_utf8_lossy(&done.stdout).into_owned() + "\n" + &String::from_utf8_lossy(&done.stderr);
        Ok((done, output))
    }

    fn refused(&self, root: &Utf8Path, launch: &Launch, complaint: &Complaint) -> BenchmarkError {
        let jdk = format!("Java {}", self.jdk.version);
        let is_other = |wanted: &str| !launch.name.ends_with(wanted) && jdk::refused_level(complaint.text()).is_none();
        let wanted = Distribution::wanted(root).map(|wanted| wanted.version().to_owned()).filter(|w| is_other(w));
        let by_wrapper = wanted.map(|wanted| {
            format!(
                "the project's wrapper names Gradle {wanted}, which could not be fetched: run `./gradlew help` once"
            )
        });
        let (what, hint) = match complaint {
            Complaint::Compile(what) => (
                format!("the project does not compile before any change: {what}"),
                "a bug is a project that compiles and has a failing test; see `gradle testClasses`".into(),
            ),
            Complaint::Version(what) => (
                format!("{} and {jdk} cannot set the project up: {what}", launch.name),
                by_wrapper.unwrap_or_else(|| {
                    "name another JDK with --java-home, or put the Gradle that the project wants on PATH".into()
                }),
            ),
            Complaint::Missing(what) => {
                (format!("{} could not set the project up: {what}", launch.name), ASK_GRADLE.into())
            }
            Complaint::Other(what) => (
                format!("{} could not set the project up: {what}", launch.name),
                by_wrapper.unwrap_or_else(|| ASK_GRADLE.into()),
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

/// What to do where nothing more is known.
const ASK_GRADLE: &str = "see what `gradle testClasses` says in the project, or use `--build` and `--test`";

/// Whether a process that ended so was cut.
pub(super) fn was_cut(exit: Exit) -> bool {
    matches!(exit, Exit::TimedOut | Exit::OutOfMemory)
}

fn missing(root: &Utf8Path) -> BenchmarkError {
    let what = match Distribution::wanted(root) {
        Some(wanted) => {
            format!("the project wants Gradle {}, which could not be fetched, and none is on PATH", wanted.version())
        }
        None => "the project is built with Gradle, and there is none on PATH".to_owned(),
    };
    let hint = "install Gradle, or run `./gradlew help` once where there is a network; or use `--build` and `--test`";
    BenchmarkError::Missing { what, hint: hint.into() }
}
