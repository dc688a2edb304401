//! Code that reads as something else.

use super::super::content::is_variation_selector;
use crate::language::text_of;
use tree_sitter::Node;
use unicode_normalization::UnicodeNormalization;

/// Unicode escapes by which a text or a comment ends before readers see it end: the compiler reads them wherever they stand.
pub(crate) fn hidden_code(node: Node<'_>, text: &str) -> Option<String> {
    let body = text_of(node, text);
    let ends: &[char] =
        if node.kind().ends_with("comment") { &['\n', '\r', '*', '/'] } else { &['\n', '\r', '"', '\'', '\\'] };
    let (at, _) = unicode_escapes(body).find(|(_, code)| char::from_u32(*code).is_some_and(|c| ends.contains(&c)))?;
    let shown: String = body[at..].chars().take(6).collect();
    Some(format!("the escape `{shown}` hides code from readers"))
}

/// Java's Unicode escapes: where each stands and the code unit that the compiler reads in its place.
pub(in crate::patch) fn unicode_escapes(body: &str) -> impl Iterator<Item = (usize, u32)> {
    body.match_indices("\\u").filter_map(|(at, _)| {
        let escaped = body[..at].chars().rev().take_while(|c| *c == '\\').count() % 2 == 1;
        let digits: String = body[at + 2..].trim_start_matches('u').chars().take(4).collect();
        u32::from_str_radix(&digits, 16).ok().filter(|_| !escaped).map(|code| (at, code))
    })
}

/// Greek, Cyrillic and Armenian letters that look like Latin ones; an honest `λ` or `ж` does not.
const LOOK_ALIKE: &str = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοАВЕЅІЈКМНОРСТХаеорсухѕіјԁԛԝһհոսօ";

/// A name with letters that look like ours and are others, or with what nobody sees.
pub fn look_alike(node: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(node, text);
    // Python takes the letters of the compatible form, such as those of full width or raised ones, for ours.
    let is_compatible = |c: char| !c.is_ascii() && std::iter::once(c).nfkc().all(|plain| plain.is_ascii_alphanumeric());
    let is_foreign = |c: &char| LOOK_ALIKE.contains(*c) || is_variation_selector(*c) || is_compatible(*c);
    let foreign = name.chars().find(is_foreign)?;
    let code = u32::from(foreign);
    Some(match is_variation_selector(foreign) {
        true => format!("the name `{name}` holds U+{code:04X}, which nobody sees"),
        false => {
            format!("the name `{name}` holds `{foreign}` (U+{code:04X}), which is easily taken for another letter")
        }
    })
}
