//! What a template proposes for a text, for the tests of the families.

use super::clues::Clues;
use super::edit::{applied, normal_form};
use super::stores::IngredientCache;
use super::{Candidate, Edit, Site, Template};
use crate::code::CodeIndex;
use crate::domain::{Location, Ranking, RepoPath, Suspect};
use crate::language::{Java, Language, Python};
use crate::templates::syntax::Unit;
use camino::Utf8Path;
use similar::{ChangeTag, TextDiff};
use std::fs;

/// An index of one file `A.java` with that text.
pub(crate) fn index_of(source: &str) -> CodeIndex {
    index_in(source, &Java)
}

pub(crate) fn index_in(source: &str, language: &'static dyn Language) -> CodeIndex {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    fs::create_dir(root.join("src")).unwrap();
    fs::write(root.join(format!("src/A.{}", language.extension())), source).unwrap();
    CodeIndex::build(root, &[RepoPath::new("src").unwrap()], &[], language)
}

/// Whole texts that a template proposes for the statement on a line, the heaviest first. Every one of them parses.
pub(crate) fn whole_proposals(template: &dyn Template, source: &str, line: u32) -> Vec<String> {
    whole_proposals_for(template, source, line, &Clues::default())
}

/// The same when the failing tests say this about exceptions.
pub(crate) fn whole_proposals_for(template: &dyn Template, source: &str, line: u32, clues: &Clues) -> Vec<String> {
    proposed(&index_of(source), template, source, line, clues)
}

/// Whole texts that a template proposes for a statement in Python.
pub(crate) fn whole_proposals_in_python(template: &dyn Template, source: &str, line: u32) -> Vec<String> {
    whole_proposals_in_python_for(template, source, line, &Clues::default())
}

/// The same when the failing tests say this.
pub(crate) fn whole_proposals_in_python_for(
    template: &dyn Template,
    source: &str,
    line: u32,
    clues: &Clues,
) -> Vec<String> {
    proposed(&index_in(source, &Python), template, source, line, clues)
}

fn proposed(index: &CodeIndex, template: &dyn Template, source: &str, line: u32, clues: &Clues) -> Vec<String> {
    let file = &index.files()[0];
    let unit = Unit::new(file.path.clone(), file.text.clone(), index.language()).unwrap();
    let statement = unit.statement_at(line).unwrap_or_else(|| panic!("no statement on line {line}"));
    let stores = IngredientCache::default().stores(&unit, index, statement);
    let site = Site::new(&unit, index, statement, stores, clues);
    let mut edits: Vec<Edit> = Vec::new();
    template.propose(&site, &mut edits);
    edits.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    for edit in &edits {
        assert!((0.0..=1.0).contains(&edit.weight), "{} weighs {}", edit.note, edit.weight);
        assert!(!edit.note.is_empty());
    }
    let parse = |edit: &&Edit| normal_form(&unit, &edit.changes).is_some();
    edits.iter().filter(parse).filter_map(|edit| applied(source, 0..source.len(), &edit.changes)).collect()
}

/// The first line that each proposal changes or adds, without indentation; empty when it only deletes.
pub(crate) fn proposals(template: &dyn Template, source: &str, line: u32) -> Vec<String> {
    let changed = |text: &String| {
        let diff = TextDiff::from_lines(source, text.as_str());
        let added = diff.iter_all_changes().find(|change| change.tag() == ChangeTag::Insert);
        added.map_or(String::new(), |change| change.value().trim().to_owned())
    };
    whole_proposals(template, source, line).iter().map(changed).collect()
}

/// A ranking of lines of `src/A.java`, equally suspicious.
pub(crate) fn ranking_of(lines: &[u32]) -> Ranking {
    let file = RepoPath::new("src/A.java").unwrap();
    let suspect = |line: &u32| Suspect {
        location: Location { file: file.clone(), line: *line },
        method: None,
        score: 1.0,
        reasons: Vec::new(),
    };
    Ranking { lines: lines.iter().map(suspect).collect(), tests: Vec::new(), source: "given".into() }
}

/// The text a candidate leaves behind.
pub(crate) fn text_after(candidate: &Candidate) -> String {
    String::from_utf8(candidate.patch.files[0].after.to_vec()).unwrap()
}
