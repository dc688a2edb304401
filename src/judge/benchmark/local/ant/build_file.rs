//! A build file of Ant: its properties, and its elements in order, with those of files that it imports.

use super::{FILE, refuse};
use crate::benchmark::BenchmarkError;
use crate::benchmark::copy::io_error;
use crate::benchmark::xml::Element;
use crate::domain::RepoPath;
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeMap;
use std::fs;

/// Larger files are no build files.
const MAX_BYTES: u64 = 4 << 20;
/// Files that one imports, directly or not.
const MAX_FILES: usize = 30;
/// Properties in the value of a property in the value of a property.
const MAX_DEPTH: usize = 16;

/// A build file with all that it imports.
pub(super) struct BuildFile {
    pub(super) root: Utf8PathBuf,
    /// The folder that paths are relative to.
    base: RepoPath,
    properties: BTreeMap<String, String>,
    /// Every element but properties, in the order of the files.
    pub(super) elements: Vec<Element>,
}

impl BuildFile {
    /// Reads the build file of a project.
    ///
    /// # Errors
    /// It cannot be read or is no build file.
    pub(super) fn read(root: &Utf8Path) -> Result<Self, BenchmarkError> {
        let path = root.join(FILE);
        let text = fs::read(&path).map_err(|source| io_error("cannot read the build file", &path, source))?;
        let document = Element::parse(&String::from_utf8_lossy(&text));
        let Some(project) = document.child("project") else {
            return Err(refuse(root, "names no project"));
        };
        let base = RepoPath::default().join(project.attribute("basedir").unwrap_or(".")).unwrap_or_default();
        let mut file = Self { root: root.to_owned(), base, properties: BTreeMap::new(), elements: Vec::new() };
        let mut imported = 0;
        file.take(project, &mut imported);
        Ok(file)
    }

    /// The first value that a property is given stays, as with Ant.
    fn take(&mut self, around: &Element, imported: &mut usize) {
        for element in &around.children {
            match element.name.as_str() {
                "property" => self.set(element),
                "import" | "include" if *imported < MAX_FILES => {
                    *imported += 1;
                    let other = element.attribute("file").and_then(|file| self.path(file));
                    let text = other.and_then(|file| self.text(&file)).unwrap_or_default();
                    if let Some(project) = Element::parse(&text).child("project") {
                        self.take(project, imported);
                    }
                }
                "target" => self.take(element, imported),
                _ => self.elements.push(element.clone()),
            }
        }
    }

    fn set(&mut self, property: &Element) {
        if let Some(file) = property.attribute("file").and_then(|file| self.path(file)) {
            let text = self.text(&file).unwrap_or_default();
            let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '!']));
            for (name, value) in lines.filter_map(|line| line.split_once(['=', ':'])) {
                self.first(name.trim(), value.trim().to_owned());
            }
        }
        let Some(name) = property.attribute("name") else { return };
        if let Some(value) = property.attribute("value") {
            self.first(name, value.to_owned());
        } else if let Some(path) = property.attribute("location").and_then(|place| self.path(place)) {
            self.first(name, format!("${{basedir}}/{path}"));
        }
    }

    fn first(&mut self, name: &str, value: String) {
        self.properties.entry(name.to_owned()).or_insert(value);
    }

    fn text(&self, path: &RepoPath) -> Option<String> {
        let path = path.under(&self.root);
        let is_plain = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES);
        is_plain.then(|| fs::read(&path).ok()).flatten().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A text with the values of its properties; what is not set stays as it is.
    pub(super) fn expand(&self, text: &str) -> String {
        self.expand_to(text, MAX_DEPTH)
    }

    fn expand_to(&self, text: &str, depth: usize) -> String {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, behind)) = after.split_once('}') else { break };
            expanded.push_str(before);
            match self.properties.get(name).filter(|_| depth > 0) {
                Some(value) => expanded.push_str(&self.expand_to(value, depth - 1)),
                None => expanded.push_str(&format!("${{{name}}}")),
            }
            rest = behind;
        }
        expanded + rest
    }

    /// A place of the project; `None` outside of it, or where a property is not known.
    pub(super) fn path(&self, text: &str) -> Option<RepoPath> {
        let text = self.expand(text);
        match text.strip_prefix("${basedir}") {
            Some("") => Some(self.base.clone()),
            Some(inside) => self.base.join(inside.trim_start_matches('/')).ok(),
            None if text.contains("${") || text.starts_with('/') => None,
            None => self.base.join(&text).ok(),
        }
    }

    /// The places that a text lists, as paths of classes do.
    pub(super) fn places(&self, text: &str) -> Vec<RepoPath> {
        self.expand(text).split([':', ';', ',']).filter_map(|part| self.path(part.trim())).collect()
    }
}
