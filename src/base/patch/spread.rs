//! A patch whose conditions stand on lines of their own, so that the lines that tests run tell which sides they took.
//!
//! Only the place of its line ends differs: it does what the patch does. It is measured, and never judged or written.

use super::untested::{changed_lines, sides};
use crate::domain::{FileChange, Patch, RepoPath};
use crate::language::{self, Language, children, decode, first_line, last_line};
use std::collections::BTreeMap;
use tree_sitter::Node;

/// A patch with more line ends, and where its lines come from.
#[derive(Debug)]
pub struct Spread {
    /// The patch.
    pub patch: Patch,
    /// By file, the line of the patched file that each of its lines comes from, counted from 1.
    lines: BTreeMap<RepoPath, Vec<u32>>,
}

impl Spread {
    /// Spreads what a patch changes in sources; other files, and those that cannot be read, stay as they are.
    pub fn of(patch: &Patch, language: &dyn Language) -> Self {
        let mut spread = Self { patch: patch.clone(), lines: BTreeMap::new() };
        let sources = |file: &&mut FileChange| language.is_source(file.path.as_str().into()) && !file.deletes();
        for file in spread.patch.files.iter_mut().filter(sources) {
            if let Some((text, lines)) = in_file(file, language) {
                file.after = text.into_bytes().into();
                spread.lines.insert(file.path.clone(), lines);
            }
        }
        spread
    }

    /// A patch as it is.
    pub fn none(patch: &Patch) -> Self {
        Self { patch: patch.clone(), lines: BTreeMap::new() }
    }

    /// Whether any line differs from the patch's.
    pub fn is_any(&self) -> bool {
        !self.lines.is_empty()
    }

    /// The line of the patched file that a line comes from.
    pub fn origin(&self, file: &RepoPath, line: u32) -> u32 {
        let known = self.lines.get(file).and_then(|lines| lines.get(usize::try_from(line).ok()?.checked_sub(1)?));
        known.copied().unwrap_or(line)
    }
}

/// The text with more line ends, and the origin of its lines; `None` where nothing is to be spread.
fn in_file(file: &FileChange, language: &dyn Language) -> Option<(String, Vec<u32>)> {
    let (after, is_utf8) = (decode(&file.after).0, std::str::from_utf8(&file.after).is_ok());
    let lines = changed_lines(file);
    let tree = language::parse(&after, language).filter(|tree| is_utf8 && !tree.root_node().has_error())?;
    let mut added: BTreeMap<usize, String> = BTreeMap::new();
    language::preorder(tree.root_node(), |node| {
        if lines.contains(&first_line(node)) {
            for (at, text) in ends_at(node, &after, language.is_indented()) {
                added.entry(at).or_default().push_str(&text);
            }
        }
        // Before Python 3.12 nothing in a text of several parts may have a line end.
        !node.kind().starts_with("string")
    });
    (!added.is_empty()).then(|| written(&after, &added))
}

fn written(text: &str, added: &BTreeMap<usize, String>) -> (String, Vec<u32>) {
    let (mut out, mut lines, mut line, mut done) = (String::new(), vec![1], 1, 0);
    let mut copy = |part: &str, out: &mut String, lines: &mut Vec<u32>, is_new: bool| {
        for c in part.chars() {
            out.push(c);
            if c == '\n' {
                line += u32::from(!is_new);
                lines.push(line);
            }
        }
    };
    for (at, new) in added {
        copy(&text[done..*at], &mut out, &mut lines, false);
        copy(new, &mut out, &mut lines, true);
        done = *at;
    }
    copy(&text[done..], &mut out, &mut lines, false);
    (out, lines)
}

/// What is inserted, and where, so that the sides of a node stand on lines of their own.
fn ends_at(node: Node<'_>, text: &str, is_indented: bool) -> Vec<(usize, String)> {
    let margin = text[..node.start_byte()].rsplit('\n').next().unwrap_or_default();
    let margin: String = margin.chars().take_while(|c| c.is_whitespace()).collect();
    // The grammar of Python wants lines that go on to stand behind the block's margin.
    let line_end = || if is_indented { format!("\n{margin}    ") } else { "\n".to_owned() };
    let is_statement = matches!(node.kind(), "if_statement" | "elif_clause" | "else_clause");
    let sides = sides(node).into_iter().filter(|side| !is_statement || last_line(*side) == first_line(node));
    match (is_statement, is_indented) {
        (true, true) => sides.map(|side| (side.start_byte(), line_end())).collect(),
        (true, false) => {
            let begin = |side: Node<'_>| children(side).into_iter().find(Node::is_named).unwrap_or(side).start_byte();
            let begin = |side: Node<'_>| if side.kind() == "block" { begin(side) } else { side.start_byte() };
            sides.flat_map(|side| [(begin(side), line_end()), (side.end_byte(), line_end())]).collect()
        }
        // Between brackets a line may end anywhere.
        (false, true) => {
            let mut found: Vec<_> = sides.map(|side| (side.start_byte(), line_end())).collect();
            if !found.is_empty() {
                if node.kind() == "conditional_expression" {
                    found.extend(node.named_child(1).map(|condition| (condition.start_byte(), line_end())));
                }
                found.insert(0, (node.start_byte(), "(".to_owned()));
                found.push((node.end_byte(), format!("{})", line_end())));
            }
            found
        }
        (false, false) => {
            let mut found: Vec<_> = sides.map(|side| (side.start_byte(), line_end())).collect();
            found.extend((!found.is_empty()).then(|| (node.end_byte(), line_end())));
            found
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Java, Python};

    fn spread_in(path: &str, before: &str, after: &str, language: &dyn Language) -> (String, Vec<u32>) {
        let path = RepoPath::new(path).unwrap();
        let file =
            FileChange { path: path.clone(), before: Some(before.as_bytes().into()), after: after.as_bytes().into() };
        let spread = Spread::of(&Patch { files: vec![file] }, language);
        let text = String::from_utf8(spread.patch.files[0].after.to_vec()).unwrap();
        let lines = (1..=u32::try_from(text.lines().count()).unwrap()).map(|line| spread.origin(&path, line)).collect();
        assert!(!language::parse(&text, language).unwrap().root_node().has_error(), "{text}");
        (text, lines)
    }

    #[test]
    fn sides_get_lines_of_their_own() {
        let before = "def f(x):\n    return x\n";
        let (text, lines) = spread_in("a.py", before, "def f(x):\n    return 0 if x < 0 else x\n", &Python);
        assert_eq!(text, "def f(x):\n    return (\n        0 if \n        x < 0 else \n        x\n        )\n");
        assert_eq!(lines, [1, 2, 2, 2, 2, 2]);
        let (text, _) = spread_in("a.py", before, "def f(x):\n    if not x: return 0\n    return x or 3\n", &Python);
        assert_eq!(text, "def f(x):\n    if not x: \n        return 0\n    return (x or \n        3\n        )\n");
        let class = |body: &str| format!("class A {{\n  int f(int x) {{\n    {body}\n  }}\n}}\n");
        let of = |body: &str| spread_in("A.java", &class("return x;"), &class(body), &Java).0;
        assert_eq!(of("return x < 0 ? 0 : x;"), class("return x < 0 ? \n0 : \nx\n;"));
        assert_eq!(of("if (x < 0) return 0; return x;"), class("if (x < 0) \nreturn 0;\n return x;"));
        assert_eq!(
            of("if (x < 0) { return 0; } else { x++; } return x;"),
            class("if (x < 0) { \nreturn 0; }\n else { \nx++; }\n return x;")
        );
    }

    #[test]
    fn what_is_not_changed_and_texts_stay() {
        let before = "def f(x):\n    y = 1 if x else 2\n    return x\n";
        let after = before.replace("return x", "return f'{1 if x else 2}'");
        assert_eq!(spread_in("a.py", before, &after, &Python).0, after);
    }
}
