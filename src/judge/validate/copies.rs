//! Throw-away copies of a checkout with a patch in them, and what was made of the patch.

use super::work_dir::{TreeCopy, WorkDir, fresh};
use super::{ValidateError, io_error};
use crate::benchmark::{Checkout, Project, copy_with_outputs};
use crate::domain::{Patch, RepoPath};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What was made of a patch, shared by all copies it is tested in.
pub(super) struct Build {
    /// Removed when dropped.
    _folder: tempfile::TempDir,
    /// What is made from the patch, in front of the untouched product.
    pub(super) overlay: Utf8PathBuf,
    /// Folder for what is made on the way.
    pub(super) scratch: Utf8PathBuf,
    /// Classes that the patch takes away, named with slashes.
    pub(super) removed: BTreeSet<String>,
    /// What its code refers to.
    pub(super) news: News,
}

/// What the code of a patch refers to, that what stood there before did not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct News {
    /// Why a person should look at it, for what a repair hardly needs.
    pub(super) doubts: Vec<String>,
    /// Whether it refers to something by which code can tell where it runs.
    pub(super) senses: bool,
}

/// A throw-away copy of the checkout, with a patch written into it.
pub(super) struct Copy {
    _place: Place,
    /// The copy of the checkout.
    pub(super) tree: Utf8PathBuf,
    /// What was made of the patch.
    pub(super) build: Arc<Build>,
}

/// What becomes of a copy when it is dropped.
enum Place {
    /// It waits for its next use.
    Kept(#[expect(dead_code, reason = "held until the copy is dropped")] Box<TreeCopy>),
    /// It is removed.
    Removed(#[expect(dead_code, reason = "held until the copy is dropped")] tempfile::TempDir),
}

/// All that lies below a folder, and itself; parents first.
fn all_below(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).build().flatten();
    walk.filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok()).collect()
}

impl Build {
    /// An empty one below an existing folder.
    pub(super) fn new(work: &Utf8Path) -> Result<Self, ValidateError> {
        let (folder, path) = fresh("build-", work)?;
        let (overlay, scratch) = (path.join("overlay"), path.join("scratch"));
        for each in [&overlay, &scratch] {
            std::fs::create_dir_all(each).map_err(io_error("making a folder for classes", each))?;
        }
        Ok(Self { _folder: folder, overlay, scratch, removed: BTreeSet::new(), news: News::default() })
    }
}

impl Copy {
    /// A fresh copy of the untouched checkout, below an existing folder.
    pub(super) fn of(checkout: &Checkout, work: &WorkDir) -> Result<Self, ValidateError> {
        Self::with(checkout, work, &Patch::default(), Arc::new(Build::new(work)?))
    }

    /// A fresh copy with a patch written into it, beside what was made of the patch.
    pub(super) fn with(
        checkout: &Checkout,
        work: &WorkDir,
        patch: &Patch,
        build: Arc<Build>,
    ) -> Result<Self, ValidateError> {
        let copy = Self::named(checkout, work, ["copy-", "tree"], patch, build)?;
        copy.link_outputs(checkout)?;
        Ok(copy)
    }

    /// The same in a folder whose names say nothing of tests.
    pub(super) fn plain(
        checkout: &Checkout,
        work: &WorkDir,
        patch: &Patch,
        build: Arc<Build>,
    ) -> Result<Self, ValidateError> {
        let outside = Utf8PathBuf::from_path_buf(std::env::temp_dir()).ok().filter(|folder| folder.is_dir());
        let own = outside.filter(|_| work.as_str().contains("unidebug"));
        let own = own.map_or_else(|| work.clone(), WorkDir::new);
        let copy = Self::named(checkout, &own, ["srv-", "app"], patch, build)?;
        let named = Named::by_tests(checkout);
        if checkout.language == "java" {
            copy.without_sources(checkout, &named);
            copy.without_build_files(checkout, &named);
        }
        if outputs(&checkout.project).any(|folder| named.folder(folder)) {
            copy.link_outputs(checkout)?;
        }
        Ok(copy)
    }

    /// Puts what the build made where tests look for it, as links that cannot be written through. The folder around it can
    /// be written: many tests leave their files in `target`.
    fn link_outputs(&self, checkout: &Checkout) -> Result<(), ValidateError> {
        for folder in built(&checkout.project) {
            let (made, link) = (folder.under(&checkout.root), folder.under(&self.tree));
            if !made.is_dir() || std::fs::symlink_metadata(&link).is_ok() {
                continue;
            }
            let around = link.parent().unwrap_or(&self.tree);
            std::fs::create_dir_all(around).map_err(io_error("making a folder for what was built", around))?;
            std::os::unix::fs::symlink(&made, &link).map_err(io_error("linking what was built", &link))?;
        }
        Ok(())
    }

    /// Takes sources away where they are compiled: those of tests where they lie by themselves, and all where no test names
    /// their folder.
    fn without_sources(&self, checkout: &Checkout, named: &Named) {
        let project = &checkout.project;
        let by_itself = |root: &&RepoPath| !project.source_roots.iter().any(|own| own.is_within(root));
        let unnamed = |root: &&RepoPath| first_below(root, project).is_some_and(|name| !named.folder(name));
        let product = project.source_roots.iter().filter(unnamed);
        for root in project.test_roots.iter().filter(by_itself).chain(product) {
            let folder = root.under(&self.tree);
            // Nothing outside of the copy is ever taken away.
            if !folder.canonicalize_utf8().is_ok_and(|real| real == folder) {
                continue;
            }
            let walk = all_below(&folder);
            walk.iter()
                .filter(|path| path.extension() == Some("java"))
                .for_each(|path| drop(std::fs::remove_file(path)));
            // The deepest first; those that hold something else stay.
            walk.iter().rev().for_each(|path| drop(std::fs::remove_dir(path)));
            let above =
                folder.ancestors().skip(1).take_while(|path| path.starts_with(&self.tree) && *path != self.tree);
            above.for_each(|path| drop(std::fs::remove_dir(path)));
        }
    }

    /// Takes the files of build tools away that no test names: programs lie beside none where they are used.
    fn without_build_files(&self, checkout: &Checkout, named: &Named) {
        for name in BUILD_FILES.into_iter().filter(|name| !named.texts.contains(*name)) {
            for folder in [checkout.project.module.under(&self.tree), self.tree.clone()] {
                // It need not be there.
                let _ = std::fs::remove_file(folder.join(name));
            }
        }
    }

    fn named(
        checkout: &Checkout,
        work: &WorkDir,
        names: [&'static str; 2],
        patch: &Patch,
        build: Arc<Build>,
    ) -> Result<Self, ValidateError> {
        let kept = work.copy_of(&checkout.root, names)?;
        let copy = Self { tree: kept.tree().to_owned(), _place: Place::Kept(Box::new(kept)), build };
        copy.write(patch)?;
        let cwd = checkout.project.cwd().under(&copy.tree);
        std::fs::create_dir_all(&cwd).map_err(io_error("making the tests' working directory", &cwd))?;
        Ok(copy)
    }

    /// A copy for the project's own build tool, with what it made before; the files of a patch are newer than that.
    pub(super) fn for_build(checkout: &Checkout, work: &WorkDir, patch: &Patch) -> Result<Self, ValidateError> {
        let (folder, path) = fresh("own-", work)?;
        let tree = path.join("tree");
        std::fs::create_dir_all(&tree).map_err(io_error("making a throw-away copy", &tree))?;
        copy_with_outputs(&checkout.root, &tree)?;
        let copy = Self { _place: Place::Removed(folder), tree, build: Arc::new(Build::new(work)?) };
        copy.write(patch)?;
        Ok(copy)
    }

    /// Writes the files of a patch and takes away those that it deletes; returns where the others are.
    pub(super) fn write(&self, patch: &Patch) -> Result<Vec<Utf8PathBuf>, ValidateError> {
        write_all(patch, &self.tree)
    }

    /// Writes one file; returns where it is.
    pub(super) fn write_file(&self, file: &RepoPath, bytes: &[u8]) -> Result<Utf8PathBuf, ValidateError> {
        write_one(file, bytes, &self.tree)
    }
}

/// Files of build tools, beside the sources.
const BUILD_FILES: [&str; 6] =
    ["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "build.xml"];

/// Folders of classes that the build tool made.
fn built(project: &Project) -> impl Iterator<Item = &RepoPath> {
    project.compiled.iter().chain(&project.compiled_tests).chain(&project.compiled_helpers)
}

/// Folders of build output, by their first name. Where no test names one, a plain process sees none: a program would find
/// it where it is tested, and nowhere else.
fn outputs(project: &Project) -> impl Iterator<Item = &str> {
    built(project).filter_map(|folder| first_below(folder, project))
}

/// The name of the folder in the module's own that a folder lies in.
fn first_below<'f>(folder: &'f RepoPath, project: &Project) -> Option<&'f str> {
    folder.below(&project.module)?.split('/').next().filter(|name| !name.is_empty())
}

/// What the sources of the tests name, of what may lie around them.
struct Named {
    texts: BTreeSet<String>,
}

impl Named {
    /// Reads every test source once.
    fn by_tests(checkout: &Checkout) -> Self {
        let project = &checkout.project;
        let roots = project.source_roots.iter().filter_map(|root| first_below(root, project));
        let folders = roots.chain(outputs(project)).flat_map(Self::spelled);
        let mut wanted: BTreeSet<String> = folders.chain(BUILD_FILES.map(str::to_owned)).collect();
        let mut texts = BTreeSet::new();
        let files = project.test_roots.iter().flat_map(|root| all_below(&root.under(&checkout.root)));
        for text in files.filter(|path| path.is_file()).filter_map(|path| std::fs::read(path).ok()) {
            let is_in = |name: &String| memchr::memmem::find(&text, name.as_bytes()).is_some();
            let (found, rest): (BTreeSet<String>, _) = wanted.into_iter().partition(is_in);
            wanted = rest;
            texts.extend(found);
            if wanted.is_empty() {
                break;
            }
        }
        Self { texts }
    }

    /// How a source spells a folder.
    fn spelled(folder: &str) -> [String; 2] {
        [format!("\"{folder}"), format!("/{folder}/")]
    }

    fn folder(&self, name: &str) -> bool {
        Self::spelled(name).iter().any(|text| self.texts.contains(text))
    }
}

/// Writes the files of a patch into a copy and takes away those that it deletes; returns where the others are.
pub fn write_all(patch: &Patch, tree: &Utf8Path) -> Result<Vec<Utf8PathBuf>, ValidateError> {
    let (gone, there): (Vec<_>, Vec<_>) = patch.files.iter().partition(|file| file.deletes());
    for path in gone.into_iter().map(|file| file.path.under(tree)).filter(|path| path.is_file()) {
        std::fs::remove_file(&path).map_err(io_error("writing a candidate", &path))?;
    }
    there.into_iter().map(|file| write_one(&file.path, &file.after, tree)).collect()
}

fn write_one(file: &RepoPath, bytes: &[u8], tree: &Utf8Path) -> Result<Utf8PathBuf, ValidateError> {
    let path = file.under(tree);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(io_error("writing a candidate", folder))?;
    }
    std::fs::write(&path, bytes).map_err(io_error("writing a candidate", &path))?;
    Ok(path)
}
