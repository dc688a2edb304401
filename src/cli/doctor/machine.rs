//! The machine: sandbox, JDKs, build tools, benchmarks, folders.

use super::{Check, State};
use crate::benchmark::{self, Benchmark, BenchmarkError, Settings, jars, jdk, python};
use crate::cli::config::Config;
use crate::cli::open::state_folder;
use crate::domain::Watcher;
use crate::sandbox::{Choice, Sandbox};
use camino::{Utf8Path, Utf8PathBuf};

/// Programs that are used when they are there, beside those of languages: name, what for, and how they are installed.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("mvn", "Maven projects, and test libraries the first time", "apt-get install maven"),
    ("git", "the history of a project", "apt-get install git"),
];

pub(super) async fn checks(config: &Config) -> Vec<Check> {
    let (sandbox, check) = isolation().await;
    let mut checks = vec![check];
    checks.extend(user());
    checks.extend(jdks(config));
    checks.extend(
        PROGRAMS.iter().chain(benchmark::programs()).map(|(name, purpose, install)| program(name, purpose, install)),
    );
    checks.push(libraries(sandbox.as_ref()).await);
    checks.push(interpreter(sandbox.as_ref()).await);
    for name in benchmark::names() {
        checks.extend(root(name, config, sandbox.as_ref()).await);
    }
    checks.push(writable("state folder", &state_folder(), "UNIDEBUG_STATE_DIR names another folder"));
    checks
}

async fn isolation() -> (Option<Sandbox>, Check) {
    match Sandbox::detect(Choice::Auto).await {
        Ok(sandbox) => {
            let open = sandbox.cannot_stop();
            let check = if open.is_empty() {
                Check::ok("sandbox", sandbox.name())
            } else {
                let detail = format!("{}; untrusted code can {}", sandbox.name(), open.join(", "));
                Check::not(State::Note, "sandbox", detail, "install bubblewrap, which stops these too")
            };
            (Some(sandbox), check)
        }
        Err(error) => (None, Check::not(State::Missing, "sandbox", error.to_string(), error.hint())),
    }
}

fn user() -> Option<Check> {
    let fix = "work as another user: a hole in the sandbox is then no hole in the machine";
    nix::unistd::geteuid().is_root().then(|| Check::not(State::Note, "user", "you are root", fix))
}

fn jdks(config: &Config) -> Vec<Check> {
    if let Err(error) = jdk::find(config.java_home.as_deref()) {
        return vec![Check::not(State::Missing, "JDK", error.to_string(), error.hint())];
    }
    let found = jdk::all().into_iter();
    found
        .map(|jdk| {
            let detail = format!("{} at {}, source level {} and newer", jdk.version, jdk.home, jdk.oldest_release());
            Check::ok(format!("JDK {}", jdk.major), detail)
        })
        .collect()
}

fn program(name: &str, purpose: &str, install: &str) -> Check {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = path.split(':').filter(|folder| !folder.is_empty());
    match folders.map(|folder| Utf8Path::new(folder).join(name)).find(|file| file.is_file()) {
        Some(file) => Check::ok(name, file.to_string()),
        None => Check::not(State::Note, name, format!("not on PATH; needed for {purpose}"), install),
    }
}

/// Python is needed for bugs in Python only.
async fn interpreter(sandbox: Option<&Sandbox>) -> Check {
    const WHAT: &str = "Python with pytest";
    let Some(sandbox) = sandbox else {
        return Check::not(State::Note, WHAT, "not looked at without a sandbox", "mend the sandbox first");
    };
    let here = camino::absolute_utf8(".").unwrap_or_default();
    match python::find(None, &here, python::Wants::Pytest, sandbox).await {
        Ok(found) => {
            let pytest = found.pytest.unwrap_or_default();
            Check::ok(WHAT, format!("{}, pytest {pytest} at {}", found.version, found.program))
        }
        Err(error) => Check::not(State::Note, WHAT, format!("{error}; needed for bugs in Python"), error.hint()),
    }
}

async fn libraries(sandbox: Option<&Sandbox>) -> Check {
    let Some(sandbox) = sandbox else {
        return Check::not(State::Note, "test libraries", "not looked at without a sandbox", "mend the sandbox first");
    };
    match jars::find(jars::Library::JUnit4, sandbox, &Watcher::default()).await {
        Ok(found) => Check::ok("test libraries", format!("{} jars of JUnit 4", found.len())),
        Err(error) => Check::not(State::Missing, "test libraries", error.to_string(), error.hint()),
    }
}

/// A benchmark's root, and its own programs; benchmarks of the user's own folders have none.
async fn root(name: &'static str, config: &Config, sandbox: Option<&Sandbox>) -> Option<Check> {
    let settings = Settings {
        root: config.root.clone(),
        java_home: config.java_home.clone(),
        sandbox: sandbox.cloned(),
        ..Settings::default()
    };
    let what = format!("benchmark {name}");
    let adapter: Result<Box<dyn Benchmark>, _> = benchmark::find(name, &settings);
    let probe = async {
        let adapter = adapter?;
        let bugs = adapter.list()?.len();
        // Without bugs there is nothing to try.
        let tried = if bugs == 0 { None } else { adapter.try_out().await? };
        Ok::<_, BenchmarkError>((bugs, tried))
    };
    match probe.await {
        Ok((0, _)) => None,
        Ok((bugs, None)) => Some(Check::ok(what, format!("{bugs} bugs"))),
        Ok((bugs, Some(tried))) => Some(Check::ok(what, format!("{bugs} bugs; {tried}"))),
        Err(error @ BenchmarkError::UnknownBenchmark { .. }) => {
            Some(Check::not(State::Missing, what, error.to_string(), error.hint()))
        }
        Err(error) => Some(Check::not(State::Note, what, error.to_string(), error.hint())),
    }
}

fn writable(what: &str, folder: &Utf8PathBuf, fix: &str) -> Check {
    let tried = std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder));
    match tried {
        Ok(_) => Check::ok(what, folder.to_string()),
        Err(error) => Check::not(State::Missing, what, format!("{folder} cannot be written: {error}"), fix),
    }
}
