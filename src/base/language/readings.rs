//! Sources that a compiler and a reader could take for two different texts.
//!
//! A lone carriage return ends a comment for `javac` and for Python and stands inside a line for everybody else; control
//! characters are skipped by the one and shown by nobody; a coding cookie of Python can make code out of a comment. A patch
//! may not bring any of them.

use super::Language;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Charsets in which every byte of ASCII is what it is in ASCII, wherever it stands; without case, `-` and `_`.
const PLAIN: &[&str] = &["ascii", "usascii", "utf8", "utf8sig", "latin1", "l1", "koi8r", "koi8u"];
/// Families of such charsets, by how their names begin.
const PLAIN_FAMILIES: &[&str] = &["iso8859", "latin", "cp125", "windows125"];

/// Why the new text of a file could be read in two ways, in words that go on after "it would"; `before` is empty where
/// the file is new.
pub fn read_in_two_ways(before: &str, after: &str, language: &dyn Language) -> Option<String> {
    let known: BTreeSet<&str> = before.split('\n').collect();
    for line in after.split('\n').filter(|line| !known.contains(line)) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.contains('\r') {
            return Some("hold a carriage return inside a line, which ends the line for the compiler alone".to_owned());
        }
        if let Some(why) = language.read_otherwise(line) {
            return Some(why.to_owned());
        }
        let odd = |c: &char| c.is_control() && *c != '\t' || matches!(c, '\u{2028}' | '\u{2029}');
        // A form feed alone on its line parts pages.
        if let Some(control) = line.chars().find(odd).filter(|_| !line.trim_matches(['\u{c}', ' ']).is_empty()) {
            return Some(format!("hold the control character U+{:04X}", u32::from(control)));
        }
    }
    language.charset(after).filter(|charset| !is_plain(charset)).map(|charset| {
        format!("be read in the charset `{charset}`, in which code may stand where readers see none; use utf-8")
    })
}

fn is_plain(charset: &str) -> bool {
    let name: String = charset.to_lowercase().chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    PLAIN.contains(&name.as_str()) || PLAIN_FAMILIES.iter().any(|family| name.starts_with(family))
}

/// A text of the same length whose lines end where compilers end them: a lone carriage return becomes a line feed.
pub(super) fn as_compiled(text: &str) -> Cow<'_, str> {
    let lone = |at: &usize| !text[at + 1..].starts_with('\n');
    if !text.match_indices('\r').any(|(at, _)| lone(&at)) {
        return Cow::Borrowed(text);
    }
    let mut chars = text.chars().peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        out.push(if c == '\r' && chars.peek() != Some(&'\n') { '\n' } else { c });
    }
    Cow::Owned(out)
}

/// The charset that a comment in one of the first two lines of a Python text names.
pub(super) fn coding_cookie(text: &str) -> Option<&str> {
    let lines = as_lines(text).take(2);
    lines
        .filter_map(|line| {
            let comment = line.trim_start_matches(['\u{feff}', ' ', '\t', '\u{c}']).strip_prefix('#')?;
            comment.match_indices("coding").find_map(|(at, word)| {
                let rest = comment[at + word.len()..].strip_prefix([':', '='])?.trim_start_matches([' ', '\t']);
                let end = rest.find(|c: char| !c.is_alphanumeric() && !"-_.".contains(c)).unwrap_or(rest.len());
                (end > 0).then(|| &rest[..end])
            })
        })
        .next()
}

/// The lines of a text, whatever ends them.
fn as_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Java, Python, parse};

    #[test]
    fn what_could_be_read_in_two_ways_is_told() {
        let java = |after| read_in_two_ways("a\r\nb \rc\n", after, &Java);
        for after in ["a // x\r y\n", "a \u{1a}\n", "a \u{b}b\n", "a \u{2028} b\n", "a \u{85} b\n", "x \u{c}y\n"] {
            assert!(java(after).is_some(), "{after:?}");
        }
        for after in ["x\r\ny\r\n", "b \rc\nx\n", "\tx\n", "\u{c}\nx\n", "# coding: utf_7\n", ""] {
            assert_eq!(java(after), None, "{after:?}");
        }
    }

    #[test]
    fn charsets_in_which_code_can_hide_are_told() {
        let python = |after| read_in_two_ways("", after, &Python);
        for after in [
            "# coding: unicode_escape\n",
            "#!/usr/bin/python\n# -*- coding: utf_7 -*-\n",
            "# vim: set fileencoding=hz :\n",
            "\n#coding=utf-16\n",
            "# x\r# coding: raw_unicode_escape",
            "\u{c}# coding: rot13\n",
        ] {
            assert!(python(after).is_some(), "{after:?}");
        }
        for after in [
            "# coding: utf-8\n",
            "# -*- coding: Latin-1 -*-\n",
            "# coding: cp1252\n",
            "# coding: iso-8859-15\n",
            "x\ny\n# coding: utf_7\n",
            "# encoding\n",
        ] {
            assert_eq!(python(after), None, "{after:?}");
        }
    }

    #[test]
    fn a_lone_carriage_return_ends_a_comment() {
        let text = "class A { int f() { // old\r return 1;\n } }\n";
        let tree = parse(text, &Java).unwrap().root_node().to_sexp();
        assert!(tree.contains("return_statement"), "{tree}");
        let tree = parse("x = 1 # old\rx = 2\r\ny = 3\n", &Python).unwrap().root_node().to_sexp();
        assert_eq!(tree.matches("assignment").count(), 3, "{tree}");
    }
}
