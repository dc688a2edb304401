//! What the families must know of C. They are those of Java that need no classes: C's tree is called as Java's.

mod names;
mod null_guard;
#[cfg(test)]
mod tests;
mod types;

use tree_sitter::Node;
use unidebug_repair::templates::Template;
use unidebug_repair::templates::family::{
    arguments, arithmetic, boundary, condition, expression, jump, missing_statement, offset, operator, precedence,
    repeat, statement, truth, usual_literal, variable,
};
use unidebug_repair::templates::rules::{EngineRules, TypeRules};
use unidebug_repair::templates::scope::Variable;
use unidebug_repair::templates::shape::Shape;
use unidebug_repair::templates::syntax;
use unidebug_repair::templates::types::ValueType;

/// Counters, and what they may be held against.
const COUNTERS: usize = 4;

inventory::submit! {
    EngineRules {
        language: "c",
        families,
        is_site: syntax::is_site,
        is_body: syntax::is_body,
        expressions: syntax::own_expressions,
        is_value: syntax::is_expression,
        is_copyable: |node| syntax::is_simple_statement(node.shape()),
        visible: names::visible,
        member,
        types: Some(TypeRules {
            of: types::of,
            declared: types::declared,
            returned: types::returned,
            result: types::result,
            text: "char[]",
            truths: ["1", "0"],
            null: "NULL",
            questions,
            positions,
        }),
    }
}

/// All families.
fn families() -> Vec<Box<dyn Template>> {
    vec![
        Box::new(boundary::Boundary),
        Box::new(null_guard::NullGuard),
        Box::new(operator::Operator),
        Box::new(arguments::SwapArguments),
        Box::new(variable::Variable),
        Box::new(arithmetic::Operands),
        Box::new(arithmetic::AddOperand),
        Box::new(expression::ReturnValue),
        Box::new(expression::Literal),
        Box::new(truth::Truth),
        Box::new(usual_literal::UsualLiteral),
        Box::new(expression::ToVariable),
        Box::new(expression::Expression),
        Box::new(offset::Offset),
        Box::new(condition::ReduceCondition),
        Box::new(condition::NegateCondition),
        Box::new(condition::ExtendCondition),
        Box::new(missing_statement::MissingAssignment),
        Box::new(missing_statement::CopyStatement),
        Box::new(jump::Jump),
        Box::new(precedence::Precedence),
        Box::new(repeat::Repeat),
        Box::new(statement::Remove),
        Box::new(statement::Move),
    ]
}

/// The function, or the declaration of the file, that holds the node.
fn member(node: Node<'_>) -> Option<Node<'_>> {
    let above = || std::iter::successors(Some(node), |node| node.parent());
    let function = above().find(|node| node.kind() == "function_definition");
    function.or_else(|| above().find(|node| node.parent().is_some_and(|top| top.kind() == "translation_unit")))
}

/// Questions about one variable, with weights.
fn questions(variable: &Variable) -> Vec<(String, f64)> {
    let Some(kind) = &variable.kind else { return Vec::new() };
    let name = &variable.name;
    let suffixes: &[(&str, f64)] = match kind {
        kind if kind.is_array() => &[(" != NULL", 0.5), (" == NULL", 0.5)],
        kind if kind.is_integral() => &[(" == 0", 0.55), (" != 0", 0.5), (" > 0", 0.5), (" < 0", 0.4), (" == 1", 0.4)],
        kind if kind.is_numeric() => &[(" != 0", 0.4), (" > 0", 0.4)],
        _ => &[],
    };
    suffixes.iter().map(|(question, weight)| (format!("{name}{question}"), *weight)).collect()
}

/// Whether one number has reached another: how long an array is, a number of its own says.
fn positions(scope: &[Variable]) -> Vec<(String, f64)> {
    let is_counter = |kind: &Option<ValueType>| kind.as_ref().is_some_and(ValueType::is_integral);
    let counters: Vec<&Variable> = scope.iter().filter(|v| is_counter(&v.kind)).take(COUNTERS).collect();
    let mut found = Vec::new();
    for (at, one) in counters.iter().enumerate() {
        for other in counters.iter().skip(at + 1) {
            for (relation, weight) in [("<", 0.45), ("==", 0.45), ("!=", 0.4), (">", 0.4), (">=", 0.3), ("<=", 0.3)] {
                found.push((format!("{} {relation} {}", one.name, other.name), weight));
            }
        }
    }
    found
}
