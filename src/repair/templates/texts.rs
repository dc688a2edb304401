//! What failing tests say about texts: which one came, and which one they wait for.

use crate::domain::FailingTest;
use std::collections::BTreeSet;

/// Characters of a text on each side of a difference that tell which text is meant.
const CONTEXT: usize = 12;
/// Characters of a difference at most: a longer one is no slip of the pen.
const MOST: usize = 24;
/// Characters of a message that are read.
const READ: usize = 2_000;
/// Texts that are compared in one message at most.
const MOST_TEXTS: usize = 40;
/// Exceptions, by the ends of their names, whose messages name types and attributes and compare no texts.
const OF_NAMES: [&str; 6] =
    ["AttributeError", "ClassCastException", "ImportError", "ModuleNotFoundError", "NameError", "TypeError"];

/// One difference between two texts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TextChange {
    /// What stands in both texts before it.
    pub(super) before: String,
    /// What stands there in the first text.
    pub(super) came: String,
    /// What stands there in the second one.
    pub(super) wanted: String,
    /// What stands in both texts after it.
    pub(super) after: String,
}

impl TextChange {
    /// The only difference between two texts, where it is small.
    fn between(came: &str, wanted: &str) -> Option<Self> {
        let (came, wanted): (Vec<char>, Vec<char>) = (came.chars().collect(), wanted.chars().collect());
        let first = came.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
        let (a, b) = (&came[first..], &wanted[first..]);
        let last = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
        let text = |chars: &[char]| chars.iter().collect::<String>();
        let (own, other) = (&a[..a.len() - last], &b[..b.len() - last]);
        let is_small = own.len().max(other.len()) <= MOST && own != other;
        // JUnit puts the difference in brackets.
        let is_marked = first > 0 && came[first - 1] == '[' && a[a.len() - last..].first() == Some(&']');
        let (start, end) = if is_marked { (first - 1, a.len() - last + 1) } else { (first, a.len() - last) };
        is_small.then(|| Self {
            before: text(&came[start.saturating_sub(CONTEXT)..start]),
            came: text(own),
            wanted: text(other),
            after: text(&a[end..(end + CONTEXT).min(a.len())]),
        })
    }

    /// The same the other way round.
    fn reversed(self) -> Self {
        Self { came: self.wanted, wanted: self.came, ..self }
    }

    /// Where in a text the first one may stand, with the number of characters there and around that stand in both.
    pub(super) fn places(&self, text: &str) -> Vec<(usize, usize)> {
        // What is missing is missing between two things.
        let around = self.before.chars().next_back().zip(self.after.chars().next());
        let (sought, skipped) = match around {
            _ if !self.came.is_empty() => (self.came.clone(), 0),
            Some((before, after)) => (format!("{before}{after}"), before.len_utf8()),
            None => return Vec::new(),
        };
        let found = text.match_indices(&sought).map(|(at, _)| at + skipped);
        found.map(|at| (at, self.fit(&text[..at], &text[at + self.came.len()..]))).collect()
    }

    /// How many characters of the texts stand between these two parts of a literal, and around.
    fn fit(&self, before: &str, behind: &str) -> usize {
        let before = before.chars().rev().zip(self.before.chars().rev()).take_while(|(a, b)| a == b).count();
        let behind = behind.chars().zip(self.after.chars()).take_while(|(a, b)| a == b).count();
        before + behind + self.came.chars().count()
    }
}

/// The differences that the messages of failing tests tell of, in both directions: not all say which text came.
pub(super) fn changes(failing: &[FailingTest]) -> BTreeSet<TextChange> {
    let mut found = BTreeSet::new();
    let compares = |test: &&FailingTest| !OF_NAMES.iter().any(|kind| test.failure.kind.ends_with(kind));
    for test in failing.iter().filter(compares) {
        let message: String = test.failure.message.chars().take(READ).collect();
        for (came, wanted) in pairs(&message) {
            if let Some(change) = TextChange::between(&came, &wanted) {
                found.insert(change.clone().reversed());
                found.insert(change);
            }
        }
    }
    found
}

/// Texts that a message compares.
fn pairs(message: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = in_angles(message).into_iter().collect();
    for part in message.lines().chain([message]) {
        let texts = quoted(part);
        let (came, wanted) = texts.split_at(texts.len() / 2);
        if came.len() == wanted.len() && texts.len() <= MOST_TEXTS {
            found.extend(came.iter().cloned().zip(wanted.iter().cloned()));
        }
    }
    // As `doctest` does.
    let example = message.split_once("Expected:\n").and_then(|(_, rest)| rest.split_once("Got:\n"));
    found.extend(example.map(|(wanted, came)| (came.trim().to_owned(), wanted.trim().to_owned())));
    // As `difflib` and pytest show two texts.
    let lines: Vec<&str> = message.lines().map(str::trim_start).collect();
    let marked = |line: &str, mark: &str| line.strip_prefix(mark).map(str::to_owned);
    found.extend(lines.windows(2).filter_map(|two| marked(two[0], "- ").zip(marked(two[1], "+ "))));
    found
}

/// `expected:<a> but was:<b>`, as JUnit says it.
fn in_angles(message: &str) -> Option<(String, String)> {
    let (_, rest) = message.split_once("expected:")?;
    let (wanted, came) = rest.split_once("> but was:")?;
    let inside = |text: &str| text.trim_start().strip_prefix('<').map(str::to_owned);
    let came = came.trim_end();
    inside(came.strip_suffix('>').unwrap_or(came)).zip(inside(wanted))
}

/// What stands in quotes, one after the other, as it is spelled there.
fn quoted(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['\'', '"']) {
        let quote = rest.as_bytes()[start] as char;
        let is_apostrophe =
            quote == '\'' && rest[..start].ends_with(char::is_alphanumeric) && !is_prefix(&rest[..start]);
        rest = &rest[start + 1..];
        if is_apostrophe {
            continue;
        }
        let mut is_escaped = false;
        let end = rest.find(|c: char| {
            let is_end = c == quote && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        });
        let Some(end) = end else { break };
        found.push(rest[..end].to_owned());
        rest = &rest[end + 1..];
    }
    found
}

/// Whether a text ends with what Python writes before some texts: `b'…'`.
fn is_prefix(text: &str) -> bool {
    let mut last = text.chars().rev();
    matches!(last.next(), Some('b' | 'r' | 'u' | 'f')) && !last.next().is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Failure, TestId};
    use proptest::prelude::*;

    fn change(before: &str, came: &str, wanted: &str, after: &str) -> TextChange {
        let [before, came, wanted, after] = [before, came, wanted, after].map(str::to_owned);
        TextChange { before, came, wanted, after }
    }

    #[test]
    fn messages_of_test_libraries_tell_the_difference() {
        let of = |message: &str| {
            let (came, wanted) = pairs(message).into_iter().next().unwrap();
            TextChange::between(&came, &wanted).unwrap()
        };
        assert_eq!(
            of(r#"assert b'GET /a HTTP/2.1\r\nHost' == b'GET /a HTTP/1.1\r\nHost'"#),
            change("GET /a HTTP/", "2", "1", r".1\r\nHost")
        );
        assert_eq!(of("'1 hours' != '1 hour'\n- 1 hours\n?       -\n+ 1 hour\n"), change("1 hour", "s", "", ""));
        assert_eq!(of("expected:<...of []the> but was:<...of [a ]the>"), change("...of ", "a ", "", "the"));
        assert_eq!(of("expected:<it [i]s so> but was:<it [wa]s so>"), change("it ", "wa", "i", "s so"));
        assert_eq!(of("expected: <it is so> but was: <it was so>"), change("it ", "wa", "i", "s so"));
        assert_eq!(of("\nExpected: is \"a row\"\n     but: was \"a raw\""), change("a r", "o", "a", "w"));
        assert_eq!(of("\nexpected: \"a row\"\n but was: \"a raw\""), change("a r", "o", "a", "w"));
        assert_eq!(of("Expected:\n    a row\nGot:\n    a raw\n"), change("a r", "a", "o", "w"));
        assert_eq!(pairs("it doesn't fit").len(), 0);
    }

    #[test]
    fn a_message_that_names_types_compares_no_texts() {
        let of = |kind: &str, message: &str| {
            let failure = Failure { kind: kind.into(), message: message.into(), frames: Vec::new() };
            let id = TestId::new("t", "test_f");
            changes(&[FailingTest { id, file: None, span: None, failing_line: None, failure, timed_out: false }])
        };
        assert!(of("AttributeError", "'NoneType' object has no attribute 'dump_only'").is_empty());
        assert_eq!(of("AssertionError", "assert 'a raw' == 'a row'").len(), 2);
    }

    #[test]
    fn a_place_fits_by_what_stands_around() {
        let change = change("GET /a HTTP/", "2", "1", ".1\\r\\n");
        let literal = r#"b"%s %s HTTP/2.1\r\n""#;
        assert_eq!(change.places(literal), [(literal.find('2').unwrap(), 13)]);
        assert_eq!(change.places("22"), [(0, 1), (1, 1)]);
        let missing = TextChange { came: String::new(), ..change };
        assert_eq!(missing.places("HTTP/.1 /."), [(5, 7), (9, 2)]);
        assert!(missing.places("HTTP/").is_empty());
    }

    proptest! {
        #[test]
        fn any_message_is_read(message in ".{0,200}", quotes in "[ab'\"\\\\<>:\\[\\] ]{0,80}") {
            for text in [&message, &quotes, &format!("expected:<{quotes}> but was:<{message}>")] {
                for (came, wanted) in pairs(text) {
                    let Some(change) = TextChange::between(&came, &wanted) else { continue };
                    let inside = [&*change.before, &*change.came, &*change.after].concat();
                    prop_assert!(change.places(text).iter().all(|(at, _)| text.is_char_boundary(*at)));
                    if !change.came.is_empty() && inside.matches(&change.came).count() == 1 {
                        prop_assert_eq!(change.places(&inside), [(change.before.len(), inside.chars().count())]);
                    }
                }
            }
        }
    }
}
