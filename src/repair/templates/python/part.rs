//! A value that should be a part of it, or be wrapped.
//!
//! Example: `yield flatten(x)` becomes `yield x`; `for x in arr:` becomes `for x in arr[k:]:`; `total = total + x`
//! becomes `total = max(0, total + x)`.

use super::sorts::{Sort, fit, sort_at, sort_of_name};
use super::tree::{arguments, elements, is_target};
use crate::templates::edit::Edit;
use crate::templates::scope::Origin;
use crate::templates::site::Site;
use crate::templates::{Prior, Template};

/// Replaces a call by one of its arguments, a subscript or attribute by its object, a choice by one of its values.
pub(super) struct Unwrap;

/// Takes a part of a sequence, or bounds a number.
pub(super) struct Wrap;

/// Variables that a part begins or ends at.
const MAX_BOUNDS: usize = 4;

impl Template for Unwrap {
    fn name(&self) -> &'static str {
        "unwrap"
    }

    fn prior(&self) -> Prior {
        0.45
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            let parts = match node.kind() {
                "call" => arguments(node),
                "subscript" | "attribute" => elements(node).into_iter().take(1).collect(),
                "conditional_expression" => elements(node).into_iter().step_by(2).collect(),
                _ => Vec::new(),
            };
            out.extend(parts.into_iter().map(|part| site.replacement(node, site.text(part), 0.6)));
        }
    }
}

impl Template for Wrap {
    fn name(&self) -> &'static str {
        "part"
    }

    fn prior(&self) -> Prior {
        0.4
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let bounds: Vec<&str> = site
            .scope
            .iter()
            .filter(|variable| variable.origin != Origin::Field)
            .filter(|variable| fit(Some(Sort::Number), sort_of_name(variable)) > 0.0)
            .take(MAX_BOUNDS)
            .map(|variable| variable.name.as_str())
            .collect();
        for &node in site.expressions.iter().filter(|node| !is_target(**node)) {
            let (text, Some(parent)) = (site.text(node), node.parent()) else { continue };
            if let ("list", [only]) = (node.kind(), &elements(node)[..]) {
                out.push(site.replacement(node, format!("list({})", site.text(*only)), 0.8));
            }
            let is_walked = matches!(parent.kind(), "for_statement" | "for_in_clause");
            let is_sequence = is_walked || parent.kind() == "argument_list";
            let sort = sort_at(site, node);
            let may_be_sequence = !matches!(sort, Some(Sort::Number | Sort::Truth));
            if node.kind() == "identifier" && is_sequence && may_be_sequence {
                let share = if is_walked { 0.9 } else { 0.5 };
                for part in ["[1:]", "[:-1]", "[::-1]"] {
                    out.push(site.replacement(node, format!("{text}{part}"), share));
                }
                for bound in bounds.iter().filter(|bound| **bound != text) {
                    out.push(site.replacement(node, format!("{text}[{bound}:]"), share * 0.9));
                    out.push(site.replacement(node, format!("{text}[:{bound}]"), share * 0.8));
                }
            }
            let is_result = matches!(parent.kind(), "assignment" | "return_statement");
            let may_be_number = sort.is_none_or(|sort| sort == Sort::Number);
            if is_result && may_be_number && matches!(node.kind(), "binary_operator" | "call" | "subscript") {
                let target = parent.child_by_field_name("left").map(|left| site.text(left));
                for (function, weight) in [("max", 0.7), ("min", 0.6)] {
                    for other in target.into_iter().chain(["0"]) {
                        out.push(site.replacement(node, format!("{function}({other}, {text})"), weight));
                    }
                }
                out.push(site.replacement(node, format!("abs({text})"), 0.4));
            }
        }
    }
}
