//! Bug-fix pairs from disk: JSON lines, folders of diffs, CoCoNuT's training pairs; and those that come with the program.

use super::{RetrieveError, Solution};
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use std::io::{BufRead, BufReader};

/// One JSON object a line, written for this program.
const SHIPPED: &str = include_str!("pairs.jsonl");
/// Characters of a part that are kept: longer ones are files, not repairs.
const MAX_PART: usize = 2000;
/// Pairs that are read at most; more do not fit into memory beside a build.
const MAX_PAIRS: usize = 2_000_000;

/// A line of a JSONL file; names as data sets of such pairs use them.
#[derive(Deserialize)]
struct Pair {
    #[serde(default, alias = "bug_id")]
    id: Option<String>,
    #[serde(default, alias = "title", alias = "message", alias = "commit_message")]
    symptom: String,
    #[serde(alias = "buggy", alias = "bug", alias = "rem", alias = "buggy_code")]
    before: String,
    #[serde(alias = "fixed", alias = "fix", alias = "add", alias = "fixed_code")]
    after: String,
    #[serde(default, alias = "explanation")]
    why: String,
    #[serde(default, alias = "lang")]
    language: Option<String>,
}

/// Languages by the words that data sets, folders and names of files have for them.
const LANGUAGES: [(&str, &[&str]); 8] = [
    ("java", &["java"]),
    ("python", &["python", "python3", "py"]),
    ("javascript", &["javascript", "js", "jsx", "mjs", "typescript", "ts", "tsx"]),
    ("c", &["c", "h"]),
    ("c++", &["c++", "cpp", "cc", "cxx", "hpp"]),
    ("c#", &["c#", "csharp", "cs"]),
    ("go", &["go", "golang"]),
    ("rust", &["rust", "rs"]),
];

/// The language that a word stands for.
fn language(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    LANGUAGES.iter().find(|(_, words)| words.contains(&word.as_str())).map(|(name, _)| *name)
}

/// A pair of a corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Its language, where the corpus tells it.
    pub language: Option<&'static str>,
    /// The pair.
    pub pair: Solution,
}

/// The pairs that a bug in a language can learn from: those of other languages are left out, as FixAgent left out
/// JavaScript; where a corpus tells no language, its pairs stay.
pub fn of_language(corpus: &[Known], wanted: &str) -> Vec<Solution> {
    let wanted = language(wanted);
    let fits = |known: &&Known| known.language.is_none() || wanted.is_none() || known.language == wanted;
    corpus.iter().filter(fits).map(|known| known.pair.clone()).collect()
}

/// The pairs that come with the program.
///
/// # Errors
/// A line is no pair.
pub(crate) fn shipped() -> Result<Vec<Solution>, RetrieveError> {
    let pairs = json_lines(SHIPPED.as_bytes(), "shipped", Utf8Path::new("pairs.jsonl"))?;
    Ok(pairs.into_iter().map(|known| known.pair).collect())
}

/// The pairs of a file of JSON lines, of a folder with CoCoNuT's parallel files (`rem.txt`, `add.txt` and perhaps
/// `context.txt`), or of all `.jsonl`, `.diff` and `.patch` files below a folder.
///
/// # Errors
/// Nothing that can be read there, or a malformed line.
pub fn load(path: &Utf8Path) -> Result<Vec<Known>, RetrieveError> {
    let pairs = if path.is_file() {
        of_file(path)?
    } else if path.join("rem.txt").is_file() && path.join("add.txt").is_file() {
        coconut(path)?
    } else {
        let mut all = Vec::new();
        for file in files_below(path)? {
            all.extend(of_file(&file)?);
            if all.len() >= MAX_PAIRS {
                break;
            }
        }
        all.truncate(MAX_PAIRS);
        all
    };
    match pairs.is_empty() {
        true => Err(RetrieveError::NoCorpus { path: path.to_owned(), what: "it holds no bug-fix pairs".into() }),
        false => Ok(pairs),
    }
}

fn files_below(folder: &Utf8Path) -> Result<Vec<Utf8PathBuf>, RetrieveError> {
    let wanted = |path: &Utf8Path| path.extension().is_some_and(|end| ["jsonl", "diff", "patch"].contains(&end));
    let mut files = Vec::new();
    for entry in ignore::WalkBuilder::new(folder).standard_filters(false).build() {
        let entry = entry.map_err(|error| unreadable(folder, &error.to_string()))?;
        if let Some(path) = Utf8Path::from_path(entry.path()).filter(|path| wanted(path) && path.is_file()) {
            files.push(path.to_owned());
        }
    }
    files.sort();
    Ok(files)
}

fn unreadable(path: &Utf8Path, what: &str) -> RetrieveError {
    RetrieveError::NoCorpus { path: path.to_owned(), what: what.to_owned() }
}

fn of_file(path: &Utf8Path) -> Result<Vec<Known>, RetrieveError> {
    let name = path.file_stem().unwrap_or("pairs");
    if path.extension() == Some("jsonl") {
        let file = std::fs::File::open(path).map_err(|error| unreadable(path, &error.to_string()))?;
        return json_lines(BufReader::new(file), name, path);
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error.to_string()))?;
    Ok(diff(&String::from_utf8_lossy(&bytes), name).into_iter().collect())
}

/// A pair a line; empty lines are passed over.
fn json_lines(from: impl BufRead, name: &str, path: &Utf8Path) -> Result<Vec<Known>, RetrieveError> {
    let mut pairs = Vec::new();
    for (at, line) in from.lines().enumerate().take(MAX_PAIRS) {
        let line = line.map_err(|error| unreadable(path, &error.to_string()))?;
        if line.trim().is_empty() {
            continue;
        }
        let pair: Pair = serde_json::from_str(&line).map_err(|error| RetrieveError::Malformed {
            path: path.to_owned(),
            line: at + 1,
            what: error.to_string(),
        })?;
        let id = pair.id.unwrap_or_else(|| format!("{name}:{}", at + 1));
        let [symptom, before, after, why] = [pair.symptom, pair.before, pair.after, pair.why].map(|part| cut(&part));
        let language = pair.language.as_deref().and_then(language);
        pairs.push(Known { language, pair: Solution { id, symptom, before, after, why } });
    }
    Ok(pairs)
}

/// One unified diff; what stands above it says what was wrong.
fn diff(text: &str, name: &str) -> Option<Known> {
    let (mut before, mut after, mut message) = (String::new(), String::new(), String::new());
    let (mut inside, mut ending) = (false, None);
    for line in text.lines() {
        if let Some(file) = line.strip_prefix("+++ ") {
            ending = ending.or(file.trim().rsplit_once('.').and_then(|(_, end)| language(end)));
        }
        if line.starts_with("--- ") || line.starts_with("+++ ") || line.starts_with("diff ") || line.starts_with("@@") {
            inside = true;
        } else if !inside {
            message.push_str(line.trim());
            message.push(' ');
        } else if let Some(removed) = line.strip_prefix('-') {
            before.push_str(removed.trim());
            before.push('\n');
        } else if let Some(added) = line.strip_prefix('+') {
            after.push_str(added.trim());
            after.push('\n');
        }
    }
    let symptom = if message.trim().is_empty() { name.replace(['-', '_'], " ") } else { message };
    let [symptom, before, after] = [symptom, before, after].map(|part| cut(part.trim()));
    let empty = before.is_empty() && after.is_empty();
    let pair = Solution { id: name.to_owned(), symptom, before, after, why: String::new() };
    (!empty).then_some(Known { language: ending, pair })
}

/// Line n of `rem.txt` became line n of `add.txt`, in the code of line n of `context.txt`.
fn coconut(folder: &Utf8Path) -> Result<Vec<Known>, RetrieveError> {
    let name = folder.file_name().unwrap_or("pairs");
    let words = folder.components().rev().take(2).flat_map(|part| part.as_str().split(['-', '_', '.']));
    let language = words.filter_map(language).next();
    let open = |file: &str| {
        let path = folder.join(file);
        std::fs::File::open(&path).map(BufReader::new).map_err(|error| unreadable(&path, &error.to_string()))
    };
    let text = |line: std::io::Result<Vec<u8>>| line.map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
    let mut contexts = open("context.txt").ok().map(|file| file.split(b'\n'));
    let mut pairs = Vec::new();
    for (at, (rem, add)) in open("rem.txt")?.split(b'\n').zip(open("add.txt")?.split(b'\n')).enumerate().take(MAX_PAIRS)
    {
        let (before, after) =
            text(rem).and_then(|rem| Ok((rem, text(add)?))).map_err(|e| unreadable(folder, &e.to_string()))?;
        let context = contexts.as_mut().and_then(Iterator::next).and_then(|line| text(line).ok()).unwrap_or_default();
        if before.is_empty() && after.is_empty() {
            continue;
        }
        let head: String = context.chars().take(MAX_PART / 10).collect();
        let pair = Solution {
            id: format!("{name}:{}", at + 1),
            symptom: head,
            before: cut(&before),
            after: cut(&after),
            why: String::new(),
        };
        pairs.push(Known { language, pair });
    }
    Ok(pairs)
}

fn cut(part: &str) -> String {
    part.chars().take(MAX_PART).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        for (name, text) in files {
            std::fs::create_dir_all(path.join(name).parent().unwrap()).unwrap();
            std::fs::write(path.join(name), text).unwrap();
        }
        (folder, path)
    }

    #[test]
    fn shipped_ids_are_unique() {
        let pairs = shipped().unwrap();
        assert!(pairs.len() >= 30);
        assert_eq!(pairs.iter().map(|pair| &pair.id).collect::<BTreeSet<_>>().len(), pairs.len());
    }

    #[test]
    fn a_damaged_line_is_named() {
        let (_keep, path) = folder(&[("a.jsonl", "\n{\"id\": 1}\n")]);
        let error = load(&path.join("a.jsonl")).unwrap_err().to_string();
        assert!(error.starts_with("line 2 ") && error.contains("a.jsonl"), "{error}");
    }

    #[test]
    fn json_lines_of_several_kinds_and_diffs_are_read() {
        let (_keep, path) = folder(&[
            ("a.jsonl", "{\"buggy\": \"i <= n\", \"fixed\": \"i < n\", \"commit_message\": \"bound\"}\n"),
            (
                "empty-list.diff",
                "Guard empty lists\n\n--- a/A.java\n+++ b/A.java\n@@ -1 +1 @@\n-return x.get(0);\n+return x.isEmpty() ? null : x.get(0);\n",
            ),
            ("notes.txt", "nothing"),
        ]);
        let pairs = load(&path).unwrap().into_iter().map(|known| known.pair).collect::<Vec<_>>();
        assert_eq!(pairs.len(), 2);
        assert_eq!((pairs[0].id.as_str(), pairs[0].after.as_str()), ("a:1", "i < n"));
        assert_eq!((pairs[1].id.as_str(), pairs[1].symptom.as_str()), ("empty-list", "Guard empty lists"));
        assert_eq!(pairs[1].before, "return x.get(0);");
    }

    #[test]
    fn parallel_files_are_zipped_line_by_line() {
        let (_keep, path) = folder(&[
            ("rem.txt", "i <= n\n\nx = y\n"),
            ("add.txt", "i < n\n\nx = z\n"),
            ("context.txt", "void f ( ) { }\n\nint g ( ) { }\n"),
        ]);
        let pairs = load(&path).unwrap().into_iter().map(|known| known.pair).collect::<Vec<_>>();
        assert_eq!(pairs.len(), 2, "empty pairs teach nothing");
        assert_eq!((pairs[1].before.as_str(), pairs[1].after.as_str()), ("x = y", "x = z"));
        assert!(pairs[1].id.ends_with(":3") && pairs[1].symptom == "int g ( ) { }");
    }

    #[test]
    fn a_folder_without_pairs_says_so() {
        let (_keep, path) = folder(&[("notes.txt", "nothing")]);
        assert!(load(&path).unwrap_err().to_string().contains("no bug-fix pairs"));
    }

    proptest::proptest! {
        #[test]
        fn no_diff_makes_it_panic(text in proptest::prelude::any::<String>()) {
            diff(&text, "x");
        }
    }

    #[test]
    fn pairs_of_other_languages_are_left_out() {
        let (_temp, path) = folder(&[
            (
                "a.jsonl",
                "{\"id\": \"j\", \"before\": \"a\", \"after\": \"b\", \"language\": \"Java\"}\n\
              {\"id\": \"u\", \"before\": \"a\", \"after\": \"b\"}\n\
              {\"id\": \"s\", \"before\": \"a\", \"after\": \"b\", \"lang\": \"js\"}\n",
            ),
            ("p.diff", "--- a/x.py\n+++ b/x.py\n@@\n-a\n+b\n"),
        ]);
        let all = load(&path).unwrap();
        let ids = |wanted| of_language(&all, wanted).into_iter().map(|pair| pair.id).collect::<Vec<_>>().join(" ");
        assert_eq!((ids("java"), ids("python"), ids("other")), ("j u".into(), "u p".into(), "j u s p".into()));
        let (_temp, path) = folder(&[("javascript/rem.txt", "a\n"), ("javascript/add.txt", "b\n")]);
        assert_eq!(load(&path.join("javascript")).unwrap()[0].language, Some("javascript"));
    }
}
