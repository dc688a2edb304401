//! All generations of JUnit, on all JDKs of this machine.

use super::{CALC, TEST_4, USER, calc};
use crate::support::Trial;
use unidebug::domain::{Outcome, TestStatus};

#[tokio::test]
async fn junit_5_tests_run_nested_parameterised_and_disabled() {
    let test = "package a;\nimport org.junit.jupiter.api.*;\nimport org.junit.jupiter.params.ParameterizedTest;\nimport \
                org.junit.jupiter.params.provider.ValueSource;\nimport static org.junit.jupiter.api.Assertions.*;\nclass FiveTest {\n  \
                @BeforeAll static void all() {}\n  @ParameterizedTest @ValueSource(ints = {1, 2, 3}) void max(int n) { assertEquals(Math.max(n, 2), Calc.max(n, 2)); }\n  \
                @Test void half() { assertEquals(1, Calc.half(2)); }\n  @Disabled(\"later\") @Test void off() {}\n  @Test void maybe() { \
                Assumptions.assumeTrue(false); }\n  @Nested class Inner { @Test void same() { assertEquals(1, Calc.same(1)); } }\n}\n";
    let trial = Trial::new(&[("src/a/Calc.java", CALC), ("test/a/FiveTest.java", test)]).await;
    let judge = trial.open().await;
    let results = &judge.baseline().report.results;
    let ends: Vec<(String, TestStatus)> = results.values().map(|r| (r.id.to_string(), r.status)).collect();
    let wanted = [
        ("a.FiveTest#half", TestStatus::Passed),
        ("a.FiveTest#max[1]", TestStatus::Failed),
        ("a.FiveTest#max[2]", TestStatus::Passed),
        ("a.FiveTest#max[3]", TestStatus::Failed),
        ("a.FiveTest#maybe", TestStatus::Skipped),
        ("a.FiveTest#off", TestStatus::Skipped),
        ("a.FiveTest$Inner#same", TestStatus::Passed),
    ];
    assert_eq!(ends, wanted.map(|(name, status)| (name.to_owned(), status)));
    let repair = trial.patch("src/a/Calc.java", "x < y ? x", "x > y ? x");
    assert!(judge.judge().confirm(&repair).await.unwrap().is_plausible());
}

const OLD_STYLE: &str = "package a;\nimport java.io.*;\nimport java.net.*;\npublic class OldTest extends junit.framework.TestCase {\n  \
                         public void testMax() { assertEquals(3, Calc.max(2, 3)); }\n  public void testFile() throws IOException {\n    try \
                         (BufferedReader in = new BufferedReader(new FileReader(\"test/data.txt\"))) { assertEquals(\"17\", in.readLine()); \
                         }\n  }\n  public void testLoud() { StringBuilder line = new StringBuilder(); for (int i = 0; i < 1000; i++) \
                         line.append(\"loud \"); for (int i = 0; i < 1000; i++) System.out.println(line); }\n  public void testLoopback() throws \
                         IOException {\n    try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); Socket c = new \
                         Socket(s.getInetAddress(), s.getLocalPort())) { assertTrue(c.isConnected()); }\n  }\n}\n";

const FIVE: &str = "package a;\nimport org.junit.jupiter.api.*;\nclass FiveTest {\n  @BeforeAll static void all() { \
                    Calc.same(1); }\n  @RepeatedTest(2) void half() { Assertions.assertEquals(1, Calc.half(2)); }\n  @Test void max() { \
                    Assertions.assertEquals(2, Calc.max(1, 2)); }\n  @TestFactory java.util.List<DynamicTest> made() { return \
                    java.util.Arrays.asList(DynamicTest.dynamicTest(\"one\", () -> {}), DynamicTest.dynamicTest(\"two\", () -> {})); }\n}\n";

/// Every JDK of this machine: the runner is compiled by it, and nothing that newer ones removed is used.
#[tokio::test]
async fn all_generations_of_tests_run_on_every_jdk() {
    let jdks = unidebug::benchmark::jdk::all();
    let names: Vec<&str> = jdks.iter().map(|jdk| jdk.version.as_str()).collect();
    eprintln!("JDKs: {}", names.join(", "));
    for jdk in jdks {
        let mut trial = Trial::new(&[
            ("src/a/Calc.java", CALC),
            ("src/a/User.java", USER),
            ("test/a/CalcTest.java", TEST_4),
            ("test/a/OldTest.java", OLD_STYLE),
            ("test/a/FiveTest.java", FIVE),
            ("test/data.txt", "17\n"),
        ])
        .await;
        trial.options.jdk = Some(jdk.clone());
        let judge = trial.open().await;
        let baseline = judge.baseline();
        let triggering: Vec<String> = baseline.triggering.iter().map(ToString::to_string).collect();
        assert_eq!(triggering, ["a.CalcTest#max", "a.FiveTest#max", "a.OldTest#testMax"], "JDK {}", jdk.version);
        // Three of JUnit 3, three of JUnit 4, two repetitions and two made tests of JUnit 5.
        assert_eq!(baseline.passing.len(), 10, "JDK {}: {:?}", jdk.version, baseline.passing);
        let repair = trial.patch("src/a/Calc.java", "x < y ? x", "x > y ? x");
        let quick = judge.screen_one(&repair).await.unwrap();
        assert_eq!(quick.outcome, Outcome::PassedWarm, "JDK {}: {quick:?}", jdk.version);
        let sure = judge.judge().confirm(&repair).await.unwrap();
        assert!(sure.is_plausible(), "JDK {}: {sure:?}", jdk.version);
    }
}

#[tokio::test]
async fn a_candidate_sees_the_api_of_the_release_that_the_build_names() {
    for (jdk, release) in unidebug::benchmark::jdk::all().into_iter().flat_map(|jdk| [(jdk.clone(), 8), (jdk, 11)]) {
        let mut trial = calc().await;
        trial.checkout.project.release = Some(release.to_string());
        trial.options.jdk = Some(jdk.clone());
        let judge = trial.open().await;
        // `List.of` came with 9, `Stream.toList` with 16.
        let rows = [
            ("java.util.List.of(x, y).stream().max(Integer::compare).get()", release >= 9),
            ("java.util.stream.Stream.of(x, y).toList().get(x < y ? 1 : 0)", false),
            ("java.util.stream.Stream.of(x, y).max(Integer::compare).get()", true),
        ];
        for (to, known) in rows {
            let validation = judge.screen_one(&trial.patch("src/a/Calc.java", "x < y ? x : y", to)).await.unwrap();
            let wanted = if known { Outcome::PassedWarm } else { Outcome::CompileError };
            assert_eq!(validation.outcome, wanted, "JDK {}, release {release}, {to}: {validation:?}", jdk.version);
        }
    }
}
