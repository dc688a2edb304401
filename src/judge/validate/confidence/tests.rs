//! Signs of small patches, and the word that they come to.

use super::*;
use crate::language::Python;
use crate::validate::Coverage;
use std::collections::BTreeMap;

const BEFORE: &str = "def total(prices):\n    return sum(prices[:-1])\n";
const TEST: &str = "def test_total():\n    assert total([20, 30]) == 50\n";

fn confidence_in(after: &str, ran: &[(&str, &[u32])]) -> Confidence {
    let path = RepoPath::new("shop.py").unwrap();
    let before = Some(BEFORE.as_bytes().into());
    let patch = Patch { files: vec![FileChange { path: path.clone(), before, after: after.as_bytes().into() }] };
    let test = |(name, lines): &(&str, &[u32])| {
        let lines = BTreeMap::from([(path.clone(), lines.iter().copied().collect())]);
        (TestId::new("test_shop", *name), true, Coverage { lines })
    };
    let ran = Spectrum::of(ran.iter().map(test));
    let triggering = [TestId::new("test_shop", "test_total")];
    weigh(&Signs {
        patch: &patch,
        ran: Some(&(Spread::none(&patch), ran)),
        before: &suite::empty(),
        untouched: &Spectrum::default(),
        drawn: None,
        takes_back: None,
        triggering: &triggering,
        tests: &[TEST],
        language: &Python,
    })
}

#[test]
fn a_repair_that_other_tests_run_too_is_relied_on() {
    let right = BEFORE.replace("[:-1]", "");
    let found = confidence_in(&right, &[("test_total", &[2]), ("test_empty", &[2])]);
    assert_eq!(found.word, ConfidenceWord::High, "{found}");
    assert!(found.to_string().contains("1 test that passed before runs it, too"), "{found}");
    let found = confidence_in(&right, &[("test_total", &[2])]);
    assert_eq!((found.word, found.reasons.len()), (ConfidenceWord::Medium, 1), "{found}");
}

/// The word on one line of `before` that becomes another one, run by some failing tests alone; a line behind it is not.
fn word_by(before: &str, change: (&str, &str), failing: usize) -> ConfidenceWord {
    found_by(before, change, (failing, 0), None).word
}

/// The same with all reasons, where others run it, too, and it may take back a change.
fn found_by(
    before: &str,
    change: (&str, &str),
    (failing, others): (usize, usize),
    takes_back: Option<&str>,
) -> Confidence {
    let path = RepoPath::new("shop.py").unwrap();
    let after = before.replace(change.0, change.1);
    let file =
        FileChange { path: path.clone(), before: Some(before.as_bytes().into()), after: after.as_bytes().into() };
    let patch = Patch { files: vec![file] };
    let named = |n: usize| TestId::new("test_shop", n.to_string());
    let triggering: Vec<TestId> = (0..failing).map(named).collect();
    let lines = BTreeMap::from([(path, BTreeSet::from([2]))]);
    let ran = Spectrum::of((0..failing + others).map(|n| (named(n), true, Coverage { lines: lines.clone() })));
    let (ran, tests) = ((Spread::none(&patch), ran), [TEST]);
    let signs = Signs {
        patch: &patch,
        ran: Some(&ran),
        before: &suite::empty(),
        untouched: &Spectrum::default(),
        drawn: None,
        takes_back,
        triggering: &triggering,
        tests: &tests,
        language: &Python,
    };
    weigh(&signs)
}

#[test]
fn several_failing_tests_say_as_much_as_others() {
    let adult = "def is_adult(age):\n    return age < 18\n";
    assert_eq!(word_by(adult, ("<", ">="), 3), ConfidenceWord::High);
    assert_eq!(word_by(adult, ("<", ">="), 2), ConfidenceWord::Medium);
    assert_eq!(word_by(adult, ("age < 18", "older(age)"), 3), ConfidenceWord::High);
    assert_eq!(word_by(adult, ("age < 18", "older(age)"), 2), ConfidenceWord::Medium);
}

#[test]
fn a_part_of_a_condition_that_is_taken_away_is_told() {
    let adult = "def is_adult(age):\n    return age >= 18 and age < 99\n";
    assert_eq!(word_by(adult, (" and age < 99", ""), 3), ConfidenceWord::Medium);
    assert_eq!(word_by(adult, ("and", "or"), 3), ConfidenceWord::High);
}

#[test]
fn few_tests_that_take_one_side_of_an_operator_s_condition_weigh_once() {
    let open = "def stays_shut(age):\n    if age < 18:\n        log(age)\n";
    assert_eq!(word_by(open, ("<", ">="), 2), ConfidenceWord::Medium);
    assert_eq!(word_by(open, ("age < 18", "young(age)"), 2), ConfidenceWord::Low);
}

#[test]
fn a_negation_that_most_tests_pass_either_way_is_told() {
    let adult = "def is_adult(age):\n    return age < 18\n";
    let negated = |others| found_by(adult, ("<", ">="), (1, others), None);
    let found = negated(OUTVOTED + 1);
    assert_eq!((found.word, found.reasons.len()), (ConfidenceWord::Medium, 1), "{found}");
    assert!(
        found.reasons[0].contains("9 tests that passed before run what it negates, and pass either way"),
        "{found}"
    );
    assert_eq!(negated(OUTVOTED).word, ConfidenceWord::High);
    let edge = found_by(adult, ("<", "<="), (1, OUTVOTED + 1), None);
    assert_eq!(edge.word, ConfidenceWord::High, "an edge may be out of reach of all of them");
    let back = found_by(adult, ("<", ">="), (1, OUTVOTED + 1), Some("commit 1a2b3c4"));
    assert_eq!(back.word, ConfidenceWord::High, "it was so before");
}

/// `hours` with a check that a weekday's tests skip, and, with the patch, those of all days but one.
#[test]
fn a_condition_that_many_tests_leave_by_another_path_is_told() {
    let source = "def hours(unit, day):\n    if unit or day:\n        check(day)\n    return unit\n";
    let path = RepoPath::new("shop.py").unwrap();
    let weigh_with = |after: &str, (skip, keep): (usize, usize)| {
        let file =
            FileChange { path: path.clone(), before: Some(source.as_bytes().into()), after: after.as_bytes().into() };
        let patch = Patch { files: vec![file] };
        let spectrum = |lines: &dyn Fn(usize) -> BTreeSet<u32>, passes: bool| {
            Spectrum::of((0..=skip + keep).map(|n| {
                let lines = BTreeMap::from([(path.clone(), lines(n))]);
                (TestId::new("test_shop", n.to_string()), passes || n > 0, Coverage { lines })
            }))
        };
        let untouched = spectrum(&|_| [2, 3, 4].into(), false);
        let ran = spectrum(&|n| if n <= skip { [2, 4].into() } else { [2, 3, 4].into() }, true);
        weigh(&Signs {
            patch: &patch,
            ran: Some(&(Spread::none(&patch), ran)),
            before: &suite::empty(),
            untouched: &untouched,
            drawn: None,
            takes_back: None,
            triggering: &[TestId::new("test_shop", "0")],
            tests: &[TEST],
            language: &Python,
        })
    };
    let narrowed = source.replace("unit or", "unit and");
    let found = weigh_with(&narrowed, (8, 3));
    let told = "8 of 11 tests that passed before take another path with it, and pass either way";
    assert_eq!((found.word, &*found.reasons), (ConfidenceWord::Medium, &[told.to_owned()][..]));
    assert_eq!(weigh_with(&source.replace("unit or day", "weekday or day"), (8, 3)).word, ConfidenceWord::Medium);
    assert_eq!(weigh_with(&narrowed, (7, 4)).word, ConfidenceWord::High, "a few may not care");
    let more = narrowed.replace("    return unit", "    log(day)\n    return unit");
    assert_eq!(weigh_with(&more, (8, 3)).word, ConfidenceWord::High, "new code may be for them, too");
}

#[test]
fn of_failing_tests_that_take_too_long_nothing_is_said() {
    let found = confidence_in(&BEFORE.replace("[:-1]", ""), &[("test_empty", &[1])]);
    assert_eq!(found.word, ConfidenceWord::Medium, "{found}");
    assert!(found.reasons[0].contains("take too long to measure"), "{found}");
}

#[test]
fn a_value_of_the_test_and_code_that_never_runs_are_told() {
    let special = "def total(prices):\n    if len(prices) == 2:\n        return 50\n    return sum(prices[:-1])\n";
    let found = confidence_in(special, &[("test_total", &[2, 3]), ("test_empty", &[2, 4])]);
    assert_eq!(found.word, ConfidenceWord::Low);
    assert!(found.reasons[0].contains("stands in the failing tests: 50"), "{found}");
    let dead = "def total(prices):\n    return sum(prices)\n    print(prices)\n    print(prices)\n";
    let found = confidence_in(dead, &[("test_total", &[2]), ("test_empty", &[2])]);
    assert_eq!(found.word, ConfidenceWord::Low, "{found}");
    assert!(found.reasons[0].contains("shop.py:3, shop.py:4"), "{found}");
}

#[test]
fn what_is_hidden_and_what_is_only_taken_away_is_told() {
    let hides =
        "def total(prices):\n    try:\n        return sum(prices)\n    except TypeError:\n        return None\n";
    let found = confidence_in(hides, &[("test_total", &[2, 3]), ("test_empty", &[2, 3, 4, 5])]);
    assert_eq!(found.word, ConfidenceWord::Medium, "{found}");
    assert!(found.reasons[0].contains("catches an exception"), "{found}");
    let found = confidence_in("def total(prices):\n", &[("test_total", &[1])]);
    assert!(found.reasons.iter().any(|reason| reason.contains("takes code away")), "{found}");
}

#[test]
fn what_no_test_asks_for_weighs_once_where_the_patch_takes_back_the_last_change() {
    let open = "def stays_shut(age):\n    if age < 18:\n        log(age)\n";
    let change = ("age < 18", "young(age)");
    assert_eq!(word_by(open, change, 2), ConfidenceWord::Low);
    let found = found_by(open, change, (2, 0), Some("commit 1a2b3c4"));
    assert_eq!(found.word, ConfidenceWord::Medium, "{found}");
    assert!(found.to_string().contains("it brings back what stood there before commit 1a2b3c4"), "{found}");
}

#[test]
fn a_changed_header_runs_for_all_and_says_how_many_tests_ask_for_it() {
    let before = "def total(prices, tax=1):\n    return sum(prices) * tax\n";
    let change = ("tax=1", "tax=2");
    let one = found_by(before, change, (1, 4), None);
    assert_eq!(one.word, ConfidenceWord::Medium, "{one}");
    assert!(one.to_string().starts_with("medium (what changed is no statement"), "{one}");
    assert_eq!(found_by(before, change, (3, 4), None).to_string(), "high (3 failing tests ask for it)");
}
