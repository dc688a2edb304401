//! Code that reads as something else.

use crate::language::text_of;
use tree_sitter::Node;

/// Unicode escapes that spell printable ASCII or line breaks: the compiler reads them as code wherever they stand.
pub(super) fn hidden_code(node: Node<'_>, text: &str) -> Option<String> {
    let body = text_of(node, text);
    let (at, _) = unicode_escapes(body).find(|(_, code)| matches!(code, 0x0A | 0x0D | 0x21..0x7F))?;
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

/// A name with letters of another alphabet that look like ours.
pub(super) fn look_alike(node: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(node, text);
    let foreign = name.chars().find(|c| {
        // Greek, Cyrillic and Armenian; letters of full width; letters for formulas.
        matches!(c, '\u{370}'..='\u{58F}' | '\u{FF21}'..='\u{FF5A}' | '\u{1D400}'..='\u{1D7FF}')
    })?;
    let code = u32::from(foreign);
    Some(format!("the name `{name}` holds `{foreign}` (U+{code:04X}), which is easily taken for another letter"))
}
