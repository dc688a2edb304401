//! Python's tree as the families see it.

use crate::language::{children, preorder, text_of};
use crate::templates::scope::Origin;
use crate::templates::site::Site;
use tree_sitter::Node;

/// Whether families work on the node as a whole.
pub(in crate::templates) fn is_site(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "expression_statement"
            | "return_statement"
            | "raise_statement"
            | "assert_statement"
            | "delete_statement"
            | "break_statement"
            | "continue_statement"
            | "pass_statement"
            | "if_statement"
            | "elif_clause"
            | "while_statement"
            | "for_statement"
            | "with_statement"
            | "try_statement"
    )
}

/// Whether a child of a statement holds statements of its own.
pub(in crate::templates) fn is_body(_: Node<'_>, child: Node<'_>) -> bool {
    child.kind() == "block" || child.kind().ends_with("_clause") && !is_comprehension(child)
}

/// `for x in y` and `if z` of a comprehension, and what belongs to a `with`.
fn is_comprehension(node: Node<'_>) -> bool {
    matches!(node.kind(), "for_in_clause" | "if_clause" | "with_clause")
}

/// Whether the node is an expression that stands for a value.
pub(in crate::templates) fn is_value(node: Node<'_>) -> bool {
    match node.kind() {
        "identifier" => is_value_identifier(node),
        "attribute" | "subscript" => !is_target(node) && !is_called(node),
        "tuple" | "list" => !is_target(node),
        kind => {
            is_literal(kind)
                || matches!(
                    kind,
                    "binary_operator"
                        | "boolean_operator"
                        | "comparison_operator"
                        | "conditional_expression"
                        | "not_operator"
                        | "unary_operator"
                        | "call"
                        | "dictionary"
                        | "set"
                        | "lambda"
                        | "list_comprehension"
                        | "set_comprehension"
                        | "dictionary_comprehension"
                        | "generator_expression"
                        | "parenthesized_expression"
                )
        }
    }
}

/// Whether the kind is a literal.
pub(super) fn is_literal(kind: &str) -> bool {
    matches!(kind, "integer" | "float" | "string" | "true" | "false" | "none")
}

/// Whether an identifier stands for a value, not for a name that is being declared, called, assigned or selected.
fn is_value_identifier(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    let is_field = |field: &str| parent.child_by_field_name(field) == Some(node);
    match parent.kind() {
        "attribute" => !is_field("attribute"),
        "keyword_argument" | "default_parameter" | "typed_default_parameter" => !is_field("name"),
        "call" => !is_field("function"),
        "named_expression" => !is_field("name"),
        "global_statement" | "nonlocal_statement" | "type" | "decorator" | "as_pattern_target" | "dotted_name" => false,
        kind => !kind.contains("parameter") && !kind.ends_with("_definition") && !is_target(node),
    }
}

/// Whether the node names what a call calls.
pub(super) fn is_called(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| parent.child_by_field_name("function") == Some(node))
}

/// Whether something is assigned to the node.
pub(super) fn is_target(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    let is_left = parent.child_by_field_name("left") == Some(node);
    match parent.kind() {
        "assignment" | "augmented_assignment" | "for_statement" | "for_in_clause" => is_left,
        "pattern_list" | "tuple_pattern" | "list_pattern" | "as_pattern_target" => true,
        _ => false,
    }
}

/// Expressions of a statement's own part, those in formatted texts among them, outer before inner.
pub(in crate::templates) fn own_expressions(statement: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    preorder(statement, |node| {
        if node != statement && node.parent().is_some_and(|parent| is_body(parent, node)) {
            return false;
        }
        if is_value(node) {
            found.push(node);
        }
        true
    });
    found
}

/// The function, or the statement at the top of a class or file, that holds the node.
pub(in crate::templates) fn member(node: Node<'_>) -> Option<Node<'_>> {
    let above = || std::iter::successors(Some(node), |node| node.parent());
    let function = above().filter(|node| node.kind() == "function_definition").last();
    function.or_else(|| above().find(|node| node.parent().is_some_and(|parent| parent.kind() == "module")))
}

/// The innermost function around a node.
pub(super) fn function(node: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(node.parent(), |node| node.parent()).find(|node| node.kind() == "function_definition")
}

/// Whether a loop of the same function holds the node.
pub(super) fn in_loop(node: Node<'_>) -> bool {
    let is_loop = |node: Node<'_>| matches!(node.kind(), "for_statement" | "while_statement");
    let mut above = std::iter::successors(node.parent(), |node| node.parent());
    above.find(|node| is_loop(*node) || node.kind() == "function_definition").is_some_and(is_loop)
}

/// The expression without the parentheses around it.
pub(super) fn bare(node: Node<'_>) -> Node<'_> {
    let mut inner = node;
    while inner.kind() == "parenthesized_expression" {
        match inner.named_child(0) {
            Some(child) => inner = child,
            None => break,
        }
    }
    inner
}

/// Arguments of a call in order, without those that have names.
pub(super) fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    let list = call.child_by_field_name("arguments").filter(|list| list.kind() == "argument_list");
    list.map_or_else(Vec::new, |list| elements(list).into_iter().filter(|node| is_value(*node)).collect())
}

/// What stands between the commas of a list.
pub(super) fn elements(list: Node<'_>) -> Vec<Node<'_>> {
    children(list).into_iter().filter(|node| node.is_named() && !node.is_extra()).collect()
}

/// Whether an expression must be put in parentheses before an operator is added to it.
pub(super) fn is_compound(node: Node<'_>) -> bool {
    node.kind().ends_with("_operator") || matches!(node.kind(), "conditional_expression" | "lambda")
}

/// The text of an expression, in parentheses where an operator beside it could tear it apart.
pub(super) fn whole(node: Node<'_>, text: &str) -> String {
    let own = text_of(node, text);
    if is_compound(node) { format!("({own})") } else { own.to_owned() }
}

/// The condition of a statement.
pub(super) fn condition_of(statement: Node<'_>) -> Option<Node<'_>> {
    matches!(statement.kind(), "if_statement" | "elif_clause" | "while_statement")
        .then(|| statement.child_by_field_name("condition"))
        .flatten()
        .map(bare)
}

/// What decides within a statement: its own condition, then those of conditional expressions and of comprehensions.
pub(super) fn conditions<'a>(site: &Site<'a>) -> Vec<Node<'a>> {
    let is_asked = |node: &Node<'_>| {
        node.parent().is_some_and(|parent| match parent.kind() {
            "conditional_expression" => elements(parent).get(1) == Some(node),
            kind => kind == "if_clause",
        })
    };
    let inner = site.expressions.iter().copied().filter(is_asked).map(bare);
    condition_of(site.statement).into_iter().chain(inner).collect()
}

/// Whether a plain name in a method stands for an attribute of the object at other places of the file, and not for
/// anything else.
pub(super) fn is_of_object(site: &Site<'_>, name: &str) -> bool {
    let parameters = function(site.statement).and_then(|method| method.child_by_field_name("parameters"));
    if parameters.and_then(|list| list.named_child(0)).is_none_or(|first| site.text(first) != "self") {
        return false;
    }
    let text: &str = &site.unit.text;
    let own = format!("self.{name}");
    let is_whole = |at: usize| !text[at + own.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_');
    let is_known = site.scope.iter().any(|known| known.name == name && known.origin != Origin::Field);
    !is_known && (text.match_indices(&own).any(|(at, _)| is_whole(at)) || text.contains(&format!("def {name}(self")))
}

/// Whether an expression is surely a truth value.
pub(super) fn is_truth(node: Node<'_>) -> bool {
    matches!(node.kind(), "comparison_operator" | "not_operator" | "true" | "false")
        || node.kind() == "boolean_operator"
            && ["left", "right"].iter().all(|side| node.child_by_field_name(side).is_some_and(is_truth_below))
}

/// As [`is_truth`], one level further down: more is not looked at.
fn is_truth_below(node: Node<'_>) -> bool {
    matches!(bare(node).kind(), "comparison_operator" | "not_operator" | "true" | "false")
}
