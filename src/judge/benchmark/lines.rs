//! Files of bugs with one JSON object a line, which anybody may have written: what is wrong is reported with its line.

use super::BenchmarkError;
use super::copy::io_error;
use super::error::Malformed;
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;

/// Reads every line that is not blank; gives each with its number, from 1. A mark of byte order before the first one and
/// line ends of Windows are no part of it.
///
/// # Errors
/// The file cannot be read; a line is not UTF-8, or `read` says in one line why it cannot be used.
pub(super) fn read_lines<T>(
    file: &Utf8Path,
    hint: &str,
    mut read: impl FnMut(&str) -> Result<T, Malformed>,
) -> Result<Vec<(usize, T)>, BenchmarkError> {
    let bytes = fs::read(file).map_err(|source| io_error("cannot read the list of bugs", file, source))?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let mut found = Vec::new();
    for (line, bytes) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let text = str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned());
        match text.map(str::trim) {
            Ok("") => {}
            Ok(text) => found.push((line, read(text).map_err(|what| wrong_line(file, line, what.to_string(), hint))?)),
            Err(what) => return Err(wrong_line(file, line, what, hint)),
        }
    }
    Ok(found)
}

/// The error for a line.
pub(super) fn wrong_line(file: &Utf8Path, line: usize, what: String, hint: &str) -> BenchmarkError {
    let path: Utf8PathBuf = format!("{file}:{line}").into();
    BenchmarkError::Root { what: format!("this line describes no bug: {what}"), path, hint: hint.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<(usize, String)>, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = Utf8Path::from_path(folder.path()).unwrap().join("bugs.jsonl");
        fs::write(&file, bytes).unwrap();
        let read = |line: &str| if line == "bad" { Err("it is bad".into()) } else { Ok(line.to_owned()) };
        read_lines(&file, "a hint", read).map_err(|error| {
            assert_eq!(error.hint(), "a hint");
            error.to_string()
        })
    }

    #[test]
    fn marks_and_line_ends_of_other_systems_are_no_part_of_a_line() {
        let found = read(b"\xef\xbb\xbfone\r\n\r\n \ntwo").unwrap();
        assert_eq!(found, [(1, "one".to_owned()), (4, "two".to_owned())]);
        assert_eq!(read(b"").unwrap(), []);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        assert!(read(b"one\n\nbad\n").unwrap_err().contains("bugs.jsonl:3"));
        let error = read(b"one\n\xff\xfe\n").unwrap_err();
        assert!(error.contains("bugs.jsonl:2") && error.contains("not UTF-8"), "{error}");
    }
}
