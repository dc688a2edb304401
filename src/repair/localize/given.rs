//! A ranking that another tool made: GZoltar, FLACOCO, or a plain table of file, line and score.

use crate::code::CodeIndex;
use crate::domain::{Location, Ranking, RepoPath, Suspect};
use std::collections::HashMap;

/// What was read of a file.
#[derive(Debug, PartialEq)]
pub struct Given {
    /// The lines that fit the code, the most suspicious first, with scores from 0 to 1.
    pub ranking: Ranking,
    /// Lines of the file that name no line of the code.
    pub unknown: usize,
}

/// Why a text is no ranking of this code.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRanking {
    /// No line has the form.
    #[error("no line of it has the form `file,line,score`")]
    NoLines,
    /// None of so many lines names one of the code.
    #[error("none of its {0} lines names a line of this code")]
    NoneFits(usize),
}

/// Reads a ranking, a line of the code each: `src/A.java,12,0.5`, `src/A.java:12;0.5`, GZoltar's
/// `org.shop$Cart#total(int):12;0.5`, FLACOCO's `org/shop/Cart,12,0.5`; `source` names where it comes from.
///
/// # Errors
/// No line of the file names a line of the code.
pub fn read(text: &str, source: &str, index: &CodeIndex) -> Result<Given, NoRanking> {
    let types = types(index);
    let mut lines: Vec<Suspect> = Vec::new();
    let mut unknown = 0;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Some((place, line, score)) = parts(line) else {
            // The head of a table, or a note.
            continue;
        };
        let found = file(&place, index, &types)
            .filter(|path| index.file(path).is_some_and(|file| !file.test && (1..=file.line_count()).contains(&line)));
        match found {
            Some(file) => lines.push(suspect(Location { file, line }, score, source, index)),
            None => unknown += 1,
        }
    }
    if lines.is_empty() {
        return Err(match unknown {
            0 => NoRanking::NoLines,
            n => NoRanking::NoneFits(n),
        });
    }
    let most = lines.iter().map(|suspect| suspect.score).fold(f64::MIN_POSITIVE, f64::max).max(1.0);
    lines.iter_mut().for_each(|suspect| suspect.score = (suspect.score / most).max(0.0));
    lines.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.location.cmp(&b.location)));
    lines.dedup_by(|a, b| a.location == b.location);
    Ok(Given { ranking: Ranking { lines, tests: Vec::new(), source: format!("given by {source}") }, unknown })
}

fn suspect(location: Location, score: f64, source: &str, index: &CodeIndex) -> Suspect {
    let method = index.method_at(&location.file, location.line).map(|method| method.qualified());
    Suspect { location, method, score, reasons: vec![format!("{score} by {source}")] }
}

/// Place, line and score; the score comes last, before it the line.
fn parts(line: &str) -> Option<(String, u32, f64)> {
    let (rest, score) = line.rsplit_once([';', ',', '\t'])?;
    let score: f64 = score.trim().trim_matches('"').parse().ok().filter(|score: &f64| score.is_finite())?;
    let (place, number) = rest.trim().trim_matches('"').rsplit_once([':', ';', ',', '\t', '#'])?;
    Some((place.trim().trim_matches('"').to_owned(), number.trim().trim_matches('"').parse().ok()?, score))
}

/// Files by the full names of their types: `org.shop.Cart.Item`.
fn types(index: &CodeIndex) -> HashMap<String, RepoPath> {
    let mut types = HashMap::new();
    for file in index.files() {
        for class in &file.types {
            let name =
                if file.package.is_empty() { class.name.clone() } else { format!("{}.{}", file.package, class.name) };
            types.entry(name).or_insert_with(|| file.path.clone());
        }
    }
    types
}

/// The file that a path means, or a class with or without a method behind it.
fn file(place: &str, index: &CodeIndex, types: &HashMap<String, RepoPath>) -> Option<RepoPath> {
    if let Ok(file) = index.resolve(place) {
        return Some(file.path.clone());
    }
    let class = place.split(['#', '(']).next()?.replace(['$', '/'], ".");
    types.get(&class).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::outline_text;
    use crate::language::Java;

    #[test]
    fn the_forms_of_other_tools_lead_to_the_same_lines() {
        let folder = tempfile::tempdir().unwrap();
        let root = camino::Utf8Path::from_path(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("src/org/shop")).unwrap();
        let code =
            "package org.shop;\nclass Cart {\n  int total() {\n    return 1;\n  }\n  class Item { int price; }\n}\n";
        std::fs::write(root.join("src/org/shop/Cart.java"), code).unwrap();
        assert!(!outline_text(&RepoPath::new("A.java").unwrap(), code, &Java).broken);
        let index = CodeIndex::build(root, &[RepoPath::new("src").unwrap()], &[], &Java);
        let read = |text: &str| read(text, "ranking.csv", &index);
        let places = |text: &str| {
            let given = read(text).unwrap();
            let lines = given.ranking.lines.iter().map(|s| (s.location.line, s.score)).collect::<Vec<_>>();
            (lines, given.unknown)
        };
        let gzoltar = "name;suspiciousness_value\norg.shop$Cart#total():4;0.5\norg.shop$Cart$Item#<init>():6;0.7\norg.other$A#b():1;1\n";
        assert_eq!(places(gzoltar), (vec![(6, 0.7), (4, 0.5)], 1));
        assert_eq!(places("org/shop/Cart,4,0.5"), (vec![(4, 0.5)], 0));
        assert_eq!(places("src/org/shop/Cart.java:4,10\nCart.java\t3\t5"), (vec![(4, 1.0), (3, 0.5)], 0));
        assert_eq!(read("Cart.java,4,0.5").unwrap().ranking.lines[0].method.as_deref(), Some("Cart.total()"));
        assert!(matches!(read("Cart.java,900,0.5"), Err(NoRanking::NoneFits(1))));
        assert!(matches!(read("hello"), Err(NoRanking::NoLines)));
    }
}
