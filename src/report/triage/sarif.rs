//! SARIF 2.1.0: one run a bug, one result a suspicious line, the plausible patch as a fix of the first one.

use super::{Fix, Line, Triaged};
use crate::domain::FileChange;
use serde_json::{Value, json};
use similar::{DiffOp, capture_diff_slices};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const RULE: &str = "suspicious-line";

/// The whole log.
pub(crate) fn sarif(all: &[Triaged]) -> Value {
    json!({"$schema": SCHEMA, "version": "2.1.0", "runs": all.iter().map(run).collect::<Vec<_>>()})
}

fn run(bug: &Triaged) -> Value {
    let about = "a line that probably causes the failing tests";
    let driver = json!({
        "name": "unidebug", "version": env!("CARGO_PKG_VERSION"),
        "rules": [{"id": RULE, "name": "SuspiciousLine", "shortDescription": {"text": about}}],
    });
    let mut results: Vec<Value> = bug.lines.iter().enumerate().map(|(nth, line)| result(bug, nth, line)).collect();
    let fix = bug.fix.as_ref().filter(|fix| !fix.patch.files.is_empty());
    if let (Some(fix), Some(first)) = (fix, results.first_mut()) {
        first["fixes"] = json!([fix_object(fix)]);
    }
    let notes: Vec<Value> =
        bug.error.iter().map(|error| json!({"level": "error", "message": {"text": error}})).collect();
    json!({
        "tool": {"driver": driver},
        "automationDetails": {"id": bug.bug},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": bug.error.is_none(), "toolExecutionNotifications": notes}],
        "results": results,
    })
}

fn result(bug: &Triaged, nth: usize, line: &Line) -> Value {
    let tests: Vec<String> = bug.failing.iter().map(ToString::to_string).collect();
    let mut place = json!({"physicalLocation": {
        "artifactLocation": artifact(line.file.as_str()),
        "region": {"startLine": line.line},
    }});
    if !line.code.is_empty() {
        place["physicalLocation"]["region"]["snippet"] = json!({"text": line.code});
    }
    if let Some(method) = &line.method {
        place["logicalLocations"] = json!([{"fullyQualifiedName": method, "kind": "function"}]);
    }
    json!({
        "ruleId": RULE, "ruleIndex": 0, "level": if nth == 0 { "warning" } else { "note" },
        "message": {"text": format!("{} (failing: {})", line.reasons.join("; "), tests.join(", "))},
        "rank": (line.score * 100.0).clamp(0.0, 100.0),
        "locations": [place],
    })
}

fn artifact(path: &str) -> Value {
    json!({"uri": encoded(path), "uriBaseId": "%SRCROOT%"})
}

/// A path as a relative URI.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn fix_object(fix: &Fix) -> Value {
    let changes: Vec<Value> = fix.patch.files.iter().map(change).collect();
    json!({"description": {"text": "passes all tests; whether it is what was meant needs a review"},
        "artifactChanges": changes})
}

/// The changed lines of a file, whole lines at a time.
fn change(file: &FileChange) -> Value {
    let before = String::from_utf8_lossy(file.before.as_deref().unwrap_or_default()).into_owned();
    let after = String::from_utf8_lossy(&file.after).into_owned();
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let replacement = |(at, len): (usize, usize), text: String| {
        json!({
            "deletedRegion": {"startLine": at + 1, "startColumn": 1, "endLine": at + len + 1, "endColumn": 1},
            "insertedContent": {"text": text},
        })
    };
    let replacements: Vec<Value> = capture_diff_slices(similar::Algorithm::Myers, &old, &new)
        .into_iter()
        .filter_map(|op| match op {
            DiffOp::Equal { .. } => None,
            DiffOp::Delete { old_index, old_len, .. } => Some(replacement((old_index, old_len), String::new())),
            DiffOp::Insert { old_index, new_index, new_len } => {
                Some(replacement((old_index, 0), new[new_index..new_index + new_len].concat()))
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                Some(replacement((old_index, old_len), new[new_index..new_index + new_len].concat()))
            }
        })
        .collect();
    json!({"artifactLocation": artifact(file.path.as_str()), "replacements": replacements})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RepoPath;

    #[test]
    fn paths_are_uris_and_changes_are_whole_lines() {
        assert_eq!(encoded("src/a b/Ä.java"), "src/a%20b/%C3%84.java");
        let (before, after) = (b"a\nb\nc\n".as_slice(), b"a\nB\nc\nd\n".as_slice());
        let file =
            FileChange { path: RepoPath::new("A.java").unwrap(), before: Some(before.into()), after: after.into() };
        let change = change(&file);
        assert_eq!(change["replacements"][0]["deletedRegion"]["startLine"], 2);
        assert_eq!(change["replacements"][0]["insertedContent"]["text"], "B\n");
        assert_eq!(change["replacements"][1]["deletedRegion"]["endLine"], 4);
    }
}
