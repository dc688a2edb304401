//! A value that may be missing or empty is used without asking.
//!
//! Source: TBar's *insert null pointer checker* (FP2), with the two questions that Python programs ask: `x` and
//! `x is None`.
//! Example: `total *= scale` becomes `if total: total *= scale`; `return found[0]` becomes
//! `return found[0] if found else None`.

use super::tree::{arguments, function, in_loop, is_target};
use crate::language::preorder;
use crate::templates::edit::Edit;
use crate::templates::scope::Origin;
use crate::templates::site::{Site, shortened};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(super) struct Guard;

/// Names of one statement that are asked about.
const MAX_NAMES: usize = 3;
/// Results of the function that are returned early.
const MAX_RESULTS: usize = 3;
/// What asks whether a name has a value, with what asks the opposite, and a weight.
const QUESTIONS: [(&str, &str, f64); 2] = [("{}", "not {}", 1.0), ("{} is not None", "{} is None", 0.9)];

impl Template for Guard {
    fn name(&self) -> &'static str {
        "null_check"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        if site.statement.kind() == "elif_clause" {
            return;
        }
        let leaves = leaves(site);
        let returns = leaves.iter().any(|(leave, _)| leave.starts_with("return "));
        for (name, share) in used(site) {
            let itself = returns.then(|| (format!("return {name}"), 0.4));
            for (has, lacks, weight) in QUESTIONS {
                let (has, lacks, weight) = (has.replace("{}", name), lacks.replace("{}", name), weight * share);
                out.extend(skipped(site, &has, weight * 0.8));
                for (leave, fit) in leaves.iter().chain(&itself) {
                    let code = below(site, &format!("if {lacks}:"), leave);
                    let note = format!("inserted `if {lacks}: {leave}`");
                    out.push(site.insertion_before(&code, weight * fit, note));
                }
                out.extend(chosen(site, name, &has, weight * 0.7));
            }
        }
    }
}

/// Names of the statement's own part that something is asked of, with weights: those that lead to an attribute or an
/// element first.
fn used<'s>(site: &'s Site<'_>) -> Vec<(&'s str, f64)> {
    let mut found: Vec<(&str, f64)> = Vec::new();
    for &node in site.expressions.iter().filter(|node| matches!(node.kind(), "identifier" | "attribute")) {
        let (name, Some(share)) = (site.text(node), share(node)) else { continue };
        let is_known = site.scope.iter().any(|variable| variable.name == name && !is_constant(name, variable.origin));
        match found.iter_mut().find(|(known, _)| *known == name) {
            _ if !is_known || is_target(node) => {}
            Some((_, known)) => *known = known.max(share),
            None => found.push((name, share)),
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found.truncate(MAX_NAMES);
    found
}

/// Whether a name of a module is one that nothing changes.
fn is_constant(name: &str, origin: Origin) -> bool {
    origin == Origin::Field && !name.contains(|c: char| c.is_lowercase())
}

/// How much a place asks of a value; `None` where it takes any.
fn share(node: Node<'_>) -> Option<f64> {
    let parent = node.parent()?;
    let is = |field: &str| parent.child_by_field_name(field) == Some(node);
    match parent.kind() {
        "attribute" => Some(1.0),
        "subscript" if is("value") => Some(1.0),
        "for_statement" | "for_in_clause" if is("right") => Some(0.9),
        "binary_operator" | "augmented_assignment" | "subscript" => Some(0.8),
        "argument_list" | "keyword_argument" | "yield" => Some(0.6),
        _ => None,
    }
}

/// A line and what stands below it, where the statement begins.
fn below(site: &Site<'_>, header: &str, inner: &str) -> String {
    format!("{header}{}{}{}{inner}", site.unit.line_end(), site.unit.indent(site.statement), step(site))
}

/// One step of the indentation around the statement.
fn step<'s>(site: &Site<'s>) -> &'s str {
    let inner = site.unit.indent(site.statement);
    let outer = site.statement.parent().and_then(|block| block.parent()).map_or("", |outer| site.unit.indent(outer));
    inner.strip_prefix(outer).filter(|step| !step.is_empty()).unwrap_or("    ")
}

/// The statement below a question, where it is a single line that declares nothing for the lines after it.
fn skipped(site: &Site<'_>, has: &str, weight: f64) -> Option<Edit> {
    let (statement, text) = (site.statement, site.text(site.statement));
    let declares = statement.named_child(0).is_some_and(|child| {
        child.kind() == "assignment"
            && child.child_by_field_name("left").is_some_and(|left| left.kind() == "identifier")
    });
    if statement.kind() != "expression_statement" || text.contains('\n') {
        return None;
    }
    let code = below(site, &format!("if {has}:"), text);
    let note = format!("put `{}` below `if {has}`", shortened(text));
    Some(Edit::replace(statement, code, if declares { weight * 0.4 } else { weight }, note))
}

/// What leaves the loop's turn or the function, with weights: what the function returns elsewhere comes first.
fn leaves(site: &Site<'_>) -> Vec<(String, f64)> {
    let Some(around) = function(site.statement) else { return Vec::new() };
    let mut results: Vec<&str> = Vec::new();
    preorder(around, |node| {
        let is_nested = node != around && matches!(node.kind(), "function_definition" | "lambda");
        if node.kind() == "return_statement" {
            let text = site.text(node);
            if text.len() < 30 && !results.contains(&text) && !uses_calls(node) {
                results.push(text);
            }
        }
        !is_nested
    });
    results.truncate(MAX_RESULTS);
    let mut found: Vec<(String, f64)> = results.iter().map(|text| ((*text).to_owned(), 0.8)).collect();
    found.push(("return".to_owned(), if results.is_empty() { 0.8 } else { 0.4 }));
    if in_loop(site.statement) {
        found.push(("continue".to_owned(), 0.8));
    }
    found
}

fn uses_calls(statement: Node<'_>) -> bool {
    statement.named_child(0).is_some_and(|value| !arguments(value).is_empty())
}

/// A value that is made of the name beside another one for the case that the name has none: what is kept, handed over or
/// given back.
fn chosen(site: &Site<'_>, name: &str, has: &str, weight: f64) -> Vec<Edit> {
    let is_taken = |node: Node<'_>| {
        node.parent().is_some_and(|parent| match parent.kind() {
            "assignment" => parent.child_by_field_name("right") == Some(node),
            kind => matches!(kind, "return_statement" | "argument_list" | "keyword_argument" | "list" | "tuple"),
        })
    };
    let is_made = |node: &Node<'_>| {
        let text = site.text(*node);
        let of_name = text.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', '[']));
        let is_whole = node.parent().is_some_and(|parent| !matches!(parent.kind(), "list" | "tuple" | "argument_list"));
        let kind = matches!(node.kind(), "call" | "subscript" | "attribute");
        kind && is_taken(*node) && (of_name || is_whole) && !text.contains('\n')
    };
    let Some(value) = site.expressions.iter().copied().find(is_made) else { return Vec::new() };
    let text = site.text(value);
    let others = [("None", 1.0), (name, 0.7), ("\"\"", 0.4), ("[]", 0.4), ("0", 0.4)];
    let choice = |(other, fit)| site.replacement(value, format!("{text} if {has} else {other}"), weight * fit);
    others.into_iter().map(choice).collect()
}
