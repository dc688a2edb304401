//! One command in many forms, as different models write them: every agent's answer is understood at once, or refused with
//! the reason and understood the next time. None is lost.

use super::*;
use crate::strategies::{Way, bench, repaired_by};
use unidebug::domain::Level;
use unidebug::escalate::RunVerdict;
use unidebug::escalate::prepare::Wanted;

/// How a model writes a command.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Prose,
    SeveralBlocks,
    NativeCall,
    Truncated,
    Invoke,
    FunctionTag,
    WrongCounts,
    CarriageReturns,
    TypographicQuotes,
    PythonLiteral,
    Thinking,
    ActionInput,
    Channels,
    FunctionOfJson,
    KeysAndValues,
    PythonCall,
}

const FORMS: [Form; 16] = [
    Form::Prose,
    Form::SeveralBlocks,
    Form::NativeCall,
    Form::Truncated,
    Form::Invoke,
    Form::FunctionTag,
    Form::WrongCounts,
    Form::CarriageReturns,
    Form::TypographicQuotes,
    Form::PythonLiteral,
    Form::Thinking,
    Form::ActionInput,
    Form::Channels,
    Form::FunctionOfJson,
    Form::KeysAndValues,
    Form::PythonCall,
];

/// What each agent means to say: tool and arguments.
fn meant(agent: &str) -> (&'static str, Value) {
    match agent {
        "Fixer" => ("write_fix", patch("size > slots.length")),
        "FixerPro" => ("write_fix", patch("size >= slots.length")),
        _ => {
            let Reply::Text(text) = usual(agent) else { panic!("{agent} writes text") };
            let value: Value = serde_json::from_str(&text).unwrap();
            ("goal_accomplished", value["command"]["args"].clone())
        }
    }
}

fn written(form: Form, agent: &str, nth: usize) -> Reply {
    let (name, mut args) = meant(agent);
    if form == Form::WrongCounts
        && let Some(diff) = args["diff"].as_str()
    {
        args["diff"] = json!(diff.replace("@@\n", "@@ -3,1 +900,77 @@ class Elsewhere\n"));
    }
    if form == Form::CarriageReturns
        && let Some(diff) = args["diff"].as_str()
    {
        args["diff"] = json!(diff.replace('\n', "\r\n"));
    }
    let command = json!({"thoughts": "I looked at it", "command": {"name": name, "args": args}});
    let json = command.to_string();
    let pretty = serde_json::to_string_pretty(&command).unwrap();
    match form {
        Form::Prose | Form::WrongCounts => {
            Reply::text(format!("Sure! {{Here}} is what I would do:\n\n{json}\n\nLet me know if it helps."))
        }
        Form::SeveralBlocks => Reply::text(format!(
            "The code in question:\n```java\nif (size >= slots.length - 1) {{ return true; }}\n```\nA note:\n\
             ```json\n{{\"note\": \"no command\"}}\n```\nMy answer:\n```json\n{pretty}\n```\n"
        )),
        Form::NativeCall => Reply::call(name, &args),
        Form::Truncated if nth == 1 => {
            let cut: String = json.chars().take(json.chars().count() * 2 / 3).collect();
            Reply::Json(json!({"id": "x", "object": "chat.completion", "created": 0, "model": "m",
                "choices": [{"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": cut}}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}))
        }
        Form::Truncated => Reply::text(json),
        Form::Invoke => Reply::text(tagged(
            &args,
            |inside| {
                format!("I answer.\n<function_calls>\n<invoke name=\"{name}\">\n{inside}</invoke>\n</function_calls>")
            },
            |key, value| format!("<parameter name=\"{key}\">{value}</parameter>\n"),
        )),
        Form::FunctionTag => Reply::text(tagged(
            &args,
            |inside| format!("<tool_call>\n<function={name}>\n{inside}</function>\n</tool_call>"),
            |key, value| format!("<parameter={key}>\n{value}\n</parameter>\n"),
        )),
        Form::CarriageReturns => Reply::text(format!("Here:\n```json\n{pretty}\n```\n").replace('\n', "\r\n")),
        Form::TypographicQuotes => Reply::text(typographic(&json)),
        Form::PythonLiteral => Reply::text(format!("```python\n{}\n```", json.replace('"', "'"))),
        Form::Thinking => Reply::text(format!(
            "<think>\nPerhaps {{\"command\": {{\"name\": \"run_tests\", \"args\": {{}}}}}}? No.\n</think>\n{json}"
        )),
        Form::ActionInput => Reply::text(format!("Thought: it is the bound.\nAction: {name}\nAction Input: {args}")),
        Form::Channels => {
            Reply::text(format!("<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{args}<|call|>"))
        }
        Form::FunctionOfJson => Reply::text(format!("<function={name}>{args}</function>")),
        Form::KeysAndValues => Reply::text(tagged(
            &args,
            |inside| format!("<tool_call>{name}\n{inside}</tool_call>"),
            |key, value| format!("<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n"),
        )),
        Form::PythonCall => {
            let given: Vec<String> =
                args.as_object().unwrap().iter().map(|(key, value)| format!("{key}={value}")).collect();
            Reply::text(format!("```tool_code\nprint(default_api.{name}({}))\n```", given.join(", ")))
        }
    }
}

/// Arguments in tags.
fn tagged(args: &Value, around: impl Fn(String) -> String, each: impl Fn(&str, String) -> String) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    around(args.as_object().unwrap().iter().map(|(key, value)| each(key, text(value))).collect())
}

/// Quotation marks as a word processor sets them.
fn typographic(json: &str) -> String {
    let mut opens = false;
    let mark = |c: char| match c {
        '"' => {
            opens = !opens;
            if opens { '\u{201c}' } else { '\u{201d}' }
        }
        other => other,
    };
    json.chars().map(mark).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_agent_is_understood_in_every_form() {
    let (_scratch, bench) = bench(Wanted::default()).await;
    let mut lost = Vec::new();
    for form in FORMS {
        let endpoint = Endpoint::start(move |agent, nth, _| written(form, agent, nth));
        let way = Way { levels: Some(vec![Level::L3]), ..Way::of("unified", false) };
        let (verdict, served) = repaired_by(&bench, &way, &endpoint).await;
        // The Fixer's patch fails, so it is asked until it has no cycle left; every other agent has one answer.
        let of_others = served.iter().filter(|request| request.agent != "Fixer").count();
        let wanted = 6 * if form == Form::Truncated { 2 } else { 1 };
        let order: Vec<&str> = served.iter().map(|request| request.agent.as_str()).collect();
        match &verdict {
            RunVerdict::Plausible(repair) if repair.agent.as_str() == "fixer_pro" && of_others == wanted => {}
            other => lost.push(format!("{form:?}: {} by {order:?}", matches!(other, RunVerdict::Plausible(_)))),
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_can_read_is_refused_with_the_reason() {
    let (_scratch, bench) = bench(Wanted::default()).await;
    let unreadable =
        "{\"thoughts\": \"I think\", \"command\": {\"name\": \"write_fix\", \"args\": {\"diff\": \"- a\n\"\"";
    let endpoint = Endpoint::start(move |agent, nth, _| match nth {
        1 => Reply::text(unreadable),
        _ => written(Form::Prose, agent, nth),
    });
    let way = Way { levels: Some(vec![Level::L3]), ..Way::of("unified", false) };
    let (verdict, served) = repaired_by(&bench, &way, &endpoint).await;
    assert!(matches!(verdict, RunVerdict::Plausible(_)));
    for agent in ["Helper", "RepoFocus", "Summarizer", "Slicer", "Locator", "Fixer", "FixerPro"] {
        let second = served.iter().filter(|of| of.agent == agent).nth(1).expect(agent).prompt();
        assert!(second.contains("readable") || second.contains("command"), "{agent} is told: {second}");
    }
}
