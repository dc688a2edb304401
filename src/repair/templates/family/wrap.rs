//! A value that needs one more call around it, or one less.
//!
//! Source: TBar's *mutate method invocation expression* (FP10.3) and *insert missed statement* (FP4); the calls are
//! those found in nearby code, and the bounding of a value by `Math.max` and `Math.min`.
//! Example: `best = score;` in a search for the best one becomes `best = Math.max(best, score);`.

use crate::templates::edit::Edit;
use crate::templates::library::boxed;
use crate::templates::site::{Site, shortened};
use crate::templates::syntax::{arguments, bare};
use crate::templates::types::ValueType;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// Bounds a number by another, or by zero.
pub(crate) struct Clamp;

/// Replaces a call by its argument or receiver, or wraps a value in a call found nearby.
pub(crate) struct Wrap;

/// Takes a part of a list or a text.
pub(crate) struct Part;

/// Gives an empty collection its first element.
pub(crate) struct Singleton;

impl Template for Clamp {
    fn name(&self) -> &'static str {
        "clamp"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            let (target, value) = match node.kind() {
                "assignment_expression" => {
                    let sign = node.child_by_field_name("operator").map_or("", |sign| site.text(sign));
                    let target = node.child_by_field_name("left").filter(|_| sign == "=");
                    (target, node.child_by_field_name("right"))
                }
                _ => (None, None),
            };
            let (Some(target), Some(value)) = (target, value) else { continue };
            if site.kind(target).is_some_and(|kind| kind.is_numeric()) {
                bounded(site, Some(target), value, 1.0, out);
            }
        }
        let returned = site.statement.named_child(0).filter(|_| site.statement.kind() == "return_statement");
        if let Some(value) = returned.filter(|value| site.kind(*value).is_some_and(|kind| kind.is_numeric())) {
            bounded(site, None, value, 0.4, out);
        }
    }
}

fn bounded(site: &Site<'_>, target: Option<Node<'_>>, value: Node<'_>, share: f64, out: &mut Vec<Edit>) {
    let text = site.text(value);
    if text.starts_with("Math.m") || is_constant(value) {
        return;
    }
    for (bound, share) in target.map(|t| (site.text(t), share)).into_iter().chain([("0", 0.8 * share)]) {
        // `n = n + 1` is bounded by nothing of its own.
        let steps = bound != "0" && text.contains(bound);
        for (name, weight) in [("max", 0.9), ("min", 0.7)] {
            let weight = if steps { weight * 0.3 } else { weight };
            out.push(site.replacement(value, format!("Math.{name}({bound}, {text})"), weight * share));
        }
    }
}

fn is_constant(node: Node<'_>) -> bool {
    crate::templates::syntax::is_literal(bare(node).kind())
}

impl Template for Wrap {
    fn name(&self) -> &'static str {
        "wrap"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for node in site.of_kind("method_invocation") {
            let alone = node.parent().is_some_and(|parent| parent.kind() == "expression_statement");
            if alone {
                continue;
            }
            let kind = site.kind(node);
            let receiver = node.child_by_field_name("object");
            for inner in arguments(node).into_iter().chain(receiver) {
                let fits = match (&kind, site.kind(inner)) {
                    (Some(whole), Some(part)) => whole.accepts(&part) || part.accepts(whole),
                    (None, Some(_)) => true,
                    _ => false,
                };
                if fits {
                    let weight = if Some(inner) == receiver { 0.5 } else { 0.8 };
                    let note = format!("unwrapped `{}` in {}", shortened(site.text(inner)), site.place(node));
                    out.push(Edit::replace(node, site.text(inner), weight, note));
                }
            }
        }
        for &node in site.expressions.iter().filter(|node| matches!(node.kind(), "identifier" | "method_invocation")) {
            let Some(kind) = site.kind(node) else { continue };
            for (prefix, weight) in callers(site, &kind) {
                if node.parent().is_none_or(|p| p.kind() != "expression_statement") {
                    out.push(site.replacement(node, format!("{prefix}({})", site.text(node)), weight));
                }
            }
            // An overload may take the converted value: only the compiler knows.
            if node.parent().is_some_and(|parent| parent.kind() == "argument_list") {
                for prefix in converters(site, &kind) {
                    out.push(site.replacement(node, format!("{prefix}({})", site.text(node)), 0.5));
                }
            }
        }
    }
}

/// Methods with one argument, called nearby, that return what they take: `normalise(`, `Math.abs(`.
fn callers(site: &Site<'_>, kind: &ValueType) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    for (ingredients, share) in
        std::iter::once((&site.own, 0.6)).chain(site.near.iter().map(|ingredients| (ingredients, 0.3)))
    {
        for call in
            ingredients.expressions.iter().filter(|i| i.shape == "method_invocation" && i.kind.as_ref() == Some(kind))
        {
            let Some((head, rest)) = call.text.split_once('(') else { continue };
            let one =
                !rest.contains(',') && rest.len() > 1 && rest.matches('(').count() + 1 == rest.matches(')').count();
            let own = head.chars().next().is_some_and(|c| c.is_lowercase()) && !head.contains('.');
            let library = head.starts_with("Math.") || head.starts_with("Integer.") || head.starts_with("String.");
            if one && (own || library) && !found.iter().any(|(known, _)| known == head) {
                found.push((head.to_owned(), share));
            }
        }
    }
    found
}

/// Static library methods called nearby or in the package with one argument of this type, whatever they return.
fn converters(site: &Site<'_>, kind: &ValueType) -> Vec<String> {
    const MOST: usize = 5;
    let mut found: Vec<String> = Vec::new();
    let mined = std::iter::once(&site.own).chain(&site.near).chain(site.far.iter());
    for call in mined.flat_map(|ingredients| &ingredients.expressions).filter(|i| i.shape == "method_invocation") {
        let Some((head, _)) = call.text.split_once('(') else { continue };
        let library = head.contains('.') && head.starts_with(|c: char| c.is_uppercase());
        let takes = call.only_argument.as_ref().is_some_and(|argument| kind.accepts(argument));
        if library && takes && found.len() < MOST && !found.iter().any(|known| known == head) {
            found.push(head.to_owned());
        }
    }
    found
}

impl Template for Part {
    fn name(&self) -> &'static str {
        "part"
    }

    fn prior(&self) -> Prior {
        0.3
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let int = ValueType::new("int");
        for node in site.of_kind("identifier") {
            let Some(kind) = site.kind(node) else { continue };
            let name = site.text(node);
            let (verb, size) = match &kind {
                kind if kind.is_list() => ("subList", format!("{name}.size()")),
                kind if kind.as_str() == "String" => ("substring", format!("{name}.length()")),
                _ => continue,
            };
            let used = node.parent().is_some_and(|parent| {
                matches!(
                    parent.kind(),
                    "argument_list" | "enhanced_for_statement" | "return_statement" | "binary_expression"
                )
            });
            if !used {
                continue;
            }
            let numbers = site.fitting(&int).filter(|v| v.kind.as_ref().is_some_and(ValueType::is_integral));
            let bounds = numbers.map(|v| v.name.as_str()).take(5).chain(["1"]);
            for bound in bounds {
                out.push(site.replacement(node, format!("{name}.{verb}({bound}, {size})"), 0.8));
                out.push(site.replacement(node, format!("{name}.{verb}(0, {bound})"), 0.5));
            }
        }
    }
}

impl Template for Singleton {
    fn name(&self) -> &'static str {
        "singleton"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for node in site.of_kind("object_creation_expression") {
            let Some(list) = node.child_by_field_name("arguments") else { continue };
            let Some(kind) = site.kind(node).filter(|kind| kind.is_collection()) else { continue };
            if !arguments(node).is_empty() {
                continue;
            }
            let declared = site.wanted(node).filter(|wanted| !wanted.arguments().is_empty()).unwrap_or(kind);
            let element = declared.element().unwrap_or_else(|| ValueType::new("Object"));
            let raw = declared.arguments().is_empty();
            let mut values: Vec<(String, f64)> = site
                .scope
                .iter()
                .filter(|v| v.kind.as_ref().is_some_and(|kind| boxed(kind) == boxed(&element) || raw))
                .map(|v| (v.name.clone(), if raw { 0.5 } else { 0.9 }))
                .collect();
            if raw || element.is_collection() {
                values.push((site.text(node).to_owned(), 0.8));
            }
            let arrays = if imports_arrays(site) { "Arrays" } else { "java.util.Arrays" };
            for (value, weight) in values {
                let note = format!("put `{value}` into the new collection in {}", site.place(node));
                out.push(Edit::replace(list, format!("({arrays}.asList({value}))"), weight, note));
            }
        }
    }
}

/// Whether `Arrays` can be named without its package.
fn imports_arrays(site: &Site<'_>) -> bool {
    let file = site.index.file(&site.unit.path);
    file.is_some_and(|file| file.imports.iter().any(|name| name == "java.util.*" || name == "java.util.Arrays"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const BEST: &str = "import java.util.*;
class Best {
    int best; String clean(String s) { return s; }
    void see(int score) {
        best = score;
        String a = clean(\"x\");
        String b = clean(a);
    }
    List<Integer> none(int n, List<Integer> all) {
        for (int i : all) {
            log(i);
        }
        return new ArrayList<Integer>();
    }
}";

    #[test]
    fn bounded_and_unwrapped() {
        let lines = proposals(&Clamp, BEST, 5);
        assert_eq!(lines[..2], ["best = Math.max(best, score);", "best = Math.max(0, score);"]);
        assert!(proposals(&Wrap, BEST, 7).contains(&"String b = a;".to_owned()));
    }

    #[test]
    fn parts_and_first_elements() {
        assert!(proposals(&Part, BEST, 10).contains(&"for (int i : all.subList(n, all.size())) {".to_owned()));
        let wanted = "return new ArrayList<Integer>(Arrays.asList(n));";
        assert!(proposals(&Singleton, BEST, 13).contains(&wanted.to_owned()));
    }
}
