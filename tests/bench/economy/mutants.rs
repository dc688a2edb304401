//! Bugs made on purpose: one line of a drawn method changed by a usual slip.

use crate::perfect::{Repair, Repaired};
use crate::program::unidebug;
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeSet;
use std::fs;
use unidebug::benchmark::private_copy;
use unidebug::code::outline_text;
use unidebug::domain::RepoPath;
use unidebug::language::Java;

/// Where Maven keeps the product's sources.
const SOURCES: &str = "src/main/java";

/// … and its tests.
const TESTS: &str = "src/test/java";

/// Slips: what stands in the line, and what is written instead. Only code is changed, never text or comments.
const SLIPS: [(&str, &str); 20] = [
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " > "),
    (" == ", " != "),
    (" != ", " == "),
    (" && ", " || "),
    (" || ", " && "),
    (" + 1", ""),
    (" - 1", ""),
    ("[0]", "[1]"),
    (" = 0;", " = 1;"),
    (" = 1;", " = 0;"),
    (" + ", " - "),
    ("++;", "--;"),
    ("(!", "("),
    ("return !", "return "),
    ("true", "false"),
    ("false", "true"),
    ("return this.", "return null; // this."),
];

/// The private copy in which mutants are tried one after the other, so that the project is set up once.
pub struct Copy {
    _folder: tempfile::TempDir,
    root: Utf8PathBuf,
}

impl Copy {
    /// A copy without the test classes that fail untouched, for want of a file say: they would be taken for the bug.
    pub fn of(project: &Utf8Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().join("project");
        fs::create_dir_all(&root).unwrap();
        private_copy(project, &root).unwrap();
        let copy = Self { _folder: folder, root };
        let untouched = unidebug(&["tool", "run_tests", "--bug", copy.root.as_str(), "--args", "{}"]);
        let names = untouched.stdout.lines().filter_map(|line| line.split_once('#')).map(|(class, _)| class);
        let failing: BTreeSet<&str> = names.filter(|class| !class.contains(' ')).collect();
        for class in failing {
            let source = copy.root.join(TESTS).join(class.replace('.', "/")).with_extension("java");
            println!("{class} fails untouched and is left out");
            fs::remove_file(source).unwrap();
        }
        copy
    }

    /// Does something while the mutant stands in the copy.
    pub fn with(&self, mutant: &Repair, act: impl FnOnce(&Utf8Path)) {
        for file in &mutant.files {
            fs::write(file.path.under(&self.root), &file.before).unwrap();
        }
        act(&self.root);
        for file in &mutant.files {
            fs::write(file.path.under(&self.root), &file.after).unwrap();
        }
    }

    fn sources(&self) -> Vec<(RepoPath, String)> {
        let mut files = Vec::new();
        let mut open = vec![self.root.join(SOURCES)];
        while let Some(folder) = open.pop() {
            for entry in folder.read_dir_utf8().unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path.to_owned());
                } else if path.extension() == Some("java")
                    && let Ok(text) = fs::read_to_string(path)
                {
                    files.push((RepoPath::new(path.strip_prefix(&self.root).unwrap().as_str()).unwrap(), text));
                }
            }
        }
        files.sort_by(|a, b| a.0.cmp(&b.0));
        files
    }
}

/// One mutant of every method that has a line to mutate, in the order of the seed. Whether a test notices is not known
/// yet.
pub fn draw(copy: &Copy, seed: u64) -> Vec<Repair> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut mutants = Vec::new();
    for (path, text) in copy.sources() {
        let outline = outline_text(&path, &text, &Java);
        for method in outline.methods() {
            let Some(body) = method.body else { continue };
            let lines = (body.first..=body.last).filter_map(|n| Some((n, outline.line(n)?)));
            let slips: Vec<(u32, String)> = lines.flat_map(|(n, line)| slips(line).map(move |s| (n, s))).collect();
            let Some((line, slip)) = random.choice(slips) else { continue };
            let before: String = text
                .split_inclusive('\n')
                .zip(1..)
                .map(|(old, n)| if n == line { format!("{slip}\n") } else { old.to_owned() })
                .collect();
            let file = Repaired { path: path.clone(), before, after: text.clone() };
            mutants.push(Repair { name: format!("{}:{line}", method.qualified()), files: vec![file] });
        }
    }
    random.shuffle(&mut mutants);
    mutants
}

/// Every slip that a line allows, each as the whole changed line.
fn slips(line: &str) -> impl Iterator<Item = String> {
    let code = line.split("//").next().unwrap_or("");
    let comment = ["*", "/*", "@"].iter().any(|start| code.trim_start().starts_with(start));
    let usable = !comment && !code.contains('"');
    SLIPS.iter().filter(move |_| usable).filter_map(move |(from, to)| {
        let at = code.find(from)?;
        Some(format!("{}{to}{}", &code[..at], &code[at + from.len()..]).trim_end().to_owned())
    })
}
