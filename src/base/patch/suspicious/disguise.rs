//! Code that reads as something else.

use crate::language::text_of;
use tree_sitter::Node;

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

/// A name with letters of another alphabet that look like ours.
pub fn look_alike(node: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(node, text);
    let foreign = name.chars().find(|c| {
        // Letters of full width; letters for formulas.
        LOOK_ALIKE.contains(*c) || matches!(c, '\u{FF21}'..='\u{FF5A}' | '\u{1D400}'..='\u{1D7FF}')
    })?;
    let code = u32::from(foreign);
    Some(format!("the name `{name}` holds `{foreign}` (U+{code:04X}), which is easily taken for another letter"))
}
