//! Commands whose name stands outside of their arguments, as the templates of many models write them: `Action: name`
//! above `Action Input: {…}`, `functions.name<|message|>{…}`, `name[ARGS]{…}`, `name({…})`, `name(key="…")`, and
//! `name<arg_key>…</arg_key><arg_value>…</arg_value>`.
//!
//! Only names that are known count, for program text is full of calls.

use super::tolerant;
use serde_json::{Map, Value};

/// Bytes that may stand between a name and its arguments.
const LONGEST_GAP: usize = 80;
/// Words that models' templates put there.
const GAP_WORDS: [&str; 17] = [
    "action",
    "input",
    "arguments",
    "args",
    "parameters",
    "json",
    "constrain",
    "message",
    "channel",
    "commentary",
    "tool",
    "call",
    "argument",
    "begin",
    "sep",
    "function",
    "functions",
];

/// The first command of a text with one of these names: the name and its arguments.
pub(in crate::agent) fn named_outside<'n>(text: &str, names: &[&'n str]) -> Option<(&'n str, Value)> {
    let mut places: Vec<(usize, &'n str)> = names
        .iter()
        .flat_map(|name| text.match_indices(*name).map(|(at, _)| (at, *name)))
        .filter(|(at, name)| is_whole_word(text, *at, name.len()))
        .collect();
    places.sort_unstable();
    places.into_iter().find_map(|(at, name)| Some((name, arguments(&text[at + name.len()..])?)))
}

fn is_whole_word(text: &str, at: usize, length: usize) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_';
    !text[..at].ends_with(is_inner) && !text[at + length..].starts_with(is_inner)
}

/// The arguments that begin a text, behind what a template puts before them.
fn arguments(text: &str) -> Option<Value> {
    if let Some(call) = text.strip_prefix('(')
        && let Some(args) = keywords(call)
    {
        return Some(Value::Object(args));
    }
    if text.trim_start().starts_with("<arg_key>") {
        return tagged_pairs(text).map(Value::Object);
    }
    let start = text.find('{').filter(|start| *start <= LONGEST_GAP && is_gap(&text[..*start]))?;
    let read = tolerant::document(&text[start..]).ok()?;
    (!read.unfinished && read.value.is_object()).then_some(read.value)
}

fn is_gap(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    words.into_iter().all(|word| GAP_WORDS.contains(&word.to_ascii_lowercase().as_str()))
}

/// Arguments as Python writes them, up to the closing bracket: `key="…", other=[1, 2])`.
fn keywords(text: &str) -> Option<Map<String, Value>> {
    let mut args = Map::new();
    let mut rest = text.trim_start();
    while !rest.starts_with(')') {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|end| *end > 0)?;
        let (key, behind) = rest.split_at(end);
        let (value, behind) = python_value(behind.trim_start().strip_prefix('=')?.trim_start())?;
        args.insert(key.to_owned(), value);
        rest = behind.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    (!args.is_empty()).then_some(args)
}

/// A value of Python's, and what stands behind it.
fn python_value(text: &str) -> Option<(Value, &str)> {
    const QUOTES: [&str; 4] = ["\"\"\"", "'''", "\"", "'"];
    let raw = text.strip_prefix('r').filter(|rest| rest.starts_with(['"', '\'']));
    if let Some(quote) = QUOTES.into_iter().find(|quote| raw.unwrap_or(text).starts_with(quote)) {
        let (string, behind) = python_string(&raw.unwrap_or(text)[quote.len()..], quote, raw.is_some())?;
        return Some((Value::String(string), behind));
    }
    if text.starts_with(['[', '{']) {
        let read = tolerant::document(text).ok().filter(|read| !read.unfinished)?;
        return Some((read.value, &text[read.length..]));
    }
    let end = text.find([',', ')'])?;
    let value = match text[..end].trim() {
        "True" | "true" => Value::Bool(true),
        "False" | "false" => Value::Bool(false),
        "None" | "null" => Value::Null,
        number => number.parse::<i64>().ok()?.into(),
    };
    Some((value, &text[end..]))
}

/// A string up to its quotation mark, and what stands behind it.
fn python_string<'t>(text: &'t str, quote: &str, raw: bool) -> Option<(String, &'t str)> {
    let mut string = String::new();
    let mut rest = text;
    loop {
        if let Some(behind) = rest.strip_prefix(quote) {
            return Some((string, behind));
        }
        let mut chars = rest.chars();
        match (chars.next()?, raw) {
            ('\\', false) => match chars.next()? {
                'n' => string.push('\n'),
                't' => string.push('\t'),
                'r' => string.push('\r'),
                '\n' => {}
                mark @ ('\\' | '"' | '\'') => string.push(mark),
                other => string.extend(['\\', other]),
            },
            (other, _) => string.push(other),
        }
        rest = chars.as_str();
    }
}

/// Keys and values in tags of their own, in turns.
fn tagged_pairs(text: &str) -> Option<Map<String, Value>> {
    let between = |text: &'_ str, tag: &str| -> Option<(String, usize)> {
        let start = text.find(&format!("<{tag}>"))? + tag.len() + 2;
        let end = start + text[start..].find(&format!("</{tag}>"))?;
        Some((text[start..end].to_owned(), end + tag.len() + 3))
    };
    let mut args = Map::new();
    let mut rest = text;
    while let Some((key, behind)) = between(rest, "arg_key") {
        let (value, end) = between(&rest[behind..], "arg_value")?;
        rest = &rest[behind + end..];
        args.insert(key.trim().to_owned(), super::tagged::value(&value));
    }
    (!args.is_empty()).then_some(args)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NAMES: [&str; 2] = ["write_fix", "goal_accomplished"];

    #[test]
    fn a_name_before_its_arguments_is_a_command() {
        let args = r#"{"diff": "-a\n+b\n"}"#;
        for text in [
            format!("Thought: it is b\nAction: write_fix\nAction Input: {args}"),
            format!("<|channel|>commentary to=functions.write_fix <|constrain|>json<|message|>{args}<|call|>"),
            format!("<|tool_call_begin|>functions.write_fix:0<|tool_call_argument_begin|>{args}<|tool_call_end|>"),
            format!("<｜tool▁call▁begin｜>function<｜tool▁sep｜>write_fix\n```json\n{args}\n```<｜tool▁call▁end｜>"),
            format!("[TOOL_CALLS]write_fix[ARGS]{args}"),
            format!("I call `write_fix({args})`."),
            "```tool_code\nprint(default_api.write_fix(diff=\"-a\\n+b\\n\"))\n```".to_owned(),
            "write_fix(diff=\"\"\"-a\n+b\n\"\"\")".to_owned(),
            "<tool_call>write_fix\n<arg_key>diff</arg_key>\n<arg_value>-a\n+b\n</arg_value>\n</tool_call>".to_owned(),
        ] {
            assert_eq!(named_outside(&text, &NAMES), Some(("write_fix", json!({"diff": "-a\n+b\n"}))), "{text}");
        }
    }

    #[test]
    fn words_and_program_text_are_no_command() {
        for text in [
            "I would use write_fix, for instance on the class Cart { int a; }",
            "```python\ndef rewrite_fix(a):\n    return go({\"a\": a})\n```",
            "write_fix(a, b)",
            "write_fix(diff=\"-a",
            "write_fix: {\"diff\": \"-a",
        ] {
            assert_eq!(named_outside(text, &NAMES), None, "{text}");
        }
    }

    #[test]
    fn values_of_python_are_read() {
        let text =
            "goal_accomplished(files=['A.java', 'B.java'], first_line = 12, done=True, note=r'\\d', why='it\\'s')";
        let args = json!({"files": ["A.java", "B.java"], "first_line": 12, "done": true, "note": "\\d", "why": "it's"});
        assert_eq!(named_outside(text, &NAMES), Some(("goal_accomplished", args)));
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_it(text in ".{0,200}", at in 0usize..200) {
            let cut = text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
            let text = format!("{}write_fix({}", &text[..cut], &text[cut..]);
            let _ = named_outside(&text, &NAMES);
        }
    }
}
