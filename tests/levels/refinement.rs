//! Who is asked again, with what it answered before, and who is not asked because nothing is left to find.

use super::*;

#[test]
fn who_has_nothing_left_to_find_is_not_asked() {
    let endpoint = Endpoint::start(move |agent, nth, _| match (agent, nth) {
        // A buffer of one slot takes a second element then.
        ("Fixer", 1) => Reply::command("write_fix", patch("size >= slots.length && slots.length > 1")),
        ("Helper", _) => accomplished(json!({"reference": "look at the bound", "sources": [], "explanation": "mine"})),
        _ => usual(agent),
    });
    let done = run_as_users_do(&endpoint, &["--levels", "L1..L3"]);
    done.expect_code(1);
    for (agent, why) in [
        ("summarizer", "level 1 shows src/buffers/RingBuffer.java in full"),
        ("repo_focus", "the product has one file"),
        ("helper", "nothing that can be found fits"),
        ("slicer", "with one of the patches the triggering tests pass, so the place is known"),
    ] {
        let notice = format!("{agent} is not asked on ");
        assert!(done.stderr.lines().any(|line| line.contains(&notice) && line.contains(why)), "{agent}: {done}");
    }
    let count = |agent: &str| endpoint.served_to(agent).len();
    assert_eq!((count("Summarizer"), count("RepoFocus"), count("Helper"), count("Slicer")), (0, 0, 1, 2));
    // FixerPro, Fixer and Locator are asked again in refinement; the other cascades would repeat the third.
    assert_eq!(
        order(&endpoint)[endpoint.served().len() - 6..],
        ["FixerPro", "Fixer", "FixerPro", "Locator", "Fixer", "FixerPro"]
    );
}

/// Slicer names a place in each of two files, and is shown both when it is asked again.
#[test]
fn slicer_cuts_segments_out_of_several_files() {
    let cut = |file: &str, first: &str, last: &str| json!({"file_path": file, "first_line": first, "last_line": last});
    let segments = json!([
        cut("Money.java", "    public Money share(int basisPoints) {", "    }"),
        cut("src/bank/Ledger.java", "    public void transfer(String from, String to, Money amount) {", "    }"),
    ]);
    let endpoint = Endpoint::start(move |agent, _, _| match agent {
        "Slicer" => accomplished(json!({"segments": segments, "explanation": "money is cut, then moved"})),
        "Locator" => accomplished(json!({"marked_code": [
            {"file_path": "Money.java", "code": "return new Money(Math.multiplyExact(cents, basisPoints) / 10_000); // buggy line"},
            {"file_path": "Ledger.java", "code": "sender.withdraw(amount); // buggy line"},
        ]})),
        "Summarizer" => accomplished(json!({"summary": [{"class": "Ledger", "description": "moves money"}]})),
        "RepoFocus" => accomplished(json!({"files": ["Ledger.java", "Money.java"], "explanation": "both"})),
        other => usual(other),
    });
    let url = endpoint.base_url();
    let run = ["run", "fixtures:bank-ledger", "--model", "m", "--base-url", &url, "--no-first", "--levels", "L2..L3"];
    unidebug(&run).expect_code(1);
    let locator = prompt_of(&endpoint, "Locator", 1);
    for part in ["### src/bank/Ledger.java, lines 46 to ", "### src/bank/Money.java, lines 32 to ", "cut, then moved"] {
        assert!(locator.contains(part), "{part}: {locator}");
    }
    let again = prompt_of(&endpoint, "Slicer", 2);
    let earlier = again.split("## Your earlier answer").nth(1).expect("it is shown what it answered");
    assert!(earlier.contains("### src/bank/Ledger.java, lines") && earlier.contains("### src/bank/Money.java, lines"));
    let broken = json!({"segments": [cut("Money.java", "    int nothing;", "    }")]});
    let endpoint = Endpoint::start(move |agent, nth, _| match (agent, nth) {
        ("Slicer", 1) => accomplished(broken.clone()),
        ("Slicer", _) => accomplished(cut("Money.java", "    public Money share(int basisPoints) {", "    }")),
        ("Summarizer", _) => accomplished(json!({"summary": [{"class": "Ledger", "description": "moves money"}]})),
        ("Locator", _) => accomplished(json!({"explanation": "no idea"})),
        (other, _) => usual(other),
    });
    let url = endpoint.base_url();
    let run = ["run", "fixtures:bank-ledger", "--model", "m", "--base-url", &url, "--no-first", "--levels", "L2"];
    unidebug(&run).expect_code(1);
    assert!(prompt_of(&endpoint, "Slicer", 2).contains("`int nothing;`, does not stand in src/bank/Money.java"));
}

/// FixAgent by its paper: every attempt begins anew and is sampled, and refinement asks all seven in reversed order, each
/// with what it answered before.
#[test]
fn fixagent_by_the_paper_refines_what_all_seven_answered() {
    let endpoint = Endpoint::start(|agent, nth, body| match agent {
        "Fixer" | "FixerPro" => {
            // As a model does: at temperature 0 always the same, else by chance, here of a fixed seed.
            let drawn = if body["temperature"] == 0.0 { 0 } else { nth * 7919 % 1009 + agent.len() };
            Reply::command("write_fix", patch(&format!("size > slots.length + {drawn}")))
        }
        other => usual(other),
    });
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("run").to_str().unwrap().to_owned();
    let url = endpoint.base_url();
    let args = ["run", BUG, "--model", "m", "--base-url", &url, "--strategy", "fixagent", "--paper", "--attempts", "2"];
    unidebug(&[&args[..], &["--out", &out]].concat()).expect_code(1);
    let order = order(&endpoint);
    let (first, second) = order.split_at(order.len() / 2);
    assert_eq!(first[13..], second[13..], "every attempt is a whole climb");
    // Of each cascade the agent that begins it; FixerPro ends it.
    let heads: Vec<&str> =
        first[13..].split_inclusive(|agent| agent == "FixerPro").map(|cascade| cascade[0].as_str()).collect();
    assert_eq!(heads, ["FixerPro", "Fixer", "Locator", "Slicer", "Summarizer", "RepoFocus", "Helper"]);
    for agent in ["Locator", "Slicer", "Summarizer", "RepoFocus", "Helper"] {
        let served = endpoint.served_to(agent);
        let (before, after) = served.split_at(served.len() / 2);
        assert!(before.last().unwrap().prompt().contains("## Your earlier answer"), "{agent} refines");
        assert!(!after[0].prompt().contains("## Your earlier answer"), "{agent} answers anew in the next attempt");
    }
    for agent in ["Fixer", "FixerPro"] {
        let served = endpoint.served_to(agent);
        let last = served[served.len() / 2 - 1].prompt();
        assert!(last.contains("Your patch:\n") || last.contains("- yours: - return "), "{agent}: {last}");
    }
    let requests: std::collections::BTreeSet<String> = endpoint.served().iter().map(|of| of.body.to_string()).collect();
    assert_eq!(requests.len(), order.len(), "no request repeats another");
    let again = unidebug(&["replay", &out, "--json"]);
    assert_eq!(again.json()["identical"], true, "{again}");
}

/// Repairers that always give the same wrong patch and the same reason, on all levels and in refinement.
fn stubborn(agent: &str, nth: usize) -> Reply {
    match agent {
        "Fixer" | "FixerPro" if nth % 2 == 1 => Reply::command("write_fix", patch("size > slots.length")),
        "Fixer" | "FixerPro" => accomplished(json!({"explanation": "the bound is unclear to me"})),
        _ => usual(agent),
    }
}

#[test]
fn agents_that_repeat_themselves_are_replayed_identically_and_told_once() {
    let endpoint = Endpoint::start(|agent, nth, _| stubborn(agent, nth));
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("run");
    run(&endpoint, &["--levels", "L1..L3", "--out", out.to_str().unwrap()]).expect_code(1);
    for served in endpoint.served() {
        let prompt = served.prompt();
        assert!(prompt.matches("size > slots.length").count() <= 2, "{} {}: {prompt}", served.agent, served.nth);
        assert!(prompt.matches("the bound is unclear to me").count() <= 2, "{prompt}");
    }
    for agent in ["Locator", "Slicer", "Summarizer", "RepoFocus", "Helper"] {
        let last = endpoint.served_to(agent).pop().unwrap().prompt();
        assert!(last.contains("## Your earlier answer") && last.contains("## Tried before"), "{agent}: {last}");
    }
    for agent in ["Fixer", "FixerPro"] {
        let last = endpoint.served_to(agent).pop().unwrap().prompt();
        assert!(last.contains("Your patch:\n"), "{agent}: {last}");
    }
    let last = prompt_of(&endpoint, "FixerPro", endpoint.served_to("FixerPro").len());
    insta::assert_snapshot!("tried-before", last[last.find("## Tried before").unwrap()..]);
    for _ in 0..3 {
        let again = unidebug(&["replay", out.to_str().unwrap(), "--json"]);
        assert_eq!(again.json()["identical"], true, "{again}");
        again.expect_code(0);
    }
}
