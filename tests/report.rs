//! `unidebug report`: runs side by side, in every form, with the same figures.

use crate::support::unidebug;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// Two real runs: one bug that the engine repairs, and one for which it may try too little.
fn two_runs(folder: &Path) -> String {
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (repaired, not) = (at("runs/repaired"), at("runs/not"));
    let run = |bug, out, more: &[&str]| {
        unidebug(&[&["run", bug, "--model", "builtin", "--quiet", "--out", out][..], more].concat())
    };
    run("fixtures:roman-numerals", &repaired, &[]).expect_code(0);
    run("fixtures:bank-ledger", &not, &["--max-candidates", "1"]).expect_code(1);
    at("runs")
}

fn form(runs: &str, more: &[&str]) -> String {
    let done = unidebug(&[&["report", runs][..], more].concat());
    done.expect_code(0);
    done.stdout.clone()
}

#[test]
fn every_form_tells_the_same_figures() {
    let folder = tempfile::tempdir().unwrap();
    let runs = two_runs(folder.path());

    let json: Value = serde_json::from_str(&form(&runs, &["--format", "json"])).unwrap();
    assert_eq!((json["schema"].as_u64(), json["all"]["runs"].as_u64()), (Some(1), Some(2)));
    assert_eq!((json["all"]["plausible"].as_u64(), json["all"]["correct"].as_u64()), (Some(1), Some(1)));
    let candidates: u64 =
        json["runs"].as_array().unwrap().iter().map(|run| run["validations"]["candidates"].as_u64().unwrap()).sum();
    let by_outcome: u64 = json["outcomes"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(candidates, by_outcome, "every candidate has one outcome");

    let text = form(&runs, &[]);
    assert!(text.contains("ESCALATION") && text.contains("fixtures:roman-numerals"), "{text}");
    let markdown = form(&runs, &["--format", "md"]);
    assert!(markdown.contains("| plausible | 1 | 50.0 |"), "{markdown}");
    let csv = form(&runs, &["--format", "csv"]);
    assert_eq!(csv.lines().count(), 3, "a head and a row for each run: {csv}");

    let tables = folder.path().join("tables");
    form(&runs, &["--format", "csv", "--out", tables.to_str().unwrap()]);
    let escalation = std::fs::read_to_string(tables.join("escalation.csv")).unwrap();
    assert!(escalation.contains("\nL1,2,1,50.0,1,"), "{escalation}");

    page_in_a_browser(&form(&runs, &["--html"]), &json, folder.path());
}

/// The page as a browser without network builds it: the figures are those of the JSON, and nothing is complained about.
fn page_in_a_browser(page: &str, json: &Value, folder: &Path) {
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "the page needs something from outside: {outside}");
    }
    let file = folder.join("page.html");
    std::fs::write(&file, page).unwrap();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let browser = names.iter().find(|name| Command::new(name).arg("--version").stdout(Stdio::null()).status().is_ok());
    let Some(browser) = browser else {
        eprintln!("passed over: no Chromium here, so the page was only read as text");
        return;
    };
    let done = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("browser").display()))
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&done.stdout);
    for (id, figure) in [("plausible", "plausible"), ("correct", "correct"), ("review", "needs_review")] {
        let shown = format!("<dd id=\"{id}\">{}</dd>", json["all"][figure]);
        assert!(dom.contains(&shown), "{shown} is not in the page");
    }
    let console = String::from_utf8_lossy(&done.stderr);
    let complaints: Vec<&str> = console.lines().filter(|line| line.contains(":CONSOLE")).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn a_folder_without_runs_is_refused_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let done = unidebug(&["report", folder.path().to_str().unwrap()]);
    done.expect_code(3);
    assert!(done.stderr.contains("no run was found in") && done.stderr.contains("hint:"), "{done}");
}

#[test]
fn a_damaged_journal_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("run.journal"), "00000000 {}\nmore\n").unwrap();
    let done = unidebug(&["report", folder.path().to_str().unwrap()]);
    done.expect_code(3);
    assert!(done.stderr.contains("run.journal") && done.stderr.contains("hint:"), "{done}");
}
