//! An impossible request is not refused.
//!
//! Source: TBar's *insert range checker* (FP3) and *insert missed statement* (FP4.3), with an exception in place of a
//! return; the exception is the one the failing tests wait for, or one that is thrown nearby.
//! Example: `int width = right - left;` that must refuse what is turned around is preceded by
//! `if (right < left) throw new IllegalArgumentException(…);`.

use crate::templates::edit::Edit;
use crate::templates::scope::{Origin, Variable};
use crate::templates::site::{Site, shortened};
use crate::templates::syntax::arguments;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(crate) struct Refusal;

/// Pairs of numbers compared for one statement at most.
const MAX_PAIRS: usize = 8;
/// Copies of throw statements from nearby at most.
const MAX_THROWS: usize = 4;

/// A request that cannot be met.
struct Impossible {
    /// True when it is asked for.
    condition: String,
    /// What is wrong, as an expression of type String.
    message: String,
    weight: f64,
}

impl Template for Refusal {
    fn name(&self) -> &'static str {
        "refusal"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        if !site.in_block() || matches!(site.statement.kind(), "field_declaration" | "throw_statement") {
            return;
        }
        let throws = throws_nearby(site);
        let kinds = kinds(site);
        for case in cases(site) {
            let made = kinds.iter().map(|(kind, share)| (format!("throw new {kind}({});", case.message), *share));
            for (code, share) in made.chain(throws.iter().cloned()) {
                let note = format!("`{}` when `{}`", shortened(&code), case.condition);
                let code = format!("if ({}) {code}", case.condition);
                out.push(site.insertion_before(&code, case.weight * share, note));
            }
        }
    }
}

/// Exceptions to throw: what the tests wait for, else what Java says to a wrong argument.
fn kinds(site: &Site<'_>) -> Vec<(String, f64)> {
    let expected = site.clues.expected.iter().map(|kind| (kind.clone(), 1.0));
    let mut kinds: Vec<(String, f64)> = expected.take(3).collect();
    if kinds.is_empty() {
        kinds.push(("IllegalArgumentException".into(), 0.7));
    }
    kinds
}

/// Throw statements of the member and its neighbours, as they read here.
fn throws_nearby(site: &Site<'_>) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    for (ingredients, share) in
        std::iter::once((&site.own, 0.9)).chain(site.near.iter().map(|ingredients| (ingredients, 0.5)))
    {
        for ingredient in ingredients.statements.iter().filter(|i| i.shape == "throw_statement") {
            for (text, fit) in site.adapted(ingredient) {
                if found.len() < MAX_THROWS && !found.iter().any(|(known, _)| *known == text) {
                    found.push((text, share * fit));
                }
            }
        }
    }
    found
}

fn cases(site: &Site<'_>) -> Vec<Impossible> {
    let mut cases: Vec<Impossible> = site.expressions.iter().flat_map(|node| outside(site, *node)).collect();
    cases.extend(disorder(site));
    cases.extend(emptiness(site));
    let mut seen = std::collections::HashSet::new();
    cases.retain(|case| seen.insert(case.condition.clone()));
    cases
}

/// Whether the statement names a variable.
fn uses(site: &Site<'_>, name: &str) -> bool {
    site.of_kind("identifier").any(|node| site.text(node) == name)
}

/// Positions outside of what they point into.
fn outside(site: &Site<'_>, node: Node<'_>) -> Vec<Impossible> {
    let positions = match node.kind() {
        "array_access" => {
            let parts = (node.child_by_field_name("array"), node.child_by_field_name("index"));
            let (Some(array), Some(index)) = parts else { return Vec::new() };
            vec![(index, format!("{}.length", site.text(array)), ">=")]
        }
        "method_invocation" => {
            let (Some(owner), Some(name)) = (node.child_by_field_name("object"), node.child_by_field_name("name"))
            else {
                return Vec::new();
            };
            let owner = site.text(owner);
            match (site.text(name), arguments(node).as_slice()) {
                ("charAt", [index]) => vec![(*index, format!("{owner}.length()"), ">=")],
                ("get", [index]) if site.kind(*index).is_some_and(|kind| kind.is_integral()) => {
                    vec![(*index, format!("{owner}.size()"), ">=")]
                }
                ("substring" | "subSequence", cuts) => {
                    cuts.iter().map(|cut| (*cut, format!("{owner}.length()"), ">")).collect()
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    };
    let case = |(index, size, relation): (Node<'_>, String, &str)| {
        let index = site.text(index);
        let message = format!("\"{} is out of bounds: \" + {}", index.replace(['"', '\\'], "'"), parenthesised(index));
        let plain = index.parse::<i64>().is_err();
        let weight = if plain { 0.9 } else { 0.5 };
        let above = Impossible { condition: format!("{index} {relation} {size}"), message: message.clone(), weight };
        let below = Impossible { condition: format!("{index} < 0"), message, weight: 0.5 };
        if plain { vec![above, below] } else { vec![above] }
    };
    positions.into_iter().flat_map(case).collect()
}

fn parenthesised(text: &str) -> String {
    if text.chars().all(|c| c.is_alphanumeric() || c == '_') { text.to_owned() } else { format!("({text})") }
}

/// Two numbers of one statement in the wrong order.
fn disorder(site: &Site<'_>) -> Vec<Impossible> {
    let numbers: Vec<&Variable> = site
        .before()
        .filter(|v| !v.constant && v.kind.as_ref().is_some_and(|kind| kind.is_integral()) && uses(site, &v.name))
        .collect();
    let mut cases = Vec::new();
    for (at, a) in numbers.iter().enumerate() {
        for b in &numbers[at + 1..] {
            for (low, high) in [(a, b), (b, a)] {
                for (relation, must, weight) in [("<=", "be greater than", 0.8), ("<", "not be less than", 0.75)] {
                    let (a, b) = (&high.name, &low.name);
                    let message = format!("\"{a} (\" + {a} + \") must {must} {b} (\" + {b} + \")\"");
                    cases.push(Impossible { condition: format!("{a} {relation} {b}"), message, weight });
                }
            }
        }
    }
    cases.truncate(4 * MAX_PAIRS);
    cases
}

/// Parameters of the statement that hold nothing.
fn emptiness(site: &Site<'_>) -> Vec<Impossible> {
    let mut cases = Vec::new();
    for variable in site.before().filter(|v| v.origin == Origin::Parameter && uses(site, &v.name)) {
        let (Some(kind), name) = (&variable.kind, &variable.name) else { continue };
        let empty = match kind {
            kind if kind.is_array() => format!("{name}.length == 0"),
            kind if kind.is_string() => format!("{name}.length() == 0"),
            kind if kind.is_collection() || kind.is_map() => format!("{name}.isEmpty()"),
            kind if kind.is_integral() => {
                let message = format!("\"{name} must not be negative: \" + {name}");
                cases.push(Impossible { condition: format!("{name} < 0"), message, weight: 0.7 });
                continue;
            }
            _ => continue,
        };
        let guarded = format!("{name} != null && {empty}");
        let message = format!("\"{name} must not be empty\"");
        cases.push(Impossible { condition: empty, message: message.clone(), weight: 0.7 });
        cases.push(Impossible { condition: guarded, message, weight: 0.65 });
        let message = format!("\"{name} must not be null\"");
        cases.push(Impossible { condition: format!("{name} == null"), message, weight: 0.6 });
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::Clues;
    use crate::templates::testing::{proposals, whole_proposals_for};

    const BAND: &str = "class Band {
    String cut(String text, int left, int right) {
        int width = right - left;
        if (width > 9) {
            throw new IllegalStateException(text + \" is too long\");
        }
        return text.substring(0, right);
    }
}";

    #[test]
    fn numbers_in_the_wrong_order_and_positions_outside_are_refused() {
        let lines = proposals(&Refusal, BAND, 3);
        let turned = "if (right < left) throw new IllegalArgumentException(\"right (\" + right + \") must not be less than left (\" + left + \")\");";
        assert!(lines.contains(&turned.to_owned()), "{lines:#?}");
        let lines = proposals(&Refusal, BAND, 7);
        let copied = "if (right > text.length()) throw new IllegalStateException(text + \" is too long\");";
        assert!(lines.contains(&copied.to_owned()), "{lines:#?}");
        assert!(lines.iter().any(|line| line.starts_with("if (text.length() == 0) throw")), "{lines:#?}");
    }

    #[test]
    fn tests_that_wait_for_an_exception_decide_which_one() {
        let clues = Clues { expected: vec!["java.io.EOFException".into()], ..Clues::default() };
        let texts = whole_proposals_for(&Refusal, BAND, 7, &clues);
        assert!(texts.iter().any(|text| text.contains("throw new java.io.EOFException(")), "{texts:#?}");
    }
}
