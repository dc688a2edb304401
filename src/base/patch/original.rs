//! One original file as lines, and edits of it that leave every other byte alone.

use super::PatchError;
use crate::domain::RepoPath;
use crate::language::{Encoding, decode, encode};
use std::ops::Range;

/// The text of an original with its lines.
#[derive(Debug)]
pub(super) struct Original {
    pub path: RepoPath,
    pub text: String,
    encoding: Encoding,
    starts: Vec<usize>,
}

/// A replacement of a byte range of the original text. Of two at the same place, the earlier in the list comes first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    pub range: Range<usize>,
    pub text: String,
}

impl Original {
    pub(super) fn new(path: RepoPath, bytes: &[u8]) -> Self {
        let (text, encoding) = decode(bytes);
        let mut starts = if text.is_empty() { Vec::new() } else { vec![0] };
        starts.extend(text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at + 1));
        if starts.last() == Some(&text.len()) {
            starts.pop();
        }
        Self { path, text, encoding, starts }
    }

    pub(super) fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// Byte offset at which a line starts, counted from 0; the end of the text for lines after the last.
    pub(super) fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// Line `n`, counted from 0, without its line end.
    pub(super) fn line(&self, n: usize) -> &str {
        let line = &self.text[self.start(n)..self.start(n + 1)];
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// The line a byte offset lies on, counted from 0.
    pub(super) fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte).saturating_sub(1)
    }

    /// The line end used around line `n`: its own, else that of the line before, else the file's first, else `\n`.
    pub(super) fn line_end(&self, n: usize) -> &'static str {
        let near = [n, n.saturating_sub(1), 0].into_iter().find(|&n| self.is_ended(n));
        match near {
            Some(n) if self.text[..self.start(n + 1)].ends_with("\r\n") => "\r\n",
            _ => "\n",
        }
    }

    fn is_ended(&self, n: usize) -> bool {
        n < self.line_count() && self.text[..self.start(n + 1)].ends_with('\n')
    }

    /// Whether the text ends without a line end.
    pub(super) fn ends_open(&self) -> bool {
        !self.text.is_empty() && !self.text.ends_with('\n')
    }

    /// Replaces the lines `range` (counted from 0, end exclusive) by whole lines in the file's line ends. A file
    /// without a final line end keeps being one.
    pub(super) fn replace_lines(&self, range: Range<usize>, new: &[String]) -> Splice {
        let end = self.line_end(range.start);
        let bytes = self.start(range.start)..self.start(range.end);
        let mut text: String = new.iter().flat_map(|line| [line.as_str(), end]).collect();
        if self.ends_open() && range.end >= self.line_count() {
            if range.start >= self.line_count() {
                text.insert_str(0, end);
            }
            if !new.is_empty() {
                text.truncate(text.len() - end.len());
            } else if range.start > 0 && range.start < self.line_count() {
                // The last lines go: the line before them becomes the open one.
                let cut = self.start(range.start - 1) + self.line(range.start - 1).len();
                return Splice { range: cut..bytes.end, text };
            }
        }
        Splice { range: bytes, text }
    }

    /// The bytes after all edits.
    ///
    /// # Errors
    /// Edits that overlap, and characters that the file's encoding cannot spell.
    pub(super) fn splice(&self, mut edits: Vec<Splice>) -> Result<Vec<u8>, PatchError> {
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let mut out = String::with_capacity(self.text.len());
        let mut at = 0;
        for edit in edits {
            if edit.range.start < at {
                let line = self.line_of(edit.range.start) + 1;
                return Err(unappliable(format!("two edits of {} overlap at line {line}", self.path)));
            }
            out.push_str(&self.text[at..edit.range.start]);
            out.push_str(&edit.text);
            at = edit.range.end;
        }
        out.push_str(&self.text[at..]);
        encode(&out, self.encoding).map_err(|c| {
            let code = u32::from(c);
            unappliable(format!("{} is ISO-8859-1 and cannot hold `{c}`; write it as \\u{code:04x}", self.path))
        })
    }
}

/// The error for edits that do not fit the code.
pub(super) fn unappliable(what: impl Into<String>) -> PatchError {
    PatchError::Unappliable { what: what.into() }
}

/// The error for edits that touch what a patch may not touch.
pub(super) fn refused(what: impl Into<String>) -> PatchError {
    PatchError::Refused { what: what.into() }
}

/// Lines of a text that a proposer wrote, whatever ends them; a final line end opens no further line.
pub(super) fn written_lines(text: &str) -> Vec<String> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn original(text: &str) -> Original {
        Original::new(RepoPath::new("A.java").unwrap(), text.as_bytes())
    }

    fn edited(text: &str, range: Range<usize>, new: &[&str]) -> String {
        let file = original(text);
        let new: Vec<String> = new.iter().map(|line| (*line).to_owned()).collect();
        String::from_utf8(file.splice(vec![file.replace_lines(range, &new)]).unwrap()).unwrap()
    }

    #[test]
    fn line_ends_and_the_open_end_are_kept() {
        assert_eq!(edited("a\r\nb\r\n", 1..1, &["x"]), "a\r\nx\r\nb\r\n");
        assert_eq!(edited("a\nb", 1..2, &["x", "y"]), "a\nx\ny");
        assert_eq!(edited("a\nb", 2..2, &["x"]), "a\nb\nx");
        assert_eq!(edited("a\nb", 0..1, &["x"]), "x\nb");
        assert_eq!(edited("a\nb", 1..2, &[]), "a");
        assert_eq!(edited("a\nb\n", 1..2, &[]), "a\n");
        assert_eq!(edited("a\n", 1..1, &["x"]), "a\nx\n");
        assert_eq!(edited("", 0..0, &["x"]), "x\n");
    }

    #[test]
    fn overlaps_are_refused() {
        let file = original("a\nb\nc\n");
        let edits = vec![file.replace_lines(0..2, &[]), file.replace_lines(1..3, &[])];
        assert!(file.splice(edits).unwrap_err().to_string().contains("line 2"));
    }
}
