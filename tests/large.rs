//! Evidence for a file far larger than any prompt: cut by method, within budgets, and what was left out is said.

use crate::levels::accomplished;
use crate::support::{Endpoint, Reply, folder_of, unidebug};
use serde_json::json;
use std::fmt::Write;
use unidebug::prompt::count_tokens;

const METHODS: usize = 1500;
const FAULTY: usize = 700;

/// A class of 1500 methods and more than 100,000 tokens, of which one is wrong.
fn huge() -> String {
    let mut text = "package big;\n\npublic class Huge {\n".to_owned();
    for n in 0..METHODS {
        let wrong = if n == FAULTY { "sum - step" } else { "sum + step" };
        let _ = write!(
            text,
            "    /** Adds up {n} times what the caller gives, in steps that grow by one. */\n    public long value{n}(long limit) {{\n        long sum = 0;\n        for (long step = 1; step <= limit; step++) {{\n            sum = {wrong};\n        }}\n        return sum * {};\n    }}\n\n",
            n + 1
        );
    }
    text + "}\n"
}

#[test]
fn a_file_of_a_hundred_thousand_tokens_is_cut_by_method() {
    let file = huge();
    assert!(count_tokens(&file) > 100_000);
    let folder = folder_of(&[
        ("src/big/Huge.java", &file),
        (
            "test/big/HugeTest.java",
            &format!(
                "package big;\nimport org.junit.Test;\nimport static org.junit.Assert.*;\npublic class HugeTest {{\n    @Test public void addsUp() {{ assertEquals({}, new Huge().value{FAULTY}(2)); }}\n    @Test public void starts() {{ assertEquals(3, new Huge().value0(2)); }}\n}}\n",
                3 * (FAULTY + 1)
            ),
        ),
    ]);
    let summary = json!([{"class": "Huge", "method": format!("value{FAULTY}"), "description": "adds up"}]);
    let endpoint = Endpoint::start(move |agent, _, _| match agent {
        "Summarizer" => accomplished(json!({"summary": summary, "explanation": "sums"})),
        "Slicer" => accomplished(
            json!({"first_line": format!("    public long value{FAULTY}(long limit) {{"), "last_line": format!("        return sum * {};", FAULTY + 1), "explanation": "there"}),
        ),
        "Locator" => accomplished(json!({"marked_code": "            sum = sum - step; // buggy line"})),
        _ => Reply::command("goal_accomplished", json!({"explanation": "I cannot see it", "analysis": "unclear"})),
    });
    let url = endpoint.base_url();
    let project = folder.path().to_str().unwrap();
    let args = ["run", project, "--model", "m", "--base-url", &url, "--no-first", "--levels", "L1..L2", "--json"];
    unidebug(&args).expect_code(1);
    let whole = format!(
        "public long value{FAULTY}(long limit) {{\n        long sum = 0;\n        for (long step = 1; step <= limit; step++) {{\n            sum = sum - step;"
    );
    for (agent, most) in [("Locator", 4_000), ("Fixer", 4_000), ("Slicer", 10_000), ("Summarizer", 10_000)] {
        let request = &endpoint.served_to(agent)[0];
        let prompt = request.prompt();
        assert!(count_tokens(&prompt) < most, "{agent}: {} tokens", count_tokens(&prompt));
        assert!(prompt.contains(&whole), "{agent} sees the faulty method whole");
        let code = prompt.split("## Code").nth(1).unwrap_or(&prompt);
        let shown = code.split("```java").nth(1).unwrap().split("```").next().unwrap();
        assert_eq!(shown.matches('{').count(), shown.matches('}').count(), "{agent}: no method is cut in the middle");
        if ["Slicer", "Summarizer"].contains(&agent) {
            assert!(prompt.contains("Signature only") && prompt.contains("- …"), "{agent} is told what is left out");
        }
    }
}
