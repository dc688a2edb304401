//! Caps of parts, and the end of an agent that learns nothing, in whole runs.

use crate::support::{Endpoint, Finished, Reply, Unidebug};
use serde_json::json;

fn run(endpoint: &Endpoint, flags: &[&str]) -> Finished {
    let url = endpoint.base_url();
    let args = ["run", "fixtures:ring-buffer", "--model", "m", "--base-url", &url, "--no-first", "--json"];
    Unidebug::new(&[&args[..], flags].concat()).run()
}

/// A model that reads the same tests in other words for ever, and never answers.
fn idler() -> Endpoint {
    Endpoint::start(|_, nth, _| match nth % 2 {
        0 => Reply::command("extract_tests", json!({})),
        _ => Reply::text("let me think about it"),
    })
}

#[test]
fn an_agent_that_learns_nothing_is_ended_early_and_it_is_said() {
    let endpoint = idler();
    let done = run(&endpoint, &["--levels", "L1", "--idle-cycles", "3"]);
    done.expect_code(1);
    assert!(done.stderr.contains("nothing new in 3 cycles"), "{done}");
    // One reading was new; three cycles in a row after it were not.
    let cycles = endpoint.served_to("Locator").len();
    assert!((4..=6).contains(&cycles), "{cycles} cycles");
    assert!(!endpoint.served_to("Fixer").is_empty(), "the next agent goes on");
}

#[test]
fn a_cap_of_an_agent_ends_it_and_not_the_run() {
    let endpoint = idler();
    let done = run(&endpoint, &["--levels", "L1", "--cap", "agent.tokens=14000"]);
    done.expect_code(1);
    let (locator, fixer) = (endpoint.served_to("Locator"), endpoint.served_to("Fixer"));
    assert!(!fixer.is_empty(), "the next agent has a cap of its own: {done}");
    let used: u64 = locator.iter().map(|served| served.tokens.0 + served.tokens.1).sum();
    assert!(used <= 14_000 && locator.len() < 12, "{used} tokens in {} calls", locator.len());
    assert!(done.stderr.contains("a cap was reached"), "{done}");
}

#[test]
fn a_cap_of_a_level_leaves_it_for_the_next_one() {
    let endpoint = idler();
    let done = run(&endpoint, &["--levels", "L1..L2", "--cap", "level.tokens=9000", "--cap", "agent.cycles=2"]);
    done.expect_code(1);
    assert!(!endpoint.served_to("Slicer").is_empty(), "level 2 has a cap of its own: {done}");
    for agent in ["Locator", "Fixer", "Slicer"] {
        assert!(endpoint.served_to(agent).len() <= 6, "{agent}");
    }
}

#[test]
fn a_cap_of_one_call_is_met_before_it_is_sent() {
    let endpoint = idler();
    let done = run(&endpoint, &["--levels", "L1", "--cap", "call.tokens=100"]);
    done.expect_code(1);
    assert!(endpoint.served().is_empty(), "{done}");
}

#[test]
fn candidates_can_be_capped_for_the_bug() {
    let args = ["run", "fixtures:ring-buffer", "--model", "builtin", "--max-validations", "1", "--json"];
    let done = Unidebug::new(&args).run();
    let tried = done.json()["candidates"]["proposed"].as_u64().unwrap();
    assert!(tried <= 2, "{tried} candidates: {done}");
    let wrong = ["run", "fixtures:ring-buffer", "--cap", "agent.tokns=5", "--json"];
    let wrong = Unidebug::new(&wrong).run();
    assert!(wrong.expect_code(2).stderr.contains("did you mean `caps.agent.tokens`"), "{wrong}");
}
