//! Private copies: what a bug's folder holds, without what must not or need not come along.
//!
//! The copy has no version history (a later commit may hold the repair), no link that leads out of the folder, nothing
//! that is not a plain file or a folder, and no output of earlier builds, which could be taken for fresh classes.

mod stamps;
#[cfg(test)]
mod tests;

use super::BenchmarkError;
use crate::domain::{RepoPath, outer_class};
use camino::{Utf8Path, Utf8PathBuf};
pub use stamps::Stamps;
use std::collections::BTreeSet;
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
    /// How many files were copied.
    pub files: usize,
    /// Their size together, in bytes.
    pub bytes: u64,
    /// What was left out, for people: one line each.
    pub left_out: Vec<String>,
}

/// Copies the folder `from` into the existing folder `into`.
///
/// # Errors
/// A file that cannot be read, a disk that is full, or a folder of more than 4 GiB.
pub fn private_copy(from: &Utf8Path, into: &Utf8Path) -> Result<Copied, BenchmarkError> {
    private_copy_again(from, into, &mut Stamps::default())
}

/// The same, where `into` may hold an earlier copy of `from` with these stamps: only what differs from a fresh copy is
/// copied or taken away. After an error the folder is of no more use.
///
/// # Errors
/// As [`private_copy`], and what lies in `into` and cannot be taken away.
pub fn private_copy_again(from: &Utf8Path, into: &Utf8Path, stamps: &mut Stamps) -> Result<Copied, BenchmarkError> {
    Copy::new(from, into, stamps)?.whole()
}

/// The same with the output of builds: for the project's own build tool, which then need not compile everything again.
///
/// # Errors
/// As [`private_copy`].
pub fn copy_with_outputs(from: &Utf8Path, into: &Utf8Path) -> Result<Copied, BenchmarkError> {
    let mut fresh = Stamps::default();
    Copy { with_outputs: true, ..Copy::new(from, into, &mut fresh)? }.whole()
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
struct Copy<'s> {
    root: Utf8PathBuf,
    into: Utf8PathBuf,
    /// Whether what builds made comes along.
    with_outputs: bool,
    /// What an earlier copy in the same place looked like.
    stamps: &'s mut Stamps,
    done: Copied,
}

impl<'s> Copy<'s> {
    fn new(from: &Utf8Path, into: &Utf8Path, stamps: &'s mut Stamps) -> Result<Self, BenchmarkError> {
        let root = resolved(from)?;
        Ok(Self { into: resolved(into)?, root, with_outputs: false, stamps, done: Copied::default() })
    }

    fn whole(mut self) -> Result<Copied, BenchmarkError> {
        let kept = match self.stamps.is_used() && !self.stamps.is_same_folder(&self.into) {
            true => Err(io::Error::other("its rights were changed")),
            false => self.stamps.keep_folder(&self.into),
        };
        kept.map_err(|source| io_error("cannot use the folder", &self.into, source))?;
        self.folder(&RepoPath::default())?;
        self.stamps.finish();
        Ok(self.done)
    }

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
        let mut copied = BTreeSet::new();
        for name in &names {
            if self.entry(at, name, &names)? {
                copied.insert(name.as_str());
            }
        }
        match self.stamps.is_used() {
            true => self.take_away_others(&at.under(&self.into), &copied),
            false => Ok(()),
        }
    }

    /// Takes away what an earlier use of the copy left in a folder.
    fn take_away_others(&self, folder: &Utf8Path, copied: &BTreeSet<&str>) -> Result<(), BenchmarkError> {
        let read = |source| io_error("cannot list the folder", folder, source);
        for entry in fs::read_dir(folder).map_err(read)? {
            let name = entry.map_err(read)?.file_name();
            if !name.to_str().is_some_and(|name| copied.contains(name)) {
                let left = folder.as_std_path().join(&name);
                take_away(&left).map_err(|source| io_error("cannot take away what was left in", folder, source))?;
            }
        }
        Ok(())
    }

    /// Takes away what an earlier use left in the place of something. It is not written through: it may be another name
    /// of a file, or a link.
    fn make_room(&self, copy: &Utf8Path) -> Result<(), BenchmarkError> {
        if !self.stamps.is_used() {
            return Ok(());
        }
        take_away(copy.as_std_path()).map_err(|source| io_error("cannot take away what was left in", copy, source))
    }

    /// Whether the copy has this entry of a folder, too.
    fn entry(&mut self, at: &RepoPath, name: &str, siblings: &[String]) -> Result<bool, BenchmarkError> {
        if NEVER.iter().any(|never| name.eq_ignore_ascii_case(never)) {
            return Ok(false);
        }
        let full = at.under(&self.root).join(name);
        let Ok(path) = at.join(name) else {
            self.leave(&full, "no path inside a checkout may have this name");
            return Ok(false);
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
                return Ok(false);
            }
            let target = path.under(&self.into);
            if !self.stamps.is_same_folder(&target) {
                self.make_room(&target)?;
                let made = fs::create_dir_all(&target).and_then(|()| self.stamps.keep_folder(&target));
                made.map_err(|source| io_error("cannot make the folder", &target, source))?;
            }
            self.folder(&path).map(|()| true)
        } else if !meta.is_file() {
            self.leave(&full, "it is no plain file");
            Ok(false)
        } else if is_stale_class(at, name, siblings) {
            Ok(false)
        } else if meta.len() > MAX_FILE_BYTES {
            self.leave(&full, "it has more than 100 MB");
            Ok(false)
        } else {
            self.file(&path, &full, &meta).map(|()| true)
        }
    }

    fn file(&mut self, path: &RepoPath, full: &Utf8Path, meta: &fs::Metadata) -> Result<(), BenchmarkError> {
        self.done.bytes += meta.len();
        if self.done.bytes > MAX_TOTAL_BYTES {
            return Err(BenchmarkError::Root {
                what: "the folder holds more than 4 GiB, which is no project to repair".into(),
                path: self.root.clone(),
                hint: "name the folder of the project itself".into(),
            });
        }
        self.done.files += 1;
        let copy = path.under(&self.into);
        if self.stamps.is_same(full, meta, &copy) {
            return Ok(());
        }
        self.make_room(&copy)?;
        fs::copy(full, &copy).map_err(|source| io_error("cannot copy the file", full, source))?;
        // What make compares: without its time, a stale object would be taken for a fresh one.
        let stamped = meta.modified().and_then(|time| fs::File::open(&copy)?.set_modified(time));
        let kept = stamped.and_then(|()| self.stamps.keep(meta, &copy));
        kept.map_err(|source| io_error("cannot keep the time of the file", &copy, source))
    }

    /// Keeps a relative link that stays inside; everything else is left out.
    fn link(&mut self, path: &RepoPath, full: &Utf8Path) -> Result<bool, BenchmarkError> {
        let target = full.read_link_utf8().map_err(|source| io_error("cannot read the link", full, source))?;
        let inside = full.canonicalize_utf8().is_ok_and(|real| real.starts_with(&self.root));
        if target.is_absolute() || !inside || climbs_out(path, &target) {
            self.leave(full, "it is a link that leads out of the project or nowhere");
            return Ok(false);
        }
        let copy = path.under(&self.into);
        self.make_room(&copy)?;
        let made = std::os::unix::fs::symlink(&target, &copy);
        made.map(|()| true).map_err(|source| io_error("cannot make the link", &copy, source))
    }

    fn leave(&mut self, what: &Utf8Path, why: &str) {
        let shown = what.strip_prefix(&self.root).unwrap_or(what);
        self.done.left_out.push(format!("left out {shown}: {why}"));
    }
}

/// Takes a file, a link or a whole folder away; it need not be there.
fn take_away(path: &std::path::Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
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

/// Whether a class file lies beside the source it was made from. Among resources it is what tests of class files read.
fn is_stale_class(at: &RepoPath, name: &str, siblings: &[String]) -> bool {
    let Some(class) = name.strip_suffix(".class") else { return false };
    let is_resource = at.as_str().split('/').any(|folder| folder == "resources");
    !is_resource && siblings.iter().any(|s| s.strip_suffix(".java") == Some(outer_class(class)))
}
