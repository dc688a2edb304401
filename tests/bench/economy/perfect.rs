//! The answers of a model that sees the bug at once: marks on the lines of the developer's repair, and that repair.

use serde_json::json;
use similar::{DiffTag, TextDiff};
use unidebug::code::{SourceFile, outline_text};
use unidebug::domain::RepoPath;
use unidebug::language::Java;

/// Lines shown on each side of a mark.
const MARK_CONTEXT: usize = 1;
/// Lines on each side of a change, as in the usual unified diff.
const DIFF_CONTEXT: usize = 3;

/// A bug with the developer's repair.
pub struct Repair {
    /// For the table.
    pub name: String,
    /// What it changes.
    pub files: Vec<Repaired>,
}

/// One file before and after.
pub struct Repaired {
    pub path: RepoPath,
    pub before: String,
    pub after: String,
}

/// A change of the repair: old lines (from 0, end exclusive) that go, and whether lines come.
struct Change {
    old: std::ops::Range<usize>,
}

impl Repaired {
    /// Changes that a compiler sees: white space and whole-line comments are none.
    fn changes(&self) -> Vec<Change> {
        let diff = TextDiff::from_lines(&self.before, &self.after);
        let (old, new): (Vec<&str>, Vec<&str>) = (self.before.lines().collect(), self.after.lines().collect());
        let real = |lines: &[&str]| lines.iter().any(|line| is_code(line));
        let ops = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
        ops.filter(|op| real(&old[op.old_range()]) || real(&new[op.new_range()]))
            .map(|op| Change { old: op.old_range() })
            .collect()
    }

    /// The marked code: changed lines with their marks, a line around them.
    fn marked(&self) -> String {
        let lines: Vec<&str> = self.before.lines().collect();
        let mut snippets = Vec::new();
        for Change { old } in self.changes() {
            let mut text = Vec::new();
            for line in &lines[old.start.saturating_sub(MARK_CONTEXT)..old.start] {
                text.push((*line).to_owned());
            }
            match old.clone().any(|n| is_code(lines[n])) {
                true => text.extend(lines[old.clone()].iter().map(|line| match is_code(line) {
                    true => format!("{} // buggy line", line.trim_end()),
                    false => (*line).to_owned(),
                })),
                false => text.push("// missing line".to_owned()),
            }
            for line in &lines[old.end..(old.end + MARK_CONTEXT).min(lines.len())] {
                text.push((*line).to_owned());
            }
            snippets.push(text.join("\n"));
        }
        snippets.join("\n...\n")
    }

    fn diff(&self) -> String {
        let diff = TextDiff::from_lines(&self.before, &self.after);
        let (a, b) = (format!("a/{}", self.path), format!("b/{}", self.path));
        diff.unified_diff().context_radius(DIFF_CONTEXT).header(&a, &b).to_string()
    }

    /// The original lines of every method that the repair touches.
    pub fn methods(&self) -> Vec<String> {
        let file = self.outline();
        let mut methods: Vec<String> = Vec::new();
        for change in self.changes() {
            let last = change.old.end.max(change.old.start + 1);
            for line in change.old.start..last {
                let Some(method) = u32::try_from(line + 1).ok().and_then(|n| file.method_at(n)) else { continue };
                let text = file.lines(method.span).to_owned();
                if !methods.contains(&text) {
                    methods.push(text);
                }
            }
        }
        methods
    }

    /// Simple names of those methods, for the explanation.
    fn names(&self) -> Vec<String> {
        let file = self.outline();
        let lines = self.changes().into_iter().filter_map(|change| u32::try_from(change.old.start + 1).ok());
        let mut names: Vec<String> = lines.filter_map(|n| file.method_at(n)).map(|m| m.name.clone()).collect();
        names.dedup();
        names
    }

    fn outline(&self) -> SourceFile {
        outline_text(&self.path, &self.before, &Java)
    }
}

impl Repair {
    /// Locator's answer, in the documented form.
    pub fn marks(&self) -> String {
        let names: Vec<String> = self.files.iter().flat_map(Repaired::names).collect();
        let place = if names.is_empty() { "the class".to_owned() } else { format!("`{}`", names.join("`, `")) };
        let marked: Vec<String> = self.files.iter().map(Repaired::marked).collect();
        let mut args = json!({
            "marked_code": marked.join("\n...\n"),
            "explanation": format!(
                "In {place} the marked lines make the value that the failing assertion sees. With the input of the \
                 first failing test they leave it other than the test expects; all lines around them agree with it."
            ),
        });
        // A model names the file when it has seen several.
        if let [only] = self.files.as_slice() {
            args["file_path"] = json!(only.path);
        }
        command("goal_accomplished", &args, "Following the input of the first failing test, the state goes wrong here.")
    }

    /// Fixer's answer, in the documented form.
    pub fn fix(&self) -> String {
        let diff: String = self.files.iter().map(Repaired::diff).collect();
        let args = json!({
            "diff": diff,
            "explanation": "Kept the marks: with the changed lines the value is the expected one for every input, \
                            and nothing else depends on the old behaviour.",
        });
        command(
            "write_fix",
            &args,
            "The marks are right. The patch changes these lines and nothing else; run the tests.",
        )
    }
}

fn command(name: &str, args: &serde_json::Value, thoughts: &str) -> String {
    json!({"thoughts": thoughts, "command": {"name": name, "args": args}}).to_string()
}

fn is_code(line: &str) -> bool {
    let line = line.trim();
    !(line.is_empty() || line.starts_with("//") || line.starts_with("/*") || line.starts_with('*'))
}
