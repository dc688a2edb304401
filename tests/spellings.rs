//! One patch in many spellings: each says the same, and none reaches a file outside of the product. Ten thousand texts in a
//! usual run, a million in `make soak`.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use unidebug::domain::{Patch, RepoPath};
use unidebug::language::Java;
use unidebug::patch::{Edits, Originals, Policy, apply, proposal};

fn cases() -> usize {
    if std::env::var_os("UNIDEBUG_SOAK").is_some() { 1_000_000 } else { 10_000 }
}

/// Files of the product, of the tests and of neither.
const FILES: [(&str, &str); 5] = [
    ("src/a/A.java", "package a;\n\nclass A {\n    int n;\n\n    int get() {\n        return n + 1;\n    }\n}\n"),
    (
        "src/a/Käfer.java",
        "package a;\n\nclass Käfer {\n    int n;\n\n    int get() {\n        return n + 1;\n    }\n}\n",
    ),
    ("src/res/words.txt", "one\ntwo\nthree\n"),
    (
        "test/a/ATest.java",
        "package a;\n\nclass ATest {\n    int n;\n\n    int get() {\n        return n + 1;\n    }\n}\n",
    ),
    ("pom.xml", "<project>\n    int n;\n\n    int get() {\n        return n + 1;\n    }\n</project>\n"),
];
/// Ways to a file that is not the product's.
const OUTSIDE: [&str; 16] = [
    "../src/a/A.java",
    "src/../../x/A.java",
    "/etc/A.java",
    "src/a/../../test/a/ATest.java",
    "test/a/ATest.java",
    "src/./../pom.xml",
    "pom.xml",
    ".git/hooks/A.java",
    "src/.git/A.java",
    "src\\..\\..\\A.java",
    "C:\\src\\A.java",
    "src/a/A.java\u{0}.txt",
    "src/a/\nA.java",
    "~/A.java",
    "src//..//..//A.java",
    "file:///src/A.java",
];

struct Held(BTreeMap<RepoPath, Arc<[u8]>>);

impl Held {
    fn new(end: &str) -> Self {
        let held =
            |(path, text): &(&str, &str)| (RepoPath::new(path).unwrap(), text.replace('\n', end).into_bytes().into());
        Self(FILES.iter().map(held).collect())
    }
}

impl Originals for Held {
    fn read(&self, path: &RepoPath) -> Option<Arc<[u8]>> {
        self.0.get(path).cloned()
    }
}

fn policy() -> Policy {
    Policy::new(vec![RepoPath::new("src").unwrap()], vec![RepoPath::new("test").unwrap()], &Java)
}

/// Writes names and texts in one way or another.
struct Pen {
    random: fastrand::Rng,
}

impl Pen {
    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        self.random.choice(of.iter()).copied().unwrap_or("")
    }

    /// A name as git writes it: bare, in quotes, or with bytes by number.
    fn name(&mut self, prefix: &str, path: &str) -> String {
        let name = format!("{prefix}{path}");
        let is_plain = name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\' && byte != b'"');
        match self.random.u8(0..4) {
            0 | 1 if is_plain => name,
            2 if is_plain => format!("\"{name}\""),
            _ => {
                let all = self.random.bool();
                let byte = |byte: u8| match byte {
                    b'\\' | b'"' => format!("\\{}", char::from(byte)),
                    _ if all || !byte.is_ascii_graphic() => format!("\\{byte:03o}"),
                    _ => char::from(byte).to_string(),
                };
                format!("\"{}\"", name.bytes().map(byte).collect::<String>())
            }
        }
    }

    /// The same change of a file in any form that tools write.
    fn diff(&mut self, path: &str) -> String {
        let (a, b) = if self.random.u8(0..4) == 0 { ("", "") } else { ("a/", "b/") };
        let (old, new) = (self.name(a, path), self.name(b, path));
        let mut text =
            self.one(&["", "", "Here is the repair.\n\n", "```diff\n", "From 1 Mon\nSubject: x\n\n"]).to_owned();
        if self.random.bool() {
            text.push_str(&format!("diff --git {old} {new}\n"));
            text.push_str(self.one(&["", "index 1a2b3c4..5d6e7f8 100644\n", "index 1..2\n"]));
        }
        let stamp = self.one(&["", "", "\t2026-01-02 03:04:05.000000000 +0000", "\t(revision 3)"]);
        text.push_str(&format!("--- {old}{stamp}\n+++ {new}{stamp}\n"));
        let header = self.one(&[
            "@@ -6,3 +6,3 @@\n",
            "@@ -6,3 +6,3 @@ class A {\n",
            "@@\n",
            "@@ -60,3 +61,3 @@\n",
            "@@ -6,9 +6,2 @@\n",
            "@@ -6 +6 @@\n",
        ]);
        text.push_str(header);
        text.push_str("     int get() {\n-        return n + 1;\n+        return n - 1;\n     }\n");
        // What follows by mail is no part of a hunk that is counted right.
        let ends: &[&str] = if header.starts_with("@@ -6,3 +6,3") { &["", "\n", "-- \n2.43.0\n"] } else { &["", "\n"] };
        text.push_str(self.one(ends));
        if text.starts_with("```") {
            text.push_str("```\n");
        }
        if self.random.u8(0..4) == 0 {
            text = text.replace('\n', "\r\n");
        }
        if self.random.u8(0..4) == 0 {
            text.insert(0, '\u{feff}');
        }
        text
    }

    /// The same with a part that no repair has.
    fn damaged(&mut self, path: &str) -> String {
        let mut text = self.diff(path);
        let word = self.one(&[
            "new file mode 120000\n",
            "new file mode 160000\n",
            "old mode 100644\nnew mode 100755\n",
            "rename from src/a/A.java\nrename to ../A.java\n",
            "rename from pom.xml\nrename to src/a/B.java\n",
            "rename from \"src/a/A.java\"\nrename to \"\\056\\056/A.java\"\n",
            "GIT binary patch\nliteral 3\nKcmZ\n",
            "--- a/src/a/A.java\n+++ /dev/null\n@@ -1 +0,0 @@\n-package a;\n",
            "--- /dev/null\n+++ b/../B.java\n@@ -0,0 +1 @@\n+class B {}\n",
            "*** Move to: ../x\n",
            "\u{0}",
            "\u{1f}\u{7f}",
            "\u{202e}",
            "+++ b/\"",
            "--- \"\\",
        ]);
        let mut at = self.random.usize(0..=text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        text.insert_str(at, word);
        text
    }
}

/// How the bytes of a file spell its text.
#[derive(Debug, Clone, Copy)]
enum Bytes {
    Unix,
    Windows,
    Marked,
    Latin1,
    Unended,
}

const BYTES: [Bytes; 5] = [Bytes::Unix, Bytes::Windows, Bytes::Marked, Bytes::Latin1, Bytes::Unended];

impl Bytes {
    fn write(self, text: &str) -> Vec<u8> {
        match self {
            Self::Unix => text.into(),
            Self::Windows => text.replace('\n', "\r\n").into(),
            Self::Marked => format!("\u{feff}{text}").into(),
            Self::Latin1 => text.chars().map(|c| u8::try_from(c).unwrap()).collect(),
            Self::Unended => text.trim_end().into(),
        }
    }
}

impl Pen {
    /// The same change in any form of `write_fix`.
    fn proposal(&mut self, path: &str) -> Value {
        let file = self.one(&["file_path", "file", "path", "filename"]).to_owned();
        let line = "        return n - 1;";
        let number = if self.random.bool() { json!(7) } else { json!("7") };
        let edits = match self.random.u8(0..4) {
            0 => return json!({"diff": self.diff(path)}),
            1 => {
                let name = self.one(&["get", "get()"]).to_owned();
                let edit = json!({file: path, "method": name, "code": format!("    int get() {{\n{line}\n    }}")});
                return json!({"methods": self.listed(edit)});
            }
            2 => json!({file: path, "modifications": [{"line_number": number, "modified_line": line}]}),
            _ => {
                json!({file: path, "deletions": [number], "insertions": [{"line_number": 8, "new_lines": [line]}]})
            }
        };
        json!({self.one(&["edits", "changes"]): self.listed(edits)})
    }

    /// An edit alone, in a list, or as text.
    fn listed(&mut self, edit: Value) -> Value {
        match self.random.u8(0..3) {
            0 => edit,
            1 => json!([edit]),
            _ => json!(json!([edit]).to_string()),
        }
    }
}

fn is_inside(patch: &Patch) -> bool {
    patch.paths().all(|path| {
        path.as_str().starts_with("src/") && !path.as_str().split('/').any(|part| part == ".." || part == ".git")
    })
}

/// On all processors, so many texts each.
fn each(read: impl Fn(&mut Pen) + Sync) {
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(4);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let read = &read;
            scope.spawn(move || {
                let mut pen = Pen { random: fastrand::Rng::with_seed(thread as u64 + 1) };
                (0..cases() / threads).for_each(|_| read(&mut pen));
            });
        }
    });
}

#[test]
fn one_patch_in_any_spelling_is_one_patch() {
    let (unix, windows) = (Held::new("\n"), Held::new("\r\n"));
    each(|pen| {
        for held in [&unix, &windows] {
            let path = FILES[pen.random.usize(0..2)].0;
            let text = pen.diff(path);
            let patch = apply(&Edits::Diff(text.clone()), held, &policy());
            let patch = patch.unwrap_or_else(|error| panic!("{error}\n{text}"));
            let [file] = patch.files.as_slice() else { panic!("{text}") };
            let before = String::from_utf8(held.0[&file.path].to_vec()).unwrap();
            let wanted = before.replace("return n + 1;", "return n - 1;");
            assert_eq!((file.path.as_str(), &*file.after), (path, wanted.as_bytes()), "{text}");
        }
    });
}

#[test]
fn one_change_in_any_form_and_encoding_is_one_patch() {
    let text = FILES[0].1.replace("int n;", "int n; // für größere Zahlen");
    let path = RepoPath::new(FILES[0].0).unwrap();
    let files = BYTES.map(|bytes| Held(BTreeMap::from([(path.clone(), bytes.write(&text).into())])));
    let wanted = BYTES.map(|bytes| bytes.write(&text.replace("return n + 1;", "return n - 1;")));
    each(|pen| {
        let nth = pen.random.usize(0..BYTES.len());
        let sent = pen.proposal(path.as_str());
        let edits = proposal::parse(&sent).unwrap_or_else(|error| panic!("{error}\n{sent}")).edits;
        let patch = apply(&edits, &files[nth], &policy()).unwrap_or_else(|error| panic!("{error}\n{sent}"));
        let [file] = patch.files.as_slice() else { panic!("{sent}") };
        assert_eq!((&file.path, &*file.after), (&path, &*wanted[nth]), "{:?}: {sent}", BYTES[nth]);
    });
}

#[test]
fn no_spelling_of_a_path_leads_outside() {
    let held = Held::new("\n");
    each(|pen| {
        let path = *pen.random.choice(OUTSIDE.iter()).unwrap();
        let text = pen.diff(path);
        if let Ok(patch) = apply(&Edits::Diff(text.clone()), &held, &policy()) {
            // What such a name could still mean must lie in the product.
            assert!(is_inside(&patch), "{path}\n{text}");
        }
        let path = FILES[pen.random.usize(0..FILES.len())].0;
        let text = pen.damaged(path);
        if let Ok(patch) = apply(&Edits::Diff(text.clone()), &held, &policy()) {
            assert!(is_inside(&patch), "{path}\n{text}");
        }
    });
}
