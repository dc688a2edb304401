//! One ranking of statement lines from everything the failing tests tell.
//!
//! Three kinds of evidence are combined, each in `0.0..=1.0`: *execution* (a formula over the spectrum, else coverage of
//! the failing tests, else "could have run"), *nearness* (static calls from the failing statement, frames, names), and
//! the *frame* that threw. Execution decides what is possible, the others what is likely: so the ranking works when
//! every test fails, for crashes and endless loops, and with no coverage at all.

use super::changed::ChangedLines;
use super::evidence::Evidence;
use super::formula::Formula;
use crate::code::CodeIndex;
use crate::domain::{FailingTest, Ranking, RepoPath, Suspect};
use crate::validate::{Coverage, Spectrum};
use std::collections::BTreeSet;

/// Lines kept of a ranking.
const MAX_LINES: usize = 1_000;

/// What a ranking is made from.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// The code.
    pub index: &'a CodeIndex,
    /// The failing tests.
    pub failing: &'a [FailingTest],
    /// Lines they ran, all together.
    pub coverage: Option<&'a Coverage>,
    /// What each test ran, passing ones too.
    pub spectrum: Option<&'a Spectrum>,
    /// Formula for the spectrum.
    pub formula: Formula,
    /// What the last change touched, where the failing tests pass without it.
    pub changed: Option<&'a ChangedLines>,
}

/// Ranks statement lines; a statement of several lines is listed under its first one. Ties: file, then line.
pub fn rank(inputs: &Inputs<'_>) -> Ranking {
    let evidence = Evidence::of(inputs);
    let mut lines: Vec<Suspect> =
        inputs.index.files().iter().filter(|file| !file.test).flat_map(|file| evidence.suspects(file)).collect();
    let changes: Vec<Suspect> =
        inputs.index.files().iter().filter(|file| !file.test).flat_map(|file| evidence.changes(file)).collect();
    let is_ranked = |suspect: &Suspect| lines.iter().any(|other| other.location == suspect.location);
    if !changes.iter().any(is_ranked) {
        lines.extend(changes);
    }
    let most = lines.iter().map(|suspect| suspect.score).fold(0.0, f64::max);
    for suspect in &mut lines {
        suspect.score = if most > 0.0 { suspect.score / most } else { 0.0 };
    }
    lines.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.location.cmp(&b.location)));
    lines.truncate(MAX_LINES);
    Ranking { lines, tests: inputs.failing.iter().map(|test| test.id.clone()).collect(), source: source(inputs) }
}

/// Methods by their most suspicious line, best first; lines outside methods are left out.
pub(crate) fn by_method(ranking: &Ranking) -> Vec<(&RepoPath, &str, f64)> {
    let mut seen = BTreeSet::new();
    let methods = ranking.lines.iter().filter_map(|s| Some((&s.location.file, s.method.as_deref()?, s.score)));
    methods.filter(|(file, method, _)| seen.insert((*file, *method))).collect()
}

/// Files by their most suspicious line, best first.
pub fn by_file(ranking: &Ranking) -> Vec<(&RepoPath, f64)> {
    let mut seen = BTreeSet::new();
    let files = ranking.lines.iter().map(|suspect| (&suspect.location.file, suspect.score));
    files.filter(|(file, _)| seen.insert(*file)).collect()
}

fn source(inputs: &Inputs<'_>) -> String {
    let mut parts = Vec::new();
    match (inputs.spectrum, inputs.coverage) {
        (Some(_), _) => parts.push(inputs.formula.name()),
        (None, Some(_)) => parts.push("coverage"),
        (None, None) => {}
    }
    if inputs.failing.iter().any(|test| !test.failure.frames.is_empty()) {
        parts.push("trace");
    }
    parts.push("calls");
    if inputs.changed.is_some() {
        parts.push("changes");
    }
    parts.join("+")
}

#[cfg(test)]
mod tests {
    use super::super::failing_tests;
    use super::super::metadata::tests::{baseline, frame, shop, wrong_total};
    use super::*;
    use crate::domain::{Failure, TestId, TestStatus};
    use std::collections::BTreeMap;

    fn cart() -> RepoPath {
        RepoPath::new("src/shop/Cart.java").unwrap()
    }

    fn covered(lines: &[u32]) -> Coverage {
        Coverage { lines: BTreeMap::from([(cart(), lines.iter().copied().collect())]) }
    }

    fn top(ranking: &Ranking, n: usize) -> Vec<u32> {
        ranking.lines.iter().take(n).map(|s| s.location.line).collect()
    }

    fn ranked(
        failure: Failure,
        status: TestStatus,
        coverage: Option<&Coverage>,
        spectrum: Option<&Spectrum>,
    ) -> Ranking {
        let index = shop();
        let failing = failing_tests(&index, &baseline("total", failure, status));
        let formula = Formula::Ochiai;
        rank(&Inputs { index: &index, failing: &failing, coverage, spectrum, formula, changed: None })
    }

    #[test]
    fn the_method_called_in_the_failing_statement_comes_first() {
        let ranking = ranked(wrong_total(), TestStatus::Failed, None, None);
        assert_eq!(top(&ranking, 4), [6, 7, 8, 10], "{:#?}", ranking.lines);
        assert_eq!(ranking.lines[0].method.as_deref(), Some("Cart.total()"));
        assert!((ranking.lines[0].score - 1.0).abs() < 1e-9);
        assert_eq!(ranking.source, "trace+calls");
        assert!(!ranking.lines.iter().any(|s| s.location.file.as_str().contains("Money")), "never reached");
    }

    #[test]
    fn what_did_not_run_sinks() {
        let coverage = covered(&[3, 6, 7, 10, 13, 14, 15, 18]);
        let ranking = ranked(wrong_total(), TestStatus::Failed, Some(&coverage), None);
        assert_eq!(top(&ranking, 3), [6, 7, 10]);
        let place = |line| ranking.lines.iter().position(|s| s.location.line == line);
        assert!(place(8) > place(15), "the loop's body was not seen to run");
        assert!(place(23).is_none(), "isEmpty never ran");
    }

    #[test]
    fn passing_tests_clear_what_they_ran() {
        let test = |name: &str, passed, lines: &[u32]| (TestId::new("shop.CartTest", name), passed, covered(lines));
        let tests = vec![
            test("total", false, &[6, 7, 8, 10, 13, 14, 15]),
            test("empty", true, &[6, 7, 10, 13, 14, 15]),
            test("other", true, &[13, 14, 15]),
        ];
        let ranking = ranked(wrong_total(), TestStatus::Failed, None, Some(&Spectrum::of(tests)));
        assert_eq!(top(&ranking, 1), [8]);
        assert_eq!(ranking.source, "ochiai+trace+calls");
    }

    #[test]
    fn what_all_failing_tests_ran_comes_before_what_one_of_them_ran_alone() {
        let test = |name: &str, passed, lines: &[u32]| (TestId::new("shop.CartTest", name), passed, covered(lines));
        let mut tests = vec![test("total", false, &[7, 8]), test("more", false, &[7]), test("most", false, &[7])];
        tests.extend((0..10).map(|nth| test(&format!("passes{nth}"), true, &[7])));
        let ranking = ranked(wrong_total(), TestStatus::Failed, None, Some(&Spectrum::of(tests)));
        assert_eq!(top(&ranking, 2), [7, 8]);
    }

    #[test]
    fn a_throw_that_passing_tests_reach_is_no_crash() {
        let failure = Failure {
            kind: "java.lang.IllegalArgumentException".into(),
            frames: vec![frame("shop.Cart", "check", 19), frame("shop.Cart", "add", 14)],
            ..Failure::default()
        };
        let test = |name: &str, passed, lines: &[u32]| (TestId::new("shop.CartTest", name), passed, covered(lines));
        let mut tests = vec![test("total", false, &[8, 13, 14, 18, 19])];
        tests.extend((0..20).map(|nth| test(&format!("refuses{nth}"), true, &[13, 14, 18, 19])));
        let ranking = |spectrum: &Spectrum| ranked(failure.clone(), TestStatus::Failed, None, Some(spectrum));
        assert_eq!(top(&ranking(&Spectrum::of(tests.clone())), 1), [8], "what the failing test alone runs");
        tests.truncate(1);
        assert_eq!(top(&ranking(&Spectrum::of(tests)), 1), [19], "no passing test wants it");
    }

    #[test]
    fn a_crash_points_at_its_line() {
        let failure = Failure {
            kind: "java.lang.ArrayIndexOutOfBoundsException".into(),
            frames: vec![frame("shop.Cart", "add", 15), frame("shop.CartTest", "total", 7)],
            ..Failure::default()
        };
        let ranking = ranked(failure, TestStatus::Failed, None, None);
        assert_eq!(top(&ranking, 1), [15]);
        assert!(ranking.lines[0].reasons.contains(&"frame 1 of the failure".to_owned()));
    }

    #[test]
    fn what_ran_once_when_a_class_was_initialized_ran_for_all_who_needed_it() {
        let index = shop();
        let frames = vec![frame("shop.Cart", "add", 15), frame("shop.CartTest", "<clinit>", 4)];
        let failure = Failure { kind: "java.lang.ExceptionInInitializerError".into(), frames, ..Failure::default() };
        let one = failing_tests(&index, &baseline("total", failure, TestStatus::Failed)).remove(0);
        let test = |name: &str, lines: &[u32]| (TestId::new("shop.CartTest", name), false, covered(lines));
        let spectrum = Spectrum::of([test("total", &[6]), test("more", &[13, 14, 15])]);
        let (failing, formula) = (vec![one.clone(), one], Formula::Ochiai);
        let inputs = Inputs {
            index: &index,
            failing: &failing,
            coverage: None,
            spectrum: Some(&spectrum),
            formula,
            changed: None,
        };
        let ranking = rank(&inputs);
        let first = &ranking.lines[0];
        assert_eq!(first.location.line, 15, "{:#?}", ranking.lines);
        assert!(first.reasons.contains(&"ran in 2 of 2 failing and 0 of 0 passing tests".to_owned()), "{first:?}");
    }

    #[test]
    fn what_the_last_change_brought_comes_first_where_it_ran() {
        let (index, coverage) = (shop(), covered(&[3, 6, 7, 8, 10, 13, 14, 15, 18]));
        let failing = failing_tests(&index, &baseline("total", wrong_total(), TestStatus::Failed));
        let lines = BTreeMap::from([(cart(), BTreeSet::from([15, 23]))]);
        let changed = ChangedLines { name: "commit 1a2b3c4".into(), lines };
        let inputs = Inputs {
            index: &index,
            failing: &failing,
            coverage: Some(&coverage),
            spectrum: None,
            formula: Formula::Ochiai,
            changed: Some(&changed),
        };
        let ranking = rank(&inputs);
        assert_eq!(top(&ranking, 2), [15, 6], "{:#?}", ranking.lines);
        assert!(!ranking.lines.iter().any(|suspect| suspect.location.line == 23), "it never ran");
        let reason = "changed by commit 1a2b3c4, without which the failing tests pass";
        assert!(ranking.lines[0].reasons.contains(&reason.to_owned()));
        assert_eq!(ranking.source, "coverage+trace+calls+changes");
    }

    #[test]
    fn what_the_last_change_brought_is_named_where_nothing_else_leads_to_it() {
        let (index, nothing) = (shop(), Spectrum::default());
        let failing = failing_tests(&index, &baseline("gone", Failure::default(), TestStatus::Failed));
        let lines = BTreeMap::from([(cart(), BTreeSet::from([15, 23]))]);
        let changed = ChangedLines { name: "commit 1a2b3c4".into(), lines };
        let formula = Formula::Ochiai;
        let inputs =
            Inputs { index: &index, failing: &failing, coverage: None, spectrum: None, formula, changed: None };
        assert_eq!(top(&rank(&inputs), 9), [0; 0]);
        for spectrum in [None, Some(&nothing)] {
            let ranking = rank(&Inputs { spectrum, changed: Some(&changed), ..inputs });
            assert_eq!(top(&ranking, 9), [15, 23], "{:#?}", ranking.lines);
            let reason = "changed by commit 1a2b3c4, without which the failing tests pass";
            assert_eq!(ranking.lines[0].reasons, [reason]);
        }
    }

    #[test]
    fn loops_come_first_when_a_test_never_ends() {
        let ranking = ranked(Failure::default(), TestStatus::TimedOut, None, None);
        let line = |n: u32| ranking.lines.iter().find(|s| s.location.line == n).unwrap().score;
        assert!(line(7) > line(6) && line(8) > line(10));
    }

    #[test]
    fn aggregates_follow_the_lines() {
        let ranking = ranked(wrong_total(), TestStatus::Failed, None, None);
        let methods: Vec<_> = by_method(&ranking).iter().map(|(_, method, _)| (*method).to_owned()).collect();
        assert_eq!(methods[0], "Cart.total()");
        assert!(methods.contains(&"Cart.check(int)".to_owned()));
        assert_eq!(by_file(&ranking), [(&cart(), 1.0)]);
    }
}
