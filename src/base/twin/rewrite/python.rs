//! Other words of Python.

use super::{Form, Operand, Place, exchanged, order_is_free, turned};
use crate::language::{children, text_of};
use tree_sitter::Node;

pub(super) const FORMS: &[Form] = &[branches, loops, comparison, step];

/// Methods by which objects say how they compare: then the order of operands may matter.
const COMPARING: &[&str] = &["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"];

/// `if c: a else: b` with the condition negated and the branches exchanged.
fn branches(node: Node<'_>, text: &str) -> Option<Place> {
    let mut cursor = node.walk();
    let mut others = node.children_by_field_name("alternative", &mut cursor);
    let (other, more) = (others.next()?, others.next());
    if node.kind() != "if_statement" || other.kind() != "else_clause" || more.is_some() {
        return None;
    }
    let (condition, one) = (node.child_by_field_name("condition")?, node.child_by_field_name("consequence")?);
    let other = other.child_by_field_name("body")?;
    let inline = |block: Node<'_>| text[..block.start_byte()].rsplit('\n').next().unwrap_or_default().trim() != "";
    if inline(one) || inline(other) || condition.kind() == "named_expression" {
        return None;
    }
    let mut edits = exchanged(one, other, text).to_vec();
    match (condition.kind(), condition.child_by_field_name("argument")) {
        ("not_operator", Some(argument)) => edits.push((condition.start_byte()..argument.start_byte(), String::new())),
        ("identifier" | "attribute" | "call", _) => {
            edits.push((condition.start_byte()..condition.start_byte(), "not ".into()))
        }
        _ => {
            edits.push((condition.start_byte()..condition.start_byte(), "not (".into()));
            edits.push((condition.end_byte()..condition.end_byte(), ")".into()));
        }
    }
    Some(Place { key: format!("if {}", text_of(condition, text)), edits })
}

/// `while c:` as a loop that is left when the condition does not hold.
fn loops(node: Node<'_>, text: &str) -> Option<Place> {
    if node.kind() != "while_statement" || node.child_by_field_name("alternative").is_some() {
        return None;
    }
    let (condition, body) = (node.child_by_field_name("condition")?, node.child_by_field_name("body")?);
    let indent = |node: Node<'_>| text[..node.start_byte()].rsplit('\n').next().unwrap_or_default();
    let (outer, inner) = (indent(node), indent(body));
    let unit = inner.strip_prefix(outer).filter(|unit| !unit.is_empty() && unit.trim().is_empty())?;
    let colon = children(node).into_iter().find(|child| child.kind() == ":")?;
    if !outer.trim().is_empty() || matches!(condition.kind(), "true" | "integer" | "named_expression") {
        return None;
    }
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let edits = vec![
        (node.start_byte()..condition.start_byte(), format!("while True:{end}{inner}if not (")),
        (condition.end_byte()..colon.end_byte(), format!("):{end}{inner}{unit}break")),
    ];
    Some(Place { key: format!("while {}", text_of(condition, text)), edits })
}

/// `a < b` as `b > a`, where the order in which both are computed cannot matter.
fn comparison(node: Node<'_>, text: &str) -> Option<Place> {
    let parts = if node.kind() == "comparison_operator" { children(node) } else { Vec::new() };
    let [left, sign, right] = parts.as_slice() else { return None };
    let new = turned(sign.kind())?;
    if !order_is_free(operand(*left), operand(*right)) || COMPARING.iter().any(|name| text.contains(name)) {
        return None;
    }
    let mut edits = exchanged(*left, *right, text).to_vec();
    edits.push((sign.byte_range(), new.into()));
    Some(Place { key: format!("compare {}", text_of(node, text)), edits })
}

fn operand(node: Node<'_>) -> Operand {
    let most = |fields: &[&str]| {
        let parts = fields.iter().filter_map(|field| node.child_by_field_name(field)).map(operand);
        parts.max().unwrap_or(Operand::Any)
    };
    match node.kind() {
        "integer" | "float" | "none" | "true" | "false" => Operand::Literal,
        "string" if node.named_child_count() <= 3 && !has_interpolation(node) => Operand::Literal,
        "unary_operator" => most(&["argument"]),
        "identifier" => Operand::Name,
        "attribute" if most(&["object"]) <= Operand::Plain => Operand::Plain,
        "parenthesized_expression" => node.named_child(0).map_or(Operand::Any, operand),
        "binary_operator" => {
            let sign = node.child_by_field_name("operator").map_or("", |sign| sign.kind());
            let most = most(&["left", "right"]);
            if ["+", "-", "*"].contains(&sign) && most <= Operand::Plain { Operand::Plain } else { Operand::Any }
        }
        "subscript" if most(&["value", "subscript"]) <= Operand::Plain => Operand::Indexed,
        _ => Operand::Any,
    }
}

fn has_interpolation(string: Node<'_>) -> bool {
    children(string).into_iter().any(|child| child.kind() == "interpolation")
}

/// `x += 1` written out, and `x = x + 1` shortened.
fn step(node: Node<'_>, text: &str) -> Option<Place> {
    let [left, right] = ["left", "right"].map(|field| node.child_by_field_name(field));
    let (left, right) = (left?, right?);
    if left.kind() != "identifier" || node.parent()?.kind() != "expression_statement" {
        return None;
    }
    let name = text_of(left, text);
    let new = match (node.kind(), right.kind()) {
        ("augmented_assignment", "integer") => {
            let sign = text_of(node.child_by_field_name("operator")?, text);
            let sign = ["+", "-"].into_iter().find(|known| sign == format!("{known}="))?;
            format!("{name} = {name} {sign} {}", text_of(right, text))
        }
        ("assignment", "binary_operator") => {
            let [one, sign, other] = ["left", "operator", "right"].map(|field| right.child_by_field_name(field));
            let (one, sign, other) = (one?, sign?, other?);
            if text_of(one, text) != name || other.kind() != "integer" || !["+", "-"].contains(&sign.kind()) {
                return None;
            }
            format!("{name} {}= {}", sign.kind(), text_of(other, text))
        }
        _ => return None,
    };
    Some(Place { key: format!("step {}", text_of(node, text)), edits: vec![(node.byte_range(), new)] })
}
