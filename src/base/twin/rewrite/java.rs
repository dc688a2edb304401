//! Other words of Java.

use super::{Form, Operand, Place, exchanged, order_is_free, turned};
use crate::language::{children, preorder, text_of};
use tree_sitter::Node;

pub(super) const FORMS: &[Form] = &[branches, loops, comparison, step];

/// `if (c) {a} else {b}` with the condition negated and the branches exchanged.
fn branches(node: Node<'_>, text: &str) -> Option<Place> {
    if node.kind() != "if_statement" {
        return None;
    }
    let [condition, one, other] =
        ["condition", "consequence", "alternative"].map(|field| node.child_by_field_name(field));
    let (condition, one, other) = (condition?.named_child(0)?, one?, other?);
    if one.kind() != "block" || other.kind() != "block" || condition.kind().ends_with("comment") {
        return None;
    }
    let mut edits = exchanged(one, other, text).to_vec();
    let operator = condition.child_by_field_name("operator");
    let operand = condition.child_by_field_name("operand");
    match (condition.kind(), operator.map(|operator| text_of(operator, text)), operator) {
        ("binary_expression", Some("=="), Some(sign)) => edits.push((sign.byte_range(), "!=".into())),
        ("binary_expression", Some("!="), Some(sign)) => edits.push((sign.byte_range(), "==".into())),
        ("unary_expression", Some("!"), _) => {
            edits.push((condition.start_byte()..operand?.start_byte(), String::new()))
        }
        ("identifier" | "method_invocation" | "field_access", ..) => {
            edits.push((condition.start_byte()..condition.start_byte(), "!".into()));
        }
        _ => {
            edits.push((condition.start_byte()..condition.start_byte(), "!(".into()));
            edits.push((condition.end_byte()..condition.end_byte(), ")".into()));
        }
    }
    Some(Place { key: format!("if {}", text_of(condition, text)), edits })
}

/// A loop with `while` becomes one with `for`, and the other way round.
fn loops(node: Node<'_>, text: &str) -> Option<Place> {
    match node.kind() {
        "while_statement" => {
            let condition = node.child_by_field_name("condition")?;
            let inner = condition.named_child(0)?;
            let edits = vec![
                (node.start_byte()..inner.start_byte(), "for (; ".into()),
                (inner.end_byte()..condition.end_byte(), "; )".into()),
            ];
            Some(Place { key: format!("while {}", text_of(inner, text)), edits })
        }
        "for_statement" => counted(node, text),
        _ => None,
    }
}

/// `for (init; condition; update) {…}` as a block with a `while`.
fn counted(node: Node<'_>, text: &str) -> Option<Place> {
    let (condition, body) = (node.child_by_field_name("condition")?, node.child_by_field_name("body")?);
    let fields = |field: &str| node.children_by_field_name(field, &mut node.walk()).collect::<Vec<_>>();
    let (init, updates) = (fields("init"), fields("update"));
    let labelled = node.parent().is_some_and(|up| up.kind() == "labeled_statement");
    if body.kind() != "block" || labelled || init.len() > 1 || updates.is_empty() || !comes_to_its_end(body) {
        return None;
    }
    let start = match init.first() {
        Some(init) if init.kind() == "local_variable_declaration" => text_of(*init, text).to_owned(),
        Some(init) => format!("{};", text_of(*init, text)),
        None => String::new(),
    };
    let updates: String = updates.iter().map(|update| format!("{}; ", text_of(*update, text))).collect();
    let edits = vec![
        (node.start_byte()..condition.start_byte(), format!("{{ {start} while (")),
        (condition.end_byte()..body.start_byte(), ") ".into()),
        (body.end_byte() - 1..body.end_byte(), format!("{updates}}} }}")),
    ];
    Some(Place { key: format!("for {start}{}{updates}", text_of(condition, text)), edits })
}

/// Whether what is added at the end of a body is reached each time round.
fn comes_to_its_end(body: Node<'_>) -> bool {
    let mut skips = false;
    preorder(body, |node| {
        skips |= node.kind() == "continue_statement";
        !skips
    });
    let last = children(body).into_iter().rfind(|child| child.is_named() && !child.kind().ends_with("comment"));
    let ends = last.is_some_and(|last| match last.kind() {
        "expression_statement" | "local_variable_declaration" | "enhanced_for_statement" => true,
        "if_statement" => last.child_by_field_name("alternative").is_none(),
        "for_statement" => last.child_by_field_name("condition").is_some_and(|condition| condition.kind() != "true"),
        _ => false,
    });
    ends && !skips
}

/// `a < b` as `b > a`, where the order in which both are computed cannot matter.
fn comparison(node: Node<'_>, text: &str) -> Option<Place> {
    if node.kind() != "binary_expression" {
        return None;
    }
    let [left, sign, right] = ["left", "operator", "right"].map(|field| node.child_by_field_name(field));
    let (left, sign, right) = (left?, sign?, right?);
    let new = turned(text_of(sign, text))?;
    if !order_is_free(operand(left), operand(right)) {
        return None;
    }
    let mut edits = exchanged(left, right, text).to_vec();
    edits.push((sign.byte_range(), new.into()));
    Some(Place { key: format!("compare {}", text_of(node, text)), edits })
}

fn operand(node: Node<'_>) -> Operand {
    let most = |fields: &[&str]| {
        let parts = fields.iter().filter_map(|field| node.child_by_field_name(field)).map(operand);
        parts.max().unwrap_or(Operand::Any)
    };
    match node.kind() {
        "decimal_integer_literal"
        | "hex_integer_literal"
        | "decimal_floating_point_literal"
        | "character_literal"
        | "string_literal"
        | "null_literal"
        | "true"
        | "false" => Operand::Literal,
        "unary_expression" => most(&["operand"]),
        "identifier" | "this" => Operand::Name,
        "field_access" if most(&["object"]) <= Operand::Plain => Operand::Plain,
        "parenthesized_expression" => node.named_child(0).map_or(Operand::Any, operand),
        "binary_expression" => {
            let sign = node.child_by_field_name("operator").map_or("", |sign| sign.kind());
            let most = most(&["left", "right"]);
            if ["+", "-", "*"].contains(&sign) && most <= Operand::Plain { Operand::Plain } else { Operand::Any }
        }
        "array_access" if most(&["array", "index"]) <= Operand::Plain => Operand::Indexed,
        _ => Operand::Any,
    }
}

/// `i++` as a statement written out, and `x = x + 1` shortened.
fn step(node: Node<'_>, text: &str) -> Option<Place> {
    let up = node.parent()?;
    let alone = up.kind() == "expression_statement"
        || (up.kind() == "for_statement"
            && up.children_by_field_name("update", &mut up.walk()).any(|child| child.id() == node.id()));
    let key = format!("step {}", text_of(node, text));
    match node.kind() {
        "update_expression" if alone => {
            let name = children(node).into_iter().find(|child| child.kind() == "identifier")?;
            let sign = if text_of(node, text).contains("++") { "+=" } else { "-=" };
            Some(Place { key, edits: vec![(node.byte_range(), format!("{} {sign} 1", text_of(name, text)))] })
        }
        "assignment_expression" if alone => {
            let [left, sign, right] = ["left", "operator", "right"].map(|field| node.child_by_field_name(field));
            let (left, right) = (left?, right?);
            let [one, inner, other] = ["left", "operator", "right"].map(|field| right.child_by_field_name(field));
            let (one, inner, other) = (one?, inner?, other?);
            let same = left.kind() == "identifier" && text_of(one, text) == text_of(left, text);
            let fits = same
                && sign?.kind() == "="
                && ["+", "-"].contains(&inner.kind())
                && other.kind() == "decimal_integer_literal";
            let new = format!("{} {}= {}", text_of(left, text), inner.kind(), text_of(other, text));
            fits.then(|| Place { key, edits: vec![(node.byte_range(), new)] })
        }
        _ => None,
    }
}
