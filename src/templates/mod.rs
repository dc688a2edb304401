//! The built-in engine: fix templates as typed tree edits, and the order in which their candidates are tried.
//!
//! A [`Template`] looks at one suspicious statement (a [`Site`]) and proposes [`Edit`]s. The [`Engine`] asks every
//! template at every suspicious statement, orders the proposals by suspiciousness × prior × weight, drops what does not
//! parse or was tried before, and learns from the judge which lines and templates move the failure. [`search`] drives
//! it with a validator. Adding a template costs its file and one line in the list of its language.

mod census;
mod clues;
mod edit;
mod engine;
mod family;
mod infer;
mod ingredients;
mod learn;
mod library;
mod plan;
mod python;
mod rules;
mod scope;
mod search;
mod site;
mod stores;
mod syntax;
#[cfg(test)]
mod testing;
mod types;

pub use census::{Reach, census};
pub use clues::Clues;
pub use edit::{Change, Edit};
pub use engine::Engine;
pub use plan::{Candidate, Options};
pub use search::{Budget, Judged, SearchResult, catch_up, search};
pub use site::Site;

use crate::language::Language;
use family::{
    arguments, arithmetic, boundary, cast, chain, comparator, condition, creation, crossover, equality, exception,
    expression, getter, jump, method_name, missing_statement, null_check, offset, operator, precedence, range_check,
    refusal, repeat, shadow, statement, ternary, translate, variable, wrap,
};

/// How often a family holds the right repair, relative to the others: `0.0..=1.0`.
pub type Prior = f64;

/// A family of repairs.
pub trait Template: Send + Sync {
    /// Its name in reports and journals.
    fn name(&self) -> &'static str;

    /// How often it holds the right repair, before anything is known of the bug.
    fn prior(&self) -> Prior;

    /// Adds what it would change at a statement; order and duplicates do not matter.
    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>);
}

/// All families for a language; none for one that no family is written for.
pub fn catalogue(language: &dyn Language) -> Vec<Box<dyn Template>> {
    rules::rules(language).map_or_else(Vec::new, |rules| (rules.families)())
}

fn java() -> Vec<Box<dyn Template>> {
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
        Box::new(expression::ToVariable),
        Box::new(expression::Expression),
        Box::new(offset::Offset),
        Box::new(condition::ReduceCondition),
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
