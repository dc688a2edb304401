//! Test modules of Python whose assertions pytest rewrites: that work is kept between processes and runs, where no test can
//! change it.

use crate::support::{Finished, Trial, Unidebug, write_files};
use camino::{Utf8Path, Utf8PathBuf};

/// A test that tries to put something in the place of what is kept.
const CLOSED: &str = r#"
import os
import sys
import types
import shop


def test_what_is_kept_is_closed():
    words = open("/proc/self/cmdline").read().split("\0")
    folder = next(word for word in words if "/rewritten/" in word and os.path.isdir(word))
    kept = os.path.join(folder, (os.listdir(folder) + ["new"])[0])
    for path in (kept, os.path.join(folder, "new")):
        try:
            with open(path, "wb"):
                raise AssertionError(path)
        except OSError:
            pass


def test_no_name_leads_to_the_code_of_tests():
    held = [value for value in vars(sys.modules["__main__"]).values() if isinstance(value, dict)]
    assert not any(isinstance(code, types.CodeType) for each in held for code in each.values())
"#;

/// A project with a module of many assertions, of which one fails.
fn project(folder: &Utf8Path) {
    let many: String =
        (0..60).map(|n| format!("    assert shop.total([{n}, 1]) == {n} + 1\n    assert True\n")).collect();
    write_files(
        folder,
        &[
            ("shop.py", "def total(prices):\n    return sum(prices[1:])\n"),
            ("tests/test_many.py", &format!("import shop\n\n\ndef test_sums():\n{many}")),
            ("tests/test_closed.py", CLOSED),
        ],
    );
}

/// A run on the project, with a cache of its own.
fn run(folder: &Utf8Path, cache: &Utf8Path) -> Finished {
    let done = Unidebug::new(&["run", folder.as_str()]).env("UNIDEBUG_CACHE_DIR", cache.as_str()).run();
    done.expect_code(0);
    assert!(
        done.stdout.contains("+    return sum(prices)") || done.stdout.contains("+    return sum(prices[0:])"),
        "{done}"
    );
    assert!(done.stderr.contains("1 test fails, 2 pass"), "{done}");
    done
}

/// What is kept for all interpreters.
fn kept(cache: &Utf8Path) -> Vec<Utf8PathBuf> {
    let folders = cache.join("rewritten").read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path());
    folders.flat_map(|folder| folder.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path())).collect()
}

#[test]
fn what_pytest_rewrote_is_kept_where_no_test_can_change_it() {
    let temp = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(temp.path()).unwrap();
    let (own, cache) = (folder.join("own"), folder.join("cache"));
    project(&own);
    run(&own, &cache);
    let [file] = &kept(&cache)[..] else { panic!("one module has many assertions: {:?}", kept(&cache)) };
    let written = |file: &Utf8Path| std::fs::metadata(file).unwrap().modified().unwrap();
    let before = written(file);
    std::fs::write(own.join("notes.txt"), "not the tree that was opened before").unwrap();
    run(&own, &cache);
    assert_eq!(written(file), before, "what is there is not written again");
    std::fs::write(file, "no code").unwrap();
    std::fs::write(own.join("notes.txt"), "nor this one").unwrap();
    run(&own, &cache);
}

#[tokio::test]
async fn a_failure_tells_where_bytes_differ() {
    let test = "def test_head():\n    assert b'GET /a HTTP/2.1' + 99 * b' ' == b'GET /a HTTP/1.1' + 99 * b' '\n\n\n\
                def test_long():\n    assert bytes(200_000) == bytes(200_000) + b'1'\n";
    let trial = Trial::python(&[("head.py", ""), ("test_head.py", test)]).await;
    let judge = trial.open().await;
    let message = |id: &str| judge.baseline().report.results[&id.parse().unwrap()].failure.clone().unwrap().message;
    let told = "they part in b'GET /a HTTP/2.1          ' and b'GET /a HTTP/1.1          '";
    assert_eq!(message("test_head#test_head").lines().nth(1).map(str::trim), Some(told));
    assert!(!message("test_head#test_long").contains("they part"), "nobody waits for that");
}
