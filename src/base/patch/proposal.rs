//! What a proposer sent: the arguments of `write_fix` in any of their near-miss shapes.

use super::{Edits, Insertion, LineEdits, MethodEdit, Modification};
use crate::domain::Refusal;
use crate::domain::words::clipped;
use serde_json::{Map, Value};

/// Edits with what was said beside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// What is to be changed.
    pub edits: Edits,
    /// Which marks were kept or rejected, and why.
    pub explanation: Option<String>,
    /// The repair analysis of FixerPro.
    pub analysis: Option<String>,
}

/// Lines that one range of deletions may name.
const MAX_RANGE: u32 = 10_000;

const FILE: &[&str] = &["file_path", "file", "path", "file_name", "filepath", "filename", "filePath"];
const METHOD: &[&str] = &["method", "method_name", "methodName", "signature", "name"];
const CODE: &[&str] = &["code", "new_code", "method_code", "body", "content", "source"];
const LINE: &[&str] = &["line_number", "lineNumber", "line_no", "line", "number"];
const NEW_LINES: &[&str] = &["new_lines", "newLines", "lines", "new_line", "content", "code", "text"];
const MODIFIED: &[&str] =
    &["modified_line", "modifiedLine", "new_line", "new_lines", "modified", "content", "code", "text"];
const LISTS: &[&str] = &["edits", "changes", "changes_dicts", "changes_dict", "files"];
const DIFF: &[&str] = &["diff", "patch", "unified_diff"];

/// Reads the arguments of `write_fix`: `{"diff"}`, `{"methods": […]}` or `{"edits": […]}`, with `explanation` or
/// `analysis` beside. One object may stand for a list of one, text for a number, other names for `file_path`.
///
/// # Errors
/// Says which part cannot be read and what it should look like.
pub fn parse(args: &Value) -> Result<Proposal, Refusal> {
    match args {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => parse(&inner),
            _ => Ok(plain(Edits::Diff(text.clone()))),
        },
        Value::Array(_) => edits_of_list(args).map(plain),
        Value::Object(object) => of_object(object),
        other => Err(format!("`{other}` is no patch; {SHAPES}").into()),
    }
}

const SHAPES: &str = "give `diff` (a unified diff), `methods` (a list of {file_path, method, code}) or `edits` \
                      (a list of {file_path, insertions, deletions, modifications})";

fn plain(edits: Edits) -> Proposal {
    Proposal { edits, explanation: None, analysis: None }
}

fn of_object(object: &Map<String, Value>) -> Result<Proposal, Refusal> {
    let mut found = Vec::new();
    if let Some((key, value)) = entry(object, DIFF) {
        found.push(match value {
            Value::String(text) if parse_json(text).is_none() => Edits::Diff(text.clone()),
            Value::String(text) => parse(&parse_json(text).unwrap_or_default())?.edits,
            Value::Array(lines) if lines.iter().all(Value::is_string) => Edits::Diff(joined(lines)),
            Value::Array(_) | Value::Object(_) => edits_of_list(value)?,
            other => return Err(format!("`{key}` is {other}; it should be the text of a unified diff").into()),
        });
    }
    if let Some(value) = object.get("methods").filter(|value| !is_empty(value)) {
        let as_text = value.as_str().and_then(parse_json);
        let value = as_text.as_ref().unwrap_or(value);
        found.push(Edits::Methods(listed(value).into_iter().map(method_edit).collect::<Result<_, _>>()?));
    }
    if let Some((_, value)) = entry(object, LISTS) {
        found.push(edits_of_list(value)?);
    }
    if found.is_empty() && entry(object, FILE).is_some() {
        found.push(edits_of_list(&Value::Object(object.clone()))?);
    }
    let field_text = |key: &str| object.get(key).filter(|value| !value.is_null()).map(text_of);
    match found.len() {
        1 => {
            let edits = found.remove(0);
            Ok(Proposal { edits, explanation: field_text("explanation"), analysis: field_text("analysis") })
        }
        0 => Err(format!("there is no patch in it; {SHAPES}").into()),
        _ => Err(format!("it holds several forms of a patch at once; {SHAPES}, only one of them").into()),
    }
}

/// Edits of one list: its first element says which form it is.
fn edits_of_list(value: &Value) -> Result<Edits, Refusal> {
    let parsed;
    let value = match value {
        Value::String(text) => match parse_json(text) {
            Some(inner) => {
                parsed = inner;
                &parsed
            }
            None => return Ok(Edits::Diff(text.clone())),
        },
        other => other,
    };
    let items = listed(value);
    let is_diff = |item: &&Value| item.as_object().and_then(|object| entry(object, DIFF)).is_some();
    let is_method = |item: &&Value| {
        let Some(object) = item.as_object() else { return false };
        entry(object, CODE).is_some()
            && !["insertions", "deletions", "modifications"].iter().any(|k| object.contains_key(*k))
    };
    if items.is_empty() {
        return Err(format!("the list of edits is empty; {SHAPES}").into());
    }
    if items.iter().all(is_diff) {
        let parts = items.iter().filter_map(|item| item.as_object());
        return Ok(Edits::Diff(parts.map(diff_part).collect::<Result<Vec<_>, _>>()?.join("\n")));
    }
    if items.iter().all(is_method) {
        return Ok(Edits::Methods(items.into_iter().map(method_edit).collect::<Result<_, _>>()?));
    }
    Ok(Edits::Lines(items.into_iter().map(line_edits).collect::<Result<_, _>>()?))
}

/// The diff of one file of a list; where it has no header, the file's name becomes one.
fn diff_part(object: &Map<String, Value>) -> Result<String, Refusal> {
    let (_, value) = entry(object, DIFF).ok_or_else(|| "a file without a diff".to_owned())?;
    let text = match value {
        Value::Array(lines) => joined(lines),
        other => text_of(other),
    };
    match entry(object, FILE) {
        Some((_, Value::String(path))) if !text.contains("+++ ") => Ok(format!("--- a/{path}\n+++ b/{path}\n{text}")),
        _ => Ok(text),
    }
}

fn method_edit(value: &Value) -> Result<MethodEdit, Refusal> {
    let object = value.as_object().ok_or_else(|| format!("`{}` is no {{file_path, method, code}}", short(value)))?;
    let (_, code) = entry(object, CODE).ok_or_else(|| missing("code", "the whole method", value))?;
    let method = entry(object, METHOD).map(|(_, name)| text_of(name)).filter(|name| !name.trim().is_empty());
    Ok(MethodEdit { file_path: file_of(object, value)?, method, code: lines_or_text(code) })
}

fn line_edits(value: &Value) -> Result<LineEdits, Refusal> {
    let object = value.as_object().ok_or_else(|| format!("`{}` is no edit of a file", short(value)))?;
    let list = |key: &str| object.get(key).map(listed).unwrap_or_default();
    let mut edit = LineEdits {
        file_path: file_of(object, value)?,
        insertions: Vec::new(),
        deletions: Vec::new(),
        modifications: Vec::new(),
    };
    for item in list("insertions") {
        let new_lines = match field(item, NEW_LINES, "new_lines", "a list of lines")? {
            Value::Array(lines) => lines.iter().map(text_of).collect(),
            other => vec![text_of(other)],
        };
        edit.insertions
            .push(Insertion { line_number: number(field(item, LINE, "line_number", "a number")?)?, new_lines });
    }
    for item in list("deletions") {
        edit.deletions.extend(deleted(item)?);
    }
    for item in list("modifications") {
        let modified_line = lines_or_text(field(item, MODIFIED, "modified_line", "the new line")?);
        let line_number = number(field(item, LINE, "line_number", "a number")?)?;
        edit.modifications.push(Modification { line_number, modified_line });
    }
    if edit.insertions.is_empty() && edit.deletions.is_empty() && edit.modifications.is_empty() {
        return Err(format!("the edit of {} holds no insertion, deletion or modification", edit.file_path).into());
    }
    Ok(edit)
}

/// Line numbers of one deletion: a number, `"12-14"`, or an object with a number.
fn deleted(item: &Value) -> Result<Vec<u32>, Refusal> {
    if let Some(object) = item.as_object() {
        let first = entry(object, &["start_line", "start", "first"]).or_else(|| entry(object, LINE));
        let (_, first) = first.ok_or_else(|| missing("line_number", "a number", item))?;
        let last = entry(object, &["end_line", "end", "last"]).map_or(first, |(_, last)| last);
        return range(number(first)?, number(last)?);
    }
    let ends = item.as_str().and_then(|text| text.split_once('-'));
    match ends {
        Some((first, last)) => range(number(&Value::from(first))?, number(&Value::from(last))?),
        None => number(item).map(|line| vec![line]),
    }
}

fn range(first: u32, last: u32) -> Result<Vec<u32>, Refusal> {
    if last < first || last - first > MAX_RANGE {
        return Err(format!("`{first}-{last}` is no range of lines").into());
    }
    Ok((first..=last).collect())
}

fn number(value: &Value) -> Result<u32, Refusal> {
    let found = match value {
        Value::Number(number) => {
            number.as_u64().or_else(|| number.as_f64().filter(|n| n.fract() == 0.0).map(|n| n as u64))
        }
        Value::String(text) => text.trim().trim_start_matches(['L', 'l']).parse().ok(),
        _ => None,
    };
    found.and_then(|n| u32::try_from(n).ok()).ok_or_else(|| format!("`{}` is no line number", short(value)).into())
}

fn file_of(object: &Map<String, Value>, value: &Value) -> Result<String, Refusal> {
    match entry(object, FILE) {
        Some((_, Value::String(path))) if !path.trim().is_empty() => Ok(path.trim().to_owned()),
        _ => Err(missing("file_path", "a path inside the checkout", value)),
    }
}

fn field<'v>(value: &'v Value, names: &[&str], wanted: &str, what: &str) -> Result<&'v Value, Refusal> {
    value
        .as_object()
        .and_then(|object| entry(object, names))
        .map(|(_, v)| v)
        .ok_or_else(|| missing(wanted, what, value))
}

fn missing(key: &str, what: &str, value: &Value) -> Refusal {
    format!("`{key}` ({what}) is missing in `{}`", short(value)).into()
}

/// The first of the names that the object has with a value.
fn entry<'o>(object: &'o Map<String, Value>, names: &[&str]) -> Option<(&'o str, &'o Value)> {
    let there = |name: &&str| object.get_key_value(*name).filter(|(_, value)| !is_empty(value));
    names.iter().find_map(there).map(|(key, value)| (key.as_str(), value))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(items) => items.is_empty(),
        _ => false,
    }
}

fn listed(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Null => Vec::new(),
        other => vec![other],
    }
}

fn joined(lines: &[Value]) -> String {
    lines.iter().map(|line| text_of(line).trim_end_matches('\n').to_owned()).collect::<Vec<_>>().join("\n")
}

fn lines_or_text(value: &Value) -> String {
    match value {
        Value::Array(lines) => joined(lines),
        other => text_of(other),
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn short(value: &Value) -> String {
    clipped(&value.to_string(), 120)
}

fn parse_json(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim()).ok().filter(|value: &Value| value.is_array() || value.is_object())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn the_three_forms_are_read() {
        let diff = parse(&json!({"diff": "--- a/A\n+++ b/A\n-a\n+b", "explanation": "kept the first mark"})).unwrap();
        assert_eq!(diff.explanation.as_deref(), Some("kept the first mark"));
        assert!(matches!(diff.edits, Edits::Diff(_)));
        let methods = parse(
            &json!({"methods": [{"file_path": "A.java", "method": "f(int)", "code": "int f(int a) {}"}], "analysis": "why"}),
        );
        let methods = methods.unwrap();
        assert_eq!(methods.analysis.as_deref(), Some("why"));
        let expected =
            MethodEdit { file_path: "A.java".into(), method: Some("f(int)".into()), code: "int f(int a) {}".into() };
        assert_eq!(methods.edits, Edits::Methods(vec![expected]));
        let paper = json!({"edits": [{"file_path": "A.java", "insertions": [{"line_number": 3, "new_lines": ["x", "y"]}],
            "deletions": [4], "modifications": [{"line_number": 5, "modified_line": "z"}]}]});
        let Edits::Lines(lines) = parse(&paper).unwrap().edits else { panic!("lines") };
        assert_eq!((lines[0].deletions.as_slice(), lines[0].insertions[0].new_lines.len()), ([4].as_slice(), 2));
    }

    #[test]
    fn near_misses_are_understood() {
        let one = json!({"methods": {"file": "A.java", "method": "f", "code": ["int f() {", "}"]}});
        assert_eq!(
            parse(&one).unwrap().edits,
            parse(&json!({"methods": [{"path": "A.java", "name": "f", "code": "int f() {\n}"}]})).unwrap().edits
        );
        let paper = json!([{"file_name": "A.java", "insertions": {"line_number": "7", "new_lines": "x"}, "deletions": ["3-5", "9"], "modifications": []}]);
        let Edits::Lines(lines) = parse(&paper).unwrap().edits else { panic!("lines") };
        assert_eq!((lines[0].insertions[0].line_number, lines[0].deletions.as_slice()), (7, [3, 4, 5, 9].as_slice()));
        let listed =
            json!({"edits": [{"file_path": "A.java", "diff": "-a\n+b"}, {"file_path": "B.java", "diff": "-c\n+d"}]});
        let Edits::Diff(text) = parse(&listed).unwrap().edits else { panic!("diff") };
        assert!(text.contains("+++ b/A.java\n-a") && text.contains("+++ b/B.java\n-c"));
        assert!(matches!(parse(&json!("-a\n+b")).unwrap().edits, Edits::Diff(_)));
        assert!(matches!(parse(&json!({"file_path": "A", "code": "int x;"})).unwrap().edits, Edits::Methods(_)));
    }

    #[test]
    fn what_is_missing_is_named() {
        for (args, word) in [
            (json!({}), "no patch"),
            (json!({"methods": [{"file_path": "A.java"}]}), "`code`"),
            (json!({"methods": [{"code": "int f() {}"}]}), "`file_path`"),
            (json!({"edits": [{"file_path": "A.java", "insertions": [{"new_lines": ["x"]}]}]}), "`line_number`"),
            (json!({"edits": [{"file_path": "A.java", "deletions": ["soon"]}]}), "no line number"),
            (json!({"diff": "-a\n+b", "methods": [{"file_path": "A.java", "code": "x"}]}), "several forms"),
            (json!({"edits": [{"file_path": "A.java", "deletions": ["1-999999999"]}]}), "no range"),
            (json!(7), "no patch"),
        ] {
            let error = parse(&args).unwrap_err();
            assert!(error.contains(word), "{args}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_json_breaks_the_reader(text in "[\\[\\]{}:,\"a-z0-9 -]{0,80}") {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                let _ = parse(&value);
            }
            let _ = parse(&Value::String(text));
        }
    }
}
