//! The developer's repair of a fixture, and what agents that do not repair answer about it: a model that knows the bug.

use super::{Reply, repair};
use camino::Utf8Path;
use serde_json::json;
use unidebug::benchmark::{Checkout, Settings, find, parse_bug};
use unidebug::domain::RepoPath;
use unidebug::patch::{Folder, Originals, render};

/// One fixture with its repair.
pub struct Developer {
    /// The fixture's id.
    pub bug: String,
    /// The repair as a unified diff.
    pub diff: String,
    /// The files that it changes.
    files: Vec<RepoPath>,
    /// The first line that it changes, or behind which it adds some.
    line: String,
    /// How a line is marked in the bug's language.
    mark: &'static str,
    /// Names of the test classes or modules.
    tests: Vec<String>,
    /// The first class of each file.
    classes: Vec<(RepoPath, String)>,
}

impl Developer {
    /// Reads a fixture.
    pub fn of(bug: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let id = parse_bug(bug).unwrap();
        let fixtures = find(&id.benchmark, &Settings::default()).unwrap();
        let checkout = tokio::runtime::Runtime::new().unwrap().block_on(fixtures.checkout(&id, &root)).unwrap();
        let mut patch = repair(&checkout);
        let canary = checkout.oracle.as_ref().unwrap().canary.as_ref().unwrap();
        for file in &mut patch.files {
            file.after = without(canary, &file.after).into();
        }
        let diff = render(&patch);
        let originals = Folder::new(checkout.root.clone());
        let is_test = |path: &&RepoPath| path.as_str().ends_with("Test.java") || stem(path).starts_with("test_");
        Self {
            bug: bug.to_owned(),
            line: first_line(&diff).to_owned(),
            files: patch.files.into_iter().map(|file| file.path).collect(),
            mark: if checkout.language == "python" { "# buggy line" } else { "// buggy line" },
            tests: originals.paths().iter().filter(is_test).map(|path| stem(path).to_owned()).collect(),
            classes: originals
                .paths()
                .iter()
                .filter_map(|path| Some((path.clone(), class(&checkout, path)?)))
                .collect(),
            diff,
        }
    }

    /// Whether a question is about this bug: it names its failing tests.
    pub fn is_asked_in(&self, question: &str) -> bool {
        self.tests.iter().any(|test| ["#", "$"].iter().any(|end| question.contains(&format!(".{test}{end}"))))
    }

    /// A usable answer: agents that look for the cause find it, agents that repair give up.
    pub fn usual(&self, agent: &str, question: &str) -> Reply {
        let line = &self.line;
        let args = match agent {
            "Locator" => json!({"marked_code": format!("{line} {}", self.mark), "explanation": "it decides"}),
            "Slicer" => {
                json!({"file_path": self.files[0], "first_line": line, "last_line": line, "explanation": "it decides"})
            }
            "Summarizer" => {
                let shown = |(path, _): &&(RepoPath, String)| question.contains(&format!("## Code\n### {path}"));
                let class = &self.classes.iter().find(shown).unwrap().1;
                json!({"summary": [{"class": class, "description": "as its name says"}], "explanation": "read"})
            }
            "Helper" => match cited(question) {
                Some(source) => {
                    json!({"reference": "as it was done there", "sources": [source], "explanation": "alike"})
                }
                None => return Reply::command("search_solutions", json!({"query": "wrong result of a condition"})),
            },
            "RepoFocus" => json!({"files": self.files, "explanation": "the causes"}),
            _ => json!({"explanation": "not seen yet", "analysis": "not seen yet"}),
        };
        Reply::command("goal_accomplished", args)
    }
}

fn stem(path: &RepoPath) -> &str {
    Utf8Path::new(path.as_str()).file_stem().unwrap()
}

/// The file without the comment that holds the canary, which no model knows.
fn without(canary: &str, file: &[u8]) -> Vec<u8> {
    let at = file.windows(canary.len()).position(|window| window == canary.as_bytes());
    let Some(at) = at else { return file.to_vec() };
    let (before, after) = (file[..at].trim_ascii_end(), &file[at + canary.len()..]);
    let before = before.strip_suffix(b"//").or(before.strip_suffix(b"#")).unwrap().trim_ascii_end();
    [before, after].concat()
}

/// The first line of a diff that is taken away, or else the one before the first that is added.
fn first_line(diff: &str) -> &str {
    let lines: Vec<&str> = diff.lines().skip_while(|line| !line.starts_with("@@")).skip(1).collect();
    let changed = lines.iter().position(|line| !line.starts_with(' ')).unwrap();
    let at = if lines[changed].starts_with('-') { changed } else { changed - 1 };
    &lines[at][1..]
}

/// The name of the first class of a file.
fn class(checkout: &Checkout, path: &RepoPath) -> Option<String> {
    let bytes = std::fs::read(path.under(&checkout.root)).unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let code = text.lines().filter(|line| !line.trim_start().starts_with(['*', '/', '#', '"']));
    let mut words = code.flat_map(str::split_whitespace);
    words.find(|word| ["class", "interface", "enum", "record"].contains(word))?;
    words.next().map(|name| name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
}

/// The first source that a question shows: an id in brackets before what it is about.
fn cited(question: &str) -> Option<&str> {
    question.lines().find_map(|line| line.strip_prefix('[')?.split_once("] ").map(|(id, _)| id))
}
