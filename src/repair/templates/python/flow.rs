//! Control that goes the wrong way: a loop that is left instead of continued, a branch that should be a case of its own.

use crate::templates::edit::Edit;
use crate::templates::site::{Site, shortened};
use crate::templates::{Prior, Template};

/// Exchanges `break` and `continue`.
pub(super) struct Jump;

/// Makes an `elif` of an `if` that follows another one, and the other way round.
pub(super) struct Branch;

impl Template for Jump {
    fn name(&self) -> &'static str {
        "jump"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let other = match site.statement.kind() {
            "break_statement" => "continue",
            "continue_statement" => "break",
            _ => return,
        };
        let note = format!("replaced `{}` by `{other}`", site.text(site.statement));
        out.push(Edit::replace(site.statement, other, 0.8, note));
    }
}

impl Template for Branch {
    fn name(&self) -> &'static str {
        "branch"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let statement = site.statement;
        let Some(word) = statement.child(0) else { return };
        let mut before = std::iter::successors(statement.prev_named_sibling(), |node| node.prev_named_sibling());
        let before = before.find(|node| !node.is_extra()).filter(|node| node.kind() == "if_statement");
        let follows = before.is_some_and(|node| {
            node.child_by_field_name("alternative").is_none_or(|last| last.kind() != "else_clause")
        });
        let other = match statement.kind() {
            "if_statement" if follows => "elif",
            "elif_clause" => "if",
            _ => return,
        };
        let header = site.text(statement).lines().next().unwrap_or("");
        let note = format!("replaced `{}` by `{other}` in `{}`", site.text(word), shortened(header));
        out.push(Edit::replace(word, other, 0.6, note));
    }
}
