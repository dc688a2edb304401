//! Which lines of a file hold a statement that can be wrong.
//!
//! Braces, comments, imports, and declarations without an initial value execute nothing, so no ranking holds them. A
//! statement that spans several lines is one unit: evidence on any of its lines counts for its first one.

use crate::domain::LineSpan;
use crate::language::{self, Language, first_line, last_line, text_of};
use tree_sitter::Node;

/// The lines one statement owns: a compound statement only its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// From its first line to the last one before its body.
    pub lines: LineSpan,
    /// How many loops of the same method enclose it; a loop's own header counts as inside.
    pub loops: u32,
    /// Whether it is the header of a loop.
    pub header: bool,
    /// Whether it throws on purpose.
    pub throws: bool,
    /// Whether it assigns a variable that the condition of a loop around it names.
    pub progress: bool,
    /// The lines that run or do not by what its condition says, those of a condition alone: its branches, and what follows
    /// in the same block where a branch leaves it.
    pub decides: Option<LineSpan>,
}

/// Statements that choose between branches.
const CHOICES: [&str; 2] = ["if_statement", "elif_clause"];
/// Statements after which a block does not go on.
const LEAVING: [&str; 5] =
    ["return_statement", "throw_statement", "raise_statement", "break_statement", "continue_statement"];

/// All statements of a file in order of their first line; empty when it cannot be parsed at all.
pub fn statements(text: &str, language: &dyn Language) -> Vec<Statement> {
    let Some(tree) = language::parse(text, language) else { return Vec::new() };
    let mut found = Vec::new();
    let mut enclosing: Vec<(usize, u32)> = Vec::new();
    let mut conditions: Vec<(usize, Vec<&str>)> = Vec::new();
    let is_loop = |node: Node<'_>| language.syntax().loops.contains(&node.kind());
    language::preorder(tree.root_node(), |node| {
        while enclosing.last().is_some_and(|&(end, _)| end <= node.start_byte()) {
            enclosing.pop();
        }
        while conditions.last().is_some_and(|&(end, _)| end <= node.start_byte()) {
            conditions.pop();
        }
        if is_loop(node) {
            conditions.push((node.end_byte(), names_in(node.child_by_field_name("condition"), text)));
        }
        let above = enclosing.last().map_or(0, |&(_, loops)| loops);
        let loops = match node {
            node if is_loop(node) => above + 1,
            node if language.syntax().is_method(node) => 0,
            _ => above,
        };
        if loops != above {
            enclosing.push((node.end_byte(), loops));
        }
        if language.executes(node) {
            let header = is_loop(node);
            let moves = |name: &str| conditions.iter().any(|(_, all)| all.contains(&name));
            let progress = !header && language.assigned(node, text).is_some_and(moves);
            let throws = matches!(node.kind(), "throw_statement" | "raise_statement");
            let decides = CHOICES.contains(&node.kind()).then(|| decided(node));
            found.push(Statement { lines: own_lines(node), loops, header, throws, progress, decides });
        }
        true
    });
    found.sort_by_key(|s| (s.lines.first, s.lines.last));
    found
}

/// Names of variables in an expression.
fn names_in<'t>(expression: Option<Node<'_>>, text: &'t str) -> Vec<&'t str> {
    let mut names = Vec::new();
    if let Some(expression) = expression {
        language::preorder(expression, |node| {
            if node.kind() == "identifier" {
                names.push(text_of(node, text));
            }
            true
        });
    }
    names
}

/// The lines that a choice decides on: see [`Statement::decides`].
fn decided(node: Node<'_>) -> LineSpan {
    // What follows an `elif` in Python stands beside it.
    let whole = if node.kind() == "elif_clause" { node.parent().unwrap_or(node) } else { node };
    let branch = node.child_by_field_name("consequence");
    let last = branch.map(|branch| {
        let mut cursor = branch.walk();
        if LEAVING.contains(&branch.kind()) { Some(branch) } else { branch.named_children(&mut cursor).last() }
    });
    let leaves = last.flatten().is_some_and(|last| LEAVING.contains(&last.kind()));
    let block = whole.parent().filter(|_| leaves).unwrap_or(whole);
    let first = branch.map_or(first_line(node), first_line);
    LineSpan { first, last: last_line(block).max(first) }
}

/// The lines of the statement without its body or branches; of a `do` loop those of its condition.
fn own_lines(node: Node<'_>) -> LineSpan {
    let whole = LineSpan { first: first_line(node), last: last_line(node) };
    if node.kind() == "do_statement" {
        return node
            .child_by_field_name("condition")
            .map_or(whole, |condition| LineSpan { first: first_line(condition), last: last_line(condition) });
    }
    let body = ["body", "consequence"].iter().find_map(|field| node.child_by_field_name(field));
    match body.and_then(|body| body.prev_sibling()) {
        Some(before) => LineSpan { first: whole.first, last: last_line(before).max(whole.first) },
        None => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Java;

    const SOURCE: &str = "class Cart {
    int total;
    int limit = 10;

    // adds up
    int sum(int[] items) {
        int sum;
        sum = 0;
        for (int i = 0;
                i < items.length; i++) {
            if (items[i] > 0) {
                sum += items[i];
            } else {
                log(
                    items[i]);
            }
        }
        return sum;
    }
}
";

    #[test]
    fn braces_comments_and_bare_declarations_are_no_statements() {
        let spans: Vec<_> = statements(SOURCE, &Java).iter().map(|s| (s.lines.first, s.lines.last)).collect();
        assert_eq!(spans, [(3, 3), (8, 8), (9, 10), (11, 11), (12, 12), (14, 15), (18, 18)]);
    }

    #[test]
    fn loops_are_counted() {
        let found = statements(SOURCE, &Java);
        let at = |line| found.iter().find(|s| s.lines.first == line).map(|s| s.loops);
        assert_eq!(at(8), Some(0));
        assert_eq!(at(9), Some(1));
        assert_eq!(at(12), Some(1));
    }

    #[test]
    fn a_condition_decides_on_its_branches_and_on_what_follows_one_that_leaves() {
        let source = "class A { int f(int low, int high) {
    if (low > high) {
        low = high;
    } else {
        high = low;
    }
    if (low == 0)
        return 0;
    high++;
    return high;
} }";
        let decided = |source: &str, language: &dyn Language| -> Vec<(u32, u32, u32)> {
            let found = statements(source, language).into_iter();
            found.filter_map(|s| s.decides.map(|lines| (s.lines.first, lines.first, lines.last))).collect()
        };
        assert_eq!(decided(source, &Java), [(2, 2, 6), (7, 8, 11)]);
        let source = "def f(a):
    if a > 1:
        a = 1
    elif a < 0:
        raise ValueError(a)
    else:
        a = 0
    return a
";
        assert_eq!(decided(source, &crate::language::Python), [(2, 3, 7), (4, 5, 8)]);
    }

    #[test]
    fn what_moves_a_loop_on_is_known() {
        let source = "class A { int f(int low, int high) {
    while (low < high) {
        int middle = (low + high) / 2;
        high = middle;
        low++;
        f(middle, 1);
    }
    high = 0;
} }";
        let found = statements(source, &Java);
        let moving: Vec<u32> = found.iter().filter(|s| s.progress).map(|s| s.lines.first).collect();
        assert_eq!(moving, [4, 5]);
    }

    #[test]
    fn broken_text_is_no_reason_to_stop() {
        assert!(statements("class { int = ; return", &Java).len() < 3);
        assert!(statements("\u{feff}class A { int a = 1; }", &Java).len() == 1);
    }
}
