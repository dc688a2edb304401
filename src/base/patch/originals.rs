//! The original files of a checkout on disk.

use super::Originals;
use crate::domain::{Hidden, RepoPath};
use camino::{Utf8Path, Utf8PathBuf};
use ignore::WalkBuilder;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::sync::{Arc, OnceLock};

/// Larger files are not read: no patch for them would be accepted.
const MAX_FILE_BYTES: u64 = 5 * 1024 * 1024;

/// A checkout on disk. Every component of a path is opened without following symbolic links, so that no link inside
/// the checkout leads out of it.
#[derive(Debug)]
pub struct Folder {
    root: Utf8PathBuf,
    hidden: Hidden,
    paths: OnceLock<Vec<RepoPath>>,
}

impl Folder {
    /// The checkout at `root`.
    pub fn new(root: impl Into<Utf8PathBuf>) -> Self {
        Self { root: root.into(), hidden: Hidden::default(), paths: OnceLock::new() }
    }

    /// The same without files that are hidden: they cannot be read, changed or made.
    #[must_use]
    pub fn without(self, hidden: Hidden) -> Self {
        Self { hidden, paths: OnceLock::new(), ..self }
    }

    fn open(&self, path: &RepoPath) -> Option<File> {
        let folder = OFlag::O_DIRECTORY | OFlag::O_RDONLY | OFlag::O_CLOEXEC;
        // The root itself may be reached through links; what lies below may not.
        let mut at: OwnedFd = nix::fcntl::open(self.root.as_std_path(), folder, Mode::empty()).ok()?;
        let (parents, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
        for part in parents.split('/').filter(|part| !part.is_empty()) {
            at = openat(&at, part, folder | OFlag::O_NOFOLLOW, Mode::empty()).ok()?;
        }
        // Opening a pipe for reading would wait for a writer.
        let file = OFlag::O_RDONLY | OFlag::O_CLOEXEC | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
        openat(&at, name, file, Mode::empty()).ok().map(File::from)
    }

    /// Whether every existing component on the way is a real folder and the file itself does not exist.
    fn free(&self, path: &RepoPath) -> Option<bool> {
        let mut at = self.root.clone();
        let mut parts = path.as_str().split('/').peekable();
        while let Some(part) = parts.next() {
            at.push(part);
            match std::fs::symlink_metadata(&at) {
                Err(error) => return Some(error.kind() == std::io::ErrorKind::NotFound),
                Ok(data) if parts.peek().is_some() && data.is_dir() => {}
                Ok(_) => return Some(false),
            }
        }
        None
    }
}

impl Originals for Folder {
    fn read(&self, path: &RepoPath) -> Option<Arc<[u8]>> {
        let file = self.open(path).filter(|_| !self.hidden.hides(path))?;
        let data = file.metadata().ok()?;
        if !data.is_file() || data.len() > MAX_FILE_BYTES {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes.into())
    }

    fn is_free(&self, path: &RepoPath) -> bool {
        !self.hidden.hides(path) && self.free(path).unwrap_or(false)
    }

    fn paths(&self) -> &[RepoPath] {
        self.paths.get_or_init(|| {
            let mut walk = WalkBuilder::new(&self.root);
            walk.standard_filters(false).follow_links(false);
            walk.filter_entry(|entry| entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.'));
            let files = walk.build().flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
            let inside = |entry: ignore::DirEntry| {
                let path = Utf8Path::from_path(entry.path())?.strip_prefix(&self.root).ok()?;
                RepoPath::new(path.as_str()).ok()
            };
            let mut paths: Vec<RepoPath> = files.filter_map(inside).filter(|path| !self.hidden.hides(path)).collect();
            paths.sort();
            paths
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_lead_nowhere() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("Secret.java"), "secret").unwrap();
        let inside = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(inside.path().to_owned()).unwrap();
        std::fs::create_dir(root.join("src")).unwrap();
        std::fs::write(root.join("src/A.java"), b"a\r\n\xff").unwrap();
        symlink(outside.path(), root.join("linked")).unwrap();
        symlink(outside.path().join("Secret.java"), root.join("src/Link.java")).unwrap();
        let folder = Folder::new(root);
        let read = |path: &str| folder.read(&RepoPath::new(path).unwrap());
        assert_eq!(read("src/A.java").unwrap().as_ref(), b"a\r\n\xff");
        for path in ["linked/Secret.java", "src/Link.java", "src", "", "src/B.java"] {
            assert!(read(path).is_none(), "{path}");
        }
        let free = |path: &str| folder.is_free(&RepoPath::new(path).unwrap());
        assert!(free("src/New.java") && free("src/deep/New.java"));
        assert!(!free("linked/New.java") && !free("src/Link.java") && !free("src/A.java") && !free("src/A.java/x"));
        assert_eq!(folder.paths(), [RepoPath::new("src/A.java").unwrap()]);
    }
}
