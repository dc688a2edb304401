//! Which lines tests execute, by every Python that is here.

use crate::support::{unidebug, write_files};
use std::process::Command;

const MEASURED: &str = r#"
import contextlib, os, re, sys, threading
CHILD = open(os.path.join(os.path.dirname(sys.argv[1]), "child.py")).read()
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"))
class Request: lines, sources, files, products = True, ["."], {"test_shop.py": "test_shop.py"}, set()
Request.measured = sys.argv[2:]
class Places:
    root = os.getcwd()
    def relative(self, path): return os.path.relpath(path, self.root)
class Records:
    def lines(self, name, files): print(name, *files)
executed = Executed(Request, Places())
sys.path.insert(0, Places.root)
executed.begin()
import shop, test_shop
for test in [test_shop.test_sum, test_shop.test_late, test_shop.test_program, test_shop.test_own, test_shop.test_sum]:
    executed.test()
    test()
    executed.tell(Records(), (test.__name__, "x"))
executed.test()
executed.unheard(test_shop.test_late)()
executed.tell(Records(), ("unheard", "x"))
sys.stdout.flush()
os._exit(0)
"#;

const MEASURED_SHOP: &str = "RATE = 2


def total(items):
    found = 0
    for item in items:
        if item == 70000:
            found -= 1
        found += item
    return found


def each(items):
    for item in items:
        yield item


def one(): return RATE


class Cart:
    def add(self, item):
        try:
            item / 0
        except ZeroDivisionError:
            item = one()
        return item
";

/// From Python 3.12 on lines are told in another way than before.
#[test]
fn every_python_tells_the_same_lines() {
    let folder = tempfile::tempdir().unwrap();
    let root = camino::Utf8Path::from_path(folder.path()).unwrap();
    let tests = "import subprocess, sys, threading\nfrom shop import Cart, each, total\n\n\ndef test_sum():\n    \
                 Cart().add(1)\n    list(each([1, 2]))\n\n\ndef test_late():\n    thread = threading.Thread(target=total, \
                 args=[range(80000)])\n    thread.start()\n    thread.join()\n\n\ndef test_program():\n    \
                 subprocess.check_call([sys.executable, '-c', 'import shop; shop.total([1])'])\n\n\n\
                 def test_own():\n    subprocess.check_call([sys.executable, '-c', 'import shop; shop.one()'], \
                 env={'PYTHONPATH': '.'})\n";
    write_files(root, &[("shop.py", MEASURED_SHOP), ("test_shop.py", tests), ("measure.py", MEASURED)]);
    let executed = concat!(env!("CARGO_MANIFEST_DIR"), "/src/judge/validate/python/runner/executed.py");
    let told_of = |program: &str, files: &[&str]| {
        let mut command = Command::new(program);
        let done = command.current_dir(root).args(["measure.py", executed]).args(files).output().ok()?;
        done.status.success().then(|| String::from_utf8(done.stdout).unwrap())
    };
    let pyenv = std::env::home_dir().unwrap().join(".pyenv/versions");
    let versions = pyenv.read_dir().into_iter().flatten().flatten().map(|entry| entry.path().join("bin/python3"));
    let versions = versions.map(|path| path.to_str().unwrap().to_owned());
    let on_path = ["python3", "/usr/bin/python3", "python3.12", "python3.13", "python3.14"].map(str::to_owned);
    let all: Vec<(String, String)> =
        on_path.into_iter().chain(versions).filter_map(|program| Some((told_of(&program, &[])?, program))).collect();
    assert!(!all.is_empty(), "no Python is here");
    if !all.iter().any(|(_, program)| has(program, "monitoring")) {
        eprintln!("passed over: no Python is here that is 3.12 or newer");
    }
    for (told, program) in all {
        let sum = "('test_sum', 'x') shop.py 1 4 13 14 15 18 21 22 23 24 25 26 27\n";
        let late = "('test_late', 'x') shop.py 1 4 5 6 7 8 9 10 13 18 21 22\n";
        let program_started = "('test_program', 'x') shop.py 1 4 5 6 7 9 10 13 18 21 22\n";
        // Before Python 3.8 nothing tells of the variables that a test makes by itself.
        let own = if has(&program, "addaudithook") { " shop.py 1 4 13 18 21 22" } else { "" };
        let own = format!("('test_own', 'x'){own}\n");
        let unheard = "('unheard', 'x')\n";
        assert_eq!(told, [sum, late, program_started, &own, sum, unheard].concat(), "{program}");
        assert_eq!(told_of(&program, &["shop.py"]), Some(told), "{program}: of the only file");
        let nothing = "('test_sum', 'x')\n('test_late', 'x')\n('test_program', 'x')\n('test_own', 'x')\n('test_sum', 'x')\n\
                       ('unheard', 'x')\n";
        assert_eq!(told_of(&program, &["till.py"]).as_deref(), Some(nothing), "{program}: of another file");
    }
}

/// Whether an interpreter has something in `sys`.
fn has(program: &str, name: &str) -> bool {
    let asked = Command::new(program).args(["-c", &format!("import sys; sys.{name}")]).output();
    asked.is_ok_and(|done| done.status.success())
}

/// A shop whose discounts are made when it is loaded; the fault lies in what makes them.
const LOADED_SHOP: &str = "def steps(most):\n    return list(range(0, most))\n\n\ndef rates(steps):\n    found = {}\n    \
                           for step in steps:\n        found[step] = 100 // step\n    return found\n";

#[test]
fn what_a_module_that_cannot_be_loaded_has_run_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let tests = "from shop import rates, steps\n\nRATES = rates(steps(4))\n\n\ndef test_one():\n    assert RATES[1] == 100\n\n\n\
                 def test_all():\n    assert steps(4) == [1, 2, 3]\n";
    write_files(folder.path(), &[("shop.py", LOADED_SHOP), ("test_shop.py", tests), ("pytest.ini", "[pytest]\n")]);
    let done = unidebug(&["run", folder.path().to_str().unwrap(), "--model", "builtin", "--json"]);
    done.expect_code(0);
    assert!(!done.stderr.contains("could not be measured"), "{done}");
    let patch = done.json()["patch"].as_str().unwrap().to_owned();
    assert!(patch.contains("range(1, most)"), "{done}");
}
