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
