//! Projects of several modules: which of them the bug is in, and what a patch does to the others.

use crate::local_projects::{CORE_POM, SUM, SUM_TEST, TOP_POM, Trial};
use crate::support::{unidebug, write_files};
use std::fs;
use unidebug::benchmark::Settings;
use unidebug::domain::{FileChange, Outcome, Patch, RepoPath};
use unidebug::sandbox::{Choice, Sandbox};
use unidebug::validate::{Options, open};

const APP_POM: &str = "<project><modelVersion>4.0.0</modelVersion>
<parent><groupId>trial</groupId><artifactId>top</artifactId><version>1</version></parent>
<artifactId>app</artifactId><dependencies><dependency><groupId>trial</groupId><artifactId>core</artifactId>
<version>1</version></dependency></dependencies></project>
";
const REPORT: &str = "package app;
public class Report {
    public String line(int... numbers) { return \"total \" + core.Sum.of(numbers); }
}
";
const REPORT_TEST: &str = "package app;
import static org.junit.Assert.assertEquals;
public class ReportTest {
    @org.junit.Test public void total() { assertEquals(\"total 6\", new Report().line(1, 2, 3)); }
    @org.junit.Test public void nothing() { assertEquals(\"total 0\", new Report().line()); }
}
";

pub fn two_modules() -> Trial {
    Trial::new(&[
        ("pom.xml", TOP_POM),
        ("core/pom.xml", CORE_POM),
        ("core/src/main/java/core/Sum.java", SUM),
        ("core/src/test/java/core/SumTest.java", SUM_TEST),
        ("app/pom.xml", APP_POM),
        ("app/src/main/java/app/Report.java", REPORT),
        ("app/src/test/java/app/ReportTest.java", REPORT_TEST),
    ])
}

#[tokio::test]
async fn the_failing_module_of_a_maven_project_is_found_and_repaired_in_its_sibling() {
    let trial = two_modules();
    let checkout = trial.checkout().await.unwrap();
    let project = &checkout.project;
    assert_eq!(project.module, RepoPath::new("app").unwrap(), "{:?}", checkout.notes);
    let sources: Vec<&str> = project.source_roots.iter().map(RepoPath::as_str).collect();
    assert_eq!(sources, ["app/src/main/java", "core/src/main/java"]);
    assert!(project.class_path.iter().any(|jar| jar.file_name() == Some("junit-4.13.2.jar")));
    assert_eq!(project.javac_args, ["-source", "11", "-target", "11"]);
    assert!(
        !trial.user.join("target").exists() && !trial.user.join("app/target").exists(),
        "the user's tree is read only"
    );

    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let judge = open(&checkout, &sandbox, Options::new(&trial.work)).await.unwrap();
    assert_eq!(judge.baseline().triggering, vec!["app.ReportTest#total".parse().unwrap()]);
    let repair = Patch {
        files: vec![FileChange {
            path: RepoPath::new("core/src/main/java/core/Sum.java").unwrap(),
            before: Some(SUM.as_bytes().into()),
            after: SUM.replace("int i = 1", "int i = 0").as_bytes().into(),
        }],
    };
    let judged = judge.judge().confirm(&repair).await.unwrap();
    assert_eq!(judged.outcome, Outcome::Plausible, "{judged:?}");
}

#[tokio::test]
async fn of_two_failing_modules_the_one_that_was_changed_last_is_worked_on() {
    let trial = two_modules();
    // What asks a network fails wherever there is none, and comes first in the build.
    let asks = SUM_TEST.replace(
        "    @org",
        "    @org.junit.Test public void ask() throws Exception {
        java.net.InetAddress.getByName(\"host.invalid\");
    }
    @org",
    );
    write_files(&trial.user, &[("core/src/test/java/core/SumTest.java", &asks)]);
    change_one_by_one(&trial, &["app/src/main/java/app/Report.java", "README.md"]);
    let checkout = trial.checkout().await.unwrap();
    assert_eq!((checkout.project.module.as_str(), checkout.is_guess), ("app", true), "{:?}", checkout.notes);
    let all = Settings { all_modules: true, ..Settings::default() };
    let checkout = trial.checkout_below("", &all).await.unwrap();
    assert_eq!((checkout.project.module.as_str(), checkout.is_guess), ("app", false), "{:?}", checkout.notes);
    assert!(checkout.hints[0].by_own_command, "Maven said which tests fail: {:?}", checkout.hints);
    assert_eq!(checkout.hints[0].tests, ["app.ReportTest#total".parse().unwrap()]);
    let other = trial.user.join("core");
    assert!(checkout.notes.iter().any(|note| note.ends_with(&format!("on that folder: {other}"))));
}

#[test]
fn if_no_test_of_the_module_that_was_changed_last_fails_all_are_looked_at() {
    let trial = two_modules();
    change_one_by_one(&trial, &["core/src/main/java/core/Sum.java"]);
    let done = unidebug(&["run", trial.user.as_str(), "--model", "builtin"]);
    let text = done.to_string();
    assert!(text.contains("no test of module core fails, so the tests of all modules are run"), "{text}");
    assert!(text.contains("fails: app.ReportTest#total"), "{text}");
    done.expect_code(0);
}

#[tokio::test]
async fn a_test_of_another_module_that_the_last_change_broke_must_pass_with_a_patch() {
    let trial = two_modules();
    let one = SUM_TEST.replace(
        "    @org",
        "    @org.junit.Test public void one() { org.junit.Assert.assertEquals(5, Sum.of(5)); }
    @org",
    );
    let (sum, whole) = ("core/src/main/java/core/Sum.java", SUM.replace("int i = 1", "int i = 0"));
    write_files(&trial.user, &[("core/src/test/java/core/SumTest.java", &one), (sum, &whole)]);
    change_one_by_one(&trial, &[sum]);
    write_files(&trial.user, &[(sum, SUM)]);
    let checkout = trial.checkout().await.unwrap();
    assert_eq!(checkout.project.module.as_str(), "core", "{:?}", checkout.notes);
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let judge = open(&checkout, &sandbox, Options::new(&trial.work)).await.unwrap();
    assert_eq!(judge.baseline().triggering, vec!["core.SumTest#one".parse().unwrap()]);
    let patch = |begin: &str| {
        let after = SUM.replace("int i = 1", begin).as_bytes().into();
        let change = FileChange { path: RepoPath::new(sum).unwrap(), before: Some(SUM.as_bytes().into()), after };
        Patch { files: vec![change] }
    };
    let partial = judge.judge().confirm(&patch("int i = numbers.length > 1 ? 1 : 0")).await.unwrap();
    assert_eq!(partial.outcome, Outcome::Failed, "{partial:?}");
    let why = "in module app: app.ReportTest#total still fails, which passes without what is not committed yet";
    assert!(partial.detail.starts_with(why), "{partial:?}");
    let right = judge.judge().confirm(&patch("int i = 0")).await.unwrap();
    assert_eq!(right.outcome, Outcome::Plausible, "{right:?}");
}

/// Commits the project of the user, and then a change of each file but the last one, which is not committed.
fn change_one_by_one(trial: &Trial, files: &[&str]) {
    let git = |args: &[&str]| {
        let person = ["-c", "user.name=A User", "-c", "user.email=user@example.org"];
        let status = std::process::Command::new("git").args(person).args(args).current_dir(&trial.user).status();
        assert!(status.unwrap().success(), "{args:?}");
    };
    git(&["init", "--quiet"]);
    for file in files {
        git(&["add", "--all"]);
        git(&["commit", "--quiet", "--message", "a change"]);
        let path = trial.user.join(file);
        let before = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, before + "\n").unwrap();
    }
}

#[tokio::test]
async fn tests_may_use_the_test_classes_of_another_module() {
    let trial = two_modules();
    let uses = "<dependency><groupId>trial</groupId><artifactId>core</artifactId><version>1</version>
<type>test-jar</type><scope>test</scope></dependency></dependencies>";
    let case = "package core;
public abstract class SumCase {
    @org.junit.Test public void total() { org.junit.Assert.assertEquals(\"total 6\", line(Sum.of(1, 2, 3))); }
    protected abstract String line(int sum);
}
";
    let test = "package app;
public class ReportTest extends core.SumCase {
    @Override protected String line(int sum) { return new Report().line(0, sum); }
}
";
    write_files(
        &trial.user,
        &[
            ("app/pom.xml", &APP_POM.replace("</dependencies>", uses)),
            ("core/src/test/java/core/SumCase.java", case),
            ("app/src/test/java/app/ReportTest.java", test),
        ],
    );
    let checkout = trial.checkout_below("app", &Settings::default()).await.unwrap();
    assert_eq!(checkout.project.compiled_helpers, [RepoPath::new("core/target/test-classes").unwrap()]);
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let judge = open(&checkout, &sandbox, Options::new(&trial.work)).await.unwrap();
    assert_eq!(judge.baseline().triggering, vec!["app.ReportTest#total".parse().unwrap()]);
    let sum = |to: &str| FileChange {
        path: RepoPath::new("core/src/main/java/core/Sum.java").unwrap(),
        before: Some(SUM.as_bytes().into()),
        after: SUM.replace("int i = 1", to).as_bytes().into(),
    };
    let repair = Patch { files: vec![sum("int i = 0")] };
    let quick = judge.judge().validate(&repair).await.unwrap();
    assert_eq!(quick.outcome, Outcome::PassedWarm, "a process that stays runs them, too: {quick:?}");
    assert_eq!(judge.judge().confirm(&repair).await.unwrap().outcome, Outcome::Plausible);
    // A class of that name would be taken by the tests instead of theirs.
    let own = FileChange {
        path: RepoPath::new("app/src/main/java/core/SumCase.java").unwrap(),
        before: None,
        after: case.replace("6", "5").as_bytes().into(),
    };
    let refused = judge.judge().confirm(&Patch { files: vec![own] }).await.unwrap();
    assert_eq!(refused.outcome, Outcome::Refused, "{refused:?}");
    assert!(refused.detail.contains("which the tests have"), "{refused:?}");
}

#[tokio::test]
async fn a_patch_that_breaks_the_tests_of_another_module_is_no_repair() {
    let core_test = SUM_TEST.replace(
        "    @org",
        "    @org.junit.Test public void two() { org.junit.Assert.assertEquals(5, Sum.of(2, 3)); }\n    @org",
    );
    // What the other module sees works with the bug.
    let app_test =
        REPORT_TEST.replace("\"total 6\", new Report().line(1, 2, 3)", "\"total 5\", new Report().line(0, 2, 3)");
    let trial = Trial::new(&[
        ("pom.xml", TOP_POM),
        ("core/pom.xml", CORE_POM),
        ("core/src/main/java/core/Sum.java", SUM),
        ("core/src/test/java/core/SumTest.java", &core_test),
        ("app/pom.xml", APP_POM),
        ("app/src/main/java/app/Report.java", REPORT),
        ("app/src/test/java/app/ReportTest.java", &app_test),
    ]);
    let checkout = trial.checkout().await.unwrap();
    assert_eq!(checkout.project.module, RepoPath::new("core").unwrap(), "{:?}", checkout.notes);
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let judge = open(&checkout, &sandbox, Options::new(&trial.work)).await.unwrap();
    assert_eq!(judge.baseline().triggering, vec!["core.SumTest#two".parse().unwrap()]);
    for (to, wanted) in [("int i = 0", Outcome::Plausible), ("int i = numbers.length > 2 ? 2 : 0", Outcome::Regression)]
    {
        let patch = Patch {
            files: vec![FileChange {
                path: RepoPath::new("core/src/main/java/core/Sum.java").unwrap(),
                before: Some(SUM.as_bytes().into()),
                after: SUM.replace("int i = 1", to).as_bytes().into(),
            }],
        };
        let validation = judge.judge().confirm(&patch).await.unwrap();
        assert_eq!(validation.outcome, wanted, "{to}: {validation:?}");
        assert_eq!(validation.detail.contains("in module app"), wanted == Outcome::Regression, "{validation:?}");
    }
}

#[tokio::test]
async fn the_module_can_be_named_by_its_test_and_by_its_folder() {
    let trial = two_modules();
    let failing = |test: &str| Settings { failing: vec![test.into()], ..Settings::default() };
    let error = trial.checkout_below("", &failing("NoSuchTest")).await.unwrap_err();
    assert!(error.to_string().contains("no module holds the test NoSuchTest"), "{error}");
    assert!(error.to_string().contains(trial.user.as_str()), "{error} names the copy");
    let checkout = trial.checkout_below("app", &Settings::default()).await.unwrap();
    assert_eq!(checkout.project.module.as_str(), "app", "{:?}", checkout.notes);
}
