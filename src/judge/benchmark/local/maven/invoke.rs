//! Running Maven: offline first, through a mirror when something is missing, directly when a plugin refuses.

use super::cache::CachedBuild;
use super::complaint::{Complaint, complaint, oldest_level};
use super::extension;
use super::memory::{Invocation, Memory};
use super::request::{CLASS_PATH, EFFECTIVE_POM, Request, arguments};
use super::user;
use crate::benchmark::local::store::Store;
use crate::benchmark::mvn::Installed;
use crate::benchmark::{BenchmarkError, jars, jdk};
use crate::sandbox::{Job, Sandbox};
use camino::{Utf8Path, Utf8PathBuf};
use std::time::Duration;
use std::{fs, io};

/// The address of the mirror for a Maven that asks nobody.
const NOWHERE: &str = "http://127.0.0.1:1/";
/// Downloading a large project's dependencies on a slow line takes minutes, not hours.
const DEADLINE: Duration = Duration::from_secs(30 * 60);

/// How Maven compiled a project.
pub(super) struct Prepared {
    /// For people.
    pub note: String,
    /// The repository that has everything.
    pub store: Store,
    /// How Maven is called.
    pub invocation: Invocation,
    /// Why some modules were not compiled, where all were asked for.
    pub left_out: Option<String>,
}

/// Maven on this machine.
#[derive(Debug, Clone)]
pub(super) struct Maven {
    pub(super) installed: Installed,
    pub(super) jdk: Utf8PathBuf,
    pub(super) sandbox: Sandbox,
}

impl Maven {
    /// The Maven of a project, else the user's own, run by the JDK that will compile the candidates.
    ///
    /// # Errors
    /// Maven or the JDK is missing.
    pub(super) fn find(
        sandbox: Sandbox,
        chosen_jdk: Option<&Utf8Path>,
        project: Option<&Utf8Path>,
    ) -> Result<Self, BenchmarkError> {
        let installed = Installed::of(project).ok_or_else(|| BenchmarkError::Missing {
            what: "the project has a pom.xml and Maven is not installed".into(),
            hint: "install Maven (Debian, Ubuntu: `apt install maven`), put the `bin` folder of one on PATH, or use \
                   `--build` and `--test`"
                .into(),
        })?;
        Ok(Self { installed, jdk: jdk::find(chosen_jdk)?.home, sandbox })
    }

    /// Compiles the project and writes its class paths and effective poms. Tells how.
    ///
    /// # Errors
    /// The project does not compile, or nothing that was tried worked.
    pub(super) async fn prepare(&self, request: &Request) -> Result<Prepared, BenchmarkError> {
        self.make_extension().await?;
        let cached = CachedBuild::of(request, self);
        if let Some((store, invocation)) = cached.as_ref().and_then(CachedBuild::restore) {
            let note = format!("compiled by Maven in an earlier run{}", adjusted(&invocation));
            return Ok(Prepared { note, store, invocation, left_out: None });
        }
        let prepared = self.compile(request).await?;
        // What is short of something is tried again the next time.
        if let Some(cached) = cached.filter(|_| prepared.left_out.is_none()) {
            cached.save(request, self, prepared.store, &prepared.invocation);
        }
        Ok(prepared)
    }

    async fn compile(&self, request: &Request) -> Result<Prepared, BenchmarkError> {
        let memory = Memory::of(&request.root);
        let mut last = String::from("nothing was tried");
        for store in memory.stores() {
            let mut invocation = memory.invocation.clone();
            loop {
                let started = std::time::Instant::now();
                match self.call(request, store, &invocation, memory.is_last(store)).await? {
                    Ok(left_out) => {
                        let left_out = match store {
                            // Files of the network lie where the build could write; those that are kept do not.
                            Store::Filled => match self.call(request, Store::Own, &invocation, true).await? {
                                Ok(left_out) => left_out,
                                Err(complaint) => {
                                    last = complaint.into_text();
                                    break;
                                }
                            },
                            Store::Own | Store::Users => left_out,
                        };
                        memory.remember(store, &invocation, matches!(left_out, Some(Complaint::Missing(_))));
                        let seconds = started.elapsed().as_secs_f64();
                        let note = format!("compiled by Maven, {}, {seconds:.1} s", described(store, &invocation));
                        // What was fetched is there from now on.
                        let store = store.offline();
                        let left_out = left_out.map(Complaint::into_text);
                        return Ok(Prepared { note, store, invocation, left_out });
                    }
                    Err(Complaint::Plugin(goal, what)) => {
                        last = what;
                        match invocation.after(goal) {
                            Some(next) => invocation = next,
                            None => break,
                        }
                    }
                    Err(Complaint::Compile(what)) => match raised(&invocation, &what) {
                        Some(next) => invocation = next,
                        None => return Err(does_not_compile(&what, &invocation)),
                    },
                    Err(Complaint::Missing(what) | Complaint::Other(what)) => {
                        last = what;
                        break;
                    }
                }
            }
        }
        let hint = match last.contains("-SNAPSHOT") && last.contains("Could not transfer") {
            true => "a snapshot may be in no repository: check out a release, or run `mvn install` in that project",
            false => "see what `mvn test-compile` says in the project, or use `--build` and `--test`",
        };
        Err(BenchmarkError::Setup { what: format!("Maven could not set the project up: {last}"), hint: hint.into() })
    }

    /// Which Maven and JDK this is.
    pub(super) fn described(&self) -> String {
        format!("{} {}", self.installed.program, self.jdk)
    }

    /// A call of Maven in a folder that it may write. Repositories can only be read, and there is no network.
    pub(super) fn job(
        &self,
        root: &Utf8Path,
        store: Store,
        repository: Utf8PathBuf,
        args: Vec<String>,
    ) -> Result<Job, BenchmarkError> {
        let users = user::settings().filter(|_| store == Store::Users);
        let mirror = (store != Store::Users).then_some(NOWHERE);
        let settings = user::file(&user::copy(users.as_deref(), mirror)).map_err(no_settings)?;
        Ok(self.bare_job(root, &settings, args).read([repository]))
    }

    /// What every call of Maven has.
    pub(super) fn bare_job(&self, root: &Utf8Path, settings: &Utf8Path, args: Vec<String>) -> Job {
        let mut job = Job::new(self.installed.program.as_str(), root).args(args).write(root);
        job = job.read([self.jdk.clone(), self.installed.home.clone()]);
        job = job.args(["-s", settings.as_str()]).read([settings.to_owned()]);
        job.env = vec![
            ("JAVA_HOME".into(), self.jdk.to_string()),
            // Long constant expressions need a deep stack where the quick compiler works alone.
            ("MAVEN_OPTS".into(), format!("-Xmx2g -Xss16m {}", jars::SHORT_LIVED)),
        ];
        job = job.read(Some(extension::folder(self)).filter(|folder| folder.is_dir()));
        job.limits.memory_mib = 8192;
        // A first build fetches all that a large project depends on.
        job.limits.disk_mib = 16 << 10;
        job
    }

    /// One call. When all modules are asked for, those that compile are enough; where something is missing, only if no
    /// other store is left. Tells why some do not.
    async fn call(
        &self,
        request: &Request,
        store: Store,
        invocation: &Invocation,
        is_last: bool,
    ) -> Result<Result<Option<Complaint>, Complaint>, BenchmarkError> {
        let Some(repository) = repository(store)? else {
            return Ok(Err(Complaint::Missing("there is no local Maven repository".into())));
        };
        let extension = extension::folder(self);
        let (job, fetching) = match store {
            Store::Filled => {
                let arguments = |own: &Utf8Path| arguments(request, store, (invocation, &extension), own);
                let (job, fetching) = self.fetching_job(&request.root, &repository, arguments).await?;
                (job, Some(fetching))
            }
            Store::Own | Store::Users => {
                let args = arguments(request, store, (invocation, &extension), &repository);
                (self.job(&request.root, store, repository, args)?, None)
            }
        };
        let done = self.sandbox.run(job.wall(DEADLINE)).await.map_err(|error| BenchmarkError::Setup {
            what: format!("Maven could not be started: {error}"),
            hint: "`unidebug doctor` tells what is missing".into(),
        })?;
        let described = request.root.join(EFFECTIVE_POM).is_file();
        if described && done.exit.success() {
            return Ok(Ok(None));
        }
        let output = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
        let output = fetching.as_ref().map_or_else(|| output.clone(), |fetching| fetching.mirror.unnamed(&output));
        let complaint = complaint(&output.replace(&format!("{}/", request.root), ""), done.exit);
        let some = described && request.only.is_none() && has_class_path(&request.root);
        let is_enough = match &complaint {
            Complaint::Missing(_) => is_last,
            Complaint::Plugin(..) => *invocation == Invocation::Direct,
            Complaint::Compile(what) => raised(invocation, what).is_none(),
            Complaint::Other(_) => true,
        };
        Ok(if some && is_enough { Ok(Some(complaint)) } else { Err(complaint) })
    }
}

/// How to call Maven after the compiler said this, where it knows no level as old as the project's.
fn raised(invocation: &Invocation, output: &str) -> Option<Invocation> {
    invocation.raised(oldest_level(output)?)
}

/// Whether Maven wrote the class path of some module.
fn has_class_path(root: &Utf8Path) -> bool {
    let walk = ignore::WalkBuilder::new(root).standard_filters(false).max_depth(Some(8)).build();
    walk.flatten().any(|entry| entry.path().ends_with(CLASS_PATH))
}

pub(super) fn repository(store: Store) -> Result<Option<Utf8PathBuf>, BenchmarkError> {
    if store == Store::Users {
        return Ok(jars::local_repository());
    }
    let folder = jars::cache_dir().join("m2");
    let made = fs::create_dir_all(&folder).and_then(|()| folder.canonicalize_utf8());
    made.map(Some).map_err(|source| BenchmarkError::Io { what: "cannot make the cache".into(), path: folder, source })
}

pub(super) fn no_settings(source: io::Error) -> BenchmarkError {
    BenchmarkError::Io { what: "cannot prepare settings for Maven".into(), path: jars::cache_dir(), source }
}

fn described(store: Store, invocation: &Invocation) -> String {
    format!("{}{}", store.network(), adjusted(invocation))
}

/// What of the build is not as the project has it.
fn adjusted(invocation: &Invocation) -> String {
    let Invocation::LifeCycle { without, oldest } = invocation else {
        return ", past a plugin that refuses this Maven".into();
    };
    let without = match without.as_slice() {
        [] => String::new(),
        goals => format!(", without what refused to run: {}", extension::listed(goals)),
    };
    let level = oldest.map(|level| format!(", as Java {level}, the oldest that this JDK compiles"));
    format!("{without}{}", level.unwrap_or_default())
}

fn does_not_compile(what: &str, invocation: &Invocation) -> BenchmarkError {
    let without = match invocation {
        Invocation::LifeCycle { without, .. } if !without.is_empty() => {
            format!(" (without what refused to run: {})", extension::listed(without))
        }
        Invocation::LifeCycle { .. } | Invocation::Direct => String::new(),
    };
    BenchmarkError::Setup {
        what: format!("the project does not compile before any change{without}: {what}"),
        hint: jdk::refused_level(what)
            .unwrap_or("a bug is a project that compiles and has a failing test; see `mvn test-compile`")
            .into(),
    }
}
