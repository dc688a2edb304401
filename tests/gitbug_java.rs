//! `gitbug-java:` by its layout: metadata of the same form as the real one, over a small project whose history is a real
//! repository, built and tested by a real Maven.

use crate::support::{Finished, Unidebug, unidebug, write_files};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use unidebug::benchmark::{self, Checkout, Settings, private_copy};

const POM: &str = "<project><modelVersion>4.0.0</modelVersion>
<groupId>acme</groupId><artifactId>gate</artifactId><version>1</version>
<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>
<scope>test</scope></dependency></dependencies></project>
";
const GATE: &str = "src/main/java/acme/Gate.java";
const TEST: &str = "src/test/java/acme/GateTest.java";
const BUGGY: &str = "package acme;

public class Gate {
    public static boolean open(int age, int limit) {
        return age > limit;
    }
}
";
const OLD_TEST: &str = "package acme;

public class GateTest {
    @org.junit.Test public void below() {
        org.junit.Assert.assertFalse(Gate.open(17, 18));
    }
}
";
/// What the developer's repair says and nothing else does.
const REPAIR: &str = "age >= limit";

/// A clone of the benchmark, and the project's repository.
struct Clone {
    _folder: tempfile::TempDir,
    base: Utf8PathBuf,
    /// The repaired commit.
    commit: String,
    /// The one before.
    previous: String,
}

impl Clone {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let mut clone = Self { _folder: folder, base, commit: String::new(), previous: String::new() };
        let project = clone.base.join("upstream/acme/gate");
        write_files(&project, &[("pom.xml", POM), (GATE, BUGGY), (TEST, OLD_TEST), (".gitignore", "target\n")]);
        clone.git(&["init", "-q"]);
        // A commit of this test run alone: what is kept of fetched commits cannot answer for it.
        clone.previous = clone.committed(&format!("before {}", clone.base));
        let test = OLD_TEST.replace(
            "    @org.junit.Test public void below",
            "    @org.junit.Test public void atTheLimit() {\n        org.junit.Assert.assertTrue(Gate.open(18, 18));\n    }\n\n    \
             @org.junit.Test public void below",
        );
        write_files(&project, &[(GATE, &BUGGY.replace("age > limit", REPAIR)), (TEST, &test)]);
        clone.commit = clone.committed("let those in who are as old as the limit");
        let line = clone.line().to_string();
        write_files(clone.root(), &[("data/bugs/acme-gate.json", &format!("{line}\n"))]);
        clone
    }

    fn root(&self) -> Utf8PathBuf {
        self.base.join("gitbug-java")
    }

    fn git(&self, args: &[&str]) -> String {
        let done = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"])
            .args(args)
            .current_dir(self.base.join("upstream/acme/gate"))
            .output()
            .unwrap();
        assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    fn committed(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "-q", "-m", message]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    fn id(&self) -> String {
        format!("gitbug-java:acme-gate-{}", &self.commit[..12])
    }

    /// The bug as the benchmark describes it.
    fn line(&self) -> Value {
        let diff = |file: &str| self.git(&["diff", &self.previous, &self.commit, "--", file]);
        let test = |name: &str, result: &str| json!({"classname": "acme.GateTest", "name": name, "time": 0.0, "results": [{"result": result, "message": "", "type": ""}], "stdout": null});
        let run =
            |tests: &[Value]| json!([{"failed": false, "tests": tests, "build_tool": "maven", "workflow_name": "w"}]);
        json!({
            "repository": "acme/gate", "language": "java",
            "clone_url": format!("file://{}", self.base.join("upstream/acme/gate")),
            "commit_hash": self.commit, "previous_commit_hash": self.previous, "strategy": "PASS_PASS",
            "commit_message": "let those in who are as old as the limit",
            "bug_patch": diff(GATE), "test_patch": diff(TEST), "non_code_patch": "", "change_type": "SOURCE_ONLY",
            "actions_runs": [
                run(&[test("below", "Passed")]),
                run(&[test("below", "Passed"), test("atTheLimit", "Failure")]),
                run(&[test("below", "Passed"), test("atTheLimit", "Passed")]),
            ],
            "issues": [{"id": 3, "title": "Nobody of 18 gets in", "body": "", "is_pull_request": false}],
        })
    }

    /// Gives the benchmark a clone of the project of its own, by whatever it is named.
    fn with_repository(self, name: &str) -> Self {
        let folder = self.root().join("repositories");
        fs::create_dir_all(&folder).unwrap();
        let bare = if name.ends_with(".git") { vec!["--bare"] } else { Vec::new() };
        let target = folder.join(name).into_string();
        self.git(&[&["clone", "-q"][..], &bare, &[".", &target]].concat());
        self
    }

    fn settings(&self) -> Settings {
        Settings { root: Some(self.root()), ..Settings::default() }
    }

    async fn checkout(&self, into: &Utf8Path) -> Checkout {
        fs::create_dir_all(into).unwrap();
        let id = self.id().parse().unwrap();
        benchmark::find("gitbug-java", &self.settings()).unwrap().checkout(&id, into).await.unwrap()
    }

    fn run(&self, args: &[&str]) -> Finished {
        Unidebug::new(&[args, &["--root", self.root().as_str()]].concat()).run()
    }
}

/// Every text below a folder, with the names.
fn texts(folder: &Utf8Path) -> Vec<(String, String)> {
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).build().flatten();
    let text = |path: &std::path::Path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
    walk.map(|entry| (entry.path().display().to_string(), text(entry.path()))).collect()
}

#[test]
fn bugs_are_listed_with_what_their_repair_takes() {
    let clone = Clone::new();
    let listed = clone.run(&["bugs", "gitbug-java", "--project", "acme-gate", "--kind", "single-line", "--json"]);
    listed.expect_code(0);
    let bug = &listed.json()["bugs"][0];
    assert_eq!((&bug["id"], &bug["kind"]), (&clone.id().into(), &"single-line".into()));
    assert_eq!(bug["title"], "acme/gate, maven, \"Nobody of 18 gets in\"");
    let none = clone.run(&["bugs", "gitbug-java", "--kind", "multi-file"]);
    none.expect_code(2);
    let near = clone.run(&["run", "gitbug-java:acme-gate-000000000000"]);
    near.expect_code(2);
    assert!(near.stderr.contains(&clone.id()), "{near}");
    let nowhere = unidebug(&["bugs", "gitbug-java"]);
    nowhere.expect_code(3);
    assert!(nowhere.stderr.contains("UNIDEBUG_GITBUG_JAVA_ROOT"), "{nowhere}");
    write_files(clone.root(), &[("data/bugs/other.json", "{\"repository\": 3}\n")]);
    let broken = clone.run(&["bugs", "gitbug-java"]);
    broken.expect_code(3);
    assert!(broken.stderr.contains("this line describes no bug") && broken.stderr.contains("other.json:1"), "{broken}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checkout_is_the_commit_before_with_the_new_tests_and_nothing_of_the_repair() {
    for name in ["acme-gate", "acme-gate.git"] {
        let clone = Clone::new().with_repository(name);
        // Only the clone under the root can be meant.
        fs::rename(clone.base.join("upstream"), clone.base.join("moved")).unwrap();
        let into = clone.base.join("checkout");
        let checkout = clone.checkout(&into).await;
        let test = fs::read_to_string(into.join(TEST)).unwrap();
        assert!(test.contains("atTheLimit"), "{test}");
        for (path, text) in texts(&into) {
            assert!(!text.contains(REPAIR) && !path.contains("/.git/") && !path.ends_with("gitbug.json"), "{path}");
        }
        assert_eq!(checkout.triggering.unwrap()[0].to_string(), "acme.GateTest#atTheLimit");
        let (path, bytes) = &checkout.oracle.unwrap().files[0];
        assert_eq!((path.as_str(), String::from_utf8_lossy(bytes).contains(REPAIR)), (GATE, true));
        assert!(checkout.notes[0].starts_with("unverified: "), "{:?}", checkout.notes);
    }
}

#[test]
fn a_commit_is_fetched_where_no_clone_is_and_a_repair_is_told_as_unverified() {
    let clone = Clone::new();
    let out = clone.base.join("run");
    let run = clone.run(&["run", &clone.id(), "--model", "builtin", "--json", "--out", out.as_str()]);
    run.expect_code(0);
    let report = run.json();
    assert_eq!((&report["verdict"], &report["correct"]), (&"plausible".into(), &true.into()), "{run}");
    assert_eq!(report["unverified"], "GitBug-Java's own runner was not seen to agree");
    assert!(run.stderr.contains("unverified: GitBug-Java's own runner"), "{run}");
    let table = unidebug(&["report", out.as_str()]);
    assert!(table.stdout.contains("gitbug-java: GitBug-Java's own runner was not seen to agree"), "{table}");
}

#[test]
fn a_commit_that_cannot_be_had_is_told_with_the_way_out() {
    let clone = Clone::new();
    fs::remove_dir_all(clone.base.join("upstream")).unwrap();
    let run = clone.run(&["run", &clone.id(), "--model", "builtin"]);
    run.expect_code(3);
    let error = format!("commit {} of acme/gate cannot be fetched", clone.previous);
    assert!(run.stderr.contains(&error) && run.stderr.contains("`repositories/acme-gate`"), "{run}");
}

#[test]
fn what_its_own_checkouts_say_of_the_repair_is_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(folder.path()).unwrap();
    write_files(base.join("theirs"), &[("pom.xml", POM), ("gitbug.json", REPAIR), ("src/A.java", "class A {}")]);
    fs::create_dir(base.join("copy")).unwrap();
    assert_eq!(private_copy(&base.join("theirs"), &base.join("copy")).unwrap().files, 2);
    assert!(texts(&base.join("copy")).iter().all(|(_, text)| !text.contains(REPAIR)));
}
