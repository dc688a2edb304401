//! Trees of Java and C as the families see them: which nodes are expressions and statements, and what encloses what.

use super::python::called::{Called, called};
use super::rules::{EngineRules, rules};
use super::shape::Shape;
use crate::domain::RepoPath;
use crate::language::{self, Language, first_line, last_line, text_of};
use std::sync::{Arc, OnceLock};
use tree_sitter::{Node, Tree};

/// One parsed file.
pub struct Unit {
    /// Where it lies.
    pub path: RepoPath,
    /// Its decoded text.
    pub text: Arc<str>,
    /// Its tree.
    pub tree: Tree,
    /// What it is written in.
    pub language: &'static dyn Language,
    /// How its tree is read.
    pub rules: &'static EngineRules,
    called: OnceLock<Vec<Called>>,
}

impl Unit {
    /// Parses a file; `None` when the grammar cannot be loaded, or no family knows the language.
    pub fn new(path: RepoPath, text: Arc<str>, language: &'static dyn Language) -> Option<Self> {
        let tree = language::parse(&text, language)?;
        Some(Self { path, text, tree, language, rules: rules(language)?, called: OnceLock::new() })
    }

    /// What a file in Python calls.
    pub(crate) fn called(&self) -> &[Called] {
        self.called.get_or_init(|| called(self))
    }

    /// The text of a node.
    pub fn text(&self, node: Node<'_>) -> &str {
        text_of(node, &self.text)
    }

    /// The root of the tree.
    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// The innermost statement (or field with a value) whose own lines hold the line.
    pub fn statement_at(&self, line: u32) -> Option<Node<'_>> {
        let mut best: Option<Node<'_>> = None;
        language::preorder(self.root(), |node| {
            if first_line(node) > line || last_line(node) < line {
                return false;
            }
            if (self.rules.is_site)(node) && self.owns_line(node, line) {
                best = Some(node);
            }
            true
        });
        best
    }

    /// The same with the statements around it whose heads lie on the line, the outermost first: `if (broken) return;`.
    pub(crate) fn statements_at(&self, line: u32) -> Vec<Node<'_>> {
        let Some(innermost) = self.statement_at(line) else { return Vec::new() };
        let around = std::iter::successors(innermost.parent(), |node| node.parent());
        let is_head = |node: &Node<'_>| (self.rules.is_site)(*node) && self.has_head_on(*node, line);
        let mut found: Vec<Node<'_>> = around.filter(is_head).collect();
        found.reverse();
        found.push(innermost);
        found
    }

    /// Whether what stands before the node's first body reaches the line.
    fn has_head_on(&self, node: Node<'_>, line: u32) -> bool {
        let children = language::children(node);
        let Some(body) = children.iter().position(|child| (self.rules.is_body)(node, *child)) else { return false };
        let end = children[..body].last().map_or(first_line(node), |before| last_line(*before));
        (first_line(node)..=end).contains(&line)
    }

    /// Whether the node's own part, its bodies left out, lies on the line.
    fn owns_line(&self, node: Node<'_>, line: u32) -> bool {
        let mut bodies = language::children(node).into_iter().filter(|child| (self.rules.is_body)(node, *child));
        let inside_body = |body: Node<'_>| {
            let opens_before = !self.language.is_indented() || first_line(node) == line;
            let same_line_header = first_line(body) == line && body.shape() == "block" && opens_before;
            (first_line(body)..=last_line(body)).contains(&line) && !same_line_header
        };
        !bodies.any(inside_body)
    }

    /// White space before the first character of the line a node starts on.
    pub fn indent(&self, node: Node<'_>) -> &str {
        let start = self.text[..node.start_byte()].rfind('\n').map_or(0, |at| at + 1);
        let line = &self.text[start..node.start_byte()];
        &line[..line.len() - line.trim_start().len()]
    }

    /// The file's line end.
    pub fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }
}

/// Whether templates work on the node as a whole: statements that do something, and fields with a value.
pub fn is_site(node: Node<'_>) -> bool {
    match node.shape() {
        "local_variable_declaration" => node.parent().is_none_or(|parent| parent.shape() != "for_statement"),
        "field_declaration" | "switch_expression" => true,
        kind => is_simple_statement(kind) || is_compound_statement(kind),
    }
}

/// Statements without statements inside, lambdas aside.
pub fn is_simple_statement(kind: &str) -> bool {
    matches!(
        kind,
        "expression_statement"
            | "local_variable_declaration"
            | "return_statement"
            | "throw_statement"
            | "assert_statement"
            | "break_statement"
            | "continue_statement"
            | "yield_statement"
            | "explicit_constructor_invocation"
    )
}

/// Statements with a header and a body.
pub(crate) fn is_compound_statement(kind: &str) -> bool {
    is_loop(kind)
        || matches!(kind, "if_statement" | "synchronized_statement" | "try_with_resources_statement" | "try_statement")
}

/// Loops.
pub(crate) fn is_loop(kind: &str) -> bool {
    matches!(kind, "for_statement" | "enhanced_for_statement" | "while_statement" | "do_statement")
}

/// Whether a child of a statement holds statements of its own.
pub fn is_body(parent: Node<'_>, child: Node<'_>) -> bool {
    if !is_compound_statement(parent.shape()) {
        return child.shape() == "switch_block" || parent.kind() == "switch_statement" && child.shape() == "block";
    }
    ["body", "consequence", "alternative"].iter().any(|field| parent.part(field) == Some(child))
        || matches!(child.shape(), "catch_clause" | "finally_clause")
}

/// Whether the node is an expression.
pub fn is_expression(node: Node<'_>) -> bool {
    if node.shape() == "identifier" {
        return is_value_identifier(node);
    }
    if node.shape() == "switch_expression" {
        return node.parent().is_some_and(|p| !matches!(p.shape(), "block" | "switch_block_statement_group"));
    }
    is_literal(node.shape())
        || matches!(
            node.shape(),
            "assignment_expression"
                | "binary_expression"
                | "cast_expression"
                | "instanceof_expression"
                | "lambda_expression"
                | "ternary_expression"
                | "unary_expression"
                | "update_expression"
                | "array_access"
                | "array_creation_expression"
                | "field_access"
                | "method_invocation"
                | "method_reference"
                | "object_creation_expression"
                | "parenthesized_expression"
                | "this"
        )
}

/// Whether the kind is a literal.
pub(crate) fn is_literal(kind: &str) -> bool {
    kind.ends_with("_literal") && kind != "class_literal" || matches!(kind, "true" | "false")
}

/// Whether an identifier stands for a value, not for a name that is being declared, called or selected.
fn is_value_identifier(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    let is_field = |field: &str| parent.part(field) == Some(node);
    match parent.shape() {
        "method_invocation" | "variable_declarator" | "enhanced_for_statement" | "resource" => !is_field("name"),
        "field_access" => !is_field("field"),
        "labeled_statement" | "break_statement" | "continue_statement" | "enumerator" => false,
        "lambda_expression" => !is_field("parameters"),
        kind => {
            let declares =
                kind.ends_with("_declaration") || kind.ends_with("_declarator") || kind.starts_with("preproc");
            !declares && !kind.contains("parameter") && !kind.contains("pattern")
        }
    }
}

/// Expressions of a statement's own part in order, lambdas with expression bodies included.
pub fn own_expressions(statement: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    language::preorder(statement, |node| {
        if node != statement {
            let nested_code = matches!(node.shape(), "block" | "class_body" | "switch_block");
            let body_of_other = node.parent().is_some_and(|parent| is_body(parent, node)) && is_statement(node);
            if nested_code || body_of_other || is_loop(node.shape()) {
                return false;
            }
            if matches!(node.shape(), "catch_clause" | "finally_clause") {
                return false;
            }
        }
        if is_expression(node) {
            found.push(node);
        }
        true
    });
    found
}

/// Whether the node is a statement in a block, or the sole body of another.
pub(crate) fn is_statement(node: Node<'_>) -> bool {
    is_simple_statement(node.shape())
        || is_compound_statement(node.shape())
        || matches!(node.shape(), "block" | "else_clause" | "labeled_statement" | "switch_expression")
}

/// The method, constructor, lambda with a block or initialiser that holds the node.
pub(crate) fn enclosing_callable(node: Node<'_>) -> Option<Node<'_>> {
    ancestors(node).find(|above| {
        matches!(
            above.shape(),
            "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" | "static_initializer"
        ) || above.shape() == "lambda_expression" && above.part("body").is_some_and(|body| body.shape() == "block")
    })
}

/// The member of a type that holds the node: a method, constructor, field, initialiser.
pub(crate) fn enclosing_member(node: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(Some(node), |n| n.parent())
        .find(|n| n.parent().is_some_and(|p| p.shape().ends_with("_body") && p.shape() != "constructor_body"))
}

/// Nodes above a node, the nearest first.
pub(crate) fn ancestors(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(node.parent(), |n| n.parent())
}

/// The innermost loop around a node, inside the same method.
pub(crate) fn enclosing_loop(node: Node<'_>) -> Option<Node<'_>> {
    ancestors(node)
        .take_while(|above| !above.shape().ends_with("_declaration") && above.shape() != "lambda_expression")
        .find(|above| is_loop(above.shape()))
}

/// The expression without the parentheses around it.
pub fn bare(node: Node<'_>) -> Node<'_> {
    let mut inner = node;
    while inner.shape() == "parenthesized_expression" {
        match inner.named_child(0) {
            Some(child) => inner = child,
            None => break,
        }
    }
    inner
}

/// Operator of a binary, unary, update or assignment expression, with its node.
pub(crate) fn operator(node: Node<'_>) -> Option<Node<'_>> {
    node.part("operator")
        .or_else(|| language::children(node).into_iter().find(|child| matches!(child.shape(), "++" | "--")))
}

/// Arguments of a call in order.
pub fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    call.part("arguments").map_or_else(Vec::new, |list| {
        language::children(list).into_iter().filter(|c| c.is_named() && !c.is_extra()).collect()
    })
}

/// Whether an expression must be put in parentheses before an operator is added to it.
pub(crate) fn is_compound_expression(node: Node<'_>) -> bool {
    matches!(
        node.shape(),
        "binary_expression"
            | "ternary_expression"
            | "assignment_expression"
            | "instanceof_expression"
            | "lambda_expression"
            | "cast_expression"
            | "unary_expression"
            | "switch_expression"
    )
}

/// The condition of an `if`, loop or ternary without its parentheses.
pub fn condition_of(node: Node<'_>) -> Option<Node<'_>> {
    match node.shape() {
        "if_statement" | "while_statement" | "do_statement" | "for_statement" | "ternary_expression" => {
            node.part("condition").map(bare)
        }
        _ => None,
    }
}
