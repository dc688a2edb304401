//! A patch whose conditions stand on lines of their own, so that the lines that tests run tell which sides they took.
//!
//! It does what the patch does, is measured, and never judged or written. Beside line ends it has brackets where Python
//! wants them, and in Java another conditional around the second value of each.

use super::content::differing;
use super::untested::{new_lines, sides};
use crate::domain::{FileChange, Patch, RepoPath};
use crate::language::{self, Language, children, decode, first_line, last_line};
use std::collections::BTreeMap;
use tree_sitter::Node;

/// A patch with its conditions on lines of their own, and where its lines come from.
#[derive(Debug)]
pub struct Spread {
    /// What the patch does, with more line ends.
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
    let before = file.before.as_deref().map(|bytes| decode(bytes).0).unwrap_or_default();
    let (after, is_utf8) = (decode(&file.after).0, std::str::from_utf8(&file.after).is_ok());
    let lines = new_lines(&differing(&before, &after));
    let tree = language::parse(&after, language).filter(|tree| is_utf8 && !tree.root_node().has_error())?;
    let mut added = Added { text: &after, is_indented: language.is_indented(), at: BTreeMap::new() };
    language::preorder(tree.root_node(), |node| {
        if lines.contains(&first_line(node)) {
            added.spread(node);
        }
        // Before Python 3.12 nothing in a text of several parts may have a line end.
        !node.kind().starts_with("string")
    });
    (!added.at.is_empty()).then(|| added.written())
}

/// What is put into a text, outer nodes before those in them.
struct Added<'t> {
    text: &'t str,
    is_indented: bool,
    /// By place: what closes what stands before it, and what opens what stands behind it.
    at: BTreeMap<usize, (String, String)>,
}

impl Added<'_> {
    fn open(&mut self, at: usize, text: &str) {
        self.at.entry(at).or_default().1.push_str(text);
    }

    fn close(&mut self, at: usize, text: &str) {
        self.at.entry(at).or_default().0.insert_str(0, text);
    }

    /// Puts the sides of a node on lines of their own.
    fn spread(&mut self, node: Node<'_>) {
        let is_statement = matches!(node.kind(), "if_statement" | "elif_clause" | "else_clause");
        let mut sides = sides(node);
        sides.retain(|side| !is_statement || last_line(*side) == first_line(node));
        if sides.is_empty() {
            return;
        }
        let line_end = self.line_end(node);
        match (is_statement, self.is_indented) {
            (true, true) => sides.iter().for_each(|side| self.open(side.start_byte(), &line_end)),
            (true, false) => {
                for side in sides {
                    let inner = children(side).into_iter().find(|inner| side.kind() == "block" && inner.is_named());
                    self.open(inner.unwrap_or(side).start_byte(), &line_end);
                    self.close(side.end_byte(), &line_end);
                }
            }
            (false, true) => self.in_brackets(node, &sides, &line_end),
            (false, false) => {
                self.close(node.end_byte(), &line_end);
                sides.iter().for_each(|side| self.open(side.start_byte(), &line_end));
                self.part_last(node);
            }
        }
    }

    /// A line end that goes on with a node.
    fn line_end(&self, node: Node<'_>) -> String {
        if !self.is_indented {
            return "\n".to_owned();
        }
        // The grammar of Python wants lines that go on to stand behind the block's margin.
        let line = self.text[..node.start_byte()].rsplit('\n').next().unwrap_or_default();
        let margin: String = line.chars().take_while(|c| c.is_whitespace()).collect();
        format!("\n{margin}    ")
    }

    /// Between brackets a line may end anywhere.
    fn in_brackets(&mut self, node: Node<'_>, sides: &[Node<'_>], line_end: &str) {
        self.open(node.start_byte(), "(");
        self.close(node.end_byte(), &format!("{line_end})"));
        let condition = node.named_child(1).filter(|_| node.kind() == "conditional_expression");
        for part in sides.iter().copied().chain(condition) {
            self.open(part.start_byte(), line_end);
        }
    }

    /// The compiler of Java gives the code behind a conditional the line of its second value, which so looks run whenever the
    /// conditional is. In its place stands a conditional whose first value is the same and has a line of its own.
    fn part_last(&mut self, node: Node<'_>) {
        let Some(last) = node.child_by_field_name("alternative").filter(|_| node.kind() == "ternary_expression") else {
            return;
        };
        self.open(last.start_byte(), "(java.lang.Math.abs(0) == 0 ? \n");
        self.close(last.end_byte(), &format!(" : \n{})", &self.text[last.byte_range()]));
    }

    fn written(&self) -> (String, Vec<u32>) {
        let (mut out, mut lines, mut line, mut done) = (String::new(), vec![1], 1, 0);
        let mut copy = |part: &str, is_new: bool| {
            out.push_str(part);
            for _ in part.matches('\n') {
                line += u32::from(!is_new);
                lines.push(line);
            }
        };
        for (at, (closing, opening)) in &self.at {
            copy(&self.text[done..*at], false);
            copy(closing, true);
            copy(opening, true);
            done = *at;
        }
        copy(&self.text[done..], false);
        (out, lines)
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
        assert_eq!(
            of("return x < 0 ? 0 : x;"),
            class("return x < 0 ? \n0 : \n(java.lang.Math.abs(0) == 0 ? \nx : \nx)\n;")
        );
        let chain = of("return x < 0 ? 0 : x > 9 ? 9 : x;");
        assert!(chain.contains("9 : \n(java.lang.Math.abs(0) == 0 ? \nx : \nx)\n : \nx > 9 ? 9 : x)\n;"), "{chain}");
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
