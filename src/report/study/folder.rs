//! Finding run directories.

use camino::{Utf8Path, Utf8PathBuf};

/// How deep below a named folder run directories are looked for.
const DEPTH: usize = 6;

/// Run directories at or below a folder: those with a journal, in order.
pub(crate) fn run_dirs(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let has_journal = |dir: &Utf8Path| crate::journal::RunDir::journal_in(dir).is_file();
    if has_journal(folder) {
        return vec![folder.to_owned()];
    }
    let mut found = Vec::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((dir, depth)) = open.pop() {
        let Ok(entries) = dir.read_dir_utf8() else { continue };
        let counts = |entry: &camino::Utf8DirEntry| {
            entry.file_type().is_ok_and(|kind| kind.is_dir()) && entry.file_name() != crate::journal::RunDir::STAGE
        };
        for entry in entries.flatten().filter(counts) {
            let path = entry.into_path();
            if has_journal(&path) {
                found.push(path);
            } else if depth < DEPTH {
                open.push((path, depth + 1));
            }
        }
    }
    found.sort();
    found
}
