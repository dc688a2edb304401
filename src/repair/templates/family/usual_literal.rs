//! A comparison with another literal than the code around compares the same value with.
//!
//! Source: ManySStuBs4J's *change numeral*; that code says the same thing in the same words.
//! Example: `if (depth == 1)` in a parser that asks for `depth == 0` everywhere else becomes `if (depth == 0)`.

use crate::templates::edit::Edit;
use crate::templates::shape::Shape;
use crate::templates::site::Site;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub struct UsualLiteral;

/// The longer ones first: `<=` begins with `<`.
const RELATIONS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];
/// Weight of a literal that the same value is compared with by another relation.
const OTHERWISE: f64 = 0.7;

impl Template for UsualLiteral {
    fn name(&self) -> &'static str {
        "usual_literal"
    }

    fn prior(&self) -> Prior {
        0.75
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            let Some((asked, relation)) = question(site, node) else { continue };
            for (other, weight) in usual(site, asked, relation, site.text(node)) {
                out.push(site.replacement(node, other, weight));
            }
        }
    }
}

/// What is compared with the number or character on the right side of a comparison, and how: `depth` and `==`.
fn question<'a>(site: &Site<'a>, literal: Node<'_>) -> Option<(&'a str, &'static str)> {
    let around = literal.parent()?;
    let is_last = is_simple(site.text(literal)) && literal.end_byte() == around.end_byte();
    let is_comparison = is_last && matches!(around.shape(), "binary_expression" | "comparison_operator");
    let text = site.text(around).get(..literal.start_byte() - around.start_byte())?.trim_end();
    let relation = RELATIONS.into_iter().find(|relation| is_comparison && text.ends_with(relation))?;
    // `a << 1` asks nothing.
    let asked = text.strip_suffix(relation).filter(|asked| !asked.ends_with(['<', '>']))?;
    Some((asked.trim_end(), relation))
}

/// Other literals that the same is compared with in the member around and in those near it, each once, with its weight: those
/// by the same relation first.
fn usual(site: &Site<'_>, asked: &str, relation: &str, literal: &str) -> Vec<(String, f64)> {
    let mut others: Vec<(String, f64)> = Vec::new();
    let near = std::iter::once(&site.own).chain(&site.near).flat_map(|ingredients| &ingredients.expressions);
    for rest in near.filter_map(|ingredient| ingredient.text.strip_prefix(asked)).map(str::trim_start) {
        let Some(by) = RELATIONS.into_iter().find(|by| rest.starts_with(by)) else { continue };
        let other = rest[by.len()..].trim_start();
        if !is_simple(other) || other == literal {
            continue;
        }
        let weight = if by == relation { 1.0 } else { OTHERWISE };
        match others.iter_mut().find(|(known, _)| known == other) {
            Some((_, known)) => *known = known.max(weight),
            None => others.push((other.to_owned(), weight)),
        }
    }
    others
}

/// Whether a text is a whole number or a character.
fn is_simple(text: &str) -> bool {
    let is_character = text.len() > 2 && text.starts_with('\'') && text.ends_with('\'') && !text.contains(' ');
    text.parse::<i64>().is_ok() || is_character
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::{proposals, whole_proposals_in_python};

    const READER: &str = "class Reader {
    int depth;
    char mark;
    boolean ends(int at) {
        if (this.depth == 1) {
            return mark == ';';
        }
        return at << 1 == 2 || this.depth >= 3;
    }
    int wide(int at) {
        return at << 4;
    }
    boolean begins() {
        return this.depth == 0 && mark == ',';
    }
}";

    #[test]
    fn the_same_is_asked_with_the_usual_literal() {
        assert_eq!(proposals(&UsualLiteral, READER, 5), ["if (this.depth == 0) {", "if (this.depth == 3) {"]);
        assert_eq!(proposals(&UsualLiteral, READER, 6), ["return mark == ',';"]);
        assert_eq!(
            proposals(&UsualLiteral, READER, 8),
            ["return at << 1 == 2 || this.depth >= 1;", "return at << 1 == 2 || this.depth >= 0;"]
        );
    }

    #[test]
    fn in_python_too() {
        let source = "def ends(depth):\n    if depth == 1:\n        return True\n    return depth == 0\n";
        let proposed = whole_proposals_in_python(&UsualLiteral, source, 2);
        assert_eq!(proposed, ["def ends(depth):\n    if depth == 0:\n        return True\n    return depth == 0\n"]);
    }
}
