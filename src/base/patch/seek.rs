//! Finding the place of a hunk by its invariant context (FixAgent, plausibility feedback): line numbers do not count,
//! white space and comments are tolerated, blank and comment lines may be missing on either side.

use super::diff::{DiffLine, Role};
use super::original::Original;
use crate::language::{self, Language};

/// What a line is compared by.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    /// Without white space.
    full: String,
    /// Without white space and comments; empty for blank and comment lines.
    code: String,
}

/// The lines of a file, ready to be searched.
#[derive(Debug)]
pub(super) struct Haystack<'a> {
    pub file: &'a Original,
    keys: Vec<Key>,
    language: &'static dyn Language,
}

/// For each line of a hunk, the line of the file it stands for, counted from 0; none for inserted lines and for blank
/// and comment lines that the file does not have.
pub(super) type Alignment = Vec<Option<usize>>;

impl<'a> Haystack<'a> {
    pub(super) fn new(file: &'a Original, language: &'static dyn Language) -> Self {
        let comments = comments(&file.text, language);
        let mut next = 0;
        let keys = (0..file.line_count()).map(|n| {
            let (start, line) = (file.start(n), file.line(n));
            while comments.get(next).is_some_and(|comment| comment.end <= start) {
                next += 1;
            }
            let mut code = String::new();
            let mut at = start;
            for comment in comments[next..].iter().take_while(|comment| comment.start < start + line.len()) {
                code.push_str(file.text.get(at..comment.start.max(at)).unwrap_or(""));
                at = comment.end.min(start + line.len()).max(at);
            }
            code.push_str(file.text.get(at..start + line.len()).unwrap_or(""));
            Key { full: squeezed(line), code: squeezed(&code) }
        });
        Self { file, keys: keys.collect(), language }
    }

    /// Whether a line, counted from 0, holds no code: it is blank or comment.
    pub(super) fn is_blank(&self, n: usize) -> bool {
        self.keys.get(n).is_none_or(|key| key.code.is_empty())
    }

    /// All places of a hunk, each as an alignment. An exact place is preferred to one that only white space and
    /// comments make fit; a hunk that shows nothing but blank and comment lines has a place only when these are equal.
    pub(super) fn places(&self, hunk: &[DiffLine]) -> Vec<Alignment> {
        let old: Vec<usize> = (0..hunk.len()).filter(|&i| hunk[i].role != Role::Insert).collect();
        if old.is_empty() {
            return Vec::new();
        }
        let texts: Vec<&str> = old.iter().map(|&i| hunk[i].text.as_str()).collect();
        let exact = self.contiguous(&texts, |n, text| self.file.line(n) == text);
        let trimmed = || self.contiguous(&texts, |n, text| self.file.line(n).trim() == text.trim());
        let contiguous = if exact.is_empty() { trimmed() } else { exact };
        let spread = |matched: Vec<Option<usize>>| {
            let mut alignment = vec![None; hunk.len()];
            for (&i, line) in old.iter().zip(matched) {
                alignment[i] = line;
            }
            alignment
        };
        if !contiguous.is_empty() {
            let all = contiguous.into_iter().map(|at| (0..texts.len()).map(|i| Some(at + i)).collect());
            return all.map(spread).collect();
        }
        let keys: Vec<Key> = texts.iter().map(|text| self.key(text)).collect();
        let roles: Vec<Role> = old.iter().map(|&i| hunk[i].role).collect();
        let mut found: Vec<Vec<Option<usize>>> = Vec::new();
        if keys.iter().any(|key| !key.code.is_empty()) {
            for start in 0..self.keys.len() {
                if let Some(matched) = self.align(&keys, &roles, start)
                    && found.last() != Some(&matched)
                {
                    found.push(matched);
                }
            }
        }
        found.into_iter().map(spread).collect()
    }

    fn contiguous(&self, texts: &[&str], same: impl Fn(usize, &str) -> bool) -> Vec<usize> {
        let last = (self.keys.len() + 1).saturating_sub(texts.len());
        (0..last).filter(|&at| texts.iter().enumerate().all(|(i, text)| same(at + i, text))).collect()
    }

    fn key(&self, text: &str) -> Key {
        Key { full: squeezed(text), code: squeezed(&without_comments(text, self.language)) }
    }

    /// Whether the line of the file stands for the line of the hunk.
    fn equal(&self, key: &Key, n: usize) -> bool {
        let line = &self.keys[n];
        (!key.full.is_empty() || line.full.is_empty()) && key.full == line.full
            || (!key.code.is_empty() && key.code == line.code)
    }

    /// Pairs the lines of a hunk with lines of the file from `start` on; the first line of code must stand there.
    fn align(&self, keys: &[Key], roles: &[Role], start: usize) -> Option<Vec<Option<usize>>> {
        let mut matched = vec![None; keys.len()];
        let first = keys.iter().position(|key| !key.code.is_empty())?;
        if !self.equal(&keys[first], start) {
            return None;
        }
        let mut n = start;
        let mut i = first;
        while i < keys.len() {
            let there = n < self.keys.len();
            if there && self.equal(&keys[i], n) {
                matched[i] = Some(n);
                (i, n) = (i + 1, n + 1);
            } else if self.may_be_missing(&keys[i], roles[i]) && !self.stands_before_code(&keys[i], n) {
                i += 1;
            } else if there && self.keys[n].code.is_empty() {
                n += 1;
            } else {
                return None;
            }
        }
        self.align_before(keys, roles, first, start, &mut matched)?;
        Some(matched)
    }

    /// Pairs the blank and comment lines that a hunk shows before its first line of code, going up.
    fn align_before(
        &self,
        keys: &[Key],
        roles: &[Role],
        first: usize,
        start: usize,
        matched: &mut [Option<usize>],
    ) -> Option<()> {
        let mut n = start;
        for i in (0..first).rev() {
            let above = (0..n).rev().take_while(|&m| self.keys[m].code.is_empty()).find(|&m| self.equal(&keys[i], m));
            match above {
                Some(m) => {
                    matched[i] = Some(m);
                    n = m;
                }
                None if self.may_be_missing(&keys[i], roles[i]) => {}
                None => return None,
            }
        }
        Some(())
    }

    /// Whether an equal blank or comment line follows before the next line of code.
    fn stands_before_code(&self, key: &Key, n: usize) -> bool {
        (n..self.keys.len()).take_while(|&m| self.keys[m].code.is_empty()).any(|m| self.equal(key, m))
    }

    /// Blank and comment lines need not be in the file. Inside of a block comment a line shows no sign of being one;
    /// such context is tolerated, but never a deletion, since `* x` may also go on with a product.
    fn may_be_missing(&self, key: &Key, role: Role) -> bool {
        let inner = key.full.starts_with('*') && !key.full.ends_with([';', '{', '}', ',']);
        key.code.is_empty() || (role == Role::Context && self.language.block_comment().is_some() && inner)
    }

    /// The place that has most in common with the hunk: the file's line, counted from 0, where its first line of
    /// code would stand.
    pub(super) fn nearest(&self, hunk: &[DiffLine]) -> Option<usize> {
        let keys: Vec<Key> =
            hunk.iter().filter(|line| line.role != Role::Insert).map(|line| self.key(&line.text)).collect();
        let keys: Vec<&Key> = keys.iter().filter(|key| !key.code.is_empty()).collect();
        let shared = |at: usize| {
            let near = |i: usize| (at + i).saturating_sub(1)..=(at + i + 1);
            keys.iter()
                .enumerate()
                .filter(|(i, key)| near(*i).any(|n| n < self.keys.len() && self.equal(key, n)))
                .count()
        };
        let best =
            (0..self.keys.len()).map(|at| (shared(at), at)).max_by_key(|&(count, at)| (count, usize::MAX - at))?;
        if best.0 > 0 {
            return Some(best.1);
        }
        // No line is equal: the line that is most like the longest one of the hunk.
        let (offset, longest) = keys.iter().enumerate().max_by_key(|(_, key)| key.code.len())?;
        let wanted: String = longest.code.chars().take(200).collect();
        let likeness = |n: usize| {
            let code: String = self.keys[n].code.chars().take(200).collect();
            if code.is_empty() { 0.0 } else { strsim::normalized_levenshtein(&wanted, &code) }
        };
        let scored = (0..self.keys.len()).map(|n| (likeness(n), n)).filter(|(score, _)| *score > 0.3);
        scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, n)| n.saturating_sub(offset))
    }

    /// The first line of the hunk that the file does not have around `at`.
    pub(super) fn first_stranger<'h>(&self, hunk: &'h [DiffLine], at: usize) -> Option<&'h DiffLine> {
        let window = at.saturating_sub(3)..(at + hunk.len() + 3).min(self.keys.len());
        hunk.iter().filter(|line| line.role != Role::Insert).find(|line| {
            let key = self.key(&line.text);
            !self.may_be_missing(&key, line.role) && !window.clone().any(|n| self.equal(&key, n))
        })
    }
}

/// Byte ranges of the comments of a text, in order.
fn comments(text: &str, language: &dyn Language) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    if let Some(tree) = language::parse(text, language) {
        language::preorder(tree.root_node(), |node| {
            let comment = language.syntax().is_comment(node);
            if comment {
                found.push(node.byte_range());
            }
            !comment
        });
    }
    found
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// A single line without its comments; quotes are respected, what began on an earlier line is not known.
fn without_comments(line: &str, language: &dyn Language) -> String {
    let mut code = String::new();
    let mut rest = line;
    let mut quote: Option<char> = None;
    while let Some(c) = rest.chars().next() {
        if quote.is_none() && rest.starts_with(language.line_comment()) {
            break;
        }
        if let (None, Some((open, close))) = (quote, language.block_comment())
            && let Some(inner) = rest.strip_prefix(open)
        {
            rest = inner.split_once(close).map_or("", |(_, after)| after);
            continue;
        }
        let mut taken = c.len_utf8();
        match quote {
            Some(_) if c == '\\' => taken += rest[taken..].chars().next().map_or(0, char::len_utf8),
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            _ => {}
        }
        code.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Java;

    #[test]
    fn comments_are_cut_outside_of_quotes_only() {
        let cut = |line| without_comments(line, &Java).trim_end().to_owned();
        assert_eq!(cut("int a; // buggy line"), "int a;");
        assert_eq!(cut("f(\"http://x\", '\"'); /* no */ g(); // x"), "f(\"http://x\", '\"');  g();");
        assert_eq!(cut("/* open"), "");
        assert_eq!(cut("f(\"\\\"//\\\\\");"), "f(\"\\\"//\\\\\");");
    }
}
