//! The version history of a user's project, up to the revision that is worked on. The private copy of a bug has none, so
//! the user's own repository is read: by git in the sandbox, without hooks, pagers, filters and outside configuration.

use crate::domain::{LineSpan, RepoPath};
use crate::sandbox::{Exit, Job, Sandbox, SandboxError};
use camino::{Utf8Path, Utf8PathBuf};
use std::time::Duration;

/// A repository that takes longer to answer helps nobody.
const WALL: Duration = Duration::from_secs(20);
/// Settings of a repository that could start a program, and what they are set to.
const HARMLESS: [&str; 7] = [
    "safe.directory=*",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "diff.external=",
    "log.showSignature=false",
    "blame.ignoreRevsFile=",
];

/// The history of one project.
#[derive(Clone)]
pub struct History {
    sandbox: Sandbox,
    /// The project's folder.
    folder: Utf8PathBuf,
    /// The work tree's root, which holds `.git`.
    top: Utf8PathBuf,
}

impl History {
    /// The history of the project in a folder; nothing when it lies in no repository.
    pub fn of(folder: &Utf8Path, sandbox: &Sandbox) -> Option<Self> {
        let folder = folder.canonicalize_utf8().ok()?;
        let top = folder.ancestors().find(|above| above.join(".git").exists())?.to_owned();
        Some(Self { sandbox: sandbox.clone(), folder, top })
    }

    /// The newest commits that changed a file: `hash date author: subject`, one a line.
    ///
    /// # Errors
    /// A sentence: git is missing, failed, or took too long.
    pub async fn log(&self, file: &RepoPath, most: usize) -> Result<String, String> {
        let most = format!("--max-count={most}");
        let args = ["log", "--no-ext-diff", "--no-textconv", "--follow", "--date=short"];
        let args = args.into_iter().chain(["--format=%h %ad %an: %s", &most, "HEAD", "--", file.as_str()]);
        self.git(args).await
    }

    /// Who changed each of these lines last: `hash (author date line) code`.
    ///
    /// # Errors
    /// As [`History::log`].
    pub async fn blame(&self, file: &RepoPath, lines: LineSpan) -> Result<String, String> {
        let range = format!("{},{}", lines.first, lines.last);
        // Without a revision the lines are those of the work tree, as the private copy has them.
        self.git(["blame", "--date=short", "-L", &range, "--", file.as_str()]).await
    }

    async fn git<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Result<String, String> {
        let mut words = vec!["--no-pager", "--literal-pathspecs", "--no-optional-locks"];
        words.extend(HARMLESS.iter().flat_map(|setting| ["-c", setting]));
        words.extend(args);
        let mut job = Job::new("git", self.folder.clone()).args(words).read([self.top.clone()]).wall(WALL);
        let outside = [("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_TERMINAL_PROMPT", "0")];
        job.env.extend(outside.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let done = self.sandbox.run(job).await.map_err(|error: SandboxError| error.to_string())?;
        if done.exit == Exit::TimedOut {
            return Err(format!("git was cut after {} s", WALL.as_secs()));
        }
        if !done.exit.success() {
            let said = String::from_utf8_lossy(&done.stderr).lines().next().unwrap_or("git failed").to_owned();
            return Err(said);
        }
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }
}
