//! Twins of programs: the same behaviour under other names, in another order, in other words.
//!
//! A program that a model may have seen is told from one that it cannot have seen: identifiers that the project declares
//! get other names, loops and conditions are written in an equivalent form, methods stand in another order. Nothing here
//! is proof of equivalence: who makes a twin lets its tests judge.

mod edit;
mod java;
mod order;
mod prose;
mod python;
mod rewrite;
mod words;

pub use java::{Java, Placed};
pub use order::reordered;
pub use prose::in_prose;
pub use python::Python;
pub use rewrite::rewritten;

use crate::domain::RepoPath;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// A source file of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where it lies.
    pub path: RepoPath,
    /// What the file holds, decoded.
    pub text: String,
}

/// What a declared name names; where a name is declared several times, the first of these counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// A class, interface, enumeration or record.
    Type,
    /// A method or function.
    Call,
    /// A package or module.
    Module,
    /// A field, variable, parameter or constant.
    Value,
}

/// How much is renamed. With each step fewer twins can differ from their originals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Caution {
    /// All but what is seen to be somebody else's.
    Little,
    /// Names that also stand in texts, or that a library has for its own, stay.
    Much,
}

/// Names that a project declares.
#[derive(Debug, Clone, Default)]
pub struct Declared {
    /// What each name stands for.
    pub names: BTreeMap<String, Role>,
    /// Of these those that stay, with the reason.
    pub kept: BTreeMap<String, &'static str>,
}

impl Declared {
    fn add(&mut self, name: &str, role: Role) {
        if !name.is_empty() {
            let known = self.names.entry(name.to_owned()).or_insert(role);
            *known = role.min(*known);
        }
    }

    /// Keeps a name; the first reason counts.
    pub fn keep(&mut self, name: &str, why: &'static str) {
        self.kept.entry(name.to_owned()).or_insert(why);
    }

    /// Those of the declared names that stay, with the reason.
    pub fn kept_names(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.kept.iter().filter(|(name, _)| self.names.contains_key(*name)).map(|(name, why)| (name.as_str(), *why))
    }
}

/// The new names of a twin.
#[derive(Debug, Clone, Default)]
pub struct Naming {
    new: BTreeMap<String, String>,
}

impl Naming {
    /// Draws a new name for every declared name that does not stay; none of them is `taken`.
    pub fn draw(declared: &Declared, taken: &BTreeSet<String>, snake: bool, seed: u64) -> Self {
        let mut used = taken.clone();
        let mut new = BTreeMap::new();
        for (name, role) in declared.names.iter().filter(|(name, _)| !declared.kept.contains_key(*name)) {
            let fresh = words::fresh(name, *role, snake, seed, &used);
            used.insert(fresh.clone());
            new.insert(name.clone(), fresh);
        }
        Self { new }
    }

    /// The new name, where there is one.
    pub fn of(&self, name: &str) -> Option<&str> {
        self.new.get(name).map(String::as_str)
    }

    /// The name whose new name this is.
    pub fn original(&self, new: &str) -> Option<&str> {
        self.new.iter().find(|(_, known)| *known == new).map(|(name, _)| name.as_str())
    }

    /// Old and new names.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.new.iter().map(|(name, new)| (name.as_str(), new.as_str()))
    }

    /// How many names are new.
    pub fn len(&self) -> usize {
        self.new.len()
    }

    /// Whether no name is new.
    pub fn is_empty(&self) -> bool {
        self.new.is_empty()
    }

    /// A path or another text of names with signs between them, each part under its new name.
    pub fn each(&self, text: &str) -> String {
        prose::each_word(text, |word, _, _| self.of(word).map(str::to_owned))
    }
}

/// All words of some texts: what a new name must not be.
pub fn words_of(sources: &[Source]) -> BTreeSet<String> {
    let words = |source: &Source| {
        let parts = source.text.split(|c: char| !c.is_alphanumeric() && c != '_');
        parts.filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    sources.iter().flat_map(words).collect()
}

/// A number that depends on the seed and the texts alone.
fn drawn(seed: u64, texts: &[&str]) -> u64 {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hash.finalize().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests;
