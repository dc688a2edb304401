//! Words that messages of all rooms need: numbers with their nouns, the first few of many, the head of a long text,
//! addresses without who logs in.

use std::fmt::Display;

/// A number with its noun: `1 test`, `2 tests`, `3 queries`, `2 patches`.
pub fn counted<N: TryInto<u64> + Display + Copy>(number: N, noun: &str) -> String {
    if number.try_into().is_ok_and(|number: u64| number == 1) {
        return format!("{number} {noun}");
    }
    let consonant = |rest: &str| !rest.ends_with(['a', 'e', 'o', 'u']);
    match noun.strip_suffix('y').filter(|rest| consonant(rest)) {
        Some(rest) => format!("{number} {rest}ies"),
        None if noun.ends_with(['s', 'x']) || noun.ends_with("ch") || noun.ends_with("sh") => {
            format!("{number} {noun}es")
        }
        None => format!("{number} {noun}s"),
    }
}

/// The first `most` of them, each as its own text, and `and 3 more` where there are more.
pub fn first_of<T: Display>(all: &[T], most: usize) -> Vec<String> {
    let mut lines: Vec<String> = all.iter().take(most).map(T::to_string).collect();
    if let Some(more) = all.len().checked_sub(most).filter(|more| *more > 0) {
        lines.push(format!("and {more} more"));
    }
    lines
}

/// The same on one line: `a, b and 3 more`.
pub fn listed<T: Display>(all: &[T], most: usize) -> String {
    let mut parts = first_of(all, most);
    let more = if all.len() > most { parts.pop() } else { None };
    let names = parts.join(", ");
    match more {
        Some(more) => format!("{names} {more}"),
        None => names,
    }
}

/// Whether a text holds a name as a whole word.
pub fn names(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word))
}

/// The first `most` characters of a text, with `…` behind them where more was there.
pub fn clipped(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// The text on one line: every run of white space becomes one space.
pub fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An address without the name and the password in it; a text that is no address stays as it is. It is no work for a
/// parser of addresses: that one writes an address anew, and refuses those with placeholders.
pub fn without_login(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let host = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..host].rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => text.to_owned(),
    }
}

/// A time as `--max-time` takes it: `45s`, `15m`, `1h30m`.
pub fn span(time: std::time::Duration) -> String {
    let seconds = time.as_secs();
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")];
    let text: String = parts.iter().filter(|(n, _)| *n > 0).map(|(n, unit)| format!("{n}{unit}")).collect();
    if text.is_empty() { format!("{}s", time.as_secs_f64()) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn nouns_agree_with_their_number() {
        let counts = [counted(1, "test"), counted(0, "test"), counted(2_u64, "query"), counted(3, "patch")];
        assert_eq!(counts, ["1 test", "0 tests", "2 queries", "3 patches"]);
        assert_eq!([counted(2, "class"), counted(2, "day")], ["2 classes", "2 days"]);
    }

    #[test]
    fn of_many_the_first_are_named() {
        assert_eq!(first_of(&["a", "b"], 2), ["a", "b"]);
        assert_eq!(first_of(&["a", "b", "c", "d"], 2), ["a", "b", "and 2 more"]);
        assert_eq!([listed(&["a", "b"], 2), listed(&["a", "b", "c"], 2)], ["a, b", "a, b and 1 more"]);
    }

    #[test]
    fn long_texts_are_clipped() {
        assert_eq!([clipped("äöü", 3), clipped("äöü", 2)], ["äöü", "äö…"]);
        assert_eq!(clipped("candidate 7", 10), "candidate…");
        assert_eq!(on_one_line(" a\n\t b "), "a b");
    }

    #[test]
    fn an_address_tells_nobody_who_logs_in() {
        assert_eq!(without_login("https://me:a@b@host:1/x@y"), "https://host:1/x@y");
        assert_eq!(without_login("https://host?to=me@b"), "https://host?to=me@b");
        assert_eq!(without_login("me@host"), "me@host");
    }

    #[test]
    fn times_are_told_as_they_are_typed() {
        let spans = [45, 900, 5400, 86_400].map(|seconds| span(Duration::from_secs(seconds)));
        assert_eq!(spans, ["45s", "15m", "1h30m", "24h"]);
        assert_eq!(span(Duration::from_millis(500)), "0.5s");
    }
}
