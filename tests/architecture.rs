//! Holds the table of rooms: who may use whom. Imports point down only. That crates do not use each other in circles is
//! what Cargo holds; inside of a crate and for the finer rules it is this table.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Room → rooms it may use directly. What those may use is allowed too, and `domain` always is.
const MAY_USE: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("tls", &[]),
    ("language", &["domain"]),
    ("prompt", &["domain"]),
    ("llm", &["domain", "tls"]),
    ("sandbox", &["domain"]),
    ("journal", &["domain"]),
    ("code", &["language"]),
    ("patch", &["language"]),
    ("twin", &["language"]),
    ("benchmark", &["sandbox", "language", "twin", "tls"]),
    ("validate", &["benchmark", "patch", "sandbox", "code"]),
    ("localize", &["validate", "code"]),
    ("templates", &["code", "localize", "patch", "validate"]),
    ("retrieve", &["llm", "tls"]),
    ("tools", &["validate", "localize", "code", "patch", "retrieve"]),
    ("agent", &["tools", "templates", "llm", "prompt", "journal"]),
    ("escalate", &["agent", "validate", "journal"]),
    ("batch", &["escalate", "journal", "benchmark"]),
    ("report", &["journal", "patch"]),
    // All of a language in one folder: it adds its rows to the tables of these rooms, and none of them names it.
    ("language/c", &["templates", "validate", "benchmark", "patch"]),
];

/// The folders of `src` that are a crate of several rooms.
const CRATES: &[&str] = &["base/", "judge/", "model/", "repair/"];

/// Rooms that may use everything.
const TOP: &[&str] = &["cli", "main", "lib"];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("build.rs") {
            found.push(path);
        }
    }
}

fn reachable() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let direct: BTreeMap<_, _> = MAY_USE.iter().copied().collect();
    direct
        .keys()
        .map(|&room| {
            let mut seen = BTreeSet::from(["domain", room]);
            let mut open = vec![room];
            while let Some(next) = open.pop() {
                for &below in direct[next] {
                    if seen.insert(below) {
                        open.push(below);
                    }
                }
            }
            (room, seen)
        })
        .collect()
}

/// The room that a file of `src` lies in; the folder of a language may be a room of its own.
fn room_of(inside: &str) -> &str {
    let inside = CRATES.iter().find_map(|of| inside.strip_prefix(of)).unwrap_or(inside);
    let own = MAY_USE.iter().map(|(room, _)| *room).find(|room| room.contains('/') && inside.starts_with(room));
    own.unwrap_or_else(|| inside.split('/').next().unwrap().trim_end_matches(".rs"))
}

/// Every room that a file names by `crate::room` or by a crate's name, in `use` lines and in paths.
fn rooms_named(source: &str) -> BTreeSet<String> {
    let path = regex::Regex::new(r"\b(?:crate|unidebug_(?:base|judge|model|repair))::(?:\{([^}]*)\}|(\w+))").unwrap();
    let mut rooms: BTreeSet<String> = path
        .captures_iter(source)
        .flat_map(|found| {
            let names = found.get(1).or(found.get(2)).map_or("", |names| names.as_str());
            names.split(',').map(|name| name.trim().split("::").next().unwrap().to_owned()).collect::<Vec<_>>()
        })
        .collect();
    if source.contains("unidebug_sandbox::") {
        rooms.insert("sandbox".to_owned());
    }
    rooms
}

#[test]
fn imports_point_down_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let allowed = reachable();
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    assert!(files.len() > 20, "found only {} source files", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        let room = room_of(inside.to_str().unwrap());
        if TOP.contains(&room) {
            continue;
        }
        let may = allowed.get(room).unwrap_or_else(|| panic!("room `{room}` is not in the table"));
        for used in rooms_named(&fs::read_to_string(&file).unwrap()) {
            let is_room = allowed.contains_key(used.as_str()) || TOP.contains(&used.as_str());
            if is_room && !may.contains(used.as_str()) {
                wrong.push(format!("{} uses `{used}`", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "imports that point up:\n{}", wrong.join("\n"));
}

#[test]
fn only_the_sandbox_starts_processes_and_only_cli_prints() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    for file in files {
        let inside = file.strip_prefix(&src).unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&file).unwrap();
        let product = text.split("#[cfg(test)]").next().unwrap();
        // An example in a doc comment is not the program.
        let code: Vec<&str> = product.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let product = code.join("\n");
        if !inside.starts_with("sandbox") {
            for word in ["process::Command", "Command::new(\"", "libc::fork"] {
                assert!(!product.contains(word), "{inside} starts a process: {word}");
            }
        }
        if !inside.starts_with("cli") && inside != "main.rs" {
            for word in ["println!(", "eprintln!(", "print!(", "eprint!("] {
                assert!(!product.contains(word), "{inside} prints: {word}");
            }
        }
        if inside.starts_with("base/domain") {
            for word in ["async fn", "std::fs", "tokio", "std::net"] {
                assert!(!product.contains(word), "{inside} does more than hold data: {word}");
            }
        }
    }
}

/// The longest that a file of the product may be, in lines.
const LONGEST: usize = 400;

#[test]
fn no_file_is_long() {
    let mut files = Vec::new();
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let lines = |file: &PathBuf| fs::read_to_string(file).unwrap().lines().count();
    let long: Vec<_> = files.into_iter().filter(|file| lines(file) > LONGEST).collect();
    assert!(long.is_empty(), "more than {LONGEST} lines: {long:?}");
}

/// The folder of the language C.
const FOLDER_OF_C: &str = "language/c/";
/// Lines of product code elsewhere that name it: the folder itself, and words of foreign data.
const C_ELSEWHERE: &[(&str, usize)] =
    &[("judge/benchmark/contests/codeflaws.rs", 1), ("lib.rs", 1), ("repair/retrieve/pairs.rs", 1)];

#[test]
fn a_language_is_one_folder_and_few_lines_elsewhere() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let named = regex::Regex::new(
        r#"\bunidebug_c\b|&C\b|\bC[;,}]|\bC\.[a-z]|\bc::|\bmod c;|"c"|\bin C\b|\bgcc|\bgcov|\bctest"#,
    )
    .unwrap();
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    let mut elsewhere = BTreeMap::new();
    for file in files {
        let path = file.strip_prefix(&source).unwrap().to_str().unwrap().to_owned();
        if path.starts_with(FOLDER_OF_C) || path.ends_with("tests.rs") || path.ends_with("testing.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let product = text.split("#[cfg(test)]").next().unwrap();
        // `"c"` is a key of a traced step, too.
        let is_code = |line: &&str| {
            !line.trim_start().starts_with("//") && named.is_match(line) && !line.contains("What::Called")
        };
        let lines = product.lines().filter(is_code).count();
        if lines > 0 {
            elsewhere.insert(path, lines);
        }
    }
    let wanted: BTreeMap<String, usize> =
        C_ELSEWHERE.iter().map(|(path, lines)| ((*path).to_owned(), *lines)).collect();
    assert_eq!(elsewhere, wanted, "files outside its folder that name C");
}

#[test]
fn the_parts_of_long_tests_name_tests_that_are_there() {
    let list = Command::new(std::env::current_exe().unwrap()).arg("--list").output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let tests: BTreeSet<&str> = list.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    let rows = include_str!("parts.tsv").lines().skip(1).map(|row| row.rsplit('\t').next().unwrap());
    let gone: Vec<&str> = rows.filter(|name| !tests.contains(name)).collect();
    assert!(gone.is_empty(), "tests/parts.tsv names no tests: {gone:?}");
}
