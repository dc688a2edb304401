//! `unidebug judge`: anybody's patch, without a model and without a key.

use crate::attacks::{java_project, python_project};
use crate::support::{Finished, Unidebug, unidebug, write_files};
use std::path::Path;
use std::process::Command;

/// A project of the user, with patches beside it.
struct Project {
    folder: tempfile::TempDir,
}

const JAVA: (&str, &str, &str) = ("src/shop/Cart.java", "count = pieces;", "count += pieces;");
const PYTHON: (&str, &str, &str) = ("shop/cart.py", "self.count = pieces", "self.count += pieces");

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("project");
        std::fs::create_dir(&path).unwrap();
        write_files(camino::Utf8Path::from_path(&path).unwrap(), files);
        Self { folder }
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    /// The diff of one line, in a file beside the project.
    fn diff(&self, name: &str, (file, from, _): (&str, &str, &str), to: &str) -> String {
        let text = std::fs::read_to_string(self.path().join(file)).unwrap();
        let (at, line) = text.lines().enumerate().find(|(_, line)| line.contains(from)).unwrap();
        let (at, new) = (at + 1, line.replace(from, to));
        let diff = format!("--- a/{file}\n+++ b/{file}\n@@ -{at} +{at} @@\n-{line}\n+{new}\n");
        let path = self.folder.path().join(name);
        std::fs::write(&path, diff).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn judge(&self, more: &[&str]) -> Finished {
        let path = self.path();
        let mut args = vec!["judge", path.to_str().unwrap(), "--json"];
        args.extend(more);
        Unidebug::new(&args).run()
    }

    fn git(&self, args: &[&str]) {
        let own = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
        let done = Command::new("git").current_dir(self.path()).args(own).args(args).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    fn replace(&self, file: &str, from: &str, to: &str) {
        let path = self.path().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from} is not in {file}");
        std::fs::write(path, text.replace(from, to)).unwrap();
    }
}

/// The words on the patches, in the order they are told.
fn words(done: &Finished) -> Vec<(String, String)> {
    let json = done.json();
    let patches = json["patches"].as_array().unwrap().iter();
    let name = |text: &str| Path::new(text).file_name().unwrap().to_str().unwrap().to_owned();
    patches.map(|each| (name(each["patch"].as_str().unwrap()), each["outcome"].as_str().unwrap().to_owned())).collect()
}

fn owned(words: &[(&str, &str)]) -> Vec<(String, String)> {
    words.iter().map(|(name, word)| ((*name).to_owned(), (*word).to_owned())).collect()
}

fn several_are_ranked(project: &Project, line: (&str, &str, &str), suspicious: &str) {
    let wrong = project.diff("wrong.diff", line, &line.2.replace("pieces", "3"));
    let broken = project.diff("broken.diff", line, "count = = 1;");
    let odd = project.diff("odd.diff", line, suspicious);
    let right = project.diff("right.diff", line, line.2);
    let done = project.judge(&["--patch", &wrong, "--patch", &broken, "--patch", &odd, "--patch", &right]);
    done.expect_code(0);
    let ranked = [
        ("right.diff", "plausible"),
        ("odd.diff", "suspicious"),
        ("wrong.diff", "failed"),
        ("broken.diff", "compile_error"),
    ];
    assert_eq!(words(&done), owned(&ranked), "{done}");
    let json = done.json();
    assert_eq!((&json["plausible"], &json["patches"][2]["plausible"]), (&true.into(), &false.into()));
    assert!(json["patches"][2]["failing"][0]["test"].as_str().unwrap().contains('#'), "{done}");
    let alone = project.judge(&["--patch", &wrong]);
    alone.expect_code(1);
    assert!(alone.stderr.contains("failing before: ") && alone.stderr.contains("failed: "), "{alone}");
}

#[test]
fn patches_of_java_are_judged_and_ranked() {
    let odd = "count += pieces; if (count > 1000) { System.exit(0); }";
    several_are_ranked(&Project::new(&java_project()), JAVA, odd);
}

#[test]
fn patches_of_python_are_judged_and_ranked() {
    let odd = "self.count += pieces; import os; os._exit(0) if self.count > 1000 else None";
    several_are_ranked(&Project::new(&python_project()), PYTHON, odd);
}

/// A case that no test meets is told where it stands on the line of its condition, too.
fn cases_on_one_line_are_told(project: &Project, line: (&str, &str, &str), cases: &[&str]) {
    let names: Vec<String> = (0..cases.len()).map(|nth| format!("{nth}.diff")).collect();
    let patches = names.iter().zip(cases).map(|(name, case)| project.diff(name, line, case));
    let args: Vec<String> = patches.flat_map(|patch| ["--patch".to_owned(), patch]).collect();
    let done = project.judge(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let json = done.json();
    for patch in json["patches"].as_array().unwrap() {
        let reasons = patch["confidence"]["reasons"].to_string();
        let is_told = reasons.contains(&format!("no test near it takes both sides of the condition at {}:", line.0));
        let is_right = patch["patch"].as_str().unwrap().ends_with("/0.diff");
        assert_eq!(is_told, !is_right, "{}: {done}", patch["patch"]);
    }
}

#[test]
fn cases_of_java_on_one_line_are_told() {
    let cases = [
        "count += pieces;",
        "count = pieces == 77 ? 0 : count + pieces;",
        "count = pieces != 77 ? count + pieces : 0;",
        "if (pieces == 77) return; count += pieces;",
        "count += pieces != 77 ? pieces < 88 ? pieces : 0 : 0;",
    ];
    cases_on_one_line_are_told(&Project::new(&java_project()), JAVA, &cases);
}

#[test]
fn cases_of_python_on_one_line_are_told() {
    let cases = [
        "self.count += pieces",
        "self.count = 0 if pieces == 77 else self.count + pieces",
        "self.count = self.count + pieces if pieces != 77 else 0",
        "self.count += pieces if pieces < 88 or self.is_full() else 0",
    ];
    cases_on_one_line_are_told(&Project::new(&python_project()), PYTHON, &cases);
}

/// What was changed last is asked first; where it fails for another reason than the code, the other tests are asked.
fn the_bug_is_found_behind_a_test_that_wants_the_network(
    files: &[(&str, &str)],
    line: (&str, &str, &str),
    new: (&str, &str),
) {
    let project = Project::new(files);
    project.git(&["init", "-q"]);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "one"]);
    write_files(camino::Utf8Path::from_path(&project.path()).unwrap(), &[new]);
    let done = project.judge(&["--patch", &project.diff("right.diff", line, line.2)]);
    done.expect_code(0);
    assert_eq!(words(&done), owned(&[("right.diff", "plausible")]), "{done}");
}

#[test]
fn a_new_test_in_java_that_wants_the_network_is_not_all_that_is_asked() {
    let test = "import org.junit.Test;\n\npublic class RatesTest {\n    @Test public void rates() throws Exception {\n        \
                java.net.InetAddress.getByName(\"shop.example.org\");\n    }\n}\n";
    the_bug_is_found_behind_a_test_that_wants_the_network(&java_project(), JAVA, ("test/RatesTest.java", test));
}

#[test]
fn a_new_test_in_python_that_wants_the_network_is_not_all_that_is_asked() {
    let test =
        "import socket\n\n\ndef test_rates():\n    socket.create_connection((\"shop.example.org\", 80), timeout=2)\n";
    the_bug_is_found_behind_a_test_that_wants_the_network(&python_project(), PYTHON, ("tests/test_rates.py", test));
}

fn a_work_tree_is_judged(
    project: &Project,
    (file, from, to): (&str, &str, &str),
    test: &str,
    (old, new): (&str, &str),
) {
    // The test that shows the bug is newer than the commit.
    project.replace(test, new, old);
    project.git(&["init", "-q", "."]);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "before"]);
    project.replace(test, old, new);
    let done = project.judge(&["--since", "HEAD"]);
    done.expect_code(3);
    assert!(done.stderr.contains("no source of the product was changed"), "{done}");
    project.replace(file, from, to);
    let done = project.judge(&["--since", "HEAD"]);
    done.expect_code(0);
    let diff = done.json()["patches"][0]["diff"].as_str().unwrap().to_owned();
    assert!(diff.contains(to) && !diff.contains(test), "tests are no part of the patch: {diff}");
    assert!(std::fs::read_to_string(project.path().join(file)).unwrap().contains(to), "the work tree stays as it is");
    project.replace(file, to, &to.replace("pieces", "3"));
    project.judge(&["--since", "HEAD"]).expect_code(1);
    let done = project.judge(&["--since", "--upload-pack=x"]);
    assert!(done.code == Some(2) || done.code == Some(3), "{done}");
}

#[test]
fn what_was_changed_in_a_work_tree_of_java_is_judged() {
    let project = Project::new(&java_project());
    a_work_tree_is_judged(&project, JAVA, "test/shop/CartTest.java", ("new Pieces(3), cart", "new Pieces(5), cart"));
}

#[test]
fn what_was_changed_in_a_work_tree_of_python_is_judged() {
    let project = Project::new(&python_project());
    a_work_tree_is_judged(&project, PYTHON, "tests/test_cart.py", ("held() == Pieces(3)", "held() == Pieces(5)"));
}

#[test]
fn the_change_log_of_a_whole_commit_is_left_out() {
    let project = Project::new(&python_project());
    let right = project.diff("right.diff", PYTHON, PYTHON.2);
    let news = "--- a/CHANGELOG.md\n+++ b/CHANGELOG.md\n@@ -1 +1,2 @@\n # Changes\n+All pieces count.\n";
    let whole = project.folder.path().join("whole.diff");
    std::fs::write(&whole, format!("{news}{}", std::fs::read_to_string(right).unwrap())).unwrap();
    let done = project.judge(&["--patch", whole.to_str().unwrap()]);
    done.expect_code(0);
    assert!(done.stderr.contains("left out, texts for people: CHANGELOG.md"), "{done}");
    assert_eq!(done.json()["patches"][0]["left_out"], serde_json::json!(["CHANGELOG.md"]));
    std::fs::write(&whole, news).unwrap();
    let done = project.judge(&["--patch", whole.to_str().unwrap()]);
    done.expect_code(1);
    assert!(done.stderr.contains("the diff changes texts for people alone"), "{done}");
}

#[test]
fn what_cannot_be_judged_is_told_with_its_reason() {
    let project = Project::new(&python_project());
    let test = ("tests/test_cart.py", "Pieces(5)", "");
    let on_a_test = project.diff("test.diff", test, "Pieces(3)");
    let done = project.judge(&["--patch", &on_a_test]);
    done.expect_code(1);
    assert!(done.stderr.contains("refused: ") && done.stderr.contains("is a test"), "{done}");
    assert!(done.stderr.contains("hint: to judge it with its own tests, apply it"), "{done}");
    project.judge(&["--patch", "/nowhere.diff"]).expect_code(3);
    project.judge(&[]).expect_code(2);
    let done = project.judge(&["--since", "HEAD"]);
    done.expect_code(3);
    assert!(done.stderr.contains("lies in no git repository"), "{done}");
}

const SHELF: &str = "import shelves\n\n\nclass TestShelf:\n    def test_of_the_machine(self):\n        \
                     assert shelves.wide(['a']) == 7\n\n    def test_names(self):\n        \
                     assert shelves.names(['b']) == ['b']\n";
const NEW: &str = "\n    def test_sorted(self):\n        assert shelves.names(['b', 'a']) == ['a', 'b']\n";
const HELPER: &str = "\n\nclass Sorted(list):\n    pass\n";
const SHELVES: &str = "import os\n\n\ndef names(items):\n    found = list(items)\n    return found\n\n\ndef wide(items):\n    \
                       return int(os.environ.get('SHELF_WIDTH', len(items)))\n";

#[test]
fn a_test_that_failed_before_the_new_one_was_written_is_another_bug() {
    let project = Project::new(&[("shelves.py", SHELVES), ("tests/test_shelves.py", SHELF)]);
    project.git(&["init", "--quiet"]);
    project.git(&["add", "."]);
    project.git(&["commit", "--quiet", "--message", "shelves"]);
    write_files(
        camino::Utf8Path::from_path(&project.path()).unwrap(),
        &[("tests/test_shelves.py", &format!("{SHELF}{NEW}{HELPER}")), ("NEWS.md", "# News")],
    );
    let right = project.diff("right.diff", ("shelves.py", "return found", ""), "return sorted(found)");
    let done = project.judge(&["--patch", &right]);
    done.expect_code(0);
    let triggering = &done.json()["triggering"];
    assert_eq!(triggering, &serde_json::json!(["tests.test_shelves$TestShelf#test_sorted"]), "{done}");
    let aside =
        "failed before what is not committed yet, too, left aside: tests.test_shelves$TestShelf#test_of_the_machine";
    assert!(done.stderr.contains(aside), "{done}");
    // Who changes more than tests may have broken the others.
    write_files(
        camino::Utf8Path::from_path(&project.path()).unwrap(),
        &[("shelves.py", &SHELVES.replace("found = list(items)", "found = [*items]"))],
    );
    let done = project.judge(&["--patch", &right]);
    assert_eq!(done.json()["triggering"].as_array().unwrap().len(), 2, "{done}");
}

/// Two bugs near each other, of which one was there before: the first of two texts of a file is the older one.
struct TwoBugs {
    files: &'static [(&'static str, &'static str)],
    file: &'static str,
    older: &'static str,
    newer: &'static str,
    /// The line that the newer text has, and the right one.
    line: (&'static str, &'static str),
    triggering: &'static str,
    before: &'static str,
}

fn what_failed_before_the_last_change_is_told_apart(bugs: &TwoBugs) {
    let project = Project::new(bugs.files);
    let root = project.path();
    let write = |text| write_files(camino::Utf8Path::from_path(&root).unwrap(), &[(bugs.file, text)]);
    let is_told = |change: &str| {
        let right = project.diff("right.diff", (bugs.file, bugs.line.0, ""), bugs.line.1);
        let done = project.judge(&["--patch", &right]);
        done.expect_code(0);
        assert_eq!(done.json()["triggering"], serde_json::json!([bugs.triggering]), "{done}");
        assert!(
            done.stderr.contains(&format!("failed before {change}")) && done.stderr.contains(bugs.before),
            "{done}"
        );
    };
    write(bugs.older);
    project.git(&["init", "--quiet"]);
    project.git(&["add", "."]);
    project.git(&["commit", "--quiet", "--message", "shelves"]);
    write(bugs.newer);
    is_told("what is not committed yet");
    project.git(&["commit", "--quiet", "--all", "--message", "faster"]);
    write_files(camino::Utf8Path::from_path(&root).unwrap(), &[("NEWS.md", "# News")]);
    project.git(&["add", "."]);
    project.git(&["commit", "--quiet", "--message", "news"]);
    is_told("commit ");
    let lines = unidebug(&["triage", root.to_str().unwrap()]);
    assert!(lines.stderr.contains("the failing tests pass without commit "), "{lines}");
    assert!(lines.stdout.contains("changed by commit "), "{lines}");
    let without = unidebug(&["triage", root.to_str().unwrap(), "--without", "history"]);
    assert!(!without.stdout.contains("changed by"), "{without}");
}

#[test]
fn in_python_a_test_that_failed_before_the_last_change_is_another_bug() {
    what_failed_before_the_last_change_is_told_apart(&TwoBugs {
        files: &[("tests/test_shelves.py", SHELF)],
        file: "shelves.py",
        older: SHELVES,
        newer: "import os\n\n\ndef names(items):\n    return list(items)[1:]\n\n\ndef wide(items):\n    \
                 return int(os.environ.get('SHELF_WIDTH', len(items)))\n",
        line: ("return list(items)[1:]", "return list(items)"),
        triggering: "tests.test_shelves$TestShelf#test_names",
        before: "tests.test_shelves$TestShelf#test_of_the_machine",
    });
}

#[test]
fn in_java_a_test_that_failed_before_the_last_change_is_another_bug() {
    what_failed_before_the_last_change_is_told_apart(&TwoBugs {
        files: &[(
            "test/ShelfTest.java",
            "import static org.junit.Assert.assertEquals;\n\npublic class ShelfTest {\n    \
             @org.junit.Test public void wide() { assertEquals(7, Shelf.wide(3)); }\n    \
             @org.junit.Test public void narrow() { assertEquals(0, Shelf.wide(0)); }\n    \
             @org.junit.Test public void high() { assertEquals(3, Shelf.high(3)); }\n}\n",
        )],
        file: "src/Shelf.java",
        older: "class Shelf {\n    static int wide(int books) { return books * 2; }\n    \
                static int high(int books) { return Math.max(wide(books) / 2, books); }\n}\n",
        newer: "class Shelf {\n    static int wide(int books) { return books * 2; }\n    \
                static int high(int books) { return wide(books); }\n}\n",
        line: (
            "static int high(int books) { return wide(books); }",
            "static int high(int books) { return wide(books) / 2; }",
        ),
        triggering: "ShelfTest#high",
        before: "ShelfTest#wide",
    });
}

/// A constant that functions use which have nothing else in common.
#[test]
fn what_one_line_of_the_last_change_broke_is_one_bug_and_is_taken_back() {
    let far = "# Further down.\n".repeat(10);
    let shelves = format!(
        "WIDTH = 3\n\n\ndef is_full(books):\n    return len(books) >= WIDTH\n\n\n{far}def rows(books):\n    \
         return -(-len(books) // WIDTH)\n\n\n{far}def names(books):\n    return sorted(books)\n"
    );
    let tests = "import shelves\n\n\ndef test_full():\n    assert shelves.is_full('abc')\n\n\ndef test_rows():\n    \
                 assert shelves.rows('abcde') == 2\n\n\ndef test_names():\n    assert shelves.names('ba') == ['a', 'b']\n";
    let project = Project::new(&[("shelves.py", &shelves), ("tests/test_shelves.py", tests)]);
    let bugs = |done: &Finished| done.json()["triggering"].as_array().map_or(0, Vec::len);
    project.git(&["init", "--quiet"]);
    project.git(&["add", "."]);
    project.git(&["commit", "--quiet", "--message", "shelves"]);
    project.replace("shelves.py", "WIDTH = 3", "WIDTH = 6");
    let right = project.diff("right.diff", ("shelves.py", "WIDTH = 6", ""), "WIDTH = 3");
    let done = project.judge(&["--patch", &right]);
    done.expect_code(0);
    assert_eq!(bugs(&done), 2, "{done}");
    assert!(done.stderr.contains("brings back what stood there before what is not committed yet"), "{done}");
    let run = unidebug(&["run", project.path().to_str().unwrap(), "--model", "builtin"]);
    run.expect_code(0);
    assert!(run.stdout.contains("took back a part of what is not committed yet: `WIDTH = 6`"), "{run}");
    assert!(run.stdout.contains("1 candidate (1 plausible)"), "{run}");
    // Where nobody knows the line, they have nothing in common.
    std::fs::remove_dir_all(project.path().join(".git")).unwrap();
    assert_eq!(bugs(&project.judge(&["--patch", &right])), 1);
}

/// Reports of a run before the change name what failed then; what the change broke is among the other tests.
#[test]
fn what_an_older_report_names_is_not_what_was_broken_since() {
    let java = |name: &str, body: &str| {
        format!("import static org.junit.Assert.assertEquals;\n\npublic class {name} {{\n    {body}\n}}\n")
    };
    let shelf = java("ShelfTest", "@org.junit.Test public void high() { assertEquals(3, Shelf.high(3)); }");
    let old = java("OldTest", "@org.junit.Test public void wide() { assertEquals(7, Shelf.wide(3)); }");
    let product = "class Shelf {\n    static int wide(int books) { return books * 2; }\n    \
                   static int high(int books) { return books; }\n}\n";
    let report = "<testsuite name=\"OldTest\"><testcase classname=\"OldTest\" name=\"wide\"><failure/></testcase>\
                  <testcase classname=\"ShelfTest\" name=\"high\"/></testsuite>";
    let project = Project::new(&[
        ("test/ShelfTest.java", &shelf),
        ("test/OldTest.java", &old),
        ("src/Shelf.java", product),
        ("test-results/TEST-OldTest.xml", report),
        (".gitignore", "test-results\n"),
    ]);
    project.git(&["init", "--quiet"]);
    project.git(&["add", "."]);
    project.git(&["commit", "--quiet", "--message", "shelves"]);
    std::thread::sleep(std::time::Duration::from_millis(20));
    project.replace("src/Shelf.java", "return books; }", "return books + 1; }");
    let right = project.diff("right.diff", ("src/Shelf.java", "return books + 1;", ""), "return books;");
    let done = project.judge(&["--patch", &right]);
    done.expect_code(0);
    assert_eq!(done.json()["triggering"], serde_json::json!(["ShelfTest#high"]), "{done}");
    assert!(done.stderr.contains("failed before what is not committed yet, too, left aside: OldTest#wide"), "{done}");
}

const README: &str = "Shelves\n=======\n\n>>> import shelves\n>>> shelves.wide(['a', 'b'])\n2\n";

#[test]
fn examples_in_a_text_are_tests() {
    let leaning = "A name that a fixture of the tests brings:\n\n>>> names(['a'])\n['a']\n";
    let conftest = "import pytest\nimport shelves\n\n\n@pytest.fixture(autouse=True)\ndef names(doctest_namespace):\n    \
                    doctest_namespace['names'] = shelves.names\n";
    let project = Project::new(&[
        ("pytest.ini", "[pytest]\naddopts = --doctest-glob=*.rst\n"),
        ("shelves.py", &SHELVES.replace("len(items)))", "len(items) - 1))")),
        ("docs/use.rst", README),
        ("docs/leaning.rst", leaning),
        ("tests/conftest.py", conftest),
        ("tests/test_names.py", "import shelves\n\n\ndef test_names():\n    assert shelves.names([]) == []\n"),
    ]);
    let wrong = ("shelves.py", "len(items) - 1))", "");
    let right = project.diff("right.diff", wrong, "len(items)))");
    let odd = project.diff("odd.diff", ("docs/use.rst", "2", ""), "1");
    let done = project.judge(&["--patch", &odd, "--patch", &right]);
    done.expect_code(0);
    assert_eq!(done.json()["triggering"], serde_json::json!(["docs.use.rst#use.rst"]), "{done}");
    assert_eq!(words(&done), owned(&[("right.diff", "plausible"), ("odd.diff", "refused")]), "{done}");
    let none = project.diff("none.diff", wrong, "len(items) - 2 + 1 * 1))");
    let done = project.judge(&["--failing", "docs/use.rst::use.rst", "--patch", &none]);
    done.expect_code(1);
    assert!(done.stderr.contains("docs/use.rst:5") && done.stderr.contains("Got:"), "{done}");
}

#[test]
fn a_module_named_test_holds_tests() {
    let test = "import unittest\nimport shelves\n\n\nclass Names(unittest.TestCase):\n    def test_names(self):\n        \
                self.assertEqual(shelves.names(['a']), ['a'])\n";
    let shelves = SHELVES.replace("return found", "return found[1:]");
    let project = Project::new(&[("shelves.py", &shelves), ("test.py", test)]);
    let right = project.diff("right.diff", ("shelves.py", "return found[1:]", ""), "return found");
    let done = project.judge(&["--patch", &right]);
    done.expect_code(0);
    assert_eq!(done.json()["triggering"], serde_json::json!(["test$Names#test_names"]), "{done}");
}

#[test]
fn a_module_that_cannot_be_loaded_and_holds_only_classes_is_repaired_by_what_loads_it() {
    let project = Project::new(&[
        ("shop/__init__.py", ""),
        ("shop/cart.py", "UNIT = \"cent\" - \"s\"\n\n\ndef total(prices):\n    return sum(prices)\n"),
        (
            "test_cart.py",
            "from shop.cart import total\n\n\nclass TestTotal:\n    def test_total(self):\n        assert total([1, 2]) == 3\n\n    class TestNone:\n        def test_nothing(self):\n            assert total([]) == 0\n",
        ),
    ]);
    let patch = project.diff("right.patch", ("shop/cart.py", " - ", ""), " + ");
    let done = project.judge(&["--patch", &patch]);
    done.expect_code(0);
    let word = done.json();
    assert_eq!(word["triggering"], serde_json::json!(["test_cart"]), "{done}");
    let reasons = word["patches"][0]["confidence"].to_string();
    assert!(reasons.contains("2 tests that could not run before run it, too"), "{reasons}");
}
