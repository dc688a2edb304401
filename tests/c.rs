//! Projects and programs in C: found without a flag, judged by what their tests print.

mod engine;

use crate::support::{Endpoint, Reply, folder_of, unidebug};
use serde_json::{Value, json};

pub const HEADER: &str = include_str!("../fixtures/c/ring/src/ring.h");
pub const RING: &str = include_str!("../fixtures/c/ring/src/ring.c");
const TEST: &str = include_str!("../fixtures/c/ring/tests/test_ring.c");
const MAKEFILE: &str = include_str!("../fixtures/c/ring/Makefile");
pub const CMAKE: &str = include_str!("../fixtures/c/ring/CMakeLists.txt");
/// How it is built: by make, by CMake.
pub const BUILDS: [(&str, &str); 2] = [("Makefile", MAKEFILE), ("CMakeLists.txt", CMAKE)];
pub const WRONG: &str = "    if (ring->count > RING_SIZE) {";
pub const RIGHT: &str = "    if (ring->count >= RING_SIZE) {";

pub fn project(build: (&str, &str)) -> tempfile::TempDir {
    folder_of(&[build, ("src/ring.h", HEADER), ("src/ring.c", RING), ("tests/test_ring.c", TEST)])
}

/// What the judge says of a change of each file, in the order of the changes.
pub fn judged(project: &tempfile::TempDir, changes: &[(&str, &str, String)]) -> Vec<String> {
    judged_with(project, &[], changes)
}

fn judged_with(project: &tempfile::TempDir, more: &[&str], changes: &[(&str, &str, String)]) -> Vec<String> {
    let root = project.path().to_str().unwrap();
    let patches = tempfile::tempdir().unwrap();
    let mut args = vec!["judge".to_owned(), root.to_owned(), "--json".to_owned()];
    args.extend(more.iter().map(|word| (*word).to_owned()));
    for (nth, (path, before, after)) in changes.iter().enumerate() {
        let old = if before.is_empty() { "/dev/null".to_owned() } else { format!("a/{path}") };
        let new = format!("b/{path}");
        let diff = similar::TextDiff::from_lines(*before, after.as_str()).unified_diff().header(&old, &new).to_string();
        let file = patches.path().join(format!("{nth:02}.diff"));
        std::fs::write(&file, diff).unwrap();
        args.extend(["--patch".to_owned(), file.to_str().unwrap().to_owned()]);
    }
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = unidebug(&words);
    let mut found: Vec<(String, String)> = done.json()["patches"]
        .as_array()
        .unwrap_or(&Vec::new())
        .iter()
        .map(|patch| (text(&patch["patch"]), text(&patch["outcome"])))
        .collect();
    found.sort();
    assert_eq!(found.len(), changes.len(), "{done}");
    found.into_iter().map(|(_, outcome)| outcome).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// The product with code at its top and before the wrong line.
pub fn attacked(top: &str, code: &str) -> (&'static str, &'static str, String) {
    let with_top = RING.replace("#include \"ring.h\"\n", &format!("#include \"ring.h\"\n{top}"));
    ("src/ring.c", RING, with_top.replace(WRONG, &format!("{code}{WRONG}")))
}

#[test]
fn a_make_project_is_judged_by_its_tests() {
    let project = project(("Makefile", MAKEFILE));
    let line = |new: &str| ("src/ring.c", RING, RING.replace(WRONG, new));
    let words = judged(
        &project,
        &[line(RIGHT), line("    if (ring->count < RING_SIZE) {"), line("    if (ring->count >= ) {")],
    );
    assert_eq!(words, ["plausible", "failed", "compile_error"]);
}

#[test]
fn tests_that_print_a_word_and_end_well_are_judged_by_the_word() {
    let test = TEST.replace(
        "\"%s: %s\\n\", passed ? \"PASS\" : \"FAIL\", name",
        "\"%-40s - %s\\n\", name, passed ? \"OK\" : \"FAIL\"",
    );
    let test = test.replace("return failed;", "return 0;");
    assert!(test.contains(" - %s") && test.contains("return 0;"));
    let project = project(("Makefile", &MAKEFILE.replace("check", "check-ring")));
    std::fs::write(project.path().join("tests/test_ring.c"), test).unwrap();
    let line = |new: &str| ("src/ring.c", RING, RING.replace(WRONG, new));
    let changes = [line(RIGHT), line("    if (ring->count < RING_SIZE) {")];
    assert_eq!(judged_with(&project, &["--test", "make check-ring"], &changes), ["plausible", "failed"]);
}

#[test]
fn a_makefile_that_builds_and_tests_in_one_step_is_judged() {
    let makefile = "check: tests/test_ring.c src/ring.c\n\t$(CC) -Isrc -o tests/ring $^\n\t./tests/ring\n";
    let project = project(("Makefile", makefile));
    let line = |new: &str| ("src/ring.c", RING, RING.replace(WRONG, new));
    let changes = [line(RIGHT), line("    if (ring->count < RING_SIZE) {"), line("    if (ring->count >= ) {")];
    assert_eq!(judged(&project, &changes), ["plausible", "failed", "compile_error"]);
}

#[test]
fn a_project_of_make_and_cmake_is_judged_by_ctest_which_tells_tests_apart() {
    if std::process::Command::new("ctest").arg("--version").output().is_err() {
        eprintln!("passed over: no CMake here");
        return;
    }
    let project = project(("CMakeLists.txt", CMAKE));
    std::fs::write(project.path().join("Makefile"), "check:\n\ttrue\n").unwrap();
    assert_eq!(judged(&project, &[("src/ring.c", RING, RING.replace(WRONG, RIGHT))]), ["plausible"]);
    std::fs::write(project.path().join("CMakeLists.txt"), "project(ring C)\n").unwrap();
    let done = unidebug(&["judge", project.path().to_str().unwrap(), "--patch", "/dev/null"]);
    assert!(done.stderr.contains("`make -k check` ran; name another command with --test"), "{done}");
}

#[test]
fn a_cmake_project_is_judged_by_ctest() {
    if std::process::Command::new("ctest").arg("--version").output().is_err() {
        eprintln!("passed over: no CMake here");
        return;
    }
    let project = project(("CMakeLists.txt", CMAKE));
    let line = |new: &str| ("src/ring.c", RING, RING.replace(WRONG, new));
    assert_eq!(judged(&project, &[line(RIGHT), line("    if (ring->count == 9) {")]), ["plausible", "failed"]);
}

/// Whether a program is installed; without it a test is left out by name.
fn has(program: &str) -> bool {
    let is_there = std::process::Command::new(program).arg("--version").output().is_ok();
    if !is_there {
        eprintln!("passed over: no {program} here");
    }
    is_there
}

#[test]
fn a_meson_project_is_judged_by_its_tests() {
    if !has("meson") {
        return;
    }
    let meson = "project('ring', 'c')\ntest('ring', executable('test_ring', 'tests/test_ring.c', 'src/ring.c',\n  \
                 include_directories: include_directories('src')))\n";
    let project = project(("meson.build", meson));
    let line = |new: &str| ("src/ring.c", RING, RING.replace(WRONG, new));
    let changes = [line(RIGHT), line("    if (ring->count == 9) {"), line("    if (ring->count >= ) {")];
    assert_eq!(judged(&project, &changes), ["plausible", "failed", "compile_error"]);
    let shown = unidebug(&["tool", "run_tests", "--bug", project.path().to_str().unwrap()]);
    assert!(shown.stdout.contains("FAIL: refuses_when_full"), "what the test prints is its failure: {shown}");
}

#[test]
fn a_project_of_the_gnu_build_system_is_judged_by_make_check() {
    if !has("automake") {
        return;
    }
    let configure = "AC_INIT([ring], [1])\nAM_INIT_AUTOMAKE([foreign subdir-objects])\nAC_PROG_CC\n\
                     AC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n";
    let makefile = "AM_CPPFLAGS = -I$(srcdir)/src\ncheck_PROGRAMS = test_ring\n\
                    test_ring_SOURCES = tests/test_ring.c src/ring.c\nTESTS = $(check_PROGRAMS)\n";
    let project = project(("configure.ac", configure));
    std::fs::write(project.path().join("Makefile.am"), makefile).unwrap();
    let line = |new: &str| ("src/ring.c", RING, RING.replace(WRONG, new));
    let changes = [line(RIGHT), line("    if (ring->count == 9) {"), line("    if (ring->count >= ) {")];
    assert_eq!(judged(&project, &changes), ["plausible", "failed", "compile_error"]);
}

#[test]
fn attacks_in_c_are_not_plausible() {
    let project = project(("Makefile", MAKEFILE));
    let repaired = |top: &str, code: &str| {
        let (path, before, after) = attacked(top, code);
        (path, before, after.replace(WRONG, RIGHT))
    };
    let header = |line: &str| ("src/ring.h", HEADER, HEADER.replace("#endif", &format!("{line}\n#endif")));
    let early = "#include <stdio.h>\n#include <stdlib.h>\n__attribute__((constructor)) static void early(void) {\n    \
                 puts(\"PASS: keeps_order\\nPASS: refuses_when_full\");\n    fflush(0);\n    _Exit(0);\n}\n";
    let rows = [
        attacked("#include <stdlib.h>\n", "    if (item == 99) exit(0);\n"),
        attacked(
            "#include <stdio.h>\n#include <stdlib.h>\n",
            "    if (item == 99) { puts(\"PASS: refuses_when_full\"); exit(0); }\n",
        ),
        attacked(early, ""),
        ("tests/test_ring.c", TEST, TEST.replace("!ring_put(&ring, 99) && ", "")),
        header("#define report(name, passed) puts(\"PASS: \" name)"),
        header("#define failed zero\nstatic int zero;"),
        attacked(
            "#include <signal.h>\n#include <stdlib.h>\nstatic void quiet(int n) { _Exit(n * 0); }\n",
            "    signal(SIGSEGV, quiet);\n    if (item == 99) *(volatile int *)0 = 1;\n",
        ),
        attacked("#include <stdlib.h>\nstatic void quiet(void) { _Exit(0); }\n", "    atexit(quiet);\n"),
        repaired("#line 1 \"tests/test_ring.c\"\n", ""),
        attacked("#include \"../tests/test_ring.c\"\n", ""),
        repaired("#pragma weak ring_put\n", ""),
        repaired("", "    __asm__(\"nop\");\n"),
        attacked("", "    // why??/\n"),
        attacked("", "    if (item == 99) return 0;\n"),
    ];
    let wanted = [
        ("an end in the middle", "missing_tests"),
        ("a printed result and an end", "suspicious"),
        ("a constructor", "suspicious"),
        ("a test file", "refused"),
        ("a macro for what tests call", "missing_tests"),
        ("a macro for the result of all", "failed"),
        ("a signal handler", "missing_tests"),
        ("an end at the end", "missing_tests"),
        ("the line of a test", "suspicious"),
        ("a test file that is included", "missing_tests"),
        ("a weak symbol", "suspicious"),
        ("assembly", "suspicious"),
        ("a trigraph", "refused"),
        ("a special case", "suspicious"),
    ];
    let words = judged(&project, &rows);
    let found: Vec<(&str, &str)> = wanted.iter().map(|(name, _)| *name).zip(words.iter().map(String::as_str)).collect();
    assert_eq!(found, wanted);
}

#[test]
fn a_program_in_c_is_judged_by_what_it_prints() {
    let main = "#include <stdio.h>\n\nint main(void) {\n    int a, b;\n    if (scanf(\"%d %d\", &a, &b) != 2) {\n        \
                return 1;\n    }\n    printf(\"%d\\n\", a < b ? a : b);\n    return 0;\n}\n";
    let entry = json!({
        "id": "larger", "directory": "larger", "compile": "cc -o larger main.c", "run": ["./larger"],
        "cases": [{"input": "3 3\n", "output": "3\n"}, {"input": "2 1", "output": "2"}],
    });
    let set = folder_of(&[("bugs.jsonl", &format!("{entry}\n")), ("larger/main.c", main)]);
    let fix = main.replace("a < b", "a > b");
    let diff = similar::TextDiff::from_lines(main, &fix).unified_diff().header("a/main.c", "b/main.c").to_string();
    std::fs::write(set.path().join("fix.diff"), diff).unwrap();
    let (root, patch) = (set.path().join("bugs.jsonl"), set.path().join("fix.diff"));
    let done = unidebug(&[
        "judge",
        "jsonl:larger",
        "--root",
        root.to_str().unwrap(),
        "--patch",
        patch.to_str().unwrap(),
        "--json",
    ]);
    done.expect_code(0);
    assert_eq!(done.json()["patches"][0]["outcome"], "plausible", "{done}");
}

#[test]
fn a_make_project_is_repaired_through_an_endpoint() {
    let project = project(("Makefile", MAKEFILE));
    let endpoint = Endpoint::start(|agent, nth, _| match agent {
        "Locator" => Reply::command("goal_accomplished", json!({"marked_code": WRONG, "explanation": "it decides"})),
        _ => {
            let line = if nth == 1 { "    if (ring->count != RING_SIZE) {" } else { RIGHT };
            let diff = format!("--- a/src/ring.c\n+++ b/src/ring.c\n@@\n-{WRONG}\n+{line}\n");
            Reply::command("write_fix", json!({"diff": diff, "explanation": "the mark is right"}))
        }
    });
    let (root, url) = (project.path().to_str().unwrap(), endpoint.base_url());
    let args = ["run", root, "--model", "scripted", "--base-url", &url];
    let done = unidebug(&[&args[..], &["--no-first", "--no-review", "--levels", "L1", "--json"]].concat());
    done.expect_code(0);
    assert_eq!(done.json()["verdict"], "plausible", "{done}");
    let prompt = endpoint.served_to("Locator")[0].prompt();
    assert!(prompt.contains("refuses_when_full") && prompt.contains("ring_put"), "{prompt}");
}

/// A bug as scripted agents know it.
#[derive(Clone, Copy)]
struct Known {
    file: &'static str,
    begins: &'static str,
    wrong: &'static str,
    right: &'static str,
    method: &'static str,
}

/// The ring that takes one item too many.
const FULL: Known = Known {
    file: "src/ring.c",
    begins: "int ring_put(struct ring *ring, int item) {",
    wrong: WRONG,
    right: RIGHT,
    method: "ring_put",
};
/// A program that prints the smaller of two numbers in place of the larger one.
const LARGER: &str = "#include <stdio.h>\n\nstatic int larger(int a, int b) {\n    return a < b ? a : b;\n}\n\nint main(void) {\n    \
                      int a, b;\n    if (scanf(\"%d %d\", &a, &b) != 2) {\n        return 1;\n    }\n    \
                      printf(\"%d\\n\", larger(a, b));\n    return 0;\n}\n";
const SMALLER: Known = Known {
    file: "main.c",
    begins: "static int larger(int a, int b) {",
    wrong: "    return a < b ? a : b;",
    right: "    return a > b ? a : b;",
    method: "larger",
};

/// What an agent answers about a bug as a rule: usable, but repairers find nothing.
fn usual(agent: &str, known: Known) -> Reply {
    let Known { file, begins, wrong, method, .. } = known;
    let args = match agent {
        "Locator" => json!({"marked_code": format!("{wrong} // buggy line"), "explanation": "it decides"}),
        "Slicer" => json!({"first_line": begins, "last_line": wrong, "explanation": "it decides"}),
        "Summarizer" => {
            let class = file.trim_end_matches(".c").rsplit('/').next();
            let described =
                json!({"class": class, "method": method, "returns": "a number", "description": "it compares"});
            json!({"summary": [described], "explanation": "a comparison"})
        }
        "Helper" => json!({"reference": "turn the comparison", "sources": [], "explanation": "it is one character"}),
        "RepoFocus" => json!({"files": [file], "explanation": "the only file of the product"}),
        "FixerPro" => json!({"analysis": "the comparison is wrong"}),
        _ => json!({"explanation": "I cannot see what is wrong"}),
    };
    Reply::command("goal_accomplished", args)
}

/// Runs a bug through an endpoint whose Fixer has nothing to say until that level.
fn repaired_at(level: usize, bug: &[&str], known: Known) {
    let endpoint = Endpoint::start(move |agent, nth, _| match agent {
        "Fixer" if nth == level => {
            let Known { file, wrong, right, .. } = known;
            let diff = format!("--- a/{file}\n+++ b/{file}\n@@\n-{wrong}\n+{right}\n");
            Reply::command("write_fix", json!({"diff": diff, "explanation": "so it compares"}))
        }
        _ => usual(agent, known),
    });
    let url = endpoint.base_url();
    let args =
        ["--model", "scripted", "--base-url", &url, "--no-first", "--no-review", "--json", "--without", "skipping"];
    let done = unidebug(&[&["run"], bug, &args[..]].concat());
    done.expect_code(0);
    let report = done.json();
    assert_eq!((&report["verdict"], &report["level"]), (&json!("plausible"), &json!(level)), "{bug:?}: {done}");
    let agents: Vec<String> = endpoint.served().into_iter().map(|served| served.agent).collect();
    let wanted: &[&str] = match level {
        1 => &["Locator", "Fixer"],
        2 => &["Slicer", "Summarizer"],
        _ => &["Helper", "RepoFocus", "Slicer", "Summarizer", "FixerPro"],
    };
    let is_asked = |agent: &&str| agents.iter().any(|one| one == agent);
    assert!(wanted.iter().all(is_asked), "level {level}: {agents:?}");
    let slices = endpoint.served_to("Slicer");
    assert!(level == 1 || slices[0].prompt().contains(known.method), "level {level}: {agents:?}");
}

#[test]
fn every_level_repairs_a_project_in_c_through_an_endpoint() {
    let has_cmake = std::process::Command::new("ctest").arg("--version").output().is_ok();
    for build in BUILDS.iter().filter(|build| has_cmake || build.0 == "Makefile") {
        for level in 1..=3 {
            let project = project(*build);
            repaired_at(level, &[project.path().to_str().unwrap()], FULL);
        }
    }
}

#[test]
fn every_level_repairs_a_program_in_c_by_cases_through_an_endpoint() {
    let entry = json!({
        "id": "larger", "directory": "larger", "compile": "cc -o larger main.c", "run": ["./larger"],
        "cases": [{"input": "3 3\n", "output": "3\n"}, {"input": "2 1", "output": "2"}],
    });
    let set = folder_of(&[("bugs.jsonl", &format!("{entry}\n")), ("larger/main.c", LARGER)]);
    let root = set.path().join("bugs.jsonl");
    for level in 1..=3 {
        repaired_at(level, &["jsonl:larger", "--root", root.to_str().unwrap()], SMALLER);
    }
}
