//! What tests in C execute, by gcc's own instrumentation: the project is built once more by its own commands, with
//! compilers in front of PATH that add `--coverage`. Tests that CTest or Meson starts, and programs by cases, are
//! measured one by one; what one command runs is measured together.

use super::compilers::{Added, Compilers, LEAST};
use super::drivers::{Driver, words};
use super::forget_objects;
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use std::time::{Duration, Instant};
use unidebug_base::domain::{Patch, RepoPath, TestId};
use unidebug_judge::benchmark::Case;
use unidebug_judge::validate::command::{CommandJudge, Testing, on_users_path, with_input};
use unidebug_judge::validate::{Coverage, Spectrum, ValidateError, io_error};
use unidebug_sandbox::Job;

/// Keeps what was executed when a test ends by a signal.
const DUMP: &str = include_str!("dump.c");
/// Where gcov's answer goes, in a copy.
const ANSWER: &str = ".unidebug-coverage.json";
/// Larger answers are not read, in bytes.
const MOST_ANSWER: u64 = 256 << 20;
/// Triggering tests that are measured whatever it takes.
const ALWAYS: usize = 3;
/// A test of CTest or a case is cut after this, in seconds; it still tells what it executed.
const CUT: u64 = 5;

/// What each test executes, passing ones as far as the time goes; `None` where it cannot be measured.
pub(super) async fn measure(
    judge: &CommandJudge,
    patch: &Patch,
    time: Duration,
) -> Result<Option<Spectrum>, ValidateError> {
    let gcov = on_users_path("gcov", &judge.checkout.root);
    let added = Added { source: DUMP, always: "--coverage -O0", linked: "$here/added.o", only_gcc: true };
    let (Some(gcov), Some(tools)) = (gcov, Compilers::of(judge, &added).await?) else {
        tracing::info!("no coverage: it is measured in C, by gcc and gcov");
        return Ok(None);
    };
    let (_keep, tree) = judge.patched_copy(patch)?;
    forget_objects(&tree);
    let mut run = Measured { judge, tree, tools, gcov, end: Instant::now() };
    if let Some(build) = &judge.commands.build
        && !judge.sandbox.run(run.job(build)?).await?.exit.success()
    {
        tracing::info!("no coverage: the project does not build with `--coverage`");
        return Ok(None);
    }
    run.end = Instant::now() + time;
    let tests = match &judge.commands.test {
        Testing::Cases(command, cases) => run.cases(command, cases).await?,
        Testing::Reports(command, _) => match Driver::of(command) {
            Some(driver) => run.one_by_one(driver, command).await?,
            None => run.together(command).await?,
        },
    };
    let is_told = tests.iter().any(|(_, passed, coverage)| !passed && !coverage.lines.is_empty());
    if !is_told {
        tracing::info!("no coverage: gcov tells of no triggering test");
    }
    Ok(is_told.then(|| Spectrum::of(tests)))
}

/// Whether what single tests execute can be measured.
pub(super) fn tells_tests_apart(judge: &CommandJudge) -> bool {
    match &judge.commands.test {
        Testing::Cases(..) => true,
        Testing::Reports(command, _) => Driver::of(command).is_some(),
    }
}

/// Tests, each with whether it passed and what it executed.
type Tests = Vec<(TestId, bool, Coverage)>;

/// A copy that is built to be measured.
struct Measured<'j> {
    judge: &'j CommandJudge,
    tree: Utf8PathBuf,
    /// Beside the copy: what a project may write must not be what is written for it from outside the sandbox.
    tools: Compilers,
    gcov: Utf8PathBuf,
    /// When no further passing test is measured.
    end: Instant,
}

impl Measured<'_> {
    /// A command of the project with the compilers that measure.
    fn job(&self, command: &[String]) -> Result<Job, ValidateError> {
        self.tools.job(self.judge, command, &self.tree)
    }

    /// Some triggering tests; then passing ones and the other triggering ones until the time is up.
    fn wanted(&self) -> impl Iterator<Item = (&TestId, bool)> {
        let baseline = &self.judge.baseline;
        let (first, others) = baseline.triggering.split_at(ALWAYS.min(baseline.triggering.len()));
        let rest = baseline.passing.iter().map(|id| (id, true)).chain(others.iter().map(|id| (id, false)));
        first.iter().map(|id| (id, false)).chain(rest.take_while(|_| Instant::now() < self.end))
    }

    async fn cases(&self, command: &[String], cases: &[Case]) -> Result<Tests, ValidateError> {
        let mut tests = Vec::new();
        for (id, passed) in self.wanted() {
            let Some(case) = cases.iter().find(|case| case.name == id.method) else { continue };
            let input = self.tools.folder.join("input");
            std::fs::write(&input, &case.input).map_err(io_error("writing the input of a case", &input))?;
            let mut job = with_input(cut(self.job(command)?), &input).write(&self.tree);
            job.readable.retain(|path| *path != self.tree);
            self.judge.sandbox.run(job).await?;
            tests.push((id.clone(), passed, self.read().await?));
        }
        Ok(tests)
    }

    async fn one_by_one(&self, driver: Driver, command: &[String]) -> Result<Tests, ValidateError> {
        let mut tests = Vec::new();
        for (id, passed) in self.wanted() {
            self.judge.sandbox.run(cut(self.job(&driver.only(command, [id]))?)).await?;
            tests.push((id.clone(), passed, self.read().await?));
        }
        Ok(tests)
    }

    async fn together(&self, command: &[String]) -> Result<Tests, ValidateError> {
        self.judge.sandbox.run(self.job(command)?).await?;
        let all = self.read().await?;
        Ok(self.judge.baseline.triggering.iter().map(|id| (id.clone(), false, all.clone())).collect())
    }

    /// Lines that were executed since the last look.
    async fn read(&self) -> Result<Coverage, ValidateError> {
        let data = files_that_end(&self.tree, "gcda");
        if data.is_empty() {
            return Ok(Coverage::default());
        }
        let mut command = words(&["sh", "-c", "exec \"$@\" > \"$0\"", ANSWER, self.gcov.as_str()]);
        command.extend(words(&["--json-format", "--stdout"]));
        command.extend(data.iter().map(ToString::to_string));
        let mut job = self.judge.job(&command, &self.tree, LEAST)?;
        job.cwd.clone_from(&self.tree);
        self.judge.sandbox.run(job).await?;
        let answer = self.tree.join(ANSWER);
        let is_small = std::fs::symlink_metadata(&answer).is_ok_and(|meta| meta.is_file() && meta.len() < MOST_ANSWER);
        let text = if is_small { std::fs::read(&answer).unwrap_or_default() } else { Vec::new() };
        for file in [vec![answer], data].concat() {
            drop(std::fs::remove_file(file));
        }
        Ok(executed(&text, &self.tree))
    }
}

/// The same job with an end of its own for each process of the test.
fn cut(mut job: Job) -> Job {
    job.env.push(("UNIDEBUG_COVERAGE_SECONDS".into(), CUT.to_string()));
    job
}

/// Files of a copy whose names end so. Links are not followed.
fn files_that_end(tree: &Utf8Path, end: &str) -> Vec<Utf8PathBuf> {
    let walk = ignore::WalkBuilder::new(tree).standard_filters(false).build().flatten();
    let files = walk.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let paths = files.filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok());
    paths.filter(|path| path.extension() == Some(end)).collect()
}

/// What gcov says of one file of data.
#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    current_working_directory: String,
    #[serde(default)]
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    file: String,
    #[serde(default)]
    lines: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    line_number: u32,
    count: i64,
}

/// Lines of the project that were executed, by gcov's answers: one object for each file of data.
fn executed(text: &[u8], tree: &Utf8Path) -> Coverage {
    let mut coverage = Coverage::default();
    let answers = serde_json::Deserializer::from_slice(text).into_iter::<Answer>();
    for answer in answers.map_while(Result::ok) {
        for file in answer.files {
            let full = Utf8Path::new(&answer.current_working_directory).join(&file.file);
            let Some(path) = inside(&full, tree) else { continue };
            let lines = file.lines.iter().filter(|line| line.count > 0).map(|line| line.line_number);
            coverage.lines.entry(path).or_default().extend(lines);
        }
    }
    coverage.lines.retain(|_, lines| !lines.is_empty());
    coverage
}

/// A path of the project, `..` resolved by its text.
fn inside(full: &Utf8Path, tree: &Utf8Path) -> Option<RepoPath> {
    let mut plain = Utf8PathBuf::new();
    for part in full.components() {
        match part {
            camino::Utf8Component::ParentDir => drop(plain.pop()),
            camino::Utf8Component::CurDir => {}
            other => plain.push(other),
        }
    }
    RepoPath::new(plain.strip_prefix(tree).ok()?.as_str()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_project_that_ran_are_read() {
        let text = br#"{"current_working_directory": "/copy/build", "files": [
            {"file": "../src/./a.c", "lines": [{"line_number": 3, "count": 2}, {"line_number": 4, "count": 0}]},
            {"file": "/usr/include/stdio.h", "lines": [{"line_number": 9, "count": 1}]}]}
            {"current_working_directory": "/copy", "files": [{"file": "src/a.c", "lines": [{"line_number": 7, "count": 1}]}]}
            not json"#;
        let read = executed(text, "/copy".into());
        let lines: Vec<(&str, Vec<u32>)> =
            read.lines.iter().map(|(file, lines)| (file.as_str(), lines.iter().copied().collect())).collect();
        assert_eq!(lines, [("src/a.c", vec![3, 7])]);
    }
}
