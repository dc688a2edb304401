//! `codeflaws` and `condefects-*` by their published layouts, over ten problems of our own in three languages.

mod problems;

use crate::support::{Endpoint, Finished, Reply, repair, sample, unidebug};
use camino::Utf8Path;
use problems::{codeflaws, codeflaws_ids, condefects, condefects_ids};
use serde_json::json;
use unidebug::benchmark::{Settings, find, parse_bug};
use unidebug::domain::HeldOut;
use unidebug::sandbox::{Choice, Sandbox};
use unidebug::validate::{Options, open};

/// Numbers that only the last held-out input has.
const HELD_OUT: [i64; 4] = [7654321, -7654321, 7654320, 7654319];

/// What the judge says of the accepted program, and of it on what is held out.
async fn accepted(bug: &str, root: &Utf8Path) -> (String, Option<HeldOut>) {
    let temp = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(temp.path()).unwrap().canonicalize_utf8().unwrap();
    let (into, work) = (base.join("bug"), base.join("work"));
    [&into, &work].into_iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let settings = Settings { root: Some(root.to_owned()), sandbox: Some(sandbox.clone()), ..Settings::default() };
    let id = parse_bug(bug).unwrap();
    let checkout = find(&id.benchmark, &settings).unwrap().checkout(&id, &into).await.unwrap();
    assert_eq!(into.read_dir_utf8().unwrap().count(), 1, "agents see the buggy program alone");
    let validator = open(&checkout, &sandbox, Options::new(work)).await.unwrap();
    let patch = repair(&checkout);
    let validation = validator.judge().confirm(&patch).await.unwrap();
    (validation.outcome.to_string(), validator.probe().held_out(&patch).await.unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accepted_programs_of_contests_are_plausible() {
    let (flaws, defects) = (codeflaws(&HELD_OUT), condefects());
    let root = |folder: &tempfile::TempDir| Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    for bug in sample(codeflaws_ids(), 3) {
        let wanted = Some(HeldOut { tests: 9, passed: 9 });
        assert_eq!(accepted(&bug, &root(&flaws)).await, ("plausible".into(), wanted), "{bug}");
    }
    for bug in sample([condefects_ids("java"), condefects_ids("python")].concat(), 3) {
        assert_eq!(accepted(&bug, &root(&defects)).await, ("plausible".into(), None), "{bug}");
    }
}

/// The endpoint's Fixer hands over this line in place of the wrong one.
fn run_with(root: &tempfile::TempDir, wrong: &'static str, line: &'static str) -> (Finished, Endpoint) {
    let endpoint = Endpoint::start(move |agent, _, _| match agent {
        "Locator" => Reply::command("goal_accomplished", json!({"marked_code": wrong, "explanation": "it decides"})),
        _ => {
            let diff = format!("--- a/100-A-1000.c\n+++ b/100-A-1000.c\n@@\n-{wrong}\n+{line}\n");
            Reply::command("write_fix", json!({"diff": diff, "explanation": "so it is asked"}))
        }
    });
    let (bug, url) = (&codeflaws_ids()[0], endpoint.base_url());
    let args = ["run", bug, "--root", root.path().to_str().unwrap(), "--model", "scripted", "--base-url", &url];
    (unidebug(&[&args[..], &["--no-first", "--no-review", "--levels", "L1"]].concat()), endpoint)
}

#[test]
fn held_out_tests_tell_who_repaired_for_the_tests_alone() {
    let root = codeflaws(&HELD_OUT);
    let wrong = "        if (a[i] < 0) {";
    let (right, endpoint) = run_with(&root, wrong, "        if (0 < a[i]) {");
    right.expect_code(0);
    assert!(right.stdout.contains("correct on all 9 held-out tests"), "{right}");
    let prompts: String = endpoint.served().iter().map(|request| request.prompt()).collect();
    assert!(prompts.contains("cases#neg1") && !prompts.contains("7654321"), "no agent sees what is held out");
    let (narrow, _) = run_with(&root, wrong, "        if (a[i] > 0 && a[i] < 1000) {");
    narrow.expect_code(0);
    assert!(narrow.stdout.contains("wrong on 1 of 9 held-out tests"), "{narrow}");
    let run = narrow.stdout.lines().find_map(|line| line.strip_prefix("run:     ")).unwrap();
    let again = unidebug(&["resume", run, "--json"]);
    assert_eq!(again.json()["held_out"], json!({"tests": 9, "passed": 8}), "{again}");
    let report = unidebug(&["report", run]);
    assert!(report.stdout.contains("wrong on held-out tests"), "{report}");
}

#[test]
fn the_engine_repairs_programs_of_contests() {
    let root = codeflaws(&HELD_OUT);
    let done = unidebug(&["run", &codeflaws_ids()[4], "--root", root.path().to_str().unwrap(), "--json"]);
    done.expect_code(0);
    assert_eq!(done.json()["correct"], true, "{done}");
}

#[test]
fn bugs_of_contests_are_listed_and_what_is_missing_is_named() {
    let (flaws, defects) = (codeflaws(&HELD_OUT), condefects());
    let list = |set: &str, root: &str, more: &[&str]| unidebug(&[&["bugs", set, "--root", root], more].concat());
    let listed = list("codeflaws", flaws.path().to_str().unwrap(), &[]);
    assert_eq!(listed.stdout.matches("-A-bug-").count(), 10, "{listed}");
    let defects_root = defects.path().to_str().unwrap();
    let since = list("condefects-java", defects_root, &["--since", "2023-09-01"]);
    assert!(since.stdout.contains("abc108_a-3008") && !since.stdout.contains("abc107_a"), "{since}");
    assert!(since.stdout.contains("difficulty 800"), "{since}");
    let near = unidebug(&["run", "condefects-python:abc108_a-3009", "--root", defects_root]);
    near.expect_code(2);
    assert!(near.stderr.contains("nearest: condefects-python:abc108_a-3008"), "{near}");
    std::fs::remove_dir_all(defects.path().join("Test")).unwrap();
    let untested = list("condefects-java", defects_root, &[]);
    untested.expect_code(3);
    assert!(untested.stderr.contains("no folder `Test`") && untested.stderr.contains("Test.zip"), "{untested}");
    let other = list("codeflaws", defects_root, &[]);
    assert!(other.stderr.contains("71-A-bug-18359456-18359477"), "{other}");
    let nowhere = unidebug(&["bugs", "condefects-python"]);
    assert!(nowhere.stderr.contains("UNIDEBUG_CONDEFECTS_ROOT"), "{nowhere}");
}
