//! Answers as models write them: fenced, bare, broken, cut.

use super::*;

/// Agents whose answer is no patch, with an answer in FixAgent's bare form.
fn bare(agent: &str) -> String {
    match agent {
        "Helper" => "As in capacity-one-free: compare the count with the number of slots.".into(),
        "RepoFocus" => format!("1. `{FILE}` decides whether the buffer is full."),
        "Summarizer" => "- `isFull()`: says whether no further element fits\n- `offer(T)`: appends if there is room".into(),
        "Slicer" => "```java\n    public boolean isFull() {\n        return size >= slots.length - 1;\n    }\n```\nThis decides.".into(),
        "Locator" => "```java\nreturn size >= slots.length - 1; // buggy line\n```".into(),
        _ => format!("```diff\n{}```", patch("size >= slots.length")["diff"].as_str().unwrap()),
    }
}

const READERS: [&str; 5] = ["Helper", "RepoFocus", "Summarizer", "Slicer", "Locator"];

#[test]
fn fenced_and_bare_answers_of_every_agent_are_understood() {
    let fenced = Endpoint::start(|agent, _, _| match if agent == "Fixer" { good_fix() } else { usual(agent) } {
        Reply::Text(json) => Reply::text(format!("This is my answer.\n```json\n{json}\n```\n")),
        other => other,
    });
    let bare = Endpoint::start(|agent, _, _| Reply::text(bare(agent)));
    for endpoint in [fenced, bare] {
        repaired_by(&run(&endpoint, &["--levels", "L3", "--no-review"]), json!(3), "fixer");
        assert_eq!(endpoint.served().len(), 6, "nobody is asked twice: {:?}", order(&endpoint));
        let fixer = prompt_of(&endpoint, "Fixer", 1);
        assert!(fixer.contains("// buggy line") && fixer.contains("capacity-one-free"), "{fixer}");
    }
}

/// An answer that breaks the agent's contract, and what it is told.
fn broken(agent: &str) -> (Value, &'static str) {
    match agent {
        "Helper" => (json!({"reference": "", "sources": ["the net"]}), "`reference` is missing"),
        "RepoFocus" => (json!({"files": ["test/buffers/RingBufferTest.java"]}), "is a test"),
        "Summarizer" => (json!({"summary": [{"method": "grow", "description": "grows"}]}), "has no method grow"),
        "Slicer" => (json!({"first_line": "int isEmptyish;", "last_line": "}"}), "does not stand in"),
        _ => (json!({"marked_code": "int x = y; // buggy line"}), "does not stand in"),
    }
}

#[test]
fn unusable_answers_are_sampled_again_with_the_reason() {
    let endpoint = Endpoint::start(|agent, nth, _| match (agent, nth) {
        ("Fixer", _) => good_fix(),
        (_, 1) => accomplished(broken(agent).0),
        _ => usual(agent),
    });
    repaired_by(&run(&endpoint, &["--levels", "L3", "--no-review"]), json!(3), "fixer");
    for agent in READERS {
        assert_eq!(endpoint.served_to(agent).len(), 2, "{agent}");
        let again = prompt_of(&endpoint, agent, 2);
        assert!(again.contains(broken(agent).1), "{agent}: {again}");
    }
}

#[test]
fn a_reference_stays_when_nothing_that_was_found_fits() {
    for (sources, from, how) in [
        (json!([]), "(nothing that was found fits: from general knowledge)", "a reference of its own"),
        (
            json!(["the net", "capacity-one-free"]),
            "(from: capacity-one-free)",
            "a reference from capacity-one-free; dropped the citation of the net, which was never found",
        ),
    ] {
        let endpoint = Endpoint::start(move |agent, _, _| match agent {
            "Fixer" => good_fix(),
            "Helper" => accomplished(json!({"reference": "compare with the length", "sources": sources})),
            _ => usual(agent),
        });
        let done = run(&endpoint, &["--levels", "L3", "--no-review"]);
        repaired_by(&done, json!(3), "fixer");
        assert_eq!(endpoint.served_to("Helper").len(), 1, "it is not asked again");
        assert!(done.stderr.contains(how), "{done}");
        let fixer = prompt_of(&endpoint, "Fixer", 1);
        assert!(fixer.contains("compare with the length") && fixer.contains(from), "{fixer}");
    }
}

#[test]
fn after_three_unusable_answers_the_chain_goes_on_without() {
    let endpoint = Endpoint::start(|agent, nth, _| match agent {
        "Fixer" => good_fix(),
        // Exactly the same command would be refused as a repetition.
        _ => {
            let mut args = broken(agent).0;
            args["explanation"] = json!(format!("try {nth}"));
            accomplished(args)
        }
    });
    repaired_by(&run(&endpoint, &["--levels", "L3", "--no-review"]), json!(3), "fixer");
    for agent in READERS {
        assert_eq!(endpoint.served_to(agent).len(), 3, "{agent}");
    }
    let fixer = prompt_of(&endpoint, "Fixer", 1);
    assert!(fixer.contains("## Code") && !fixer.contains("## Summary"), "unmarked, unsliced, unsummarised: {fixer}");
}

/// An answer that was cut: all its tokens went into thinking.
fn only_thoughts(tokens: u64) -> Reply {
    Reply::Json(json!({
        "choices": [{"finish_reason": "length", "message": {"role": "assistant", "content": ""}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": tokens},
    }))
}

#[test]
fn an_answer_that_was_cut_while_thinking_is_asked_for_again_with_more_room() {
    let endpoint = Endpoint::start(|agent, _, body| match body["max_tokens"].as_u64() {
        Some(limit) if limit < 6000 => only_thoughts(limit),
        _ if agent == "Fixer" => good_fix(),
        _ => usual(agent),
    });
    let done = run(&endpoint, &["--levels", "L1"]);
    repaired_by(&done, json!(1), "fixer");
    let limits: Vec<Value> = endpoint.served().iter().map(|served| served.body["max_tokens"].clone()).collect();
    assert_eq!(limits, [4096, 16384, 4096, 16384]);
    let prompts: Vec<String> = endpoint.served_to("Fixer").iter().map(Served::prompt).collect();
    assert_eq!(prompts[0], prompts[1], "the same question, in the same cycle");
    // An endpoint that has no more room: the agent is told that it was cut, and goes on.
    let short = Endpoint::start(|agent, nth, body| match body["max_tokens"].as_u64() {
        Some(limit) if limit > 6000 => {
            Reply::status(400, r#"{"error": {"message": "max_tokens is too large: at most 4096"}}"#)
        }
        _ if nth == 1 => only_thoughts(4096),
        _ if agent == "Fixer" => good_fix(),
        _ => usual(agent),
    });
    repaired_by(&run(&short, &["--levels", "L1"]), json!(1), "fixer");
    let capped = Endpoint::start(|agent, _, _| if agent == "Fixer" { good_fix() } else { usual(agent) });
    repaired_by(&run(&capped, &["--levels", "L1", "--max-answer", "900"]), json!(1), "fixer");
    assert!(capped.served().iter().all(|served| served.body["max_tokens"] == 900));
}

#[test]
fn a_patch_of_a_method_that_was_not_shown_is_tried_once_its_code_was_seen() {
    const METHOD: &str = "InsufficientFundsException(String,Money)";
    let unseen = json!({"methods": [{
        "file_path": "src/bank/InsufficientFundsException.java", "method": METHOD,
        "code": "    InsufficientFundsException(String owner, Money amount) {\n        super(owner + \" lacks \" + amount);\n    }",
    }], "explanation": "the message"});
    let endpoint = Endpoint::start(move |agent, nth, _| match (agent, nth) {
        ("Fixer", 1 | 2) => Reply::command("write_fix", unseen.clone()),
        ("Fixer", _) => accomplished(json!({"explanation": "the message was not it"})),
        _ => accomplished(
            json!({"marked_code": "    public Money fee(Money amount) { // buggy line", "explanation": "x"}),
        ),
    });
    let url = endpoint.base_url();
    let more = ["--model", "scripted", "--base-url", &url, "--no-first", "--levels", "L1"];
    unidebug(&[&["run", "fixtures:bank-ledger"], &more[..]].concat()).expect_code(1);
    let second = prompt_of(&endpoint, "Fixer", 2);
    assert!(
        second.contains("whose body you were not shown. Here it is") && second.contains(" does not have "),
        "{second}"
    );
    let third = prompt_of(&endpoint, "Fixer", 3);
    assert!(third.contains("triggering tests still fail"), "the same patch is tried then: {third}");
}
