//! Directories as bugs: Maven, plain folders, commands, and everything that is no project.

use crate::support::{Unidebug, write_files};
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;
use std::process::Command;
use unidebug::benchmark::{self, BenchmarkError, Checkout, Runner, Settings};
use unidebug::domain::{FileChange, Outcome, Patch, RepoPath};
use unidebug::sandbox::{Choice, Sandbox};
use unidebug::validate::{Options, open};

/// A project of the user, and a place for private copies.
pub struct Trial {
    _folder: tempfile::TempDir,
    pub user: Utf8PathBuf,
    copy: Utf8PathBuf,
    pub work: Utf8PathBuf,
}

impl Trial {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let (user, copy, work) = (base.join("user"), base.join("copy"), base.join("work"));
        for made in [&user, &copy, &work] {
            fs::create_dir_all(made).unwrap();
        }
        write_files(&user, files);
        Self { _folder: folder, user, copy, work }
    }

    pub async fn checkout_below(&self, part: &str, settings: &Settings) -> Result<Checkout, BenchmarkError> {
        let id = benchmark::parse_bug(self.user.join(part).as_str())?;
        benchmark::find(&id.benchmark, settings)?.checkout(&id, &self.copy).await
    }

    pub async fn checkout(&self) -> Result<Checkout, BenchmarkError> {
        self.checkout_below("", &Settings::default()).await
    }

    /// Message and hint of a refusal.
    async fn refused(&self) -> String {
        let error = self.checkout().await.unwrap_err();
        format!("{error}\nhint: {}", error.hint())
    }
}

pub const TOP_POM: &str = "<project><modelVersion>4.0.0</modelVersion>
<groupId>trial</groupId><artifactId>top</artifactId><version>1</version><packaging>pom</packaging>
<modules><module>core</module><module>app</module></modules>
<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>
<scope>test</scope></dependency></dependencies></project>
";
pub const CORE_POM: &str = "<project><modelVersion>4.0.0</modelVersion>
<parent><groupId>trial</groupId><artifactId>top</artifactId><version>1</version></parent>
<artifactId>core</artifactId></project>
";
pub const SUM: &str = "package core;
public class Sum {
    public static int of(int... numbers) {
        int sum = 0;
        for (int i = 1; i < numbers.length; i++) {
            sum += numbers[i];
        }
        return sum;
    }
}
";
pub const SUM_TEST: &str = "package core;
public class SumTest {
    @org.junit.Test public void nothing() { org.junit.Assert.assertEquals(0, Sum.of()); }
}
";
/// A project of one module.
fn one_module(pom: &str, sum: &str) -> Trial {
    let pom = pom.replace("<packaging>pom</packaging>", "").replace("<module>core</module><module>app</module>", "");
    Trial::new(&[
        ("pom.xml", &pom),
        ("src/main/java/core/Sum.java", sum),
        ("src/test/java/core/SumTest.java", SUM_TEST),
    ])
}

/// Passes where Maven runs it.
const UNDER_MAVEN: &str = "package core;
public class UnderMavenTest {
    @org.junit.Test public void knowsItsRepository() {
        org.junit.Assert.assertNotNull(System.getProperty(\"localRepository\"));
    }
}
";

#[tokio::test]
async fn a_test_that_passes_by_maven_is_no_bug() {
    let trial = one_module(TOP_POM, SUM);
    fs::write(trial.user.join("src/test/java/core/UnderMavenTest.java"), UNDER_MAVEN).unwrap();
    let checkout = trial.checkout().await.unwrap();
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let Err(error) = open(&checkout, &sandbox, Options::new(&trial.work)).await else { panic!("it is a bug") };
    let message = format!("{error} {error:?}");
    assert!(message.contains("knowsItsRepository: it passes by `mvn test`, and fails here"), "{message}");
}

/// The test counts what the build tool put beside the classes, as frameworks look for their settings.
#[tokio::test]
async fn a_resource_beside_the_classes_is_there_once_for_every_candidate() {
    let trial = one_module(TOP_POM, SUM);
    let test = "package core;
public class SumTest {
    @org.junit.Test public void of() throws Exception {
        org.junit.Assert.assertEquals(3, Sum.of(1, 2));
        java.util.Enumeration<java.net.URL> all = Sum.class.getClassLoader().getResources(\"data.sql\");
        org.junit.Assert.assertEquals(1, java.util.Collections.list(all).size());
    }
}
";
    write_files(
        &trial.user,
        &[("src/test/java/core/SumTest.java", test), ("src/main/resources/data.sql", "insert into sums values (1)")],
    );
    let checkout = trial.checkout().await.unwrap();
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let judge = open(&checkout, &sandbox, Options::new(&trial.work)).await.unwrap();
    let path = RepoPath::new("src/main/java/core/Sum.java").unwrap();
    let change = FileChange {
        path,
        before: Some(SUM.as_bytes().into()),
        after: SUM.replace("i = 1", "i = 0").into_bytes().into(),
    };
    let right = judge.screen_one(&Patch { files: vec![change] }).await.unwrap();
    assert_eq!(right.outcome, Outcome::PassedWarm, "{}", right.detail);
    assert!(judge.disagreements().is_empty(), "no fresh process had to be asked");
}

#[tokio::test]
async fn maven_is_not_waited_for_where_a_test_has_no_end() {
    let trial = one_module(TOP_POM, &SUM.replace("i++", "i += 0"));
    let test = SUM_TEST.replace("0, Sum.of()", "3, Sum.of(1, 2)");
    fs::write(trial.user.join("src/test/java/core/SumTest.java"), test).unwrap();
    let checkout = trial.checkout().await.unwrap();
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    // Less than Maven would be given, and more than a busy machine needs.
    let most = std::time::Duration::from_secs(600);
    let opened = tokio::time::timeout(most, open(&checkout, &sandbox, Options::new(&trial.work)));
    let judge = opened.await.expect("the user still waits").unwrap();
    assert_eq!(judge.baseline().triggering.len(), 1, "{:?}", judge.baseline().triggering);
}

#[tokio::test]
async fn a_test_that_the_last_report_does_not_name_is_asked_about() {
    let trial = one_module(TOP_POM, SUM);
    let test = "package core;
public class SumTest {
    @org.junit.Test public void two() { org.junit.Assert.assertEquals(3, Sum.of(1, 2)); }
    @org.junit.Test public void knowsItsRepository() {
        org.junit.Assert.assertNotNull(System.getProperty(\"localRepository\"));
    }
}
";
    let report = "<testsuite name=\"core.SumTest\"><testcase classname=\"core.SumTest\" name=\"two\">
<failure type=\"java.lang.AssertionError\">expected:&lt;3&gt; but was:&lt;2&gt;</failure></testcase>
<testcase classname=\"core.SumTest\" name=\"knowsItsRepository\"/></testsuite>";
    write_files(&trial.user, &[("src/test/java/core/SumTest.java", test)]);
    // A report counts as the own word when it is newer than the sources.
    std::thread::sleep(std::time::Duration::from_millis(20));
    write_files(&trial.user, &[("target/surefire-reports/TEST-core.SumTest.xml", report)]);
    let checkout = trial.checkout().await.unwrap();
    assert!(checkout.hints[0].by_own_command, "{:?}", checkout.hints);
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let judge = open(&checkout, &sandbox, Options::new(&trial.work)).await.unwrap();
    assert_eq!(judge.baseline().triggering, vec!["core.SumTest#two".parse().unwrap()]);
}

#[tokio::test]
async fn a_maven_project_that_does_not_compile_is_refused_with_its_line() {
    let refusal = one_module(TOP_POM, &SUM.replace("int sum = 0;", "int sum = \"0\";")).refused().await;
    assert!(refusal.contains("does not compile before any change: src/main/java/core/Sum.java:[4,"), "{refusal}");
}

/// Version managers put Maven into a folder of the user's, which no system knows.
#[test]
fn the_maven_that_the_users_shell_finds_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(folder.path()).unwrap();
    let files =
        [("pom.xml", TOP_POM), ("src/main/java/core/Sum.java", SUM), ("src/test/java/core/SumTest.java", SUM_TEST)];
    write_files(base.join("project"), &files);
    let home = base.join("candidates/maven/9.9");
    let says = "#!/bin/sh\necho '[ERROR] this is the Maven of the user'\nexit 1\n";
    write_files(&home, &[("bin/mvn", says), ("boot/x", ""), ("conf/x", "")]);
    Command::new("chmod").args(["+x", home.join("bin/mvn").as_str()]).status().unwrap();
    let path = std::env::var("PATH").unwrap();
    let real = path.split(':').map(|folder| Utf8Path::new(folder).join("mvn")).find(|mvn| mvn.is_file()).unwrap();
    let real = real.canonicalize_utf8().unwrap().parent().unwrap().join("../lib");
    std::os::unix::fs::symlink(real, home.join("lib")).unwrap();
    let path = format!("{home}/bin:{path}");
    let done = Unidebug::new(&["triage", base.join("project").as_str()]).env("PATH", &path).run();
    done.expect_code(3);
    assert!(done.stderr.contains("this is the Maven of the user"), "{done}");
}

#[tokio::test]
async fn a_language_level_that_the_jdk_does_not_know_yet_is_told_with_the_way_to_another_jdk() {
    let refusal = one_module(&TOP_POM.replace(">11<", ">99<"), SUM).refused().await;
    assert!(
        refusal.contains("does not compile") && refusal.contains("hint: the project is written for a Java"),
        "{refusal}"
    );
    assert!(refusal.contains("--java-home"), "{refusal}");
}

#[tokio::test]
async fn a_language_level_that_the_jdk_no_longer_knows_is_raised_and_told() {
    let in_the_plugin = "</properties><build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><configuration>\
                         <source>1.5</source><target>1.5</target></configuration></plugin></plugins></build>";
    for pom in [TOP_POM.replace(">11<", ">1.5<"), TOP_POM.replace("</properties>", in_the_plugin)] {
        let checkout = one_module(&pom, SUM).checkout().await.unwrap();
        assert!(checkout.notes.iter().any(|note| note.contains(", as Java ")), "{:?}", checkout.notes);
    }
}

#[tokio::test]
async fn plain_folders_get_the_test_library_their_tests_import() {
    let trial = Trial::new(&[("src/core/Sum.java", SUM), ("test/core/SumTest.java", SUM_TEST)]);
    let checkout = trial.checkout().await.unwrap();
    let jars: Vec<_> = checkout.project.class_path.iter().filter_map(|jar| jar.file_name()).collect();
    assert!(jars.iter().any(|jar| jar.starts_with("junit")), "{jars:?}");
    assert_eq!(checkout.project.runner, Runner::Jvm);
    assert!(checkout.notes.iter().any(|note| note.contains("src + test")), "{:?}", checkout.notes);
}

#[tokio::test]
async fn the_projects_own_facts_replace_guesses() {
    let facts = "sources = [\"code\"]\ntests = [\"checks\"]\nrelease = \"11\"\nencoding = \"ISO-8859-1\"\n";
    let trial =
        Trial::new(&[(".unidebug.toml", facts), ("code/core/Sum.java", SUM), ("checks/core/SumTest.java", SUM_TEST)]);
    let project = trial.checkout().await.unwrap().project;
    assert_eq!(project.source_roots, [RepoPath::new("code").unwrap()]);
    assert_eq!(project.test_roots, [RepoPath::new("checks").unwrap()]);
    assert_eq!((project.release.as_deref(), project.encoding.as_str()), (Some("11"), "ISO-8859-1"));
}

#[tokio::test]
async fn commands_replace_everything_that_would_be_guessed() {
    let trial =
        Trial::new(&[("build.gradle", ""), ("part/src/main/java/A.java", ""), ("part/src/test/java/B.java", "")]);
    let words = |text: &str| Some(text.split(' ').map(str::to_owned).collect());
    let settings = Settings { build: words("gradle testClasses"), test: words("gradle test"), ..Settings::default() };
    let project = trial.checkout_below("", &settings).await.unwrap().project;
    let Runner::Command { build, test, reports } = project.runner else { panic!("{:?}", project.runner) };
    assert_eq!(
        (build.unwrap(), test),
        (vec!["gradle".into(), "testClasses".into()], vec!["gradle".into(), "test".into()])
    );
    assert!(reports.iter().any(|folder| folder.as_str() == "build/test-results/test"));
    assert_eq!(project.source_roots, [RepoPath::new("part/src/main/java").unwrap()]);
}

const BUILD_XML: &str = r#"<project name="sum" default="check">
<path id="all"><pathelement location="made/main"/><pathelement location="made/checks"/></path>
<target name="compile"><javac srcdir="code" destdir="made/main" release="11"/>
<javac srcdir="checks" destdir="made/checks" classpathref="all"/></target>
<target name="check" depends="compile"><junit><classpath refid="all"/>
<batchtest><fileset dir="checks" includes="**/*Check.java"/></batchtest></junit></target></project>
"#;
const CHECK: &str = "package core;
public class SumCheck {
    @org.junit.Test public void six() { org.junit.Assert.assertEquals(6, Sum.of(1, 2, 3)); }
}
";

#[tokio::test]
async fn an_ant_project_is_judged_without_ant() {
    let files = [("build.xml", BUILD_XML), ("code/core/Sum.java", SUM), ("checks/core/SumCheck.java", CHECK)];
    let trial = Trial::new(&files);
    let checkout = trial.checkout().await.unwrap();
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let judge = open(&checkout, &sandbox, Options::new(&trial.work)).await.unwrap();
    assert_eq!(judge.baseline().triggering, vec!["core.SumCheck#six".parse().unwrap()]);
    let right = judge.judge().confirm(&changed("code/core/Sum.java", "int i = 1", "int i = 0")).await.unwrap();
    assert_eq!(right.outcome, Outcome::Plausible, "{right:?}");
}

/// A patch of the class that sums, wherever it lies.
fn changed(path: &str, from: &str, to: &str) -> Patch {
    let after = SUM.replace(from, to).as_bytes().into();
    let path = RepoPath::new(path).unwrap();
    Patch { files: vec![FileChange { path, before: Some(SUM.as_bytes().into()), after }] }
}

#[tokio::test]
async fn what_is_no_project_is_refused_with_what_to_do() {
    for (files, wanted) in [
        (vec![], "the folder is empty"),
        (vec![("README.md", "hello")], "known layouts: src/main/java + src/test/java"),
        (vec![("shop/pom.xml", ""), ("old/build.xml", "")], "projects lie in it: name the folder of one, as "),
        (vec![("build.xml", "")], "build.xml names no project"),
        (vec![("src/A.java", ""), ("test/notes.txt", "")], "the test folders hold no Java file"),
        (vec![("src/vec.c", ""), ("test/build_test.py", "")], "nor a Makefile, CMakeLists.txt"),
        (vec![("pom.xml", "<project><artifactId>x</artifactId></project>")], "no test was found in 1 module"),
        (vec![("pom.xml", "not a pom")], "the pom names no project"),
        (vec![(".unidebug.toml", "tets = 'x'")], "unknown key `tets`; did you mean `test`?"),
        (vec![(".unidebug.toml", "test = '/home/me/.ssh/run'")], "a program outside of the project: /home/me/.ssh/run"),
        (vec![(".unidebug.toml", "test = ['../run.sh']")], "a program outside of the project: ../run.sh"),
    ] {
        let refused = Trial::new(&files).refused().await;
        assert!(refused.contains(wanted), "{wanted} is not in: {refused}");
    }
}

const TESTNG_POM: &str = "<project><modelVersion>4.0.0</modelVersion>
<groupId>trial</groupId><artifactId>sum</artifactId><version>1</version>
<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>org.testng</groupId><artifactId>testng</artifactId><version>7.8.0</version>
<scope>test</scope></dependency></dependencies></project>
";
const TESTNG_TEST: &str = "package core;
import static org.testng.Assert.assertEquals;
import org.testng.annotations.*;
public class SumTest {
    private int[] numbers;
    @BeforeMethod public void fresh() { numbers = new int[] {1, 2, 3}; }
    @Test public void six() { assertEquals(Sum.of(numbers), 6); }
    @Test(expectedExceptions = NullPointerException.class) public void refuses() { Sum.of((int[]) null); }
    @DataProvider public Object[][] zeros() { return new Object[][] {{new int[0]}, {new int[1]}}; }
    @Test(dataProvider = \"zeros\") public void nothing(int[] zeros) { assertEquals(Sum.of(zeros), 0); }
}
";

#[tokio::test]
async fn tests_of_a_testng_older_than_its_engine_knows_are_run() {
    let trial = Trial::new(&[
        ("pom.xml", &TESTNG_POM.replace("7.8.0", "6.1.1")),
        ("src/main/java/core/Sum.java", SUM),
        ("src/test/java/core/SumTest.java", TESTNG_TEST),
    ]);
    let checkout = trial.checkout().await.unwrap();
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let judge = open(&checkout, &sandbox, Options::new(&trial.work)).await.unwrap();
    assert_eq!(judge.baseline().triggering, vec!["core.SumTest#six".parse().unwrap()]);
    assert_eq!(judge.baseline().passing.len(), 3, "{:?}", judge.baseline().passing);
}

#[tokio::test]
async fn tests_of_testng_are_run_by_the_engine_of_the_platform() {
    let trial = Trial::new(&[
        ("pom.xml", TESTNG_POM),
        ("src/main/java/core/Sum.java", SUM),
        ("src/test/java/core/SumTest.java", TESTNG_TEST),
    ]);
    let checkout = trial.checkout().await.unwrap();
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let judge = open(&checkout, &sandbox, Options::new(&trial.work)).await.unwrap();
    assert_eq!(judge.baseline().triggering, vec!["core.SumTest#six".parse().unwrap()]);
    assert_eq!(judge.baseline().passing.len(), 3, "{:?}", judge.baseline().passing);
    let change = |from: &str, to: &str| changed("src/main/java/core/Sum.java", from, to);
    let right = judge.judge().confirm(&change("int i = 1", "int i = 0")).await.unwrap();
    assert_eq!(right.outcome, Outcome::Plausible, "{right:?}");
    let breaks =
        judge.judge().confirm(&change("int sum = 0;", "int sum = numbers.length == 3 ? 1 : 9;")).await.unwrap();
    assert_eq!(breaks.outcome, Outcome::Regression, "{breaks:?}");
}
