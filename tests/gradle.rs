//! Projects built with Gradle, set up without a flag. Where no Gradle is installed they are passed over.

use crate::support::{unidebug, write_files};
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;
use std::time::Duration;
use unidebug::benchmark::{self, BenchmarkError, Checkout, OwnQuestion, OwnRun, Settings};
use unidebug::domain::{FileChange, Outcome, Patch, RepoPath, TestId, TestStatus};
use unidebug::sandbox::{Choice, Sandbox, find_program};
use unidebug::validate::{Options, open};

/// Asks about tests of a checkout as it is.
fn untouched<'q>(checkout: &'q Checkout, tests: &'q [TestId]) -> OwnQuestion<'q> {
    OwnQuestion { tree: &checkout.root, is_patched: false, tests, wall: Duration::from_secs(300) }
}

fn no_gradle() -> bool {
    let missing = find_program("gradle").is_none();
    if missing {
        eprintln!("passed over: no Gradle here");
    }
    missing
}

/// A project of the user, and a folder for copies.
struct User {
    _folder: tempfile::TempDir,
    project: Utf8PathBuf,
    base: Utf8PathBuf,
}

impl User {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        for made in ["copy", "work"] {
            fs::create_dir(base.join(made)).unwrap();
        }
        let project = base.join("shop");
        write_files(&project, files);
        Self { _folder: folder, project, base }
    }

    async fn checkout(&self, part: &str) -> Result<Checkout, BenchmarkError> {
        let id = benchmark::parse_bug(self.project.join(part).as_str())?;
        benchmark::find(&id.benchmark, &Settings::default())?.checkout(&id, &self.base.join("copy")).await
    }
}

const TWO_MODULES: &str = "subprojects {
    apply plugin: 'java'
    sourceCompatibility = 11
    repositories { mavenCentral() }
    dependencies { testCompile 'junit:junit:4.13.2' }
}
";
const APP: &str = "dependencies { compile project(':core') }
test {
    systemProperty 'shop.currency', 'EUR'
    maxHeapSize = '256m'
}
";
const PRICE: &str = "package core;
public class Price {
    public static int sum(int... prices) {
        int sum = 0;
        for (int i = 1; i < prices.length; i++) {
            sum += prices[i];
        }
        return sum;
    }
}
";
const PRICE_TEST: &str = "package core;
import static org.junit.Assert.assertEquals;
public class PriceTest {
    @org.junit.Test public void nothing() { assertEquals(0, Price.sum()); }
}
";
const BILL: &str = "package app;
public class Bill {
    public String line(int... prices) {
        return core.Price.sum(prices) + \" \" + System.getProperty(\"shop.currency\");
    }
}
";
const BILL_TEST: &str = "package app;
import static org.junit.Assert.assertEquals;
public class BillTest {
    @org.junit.Test public void total() { assertEquals(\"60 EUR\", new Bill().line(10, 20, 30)); }
    @org.junit.Test public void empty() { assertEquals(\"0 EUR\", new Bill().line()); }
}
";

fn two_modules() -> User {
    User::new(&[
        ("settings.gradle", "include 'core', 'app'\n"),
        ("build.gradle", TWO_MODULES),
        ("app/build.gradle", APP),
        ("core/src/main/java/core/Price.java", PRICE),
        ("core/src/test/java/core/PriceTest.java", PRICE_TEST),
        ("app/src/main/java/app/Bill.java", BILL),
        ("app/src/test/java/app/BillTest.java", BILL_TEST),
    ])
}

fn change(from: &str, to: &str) -> Patch {
    assert!(PRICE.contains(from));
    let path = RepoPath::new("core/src/main/java/core/Price.java").unwrap();
    let after = PRICE.replace(from, to).into_bytes().into();
    Patch { files: vec![FileChange { path, before: Some(PRICE.as_bytes().into()), after }] }
}

#[tokio::test]
async fn the_failing_module_of_a_gradle_project_is_found_and_repaired_in_its_sibling() {
    if no_gradle() {
        return;
    }
    let user = two_modules();
    let checkout = user.checkout("").await.unwrap_or_else(|error| panic!("{error}; {}", error.hint()));
    let project = &checkout.project;
    assert_eq!(project.module.as_str(), "app", "{:?}", checkout.notes);
    let sources: Vec<&str> = project.source_roots.iter().map(RepoPath::as_str).collect();
    assert_eq!(sources, ["app/src/main/java", "core/src/main/java"]);
    assert!(project.class_path.iter().any(|jar| jar.file_name() == Some("junit-4.13.2.jar")));
    for wanted in ["-Xmx256m", "-Dshop.currency=EUR"] {
        assert!(project.jvm_args.iter().any(|arg| arg == wanted), "{:?}", project.jvm_args);
    }
    assert!(!user.project.join("app/build").exists() && !user.project.join(".gradle").exists(), "only read");

    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let judge = open(&checkout, &sandbox, Options::new(user.base.join("work"))).await.unwrap();
    assert_eq!(judge.baseline().triggering, vec!["app.BillTest#total".parse().unwrap()]);
    let right = judge.judge().confirm(&change("int i = 1", "int i = 0")).await.unwrap();
    assert_eq!(right.outcome, Outcome::Plausible, "{right:?}");
    let for_one_module = change("return sum;", "return prices.length == 3 ? 60 : prices.length == 0 ? 0 : -1 / sum;");
    let alone = judge.judge().confirm(&for_one_module).await.unwrap();
    assert_eq!(alone.outcome, Outcome::Plausible, "no test tells: {alone:?}");
    let breaks = change("int sum = 0;", "int sum = prices.length == 0 ? 1 : prices[0];");
    let breaks = judge.judge().confirm(&breaks).await.unwrap();
    assert_eq!(breaks.outcome, Outcome::Regression, "{breaks:?}");
}

#[tokio::test]
async fn gradle_itself_is_asked_for_named_tests() {
    if no_gradle() {
        return;
    }
    let user = two_modules();
    let checkout = user.checkout("app").await.unwrap_or_else(|error| panic!("{error}; {}", error.hint()));
    assert_eq!(checkout.project.module.as_str(), "app", "run in a module's folder: {:?}", checkout.notes);
    let own = checkout.own.clone().unwrap();
    assert_eq!(own.name(), "gradle app:test");
    let named = ["app.BillTest#total".parse().unwrap()];
    let own_run = own.run(untouched(&checkout, &named)).await.unwrap();
    let OwnRun::Tested(report) = own_run else { panic!("{own_run:?}") };
    let ends: Vec<_> = report.results.values().map(|result| (result.id.to_string(), result.status)).collect();
    assert_eq!(ends, [("app.BillTest#total".to_owned(), TestStatus::Failed)]);
    let failure = report.results.values().next().unwrap().failure.clone().unwrap();
    assert_eq!(failure.kind, "org.junit.ComparisonFailure");
}

const OLD_TESTNG: &str = "apply plugin: 'java'
sourceCompatibility = 11
repositories { mavenCentral() }
dependencies { testCompile 'org.testng:testng:6.1.1' }
test { useTestNG() }
";
const SUM_TEST: &str = "package core;
import org.testng.Assert;
import org.testng.annotations.Test;
public class SumTest {
    @Test public void six() { Assert.assertEquals(Price.sum(1, 2, 3), 6); }
    @Test public void nothing() { Assert.assertEquals(Price.sum(), 0); }
}
";

/// Gradle finds no test by its name there, so all are run.
#[tokio::test]
async fn tests_of_an_old_testng_that_gradle_cannot_name_are_run_all_the_same() {
    if no_gradle() {
        return;
    }
    let user = User::new(&[
        ("build.gradle", OLD_TESTNG),
        ("src/main/java/core/Price.java", PRICE),
        ("src/test/java/core/SumTest.java", SUM_TEST),
    ]);
    let checkout = user.checkout("").await.unwrap_or_else(|error| panic!("{error}; {}", error.hint()));
    let named = ["core.SumTest#six".parse().unwrap()];
    let own_run = checkout.own.clone().unwrap().run(untouched(&checkout, &named)).await.unwrap();
    let OwnRun::Tested(report) = own_run else { panic!("{own_run:?}") };
    let ends: Vec<_> = report.results.values().map(|result| (result.id.to_string(), result.status)).collect();
    let wanted = [("core.SumTest#nothing", TestStatus::Passed), ("core.SumTest#six", TestStatus::Failed)];
    assert_eq!(ends, wanted.map(|(name, status)| (name.to_owned(), status)));
}

const JUPITER: &str = "apply plugin: 'java'
sourceCompatibility = 11
repositories { mavenCentral() }
dependencies {
    testCompile 'org.junit.jupiter:junit-jupiter-api:5.9.3', 'org.junit.jupiter:junit-jupiter-params:5.9.3'
    testRuntime 'org.junit.jupiter:junit-jupiter-engine:5.9.3'
}
";
const CART: &str = "package shop;
import java.io.InputStream;
import java.util.*;
public class Cart {
    private final List<Integer> prices = new ArrayList<>();
    public void add(int price) {
        if (price <= 0) {
            throw new IllegalArgumentException(\"no price: \" + price);
        }
        prices.add(price);
    }
    public int total() {
        int sum = 0;
        for (int price : prices) {
            sum += price;
        }
        return sum;
    }
    public int taxed() throws java.io.IOException {
        Properties tax = new Properties();
        try (InputStream in = Cart.class.getResourceAsStream(\"tax.properties\")) {
            tax.load(in);
        }
        return total() + total() * Integer.parseInt(tax.getProperty(\"rate\")) / 100;
    }
}
";
const CART_TEST: &str = "package shop;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
class CartTest {
    private final Cart cart = new Cart();
    @Test @DisplayName(\"a gift costs nothing\") void gift() { cart.add(0); assertEquals(0, cart.total()); }
    @Test void refuses() { assertThrows(IllegalArgumentException.class, () -> cart.add(-1)); }
    @Test void tax() throws Exception { cart.add(100); assertEquals(120, cart.taxed()); }
    @ParameterizedTest @ValueSource(ints = {1, 5}) void adds(int price) {
        cart.add(price);
        assertEquals(price, cart.total());
    }
}
";

#[test]
fn a_gradle_command_that_finds_no_network_says_what_to_do_instead() {
    let script = "#!/bin/sh\necho 'Could not resolve all files.'\nexit 1\n";
    let user = User::new(&[("build.gradle", "apply plugin: 'java'\n"), ("gradlew", script)]);
    let project = user.project.as_str();
    for commands in [&["--build", "sh ./gradlew testClasses", "--test", "true"][..], &["--test", "sh ./gradlew test"]] {
        let hint = "hint: leave --build and --test out: Gradle and Maven projects are set up by themselves";
        let done = unidebug(&[&["run", project, "--model", "builtin"], commands].concat());
        assert!(done.expect_code(3).stderr.contains(hint), "{done}");
        let free = unidebug(&[&["run", project, "--model", "builtin", "--sandbox", "none"], commands].concat());
        assert!(!free.expect_code(3).stderr.contains(hint), "{free}");
    }
}

#[test]
fn a_gradle_project_is_repaired_without_a_flag() {
    if no_gradle() {
        return;
    }
    let user = User::new(&[
        ("build.gradle", JUPITER),
        ("src/main/java/shop/Cart.java", CART),
        ("src/main/resources/shop/tax.properties", "rate = 20\n"),
        ("src/test/java/shop/CartTest.java", CART_TEST),
    ]);
    let done = unidebug(&["run", user.project.as_str(), "--model", "builtin", "--json"]);
    done.expect_code(0);
    assert!(done.stderr.contains("1 test fails, 4 pass"), "{done}");
    assert!(done.json()["patch"].as_str().unwrap().contains("+        if (price < 0) {"), "{done}");
}

#[tokio::test]
async fn what_gradle_cannot_set_up_is_refused_with_what_to_do() {
    if no_gradle() {
        return;
    }
    let broken = CART.replace("int sum = 0;", "int sum = 0");
    for (files, wanted) in [
        (vec![("build.gradle", "")], "knows no module in Java with tests"),
        (vec![("build.gradle", "apply plugin: 'no.such'\n")], "Plugin with id 'no.such' not found"),
        (
            vec![("build.gradle", JUPITER), ("src/main/java/shop/Cart.java", &broken)],
            "Cart.java:13: error: ';' expected",
        ),
    ] {
        let user = User::new(&files);
        let error = user.checkout("").await.unwrap_err();
        assert!(error.to_string().contains(wanted) && !error.hint().is_empty(), "{wanted} is not in: {error}");
    }
}
