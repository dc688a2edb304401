//! Projects in an odd state: what is done about each, and that the user's own files stay as they are.

use crate::support::{Finished, unidebug};
use std::fs;
use std::path::Path;
use std::process::Command;

const SUM: &str = "public class Sum { public static int of(int a, int b) { return a - b; } }\n";
const TEST: &str = "import org.junit.*;\npublic class SumTest {\n  @Test public void adds() { Assert.assertEquals(7, \
                    Sum.of(3, 4)); }\n  @Test public void keepsZero() { Assert.assertEquals(5, Sum.of(5, 0)); }\n}\n";

fn project(sum: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in [("src/Sum.java", sum), ("test/SumTest.java", TEST.as_bytes())] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

fn git(folder: &Path, args: &[&str]) -> String {
    let who = ["-c", "user.name=u", "-c", "user.email=u@localhost"];
    let done = Command::new("git").args(who).args(args).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

fn run(folder: &Path) -> Finished {
    unidebug(&["run", folder.to_str().unwrap(), "--model", "builtin", "--json"])
}

#[test]
fn a_dirty_tree_is_repaired_as_it_lies_there_and_not_touched() {
    let folder = project(SUM.replace("a - b", "a + b").as_bytes());
    let file = folder.path().join("src/Sum.java");
    git(folder.path(), &["init", "-q"]);
    git(folder.path(), &["add", "-A"]);
    git(folder.path(), &["commit", "-q", "-m", "well"]);
    fs::write(&file, SUM).unwrap();
    fs::write(folder.path().join("notes.txt"), "not committed").unwrap();
    let before = git(folder.path(), &["status", "--porcelain"]);
    let done = run(folder.path());
    done.expect_code(0);
    assert!(
        done.json()["patch"]
            .as_str()
            .unwrap()
            .contains("+public class Sum { public static int of(int a, int b) { return a + b; } }")
    );
    assert_eq!(
        (fs::read_to_string(&file).unwrap(), git(folder.path(), &["status", "--porcelain"])),
        (SUM.into(), before)
    );
}

#[test]
fn a_project_without_git_is_repaired_and_has_no_history() {
    let folder = project(SUM.as_bytes());
    run(folder.path()).expect_code(0);
    let bug = folder.path().to_str().unwrap();
    let args = r#"{"file_path": "src/Sum.java", "start_line": 1, "end_line": 1}"#;
    let asked = unidebug(&["tool", "code_history", "--bug", bug, "--args", args, "--json"]);
    assert!(asked.json()["observation"].as_str().unwrap().contains("no git repository"), "{asked}");
}
