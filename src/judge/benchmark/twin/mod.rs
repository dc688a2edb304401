//! Writes the twin of a bug: its project and the developer's repair under other names, in another order and in other
//! words, as a bug that `jsonl` reads.
//!
//! Whether the tests of a twin end as those of its original, and whether the repair still repairs, is the judge's to say.

mod compile;
mod files;
mod libraries;

use super::local::kind::language_of;
use super::{BenchmarkError, Checkout, Runner};
use crate::domain::{RepoPath, TestId};
use crate::language::{Encoding, Language, decode, is_test};
use crate::sandbox::Sandbox;
use crate::twin::{Caution, Declared, Naming, Source, reordered, rewritten};
use camino::Utf8Path;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The benchmark of twins, whose bugs are named after their originals: `twin:fixtures:ring-buffer`.
pub const NAME: &str = "twin";
/// The file that lists them.
pub const FILE: &str = "bugs.jsonl";

/// How a twin is made.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    /// What names, forms and orders are drawn by.
    pub seed: u64,
    /// How much is renamed.
    pub caution: Caution,
    /// Whether it is written in other words and another order, too.
    pub rewrites: bool,
}

/// What was made of a bug.
#[derive(Debug, Clone)]
pub struct Twin {
    /// Its line in the list of bugs.
    pub line: Value,
    /// The new names.
    pub naming: Naming,
    /// Names that the project declares.
    pub declared: usize,
    /// Those that stayed, with the reason.
    pub kept: BTreeMap<String, &'static str>,
    /// Places that were written in other words.
    pub rewritten: usize,
    /// Files whose methods stand in another order.
    pub reordered: usize,
}

impl Twin {
    /// A test of the original under the name that it has in the twin.
    pub fn test(&self, id: &TestId) -> TestId {
        let bare = id.bare_method();
        let invocation = self.of_arguments(&id.method[bare.len()..]);
        TestId::new(self.naming.each(&id.class), format!("{}{invocation}", self.naming.each(bare)))
    }

    /// The suffix of an invocation, in which pytest numbers arguments: `[input_data0-17]`.
    fn of_arguments(&self, suffix: &str) -> String {
        let parts = suffix.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_');
        let part = |part: &str| {
            let word = part.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
            let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
            match self.naming.of(name).filter(|_| name != word) {
                Some(new) => format!("{new}{}", &part[name.len()..]),
                None => part.to_owned(),
            }
        };
        parts.map(part).collect()
    }
}

/// One side of a bug: the project as it is, or as it was repaired.
#[derive(Debug, Clone, Default)]
struct Side {
    sources: Vec<Source>,
    encodings: Vec<Encoding>,
}

/// Makes the twin of a bug in `folder`, which is empty and lies in the folder of the list, under `place`.
///
/// # Errors
/// The bug has no repair, is in a language or of a kind of which no twins are made, or its twin does not compile.
pub async fn make(
    checkout: &Checkout,
    manner: Manner,
    (folder, place): (&Utf8Path, &str),
    sandbox: &Sandbox,
) -> Result<Twin, BenchmarkError> {
    let language = language_of(&checkout.project, &checkout.root);
    possible(checkout, language)?;
    let (mut buggy, mut fixed) = sides(checkout, language)?;
    let mut counts = (0, 0);
    if manner.rewrites {
        counts = other_words(checkout, language, (&mut buggy, &mut fixed), manner.seed);
    }
    let project = (folder.join("project"), folder.join("fixed"));
    let made = match language.name() {
        "java" => compile::renamed(checkout, (&buggy, &fixed), manner, (&project.0, &project.1), sandbox).await?,
        _ => libraries::renamed(checkout, (&buggy, &fixed), manner, sandbox).await?,
    };
    let Renamed { naming, declared, buggy: new, fixed: repaired } = made;
    let paths = files::Paths::of(&buggy.sources, &naming, language);
    files::write(checkout, (&buggy, &new), &paths, &project.0)?;
    files::write_changed(checkout, (&fixed, &repaired), &paths, &project.1)?;
    let changed = naming.len();
    let kept: BTreeMap<String, &'static str> =
        declared.kept_names().map(|(name, why)| (name.to_owned(), why)).collect();
    Ok(Twin {
        line: files::line(checkout, &paths, &naming, place),
        naming,
        declared: changed + kept.len(),
        kept,
        rewritten: counts.0,
        reordered: counts.1,
    })
}

/// Both sides under new names.
struct Renamed {
    naming: Naming,
    declared: Declared,
    buggy: Vec<String>,
    fixed: Vec<String>,
}

fn possible(checkout: &Checkout, language: &dyn Language) -> Result<(), BenchmarkError> {
    let refuse = |what: String| BenchmarkError::Setup {
        what,
        hint: "twins are made of bugs in Java and Python whose tests run in the JVM, pytest or unittest".into(),
    };
    if !["java", "python"].contains(&language.name()) {
        return Err(refuse(format!("no twins are made of programs in {}", language.title())));
    }
    if matches!(checkout.project.runner, Runner::Command { .. } | Runner::Cases { .. }) {
        return Err(refuse("no twins are made of programs that a command of their own tests".into()));
    }
    if checkout.oracle.as_ref().is_none_or(|oracle| oracle.files.is_empty()) {
        return Err(refuse("it comes without a developer's repair, which a twin must carry, too".into()));
    }
    Ok(())
}

/// The sources of the project, and the same as they were repaired.
fn sides(checkout: &Checkout, language: &dyn Language) -> Result<(Side, Side), BenchmarkError> {
    let repaired: BTreeMap<&RepoPath, &Vec<u8>> =
        checkout.oracle.iter().flat_map(|oracle| &oracle.files).map(|(path, bytes)| (path, bytes)).collect();
    let (mut buggy, mut fixed) = (Side::default(), Side::default());
    let mut seen = BTreeSet::new();
    for (path, bytes) in files::sources(checkout, language)? {
        let after = repaired.get(&path).map_or(bytes.as_slice(), |bytes| bytes.as_slice());
        fixed.add(&path, after);
        buggy.add(&path, &bytes);
        seen.insert(path);
    }
    for (path, bytes) in repaired.into_iter().filter(|(path, _)| !seen.contains(*path)) {
        fixed.add(path, bytes);
    }
    Ok((buggy, fixed))
}

impl Side {
    fn add(&mut self, path: &RepoPath, bytes: &[u8]) {
        let (text, encoding) = decode(bytes);
        self.sources.push(Source { path: path.clone(), text });
        self.encodings.push(encoding);
    }
}

/// Writes the product of both sides in other words and another order, and counts places and files.
fn other_words(
    checkout: &Checkout,
    language: &dyn Language,
    (buggy, fixed): (&mut Side, &mut Side),
    seed: u64,
) -> (usize, usize) {
    let project = &checkout.project;
    let (mut places, mut files) = (0, 0);
    for (source, repaired) in buggy.sources.iter_mut().zip(&mut fixed.sources) {
        if is_test(&source.path, &project.source_roots, &project.test_roots, language) {
            continue;
        }
        let (one, other, count) = rewritten(&source.text, &repaired.text, language, seed);
        source.text = reordered(&one, language, seed);
        repaired.text = reordered(&other, language, seed);
        places += count;
        files += usize::from(source.text != one);
    }
    (places, files)
}
