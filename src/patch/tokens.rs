//! Tokens of a piece of code, however broken it is: words, literals, single signs.

use crate::language::Language;
use std::ops::Range;

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Where the white space and comments in front of it start.
    pub(super) start: usize,
    /// The token itself.
    pub(super) core: Range<usize>,
}

/// Cuts bytes into tokens; what follows the last one belongs to none.
pub(super) fn tokens(bytes: &[u8], language: &dyn Language) -> Vec<Token> {
    let mut found = Vec::new();
    let (mut at, mut start) = (0, 0);
    while at < bytes.len() {
        let comment = comment(&bytes[at..], language);
        let end = at + comment.unwrap_or_else(|| length(&bytes[at..]));
        if comment.is_none() && !bytes[at].is_ascii_whitespace() {
            found.push(Token { start, core: at..end });
            start = end;
        }
        at = end;
    }
    found
}

/// How long the comment is that starts here, if one does.
fn comment(rest: &[u8], language: &dyn Language) -> Option<usize> {
    if rest.starts_with(language.line_comment().as_bytes()) {
        return Some(rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()));
    }
    let (opens, closes) = language.block_comment()?;
    let inner = rest.strip_prefix(opens.as_bytes())?;
    let end = memchr::memmem::find(inner, closes.as_bytes());
    Some(end.map_or(rest.len(), |end| opens.len() + end + closes.len()))
}

/// How long the piece is that starts here: at least one byte.
fn length(rest: &[u8]) -> usize {
    let run = |matches: fn(u8) -> bool| rest.iter().take_while(|byte| matches(**byte)).count();
    match rest {
        [quote @ (b'"' | b'\''), tail @ ..] => quoted(*quote, tail) + 1,
        [first, ..] if first.is_ascii_whitespace() => run(|byte| byte.is_ascii_whitespace()),
        [first, ..] if is_word(*first) => run(is_word),
        _ => 1,
    }
}

/// Whether the byte belongs to a word: letters, digits and everything beyond ASCII.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The length of a literal behind its first quote: to its end, else to the end of the line.
fn quoted(quote: u8, tail: &[u8]) -> usize {
    let mut escaped = false;
    for (at, &byte) in tail.iter().enumerate() {
        if byte == b'\n' {
            return at;
        }
        if !escaped && byte == quote {
            return at + 1;
        }
        escaped = !escaped && byte == b'\\';
    }
    tail.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Java, Python};
    use proptest::prelude::*;

    fn cores(text: &str) -> Vec<&str> {
        tokens(text.as_bytes(), &Java).into_iter().map(|token| &text[token.core]).collect()
    }

    #[test]
    fn words_literals_and_signs() {
        assert_eq!(
            cores("a.b(\"x \\\" y\", 'c') // no\n+= größe_1; /* no */"),
            ["a", ".", "b", "(", "\"x \\\" y\"", ",", "'c'", ")", "+", "=", "größe_1", ";"]
        );
        assert_eq!(cores("\"open\nnext"), ["\"open", "next"]);
        let python = tokens(b"a // b # no\n", &Python);
        assert_eq!(python.len(), 4);
    }

    proptest! {
        #[test]
        fn every_byte_belongs_somewhere(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let mut at = 0;
            for token in tokens(&bytes, &Java) {
                prop_assert_eq!(token.start, at);
                prop_assert!(token.core.start >= at && token.core.end > token.core.start);
                at = token.core.end;
            }
            prop_assert!(at <= bytes.len());
        }
    }
}
