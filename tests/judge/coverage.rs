//! Which lines the tests run.

use super::{CALC, TEST_4, USER, calc};
use crate::support::Trial;
use std::collections::BTreeSet;
use std::time::Duration;
use unidebug::domain::RepoPath;
use unidebug::validate::SpectrumScope;

#[tokio::test]
async fn coverage_names_the_lines_the_failing_test_runs() {
    let trial = calc().await;
    let judge = trial.open().await;
    let coverage = judge.probe().failing_coverage().await.unwrap().unwrap();
    let lines = &coverage.lines[&RepoPath::new("src/a/Calc.java").unwrap()];
    assert!(lines.contains(&5) && !lines.contains(&9), "{lines:?}");
}

#[tokio::test]
async fn coverage_is_taken_of_projects_with_another_version_of_what_reads_byte_code() {
    let other = "package org.objectweb.asm;\npublic interface ClassVisitor { }\n";
    let files = [
        ("src/a/Calc.java", CALC),
        ("src/a/User.java", USER),
        ("src/org/objectweb/asm/ClassVisitor.java", other),
        ("test/a/CalcTest.java", TEST_4),
    ];
    let judge = Trial::new(&files).await.open().await;
    assert_eq!(judge.baseline().triggering, vec!["a.CalcTest#max".parse().unwrap()]);
    let coverage = judge.probe().failing_coverage().await.unwrap().unwrap();
    assert!(coverage.lines[&RepoPath::new("src/a/Calc.java").unwrap()].contains(&5));
}

#[tokio::test]
async fn every_test_has_its_own_lines() {
    let trial = calc().await;
    let judge = trial.open().await;
    let spectrum =
        judge.probe().spectrum(&SpectrumScope { classes: None, time: Duration::from_secs(60) }).await.unwrap().unwrap();
    let calc = RepoPath::new("src/a/Calc.java").unwrap();
    let of = |name: &str| {
        let (_, passed, mut ran) = spectrum.tests().find(|(id, ..)| id.method == name).unwrap();
        (passed, ran.find(|(file, _)| **file == calc).map(|(_, lines)| lines.clone()).unwrap_or_default())
    };
    assert_eq!(of("max"), (false, BTreeSet::from([5])));
    assert_eq!(of("same"), (true, BTreeSet::from([9])));
    assert_eq!(of("zero"), (true, BTreeSet::new()), "a constant is copied into its user");
}

/// Each line says in a comment which tests run it: `n` the one of a negative number, `p` of a positive one, `t` of a text.
/// The first test initializes classes, and assertions with them; what joins the sides of a condition is of the last side's line.
const MARKED: &str = "package a;
public class Kinds { // n
    enum Size { SMALL, LARGE } // n
    static int sizes(int n) {
        int sum = 0; // n p
        for (int i = 0; i < 3; i++) { // n p
            if (i == 1 && n < 0) { // n p
                continue; // n
            }
            sum += n > 0 ? // n p
                i : // p
                -i; // n p
        }
        try {
            java.util.function.IntUnaryOperator twice = x -> { // n p
                return 2 * x; // p
            };
            switch (n > 0 ? Size.LARGE : Size.SMALL) { // n p
                case SMALL:
                    throw new IllegalStateException(); // n
                default:
                    return twice.applyAsInt(sum); // p
            }
        } catch (IllegalStateException small) { // n
            assert sum < 0; // n
            return java.util.stream.IntStream.of(sum).map(x -> { // n
                return x - 1; // n
            }).sum() + twice(0); // n
        } finally {
            sum = 0; // n p
        }
    }
    static int twice(int x) { return 2 * x; } // n
    static int length(String text) {
        switch (text) { // t
            case \"none\":
                return 0;
            case \"one\":
                return 1; // t
        }
        return 2;
    }
}
";

const MARKED_TEST: &str = "package a;
import org.junit.*;
public class KindsTest {
    @Test public void n() { Assert.assertEquals(-3, Kinds.sizes(-1)); }
    @Test public void p() { Assert.assertEquals(6, Kinds.sizes(1)); }
    @Test public void t() { Assert.assertEquals(1, Kinds.length(\"one\")); }
    @Test public void failing() { Assert.fail(); }
}
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spectrum_in_java_holds_exactly_the_lines_that_each_test_ran() {
    let trial = Trial::new(&[("src/a/Kinds.java", MARKED), ("test/a/KindsTest.java", MARKED_TEST)]).await;
    let scope = SpectrumScope { classes: None, time: Duration::from_secs(60) };
    let spectrum = trial.open().await.probe().spectrum(&scope).await.unwrap().unwrap();
    for name in ["n", "p", "t"] {
        let (_, passed, ran) = spectrum.tests().find(|(id, ..)| id.method == name).unwrap();
        assert!(passed, "{name}");
        let ran: Vec<u32> = ran.flat_map(|(_, lines)| lines.iter().copied()).collect();
        let is_marked =
            |line: &str| line.split_once("// ").is_some_and(|(_, names)| names.split(' ').any(|n| n == name));
        let marked = MARKED.lines().zip(1u32..).filter(|(line, _)| is_marked(line)).map(|(_, nth)| nth);
        assert_eq!(ran, marked.collect::<Vec<_>>(), "lines of the test {name}");
    }
}
