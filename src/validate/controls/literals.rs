//! Other values in the place of expected ones.
//!
//! An assertion that is reversed still fails when everything equals everything. Where a patch touches a comparison, the
//! expected value itself is changed, literal by literal: a comparison that sees none of these changes compares nothing.

use super::{Change, Kind};
use crate::domain::Patch;
use crate::language::{Language, decode, preorder, text_of};
use tree_sitter::Node;

/// What a file holds that may touch a comparison, by language. An escape may spell any name.
const COMPARING: &[(&str, &[&str])] =
    &[("java", &["equals", "hashCode", "compare", "Comparator", "\\u"]), ("python", &["__", "setattr", "type("])];
/// Added to every number.
const MORE: i64 = 1013;
/// Put at the end of every text.
const TAIL: &str = "~1013";

/// Whether a patch may touch how values are compared.
pub(super) fn may_touch_comparison(patch: &Patch, language: &dyn Language) -> bool {
    let words = COMPARING.iter().find(|(name, _)| *name == language.name()).map_or(&[][..], |(_, words)| *words);
    let holds = |bytes: &[u8]| {
        let text = decode(bytes).0;
        words.iter().any(|word| text.contains(word))
    };
    patch.files.iter().any(|file| holds(&file.after))
}

/// The changes of the literals below a node of an assertion.
pub(super) fn altered(statement: Node<'_>, below: Node<'_>, text: &str) -> Vec<Change> {
    let mut found = Vec::new();
    preorder(below, |node| {
        let new = other(node, text);
        if let Some(new) = &new {
            found.push(Change::of(Kind::Altered, statement, text, vec![(node.byte_range(), new.clone())]));
        }
        new.is_none() && node.kind() != "string"
    });
    found
}

/// Another value of the same kind; `None` for what is no literal.
fn other(literal: Node<'_>, text: &str) -> Option<String> {
    let written = text_of(literal, text);
    match literal.kind() {
        "decimal_integer_literal" | "integer" => {
            let (digits, suffix) = written.split_at(written.trim_end_matches(['l', 'L']).len());
            let number: i64 = digits.replace('_', "").parse().ok()?;
            Some(format!("{}{suffix}", number.checked_add(MORE)?))
        }
        "decimal_floating_point_literal" | "float" => {
            let number: f64 = written.trim_end_matches(['f', 'F', 'd', 'D']).replace('_', "").parse().ok()?;
            let suffix = if written.ends_with(['f', 'F']) { "f" } else { "" };
            Some(format!("{:?}{suffix}", number + MORE as f64))
        }
        "string_literal" | "string" => {
            let quote = written.chars().next_back()?;
            let inner = written.strip_suffix(quote)?;
            let is_simple =
                !written.ends_with("\"\"\"") && !written.ends_with("'''") && !written.starts_with(['f', 'F', 'b', 'B']);
            is_simple.then(|| format!("{inner}{TAIL}{quote}"))
        }
        "true" => Some("false".to_owned()),
        "false" => Some("true".to_owned()),
        _ => None,
    }
}
