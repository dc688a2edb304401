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
    let history = unidebug(&["tool", "code_history", "--bug", bug, "--args", args, "--json"]);
    assert!(history.json()["observation"].as_str().unwrap().contains("no git repository"), "{history}");
}

/// The second test fails when the first one, which is skipped, was there; by itself it passes.
const UNSTEADY: &str = "import org.junit.*;
@FixMethodOrder(org.junit.runners.MethodSorters.NAME_ASCENDING)
public class LuckTest {
  @Test public void beginsByLuck() { System.setProperty(\"was.here\", \"yes\"); Assume.assumeTrue(false); }
  @Test public void dependsOnLuck() { Assert.assertNull(System.getProperty(\"was.here\")); }
}
";

#[test]
fn a_flaky_test_is_no_bug_to_repair() {
    let folder = project(SUM.replace("a - b", "a + b").as_bytes());
    fs::write(folder.path().join("test/LuckTest.java"), UNSTEADY).unwrap();
    let named = unidebug(&["run", folder.path().to_str().unwrap(), "--model", "builtin", "--failing", "LuckTest"]);
    named.expect_code(3);
    assert!(named.stderr.contains("LuckTest is flaky: it failed once and passed then"), "{named}");
    assert!(named.stderr.contains("hint: a repair could not be told from luck"), "{named}");
    let unnamed = run(folder.path());
    unnamed.expect_code(3);
    assert!(
        unnamed.stderr.contains("nothing to repair") && unnamed.stderr.contains("dependsOnLuck: flaky"),
        "{unnamed}"
    );
}

#[test]
fn a_file_in_utf_16_is_named() {
    let text: Vec<u8> = "\u{feff}".encode_utf16().chain(SUM.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let folder = project(&text);
    let done = run(folder.path());
    done.expect_code(3);
    assert!(done.stderr.contains("src/Sum.java is UTF-16 and compiled as UTF-8; save it as UTF-8"), "{done}");
    assert!(done.stderr.contains("hint: ") && fs::read(folder.path().join("src/Sum.java")).unwrap() == text);
}
