//! What is typed wrong, and what cannot be used: a clear message, a hint, and the exit code of DESIGN.md, section 6.

use crate::support::{Endpoint, Finished, Reply, unidebug};
use std::fs;

/// Runs, and checks code, message and hint, on stderr and in the JSON.
fn refused(args: &[&str], code: i32, says: &[&str]) -> Finished {
    let mut with_json = args.to_vec();
    with_json.push("--json");
    check(unidebug(&with_json), code, says)
}

fn check(done: Finished, code: i32, says: &[&str]) -> Finished {
    done.expect_code(code);
    for part in says {
        assert!(
            done.stderr.contains(part) || done.stdout.contains(part),
            "`{part}` is not said:\n{}\n{}",
            done.stderr,
            done.stdout
        );
    }
    let error = &done.json()["error"];
    assert!(!error["message"].as_str().unwrap().is_empty());
    assert!(!error["hint"].as_str().unwrap().is_empty());
    done
}

#[test]
fn typos_are_answered_with_what_was_meant() {
    refused(&["run", "fixture:ring-buffer"], 2, &["no benchmark `fixture`", "fixtures"]);
    refused(&["run", "fixtures:ring-bufer"], 2, &["ring-bufer", "fixtures:ring-buffer"]);
    refused(&["run", "ring-buffer"], 2, &["fixtures:ring-buffer"]);
    refused(&["run"], 2, &["BUG"]);
    refused(&["rnu", "fixtures:ring-buffer"], 2, &["rnu"]);
    refused(&["run", "fixtures:ring-buffer", "--levels", "L7"], 2, &["`L7` is no level"]);
    refused(&["run", "fixtures:ring-buffer", "--max-time", "soon"], 2, &["`soon` is no time"]);
    refused(&["run", "fixtures:ring-buffer", "--model", "locater=gpt-4o"], 2, &["`locater` is no level and no agent"]);
    refused(&["tool", "raed_range", "--bug", "fixtures:ring-buffer", "--args", "{"], 2, &["--args"]);
    refused(&["tool", "make_coffee", "--bug", "fixtures:ring-buffer"], 2, &["no tool `make_coffee`"]);
}

#[test]
fn roots_that_cannot_be_used_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    refused(&["run", "quixbugs-java:GCD"], 3, &["UNIDEBUG_QUIXBUGS_ROOT"]);
    refused(&["run", "quixbugs-java:GCD", "--root", "/no/such/folder"], 3, &["/no/such/folder"]);
    refused(&["run", "quixbugs-java:GCD", "--root", path], 3, &[path]);
    refused(&["run", path], 3, &[path]);
    refused(&["run", "./no/such/project"], 3, &["no such directory"]);
}

#[test]
fn a_jdk_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    refused(&["run", "fixtures:ring-buffer", "--java-home", path], 3, &[path]);
}

#[test]
fn unreadable_files_stop_before_anything_is_compiled() {
    refused(&["run", "fixtures:ring-buffer", "--requirements", "/no/such/file"], 3, &["/no/such/file"]);
}

/// A project with one class and one test.
fn project(product: &str, test: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("src")).unwrap();
    fs::create_dir_all(folder.path().join("test")).unwrap();
    fs::write(folder.path().join("src/Sum.java"), product).unwrap();
    fs::write(folder.path().join("test/SumTest.java"), test).unwrap();
    folder
}

const TEST: &str = "import static org.junit.Assert.*;\nimport org.junit.Test;\npublic class SumTest {\n  @Test public void adds() { assertEquals(5, Sum.of(2, 3)); }\n}\n";

#[test]
fn a_project_with_nothing_to_repair_says_so() {
    let folder = project("public class Sum { static int of(int a, int b) { return a + b; } }\n", TEST);
    refused(&["run", folder.path().to_str().unwrap()], 3, &["nothing to repair", "1 pass"]);
}

#[test]
fn a_project_that_does_not_compile_shows_the_first_complaint() {
    let folder = project("public class Sum { static int of(int a, int b) { return a + c; } }\n", TEST);
    refused(&["run", folder.path().to_str().unwrap()], 3, &["does not compile", "Sum.java"]);
    let folder = project("public class Sum { com.shop.Money sum; }\n", TEST);
    let words = ["package com.shop does not exist", "`class_path` in .unidebug.toml"];
    refused(&["run", folder.path().to_str().unwrap()], 3, &words);
}

#[test]
fn a_triggering_test_that_does_not_exist_is_named() {
    let folder = project("public class Sum { static int of(int a, int b) { return a - b; } }\n", TEST);
    let path = folder.path().to_str().unwrap();
    refused(&["run", path, "--failing", "SumTest#subtracts"], 3, &["SumTest#subtracts"]);
}

#[test]
fn a_named_model_needs_a_key_and_an_endpoint_that_answers() {
    let bug = "fixtures:ring-buffer";
    refused(&["run", bug, "--model", "gpt-4o"], 4, &["no key", "OPENAI_API_KEY"]);
    refused(&["run", bug, "--model", "m", "--base-url", "http://127.0.0.1:9/v1"], 4, &["127.0.0.1:9"]);
    let known = Endpoint::listing(&["good-model"], |_, _, _| Reply::text("?"));
    refused(&["run", bug, "--model", "god-model", "--base-url", &known.base_url()], 4, &["god-model", "good-model"]);
}

#[test]
fn a_malformed_profile_or_prompt_is_named_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    fs::write(folder.path().join("fixer.toml"), "name = \"fixer\"\nlevel = one\n").unwrap();
    refused(&["run", "fixtures:ring-buffer", "--agents", path], 3, &["fixer.toml", "line 2"]);
    let prompts = tempfile::tempdir().unwrap();
    fs::write(prompts.path().join("fixer.md"), "# Fixer\n{% if %}").unwrap();
    refused(&["run", "fixtures:ring-buffer", "--prompts", prompts.path().to_str().unwrap()], 3, &["fixer.md"]);
}
