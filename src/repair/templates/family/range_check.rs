//! An element is taken without asking whether it exists.
//!
//! Source: TBar's *insert range checker* (FP3), widened to collections that may be empty.
//! Example: `int top = scores.get(rank);` becomes guarded by `if (rank >= scores.size()) return 0;`.

use crate::templates::edit::Edit;
use crate::templates::site::Site;
use crate::templates::syntax::{arguments, condition_of};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(crate) struct RangeCheck;

/// Calls that need at least one element.
const TAKES_ONE: &[&str] = &[
    "removeFirst",
    "removeLast",
    "getFirst",
    "getLast",
    "pop",
    "remove",
    "element",
    "next",
    "first",
    "last",
    "firstKey",
    "lastKey",
    "peek",
    "poll",
];

/// The question that must be answered with yes before an element is taken.
struct Need {
    /// True when the element exists.
    holds: String,
    /// True when it does not.
    fails: String,
    weight: f64,
}

impl Template for RangeCheck {
    fn name(&self) -> &'static str {
        "range_check"
    }

    fn prior(&self) -> Prior {
        0.45
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let mut seen: Vec<String> = Vec::new();
        let needs = site.expressions.iter().filter_map(|node| need(site, *node));
        for need in needs.collect::<Vec<_>>() {
            if !seen.contains(&need.holds) {
                guard(site, &need, out);
                seen.push(need.holds);
            }
        }
    }
}

fn need(site: &Site<'_>, node: Node<'_>) -> Option<Need> {
    if node.kind() == "array_access" {
        let (array, index) = (node.child_by_field_name("array")?, node.child_by_field_name("index")?);
        return Some(bounds(site.text(index), &format!("{}.length", site.text(array)), 0.9));
    }
    if node.kind() != "method_invocation" {
        return None;
    }
    let receiver = node.child_by_field_name("object")?;
    let (name, owner) = (site.text(node.child_by_field_name("name")?), site.text(receiver));
    let kind = site.kind(receiver);
    let args = arguments(node);
    match (name, args.as_slice()) {
        ("charAt" | "get", [index]) if kind.as_ref().is_none_or(|k| k.is_list() || k.is_string()) => {
            let size = if name == "charAt" { "length()" } else { "size()" };
            Some(bounds(site.text(*index), &format!("{owner}.{size}"), 0.8))
        }
        ("substring", [from, ..]) => Some(bounds(site.text(*from), &format!("{owner}.length()"), 0.4)),
        ("next", []) => {
            Some(Need { holds: format!("{owner}.hasNext()"), fails: format!("!{owner}.hasNext()"), weight: 0.9 })
        }
        (_, []) if TAKES_ONE.contains(&name) && kind.is_none_or(|k| k.is_collection() || k.is_map()) => {
            Some(Need { holds: format!("!{owner}.isEmpty()"), fails: format!("{owner}.isEmpty()"), weight: 1.0 })
        }
        _ => None,
    }
}

fn bounds(index: &str, size: &str, weight: f64) -> Need {
    if index == "0" {
        return Need { holds: format!("{size} > 0"), fails: format!("{size} == 0"), weight };
    }
    Need { holds: format!("{index} < {size}"), fails: format!("{index} >= {size}"), weight }
}

fn guard(site: &Site<'_>, need: &Need, out: &mut Vec<Edit>) {
    if let Some(condition) = condition_of(site.statement) {
        let old = site.text(condition);
        let top = condition.child_by_field_name("operator").map_or("", |sign| site.text(sign));
        let kept = if top == "||" { format!("({old})") } else { old.to_owned() };
        let note = format!("asked `{}` first in {}", need.holds, site.place(condition));
        out.push(Edit::replace(condition, format!("{} && {kept}", need.holds), need.weight, note.clone()));
        out.push(Edit::replace(condition, format!("{} || {old}", need.fails), need.weight * 0.7, note));
    }
    if !site.in_block() || site.statement.kind() == "field_declaration" {
        return;
    }
    for (leave, share) in exits(site) {
        let note = format!("`{leave}` when `{}`", need.fails);
        out.push(site.insertion_before(&format!("if ({}) {leave}", need.fails), need.weight * share, note));
    }
    if site.statement.kind() == "expression_statement" {
        let guarded = format!("if ({}) {{ {} }}", need.holds, site.text(site.statement));
        let note = format!("only when `{}`", need.holds);
        out.push(Edit::replace(site.statement, guarded, need.weight * 0.6, note));
    }
}

/// Ways to leave before the statement.
fn exits(site: &Site<'_>) -> Vec<(String, f64)> {
    let mut exits = Vec::new();
    if let Some(kind) = site.returns() {
        if kind.as_str() == "void" {
            exits.push(("return;".to_owned(), 0.8));
        } else if kind.is_boolean() {
            exits.push(("return false;".to_owned(), 0.8));
            exits.push(("return true;".to_owned(), 0.5));
        } else {
            exits.push((format!("return {};", kind.neutral_value("null")), 0.6));
        }
    }
    if site.in_loop() {
        exits.push(("break;".to_owned(), 0.6));
        exits.push(("continue;".to_owned(), 0.4));
    }
    exits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const RANKS: &str = "import java.util.*;
class Ranks {
    int top(List<Integer> scores, Deque<String> queue, int rank) {
        int top = scores.get(rank);
        while (true) {
            String name = queue.removeFirst();
            use(name);
        }
    }
}";

    #[test]
    fn guards_for_indexes_and_empty_collections() {
        assert!(proposals(&RangeCheck, RANKS, 4).contains(&"if (rank >= scores.size()) return 0;".to_owned()));
        let lines = proposals(&RangeCheck, RANKS, 6);
        for wanted in ["if (queue.isEmpty()) break;", "if (queue.isEmpty()) return 0;"] {
            assert!(lines.contains(&wanted.to_owned()), "{lines:?}");
        }
    }
}
