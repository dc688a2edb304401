//! What the tests of fresh projects bring with them: the newest JUnit with modules, mocks of final classes.

use crate::local_projects::{CORE_POM, SUM, Trial};
use crate::modules::two_modules;
use crate::support::write_files;
use unidebug::benchmark::Checkout;
use unidebug::domain::{FileChange, Outcome, Patch};
use unidebug::sandbox::{Choice, Sandbox};
use unidebug::validate::{Options, open};

/// A project with the newest JUnit, whose tests need a folder of modules that the build fills.
const MODULES_POM: &str = "<project><modelVersion>4.0.0</modelVersion>
<groupId>trial</groupId><artifactId>modules</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId>
<version>6.1.2</version><scope>test</scope></dependency></dependencies>
<build><plugins>
<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId><version>3.6.1</version>
<executions><execution><phase>compile</phase><goals><goal>copy-dependencies</goal></goals>
<configuration><outputDirectory>${project.build.directory}/modules</outputDirectory>
<includeArtifactIds>opentest4j</includeArtifactIds></configuration></execution></executions></plugin>
<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-surefire-plugin</artifactId><version>3.5.2</version>
<configuration><argLine>--module-path ${project.build.directory}/modules --add-modules org.opentest4j</argLine>
</configuration></plugin></plugins></build></project>
";

/// A project whose tests mock a final class: Mockito's mock maker attaches to its own process where nobody gives it an
/// agent.
const MOCKS_POM: &str = "<project><modelVersion>4.0.0</modelVersion>
<groupId>trial</groupId><artifactId>mocks</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId>
<version>5.11.4</version><scope>test</scope></dependency>
<dependency><groupId>org.mockito</groupId><artifactId>mockito-core</artifactId>
<version>5.15.2</version><scope>test</scope></dependency></dependencies>
</project>
";

/// Opens a project, checks what fails, and judges the repair of its sum in a warm process and in fresh ones.
async fn repaired(trial: &Trial, triggering: &[&str]) {
    let checkout: Checkout = trial.checkout().await.unwrap();
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let judge = open(&checkout, &sandbox, Options::new(&trial.work)).await.unwrap();
    let found: Vec<String> = judge.baseline().triggering.iter().map(ToString::to_string).collect();
    assert_eq!(found, triggering, "{:?}", judge.baseline().report);
    let repair = Patch {
        files: vec![FileChange {
            path: checkout.project.source_roots[0].join("core/Sum.java").unwrap(),
            before: Some(SUM.as_bytes().into()),
            after: SUM.replace("int i = 1", "int i = 0").as_bytes().into(),
        }],
    };
    let warm = judge.judge().validate(&repair).await.unwrap();
    assert_eq!(warm.outcome, Outcome::PassedWarm, "{warm:?}");
    let confirmed = judge.judge().confirm(&repair).await.unwrap();
    assert_eq!(confirmed.outcome, Outcome::Plausible, "{confirmed:?}");
}

#[tokio::test]
async fn tests_of_the_newest_junit_find_the_modules_that_arg_line_names() {
    let test = "package core;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.Test;
class SumTest {
    @Test void nothing() { assertEquals(0, Sum.of()); }
    @Test void module() { assertTrue(ModuleLayer.boot().findModule(\"org.opentest4j\").isPresent()); }
    @Test void two() { assertEquals(3, Sum.of(1, 2)); }
}
";
    let trial = Trial::new(&[
        ("pom.xml", MODULES_POM),
        ("src/main/java/core/Sum.java", SUM),
        ("src/test/java/core/SumTest.java", test),
    ]);
    repaired(&trial, &["core.SumTest#two"]).await;
}

#[tokio::test]
async fn each_run_of_a_class_with_parameters_is_a_test_of_its_own() {
    let test = "package core;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.*;
import org.junit.jupiter.params.provider.ValueSource;
@ParameterizedClass @ValueSource(ints = {0, 1, 2})
class SumTest {
    @Parameter int first;
    @Test void alone() { assertEquals(first, Sum.of(first)); }
    @ParameterizedTest @ValueSource(ints = {3, 4}) void beside(int other) { assertEquals(first + other, Sum.of(first, other)); }
}
";
    let trial = Trial::new(&[
        ("pom.xml", MODULES_POM),
        ("src/main/java/core/Sum.java", SUM),
        ("src/test/java/core/SumTest.java", test),
    ]);
    let failing = ["alone[2]", "alone[3]", "beside[2][1]", "beside[2][2]", "beside[3][1]", "beside[3][2]"];
    let failing = failing.map(|name| format!("core.SumTest#{name}"));
    repaired(&trial, &failing.each_ref().map(String::as_str)).await;
}

#[tokio::test]
async fn tests_that_mock_final_classes_are_run_as_by_the_build() {
    let ledger = "package core;
public final class Ledger {
    private final int[] entries = {};
    public int[] entries() { return entries; }
    public int balance() { return Sum.of(entries()); }
}
";
    let test = "package core;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.*;
import org.junit.jupiter.api.Test;
class LedgerTest {
    private final Ledger ledger = mock(Ledger.class, CALLS_REAL_METHODS);
    @Test void empty() { doReturn(new int[0]).when(ledger).entries(); assertEquals(0, ledger.balance()); }
    @Test void two() { doReturn(new int[] {1, 2}).when(ledger).entries(); assertEquals(3, ledger.balance()); }
}
";
    let trial = Trial::new(&[
        ("pom.xml", MOCKS_POM),
        ("src/main/java/core/Sum.java", SUM),
        ("src/main/java/core/Ledger.java", ledger),
        ("src/test/java/core/LedgerTest.java", test),
    ]);
    repaired(&trial, &["core.LedgerTest#two"]).await;
}

/// Two modules, of which the first has this in its build and this test.
fn core_with(build: &str, test: &str) -> Trial {
    let trial = two_modules();
    let build = format!("<artifactId>core</artifactId><build>{build}</build>");
    let pom = CORE_POM.replace("<artifactId>core</artifactId>", &build);
    write_files(&trial.user, &[("core/pom.xml", &pom), ("core/src/test/java/core/SumTest.java", test)]);
    trial
}

#[tokio::test]
async fn tests_may_write_in_the_folder_of_their_module() {
    let test = "package core;
import java.nio.file.*;
public class SumTest {
    @org.junit.Test public void two() throws Exception {
        Path sums = Paths.get(\"target/reports/sums.txt\");
        Files.createDirectories(sums.getParent());
        Files.write(sums, String.valueOf(Sum.of(1, 2)).getBytes());
        org.junit.Assert.assertEquals(\"3\", Files.readAllLines(sums).get(0));
    }
}
";
    let resources = "<resources><resource><directory>${basedir}</directory>
<includes><include>NOTICE.txt</include></includes></resource></resources>";
    let trial = core_with(resources, test);
    write_files(&trial.user, &[("core/NOTICE.txt", "a notice")]);
    repaired(&trial, &["core.SumTest#two"]).await;
}

#[tokio::test]
async fn tests_run_where_surefire_is_told_to_run_them() {
    let test = "package core;
import static org.junit.Assert.*;
import java.io.File;
public class SumTest {
    @org.junit.Test public void two() {
        assertTrue(new File(\"../classes/core/Sum.class\").isFile());
        assertTrue(new File(System.getProperty(\"basedir\"), \"pom.xml\").isFile());
        assertEquals(3, Sum.of(1, 2));
    }
    @org.junit.Test public void where() { assertEquals(\"runtest\", new File(\"\").getAbsoluteFile().getName()); }
}
";
    let surefire = "<plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration>
<workingDirectory>${project.build.directory}/runtest</workingDirectory></configuration></plugin></plugins>";
    repaired(&core_with(surefire, test), &["core.SumTest#two"]).await;
}

#[tokio::test]
async fn tests_find_what_the_build_made_and_may_write_beside_it() {
    let test = "package core;
import static org.junit.Assert.*;
import java.io.*;
import java.util.stream.Stream;
import org.junit.Test;
public class SumTest {
    @Test public void two() throws Exception {
        assertTrue(new File(\"target/classes/core/Sum.class\").isFile());
        String classPath = System.getProperty(\"surefire.test.class.path\");
        assertTrue(Stream.of(classPath.split(\":\")).anyMatch(entry -> new File(entry, \"core/Sum.class\").isFile()));
        try (FileWriter sums = new FileWriter(\"target/sums.txt\")) {
            sums.write(\"\" + Sum.of(1, 2));
        }
        try (BufferedReader sums = new BufferedReader(new FileReader(\"target/sums.txt\"))) {
            assertEquals(\"3\", sums.readLine());
        }
    }
    @Test public void written() {
        assertFalse(new File(\"target/classes/core/Sum.class\").delete());
    }
}
";
    let trial = Trial::new(&[
        ("pom.xml", OUTPUTS_POM),
        ("src/main/java/core/Sum.java", SUM),
        ("src/test/java/core/SumTest.java", test),
    ]);
    repaired(&trial, &["core.SumTest#two"]).await;
}

/// A project with the folder of its classes in a resource of its tests.
const OUTPUTS_POM: &str = "<project><modelVersion>4.0.0</modelVersion>
<groupId>trial</groupId><artifactId>outputs</artifactId><version>1</version>
<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>
<scope>test</scope></dependency></dependencies>
<build><testResources><testResource><directory>src/test/resources</directory><filtering>true</filtering></testResource>
</testResources></build></project>
";

#[tokio::test]
async fn tests_that_load_classes_from_where_they_were_built_get_those_of_the_patch() {
    let test = "package core;
import static org.junit.Assert.*;
import java.io.*;
import java.net.*;
import java.util.Properties;
import org.junit.Test;
public class SumTest {
    private final Properties places = new Properties();
    public SumTest() throws IOException {
        try (InputStream text = getClass().getResourceAsStream(\"/places.properties\")) { places.load(text); }
    }
    @Test public void found() {
        assertTrue(new File(places.getProperty(\"top\"), \"src/test/resources/places.properties\").isFile());
    }
    @Test public void loaded() throws Exception {
        URL[] made = {new File(places.getProperty(\"classes\")).toURI().toURL()};
        try (URLClassLoader loader = new URLClassLoader(made, null)) {
            Object sum = loader.loadClass(\"core.Sum\").getMethod(\"of\", int[].class).invoke(null, new int[] {1, 2});
            assertEquals(3, sum);
        }
    }
    @Test public void two() { assertEquals(3, Sum.of(1, 2)); }
}
";
    let trial = Trial::new(&[
        ("pom.xml", OUTPUTS_POM),
        ("src/main/java/core/Sum.java", SUM),
        ("src/test/java/core/SumTest.java", test),
        ("src/test/resources/places.properties", "classes=${project.build.outputDirectory}\ntop=${basedir}\n"),
    ]);
    // Where the build is kept, the next run has another copy.
    for _ in 0..2 {
        repaired(&trial, &["core.SumTest#loaded", "core.SumTest#two"]).await;
    }
}

/// A project that has JaCoCo's agent among its test libraries, in another version than ours.
const MEASURED_POM: &str = "<project><modelVersion>4.0.0</modelVersion>
<groupId>trial</groupId><artifactId>measured</artifactId><version>1</version>
<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>
<scope>test</scope></dependency>
<dependency><groupId>org.jacoco</groupId><artifactId>org.jacoco.agent</artifactId><version>0.8.12</version>
<classifier>runtime</classifier><scope>test</scope></dependency></dependencies></project>
";

#[tokio::test]
async fn a_projects_own_coverage_agent_is_not_in_the_way_of_ours() {
    let test = "package core;
import static org.junit.Assert.assertEquals;
import org.junit.Test;
public class SumTest {
    @Test public void nothing() { assertEquals(0, Sum.of()); }
    @Test public void two() { assertEquals(3, Sum.of(1, 2)); }
}
";
    let trial = Trial::new(&[
        ("pom.xml", MEASURED_POM),
        ("src/main/java/core/Sum.java", SUM),
        ("src/test/java/core/SumTest.java", test),
    ]);
    let checkout = trial.checkout().await.unwrap();
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let judge = open(&checkout, &sandbox, Options::new(&trial.work)).await.unwrap();
    let mut measured: Vec<String> = judge.baseline().spectrum.tests().map(|(id, ..)| id.to_string()).collect();
    measured.sort();
    assert_eq!(measured, ["core.SumTest#nothing", "core.SumTest#two"], "{:?}", judge.baseline().report);
}

/// A goal that refuses to run anywhere but in a git repository, and two that generate a source.
const GENERATED_POM: &str = "<project><modelVersion>4.0.0</modelVersion>
<groupId>trial</groupId><artifactId>generated</artifactId><version>1</version>
<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>
<scope>test</scope></dependency></dependencies>
<build><plugins>
<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-antrun-plugin</artifactId><version>3.1.0</version>
<executions>
<execution><id>hooks</id><phase>initialize</phase><goals><goal>run</goal></goals><configuration><target>
<fail message=\"this is no git repository\"><condition><not><available file=\"${basedir}/.git\"/></not></condition></fail>
</target></configuration></execution>
<execution><id>start</id><phase>generate-sources</phase><goals><goal>run</goal></goals><configuration><target>
<echo file=\"${project.build.directory}/made/core/Start.java\">package core; class Start { static final int AT = 0; }</echo>
</target></configuration></execution>
</executions></plugin>
<plugin><groupId>org.codehaus.mojo</groupId><artifactId>build-helper-maven-plugin</artifactId><version>3.6.0</version>
<executions><execution><id>made</id><phase>generate-sources</phase><goals><goal>add-source</goal></goals>
<configuration><sources><source>${project.build.directory}/made</source></sources></configuration></execution>
</executions></plugin>
</plugins></build></project>
";

#[tokio::test]
async fn sources_are_generated_though_another_plugin_refuses_to_run() {
    let ledger = "package core;
public class Ledger {
    public static int balance(int... entries) { return Start.AT + Sum.of(entries); }
}
";
    let test = "package core;
import static org.junit.Assert.assertEquals;
import org.junit.Test;
public class LedgerTest {
    @Test public void empty() { assertEquals(0, Ledger.balance()); }
    @Test public void two() { assertEquals(3, Ledger.balance(1, 2)); }
}
";
    let trial = Trial::new(&[
        ("pom.xml", GENERATED_POM),
        ("src/main/java/core/Sum.java", SUM),
        ("src/main/java/core/Ledger.java", ledger),
        ("src/test/java/core/LedgerTest.java", test),
    ]);
    repaired(&trial, &["core.LedgerTest#two"]).await;
    let again = trial.checkout().await.unwrap();
    let is_noted = again.notes.iter().any(|note| note.contains("compiled by Maven in an earlier run"));
    assert!(is_noted, "{:?}", again.notes);
}
