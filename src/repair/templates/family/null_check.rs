//! A reference that may be `null` is used without asking.
//!
//! Source: TBar's *insert null pointer checker* (FP2.1 to FP2.5).
//! Example: `return owner.name();` becomes guarded by `if (owner == null) return null;`.

use super::condition::returned_truth;
use crate::templates::edit::Edit;
use crate::templates::site::Site;
use crate::templates::syntax::{bare, condition_of};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(crate) struct NullCheck;

impl Template for NullCheck {
    fn name(&self) -> &'static str {
        "null_check"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let mut seen = Vec::new();
        for node in dereferenced(site) {
            let text = site.text(node);
            if seen.contains(&text) {
                continue;
            }
            seen.push(text);
            if is_asked(site, text) {
                continue;
            }
            let weight = if node.kind() == "method_invocation" { 0.7 } else { 1.0 };
            in_condition(site, text, weight, out);
            around(site, text, weight, out);
            chosen(site, node, weight, out);
        }
    }
}

/// Receivers, arrays and looped-over values that can be `null`, in order.
fn dereferenced<'a>(site: &Site<'a>) -> Vec<Node<'a>> {
    let objects = site.expressions.iter().filter_map(|node| match node.kind() {
        "method_invocation" | "field_access" => node.child_by_field_name("object"),
        "array_access" => node.child_by_field_name("array"),
        _ => None,
    });
    let unboxed = site.of_kind("binary_expression").filter(|node| {
        let sign = node.child_by_field_name("operator").map_or("", |sign| site.text(sign));
        !matches!(sign, "==" | "!=")
    });
    let sides = |node: Node<'a>| ["left", "right"].into_iter().filter_map(move |field| node.child_by_field_name(field));
    let boxes = unboxed
        .flat_map(sides)
        .map(bare)
        .filter(|side| site.kind(*side).is_some_and(|kind| kind.is_numeric() && !kind.is_primitive()));
    let looped =
        site.statement.child_by_field_name("value").filter(|_| site.statement.kind() == "enhanced_for_statement");
    let can_be_null = |node: &Node<'a>| match node.kind() {
        "identifier" => {
            let variable = site.scope.iter().find(|v| v.name == site.text(*node));
            variable.is_some_and(|v| v.kind.as_ref().is_none_or(|kind| !kind.is_primitive()))
        }
        "field_access" | "method_invocation" | "array_access" => true,
        _ => false,
    };
    objects.chain(boxes).chain(looped).map(bare).filter(can_be_null).collect()
}

/// Whether the statement asks already whether an expression is `null`: then what follows from the answer is wrong.
fn is_asked(site: &Site<'_>, text: &str) -> bool {
    site.of_kind("binary_expression").any(|node| compared_with_null(site, node) == Some(text))
}

/// What an expression compares with `null`.
pub(super) fn compared_with_null<'s>(site: &Site<'s>, node: Node<'s>) -> Option<&'s str> {
    let side = |name| node.child_by_field_name(name).map(bare);
    let (left, right) = (side("left")?, side("right")?);
    let sign = site.text(node.child_by_field_name("operator")?);
    let other = match (left.kind(), right.kind()) {
        (_, "null_literal") => left,
        ("null_literal", _) => right,
        _ => return None,
    };
    matches!(sign, "==" | "!=").then(|| site.text(other))
}

/// `a.b()` in a condition: `a == null || a.b()` and `a != null && a.b()`.
fn in_condition(site: &Site<'_>, text: &str, weight: f64, out: &mut Vec<Edit>) {
    let truth = condition_of(site.statement).or_else(|| returned_truth(site).map(|(value, _)| value));
    let Some(condition) = truth else { return };
    let old = site.text(condition);
    let top = condition.child_by_field_name("operator").map_or("", |sign| site.text(sign));
    for (relation, sign) in [("==", "||"), ("!=", "&&")] {
        let kept = if sign == "&&" && top == "||" { format!("({old})") } else { old.to_owned() };
        let note = format!("added `{text} {relation} null {sign}` to {}", site.place(condition));
        out.push(Edit::replace(condition, format!("{text} {relation} null {sign} {kept}"), weight, note));
    }
}

/// A guard in front of the statement, or the statement only when there is something.
fn around(site: &Site<'_>, text: &str, weight: f64, out: &mut Vec<Edit>) {
    let declares = site.statement.kind() == "local_variable_declaration";
    if !site.in_block() || site.statement.kind() == "field_declaration" {
        return;
    }
    if let Some(leave) = site.bail_out() {
        let note = format!("left the method when `{text}` is null");
        out.push(site.insertion_before(&format!("if ({text} == null) {leave}"), weight * 0.7, note));
    }
    if site.in_loop() {
        for (word, share) in [("continue", 0.5), ("break", 0.4)] {
            let note = format!("`{word}` when `{text}` is null");
            out.push(site.insertion_before(&format!("if ({text} == null) {word};"), weight * share, note));
        }
    }
    if !declares && !matches!(site.statement.kind(), "return_statement" | "throw_statement") {
        let note = format!("skipped the statement when `{text}` is null");
        let guarded = format!("if ({text} != null) {{ {} }}", site.text(site.statement));
        out.push(Edit::replace(site.statement, guarded, weight * 0.6, note));
    }
}

/// What is made of the reference beside what stands for it where there is none: `a == null ? null : a.b()`.
fn chosen(site: &Site<'_>, reference: Node<'_>, weight: f64, out: &mut Vec<Edit>) {
    let whole = reference.parent().filter(|parent| parent.child_by_field_name("object") == Some(reference));
    let Some((whole, parent)) = whole.and_then(|whole| Some((whole, whole.parent()?))) else { return };
    let (text, made) = (site.text(reference), site.text(whole));
    if made == format!("{text}.toString()") {
        out.push(site.replacement(whole, format!("String.valueOf({text})"), weight * 0.8));
    }
    let is_kept =
        matches!(parent.kind(), "return_statement" | "argument_list" | "variable_declarator" | "assignment_expression");
    let Some(kind) = site.kind(whole).filter(|kind| is_kept && kind.as_str() != "void") else { return };
    let other = kind.neutral_value("null");
    out.push(site.replacement(whole, format!("{text} == null ? {other} : {made}"), weight * 0.6));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const PET: &str = "class Pet {
    String owner(Pet mother, int n) {
        if (mother.old(n)) {
            mother.feed();
        }
        return mother.name.trim();
    }
    boolean fits(Integer room) {
        return room >= 3;
    }
}";

    #[test]
    fn conditions_and_guards() {
        let lines = proposals(&NullCheck, PET, 3);
        assert_eq!(lines[..2], ["if (mother == null || mother.old(n)) {", "if (mother != null && mother.old(n)) {"]);
        assert!(!lines.iter().any(|line| line.contains("n == null")));
        let lines = proposals(&NullCheck, PET, 4);
        assert!(lines.contains(&"if (mother != null) { mother.feed(); }".to_owned()), "{lines:?}");
        assert!(proposals(&NullCheck, PET, 9).contains(&"return room != null && room >= 3;".to_owned()));
        let asked = PET.replace("mother.old(n)", "mother != null || mother.old(n)");
        assert_eq!(proposals(&NullCheck, &asked, 3), Vec::<String>::new());
        let lines = proposals(&NullCheck, PET, 6);
        assert!(lines.contains(&"if (mother.name == null) return null;".to_owned()), "{lines:?}");
        assert!(lines.contains(&"return mother.name == null ? null : mother.name.trim();".to_owned()), "{lines:?}");
        let shown = PET.replace("mother.name.trim()", "\"a \" + mother.toString()");
        let lines = proposals(&NullCheck, &shown, 6);
        assert!(lines.contains(&"return \"a \" + String.valueOf(mother);".to_owned()), "{lines:?}");
    }
}
