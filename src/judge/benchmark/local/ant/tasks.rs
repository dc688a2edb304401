//! The tasks of a build file that compile and test, with the paths they name.

use super::build_file::BuildFile;
use crate::benchmark::xml::Element;
use crate::domain::RepoPath;
use camino::Utf8PathBuf;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::collections::BTreeMap;

/// References to references, at most.
const MAX_DEPTH: usize = 16;

/// One `javac`.
#[derive(Debug, Default)]
pub(super) struct Javac {
    /// Its folders of sources, as far as they are there.
    pub(super) sources: Vec<RepoPath>,
    /// Where its classes land.
    pub(super) made: Option<RepoPath>,
    /// As `javac --release` takes it.
    pub(super) release: Option<String>,
    pub(super) encoding: Option<String>,
}

/// What a build file compiles and tests.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    pub(super) javac: Vec<Javac>,
    /// Jars on class paths, in order.
    pub(super) jars: Vec<RepoPath>,
    /// Folders on the class path of tests.
    pub(super) test_path: Vec<RepoPath>,
    /// Folders of which tests are run: of sources or of classes.
    pub(super) test_folders: Vec<RepoPath>,
    /// Which of their files are tests, and which are not.
    pub(super) include: Vec<String>,
    pub(super) exclude: Vec<String>,
    pub(super) jvm_args: Vec<String>,
    /// Folders whose files are copied to where classes land.
    pub(super) copied: Vec<RepoPath>,
}

impl Tasks {
    /// The tasks of a build file, wherever they stand.
    pub(super) fn of(file: &BuildFile) -> Self {
        let mut all = Vec::new();
        file.elements.iter().for_each(|element| flatten(element, &mut all));
        let reader = Reader { file, named: all.iter().filter_map(|e| Some((e.attribute("id")?, *e))).collect() };
        let mut tasks = Self::default();
        for element in &all {
            match element.name.as_str() {
                "javac" => reader.javac(element, &mut tasks),
                "junit" | "junitlauncher" | "testng" => reader.tests(element, &mut tasks),
                _ => {}
            }
        }
        for copy in all.iter().filter(|element| element.name == "copy") {
            let into = copy.attribute("todir").and_then(|folder| file.path(folder));
            if into.is_some_and(|into| tasks.is_made(&into)) {
                let from = copy.all("fileset").filter_map(|files| file.path(files.attribute("dir")?));
                tasks.copied.extend(from);
            }
        }
        tasks
    }

    /// Whether classes land in a folder.
    pub(super) fn is_made(&self, folder: &RepoPath) -> bool {
        self.javac.iter().any(|javac| javac.made.as_ref() == Some(folder))
    }

    /// Whether another task's classes land in the same folder.
    pub(super) fn is_shared(&self, one: &Javac) -> bool {
        self.javac.iter().filter(|javac| javac.made == one.made).count() > 1 || one.sources.len() > 1
    }
}

/// All elements, those around others first.
fn flatten<'a>(element: &'a Element, all: &mut Vec<&'a Element>) {
    all.push(element);
    element.children.iter().for_each(|child| flatten(child, all));
}

struct Reader<'a> {
    file: &'a BuildFile,
    /// Elements with an id.
    named: BTreeMap<&'a str, &'a Element>,
}

impl Reader<'_> {
    fn javac(&self, element: &Element, tasks: &mut Tasks) {
        let value = |name: &str| element.attribute(name).map(|text| self.file.expand(text));
        let known = |text: &String| !text.contains("${");
        let mut sources = element.attribute("srcdir").map(|list| self.file.places(list)).unwrap_or_default();
        for src in element.all("src") {
            sources.extend(self.entries(src, 0));
        }
        sources.retain(|folder| folder.under(&self.file.root).is_dir());
        let level = value("release").or_else(|| value("source")).or_else(|| value("target")).filter(known);
        let release = level.map(|level| level.strip_prefix("1.").map_or(level.clone(), str::to_owned));
        let made = element.attribute("destdir").and_then(|folder| self.file.path(folder));
        tasks.javac.push(Javac { sources, made, release, encoding: value("encoding").filter(known) });
        self.class_path(element, tasks);
    }

    fn tests(&self, element: &Element, tasks: &mut Tasks) {
        let folders = self.class_path(element, tasks);
        tasks.test_path.extend(folders);
        let mut inside = Vec::new();
        flatten(element, &mut inside);
        for part in inside {
            let value = |name: &str| part.attribute(name).map(|text| self.file.expand(text));
            match part.name.as_str() {
                "jvmarg" => tasks.jvm_args.extend(value("value").into_iter().filter(|arg| !arg.contains("${"))),
                "sysproperty" => {
                    let property = value("key").zip(value("value").or_else(|| value("file")));
                    let property = property.map(|(key, value)| format!("-D{key}={value}"));
                    tasks.jvm_args.extend(property.filter(|arg| !arg.contains("${")));
                }
                "fileset" => {
                    tasks.test_folders.extend(part.attribute("dir").and_then(|dir| self.file.path(dir)));
                    let (include, exclude) = self.patterns(part);
                    tasks.include.extend(include);
                    tasks.exclude.extend(exclude);
                }
                _ => {}
            }
        }
    }

    /// Adds the jars of an element's class path; gives its folders.
    fn class_path(&self, element: &Element, tasks: &mut Tasks) -> Vec<RepoPath> {
        let mut entries = Vec::new();
        for name in ["classpath", "modulepath"] {
            entries.extend(self.listed(element, name, &format!("{name}ref"), 0));
            element.all(name).for_each(|path| entries.extend(self.entries(path, 0)));
        }
        let (jars, folders): (Vec<_>, Vec<_>) = entries.into_iter().partition(|path| path.as_str().ends_with(".jar"));
        for jar in jars {
            if jar.under(&self.file.root).is_file() && !tasks.jars.contains(&jar) {
                tasks.jars.push(jar);
            }
        }
        folders
    }

    /// What one attribute lists, and what another refers to.
    fn listed(&self, element: &Element, list: &str, reference: &str, depth: usize) -> Vec<RepoPath> {
        let mut found = element.attribute(list).map(|text| self.file.places(text)).unwrap_or_default();
        let named = element.attribute(reference).and_then(|id| self.named.get(id));
        if let Some(named) = named.filter(|_| depth < MAX_DEPTH) {
            found.extend(self.entries(named, depth + 1));
        }
        found
    }

    /// The places that a path-like element holds.
    fn entries(&self, element: &Element, depth: usize) -> Vec<RepoPath> {
        let mut found = self.listed(element, "path", "refid", depth);
        found.extend(element.attribute("location").and_then(|text| self.file.path(text)));
        if element.name == "fileset" || element.name == "filelist" {
            found.extend(self.files(element));
            return found;
        }
        if depth < MAX_DEPTH {
            element.children.iter().for_each(|child| found.extend(self.entries(child, depth + 1)));
        }
        found
    }

    /// The files of a set, sorted, as Ant's patterns choose them.
    fn files(&self, set: &Element) -> Vec<RepoPath> {
        let Some(folder) = set.attribute("dir").and_then(|dir| self.file.path(dir)) else { return Vec::new() };
        if set.name == "filelist" {
            let names = set.attribute("files").map(|files| self.file.expand(files)).unwrap_or_default();
            return names.split([',', ' ']).filter_map(|name| folder.join(name.trim()).ok()).collect();
        }
        let (include, exclude) = self.patterns(set);
        let (include, exclude) = (globs(&include), globs(&exclude));
        let root = folder.under(&self.file.root);
        let walk =
            ignore::WalkBuilder::new(&root).standard_filters(false).sort_by_file_path(std::cmp::Ord::cmp).build();
        let files = walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
        let inside = files.filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok());
        let inside = inside.filter_map(|path| path.strip_prefix(&root).ok().map(Utf8PathBuf::from));
        let chosen = inside.filter(|path| (include.is_empty() || include.is_match(path)) && !exclude.is_match(path));
        chosen.filter_map(|path| folder.join(path.as_str()).ok()).collect()
    }

    /// What a set includes and excludes.
    fn patterns(&self, set: &Element) -> (Vec<String>, Vec<String>) {
        let of = |list: &str, single: &str| {
            let listed = set.attribute(list).map(|text| self.file.expand(text)).unwrap_or_default();
            let single = set.all(single).filter_map(|one| Some(self.file.expand(one.attribute("name")?)));
            let all = listed.split([',', ' ']).map(str::to_owned).chain(single);
            all.filter(|pattern| !pattern.is_empty() && !pattern.contains("${")).collect()
        };
        (of("includes", "include"), of("excludes", "exclude"))
    }
}

/// Patterns as Ant reads them: a folder stands for all below it.
fn globs(patterns: &[String]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let whole = if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.clone() };
        if let Ok(glob) = GlobBuilder::new(&whole).literal_separator(true).build() {
            set.add(glob);
        }
    }
    set.build().unwrap_or_default()
}
