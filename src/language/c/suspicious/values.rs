//! What an expression of constants in C is worth, however it is written: `99`, `0x63`, `9 * 11`, or the name of a macro, an
//! enumerator or a constant of the file.

use tree_sitter::Node;
use unidebug_base::language::{children, preorder, text_of};

/// Names are followed so far.
const MAX_DEPTH: usize = 8;

/// The address of a variable as a number: where a variable lies is no promise.
pub(super) fn by_place(node: Node<'_>, text: &str) -> Option<String> {
    let kind = text_of(node.child_by_field_name("type")?, text);
    let value = node.child_by_field_name("value")?;
    let is_address = value.kind() == "pointer_expression" && text_of(value, text).starts_with('&');
    let is_number = !kind.contains('*') && ["int", "long", "size_t"].iter().any(|word| kind.contains(word));
    (is_address && is_number).then(|| format!("`({kind})` makes a number of where a variable lies"))
}

/// The value of a number as it is written, without a sign.
pub(super) fn number(written: &str) -> Option<i128> {
    let plain = written.replace('\'', "").to_ascii_lowercase();
    let digits = plain.trim_end_matches(['u', 'l']);
    match digits {
        _ if digits.starts_with("0x") => i128::from_str_radix(&digits[2..], 16).ok(),
        _ if digits.starts_with("0b") => i128::from_str_radix(&digits[2..], 2).ok(),
        _ if digits.len() > 1 && digits.starts_with('0') => i128::from_str_radix(&digits[1..], 8).ok(),
        _ => digits.parse().ok(),
    }
}

/// The value of a letter, or of a character that is written as a number. Blanks, signs and digits between quotes are
/// what parsers compare with for good reasons; their values say nothing about a test.
pub(super) fn letter(written: &str) -> Option<i128> {
    let inner = written.strip_prefix('\'')?.strip_suffix('\'')?;
    match inner.strip_prefix('\\') {
        Some(hex) if hex.starts_with('x') => i128::from_str_radix(&hex[1..], 16).ok(),
        Some(octal) if octal.len() > 1 => i128::from_str_radix(octal, 8).ok(),
        Some(_) => None,
        None => {
            inner.chars().next().filter(|c| c.is_ascii_alphabetic() && inner.len() == 1).map(|c| i128::from(c as u32))
        }
    }
}

/// The value of an expression, where constants of its file decide it.
pub(super) fn value(node: Node<'_>, text: &str) -> Option<i128> {
    folded(node, text, 0)
}

fn folded(node: Node<'_>, text: &str, depth: usize) -> Option<i128> {
    if depth > MAX_DEPTH {
        return None;
    }
    let part = |name: &str| folded(node.child_by_field_name(name)?, text, depth + 1);
    match node.kind() {
        "number_literal" => number(text_of(node, text)),
        "char_literal" => letter(text_of(node, text)),
        "parenthesized_expression" => folded(node.named_child(0)?, text, depth + 1),
        "cast_expression" => part("value"),
        "unary_expression" => {
            let inner = part("argument")?;
            match text_of(node.child_by_field_name("operator")?, text) {
                "-" => inner.checked_neg(),
                "+" => Some(inner),
                "~" => Some(!inner),
                _ => None,
            }
        }
        "binary_expression" => {
            let (left, right) = (part("left")?, part("right")?);
            computed(left, text_of(node.child_by_field_name("operator")?, text), right)
        }
        "identifier" => named(node, text, depth),
        _ => None,
    }
}

fn computed(left: i128, operator: &str, right: i128) -> Option<i128> {
    let bits = || u32::try_from(right).ok().filter(|bits| *bits < 64);
    match operator {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        "%" => left.checked_rem(right),
        "<<" => left.checked_shl(bits()?),
        ">>" => left.checked_shr(bits()?),
        "&" => Some(left & right),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        _ => None,
    }
}

/// The value of a name that a macro, an enumerator or a constant of the file has.
fn named(node: Node<'_>, text: &str, depth: usize) -> Option<i128> {
    let name = text_of(node, text);
    let top = std::iter::successors(Some(node), |node| node.parent()).last()?;
    let mut found = None;
    preorder(top, |other| {
        if found.is_none() {
            found = defined(other, name, text, depth);
        }
        found.is_none()
    });
    found
}

fn defined(node: Node<'_>, name: &str, text: &str, depth: usize) -> Option<i128> {
    let is_named = |field: &str| node.child_by_field_name(field).is_some_and(|at| text_of(at, text) == name);
    match node.kind() {
        "preproc_def" if is_named("name") => {
            let written = text_of(node.child_by_field_name("value")?, text).trim();
            let bare = written.trim_matches(['(', ')', ' ']);
            let minus = bare.strip_prefix('-');
            let value = number(minus.unwrap_or(bare)).or_else(|| letter(bare))?;
            Some(if minus.is_some() { -value } else { value })
        }
        "enumerator" if is_named("name") => folded(node.child_by_field_name("value")?, text, depth + 1),
        "init_declarator" if is_named("declarator") => {
            let is_const = |part: &Node<'_>| part.kind() == "type_qualifier" && text_of(*part, text) == "const";
            let constant = node.parent().is_some_and(|declaration| children(declaration).iter().any(is_const));
            folded(node.child_by_field_name("value").filter(|_| constant)?, text, depth + 1)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::C;

    #[test]
    fn constants_are_worth_the_same_however_they_are_written() {
        let top = "#define LAST 99\nenum { END = LAST };\nstatic const int ODD = END;\nint f(int n) {\n    return ";
        for (written, wanted) in [
            ("99", Some(99)),
            ("0x63u", Some(99)),
            ("0143", Some(99)),
            ("'c'", Some(99)),
            ("'\\x63'", Some(99)),
            ("9 * 11", Some(99)),
            ("-(1 - 100)", Some(99)),
            ("(int) (3 << 5 | 3)", Some(99)),
            ("LAST", Some(99)),
            ("END", Some(99)),
            ("ODD", Some(99)),
            ("n", None),
            ("'\\n'", None),
            ("'-'", None),
            ("1 / 0", None),
            ("1.5", None),
        ] {
            let text = format!("{top}{written};\n}}\n");
            let tree = unidebug_base::language::parse(&text, &C).unwrap();
            let mut found = None;
            preorder(tree.root_node(), |node| {
                if node.kind() == "return_statement" {
                    found = value(node.named_child(0).unwrap(), &text);
                }
                true
            });
            assert_eq!(found, wanted, "{written}");
        }
    }
}
