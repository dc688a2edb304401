//! A parser for JSON as models write it.
//!
//! What strict JSON accepts means the same here. Beyond it: single quotes, bare keys, Python's literals, comments,
//! missing and surplus commas, line breaks and quotes left unescaped in strings, closing braces that never came. One
//! pass, bounded depth: hostile input costs no more than its length.

use serde_json::{Map, Number, Value};

/// Deeper nesting is not what an answer looks like.
const MAX_DEPTH: usize = 64;

/// A document read from the start of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Document {
    /// What it says.
    pub value: Value,
    /// Bytes it took.
    pub length: usize,
    /// Whether strict JSON would have refused it.
    pub repaired: bool,
    /// Whether the text ended before the document did.
    pub unfinished: bool,
}

/// Why there is no document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Byte at which reading stopped: what the attempt cost.
    pub at: usize,
    /// Whether the text ended inside a string: what is missing cannot be guessed.
    pub cut: bool,
}

/// Reads the object or list at the start of `text`.
pub(super) fn document(text: &str) -> Result<Document, Refusal> {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, repaired: false, unfinished: false, cut: false };
    match reader.value(0, Inside::Nothing) {
        Some(value) => {
            Ok(Document { value, length: reader.at, repaired: reader.repaired, unfinished: reader.unfinished })
        }
        None => Err(Refusal { at: reader.at, cut: reader.cut }),
    }
}

/// What a value stands in: decides which character may follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Key,
    Object,
    List,
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    repaired: bool,
    unfinished: bool,
    cut: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// White space and comments; the end of a code fence counts as the end of the text.
    fn skip_blank(&mut self) {
        loop {
            while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
                self.at += 1;
            }
            let rest = &self.bytes[self.at..];
            let comment = if rest.starts_with(b"//") {
                rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())
            } else if rest.starts_with(b"/*") {
                self.text[self.at..].find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                return;
            };
            self.repaired = true;
            self.at += comment;
        }
    }

    fn at_end(&self) -> bool {
        self.at >= self.bytes.len() || self.bytes[self.at..].starts_with(b"```")
    }

    fn value(&mut self, depth: usize, inside: Inside) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b'"' | b'\'' => self.string(inside).map(Value::String),
            b'-' | b'+' | b'.' | b'0'..=b'9' => self.number(),
            _ => self.literal(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut members = Map::new();
        loop {
            self.skip_blank();
            if self.eat(b'}') {
                return Some(Value::Object(members));
            }
            if self.at_end() {
                return self.close_at_end(Value::Object(members));
            }
            let key = self.key()?;
            self.skip_blank();
            if !self.eat(b':') {
                return None;
            }
            self.skip_blank();
            let value = self.value(depth + 1, Inside::Object)?;
            members.insert(key, value);
            self.separator(b'}')?;
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_blank();
            if self.eat(b']') {
                return Some(Value::Array(items));
            }
            if self.at_end() {
                return self.close_at_end(Value::Array(items));
            }
            items.push(self.value(depth + 1, Inside::List)?);
            self.separator(b']')?;
        }
    }

    fn close_at_end(&mut self, value: Value) -> Option<Value> {
        self.repaired = true;
        self.unfinished = true;
        Some(value)
    }

    /// Between members: a comma; a missing or a surplus one is forgiven.
    fn separator(&mut self, close: u8) -> Option<()> {
        self.skip_blank();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.skip_blank();
                while self.eat(b',') {
                    self.repaired = true;
                    self.skip_blank();
                }
                self.repaired |= self.peek() == Some(close);
                Some(())
            }
            Some(byte) if byte == close => Some(()),
            _ if self.at_end() => Some(()),
            Some(b'"' | b'\'' | b'{' | b'[') => {
                self.repaired = true;
                Some(())
            }
            _ => None,
        }
    }

    fn key(&mut self) -> Option<String> {
        if matches!(self.peek()?, b'"' | b'\'') {
            return self.string(Inside::Key);
        }
        let word = self.word().to_owned();
        self.repaired = true;
        (!word.is_empty()).then_some(word)
    }

    /// Letters, digits, `_`, `-`, `.` and `$` from here on.
    fn word(&mut self) -> &str {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'$')) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn literal(&mut self) -> Option<Value> {
        let value = match self.word() {
            "true" => return Some(Value::Bool(true)),
            "false" => return Some(Value::Bool(false)),
            "null" => return Some(Value::Null),
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" | "undefined" | "NaN" => Value::Null,
            _ => return None,
        };
        self.repaired = true;
        Some(value)
    }

    fn number(&mut self) -> Option<Value> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E' | b'_')) {
            self.at += 1;
        }
        let written = &self.text[start..self.at];
        if let Ok(number) = serde_json::from_str::<Number>(written) {
            return Some(Value::Number(number));
        }
        self.repaired = true;
        let plain = written.replace('_', "");
        if let Ok(whole) = plain.trim_start_matches('+').parse::<i64>() {
            return Some(Value::from(whole));
        }
        plain.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number)
    }

    fn string(&mut self, inside: Inside) -> Option<String> {
        let quote = self.peek()?;
        if self.bytes[self.at..].starts_with(b"\"\"\"") && self.bytes.get(self.at + 3) != Some(&b',') {
            return self.triple_quoted();
        }
        self.repaired |= quote == b'\'';
        self.at += 1;
        let mut text = String::new();
        let mut plain = self.at;
        loop {
            let Some(byte) = self.peek() else {
                self.cut = true;
                return None;
            };
            if byte == b'\\' {
                text.push_str(&self.text[plain..self.at]);
                self.escape(&mut text);
                plain = self.at;
            } else if byte == quote && self.ends_here(inside) {
                text.push_str(&self.text[plain..self.at]);
                self.at += 1;
                return Some(text);
            } else {
                // A control character, or a quote that the model forgot to escape, stands for itself.
                self.repaired |= byte < 0x20 || byte == quote;
                self.at += 1;
            }
        }
    }

    /// Python's long string: everything up to the next three quotes.
    fn triple_quoted(&mut self) -> Option<String> {
        self.repaired = true;
        self.at += 3;
        let Some(end) = self.text[self.at..].find("\"\"\"") else {
            self.at = self.bytes.len();
            self.cut = true;
            return None;
        };
        let text = self.text[self.at..self.at + end].to_owned();
        self.at += end + 3;
        Some(text)
    }

    /// Whether the quote here closes the string. In strict JSON it always does, and then what follows fits; where
    /// strict JSON would refuse the document, the quote was one that belongs to the text.
    fn ends_here(&self, inside: Inside) -> bool {
        let after = |from: usize| -> (usize, Option<u8>) {
            let rest = &self.bytes[from..];
            let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            (from + blank, rest.get(blank).copied())
        };
        let (at, next) = after(self.at + 1);
        match (next, inside) {
            (None, _) | (Some(b':'), Inside::Key) | (_, Inside::Nothing) => true,
            (Some(b'}'), Inside::Object) | (Some(b']'), Inside::List) => true,
            (Some(b','), Inside::Object) => self.key_may_start(after(at + 1).0),
            (Some(b','), Inside::List) => self.value_may_start(after(at + 1).0),
            (Some(b'/'), _) => matches!(self.bytes.get(at + 1), Some(b'/' | b'*')),
            (Some(b'`'), _) => self.bytes[at..].starts_with(b"```"),
            // A missing comma: the next member begins on a new line.
            (Some(b'"' | b'\''), Inside::Object | Inside::List) => self.bytes[self.at..at].contains(&b'\n'),
            _ => false,
        }
    }

    /// Whether a member, or what stands for the end of one, begins at `from`. False only where strict JSON refuses.
    fn key_may_start(&self, from: usize) -> bool {
        /// No argument has a longer name; the bound keeps the look ahead constant.
        const LONGEST_KEY: usize = 64;
        let rest = &self.bytes[from..self.bytes.len().min(from + LONGEST_KEY)];
        let colon_after = |end: usize| self.bytes[from + end..].trim_ascii_start().first() == Some(&b':');
        match rest.first() {
            None | Some(b'}' | b',' | b'/') => true,
            Some(&quote @ (b'"' | b'\'')) => {
                let end = rest[1..].iter().position(|&byte| byte == quote || byte == b'\\');
                end.is_none_or(|end| rest[end + 1] == b'\\' || colon_after(end + 2))
            }
            Some(_) => {
                let end = rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
                end.is_some_and(|end| end > 0 && colon_after(end))
            }
        }
    }

    /// Whether an item, or what stands for the end of a list, begins at `from`.
    fn value_may_start(&self, from: usize) -> bool {
        const WORDS: [&[u8]; 6] = [b"true", b"false", b"null", b"True", b"False", b"None"];
        let rest = &self.bytes[from..];
        match rest.first() {
            None | Some(b']' | b',' | b'/' | b'"' | b'\'' | b'{' | b'[' | b'-' | b'0'..=b'9') => true,
            Some(_) => WORDS.iter().any(|word| rest.starts_with(word)),
        }
    }

    fn escape(&mut self, text: &mut String) {
        self.at += 1;
        let Some(byte) = self.peek() else { return };
        self.at += 1;
        match byte {
            b'n' => text.push('\n'),
            b't' => text.push('\t'),
            b'r' => text.push('\r'),
            b'b' => text.push('\u{8}'),
            b'f' => text.push('\u{c}'),
            b'"' | b'\\' | b'/' => text.push(char::from(byte)),
            b'u' => self.unicode(text),
            b'\'' => {
                self.repaired = true;
                text.push('\'');
            }
            _ => {
                // No escape of JSON: the backslash was meant, as in a regular expression.
                self.repaired = true;
                text.push('\\');
                self.at -= 1;
            }
        }
    }

    fn unicode(&mut self, text: &mut String) {
        let four = |at: usize| -> Option<u32> {
            let digits = self.text.get(at..at + 4)?;
            digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
        };
        let Some(first) = four(self.at) else {
            self.repaired = true;
            text.push_str("\\u");
            return;
        };
        let second = if (0xd800..0xdc00).contains(&first) && self.bytes[self.at + 4..].starts_with(b"\\u") {
            four(self.at + 6).filter(|low| (0xdc00..0xe000).contains(low))
        } else {
            None
        };
        self.at += if second.is_some() { 10 } else { 4 };
        let code = second.map_or(first, |low| 0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00));
        self.repaired |= char::from_u32(code).is_none();
        text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
}

#[cfg(test)]
mod tests;
