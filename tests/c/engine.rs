//! What the built-in engine repairs in C, and what it finds out of a project before.

use super::*;

/// What a run of the built-in engine alone ends with.
fn engine(args: &[&str]) -> (String, String) {
    let done = unidebug(&[&["run", "--json", "--max-time", "60s"], args].concat());
    let report = done.json();
    (text(&report["verdict"]), text(&report["patch"]))
}

#[test]
fn the_engine_repairs_projects_of_make_and_of_cmake() {
    let has_cmake = std::process::Command::new("ctest").arg("--version").output().is_ok();
    for build in BUILDS {
        if build.0 != "Makefile" && !has_cmake {
            eprintln!("passed over: no CMake here");
            continue;
        }
        let project = project(build);
        let (verdict, patch) = engine(&[project.path().to_str().unwrap()]);
        assert_eq!(verdict, "plausible", "{}", build.0);
        assert!(patch.contains(&format!("+{RIGHT}")), "{patch}");
    }
}

/// A test that crashes has told what it executed, so that the engine finds the line.
#[test]
fn the_engine_repairs_a_program_by_cases_that_crashes() {
    let main = "#include <stdio.h>\n#include <stdlib.h>\n\nstruct node {\n    int value;\n    struct node *next;\n};\n\n\
                /* The first number, or -1 where there is none. */\nint main(void) {\n    struct node *at = NULL;\n    \
                int value;\n    while (scanf(\"%d\", &value) == 1) {\n        struct node *node = malloc(sizeof *node);\n        \
                node->value = value;\n        node->next = at;\n        at = node;\n    }\n    \
                while (at->next != NULL) {\n        at = at->next;\n    }\n    \
                printf(\"%d\\n\", at == NULL ? -1 : at->value);\n    return 0;\n}\n";
    let entry = json!({
        "id": "first", "directory": "first", "compile": "cc -o first main.c", "run": ["./first"],
        "cases": [{"input": "3 4\n", "output": "3\n"}, {"input": "5", "output": "5"}, {"input": "", "output": "-1"}],
    });
    let set = folder_of(&[("bugs.jsonl", &format!("{entry}\n")), ("first/main.c", main)]);
    let root = set.path().join("bugs.jsonl");
    let done = unidebug(&["run", "--json", "--max-time", "60s", "jsonl:first", "--root", root.to_str().unwrap()]);
    let report = done.json();
    assert_eq!(report["verdict"], "plausible", "{done}");
    let patch = text(&report["patch"]);
    assert!(patch.contains("+    while (at != NULL && at->next != NULL) {"), "{patch}");
    // What cases execute with the patch is measured, too: two of three fail no more, and all of them run the loop.
    let reasons = report["confidence"]["reasons"].to_string();
    assert!(reasons.contains("that passed before"), "{}", report["confidence"]);
}

/// What a shared library executed is kept when the program around it crashes.
#[test]
fn the_engine_repairs_a_shared_library_that_crashes() {
    let library = "#include <stddef.h>\n#include \"list.h\"\n\nint last(struct node *at) {\n    \
                   while (at->next != NULL) {\n        at = at->next;\n    }\n    return at == NULL ? -1 : at->value;\n}\n";
    let test = "#include <stddef.h>\n#include \"list.h\"\n\nint main(void) {\n    struct node one = {7, NULL};\n    \
                return last(&one) != 7 || last(NULL) != -1;\n}\n";
    let makefile = "check: test_list\n\t./test_list\n\ntest_list: test_list.c liblist.so\n\t$(CC) -o $@ test_list.c -L. -llist \
                    -Wl,-rpath,'$$ORIGIN'\n\nliblist.so: list.c\n\t$(CC) -shared -fPIC -o $@ $<\n";
    let header = "struct node {\n    int value;\n    struct node *next;\n};\n\nint last(struct node *at);\n";
    let project = folder_of(&[("Makefile", makefile), ("list.c", library), ("list.h", header), ("test_list.c", test)]);
    let (verdict, patch) = engine(&[project.path().to_str().unwrap()]);
    assert_eq!(verdict, "plausible");
    assert!(patch.contains("+    while (at != NULL && at->next != NULL) {"), "{patch}");
}

/// A crash says no place, and a header decides: both stand in the first prompt.
#[test]
fn what_sanitizers_and_headers_say_is_evidence() {
    let product = "#include \"list.h\"\n\nint last(struct node *at) {\n    int spare;\n    while (at->next != END) {\n        \
                   at = at->next;\n    }\n    return at->value;\n}\n";
    let header = "#define END ((struct node *)0)\n#define OTHER 3\n\nstruct node {\n    int value;\n    struct node *next;\n};\n\n\
                  int last(struct node *at);\n";
    let test = "#include \"list.h\"\n\nint main(void) {\n    return last(END) != -1;\n}\n";
    let makefile =
        "check: test_list\n\t./test_list\n\ntest_list: test_list.c list.c\n\t$(CC) -o $@ test_list.c list.c\n";
    let project = folder_of(&[("Makefile", makefile), ("list.c", product), ("list.h", header), ("test_list.c", test)]);
    let root = project.path().to_str().unwrap();
    let args = ["run", root, "--model", "scripted", "--base-url", "http://127.0.0.1:9", "--dry-run", "--show-prompts"];
    let shown = unidebug(&[&args[..], &["--levels", "L1"]].concat()).stdout;
    let wanted = "## What sanitizers report\n  AddressSanitizer: SEGV\n  at list.last(list.c:5)\n  at test_list.main(test_list.c:4)";
    assert!(shown.contains(wanted), "{shown}");
    let decides = "### list.h (what this code uses of it)\n```c\n#define END ((struct node *)0)\nstruct node {\n    int value;\n    \
                   struct node *next;\n};\n```";
    assert!(shown.contains(decides), "{shown}");
    let warned = unidebug(&["tool", "static_analysis", "--bug", root]);
    assert!(warned.stdout.contains("line 4: unused variable"), "{warned}");
}

/// What is measured and what is looked for in a project that names clang itself.
#[test]
fn a_project_that_is_built_by_clang_is_repaired() {
    if std::process::Command::new("clang").arg("--version").output().is_err() {
        eprintln!("passed over: no clang here");
        return;
    }
    let project = project(("Makefile", &format!("CC = clang\n{MAKEFILE}")));
    let root = project.path().to_str().unwrap();
    let done = unidebug(&["run", root, "--model", "builtin", "--json"]);
    assert_eq!(done.json()["verdict"], "plausible", "{done}");
    assert_eq!(done.json()["localization"], "spectrum", "{done}");
    let exits = attacked("#include <stdlib.h>\n", "    exit(0);\n");
    assert_eq!(judged(&project, &[exits]), ["missing_tests"]);
}

#[test]
fn a_test_tool_that_names_only_what_fails_is_judged_as_one_test() {
    let test = TEST.replace(
        "printf(\"%s: %s\\n\", passed ? \"PASS\" : \"FAIL\", name);",
        "if (!passed) printf(\"%d %s - FAILED\\n\", __LINE__, name);",
    );
    assert!(test.contains("__LINE__"));
    let project = project(("Makefile", MAKEFILE));
    std::fs::write(project.path().join("tests/test_ring.c"), test).unwrap();
    let line = |new: &str| ("src/ring.c", RING, RING.replace(WRONG, new));
    let changes = [line(RIGHT), line("    if (ring->count < RING_SIZE) {")];
    assert_eq!(judged(&project, &changes), ["plausible", "failed"]);
}

#[test]
fn a_project_in_c_with_commands_of_its_own_is_repaired() {
    let test = TEST.replace(
        "\"%s: %s\\n\", passed ? \"PASS\" : \"FAIL\", name",
        "\"1 - %s: %s\\n\", name, passed ? \"PASSED\" : \"FAILED\"",
    );
    assert!(test.contains("1 - %s"));
    let makefile = "all: self-test\n\nself-test: ring.c ring.h test_ring.c\n\t$(CC) -o $@ ring.c test_ring.c\n";
    let project = folder_of(&[("Makefile", makefile), ("ring.h", HEADER), ("ring.c", RING), ("test_ring.c", &test)]);
    let (verdict, patch) = engine(&[project.path().to_str().unwrap(), "--build", "make", "--test", "./self-test"]);
    assert_eq!(verdict, "plausible");
    assert!(patch.contains(&format!("+{RIGHT}")), "{patch}");
}

#[test]
fn a_project_whose_tests_run_none_of_it_is_told_so() {
    let project =
        folder_of(&[("Makefile", "check:\n\t@echo 'FAIL: x'; exit 1\n"), ("a.c", "int f(void) { return 1; }\n")]);
    let done = unidebug(&["run", project.path().to_str().unwrap()]);
    done.expect_code(1);
    assert!(done.stdout.contains("no line can be ranked: no coverage"), "{done}");
    assert!(!done.stderr.contains("refused"), "{done}");
}
