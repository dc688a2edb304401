//! Names in comments and other texts for people.

use super::Naming;

/// A text in which each word may be replaced; `new` sees the word, what stands before it and what stands behind it.
pub(super) fn each_word(text: &str, mut new: impl FnMut(&str, &str, &str) -> Option<String>) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(start) = text[at..].find(is_word).map(|found| at + found) {
        let end = text[start..].find(|c| !is_word(c)).map_or(text.len(), |found| start + found);
        let word = &text[start..end];
        out.push_str(&text[at..start]);
        out.push_str(new(word, &text[..start], &text[end..]).as_deref().unwrap_or(word));
        at = end;
    }
    out.push_str(&text[at..]);
    out
}

/// A comment with the new names. A name that is an English word too is taken for a name only where it is written as one:
/// before a bracket, behind `@param`, in quotes for code, or before a colon at the beginning of a line.
pub fn in_prose(text: &str, naming: &Naming) -> String {
    each_word(text, |word, before, behind| {
        let new = naming.of(word)?;
        let line = before.rsplit('\n').next().unwrap_or_default();
        let begins = line.trim_matches([' ', '\t', '*', '#', '/', '-']).is_empty();
        let quoted = before.ends_with(['`', '#', '.']) && !line.trim_end_matches(['`', '#', '.']).is_empty();
        let named = behind.starts_with('(') || behind.starts_with('`') || quoted || (begins && behind.starts_with(':'));
        let marked = ["@param", "@link", "@code", ":param", "@throws", "{@link", "{@code"];
        let marked = line.split_whitespace().next_back().is_some_and(|last| marked.contains(&last));
        (is_compound(word) || named || marked).then(|| new.to_owned())
    })
}

/// Whether a word looks like a name of a program, not like one of English.
fn is_compound(word: &str) -> bool {
    let inner = word.trim_start_matches('_');
    let upper_inside = inner.chars().skip(1).any(char::is_uppercase) && inner.chars().any(char::is_lowercase);
    inner.contains('_') || upper_inside || inner.chars().any(|c| c.is_ascii_digit())
}
