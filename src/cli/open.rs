//! From typed arguments to a bug on the bench: sandbox, checkout, JDK, judge, metadata. Shared by all commands that
//! work on a bug.

use super::config::{Config, Layers, SandboxArg};
use super::error::{Failure, NOTHING_FAILS};
use super::requirements;
use crate::benchmark::facts::Words;
use crate::benchmark::jdk::{self, Jdk};
use crate::benchmark::{self, Checkout, LOCAL, Settings};
use crate::domain::{BugId, Event, EventSink, Reproduction, TestId, Watcher};
use crate::escalate::prepare;
use crate::sandbox::{Choice, Sandbox};
use crate::tools::Workbench;
use crate::validate;
use camino::{Utf8Path, Utf8PathBuf};

/// The folders of the copy of a project and of what its judge makes, below that of a run.
const CHECKOUT: &str = "checkout";
const WORK: &str = "work";

/// What must hold before anything is paid for or compiled.
#[derive(Clone)]
pub(super) struct Opened {
    /// The bug's id.
    pub bug: BugId,
    /// Where its benchmark is and how it is set up.
    pub settings: Settings,
    /// The isolation in force.
    pub sandbox: Sandbox,
    /// Requirements from `--requirements`, and that there are none of this bug in a folder of them.
    requirements: Option<String>,
    lack: Option<String>,
    failing: Vec<TestId>,
    jdk: Option<Jdk>,
    cold: bool,
    known_verdicts: bool,
}

impl Opened {
    /// Checks what was typed about the bug, and the sandbox, by doing.
    ///
    /// # Errors
    /// Unknown bug or benchmark, unusable root, unreadable requirements, no sandbox.
    pub(super) async fn check(text: &str, config: &Config) -> Result<Self, Failure> {
        let bug = benchmark::parse_bug(text)?;
        let failing = config.failing.iter().map(|test| test.parse::<TestId>()).collect::<Result<Vec<_>, _>>();
        let failing =
            failing.map_err(|e| Failure::usage(format!("--failing: {e}"), "write `Class` or `Class#method`"))?;
        let given = config.requirements.as_deref();
        let requirements = given.map(|path| requirements::read(path, &bug)).transpose()?.flatten();
        let lack = given.filter(|_| requirements.is_none()).map(|path| requirements::none_in(path, &bug));
        let sandbox = Sandbox::detect(match config.sandbox {
            SandboxArg::Auto => Choice::Auto,
            SandboxArg::Bubblewrap => Choice::Bubblewrap,
            SandboxArg::Landlock => Choice::Landlock,
            SandboxArg::None => Choice::None,
        })
        .await?;
        let jdk = config.java_home.as_deref().map(|home| jdk::find(Some(home))).transpose()?;
        let settings = Settings {
            root: config.root.clone(),
            build: words("build", config.build.as_ref())?,
            test: words("test", config.test.as_ref())?,
            reports: Vec::new(),
            added: Vec::new(),
            failing: config.failing.clone(),
            all_modules: false,
            java_home: config.java_home.clone(),
            trust_build: config.trust_build,
            sandbox: Some(sandbox.clone()),
            watcher: Watcher::default(),
        };
        let adapter = benchmark::find(&bug.benchmark, &settings)?;
        adapter.describe(&bug)?;
        Ok(Self { bug, settings, sandbox, requirements, lack, failing, jdk, cold: false, known_verdicts: false })
    }

    /// The same with a judge that starts no process before somebody asks: for commands that try no candidates.
    pub(super) fn without_warm_judge(self) -> Self {
        Self { cold: true, ..self }
    }

    /// The same with the verdicts of earlier runs, where they are wanted.
    pub(crate) fn with_known_verdicts(self, known_verdicts: bool) -> Self {
        Self { known_verdicts, ..self }
    }

    /// The same for an issue, whose text the agents see as requirements, beside those that were given.
    pub(super) fn with_issue(self, issue: &str) -> Self {
        let given = self.requirements.map_or_else(String::new, |given| format!("\n\n{given}"));
        Self { requirements: Some(format!("{}{given}", issue.trim_end())), ..self }
    }

    /// The same with a test that was written: it is part of the project, and the test that must pass.
    pub(super) fn with_test(mut self, found: &Reproduction) -> Self {
        let file = found.change();
        self.settings.added = vec![(file.path, file.after)];
        self.settings.failing = vec![found.test.to_string()];
        self.failing = vec![found.test.clone()];
        self
    }

    /// The same with these tests as those that must pass.
    pub(super) fn on_tests(&self, tests: &[TestId]) -> Self {
        let mut own = self.clone();
        own.settings.failing = tests.iter().map(ToString::to_string).collect();
        own.failing = tests.to_vec();
        own
    }

    /// The same, with somebody who hears what is being done.
    pub(super) fn watched(&self, watcher: Watcher) -> Self {
        let mut own = self.clone();
        own.settings.watcher = watcher;
        own
    }

    /// Checks the bug out below `folder`, makes the baseline and puts it on the bench.
    ///
    /// # Errors
    /// Everything that can be wrong with a checkout, a JDK and a baseline.
    pub(super) async fn bench(
        &self,
        folder: &Utf8Path,
        wanted: prepare::Wanted,
        sink: &dyn EventSink,
    ) -> Result<Workbench, Failure> {
        self.bench_after(folder, wanted, sink, async |_| Ok(())).await
    }

    /// The same, where the checkout is changed first.
    /// If no test fails in a module that only seemed likely, all modules are looked at.
    ///
    /// # Errors
    /// As [`Opened::bench`], and what `change` says.
    pub(super) async fn bench_after(
        &self,
        folder: &Utf8Path,
        wanted: prepare::Wanted,
        sink: &dyn EventSink,
        mut change: impl AsyncFnMut(&mut Checkout) -> Result<(), Failure>,
    ) -> Result<Workbench, Failure> {
        let mut checkout = self.checkout(folder).await?;
        change(&mut checkout).await?;
        let module = checkout.project.module.clone();
        let is_guess = checkout.is_guess;
        match self.bench_of(checkout, folder, wanted.clone(), sink).await {
            Err(failure) if is_guess && failure.code == NOTHING_FAILS => {}
            done => return done,
        }
        tell(sink, format!("no test of module {module} fails, so the tests of all modules are run"))?;
        clear(folder);
        let mut wider = self.clone();
        wider.settings.all_modules = true;
        let mut checkout = wider.checkout(folder).await?;
        change(&mut checkout).await?;
        wider.bench_of(checkout, folder, wanted, sink).await
    }

    /// Checks the bug out below `folder` and puts it on the bench before any test is known to fail.
    ///
    /// # Errors
    /// Everything that can be wrong with a checkout; a project that only its own command tests.
    pub(super) async fn untested(
        &self,
        folder: &Utf8Path,
        wanted: prepare::Wanted,
        sink: &dyn EventSink,
    ) -> Result<Workbench, Failure> {
        let checkout = self.checkout(folder).await?;
        let options = self.options(&checkout, folder, sink)?;
        Ok(prepare::open_untested(checkout, &self.sandbox, options, wanted)?)
    }

    /// How the judge of a checkout is opened, whose notes are told first.
    fn options(
        &self,
        checkout: &Checkout,
        folder: &Utf8Path,
        sink: &dyn EventSink,
    ) -> Result<validate::Options, Failure> {
        for text in &checkout.notes {
            tell(sink, text.clone())?;
        }
        let work_dir = folder.join(WORK);
        std::fs::create_dir_all(&work_dir).map_err(|e| Failure::io(&format!("cannot make {work_dir}"), &e))?;
        self.settings.watcher.phase("preparing the test runner");
        Ok(validate::Options {
            jdk: self.jdk.clone(),
            failing: self.failing.clone(),
            cold: self.cold,
            known_verdicts: self.known_verdicts,
            watcher: self.settings.watcher.clone(),
            ..validate::Options::new(work_dir)
        })
    }

    /// Makes the baseline of a checkout and puts it on the bench.
    ///
    /// # Errors
    /// As [`Opened::bench`].
    async fn bench_of(
        &self,
        checkout: Checkout,
        folder: &Utf8Path,
        wanted: prepare::Wanted,
        sink: &dyn EventSink,
    ) -> Result<Workbench, Failure> {
        let options = self.options(&checkout, folder, sink)?;
        prepare::open(checkout, &self.sandbox, options, wanted, Some(sink)).await.map_err(|error| {
            let mut failure = Failure::from(error);
            if failure.code == NOTHING_FAILS && self.bug.benchmark != LOCAL {
                failure.hint.push_str(", or check the bug id");
            }
            failure
        })
    }

    /// The version of the JDK that a bug on the bench is compiled and tested with; `None` for other languages.
    pub(super) fn jdk_of(&self, checkout: &Checkout) -> Option<String> {
        let found = || jdk::find(checkout.project.jdk.as_deref()).ok();
        let is_java = checkout.language == "java";
        is_java.then(|| self.jdk.clone().or_else(found)).flatten().map(|jdk| jdk.version)
    }

    /// Checks the bug out below `folder`.
    ///
    /// # Errors
    /// Everything that can be wrong with a checkout.
    pub(super) async fn checkout(&self, folder: &Utf8Path) -> Result<Checkout, Failure> {
        self.settings.watcher.phase("copying the project");
        let into = folder.join(CHECKOUT);
        std::fs::create_dir_all(&into).map_err(|e| Failure::io(&format!("cannot make {into}"), &e))?;
        let adapter = benchmark::find(&self.bug.benchmark, &self.settings)?;
        let mut checkout = adapter.checkout(&self.bug, &into).await?;
        if let Some(requirements) = &self.requirements {
            checkout.requirements = Some(requirements.clone());
        }
        checkout.notes.extend(self.lack.clone());
        Ok(checkout)
    }
}

/// Removes what a bench has below a folder: it can be made again.
pub(super) fn clear(folder: &Utf8Path) {
    for made in [CHECKOUT, WORK] {
        let _ = std::fs::remove_dir_all(folder.join(made));
    }
}

fn tell(sink: &dyn EventSink, text: String) -> Result<(), Failure> {
    sink.emit(&Event::Notice { text }).map_err(|e| Failure::io("the journal cannot be written", &e))
}

fn words(setting: &str, given: Option<&Words>) -> Result<Option<Vec<String>>, Failure> {
    let Some(given) = given else { return Ok(None) };
    let wrong = || {
        let hint = "give a program and its arguments, quoted once";
        Failure::usage(format!("`{setting}` is no command: {given:?}"), hint)
    };
    given.words().map(Some).ok_or_else(wrong)
}

/// The folder of a local project, when the text names one: where its own settings lie.
pub(super) fn project_of(bug: &str) -> Option<Utf8PathBuf> {
    let path = Utf8Path::new(bug);
    path.is_dir().then(|| path.canonicalize_utf8().ok()).flatten()
}

/// The bug as it is found from any folder.
pub(super) fn full_name(bug: &str) -> String {
    project_of(bug).map_or_else(|| bug.to_owned(), Utf8PathBuf::into_string)
}

/// Settings for a bug from all layers.
///
/// # Errors
/// A layer that cannot be read or asks for what it may not.
pub(super) fn settings_for(bug: &str, flags: &impl serde::Serialize) -> Result<(Layers, Config), Failure> {
    let layers = Layers::read(project_of(bug).as_deref(), flags)?;
    let config = layers.config()?;
    Ok((layers, config))
}

/// The folder for run directories when none is given: the user's state folder.
pub(super) fn state_folder() -> Utf8PathBuf {
    let own = std::env::var("UNIDEBUG_STATE_DIR").ok().filter(|dir| !dir.is_empty()).map(Utf8PathBuf::from);
    own.unwrap_or_else(|| {
        use etcetera::BaseStrategy;
        let state = etcetera::choose_base_strategy().ok().and_then(|dirs| dirs.state_dir());
        let state = state.and_then(|dir| Utf8PathBuf::from_path_buf(dir).ok());
        state.unwrap_or_else(|| Utf8PathBuf::from(".")).join("unidebug")
    })
}
