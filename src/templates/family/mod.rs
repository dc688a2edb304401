//! Families of fix templates, one file each.

pub mod arguments;
pub mod arithmetic;
pub mod boundary;
pub mod condition;
pub mod expression;
pub mod method_name;
pub mod missing_statement;
pub mod null_check;
pub mod offset;
pub mod operator;
pub mod range_check;
pub mod statement;
pub mod variable;
pub mod wrap;
