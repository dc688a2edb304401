//! The product's files by folder, those near the bug first: in a large project the list is cut.

use crate::domain::RepoPath;
use crate::tools::Workbench;
use std::collections::BTreeMap;

/// Files named on one line.
const A_LINE: usize = 8;

/// Every file of the product with its lines: the bug-located file's folder, those of the ranking, then the others.
pub(super) fn product(bench: &Workbench) -> String {
    let mut folders: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in bench.index.files().iter().filter(|file| !file.test) {
        let (folder, name) = split(&file.path);
        folders.entry(folder).or_default().push(format!("{name} ({})", file.line_count()));
    }
    let near: Vec<&str> = bench.bug.located.iter().chain(bench.ranking.files()).map(|path| split(path).0).collect();
    let mut order: Vec<&str> = folders.keys().copied().collect();
    order.sort_by_key(|folder| near.iter().position(|known| known == folder).unwrap_or(near.len()));
    let mut text = String::new();
    for folder in order {
        for files in folders[folder].chunks(A_LINE) {
            text.push_str(&format!("{folder}/: {}\n", files.join(", ")));
        }
    }
    text
}

fn split(path: &RepoPath) -> (&str, &str) {
    path.as_str().rsplit_once('/').unwrap_or((".", path.as_str()))
}
