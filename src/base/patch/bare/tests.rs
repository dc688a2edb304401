use super::*;
use crate::language::Java;
use crate::patch::{Policy, apply};
use proptest::prelude::*;
use std::sync::Arc;

const STACK: &str = "package a;\n\nclass Stack {\n    private int n;\n\n    /** Takes one. */\n    int pop() {\n        return n;\n    }\n\n    int size() {\n        return n;\n    }\n}\n";

struct Files(Vec<(RepoPath, &'static str)>, Vec<RepoPath>);
impl Originals for Files {
    fn read(&self, path: &RepoPath) -> Option<Arc<[u8]>> {
        self.0.iter().find(|(name, _)| name == path).map(|(_, text)| text.as_bytes().into())
    }
    fn paths(&self) -> &[RepoPath] {
        &self.1
    }
}

fn files() -> Files {
    let paths = vec![RepoPath::new("src/a/Other.java").unwrap(), RepoPath::new("src/a/Stack.java").unwrap()];
    Files(
        vec![
            (paths[0].clone(), "package a;\n\nclass Other {\n    int one() {\n        return 2;\n    }\n}\n"),
            (paths[1].clone(), STACK),
        ],
        paths,
    )
}

/// The files after the patch of an answer, in order of their paths.
fn patched(answer: &str) -> Option<Vec<String>> {
    let files = files();
    let shown = Shown { originals: &files, default_file: Some(&files.1[1]), language: &Java };
    let proposal = parse_bare(answer, &shown)?;
    let mut policy = Policy::new(vec![RepoPath::new("src").unwrap()], vec![], &Java);
    policy.default_file = Some(files.1[1].clone());
    let patch = apply(&proposal.edits, &files, &policy).unwrap_or_else(|error| panic!("{error}\n{:?}", proposal.edits));
    Some(patch.files.iter().map(|file| decode(&file.after).0).collect())
}

#[test]
fn diffs_are_found_with_and_without_fences() {
    let fixed = vec![STACK.replacen("return n;", "return --n;", 1)];
    for answer in [
        "--- a/src/a/Stack.java\n+++ b/src/a/Stack.java\n@@ -7,3 +7,3 @@\n     int pop() {\n-        return n;\n+        return --n;\n",
        "The fix:\n```diff\n     int pop() {\n-        return n;\n+        return --n;\n```\nIt works.",
        "In `src/a/Stack.java`:\n\n```\n@@ @@\n int pop() {\n-    return n;\n+    return --n;\n }\n```",
        "```json\n{\"diff\": \"@@ @@\\n     int pop() {\\n-        return n;\\n+        return --n;\\n\"}\n```",
        "Stack.java\n<<<<<<< SEARCH\n    int pop() {\n        return n;\n=======\n    int pop() {\n        return --n;\n>>>>>>> REPLACE\n",
    ] {
        assert_eq!(patched(answer).as_ref(), Some(&fixed), "{answer}");
    }
}

#[test]
fn code_blocks_of_methods_and_files_are_understood() {
    let fixed = vec![STACK.replacen("return n;", "return --n;", 1)];
    let whole = &fixed[0];
    for answer in [
        "Like so:\n```java\nint pop() {\n    return --n;\n}\n```\n".to_owned(),
        format!("```java\n{whole}```"),
        "```java\nint pop() {\n    return --n;\n}```".to_owned(),
        "```java\nclass Stack {\n    // ...\n    int pop() {\n        return --n;\n    }\n}\n```".to_owned(),
    ] {
        assert_eq!(patched(&answer).as_ref(), Some(&fixed), "{answer}");
    }
    let imported = patched(
        "```java\nimport java.util.List;\n\nclass Stack {\n    int pop() {\n        return --n;\n    }\n}\n```",
    );
    assert!(imported.unwrap()[0].starts_with("package a;\n\nimport java.util.List;\n\nclass Stack"));
    let both = "`src/a/Other.java`\n```java\nint one() {\n    return 1;\n}\n```\nand\n```java\n    int twice() {\n        return n * 2;\n    }\n```\n";
    let files = patched(both).unwrap();
    assert!(
        files[0].contains("return 1;") && files[1].contains("    int twice() {\n        return n * 2;\n    }\n}\n")
    );
}

#[test]
fn prose_is_the_explanation_and_no_patch_is_none() {
    let files = files();
    let shown = Shown { originals: &files, default_file: Some(&files.1[1]), language: &Java };
    let proposal = parse_bare("=== The count must fall. ===\n```java\nint pop() { return --n; }\n```", &shown).unwrap();
    assert_eq!(proposal.explanation.as_deref(), Some("The count must fall."));
    for answer in ["I do not know.", "```java\n```", "```\nreturn 1;\n```", "- a point\n+ another", ""] {
        assert_eq!(parse_bare(answer, &shown), None, "{answer}");
    }
}

proptest! {
    #[test]
    fn no_answer_breaks_the_reader(parts in prop::collection::vec(prop::sample::select(vec![
        "```", "```java\n", "```diff\n", "\n", "@@", "-a\n", "+b\n", "class Stack {", "}", "int pop() {", "<<<<<<< SEARCH\n",
        "=======\n", ">>>>>>> REPLACE\n", "é", "{\"diff\":", "\"", "--- a\n+++ b\n",
    ]), 0..12)) {
        let files = files();
        let shown = Shown { originals: &files, default_file: Some(&files.1[1]), language: &Java };
        let _ = parse_bare(&parts.concat(), &shown);
    }
}
