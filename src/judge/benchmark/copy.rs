//! Private copies: what a bug's folder holds, without what must not or need not come along.
//!
//! The copy has no version history (a later commit may hold the repair), no link that leads out of the folder, nothing
//! that is not a plain file or a folder, and no output of earlier builds, which could be taken for fresh classes.

use super::BenchmarkError;
use crate::domain::{RepoPath, outer_class};
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;
use std::io;

/// Larger files are data, not source; copying them for every run would cost more than the repair.
const MAX_FILE_BYTES: u64 = 100 << 20;

/// A whole project beyond this is a folder named by mistake (a home directory, a disk).
const MAX_TOTAL_BYTES: u64 = 4 << 30;

/// What is never copied: version control, editor state, caches of tools, run directories of this program, and the file
/// in which a checkout of GitBug-Java holds the repair.
const NEVER: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".idea",
    ".vscode",
    ".gradle",
    ".unidebug",
    "node_modules",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    "gitbug.json",
];

/// Folders of build output, each skipped only beside the build file that says so.
const OUTPUT: &[(&str, &[&str])] = &[
    ("target", &["pom.xml"]),
    ("build", &["build.gradle", "build.gradle.kts", "build.xml"]),
    ("out", &["build.gradle", "build.gradle.kts", "build.xml"]),
];

/// What a copy took and what it left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Copied {
    /// Files copied.
    pub files: usize,
    /// Bytes copied.
    pub bytes: u64,
    /// What was left out, for people: one line each.
    pub left_out: Vec<String>,
}

/// Copies the folder `from` into the existing folder `into`.
///
/// # Errors
/// A file that cannot be read, a disk that is full, or a folder of more than 4 GiB.
pub fn private_copy(from: &Utf8Path, into: &Utf8Path) -> Result<Copied, BenchmarkError> {
    let root = resolved(from)?;
    let mut copy = Copy { into: resolved(into)?, root, with_outputs: false, done: Copied::default() };
    copy.folder(&RepoPath::default())?;
    Ok(copy.done)
}

/// The same with the output of builds: for the project's own build tool, which then need not compile everything again.
///
/// # Errors
/// As [`private_copy`].
pub fn copy_with_outputs(from: &Utf8Path, into: &Utf8Path) -> Result<Copied, BenchmarkError> {
    let root = resolved(from)?;
    let mut copy = Copy { into: resolved(into)?, root, with_outputs: true, done: Copied::default() };
    copy.folder(&RepoPath::default())?;
    Ok(copy.done)
}

/// A folder's real path, so that links and `..` in what was typed decide nothing later.
fn resolved(folder: &Utf8Path) -> Result<Utf8PathBuf, BenchmarkError> {
    folder.canonicalize_utf8().map_err(|source| io_error("cannot open the folder", folder, source))
}

/// An [`BenchmarkError::Io`].
pub(super) fn io_error(what: &str, path: &Utf8Path, source: io::Error) -> BenchmarkError {
    BenchmarkError::Io { what: what.into(), path: path.to_owned(), source }
}

/// A copy under way.
struct Copy {
    root: Utf8PathBuf,
    into: Utf8PathBuf,
    /// Whether what builds made comes along.
    with_outputs: bool,
    done: Copied,
}

impl Copy {
    fn folder(&mut self, at: &RepoPath) -> Result<(), BenchmarkError> {
        let folder = at.under(&self.root);
        let read = |source| io_error("cannot list the folder", &folder, source);
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder).map_err(read)? {
            match entry.map_err(read)?.file_name().into_string() {
                Ok(name) => names.push(name),
                Err(name) => self.leave(&folder.join(name.to_string_lossy().as_ref()), "its name is not UTF-8"),
            }
        }
        names.sort_unstable();
        for name in &names {
            self.entry(at, name, &names)?;
        }
        Ok(())
    }

    fn entry(&mut self, at: &RepoPath, name: &str, siblings: &[String]) -> Result<(), BenchmarkError> {
        if NEVER.iter().any(|never| name.eq_ignore_ascii_case(never)) {
            return Ok(());
        }
        let full = at.under(&self.root).join(name);
        let Ok(path) = at.join(name) else {
            self.leave(&full, "no path inside a checkout may have this name");
            return Ok(());
        };
        let meta = fs::symlink_metadata(&full).map_err(|source| io_error("cannot look at the file", &full, source))?;
        if meta.is_symlink() {
            self.link(&path, &full)
        } else if meta.is_dir() {
            // An environment of Python holds programs and other people's packages, which are used where they are.
            if full == self.into
                || !self.with_outputs && is_output(name, |file| siblings.iter().any(|sibling| sibling == file))
                || full.join("pyvenv.cfg").is_file()
            {
                return Ok(());
            }
            let target = path.under(&self.into);
            fs::create_dir_all(&target).map_err(|source| io_error("cannot make the folder", &target, source))?;
            self.folder(&path)
        } else if !meta.is_file() {
            self.leave(&full, "it is no plain file");
            Ok(())
        } else if is_stale_class(name, siblings) {
            Ok(())
        } else if meta.len() > MAX_FILE_BYTES {
            self.leave(&full, "it has more than 100 MB");
            Ok(())
        } else {
            self.file(&path, &full, meta.len())
        }
    }

    fn file(&mut self, path: &RepoPath, full: &Utf8Path, bytes: u64) -> Result<(), BenchmarkError> {
        self.done.bytes += bytes;
        if self.done.bytes > MAX_TOTAL_BYTES {
            return Err(BenchmarkError::Root {
                what: "the folder holds more than 4 GiB, which is no project to repair".into(),
                path: self.root.clone(),
                hint: "name the folder of the project itself".into(),
            });
        }
        let copy = path.under(&self.into);
        fs::copy(full, &copy).map_err(|source| io_error("cannot copy the file", full, source))?;
        // What make compares: without its time, a stale object would be taken for a fresh one.
        let stamped = fs::metadata(full).and_then(|meta| fs::File::open(&copy)?.set_modified(meta.modified()?));
        stamped.map_err(|source| io_error("cannot keep the time of the file", &copy, source))?;
        self.done.files += 1;
        Ok(())
    }

    /// Keeps a relative link that stays inside; everything else is left out.
    fn link(&mut self, path: &RepoPath, full: &Utf8Path) -> Result<(), BenchmarkError> {
        let target = full.read_link_utf8().map_err(|source| io_error("cannot read the link", full, source))?;
        let inside = full.canonicalize_utf8().is_ok_and(|real| real.starts_with(&self.root));
        if target.is_absolute() || !inside || climbs_out(path, &target) {
            self.leave(full, "it is a link that leads out of the project or nowhere");
            return Ok(());
        }
        let copy = path.under(&self.into);
        std::os::unix::fs::symlink(&target, &copy).map_err(|source| io_error("cannot make the link", &copy, source))
    }

    fn leave(&mut self, what: &Utf8Path, why: &str) {
        let shown = what.strip_prefix(&self.root).unwrap_or(what);
        self.done.left_out.push(format!("left out {shown}: {why}"));
    }
}

/// Copies the plain files below a folder, each by `one`, which gets the file and its target. Links and special files stay
/// behind.
///
/// # Errors
/// What `one` says, or a folder that cannot be listed or made.
pub fn copy_files(
    from: &Utf8Path,
    into: &Utf8Path,
    mut one: impl FnMut(&Utf8Path, &Utf8Path) -> io::Result<()>,
) -> io::Result<()> {
    for entry in ignore::WalkBuilder::new(from).standard_filters(false).build() {
        let entry = entry.map_err(io::Error::other)?;
        let (Some(path), Some(kind)) = (Utf8Path::from_path(entry.path()), entry.file_type()) else { continue };
        let target = into.join(path.strip_prefix(from).unwrap_or(path));
        if kind.is_dir() {
            fs::create_dir_all(&target)?;
        } else if kind.is_file() {
            one(path, &target)?;
        }
    }
    Ok(())
}

/// Whether a relative link would climb above the root on its way, even if it came back.
fn climbs_out(link: &RepoPath, target: &Utf8Path) -> bool {
    let mut depth = Utf8Path::new(link.as_str()).components().count() as i64 - 1;
    target.components().any(|part| {
        depth += match part {
            camino::Utf8Component::ParentDir => -1,
            camino::Utf8Component::Normal(_) => 1,
            _ => 0,
        };
        depth < 0
    })
}

/// Whether a build tool builds into a folder of this name, by the files beside it.
pub(crate) fn is_output(name: &str, sibling: impl Fn(&str) -> bool) -> bool {
    OUTPUT.iter().any(|(folder, files)| name == *folder && files.iter().any(|file| sibling(file)))
}

/// Whether a class file lies beside the source it was made from.
fn is_stale_class(name: &str, siblings: &[String]) -> bool {
    let Some(class) = name.strip_suffix(".class") else { return false };
    siblings.iter().any(|s| s.strip_suffix(".java") == Some(outer_class(class)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn folder(files: &[&str]) -> (tempfile::TempDir, Utf8PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        for file in files {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), file).unwrap();
        }
        (temp, root)
    }

    fn found(root: &Utf8Path) -> Vec<String> {
        let mut all: Vec<_> = ignore::WalkBuilder::new(root)
            .standard_filters(false)
            .build()
            .map(|entry| entry.unwrap().path().strip_prefix(root).unwrap().to_str().unwrap().to_owned())
            .filter(|path| !root.join(path).is_dir() || root.join(path).is_symlink())
            .collect();
        all.sort();
        all
    }

    #[test]
    fn history_and_old_output_stay_behind() {
        let (_keep, from) = folder(&[
            ".git/config",
            "pom.xml",
            "target/classes/A.class",
            "src/A.java",
            "src/A.class",
            "src/A$1.class",
            "test/data/Only.class",
            "docs/target/page.md",
        ]);
        let (_also, into) = folder(&[]);
        let copied = private_copy(&from, &into).unwrap();
        assert_eq!(found(&into), ["docs/target/page.md", "pom.xml", "src/A.java", "test/data/Only.class"]);
        assert_eq!(copied.files, 4);
    }

    #[test]
    fn links_that_leave_and_special_files_stay_behind_and_are_named() {
        let (_keep, from) = folder(&["src/A.java"]);
        symlink("/etc/passwd", from.join("absolute")).unwrap();
        symlink("../../../../etc", from.join("src/up")).unwrap();
        symlink("A.java", from.join("src/B.java")).unwrap();
        symlink("gone", from.join("dangling")).unwrap();
        nix::unistd::mkfifo(from.join("pipe").as_std_path(), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let (_also, into) = folder(&[]);
        let copied = private_copy(&from, &into).unwrap();
        assert_eq!(found(&into), ["src/A.java", "src/B.java"]);
        assert_eq!(copied.left_out.len(), 4, "{:?}", copied.left_out);
        assert!(copied.left_out.iter().any(|line| line == "left out pipe: it is no plain file"));
    }

    #[test]
    fn a_copy_into_the_project_does_not_copy_itself() {
        let (_keep, from) = folder(&["src/A.java", "copy/old.txt"]);
        let copied = private_copy(&from, &from.join("copy")).unwrap();
        assert_eq!(copied.files, 1);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let (_keep, into) = folder(&[]);
        let error = private_copy(Utf8Path::new("/no/such/folder"), &into).unwrap_err();
        assert!(error.to_string().contains("/no/such/folder"), "{error}");
    }
}
