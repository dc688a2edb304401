//! Plausible patches of the built-in engine are compared without being asked for.

use crate::support::{folder_of, unidebug};
use serde_json::Value;

/// Two suffixes go with a name at most; no test has more of them.
const NAMES: &str = "def stem(name):\n    parts = name.split('.')\n    kept = []\n    for i, part in \
                     enumerate(reversed(parts[1:])):\n        if part.isdigit() or i > 0 or len(part) > 5:\n            \
                     break\n        kept.append(part)\n    return '.'.join(parts[: len(parts) - len(kept)])\n";
const TESTS: &str = "from names import stem\n\n\ndef test_two():\n    assert stem('a.tar.gz') == 'a'\n\n\ndef test_one():\n    assert \
                     stem('a.gz') == 'a'\n\n\ndef test_digit():\n    assert stem('a.7') == 'a.7'\n\n\ndef \
                     test_long():\n    assert stem('a.longest') == 'a.longest'\n";

/// The report of a run without any word about choosing.
fn report(tests: &str) -> Value {
    let folder = folder_of(&[("p/names.py", NAMES), ("p/test_names.py", tests)]);
    let project = folder.path().join("p");
    let words = ["run", project.to_str().unwrap(), "--model", "builtin", "--max-time", "5m", "--json"];
    unidebug(&words).expect_code(0).json()
}

#[test]
fn a_choice_that_tests_leave_open_is_told_and_lowers_the_word() {
    let report = report(TESTS);
    let groups = report["choice"]["groups"].as_array().unwrap();
    assert!(groups.len() > 1, "{report:#}");
    let changed: Vec<u64> = groups.iter().map(|group| group["changed"].as_u64().unwrap()).collect();
    assert!(changed.is_sorted(), "{report:#}");
    assert!(report["patch"].as_str().unwrap().contains("i > 1 or"), "{report:#}");
    assert_eq!(report["confidence"]["word"], "medium", "{report:#}");
    let reason = report["confidence"]["reasons"][0].as_str().unwrap();
    assert!(reason.contains("the same tests and behave"), "{reason}");
    assert!(reason.contains(": stem(name='"), "{reason}");
}

#[test]
fn tests_that_leave_nothing_open_leave_the_word_high() {
    let report = report(&format!("{TESTS}\n\ndef test_three():\n    assert stem('a.b.c.d') == 'a.b'\n"));
    assert!(report["patch"].as_str().unwrap().contains("i > 1 or"), "{report:#}");
    assert_eq!(report["confidence"]["word"], "high", "{report:#}");
}
