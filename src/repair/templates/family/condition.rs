//! Conditions that hold too often or too seldom: a missing part, a part too many, a missing `!`.
//!
//! Source: TBar's *mutate conditional expression* (FP6) and ManySStuBs4J's *more specific if*, *less specific if*.
//! Example: `if (age < 0)` that must also refuse an unknown person becomes `if (age < 0 || name.isEmpty())`.

use crate::templates::edit::{Change, Edit};
use crate::templates::shape::Shape;
use crate::templates::site::{Site, shortened};
use crate::templates::syntax::{bare, condition_of, is_compound_expression};
use crate::templates::types::ValueType;
use crate::templates::{Prior, Template};
use std::collections::HashSet;
use tree_sitter::Node;

/// Adds a part to a condition.
pub struct ExtendCondition;

/// Drops a part of a condition, or decides it for good.
pub struct ReduceCondition;

/// Negates a condition or a part of one.
pub struct NegateCondition;

/// Most tests added to one condition.
const MAX_TESTS: usize = 60;

impl Template for ReduceCondition {
    fn name(&self) -> &'static str {
        "reduce_condition"
    }

    fn prior(&self) -> Prior {
        0.6
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            if is_logical(site, node) {
                for (field, other) in [("left", "right"), ("right", "left")] {
                    let parts = (node.part(field), node.part(other));
                    if let (Some(kept), Some(dropped)) = parts {
                        let note = format!("dropped `{}` from {}", shortened(site.text(dropped)), site.place(node));
                        out.push(Edit::replace(node, site.text(kept), 0.7, note));
                    }
                }
            }
        }
        if let Some(condition) = condition_of(site.statement) {
            let truths = site.unit.rules.types.as_ref().map_or(["true", "false"], |types| types.truths);
            for (value, weight) in truths.into_iter().zip([0.25, 0.35]) {
                if site.text(condition) != value {
                    out.push(site.replacement(condition, value, weight));
                }
            }
        }
    }
}

impl Template for NegateCondition {
    fn name(&self) -> &'static str {
        "negate_condition"
    }

    fn prior(&self) -> Prior {
        0.65
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        out.extend(site.expressions.iter().filter_map(|node| negated(site, *node)));
    }
}

fn is_logical(site: &Site<'_>, node: Node<'_>) -> bool {
    node.part("operator").is_some_and(|o| matches!(site.text(o), "&&" | "||"))
}

/// `a` ↔ `!a`; comparisons have their own family.
fn negated(site: &Site<'_>, node: Node<'_>) -> Option<Edit> {
    let is_whole = condition_of(site.statement).map(bare) == Some(node);
    if node.shape() == "unary_expression" && site.text(node).starts_with('!') {
        let operand = node.part("operand")?;
        let note = format!("dropped `!` in {}", site.place(node));
        return Some(Edit::replace(node, site.text(operand), if is_whole { 0.8 } else { 0.65 }, note));
    }
    let negatable =
        matches!(node.shape(), "method_invocation" | "identifier" | "field_access" | "instanceof_expression");
    let already = node.parent().is_some_and(|p| p.shape() == "unary_expression");
    // In C a number may be asked as it is.
    let is_truth = negatable && !already && site.wanted(node).is_some_and(|kind| kind.is_boolean());
    if !is_truth || node.parent().is_some_and(|p| p.shape() == "assignment_expression") {
        return None;
    }
    let text =
        if is_compound_expression(node) { format!("!({})", site.text(node)) } else { format!("!{}", site.text(node)) };
    let note = format!("negated `{}` in {}", shortened(site.text(node)), site.place(node));
    Some(Edit::replace(node, text, if is_whole { 0.75 } else { 0.6 }, note))
}

impl Template for ExtendCondition {
    fn name(&self) -> &'static str {
        "extend_condition"
    }

    fn prior(&self) -> Prior {
        0.55
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let Some((condition, share)) = condition_of(site.statement).map(|c| (c, 1.0)).or_else(|| returned_truth(site))
        else {
            return;
        };
        let old = site.text(condition);
        for (test, weight) in tests(site).into_iter().map(|(test, weight)| (test, weight * share)).take(MAX_TESTS) {
            if old.contains(test.as_str()) {
                continue;
            }
            if old == "true" {
                out.push(site.replacement(condition, test, weight));
                continue;
            }
            for (sign, share) in [("||", 1.0), ("&&", 0.9)] {
                let kept = guarded(site, condition, sign);
                let added = if sign == "&&" { parenthesised_or(&test) } else { test.clone() };
                let note = format!("added `{sign} {}` to {}", shortened(&test), site.place(condition));
                out.push(Edit::replace(condition, format!("{kept} {sign} {added}"), weight * share, note.clone()));
                // The added test may have to come first, to protect the old one from failing.
                let before = Change { range: condition.byte_range(), text: format!("{added} {sign} {kept}") };
                out.push(Edit { changes: vec![before], weight: weight * share * 0.6, note });
            }
        }
    }
}

/// The computed truth value that the statement returns.
pub(crate) fn returned_truth<'a>(site: &Site<'a>) -> Option<(Node<'a>, f64)> {
    let value = site.statement.named_child(0).filter(|_| site.statement.shape() == "return_statement").map(bare)?;
    let computed = matches!(value.shape(), "binary_expression" | "method_invocation" | "unary_expression");
    (computed && site.kind(value).is_some_and(|kind| kind.is_boolean())).then_some((value, 0.7))
}

/// The old condition, in parentheses where the new operator would tear it apart.
fn guarded(site: &Site<'_>, condition: Node<'_>, sign: &str) -> String {
    let text = site.text(condition);
    let inner = bare(condition);
    let operator = inner.part("operator").map(|o| site.text(o));
    let tears = operator == Some("||") && sign == "&&"
        || matches!(inner.shape(), "ternary_expression" | "assignment_expression" | "lambda_expression");
    if tears && condition == inner { format!("({text})") } else { text.to_owned() }
}

fn parenthesised_or(test: &str) -> String {
    if test.contains("||") { format!("({test})") } else { test.to_owned() }
}

/// Truth values that could be asked here: conditions from nearby code, flags, and simple questions about variables.
pub fn tests(site: &Site<'_>) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    let boolean = ValueType::new("boolean");
    for (ingredients, share) in
        std::iter::once((&site.own, 0.8)).chain(site.near.iter().map(|ingredients| (ingredients, 0.4)))
    {
        for ingredient in ingredients.expressions.iter().filter(|i| i.kind.as_ref() == Some(&boolean)) {
            if matches!(ingredient.shape.as_str(), "assignment_expression" | "true" | "false") {
                continue;
            }
            found.extend(site.adapted(ingredient).into_iter().map(|(text, fit)| (text, share * fit)));
            found.extend(site.varied(ingredient).into_iter().map(|text| (text, share * 0.4)));
        }
    }
    if let Some(types) = &site.unit.rules.types {
        for variable in &site.scope {
            // A variable that the statement uses is asked about before any other.
            let used = site.expressions.iter().any(|node| site.text(*node) == variable.name);
            let share = if used { 0.9 } else { 0.7 };
            found.extend((types.questions)(variable).into_iter().map(|(text, weight)| (text, weight * share)));
        }
        found.extend((types.positions)(&site.scope));
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut seen = HashSet::new();
    found.retain(|(text, _)| seen.insert(text.clone()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const DOOR: &str = "class Door {
    boolean locked;
    boolean open(int age, String name) {
        if (age < 0 || locked) {
            return false;
        }
        while (!name.isEmpty()) {
            name = name.substring(1);
        }
        return true;
    }
}";

    #[test]
    fn parts_are_dropped_and_negated() {
        let lines = proposals(&ReduceCondition, DOOR, 4);
        assert_eq!(lines[..2], ["if (age < 0) {", "if (locked) {"]);
        assert!(proposals(&NegateCondition, DOOR, 4).contains(&"if (age < 0 || !locked) {".to_owned()));
        assert!(proposals(&NegateCondition, DOOR, 7).contains(&"while (name.isEmpty()) {".to_owned()));
        let chosen = DOOR.replace("return true;", "return locked ? age > 9 : true;");
        assert!(proposals(&NegateCondition, &chosen, 10).contains(&"return !locked ? age > 9 : true;".to_owned()));
        // What stands beside `||` is a truth, whatever it is declared as.
        let unknown = DOOR.replace("locked) {", "Other.knows(name)) {");
        let lines = proposals(&NegateCondition, &unknown, 4);
        assert!(lines.contains(&"if (age < 0 || !Other.knows(name)) {".to_owned()), "{lines:#?}");
    }

    #[test]
    fn tests_of_nearby_code_and_of_variables_are_added() {
        let lines = proposals(&ExtendCondition, DOOR, 4);
        assert!(lines.contains(&"if (age < 0 || locked || name.isEmpty()) {".to_owned()), "{lines:#?}");
        assert!(lines.contains(&"if ((age < 0 || locked) && name != null) {".to_owned()), "{lines:#?}");
        assert!(lines.contains(&"if (age < 0 || locked || name.length() == 0) {".to_owned()), "{lines:#?}");
    }
}
