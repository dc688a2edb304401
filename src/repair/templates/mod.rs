//! The built-in engine: fix templates as typed tree edits, and the order in which their candidates are tried.
//!
//! A [`Template`] looks at one suspicious statement (a [`Site`]) and proposes [`Edit`]s. The [`Engine`] asks every
//! template at every suspicious statement, orders the proposals by suspiciousness × prior × weight, drops what does not
//! parse or was tried before, and learns from the judge which lines and templates move the failure. [`search()`] drives
//! it with a validator. Adding a template costs its file and one line in the list of its language.

mod census;
mod clues;
mod edit;
mod engine;
pub mod family;
mod infer;
mod ingredients;
mod java;
mod learn;
mod library;
mod names;
mod plan;
mod python;
pub mod rules;
pub mod scope;
mod search;
pub mod shape;
mod site;
mod stores;
pub mod syntax;
#[cfg(test)]
pub(crate) mod testing;
mod texts;
pub mod types;

pub use census::{Reach, census};
pub use clues::Clues;
pub use edit::{Change, Edit};
pub use engine::Engine;
pub use plan::{Candidate, Options};
pub use search::{Budget, Judged, MOST_CONFIRMED, SearchResult, catch_up, search, search_beside};
pub use site::Site;

use crate::language::Language;

/// How often a family holds the right repair, relative to the others: `0.0..=1.0`.
pub type Prior = f64;

/// A family of repairs.
pub trait Template: Send + Sync {
    /// Its name in reports and journals.
    fn name(&self) -> &'static str;

    /// How often it holds the right repair, before anything is known of the bug.
    fn prior(&self) -> Prior;

    /// Adds what it would change at a statement; order and duplicates do not matter.
    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>);
}

/// All families for a language; none for one that no family is written for.
pub(crate) fn catalogue(language: &dyn Language) -> Vec<Box<dyn Template>> {
    rules::rules(language).map_or_else(Vec::new, |rules| (rules.families)())
}
