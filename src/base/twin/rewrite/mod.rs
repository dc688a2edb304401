//! The same in other words: branches exchanged, loops and comparisons turned, steps written out.

mod java;
mod python;

use super::drawn;
use super::edit::{Edit, edited};
use crate::language::{Language, parse, preorder, text_of};
use std::collections::BTreeSet;
use tree_sitter::Node;

/// A place that can be written in another form.
struct Place {
    /// By what it is known in both versions of a file.
    key: String,
    edits: Vec<Edit>,
}

/// One form of rewriting: what it makes of a node, if it can.
type Form = fn(Node<'_>, &str) -> Option<Place>;

/// Of four places that can be rewritten three are.
const OF_FOUR: u64 = 3;

/// Two versions of a file, each with the same behaviour in other words, and how many places were rewritten in the first.
/// What differs between them is written alike, so that their difference stays what it was; a language without forms, or
/// a text that cannot be read, stays as it is.
pub fn rewritten(one: &str, other: &str, language: &dyn Language, seed: u64) -> (String, String, usize) {
    let (mut one, mut other) = (one.to_owned(), other.to_owned());
    let mut count = 0;
    let forms: &[Form] = match language.name() {
        "java" => java::FORMS,
        "python" => python::FORMS,
        _ => &[],
    };
    for form in forms {
        let (Some(of_one), Some(of_other)) = (places(&one, language, *form), places(&other, language, *form)) else {
            return (one, other, count);
        };
        let keys = |places: &[Place]| places.iter().map(|place| place.key.clone()).collect::<BTreeSet<_>>();
        let both: BTreeSet<String> = keys(&of_one).intersection(&keys(&of_other)).cloned().collect();
        let chosen: BTreeSet<String> =
            both.into_iter().filter(|key| drawn(seed, &["rewrite", key]) % 4 < OF_FOUR).collect();
        let (text, places) = apply(&one, of_one, &chosen);
        count += places;
        one = text;
        other = apply(&other, of_other, &chosen).0;
    }
    (one, other, count)
}

fn places(text: &str, language: &dyn Language, form: Form) -> Option<Vec<Place>> {
    let tree = parse(text, language).filter(|tree| !tree.root_node().has_error())?;
    let mut places = Vec::new();
    preorder(tree.root_node(), |node| {
        places.extend(form(node, text));
        true
    });
    Some(places)
}

/// Rewrites the chosen places; of two that overlap the inner one.
fn apply(text: &str, places: Vec<Place>, chosen: &BTreeSet<String>) -> (String, usize) {
    let mut edits: Vec<Edit> = Vec::new();
    let mut count = 0;
    for place in places.into_iter().rev().filter(|place| chosen.contains(&place.key)) {
        let overlaps = |(range, _): &Edit| {
            edits.iter().any(|(other, _)| (range.start < other.end && other.start < range.end) || (range == other))
        };
        if !place.edits.iter().any(overlaps) {
            edits.extend(place.edits);
            count += 1;
        }
    }
    (edited(text, edits), count)
}

/// Two parts of a text change places.
fn exchanged(one: Node<'_>, other: Node<'_>, text: &str) -> [Edit; 2] {
    [(one.byte_range(), text_of(other, text).to_owned()), (other.byte_range(), text_of(one, text).to_owned())]
}

/// The comparison that says the same with its operands exchanged.
fn turned(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "<" => ">",
        ">" => "<",
        "<=" => ">=",
        ">=" => "<=",
        "==" => "==",
        "!=" => "!=",
        _ => return None,
    })
}

/// What is known of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Operand {
    /// It is written out.
    Literal,
    /// Reading it does nothing.
    Name,
    /// It does nothing but may fail in one manner.
    Plain,
    /// It may fail in another manner.
    Indexed,
    /// It may do anything.
    Any,
}

/// Whether the order in which two operands are computed cannot matter.
fn order_is_free(one: Operand, other: Operand) -> bool {
    let (less, more) = (one.min(other), one.max(other));
    less == Operand::Literal || more <= Operand::Plain || (less == Operand::Name && more == Operand::Indexed)
}
