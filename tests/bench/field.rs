//! How long users of real projects wait: for the first query, for the verdict, and for the same a second time.
//!
//! `UNIDEBUG_FIELD=path/to/bugs cargo bench --bench field -- [NAME…]` takes a folder with one folder for each bug: `buggy/`,
//! a project with a failing test, and `dev.patch`, the developers' repair. Bugs of public projects are fetched, never
//! kept here. The project's own command runs once beside it, so that all rows are of the same machine at the same time:
//! `mvn -o test` or `pytest`, with what it compiles.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn main() {
    let Some(bugs) = std::env::var_os("UNIDEBUG_FIELD").map(PathBuf::from) else {
        println!("field: set UNIDEBUG_FIELD to a folder of bugs (buggy/ and dev.patch in each)");
        return;
    };
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let mut found: Vec<PathBuf> = std::fs::read_dir(&bugs).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found.retain(|bug| bug.join("buggy").is_dir() && (wanted.is_empty() || wanted.contains(&name(bug))));
    println!(
        "{:<28} {:>8} {:>12} {:>12} {:>9} {:>7}  verdict",
        "bug", "own", "first query", "second run", "verdict", "ratio"
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
    let cache = tempfile::tempdir().unwrap();
    link_repository(cache.path());
    let own = own_command(&project);
    let first = prompts(&project, cache.path());
    let second = prompts(&project, cache.path());
    let (verdict, word) = verdict(bug, cache.path());
    // The verdict begins where the first query was made.
    let whole = first + verdict.saturating_sub(second);
    let ratio = whole.as_secs_f64() / own.as_secs_f64();
    let [own, first, second, whole] = [own, first, second, whole].map(|time| format!("{:.1} s", time.as_secs_f64()));
    println!("{:<28} {own:>8} {first:>12} {second:>12} {whole:>9} {ratio:>7.2}  {word}", name(bug));
}

/// What was downloaded stays; it is no part of what is measured.
fn link_repository(cache: &Path) {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/unidebug");
    for folder in ["m2", "jars"] {
        if home.join(folder).is_dir() {
            std::os::unix::fs::symlink(home.join(folder), cache.join(folder)).unwrap();
        }
    }
}

/// The project's own command once, in a copy of its own.
fn own_command(project: &Path) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy");
    assert!(Command::new("cp").arg("-a").arg(project).arg(&copy).status().unwrap().success());
    let begin = Instant::now();
    let mut command = if copy.join("pom.xml").is_file() {
        let mut maven = Command::new("mvn");
        maven.args(["-o", "-q", "-B", "test", "-Dmaven.test.failure.ignore=true"]);
        let skipped = ["rat", "checkstyle", "enforcer", "jacoco", "spotbugs", "pmd", "animal.sniffer", "cyclonedx"];
        maven.args(skipped.map(|plugin| format!("-D{plugin}.skip=true")));
        maven
    } else {
        let mut pytest = Command::new("python3");
        pytest.args(["-m", "pytest", "-q"]);
        pytest
    };
    command.current_dir(&copy).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    begin.elapsed()
}

fn unidebug(words: &[&str], cache: &Path) -> (Duration, String) {
    let begin = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_unidebug"));
    let done = command.args(words).env("UNIDEBUG_CACHE_DIR", cache).stderr(Stdio::null()).output().unwrap();
    (begin.elapsed(), String::from_utf8_lossy(&done.stdout).into_owned())
}

/// Until the first prompts are there.
fn prompts(project: &Path, cache: &Path) -> Duration {
    let project = project.to_str().unwrap();
    unidebug(&["run", project, "--model", "gpt-4o-mini", "--dry-run", "--base-url", "http://127.0.0.1:9/v1"], cache).0
}

/// The developers' repair as a model would propose it, and what becomes of it.
fn verdict(bug: &Path, cache: &Path) -> (Duration, String) {
    let diff = std::fs::read_to_string(bug.join("dev.patch")).unwrap();
    let args = serde_json::json!({"diff": diff, "explanation": "the developers'"}).to_string();
    let project = bug.join("buggy");
    let (took, said) =
        unidebug(&["tool", "write_fix", "--bug", project.to_str().unwrap(), "--args", &args, "--json"], cache);
    let object = said.lines().rev().find_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let word = object.and_then(|object| object["outcome"].as_str().map(str::to_owned));
    (took, word.unwrap_or_else(|| "none".into()))
}
