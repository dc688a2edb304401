//! What a single line of a diff says.

use super::{DiffLine, Role};
use crate::patch::PatchError;
use crate::patch::original::refused;

/// A line with its mark in the first column; an empty one has lost it.
pub(super) fn marked(line: &str) -> Option<DiffLine> {
    let (role, text) = match line.as_bytes().first() {
        None => (Role::Context, ""),
        Some(b' ') => (Role::Context, &line[1..]),
        Some(b'-') => (Role::Delete, &line[1..]),
        Some(b'+') => (Role::Insert, &line[1..]),
        // A tab that replaced the space of the mark and of the indentation.
        Some(b'\t') => (Role::Context, line),
        _ => return None,
    };
    Some(DiffLine { role, text: text.to_owned(), open_end: false, doubtful: false })
}

/// A name without the prefix of a diff.
pub(super) fn bare(name: &str) -> String {
    name.strip_prefix("b/").unwrap_or(name).to_owned()
}

/// Whether it says that the file ends without a line break.
pub(super) fn is_open_end(line: &str) -> bool {
    line.starts_with("\\ ")
}

/// Refuses what is no edit of text.
pub(super) fn refuse_special(line: &str) -> Result<(), PatchError> {
    if line.starts_with("GIT binary patch") || (line.starts_with("Binary files ") && line.ends_with(" differ")) {
        return Err(refused("a patch may not hold binary data"));
    }
    for (start, what) in [
        ("new file mode 12", "make a symbolic link"),
        ("new file mode 16", "make a submodule"),
        ("new mode ", "change the mode of a file"),
    ] {
        if line.starts_with(start) {
            return Err(refused(format!("a patch may not {what}: `{line}`")));
        }
    }
    Ok(())
}

/// `a/src/A.java` of `a/src/A.java<TAB>2024-01-01`; the prefixes `a/` and `b/` stay.
pub(super) fn file_name(header: &str) -> String {
    unquoted(header.split('\t').next().unwrap_or(header).trim())
}

/// A name as it is called, of what git puts in quotes: bytes by three octal digits, and a few letters for the others.
pub(super) fn unquoted(name: &str) -> String {
    let Some(quoted) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) else { return name.to_owned() };
    let (mut bytes, mut rest) = (Vec::new(), quoted);
    while let Some((before, escaped)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let octal = escaped.get(..3).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
        let octal = octal.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        let letter = escaped.chars().next();
        rest = match (octal, letter) {
            (Some(byte), _) => {
                bytes.push(byte);
                &escaped[3..]
            }
            (None, Some(letter)) => {
                let known = [('a', 7), ('b', 8), ('t', 9), ('n', 10), ('v', 11), ('f', 12), ('r', 13)];
                match known.iter().find(|(name, _)| *name == letter) {
                    Some((_, byte)) => bytes.push(*byte),
                    None => bytes.extend(letter.to_string().bytes()),
                }
                &escaped[letter.len_utf8()..]
            }
            (None, None) => "",
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether what stands behind `---` or `+++` can be the name of a file.
pub(super) fn looks_like_file(header: &str) -> bool {
    let name = file_name(header);
    !name.contains(' ') && (name.contains('/') || name.contains('.'))
}

/// Hint, counts and heading.
pub(super) type Header = (Option<usize>, Option<(usize, usize)>, String);

/// Hint, counts and heading of what follows the first `@@`.
pub(super) fn hunk_header(rest: &str) -> Header {
    let (ranges, heading) = match rest.split_once("@@") {
        Some((ranges, heading)) => (ranges, heading.trim()),
        // Without the second mark: `@@ class A` names a place, `@@ -1,2 +1,2` does not.
        None if rest.trim_start().starts_with(['-', '+']) => (rest, ""),
        None => ("", rest.trim()),
    };
    let mut hint = None;
    let (mut old, mut new) = (None, None);
    for range in ranges.split_whitespace() {
        let sides = if range.starts_with('-') { &mut old } else { &mut new };
        let Some(numbers) = range.strip_prefix(['-', '+']) else { continue };
        let (first, count) = numbers.split_once(',').unwrap_or((numbers, "1"));
        *sides = count.parse::<usize>().ok();
        if range.starts_with('-') {
            hint = first.parse::<usize>().ok();
        }
    }
    (hint, old.zip(new), heading.to_owned())
}
