//! What projects in Python import: `conftest.py`, `src` and the environment, also in what their tests start.

use crate::python::SUM;
use crate::support::{python_environment, unidebug, write_files};
use std::os::unix::fs::PermissionsExt;

/// Files of a project whose `conftest.py` imports what it tests from `src`, where no environment has it.
fn with_conftest(imports: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let test = "from shop.adding import total\n\n\ndef test_none():\n    assert total([]) == 0\n\n\ndef test_some():\n    \
                assert total([5, 1]) == 6\n";
    let conftest = format!("import {imports}\n");
    write_files(
        folder.path(),
        &[
            ("src/shop/__init__.py", ""),
            ("src/shop/adding.py", SUM),
            ("tests/conftest.py", &conftest),
            ("tests/test_adding.py", test),
        ],
    );
    folder
}

#[test]
fn a_conftest_that_imports_the_product_from_src_is_loaded_when_tests_are_looked_for() {
    let folder = with_conftest("shop.adding");
    let shown = unidebug(&["triage", folder.path().to_str().unwrap()]);
    shown.expect_code(0);
    assert!(shown.stdout.contains("src/shop/adding.py:3"), "{shown}");
}

#[test]
fn what_a_test_starts_imports_the_product_from_src() {
    let folder = with_conftest("shop.adding");
    let test = "import subprocess\nimport sys\n\n\ndef test_none():\n    code = \"import shop.adding\\nassert \
                shop.adding.total([]) == 0\"\n    subprocess.run([sys.executable, '-c', code], check=True, cwd='/')\n";
    write_files(folder.path(), &[("tests/test_started.py", test)]);
    let started = "tests/test_started.py::test_none";
    let shown = unidebug(&["triage", folder.path().to_str().unwrap(), "--failing", started]);
    shown.expect_code(3);
    assert!(shown.stderr.contains("passes before any change"), "{shown}");
}

#[test]
fn what_a_test_starts_is_found_in_the_environment_of_the_project() {
    let folder = tempfile::tempdir().unwrap();
    python_environment(folder.path());
    // As pip writes it for a project that is installed from its folder.
    let script = format!("#!{}/.venv/bin/python\nfrom shop import main\nmain()\n", folder.path().display());
    let test = "import subprocess\n\n\ndef test_shop(tmp_path):\n    done = subprocess.run(['shop'], cwd=tmp_path, \
                stdout=subprocess.PIPE)\n    assert done.stdout == b'2'\n";
    let product = "def main():\n    print(1, end='')\n";
    let settings = "[tool.pytest.ini_options]\ntestpaths = [\"test.py\"]\n";
    let files = [("shop.py", product), ("test.py", test), ("pyproject.toml", settings), (".venv/bin/shop", &script)];
    write_files(folder.path(), &files);
    let program = folder.path().join(".venv/bin/shop");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let patch = folder.path().join("right.patch");
    let right =
        "--- a/shop.py\n+++ b/shop.py\n@@ -1,2 +1,2 @@\n def main():\n-    print(1, end='')\n+    print(2, end='')\n";
    std::fs::write(&patch, right).unwrap();
    let judged = unidebug(&["judge", folder.path().to_str().unwrap(), "--patch", patch.to_str().unwrap()]);
    judged.expect_code(0);
    assert!(judged.stdout.contains("plausible"), "{judged}");
}

#[test]
fn what_a_test_starts_with_paths_of_its_own_loads_the_copy_where_the_project_is_installed_as_a_link() {
    let folder = with_conftest("shop.adding");
    let packages = python_environment(folder.path());
    // As `pip install -e` writes it.
    let link = format!("{}\n", folder.path().join("src").display());
    write_files(&packages, &[("__editable__.shop.pth", &link)]);
    let test = "import os\nimport subprocess\nimport sys\n\n\ndef test_started(tmp_path):\n    code = 'from shop.adding \
                import total; print(total([5, 1]))'\n    paths = {**os.environ, 'PYTHONPATH': str(tmp_path)}\n    \
                said = subprocess.run([sys.executable, '-c', code], env=paths, cwd=tmp_path, stdout=subprocess.PIPE)\n    \
                assert said.stdout == b'6\\n'\n";
    write_files(folder.path(), &[("tests/test_started.py", test)]);
    let named = ["tests/test_adding.py::test_some", "tests/test_started.py::test_started"];
    let [some, started] = named.map(|test| ["--failing", test]);
    let words = [&["run", folder.path().to_str().unwrap(), "--model", "builtin"][..], &some, &started].concat();
    let shown = unidebug(&words);
    shown.expect_code(0);
    assert!(shown.stderr.contains("fails: tests.test_started#test_started"), "{shown}");
    assert!(shown.stdout.contains("confidence: high"), "{shown}");
}

#[test]
fn a_package_that_was_installed_since_the_last_run_is_seen() {
    let folder = with_conftest("shop.adding");
    let test = "import pricing\nfrom shop.adding import total\n\n\ndef test_some():\n    assert total([5, 1]) == 6\n";
    let settings = "[project]\nname = \"shop\"\ndependencies = [\"pricing\"]\n";
    write_files(folder.path(), &[("tests/test_adding.py", test), ("pyproject.toml", settings)]);
    let packages = python_environment(folder.path());
    let path = folder.path().to_str().unwrap();
    let lacking = unidebug(&["triage", path]);
    lacking.expect_code(3);
    assert!(lacking.stderr.contains("it needs the package `pricing`, which is not installed here"), "{lacking}");
    write_files(&packages, &[("pricing.py", "")]);
    let shown = unidebug(&["triage", path]);
    shown.expect_code(0);
    assert!(shown.stdout.contains("src/shop/adding.py:3"), "{shown}");
}

#[test]
fn a_conftest_that_cannot_be_loaded_is_told_with_its_reason() {
    let folder = with_conftest("not_installed_here");
    let path = folder.path().to_str().unwrap();
    for _ in 0..2 {
        let shown = unidebug(&["triage", path]);
        shown.expect_code(3);
        assert!(shown.stderr.contains("No module named 'not_installed_here'"), "{shown}");
    }
}

#[test]
fn modules_that_keep_pytest_from_running_any_test_are_set_aside_alone() {
    let folder = with_conftest("shop.adding");
    // A mark that nobody knows is an error: pytest ends before any test of any module.
    let conftest = "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n        if \
                    item.get_closest_marker('xfail'):\n            item.add_marker(pytest.mark.unheard_of)\n";
    let marked = "import pytest\n\n\n@pytest.mark.xfail\ndef test_marked():\n    assert False\n";
    let passing = "def test_passing():\n    pass\n";
    let files = [
        ("tests/conftest.py", conftest),
        ("tests/test_a_marked.py", marked),
        ("tests/test_passing.py", passing),
        ("tests/more/conftest.py", "import not_installed_here\n"),
        ("tests/more/test_more.py", passing),
        ("pytest.ini", "[pytest]\nfilterwarnings = error\n"),
    ];
    write_files(folder.path(), &files);
    let shown = unidebug(&["run", folder.path().to_str().unwrap(), "--model", "builtin"]);
    shown.expect_code(0);
    assert!(shown.stderr.contains("1 test fails, 2 pass "), "{shown}");
    assert!(shown.stderr.contains("set aside: tests.test_a_marked (it cannot be loaded here (pytest."), "{shown}");
    let lacks = "set aside: tests.more.test_more (it cannot be loaded here (ModuleNotFoundError: No module named 'not";
    assert!(shown.stderr.contains(lacks), "{shown}");
}

#[test]
fn a_test_that_counts_the_objects_of_its_process_counts_none_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    // Busy for more than a second, as a test for leaks is.
    let counts = "import gc\nimport time\n\nfrom adding import total\n\n\ndef test_leaks():\n    gc.collect()\n    \
                  counts, end = set(), time.monotonic() + 1.5\n    while time.monotonic() < end:\n        \
                  total([])\n        counts.add(len(gc.get_objects()))\n    assert len(counts) < 3\n";
    let test = "from adding import total\n\n\ndef test_some():\n    assert total([5, 1]) == 6\n";
    write_files(folder.path(), &[("adding.py", SUM), ("test_adding.py", test), ("test_leaks.py", counts)]);
    let shown = unidebug(&["triage", folder.path().to_str().unwrap()]);
    shown.expect_code(0);
    assert!(shown.stderr.contains("1 test fails, 1 pass "), "{shown}");
}

#[test]
fn a_test_that_puts_something_in_the_place_of_standard_error_fails_for_none_of_our_threads() {
    let folder = tempfile::tempdir().unwrap();
    let quiet = "import io\nimport sys\nimport time\n\nfrom adding import total\n\n\ndef test_quiet():\n    \
                 kept, sys.stderr = sys.stderr, io.StringIO()\n    time.sleep(1)\n    sys.stderr = kept\n    \
                 assert total([]) == 0\n";
    let test = "from adding import total\n\n\ndef test_some():\n    assert total([5, 1]) == 6\n";
    let strict = "[pytest]\nfilterwarnings = error\n";
    let files = [("adding.py", SUM), ("test_a_quiet.py", quiet), ("test_adding.py", test), ("pytest.ini", strict)];
    write_files(folder.path(), &files);
    let shown = unidebug(&["triage", folder.path().to_str().unwrap()]);
    shown.expect_code(0);
    assert!(shown.stderr.contains("1 test fails, 1 pass "), "{shown}");
}

#[test]
fn a_file_that_the_code_looks_for_in_the_wrong_place_is_its_bug() {
    let folder = tempfile::tempdir().unwrap();
    let product = "import os\n\nFOLDER = os.path.dirname(os.path.abspath(__file__))\n\n\ndef price():\n    with \
                   open(FOLDER + 'prices.txt') as file:\n        return int(file.read())\n\n\ndef bill(folder):\n    with \
                   open(os.path.join(folder, 'bil.txt'), 'w') as file:\n        file.write('3')\n";
    let test = "from shop.prices import bill, price\n\n\ndef test_price():\n    assert price() == 3\n\n\ndef \
                test_bill(tmp_path):\n    bill(tmp_path)\n    assert (tmp_path / 'bill.txt').read_text() == '3'\n";
    let files = [
        ("shop/__init__.py", ""),
        ("shop/prices.py", product),
        ("shop/prices.txt", "3"),
        ("tests/test_prices.py", test),
    ];
    write_files(folder.path(), &files);
    let shown = unidebug(&["triage", folder.path().to_str().unwrap()]);
    shown.expect_code(0);
    for test in ["test_price", "test_bill"] {
        assert!(shown.stdout.contains(&format!("fails: tests.test_prices#{test}")), "{shown}");
    }
}
