//! Control that goes the wrong way: a loop that is left instead of continued, a branch that should be a case of its own.

use super::tree::in_loop;
use crate::templates::edit::Edit;
use crate::templates::site::{Site, shortened};
use crate::templates::{Prior, Template};

/// Exchanges `break` and `continue`.
pub(super) struct Jump;

/// Leaves a branch that goes on with what comes after it.
pub(super) struct Leave;

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

impl Template for Leave {
    fn name(&self) -> &'static str {
        "missing_jump"
    }

    fn prior(&self) -> Prior {
        0.45
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let statement = site.statement;
        let Some(branch) = statement.parent().and_then(|block| block.parent()) else { return };
        let is_branch = matches!(branch.kind(), "if_statement" | "elif_clause" | "else_clause" | "except_clause");
        let is_last = statement.next_named_sibling().is_none();
        if statement.kind() != "expression_statement" || !is_branch || !is_last {
            return;
        }
        let words: &[(&str, f64)] =
            if in_loop(branch) { &[("continue", 0.9), ("break", 0.8), ("return", 0.6)] } else { &[("return", 0.9)] };
        for (word, weight) in words {
            let note = format!("inserted `{word}` after `{}`", shortened(site.text(statement)));
            out.push(site.insertion_after(word, *weight, note));
        }
        let assigned = statement.named_child(0).and_then(|child| child.child_by_field_name("left"));
        if let Some(name) = assigned.filter(|name| name.kind() == "identifier").map(|name| site.text(name)) {
            let note = format!("inserted `return {name}` after `{}`", shortened(site.text(statement)));
            out.push(site.insertion_after(&format!("return {name}"), 0.7, note));
        }
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
