//! A path inside a checkout, which cannot leave it.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A file or folder inside a checkout: relative, with `/`, without `..` and without any `.git` component.
/// Holding one is the proof that it cannot leave the checkout by name (symbolic links are the reader's concern). Copies
/// share the text: every method, line and test of a project names its file.
/// They are compared as text, for every line of every test is looked up by its path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct RepoPath(Arc<str>);

impl Default for RepoPath {
    fn default() -> Self {
        Self("".into())
    }
}

/// Why a text is no path inside a checkout.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{text}` is not a path inside the checkout: {why}")]
pub struct InvalidPath {
    /// What was given.
    pub text: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Bytes of a name in a folder, at most.
const LONGEST_NAME: usize = 255;
/// Bytes of a path below the folder of a checkout, at most; a system takes 4096 with that folder.
const LONGEST_PATH: usize = 2048;

impl RepoPath {
    /// Checks and normalises a relative path; a leading `./` is dropped. The empty path is the root.
    ///
    /// # Errors
    /// Absolute paths, `..`, NUL, backslashes, drive letters, `.git` components and what is too long are refused.
    pub fn new(text: &str) -> Result<Self, InvalidPath> {
        let refuse = |why| Err(InvalidPath { text: text.escape_debug().to_string(), why });
        if text.contains('\0') || text.contains('\\') || text.contains('\n') {
            return refuse("it holds a NUL, a line break or a backslash");
        }
        if text.as_bytes().get(1) == Some(&b':') {
            return refuse("it names a drive");
        }
        if text.len() > LONGEST_PATH || text.split('/').any(|name| name.len() > LONGEST_NAME) {
            return refuse("it is longer than file systems take");
        }
        let mut clean = Utf8PathBuf::new();
        for part in Utf8Path::new(text).components() {
            match part {
                Utf8Component::CurDir => {}
                Utf8Component::Normal(name) if is_git_folder(name) => {
                    return refuse("it enters a `.git` folder");
                }
                Utf8Component::Normal(name) => clean.push(name),
                Utf8Component::ParentDir => return refuse("it holds `..`"),
                Utf8Component::RootDir | Utf8Component::Prefix(_) => return refuse("it is absolute"),
            }
        }
        Ok(Self(clean.as_str().into()))
    }

    /// The path as text with `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn as_path(&self) -> &Utf8Path {
        Utf8Path::new(self.as_str())
    }

    /// The last component, or the empty text for the root.
    pub fn file_name(&self) -> &str {
        self.as_path().file_name().unwrap_or_default()
    }

    /// The last component until its first point.
    pub fn stem(&self) -> &str {
        self.file_name().split('.').next().unwrap_or_default()
    }

    /// Where the path lies below `root`.
    pub fn under(&self, root: &Utf8Path) -> Utf8PathBuf {
        if self.0.is_empty() { root.to_owned() } else { root.join(self.as_path()) }
    }

    /// Whether the path is `folder` or lies below it.
    pub fn is_within(&self, folder: &RepoPath) -> bool {
        self.as_path().starts_with(folder.as_path())
    }

    /// Whether the file is for people, or for what nobody runs where a patch is judged: a text, a change log, a hidden folder.
    pub fn is_for_people(&self) -> bool {
        let is_hidden = self.as_str().split('/').any(|part| part.starts_with('.'));
        let name = self.file_name();
        let ends = [".md", ".rst", ".txt", ".adoc"].iter().any(|end| name.ends_with(end));
        is_hidden || ends || name.chars().all(|letter| letter.is_ascii_uppercase())
    }

    /// What the path is inside a folder that holds it.
    pub fn below(&self, folder: &RepoPath) -> Option<&str> {
        self.as_path().strip_prefix(folder.as_path()).ok().map(Utf8Path::as_str)
    }

    /// The path below a folder.
    ///
    /// # Errors
    /// As [`RepoPath::new`], for the part that is added.
    pub fn join(&self, part: &str) -> Result<Self, InvalidPath> {
        let below = Self::new(part)?;
        Ok(if self.0.is_empty() { below } else { Self(self.as_path().join(below.as_path()).as_str().into()) })
    }
}

/// `.git` in any case, and the short name that case-folding file systems give it.
fn is_git_folder(name: &str) -> bool {
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
}

impl FromStr for RepoPath {
    type Err = InvalidPath;
    fn from_str(text: &str) -> Result<Self, InvalidPath> {
        Self::new(text)
    }
}

impl From<RepoPath> for String {
    fn from(path: RepoPath) -> Self {
        path.to_string()
    }
}

impl TryFrom<String> for RepoPath {
    type Error = InvalidPath;
    fn try_from(text: String) -> Result<Self, InvalidPath> {
        text.parse()
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_cannot_leave_the_checkout() {
        for bad in
            ["../x", "/etc/passwd", "a/../../b", "C:/x", "a\\b", "a\0b", ".git/config", "x/.GIT/hooks", "git~1/x"]
        {
            assert!(RepoPath::new(bad).is_err(), "{bad:?} must be refused");
        }
        for long in ["n".repeat(256), "name/".repeat(500)] {
            assert!(RepoPath::new(&long).is_err(), "no file system takes it");
        }
        assert_eq!(RepoPath::new("./src//a.java").unwrap().as_str(), "src/a.java");
    }
}
