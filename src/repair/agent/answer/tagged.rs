//! Commands in tags, as some models write them whatever form is asked for: `<invoke name="…"><parameter name="…">`,
//! `<function=…><parameter=…>`, and `<tool><argument>` with the tool's name as the tag.

use super::candidate::Candidate;
use super::tolerant;
use serde_json::{Map, Value};

/// Tags that only wrap a call.
const WRAPPERS: [&str; 6] = ["tool_call", "tool_calls", "function_calls", "function_call", "tool_use", "command"];
/// Longest name of a tag.
const LONGEST: usize = 64;

/// A tag that opens: its name, the name it gives to what it holds, and the bytes behind it.
struct Opened<'t> {
    tag: &'t str,
    given: &'t str,
    behind: usize,
}

impl<'t> Opened<'t> {
    /// Its name without the space of names in front.
    fn local(&self) -> &'t str {
        self.tag.rsplit(':').next().unwrap_or(self.tag)
    }
}

/// The calls of a text, in order, and where the first one starts; `None` where it holds none.
pub(super) fn commands(text: &str) -> Option<(usize, Vec<Candidate>)> {
    let mut found = Vec::new();
    let mut first = None;
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|offset| at + offset) {
        at = start + 1;
        let Some(opened) = opened(&text[start..]) else { continue };
        let inside = start + opened.behind;
        if WRAPPERS.contains(&opened.local()) {
            at = inside;
            continue;
        }
        let is_call = ["invoke", "function", "tool"].contains(&opened.local()) && !opened.given.is_empty();
        let name = if is_call { opened.given } else { opened.local() };
        let Some(end) = text[inside..].find(&format!("</{}>", opened.tag)).map(|offset| inside + offset) else {
            continue;
        };
        let args = arguments(&text[inside..end]);
        if is_call || (name.contains('_') && !args.is_empty()) {
            first.get_or_insert(start);
            found.push(Candidate { thoughts: String::new(), name: name.to_owned(), args: Value::Object(args) });
            at = end;
        }
    }
    first.map(|start| (start, found))
}

/// Arguments between the tags of a call: a tag for each, or one object of JSON.
fn arguments(text: &str) -> Map<String, Value> {
    if text.trim_start().starts_with('{')
        && let Ok(read) = tolerant::document(text.trim_start())
        && let Value::Object(args) = read.value
    {
        return args;
    }
    let mut args = Map::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|offset| at + offset) {
        at = start + 1;
        let Some(opened) = opened(&text[start..]) else { continue };
        let inside = start + opened.behind;
        let Some(end) = text[inside..].find(&format!("</{}>", opened.tag)).map(|offset| inside + offset) else {
            continue;
        };
        let name = if opened.given.is_empty() { opened.local() } else { opened.given };
        args.insert(name.to_owned(), value(&text[inside..end]));
        at = end;
    }
    args
}

/// What stands between two tags: JSON where it is a list or an object, else the text without the line breaks at its ends.
pub(super) fn value(text: &str) -> Value {
    let plain = text.trim();
    match serde_json::from_str(plain) {
        Ok(value @ (Value::Array(_) | Value::Object(_))) => value,
        _ => {
            let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
            let text = text.strip_prefix("<![CDATA[").and_then(|rest| rest.strip_suffix("]]>")).unwrap_or(text);
            Value::String(text.to_owned())
        }
    }
}

/// Reads an opening tag: `<name>`, `<name=given>`, `<space:name name="given">`.
fn opened(text: &str) -> Option<Opened<'_>> {
    let end = text.find('>')?;
    let inside = text[1..end].trim();
    let is_word = |word: &str| {
        !word.is_empty() && word.len() <= LONGEST && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let (tag, rest) = inside.split_once([' ', '=']).unwrap_or((inside, ""));
    let given = rest.trim().trim_start_matches("name=").trim_matches(['"', '\'', ' ']);
    let is_tag =
        tag.starts_with(|c: char| c.is_ascii_lowercase()) && is_word(tag.rsplit(':').next().unwrap_or_default());
    (is_tag && (given.is_empty() || is_word(given))).then(|| Opened { tag, given, behind: end + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_in_tags_are_read() {
        let wanted = vec![Candidate {
            thoughts: String::new(),
            name: "write_fix".into(),
            args: serde_json::json!({"diff": "-a < b\n+a <= b\n", "lines": [1, 2]}),
        }];
        for text in [
            "So:\n<function_calls>\n<invoke name=\"write_fix\">\n<parameter name=\"diff\">-a < b\n+a <= b\n</parameter>\
             <parameter name=\"lines\">[1, 2]</parameter>\n</invoke>\n</function_calls>",
            "<tool_call>\n<function=write_fix>\n<parameter=diff>\n-a < b\n+a <= b\n</parameter>\n<parameter=lines>\n\
             [1, 2]\n</parameter>\n</function>\n</tool_call>",
            "<x:function_calls><x:invoke name=\"write_fix\"><x:parameter name=\"diff\">-a < b\n+a <= b\n</x:parameter>\
             <x:parameter name=\"lines\">[1, 2]</x:parameter></x:invoke></x:function_calls>",
            "<function=write_fix>{\"diff\": \"-a < b\\n+a <= b\\n\", \"lines\": [1, 2]}</function>",
            "<write_fix>\n<diff>\n-a < b\n+a <= b\n</diff>\n<lines>[1, 2]</lines>\n</write_fix>",
        ] {
            assert_eq!(commands(text).unwrap().1, wanted, "{text}");
        }
        for code in ["List<String> a = new ArrayList<>(); // <b>", "if (a < b && c > d) {}", "<p>no call</p>", "<a_b>"]
        {
            assert_eq!(commands(code), None, "{code}");
        }
    }
}
