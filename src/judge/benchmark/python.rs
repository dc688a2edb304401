//! Finds the Python interpreter that runs the subject's tests, and the pytest that comes with it, if it is needed.

mod named;
mod pyenv;

pub(super) use named::test_modules;

use super::BenchmarkError;
use super::error::Unusable;
use crate::domain::Fingerprint;
use crate::sandbox::{Job, PROGRAM_PATH, Sandbox, always_readable};
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use std::time::Duration;

/// Tells version and pytest, and the test modules below the folders it is given.
const FIND: &str =
    concat!(include_str!("python/find.py"), "\n\n", include_str!("python/absent.py"), "\n\n", "begin()\n");
/// An interpreter that takes longer to say its name is none.
const WALL: Duration = Duration::from_secs(60);
/// How pytest ends where it finds what to look at, or nothing; our plugin lets no module be loaded.
const NOTHING_WRONG: [i32; 2] = [0, 5];
/// Tests deeper than this are not looked for.
const MAX_DEPTH: usize = 8;
const HINT: &str = "install pytest and what it needs (`apt-get install python3-pytest`, or `pip install pytest` in the project's \
                    environment), or name another interpreter with `python` in .unidebug.toml";

/// An interpreter that was seen working.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interpreter {
    /// The program.
    pub program: Utf8PathBuf,
    /// Folders it needs to read.
    pub folders: Vec<Utf8PathBuf>,
    /// Its version: `3.11.7`.
    pub version: String,
    /// The version of pytest: 7.0 or newer; without it unittest runs the tests.
    pub pytest: Option<String>,
    /// A name for all that is installed for it: what tests need may come and go.
    pub(crate) installed: String,
    /// Why the pytest that it has cannot be loaded.
    broken: Option<String>,
}

impl Interpreter {
    /// Whether it can tell of executed lines at hardly any cost: `sys.monitoring` came with Python 3.12.
    pub(crate) fn monitors(&self) -> bool {
        let mut numbers = self.version.split('.').map_while(|part| part.parse::<u32>().ok());
        (numbers.next(), numbers.next()) >= (Some(3), Some(12))
    }
}

/// What a project's tests want of an interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// They are pytest's.
    Pytest,
    /// They are unittest's, which pytest runs as well.
    Either,
}

/// What an interpreter says of itself and of a project.
#[derive(Debug, Deserialize)]
struct Inspection {
    version: String,
    prefix: Utf8PathBuf,
    base: Utf8PathBuf,
    pytest: Option<String>,
    /// Why its pytest cannot be loaded.
    broken: Option<String>,
    /// Names of what is installed.
    installed: Vec<String>,
    files: Vec<String>,
    /// How pytest ended.
    status: i32,
}

/// The interpreter at `chosen`, else the first that has pytest: of the active environment, on PATH (where pyenv stands
/// there, by its choice for the folder of the project), of pyenv, of the system. Where unittest will do, the first of all,
/// if none has pytest.
///
/// # Errors
/// There is none that is wanted, or the chosen one cannot be used.
pub async fn find(
    chosen: Option<&Utf8Path>,
    project: &Utf8Path,
    wants: Wants,
    sandbox: &Sandbox,
) -> Result<Interpreter, BenchmarkError> {
    let missing = |what: String| BenchmarkError::Missing { what, hint: HINT.into() };
    if let Some(program) = chosen {
        let found = inspect(program, sandbox).await.and_then(|found| wanted(found, wants));
        return found.map_err(|why| missing(format!("`{program}` cannot run tests: {why}")));
    }
    let mut tried = Vec::new();
    let mut without = None;
    for program in candidates(project) {
        let found = inspect(&program, sandbox).await;
        if wants == Wants::Either && without.is_none() {
            without = found.clone().ok();
        }
        match found.and_then(|found| wanted(found, Wants::Pytest)) {
            Ok(found) => return Ok(found),
            Err(why) => tried.push(format!("{program}: {why}")),
        }
    }
    let looked = if tried.is_empty() { String::new() } else { format!(" ({})", tried.join("; ")) };
    let without = without.map(|found| Interpreter { pytest: None, ..found });
    without.ok_or_else(|| missing(format!("no Python with pytest was found{looked}")))
}

/// An interpreter, if it has what is wanted.
fn wanted(found: Interpreter, wants: Wants) -> Result<Interpreter, Unusable> {
    let is_new = |pytest: &String| pytest.split('.').next().and_then(|m| m.parse::<u32>().ok()).is_some_and(|m| m >= 7);
    match (&found.pytest, wants) {
        (Some(pytest), _) if is_new(pytest) => Ok(found),
        (_, Wants::Either) => Ok(Interpreter { pytest: None, ..found }),
        (Some(pytest), Wants::Pytest) => Err(format!("pytest {pytest} is older than 7.0").into()),
        (None, Wants::Pytest) => Err(Unusable::from(match &found.broken {
            Some(why) => format!(
                "the pytest of Python {} cannot be loaded: {why} (packages that are links to folders of sources, as \
                 `pip install -e` makes them, are not seen by it; a project on which pytest itself is built cannot be \
                 judged by it)",
                found.version
            ),
            None => format!("Python {} without pytest", found.version),
        })),
    }
}

/// What the tests of a project in `root` want, by what their files say.
pub(crate) fn wants(root: &Utf8Path) -> Wants {
    let walk = ignore::WalkBuilder::new(root).standard_filters(false).hidden(true).max_depth(Some(MAX_DEPTH)).build();
    let mut has_cases = false;
    for entry in walk.flatten() {
        let name = entry.file_name().to_string_lossy();
        if name == "conftest.py" {
            return Wants::Pytest;
        }
        if !name.contains("test") || !name.ends_with(".py") {
            continue;
        }
        let text = std::fs::read(entry.path()).unwrap_or_default();
        let has = |word: &str| memchr::memmem::find(&text, word.as_bytes()).is_some();
        if has("import pytest") || has("from pytest") {
            return Wants::Pytest;
        }
        // What `load_tests` makes is unittest's alone: pytest does not know it.
        has_cases |= has("unittest") || has("def load_tests");
    }
    if has_cases { Wants::Either } else { Wants::Pytest }
}

/// The texts that name the packages which a project wants.
pub fn settings(root: &Utf8Path) -> String {
    let named = ["pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "Pipfile", "environment.yml"]
        .map(|name| root.join(name));
    let files = |folder: &Utf8Path, depth| {
        let walk = ignore::WalkBuilder::new(folder).standard_filters(false).max_depth(Some(depth)).build().flatten();
        walk.filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok()).collect::<Vec<_>>()
    };
    let lists = [files(root, 1), files(&root.join("requirements"), 3)].concat();
    let lists = lists.into_iter().filter(|path| {
        let inside = path.strip_prefix(root).unwrap_or(path);
        inside.as_str().contains("require") && path.extension().is_some_and(|end| end == "txt" || end == "in")
    });
    named.into_iter().chain(lists).filter_map(|file| std::fs::read_to_string(file).ok()).collect()
}

/// The environment that a project keeps beside its sources, if it does.
pub(crate) fn of_project(folder: &Utf8Path) -> Option<Utf8PathBuf> {
    [".venv", "venv"].iter().map(|name| folder.join(name).join("bin/python")).find(|program| program.exists())
}

impl Interpreter {
    /// A job of this interpreter in a folder, which it may read: no user's packages, no byte code left behind, the same
    /// order of sets every time.
    pub fn job(&self, cwd: &Utf8Path, code: &str) -> Job {
        let mut job = job(&self.program, cwd, code).read(self.folders.iter().cloned());
        job.env.push(("PYTHONHASHSEED".into(), "0".into()));
        // Programs that packages install beside it, the project's own among them.
        if let Some(home) = self.environment() {
            job.env.push(("VIRTUAL_ENV".into(), home.to_string()));
            job.env.push(("PATH".into(), format!("{home}/bin:{PROGRAM_PATH}")));
        }
        job
    }

    /// The same for code of ours alone: no module of the folder stands for one of Python's own.
    pub(crate) fn isolated_job(&self, cwd: &Utf8Path, code: &str) -> Job {
        let mut job = self.job(cwd, code);
        job.args.insert(0, "-I".into());
        job
    }

    /// The environment that it belongs to.
    fn environment(&self) -> Option<&Utf8Path> {
        let home = self.program.parent().and_then(Utf8Path::parent)?;
        (self.program.is_absolute() && home.join("pyvenv.cfg").is_file()).then_some(home)
    }

    /// What runs tests under it.
    pub(crate) fn runner(&self) -> &'static str {
        if self.pytest.is_some() { "pytest" } else { "unittest" }
    }

    /// Test modules that pytest or unittest would look at below these folders, relative to `cwd`; `paths` is where the
    /// project's own modules lie, `links` what leads there from elsewhere.
    ///
    /// # Errors
    /// It says no more than that it cannot be used there, which is told.
    pub(crate) async fn modules(
        &self,
        cwd: &Utf8Path,
        folders: &[String],
        paths: &[Utf8PathBuf],
        links: Vec<(Utf8PathBuf, Utf8PathBuf)>,
        sandbox: &Sandbox,
    ) -> Result<Vec<String>, BenchmarkError> {
        let runner = self.runner();
        let which = if self.pytest.is_some() { "modules" } else { "cases" };
        let paths = paths.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(":");
        let job = self.job(cwd, FIND).args([which, &paths]).args(folders.iter().cloned()).wall(WALL);
        let job = Job { links, ..job };
        let done = sandbox.run(job).await.map_err(|error| BenchmarkError::Setup {
            what: format!("{runner} could not be started: {error}"),
            hint: "check the sandbox with `unidebug doctor`".into(),
        })?;
        let answer = serde_json::from_slice::<Inspection>(&done.results).ok();
        // A `conftest.py` or settings that cannot be loaded.
        let Some(answer) = answer.filter(|answer| !answer.files.is_empty() || NOTHING_WRONG.contains(&answer.status))
        else {
            let output = [done.stderr, done.stdout].concat();
            let output = reason(&String::from_utf8_lossy(&output)).unwrap_or("no reason given").to_owned();
            return Err(BenchmarkError::Setup {
                what: format!("{runner} finds no tests here: {output}"),
                hint: format!("run `python3 -m {runner}` in the project and mend what it complains of"),
            });
        };
        Ok(answer.files)
    }
}

/// The line in which pytest says why it cannot begin: below it may stand where its settings lie.
fn reason(output: &str) -> Option<&str> {
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let names_an_error = |line: &&str| line.contains("rror: ");
    let reason = lines().rfind(names_an_error).or_else(|| lines().rfind(|line| line.starts_with("E  ")));
    reason.or_else(|| lines().next_back()).map(|line| line.strip_prefix("E  ").unwrap_or(line).trim_start())
}

fn job(program: &Utf8Path, cwd: &Utf8Path, code: &str) -> Job {
    let mut job = Job::new(program.as_str(), cwd).args(["-s", "-B", "-c", code]);
    job.results = true;
    // For what it starts, too.
    job.env.push(("PYTHONDONTWRITEBYTECODE".into(), "1".into()));
    job
}

async fn inspect(program: &Utf8Path, sandbox: &Sandbox) -> Result<Interpreter, Unusable> {
    let mut folders = homes(program).ok_or("there is no such program")?;
    let job = job(program, Utf8Path::new("/usr"), FIND).read(folders.iter().cloned()).wall(WALL);
    let done = sandbox.run(job).await.map_err(|error| error.to_string())?;
    let output = || String::from_utf8_lossy(&done.stderr).trim().lines().last().unwrap_or("it said nothing").to_owned();
    let answer: Inspection = serde_json::from_slice(&done.results).map_err(|_| output())?;
    // The project may have written what told this.
    for folder in [answer.prefix, answer.base].into_iter().filter(|folder| is_home_of_python(folder)) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    Ok(Interpreter {
        program: program.to_owned(),
        folders,
        version: answer.version,
        pytest: answer.pytest,
        installed: Fingerprint::default().add(answer.installed.join("\n")).name(),
        broken: answer.broken,
    })
}

/// Folders around a program and around what it is a link to, and, for an environment, around what it was made from.
fn homes(program: &Utf8Path) -> Option<Vec<Utf8PathBuf>> {
    let around = |program: &Utf8Path| program.parent().and_then(Utf8Path::parent).map(Utf8Path::to_owned);
    let mut homes: Vec<Utf8PathBuf> = around(program).into_iter().collect();
    homes.extend(around(&program.canonicalize_utf8().ok()?));
    let made_from = homes.first().and_then(|home| std::fs::read_to_string(home.join("pyvenv.cfg")).ok());
    let from = made_from.as_deref().and_then(|text| text.lines().find_map(|line| line.strip_prefix("home")));
    let from = from.map(|rest| Utf8PathBuf::from(rest.trim_start_matches([' ', '=']).trim()));
    homes.extend(from.iter().filter_map(|bin| bin.parent().map(Utf8Path::to_owned)));
    homes.retain(|home| is_home_of_python(home));
    homes.dedup();
    Some(homes)
}

/// Whether an interpreter or an environment of one is installed in a folder, so that it may be read as a whole: a project
/// may name any folder as such.
fn is_home_of_python(folder: &Utf8Path) -> bool {
    let of_python = |name: &str| name.starts_with("python") || name.starts_with("pypy");
    let has_library = |libraries: &str| {
        let entries = folder.join(libraries).read_dir_utf8().into_iter().flatten().flatten();
        entries.into_iter().any(|entry| of_python(entry.file_name()) && entry.path().join("os.py").is_file())
    };
    let is_environment = folder.join("pyvenv.cfg").is_file();
    always_readable(folder) || is_environment || has_library("lib") || has_library("lib64")
}

/// Programs worth a look, in the order of preference. Scripts in the place of an interpreter start another one, which
/// they look for where a sandbox has nothing: those of pyenv stand for what they would start in the folder of the project.
fn candidates(project: &Utf8Path) -> Vec<Utf8PathBuf> {
    let variable = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
    let path = variable("PATH").unwrap_or_default();
    let active = variable("VIRTUAL_ENV").map(|home| Utf8PathBuf::from(home).join("bin/python"));
    let pyenv = pyenv::root();
    let in_folder = |folder: &Utf8Path| match &pyenv {
        Some(root) if folder == root.join("shims") => pyenv::chosen(root, project, variable("PYENV_VERSION")),
        _ => vec![folder.join("python3")],
    };
    let on_path = path.split(':').filter(|folder| folder.starts_with('/')).flat_map(|folder| in_folder(folder.into()));
    let system = PROGRAM_PATH.split(':').map(|folder| Utf8Path::new(folder).join("python3"));
    let versions = pyenv.iter().flat_map(|root| pyenv::all(root));
    let mut found: Vec<Utf8PathBuf> = Vec::new();
    for program in active.into_iter().chain(on_path).chain(versions).chain(system) {
        let real = program.canonicalize_utf8().ok().filter(|real| real.is_file() && !is_script(real));
        let known =
            |real: &Utf8PathBuf| found.iter().any(|other| other.canonicalize_utf8().ok().as_ref() == Some(real));
        // Two environments may share an interpreter and not their packages.
        let own = program.parent().and_then(Utf8Path::parent).is_some_and(|home| home.join("pyvenv.cfg").is_file());
        if real.is_some_and(|real| own && !found.contains(&program) || !known(&real)) {
            found.push(program);
        }
    }
    found
}

fn is_script(program: &Utf8Path) -> bool {
    use std::io::Read;
    let mut head = [0; 2];
    std::fs::File::open(program).and_then(|mut file| file.read_exact(&mut head)).is_ok() && &head == b"#!"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_packages_are_read_wherever_projects_keep_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let write = |path: &str| crate::benchmark::testing::write(&root.join(path), &format!("[{path}]"));
        let read = ["setup.cfg", "requirements.txt", "test-requirements.in", "requirements/extras/gcs.txt"];
        read.into_iter().chain(["docs/requirements.txt", "requirements/notes.md", "notes.txt"]).for_each(write);
        let settings = settings(root);
        assert!(read.iter().all(|path| settings.contains(&format!("[{path}]"))), "{settings}");
        assert_eq!(settings.matches('[').count(), read.len(), "{settings}");
    }

    #[test]
    fn why_pytest_cannot_begin_is_told() {
        let unknown = "ERROR: usage: __main__.py [options]\n__main__.py: error: unrecognized arguments: --cov\n  \
                       inifile: /p/pyproject.toml\n  rootdir: /p\n\n";
        assert_eq!(reason(unknown), Some("__main__.py: error: unrecognized arguments: --cov"));
        let conftest = "ImportError while loading conftest '/p/conftest.py'.\nconftest.py:1: in <module>\n    import x\n\
                        E   ModuleNotFoundError: No module named 'x'\n";
        assert_eq!(reason(conftest), Some("ModuleNotFoundError: No module named 'x'"));
        assert_eq!(reason("E   SystemExit: 3\nrootdir: /p\n"), Some("SystemExit: 3"));
        assert_eq!(reason("it broke\n"), Some("it broke"));
        assert_eq!(reason(""), None);
    }
}
