//! `defects4j:` through its contract: an installation made for these tests, whose command line takes the same words,
//! prints the same lines and leaves the same files as the real one, over one small project with real compilers and tests.

use crate::support::{Endpoint, Finished, Reply, Served, repair, unidebug};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use unidebug::benchmark::jars::{self, Library};
use unidebug::benchmark::{self, Checkout, OfficialVerdict, Settings, jdk};
use unidebug::domain::{Outcome, Patch};
use unidebug::sandbox::{Choice, Sandbox};
use unidebug::validate::{self, Options, Validator};

const BUG: &str = "defects4j:Shop-1";
const TRIGGER: &str = "shop.CartTest#deliversFreeFromTheSumOn";

/// An installation on disk.
struct Installation {
    _folder: tempfile::TempDir,
    root: Utf8PathBuf,
    sandbox: Sandbox,
}

impl Installation {
    /// One of that version, whose code insists on a Java.
    async fn new(version: &str, java: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let own = Utf8Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/defects4j"));
        let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
        let made = Self { _folder: folder, root, sandbox };
        made.write("README.md", &format!("Defects4J -- version {version}\n================\n"));
        made.write("framework/core/Constants.pm", &format!("    die (\"Java {java} is required!\\n\\n\");\n"));
        made.write("framework/core/Official.java", &fs::read_to_string(own.join("Official.java")).unwrap());
        made.write("framework/bin/defects4j", &fs::read_to_string(own.join("defects4j.sh")).unwrap());
        let program = made.root.join("framework/bin/defects4j");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        made.write("framework/projects/Shop/active-bugs.csv", &format!("{HEADER}1,a1,b1,SHOP-11,{REPORT}\n"));
        let deprecated = if version.starts_with("2.") { "" } else { "2,SHOP-12,3.0.0,JVM11.Not.Repoducible\n" };
        made.write("framework/projects/Shop/deprecated-bugs.csv", &format!("{DEPRECATED}{deprecated}"));
        made.write("framework/projects/Shop/tests", "shop.CartTest\nshop.SumsTest\n");
        for jar in jars::find(Library::JUnit4, &made.sandbox, &unidebug::domain::Watcher::default()).await.unwrap() {
            let to = made.root.join("framework/projects/lib").join(jar.file_name().unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(&jar, to).unwrap();
        }
        copy(own.join("shop").as_std_path(), made.root.join("project_repos/shop").as_std_path());
        made
    }

    /// One that runs under the Java of this machine.
    async fn usual(version: &str) -> Self {
        Self::new(version, jdk::find(None).unwrap().major).await
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn unidebug(&self, args: &[&str]) -> Finished {
        let root = ["--root", self.root.as_str()];
        unidebug(&[args, &root].concat())
    }

    async fn checkout(&self, into: &Utf8Path) -> Checkout {
        let settings =
            Settings { root: Some(self.root.clone()), sandbox: Some(self.sandbox.clone()), ..Settings::default() };
        let adapter = benchmark::find("defects4j", &settings).unwrap();
        adapter.checkout(&BUG.parse().unwrap(), into).await.unwrap()
    }
}

const REPORT: &str = "https://tracker.example.org/SHOP-11";
const HEADER: &str = "bug.id,revision.id.buggy,revision.id.fixed,report.id,report.url\n";
const DEPRECATED: &str =
    "bug.id,report.id,deprecated.version,deprecated.reason\n3,SHOP-13,2.0.0,JVM8.Not.Reproducible\n";

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(temp.path()).unwrap().canonicalize_utf8().unwrap();
    (temp, path)
}

/// Every journaled event of a run.
fn journal(run: &Utf8Path) -> String {
    fs::read_to_string(run.join("run.journal")).unwrap()
}

#[tokio::test]
async fn bugs_are_listed_and_what_is_none_is_told_before_anything_runs() {
    let made = Installation::usual("3.0.1").await;
    let listed = made.unidebug(&["bugs", "defects4j"]);
    listed.expect_code(0);
    assert_eq!(listed.stdout.split_whitespace().next(), Some(BUG), "{listed}");
    assert!(listed.stdout.contains("reported as SHOP-11") && listed.stdout.lines().count() == 1, "{listed}");
    assert_eq!(made.unidebug(&["bugs", "defects4j", "--json"]).json()["bugs"][0]["report"], REPORT);
    for (bug, wanted) in [
        ("Shop-3", "was deprecated in Defects4J 2.0.0 (JVM8.Not.Reproducible) and cannot be checked out of 3.0.1"),
        ("Shop-2", "was deprecated in Defects4J 3.0.0"),
        ("Shop-77", "Shop has 1; deprecated: 2-3"),
        ("Shpo-1", "no project `Shpo`; nearest first: Shop"),
        ("Shop", "`Shop` is no bug of Defects4J: it is written `Project-Number`"),
    ] {
        let refused = made.unidebug(&["run", &format!("defects4j:{bug}"), "--json", "--model", "builtin"]);
        refused.expect_code(2);
        assert!(refused.stderr.contains(wanted) && refused.stderr.contains("hint: "), "{refused}");
        assert_eq!(refused.json()["error"]["code"], "unknown_bug");
    }
    let older = Installation::usual("2.1.0").await;
    let refused = older.unidebug(&["run", "defects4j:Shop-2", "--model", "builtin"]);
    refused.expect_code(2);
    assert!(refused.stderr.contains("no bug `defects4j:Shop-2`"), "{refused}");
}

#[tokio::test]
async fn a_machine_without_what_it_needs_is_told_what() {
    let strange = Installation::new("3.0.1", 3).await;
    let refused = strange.unidebug(&["run", BUG, "--model", "builtin"]);
    refused.expect_code(3);
    assert!(refused.stderr.contains("Defects4J 3.0.1 runs under JDK 3 only (found "), "{refused}");
    assert!(refused.stderr.contains("--java-home"), "{refused}");
    let examined = strange.unidebug(&["doctor"]);
    assert!(examined.stdout.contains("benchmark defects4j: Defects4J 3.0.1 runs under JDK 3 only"), "{examined}");
    let usual = Installation::usual("3.0.1").await;
    let examined = usual.unidebug(&["doctor"]);
    assert!(examined.stdout.contains("1 bugs; Defects4J 3.0.1 answers under JDK"), "{examined}");
    let (_keep, empty) = folder();
    let refused = unidebug(&["bugs", "defects4j", "--root", empty.as_str()]);
    refused.expect_code(3);
    assert!(refused.stderr.contains("this is no Defects4J") && refused.stderr.contains("init.sh"), "{refused}");
    usual.write("framework/bin/defects4j", "#!/bin/sh\necho 'Couldn'\\''t find project repositories!' >&2\nexit 2\n");
    let refused = usual.unidebug(&["run", BUG, "--model", "builtin"]);
    refused.expect_code(3);
    let command = "`defects4j checkout -p Shop -v 1b -w";
    assert!(refused.stderr.contains(command) && refused.stderr.contains("Couldn't find project"), "{refused}");
}

#[tokio::test]
async fn a_checkout_holds_the_files_and_nothing_that_tells_the_repair() {
    let made = Installation::usual("3.0.1").await;
    let (_keep, into) = folder();
    let checkout = made.checkout(&into).await;
    let mut files = Vec::new();
    for entry in ignore::WalkBuilder::new(&into).standard_filters(false).build().flatten() {
        let path = Utf8Path::from_path(entry.path()).unwrap().to_owned();
        assert!(!path.components().any(|part| part.as_str() == ".git"), "{path}");
        files.extend(path.is_file().then_some(path));
    }
    assert!(files.iter().any(|path| path.ends_with("src/java/shop/Cart.java")));
    for path in &files {
        let name = path.file_name().unwrap();
        assert!(!name.contains("defects4j") && !name.contains("_tests") && !name.contains("export"), "{path}");
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        for leak in ["FIXED_VERSION", "classes.modified", "total() >= from", "1f\n"] {
            assert!(!text.contains(leak), "{path} holds {leak}");
        }
    }
    let project = &checkout.project;
    assert_eq!(checkout.triggering.as_ref().unwrap()[0].to_string(), TRIGGER);
    assert_eq!(checkout.oracle.as_ref().unwrap().files[0].0.as_str(), "src/java/shop/Cart.java");
    assert_eq!(project.tests.include, ["shop/CartTest.java", "shop/SumsTest.java"]);
    // Libraries of the installation one by one: its folder also holds what the developers changed.
    let inside = |path: &&Utf8PathBuf| path.starts_with(&made.root);
    assert!(project.class_path.iter().filter(inside).all(|path| path.extension() == Some("jar")));
    assert!(checkout.notes.iter().any(|note| note.contains("/etc/ssl/elsewhere.jar")), "{:?}", checkout.notes);
    // The second time nothing is asked again, and the same comes of it.
    let (_also, again) = folder();
    let second = made.checkout(&again).await;
    assert!(second.notes[0].contains("known from before"), "{:?}", second.notes);
    assert_eq!((second.triggering, second.project.tests), (checkout.triggering, checkout.project.tests));
}

/// A judge of the bug that starts nothing warm, with the folder it works in.
async fn judge(made: &Installation) -> (tempfile::TempDir, Checkout, Validator) {
    let (keep, base) = folder();
    let (into, work) = (base.join("checkout"), base.join("work"));
    fs::create_dir_all(&into).unwrap();
    fs::create_dir_all(&work).unwrap();
    let checkout = made.checkout(&into).await;
    let options = Options { cold: true, ..Options::new(work) };
    let judge = validate::open(&checkout, &made.sandbox, options).await.unwrap();
    (keep, checkout, judge)
}

/// What the installation says of a patch.
async fn official_verdict(checkout: &Checkout, patch: &Patch) -> OfficialVerdict {
    let work = tempfile::tempdir().unwrap();
    let work = Utf8Path::from_path(work.path()).unwrap();
    checkout.official.as_ref().unwrap().verdict(patch, &[TRIGGER.parse().unwrap()], work).await.unwrap()
}

#[tokio::test]
async fn the_baseline_is_what_the_benchmark_publishes_in_both_versions() {
    for version in ["2.1.0", "3.0.1"] {
        let made = Installation::usual(version).await;
        let (_keep, checkout, judge) = judge(&made).await;
        let baseline = judge.baseline();
        let failing: Vec<String> = baseline.report.failing().map(|result| result.id.to_string()).collect();
        // Only the classes of the triggering tests run before the first query.
        assert_eq!((failing.as_slice(), baseline.passing.len()), ([TRIGGER.to_owned()].as_slice(), 3), "{version}");
        let confirmed = judge.verdict(&repair(&checkout)).await.unwrap().validation;
        assert!(confirmed.is_plausible(), "{version}: {} {}", confirmed.outcome, confirmed.detail);
        assert!(confirmed.detail.contains("`defects4j test` agrees on 5 tests"), "{}", confirmed.detail);
        // What fails officially without any patch is the environment's.
        made.write("framework/environment", "");
        let verdict = official_verdict(&checkout, &repair(&checkout)).await;
        assert!(matches!(verdict, OfficialVerdict::Agrees { .. }), "{version}: {verdict:?}");
    }
}

#[tokio::test]
async fn a_patch_on_which_the_official_command_disagrees_is_not_plausible() {
    let made = Installation::usual("3.0.1").await;
    let (_keep, checkout, judge) = judge(&made).await;
    let patch = repair(&checkout);
    made.write("framework/refuses", "");
    let verdict = judge.verdict(&patch).await.unwrap();
    assert_eq!(verdict.validation.outcome, Outcome::CompileError, "{}", verdict.validation.detail);
    assert_eq!(verdict.disagreements.len(), 1, "{:?}", verdict.disagreements);
    fs::remove_file(made.root.join("framework/refuses")).unwrap();
    for (marker, outcome, reason) in [
        ("objects", Outcome::Regression, "fails, which it does not without the patch, shop.CartTest#sumsUp"),
        ("insists", Outcome::Failed, "`defects4j test` fails the triggering shop.CartTest#deliversFreeFromTheSumOn"),
        ("forgets", Outcome::MissingTests, "`defects4j test` did not start the triggering"),
        ("refuses", Outcome::CompileError, "`defects4j compile` rejects it: "),
    ] {
        made.write(&format!("framework/{marker}"), "");
        let verdict = official_verdict(&checkout, &patch).await;
        let OfficialVerdict::Rejects { outcome: official, why, .. } = verdict else { panic!("{marker}: {verdict:?}") };
        assert_eq!(official, outcome, "{marker}: {why}");
        assert!(why.contains(reason), "{marker}: {why}");
        fs::remove_file(made.root.join("framework").join(marker)).unwrap();
    }
}

#[tokio::test]
async fn a_bug_is_repaired_and_confirmed_by_the_official_command() {
    let made = Installation::usual("3.0.1").await;
    let (_keep, run) = folder();
    let out = run.join("run");
    let done = made.unidebug(&["run", BUG, "--model", "builtin", "--json", "--out", out.as_str()]);
    done.expect_code(0);
    let object = done.json();
    assert_eq!((object["verdict"].as_str(), object["correct"].as_bool()), (Some("plausible"), Some(true)), "{done}");
    assert!(object["patch"].as_str().unwrap().contains("+        return total() >= from;"), "{done}");
    assert_eq!(object["confirmed_by"], "Defects4J 3.0.1");
    let journal = journal(&out);
    assert!(journal.contains("`defects4j test` agrees on 5 tests"), "{journal}");
    assert!(journal.contains("a patch is plausible when `defects4j compile` and `defects4j test` agree"), "{journal}");
    let shown = unidebug(&["resume", out.as_str()]);
    assert!(shown.stdout.contains("confirmed in a fresh process and by Defects4J 3.0.1"), "{shown}");
    // Nobody who looks for it through the tools finds history, tags or properties.
    let found = |tool: &str, args: &str| {
        let answer = made.unidebug(&["tool", tool, "--bug", BUG, "--args", args, "--json"]);
        answer.json()["observation"].as_str().unwrap_or_default().to_owned()
    };
    let searched =
        found("search_code_base", r#"{"key_words": ["FIXED_VERSION", "BUGGY_VERSION", "classes.modified"]}"#);
    assert!(!searched.contains(".java") && !searched.contains("shop.Cart"), "{searched}");
    let read = found("read_range", r#"{"file_path": "defects4j.build.properties", "start_line": 1, "end_line": 9}"#);
    assert!(!read.contains("modified") && !read.contains("trigger"), "{read}");
    let history = found("code_history", r#"{"file_path": "src/java/shop/Cart.java", "start_line": 1, "end_line": 9}"#);
    assert!(!history.contains("VERSION") && !history.contains("defects4j"), "{history}");
}

#[tokio::test]
async fn where_the_official_command_disagrees_there_is_no_repair_and_the_report_says_so() {
    let made = Installation::usual("3.0.1").await;
    made.write("framework/refuses", "");
    let (_keep, run) = folder();
    let out = run.join("run");
    let done =
        made.unidebug(&["run", BUG, "--model", "builtin", "--json", "--max-candidates", "20", "--out", out.as_str()]);
    assert_ne!(done.code, Some(0), "{done}");
    assert_ne!(done.json()["verdict"], "plausible", "{done}");
    let journal = journal(&out);
    assert!(journal.contains(r#""kind":"disagreed","judge":"official""#), "{journal}");
    assert!(journal.contains("`defects4j compile` rejects it"), "{journal}");
    let report = unidebug(&["report", run.as_str()]);
    report.expect_code(0);
    let line = report.stdout.lines().find(|line| line.contains("two judges judged differently")).unwrap_or_default();
    assert!(line.contains(|c: char| ('1'..='9').contains(&c)), "{report}");
}

/// The line of the bug, replaced.
fn fix(by: &str) -> Reply {
    let file = "src/java/shop/Cart.java";
    let diff = format!("--- a/{file}\n+++ b/{file}\n@@\n-        return total() > from;\n+        {by}\n");
    Reply::command("write_fix", json!({"diff": diff, "explanation": "kept"}))
}

/// What a model may try that wants to look the repair up: tools, and code of its own that tells what it sees.
fn nosy(root: &str, nth: usize) -> Reply {
    let looks = format!(
        "throw new IllegalStateException(\"sees \" + java.util.Arrays.toString(new java.io.File(\"{root}/framework/projects\").list()) \
         + new java.io.File(\".git\").exists() + new java.io.File(\"defects4j.build.properties\").exists() + \" there\");"
    );
    match nth {
        1 => Reply::command("search_code_base", json!({"key_words": ["VERSION", "modified", "isDeliveredFree"]})),
        2 => Reply::command("read_range", json!({"file_path": ".git/packed-refs", "start_line": 1, "end_line": 9})),
        3 => Reply::command("read_range", json!({"file_path": ".defects4j.config", "start_line": 1, "end_line": 9})),
        4 => fix(&looks),
        _ => fix("return total() >= from;"),
    }
}

#[tokio::test]
async fn a_model_that_looks_for_the_repair_is_shown_neither_tags_nor_history_nor_properties() {
    let made = Installation::usual("3.0.1").await;
    let root = made.root.to_string();
    let marked = json!({"marked_code": "        return total() > from; // buggy line", "explanation": "the bound"});
    let endpoint = Endpoint::start(move |agent, nth, _| match agent {
        "Fixer" => nosy(&root, nth),
        _ => Reply::command("goal_accomplished", marked.clone()),
    });
    let url = endpoint.base_url();
    let model = ["--model", "m", "--base-url", &url, "--allow-unpriced", "--no-first", "--levels", "L1"];
    let done = made.unidebug(&[&["run", BUG, "--json"], &model[..]].concat());
    done.expect_code(0);
    let object = done.json();
    assert_eq!(
        (object["verdict"].as_str(), object["by"]["agent"].as_str()),
        (Some("plausible"), Some("fixer")),
        "{done}"
    );
    let prompts: Vec<String> = endpoint.served().iter().map(Served::prompt).collect();
    assert_eq!(prompts.len(), 6, "{done}");
    for prompt in &prompts {
        for leak in ["D4J_Shop_1", "classes.modified", "pid=Shop", "total() >= from", "project_repos"] {
            assert!(!prompt.contains(leak), "{leak} is told: {prompt}");
        }
    }
    // Of the installation only its libraries are there for what is tested.
    assert!(prompts[5].contains("sees [lib]falsefalse there"), "{}", prompts[5]);
}

#[tokio::test]
async fn by_repairagents_paper_the_first_prompt_holds_the_failing_tests_with_their_results() {
    let made = Installation::usual("3.0.1").await;
    let endpoint = Endpoint::start(|_, _, _| Reply::text("I do not know"));
    let url = endpoint.base_url();
    let model = ["--model", "m", "--base-url", &url, "--allow-unpriced", "--strategy", "repairagent", "--paper"];
    made.unidebug(&[&["run", BUG, "--json"], &model[..]].concat()).expect_code(1);
    let first = endpoint.served()[0].body["messages"][1]["content"].as_str().unwrap().to_owned();
    for part in [TRIGGER, "assertTrue(new Cart(40, 10).isDeliveredFree(50));   // <-- fails here", "AssertionError"] {
        assert!(first.contains(part), "{part}: {first}");
    }
    assert!(!first.contains("total() > from"), "and nothing of the product: {first}");
}

#[tokio::test]
async fn of_a_folder_of_requirements_a_bug_is_shown_its_own() {
    let made = Installation::usual("3.0.1").await;
    let reports = made.root.join("reports");
    made.write("reports/Shop-2.md", "Carts remember their owner.");
    let model = ["--model", "gpt-4o-mini", "--base-url", "http://127.0.0.1:9/v1", "--dry-run", "--show-prompts"];
    let paper = ["run", BUG, "--strategy", "fixagent", "--paper", "--requirements", reports.as_str()];
    let without = made.unidebug(&[&paper[..], &model].concat());
    without.expect_code(0);
    let lack = format!("{reports} holds no requirements of {BUG}: they would stand in `Shop-1.md` or `Shop-1.txt`");
    assert!(without.stderr.contains(&lack) && !without.stdout.contains("## Requirements"), "{without}");
    made.write("reports/Shop-1.md", "Orders that cost just as much as the limit are delivered free.");
    let with = made.unidebug(&[&paper[..], &model].concat());
    with.expect_code(0);
    let shown = "## Requirements\nOrders that cost just as much as the limit are delivered free.";
    assert!(with.stdout.contains(shown) && !with.stdout.contains("Carts remember"), "{with}");
}

#[tokio::test]
async fn lists_are_filtered_and_samples_can_be_drawn_again() {
    let made = Installation::usual("3.0.1").await;
    for (project, last) in [("Lang", 30), ("Math", 12)] {
        let lines: String = (1..=last).map(|n| format!("{n},a,b,{project}-{n},x\n")).collect();
        made.write(&format!("framework/projects/{project}/active-bugs.csv"), &format!("{HEADER}{lines}"));
    }
    let patch = "diff --git a/A.java b/A.java\n--- a/A.java\n+++ b/A.java\n@@ -1 +1 @@\n-a\n+b\n";
    made.write("framework/projects/Lang/patches/3.src.patch", patch);
    let listed = |args: &[&str]| {
        let done = made.unidebug(&[&["bugs"], args].concat());
        done.expect_code(0);
        let ids: Vec<String> =
            done.stdout.lines().filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect();
        ids.into_iter().filter(|id| id.contains('-') && id.starts_with("defects4j:")).collect::<Vec<_>>()
    };
    assert_eq!(listed(&["defects4j", "--project", "shop"]), [BUG]);
    assert_eq!(listed(&["defects4j:Lang-9..11"]), ["defects4j:Lang-9", "defects4j:Lang-10", "defects4j:Lang-11"]);
    assert_eq!(listed(&["defects4j:Math-1?"]).len(), 3);
    assert_eq!(listed(&["defects4j", "--kind", "single-line"]), ["defects4j:Lang-3"]);
    let sample = ["defects4j", "--sample", "5", "--per-project", "1..3", "--seed", "7"];
    let drawn = listed(&sample);
    assert_eq!((drawn.len(), &drawn), (5, &listed(&sample)));
    let of = |project: &str| drawn.iter().filter(|id| id.starts_with(&format!("defects4j:{project}-"))).count();
    assert!(of("Shop") == 1 && (1..=3).contains(&of("Lang")) && (1..=3).contains(&of("Math")), "{drawn:?}");
    assert_eq!(listed(&["d4j-1.2"]).len(), 42);
    let set = made.unidebug(&["bugs", "d4j-2.0"]);
    assert!(set.stdout.starts_with("d4j-2.0: the active bugs of Defects4J 2.0.0, 835 bugs, 79"), "{set}");
    let refused = made.unidebug(&["bugs", "defects4j", "--sample", "90"]);
    refused.expect_code(2);
    assert!(refused.stderr.contains("43 bugs to draw from") && refused.stderr.contains("hint: "), "{refused}");
    made.unidebug(&["bugs", "defects4j", "--sample", "2", "--per-project", "3..1"]).expect_code(2);
    let none = made.unidebug(&["bugs", "defects4j", "--project", "Time"]);
    none.expect_code(2);
    assert!(none.stderr.contains("the projects Lang, Math, Shop"), "{none}");
}
