//! Landlock and seccomp: the fallback where bubblewrap is missing or not allowed. The job sees the machine's own files,
//! processes and number spaces, so some things cannot be stopped; [`Landlock::cannot_stop`] lists them.

use super::bubblewrap::{COVERED, MASKED, SYSTEM};
use super::confine::{self, HelperTask, Rules};
use super::error::NotHere;
use super::{Job, find_program};
use camino::{Utf8Path, Utf8PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// Descriptor of the supervisor's lifeline, behind those of results and requests.
pub(super) const LIFELINE: i32 = 5;

/// Landlock and seccomp that were seen working.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Landlock {
    /// This program, which confines itself.
    helper: Utf8PathBuf,
    /// Version of landlock that the kernel offers.
    version: u32,
}

/// Uses it once. `version` 0 of the kernel means that there is none.
pub(super) async fn detect() -> Result<Landlock, NotHere> {
    let version = confine::kernel_version();
    if version == 0 {
        return Err("this kernel has no landlock".into());
    }
    let helper = helper().ok_or("landlock needs the program `unidebug`, which is not beside this one")?;
    if nix::unistd::geteuid().is_root() && find_program("setpriv").is_none() {
        return Err("landlock as root needs `setpriv`".into());
    }
    let found = Landlock { helper, version };
    let private = tempfile::tempdir()?;
    let private = Utf8Path::from_path(private.path()).ok_or("the folder for scratch files has an odd name")?;
    let job = Job::new("sh", "/usr");
    let outside = private.join("outside");
    let script = format!("! touch {outside} 2>/dev/null");
    // One descriptor less: what is probed here needs no supervisor.
    let words = found.confined(&job, &private.join("inside"), None, ["sh".into(), "-c".into(), script].to_vec());
    let mut command = tokio::process::Command::new(&words[0]);
    command.args(&words[1..]).env_clear().env("PATH", super::PROGRAM_PATH).stdin(Stdio::null()).kill_on_drop(true);
    match tokio::time::timeout(Duration::from_secs(10), command.output()).await {
        Ok(Ok(output)) if output.status.success() && !outside.exists() => Ok(found),
        Ok(Ok(output)) => {
            Err(format!("landlock does not hold here: {}", String::from_utf8_lossy(&output.stderr).trim()).into())
        }
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err("landlock did not answer in 10 s".into()),
    }
}

/// This program's file: the running one, or, for programs that use the library, one of its name close by.
pub(super) fn helper() -> Option<Utf8PathBuf> {
    let own = Utf8PathBuf::from_path_buf(std::env::current_exe().ok()?).ok()?;
    if confine::is_known_here() {
        return Some(own);
    }
    own.ancestors().skip(1).take(2).map(|folder| folder.join("unidebug")).find(|path| path.is_file())
}

impl Landlock {
    /// The line that supervises and confines `words`; scratch files of the job go to `private`.
    pub(super) fn line(&self, job: &Job, private: &Utf8Path, words: Vec<String>) -> Vec<String> {
        self.confined(job, private, Some(LIFELINE), words)
    }

    fn confined(&self, job: &Job, private: &Utf8Path, lifeline: Option<i32>, words: Vec<String>) -> Vec<String> {
        let mut read = system_files();
        read.extend(["/proc".to_owned(), self.helper.to_string()]);
        read.extend(job.readable.iter().map(ToString::to_string));
        let mut write = vec![private.to_string()];
        write.extend(job.writable.iter().map(ToString::to_string));
        let rules =
            Rules { read, write, network: job.network, door: job.door.as_ref().map(|door| door.port), lifeline };
        let mut line = HelperTask::Confine(rules).line(self.helper.as_str(), []);
        if nix::unistd::geteuid().is_root() {
            line.extend(
                ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"].map(String::from),
            );
        }
        line.extend(words);
        line
    }

    /// What untrusted code can do under this back-end on this kernel, in words for `doctor`, the run and the report.
    pub(super) fn cannot_stop(&self) -> Vec<&'static str> {
        let mut open = vec![
            "see names, arguments and owners of other processes",
            "see whether a path outside exists",
            "change mode, owner and times of files it owns outside",
        ];
        if self.version < 6 {
            open.push("signal a process outside");
        }
        if self.version < 4 {
            open.push("reach servers while a build fetches its libraries");
        }
        if self.version < 3 {
            open.push("empty a file it may write outside");
        }
        open
    }
}

/// Files of the system without those that hold secrets: a rule covers all below it, so folders with secrets are taken
/// apart.
fn system_files() -> Vec<String> {
    let secret = |path: &Utf8Path| MASKED.iter().chain(COVERED).any(|secret| path == *secret);
    let holds = |path: &Utf8Path| MASKED.iter().chain(COVERED).any(|secret| Utf8Path::new(secret).starts_with(path));
    let mut all = Vec::new();
    let mut open: Vec<Utf8PathBuf> = SYSTEM.iter().map(Utf8PathBuf::from).collect();
    while let Some(path) = open.pop() {
        if holds(&path) && !secret(&path) {
            let below = path.read_dir_utf8().into_iter().flatten().flatten();
            open.extend(below.map(|entry| entry.path().to_owned()));
        } else if !secret(&path) && path.exists() {
            all.push(path.into_string());
        }
    }
    all
}
