//! Which bugs a batch runs: sets, globs, ranges, filters and samples, typed or in a plan file.

use crate::support::{folder_of, unidebug};
use serde_json::{Value, json};
use std::path::Path;

/// A set of nine bugs of three projects, and a folder for batches.
fn set() -> (tempfile::TempDir, String) {
    let entry = |project: &str, n: u32| json!({"id": format!("{project}-{n}"), "directory": "bug"}).to_string();
    let lines: Vec<String> = ["Lang", "Math", "Time"].iter().flat_map(|p| (1..=3).map(|n| entry(p, n))).collect();
    let folder = folder_of(&[("bug/src/A.java", "class A {}\n"), ("bugs.jsonl", &lines.join("\n"))]);
    let root = folder.path().join("bugs.jsonl").to_str().unwrap().to_owned();
    (folder, root)
}

/// The bugs of the frozen plan.
fn planned(batch: &Path) -> Vec<String> {
    let plan: Value = serde_json::from_slice(&std::fs::read(batch.join("plan.json")).unwrap()).unwrap();
    plan["bugs"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
}

/// What `unidebug bugs` lists under these flags.
fn listed(flags: &[&str]) -> Vec<String> {
    let done = unidebug(&[&["bugs"], flags, &["--json"]].concat());
    let list = done.expect_code(0).json();
    list["bugs"].as_array().unwrap().iter().map(|bug| bug["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_batch_runs_what_bugs_lists_under_the_same_flags() {
    let (folder, root) = set();
    let of_fixtures = ["fixtures", "--kind", "single-line", "--sample", "3", "--seed", "7"];
    let of_set = ["jsonl", "--sample", "4", "--per-project", "1..2", "--seed", "1"];
    let of_projects = ["jsonl", "--project", "Lang", "--project", "time"];
    let cases: [(&[&str], &[&str], usize); 5] = [
        (&of_fixtures, &[], 3),
        (&of_set, &["--root", &root], 4),
        (&of_projects, &["--root", &root], 6),
        (&["jsonl:Math-2..3"], &["--root", &root], 2),
        (&["jsonl:*-1"], &["--root", &root], 3),
    ];
    for (nth, (flags, root, count)) in cases.into_iter().enumerate() {
        let batch = folder.path().join(nth.to_string());
        let out = ["--out", batch.to_str().unwrap(), "--executor", "shards", "--"];
        unidebug(&[&["bench", "run"], flags, &out, root].concat()).expect_code(0);
        let bugs = planned(&batch);
        assert_eq!((&bugs, bugs.len()), (&listed(&[flags, root].concat()), count), "{flags:?}");
    }
}

#[test]
fn a_plan_file_takes_the_same_filters_and_samples() {
    let (folder, root) = set();
    let (file, batch) = (folder.path().join("plan.toml"), folder.path().join("batch"));
    let plan = format!(
        "bugs = [\"jsonl\", \"jsonl:Lang-1..2\"]\nproject = [\"Lang\", \"Math\"]\nsample = 3\nper_project = \"1..2\"\n\
         seed = 5\nrepetitions = 2\n\n[[configuration]]\nname = \"engine\"\nargs = [\"--model\", \"builtin\", \"--root\", \
         {root:?}]\n"
    );
    std::fs::write(&file, &plan).unwrap();
    let words = ["bench", "run", file.to_str().unwrap(), "--out", batch.to_str().unwrap(), "--executor", "shards"];
    unidebug(&words).expect_code(0);
    let flags = ["jsonl", "--project", "Lang", "--project", "Math", "--sample", "3", "--per-project", "1..2"];
    assert_eq!(planned(&batch), listed(&[&flags[..], &["--seed", "5", "--root", &root]].concat()));

    let both = unidebug(&[&words[..], &["--sample", "2"]].concat());
    both.expect_code(2);
    assert!(both.stderr.contains("plan.toml says what is run, and so does the command line"), "{both}");
    for (wrong, wanted) in [
        ("per_project = \"2..1\"", "as `1..2`"),
        ("sample = 0", "nonzero"),
        ("bogs = 1", "bogs"),
        ("seed = 1", "belong to a sample"),
        ("kind = [\"odd\"]", "no bug is left; the list has the projects Lang, Math, Time"),
        ("sample = 10", "9 bugs to draw from"),
    ] {
        let args = format!("[[configuration]]\nname = \"a\"\nargs = [\"--root\", {root:?}]\n");
        std::fs::write(&file, format!("bugs = [\"jsonl\"]\n{wrong}\n{args}")).unwrap();
        let done = unidebug(&["bench", "run", file.to_str().unwrap(), "--out", "never"]);
        done.expect_code(2);
        assert!(done.stderr.contains(wanted) && done.stderr.contains("hint:"), "{wrong}: {done}");
    }
}

#[test]
fn a_bug_that_does_not_exist_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let batch = folder.path().join("batch");
    let done = unidebug(&["bench", "run", "fixtures:roman-numeral", "--out", batch.to_str().unwrap()]);
    done.expect_code(2);
    assert!(done.stderr.contains("roman-numerals") && !batch.exists(), "{done}");
}
