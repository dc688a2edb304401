//! How early the engine has what developers wrote: of their repairs, the place of the repaired text among the candidates for
//! the statements that they changed.
//!
//! A folder holds one folder for each repair, with `before` and `after` of one file: `first/before.py`, `first/after.py`.

use super::inverse::{is_original, suspects};
use camino::Utf8Path;
use rayon::prelude::*;
use similar::{DiffTag, TextDiff};
use std::collections::BTreeMap;
use std::fs;
use unidebug::code::CodeIndex;
use unidebug::domain::RepoPath;
use unidebug::language::Language;
use unidebug::templates::{Engine, Options};

/// Candidates looked at.
const CANDIDATES: usize = 200;

/// Prints how many repairs are among the first candidates, the families that had them, and a line for each with `all`.
pub fn print(folder: &Utf8Path, language: &'static dyn Language, all: bool) {
    let mut names: Vec<String> =
        folder.read_dir_utf8().unwrap().map(|entry| entry.unwrap().file_name().to_owned()).collect();
    names.sort();
    let of = |name: &String| {
        let file = |word: &str| fs::read_to_string(folder.join(name).join(format!("{word}.{}", language.extension())));
        let (Ok(before), Ok(after)) = (file("before"), file("after")) else { return None };
        Some((name.clone(), rank(&before, &after, language)))
    };
    let (mut ranks, mut families) = (Vec::new(), BTreeMap::<&str, usize>::new());
    for (name, found) in names.par_iter().filter_map(of).collect::<Vec<_>>() {
        if all {
            println!("{name} {}", found.map_or("-".into(), |(rank, family)| format!("{rank} {family}")));
        }
        if let Some((_, family)) = found {
            *families.entry(family).or_default() += 1;
        }
        ranks.push(found.map(|(rank, _)| rank));
    }
    for (family, count) in &families {
        println!("{family:<24} {count:>5}");
    }
    let within = |most: usize| ranks.iter().flatten().filter(|rank| **rank < most).count();
    let [first, ten, fifty, found] = [1, 10, 50, CANDIDATES].map(within);
    println!("{} repairs: {first} first, {ten} in 10, {fifty} in 50, {found} in {CANDIDATES}", ranks.len());
}

/// The place of the repaired text among the candidates for the changed statements, with its family.
fn rank(before: &str, after: &str, language: &'static dyn Language) -> Option<(usize, &'static str)> {
    let folder = tempfile::tempdir().ok()?;
    let root = Utf8Path::from_path(folder.path())?;
    fs::create_dir(root.join("src")).ok()?;
    fs::write(root.join(format!("src/A.{}", language.extension())), before).ok()?;
    let index = CodeIndex::build(root, &[RepoPath::new("src").ok()?], &[], language);
    let ranking = suspects(&index, changed(before, after))?;
    let found = Engine::new(&index, &ranking, Options::default()).next_batch(CANDIDATES);
    let at = found.iter().position(|candidate| is_original(candidate, after, language))?;
    Some((at, found[at].template))
}

/// Lines of the old text that were changed; beside a pure insertion, the lines around it.
fn changed(before: &str, after: &str) -> Vec<usize> {
    let diff = TextDiff::from_lines(before, after);
    let mut lines = Vec::new();
    for op in diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal) {
        let old = op.old_range();
        lines.extend(if old.is_empty() { old.start..old.start + 2 } else { old.start + 1..old.end + 1 });
    }
    lines
}
