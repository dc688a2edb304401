//! What Defects4J says, as data: its lists of bugs, the output of `export`, `query` and `info`, and what its own code
//! demands of the machine.
//!
//! All of it is foreign text: a class path is printed by the build of a project that nobody vouches for. So paths are
//! only taken below the two folders that are known, and what is no name of a class is no test.

use crate::benchmark::error::Malformed;
use crate::domain::{RepoPath, TestId};
use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

/// Longer lists of a class path or of tests are no lists.
const MOST_ENTRIES: usize = 20_000;

/// A line of `active-bugs.csv` or `deprecated-bugs.csv`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BugLine {
    /// Number within the project.
    pub number: u32,
    /// The report's name in its tracker: `LANG-747`.
    pub report: Option<String>,
    /// Address of the report.
    pub address: Option<String>,
    /// Version of Defects4J that deprecated the bug, and its word for the reason.
    pub deprecated: Option<(String, String)>,
}

/// Reads a list of bugs. The header says which column holds what; lines without a number are passed over.
///
/// # Errors
/// There is no column `bug.id`.
pub fn bug_lines(bytes: &[u8]) -> Result<Vec<BugLine>, Malformed> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    let header: Vec<&str> = lines.next().unwrap_or("").trim().split(',').collect();
    let column = |name: &str| header.iter().position(|known| known.trim() == name);
    let id = column("bug.id").ok_or("its first line names no column `bug.id`")?;
    let (report, address) = (column("report.id"), column("report.url"));
    let (version, reason) = (column("deprecated.version"), column("deprecated.reason"));
    let mut found = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.trim().split(',').collect();
        let cell = |at: Option<usize>| {
            at.and_then(|at| cells.get(at))
                .map(|text| text.trim())
                .filter(|text| !matches!(*text, "" | "NA" | "UNKNOWN"))
        };
        let Some(number) = cell(Some(id)).and_then(|text| text.parse().ok()) else { continue };
        let deprecated = cell(version).map(|since| (since.to_owned(), cell(reason).unwrap_or("").to_owned()));
        let text = |at| cell(at).map(str::to_owned);
        found.push(BugLine { number, report: text(report), address: text(address), deprecated });
    }
    found.sort_by_key(|line: &BugLine| line.number);
    found.dedup_by_key(|line| line.number);
    Ok(found)
}

/// The one folder of a working directory that `export -p dir.…` printed.
pub fn folder(output: &[u8]) -> Option<RepoPath> {
    let text = String::from_utf8_lossy(output);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let one = lines.next()?;
    lines.next().is_none().then(|| RepoPath::new(one.trim_end_matches('/')).ok())?
}

/// A class path as `export -p cp.…` printed it, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassPath {
    /// Entries in the working directory.
    pub inside: Vec<RepoPath>,
    /// Entries of the installation: the libraries it ships.
    pub libraries: Vec<Utf8PathBuf>,
    /// Entries that lie elsewhere and are not used.
    pub left_out: Vec<String>,
}

impl ClassPath {
    /// Reads an exported class path of the working directory `work` under the installation `home`; both are absolute
    /// and hold no links.
    pub fn read(output: &[u8], work: &Utf8Path, home: &Utf8Path) -> Self {
        let text = String::from_utf8_lossy(output);
        let mut path = Self::default();
        for entry in text.split([':', '\n', '\r']).map(str::trim).filter(|entry| !entry.is_empty()).take(MOST_ENTRIES) {
            path.add(entry, work, home);
        }
        path
    }

    fn add(&mut self, entry: &str, work: &Utf8Path, home: &Utf8Path) {
        let full = plain(&work.join(entry));
        let inside = |folder: &Utf8Path| full.as_deref().and_then(|full| full.strip_prefix(folder).ok());
        if let Some(path) = inside(work).and_then(|path| RepoPath::new(path.as_str()).ok()) {
            push_new(&mut self.inside, path);
        } else if let Some(full) = inside(home).and(full.clone()) {
            push_new(&mut self.libraries, full);
        } else {
            push_new(&mut self.left_out, entry.escape_debug().to_string());
        }
    }

    /// This class path with what another has besides.
    #[must_use]
    pub(crate) fn and(mut self, other: Self) -> Self {
        other.inside.into_iter().for_each(|path| push_new(&mut self.inside, path));
        other.libraries.into_iter().for_each(|path| push_new(&mut self.libraries, path));
        other.left_out.into_iter().for_each(|entry| push_new(&mut self.left_out, entry));
        self
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// An absolute path without `.` and `..`, by its text alone; `None` when it climbs above the root or holds what no
/// path should.
fn plain(path: &Utf8Path) -> Option<Utf8PathBuf> {
    if path.as_str().contains('\0') {
        return None;
    }
    let mut plain = Utf8PathBuf::new();
    for part in path.components() {
        match part {
            Utf8Component::ParentDir if plain.parent().is_some() => drop(plain.pop()),
            Utf8Component::ParentDir | Utf8Component::Prefix(_) => return None,
            Utf8Component::CurDir => {}
            Utf8Component::RootDir | Utf8Component::Normal(_) => plain.push(part),
        }
    }
    Some(plain)
}

/// Names of classes, one a line, as `export -p tests.all` prints them; what is no name is passed over.
pub fn classes(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    let names = text.lines().map(str::trim).filter(|line| is_class(line)).take(MOST_ENTRIES);
    let mut found: Vec<String> = names.map(str::to_owned).collect();
    found.sort();
    found.dedup();
    found
}

/// Tests, `class::method` or a class alone, separated by line breaks, commas or semicolons: what `export -p
/// tests.trigger` prints, and a cell of `query -q tests.trigger`.
pub fn tests(output: &[u8]) -> Vec<TestId> {
    let text = String::from_utf8_lossy(output);
    let mut found = Vec::new();
    for name in text.split(['\n', ',', ';', '"']).map(str::trim).take(MOST_ENTRIES) {
        let (class, method) = name.split_once("::").unwrap_or((name, ""));
        // Versions before 3 name the invocation of a test with parameters, too.
        let method = method.split('[').next().unwrap_or(method);
        if is_class(class) && !method.contains(char::is_whitespace) {
            push_new(&mut found, TestId::new(class, method));
        }
    }
    found
}

/// Whether a text can be the name of a class with its package.
pub fn is_class(text: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    !text.is_empty() && text.split('.').all(part)
}

/// The cells that `query` printed for one bug, without its number; quotes are taken off.
pub fn row(output: &[u8], number: u32) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(output);
    let line =
        text.lines().find(|line| line.split(',').next().and_then(|id| id.trim().parse().ok()) == Some(number))?;
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.trim().chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells.last_mut()?.push(c),
        }
    }
    cells.remove(0);
    Some(cells)
}

/// What `info -p PROJECT` tells of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Info {
    /// Its name: `commons-lang`.
    pub program: Option<String>,
    /// How many bugs can be checked out.
    pub bugs: Option<usize>,
}

/// Reads `Name: value` lines.
pub fn info(output: &[u8]) -> Info {
    let text = String::from_utf8_lossy(output);
    let value = |name: &str| {
        let of = |line: &str| Some(line.trim().strip_prefix(name)?.strip_prefix(':')?.trim().to_owned());
        text.lines().find_map(of).filter(|value| !value.is_empty())
    };
    Info { program: value("Program"), bugs: value("Number of bugs").and_then(|text| text.parse().ok()) }
}

/// The version that the installation's own README states: `3.0.1`.
pub fn version(readme: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(readme);
    let after = text.lines().find_map(|line| line.split_once("version ").map(|(_, rest)| rest))?;
    let number: String = after.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let number = number.trim_end_matches('.');
    (!number.is_empty()).then(|| number.to_owned())
}

/// The feature release of Java that the installation's code insists on.
pub fn demanded_jdk(constants: &[u8]) -> Option<u32> {
    let text = String::from_utf8_lossy(constants);
    let before = text.lines().find_map(|line| line.split_once(" is required").map(|(before, _)| before))?;
    before.rsplit_once("Java ")?.1.trim_start_matches("1.").parse().ok()
}

/// The source level that stands behind a class file: 8 for version 52.
pub fn level_of(class: &[u8]) -> Option<u32> {
    let major = u32::from(u16::from_be_bytes([*class.get(6)?, *class.get(7)?]));
    (class.starts_with(&[0xca, 0xfe, 0xba, 0xbe]) && (45..200).contains(&major))
        .then(|| major.saturating_sub(44).max(5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_bugs_say_which_column_holds_what() {
        let active = b"bug.id,revision.id.buggy,revision.id.fixed,report.id,report.url\n1,a,b,LANG-747,https://x\n\
            10,a,b,UNKNOWN,UNKNOWN\n3,a,b,LANG-1,x\r\n\n# no bug\n";
        let found = bug_lines(active).unwrap();
        assert_eq!(found.iter().map(|line| line.number).collect::<Vec<_>>(), [1, 3, 10]);
        assert_eq!((found[0].report.as_deref(), found[2].report.as_deref()), (Some("LANG-747"), None));
        assert_eq!((found[0].address.as_deref(), found[2].address.as_deref()), (Some("https://x"), None));
        let deprecated =
            b"bug.id,report.id,deprecated.version,deprecated.reason\n2,LANG-879,2.0.0,JVM8.Not.Reproducible";
        let line = &bug_lines(deprecated).unwrap()[0];
        assert_eq!(line.deprecated, Some(("2.0.0".into(), "JVM8.Not.Reproducible".into())));
        assert!(bug_lines(b"number,x\n1,2\n").is_err());
    }

    #[test]
    fn a_class_path_is_only_taken_from_folders_that_are_known() {
        let (work, home) = (Utf8Path::new("/w/tree"), Utf8Path::new("/d4j"));
        let output =
            b"/w/tree/target/classes:/d4j/framework/projects/lib/junit.jar:/root/.ssh:lib/a.jar:/d4j/../etc/x\n\
            /w/tree/../../etc/passwd:/w/tree/.git/objects:/w/tree/lib/a.jar";
        let path = ClassPath::read(output, work, home);
        let inside: Vec<&str> = path.inside.iter().map(RepoPath::as_str).collect();
        assert_eq!(inside, ["target/classes", "lib/a.jar"]);
        assert_eq!(path.libraries, ["/d4j/framework/projects/lib/junit.jar"]);
        assert_eq!(path.left_out.len(), 4, "{:?}", path.left_out);
    }

    #[test]
    fn folders_and_lists_are_what_stands_there_and_nothing_else() {
        assert_eq!(folder(b"src/main/java\n").unwrap().as_str(), "src/main/java");
        assert_eq!(folder(b"source/").unwrap().as_str(), "source");
        for bad in ["", "a\nb\n", "/etc", "../x", "a/.git"] {
            assert_eq!(folder(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(classes(b"b.BTest\na.ATest\nb.BTest\nno class\n../x\n"), ["a.ATest", "b.BTest"]);
        let found = tests(b"a.ATest::one\na.ATest::two[3],b.BTest;no test::x\n");
        assert_eq!(found.iter().map(TestId::to_string).collect::<Vec<_>>(), ["a.ATest#one", "a.ATest#two", "b.BTest"]);
    }

    #[test]
    fn a_row_of_a_query_has_cells_and_quotes() {
        let output = b"1,LANG-747,\"a.T::x;a.T::y\"\n10,NA,\"b.T::z\"\n";
        assert_eq!(row(output, 1).unwrap(), ["LANG-747", "a.T::x;a.T::y"]);
        assert_eq!(tests(row(output, 10).unwrap()[1].as_bytes()), [TestId::new("b.T", "z")]);
        assert_eq!(row(output, 2), None);
    }

    #[test]
    fn what_the_installation_is_and_wants_is_read_from_its_own_files() {
        assert_eq!(version(b"Defects4J version 3.0.1 [![x]]").as_deref(), Some("3.0.1"));
        assert_eq!(version(b"Defects4J -- version 2.0.0\n===").as_deref(), Some("2.0.0"));
        assert_eq!(version(b"nothing"), None);
        assert_eq!(demanded_jdk(b"  die (\"Java 11 is required!\\n\");"), Some(11));
        assert_eq!(demanded_jdk(b"Java 1.8 is required"), Some(8));
        let output =
            b"Summary of configuration for Project: Lang\n----\n    Project ID: Lang\n       Program: commons-lang\n\
            Number of bugs: 61\n";
        assert_eq!(info(output), Info { program: Some("commons-lang".into()), bugs: Some(61) });
        assert_eq!(level_of(&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52]), Some(8));
        assert_eq!(level_of(b"text"), None);
    }
}
