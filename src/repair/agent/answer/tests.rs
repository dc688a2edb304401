//! Answers as models write them.

use super::*;
use crate::domain::Usage;
use crate::llm::{Answer, ToolCall};
use proptest::prelude::*;
use serde_json::json;
use std::time::{Duration, Instant};

fn answer(text: &str) -> Answer {
    Answer {
        text: text.to_owned(),
        calls: Vec::new(),
        finish: Some("stop".to_owned()),
        usage: Usage::default(),
        raw: Value::Null,
    }
}

fn command(text: &str) -> (String, Value) {
    let reply = read(&answer(text)).unwrap_or_else(|error| panic!("{error}: {text}"));
    (reply.command.name, reply.command.args)
}

#[test]
fn the_documented_form_is_read_wherever_it_stands() {
    let form = r#"{"thoughts": "see a", "command": {"name": "read_range", "args": {"start_line": 3}}}"#;
    for text in [
        form.to_owned(),
        format!("```json\n{form}\n```"),
        format!("Let me look at `f() {{ return 1; }}` first.\n\n{form}\nThat is all {{ok}}."),
        format!("<tool_call>\n{form}\n</tool_call>"),
        format!("<think>maybe {{\"command\": {{\"name\": \"draft\", \"args\": {{}}}}}}</think>\n{form}"),
    ] {
        let reply = read(&answer(&text)).unwrap();
        assert_eq!(reply.command, RawCommand { name: "read_range".into(), args: json!({"start_line": 3}) }, "{text}");
        assert_eq!((reply.thoughts.as_str(), reply.repaired), ("see a", false), "{text}");
        assert!(reply.not_run.is_empty());
    }
}

#[test]
fn other_spellings_of_a_command_are_understood() {
    let wanted = ("search_code_base".to_owned(), json!({"key_words": ["a"]}));
    for text in [
        r#"{"command": "search_code_base", "args": {"key_words": ["a"]}}"#,
        r#"{"command": "search_code_base", "key_words": ["a"], "thoughts": "x"}"#,
        r#"{"name": "search_code_base", "arguments": {"key_words": ["a"]}}"#,
        r#"{"name": "search_code_base", "arguments": "{\"key_words\": [\"a\"]}"}"#,
        r#"{"tool": "search_code_base", "args": {"key_words": ["a"]}}"#,
        r#"{"action": "search_code_base", "action_input": {"key_words": ["a"]}}"#,
        r#"{"command": {"search_code_base": {"key_words": ["a"]}}}"#,
        r#"{"type": "function", "function": {"name": "search_code_base", "arguments": {"key_words": ["a"]}}}"#,
        r#"{"tool_calls": [{"function": {"name": "search_code_base", "arguments": "{\"key_words\": [\"a\"]}"}}]}"#,
        r#"[{"name": "search_code_base", "args": {"key_words": ["a"]}}]"#,
        "{'command': {'name': 'search_code_base', 'args': {'key_words': ['a',],}}",
    ] {
        assert_eq!(command(text), wanted, "{text}");
    }
    assert_eq!(command(r#"{"command": {"name": "run_tests"}}"#), ("run_tests".to_owned(), json!({})));
}

#[test]
fn of_several_commands_the_first_runs_and_the_rest_are_named() {
    let two = r#"First {"command": {"name": "a", "args": {}}} then {"command": {"name": "b", "args": {}}}"#;
    let reply = read(&answer(two)).unwrap();
    assert_eq!((reply.command.name.as_str(), reply.not_run), ("a", vec!["b".to_owned()]));
    assert_eq!(reply.thoughts, "First");
    let list = r#"{"thoughts": "t", "command": [{"name": "a", "args": {}}, {"name": "b", "args": {}}]}"#;
    let reply = read(&answer(list)).unwrap();
    assert_eq!((reply.command.name.as_str(), reply.not_run, reply.thoughts.as_str()), ("a", vec!["b".to_owned()], "t"));
}

#[test]
fn broken_json_is_mended_and_told() {
    let broken = "Sure!\n```json\n{\"thoughts\": \"off by one\", \"command\": {\"name\": \"write_fixx\", \"args\": \
                  {\"diff\": \"--- a\n+++ b\n@@\n-  if (i < n) {\n+  if (i <= n) {\n\"}}\n```";
    let reply = read(&answer(broken)).unwrap();
    assert!(reply.repaired);
    assert_eq!(reply.command.name, "write_fixx");
    assert_eq!(reply.command.args["diff"], "--- a\n+++ b\n@@\n-  if (i < n) {\n+  if (i <= n) {\n");
}

#[test]
fn native_calls_win_over_text() {
    let call = |name: &str, arguments: &str| ToolCall { name: name.into(), arguments: arguments.into() };
    let mut native = answer("I look");
    native.calls = vec![call("read_range", "{\"start_line\": 1,}"), call("run_tests", "")];
    let reply = read(&native).unwrap();
    assert_eq!(reply.command, RawCommand { name: "read_range".into(), args: json!({"start_line": 1}) });
    assert_eq!((reply.thoughts.as_str(), reply.repaired), ("I look", true));
    assert_eq!(reply.not_run, ["run_tests"]);
    native.calls = vec![call("read_range", "lines one to three")];
    assert!(read(&native).unwrap_err().reason.contains("`read_range`"));
}

#[test]
fn an_answer_cut_at_its_limit_does_not_run_in_half() {
    let mut cut = answer(r#"{"command": {"name": "write_fix", "args": {"diff": "--- a"#);
    cut.finish = Some("length".into());
    assert!(read(&cut).unwrap_err().reason.contains("limit of tokens"));
    cut.text = r#"{"command": {"name": "write_fix", "args": {"methods": [{"code": "a"}"#.into();
    assert!(read(&cut).unwrap_err().reason.contains("limit of tokens"));
    cut.text = "```diff\n--- a/A.java\n+++ b/A.java\n@@\n-  x();".into();
    assert!(read(&cut).unwrap_err().reason.contains("limit of tokens"), "half of a bare patch is no patch");
    cut.text = String::new();
    assert!(read(&cut).unwrap_err().reason.contains("empty"));
}

#[test]
fn an_answer_without_command_is_handed_on_as_it_is() {
    let marked = "```java\nint f(int[] a) {\n  return a[1]; // buggy line\n}\n```";
    let reply = read(&answer(marked)).unwrap();
    assert!(reply.is_bare());
    assert_eq!(reply.command.args, json!(marked));
    let diff = "--- a/A.java\n+++ b/A.java\n@@\n-  int[] x = {\"a\"};\n+  int[] x = {};\n";
    assert_eq!(read(&answer(diff)).unwrap().command.args, json!(diff.trim()));
    let record = "The test reads this:\n```json\n{\"name\": \"bob\", \"age\": 3}\n```\nso I return it.";
    assert_eq!(read(&answer(record)).unwrap().command.args, json!(record));
    let object = "```json\n{\"diff\": \"--- a\\n+++ b\"}\n```";
    assert_eq!(
        read(&answer(object)).unwrap().command,
        RawCommand { name: String::new(), args: json!({"diff": "--- a\n+++ b"}) }
    );
}

#[test]
fn an_attempt_at_a_command_that_nobody_can_read_is_refused_with_the_form() {
    let refused = read(&answer("{\"command\": => }")).unwrap_err();
    assert!(refused.reason.contains("\"thoughts\""), "{refused}");
    assert!(read(&answer(" \n ")).unwrap_err().reason.contains("empty"));
}

#[test]
fn a_megabyte_of_anything_is_read_in_a_moment() {
    let mib = 1 << 20;
    let repeated = |part: &str| part.repeat(mib / part.len());
    for text in [
        repeated("{"),
        repeated("{\"a\":"),
        repeated("[{\"a\":\""),
        repeated("{\"command\":{\"name\":\"x\",\"args\":{\"k\":\""),
        format!("{{\"command\": \"{}", repeated("{\"")),
        format!("{{\"a\": {}", repeated("\"   ")),
        format!("\"command\" {}", repeated("{a: ")),
        format!("\"command\" {}}}", repeated("{\"a\" ")),
        repeated("{\"a\": /*"),
        repeated("{'a': \"\"\""),
        repeated("{\"a\":1}\n"),
    ] {
        let started = Instant::now();
        let _ = read(&answer(&text));
        let took = started.elapsed();
        // Work that grows with the square of the text would take hours; a busy machine only takes its time.
        assert!(took < Duration::from_secs(120), "{took:?} for {}…", &text[..40]);
    }
}

proptest! {
    #[test]
    fn any_text_is_answered_without_a_panic(
        text in any::<String>(),
        noise in r#"[{}\[\]"',:a\\ \n`]{0,200}"#,
        finish in prop::option::of("stop|length"),
    ) {
        for text in [text.clone(), noise.clone(), format!("{{\"command\": {noise}"), format!("\"command\"{noise}}}")] {
            let mut given = answer(&text);
            given.finish = finish.clone();
            let _ = read(&given);
            given.calls = vec![ToolCall { name: text.clone(), arguments: noise.clone() }];
            let _ = read(&given);
        }
    }

    #[test]
    fn every_command_survives_prose_and_fences(name in "[a-z_]{1,20}", code in any::<String>(), before in "[a-z (){;}.]{0,60}") {
        let json = json!({"thoughts": "t", "command": {"name": name, "args": {"code": code}}});
        let text = format!("{before}\n```json\n{json:#}\n```\n");
        let reply = read(&answer(&text)).unwrap();
        prop_assert_eq!(reply.command, RawCommand { name, args: json!({"code": code}) });
        prop_assert!(!reply.repaired);
    }
}

#[test]
fn a_list_that_was_cut_gives_its_whole_elements() {
    let whole = r#"Here: [{"diff": "-a\n+b"}, {"diff": "-a\n+c [1]"}]"#;
    assert_eq!(list(whole).len(), 2);
    for end in ["", ", {\"diff\": \"-a", ", {\"diff\": \"-a\\n+d\"", ","] {
        let cut = format!("{}{end}", whole.trim_end_matches(']'));
        assert_eq!(list(&cut), list(whole), "{cut}");
    }
}
