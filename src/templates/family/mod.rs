//! Families of fix templates, one file each.

pub mod arguments;
pub mod arithmetic;
pub mod boundary;
pub mod cast;
pub mod chain;
pub mod comparator;
pub mod condition;
pub mod creation;
pub mod crossover;
pub mod exception;
pub mod expression;
pub mod jump;
pub mod method_name;
pub mod missing_statement;
pub mod null_check;
pub mod offset;
pub mod operator;
pub mod precedence;
pub mod range_check;
pub mod repeat;
pub mod shadow;
pub mod statement;
pub mod variable;
pub mod wrap;
