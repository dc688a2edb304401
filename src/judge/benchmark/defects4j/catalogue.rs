//! Which bugs an installation has: the lists that every version since 2.0 keeps beside each project.

use super::super::copy::io_error;
use super::super::nearest::{nearest, nearest_ids};
use super::text::{BugLine, bug_lines};
use super::{NAME, wrong_root};
use crate::benchmark::BenchmarkError;
use crate::domain::BugId;
use camino::Utf8Path;
use std::collections::BTreeMap;
use std::fs;

/// Folder of the projects' metadata in an installation.
pub(super) const PROJECTS: &str = "framework/projects";
const ACTIVE: &str = "active-bugs.csv";
const DEPRECATED: &str = "deprecated-bugs.csv";

/// Bugs of one project.
#[derive(Debug, Clone, Default)]
struct Bugs {
    active: Vec<BugLine>,
    deprecated: Vec<BugLine>,
}

/// All bugs of an installation.
#[derive(Debug, Clone)]
pub(super) struct Catalogue {
    projects: BTreeMap<String, Bugs>,
    version: String,
}

impl Catalogue {
    /// Reads the lists of an installation.
    ///
    /// # Errors
    /// There is no project, or a list cannot be read.
    pub(super) fn read(root: &Utf8Path, version: &str) -> Result<Self, BenchmarkError> {
        let folder = root.join(PROJECTS);
        let failed = |source| io_error("cannot list the projects of Defects4J", &folder, source);
        let mut projects = BTreeMap::new();
        for entry in folder.read_dir_utf8().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.path().join(ACTIVE).is_file() {
                let list = |name: &str| list(&entry.path().join(name));
                let bugs = Bugs { active: list(ACTIVE)?, deprecated: list(DEPRECATED)? };
                projects.insert(entry.file_name().to_owned(), bugs);
            }
        }
        if projects.is_empty() {
            return Err(wrong_root(root, format!("no project with an {ACTIVE} lies in {PROJECTS}")));
        }
        Ok(Self { projects, version: version.to_owned() })
    }

    /// Ids of all bugs that can be checked out, by project, then by number.
    pub(super) fn ids(&self) -> Vec<BugId> {
        let of = |(project, bugs): (&String, &Bugs)| {
            bugs.active.iter().map(|bug| id(project, bug.number)).collect::<Vec<_>>()
        };
        self.projects.iter().flat_map(of).collect()
    }

    /// The names of its projects.
    pub(super) fn projects(&self) -> Vec<&str> {
        self.projects.keys().map(String::as_str).collect()
    }

    /// How many bugs of a project can be checked out.
    pub(super) fn count(&self, project: &str) -> usize {
        self.projects.get(project).map_or(0, |bugs| bugs.active.len())
    }

    /// The bug of that id, with its project.
    ///
    /// # Errors
    /// It does not exist, or was deprecated.
    pub(super) fn find(&self, id: &BugId) -> Result<(&str, &BugLine), BenchmarkError> {
        let absent = |what: String, hint: String| BenchmarkError::Absent { what, hint };
        let parts = id.name.rsplit_once('-').and_then(|(project, number)| Some((project, number.parse::<u32>().ok()?)));
        let Some((project, number)) = parts else {
            let what = format!("`{}` is no bug of Defects4J: it is written `Project-Number`", id.name);
            return Err(absent(what, format!("`unidebug bugs {NAME}` lists them; an example is `{NAME}:Lang-1`")));
        };
        let Some((project, bugs)) = self.projects.get_key_value(project) else {
            let known = nearest(project, self.projects.keys().map(String::as_str), usize::MAX).join(", ");
            let what = format!("Defects4J {} has no project `{project}`; nearest first: {known}", self.version);
            return Err(absent(what, format!("`unidebug bugs {NAME} --project NAME` lists the bugs of one")));
        };
        if let Some(line) = bugs.active.iter().find(|line| line.number == number) {
            return Ok((project, line));
        }
        if let Some(line) = bugs.deprecated.iter().find(|line| line.number == number) {
            let (since, why) = line.deprecated.clone().unwrap_or_default();
            let because = if why.is_empty() { String::new() } else { format!(" ({why})") };
            let version = &self.version;
            let what =
                format!("{id} was deprecated in Defects4J {since}{because} and cannot be checked out of {version}");
            return Err(absent(what, "take another bug, or an installation from before that version".into()));
        }
        let deprecated = match ranges(&bugs.deprecated) {
            none if none.is_empty() => String::new(),
            some => format!("; deprecated: {some}"),
        };
        let near = nearest_ids(&id.name, &self.ids()).join(", ");
        let what = format!("no bug `{id}`: {project} has {}{deprecated}; nearest: {near}", ranges(&bugs.active));
        Err(absent(what, format!("`unidebug bugs {NAME} --project {project}` lists them all")))
    }
}

fn id(project: &str, number: u32) -> BugId {
    BugId { benchmark: NAME.into(), name: format!("{project}-{number}") }
}

fn list(file: &Utf8Path) -> Result<Vec<BugLine>, BenchmarkError> {
    let bytes = match fs::read(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.map_err(|source| io_error("cannot read a list of bugs", file, source))?,
    };
    bug_lines(&bytes).map_err(|why| wrong_root(file, format!("this is no list of bugs: {why}")))
}

/// Numbers as people write them: `1,3-17`.
fn ranges(lines: &[BugLine]) -> String {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match found.last_mut() {
            Some((_, last)) if *last + 1 == line.number => *last = line.number,
            _ => found.push((line.number, line.number)),
        }
    }
    let text = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    found.iter().map(text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue() -> (tempfile::TempDir, Catalogue) {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temp.path()).unwrap();
        for (file, text) in [
            ("Lang/active-bugs.csv", "bug.id,report.id\n1,LANG-747\n10,LANG-831\n3,LANG-693\n4,LANG-882\n"),
            (
                "Lang/deprecated-bugs.csv",
                "bug.id,deprecated.version,deprecated.reason\n2,2.0.0,JVM8.Not.Reproducible\n",
            ),
            ("Math/active-bugs.csv", "bug.id,report.id\n1,MATH-1\n"),
            ("lib/junit.jar", ""),
        ] {
            let path = root.join(PROJECTS).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let catalogue = Catalogue::read(root, "3.0.1").unwrap();
        (temp, catalogue)
    }

    fn refusal(name: &str) -> String {
        let (_keep, catalogue) = catalogue();
        let error = catalogue.find(&BugId { benchmark: NAME.into(), name: name.into() }).unwrap_err();
        assert!(!error.hint().is_empty());
        error.to_string()
    }

    #[test]
    fn bugs_are_listed_by_project_and_number() {
        let (_keep, catalogue) = catalogue();
        let ids: Vec<String> = catalogue.ids().iter().map(BugId::to_string).collect();
        assert_eq!(ids[..4], ["defects4j:Lang-1", "defects4j:Lang-3", "defects4j:Lang-4", "defects4j:Lang-10"]);
        assert_eq!((catalogue.projects(), catalogue.count("Lang")), (vec!["Lang", "Math"], 4));
        let id = "defects4j:Lang-10".parse().unwrap();
        assert_eq!(catalogue.find(&id).unwrap().1.report.as_deref(), Some("LANG-831"));
    }

    #[test]
    fn what_is_not_there_is_told_with_what_is() {
        let deprecated = refusal("Lang-2");
        assert!(deprecated.contains("deprecated in Defects4J 2.0.0 (JVM8.Not.Reproducible)"), "{deprecated}");
        let unknown = refusal("Lang-999");
        assert!(unknown.contains("Lang has 1,3-4,10; deprecated: 2; nearest: defects4j:Lang-"), "{unknown}");
        let project = refusal("Lnag-1");
        assert!(project.contains("has no project `Lnag`; nearest first: Lang, Math"), "{project}");
        assert!(refusal("Lang").contains("written `Project-Number`"));
    }

    #[test]
    fn a_folder_without_projects_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temp.path()).unwrap();
        fs::create_dir_all(root.join(PROJECTS)).unwrap();
        assert!(Catalogue::read(root, "3").unwrap_err().to_string().contains("no project with an active-bugs.csv"));
    }
}
