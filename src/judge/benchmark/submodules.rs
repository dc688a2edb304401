//! Submodules of git: folders whose files another repository holds.

use crate::domain::RepoPath;
use camino::Utf8Path;

/// Folders of submodules that hold nothing here: nobody fetched them.
pub fn absent_submodules(root: &Utf8Path) -> Vec<RepoPath> {
    let text = std::fs::read_to_string(root.join(".gitmodules")).unwrap_or_default();
    let is_empty = |path: &RepoPath| {
        let folder = path.under(root);
        folder.read_dir_utf8().map_or_else(|_| !folder.exists(), |mut entries| entries.next().is_none())
    };
    let paths = text.lines().filter_map(|line| line.trim().strip_prefix("path")?.trim_start().strip_prefix('='));
    paths.filter_map(|path| RepoPath::new(path.trim()).ok()).filter(is_empty).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_a_submodule_without_files_is_absent() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let named = |path: &str| format!("[submodule \"{path}\"]\n\tpath = {path}\n\turl = https://example.org/x\n");
        let all: String = ["tests/cases", "fetched", "gone", "../other"].map(named).concat();
        std::fs::write(root.join(".gitmodules"), all).unwrap();
        for path in ["tests/cases", "fetched/src"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        assert_eq!(absent_submodules(root), ["tests/cases", "gone"].map(|path| RepoPath::new(path).unwrap()));
    }
}
