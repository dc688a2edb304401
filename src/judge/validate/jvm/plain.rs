//! What a JVM looks like that does not look like one of tests: our runner under another name, libraries and folders under
//! numbers.

use super::harness::Harness;
use crate::validate::{ValidateError, io_error};
use camino::{Utf8Path, Utf8PathBuf};

/// The folders of our runner's package, and the name of its thread.
const OWN: [&str; 2] = ["unidebug", "runner"];
const THREAD: &str = "unidebug clock";
/// A thread of every JVM, whose name is as long.
const OTHER_THREAD: &str = "Common-Cleaner";
/// Words in a path that tell of tests.
const TELLING: &[&str] = &[
    "test", "junit", "jupiter", "hamcrest", "mockito", "assertj", "easymock", "spock", "surefire", "runner", "unidebug",
];

/// A class path for a plain process.
pub(super) struct Plain {
    /// The class path, our runner first.
    pub(super) class_path: Vec<Utf8PathBuf>,
    /// The class to start.
    pub(super) main: String,
}

impl Plain {
    /// Makes the names below a folder.
    pub(super) fn new(harness: &Harness, class_path: &[Utf8PathBuf], folder: &Utf8Path) -> Result<Self, ValidateError> {
        let io = |path: &Utf8Path| io_error("making a plain class path", path);
        let lib = folder.join("lib");
        std::fs::create_dir_all(&lib).map_err(io(&lib))?;
        let package = OWN.map(|name| random_name(name.len()));
        let own = lib.join("0");
        rename(&harness.classes, &own, &package)?;
        let mut all = vec![own];
        for (number, path) in class_path.iter().enumerate() {
            let name = path.as_str().to_lowercase();
            if !TELLING.iter().any(|word| name.contains(word)) {
                all.push(path.clone());
                continue;
            }
            let extension = path.extension().filter(|_| path.is_file()).map_or(String::new(), |end| format!(".{end}"));
            let link = lib.join(format!("{}{extension}", number + 1));
            if std::fs::symlink_metadata(&link).is_err() {
                std::os::unix::fs::symlink(path, &link).map_err(io(&link))?;
            }
            all.push(link);
        }
        Ok(Self { class_path: all, main: format!("{}.Cold", package.join(".")) })
    }
}

/// Copies the runner's classes with another name of its package in all of them.
fn rename(from: &Utf8Path, to: &Utf8Path, package: &[String; 2]) -> Result<(), ValidateError> {
    let io = |path: &Utf8Path| io_error("copying the test runner", path);
    std::fs::create_dir_all(to).map_err(io(to))?;
    for entry in from.read_dir_utf8().map_err(io(from))?.flatten() {
        let nth = OWN.iter().position(|own| *own == entry.file_name());
        let target = to.join(nth.map_or(entry.file_name(), |nth| &package[nth]));
        if entry.path().is_dir() {
            rename(entry.path(), &target, package)?;
        } else {
            let bytes = std::fs::read(entry.path()).map_err(io(entry.path()))?;
            let mut bytes = replaced(&bytes, THREAD, OTHER_THREAD);
            for between in ["/", "."] {
                bytes = replaced(&bytes, &OWN.join(between), &package.join(between));
            }
            std::fs::write(&target, bytes).map_err(io(&target))?;
        }
    }
    Ok(())
}

/// The bytes with one text for another of the same length, so that every length in a class file stays true.
fn replaced(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let mut out = bytes.to_vec();
    if old.len() == new.len() {
        for at in memchr::memmem::find_iter(bytes, old).collect::<Vec<_>>() {
            out[at..at + new.len()].copy_from_slice(new.as_bytes());
        }
    }
    out
}

/// A word of so many letters, another one each time.
fn random_name(length: usize) -> String {
    std::iter::repeat_with(|| rand::random_range('a'..='z')).take(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_by_others_of_the_same_length() {
        assert_eq!(THREAD.len(), OTHER_THREAD.len());
        assert_eq!(random_name(8).len(), 8);
        assert_ne!(random_name(8), random_name(8));
        assert_eq!(replaced(b"xunidebug/runnerx", "unidebug/runner", "abcdefgh/ijklmn"), b"xabcdefgh/ijklmnx");
    }
}
