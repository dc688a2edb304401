//! One suspicious statement with everything a template may ask about it.

use super::clues::Clues;
use super::edit::Edit;
use super::infer::{Typer, variables};
use super::ingredients::{Ingredient, Ingredients};
use super::scope::{Origin, Variable};
use super::shape::Shape;
use super::stores::Stores;
use super::syntax::{Unit, enclosing_callable, enclosing_loop};
use super::types::ValueType;
use crate::code::CodeIndex;
use crate::domain::words::{clipped, on_one_line};
use std::sync::Arc;
use tree_sitter::Node;

/// Variants of one ingredient with other variables at most.
const MAX_ADAPTED: usize = 6;

/// A statement under suspicion.
pub struct Site<'a> {
    /// Its file.
    pub unit: &'a Unit,
    /// The project.
    pub index: &'a CodeIndex,
    /// The statement, or the field with a value.
    pub statement: Node<'a>,
    /// Expressions of its own part, outer before inner.
    pub expressions: Vec<Node<'a>>,
    /// Variables in sight, nearest first; for a `for` loop its own ones too.
    pub scope: Vec<Variable>,
    /// Ingredients of the member the statement lies in.
    pub(crate) own: Arc<Ingredients>,
    /// Ingredients of other members, the nearest first.
    pub(crate) near: Vec<Arc<Ingredients>>,
    /// Ingredients of other files of the package.
    pub(crate) far: Arc<Vec<Arc<Ingredients>>>,
    /// What the failing tests say about exceptions.
    pub clues: &'a Clues,
}

impl<'a> Site<'a> {
    /// A site at a statement.
    pub(crate) fn new(
        unit: &'a Unit,
        index: &'a CodeIndex,
        statement: Node<'a>,
        stores: Stores,
        clues: &'a Clues,
    ) -> Self {
        let scope = variables(unit, index, statement);
        let Stores { own, near, far } = stores;
        let expressions = (unit.rules.expressions)(statement);
        Self { unit, index, statement, expressions, scope, own, near, far, clues }
    }

    /// The text of a node.
    pub fn text(&self, node: Node<'_>) -> &'a str {
        self.unit.text(node)
    }

    /// Infers types at this place.
    pub(crate) fn typer(&self) -> Typer<'_> {
        Typer { unit: self.unit, index: self.index, scope: &self.scope }
    }

    /// The type of an expression.
    pub fn kind(&self, node: Node<'_>) -> Option<ValueType> {
        self.typer().infer(node)
    }

    /// The type that is wanted where an expression stands, else its own.
    pub(crate) fn wanted(&self, node: Node<'_>) -> Option<ValueType> {
        self.typer().expected(node).or_else(|| self.kind(node))
    }

    /// Expressions of one kind of node.
    pub(crate) fn of_kind(&self, kind: &str) -> impl Iterator<Item = Node<'a>> {
        self.expressions.iter().copied().filter(move |node| node.shape() == kind)
    }

    /// Variables that existed before the statement, so that code in front of it may use them.
    pub(crate) fn before(&self) -> impl Iterator<Item = &Variable> {
        let start = self.statement.start_byte();
        self.scope.iter().filter(move |v| v.origin != Origin::Local || v.declared < start)
    }

    /// Variables whose values fit a type, nearest first.
    pub(crate) fn fitting<'s>(&'s self, wanted: &'s ValueType) -> impl Iterator<Item = &'s Variable> {
        self.scope.iter().filter(move |v| v.kind.as_ref().is_some_and(|kind| wanted.accepts(kind)))
    }

    /// The method, constructor or lambda around the statement.
    pub(crate) fn callable(&self) -> Option<Node<'a>> {
        enclosing_callable(self.statement)
    }

    /// The return type of the method around the statement; `void` for constructors, `None` in lambdas.
    pub(crate) fn returns(&self) -> Option<ValueType> {
        (self.unit.rules.types.as_ref()?.returned)(self.callable()?, self.unit)
    }

    /// A statement that leaves the method with nothing in hand, when its type is known.
    pub fn bail_out(&self) -> Option<String> {
        let (kind, null) = (self.returns()?, self.unit.rules.types.as_ref()?.null);
        Some(if kind.as_str() == "void" { "return;".into() } else { format!("return {};", kind.neutral_value(null)) })
    }

    /// Whether the statement lies in a loop.
    pub(crate) fn in_loop(&self) -> bool {
        enclosing_loop(self.statement).is_some()
    }

    /// The part of the statement a node lies in, for explanations: "the `while` condition".
    pub(crate) fn place(&self, node: Node<'_>) -> String {
        let in_condition = |parent: Node<'_>| {
            parent.part("condition").is_some_and(|condition| {
                condition.start_byte() <= node.start_byte() && node.end_byte() <= condition.end_byte()
            })
        };
        match self.statement.shape() {
            "if_statement" => "the `if` condition".into(),
            "while_statement" | "do_statement" => "the loop condition".into(),
            "for_statement" if in_condition(self.statement) => "the loop condition".into(),
            "for_statement" | "enhanced_for_statement" => "the loop header".into(),
            "return_statement" => "the returned value".into(),
            "throw_statement" => "the thrown value".into(),
            "local_variable_declaration" | "field_declaration" => "the initial value".into(),
            _ => format!("`{}`", shortened(self.text(self.statement))),
        }
    }

    /// A replacement of one node by a text, explained.
    pub(crate) fn replacement(&self, node: Node<'_>, text: impl Into<String>, weight: f64) -> Edit {
        let text = text.into();
        let note =
            format!("replaced `{}` by `{}` in {}", shortened(self.text(node)), shortened(&text), self.place(node));
        Edit::replace(node, text, weight, note)
    }

    /// A new statement in front of the site's.
    pub fn insertion_before(&self, code: &str, weight: f64, note: impl Into<String>) -> Edit {
        let text = format!("{code}{}{}", self.unit.line_end(), self.unit.indent(self.statement));
        Edit::insert(self.statement.start_byte(), text, weight, note)
    }

    /// A new statement behind the site's.
    pub(crate) fn insertion_after(&self, code: &str, weight: f64, note: impl Into<String>) -> Edit {
        let text = format!("{}{}{code}", self.unit.line_end(), self.unit.indent(self.statement));
        Edit::insert(self.statement.end_byte(), text, weight, note)
    }

    /// Whether statements can be put before and behind the site's.
    pub fn in_block(&self) -> bool {
        self.statement.parent().is_some_and(|parent| {
            matches!(parent.shape(), "block" | "constructor_body" | "switch_block_statement_group")
        })
    }

    /// An ingredient's text for this place: as it is when all its variables are in sight with the same types, else
    /// with fitting variables in their stead. Each variant has the share of variables that could stay.
    pub(crate) fn adapted(&self, ingredient: &Ingredient) -> Vec<(String, f64)> {
        let known = |name: &str, kind: &Option<ValueType>| {
            self.scope.iter().any(|v| v.name == name && (kind.is_none() || v.kind == *kind))
        };
        let mut foreign: Vec<(&str, &Option<ValueType>)> = Vec::new();
        for used in &ingredient.uses {
            if !known(&used.name, &used.kind) && !foreign.iter().any(|(name, _)| *name == used.name) {
                foreign.push((&used.name, &used.kind));
            }
        }
        match foreign.as_slice() {
            [] => vec![(ingredient.text.clone(), 1.0)],
            [(name, Some(kind))] => {
                let others = self.fitting(kind).take(MAX_ADAPTED);
                others.map(|v| (renamed(ingredient, name, &v.name), 0.6 * similarity(name, &v.name).max(0.4))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The ingredient with each single use of a variable exchanged for another variable of its type.
    pub(crate) fn varied(&self, ingredient: &Ingredient) -> Vec<String> {
        let mut variants = Vec::new();
        for used in &ingredient.uses {
            let Some(kind) = &used.kind else { continue };
            for other in self.fitting(kind).filter(|v| v.name != used.name).take(MAX_ADAPTED) {
                let mut text = ingredient.text.clone();
                text.replace_range(used.range.clone(), &other.name);
                variants.push(text);
            }
        }
        variants
    }
}

/// The ingredient with every use of one variable renamed.
fn renamed(ingredient: &Ingredient, from: &str, to: &str) -> String {
    let mut text = ingredient.text.clone();
    for used in ingredient.uses.iter().rev().filter(|used| used.name == from) {
        text.replace_range(used.range.clone(), to);
    }
    text
}

/// Similarity of two names in `0.0..=1.0`.
pub(super) fn similarity(a: &str, b: &str) -> f64 {
    strsim::jaro_winkler(&a.to_lowercase(), &b.to_lowercase())
}

/// A text on one line, cut for an explanation.
pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    clipped(&on_one_line(text), MOST)
}
