//! The report's page of a batch by the built-in engine, as people see it: on a desk and on a phone, light and dark.
//! `make soak` takes every fixture. `UNIDEBUG_SCREENSHOTS=DIR` keeps pictures.

use crate::report::page_in_a_browser;
use crate::support::{Browser, Unidebug, unidebug};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// Bugs that are judged fast: two that the engine repairs, one in several files, one in another language.
const FEW: [&str; 4] = ["fixtures:roman-numerals", "fixtures:ring-buffer", "fixtures:bank-ledger", "fixtures:playlist"];
/// What the engine may try of them.
const LITTLE: [&str; 2] = ["--max-candidates", "20"];

#[test]
fn the_page_of_a_batch_tells_what_its_json_tells_on_every_screen() {
    let folder = tempfile::tempdir().unwrap();
    let batch = folder.path().join("batch").to_str().unwrap().to_owned();
    let all = std::env::var_os("UNIDEBUG_SOAK").is_some();
    let (bugs, limits): (&[&str], &[&str]) =
        if all { (&["fixtures:*"], &["--max-time", "30s"]) } else { (&FEW, &LITTLE) };
    let out = ["--out", &batch, "--jobs", "2", "--quiet", "--", "--model", "builtin"];
    let words = [&["bench", "run"], bugs, &out, limits].concat();
    eprintln!("{}", Unidebug::new(&words).limit(Duration::from_secs(3600)).run().expect_code(0).stdout);
    let report = |form: &[&str]| unidebug(&[&["report", &batch], form].concat()).expect_code(0).stdout.clone();
    let json: Value = serde_json::from_str(&report(&["--format", "json"])).unwrap();
    page_in_a_browser(&report(&["--html"]), &json, folder.path());
    leads_to_whole_runs(&batch, folder.path(), &json);
    for width in [1280, 390] {
        let Some(mut browser) = Browser::start(width) else { return };
        for scheme in ["light", "dark"] {
            fits(&mut browser, &folder.path().join("page.html"), width, scheme);
        }
    }
}

/// Every trajectory leads to the page of its run, which lies beside the report.
fn leads_to_whole_runs(batch: &str, folder: &Path, json: &Value) {
    let page = folder.join("study.html");
    unidebug(&["report", batch, "--html", "--whole-runs", "--out", page.to_str().unwrap()]).expect_code(0);
    let text = std::fs::read_to_string(&page).unwrap();
    let links: Vec<&str> = text.split("href=\"study.runs").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(links.len(), text.matches("<details class=\"run\"").count());
    let links = links.into_iter().map(|link| link.replace("&#x2f;", "/"));
    for (link, entry) in links.zip(json["runs"].as_array().unwrap()) {
        let run = std::fs::read_to_string(folder.join(format!("study.runs{link}"))).unwrap();
        assert!(run.contains("<h2>Time axis</h2>"), "{link}");
        let listed = run.matches("<li data-verdict=").count();
        assert_eq!(Some(listed as u64), entry["candidates"]["proposed"].as_u64(), "{link}: every candidate is listed");
    }
    assert!(!text.contains("unidebug-oracle"), "the mark of a fixture is no part of a repair");
}

/// Only tables and code are scrolled sideways, the colours are those that were asked for, and text stands out from them.
fn fits(browser: &mut Browser, page: &Path, width: u32, scheme: &str) {
    browser.prefer(scheme);
    browser.open(page);
    let wide = browser.eval("document.documentElement.scrollWidth").as_u64().unwrap();
    assert!(wide <= width.into(), "{wide} of {width} pixels, {scheme}");
    // How bright text and ground are, from 0 to 255.
    let [text, ground] = ["color", "backgroundColor"].map(|property| {
        let parts = format!("getComputedStyle(document.body).{property}.match(/\\d+/g).slice(0, 3).map(Number)");
        let parts = browser.eval(&parts);
        parts.as_array().unwrap().iter().map(|part| part.as_f64().unwrap()).sum::<f64>() / 3.0
    });
    assert!((ground > text) == (scheme == "light") && (ground - text).abs() > 150.0, "{scheme}: {text} on {ground}");
    assert!(browser.complaints().is_empty() && browser.requests().is_empty(), "{:?}", browser.complaints());
    if let Some(pictures) = std::env::var_os("UNIDEBUG_SCREENSHOTS") {
        browser.picture(&Path::new(&pictures).join(format!("report-{width}-{scheme}.png")));
    }
}
