//! A statement that was forgotten: one like it stands nearby, a variable was never moved on, a collection never filled.
//!
//! Source: TBar's *insert missed statement* (FP4), with ingredients as in GenProg's insertions.
//! Example: a loop over two pointers that ends with `slow = slow.next;` and forgets `fast = fast.next;`.

use crate::language::children;
use crate::templates::edit::Edit;
use crate::templates::ingredients::{Ingredient, Ingredients};
use crate::templates::scope::{Origin, Variable};
use crate::templates::shape::Shape;
use crate::templates::site::{Site, shortened};
use crate::templates::syntax::{is_body, is_compound_statement};
use crate::templates::types::ValueType;
use crate::templates::{Prior, Template};

/// Inserts a copy of a statement found nearby, as it is or with one variable exchanged.
pub struct CopyStatement;

/// Inserts `a = b;` for variables of one type.
pub struct MissingAssignment;

/// Inserts `c.add(x);` for a collection.
pub(crate) struct MissingAddition;

/// A place where a statement can go: offset, text in front, text behind, name of the place, weight.
struct Gap {
    at: usize,
    before: String,
    after: String,
    place: &'static str,
    weight: f64,
}

/// Before and behind the statement, and at the start and end of its bodies.
fn gaps(site: &Site<'_>) -> Vec<Gap> {
    let (end, indent) = (site.unit.line_end(), site.unit.indent(site.statement));
    let mut gaps = Vec::new();
    let leaves = matches!(
        site.statement.shape(),
        "return_statement" | "throw_statement" | "break_statement" | "continue_statement" | "yield_statement"
    );
    if site.in_block() {
        let after = format!("{end}{indent}");
        gaps.push(Gap { at: site.statement.start_byte(), before: String::new(), after, place: "before", weight: 0.9 });
        if !leaves {
            let before = format!("{end}{indent}");
            gaps.push(Gap { at: site.statement.end_byte(), before, after: String::new(), place: "after", weight: 1.0 });
        }
    }
    if is_compound_statement(site.statement.shape()) {
        for body in children(site.statement).into_iter().filter(|child| is_body(site.statement, *child)) {
            if body.shape() == "block" {
                let before = format!("{end}{indent}    ");
                let at = body.start_byte() + 1;
                gaps.push(Gap { at, before, after: String::new(), place: "at the start of the body of", weight: 0.9 });
                let (before, at) = ("    ".to_owned(), body.end_byte() - 1);
                let after = format!("{end}{indent}");
                gaps.push(Gap { at, before, after, place: "at the end of the body of", weight: 0.95 });
            }
        }
    }
    gaps
}

fn insertion(site: &Site<'_>, gap: &Gap, code: &str, weight: f64) -> Edit {
    let note = format!("inserted `{}` {} `{}`", shortened(code), gap.place, shortened(first_line(site)));
    Edit::insert(gap.at, format!("{}{code}{}", gap.before, gap.after), weight * gap.weight, note)
}

fn first_line<'a>(site: &Site<'a>) -> &'a str {
    site.text(site.statement).lines().next().unwrap_or("")
}

impl Template for CopyStatement {
    fn name(&self) -> &'static str {
        "copy_statement"
    }

    fn prior(&self) -> Prior {
        0.3
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let gaps = gaps(site);
        for (ingredients, share) in
            std::iter::once((&site.own, 1.0)).chain(site.near.iter().map(|ingredients| (ingredients, 0.35)))
        {
            for ingredient in ingredients.statements.iter().filter(|i| i.shape == "expression_statement") {
                let mut texts = site.adapted(ingredient);
                texts.extend(site.varied(ingredient).into_iter().map(|text| (text, 0.8)));
                if share < 1.0 {
                    texts.extend(with_next(site, ingredients, ingredient));
                }
                texts.retain(|(text, _)| !assigns_itself(text));
                for (text, fit) in texts {
                    // Doing the same thing twice in a row is rarely what was forgotten.
                    let repeated = text == site.text(site.statement);
                    let weight = if repeated { 0.2 } else { share * fit };
                    out.extend(gaps.iter().map(|gap| insertion(site, gap, &text, weight)));
                }
            }
        }
    }
}

/// `a = a;`, which says nothing.
fn assigns_itself(text: &str) -> bool {
    text.trim_end_matches(';').split_once('=').is_some_and(|(left, right)| left.trim() == right.trim())
}

/// The statement together with the one that follows it: helpers are often called in pairs.
fn with_next(site: &Site<'_>, ingredients: &Ingredients, first: &Ingredient) -> Option<(String, f64)> {
    let at = ingredients.statements.iter().position(|other| other.start == first.start)?;
    let second = ingredients.statements.get(at + 1).filter(|next| next.shape == first.shape)?;
    let calls = |ingredient: &Ingredient| ingredient.text.contains('(');
    if !calls(first) || !calls(second) {
        return None;
    }
    let (a, b) = (site.adapted(first).into_iter().next()?, site.adapted(second).into_iter().next()?);
    Some((format!("{} {}", a.0, b.0), 0.9 * a.1.min(b.1)))
}

impl Template for MissingAssignment {
    fn name(&self) -> &'static str {
        "missing_assignment"
    }

    fn prior(&self) -> Prior {
        0.33
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let gaps = gaps(site);
        let assigned = |v: &&Variable| !v.constant && v.origin != Origin::Parameter || is_assigned(site, &v.name);
        let targets: Vec<&Variable> = site.scope.iter().filter(assigned).collect();
        for target in targets {
            let Some(kind) = &target.kind else { continue };
            for source in site.fitting(kind).filter(|v| v.name != target.name) {
                let code = format!("{} = {};", target.name, source.name);
                let local = if target.origin == Origin::Field { 0.5 } else { 1.0 };
                let never = if is_assigned(site, &target.name) { 0.7 } else { 1.0 };
                out.extend(gaps.iter().map(|gap| insertion(site, gap, &code, local * never)));
            }
        }
    }
}

/// Whether the member assigns the variable somewhere after its declaration.
fn is_assigned(site: &Site<'_>, name: &str) -> bool {
    site.own.expressions.iter().any(|ingredient| {
        matches!(ingredient.shape.as_str(), "assignment_expression" | "update_expression")
            && ingredient.text.split(|c: char| !c.is_alphanumeric() && c != '_').next() == Some(name)
    })
}

impl Template for MissingAddition {
    fn name(&self) -> &'static str {
        "missing_addition"
    }

    fn prior(&self) -> Prior {
        0.45
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let gaps = gaps(site);
        for collection in site.scope.iter().filter(|v| v.origin != Origin::Parameter) {
            let Some(kind) = collection.kind.as_ref().filter(|kind| kind.is_collection() && !kind.is_array()) else {
                continue;
            };
            let element = kind.element().unwrap_or_else(|| ValueType::new("Object"));
            let name = &collection.name;
            let calls =
                |method: &str| site.own.expressions.iter().any(|i| i.text.starts_with(&format!("{name}.{method}(")));
            // A collection that is asked or emptied but never filled is what one looks for.
            let filled = ["add", "push", "offer", "addFirst", "addLast"].iter().any(|method| calls(method));
            let method = if calls("pop") || calls("push") { "push" } else { "add" };
            for value in site.fitting(&element).filter(|v| v.name != *name) {
                let is_checked = calls(&format!("contains({}", value.name))
                    || site.own.expressions.iter().any(|i| i.text == format!("{name}.contains({})", value.name));
                let exact = if value.kind.as_ref() == Some(&element) { 1.0 } else { 0.5 };
                let weight = exact * if is_checked { 1.0 } else { 0.75 } * if filled { 0.6 } else { 1.0 };
                let code = format!("{name}.{method}({});", value.name);
                out.extend(gaps.iter().map(|gap| insertion(site, gap, &code, weight)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const WALK: &str = "import java.util.*;
class Walk {
    Set<String> seen = new HashSet<>();
    int run(List<String> names) {
        String last = null;
        for (String name : names) {
            if (seen.contains(name)) {
                log(last);
            }
        }
        return seen.size();
    }
}";

    #[test]
    fn what_assigns_a_variable_to_itself_says_nothing() {
        assert!(assigns_itself("at = at;"));
        assert!(!["at = at->next;", "at += at;", "count(at, at);"].iter().any(|text| assigns_itself(text)));
    }

    #[test]
    fn forgotten_additions_and_assignments() {
        let lines = proposals(&MissingAddition, WALK, 7);
        assert!(lines.contains(&"seen.add(name);".to_owned()), "{lines:?}");
        assert!(proposals(&MissingAssignment, WALK, 8).contains(&"last = name;".to_owned()));
    }

    #[test]
    fn statements_of_the_method_with_another_variable() {
        let lines = proposals(&CopyStatement, WALK, 7);
        assert!(lines.contains(&"log(name);".to_owned()), "{lines:?}");
    }
}
