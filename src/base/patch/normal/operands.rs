//! When the order of two operands of a Java operator cannot matter.
//!
//! Operands are evaluated from left to right, so they may change places only where neither can do anything: throw, call,
//! assign. Beside a literal every operand may move. `+` is left alone unless both sides are seen to be primitive, since it
//! joins texts too; `&&` and `||` unless both sides can always be evaluated. A comparison that looks to the right is
//! turned to the left. Python's operators can be overloaded: none of them is touched.

use super::scopes::Scopes;
use super::{Part, digest};
use crate::language::text_of;
use tree_sitter::Node;

/// What is known of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    /// A literal number, character or truth value.
    Number,
    /// `null` or a literal text.
    Literal,
    /// An expression over primitive values that neither throws nor does anything.
    Primitive,
    /// A name of unknown type: reading it does nothing, using it might.
    Name,
    /// An expression of which nothing is known: it may throw or do something.
    Other,
}

impl Operand {
    fn is_literal(self) -> bool {
        matches!(self, Self::Number | Self::Literal)
    }

    fn is_primitive(self) -> bool {
        matches!(self, Self::Number | Self::Primitive)
    }
}

/// Puts the parts of an operator into one order, where that is safe, and tells what is known of the whole.
pub(super) fn settle(node: Node<'_>, text: &str, parts: &mut [Part], scopes: &Scopes<'_>) -> Operand {
    match node.kind() {
        "decimal_integer_literal"
        | "hex_integer_literal"
        | "octal_integer_literal"
        | "binary_integer_literal"
        | "decimal_floating_point_literal"
        | "hex_floating_point_literal"
        | "character_literal"
        | "true"
        | "false" => Operand::Number,
        "null_literal" | "string_literal" => Operand::Literal,
        "this" => Operand::Name,
        "identifier" if scopes.is_primitive(text_of(node, text)) => Operand::Primitive,
        "identifier" => Operand::Name,
        "unary_expression" => match parts {
            [_, operand] if operand.operand.is_primitive() => Operand::Primitive,
            _ => Operand::Other,
        },
        "binary_expression" => binary(node, text, parts),
        _ => Operand::Other,
    }
}

fn binary(node: Node<'_>, text: &str, parts: &mut [Part]) -> Operand {
    let operator = node.child_by_field_name("operator").map_or("", |operator| text_of(operator, text));
    let [left, sign, right] = parts else { return Operand::Other };
    let (a, b) = (left.operand, right.operand);
    let primitive = a.is_primitive() && b.is_primitive();
    let still = a.is_literal() || b.is_literal() || (a != Operand::Other && b != Operand::Other);
    let mirrored = match operator {
        ">" => Some("<"),
        ">=" => Some("<="),
        _ => None,
    };
    if let Some(mirrored) = mirrored.filter(|_| still) {
        std::mem::swap(left, right);
        sign.digest = digest(mirrored, mirrored, &[]);
    }
    let free = match operator {
        "==" | "!=" | "*" | "&" | "|" | "^" => still,
        "+" | "&&" | "||" => primitive,
        _ => false,
    };
    if free && left.digest > right.digest {
        std::mem::swap(left, right);
    }
    let null = a == Operand::Literal || b == Operand::Literal;
    match operator {
        // They throw when the divisor is zero.
        "/" | "%" => Operand::Other,
        "==" | "!=" if null && still && a != Operand::Other && b != Operand::Other => Operand::Primitive,
        _ if primitive => Operand::Primitive,
        _ => Operand::Other,
    }
}
