//! Code that is already there: expressions and statements mined from methods, with the variables they use.

use super::infer::{Typer, variables};
use super::shape::Shape;
use super::syntax::{Unit, arguments};
use super::types::ValueType;
use crate::code::CodeIndex;
use crate::language::preorder;
use std::ops::Range;
use tree_sitter::Node;

/// Statements mined from one member at most.
const MAX_STATEMENTS: usize = 300;
/// Longer pieces of code are no ingredients.
const MAX_BYTES: usize = 160;

/// A use of a variable inside an ingredient.
#[derive(Debug, Clone)]
pub(crate) struct Use {
    /// Bytes inside the ingredient's text.
    pub range: Range<usize>,
    /// The variable.
    pub name: String,
    /// Its type, when known.
    pub kind: Option<ValueType>,
}

/// An expression or a statement that can be copied.
#[derive(Debug, Clone)]
pub(crate) struct Ingredient {
    /// Its text.
    pub text: String,
    /// Its grammar kind.
    pub shape: String,
    /// Its type, for expressions.
    pub kind: Option<ValueType>,
    /// The type of the only argument of a call, when it has one and its type is known.
    pub only_argument: Option<ValueType>,
    /// Variables it uses, in order.
    pub uses: Vec<Use>,
    /// Where it starts in its file.
    pub start: usize,
}

/// Everything mined from one member of a type.
#[derive(Debug, Default)]
pub(crate) struct Ingredients {
    /// Expressions other than names and plain literals, in order.
    pub expressions: Vec<Ingredient>,
    /// Simple statements, in order.
    pub statements: Vec<Ingredient>,
}

impl Ingredients {
    /// Mines a member: a method, constructor, initialiser or field.
    pub(crate) fn of(unit: &Unit, index: &CodeIndex, member: Node<'_>) -> Self {
        let mut sites = Vec::new();
        preorder(member, |node| {
            if (unit.rules.is_site)(node) && sites.len() < MAX_STATEMENTS {
                sites.push(node);
            }
            true
        });
        let mut ingredients = Self::default();
        for site in sites {
            let scope = variables(unit, index, site);
            let typer = Typer { unit, index, scope: &scope };
            for node in (unit.rules.expressions)(site) {
                let plain = matches!(node.shape(), "identifier" | "this" | "parenthesized_expression");
                if !plain && node.byte_range().len() <= MAX_BYTES {
                    ingredients.expressions.push(ingredient(typer, node));
                }
            }
            if (unit.rules.is_copyable)(site) && site.byte_range().len() <= MAX_BYTES {
                ingredients.statements.push(ingredient(typer, site));
            }
        }
        ingredients
    }
}

fn ingredient(typer: Typer<'_>, node: Node<'_>) -> Ingredient {
    let unit = typer.unit;
    let mut uses = Vec::new();
    preorder(node, |inner| {
        if inner.shape() == "identifier" && (unit.rules.is_value)(inner) {
            let name = unit.text(inner).to_owned();
            if typer.scope.iter().any(|variable| variable.name == name) {
                let range = inner.start_byte() - node.start_byte()..inner.end_byte() - node.start_byte();
                uses.push(Use { range, kind: typer.infer(inner), name });
            }
        }
        true
    });
    Ingredient {
        text: unit.text(node).to_owned(),
        shape: node.shape().to_owned(),
        kind: typer.infer(node),
        only_argument: match arguments(node).as_slice() {
            [argument] if node.shape() == "method_invocation" => typer.infer(*argument),
            _ => None,
        },
        uses,
        start: node.start_byte(),
    }
}
