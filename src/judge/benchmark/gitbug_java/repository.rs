//! The project's history, of which only one commit is taken: what comes later holds the repair.

use super::super::copy::io_error;
use super::record::Record;
use crate::benchmark::{BenchmarkError, age, jars};
use crate::sandbox::{Job, Sandbox};
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;
use std::time::Duration;

/// Folder of an installation for clones that a user made.
pub(super) const CLONES: &str = "repositories";
/// Where the benchmark keeps its own copies of all projects, so that none can vanish.
const FORKS: &str = "gitbugactions";
const READ: Duration = Duration::from_secs(120);
const FETCH: Duration = Duration::from_secs(600);
/// Of a machine only git itself decides: no settings, hooks, filters or questions.
const OUTSIDE: [(&str, &str); 3] =
    [("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_TERMINAL_PROMPT", "0")];

/// Git at work for one bug.
pub(super) struct Git<'a> {
    sandbox: &'a Sandbox,
    record: &'a Record,
}

impl<'a> Git<'a> {
    pub(super) fn new(sandbox: &'a Sandbox, record: &'a Record) -> Self {
        Self { sandbox, record }
    }

    /// Writes the commit before the repair into an empty folder, without any history.
    ///
    /// # Errors
    /// The commit cannot be had.
    pub(super) async fn take_buggy(&self, root: &Utf8Path, into: &Utf8Path) -> Result<(), BenchmarkError> {
        let repository = match self.clone_in(&root.join(CLONES)).await {
            Some(clone) => clone,
            None => self.fetched().await?,
        };
        let (index, folder) = (into.with_extension("index"), into.parent().unwrap_or(into));
        let places = [format!("--git-dir={repository}"), format!("--work-tree={into}")];
        for words in [["read-tree", self.record.previous.as_str()], ["checkout-index", "--all"]] {
            let job = self.job(folder, places.iter().map(String::as_str).chain(words));
            let mut job = job.read([repository.clone()]).write(folder).wall(READ);
            job.env.push(("GIT_INDEX_FILE".into(), index.to_string()));
            self.run(job, "cannot be checked out").await?;
        }
        Ok(())
    }

    /// Applies one of the benchmark's patches to a folder.
    ///
    /// # Errors
    /// It does not apply.
    pub(super) async fn apply(&self, patch: &str, what: &str, tree: &Utf8Path) -> Result<(), BenchmarkError> {
        if patch.is_empty() {
            return Ok(());
        }
        let file = tree.with_extension("patch");
        fs::write(&file, patch).map_err(|source| io_error("cannot write the patch", &file, source))?;
        let words = ["apply", "--whitespace=nowarn", "-p1", file.as_str()];
        let job = self.job(tree, words).write(tree).read([file.clone()]).wall(READ);
        self.run(job, &format!("has {what} that does not apply to the commit before the repair")).await
    }

    /// The clone that a user made of the project, when it has the commit.
    async fn clone_in(&self, folder: &Utf8Path) -> Option<Utf8PathBuf> {
        let project = self.record.project();
        let names = [format!("{project}/.git"), format!("{project}.git"), project];
        for repository in names.iter().map(|name| folder.join(name)).filter(|path| path.join("HEAD").is_file()) {
            if self.has_commit(&repository).await {
                return repository.canonicalize_utf8().ok();
            }
        }
        None
    }

    async fn has_commit(&self, repository: &Utf8Path) -> bool {
        let Ok(real) = repository.canonicalize_utf8() else { return false };
        let commit = format!("{}^{{commit}}", self.record.previous);
        let job = self.job(&real, [format!("--git-dir={real}").as_str(), "cat-file", "-e", &commit]).wall(READ);
        self.sandbox.run(job).await.is_ok_and(|done| done.exit.success())
    }

    /// The one commit, fetched once and kept.
    async fn fetched(&self) -> Result<Utf8PathBuf, BenchmarkError> {
        let folder = jars::cache_dir().join("gitbug-java");
        fs::create_dir_all(&folder).map_err(|source| io_error("cannot make the folder", &folder, source))?;
        let bare = folder.join(format!("{}.git", self.record.name()));
        age::forget_old(&folder);
        if bare.exists() {
            if self.has_commit(&bare).await {
                age::used(&bare);
                return bare.canonicalize_utf8().map_err(|source| io_error("cannot find the folder", &bare, source));
            }
            // A process that was killed while it threw an old one away left half of it.
            fs::remove_dir_all(&bare).map_err(|source| io_error("cannot remove the broken copy", &bare, source))?;
        }
        let temporary =
            tempfile::tempdir_in(&folder).map_err(|source| io_error("cannot make a folder in", &folder, source))?;
        let place = Utf8Path::from_path(temporary.path()).unwrap_or(&folder);
        self.run(self.job(place, ["init", "--quiet", "--bare", "."]).write(place).wall(READ), "cannot be kept").await?;
        let mut last = Ok(());
        for url in sources(&self.record.clone_url) {
            let words = ["fetch", "--quiet", "--no-tags", "--depth=1", "--", &url, &self.record.previous];
            let mut job = self.job(place, words).write(place).wall(FETCH);
            job.network = true;
            // A clone of this machine is named by its path.
            job = job.read(url.strip_prefix("file://").map(Utf8PathBuf::from));
            last = self.run(job, "cannot be fetched").await;
            if last.is_ok() {
                // Another process may have been faster; its copy is as good.
                let _ = fs::rename(place, &bare);
                return bare.canonicalize_utf8().map_err(|source| io_error("cannot find the folder", &bare, source));
            }
        }
        Err(last.err().unwrap_or_else(|| self.failed("cannot be fetched", "it names no address")))
    }

    fn job<'w>(&self, cwd: &Utf8Path, words: impl IntoIterator<Item = &'w str>) -> Job {
        let safe = ["-c", "safe.directory=*", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];
        let mut job = Job::new("git", cwd).args(safe).args(words);
        job.env.extend(OUTSIDE.map(|(name, value)| (name.to_owned(), value.to_owned())));
        job
    }

    async fn run(&self, job: Job, what: &str) -> Result<(), BenchmarkError> {
        let done = self.sandbox.run(job).await;
        let done = done.map_err(|error| self.failed(what, &format!("git could not be started: {error}")))?;
        if done.exit.success() {
            return Ok(());
        }
        let errors = String::from_utf8_lossy(&done.stderr);
        Err(self.failed(what, errors.lines().next().unwrap_or("git gave no reason")))
    }

    fn failed(&self, what: &str, why: &str) -> BenchmarkError {
        let Record { repository, previous, .. } = self.record;
        BenchmarkError::Setup {
            what: format!("commit {previous} of {repository} {what}: {why}"),
            hint: format!("clone {repository} with its history into `{CLONES}/{}` of the root", self.record.project()),
        }
    }
}

/// Where a project may be fetched: the benchmark's own copy, then the project itself. The record vouches for the form.
fn sources(clone_url: &str) -> Vec<String> {
    let fork = clone_url.split_once("://").and_then(|(scheme, rest)| {
        let (host, path) = rest.split_once('/').filter(|(host, _)| !host.is_empty())?;
        let (_, name) = path.split_once('/')?;
        Some(format!("{scheme}://{host}/{FORKS}/{name}"))
    });
    fork.into_iter().chain([clone_url.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_benchmarks_own_copy_is_asked_first() {
        let own = "https://example.org/acme/gate.git";
        assert_eq!(sources(own), ["https://example.org/gitbugactions/gate.git", own]);
        assert_eq!(sources("file:///srv/acme/gate.git"), ["file:///srv/acme/gate.git"]);
    }
}
