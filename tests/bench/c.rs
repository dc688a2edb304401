//! What a judged candidate costs in C, beside a plain `make && make check`.
//!
//! The subject is a generated project of 30 units, each with 20 functions and a test program of its own, built by make; one
//! function is made to fail. Both sides of every ratio run in one go on the same machine. On a machine that is busy with
//! other things ratios mean nothing, so they are left out there unless `UNIDEBUG_BENCH_ANYWAY` is set.
// What tests and benches share is public to both.
#![allow(unreachable_pub)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/processor.rs"]
mod processor;
#[path = "rows.rs"]
mod rows;

use camino::{Utf8Path, Utf8PathBuf};
use rows::{Row, all, median, print_heads, shown, trusted};
use std::process::{Command, Stdio};
use unidebug::benchmark::{Checkout, Settings, find, parse_bug};
use unidebug::domain::{FileChange, Outcome, Patch, RepoPath};
use unidebug::sandbox::{Choice, Sandbox};
use unidebug::validate::{CommandJudge, Judge, Options};

const UNITS: usize = 30;
const FUNCTIONS: usize = 20;
/// Failing candidates in a batch, and batches of which the median counts.
const BATCH: usize = 10;
const BATCHES: usize = 5;
/// The file with the bug.
const BUGGY: &str = "src/u0.c";
const BUG: &str = "return x * 3 + 1;";

const MAKEFILE: &str = "CFLAGS = -O1 -Wall -Isrc
UNITS := $(patsubst src/%.c,%,$(wildcard src/*.c))
PROGRAMS := $(UNITS:%=tests/test_%)

all: $(UNITS:%=src/%.o) $(PROGRAMS)

tests/test_%: tests/test_%.c src/%.o
\t$(CC) $(CFLAGS) -o $@ $^

check: $(PROGRAMS)
\t@for program in $(PROGRAMS); do ./$$program || failed=1; done; exit $$failed

.PHONY: all check
";

/// Function `nth` of a unit, with the bug or without.
fn function(unit: usize, nth: usize, body: &str) -> String {
    format!(
        "int u{unit}_f{nth}(int x) {{\n    for (int i = 0; i < 3; i++) {{\n        x += i;\n    }}\n    {body}\n}}\n\n"
    )
}

fn unit(unit: usize, first: &str) -> String {
    let healthy = |nth: usize| format!("return x * {} + {unit};", nth + 2);
    let body = |nth: usize| if nth == 0 { first.to_owned() } else { healthy(nth) };
    (0..FUNCTIONS).map(|nth| function(unit, nth, &body(nth))).collect()
}

fn test(unit: usize) -> String {
    let declared: String = (0..FUNCTIONS).map(|nth| format!("int u{unit}_f{nth}(int x);\n")).collect();
    let checks: String = (0..FUNCTIONS)
        .map(|nth| {
            let expected = (4 + 3) * (nth + 2) + unit;
            format!("    failed |= report(\"u{unit}_f{nth}\", u{unit}_f{nth}(4) == {expected});\n")
        })
        .collect();
    format!(
        "#include <stdio.h>\n{declared}\nstatic int report(const char *name, int passed) {{\n    printf(\"%s: %s\\n\", \
         passed ? \"PASS\" : \"FAIL\", name);\n    return !passed;\n}}\n\nint main(void) {{\n    int failed = 0;\n{checks}    \
         return failed;\n}}\n"
    )
}

/// Writes the project.
fn generate(root: &Utf8Path) {
    for folder in ["src", "tests"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    std::fs::write(root.join("Makefile"), MAKEFILE).unwrap();
    for nth in 0..UNITS {
        let first = if nth == 0 { BUG.to_owned() } else { format!("return x * 2 + {nth};") };
        std::fs::write(root.join(format!("src/u{nth}.c")), unit(nth, &first)).unwrap();
        std::fs::write(root.join(format!("tests/test_u{nth}.c")), test(nth)).unwrap();
    }
}

/// The buggy unit with another body of its first function.
fn patch(body: &str) -> Patch {
    let (before, after) = (unit(0, BUG).into_bytes(), unit(0, body).into_bytes());
    let path = RepoPath::new(BUGGY).unwrap();
    Patch { files: vec![FileChange { path, before: Some(before.into()), after: after.into() }] }
}

fn repaired(salt: usize) -> Patch {
    patch(&format!("int kept = {salt}; return x * 2 + 0 * kept;"))
}

fn failing(salt: usize) -> Patch {
    patch(&format!("return x * 3 - {salt};"))
}

/// Batches of candidates that fail, none of them twice.
fn batches(nth: usize) -> Vec<Vec<Patch>> {
    let begin = 1_000_000 * (nth + 1);
    (0..BATCHES).map(|at| (0..BATCH).map(|n| failing(begin + at * BATCH + n)).collect()).collect()
}

/// 30 candidates as a search makes them: 6 do not compile, 21 fail, 3 pass.
fn variants(salt: usize) -> Vec<Patch> {
    let salt = salt * 100;
    let mut all: Vec<Patch> = (salt..salt + 6).map(|n| patch(&format!("return nobody_{n};"))).collect();
    all.extend((salt..salt + 21).map(|n| failing(n + 1)));
    all.extend((salt..salt + 3).map(repaired));
    all
}

/// `make && make check` in a copy, after what is done to it.
fn plain(project: &Utf8Path, into: &Utf8Path, change: &dyn Fn(&Utf8Path)) {
    if !into.exists() {
        assert!(Command::new("cp").args(["-a", project.as_str(), into.as_str()]).status().unwrap().success());
    }
    change(into);
    for goal in ["all", "check"] {
        let mut make = Command::new("make");
        make.arg(goal).current_dir(into).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    }
}

async fn check_out(project: &Utf8Path, into: &Utf8Path) -> Checkout {
    std::fs::create_dir_all(into).unwrap();
    let id = parse_bug(project.as_str()).unwrap();
    let checkout = find(&id.benchmark, &Settings::default()).unwrap().checkout(&id, into).await;
    checkout.unwrap_or_else(|error| panic!("{error}; {}", error.hint()))
}

fn folder_in(base: &Utf8Path, name: &str) -> Utf8PathBuf {
    let folder = base.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Judges in one sandbox: what the first candidate costs, failing ones, and 30 variants.
async fn judged(checkout: &Checkout, sandbox: Sandbox, work: Utf8PathBuf, names: [&'static str; 4]) -> Row {
    let opened = async { CommandJudge::open(checkout, &sandbox, Options::new(work)).await.unwrap() };
    let (_, judge) = shown(names[0], 1, opened).await;
    all(&judge, &[failing(999)]).await;
    let (marginal, outcomes) = median(names[1], &judge, &batches(0)).await;
    assert!(outcomes.iter().all(|one| *one == Outcome::Failed), "{outcomes:?}");
    let (_, outcomes) = shown(names[2], 30, all(&judge, &variants(1))).await;
    for (outcome, count) in [(Outcome::CompileError, 6), (Outcome::Failed, 21), (Outcome::PassedWarm, 3)] {
        assert_eq!(outcomes.iter().filter(|one| **one == outcome).count(), count, "{outcome}: {outcomes:?}");
    }
    let (_, confirmed) = shown(names[3], 1, judge.confirm(&repaired(7))).await;
    assert!(confirmed.unwrap().is_plausible());
    marginal
}

#[tokio::main]
async fn main() {
    let (trust, cores, load) = trusted();
    let folder = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    let project = folder_in(&base, "project");
    generate(&project);
    println!("subject: {UNITS} units, {} tests, by make; {cores} processors, load {load:.1}\n", UNITS * FUNCTIONS);
    print_heads();
    let copy = base.join("plain");
    let (whole, ()) = shown("make && make check, from nothing", 1, async { plain(&project, &copy, &|_| ()) }).await;
    let change = |root: &Utf8Path| std::fs::write(root.join(BUGGY), unit(0, "return x * 3 - 5;")).unwrap();
    let (again, ()) = shown("make && make check, one file changed", 1, async { plain(&project, &copy, &change) }).await;
    let checkout = check_out(&project, &base.join("untouched")).await;
    // The kernel does not credit a parent with what runs in a name space of its own, so processor seconds are taken
    // without one on both sides.
    let none = Sandbox::detect(Choice::None).await.unwrap();
    let names = ["first runs of the project", "failing candidate", "30 variants", "confirmation of a right patch"];
    let marginal = judged(&checkout, none, folder_in(&base, "none"), names).await;
    match Sandbox::detect(Choice::Auto).await {
        Ok(sandbox) => {
            let names = [
                "sandbox: first runs of the project (wall)",
                "sandbox: failing candidate (wall)",
                "sandbox: 30 variants (wall)",
                "sandbox: confirmation of a right patch (wall)",
            ];
            judged(&checkout, sandbox, folder_in(&base, "sandboxed"), names).await;
        }
        Err(error) => println!("no sandbox works here: {error}"),
    }
    if !trust {
        println!("ratios are left out: load {load:.1} on {cores} processors; set UNIDEBUG_BENCH_ANYWAY=1 to see them");
        return;
    }
    println!("\nmake && make check from nothing / failing candidate: {:.1}x CPU", whole.processor / marginal.each());
    println!(
        "make && make check with one file changed / failing candidate: {:.1}x CPU",
        again.processor / marginal.each()
    );
    println!("the same by wall time: {:.1}x", again.wall / (marginal.wall / BATCH as f64));
}
