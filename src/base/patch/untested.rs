//! Which of its changed statements and branches no test runs, by the lines that were run with the patch.

use super::content::{compared, differing};
use crate::domain::FileChange;
use crate::language::{self, Language, children, decode, first_line, last_line};
use similar::DiffOp;
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// What a patch changes in one file, as far as tests can run it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changed {
    /// First lines of the statements that it adds or changes.
    pub statements: Vec<u32>,
    /// Those of them that were not run, but for single ones under a condition in `branches`.
    pub unrun: Vec<u32>,
    /// Lines of new or changed conditions of which one side was not run.
    pub branches: Vec<u32>,
    /// Lines of new or changed conditions of which all was run but a side that only throws.
    pub guards: Vec<u32>,
    /// Lines of exception handlers that are new and throw nothing.
    pub swallows: Vec<u32>,
    /// Lines that it takes away.
    pub removed: usize,
    /// Lines that it adds.
    pub added: usize,
}

/// What a patch changes in a file; `ran` are the lines of the patched file that tests ran.
pub fn changed(file: &FileChange, ran: &BTreeSet<u32>, language: &dyn Language) -> Changed {
    let before = file.before.as_deref().map(|bytes| decode(bytes).0).unwrap_or_default();
    let after = decode(&file.after).0;
    let ops = differing(&before, &after);
    let lines = new_lines(&ops);
    let removed = ops.iter().map(|op| op.old_range().len()).sum();
    let mut found = Changed { removed, added: lines.len(), ..Changed::default() };
    let Some(tree) = language::parse(&after, language) else { return found };
    language::preorder(tree.root_node(), |node| {
        look(node, &lines, ran, language, &mut found);
        true
    });
    found
}

/// The lines of the patched file that are new or changed, counted from 1.
pub(super) fn new_lines(ops: &[DiffOp]) -> BTreeSet<u32> {
    ops.iter().flat_map(DiffOp::new_range).map(|line| u32::try_from(line + 1).unwrap_or(u32::MAX)).collect()
}

/// Lines of a patched file that stood in it before, each with its number there, counted from 1.
pub fn kept_lines(file: &FileChange) -> BTreeMap<u32, u32> {
    let before = file.before.as_deref().map(|bytes| decode(bytes).0).unwrap_or_default();
    let after = decode(&file.after).0;
    let number = |line: usize| u32::try_from(line + 1).unwrap_or(u32::MAX);
    let kept = compared(&before, &after).into_iter().filter(|op| matches!(op, DiffOp::Equal { .. }));
    kept.flat_map(|op| op.new_range().map(number).zip(op.old_range().map(number))).collect()
}

/// What a condition chooses, each part by itself.
pub(super) fn sides(node: Node<'_>) -> Vec<Node<'_>> {
    let field = |name: &str| node.child_by_field_name(name);
    let found = match node.kind() {
        // What stands under `elif` and `else` has clauses of its own.
        "if_statement" => [field("consequence"), field("alternative").filter(|side| !side.kind().ends_with("_clause"))],
        "elif_clause" => [field("consequence"), None],
        "else_clause" => [field("body"), None],
        "ternary_expression" => [field("consequence"), field("alternative")],
        "conditional_expression" if field("condition").is_none() => [node.named_child(0), node.named_child(2)],
        "boolean_operator" => [field("right").filter(|right| !is_constant(*right)), None],
        "switch_rule" => [children(node).into_iter().rfind(Node::is_named), None],
        _ => [None, None],
    };
    found.into_iter().flatten().collect()
}

/// Whether nothing is computed for a node.
fn is_constant(node: Node<'_>) -> bool {
    matches!(node.kind(), "true" | "false" | "none")
}

/// Adds what a node is, where it begins on a changed line.
fn look(node: Node<'_>, lines: &BTreeSet<u32>, ran: &BTreeSet<u32>, language: &dyn Language, found: &mut Changed) {
    let own = own_lines(node);
    let is_changed = own.clone().any(|line| lines.contains(&line));
    if !is_changed || !node.is_named() {
        return;
    }
    let was_run = own.clone().any(|line| ran.contains(&line));
    // What loads a module may have run before any test.
    if language.executes(node) && (was_run || !runs_when_loaded(node, language)) {
        found.statements.push(first_line(node));
        if !was_run && !is_told(node, found) {
            found.unrun.push(first_line(node));
        }
    }
    match node.kind() {
        "if_statement" if own.clone().any(|line| ran.contains(&line)) && !both_sides(node, ran) => {
            let is_guard = only_throws(node) && runs_apart(node, "alternative", ran);
            if is_guard { &mut found.guards } else { &mut found.branches }.push(first_line(node));
        }
        "for_statement" | "enhanced_for_statement" | "while_statement"
            if own.clone().any(|line| ran.contains(&line)) && !runs_apart(node, "body", ran) =>
        {
            found.branches.push(first_line(node));
        }
        "ternary_expression" | "conditional_expression" | "boolean_operator" if leaves_a_side(node, ran) => {
            found.branches.push(first_line(node));
        }
        "catch_clause" | "except_clause" if lines.contains(&first_line(node)) && !throws(node) => {
            found.swallows.push(first_line(node));
        }
        _ => {}
    }
}

/// Whether a statement runs when its module is loaded: it stands in no function, and under no condition.
fn runs_when_loaded(node: Node<'_>, language: &dyn Language) -> bool {
    const AROUND: [&str; 4] = ["module", "block", "class_definition", "decorated_definition"];
    let mut around = std::iter::successors(node.parent(), |node| node.parent());
    language.is_indented() && around.all(|node| AROUND.contains(&node.kind()))
}

/// The lines of a statement itself, without those of the blocks in it.
fn own_lines(node: Node<'_>) -> std::ops::RangeInclusive<u32> {
    let blocks = children(node).into_iter().filter(|child| is_block(*child));
    let last = blocks.map(first_line).min().unwrap_or_else(|| last_line(node));
    first_line(node)..=last.max(first_line(node)).min(last_line(node))
}

fn is_block(node: Node<'_>) -> bool {
    matches!(node.kind(), "block" | "compound_statement" | "class_body" | "switch_block")
        || node.kind().ends_with("_clause")
}

/// Whether tests ran what stands under a condition, and, where there is one, under its `else`.
fn both_sides(node: Node<'_>, ran: &BTreeSet<u32>) -> bool {
    runs_apart(node, "consequence", ran) && runs_apart(node, "alternative", ran)
}

/// Whether tests ran a part of a statement, where it has that part.
fn runs_apart(node: Node<'_>, part: &str, ran: &BTreeSet<u32>) -> bool {
    let header = first_line(node);
    node.child_by_field_name(part).is_none_or(|part| {
        let (first, last) = (first_line(part), last_line(part));
        // What stands on the line of its condition cannot be distinguished from it.
        last == header || ran.range(first.max(header + 1)..=last).next().is_some()
    })
}

/// Whether tests ran an expression and not one of its sides, as far as these stand on lines of their own.
fn leaves_a_side(node: Node<'_>, ran: &BTreeSet<u32>) -> bool {
    let runs = |part: Node<'_>| ran.range(first_line(part)..=last_line(part)).next().is_some();
    let is_apart = |side: Node<'_>| {
        let others = children(node).into_iter().filter(|other| other.is_named() && other.id() != side.id());
        others.into_iter().all(|other| last_line(other) < first_line(side) || first_line(other) > last_line(side))
    };
    runs(node) && sides(node).into_iter().any(|side| is_apart(side) && !runs(side))
}

/// Whether a statement is all that stands under one of some conditions: what is said of the condition tells of it.
fn is_told(node: Node<'_>, found: &Changed) -> bool {
    let block = node.parent().filter(|block| is_block(*block) && block.named_child_count() == 1);
    let under = block.map_or(node.parent(), |block| block.parent());
    let told = |line: u32| found.branches.contains(&line) || found.guards.contains(&line);
    under.is_some_and(|up| up.kind() == "if_statement" && told(first_line(up)))
}

/// Whether what stands under a condition only throws, with what it has to say written before it.
fn only_throws(node: Node<'_>) -> bool {
    let under = node.child_by_field_name("consequence");
    let all = under.map_or_else(Vec::new, |under| if is_block(under) { children(under) } else { vec![under] });
    let named: Vec<_> = all.into_iter().filter(|node| node.is_named() && !node.is_extra()).collect();
    let says = |node: &Node<'_>| matches!(node.kind(), "expression_statement" | "local_variable_declaration");
    let throws = |node: &Node<'_>| matches!(node.kind(), "throw_statement" | "raise_statement");
    named.split_last().is_some_and(|(last, before)| throws(last) && before.len() < 3 && before.iter().all(says))
}

/// Whether an exception handler throws something on.
fn throws(node: Node<'_>) -> bool {
    let mut found = false;
    language::preorder(node, |inner| {
        found |= matches!(inner.kind(), "throw_statement" | "raise_statement");
        !found
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RepoPath;
    use crate::language::{Java, Python};

    fn untested_in(before: &str, after: &str, ran: &[u32], language: &dyn Language) -> Changed {
        let bytes = |text: &str| text.as_bytes().into();
        let path = RepoPath::new("a").unwrap();
        let file = FileChange { path, before: Some(bytes(before)), after: bytes(after) };
        changed(&file, &ran.iter().copied().collect(), language)
    }

    #[test]
    fn what_no_test_runs_is_told() {
        let before = "def f(x):\n    return x\n";
        let after = "def f(x):\n    if x < 0:\n        return 0\n    return x\n";
        let all = untested_in(before, after, &[2, 3, 4], &Python);
        assert_eq!((all.unrun, all.branches), (vec![], vec![]));
        let some = untested_in(before, after, &[2, 4], &Python);
        assert_eq!((some.unrun, some.branches), (vec![], vec![2]));
        let longer = after.replace("        return 0\n", "        x = 0\n        return x\n");
        let some = untested_in(before, &longer, &[2, 5], &Python);
        assert_eq!((some.unrun, some.branches), (vec![3, 4], vec![2]));
        let none = untested_in(before, after, &[], &Python);
        assert!(none.unrun.contains(&3) && none.branches.is_empty(), "{none:?}");
    }

    #[test]
    fn what_runs_when_a_module_is_loaded_is_no_statement_that_tests_leave_out() {
        let before = "A = [1] - [2]\n\n\nclass B:\n    c = 1\n    if A:\n        d = 2\n";
        let after = before.replace("-", "+").replace("c = 1", "c = 3").replace("d = 2", "d = 4");
        let found = untested_in(before, &after, &[], &Python);
        assert_eq!((found.statements, found.unrun), (vec![7], vec![7]));
        let found = untested_in(before, &after, &[1], &Python);
        assert_eq!((found.statements, found.unrun), (vec![1, 7], vec![7]));
    }

    #[test]
    fn a_check_that_no_test_fails_is_told_apart() {
        let before = "def f(x):\n    if x == 0:\n        raise Wrong(x)\n    return x\n";
        let after = before.replace("==", "!=");
        let found = untested_in(before, &after, &[2, 4], &Python);
        assert_eq!((found.guards, found.branches), (vec![2], vec![]));
        let longer = after.replace("raise Wrong(x)", "text = 'wrong'\n        raise Wrong(text)");
        assert_eq!(untested_in(before, &longer, &[2, 5], &Python).guards, [2]);
        let other = after.replace("raise Wrong(x)", "return 0");
        assert_eq!(untested_in(before, &other, &[2, 4], &Python).branches, [2]);
    }

    #[test]
    fn a_loop_that_no_test_goes_into_is_told() {
        let before = "class A {\n  void f(int n) {\n    for (int i = 0; i < n; i--) {\n      g(i);\n    }\n  }\n}\n";
        let never = before.replace("i < n", "i > n");
        assert_eq!(untested_in(before, &never, &[3], &Java).branches, [3]);
        assert!(untested_in(before, &never, &[3, 4], &Java).branches.is_empty());
        let (before, after) = ("for x in y:\n    print(x)\n", "for x in z:\n    print(x)\n");
        assert_eq!(untested_in(before, after, &[1], &Python).branches, [1]);
    }

    #[test]
    fn sides_of_an_expression_are_told_where_they_have_lines() {
        let java = |body: &str| format!("class A {{\n  int f(int x) {{\n    {body}\n  }}\n}}\n");
        let (before, after) = (java("return x;"), java("return x < 0\n ? 0\n : x;"));
        assert_eq!(untested_in(&before, &after, &[3, 5], &Java).branches, [3]);
        assert!(untested_in(&before, &after, &[3, 4, 5], &Java).branches.is_empty());
        assert!(untested_in(&before, &java("return x < 0 ? 0 : x;"), &[3], &Java).branches.is_empty());
        let (before, after) = ("def f(x):\n    return x\n", "def f(x):\n    return (x or\n        3)\n");
        assert_eq!(untested_in(before, after, &[2], &Python).branches, [2]);
        assert!(untested_in(before, after, &[2, 3], &Python).branches.is_empty());
    }

    #[test]
    fn a_handler_that_throws_nothing_swallows() {
        let before = "class A {\n  int f() {\n    return g();\n  }\n}\n";
        let hides = "class A {\n  int f() {\n    try {\n      return g();\n    } catch (Error e) {\n      return 0;\n    }\n  }\n}\n";
        assert_eq!(untested_in(before, hides, &[4], &Java).swallows, [5]);
        let wraps = hides.replace("return 0", "throw new Wrong(e)");
        assert!(untested_in(before, &wraps, &[4], &Java).swallows.is_empty());
    }

    #[test]
    fn statements_over_several_lines_are_run_on_any_of_them() {
        let before = "class A {\n  int f() {\n    return g();\n  }\n}\n";
        let after = "class A {\n  int f() {\n    return g(1,\n        h());\n  }\n}\n";
        assert!(untested_in(before, after, &[4], &Java).unrun.is_empty());
        assert_eq!(untested_in(before, after, &[], &Java).unrun, [3]);
    }
}
