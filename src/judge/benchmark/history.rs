//! The version history of a user's project, up to the revision that is worked on. The private copy of a bug has none, so
//! the user's own repository is read: by git in the sandbox, without hooks, pagers, filters and outside configuration.

use crate::domain::{InvalidPath, LineSpan, RepoPath};
use crate::sandbox::{Exit, Job, Sandbox, SandboxError};
use camino::{Utf8Path, Utf8PathBuf};
use std::time::Duration;

/// A repository that takes longer to answer helps nobody.
const WALL: Duration = Duration::from_secs(20);
/// More than any file that a patch may change.
const MOST_BYTES: usize = 64 << 20;
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

/// Why git does not say what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// It could not be started.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// It takes too long.
    #[error("git was cut after {} s", WALL.as_secs())]
    Slow,
    /// It says too much.
    #[error("git told more than {} MiB", MOST_BYTES >> 20)]
    Long,
    /// Its own complaint.
    #[error("{0}")]
    Git(String),
    /// What was given cannot be a commit.
    #[error("`{0}` is no commit")]
    NoCommit(String),
    /// The repository has no such commit.
    #[error("there is no such commit")]
    Unknown,
    /// It names a file outside of the project.
    #[error(transparent)]
    Path(#[from] InvalidPath),
}

/// A commit that changed some lines last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastChange {
    /// Its short name.
    pub hash: String,
    /// Its day.
    pub date: String,
    /// Its subject.
    pub subject: String,
    /// Changed lines with one line around them, hunk by hunk.
    pub diff: Vec<String>,
}

/// The history of one project.
#[derive(Clone)]
pub struct History {
    sandbox: Sandbox,
    /// The project's folder.
    folder: Utf8PathBuf,
    /// What git must read: the work tree's root, and where its repository lies when it is not in there.
    folders: Vec<Utf8PathBuf>,
}

impl History {
    /// The history of the project in a folder; nothing when it lies in no repository.
    pub fn of(folder: &Utf8Path, sandbox: &Sandbox) -> Option<Self> {
        let folder = folder.canonicalize_utf8().ok()?;
        let top = folder.ancestors().find(|above| above.join(".git").exists())?.to_owned();
        let mut folders = repository(&top)?;
        folders.push(top);
        Some(Self { sandbox: sandbox.clone(), folder, folders })
    }

    /// The newest commits that changed a file: `hash date author: subject`, one a line.
    ///
    /// # Errors
    /// Git is missing, failed, or took too long.
    pub async fn log(&self, file: &RepoPath, most: usize) -> Result<String, HistoryError> {
        let most = format!("--max-count={most}");
        let args = ["log", "--no-ext-diff", "--no-textconv", "--follow", "--date=short"];
        let args = args.into_iter().chain(["--format=%h %ad %an: %s", &most, "HEAD", "--", file.as_str()]);
        self.git(args).await
    }

    /// Who changed each of these lines last: `hash (author date line) code`.
    ///
    /// # Errors
    /// As [`History::log`].
    pub async fn blame(&self, file: &RepoPath, lines: LineSpan) -> Result<String, HistoryError> {
        let range = format!("{},{}", lines.first, lines.last);
        // Without a revision the lines are those of the work tree, as the private copy has them.
        self.git(["blame", "--date=short", "-L", &range, "--", file.as_str()]).await
    }

    /// The newest commits that changed some lines, each with its diff about that file. The commit that brought the file says
    /// nothing of a change, and neither does what is not committed.
    ///
    /// # Errors
    /// As [`History::log`].
    pub async fn last_changes(
        &self,
        file: &RepoPath,
        lines: LineSpan,
        most: usize,
    ) -> Result<Vec<LastChange>, HistoryError> {
        let range = format!("{},{}", lines.first, lines.last);
        let blame = self.git(["blame", "--line-porcelain", "-L", &range, "--", file.as_str()]).await?;
        let mut commits = last_commits(&blame);
        commits.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let mut changes = Vec::new();
        for (commit, _) in commits.into_iter().take(most) {
            let words = ["show", "--no-ext-diff", "--no-textconv", "--date=short", "--relative", "--unified=1"];
            let shown = words.into_iter().chain(["--format=%h%x00%ad%x00%s%x00", &commit, "--", file.as_str()]);
            changes.extend(last_change(&self.git(shown).await?));
        }
        Ok(changes)
    }

    /// What git calls the state of the work tree: the nearest tag, or the commit, and `-dirty` where files differ.
    ///
    /// # Errors
    /// As [`History::log`].
    pub async fn state(&self) -> Result<String, HistoryError> {
        let output = self.git(["describe", "--always", "--tags", "--dirty", "--abbrev=12"]).await?;
        Ok(output.trim().to_owned())
    }

    /// Files that differ from the last commit, or are new, relative to the project's folder.
    ///
    /// # Errors
    /// As [`History::log`].
    pub(crate) async fn uncommitted(&self) -> Result<Vec<RepoPath>, HistoryError> {
        let changed = self.git(["diff", "--name-only", "--relative", "--no-ext-diff", "-z", "HEAD"]).await?;
        let new = self.git(["ls-files", "--others", "--exclude-standard", "-z"]).await?;
        Ok(paths(&changed).chain(paths(&new)).collect())
    }

    /// Files that the newest commits changed, relative to the project's folder; merges tell nothing.
    ///
    /// # Errors
    /// As [`History::log`].
    pub(crate) async fn committed(&self, most: usize) -> Result<Vec<RepoPath>, HistoryError> {
        let most = format!("--max-count={most}");
        // A first commit adds everything and says nothing.
        let args = [
            "log",
            "--no-ext-diff",
            "--no-merges",
            "--min-parents=1",
            "--relative",
            "--name-only",
            "--format=",
            "-z",
            &most,
        ];
        Ok(paths(&self.git(args).await?).collect())
    }

    /// The newest commits, as seen from the line of commits that the work tree is on, each with the files that it changed,
    /// relative to the project's folder.
    ///
    /// # Errors
    /// As [`History::log`].
    pub(super) async fn newest(&self, most: usize) -> Result<Vec<(String, Vec<RepoPath>)>, HistoryError> {
        let most = format!("--max-count={most}");
        let words = ["log", "--no-ext-diff", "--first-parent", "-m", "--no-renames", "--relative", "--name-only"];
        let output = self.git(words.into_iter().chain(["-z", "--format=%x01%H", &most, "HEAD"])).await?;
        let commit = |part: &str| {
            let (hash, files) = part.split_at_checked(part.find(['\0', '\n']).unwrap_or(part.len()))?;
            Some((hash.to_owned(), paths(files).collect()))
        };
        Ok(output.split('\u{1}').filter(|part| !part.is_empty()).filter_map(commit).collect())
    }

    /// Files that differ between a revision and the work tree, relative to the project's folder.
    ///
    /// # Errors
    /// As [`History::log`]; there is no such revision.
    pub(super) async fn differing(&self, revision: &str) -> Result<Vec<RepoPath>, HistoryError> {
        let words = ["diff", "--name-only", "--no-renames", "--relative", "--no-ext-diff", "-z", revision, "--"];
        Ok(paths(&self.git(words).await?).collect())
    }

    /// The bytes of a file at a revision; nothing where it was not there.
    pub(crate) async fn at(&self, revision: &str, file: &RepoPath) -> Option<Vec<u8>> {
        self.bytes(["cat-file", "blob", &format!("{revision}:./{file}")]).await.ok()
    }

    /// What differs between a commit and the work tree, new files too, relative to the project's folder: each file with the
    /// bytes it has at that commit, if it is there.
    ///
    /// # Errors
    /// As [`History::log`]; there is no such commit.
    pub async fn changed_since(&self, commit: &str) -> Result<Vec<(RepoPath, Option<Vec<u8>>)>, HistoryError> {
        if commit.starts_with('-') {
            return Err(HistoryError::NoCommit(commit.to_owned()));
        }
        let commit = self.git(["rev-parse", "--verify", "--quiet", &format!("{commit}^{{commit}}")]).await;
        let commit = commit.map_err(|_| HistoryError::Unknown)?.trim().to_owned();
        let words = ["diff", "--name-status", "--no-renames", "--relative", "--no-ext-diff", "-z", &commit, "--"];
        let output = self.git(words).await?;
        let mut parts = output.split('\0').filter(|part| !part.is_empty());
        let mut changed = Vec::new();
        while let (Some(status), Some(path)) = (parts.next(), parts.next()) {
            let path = RepoPath::new(path)?;
            let before = match status {
                "A" => None,
                _ => Some(self.bytes(["cat-file", "blob", &format!("{commit}:./{path}")]).await?),
            };
            changed.push((path, before));
        }
        let new = self.git(["ls-files", "--others", "--exclude-standard", "-z"]).await?;
        changed.extend(paths(&new).map(|path| (path, None)));
        Ok(changed)
    }

    async fn git<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Result<String, HistoryError> {
        Ok(String::from_utf8_lossy(&self.bytes(args).await?).into_owned())
    }

    async fn bytes<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Result<Vec<u8>, HistoryError> {
        let mut words = vec!["--no-pager", "--literal-pathspecs", "--no-optional-locks"];
        words.extend(HARMLESS.iter().flat_map(|setting| ["-c", setting]));
        words.extend(args);
        let mut job = Job::new("git", self.folder.clone()).args(words).read(self.folders.clone()).wall(WALL);
        job.limits.output_bytes = MOST_BYTES;
        let outside = [("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_TERMINAL_PROMPT", "0")];
        job.env.extend(outside.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let done = self.sandbox.run(job).await?;
        if done.exit == Exit::TimedOut {
            return Err(HistoryError::Slow);
        }
        if !done.exit.success() {
            let error = String::from_utf8_lossy(&done.stderr).lines().next().unwrap_or("git failed").to_owned();
            return Err(HistoryError::Git(error));
        }
        if done.stdout.len() >= MOST_BYTES {
            return Err(HistoryError::Long);
        }
        Ok(done.stdout)
    }
}

/// Paths that git ended with a zero byte each.
fn paths(output: &str) -> impl Iterator<Item = RepoPath> + '_ {
    output.split(['\0', '\n']).filter(|path| !path.is_empty()).filter_map(|path| RepoPath::new(path).ok())
}

/// Folders outside the work tree that its repository lies in: none for a `.git` folder; for a `.git` file those of a
/// linked work tree or of a submodule. The file is the project's word and may name any folder, so the other side must
/// agree: a linked work tree is named by its repository, and a submodule's lies in the `.git` of a project around it.
fn repository(top: &Utf8Path) -> Option<Vec<Utf8PathBuf>> {
    let link = top.join(".git");
    if link.is_dir() {
        return Some(Vec::new());
    }
    let named = std::fs::read_to_string(&link).ok()?;
    let own = top.join(named.strip_prefix("gitdir:")?.trim()).canonicalize_utf8().ok()?;
    if top.ancestors().skip(1).any(|above| own.starts_with(above.join(".git/modules"))) {
        return Some(vec![own]);
    }
    let pointed = |file: &str| Some(own.join(std::fs::read_to_string(own.join(file)).ok()?.trim()));
    let back = pointed("gitdir")?.canonicalize_utf8().ok()?;
    let common = pointed("commondir")?.canonicalize_utf8().ok()?;
    (back == link && own.starts_with(common.join("worktrees"))).then_some(vec![common])
}

/// The commits that `git blame --line-porcelain` names, each with its time; neither those that brought the file nor what is
/// not committed.
fn last_commits(output: &str) -> Vec<(String, u64)> {
    let (mut commits, mut current) = (std::collections::BTreeMap::new(), None);
    let (mut time, mut has_before) = (0, false);
    for line in output.lines() {
        let first = line.split(' ').next().unwrap_or("");
        if line.starts_with('\t') {
            if let Some(commit) = current.take().filter(|_| has_before) {
                commits.insert(commit, time);
            }
            (time, has_before) = (0, false);
        } else if first.len() >= 40 && first.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            current = Some(first.to_owned()).filter(|commit| commit.bytes().any(|byte| byte != b'0'));
        } else if let Some(seconds) = line.strip_prefix("committer-time ") {
            time = seconds.parse().unwrap_or(0);
        } else if first == "previous" {
            has_before = true;
        }
    }
    commits.into_iter().collect()
}

/// Reads what `git show` tells of a commit; nothing where it shows no change.
fn last_change(output: &str) -> Option<LastChange> {
    let mut parts = output.splitn(4, '\0');
    let mut next = || parts.next().map(|part| part.trim().to_owned());
    let (hash, date, subject, diff) = (next()?, next()?, next()?, next()?);
    let lines = diff.lines().skip_while(|line| !line.starts_with("@@")).filter(|line| !line.starts_with("\\ "));
    let diff: Vec<String> = lines.map(str::to_owned).collect();
    (!diff.is_empty()).then_some(LastChange { hash, date, subject, diff })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        (folder, path)
    }

    #[test]
    fn a_submodule_is_read_in_the_project_around_it_only() {
        let (_folder, base) = folder();
        let (own, module) = (base.join(".git/modules/lib"), base.join("lib"));
        let elsewhere = base.join("secret/.git");
        for folder in [&own, &module, &elsewhere] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(module.join(".git"), "gitdir: ../.git/modules/lib\n").unwrap();
        assert_eq!(repository(&module), Some(vec![own]));
        fs::write(module.join(".git"), format!("gitdir: {elsewhere}\n")).unwrap();
        assert_eq!(repository(&module), None, "a repository that knows nothing of it");
    }

    #[test]
    fn a_linked_work_tree_is_one_when_its_repository_says_so() {
        let (_folder, base) = folder();
        let (own, tree) = (base.join("main/.git/worktrees/side"), base.join("side"));
        fs::create_dir_all(&own).unwrap();
        fs::create_dir_all(&tree).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {own}\n")).unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::write(own.join("gitdir"), format!("{tree}/.git\n")).unwrap();
        assert_eq!(repository(&tree), Some(vec![base.join("main/.git")]));
        fs::write(own.join("gitdir"), format!("{base}/other/.git\n")).unwrap();
        assert_eq!(repository(&tree), None);
        fs::write(tree.join(".git"), "no link").unwrap();
        assert_eq!(repository(&tree), None);
    }
}
