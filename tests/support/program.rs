//! The built program, run as a user runs it, without the user's settings.
#![allow(dead_code)]

use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Variables without which tools of the machine are not found.
const KEPT: [&str; 6] = ["PATH", "HOME", "JAVA_HOME", "LANG", "TMPDIR", "CARGO_TARGET_DIR"];

/// A command line to run; state, cache and configuration lie in a folder of its own.
pub struct Unidebug {
    args: Vec<String>,
    variables: Vec<(String, String)>,
    folder: Option<PathBuf>,
    /// What is typed before the program, as `taskset -c 0`.
    before: Vec<String>,
    /// Whether its standard input is a pipe instead of nothing.
    with_input: bool,
    limit: Duration,
}

/// What a run left.
#[derive(Debug)]
pub struct Finished {
    pub stdout: String,
    pub stderr: String,
    /// Exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    pub took: Duration,
    /// Holds state and cache; kept as long as the result.
    pub home: tempfile::TempDir,
}

impl Finished {
    /// The object on the last line of stdout, as `--json` promises it.
    pub fn json(&self) -> Value {
        let last = self.stdout.lines().last().unwrap_or("");
        serde_json::from_str(last).unwrap_or_else(|error| panic!("the last line is no JSON: {error}\n{self}"))
    }

    /// Fails the test with all output unless the code is the wanted one.
    pub fn expect_code(&self, wanted: i32) -> &Self {
        assert_eq!(self.code, Some(wanted), "{self}");
        self
    }
}

impl std::fmt::Display for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "code {:?}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

/// Runs the program with these arguments.
pub fn unidebug(args: &[&str]) -> Finished {
    Unidebug::new(args).run()
}

impl Unidebug {
    pub fn new(args: &[&str]) -> Self {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        let limit = Duration::from_secs(600);
        Self { args, variables: Vec::new(), folder: None, before: Vec::new(), with_input: false, limit }
    }

    /// Adds a variable to the clean environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Replaces the value of an option, or adds it.
    pub fn with(mut self, option: &[&str; 2]) -> Self {
        let [name, value] = option.map(str::to_owned);
        match self.args.iter().position(|arg| *arg == name) {
            Some(at) => self.args[at + 1] = value,
            None => self.args.extend([name, value]),
        }
        self
    }

    /// Leaves an argument out.
    pub fn without(mut self, arg: &str) -> Self {
        self.args.retain(|known| known != arg);
        self
    }

    /// Runs in this folder; else in an empty one.
    pub fn in_folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Leaves the program only these processors.
    pub fn on_processors(self, list: &str) -> Self {
        self.under(&["taskset", "-c", list])
    }

    /// Lets another program start this one.
    pub fn under(mut self, words: &[&str]) -> Self {
        self.before = words.iter().map(|word| (*word).to_owned()).collect();
        self
    }

    /// Lets a started program be answered on its standard input.
    pub fn with_input(mut self) -> Self {
        self.with_input = true;
        self
    }

    /// Ends the program and fails the test after this time.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Starts the program and leaves it running; the folder holds its state.
    pub fn start(&self, home: &Path) -> Child {
        let folder = self.folder.clone().unwrap_or_else(|| home.to_owned());
        let inherited = KEPT.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
        let own = ["XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"];
        let program = env!("CARGO_BIN_EXE_unidebug").to_owned();
        let words = [&self.before[..], &[program], &self.args[..]].concat();
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .env_clear()
            .envs(inherited)
            .envs(own.iter().map(|name| (*name, home.join(name.to_ascii_lowercase()))))
            // Test libraries, the compiled runner and baselines are the same for all tests: they are made once.
            .env("UNIDEBUG_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
            // Where nothing repairs a bug, the built-in engine would try for its minute.
            .env("UNIDEBUG_MAX_CANDIDATES", "60")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(folder)
            .stdin(if self.with_input { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs to the end.
    pub fn run(&self) -> Finished {
        let home = tempfile::tempdir().unwrap();
        let started = Instant::now();
        let mut child = self.start(home.path());
        let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let reader = std::thread::spawn(move || read_all(&mut out));
        let errors = std::thread::spawn(move || read_all(&mut err));
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if started.elapsed() > self.limit {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let took = started.elapsed();
        let (stdout, stderr) = (reader.join().unwrap(), errors.join().unwrap());
        let finished = Finished { stdout, stderr, code: status.and_then(|status| status.code()), took, home };
        assert!(status.is_some(), "still running after {:?}: {:?}\n{finished}", self.limit, self.args);
        finished
    }
}

fn read_all(from: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn the_program_runs_without_the_users_settings() {
    let home = tempfile::tempdir().unwrap();
    let child = Unidebug::new(&["--version"]).env("OPENAI_API_KEY", "x").start(home.path());
    let finished = child.wait_with_output().unwrap();
    assert!(finished.status.success(), "{}", String::from_utf8_lossy(&finished.stderr));
    unidebug(&["--version"]).expect_code(0);
}
