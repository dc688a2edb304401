//! Compiling a subject: as it is, and with a patch in it.

use super::{ClassFolders, Jvm};
use crate::benchmark::copy_files;
use crate::domain::{Diagnostic, Patch, RepoPath, Validation};
use crate::validate::jvm::class_file::{facts, shape};
use crate::validate::jvm::references::mentioning;
use crate::validate::jvm::{Classes, Compiled, Javac, Level, java_files};
use crate::validate::refuse::refuse;
use crate::validate::subject::{Build, Copy, does_not_compile, same_code};
use crate::validate::{ValidateError, io_error};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeSet;
use std::time::Duration;

/// The detail of a candidate whose classes are those of the original.
pub(in crate::validate) const SAME_CODE: &str = "it compiles to the same byte code as the original";
const COMPILE_WALL: Duration = Duration::from_secs(600);
/// What to do where a project without Maven or Gradle lacks a library.
const LACKS_LIBRARY: &str = "a library is missing: let the project's own build fetch its libraries once (targets of Ant may do so \
                             by Ivy), or name their jars with `class_path` in .unidebug.toml";

impl Jvm {
    /// The level of the project's build.
    pub(in crate::validate) fn level(&self) -> Level {
        let project = &self.checkout.project;
        Level {
            release: project.release.clone(),
            encoding: project.encoding.clone(),
            args: project.javac_args.clone(),
            lint: false,
            processors: self.class_path.has_processors,
            bare: false,
        }
    }

    pub(super) fn javac(&self) -> Javac<'_> {
        Javac { sandbox: &self.sandbox, jdk: &self.jdk, level: self.level(), wall: COMPILE_WALL }
    }

    /// What the compiler warns of in one file of the untouched project.
    pub(super) async fn lint(&self, file: &RepoPath) -> Result<Vec<Diagnostic>, ValidateError> {
        let out = tempfile::Builder::new().prefix("lint-").tempdir_in(&self.options.work_dir);
        let out = out.map_err(io_error("making a folder for classes", &self.options.work_dir))?;
        let folder = Utf8Path::from_path(out.path()).unwrap_or(&self.options.work_dir);
        let folder = folder.canonicalize_utf8().map_err(io_error("finding the folder for classes", folder))?;
        let classes = folder.join("classes");
        std::fs::create_dir_all(&classes).map_err(io_error("making a folder for classes", &classes))?;
        let root = &self.checkout.root;
        let javac = Javac { level: Level { lint: true, ..self.level() }, ..self.javac() };
        let done = javac.compile(&[file.under(root)], &self.class_path_with(&[]), &classes, root).await?;
        Ok(done.diagnostics.into_iter().chain(done.warnings).collect())
    }

    /// The classes that a fresh compiler makes of untouched files, with what annotation processors make of them; `None`
    /// where they do not compile, or more than classes is made.
    pub(in crate::validate) async fn compiled_with_processors(
        &self,
        files: &[RepoPath],
    ) -> Result<Option<Classes>, ValidateError> {
        let build = Build::new(&self.options.work_dir)?;
        let root = &self.checkout.root;
        let sources: Vec<Utf8PathBuf> = files.iter().map(|file| file.under(root)).collect();
        let done = self.javac().compile(&sources, &self.class_path_with(&[]), &build.overlay, root).await?;
        let classes = classes_in(&build.overlay)?;
        Ok((done.ok && files_in(&build.overlay) == classes.len()).then_some(classes))
    }

    /// What a fresh compiler makes of a patch; `None` where more than classes is made.
    pub(in crate::validate) async fn compiled_fresh(
        &self,
        patch: &Patch,
    ) -> Result<Option<Result<Made, Vec<Diagnostic>>>, ValidateError> {
        let build = Build::new(&self.options.work_dir)?;
        let made = self.compiled_cold(patch, &build).await?;
        let is_all = made.as_ref().ok().is_none_or(|made| files_in(&build.overlay) == made.classes.len());
        Ok(is_all.then_some(made))
    }

    pub(super) async fn compile_untouched(&self) -> Result<ClassFolders, ValidateError> {
        let project = &self.checkout.project;
        let root = &self.checkout.root;
        if !project.compiled.is_empty() {
            let existing = |folders: &[RepoPath]| -> Vec<Utf8PathBuf> {
                folders.iter().map(|folder| folder.under(root)).filter(|folder| folder.is_dir()).collect()
            };
            return Ok(ClassFolders {
                tests: existing(&project.compiled_tests),
                product: existing(&project.compiled),
                helpers: existing(&project.compiled_helpers),
            });
        }
        let cached = [self.project_cache.join("tests"), self.project_cache.join("product")];
        let folders =
            ClassFolders { tests: vec![cached[0].clone()], product: vec![cached[1].clone()], helpers: Vec::new() };
        if cached.iter().all(|folder| folder.is_dir()) {
            return Ok(folders);
        }
        self.options.watcher.phase("compiling the project");
        std::fs::create_dir_all(&self.project_cache)
            .map_err(io_error("making the project's cache", &self.project_cache))?;
        let copy = Copy::of(&self.checkout, &self.options.work_dir)?;
        let made = copy.build.scratch.join("all");
        if let Some(first) = self.compile_all(&copy.tree, &made).await?.first() {
            let place = first.file.as_ref().map_or(String::new(), |file| format!(" ({file}:{})", first.line));
            let charset = first.file.as_ref().and_then(|file| self.other_charset(file)).unwrap_or_default();
            let first = format!("{charset}{}{place}", first.message);
            let hint = is_about_a_library(&first).then(|| LACKS_LIBRARY.to_owned());
            return Err(ValidateError::BaselineDoesNotCompile { first, hint });
        }
        for (name, cached) in ["tests", "product"].into_iter().zip(&cached) {
            move_folder(&made.join(name), cached)?;
        }
        Ok(folders)
    }

    /// What to say of a file that is spelled in another charset than it is compiled as.
    fn other_charset(&self, file: &RepoPath) -> Option<String> {
        let bytes = std::fs::read(file.under(&self.checkout.root)).ok()?;
        let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
        let encoding = Some(self.level().encoding).filter(|name| !name.is_empty()).unwrap_or_else(|| "UTF-8".into());
        (utf16 && !encoding.starts_with("UTF-16"))
            .then(|| format!("{file} is UTF-16 and compiled as {encoding}; save it as UTF-8: "))
    }

    /// Compiles all sources of a tree into `into/product` and `into/tests`; returns the errors.
    async fn compile_all(&self, tree: &Utf8Path, into: &Utf8Path) -> Result<Vec<Diagnostic>, ValidateError> {
        let project = &self.checkout.project;
        let (product, tests) = (into.join("product"), into.join("tests"));
        for folder in [&product, &tests] {
            std::fs::create_dir_all(folder).map_err(io_error("making a folder for classes", folder))?;
        }
        let sources = java_files(tree, &project.source_roots, &project.test_roots);
        let mut class_path = self.class_path.libraries.clone();
        let first = self.javac().compile(&sources, &class_path, &product, tree).await?;
        if !first.ok {
            return Ok(complaints(first));
        }
        class_path.insert(0, product);
        let sources = java_files(tree, &project.test_roots, &[]);
        let second = self.javac().compile(&sources, &class_path, &tests, tree).await?;
        Ok(if second.ok { Vec::new() } else { complaints(second) })
    }

    /// What a patch makes of the project: the classes of the changed files, and of those that see the change.
    pub(super) async fn built(&self, patch: &Patch) -> Result<Result<Build, Validation>, ValidateError> {
        if let Some(refused) = refuse(&self.checkout, patch) {
            return Ok(Err(refused));
        }
        let mut build = Build::new(&self.options.work_dir)?;
        let made = match self.compiled_cold(patch, &build).await? {
            Ok(made) => made,
            Err(diagnostics) => return Ok(Err(does_not_compile(diagnostics))),
        };
        if let Some(refused) = self.refused(patch, &made.classes) {
            return Ok(Err(refused));
        }
        if made.is_untouched(self) && patch.paths().all(is_java) {
            return Ok(Err(same_code(SAME_CODE)));
        }
        build.news = self.news(patch, &made.classes);
        build.removed = made.removed;
        Ok(Ok(build))
    }

    /// Compiles in fresh processes into the build's overlay: the changed files, then with them whatever sees the change.
    async fn compiled_cold(
        &self,
        patch: &Patch,
        build: &Build,
    ) -> Result<Result<Made, Vec<Diagnostic>>, ValidateError> {
        let tree = build.scratch.join("tree");
        let write = |path: &RepoPath, bytes: &[u8]| {
            let target = path.under(&tree);
            let folder = target.parent().unwrap_or(&tree).to_owned();
            std::fs::create_dir_all(&folder).map_err(io_error("writing a candidate", &folder))?;
            std::fs::write(&target, bytes).map_err(io_error("writing a candidate", &target))?;
            if self.class_path.has_processors {
                self.add_settings(path, &tree)?;
            }
            Ok::<Utf8PathBuf, ValidateError>(target)
        };
        let mut sources = Vec::new();
        for file in patch.files.iter().filter(|file| is_java(&file.path) && !file.deletes()) {
            sources.push(write(&file.path, &file.after)?);
        }
        self.write_resources(patch, &build.overlay)?;
        let mut users: BTreeSet<RepoPath> = BTreeSet::new();
        loop {
            let out = build.overlay.as_path();
            if !sources.is_empty() {
                let done = self.javac().compile(&sources, &self.class_path_with(&[]), out, &tree).await?;
                if !done.ok {
                    return Ok(Err(complaints(done)));
                }
            }
            let made = self.made(patch, &users, classes_in(out)?);
            let more = self.users_to_compile(patch, &made, &users);
            if more.is_empty() {
                return Ok(Ok(made));
            }
            for path in more {
                let file = path.under(&self.checkout.root);
                let bytes = std::fs::read(&file).map_err(io_error("reading a source file", &file))?;
                sources.push(write(&path, &bytes)?);
                users.insert(path);
            }
        }
    }

    /// What a compilation came to, beside what is there without the patch.
    pub(in crate::validate) fn made(&self, patch: &Patch, users: &BTreeSet<RepoPath>, classes: Classes) -> Made {
        let references = self.references();
        let sources = patch.files.iter().map(|file| &file.path).chain(users);
        let before: BTreeSet<&str> =
            sources.filter_map(|path| self.in_package(path)).flat_map(|inside| references.made_of(inside)).collect();
        let is_gone = |name: &&&str| !classes.contains_key(&name.replace('/', "."));
        let removed = before.iter().filter(is_gone).map(|name| (*name).to_owned()).collect();
        Made { classes, removed }
    }

    /// Further files that see what changed and must be compiled with it; those of `known` are compiled already.
    pub(in crate::validate) fn users_to_compile(
        &self,
        patch: &Patch,
        made: &Made,
        known: &BTreeSet<RepoPath>,
    ) -> BTreeSet<RepoPath> {
        let changed = self.reshaped(made);
        if changed.is_empty() {
            return BTreeSet::new();
        }
        let mut sources = self.references().users_of(&changed);
        let constants = self.changed_constants(made);
        if !constants.is_empty() {
            // Users hold copies of constants and do not name their class.
            let project = &self.checkout.project;
            for folders in [&project.source_roots, &project.test_roots, &project.generated] {
                sources.extend(mentioning(&constants, &self.checkout.root, folders));
            }
        }
        let patched: BTreeSet<&RepoPath> = patch.paths().collect();
        let found = sources.iter().filter_map(|inside| self.source_file(inside));
        found.filter(|path| !known.contains(path) && !patched.contains(path)).collect()
    }

    /// Classes of which others see something else than before, those that are gone among them; named with slashes.
    fn reshaped(&self, made: &Made) -> BTreeSet<String> {
        let mut changed: BTreeSet<String> = made.removed.iter().filter(|name| !is_local(name)).cloned().collect();
        for (name, bytes) in made.classes.iter().filter(|(name, _)| !is_local(name)) {
            let name = name.replace('.', "/");
            let before = self.untouched(&name).and_then(|old| shape(&old));
            if before.is_some() && before != shape(bytes) {
                changed.insert(name);
            }
        }
        changed
    }

    /// Names of constants that have another value now, or are gone.
    fn changed_constants(&self, made: &Made) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for (name, bytes) in &made.classes {
            let Some(old) = self.references().class(&name.replace('.', "/")) else { continue };
            let new = facts(bytes).map(|facts| facts.constants).unwrap_or_default();
            let changed = old.constants.iter().filter(|(constant, value)| new.get(*constant) != Some(value));
            names.extend(changed.map(|(constant, _)| constant.clone()));
        }
        names
    }

    /// The path of a source file below its source folder: `a/b/File.java`.
    pub(super) fn in_package<'p>(&self, path: &'p RepoPath) -> Option<&'p str> {
        let project = &self.checkout.project;
        let all = project.source_roots.iter().chain(&project.test_roots).chain(&project.generated);
        // The innermost folder that holds it is its own.
        all.filter_map(|root| path.below(root)).min_by_key(|inside| inside.len())
    }

    /// The file of the checkout that is `a/b/File.java` below a source folder.
    fn source_file(&self, inside: &str) -> Option<RepoPath> {
        let project = &self.checkout.project;
        let all = project.source_roots.iter().chain(&project.test_roots).chain(&project.generated);
        all.filter_map(|root| root.join(inside).ok()).find(|path| path.under(&self.checkout.root).is_file())
    }

    /// The untouched class of that name, which is given with slashes.
    pub(in crate::validate) fn untouched(&self, class: &str) -> Option<Vec<u8>> {
        let inside = format!("{class}.class");
        self.folders.all().find_map(|folder| std::fs::read(folder.join(&inside)).ok())
    }
}

/// What a compilation came to.
pub(in crate::validate) struct Made {
    /// Classes by name, with points.
    pub(in crate::validate) classes: Classes,
    /// Classes that the same sources made before and do not make any more, named with slashes.
    pub(in crate::validate) removed: BTreeSet<String>,
}

impl Made {
    /// Whether everything is there already, byte for byte.
    pub(in crate::validate) fn is_untouched(&self, jvm: &Jvm) -> bool {
        let same = |(name, bytes): (&String, &Vec<u8>)| {
            jvm.untouched(&name.replace('.', "/")).is_some_and(|old| old == *bytes)
        };
        self.removed.is_empty() && self.classes.iter().all(same)
    }
}

pub(super) fn is_java(path: &RepoPath) -> bool {
    path.as_str().ends_with(".java")
}

/// All classes below a folder, by name with points.
fn classes_in(folder: &Utf8Path) -> Result<Classes, ValidateError> {
    let mut classes = Classes::new();
    for name in made_in(folder) {
        let path = folder.join(format!("{name}.class"));
        let bytes = std::fs::read(&path).map_err(io_error("reading a compiled class", &path))?;
        classes.insert(name.replace('/', "."), bytes);
    }
    Ok(classes)
}

/// How many files lie below a folder.
fn files_in(folder: &Utf8Path) -> usize {
    let all = ignore::WalkBuilder::new(folder).standard_filters(false).build().flatten();
    all.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())).count()
}

/// Classes below a folder, named with slashes.
pub(super) fn made_in(overlay: &Utf8Path) -> Vec<String> {
    let files = ignore::WalkBuilder::new(overlay).standard_filters(false).build().flatten();
    let class = |entry: ignore::DirEntry| {
        let path = Utf8Path::from_path(entry.path())?.strip_prefix(overlay).ok()?;
        path.as_str().strip_suffix(".class").map(str::to_owned)
    };
    files.filter_map(class).collect()
}

pub(super) fn complaints(compiled: Compiled) -> Vec<Diagnostic> {
    if compiled.diagnostics.is_empty() {
        let message = compiled.output.lines().next().unwrap_or("the compiler gave no reason").to_owned();
        return vec![Diagnostic { file: None, line: 0, message }];
    }
    compiled.diagnostics
}

/// Whether a class is anonymous or local: nobody else can name it, so a new one changes nothing for others.
pub(in crate::validate) fn is_local(name: &str) -> bool {
    name.split('$').skip(1).any(|part| part.starts_with(|c: char| c.is_ascii_digit()))
}

/// Moves a folder; where another process was faster, its content is the same and stays.
fn move_folder(from: &Utf8Path, to: &Utf8Path) -> Result<(), ValidateError> {
    if to.is_dir() {
        return Ok(());
    }
    if std::fs::rename(from, to).is_ok() || to.is_dir() {
        return Ok(());
    }
    // Another file system: copy beside the goal, then rename.
    let parent = to.parent().unwrap_or(to);
    let copy = tempfile::tempdir_in(parent).map_err(io_error("keeping compiled classes", parent))?;
    let copy = Utf8Path::from_path(copy.path()).unwrap_or(parent).join("classes");
    copy_folder(from, &copy)?;
    match std::fs::rename(&copy, to) {
        Err(error) if !to.is_dir() => Err(io_error("keeping compiled classes", to)(error)),
        _ => Ok(()),
    }
}

pub(super) fn copy_folder(from: &Utf8Path, to: &Utf8Path) -> Result<(), ValidateError> {
    let copied = copy_files(from, to, |file, target| std::fs::copy(file, target).map(drop));
    copied.map_err(io_error("copying compiled classes", from))
}

/// Whether the compiler complains of a package that nothing brings.
fn is_about_a_library(complaint: &str) -> bool {
    complaint.contains("package ") && complaint.contains(" does not exist")
}
