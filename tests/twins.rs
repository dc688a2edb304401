//! `unidebug bench twin`: bugs under other names, in other words and another order, whose tests fail and pass alike.

use crate::support::{Finished, unidebug};
use std::fs;
use std::path::Path;

fn twin(set: &str, out: &Path, more: &[&str]) -> Finished {
    unidebug(&[&["bench", "twin", set, "--out", out.to_str().unwrap()][..], more].concat())
}

/// All that a folder holds, paths included.
fn everything(folder: &Path) -> String {
    let entries = ignore::WalkBuilder::new(folder).standard_filters(false).build().flatten();
    let text = |path: &Path| format!("{}\n{}", path.display(), fs::read_to_string(path).unwrap_or_default());
    entries.map(|entry| text(entry.path())).collect()
}

#[test]
fn a_bug_is_repaired_beside_its_twin_and_the_report_tells_the_drop() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("twins");
    let made = twin("fixtures:{roman-numerals,word-index}", &out, &["--json"]);
    made.expect_code(0);
    let twin = made.json();
    assert_eq!(
        (twin["twins"].as_array().unwrap().len(), twin["left_out"].as_object().unwrap().len()),
        (2, 0),
        "{made}"
    );
    assert!(twin["changed"].as_u64().unwrap() + 2 >= twin["declared"].as_u64().unwrap(), "{made}");
    assert_eq!(twin["twins"][1]["kept"]["setUp"], "the platform or a test library calls it");

    let bugs = out.join("bugs");
    let hidden = |bug: &str, names: &[&str]| {
        let project = everything(&bugs.join(bug).join("project"));
        for name in names {
            assert!(!project.contains(name), "`{name}` is still there: {project}");
        }
        project
    };
    hidden(
        "fixtures-roman-numerals",
        &["RomanTest", "Roman.", "SYMBOLS", "testFormat", "/numerals/", "package numerals"],
    );
    let project =
        hidden("fixtures-word-index", &["postings", "Index", "def counts", "def words", "wanted", "test_every"]);
    for unchanged in
        ["def setUp(self)", "unittest.TestCase", ".setdefault(", "re.compile", "\"Tea with milk, and more tea\""]
    {
        assert!(project.contains(unchanged), "`{unchanged}` was changed: {project}");
    }

    let root = out.to_str().unwrap();
    for (bug, name, more) in [
        ("fixtures:roman-numerals", "original", vec![]),
        ("twin:fixtures:roman-numerals", "twin", vec!["--root", root]),
    ] {
        let run = folder.path().join("runs").join(name);
        let args = ["run", bug, "--model", "builtin", "--quiet", "--out", run.to_str().unwrap()];
        unidebug(&[&args[..], &more].concat()).expect_code(0);
    }
    let report = unidebug(&["report", folder.path().join("runs").to_str().unwrap(), "--format", "md"]);
    assert!(report.stdout.contains("Originals and twins"), "{report}");
    assert!(report.stdout.contains("| builtin | plausible | 1 | 1 | 1 | 0 | 0 | 0.0 | "), "{report}");
}

#[test]
fn what_has_no_twin_is_named_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("sum")).unwrap();
    fs::create_dir_all(at("fixed")).unwrap();
    fs::write(at("sum/sum.py"), "print(int(input()) - 1)\n").unwrap();
    fs::write(at("fixed/sum.py"), "print(int(input()) + 1)\n").unwrap();
    let line =
        r#"{"id":"sum","directory":"sum","fixed":"fixed","run":"python3 sum.py","cases":[{"input":"1","output":"2"}]}"#;
    fs::write(at("bugs.jsonl"), line).unwrap();
    let done = twin("jsonl:sum", &at("twins"), &["--root", folder.path().to_str().unwrap()]);
    assert!(done.code != Some(0), "{done}");
    assert!(done.stderr.contains("no twins are made of programs that a command of their own tests"), "{done}");
    assert!(!at("twins/bugs.jsonl").exists() && !at("twins/bugs").exists(), "nothing is left of it");

    let used = twin("fixtures:ring-buffer", folder.path(), &[]);
    assert!(used.code != Some(0) && used.stderr.contains("is not empty"), "{used}");
    let none = unidebug(&["run", "twin:fixtures:ring-buffer", "--model", "builtin"]);
    assert!(none.stderr.contains("unidebug bench twin SET"), "{none}");
}
