//! Files of a twin: where they lie, and what the list of bugs says of them.

use super::Side;
use crate::benchmark::copy::io_error;
use crate::benchmark::{BenchmarkError, Checkout, Project, Runner};
use crate::domain::RepoPath;
use crate::language::{Language, encode};
use crate::twin::{Naming, Source, in_prose};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;

/// Files that say how a project is built: with one of them nothing need be told.
const BUILD_FILES: &[&str] = &["pom.xml", "build.gradle", "build.gradle.kts", "build.xml", "settings.gradle"];

/// Where the files of a twin lie: folders that are packages have new names, and files that are named after what they hold.
pub(super) struct Paths {
    folders: BTreeMap<String, String>,
    files: BTreeMap<String, String>,
    /// New names of data that is named after a source; Java names its resources by texts.
    stems: Naming,
}

impl Paths {
    pub(super) fn of(sources: &[Source], naming: &Naming, language: &dyn Language) -> Self {
        let mut paths = Self { folders: BTreeMap::new(), files: BTreeMap::new(), stems: Naming::default() };
        if language.name() == "python" {
            paths.stems = naming.clone();
        }
        for source in sources {
            let path = source.path.as_str();
            let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
            let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
            // In Java the last folders are the package, in Python all may be.
            let package = match language.name() {
                "java" => package_depth(&source.text, &parts),
                _ => parts.len(),
            };
            let mut new: Vec<&str> = Vec::new();
            for (nth, part) in parts.iter().enumerate() {
                let is_package = nth + package >= parts.len();
                new.push(naming.of(part).filter(|_| is_package).unwrap_or(part));
                paths.folders.entry(parts[..=nth].join("/")).or_insert_with(|| new.join("/"));
            }
            let (stem, end) = file.split_once('.').unwrap_or((file, ""));
            let file = format!("{}.{end}", naming.of(stem).unwrap_or(stem));
            new.push(&file);
            paths.files.insert(path.to_owned(), new.join("/"));
        }
        paths
    }

    /// A folder of the project in the twin.
    fn folder(&self, path: &str) -> String {
        let mut head = path;
        loop {
            if let Some(new) = self.folders.get(head) {
                return format!("{new}{}", &path[head.len()..]);
            }
            match head.rsplit_once('/') {
                Some((above, _)) => head = above,
                None => return path.to_owned(),
            }
        }
    }

    /// A file of the project in the twin; data that is named after a source is named after its twin.
    fn file(&self, path: &RepoPath) -> String {
        if let Some(new) = self.files.get(path.as_str()) {
            return new.clone();
        }
        let (folder, file) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
        let (stem, end) = file.split_once('.').unwrap_or((file, ""));
        let file = match self.stems.of(stem) {
            Some(new) if !end.is_empty() && !folder.is_empty() => format!("{new}.{end}"),
            _ => file.to_owned(),
        };
        if folder.is_empty() { file } else { format!("{}/{file}", self.folder(folder)) }
    }
}

/// How many of the last folders are the package of a file.
fn package_depth(text: &str, folders: &[&str]) -> usize {
    let line = text.lines().map(str::trim_start).find_map(|line| line.strip_prefix("package "));
    let package: Vec<&str> =
        line.map_or(Vec::new(), |line| line.split(';').next().unwrap_or_default().trim().split('.').collect());
    if folders.ends_with(&package) { package.len() } else { 0 }
}

/// Every file of a checkout, in order.
fn all(checkout: &Checkout) -> impl Iterator<Item = RepoPath> + use<'_> {
    let walk = ignore::WalkBuilder::new(&checkout.root).standard_filters(false).sort_by_file_path(Ord::cmp).build();
    let files = walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    files.filter_map(|entry| RepoPath::new(entry.path().strip_prefix(&checkout.root).ok()?.to_str()?).ok())
}

fn read(checkout: &Checkout, path: &RepoPath) -> Result<Vec<u8>, BenchmarkError> {
    let file = path.under(&checkout.root);
    fs::read(&file).map_err(|source| io_error("cannot read the file", &file, source))
}

/// The sources of product and tests.
pub(super) fn sources(
    checkout: &Checkout,
    language: &dyn Language,
) -> Result<Vec<(RepoPath, Vec<u8>)>, BenchmarkError> {
    let Project { source_roots, test_roots, .. } = &checkout.project;
    let inside = |path: &RepoPath| source_roots.iter().chain(test_roots).any(|root| path.is_within(root));
    let python = language.name() == "python";
    let wanted = all(checkout).filter(|path| language.is_source(path.as_str().into()) && (python || inside(path)));
    wanted.map(|path| read(checkout, &path).map(|bytes| (path, bytes))).collect()
}

/// Writes sources below a folder, and says where they are.
pub(super) fn write_sources(
    side: &Side,
    texts: &[String],
    paths: &Paths,
    folder: &Utf8Path,
) -> Result<Vec<Utf8PathBuf>, BenchmarkError> {
    let mut written = Vec::new();
    for ((source, encoding), text) in side.sources.iter().zip(&side.encodings).zip(texts) {
        let bytes = encode(text, *encoding).unwrap_or_else(|_| text.clone().into_bytes());
        written.push(put(&folder.join(paths.file(&source.path)), &bytes)?);
    }
    Ok(written)
}

fn put(file: &Utf8Path, bytes: &[u8]) -> Result<Utf8PathBuf, BenchmarkError> {
    let around = file.parent().unwrap_or(file);
    fs::create_dir_all(around).map_err(|source| io_error("cannot make the folder", around, source))?;
    fs::write(file, bytes).map_err(|source| io_error("cannot write the file", file, source))?;
    Ok(file.to_owned())
}

/// Writes the whole project: sources under their new names, all else as it is.
pub(super) fn write(
    checkout: &Checkout,
    (side, texts): (&Side, &[String]),
    paths: &Paths,
    folder: &Utf8Path,
) -> Result<(), BenchmarkError> {
    write_sources(side, texts, paths, folder)?;
    for path in all(checkout).filter(|path| !paths.files.contains_key(path.as_str())) {
        put(&folder.join(paths.file(&path)), &read(checkout, &path)?)?;
    }
    Ok(())
}

/// Writes what the developer's repair changes.
pub(super) fn write_changed(
    checkout: &Checkout,
    (side, texts): (&Side, &[String]),
    paths: &Paths,
    folder: &Utf8Path,
) -> Result<(), BenchmarkError> {
    let changed = |path: &RepoPath| checkout.oracle.iter().any(|oracle| oracle.files.iter().any(|(of, _)| of == path));
    for ((source, encoding), text) in side.sources.iter().zip(&side.encodings).zip(texts) {
        if changed(&source.path) {
            let bytes = encode(text, *encoding).unwrap_or_else(|_| text.clone().into_bytes());
            put(&folder.join(paths.file(&source.path)), &bytes)?;
        }
    }
    Ok(())
}

/// What the list of bugs says of a twin. How it is built is told where no build file tells it.
pub(super) fn line(checkout: &Checkout, paths: &Paths, naming: &Naming, place: &str) -> Value {
    let mut line = Map::from_iter([
        ("id".to_owned(), json!(checkout.bug.to_string())),
        ("title".to_owned(), json!(format!("the twin of {}", checkout.bug))),
        ("directory".to_owned(), json!(format!("{place}/project"))),
        ("fixed".to_owned(), json!(format!("{place}/fixed"))),
    ]);
    if let Some(text) = &checkout.requirements {
        line.insert("requirements".into(), json!(in_prose(text, naming)));
    }
    if BUILD_FILES.iter().any(|file| checkout.root.join(file).is_file()) {
        return Value::Object(line);
    }
    let project = &checkout.project;
    let folders = |roots: &[RepoPath]| roots.iter().map(|root| paths.folder(root.as_str())).collect::<Vec<_>>();
    let (sources, tests) = (folders(&project.source_roots), folders(&project.test_roots));
    if !sources.iter().chain(&tests).any(String::is_empty) {
        line.insert("sources".into(), json!(sources));
        line.insert("tests".into(), json!(tests));
        line.insert("resources".into(), json!(folders(&project.resources)));
    }
    if let Some(python) = &project.python {
        line.insert("python".into(), json!(python));
    }
    if project.runner == Runner::Jvm {
        let (inside, outside): (Vec<_>, Vec<_>) =
            project.class_path.iter().partition(|path| path.starts_with(&checkout.root));
        let inside: Vec<&Utf8Path> =
            inside.into_iter().filter_map(|path| path.strip_prefix(&checkout.root).ok()).collect();
        line.insert("class_path".into(), json!(inside));
        line.insert("jars".into(), json!(outside));
        line.insert("javac_args".into(), json!(project.javac_args));
        line.extend(project.release.iter().map(|release| ("release".to_owned(), json!(release))));
        line.insert("encoding".into(), json!(if project.encoding.is_empty() { "UTF-8" } else { &project.encoding }));
    }
    Value::Object(line)
}
