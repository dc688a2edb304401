//! `unidebug run --levels`: seven agents on three levels and in refinement, behind real HTTP; the judge is the real one.

mod answers;
mod dialects;
mod refinement;

use crate::support::{Endpoint, Finished, Reply, Served, unidebug};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const BUG: &str = "fixtures:ring-buffer";
const FILE: &str = "src/buffers/RingBuffer.java";

pub fn patch(condition: &str) -> Value {
    json!({
        "diff": format!("--- a/{FILE}\n+++ b/{FILE}\n@@\n     public boolean isFull() {{\n-        return size >= slots.length - 1;\n+        return {condition};\n     }}\n"),
        "analysis": "one slot was kept free; every slot may be used",
    })
}

pub fn good_fix() -> Reply {
    Reply::command("write_fix", patch("size >= slots.length"))
}

pub fn accomplished(args: Value) -> Reply {
    Reply::command("goal_accomplished", args)
}

/// What each agent answers as a rule: usable, but repairers find nothing.
pub fn usual(agent: &str) -> Reply {
    accomplished(match agent {
        "Locator" => {
            json!({"marked_code": "return size >= slots.length - 1; // buggy line", "explanation": "one slot is lost"})
        }
        "Slicer" => {
            json!({"first_line": "    public boolean isFull() {", "last_line": "        return size >= slots.length - 1;", "explanation": "isFull decides"})
        }
        "Summarizer" => {
            json!({"summary": [{"class": "RingBuffer", "method": "isFull", "returns": "whether nothing fits", "description": "true while one slot is free"}], "explanation": "a ring over an array"})
        }
        "Helper" => {
            json!({"reference": "in isFull compare size with slots.length", "sources": ["capacity-one-free"], "explanation": "the count is kept"})
        }
        "RepoFocus" => json!({"files": [FILE], "explanation": "the only file"}),
        "Fixer" => json!({"explanation": "I cannot see what is wrong"}),
        "FixerPro" => json!({"analysis": "no patch was good, because the bound is unclear"}),
        other => panic!("unknown agent `{other}`"),
    })
}

/// An endpoint where all answer as usual but for these: (agent, number of its request, reply).
fn endpoint<const N: usize>(special: [(&'static str, usize, Reply); N]) -> Endpoint {
    let special: BTreeMap<(String, usize), Reply> =
        special.into_iter().map(|(agent, nth, reply)| ((agent.to_owned(), nth), reply)).collect();
    Endpoint::start(move |agent, nth, _| special.get(&(agent.to_owned(), nth)).cloned().unwrap_or_else(|| usual(agent)))
}

/// A run in which all agents of a level are asked, for the file is so short that level 1 shows it in full.
fn run(endpoint: &Endpoint, more: &[&str]) -> Finished {
    run_as_users_do(endpoint, &[&["--without", "skipping"], more].concat())
}

fn run_as_users_do(endpoint: &Endpoint, more: &[&str]) -> Finished {
    let url = endpoint.base_url();
    let mut args = vec!["run", BUG, "--model", "scripted", "--base-url", &url, "--no-first", "--json"];
    args.extend(more);
    unidebug(&args)
}

/// Who asked, in the order in which the requests came.
fn order(endpoint: &Endpoint) -> Vec<String> {
    endpoint.served().into_iter().map(|served| served.agent).collect()
}

fn prompt_of(endpoint: &Endpoint, agent: &str, nth: usize) -> String {
    endpoint.served_to(agent)[nth - 1].prompt()
}

fn repaired_by(done: &Finished, level: Value, agent: &str) {
    done.expect_code(0);
    let report = done.json();
    assert_eq!(report["verdict"], "plausible");
    assert_eq!(report["level"], level, "{done}");
    assert_eq!(report["by"]["agent"], agent);
}

fn overlap(a: &Served, b: &Served) -> bool {
    a.started < b.ended && b.started < a.ended
}

#[test]
fn a_bug_repaired_on_level_1_makes_no_other_request() {
    let endpoint = endpoint([("Fixer", 1, good_fix())]);
    repaired_by(&run(&endpoint, &["--levels", "L1..L3"]), json!(1), "fixer");
    assert_eq!(order(&endpoint), ["Locator", "Fixer"]);
}

#[test]
fn level_2_reads_slice_and_summary_and_its_patch_is_reviewed_once() {
    let slow = |agent: &str| Reply::After(Duration::from_millis(400), Box::new(usual(agent)));
    let endpoint =
        endpoint([("Fixer", 2, good_fix()), ("Slicer", 1, slow("Slicer")), ("Summarizer", 1, slow("Summarizer"))]);
    let done = run(&endpoint, &["--levels", "L1..L3"]);
    repaired_by(&done, json!(2), "fixer");
    assert_eq!(endpoint.served().len(), 7, "{:?}", order(&endpoint));
    assert_eq!(order(&endpoint)[4..], ["Locator", "Fixer", "FixerPro"], "the review is the last request");
    assert!(overlap(&endpoint.served_to("Slicer")[0], &endpoint.served_to("Summarizer")[0]));
    let locator = prompt_of(&endpoint, "Locator", 2);
    for part in ["## Suspicious segment", "isFull decides", "## Summary", "true while one slot is free", "cannot see"] {
        assert!(locator.contains(part), "{part}: {locator}");
    }
    assert!(!locator.contains("## Code"), "the segment stands in place of the code");
    let review = prompt_of(&endpoint, "FixerPro", 1);
    assert!(review.contains("passes all tests: review it") && review.contains("+        return size >= slots.length;"));
    let tools = endpoint.served_to("FixerPro")[0].body["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(tools.contains("write_fix(…)") && !tools.contains("read_range("), "it has one cycle: {tools}");
    assert_eq!(done.json()["by"]["request"], 6, "credit was given before the review");
    assert_eq!(done.json()["analysis"], "no patch was good, because the bound is unclear");
}

#[test]
fn a_review_replaces_the_patch_only_by_a_plausible_one() {
    let better = || Reply::command("write_fix", patch("size == slots.length"));
    let worse = || Reply::command("write_fix", patch("size > slots.length"));
    for (review, wanted) in [(better(), "size == slots.length"), (worse(), "size >= slots.length")] {
        let endpoint = endpoint([("Fixer", 1, good_fix()), ("FixerPro", 1, review)]);
        let done = run(&endpoint, &["--levels", "L2", "--variants", "2"]);
        repaired_by(&done, json!(2), "fixer");
        let patch = done.json()["patch"].as_str().unwrap().to_owned();
        assert!(patch.contains(&format!("+        return {wanted};")), "{patch}");
        assert_eq!(order(&endpoint).last().unwrap(), "FixerPro", "exactly one query follows a plausible patch");
    }
    let endpoint = endpoint([("Fixer", 1, good_fix())]);
    repaired_by(&run(&endpoint, &["--levels", "L2", "--no-review"]), json!(2), "fixer");
    assert!(endpoint.served_to("FixerPro").is_empty());
}

#[test]
fn a_review_that_cannot_be_had_does_not_lose_the_patch() {
    let endpoint = endpoint([("Fixer", 1, good_fix()), ("FixerPro", 1, Reply::status(400, "{\"error\": \"no\"}"))]);
    let done = run(&endpoint, &["--levels", "L2"]);
    repaired_by(&done, json!(2), "fixer");
    assert!(done.stderr.contains("was not reviewed"), "{done}");
}

#[test]
fn fixer_pro_of_level_2_sees_why_patches_failed() {
    let endpoint = endpoint([
        ("Fixer", 1, Reply::command("write_fix", patch("size > slots.length"))),
        ("FixerPro", 1, good_fix()),
    ]);
    let done = run(&endpoint, &["--levels", "L1..L3"]);
    repaired_by(&done, json!(2), "fixer_pro");
    let pro = prompt_of(&endpoint, "FixerPro", 1);
    for part in ["+        return size > slots.length;", "failed: 2 of 2", "I cannot see what is wrong", "## Summary"] {
        assert!(pro.contains(part), "{part}: {pro}");
    }
    assert_eq!(order(&endpoint).last().unwrap(), "FixerPro", "its own patch is not reviewed");
    assert_eq!(done.json()["analysis"], "one slot was kept free; every slot may be used");
}

#[test]
fn level_3_asks_helper_and_repo_focus_at_the_same_time() {
    let slow = |agent: &str| Reply::After(Duration::from_millis(400), Box::new(usual(agent)));
    let endpoint =
        endpoint([("Fixer", 3, good_fix()), ("Helper", 1, slow("Helper")), ("RepoFocus", 1, slow("RepoFocus"))]);
    repaired_by(&run(&endpoint, &["--levels", "L1..L3"]), json!(3), "fixer");
    assert!(overlap(&endpoint.served_to("Helper")[0], &endpoint.served_to("RepoFocus")[0]));
    assert_eq!(endpoint.served_to("Summarizer").len(), 1, "the summary of level 2 is not paid for twice");
    let helper = prompt_of(&endpoint, "Helper", 1);
    assert!(helper.contains("[capacity-one-free]"), "{helper}");
    let focus = prompt_of(&endpoint, "RepoFocus", 1);
    assert!(focus.contains("## Dependencies") && focus.contains(FILE), "{focus}");
    for agent in ["Slicer", "Locator", "Fixer"] {
        let nth = endpoint.served_to(agent).len();
        assert!(prompt_of(&endpoint, agent, nth).contains("in isFull compare size with slots.length"), "{agent}");
    }
}

#[test]
fn each_cascade_of_refinement_repairs() {
    let l3 = 13;
    // The review of the patch is the last request.
    let cascade = |head: &'static [&str]| [&["FixerPro"], head, &["Locator", "Fixer", "FixerPro"]].concat();
    for (agent, nth, requests, last) in [
        ("FixerPro", 3, l3 + 1, vec!["FixerPro"]),
        ("Fixer", 4, l3 + 3, vec!["FixerPro", "Fixer", "FixerPro"]),
        ("Fixer", 5, l3 + 6, cascade(&[])),
        ("Fixer", 6, l3 + 10, cascade(&["Slicer"])),
        ("Fixer", 7, l3 + 15, cascade(&["Summarizer", "Slicer"])),
        ("Fixer", 8, l3 + 20, cascade(&["RepoFocus", "Slicer"])),
        ("Fixer", 9, l3 + 25, cascade(&["Helper", "Slicer"])),
    ] {
        let endpoint = endpoint([(agent, nth, good_fix())]);
        let done = run(&endpoint, &["--levels", "L1..L3"]);
        let name = if agent == "Fixer" { "fixer" } else { "fixer_pro" };
        repaired_by(&done, json!("refine"), name);
        let order = order(&endpoint);
        assert_eq!(order.len(), requests, "{order:?}");
        assert_eq!(order[order.len() - last.len()..], last);
        assert!(prompt_of(&endpoint, agent, nth).contains("because the bound is unclear"), "told what failed and why");
    }
}

#[test]
fn a_further_attempt_starts_with_what_was_learnt() {
    let endpoint = endpoint([("Fixer", 2, good_fix())]);
    let done = run(&endpoint, &["--levels", "L1", "--attempts", "2"]);
    repaired_by(&done, json!(1), "fixer");
    assert_eq!(done.json()["by"]["attempt"], 2);
    assert!(prompt_of(&endpoint, "Locator", 2).contains("I cannot see what is wrong"));
}

#[test]
fn all_levels_are_tried_again_until_a_cap() {
    let endpoint = Endpoint::start(|agent, nth, _| match agent {
        "Fixer" if nth % 2 == 1 => Reply::command("write_fix", patch(&format!("size > slots.length + {nth}"))),
        "Fixer" => accomplished(json!({"explanation": format!("try {nth} did not pass")})),
        _ => usual(agent),
    });
    let done = run(&endpoint, &["--levels", "L1", "--until-cap", "--max-validations", "4"]);
    done.expect_code(5);
    assert_eq!(endpoint.served_to("Locator").len(), 4, "an attempt for each candidate");
    assert!(prompt_of(&endpoint, "Fixer", 7).contains("size > slots.length + 5"), "with what was learnt");
    // Where a cap of a part allows no request, further attempts would change nothing.
    let poor = Endpoint::start(|agent, _, _| usual(agent));
    run(&poor, &["--levels", "L1", "--until-cap", "--cap", "agent.tokens=10"]).expect_code(1);
    assert!(poor.served().is_empty());
    run(&poor, &["--until-cap", "--attempts", "2"]).expect_code(2);
}

#[test]
fn fixer_pro_is_asked_again_for_a_patch_and_at_last_done_without() {
    let prose = |nth: usize| Reply::text(format!("The bound of the ring looks wrong to me ({nth})."));
    let late = endpoint([("FixerPro", 1, prose(1)), ("FixerPro", 2, good_fix())]);
    repaired_by(&run(&late, &["--levels", "L2", "--no-review"]), json!(2), "fixer_pro");
    let again = prompt_of(&late, "FixerPro", 2);
    assert!(again.contains("it holds no command"), "{again}");
    let never = Endpoint::start(move |agent, nth, _| if agent == "FixerPro" { prose(nth) } else { usual(agent) });
    let done = run(&never, &["--levels", "L2", "--no-review"]);
    done.expect_code(1);
    assert_eq!(done.json()["analysis"], "ended early: nothing new in 5 cycles");
    assert_eq!(never.served_to("FixerPro").len(), 5);
}

#[test]
fn every_listed_file_is_summarised_once_and_several_at_the_same_time() {
    let files = ["Ledger", "Money", "FeeSchedule", "Account"];
    let endpoint = Endpoint::start(move |agent, _, body| {
        let prompt = body["messages"].to_string();
        let shown = files.iter().find(|file| prompt.contains(&format!("## Code\\n### src/bank/{file}.java")));
        match agent {
            "RepoFocus" => {
                accomplished(json!({"files": files.map(|f| format!("src/bank/{f}.java")), "explanation": "money"}))
            }
            "Summarizer" => {
                let class = shown.expect("the file is shown");
                let answer = accomplished(
                    json!({"summary": [{"class": class, "description": format!("about {class}")}], "explanation": ""}),
                );
                Reply::After(Duration::from_millis(400), Box::new(answer))
            }
            "Slicer" => accomplished(
                json!({"file_path": "Money.java", "first_line": "    public Money share(int basisPoints) {", "last_line": "}", "explanation": "cents are cut off"}),
            ),
            "Locator" => accomplished(
                json!({"marked_code": "return new Money(Math.multiplyExact(cents, basisPoints) / 10_000); // buggy line"}),
            ),
            other => usual(other),
        }
    });
    let url = endpoint.base_url();
    let done = unidebug(&[
        "run",
        "fixtures:bank-ledger",
        "--model",
        "m",
        "--base-url",
        &url,
        "--no-first",
        "--json",
        "--levels",
        "L2..L3",
    ]);
    done.expect_code(1);
    let summaries = endpoint.served_to("Summarizer");
    assert_eq!(summaries.len(), 8, "one of level 2, three more of level 3, and all once again in refinement");
    assert!(overlap(&summaries[1], &summaries[2]) && overlap(&summaries[2], &summaries[3]));
    let slicer = prompt_of(&endpoint, "Slicer", 2);
    for file in files {
        assert!(slicer.contains(&format!("about {file}")), "Slicer reads all summaries: {slicer}");
    }
    assert!(prompt_of(&endpoint, "Locator", 2).contains("### src/bank/Money.java, lines"));
    assert_eq!(done.json()["analysis"], "no patch was good, because the bound is unclear");
}

#[test]
fn all_seven_agents_work_offline() {
    let done = unidebug(&[
        "run",
        "fixtures:bank-ledger",
        "--model",
        "builtin",
        "--levels",
        "L1..L3",
        "--max-time",
        "40s",
        "--json",
    ]);
    assert!(matches!(done.code, Some(0 | 1)), "{done}");
    for agent in ["locator", "fixer", "slicer", "summarizer", "fixer_pro", "helper", "repo_focus"] {
        assert!(done.stderr.contains(&format!(" {agent}: built-in engine")), "{agent}: {done}");
    }
    assert!(done.stderr.contains("bug-related files") && done.stderr.contains("a reference from"), "{done}");
    assert_eq!(done.json()["usage"]["requests"], 0);
}

#[test]
fn prompts_of_the_agents_of_levels_2_and_3() {
    let endpoint = endpoint([("FixerPro", 2, good_fix())]);
    run(&endpoint, &["--levels", "L1..L3"]).expect_code(0);
    for agent in ["Slicer", "Summarizer", "Helper", "RepoFocus", "FixerPro"] {
        let served = endpoint.served_to(agent);
        let last = served.last().unwrap();
        let part = |n: usize| last.body["messages"][n]["content"].as_str().unwrap().to_owned();
        assert!(part(0).starts_with(&format!("# {agent}\n")));
        let name = agent.to_lowercase();
        insta::assert_snapshot!(format!("{name}-system"), part(0));
        insta::assert_snapshot!(format!("{name}-last"), part(1));
    }
}

#[test]
fn another_model_generates_the_body_of_a_method() {
    let endpoint = Endpoint::start(|agent, nth, _| match (agent, nth) {
        ("Fixer", 1) => Reply::command("generate_method_body", json!({"file_path": FILE, "method_name": "isFull"})),
        ("Fixer", _) => good_fix(),
        ("MethodBody", _) => Reply::text("```java\n    return size == slots.length;\n```"),
        _ => usual(agent),
    });
    let done = run(&endpoint, &["--levels", "L1", "--model", "generate_method_body=coder"]);
    repaired_by(&done, json!(1), "fixer");
    for served in endpoint.served() {
        let wanted = if served.agent == "MethodBody" { "coder" } else { "scripted" };
        assert_eq!(served.body["model"], wanted, "{}", served.agent);
    }
    assert!(prompt_of(&endpoint, "Fixer", 2).contains("return size == slots.length;"));
}

#[test]
fn further_attempts_of_models_that_are_not_sampled_see_the_evidence_in_another_order() {
    let endpoint = Endpoint::start(|agent, _, _| usual(agent));
    let url = endpoint.base_url();
    let attempts = ["run", BUG, "--model", "o3", "--base-url", &url, "--strategy", "lite", "--paper", "--levels", "L1"];
    unidebug(&attempts).expect_code(1);
    let served = endpoint.served_to("Locator");
    assert_eq!(served.len(), 5);
    for (nth, request) in served.iter().enumerate() {
        assert_eq!(request.body["max_completion_tokens"], 32_768);
        assert!(request.body.get("temperature").is_none() && request.body.get("seed").is_none());
        assert!(served[..nth].iter().all(|other| other.prompt() != request.prompt()), "attempt {}", nth + 1);
    }
    let sampled = Endpoint::start(|agent, _, _| usual(agent));
    let more = ["--levels", "L1", "--attempts", "3", "--temperature", "0.3", "--temperature", "fixer=1.2"];
    run(&sampled, &more).expect_code(1);
    for request in sampled.served() {
        let wanted = if request.agent == "Fixer" { 1.2 } else { 0.3 };
        assert_eq!(request.body["temperature"], wanted);
        let seed = if request.nth == 1 { Value::Null } else { json!(request.nth - 1) };
        assert_eq!(request.body["seed"], seed, "the first sample is the model's own");
    }
    let done = run(&sampled, &["--temperature", "locater=1"]);
    done.expect_code(2);
    assert!(done.stderr.contains("`locater` is no level and no agent"), "{done}");
}

#[test]
fn models_differ_by_level_and_agent() {
    let endpoint = endpoint([("Fixer", 2, good_fix())]);
    run(&endpoint, &["--levels", "L1..L2", "--model", "L2=large", "--model", "locator=small", "--no-review"])
        .expect_code(0);
    for served in endpoint.served() {
        let wanted = match (served.agent.as_str(), served.nth) {
            ("Locator", _) => "small",
            ("Fixer", 1) => "scripted",
            _ => "large",
        };
        assert_eq!(served.body["model"], wanted, "{} {}", served.agent, served.nth);
    }
}
