//! What every family proposes over whole projects: the check that none was written for one program.

use super::clues::Clues;
use super::edit::normal_form;
use super::stores::IngredientCache;
use super::syntax::Unit;
use super::{Edit, Site, catalogue};
use crate::code::{CodeIndex, SourceFile};
use crate::localize::statements;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Proposals of one family at one statement that are looked at: enough to know whether it has any.
const LOOKED_AT: usize = 3;

/// What one family proposes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// Statements at which it proposes something that parses and differs.
    pub statements: usize,
    /// Classes these lie in, with their packages.
    pub classes: BTreeSet<String>,
}

/// Asks every family at every statement of the product files. `clues` stand for what failing tests would say.
pub fn census(index: &CodeIndex, clues: &Clues) -> BTreeMap<&'static str, Reach> {
    let files: Vec<_> = index.files().iter().filter(|file| !file.test).collect();
    let counted: Vec<_> = files.par_iter().map(|file| of_file(index, file, clues)).collect();
    let mut all: BTreeMap<&'static str, Reach> =
        catalogue(index.language()).iter().map(|template| (template.name(), Reach::default())).collect();
    for (name, reach) in counted.into_iter().flatten() {
        let known = all.entry(name).or_default();
        known.statements += reach.statements;
        known.classes.extend(reach.classes);
    }
    all
}

fn of_file(index: &CodeIndex, file: &SourceFile, clues: &Clues) -> BTreeMap<&'static str, Reach> {
    let mut found: BTreeMap<&'static str, Reach> = BTreeMap::new();
    let Some(unit) = Unit::new(file.path.clone(), file.text.clone(), index.language()) else { return found };
    let (templates, mut cache) = (catalogue(index.language()), IngredientCache::default());
    let mut seen = BTreeSet::new();
    for line in statements(&file.text, index.language()).into_iter().map(|statement| statement.lines.first) {
        let Some(node) = unit.statement_at(line).filter(|node| seen.insert(node.start_byte())) else { continue };
        let site = Site::new(&unit, index, node, cache.stores(&unit, index, node), clues);
        for template in &templates {
            let mut edits: Vec<Edit> = Vec::new();
            template.propose(&site, &mut edits);
            edits.sort_by(|a, b| b.weight.total_cmp(&a.weight));
            if edits.iter().take(LOOKED_AT).any(|edit| normal_form(&unit, &edit.changes).is_some()) {
                let reach = found.entry(template.name()).or_default();
                reach.statements += 1;
                reach.classes.insert(class_at(file, line));
            }
        }
    }
    found
}

/// The innermost type around a line.
fn class_at(file: &SourceFile, line: u32) -> String {
    let around = file.types.iter().filter(|kind| kind.span.contains(line)).min_by_key(|kind| kind.span.len());
    let name = around.map_or(file.path.file_name(), |kind| kind.name.as_str());
    format!("{}.{name}", file.package)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RepoPath;
    use crate::language::Java;
    use camino::Utf8Path;

    /// Classes that compare, keep and look up sequences of characters, some that compare a value with several numbers, and
    /// some that forget what they are given.
    fn texts() -> CodeIndex {
        crate::templates::testing::index_of(
            "import java.util.*;
class Same { boolean same(CharSequence a, CharSequence b) { return a.equals(b); } }
class Kept { Map<Object, Integer> kept = new HashMap<>(); void keep(StringBuilder word) { kept.put(word, 1); } }
class Found { int find(Map<CharSequence, Integer> all, CharSequence key) { return all.get(key); } }
class Depth { int depth; boolean ends() { return depth == 1; } boolean begins() { return depth == 0; } }
class Shelf { int free; boolean full() { return free < 1; } boolean empty() { return free > 9; } }
class Jar { int most, held; Jar(int most) { held = 0; } }
class Page { String head; int width; Page(int width, String head) { this.width = width; } }
class Tap { boolean open; int turns; void set(boolean open) { turns++; } }
class Marks { int count(char mark) { return mark == ';' ? 2 : mark == ',' ? 1 : 0; } }
",
        )
    }

    #[test]
    fn every_family_works_in_several_classes_of_the_fixtures() {
        let root = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let clues = Clues {
            thrown: vec!["IllegalStateException".into()],
            expected: vec!["IllegalArgumentException".into()],
            ..Clues::default()
        };
        let mut names: Vec<String> =
            root.join("bugs").read_dir_utf8().unwrap().map(|bug| bug.unwrap().file_name().to_owned()).collect();
        names.sort();
        let roots: Vec<RepoPath> =
            names.iter().map(|name| RepoPath::new(&format!("bugs/{name}/project/src")).unwrap()).collect();
        let index = CodeIndex::build(&root, &roots, &[], &Java);
        let mut found = census(&index, &clues);
        // The fixtures hold no texts but strings, compare few values with several numbers, and forget nothing.
        for (name, reach) in census(&texts(), &clues) {
            found.get_mut(name).unwrap().classes.extend(reach.classes);
        }
        assert!(found.len() > 35, "{} families", found.len());
        let few: Vec<_> =
            found.iter().filter(|(_, reach)| reach.classes.len() < 3).map(|(n, r)| (n, r.classes.len())).collect();
        assert!(few.is_empty(), "families that propose in fewer than three classes: {few:?}");
    }
}
