//! A candidate's way to byte code: what is refused, what was judged before, the compiler that stays.

use super::{Haste, Inner};
use crate::code::syntax_errors;
use crate::domain::{Diagnostic, Patch, RepoPath, Validation};
use crate::language;
use crate::validate::jvm::{Answer, Classes, Made, SAME_CODE, SourceFolders, WarmCompiler};
use crate::validate::memory::Key;
use crate::validate::refuse::refuse;
use crate::validate::subject;
use crate::validate::{Judge, ValidateError, clean, io_error};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Compilations of a file before the compiler counts as warm.
const WARM_UP: usize = 10;

/// A candidate after the compiler.
pub(super) enum Compiled {
    /// Its answer is known.
    Answered(Validation),
    /// To be tested.
    Ready(Classes),
    /// More than classes is to be made, or no compiler is to be had.
    Cold,
}

/// Which compiler a file needs; the later one serves what an earlier one serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Compiler {
    /// The one that stays and runs no annotation processors.
    Plain,
    /// The one that stays and runs them.
    Processing,
    /// A fresh one.
    Fresh,
}

impl Inner {
    /// Compiles the files the failing tests point at, as they are, until the compiler is warm or somebody asks.
    pub(super) async fn warm_up_compiler(&self) {
        let subject = &self.jvm;
        for path in self.suspected_files() {
            let Ok(bytes) = std::fs::read(path.under(&subject.checkout.root)) else { continue };
            let same = [(path, bytes.into())];
            for _ in 0..WARM_UP {
                if self.ask(&subject.compiler, &same).await.is_err() {
                    return;
                }
            }
        }
    }

    /// Product files named in the traces of triggering tests, at most two.
    fn suspected_files(&self) -> Vec<RepoPath> {
        let baseline = self.cold.baseline();
        let results = baseline.triggering.iter().filter_map(|id| baseline.report.results.get(id));
        let frames = results.filter_map(|result| result.failure.as_ref()).flat_map(|failure| &failure.frames);
        let folders = SourceFolders::of(&self.jvm);
        let mut found: Vec<RepoPath> = Vec::new();
        for frame in frames.filter(|frame| clean::is_project_frame(frame)) {
            let Some(file) = &frame.file else { continue };
            let package =
                frame.class.rsplit_once('.').map_or(String::new(), |(package, _)| package.replace('.', "/") + "/");
            let path = folders.find(&format!("{package}{file}"));
            found.extend(path.filter(|path| !found.contains(path)));
            if found.len() == 2 {
                break;
            }
        }
        found
    }

    /// The steps up to byte code.
    pub(super) async fn compile(&self, patch: &Patch, haste: Haste) -> Result<Compiled, ValidateError> {
        let subject = &self.jvm;
        if let Some(refused) = refuse(&subject.checkout, patch) {
            return Ok(Compiled::Answered(refused));
        }
        // Who proposed it by itself is told why by the compiler, in words that help.
        if haste == Haste::Batch {
            let broken = unreadable(patch, &subject.checkout.language);
            if !broken.is_empty() {
                return Ok(Compiled::Answered(subject::does_not_compile(broken)));
            }
        }
        let only_java = patch.paths().all(|path| path.as_str().ends_with(".java"));
        if !only_java {
            return Ok(Compiled::Cold);
        }
        let made = match self.compiled(patch).await {
            Ok(None) => return Ok(Compiled::Cold),
            Ok(Some(Ok(made))) => made,
            Ok(Some(Err(diagnostics))) => return Ok(Compiled::Answered(subject::does_not_compile(diagnostics))),
            Err(error) => {
                tracing::warn!("compiled in a cold process: {error}");
                return Ok(Compiled::Cold);
            }
        };
        if let Some(refused) = subject.refused(patch, &made.classes) {
            return Ok(Compiled::Answered(refused));
        }
        if made.is_untouched(subject) {
            return Ok(Compiled::Answered(subject::same_code(SAME_CODE)));
        }
        let candidate = candidate(made);
        Ok(match self.memory.answer(&Key::of_code(&candidate)) {
            Some(known) => Compiled::Answered(known),
            None => Compiled::Ready(candidate),
        })
    }

    /// Compiles the changed files, then with them whatever sees the change; `None` where more than classes is made.
    async fn compiled(&self, patch: &Patch) -> Result<Option<Result<Made, Vec<Diagnostic>>>, ValidateError> {
        let mut files: Vec<(RepoPath, Arc<[u8]>)> =
            patch.files.iter().map(|file| (file.path.clone(), file.after.clone())).collect();
        let mut users: BTreeSet<RepoPath> = BTreeSet::new();
        loop {
            let Some(compiler) = self.warm_compiler(&files).await? else {
                return self.jvm.compiled_fresh(patch).await;
            };
            let classes = match self.ask(compiler, &files).await? {
                Ok(classes) => classes,
                Err(diagnostics) => return Ok(Some(Err(diagnostics))),
            };
            let made = self.jvm.made(patch, &users, classes);
            let more = self.jvm.users_to_compile(patch, &made, &users);
            if more.is_empty() {
                return Ok(Some(Ok(made)));
            }
            for path in more {
                let file = path.under(&self.jvm.checkout.root);
                let bytes = std::fs::read(&file).map_err(io_error("reading a source file", &file))?;
                files.push((path.clone(), bytes.into()));
                users.insert(path);
            }
        }
    }

    /// The compiler that stays for all of these files; `None` where annotation processors need a fresh one, as for an
    /// annotation more that could be theirs.
    async fn warm_compiler(&self, files: &[(RepoPath, Arc<[u8]>)]) -> Result<Option<&WarmCompiler>, ValidateError> {
        if !self.jvm.class_path.has_processors {
            return Ok(Some(&self.jvm.compiler));
        }
        let mut known = self.compilers.lock().await;
        let mut unknown: Vec<(RepoPath, Arc<[u8]>)> = Vec::new();
        for (path, after) in files {
            // Nobody knows yet what a new file is for.
            let Ok(before) = std::fs::read(path.under(&self.jvm.checkout.root)) else { return Ok(None) };
            let [old, new] = [&before, &**after].map(String::from_utf8_lossy);
            if !annotations(&new).is_subset(&annotations(&old)) {
                return Ok(None);
            }
            if !known.contains_key(path) {
                unknown.push((path.clone(), before.into()));
            }
        }
        if !unknown.is_empty() {
            let compiler = self.compiler_of(&unknown).await?;
            known.extend(unknown.into_iter().map(|(path, _)| (path, compiler)));
        }
        Ok(match files.iter().filter_map(|(path, _)| known.get(path)).max() {
            None | Some(Compiler::Plain) => Some(&self.jvm.compiler),
            Some(Compiler::Processing) => Some(&self.jvm.processing_compiler),
            Some(Compiler::Fresh) => None,
        })
    }

    /// Which compiler makes the same of untouched files as a fresh one with all annotation processors. Libraries for tests
    /// and benchmarks bring processors that have no part in the product. A class may have hundreds of users: all of them are
    /// compiled in one go.
    async fn compiler_of(&self, files: &[(RepoPath, Arc<[u8]>)]) -> Result<Compiler, ValidateError> {
        let paths: Vec<RepoPath> = files.iter().map(|(path, _)| path.clone()).collect();
        let Some(wanted) = self.jvm.compiled_with_processors(&paths).await? else { return Ok(Compiler::Fresh) };
        let wanted = Ok(wanted);
        if self.ask(&self.jvm.compiler, files).await? == wanted {
            return Ok(Compiler::Plain);
        }
        match self.ask(&self.jvm.processing_compiler, files).await {
            Ok(made) if made == wanted => Ok(Compiler::Processing),
            Ok(_) => {
                tracing::info!("annotation processors make something else in a compiler that stays");
                Ok(Compiler::Fresh)
            }
            Err(error) => {
                tracing::info!("annotation processors do not run in a compiler that stays: {error}");
                Ok(Compiler::Fresh)
            }
        }
    }

    async fn ask(&self, compiler: &WarmCompiler, files: &[(RepoPath, Arc<[u8]>)]) -> Result<Answer, ValidateError> {
        let files: Vec<_> = files.iter().map(|(path, bytes)| (path.clone(), &**bytes)).collect();
        compiler.compile(&self.jvm, &files).await
    }
}

/// What a worker is given: the classes, and without bytes those that are gone.
fn candidate(made: Made) -> Classes {
    let mut classes = made.classes;
    classes.extend(made.removed.into_iter().map(|name| (name.replace('/', "."), Vec::new())));
    classes
}

/// Places that no compiler could read, in files whose original can be read.
fn unreadable(patch: &Patch, language: &str) -> Vec<Diagnostic> {
    let Some(language) = language::by_name(language) else { return Vec::new() };
    let errors = |bytes: &[u8]| syntax_errors(&language::decode(bytes).0, language);
    let mut found = Vec::new();
    for file in &patch.files {
        let lines = errors(&file.after);
        // What the grammar does not know was there before.
        if !lines.is_empty() && file.before.as_deref().is_none_or(|before| errors(before).is_empty()) {
            let at = |line| Diagnostic { file: Some(file.path.clone()), line, message: "this cannot be read".into() };
            found.extend(lines.into_iter().map(at));
        }
    }
    found
}

/// Annotations of the language: no processor asks for them.
const NO_PROCESSORS: [&str; 5] = ["Override", "Deprecated", "SuppressWarnings", "FunctionalInterface", "SafeVarargs"];

/// Annotations of a text that a processor could ask for, with what stands behind them in their line. In doubt it is one:
/// words in comments count.
fn annotations(text: &str) -> BTreeSet<&str> {
    let behind = text.split('@').skip(1).map(|after| after.lines().next().unwrap_or("").trim());
    let is_open = |said: &&str| {
        let end = said.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(said.len());
        !NO_PROCESSORS.contains(&&said[..end])
    };
    behind.filter(is_open).collect()
}

#[cfg(test)]
mod tests {
    use super::annotations;

    #[test]
    fn annotations_of_the_language_are_no_processors() {
        assert!(annotations("@Override @SuppressWarnings(\"x\") public int f() {}").is_empty());
        let before = annotations("@Rated(2)\n@Override\nclass Cart { int n; }");
        assert!(annotations("@Rated(2)\nclass Cart { long n; }").is_subset(&before));
        for text in ["@Rated(3)\nclass Cart {}", "@Named\nclass Cart {}", "@java.lang.Override int f();"] {
            assert!(!annotations(text).is_subset(&before), "{text}");
        }
    }
}
