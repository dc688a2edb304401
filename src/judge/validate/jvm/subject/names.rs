//! Names in the classes of a patch: those that it takes, and those that it refers to.

use super::Jvm;
use crate::domain::{Outcome, Patch, Validation, outer_class};
use crate::language::Java;
use crate::patch::suspicious;
use crate::validate::jvm::Classes;
use crate::validate::jvm::ambient;
use crate::validate::jvm::class_file::{ClassFacts, Names, facts, names};
use crate::validate::jvm::harness::holds;
use crate::validate::jvm::newly::{self, OfTests};
use crate::validate::subject::News;
use camino::Utf8PathBuf;
use std::collections::{BTreeMap, BTreeSet};

/// Packages whose classes decide what a test result is.
const RESERVED: &[&str] =
    &["org/junit", "junit", "org/hamcrest", "org/opentest4j", "org/mockito", "org/assertj", "java", "unidebug/runner"];

impl Jvm {
    /// Why a patch may not make the classes that its own files make.
    pub(in crate::validate) fn refused(&self, patch: &Patch, classes: &Classes) -> Option<Validation> {
        self.own_of(patch, classes).find_map(|(name, _)| self.usurped(&name.replace('.', "/")))
    }

    /// The classes that a patch's own files make, of all that were compiled with them.
    fn own_of<'c>(&self, patch: &Patch, classes: &'c Classes) -> impl Iterator<Item = (&'c String, &'c Vec<u8>)> {
        let own: BTreeSet<String> = patch.paths().filter_map(|path| self.in_package(path)).map(str::to_owned).collect();
        classes.iter().filter(move |(name, bytes)| {
            let source = facts(bytes).and_then(|facts| facts.source).unwrap_or_default();
            let package = name.rsplit_once('.').map_or(String::new(), |(package, _)| package.replace('.', "/") + "/");
            own.contains(&format!("{package}{source}"))
        })
    }

    /// Why nobody but the tests may have the class that a patch makes, named with slashes.
    fn usurped(&self, class: &str) -> Option<Validation> {
        let own = |folder: &Utf8PathBuf| folder.join(format!("{class}.class")).exists();
        let below = |folder: &&&str| class.strip_prefix(**folder).is_some_and(|rest| rest.starts_with('/'));
        let has = |inside: &&&str| self.folders.all().any(|folder| folder.join(inside).exists());
        let reserved = RESERVED.iter().find(below).filter(|folder| !has(folder));
        let of_tests = self.folders.of_tests().any(own) && !self.folders.product.iter().any(own);
        let is_new = !class.contains('$') && !self.folders.all().any(own);
        let detail = if let Some(why) = Some(class).filter(|_| is_new).and_then(|class| self.shadowed(class)) {
            why
        } else if let Some(folder) = reserved {
            format!("it makes classes below {folder}, which belongs to the tests or to Java")
        } else if of_tests {
            format!("it makes the class {}, which the tests have", class.replace('/', "."))
        } else {
            return None;
        };
        Some(Validation::without_tests(Outcome::Refused, detail))
    }

    /// What a new class, named with slashes, would stand in front of.
    fn shadowed(&self, class: &str) -> Option<String> {
        let shown = class.replace('/', ".");
        let libraries = &self.class_path.libraries;
        if libraries.iter().any(|library| holds(library, &format!("{class}.class"))) {
            return Some(format!("it makes the class {shown}, which a library has; give it another name"));
        }
        let (package, simple) = class.rsplit_once('/')?;
        let inside: Vec<Utf8PathBuf> =
            self.folders.all().map(|folder| folder.join(package)).filter(|folder| folder.is_dir()).collect();
        if inside.is_empty() && libraries.iter().any(|library| holds(library, &format!("{package}/"))) {
            let package = package.replace('/', ".");
            return Some(format!("it makes a class in {package}, a package of a library; use one of the project's"));
        }
        // Whoever stands in that package and means another class by this name would mean this one.
        let names_other = |facts: &ClassFacts| {
            let other = |name: &&String| name.rsplit_once('/').is_some_and(|(_, last)| last == simple);
            let taken = |name: &&String| {
                let below = |folder: &&&str| name.strip_prefix(**folder).is_some_and(|rest| rest.starts_with('/'));
                let of_language = name.strip_prefix("java/lang/").is_some_and(|rest| !rest.contains('/'));
                of_language || RESERVED.iter().filter(|folder| **folder != "java").any(|folder| below(&folder))
            };
            facts.refers_to.iter().filter(other).find(taken).cloned()
        };
        let files = inside.iter().filter_map(|folder| folder.read_dir_utf8().ok()).flatten().flatten();
        let classes = files.filter(|file| file.path().extension() == Some("class"));
        let (user, other) = classes.into_iter().find_map(|file| {
            let facts = facts(&std::fs::read(file.path()).ok()?)?;
            names_other(&facts).map(|other| (facts.name, other))
        })?;
        let (user, other) = (user.replace('/', "."), other.replace('/', "."));
        Some(format!("it makes the class {shown}, which {user} would take for {other}; give it another name"))
    }

    /// What classes refer to that the product's classes in their packages do not.
    pub(super) fn news(&self, patch: &Patch, classes: &Classes) -> News {
        let mut by_package: BTreeMap<String, Names> = BTreeMap::new();
        for (name, bytes) in self.own_of(patch, classes) {
            let package = name.rsplit_once('.').map_or(String::new(), |(package, _)| package.replace('.', "/"));
            by_package.entry(package).or_default().extend(names(bytes).unwrap_or_default());
        }
        let tests = self.tests.iter().map(|class| outer_class(class).replace('.', "/")).collect();
        let of_tests = OfTests { packages: RESERVED, classes: &tests };
        let mut news = News::default();
        for (package, new) in by_package {
            let mut old = names_in(self.folders.product.iter(), &package);
            news.doubts.extend(newly::reasons(&old, &new, &of_tests));
            news.senses |= newly::senses(&old, &new);
            old.extend(names_in(self.folders.of_tests(), &package));
            news.doubts
                .extend(ambient::reasons(&old, &new, |words, place| suspicious::decides(patch, words, place, &Java)));
        }
        news
    }
}

/// The names in the classes of a package.
fn names_in<'f>(folders: impl Iterator<Item = &'f Utf8PathBuf>, package: &str) -> Names {
    let mut found = Names::default();
    let files = folders.filter_map(|folder| folder.join(package).read_dir_utf8().ok()).flatten().flatten();
    for file in files.filter(|file| file.path().extension() == Some("class")) {
        found.extend(std::fs::read(file.path()).ok().and_then(|bytes| names(&bytes)).unwrap_or_default());
    }
    found
}
