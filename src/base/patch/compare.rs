//! Whether a patch is *correct*: the same as the developer's in the normal form of the syntax tree.

use super::Originals;
use super::normal::form;
use crate::domain::{FileChange, Fingerprint, Patch, RepoPath};
use crate::language::{Language, decode};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whether two texts have the same normal form. Texts that do not parse are compared line by line, comments included:
/// what blanks and line breaks mean in them is not known.
pub fn same(a: &[u8], b: &[u8], language: &dyn Language) -> bool {
    if a == b {
        return true;
    }
    let (a, b) = (decode(a).0, decode(b).0);
    match (form(&a, language), form(&b, language)) {
        (Some(a), Some(b)) => a == b,
        _ => a.lines().eq(b.lines()),
    }
}

/// A name for what a patch makes of the files that it touches: patches of the same normal form have the same.
pub fn normal_name(patch: &Patch, language: &dyn Language) -> String {
    let mut files: Vec<&FileChange> = patch.files.iter().collect();
    files.sort_by_key(|file| &file.path);
    let mut fingerprint = Fingerprint::default();
    for file in files {
        let is_source = language.is_source(file.path.as_str().into()) && !file.deletes();
        let text = decode(&file.after).0;
        // Examples in comments and lone texts may be tests, which the normal form leaves out.
        let form = (is_source && !text.contains(">>>")).then(|| form(&text, language)).flatten();
        fingerprint.add(file.path.as_str()).add([u8::from(form.is_some()), u8::from(file.deletes())]);
        match form {
            Some(form) => fingerprint.add(form),
            None => fingerprint.add(&file.after),
        };
    }
    fingerprint.name()
}

/// Whether two members of a type have the same normal form.
pub(super) fn same_members(a: &str, b: &str, language: &dyn Language) -> bool {
    same(language.wrapped(a).text.as_bytes(), language.wrapped(b).text.as_bytes(), language)
}

/// `Some(true)` when every file that either side touches ends in the same normal form; `None` otherwise, since a patch
/// may be right in other words. `oracle_files` are whole files as the developer left them.
pub fn correct(
    patch: &Patch,
    oracle_files: &[(RepoPath, Vec<u8>)],
    originals: &dyn Originals,
    language: &dyn Language,
) -> Option<bool> {
    if oracle_files.is_empty() {
        return None;
    }
    let oracle: BTreeMap<&RepoPath, &[u8]> =
        oracle_files.iter().map(|(path, bytes)| (path, bytes.as_slice())).collect();
    let patched: BTreeMap<&RepoPath, &Arc<[u8]>> = patch.files.iter().map(|file| (&file.path, &file.after)).collect();
    let same_file = |path: &RepoPath| {
        let original = originals.read(path);
        let left = patched.get(path).map(|bytes| bytes.as_ref()).or(original.as_deref());
        let right = oracle.get(path).copied().or(original.as_deref());
        matches!((left, right), (Some(left), Some(right)) if same(left, right, language))
    };
    oracle.keys().chain(patched.keys()).all(|path| same_file(path)).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Java, Python};

    #[test]
    fn layout_and_comments_do_not_count() {
        let same = |a: &str, b: &str| same(a.as_bytes(), b.as_bytes(), &Java);
        assert!(same(
            "class A { int f() { return a+b; } }",
            "class A {\n  // sum\n  int f()\n  { return a + b /* x */; }\n}\n"
        ));
        assert!(!same("class A { String s = \"a b\"; }", "class A { String s = \"a  b\"; }"));
        assert!(!same("class A { int f = 1; }", "class A { int f = 2; }"));
        assert!(!same("class A { int f = # 1; }", "class A { int f = 1; }"), "the parser skips what it cannot read");
        assert!(same("class A { int f = # 1; }\n", "class A { int f = # 1; }\r\n"));
        assert!(!same("# \"a b\"", "# \"a  b\""), "blanks may stand in a text");
        assert!(!same("# // a\nb();", "# // a b();"), "a line break ends a comment");
    }

    #[test]
    fn patches_of_one_normal_form_have_one_name() {
        let name = |path: &str, text: &str| {
            let path = RepoPath::new(path).unwrap();
            let file = FileChange { path, before: None, after: text.as_bytes().into() };
            normal_name(&Patch { files: vec![file] }, &Java)
        };
        let plain = name("A.java", "class A { int f = 2; }");
        assert_eq!(name("A.java", "class A {\n    int f = (2); // why\n}\n"), plain);
        assert_ne!(name("A.java", "class A { int f = 3; }"), plain);
        assert_ne!(name("B.java", "class A { int f = 2; }"), plain);
        assert_ne!(name("a.txt", "a b"), name("a.txt", "a  b"), "in other texts blanks count");
    }

    #[test]
    fn where_layout_is_code_it_counts_and_lone_texts_do_not() {
        let same = |a: &str, b: &str| same(a.as_bytes(), b.as_bytes(), &Python);
        assert!(same(
            "def f(a):\n    return a+1\n",
            "def f(a):\n\n  return a + 1  # one more\n\n\n\"\"\"What.\"\"\"\n"
        ));
        assert!(!same("if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"));
        assert!(!same("a\n(b)\n", "a(b)\n"));
        assert!(!same("f('a')\n", "f('b')\n"));
    }

    struct Files(Vec<(&'static str, &'static str)>);
    impl Originals for Files {
        fn read(&self, path: &RepoPath) -> Option<Arc<[u8]>> {
            self.0.iter().find(|(name, _)| *name == path.as_str()).map(|(_, text)| text.as_bytes().into())
        }
    }

    #[test]
    fn every_file_of_either_side_counts() {
        let files = Files(vec![("A.java", "class A { int f = 1; }"), ("B.java", "class B { }")]);
        let path = |name: &str| RepoPath::new(name).unwrap();
        let change = |name: &str, text: &str| FileChange {
            path: path(name),
            before: files.read(&path(name)),
            after: text.as_bytes().into(),
        };
        let oracle = [(path("A.java"), b"class A { int f = 2; }".to_vec())];
        let judged = |changes: Vec<FileChange>| correct(&Patch { files: changes }, &oracle, &files, &Java);
        assert_eq!(judged(vec![change("A.java", "class A { int f = 2; /* why */ }")]), Some(true));
        assert_eq!(judged(vec![change("A.java", "class A { int f = 3; }")]), None);
        assert_eq!(judged(vec![]), None);
        let more = vec![change("A.java", "class A { int f = 2; }"), change("B.java", "class B { int g; }")];
        assert_eq!(judged(more), None);
        assert_eq!(correct(&Patch::default(), &[], &files, &Java), None);
    }
}
