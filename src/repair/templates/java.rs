//! What the families must know of Java.

use super::Template;
use super::family::{
    arguments, arithmetic, boundary, cast, chain, comparator, condition, creation, crossover, equality, exception,
    expression, getter, ignored, jump, method_name, missing_statement, null_check, offset, operator, precedence,
    range_check, refusal, repeat, shadow, statement, ternary, translate, truth, unkept, usual_literal, variable, wrap,
};
use super::scope::Variable;
use super::shape::Shape;
use super::syntax::Unit;
use super::types::ValueType;
use tree_sitter::Node;

/// All families.
pub(super) fn families() -> Vec<Box<dyn Template>> {
    vec![
        Box::new(boundary::Boundary),
        Box::new(operator::Operator),
        Box::new(arguments::SwapArguments),
        Box::new(variable::Variable),
        Box::new(arithmetic::Operands),
        Box::new(arithmetic::AddOperand),
        Box::new(method_name::MethodName),
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
        Box::new(arguments::ReshapeArguments),
        Box::new(null_check::NullCheck),
        Box::new(range_check::RangeCheck),
        Box::new(wrap::Clamp),
        Box::new(wrap::Wrap),
        Box::new(wrap::Part),
        Box::new(wrap::Singleton),
        Box::new(missing_statement::MissingAddition),
        Box::new(missing_statement::MissingAssignment),
        Box::new(missing_statement::CopyStatement),
        Box::new(unkept::Unkept),
        Box::new(ignored::Ignored),
        Box::new(cast::Cast),
        Box::new(chain::Chain),
        Box::new(comparator::Comparator),
        Box::new(creation::Creation),
        Box::new(crossover::Crossover),
        Box::new(exception::Exception),
        Box::new(getter::Getter),
        Box::new(jump::Jump),
        Box::new(precedence::Precedence),
        Box::new(refusal::Refusal),
        Box::new(repeat::Repeat),
        Box::new(shadow::Shadow),
        Box::new(ternary::Ternary),
        Box::new(equality::Equality),
        Box::new(translate::Translate),
        Box::new(statement::Remove),
        Box::new(statement::Move),
    ]
}

/// The type that a declaration gives; `None` for one that must be inferred.
pub(super) fn declared(declarator: Node<'_>, unit: &Unit) -> Option<ValueType> {
    let text = unit.text(declarator.parent()?.part("type")?);
    (text != "var").then(|| ValueType::new(text))
}

/// What a method returns: `void` for constructors, `None` for lambdas.
pub(super) fn returned(callable: Node<'_>, unit: &Unit) -> Option<ValueType> {
    match callable.kind() {
        "method_declaration" => callable.part("type").map(|kind| ValueType::new(unit.text(kind))),
        "lambda_expression" => None,
        _ => Some(ValueType::new("void")),
    }
}

/// Questions about one variable, with weights.
pub(super) fn questions(variable: &Variable) -> Vec<(String, f64)> {
    let Some(kind) = &variable.kind else { return Vec::new() };
    let name = &variable.name;
    let mut found: Vec<(String, f64)> = Vec::new();
    let mut ask = |text: String, weight: f64| found.push((text, weight));
    if kind.is_boolean() {
        ask(name.clone(), 0.8);
        ask(format!("!{name}"), 0.8);
    } else if kind.is_array() {
        ask(format!("{name}.length == 0"), 0.75);
        ask(format!("{name} == null"), 0.4);
    } else if kind.is_string() || kind.is_collection() || kind.is_map() {
        let size = if kind.is_string() { "length()" } else { "size()" };
        ask(format!("{name}.{size} == 0"), 0.7);
        ask(format!("{name}.{size} > 0"), 0.4);
        ask(format!("{name} == null"), 0.45);
        ask(format!("{name} != null"), 0.4);
    } else if kind.is_integral() {
        ask(format!("{name} == 0"), 0.55);
        ask(format!("{name} > 0"), 0.45);
        ask(format!("{name} < 0"), 0.4);
    } else if !kind.is_primitive() {
        ask(format!("{name} == null"), 0.6);
        ask(format!("{name} != null"), 0.55);
    }
    found
}

/// Whether a counter has reached the end of something: `i == text.length()`.
pub(super) fn positions(scope: &[Variable]) -> Vec<(String, f64)> {
    const COUNTERS: usize = 4;
    const HOLDERS: usize = 4;
    let is_counter = |kind: &Option<ValueType>| kind.as_ref().is_some_and(ValueType::is_integral);
    let counters: Vec<_> = scope.iter().filter(|v| is_counter(&v.kind)).take(COUNTERS).collect();
    let mut found = Vec::new();
    let mut holders = 0;
    for holder in scope {
        let size = match &holder.kind {
            Some(kind) if kind.is_array() => "length",
            Some(kind) if kind.is_string() => "length()",
            Some(kind) if kind.is_collection() || kind.is_map() => "size()",
            _ => continue,
        };
        holders += 1;
        if holders > HOLDERS {
            break;
        }
        for counter in &counters {
            for (relation, weight) in [("==", 0.5), ("<", 0.45), (">=", 0.4)] {
                found.push((format!("{} {relation} {}.{size}", counter.name, holder.name), weight));
            }
        }
    }
    found
}
