//! Compiling a subject: as it is, and with a patch in it.

use super::Jvm;
use crate::domain::{Diagnostic, Outcome, Patch, RepoPath, Validation};
use crate::validate::class_shape::shape;
use crate::validate::jvm::{Compiled, Javac, Level, java_files};
use crate::validate::refuse::refuse;
use crate::validate::subject::{Copy, Subject, does_not_compile, same_code};
use crate::validate::{ValidateError, io_error};
use camino::{Utf8Path, Utf8PathBuf};
use std::time::Duration;

/// Packages whose classes decide what a test result is.
const RESERVED: &[&str] =
    &["org/junit", "junit", "org/hamcrest", "org/opentest4j", "org/mockito", "org/assertj", "java", "unidebug/runner"];
/// What is said of a candidate whose classes are those of the original.
pub(in crate::validate) const SAME_CODE: &str = "it compiles to the same byte code as the original";
const COMPILE_WALL: Duration = Duration::from_secs(600);

impl Jvm {
    /// The level of the project's build.
    pub(in crate::validate) fn level(&self) -> Level {
        let project = &self.checkout.project;
        Level {
            release: project.release.clone(),
            encoding: project.encoding.clone(),
            args: project.javac_args.clone(),
            lint: false,
            processors: self.class_path.has_processors(),
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

    pub(super) async fn compile_untouched(&self) -> Result<Vec<Utf8PathBuf>, ValidateError> {
        let project = &self.checkout.project;
        if !project.compiled.is_empty() {
            return Ok(project.compiled.iter().map(|folder| folder.under(&self.checkout.root)).collect());
        }
        let kept = [self.kept.join("tests"), self.kept.join("product")];
        if kept.iter().all(|folder| folder.is_dir()) {
            return Ok(kept.to_vec());
        }
        std::fs::create_dir_all(&self.kept).map_err(io_error("making the project's cache", &self.kept))?;
        let copy = self.copy()?;
        let made = copy.scratch.join("all");
        if let Some(first) = self.compile_all(&copy.tree, &made).await?.first() {
            let place = first.file.as_ref().map_or(String::new(), |file| format!(" ({file}:{})", first.line));
            let charset = first.file.as_ref().and_then(|file| self.other_charset(file)).unwrap_or_default();
            return Err(ValidateError::BaselineDoesNotCompile { first: format!("{charset}{}{place}", first.message) });
        }
        for (name, kept) in ["tests", "product"].into_iter().zip(&kept) {
            move_folder(&made.join(name), kept)?;
        }
        Ok(kept.to_vec())
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

    /// A copy with the patch written and compiled; or why there is none.
    pub(super) async fn compiled(&self, patch: &Patch) -> Result<Result<Copy, Validation>, ValidateError> {
        if let Some(refused) = refuse(&self.checkout, patch) {
            return Ok(Err(refused));
        }
        let copy = self.copy()?;
        let changed = copy.write(patch)?;
        let alone = self.javac().compile(&changed, &self.class_path_with(&[]), &copy.overlay, &copy.tree).await?;
        if !alone.ok {
            return Ok(Err(does_not_compile(complaints(alone))));
        }
        if let Some(refused) = made_in(&copy.overlay).iter().find_map(|class| self.usurped(class)) {
            return Ok(Err(refused));
        }
        if self.is_untouched(&copy.overlay) {
            return Ok(Err(same_code(SAME_CODE)));
        }
        if self.shape_changed(&copy.overlay)? {
            // Who uses the class may no longer compile, or holds a copy of an old constant.
            let made = copy.scratch.join("all");
            let errors = self.compile_all(&copy.tree, &made).await?;
            if !errors.is_empty() {
                return Ok(Err(does_not_compile(errors)));
            }
            for name in ["tests", "product"] {
                move_folder(&made.join(name), &copy.overlay.join(name))?;
            }
        }
        Ok(Ok(copy))
    }

    /// Why nobody but the tests may have the class that a patch makes, named with slashes.
    pub(in crate::validate) fn usurped(&self, class: &str) -> Option<Validation> {
        let has = |folder: &Utf8PathBuf, inside: &str| folder.join(inside).exists();
        let below = |folder: &&&str| class.strip_prefix(**folder).is_some_and(|rest| rest.starts_with('/'));
        let reserved = RESERVED.iter().find(below).filter(|folder| !self.classes.iter().any(|own| has(own, folder)));
        let (_, of_tests) = self.classes.split_last()?;
        let detail = if let Some(folder) = reserved {
            format!("it makes classes below {folder}, which belongs to the tests or to Java")
        } else if of_tests.iter().any(|tests| has(tests, &format!("{class}.class"))) {
            format!("it makes the class {}, which the tests have", class.replace('/', "."))
        } else {
            return None;
        };
        Some(Validation::without_tests(Outcome::Refused, detail))
    }

    /// Whether everything that was made is there already, byte for byte.
    fn is_untouched(&self, overlay: &Utf8Path) -> bool {
        made_in(overlay).iter().all(|class| {
            let made = std::fs::read(overlay.join(format!("{class}.class"))).ok();
            made.is_some() && made == self.untouched(class)
        })
    }

    /// The untouched class of that name, which is given with slashes.
    pub(in crate::validate) fn untouched(&self, class: &str) -> Option<Vec<u8>> {
        let inside = format!("{class}.class");
        self.classes.iter().find_map(|folder| std::fs::read(folder.join(&inside)).ok())
    }

    fn shape_changed(&self, overlay: &Utf8Path) -> Result<bool, ValidateError> {
        for class in made_in(overlay).iter().filter(|class| !is_local(class)) {
            let path = overlay.join(format!("{class}.class"));
            let new = std::fs::read(&path).map_err(io_error("reading a compiled class", &path))?;
            let old = self.untouched(class);
            if old.is_none_or(|old| shape(&old).is_none() || shape(&old) != shape(&new)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
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

fn complaints(compiled: Compiled) -> Vec<Diagnostic> {
    if compiled.diagnostics.is_empty() {
        let message = compiled.said.lines().next().unwrap_or("the compiler gave no reason").to_owned();
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
    let beside = tempfile::tempdir_in(parent).map_err(io_error("keeping compiled classes", parent))?;
    let beside = Utf8Path::from_path(beside.path()).unwrap_or(parent).join("classes");
    copy_folder(from, &beside)?;
    match std::fs::rename(&beside, to) {
        Err(error) if !to.is_dir() => Err(io_error("keeping compiled classes", to)(error)),
        _ => Ok(()),
    }
}

fn copy_folder(from: &Utf8Path, to: &Utf8Path) -> Result<(), ValidateError> {
    let io = |path: &Utf8Path| io_error("copying compiled classes", path);
    std::fs::create_dir_all(to).map_err(io(to))?;
    for entry in from.read_dir_utf8().map_err(io(from))?.flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), &target).map_err(io(&target))?;
        }
    }
    Ok(())
}
