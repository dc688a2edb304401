//! Figures over runs that are written event by event.

use super::{Cell, Published, RunFacts, Study};
use crate::domain::{Cost, Event, Level, Outcome, PolicyKind, Scope, Usage};
use serde_json::{Value, json};

fn scope(level: Level, agent: &str) -> Scope {
    Scope { attempt: 1, level, agent: agent.into(), cycle: 1, focus: None, visit: 1 }
}

fn started(level: Level, agent: &str) -> Event {
    Event::AgentStarted { scope: scope(level, agent), policy: PolicyKind::Llm, shown: Vec::new() }
}

fn paid(level: Level, agent: &str, cost: f64) -> Event {
    let usage = Usage {
        requests: 1,
        prompt_tokens: 100,
        completion_tokens: 10,
        cost_usd: Cost(Some(cost)),
        ..Usage::default()
    };
    Event::Received { scope: scope(level, agent), key: "k".into(), response: Value::Null, usage, seconds: 1.0 }
}

fn used(level: Level, agent: &str, tool: &str, ok: bool) -> Event {
    Event::Observed {
        scope: scope(level, agent),
        state: "try".into(),
        tool: tool.into(),
        args: Value::Null,
        ok,
        observation: "seen".into(),
        change: None,
        shown: Vec::new(),
        seconds: 2.0,
    }
}

fn judged(level: Level, outcome: Outcome) -> Event {
    let text = String::new;
    Event::Validated {
        scope: scope(level, "fixer"),
        outcome,
        diff: text(),
        detail: text(),
        origin: text(),
        diagnostics: Vec::new(),
        failing: Vec::new(),
        fixed: 0,
        still_failing: Vec::new(),
        seconds: 0.5,
    }
}

fn finished(bug: &str, level: Option<Level>, correct: Option<bool>, cost: f64) -> Event {
    let by = level.map(|_| json!({"agent": "fixer", "policy": "llm", "attempt": 1, "request": 2, "cost_usd": cost}));
    let verdict = if level.is_some() { "plausible" } else { "unrepaired" };
    let usage =
        json!({"requests": 2, "prompt_tokens": 200, "cached_tokens": 0, "completion_tokens": 20, "cost_usd": cost});
    Event::Finished {
        report: json!({
            "schema": 1, "bug": bug, "verdict": verdict, "level": level, "by": by, "patch": level.map(|_| "+a\n"),
            "files": [], "correct": correct, "localization": "spectrum", "model": {"name": "m", "endpoint": null},
            "validations": {"candidates": 1, "compiled": 1, "plausible": 0}, "usage": usage,
            "seconds": {"wall": 10.0, "model": 2.0, "tests": 1.0}, "analysis": null, "run_dir": "r",
        }),
    }
}

fn run(bug: &str, strategy: &str, events: &[Event]) -> RunFacts {
    let config = json!({"bug": bug, "settings": {"model": ["m"], "strategy": strategy}, "plan": {}});
    RunFacts::of("r".into(), &config, events)
}

/// One bug repaired on L1, one on L2, one nowhere; the first also by the model alone.
fn study() -> Study {
    let easy = |strategy| {
        let events = [
            started(Level::L1, "fixer"),
            paid(Level::L1, "fixer", 0.1),
            judged(Level::L1, Outcome::PassedWarm),
            judged(Level::L1, Outcome::Plausible),
            used(Level::L1, "fixer", "write_fix", true),
            finished("d:A-1", Some(Level::L1), Some(true), 0.1),
        ];
        run("d:A-1", strategy, &events)
    };
    let hard = [
        started(Level::L1, "fixer"),
        paid(Level::L1, "fixer", 0.1),
        used(Level::L1, "fixer", "write_fix", false),
        started(Level::L2, "fixer"),
        paid(Level::L2, "fixer", 0.3),
        judged(Level::L2, Outcome::Plausible),
        used(Level::L2, "fixer", "write_fix", true),
        finished("d:A-2", Some(Level::L2), None, 0.4),
    ];
    let lost = [
        started(Level::L1, "fixer"),
        used(Level::L1, "fixer", "", false),
        started(Level::L2, "fixer"),
        paid(Level::L2, "fixer", 0.2),
        finished("d:A-3", None, None, 0.2),
    ];
    let runs = vec![
        run("d:A-3", "unified", &lost),
        easy("unified"),
        easy("direct"),
        run("d:A-2", "unified", &hard),
        run("d:A-2", "direct", &[started(Level::L1, "fixer"), finished("d:A-2", None, None, 0.1)]),
    ];
    Study::of(runs, vec![Published::parse("paper", "A-9\nA-2 plausible\n")])
}

fn cells(study: &Study, table: &str, row: usize) -> Vec<String> {
    let tables = study.tables();
    let found = tables.iter().find(|found| found.name == table).unwrap();
    found.rows[row].iter().map(Cell::shown).collect()
}

#[test]
fn every_level_tells_what_entered_and_escalated_and_what_one_more_repair_costs() {
    let study = study();
    let row_of = |row: usize| cells(&study, "escalation", row);
    assert_eq!(row_of(0)[..7], ["L1", "5", "2", "40.0", "2", "2", "1"]);
    assert_eq!(row_of(1)[..7], ["L2", "2", "1", "50.0", "0", "0", "1"]);
    assert_eq!(row_of(1)[9..11], ["0.5000", "0.5000"], "what both runs paid there, for the one repair");
}

#[test]
fn agents_tell_what_was_refused_and_asked_again() {
    let study = study();
    assert_eq!(cells(&study, "agents", 0)[..7], ["m", "fixer", "5", "4", "4", "1", "2"]);
    assert_eq!(cells(&study, "places", 1)[..3], ["L2 fixer", "2", "1"]);
    let all = cells(&study, "tool-use", 0);
    assert_eq!(
        all[..7],
        ["m", "all runs", "3", "1.0", "0.7", "3", "66.7"],
        "two of three calls brought a plausible patch"
    );
}

#[test]
fn strategies_stand_side_by_side_with_a_test() {
    let study = study();
    assert_eq!(cells(&study, "pairs", 0)[..7], ["m", "m, direct", "2", "1", "1", "0", "50.0"]);
    assert_eq!(cells(&study, "pairs", 0)[8], "1.0000");
    assert_eq!(cells(&study, "gains", 0)[..6], ["m", "m", "2", "1", "2", "1"]);
    assert_eq!(cells(&study, "by-bug", 1), ["d:A-2", "L2 fixer: needs review", "no repair"]);
    assert_eq!(cells(&study, "by-bug", 2), ["d:A-3", "no repair", "not run"]);
}

#[test]
fn twins_stand_beside_their_originals() {
    let run_of = |bug: &str, level| {
        run(bug, "unified", &[started(Level::L1, "fixer"), finished(bug, level, level.map(|_| true), 0.1)])
    };
    let mut runs: Vec<RunFacts> = (0..10).map(|nth| run_of(&format!("d:A-{nth}"), Some(Level::L1))).collect();
    runs.extend((0..10).map(|nth| run_of(&format!("twin:d:A-{nth}"), (nth < 6).then_some(Level::L1))));
    runs.push(run_of("twin:d:B-1", Some(Level::L1)));
    let study = Study::of(runs, Vec::new());
    // (4+1)/12 and (0+1)/12: 0.3333 ± 1.96 · sqrt((0.5 - 0.1111) / 12).
    let row = ["m", "plausible", "10", "10", "6", "4", "0", "40.0", "-2.0 to 68.6", "0.1250"];
    assert_eq!(cells(&study, "twins", 0), row);
    assert_eq!(cells(&study, "twins", 1)[1], "correct");
}

#[test]
fn sets_overlap_with_what_others_published() {
    let overlap = study().overlap;
    let found: Vec<(String, String)> =
        overlap.regions.iter().map(|region| (region.by.join(" + "), region.bugs.join(" "))).collect();
    let wanted = [("m + m, direct", "d:A-1"), ("m + paper", "d:A-2")];
    assert_eq!(found, wanted.map(|(by, bugs)| (by.to_owned(), bugs.to_owned())));
    let correct = study().overlap_of_correct;
    assert_eq!(correct.sets.iter().map(|set| set.bugs.len()).collect::<Vec<_>>(), [1, 1, 0], "A-2 waits for a review");
}

#[test]
fn the_page_holds_every_chart() {
    let page = super::html(&study(), "a < b", &[]).unwrap();
    for title in ["From level to level", "Repairs against cost", "Time, tokens and money", "Tool calls", "Overlap"] {
        assert!(page.contains(&format!("<h3>{title}")), "{title}");
    }
    assert!(page.contains("<title>a &lt; b</title>") && page.contains("US dollars, the cheapest repair first"));
    // A line whose class has no style is filled black.
    let paths = page.split("<path").skip(1).filter_map(|path| path.split("class=\"").nth(1)?.split('"').next());
    let classes: Vec<&str> = paths.flat_map(|class| class.split(' ')).collect();
    assert!(classes.contains(&"sums"), "{classes:?}");
    assert!(classes.iter().all(|class| super::page::FIGURE.contains(&format!("svg .{class} {{"))), "{classes:?}");
}

/// A study of one more configuration: three runs each of two bugs, the first repaired twice, the second once.
fn repeated() -> Study {
    let one = |bug: &str, nth: u32, level: Option<Level>| {
        let config = json!({"bug": bug, "name": "thrice", "settings": {"model": ["m"]}, "plan": {}});
        let events = [started(Level::L1, "fixer"), paid(Level::L1, "fixer", 0.1), finished(bug, level, None, 0.1)];
        RunFacts::of(format!("b/{bug}/{nth}").as_str().into(), &config, &events)
    };
    let hit = Some(Level::L1);
    let runs = [("d:A-1", [hit, None, hit]), ("d:A-2", [None, None, hit])];
    let runs = runs.iter().flat_map(|(bug, ends)| (1..).zip(ends).map(|(nth, end)| one(bug, nth, *end)));
    Study::of(runs.collect(), Vec::new())
}

#[test]
fn repetitions_are_told_by_bug_by_k_and_by_round() {
    let study = repeated();
    assert_eq!(cells(&study, "summary", 0)[..3], ["plausible", "3", "50.0"], "one configuration needs no name");
    let at_k = |row: usize| cells(&study, "at-k", row)[..4].join(" ");
    assert_eq!([at_k(0), at_k(1), at_k(2)], ["thrice 1 2 50.0", "thrice 2 2 83.3", "thrice 3 2 100.0"]);
    assert_eq!(cells(&study, "rounds", 0), ["thrice", "plausible", "3", "2", "1.00", "1.00", "0", "2"]);
}

#[test]
fn every_configuration_has_its_own_figures() {
    let study = study();
    assert_eq!(cells(&study, "summary", 0)[..4], ["m", "plausible", "2", "66.7"]);
    assert_eq!(cells(&study, "summary", 7)[..4], ["m, direct", "plausible", "1", "50.0"]);
    let tables = study.tables();
    let table = |name: &str| tables.iter().find(|table| table.name == name).unwrap();
    let column = table("configurations").columns.iter().position(|title| title == "USD per correct repair").unwrap();
    assert_eq!(cells(&study, "configurations", 0)[column], "0.7000", "all that was paid, for the one correct repair");
    assert!(table("escalation").note.starts_with("All 2 configurations together"), "what is pooled says so");
    let unit_of = |name: &str| table(name).rows.iter().map(|row| row[3].shown()).collect::<Vec<_>>();
    assert_eq!(
        (unit_of("repairs-by-cost"), unit_of("repairs-by-time")),
        (vec!["USD".into(); 3], vec!["s".to_owned(); 3])
    );
}

/// The same study with the developers' repairs: A-1 in a line, A-2 in several.
fn with_repairs() -> Study {
    let head = "--- a/A.java\n+++ b/A.java\n@@ -1 +1 @@\n";
    let mut runs = study().runs;
    for run in &mut runs {
        let diff = if run.bug.name == "A-1" { "-a < b\n+a <= b\n" } else { "-a\n-b\n+c\n" };
        let diff = format!("{head}{diff}");
        run.location_type = super::LocationType::of(&diff);
        run.developer_size = Some(super::PatchSize::of(&diff));
        run.setting.agents = vec!["locator".into(), "fixer".into()];
        run.setting.levels = vec![1, 2];
    }
    Study::of(runs, vec![Published::parse("paper", "A-9\nA-1\nA-2 plausible\n"), Published::parse("other", "A-3")])
}

#[test]
fn the_papers_tables_are_filled_from_own_runs() {
    let study = with_repairs();
    let columns = |name: &str| {
        let tables = study.tables();
        tables.iter().find(|table| table.name == name).unwrap().columns.join(" | ")
    };
    assert_eq!(
        columns("projects-beside"),
        "project | bugs | m: plausible | m: correct | m, direct: plausible | m, direct: correct | paper: plausible | \
         paper: correct | other: correct"
    );
    assert_eq!(cells(&study, "projects-beside", 0), ["A", "3", "2", "1", "1", "1", "2", "1", "1"]);
    assert_eq!(cells(&study, "location-types-beside", 0)[..4], ["several lines", "2", "1", "0"]);
    assert_eq!(cells(&study, "location-types-beside", 2), ["all", "3", "2", "1", "1", "1", "2", "1", "1"]);
    let variant = cells(&study, "variants", 0);
    assert_eq!(
        (&variant[..4], &variant[6..]),
        (&["m", "3", "2", "1"].map(str::to_owned)[..], &["1", "0", "0"].map(str::to_owned)[..])
    );
    assert_eq!(cells(&study, "benchmarks", 0), ["d", "m", "3", "0.7", "1", "2", "100.0"]);
    assert_eq!(cells(&study, "benchmarks", 2)[..6], ["d", "paper", "3", "", "1", "2"]);
    assert_eq!(cells(&study, "benchmarks", 3)[4..6], ["1", "unknown"], "a list that tells of no plausible repairs");
    let parts = cells(&study, "parts", 0);
    assert_eq!(parts[..9], ["m", "no", "no", "no", "no", "yes", "yes", "no", "2"]);
    assert_eq!(parts[9..], ["1", "0.2333", "L2"]);
    assert_eq!(cells(&study, "interactions", 0), ["m", "no", "yes", "yes", "yes", "2", "1"]);
    assert_eq!(cells(&study, "patch-sizes", 0), ["m: plausible", "2", "1.0", "0.0", "1.0", "1.0", "1.5", "2.0"]);
    assert_eq!(cells(&study, "patch-sizes", 4), ["all bugs that were run", "3", "", "", "", "1.0", "1.7", "2.3"]);
    assert_eq!(cells(&study, "pairs-of-correct", 0)[..7], ["m", "m, direct", "2", "1", "0", "0", "0.0"]);
    let tools = cells(&study, "tools", 0);
    assert_eq!(tools[..4], ["m", "write_fix", "1", "1.00"], "Figure 10, by configuration");
    assert!(columns("distributions").starts_with("configuration | per run"), "Figure 9, by configuration");
}
