//! Each of the tools by hand, on a fixture; `unidebug tool` is what a user would type.

use crate::support::{Endpoint, Finished, Reply, Unidebug, folder_of, unidebug};
use serde_json::{Value, json};

const BUG: &str = "fixtures:ring-buffer";
const FILE: &str = "src/buffers/RingBuffer.java";

fn tool(name: &str, args: &Value) -> Finished {
    let done = unidebug(&["tool", name, "--bug", BUG, "--args", &args.to_string(), "--json"]);
    done.expect_code(0);
    assert_eq!(done.json()["tool"], name);
    done
}

fn observed(name: &str, args: &Value) -> String {
    tool(name, args).json()["observation"].as_str().unwrap().to_owned()
}

/// The observation must hold every one of these.
fn shows(name: &str, args: Value, parts: &[&str]) {
    let text = observed(name, &args);
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in what {name} says:\n{text}");
    }
}

#[test]
fn reading_tools_show_the_code() {
    shows(
        "read_range",
        json!({"file_path": FILE, "start_line": 47, "end_line": 48}),
        &["Line 47:     public boolean isFull() {", "Line 48:         return size >= slots.length - 1;"],
    );
    shows(
        "get_classes_and_methods",
        json!({"file_path": FILE}),
        &["class RingBuffer<T>", "isFull()", "RingBuffer(int capacity)"],
    );
    shows("extract_method", json!({"file_path": FILE, "method_name": "offer"}), &["RingBuffer.offer(T)", "size++;"]);
    shows(
        "extract_tests",
        json!({}),
        &["holdsAsManyElementsAsItsCapacity", "<-- fails here", "the third of three must fit"],
    );
}

#[test]
fn the_toolbox_shows_coverage_trees_and_dependencies() {
    shows("test_coverage", json!({"file_path": FILE}), &["F", "48 ", "return size >= slots.length - 1;"]);
    shows(
        "syntax_tree",
        json!({"file_path": FILE, "method_name": "isFull"}),
        &["method_declaration 47", "return_statement 48", "binary_expression"],
    );
    shows("dependency_graph", json!({"file_path": FILE}), &["used by:", "RingBufferTest.java", "calls"]);
    shows("dependency_graph", json!({}), &["src/buffers/RingBuffer.java"]);
    shows(
        "search_solutions",
        json!({"query": "buffer is full too early, the last slot is never used"}),
        &["[capacity-one-free]", "before:", "after:"],
    );
}

#[test]
fn searching_tools_find_uses() {
    let text = observed("search_code_base", &json!({"key_words": ["isFull"]}));
    assert!(
        text.contains("RingBuffer.offer(T)\n    57: if (isFull()) {") && text.contains("RingBufferTest"),
        "bodies and tests are searched:\n{text}"
    );
    shows(
        "find_similar_api_calls",
        json!({"code_snippet": "if (isFull()) {"}),
        &["isFull: 3 calls", "RingBuffer.java"],
    );
    let only =
        observed("find_similar_api_calls", &json!({"code_snippet": "x.isFull()", "file_path": "RingBufferTest.java"}));
    assert!(only.contains("isFull: 1 call\n"), "{only}");
}

#[test]
fn testing_tools_tell_what_fails_and_where_to_look() {
    shows("run_tests", json!({}), &["8 tests: 6 passed, 2 failed", "pushDropsTheOldestOnlyWhenFull"]);
    shows("run_tests", json!({"tests": ["startsEmpty"]}), &["1 tests: 1 passed, 0 failed"]);
    shows("run_fault_localization", json!({}), &["src/buffers/RingBuffer.java:", "failing"]);
}

#[test]
fn control_tools_answer() {
    shows("express_hypothesis", json!({"hypothesis": "off by one"}), &["noted"]);
    shows("discard_hypothesis", json!({"reason": "no"}), &["refuted"]);
    shows("collect_more_information", json!({"reason": "the callers of isFull"}), &["the callers of isFull"]);
    shows("goal_accomplished", json!({"explanation": "done"}), &["done"]);
}

#[test]
fn write_fix_takes_all_three_forms_and_says_what_became_of_them() {
    let diff = json!({"diff": "@@\n     public boolean isFull() {\n-        return size >= slots.length - 1;\n+        return size >= slots.length;\n"});
    let methods = json!({"methods": [{"file_path": "RingBuffer.java", "method": "isFull", "code": "public boolean isFull() {\n    return slots.length == size;\n}"}]});
    let edits = json!({"edits": [{"file_path": FILE, "insertions": [], "deletions": [48],
        "modifications": [{"line_number": 48, "modified_line": "        return size == capacity();"}]}]});
    for args in [diff, methods, edits] {
        let done = tool("write_fix", &args);
        assert_eq!(done.json()["outcome"], "plausible", "{args}\n{}", done.stdout);
    }
}

#[test]
fn write_fix_names_what_is_wrong_with_a_patch() {
    let outcome = |args: Value| tool("write_fix", &args).json()["outcome"].clone();
    let line = |text: &str| json!({"edits": [{"file_path": FILE, "modifications": [{"line_number": 48, "modified_line": text}]}]});
    assert_eq!(outcome(line("        return size >= slots.size();")), "compile_error");
    assert_eq!(outcome(line("        return size >= slots.length - 2;")), "failed");
    assert_eq!(outcome(line("        return size >= slots.length && size > 1;")), "regression");
    assert_eq!(outcome(line("        return size >= slots.length - 1;")), "duplicate");
    assert_eq!(outcome(json!({"edits": [{"file_path": FILE, "deletions": [900]}]})), "unappliable");
    let test = json!({"edits": [{"file_path": "test/buffers/RingBufferTest.java", "deletions": [40]}]});
    assert_eq!(outcome(test), "refused");
}

#[test]
fn generate_method_body_asks_a_model_beside_the_conversation() {
    let endpoint = Endpoint::scripted([(
        "MethodBody",
        1,
        Reply::text("```java\npublic boolean isFull() {\n    return size == slots.length;\n}\n```"),
    )]);
    let url = endpoint.base_url();
    let args = json!({"file_path": FILE, "method_name": "isFull"}).to_string();
    let done = unidebug(&[
        "tool",
        "generate_method_body",
        "--bug",
        BUG,
        "--args",
        &args,
        "--model",
        "m",
        "--base-url",
        &url,
        "--json",
    ]);
    done.expect_code(0);
    assert!(done.json()["observation"].as_str().unwrap().contains("return size == slots.length;"));
    let prompt = endpoint.served()[0].prompt();
    assert!(prompt.contains("private final Object[] slots;"), "the code before the method is shown");
    assert!(!prompt.contains("T poll()"), "the code behind it is not");
}

#[test]
fn a_tool_that_asks_no_model_contacts_none_though_there_is_a_key() {
    // Nothing listens there.
    let nowhere = ["--model", "m", "--base-url", "http://127.0.0.1:9/v1"];
    let args = json!({"file_path": FILE, "start_line": 1, "end_line": 3}).to_string();
    let words = [&["tool", "read_range", "--bug", BUG, "--args", &args, "--json"][..], &nowhere].concat();
    let done = Unidebug::new(&words).env("OPENAI_API_KEY", "sk-of-nobody").run();
    done.expect_code(0);
    let args = json!({"file_path": FILE, "method_name": "isFull"}).to_string();
    let words = [&["tool", "generate_method_body", "--bug", BUG, "--args", &args][..], &nowhere].concat();
    Unidebug::new(&words).env("OPENAI_API_KEY", "sk-of-nobody").run().expect_code(4);
}

/// A path that no file system takes.
#[test]
fn a_patch_with_an_endless_path_is_refused_and_ends_nothing() {
    let file = format!("src/{}.java", "n".repeat(5000));
    let diff = format!("--- /dev/null\n+++ b/{file}\n@@ -0,0 +1 @@\n+class N {{}}\n");
    let done = tool("write_fix", &json!({"diff": diff, "explanation": "long"}));
    assert_ne!(done.json()["outcome"], "plausible", "{done}");
}

#[test]
fn near_misses_are_understood_by_hand_too() {
    let done = unidebug(&[
        "tool",
        "readRange",
        "--bug",
        BUG,
        "--args",
        r#"{"file": "RingBuffer.java", "start": "47", "end": 48}"#,
    ]);
    done.expect_code(0);
    assert!(done.stdout.contains("Line 48:"), "{}", done.stdout);
    assert!(done.stderr.contains("was taken for `read_range`"), "{}", done.stderr);
}

#[test]
fn a_wrong_path_is_answered_with_what_exists() {
    let args = json!({"file_path": "RingBufer.java", "start_line": 1, "end_line": 2}).to_string();
    let done = unidebug(&["tool", "read_range", "--bug", BUG, "--args", &args]);
    done.expect_code(2);
    assert!(done.stderr.contains("RingBuffer.java"), "{}", done.stderr);
}

#[test]
fn the_tools_are_listed_with_their_arguments() {
    let done = unidebug(&["tool"]);
    done.expect_code(0);
    assert_eq!(done.stdout.lines().count(), 22);
    assert!(done.stdout.contains("read_range(file_path, start_line, end_line)"), "{}", done.stdout);
}

#[test]
fn static_analysis_shows_what_the_compiler_warns_of() {
    let folder = folder_of(&[
        (
            "src/a/Box.java",
            "package a;\npublic class Box {\n    int half(long n) {\n        int m = 4;\n        m += n / 2L;\n        switch (m) {\n        case 1: m = 2;\n        case 2: m = 3;\n        }\n        return m;\n    }\n}\n",
        ),
        (
            "test/a/BoxTest.java",
            "package a;\nimport org.junit.Test;\nimport static org.junit.Assert.*;\npublic class BoxTest {\n    @Test public void halves() { assertEquals(1, new Box().half(2)); }\n}\n",
        ),
    ]);
    let project = folder.path().to_str().unwrap();
    let tool = |name: &str, args: &str| unidebug(&["tool", name, "--bug", project, "--args", args]);
    let warned = tool("static_analysis", "{}");
    warned.expect_code(0);
    assert!(warned.stdout.contains("line 8: [fallthrough]"), "{warned}");
    assert!(warned.stdout.contains("case 2: m = 3;"), "the code stands beside it: {warned}");

    assert!(tool("code_history", "{}").stdout.contains("in no git repository"));
    let git = |args: &[&str]| {
        let done = std::process::Command::new("git").args(args).current_dir(folder.path()).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    git(&["init", "-q"]);
    git(&["config", "user.name", "Ada"]);
    git(&["config", "user.email", "ada@example.org"]);
    // What a hostile repository would have git run.
    let trap = folder.path().join("trap");
    git(&["config", "core.fsmonitor", &format!("touch {}", trap.display())]);
    git(&["-c", "core.fsmonitor=false", "add", "."]);
    git(&["-c", "core.fsmonitor=false", "commit", "-q", "-m", "Halve boxes"]);
    let history = tool("code_history", "{\"start_line\": 5, \"end_line\": 6}");
    history.expect_code(0);
    assert!(history.stdout.contains("Ada: Halve boxes") && history.stdout.contains("m += n / 2L;"), "{history}");
    assert!(!trap.exists(), "nothing of the repository's configuration was run");

    let side = tempfile::tempdir().unwrap();
    let tree = side.path().join("tree");
    git(&["-c", "core.fsmonitor=false", "worktree", "add", "-q", tree.to_str().unwrap()]);
    let history = unidebug(&["tool", "code_history", "--bug", tree.to_str().unwrap()]);
    assert!(history.stdout.contains("Ada: Halve boxes"), "a linked work tree has the same history: {history}");
    assert!(!trap.exists());
}

#[test]
fn benchmarks_hide_their_history() {
    let done = unidebug(&["tool", "code_history", "--bug", BUG]);
    done.expect_code(0);
    assert!(done.stdout.contains("hides its history"), "{done}");
}
