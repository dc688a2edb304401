//! How long users of real projects wait: for the first query, for the verdict, and for the same a second time.
//!
//! `UNIDEBUG_FIELD=path/to/bugs cargo bench --bench field -- [NAME…]` takes a folder with one folder for each bug: `buggy/`,
//! a project with a failing test, and `dev.patch`, the developers' repair. Bugs of public projects are fetched, never
//! kept here; `field/prepare.py` lays out those of `field/bugs.tsv` from clones. The project's own command runs beside it,
//! with the whole suite and with the failing classes alone, so that all rows are of the same machine at the same time:
//! `mvn -o test`, `gradle --offline test` or `pytest`, with what it compiles. What that command needs must be on this
//! machine; where a command comes to nothing, there is neither time nor ratio.
// What tests and benches share is public to both.
#![allow(unreachable_pub)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What Maven does beside building and testing, by the properties that leave it out.
const SKIPPED: [&str; 8] =
    ["rat", "checkstyle", "enforcer", "jacoco", "spotbugs", "pmd", "animal.sniffer", "cyclonedx"];

fn main() {
    let Some(bugs) = std::env::var_os("UNIDEBUG_FIELD").map(PathBuf::from) else {
        println!("field: set UNIDEBUG_FIELD to a folder of bugs (buggy/ and dev.patch in each)");
        println!("hint: tests/bench/field/prepare.py CLONES FOLDER makes one from clones of public libraries");
        return;
    };
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let mut found: Vec<PathBuf> = std::fs::read_dir(&bugs).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found.retain(|bug| bug.join("buggy").is_dir() && (wanted.is_empty() || wanted.contains(&name(bug))));
    println!(
        "{:<28} {:>9} {:>9} {:>11} {:>7} {:>10} {:>9} {:>7}  verdict",
        "bug", "own class", "own suite", "first query", "/class", "second run", "verdict", "/suite"
    );
    for bug in found {
        row(&bug);
    }
}

fn name(bug: &Path) -> String {
    bug.file_name().unwrap().to_string_lossy().into_owned()
}

fn row(bug: &Path) {
    let project = bug.join("buggy");
    // Nothing of an earlier measurement may help.
    let [queries, verdicts] = [fresh_cache(), fresh_cache()];
    let first = first_query(&project, queries.path());
    let second = first_query(&project, queries.path());
    let (verdict, report) = judged(bug, verdicts.path());
    let suite = own(&project, &[]);
    let class = own(&project, &classes(&report));
    println!(
        "{:<28} {:>9} {:>9} {:>11} {:>7} {:>10} {:>9} {:>7}  {}",
        name(bug),
        seconds(class),
        seconds(suite),
        seconds(first),
        ratio(first, class),
        seconds(second),
        seconds(verdict),
        ratio(verdict, suite),
        report["patches"][0]["outcome"].as_str().or(report["error"]["message"].as_str()).unwrap_or("none"),
    );
}

fn seconds(time: Option<Duration>) -> String {
    time.map_or("none".into(), |time| format!("{:.1} s", time.as_secs_f64()))
}

fn ratio(time: Option<Duration>, own: Option<Duration>) -> String {
    time.zip(own).map_or("-".into(), |(time, own)| format!("{:.2}", time.as_secs_f64() / own.as_secs_f64()))
}

/// What was downloaded stays; it is no part of what is measured.
fn fresh_cache() -> TempDir {
    let cache = tempfile::tempdir().unwrap();
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/unidebug");
    let users = std::env::var_os("UNIDEBUG_CACHE_DIR").map_or_else(home, PathBuf::from);
    for folder in ["m2", "jars"] {
        if users.join(folder).is_dir() {
            std::os::unix::fs::symlink(users.join(folder), cache.path().join(folder)).unwrap();
        }
    }
    cache
}

/// The failing classes, or files in Python, of what `judge` says.
fn classes(report: &Value) -> Vec<String> {
    let failing = report["triggering"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let class = |test: &str| test.split("::").next().and_then(|test| test.split('#').next()).map(str::to_owned);
    let mut classes: Vec<String> = failing.filter_map(class).collect();
    classes.sort();
    classes.dedup();
    classes
}

/// The project's own command once, in a copy of its own; nothing where it runs no test.
fn own(project: &Path, classes: &[String]) -> Option<Duration> {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy");
    assert!(Command::new("cp").arg("-a").arg(project).arg(&copy).status().unwrap().success());
    let mut command = if copy.join("pom.xml").is_file() {
        maven(classes)
    } else if copy.join("build.gradle").is_file() || copy.join("build.gradle.kts").is_file() {
        gradle(&copy, classes)
    } else {
        pytest(&copy, classes)
    };
    command.current_dir(&copy).stdout(Stdio::null()).stderr(Stdio::null());
    let begin = Instant::now();
    command.status().unwrap();
    let took = begin.elapsed();
    ran(&copy).then_some(took)
}

fn maven(classes: &[String]) -> Command {
    let mut maven = Command::new("mvn");
    maven.args(["-o", "-q", "-B", "test", "-Dmaven.test.failure.ignore=true"]);
    maven.args(SKIPPED.map(|plugin| format!("-D{plugin}.skip=true")));
    if !classes.is_empty() {
        maven.arg(format!("-Dtest={}", classes.join(",")));
        maven.args(["-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false"]);
    }
    maven
}

fn gradle(copy: &Path, classes: &[String]) -> Command {
    let wrapper = copy.join("gradlew");
    let mut gradle = Command::new(if wrapper.is_file() { wrapper.as_os_str() } else { OsStr::new("gradle") });
    gradle.args(["--offline", "--no-daemon", "--quiet", "--continue", "test"]);
    gradle.args(classes.iter().flat_map(|class| ["--tests", class]));
    gradle
}

fn pytest(copy: &Path, classes: &[String]) -> Command {
    let file = |class: &String| class.split('$').next().map(|module| format!("{}.py", module.replace('.', "/")));
    let python = [".venv", "venv"].map(|folder| copy.join(folder).join("bin/python"));
    let python =
        python.iter().find(|python| python.exists()).map_or(OsStr::new("python3"), |python| python.as_os_str());
    let mut pytest = Command::new(python);
    pytest.args(["-m", "pytest", "-q", "--junitxml=TEST-pytest.xml"]).args(classes.iter().filter_map(file));
    pytest
}

/// Whether a report of a test lies in the copy.
fn ran(copy: &Path) -> bool {
    let files = ignore::WalkBuilder::new(copy).standard_filters(false).build().flatten();
    let mut reports = files.filter(|entry| {
        let name = entry.file_name().to_string_lossy();
        name.starts_with("TEST-") && name.ends_with(".xml")
    });
    reports.any(|entry| std::fs::read_to_string(entry.path()).is_ok_and(|text| text.contains("<testcase")))
}

/// What the program says, and how long that took where it came to what was wanted.
fn unidebug(words: &[&str], cache: &Path, wanted: &str) -> (Option<Duration>, Value) {
    let begin = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_unidebug"));
    // Ours is no setting of the program.
    command.args(words).arg("--json").env("UNIDEBUG_CACHE_DIR", cache).env_remove("UNIDEBUG_FIELD");
    let done = command.stdin(Stdio::null()).stderr(Stdio::null()).output().unwrap();
    let took = begin.elapsed();
    let report = String::from_utf8_lossy(&done.stdout).lines().rev().find_map(|line| serde_json::from_str(line).ok());
    let report: Value = report.unwrap_or_default();
    (report.get(wanted).is_some().then_some(took), report)
}

/// Until the first prompts are there.
fn first_query(project: &Path, cache: &Path) -> Option<Duration> {
    let flags = ["--model", "gpt-4o-mini", "--dry-run", "--base-url", "http://127.0.0.1:9/v1"];
    unidebug(&[&["run", project.to_str().unwrap()], &flags[..]].concat(), cache, "requests").0
}

/// The developers' repair as anybody would propose it, and what is said of it.
fn judged(bug: &Path, cache: &Path) -> (Option<Duration>, Value) {
    let [project, patch] = [bug.join("buggy"), bug.join("dev.patch")];
    let words = ["judge", project.to_str().unwrap(), "--patch", patch.to_str().unwrap(), "--max-time", "1h"];
    unidebug(&words, cache, "patches")
}
