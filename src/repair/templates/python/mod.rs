//! Families for Python. Nothing is known of types, so the order of proposals does what types do in Java: names that are
//! alike, uses of the same kind and what stands nearby come first.

mod argument;
pub(super) mod called;
mod calls;
mod comparison;
mod condition;
mod convert;
mod default;
mod flow;
mod guard;
mod handler;
mod initial;
mod instance;
mod literal;
mod lookup;
pub(super) mod names;
mod operand;
mod operator;
mod part;
mod sorts;
mod statement;
pub(super) mod tree;
mod value;

use super::Template;
use super::family::ignored::Ignored;
use super::family::truth::Truth;
use super::family::unkept::Unkept;
use super::family::usual_literal::UsualLiteral;

/// All families.
pub(super) fn families() -> Vec<Box<dyn Template>> {
    vec![
        Box::new(comparison::Comparison),
        Box::new(operator::Operator),
        Box::new(calls::Swap),
        Box::new(calls::Name),
        Box::new(value::Variable),
        Box::new(value::ReturnValue),
        Box::new(Truth),
        Box::new(UsualLiteral),
        Box::new(literal::Literal),
        Box::new(default::Default),
        Box::new(value::Expression),
        Box::new(operand::Offset),
        Box::new(operand::Operands),
        Box::new(operand::AddOperand),
        Box::new(part::Unwrap),
        Box::new(part::Wrap),
        Box::new(condition::Reduce),
        Box::new(condition::Negate),
        Box::new(condition::Extend),
        Box::new(guard::Guard),
        Box::new(lookup::Lookup),
        Box::new(instance::Instance),
        Box::new(convert::Convert),
        Box::new(argument::Argument),
        Box::new(initial::Initial),
        Box::new(handler::Handler),
        Box::new(flow::Jump),
        Box::new(flow::Leave),
        Box::new(flow::Branch),
        Box::new(statement::Addition),
        Box::new(statement::Assignment),
        Box::new(Unkept),
        Box::new(Ignored),
        Box::new(statement::Copy),
        Box::new(statement::Remove),
        Box::new(statement::Exchange),
    ]
}

#[cfg(test)]
mod tests;
