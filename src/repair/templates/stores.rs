//! Ingredients for every statement: mined from its member, its type's other members and files of its package, each
//! member once.

use super::ingredients::Ingredients;
use super::shape::Shape;
use super::syntax::Unit;
use crate::code::{CodeIndex, SourceFile};
use crate::domain::RepoPath;
use crate::language::{self, preorder};
use std::collections::HashMap;
use std::sync::Arc;
use tree_sitter::Node;

/// Other members of the file whose code is mined for one statement.
const NEAR_MEMBERS: usize = 8;
/// Files of the package that are mined for one file: what it extends first, then what its name resembles most.
const FAR_FILES: usize = 3;
/// Members mined in each of them.
const FAR_MEMBERS: usize = 12;
/// Larger files of the package are not mined: parsing them costs more than they give.
const FAR_BYTES: usize = 60_000;

/// Ingredients for one statement.
#[derive(Default, Clone)]
pub(crate) struct Stores {
    /// From the member the statement lies in.
    pub own: Arc<Ingredients>,
    /// From other members, the nearest first.
    pub near: Vec<Arc<Ingredients>>,
    /// From other files of the package.
    pub far: Arc<Vec<Arc<Ingredients>>>,
}

/// What was mined so far.
#[derive(Default)]
pub(super) struct IngredientCache {
    members: HashMap<(RepoPath, usize), Arc<Ingredients>>,
    far: HashMap<RepoPath, Arc<Vec<Arc<Ingredients>>>>,
}

impl IngredientCache {
    /// Ingredients for a statement.
    pub(super) fn stores(&mut self, unit: &Unit, index: &CodeIndex, statement: Node<'_>) -> Stores {
        let own = (unit.rules.member)(statement).map(|member| self.member(unit, index, member)).unwrap_or_default();
        let near = neighbours(unit, statement).into_iter().map(|member| self.member(unit, index, member)).collect();
        let far = self.far.entry(unit.path.clone()).or_insert_with(|| Arc::new(mined(unit, index))).clone();
        Stores { own, near, far }
    }

    fn member(&mut self, unit: &Unit, index: &CodeIndex, member: Node<'_>) -> Arc<Ingredients> {
        let key = (unit.path.clone(), member.start_byte());
        self.members.entry(key).or_insert_with(|| Arc::new(Ingredients::of(unit, index, member))).clone()
    }
}

/// The members of the same type that are nearest to the statement's.
fn neighbours<'u>(unit: &'u Unit, statement: Node<'u>) -> Vec<Node<'u>> {
    let Some(member) = (unit.rules.member)(statement) else { return Vec::new() };
    let Some(body) = member.parent() else { return Vec::new() };
    debug_assert!(body.end_byte() <= unit.text.len());
    let mut others: Vec<Node<'u>> = language::children(body)
        .into_iter()
        .filter(|other| *other != member && other.is_named() && !other.is_extra())
        .collect();
    others.sort_by_key(|other| other.start_byte().abs_diff(member.start_byte()));
    others.truncate(NEAR_MEMBERS);
    others
}

/// Members with code of the files that are related to one.
fn mined(unit: &Unit, index: &CodeIndex) -> Vec<Arc<Ingredients>> {
    let mut mined = Vec::new();
    for file in related(unit, index) {
        let Some(other) = Unit::new(file.path.clone(), file.text.clone(), index.language()) else { continue };
        let mut members = Vec::new();
        preorder(other.root(), |node| {
            let member = matches!(node.shape(), "method_declaration" | "constructor_declaration");
            if member && members.len() < FAR_MEMBERS {
                members.push(node);
            }
            !member
        });
        mined.extend(members.into_iter().map(|member| Arc::new(Ingredients::of(&other, index, member))));
    }
    mined
}

/// Product files of the package: those the file's types descend from, then those of the most similar name.
fn related<'i>(unit: &Unit, index: &'i CodeIndex) -> Vec<&'i SourceFile> {
    let Some(file) = index.file(&unit.path) else { return Vec::new() };
    let mut ancestors: Vec<&str> = Vec::new();
    let mut open: Vec<&SourceFile> = vec![file];
    while let Some(next) = open.pop() {
        for above in next.types.iter().flat_map(|kind| &kind.supertypes) {
            if ancestors.len() < FAR_FILES && !ancestors.contains(&above.as_str()) {
                ancestors.push(above);
                open.extend(index.class(above).map(|(file, _)| &**file));
            }
        }
    }
    let own = file.path.stem();
    let same_package = |other: &&SourceFile| other.package == file.package && other.path != file.path;
    let small = |other: &&SourceFile| !other.test && other.text.len() <= FAR_BYTES;
    let mut scored: Vec<(f64, &SourceFile)> = index
        .files()
        .iter()
        .map(|other| &**other)
        .filter(same_package)
        .filter(small)
        .map(|other| {
            let descends = if ancestors.contains(&other.path.stem()) { 1.0 } else { 0.0 };
            (descends + strsim::jaro_winkler(own, other.path.stem()), other)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
    scored.into_iter().take(FAR_FILES).map(|(_, file)| file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Java;
    use camino::Utf8Path;

    #[test]
    fn what_a_class_extends_is_mined_first() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        for (name, text) in [
            ("Circle", "class Circle extends Shape { int area(int r) { return round(r); } }"),
            ("Shape", "class Shape { int round(int n) { return Math.abs(n); } }"),
            ("Zebra", "class Zebra { int legs() { return Math.max(4, 2); } }"),
        ] {
            std::fs::create_dir_all(root.join("src")).unwrap();
            std::fs::write(root.join(format!("src/{name}.java")), text).unwrap();
        }
        let index = CodeIndex::build(root, &["src".parse().unwrap()], &[], &Java);
        let file = index.files().iter().find(|file| file.path.as_str().ends_with("Circle.java")).unwrap();
        let unit = Unit::new(file.path.clone(), file.text.clone(), &Java).unwrap();
        let files: Vec<_> = related(&unit, &index).iter().map(|file| file.path.file_name().to_owned()).collect();
        assert_eq!(files, ["Shape.java", "Zebra.java"]);
        let stores = IngredientCache::default().stores(&unit, &index, unit.statement_at(1).unwrap());
        let texts: Vec<&str> =
            stores.far.iter().flat_map(|ingredients| &ingredients.expressions).map(|i| i.text.as_str()).collect();
        assert!(texts.contains(&"Math.abs(n)"), "{texts:?}");
    }
}
