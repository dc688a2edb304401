//! `unidebug run` at level 1: a model behind real HTTP plays Locator and Fixer; the judge is the real one.

use crate::support::{Endpoint, Finished, Reply, folder_of, unidebug};
use serde_json::{Value, json};

const BUG: &str = "fixtures:ring-buffer";

/// Marks of a Locator that sees the bug at once.
fn good_marks() -> Reply {
    Reply::command(
        "goal_accomplished",
        json!({
            "marked_code": "public boolean isFull() {\n    return size >= slots.length - 1; // buggy line\n}",
            "explanation": "with 3 slots and size 2 there is room, but size >= 2 says full"
        }),
    )
}

/// The right patch as a diff whose line numbers are nonsense.
fn good_fix() -> Value {
    json!({
        "diff": "--- a/src/buffers/RingBuffer.java\n+++ b/src/buffers/RingBuffer.java\n@@ -1,3 +1,3 @@\n     public boolean isFull() {\n-        return size >= slots.length - 1;\n+        // every slot can be used\n+        return size >= slots.length;\n     }\n",
        "explanation": "kept the mark: every slot may be used"
    })
}

fn run(endpoint: &Endpoint, more: &[&str]) -> Finished {
    let url = endpoint.base_url();
    let mut args =
        vec!["run", BUG, "--model", "scripted", "--base-url", &url, "--no-first", "--levels", "L1", "--json"];
    args.extend(more);
    unidebug(&args)
}

/// What the agent was told in its n-th request.
fn prompt_of(endpoint: &Endpoint, agent: &str, nth: usize) -> String {
    endpoint.served_to(agent)[nth - 1].prompt()
}

#[test]
fn a_model_that_answers_well_at_once_needs_two_requests() {
    let endpoint =
        Endpoint::scripted([("Locator", 1, good_marks()), ("Fixer", 1, Reply::command("write_fix", good_fix()))]);
    let done = run(&endpoint, &[]);
    done.expect_code(0);
    let report = done.json();
    assert_eq!(report["verdict"], "plausible");
    assert_eq!(report["level"], 1);
    assert_eq!(report["by"]["agent"], "fixer");
    assert_eq!(report["by"]["policy"], "llm");
    assert_eq!(report["correct"], true, "equal to the developer's patch but for a comment");
    assert_eq!(report["equal_by"], "syntax_tree");
    let developers = std::fs::read_to_string(format!("{}/developer.diff", report["run_dir"].as_str().unwrap()));
    assert!(developers.unwrap().contains("+        return size >= slots.length; // unidebug-oracle"), "for reports");
    assert_eq!(report["candidates"], json!({"proposed": 1, "compiled": 1, "plausible": 1}));
    assert_eq!(report["usage"]["requests"], 2);
    assert_eq!(report["usage"]["cost_usd"], Value::Null, "an unknown price is unknown");
    assert_eq!(report["files"], json!(["src/buffers/RingBuffer.java"]));
    assert_eq!(endpoint.served().len(), 2);
    assert!(prompt_of(&endpoint, "Fixer", 1).contains("return size >= slots.length - 1; // buggy line"));
}

#[test]
fn broken_json_in_prose_with_a_misspelt_tool_is_mended() {
    let sloppy = "The ring keeps one slot free.\n\n```json\n{'thoughts': 'isFull is too early', \"command\": {\"name\": \"goal_acomplished\", \
        \"args\": {\"marked_code\": \"return size >= slots.length - 1; // buggy line\", \"explanation\": \"off by one\",}}\n```\nDone.";
    let endpoint =
        Endpoint::scripted([("Locator", 1, Reply::text(sloppy)), ("Fixer", 1, Reply::command("writeFix", good_fix()))]);
    let done = run(&endpoint, &[]);
    done.expect_code(0);
    assert_eq!(done.json()["verdict"], "plausible");
    assert_eq!(endpoint.served().len(), 2, "nothing had to be asked again");
}

#[test]
fn a_tool_outside_its_state_is_refused_and_told() {
    let endpoint = Endpoint::scripted([
        ("Locator", 1, good_marks()),
        ("Fixer", 1, Reply::command("collect_more_information", json!({"reason": "to be sure"}))),
        ("Fixer", 2, Reply::command("write_fix", good_fix())),
    ]);
    let done = run(&endpoint, &[]);
    done.expect_code(0);
    let refusal = prompt_of(&endpoint, "Fixer", 2);
    assert!(
        refusal.contains("`collect_more_information` was not run: it is not available in the state `collect`"),
        "{refusal}"
    );
    assert!(refusal.contains("write_fix leads to try"), "{refusal}");
}

#[test]
fn an_agent_that_gives_up_ends_without_a_repair() {
    let endpoint = Endpoint::scripted([
        ("Locator", 1, good_marks()),
        ("Fixer", 1, Reply::command("goal_accomplished", json!({"explanation": "I cannot see what is wrong"}))),
    ]);
    let done = run(&endpoint, &[]);
    done.expect_code(1);
    let report = done.json();
    assert_eq!(report["verdict"], "no_repair");
    assert_eq!(report["analysis"], "I cannot see what is wrong");
    assert_eq!(report["patch"], Value::Null);
}

#[test]
fn a_failed_patch_teaches_the_next_one() {
    let wrong = json!({"edits": [{"file_path": "RingBuffer.java", "modifications":
        [{"line_number": 48, "modified_line": "        return size > slots.length;"}]}]});
    let endpoint = Endpoint::scripted([
        ("Locator", 1, good_marks()),
        ("Fixer", 1, Reply::command("write_fix", wrong)),
        ("Fixer", 2, Reply::command("write_fix", good_fix())),
    ]);
    let done = run(&endpoint, &[]);
    done.expect_code(0);
    let feedback = prompt_of(&endpoint, "Fixer", 2);
    assert!(feedback.contains("## State: try"), "{feedback}");
    assert!(feedback.contains("failed: 2 of 2 triggering tests still fail"), "{feedback}");
    assert!(feedback.contains("RingBufferTest#holdsAsManyElementsAsItsCapacity"), "{feedback}");
    assert_eq!(done.json()["candidates"]["proposed"], 2);
}

#[test]
fn a_patch_that_does_not_apply_shows_the_nearest_lines_and_leaves_the_state() {
    let stale = json!({"diff": "--- a/src/buffers/RingBuffer.java\n+++ b/src/buffers/RingBuffer.java\n@@\n     public boolean isFull() {\n-        return count >= slots.length - 1;\n+        return count >= slots.length;\n     }\n"});
    let endpoint = Endpoint::scripted([
        ("Locator", 1, good_marks()),
        ("Fixer", 1, Reply::command("write_fix", stale)),
        ("Fixer", 2, Reply::command("write_fix", good_fix())),
    ]);
    run(&endpoint, &[]).expect_code(0);
    let feedback = prompt_of(&endpoint, "Fixer", 2);
    assert!(feedback.contains("unappliable"), "{feedback}");
    assert!(feedback.contains("return size >= slots.length - 1;"), "{feedback}");
    assert!(feedback.contains("## State: collect"), "{feedback}");
}

#[test]
fn marks_that_fit_nowhere_are_sampled_again_and_at_last_done_without() {
    let nowhere =
        || Reply::command("goal_accomplished", json!({"marked_code": "int x = y; // buggy line", "explanation": "?"}));
    let endpoint = Endpoint::scripted([
        ("Locator", 1, nowhere()),
        ("Locator", 2, nowhere()),
        (
            "Locator",
            3,
            Reply::command("goal_accomplished", json!({"marked_code": "int z = y; // buggy line", "explanation": "?"})),
        ),
        ("Fixer", 1, Reply::command("write_fix", good_fix())),
    ]);
    let done = run(&endpoint, &[]);
    done.expect_code(0);
    assert!(prompt_of(&endpoint, "Locator", 2).contains("does not stand in src/buffers/RingBuffer.java"));
    assert!(!endpoint.served_to("Fixer").is_empty(), "the chain goes on without marks");
}

#[test]
fn marks_in_a_file_that_was_not_shown_are_found() {
    let folder = folder_of(&[
        ("src/shop/Limits.java", "package shop;\nfinal class Limits {\n    static final int ITEMS = 2;\n}\n"),
        (
            "src/shop/Cart.java",
            "package shop;\npublic class Cart {\n    boolean takes(int items) {\n        return items <= Limits.ITEMS;\n    }\n}\n",
        ),
        (
            "test/shop/CartTest.java",
            "package shop;\nimport org.junit.*;\npublic class CartTest {\n    @Test public void three() { Assert.assertTrue(new Cart().takes(3)); }\n    @Test public void four() { Assert.assertFalse(new Cart().takes(4)); }\n}\n",
        ),
    ]);
    for file_path in [json!("src/shop/Limits.java"), Value::Null] {
        let marks = json!({"marked_code": "static final int ITEMS = 2; // buggy line", "file_path": file_path, "explanation": "three may come"});
        let fix = json!({"diff": "--- a/src/shop/Limits.java\n+++ b/src/shop/Limits.java\n@@ -3 +3 @@\n-    static final int ITEMS = 2;\n+    static final int ITEMS = 3;\n", "explanation": "three"});
        let endpoint = Endpoint::scripted([
            ("Locator", 1, Reply::command("goal_accomplished", marks)),
            ("Fixer", 1, Reply::command("write_fix", fix)),
        ]);
        let url = endpoint.base_url();
        let project = folder.path().to_str().unwrap();
        let args = ["run", project, "--model", "m", "--base-url", &url, "--no-first", "--levels", "L1"];
        unidebug(&args).expect_code(0);
        assert_eq!(endpoint.served().len(), 2);
        assert!(!prompt_of(&endpoint, "Locator", 1).contains("ITEMS = 2"));
        assert!(prompt_of(&endpoint, "Fixer", 1).contains("static final int ITEMS = 2; // buggy line"));
    }
}

#[test]
fn bare_answers_as_other_models_give_them_are_understood() {
    let marked = "Here is the marked code:\n```java\n    public boolean isFull() {\n        return size >= slots.length - 1; // buggy line\n    }\n```\nThe buffer keeps a slot free.";
    let diff = "```diff\n--- a/src/buffers/RingBuffer.java\n+++ b/src/buffers/RingBuffer.java\n@@ -49,3 +49,3 @@\n     public boolean isFull() {\n-        return size >= slots.length - 1;\n+        return size >= slots.length;\n     }\n```";
    let endpoint = Endpoint::scripted([("Locator", 1, Reply::text(marked)), ("Fixer", 1, Reply::text(diff))]);
    let done = run(&endpoint, &[]);
    done.expect_code(0);
    assert_eq!(endpoint.served().len(), 2);
}

#[test]
fn a_native_tool_call_is_as_good_as_text() {
    let endpoint =
        Endpoint::scripted([("Locator", 1, good_marks()), ("Fixer", 1, Reply::call("write_fix", &good_fix()))]);
    run(&endpoint, &[]).expect_code(0);
}

#[test]
fn a_whole_method_that_was_never_shown_is_not_replaced() {
    let unseen =
        json!({"methods": [{"file_path": "src/accounts/Nothing.java", "method": "x()", "code": "void x() {}"}]});
    let endpoint = Endpoint::scripted([
        ("Locator", 1, good_marks()),
        ("Fixer", 1, Reply::command("write_fix", unseen)),
        ("Fixer", 2, Reply::command("write_fix", good_fix())),
    ]);
    run(&endpoint, &[]).expect_code(0);
    assert!(prompt_of(&endpoint, "Fixer", 2).contains("Nothing.java"));
}

#[test]
fn the_built_in_engine_repairs_without_a_model_and_says_so() {
    let done = unidebug(&["run", BUG, "--json"]);
    done.expect_code(0);
    let report = done.json();
    assert_eq!(report["by"]["policy"], "builtin");
    assert_eq!(report["usage"]["requests"], 0);
    assert_eq!(report["model"]["name"], "builtin");
    assert!(done.stderr.contains("no key is configured"), "{}", done.stderr);
    assert!(report["patch"].as_str().unwrap().starts_with("--- a/"));
}

#[test]
fn other_words_for_the_same_bytecode_are_correct_and_nothing_else_is_called_so() {
    let correct = |condition: &str| {
        let text = good_fix()
            .to_string()
            .replace("+        return size >= slots.length;", &format!("+        return {condition};"));
        let fix: Value = serde_json::from_str(&text).unwrap();
        let script = [("Locator", 1, good_marks()), ("Fixer", 1, Reply::command("write_fix", fix))];
        let done = run(&Endpoint::scripted(script), &[]);
        done.expect_code(0);
        let report = done.json();
        (report["correct"].clone(), report["equal_by"].clone())
    };
    assert_eq!(correct("this.size >= this.slots.length"), (json!(true), json!("bytecode")));
    assert_eq!(correct("size > slots.length - 1"), (Value::Null, Value::Null), "right, and for a person to say so");
}

#[test]
fn the_engine_s_first_try_is_level_0_and_costs_no_request() {
    let endpoint = Endpoint::scripted([]);
    let url = endpoint.base_url();
    let done = unidebug(&["run", BUG, "--model", "scripted", "--base-url", &url, "--json"]);
    done.expect_code(0);
    assert_eq!(done.json()["level"], 0);
    assert!(endpoint.served().is_empty());
}

#[test]
fn no_request_and_no_file_holds_the_developers_patch() {
    let endpoint =
        Endpoint::scripted([("Locator", 1, good_marks()), ("Fixer", 1, Reply::command("write_fix", good_fix()))]);
    let done = run(&endpoint, &[]);
    done.expect_code(0);
    for served in endpoint.served() {
        let body = served.body.to_string();
        assert!(!body.contains("unidebug-oracle"), "the canary reached a request");
    }
}
