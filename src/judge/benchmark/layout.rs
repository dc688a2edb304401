//! Where a project without a build file keeps its sources, found by looking.

use super::Project;
use crate::domain::RepoPath;
use camino::Utf8Path;

/// Folders of a conventional layout: product sources, tests, files for the class path.
struct Layout {
    name: &'static str,
    sources: &'static str,
    tests: &'static str,
    resources: &'static [&'static str],
}

/// Known layouts, the more special first: `src` alone would also match Maven's.
const LAYOUTS: &[Layout] = &[
    Layout {
        name: "src/main/java + src/test/java",
        sources: "src/main/java",
        tests: "src/test/java",
        resources: &["src/main/resources", "src/test/resources"],
    },
    Layout { name: "src/main + src/test", sources: "src/main", tests: "src/test", resources: &[] },
    Layout { name: "src + test", sources: "src", tests: "test", resources: &["resources", "test-resources"] },
    Layout { name: "src + tests", sources: "src", tests: "tests", resources: &["resources", "test-resources"] },
];

/// The project below `root` when its folders follow a known layout, with the layout's name.
pub(super) fn plain(root: &Utf8Path) -> Option<(Project, &'static str)> {
    let path = |text: &str| RepoPath::new(text).ok();
    let layout = LAYOUTS.iter().find(|l| root.join(l.sources).is_dir() && root.join(l.tests).is_dir())?;
    let mut project = Project {
        source_roots: vec![path(layout.sources)?],
        test_roots: vec![path(layout.tests)?],
        encoding: "UTF-8".into(),
        ..Project::default()
    };
    // Tests often read files that lie beside them, so the test folder itself is on the class path too.
    let folders = layout.resources.iter().chain([&layout.tests]).filter(|folder| root.join(folder).is_dir());
    project.resources = folders.filter_map(|folder| path(folder)).collect();
    Some((project, layout.name))
}

/// The layouts, for messages.
pub(super) fn known() -> String {
    LAYOUTS.iter().map(|layout| layout.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use camino::Utf8PathBuf;

    #[test]
    fn folders_are_found_by_looking() {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(temp.path().to_owned()).unwrap();
        assert!(plain(&root).is_none());
        std::fs::create_dir_all(root.join("src/a")).unwrap();
        std::fs::create_dir_all(root.join("test")).unwrap();
        let (project, _) = plain(&root).unwrap();
        assert_eq!(project.source_roots, ["src".parse().unwrap()]);
        std::fs::create_dir_all(root.join("src/main/java")).unwrap();
        std::fs::create_dir_all(root.join("src/test/java")).unwrap();
        std::fs::create_dir_all(root.join("src/test/resources")).unwrap();
        let (project, name) = plain(&root).unwrap();
        assert_eq!(name, "src/main/java + src/test/java");
        assert_eq!(project.resources, ["src/test/resources".parse().unwrap(), "src/test/java".parse().unwrap()]);
    }
}
