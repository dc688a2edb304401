//! What an installation brings beside the program: manual pages, and a test of the machine.

use crate::support::unidebug;

#[test]
fn every_command_has_a_manual_page() {
    let page = unidebug(&["man"]);
    assert!(page.expect_code(0).stdout.contains(".TH unidebug 1"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man1");
    unidebug(&["man", "--out", out.to_str().unwrap()]).expect_code(0);
    for name in ["unidebug.1", "unidebug-run.1", "unidebug-mcp.1", "unidebug-bench-merge.1"] {
        let text = std::fs::read_to_string(out.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(text.contains(".SH SYNOPSIS"), "{name}");
    }
    assert!(!out.join("unidebug-confine.1").exists() && !out.join("unidebug-help.1").exists());
}

#[test]
fn the_self_test_repairs_a_bug_in_each_language_and_says_what_is_missing() {
    let done = unidebug(&["self-test", "--max-time", "5m", "--json"]);
    let object = done.expect_code(0).json();
    let repaired = |language: &str| {
        let bugs = object["bugs"].as_array().unwrap().iter();
        bugs.filter(|bug| bug["language"] == language).all(|bug| bug["repaired"] == true)
    };
    assert!(repaired("Python") && repaired("Java"), "{done}");
}
