//! The only place that starts a process.
//!
//! Every compile, test, build-tool and analysis command goes through [`Sandbox::run`]: environment allow-list, limits,
//! deadline, whole-tree kill, and the strongest isolation that works here: bubblewrap, else landlock with seccomp, else
//! nothing is started unless that was typed. Nothing a model or a repository says becomes a shell command: a [`Job`] is
//! a program and its arguments.

mod bubblewrap;
mod calls;
mod capture;
pub mod confine;
mod disk;
mod error;
mod filter;
mod job;
mod landlock;
mod line;
pub mod own;
pub mod pager;
mod relay;
mod run;
mod spawner;
mod tasks;
mod tree;

pub use error::SandboxError;
pub use job::{Dialogue, Exit, Finished, Job, Limits};
pub use relay::Door;
pub use run::Served;

use error::NotHere;

use camino::{Utf8Path, Utf8PathBuf};
use std::sync::Arc;

/// Which isolation is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// The strongest that works here.
    #[default]
    Auto,
    /// Bubblewrap or nothing.
    Bubblewrap,
    /// Landlock and seccomp or nothing.
    Landlock,
    /// None; only when typed.
    None,
}

const HINT: &str = "install bubblewrap (`apt-get install bubblewrap`) and allow user namespaces (sysctl \
kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0), or type `--sandbox none` to run \
untrusted code without isolation";

#[derive(Debug, Clone, PartialEq, Eq)]
enum Backend {
    Bubblewrap(bubblewrap::Bubblewrap),
    Landlock(landlock::Landlock),
    None,
}

/// The isolation in force; cheap to clone.
#[derive(Debug, Clone)]
pub struct Sandbox {
    backend: Arc<Backend>,
}

impl Sandbox {
    /// Finds the isolation by using it once.
    ///
    /// # Errors
    /// What was asked for does not work here; `Auto` never falls back to no isolation.
    pub async fn detect(choice: Choice) -> Result<Self, SandboxError> {
        let unavailable = |what: String| SandboxError::Unavailable { what, hint: HINT.into() };
        let alone = |why: NotHere| unavailable(why.to_string());
        let backend = match choice {
            Choice::Bubblewrap => Backend::Bubblewrap(bubblewrap::detect().await.map_err(alone)?),
            Choice::Landlock => Backend::Landlock(landlock::detect().await.map_err(alone)?),
            Choice::None => Backend::None,
            Choice::Auto => match bubblewrap::detect().await {
                Ok(bubblewrap) => Backend::Bubblewrap(bubblewrap),
                Err(first) => match landlock::detect().await {
                    Ok(landlock) => Backend::Landlock(landlock),
                    Err(second) => return Err(unavailable(format!("{first}; {second}"))),
                },
            },
        };
        Ok(Self { backend: Arc::new(backend) })
    }

    /// Its name for journal and report.
    pub fn name(&self) -> &'static str {
        match *self.backend {
            Backend::Bubblewrap(_) => "bubblewrap",
            Backend::Landlock(_) => "landlock",
            Backend::None => "none",
        }
    }

    /// What untrusted code can do in spite of this isolation on this kernel; empty for bubblewrap. To be shown by every
    /// run and by whoever checks the machine.
    pub fn cannot_stop(&self) -> Vec<&'static str> {
        match &*self.backend {
            Backend::Bubblewrap(_) => Vec::new(),
            Backend::Landlock(landlock) => landlock.cannot_stop(),
            Backend::None => vec!["anything this user may do"],
        }
    }

    /// What a user should know before untrusted code runs, one line each: what cannot be stopped, and that root runs it.
    pub fn warnings(&self) -> Vec<String> {
        let open = self.cannot_stop();
        let mut warnings = Vec::new();
        if !open.is_empty() {
            warnings.push(format!("sandbox {}: untrusted code can {}", self.name(), open.join(", ")));
        }
        if nix::unistd::geteuid().is_root() {
            warnings.push("running as root: prefer a normal user for untrusted code".into());
        }
        warnings
    }

    /// Runs a job to its end.
    ///
    /// # Errors
    /// The program could not be started; a failing program is no error.
    pub async fn run(&self, job: Job) -> Result<Finished, SandboxError> {
        run::run(&self.backend, job).await
    }

    /// Starts a server that takes requests on descriptor 4 and answers on descriptor 3. It is killed with all it
    /// started when the handle is dropped.
    ///
    /// # Errors
    /// The program could not be started.
    pub async fn serve(&self, job: Job) -> Result<Served, SandboxError> {
        run::serve(&self.backend, job).await
    }
}

/// Where programs are looked for.
pub const PROGRAM_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// The absolute path of a program on [`PROGRAM_PATH`], or of one given absolute that exists.
pub fn find_program(name: &str) -> Option<Utf8PathBuf> {
    if name.contains('/') {
        return Utf8Path::new(name).is_file().then(|| name.into());
    }
    PROGRAM_PATH.split(':').map(|folder| Utf8Path::new(folder).join(name)).find(|path| path.is_file())
}

/// The absolute paths of a program that the user's own shell would find, the first one first: on the user's `PATH`, where it
/// names folders in full, then on [`PROGRAM_PATH`]. For tools that users install for themselves; what the sandbox itself
/// rests on comes from [`find_program`].
pub fn users_programs(name: &str) -> Vec<Utf8PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = path.split(':').filter(|folder| folder.starts_with('/')).chain(PROGRAM_PATH.split(':'));
    let mut found: Vec<Utf8PathBuf> = Vec::new();
    for program in folders.map(|folder| Utf8Path::new(folder).join(name)).filter(|path| path.is_file()) {
        if !found.contains(&program) {
            found.push(program);
        }
    }
    found
}

/// Whether every job may read that path, because it lies in a folder of the system.
pub fn always_readable(path: &Utf8Path) -> bool {
    bubblewrap::SYSTEM.iter().any(|folder| path.starts_with(folder))
}

#[cfg(test)]
mod tests;
