//! Patch scenarios: every folder of `fixtures/patches` is one, and adding a case adds no Rust.
//!
//! `input/` is the checkout (sources in `src`, tests in `test`), `patch.diff` or `patch.json` what a model sent,
//! `expected/` the files afterwards, or `expected_error.txt` the outcome and parts of what is told.

use camino::{Utf8Path, Utf8PathBuf};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;
use unidebug::domain::{FileChange, Patch, RepoPath};
use unidebug::language::{Java, Language, Python};
use unidebug::patch::{Edits, Folder, Originals, PatchError, Policy, apply, proposal, render_bytes, replaced_methods};

type Files = BTreeMap<RepoPath, Vec<u8>>;

fn scenarios() -> Vec<Utf8PathBuf> {
    let all = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/patches");
    let mut folders: Vec<_> =
        all.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn files_in(folder: &Utf8Path) -> Files {
    let originals = Folder::new(folder);
    originals.paths().iter().map(|path| (path.clone(), originals.read(path).unwrap().to_vec())).collect()
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn policy(files: &Files) -> Policy {
    let python = files.keys().any(|file| file.as_str().ends_with(".py"));
    let language: &'static dyn Language = if python { &Python } else { &Java };
    let mut policy = Policy::new(vec![path("src")], vec![path("test")], language);
    let mut sources = files.keys().filter(|file| file.is_within(&path("src")));
    policy.default_file = sources.next().filter(|_| sources.next().is_none()).cloned();
    policy
}

fn edits(scenario: &Utf8Path) -> Edits {
    match std::fs::read_to_string(scenario.join("patch.diff")) {
        Ok(text) => Edits::Diff(text),
        Err(_) => {
            let text = std::fs::read_to_string(scenario.join("patch.json")).unwrap();
            proposal::parse(&serde_json::from_str(&text).unwrap()).unwrap().edits
        }
    }
}

/// The files after `git apply` of the rendered patch, in a fresh folder.
fn applied_by_git(files: &Files, patch: &Patch) -> Files {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    for (path, bytes) in files {
        let full = path.under(root);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, bytes).unwrap();
    }
    let diff = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(diff.path(), render_bytes(patch)).unwrap();
    let output = Command::new("git")
        .args(["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn"])
        .arg(diff.path())
        .current_dir(root)
        .env("GIT_CEILING_DIRECTORIES", root.parent().unwrap())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}\n{}", String::from_utf8_lossy(&render_bytes(patch)));
    files_in(root)
}

fn kind(error: &PatchError) -> &'static str {
    match error {
        PatchError::Unappliable { .. } => "unappliable",
        PatchError::Refused { .. } => "refused",
    }
}

#[test]
fn every_scenario_ends_as_it_says() {
    let mut wrong = Vec::new();
    let all = scenarios();
    assert!(all.len() >= 20, "only {} scenarios", all.len());
    for scenario in all {
        let name = scenario.file_name().unwrap();
        let input = files_in(&scenario.join("input"));
        let outcome = apply(&edits(&scenario), &Folder::new(scenario.join("input")), &policy(&input));
        match (outcome, std::fs::read_to_string(scenario.join("expected_error.txt"))) {
            (Err(error), Ok(expected)) => {
                let message = format!("{}: {error}", kind(&error));
                for part in expected.lines().filter(|part| !message.contains(part)) {
                    wrong.push(format!("{name}: `{part}` is not in\n{message}"));
                }
            }
            (Ok(patch), Err(_)) => {
                let mut expected = input.clone();
                expected.extend(files_in(&scenario.join("expected")));
                let gone = std::fs::read_to_string(scenario.join("expected_gone.txt")).unwrap_or_default();
                expected.retain(|path, _| !gone.lines().any(|line| line == path.as_str()));
                let mut after = input.clone();
                after.extend(patch.files.iter().map(|file| (file.path.clone(), file.after.to_vec())));
                after.retain(|path, _| !patch.files.iter().any(|file| file.path == *path && file.deletes()));
                if after.len() != expected.len() {
                    wrong.push(format!("{name}: {:?} are left", after.keys()));
                }
                for (path, bytes) in expected.iter().filter(|(path, bytes)| after.get(*path) != Some(bytes)) {
                    let got = after.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
                    let wanted = String::from_utf8_lossy(bytes);
                    wrong.push(format!("{name}: {path} is\n{}\ninstead of\n{wanted}", got.unwrap_or_default()));
                }
                assert_eq!(applied_by_git(&input, &patch), after, "{name}: git makes other files of the diff");
            }
            (Ok(_), Ok(_)) => wrong.push(format!("{name}: applied, and should not")),
            (Err(error), Err(_)) => wrong.push(format!("{name}: {}: {error}", kind(&error))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn methods_that_would_be_replaced_are_known_before() {
    let folder = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/patches");
    let scenario = |name: &str| scenarios().into_iter().find(|path| path.as_str().ends_with(name)).unwrap();
    let replaced = |name: &str| {
        let scenario = folder.join(scenario(name));
        let Edits::Methods(edits) = edits(&scenario) else { panic!("{name} sends methods") };
        let input = scenario.join("input");
        replaced_methods(&edits, &Folder::new(&input), &policy(&files_in(&input)))
    };
    let spans: Vec<_> =
        replaced("constructor_of_a_nested_class").iter().map(|(_, span)| (span.first, span.last)).collect();
    assert_eq!(spans, [(22, 24)]);
    assert_eq!(replaced("import_field_method_and_type_inserted").len(), 1);
    assert!(replaced("overloaded_method_without_types").is_empty());
}

#[test]
fn links_in_the_checkout_lead_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    for inside in ["outside", "checkout/src"] {
        std::fs::create_dir_all(root.join(inside)).unwrap();
    }
    std::fs::write(root.join("outside/Target.java"), "class Target {\n}\n").unwrap();
    std::os::unix::fs::symlink(root.join("outside"), root.join("checkout/src/linked")).unwrap();
    std::os::unix::fs::symlink(root.join("outside/Target.java"), root.join("checkout/src/Target.java")).unwrap();
    let originals = Folder::new(root.join("checkout"));
    let policy = Policy::new(vec![path("src")], vec![], &Java);
    for name in ["src/Target.java", "src/linked/Target.java"] {
        let edit = format!("--- a/{name}\n+++ b/{name}\n@@ @@\n class Target {{\n+    int n;\n }}\n");
        let error = apply(&Edits::Diff(edit), &originals, &policy).unwrap_err();
        assert!(matches!(error, PatchError::Unappliable { .. }), "{error}");
    }
    for name in ["src/Target.java", "src/linked/New.java"] {
        let new = format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+class New {{ }}\n");
        let error = apply(&Edits::Diff(new), &originals, &policy).unwrap_err();
        assert!(error.to_string().contains("symbolic link"), "{error}");
    }
}

#[test]
fn patches_have_a_size() {
    let refused = |text: String| {
        let policy = Policy::new(vec![path("src")], vec![], &Java);
        match apply(&Edits::Diff(text), &One(path("src/A.java"), b"class A { }\n".as_slice().into()), &policy) {
            Err(PatchError::Refused { what }) => what,
            other => panic!("{other:?}"),
        }
    };
    let new_file =
        |name: &str, lines: usize| format!("--- /dev/null\n+++ b/src/{name}.java\n@@ @@\n{}", "+// x\n".repeat(lines));
    assert!(refused(new_file("B", 60_000)).contains("at most 262144"));
    assert!(refused(new_file("B", 2001)).contains("at most 2000"));
    let many: String = (0..21).map(|n| new_file(&format!("N{n}"), 1)).collect();
    assert!(refused(many).contains("at most 20"));
}

/// One file, held in memory.
struct One(RepoPath, Arc<[u8]>);

impl Originals for One {
    fn read(&self, path: &RepoPath) -> Option<Arc<[u8]>> {
        (*path == self.0).then(|| self.1.clone())
    }
}

fn change(before: &[u8], after: &[u8]) -> Patch {
    let file = FileChange { path: path("src/A.java"), before: Some(before.into()), after: after.into() };
    Patch { files: vec![file] }
}

/// A file of a few different lines, with any line end, perhaps without a final one, perhaps not UTF-8.
fn some_file() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::select(vec!["\n", "\r\n"]).prop_flat_map(file_ending_lines_with)
}

/// Two files of the same line end: a diff cannot change line ends, inserted lines take those of the file.
fn two_files() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let two = |end| (file_ending_lines_with(end), file_ending_lines_with(end));
    prop::sample::select(vec!["\n", "\r\n"]).prop_flat_map(two)
}

fn file_ending_lines_with(end: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let line =
        prop::sample::select(vec!["a", "  b;", "}", "", "\tc // x", "-- d", "++ e", "@@ f @@", "é", "int g = 1;"]);
    let lines = prop::collection::vec(line, 0..14);
    (lines, any::<bool>(), any::<bool>()).prop_map(move |(lines, open, latin)| {
        let mut text = lines.join(end);
        if !open && !text.is_empty() {
            text.push_str(end);
        }
        if latin { text.chars().map(|c| u8::try_from(c).unwrap()).collect() } else { text.into_bytes() }
    })
}

/// Two equal or empty files come up now and then, the oftener the more cases there are.
const REJECTS: u32 = 1 << 20;

#[test]
fn git_takes_what_is_rendered() {
    // A process each: the counts of `PROPTEST_CASES`, which the macro obeys, are for what needs none.
    let cases = if std::env::var_os("UNIDEBUG_SOAK").is_some() { 1000 } else { 64 };
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let checked = TestRunner::new(config).run(&(some_file(), some_file()), |(before, after)| {
        // An empty file is no change git could see, and a file is never deleted by a patch.
        prop_assume!(before != after && !before.is_empty() && !after.is_empty());
        let files = Files::from([(path("src/A.java"), before.clone())]);
        let patch = change(&before, &after);
        prop_assert_eq!(&applied_by_git(&files, &patch)[&path("src/A.java")], &after);
        Ok(())
    });
    checked.unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_global_rejects: REJECTS, ..ProptestConfig::default() })]

    #[test]
    fn our_own_diffs_come_back((before, after) in two_files()) {
        // A file of one open line has no line end that others could take over.
        prop_assume!(before != after && before.contains(&b'\n') && !after.is_empty());
        let rendered = render_bytes(&change(&before, &after));
        // Text that a model could send: a diff of mixed encodings is none.
        let Ok(text) = String::from_utf8(rendered) else { return Ok(()) };
        let originals = One(path("src/A.java"), before.into());
        let policy = Policy::new(vec![path("src")], vec![], &Java);
        // Many equal lines can leave a hunk without context ambiguous; then it must say so, never do something else.
        match apply(&Edits::Diff(text.clone()), &originals, &policy) {
            Ok(patch) => prop_assert_eq!(patch.files[0].after.as_ref(), after.as_slice(), "{}", text),
            Err(error) => prop_assert!(matches!(error, PatchError::Unappliable { .. }), "{}", error),
        }
    }

    #[test]
    fn nothing_breaks_the_applier(text in "([ +-]|@@|--- a|\\+\\+\\+ b)?[a-c{};\t é/*\"]{0,6}\n{0,2}", file in some_file(), parts in 0..6_usize) {
        let originals = One(path("src/A.java"), file.into());
        let mut policy = Policy::new(vec![path("src")], vec![], &Java);
        policy.default_file = Some(path("src/A.java"));
        let _ = apply(&Edits::Diff(text.repeat(parts)), &originals, &policy);
        let methods = serde_json::json!({"methods": [{"file_path": "src/A.java", "code": text, "method": "g"}, {"file_path": "src/A.java", "code": text}]});
        if let Ok(proposal) = proposal::parse(&methods) {
            let _ = apply(&proposal.edits, &originals, &policy);
        }
    }

    #[test]
    fn bytes_outside_of_the_hunk_stay(file in some_file(), at in 0..14_usize, new in "[a-z ]{0,9}") {
        let text: Vec<u8> = [b"first;\n".as_slice(), &file].concat();
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let at = at.min(lines.len() - 1);
        let edits = serde_json::json!({"edits": [{"file_path": "src/A.java", "modifications": [{"line_number": at + 1, "modified_line": new}]}]});
        let originals = One(path("src/A.java"), text.clone().into());
        let policy = Policy::new(vec![path("src")], vec![], &Java);
        if let Ok(proposal) = proposal::parse(&edits) {
            let patch = apply(&proposal.edits, &originals, &policy).unwrap();
            let after = patch.files.first().map_or(text.clone(), |file| file.after.to_vec());
            prop_assert!(after.starts_with(&lines[..at].concat()));
            prop_assert!(after.ends_with(&lines[at + 1..].concat()));
        }
    }
}
