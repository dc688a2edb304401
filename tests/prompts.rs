//! Every prompt as it is sent: snapshots for each agent and state, and the static prefix byte for byte.

use crate::support::{Endpoint, Reply, folder_of, unidebug};
use serde_json::{Value, json};

fn script() -> Vec<(&'static str, usize, Reply)> {
    let diff = |line: &str| json!({"diff": format!("--- a/src/buffers/RingBuffer.java\n+++ b/src/buffers/RingBuffer.java\n@@\n     public boolean isFull() {{\n-        return size >= slots.length - 1;\n+        return {line};\n     }}\n"), "explanation": "kept the mark"});
    let marks = json!({"marked_code": "return size >= slots.length - 1; // buggy line", "explanation": "one slot is never used"});
    vec![
        ("Locator", 1, Reply::command("run_tests", json!({}))),
        (
            "Locator",
            2,
            Reply::command("express_hypothesis", json!({"hypothesis": "isFull says full one element too early"})),
        ),
        ("Locator", 3, Reply::command("search_code_base", json!({"key_words": ["isFull"]}))),
        ("Locator", 4, Reply::command("goal_accomplished", marks)),
        (
            "Fixer",
            1,
            Reply::command("read_range", json!({"file_path": "RingBuffer.java", "start_line": 46, "end_line": 50})),
        ),
        ("Fixer", 2, Reply::command("write_fix", diff("size > slots.length"))),
        ("Fixer", 3, Reply::command("write_fix", diff("size > slots.length"))),
        ("Fixer", 4, Reply::command("discard_hypothesis", json!({"reason": "the bound alone is not it"}))),
        ("Fixer", 5, Reply::command("brew_coffee", json!({}))),
        ("Fixer", 6, Reply::text("I am not sure.")),
        ("Fixer", 7, Reply::command("express_hypothesis", json!({"hypothesis": "all slots may be used"}))),
        ("Fixer", 8, Reply::command("write_fix", diff("size >= slots.length"))),
    ]
}

fn part(body: &Value, role: &str) -> String {
    let messages = body["messages"].as_array().unwrap();
    messages.iter().filter(|m| m["role"] == role).map(|m| m["content"].as_str().unwrap()).collect()
}

#[test]
fn prompts_of_each_agent_in_each_state() {
    let endpoint = Endpoint::scripted(script());
    let url = endpoint.base_url();
    let done =
        unidebug(&["run", "fixtures:ring-buffer", "--model", "scripted", "--base-url", &url, "--no-first", "--json"]);
    done.expect_code(0);
    for agent in ["Locator", "Fixer"] {
        let served = endpoint.served_to(agent);
        let first = part(&served[0].body, "system");
        assert!(first.starts_with(&format!("# {agent}\n")), "the first line names the agent");
        insta::assert_snapshot!(format!("{}-system", agent.to_lowercase()), first);
        for request in &served {
            assert_eq!(part(&request.body, "system"), first, "the static part is the same bytes in every cycle");
            let user = part(&request.body, "user");
            insta::assert_snapshot!(format!("{}-cycle-{}", agent.to_lowercase(), request.nth), user);
        }
        let evidence = |n: usize| part(&served[n].body, "user").split("\n>>>").next().unwrap().to_owned();
        assert_eq!(evidence(0), evidence(served.len() - 1), "evidence does not change from cycle to cycle");
    }
}

/// A bug in two files: the rounding of fees, and a transfer that is not undone when its fee cannot be paid.
#[test]
fn prompts_of_a_bug_in_several_files() {
    let marks = json!({
        "marked_code": [
            {"file_path": "src/bank/Money.java", "code": "return new Money(Math.multiplyExact(cents, basisPoints) / 10_000); // buggy line"},
            {"file_path": "src/bank/Ledger.java", "code": "var fee = fees.fee(amount);\n// missing line"},
        ],
        "explanation": "share() cuts cents off, and compareTo is what a check of the balance would use",
    });
    let answer = move |agent: &str| match agent {
        "Locator" => Reply::command("goal_accomplished", marks.clone()),
        other => crate::levels::usual(other),
    };
    let endpoint = Endpoint::start(move |agent, _, _| match agent {
        "Slicer" => Reply::command(
            "goal_accomplished",
            json!({"file_path": "Ledger.java", "first_line": "    public void transfer(String from, String to, Money amount) {", "last_line": "    }", "explanation": "money is moved"}),
        ),
        "Summarizer" => Reply::command(
            "goal_accomplished",
            json!({"summary": [{"method": "share", "description": "cuts cents off"}], "file_path": "Money.java", "explanation": ""}),
        ),
        other => answer(other),
    });
    let url = endpoint.base_url();
    let run = ["run", "fixtures:bank-ledger", "--model", "m", "--base-url", &url, "--no-first", "--levels", "L1..L2"];
    unidebug(&run).expect_code(1);
    let first = |agent: &str| part(&endpoint.served_to(agent)[0].body, "user");
    for (agent, name) in [("Locator", "locator"), ("Fixer", "fixer"), ("Slicer", "slicer")] {
        insta::assert_snapshot!(format!("several-files-{name}"), first(agent));
    }
    let fixer = first("Fixer");
    assert_eq!(fixer.matches("// buggy line").count() + fixer.matches("// missing line").count(), 2, "{fixer}");
    for shown in ["### src/bank/Money.java", "### src/bank/Ledger.java", "public int compareTo(Money other) {"] {
        assert!(fixer.contains(shown), "marked in both files, and what was only named: {fixer}");
    }
}

/// Endpoints read the beginning that two requests share once.
#[test]
fn requests_of_a_long_run_begin_alike() {
    let read = |first: u32| json!({"file_path": "RingBuffer.java", "start_line": first, "end_line": first + 40});
    let endpoint = Endpoint::start(move |agent, nth, _| match (agent, nth) {
        ("Locator", _) => Reply::command(
            "goal_accomplished",
            json!({"marked_code": "return size >= slots.length - 1; // buggy line", "explanation": "one slot is lost"}),
        ),
        (_, 5) => Reply::command("search_code_base", json!({"key_words": ["slots"]})),
        (_, nth) => Reply::command("read_range", read(u32::try_from(nth * 5).unwrap())),
    });
    let url = endpoint.base_url();
    unidebug(&["run", "fixtures:ring-buffer", "--model", "m", "--base-url", &url, "--no-first", "--levels", "L1"])
        .expect_code(1);
    let served = endpoint.served_to("Fixer");
    assert_eq!(served.len(), 12);
    for pair in served.windows(2) {
        let (one, other) = (pair[0].prompt(), pair[1].prompt());
        let shared = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        let shorter = one.len().min(other.len());
        assert!(shared * 100 >= shorter * 80, "{shared} of {shorter}: request {}", pair[1].nth);
    }
}

#[test]
fn requests_hold_no_path_and_no_key_of_this_machine() {
    let endpoint = Endpoint::scripted(script());
    let url = endpoint.base_url();
    let done = crate::support::Unidebug::new(&[
        "run",
        "fixtures:ring-buffer",
        "--model",
        "m",
        "--base-url",
        &url,
        "--no-first",
    ])
    .env("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
    .run();
    done.expect_code(0);
    for request in endpoint.served() {
        let body = request.body.to_string();
        assert!(
            !body.contains("/tmp/") && !body.contains(env!("CARGO_MANIFEST_DIR")),
            "a path of this machine: {body}"
        );
        assert!(!body.contains("sk-canary"), "the key is in a request body");
    }
}

/// Nine failing tests, of which the first prompt shows some: the tool begins with the others, and names them all.
#[test]
fn the_code_of_failing_tests_that_was_not_shown_comes_first() {
    let tests: String = (1..=9)
        .map(|n| format!("    @Test public void adds{n}() {{\n        assertEquals({n}, Sums.add({n}, 0));\n    }}\n"))
        .collect();
    let folder = folder_of(&[
        (
            "src/sums/Sums.java",
            "package sums;\n\npublic class Sums {\n    public static int add(int a, int b) {\n        return a - b - 1;\n    }\n}\n",
        ),
        (
            "test/sums/SumsTest.java",
            &format!(
                "package sums;\n\nimport static org.junit.Assert.*;\nimport org.junit.Test;\n\npublic class SumsTest {{\n{tests}}}\n"
            ),
        ),
    ]);
    let endpoint = Endpoint::start(|_, nth, _| match nth {
        1 => Reply::command("extract_tests", json!({})),
        2 => Reply::command("extract_tests", json!({"skip": 0})),
        _ => Reply::command("goal_accomplished", json!({"marked_code": "return a - b - 1; // buggy line"})),
    });
    let url = endpoint.base_url();
    let project = folder.path().to_str().unwrap();
    let run = ["run", project, "--model", "m", "--base-url", &url, "--no-first", "--levels", "L1", "--json"];
    unidebug(&run).expect_code(1);
    let served = endpoint.served_to("Locator");
    let prompt = |nth: usize| part(&served[nth - 1].body, "user");
    let shows = |text: &str, n: usize| text.contains(&format!("assertEquals({n}, Sums.add({n}, 0))"));
    let shown: Vec<usize> = (1..=9).filter(|n| shows(&prompt(1), *n)).collect();
    assert!(!shown.is_empty() && shown.len() < 9, "{}", prompt(1));
    let answer = |nth: usize| prompt(nth).split(&format!("### cycle {}: ", nth - 1)).nth(1).unwrap().to_owned();
    let first = answer(2);
    assert!((1..=9).all(|n| first.contains(&format!("SumsTest#adds{n}\n"))), "no name is hidden: {first}");
    assert!(shown.iter().all(|n| !shows(&first, *n)), "nothing is shown twice: {first}");
    assert_eq!((1..=9).filter(|n| shows(&first, *n)).count(), 5, "{first}");
    assert!(first.contains("their code was shown already (`skip: 0` shows it):"), "{first}");
    assert!((1..=5).all(|n| shows(&answer(3), n)), "asked for by number, they are shown again: {}", answer(3));
}
