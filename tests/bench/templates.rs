//! How widely the families of fix templates apply: over how many statements and classes of a library each proposes.
//!
//! `cargo bench --bench templates -- --project DIR`: all `*.java` below DIR but tests; with `--python` all
//! `*.py`. Without `--project` the fixtures. With `--inverse`, how early the engine has the inverse of small changes.
//! With `--repairs DIR`, how early it has developers' repairs (`DIR/NAME/before.py`, `DIR/NAME/after.py`); `--all` names each.
// What tests and benches share is public to both.
#![allow(unreachable_pub)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "templates/inverse.rs"]
mod inverse;
#[path = "templates/repairs.rs"]
mod repairs;

use camino::{Utf8Path, Utf8PathBuf};
use std::time::Instant;
use unidebug::code::CodeIndex;
use unidebug::domain::RepoPath;
use unidebug::language::{Java, Language, Python};
use unidebug::templates::{Clues, census};

/// A family that proposes in fewer classes was written for one program.
const LEAST: usize = 3;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let value = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let given = value("--project");
    let project = given.map_or_else(|| Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures")), Into::into);
    let (sources, tests) = folders(&project);
    let has = |name: &str| args.iter().any(|arg| arg == name);
    let language: &'static dyn Language = if has("--python") { &Python } else { &Java };
    if let Some(folder) = value("--repairs") {
        repairs::print(Utf8Path::new(folder), language, has("--all"));
        return;
    }
    let begin = Instant::now();
    let index = CodeIndex::build(&project, &sources, &tests, language);
    let files = index.files().iter().filter(|file| !file.test).count();
    if has("--inverse") {
        println!("{files} product files of {project}");
        inverse::print(&index);
        return;
    }
    let clues = Clues {
        thrown: vec!["IllegalStateException".into()],
        expected: vec!["IllegalArgumentException".into()],
        ..Clues::default()
    };
    let found = census(&index, &clues);
    println!("{files} product files of {project}, {:.1} s", begin.elapsed().as_secs_f64());
    println!("{:<20} {:>10} {:>8}", "family", "statements", "classes");
    for (name, reach) in &found {
        let mark = if reach.classes.len() < LEAST { "  fewer than 3" } else { "" };
        println!("{name:<20} {:>10} {:>8}{mark}", reach.statements, reach.classes.len());
    }
    let few = found.values().filter(|reach| reach.classes.len() < LEAST).count();
    println!("{} families, {few} of them in fewer than {LEAST} classes", found.len());
}

/// Folders that hold sources, and those that hold tests.
fn folders(project: &Utf8Path) -> (Vec<RepoPath>, Vec<RepoPath>) {
    let all: Vec<String> = ignore::WalkBuilder::new(project)
        .standard_filters(false)
        .build()
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()))
        .filter_map(|entry| Some(entry.path().strip_prefix(project).ok()?.to_str()?.to_owned()))
        .collect();
    let ending = |ends: &[&str]| -> Vec<RepoPath> {
        let mut found: Vec<RepoPath> = all
            .iter()
            .filter(|folder| ends.iter().any(|end| Utf8Path::new(folder.as_str()).ends_with(end)))
            .filter_map(|folder| RepoPath::new(folder).ok())
            .collect();
        found.sort();
        found
    };
    let tests = ending(&["src/test", "project/test", "test/java"]);
    let main = ending(&["src/main/java", "src/java", "project/src"]);
    (if main.is_empty() { vec![RepoPath::new("").unwrap_or_default()] } else { main }, tests)
}
