//! Which class of a project refers to which, read from the class files: what a change can reach.

use super::class_file::{ClassFacts, facts};
use crate::domain::outer_class;
use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The classes of a project, by their names with slashes.
#[derive(Debug, Default)]
pub(in crate::validate) struct References {
    classes: BTreeMap<String, ClassFacts>,
    /// By a class, those that refer to it.
    users: BTreeMap<String, BTreeSet<String>>,
}

impl References {
    /// Reads all class files below these folders; of two with one name the first counts.
    pub(in crate::validate) fn read(folders: &[Utf8PathBuf]) -> Self {
        let mut files: Vec<Utf8PathBuf> = Vec::new();
        for folder in folders {
            let walk = ignore::WalkBuilder::new(folder).standard_filters(false).sort_by_file_path(Ord::cmp).build();
            let paths = walk.flatten().filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok());
            files.extend(paths.filter(|path| path.extension() == Some("class")));
        }
        let read = |path: &Utf8PathBuf| facts(&std::fs::read(path).ok()?);
        Self::of(files.par_iter().filter_map(read).collect())
    }

    fn of(all: Vec<ClassFacts>) -> Self {
        let mut classes: BTreeMap<String, ClassFacts> = BTreeMap::new();
        for facts in all {
            classes.entry(facts.name.clone()).or_insert(facts);
        }
        let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for facts in classes.values_mut() {
            // What lies in libraries never changes.
            for name in &facts.refers_to {
                users.entry(name.clone()).or_default().insert(facts.name.clone());
            }
        }
        users.retain(|name, _| classes.contains_key(name));
        for facts in classes.values_mut() {
            facts.refers_to = BTreeSet::new();
        }
        Self { classes, users }
    }

    /// Facts of a class.
    pub(in crate::validate) fn class(&self, name: &str) -> Option<&ClassFacts> {
        self.classes.get(name)
    }

    /// Classes that were made of a source file, given as `a/b/File.java`.
    pub(in crate::validate) fn made_of(&self, source: &str) -> BTreeSet<&str> {
        let (package, file) = source.rsplit_once('/').unwrap_or(("", source));
        let inside = |name: &str| name.rsplit_once('/').map_or("", |(package, _)| package) == package;
        let made = self.classes.values().filter(|facts| facts.source.as_deref() == Some(file) && inside(&facts.name));
        made.map(|facts| facts.name.as_str()).collect()
    }

    /// Source files, as `a/b/File.java`, of the classes that refer to one of these.
    pub(in crate::validate) fn users_of(&self, names: &BTreeSet<String>) -> BTreeSet<String> {
        let users = names.iter().filter_map(|name| self.users.get(name)).flatten();
        users.filter_map(|user| self.source_of(user)).collect()
    }

    fn source_of(&self, name: &str) -> Option<String> {
        self.classes.get(name)?.source_path()
    }

    /// Steps from classes to each class that refers to them, over others; a class and those nested in it are one.
    pub(in crate::validate) fn distances(&self, changed: &BTreeSet<String>) -> BTreeMap<String, u32> {
        let mut by_outer: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (name, users) in &self.users {
            let own = outer_class(name);
            by_outer.entry(own).or_default().extend(users.iter().map(|user| outer_class(user)));
        }
        let mut steps: BTreeMap<String, u32> = BTreeMap::new();
        let mut open: VecDeque<(&str, u32)> = changed.iter().map(|name| (outer_class(name), 0)).collect();
        while let Some((name, distance)) = open.pop_front() {
            let key = name.replace('/', ".");
            if steps.contains_key(&key) {
                continue;
            }
            steps.insert(key, distance);
            open.extend(by_outer.get(name).into_iter().flatten().map(|user| (*user, distance + 1)));
        }
        steps
    }
}

/// Source files below these folders that mention one of these words, as `a/b/File.java`.
pub(in crate::validate) fn mentioning(
    words: &BTreeSet<String>,
    root: &Utf8Path,
    folders: &[crate::domain::RepoPath],
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for folder in folders {
        let base = folder.under(root);
        for file in super::java_files(root, std::slice::from_ref(folder), &[]) {
            let text = std::fs::read(&file).unwrap_or_default();
            let holds = |word: &String| memchr::memmem::find(&text, word.as_bytes()).is_some();
            if words.iter().any(holds)
                && let Ok(inside) = file.strip_prefix(&base)
            {
                found.insert(inside.to_string());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, source: &str, refers_to: &[&str]) -> ClassFacts {
        let refers_to = refers_to.iter().map(|name| (*name).to_owned()).collect();
        ClassFacts { name: name.into(), source: Some(source.into()), refers_to, ..ClassFacts::default() }
    }

    fn shop() -> References {
        References::of(vec![
            class("a/Money", "Money.java", &["java/lang/String"]),
            class("a/Cart", "Cart.java", &["a/Cart$Line"]),
            class("a/Cart$Line", "Cart.java", &["a/Money"]),
            class("a/CartTest", "CartTest.java", &["a/Cart"]),
            class("a/OtherTest", "OtherTest.java", &[]),
        ])
    }

    #[test]
    fn users_are_found_by_their_sources() {
        let shop = shop();
        assert_eq!(shop.users_of(&["a/Money".to_owned()].into()), BTreeSet::from(["a/Cart.java".to_owned()]));
        assert_eq!(shop.made_of("a/Cart.java"), BTreeSet::from(["a/Cart", "a/Cart$Line"]));
    }

    #[test]
    fn tests_are_ordered_by_how_far_they_are_from_the_change() {
        let steps = shop().distances(&["a/Money".to_owned()].into());
        assert_eq!((steps["a.Money"], steps["a.Cart"], steps["a.CartTest"]), (0, 1, 2));
        assert!(!steps.contains_key("a.OtherTest"));
    }
}
