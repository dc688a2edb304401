//! A statement that is missing, too many, or in the wrong place.
//!
//! Example: a loop that asks `node in seen` and never adds to `seen`.

use super::sorts::{fit, sort_of_name};
use super::tree::{is_body, is_site};
use crate::language::children;
use crate::templates::edit::Edit;
use crate::templates::scope::Origin;
use crate::templates::site::{Site, shortened};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// Inserts `c.append(x)` or `c.add(x)` for a collection.
pub(super) struct Addition;

/// Inserts `a = b`.
pub(super) struct Assignment;

/// Inserts a copy of a statement of the same function, as it is or with one variable exchanged.
pub(super) struct Copy;

/// Deletes a statement.
pub(super) struct Remove;

/// Exchanges a statement and the next one.
pub(super) struct Exchange;

/// Variables on each side of a statement that is made.
const MAX_NAMES: usize = 8;

/// A place where a statement can go: offset, text in front, text behind, name of the place, weight.
struct Gap {
    at: usize,
    before: String,
    after: String,
    place: &'static str,
    weight: f64,
}

/// Before and behind the statement, and at the begin and end of its bodies.
fn gaps(site: &Site<'_>) -> Vec<Gap> {
    let statement = site.statement;
    if statement.kind() == "elif_clause" {
        return Vec::new();
    }
    let (end, indent) = (site.unit.line_end(), site.unit.indent(statement));
    let line = format!("{end}{indent}");
    let mut gaps = vec![Gap {
        at: statement.start_byte(),
        before: String::new(),
        after: line.clone(),
        place: "before",
        weight: 0.9,
    }];
    let leaves =
        matches!(statement.kind(), "return_statement" | "raise_statement" | "break_statement" | "continue_statement");
    if !leaves {
        gaps.push(Gap { at: statement.end_byte(), before: line, after: String::new(), place: "after", weight: 1.0 });
    }
    for body in children(statement).into_iter().filter(|child| is_body(statement, *child) && child.kind() == "block") {
        let Some(first) = body.named_child(0) else { continue };
        let line = format!("{end}{}", site.unit.indent(first));
        let at = "at the begin of the body of";
        gaps.push(Gap { at: first.start_byte(), before: String::new(), after: line.clone(), place: at, weight: 0.9 });
        let at = "at the end of the body of";
        gaps.push(Gap { at: body.end_byte(), before: line, after: String::new(), place: at, weight: 0.95 });
    }
    gaps
}

fn insertion(site: &Site<'_>, gap: &Gap, code: &str, weight: f64) -> Edit {
    let header = site.text(site.statement).lines().next().unwrap_or("");
    let note = format!("inserted `{}` {} `{}`", shortened(code), gap.place, shortened(header));
    Edit::insert(gap.at, format!("{}{code}{}", gap.before, gap.after), weight * gap.weight, note)
}

impl Template for Addition {
    fn name(&self) -> &'static str {
        "missing_addition"
    }

    fn prior(&self) -> Prior {
        0.45
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let gaps = gaps(site);
        for collection in site.scope.iter().filter(|variable| variable.origin != Origin::Parameter).take(MAX_NAMES) {
            let Some((method, filled)) = filled_by(site, &collection.name) else { continue };
            for value in site.scope.iter().filter(|value| value.name != collection.name).take(MAX_NAMES) {
                let is_filled = filled.iter().any(|name| *name == value.name);
                let code = format!("{}.{method}({})", collection.name, value.name);
                let weight = if is_filled { 1.0 } else { 0.7 };
                out.extend(gaps.iter().map(|gap| insertion(site, gap, &code, weight)));
            }
        }
    }
}

/// The method that fills a collection of that name, where it is one by what its function does with it; with the names
/// that are looked for in it.
fn filled_by<'s>(site: &'s Site<'_>, name: &str) -> Option<(&'static str, Vec<&'s str>)> {
    let own = site.own.statements.iter().map(|ingredient| ingredient.text.as_str());
    let expressions: Vec<&str> = site.own.expressions.iter().map(|ingredient| ingredient.text.as_str()).collect();
    let begins = |text: &str| {
        let value = text.strip_prefix(name)?.trim_start().strip_prefix('=')?.trim_start();
        match value {
            _ if value.starts_with("set(") || value.starts_with('{') && !value.contains(':') => Some("add"),
            _ if value.starts_with('[') || value.starts_with("list(") || value.starts_with("deque(") => Some("append"),
            _ => None,
        }
    };
    let method = own.into_iter().find_map(begins).or_else(|| {
        ["append", "add"]
            .into_iter()
            .find(|method| expressions.iter().any(|text| text.starts_with(&format!("{name}.{method}("))))
    })?;
    let looked = |text: &&'s str| text.strip_suffix(name).and_then(|rest| rest.strip_suffix(" in "));
    Some((method, expressions.iter().filter_map(looked).map(|rest| rest.trim_end_matches(" not")).collect()))
}

impl Template for Assignment {
    fn name(&self) -> &'static str {
        "missing_assignment"
    }

    fn prior(&self) -> Prior {
        0.33
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let gaps = gaps(site);
        let local = || site.scope.iter().filter(|variable| variable.origin != Origin::Field).take(MAX_NAMES);
        for target in local() {
            for source in local().filter(|source| source.name != target.name) {
                let code = format!("{} = {}", target.name, source.name);
                let share = if target.origin == Origin::Parameter { 0.6 } else { 1.0 };
                let share = share * fit(sort_of_name(target), sort_of_name(source));
                if share == 0.0 {
                    continue;
                }
                out.extend(gaps.iter().map(|gap| insertion(site, gap, &code, share)));
            }
        }
    }
}

impl Template for Copy {
    fn name(&self) -> &'static str {
        "copy_statement"
    }

    fn prior(&self) -> Prior {
        0.3
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let gaps = gaps(site);
        for ingredient in &site.own.statements {
            // What spans lines has an indentation of its own.
            if ingredient.text.contains('\n') || ingredient.text.starts_with(['"', '\'']) {
                continue;
            }
            let repeated = ingredient.text == site.text(site.statement);
            let weight = if repeated { 0.2 } else { 1.0 };
            out.extend(gaps.iter().map(|gap| insertion(site, gap, &ingredient.text, weight)));
        }
    }
}

impl Template for Remove {
    fn name(&self) -> &'static str {
        "remove"
    }

    fn prior(&self) -> Prior {
        0.35
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let statement = site.statement;
        let is_alone = statement.parent().is_some_and(|parent| parent.named_child_count() < 2);
        let is_simple = matches!(
            statement.kind(),
            "expression_statement" | "break_statement" | "continue_statement" | "return_statement" | "raise_statement"
        );
        if is_simple {
            let instead = if is_alone { "pass" } else { "" };
            let weight = if statement.kind() == "expression_statement" { 0.7 } else { 0.4 };
            let note = format!("removed `{}`", shortened(site.text(statement)));
            out.push(Edit::replace(statement, instead, weight, note));
        }
    }
}

impl Template for Exchange {
    fn name(&self) -> &'static str {
        "move"
    }

    fn prior(&self) -> Prior {
        0.3
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let is_whole = |node: &Node<'_>| is_site(*node) && node.kind() != "elif_clause";
        let Some(next) = site.statement.next_named_sibling().filter(is_whole) else { return };
        if is_whole(&site.statement) {
            let note = format!("moved `{}` down", shortened(site.text(site.statement)));
            out.push(Edit::swap(site.unit, site.statement, next, 0.6, note));
        }
    }
}
