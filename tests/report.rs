//! `unidebug report`: runs side by side, in every form, with the same figures.

use crate::support::{Browser, Unidebug, unidebug};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;

/// Three real runs: a bug that the engine repairs, by two strategies, and one for which it may try too little.
fn three_runs(folder: &Path) -> String {
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let run = |bug, name: &str, more: &[&str]| {
        let out = at(&format!("runs/{name}"));
        unidebug(&[&["run", bug, "--model", "builtin", "--quiet", "--out", &out][..], more].concat())
    };
    run("fixtures:roman-numerals", "repaired", &[]).expect_code(0);
    run("fixtures:roman-numerals", "directly", &["--strategy", "direct"]).expect_code(0);
    run("fixtures:bank-ledger", "not", &["--max-candidates", "1"]).expect_code(1);
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
    let runs = three_runs(folder.path());

    let json: Value = serde_json::from_str(&form(&runs, &["--format", "json"])).unwrap();
    assert_eq!((json["schema"].as_u64(), json["all"]["runs"].as_u64()), (Some(2), Some(3)));
    assert_eq!((json["all"]["plausible"].as_u64(), json["all"]["same_tree"].as_u64()), (Some(2), Some(2)));
    let candidates: u64 =
        json["runs"].as_array().unwrap().iter().map(|run| run["candidates"]["proposed"].as_u64().unwrap()).sum();
    let by_outcome: u64 = json["outcomes"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(candidates, by_outcome, "every candidate has one outcome");
    let gain = &json["gains"][0];
    assert_eq!((&gain["model"], &gain["pair"]["both"]), (&"builtin".into(), &1.into()), "two strategies, one bug");

    let text = form(&runs, &[]);
    assert!(text.contains("ESCALATION") && text.contains("fixtures:roman-numerals"), "{text}");
    let markdown = form(&runs, &["--format", "md"]);
    assert!(markdown.contains("| builtin, direct | plausible | 1 | 100.0 | 20.7 to 100.0 |"), "{markdown}");
    let row = "| fixtures:roman-numerals | L1 direct: correct | not run | L1 fixer: correct |";
    assert!(markdown.contains(row), "{markdown}");
    let csv = form(&runs, &["--format", "csv"]);
    assert_eq!(csv.lines().count(), 4, "a head and a row for each run: {csv}");

    let tables = folder.path().join("tables");
    form(&runs, &["--format", "csv", "--out", tables.to_str().unwrap()]);
    let table = |name: &str| fs::read_to_string(tables.join(name)).unwrap();
    assert!(table("escalation.csv").contains("\nL1,3,2,66.7,2,0,1,"), "{}", table("escalation.csv"));
    let row = "\n\"builtin, direct\",single line,1,1,1,100.0,";
    assert!(table("location-types.csv").contains(row), "{}", table("location-types.csv"));
    assert!(table("settings.csv").contains("\nmax candidates,60,1,60\n"), "{}", table("settings.csv"));
    let conditions = table("conditions.csv");
    for known in ["\ndate,20", "unidebug run BUG --model builtin --strategy direct", "\nJDK,", "\nhost,", "\nCPU,"] {
        assert!(conditions.contains(known), "{known}: {conditions}");
    }
    let one = form(&runs, &["--format", "md", "--configuration", "builtin, max candidates 1"]);
    assert!(one.contains("| no repair | 1 | 100.0 |"), "{one}");
    unidebug(&["report", &runs, "--configuration", "other"]).expect_code(2);
    assert_eq!(table("repairs-by-time.csv").lines().count(), 3, "the points of the chart");
    assert!(!tables.join("repairs-by-cost.csv").exists(), "no model was asked, so nothing was paid");
    form(&runs, &["--format", "latex", "--out", tables.to_str().unwrap()]);
    assert!(
        table("summary.tex").contains(" & plausible & 1 & 100.0 & 20.7 to 100.0 \\\\\n"),
        "{}",
        table("summary.tex")
    );
    form(&runs, &["--format", "svg", "--out", tables.to_str().unwrap()]);
    let figure = table("repairs-by-time.svg");
    assert!(figure.starts_with("<svg xmlns=") && !figure.contains("var(") && figure.contains("seconds of wall time"));
    unidebug(&["report", &runs, "--format", "svg"]).expect_code(2);
    pdf_has_its_fonts(&runs, &tables);

    page_in_a_browser(&form(&runs, &["--html"]), &json, folder.path());
}

#[test]
fn published_lists_stand_beside_the_runs() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let out = out.to_str().unwrap();
    unidebug(&["run", "fixtures:roman-numerals", "--model", "builtin", "--quiet", "--out", out]).expect_code(0);
    let list = folder.path().join("paper.txt");
    fs::write(&list, "# repaired by others\nroman-numerals, correct\nLang-1\n").unwrap();
    let text = form(out, &["--published", &format!("paper={}", list.display())]);
    assert!(text.contains("all 2") && text.contains("OVERLAP OF CORRECTLY REPAIRED BUGS"), "{text}");
    let done = unidebug(&["report", out, "--published", "paper=/nowhere"]);
    done.expect_code(3);
    assert!(done.stderr.contains("the list of paper cannot be read"), "{done}");
    unidebug(&["report", out, "--published", "paper"]).expect_code(2);
    let other = unidebug(&["report", out, "--published", "repairagent"]);
    assert!(other.expect_code(2).stderr.contains("is of bugs of Defects4J, and none of these runs is"), "{other}");
}

fn pdf_has_its_fonts(runs: &str, folder: &Path) {
    let done = unidebug(&["report", runs, "--format", "pdf", "--out", folder.to_str().unwrap()]);
    if !cfg!(feature = "pdf") {
        assert!(done.expect_code(2).stderr.contains("this build writes no PDF"), "{done}");
        return;
    }
    if done.code == Some(3) && done.stderr.contains("no font is installed here") {
        eprintln!("passed over: no font here");
        return;
    }
    done.expect_code(0);
    let figure = fs::read(folder.join("repairs-by-time.pdf")).unwrap();
    let holds = |word: &[u8]| figure.windows(word.len()).any(|part| part == word);
    assert!(figure.starts_with(b"%PDF-") && holds(b"/FontFile"), "{} bytes without a font", figure.len());
}

/// The page as a browser without network builds it: the figures are those of the JSON, nothing is complained about,
/// nothing is asked for, and it is there at once.
pub fn page_in_a_browser(page: &str, json: &Value, folder: &Path) {
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "the page needs something from outside: {outside}");
    }
    let file = folder.join("page.html");
    fs::write(&file, page).unwrap();
    let Some(mut browser) = Browser::start(1280) else {
        eprintln!("passed over: no Chromium here, so the page was only read as text");
        return;
    };
    browser.open(&file);
    for (id, figure) in [("plausible", "plausible"), ("correct", "correct"), ("review", "needs_review")] {
        let shown = browser.eval(&format!("document.getElementById('{id}').textContent"));
        assert_eq!(shown.as_str().unwrap(), json["all"][figure].to_string(), "{id}");
    }
    let levels = "[...document.querySelectorAll('[data-name=escalation] tbody tr')].map(row => \
                 [...row.cells].slice(1, 7).map(cell => cell.textContent))";
    for (row, counts) in browser.eval(levels).as_array().unwrap().iter().zip(json["escalation"].as_array().unwrap()) {
        for (at, figure) in [(0, "entered"), (1, "repaired"), (3, "correct"), (4, "escalated"), (5, "failed")] {
            assert_eq!(row[at].as_str().unwrap(), counts[figure].to_string(), "{figure}");
        }
    }
    let seconds = "[...document.querySelectorAll('[data-name=runs] tbody tr')].map(row => row.cells[11].textContent)";
    for (shown, run) in browser.eval(seconds).as_array().unwrap().iter().zip(json["runs"].as_array().unwrap()) {
        let wall = run["seconds"]["wall"].as_f64().unwrap();
        assert_eq!(shown.as_str().unwrap(), format!("{wall:.1}"));
    }
    chooses_rows(&mut browser);
    stand_side_by_side(&mut browser);
    sorts_from_the_keyboard(&mut browser);
    opens_from_the_keyboard(&mut browser);
    assert!(browser.complaints().is_empty(), "{:?}", browser.complaints());
    assert!(browser.requests().is_empty(), "{:?}", browser.requests());
    let paint = "new Promise(done => new PerformanceObserver(list => list.getEntries()\
                 .filter(entry => entry.name === 'first-contentful-paint').forEach(entry => done(entry.startTime)))\
                 .observe({type: 'paint', buffered: true}))";
    let painted = (0..3).map(|_| {
        browser.open(&file);
        browser.eval(paint).as_f64().unwrap()
    });
    let soonest = painted.fold(f64::MAX, f64::min);
    assert!(soonest < 1000.0, "the first paint came after {soonest} ms");
}

/// Tab leads to the headings of every table, arrows to every one of them, and Enter sorts by it, up and down.
fn sorts_from_the_keyboard(browser: &mut Browser) {
    let headings = browser.eval("document.querySelectorAll('th button').length").as_u64().unwrap();
    assert!(headings > 60, "only {headings} headings");
    let here = "(() => { const head = document.activeElement.closest('th'); if (!head) return null; \
                const rows = [...head.closest('table').tBodies[0].rows]; \
                const keys = rows.map(row => row.cells[head.cellIndex].dataset.sort).filter(key => key !== undefined); \
                return {order: head.getAttribute('aria-sort'), keys: keys.map(Number), last: !head.nextElementSibling}; })()";
    let (mut sorted, mut stops, mut next) = (0, 0, "Tab");
    for _ in 0..headings + 200 {
        browser.press(next);
        stops += u64::from(next == "Tab");
        if browser.eval(here).is_null() {
            continue;
        }
        for order in ["ascending", "descending"] {
            browser.press("Enter");
            let found = browser.eval(here);
            assert_eq!(found["order"], order);
            let keys: Vec<f64> = found["keys"].as_array().unwrap().iter().map(|key| key.as_f64().unwrap()).collect();
            let up = order == "ascending";
            assert!(keys.is_sorted_by(|a, b| if up { a <= b } else { a >= b }), "{order}: {keys:?}");
        }
        sorted += 1;
        if sorted == headings {
            assert!(2 * stops < headings, "{stops} stops for {headings} headings");
            return;
        }
        next = if browser.eval(here)["last"] == true { "Tab" } else { "ArrowRight" };
    }
    panic!("Tab came to {sorted} of {headings} headings");
}

/// Trajectories are chosen by their words, and two of them stand beside each other.
fn stand_side_by_side(browser: &mut Browser) {
    let chosen = "(() => { const type = (field, text) => { field.value = text; \
                  field.dispatchEvent(new Event('input', {bubbles: true})); }; \
                  const runs = [...document.querySelectorAll('#trajectories > details.run')]; \
                  const words = [...document.querySelectorAll('#trajectories select[data-word]')].map(select => { \
                  const word = select.options[1].value; type(select, word); \
                  const right = runs.every(run => run.hidden === (run.dataset[select.dataset.word] !== word)); \
                  type(select, ''); return right && runs.every(run => !run.hidden); }); \
                  const sides = [...document.querySelectorAll('form.pair select')]; \
                  sides.forEach((side, at) => type(side, `run-${at + 1}`)); \
                  const pair = [...document.querySelectorAll('#pair section')]; \
                  const bugs = pair.map(side => side.querySelector('h3 b').textContent); \
                  const tops = pair.map(side => side.getBoundingClientRect().top); \
                  sides.forEach(side => type(side, '')); \
                  return {words, bugs, level: tops[0] === tops[1], runs: runs.map(run => run.querySelector('b').textContent), \
                  left: document.querySelector('#pair').children.length}; })()";
    let state = browser.eval("document.querySelectorAll('#trajectories > details.run').length > 1");
    if state == false {
        return;
    }
    let state = browser.eval(chosen);
    assert!(state["words"].as_array().unwrap().iter().all(|right| *right == true), "{state}");
    let runs = state["runs"].as_array().unwrap();
    assert_eq!(state["bugs"].as_array().unwrap()[..], runs[..2], "{state}");
    assert!(state["level"] == true && state["left"] == 0, "{state}");
}

/// Text and words of a column leave only the rows of the table that have them.
fn chooses_rows(browser: &mut Browser) {
    let chosen = "(() => { const form = document.querySelector('form.choose'); if (!form) return null; \
                  const rows = () => [...document.querySelectorAll(form.dataset.rows)]\
                  .filter(row => !row.hidden); \
                  const type = (field, text) => { field.value = text; \
                  field.dispatchEvent(new Event('input', {bubbles: true})); }; \
                  const all = rows().length, search = form.querySelector('input'); \
                  type(search, rows()[0].textContent.slice(0, 9)); const some = rows().length; \
                  type(search, 'nowhere at all'); const none = rows().length, told = form.querySelector('output').textContent; \
                  type(search, ''); return {all, some, none, told, again: rows().length}; })()";
    let state = browser.eval(chosen);
    if state.is_null() {
        return; // No table is long.
    }
    let n = |what: &str| state[what].as_u64().unwrap();
    assert!((1..=n("all")).contains(&n("some")) && n("none") == 0 && n("again") == n("all"), "{state}");
    assert_eq!(state["told"].as_str().unwrap(), format!("0 of {} rows", n("all")));
}

/// The link of a row opens its trajectory, with the patch beside the developer's.
fn opens_from_the_keyboard(browser: &mut Browser) {
    browser.eval("[...document.querySelectorAll('[data-name=runs] a')].find(a => /roman/.test(a.textContent)).focus()");
    browser.press("Enter");
    let shown = browser.eval(
        "new Promise(done => setTimeout(() => done([...document.querySelectorAll('details[open] .beside h3')]\
         .map(head => head.textContent)), 200))",
    );
    assert_eq!(shown, serde_json::json!(["Patch", "The developer's"]));
}

#[test]
fn a_person_says_which_patches_are_correct() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let runs = out.to_str().unwrap();
    // Right, and in other words than the developer's.
    unidebug(&["run", "fixtures:ring-buffer", "--model", "builtin", "--quiet", "--out", runs]).expect_code(0);
    let counted = |figure: &str| {
        let json: Value = serde_json::from_str(&form(runs, &["--format", "json"])).unwrap();
        json["all"][figure].as_u64().unwrap()
    };
    assert_eq!((counted("plausible"), counted("correct"), counted("needs_review")), (1, 0, 1));

    let review = |answers: &str| {
        let command = ["report", runs, "--review", "--sample", "5", "--seed", "1", "--reviewer", "Ada"];
        let mut child = Unidebug::new(&command).with_input().start(folder.path());
        child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    let skipped = review("what?\ns\n");
    assert!(skipped.contains("found") && skipped.contains("│ developer") && skipped.contains("0 reviewed, 1 left"));
    assert!(review("y\n\n").contains("0 reviewed, 1 left"), "no reason, no verdict");
    assert!(review("n\nI misread it\n").contains("1 reviewed, 0 left"));
    assert_eq!((counted("reviewed_wrong"), counted("needs_review")), (1, 0));
    assert!(review("y\nno\n").contains("0 reviewed, 0 left"), "nothing waits any more");

    let text = fs::read_to_string(out.join("reviews.jsonl")).unwrap();
    let review: Value = serde_json::from_str(text.trim()).unwrap();
    assert_eq!(
        (&review["by"], &review["reason"], &review["correct"]),
        (&"Ada".into(), &"I misread it".into(), &false.into())
    );
    let corrected = text.replace("false", "true").replace("I misread it", "the same border");
    fs::write(out.join("reviews.jsonl"), format!("{text}{corrected}")).unwrap();
    assert_eq!(
        (counted("reviewed_correct"), counted("correct"), counted("reviewed_wrong")),
        (1, 1, 0),
        "the last counts"
    );
    let markdown = form(runs, &["--format", "md"]);
    assert!(markdown.contains("| correct of those reviewed | 1 | 1 | 100.0 |"), "{markdown}");
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
