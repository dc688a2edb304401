use super::super::Origin;
use super::*;

fn calls(results: &[(&str, &str, &str)]) -> Vec<Call> {
    let call = |(test, input, result): &(&str, &str, &str)| Call {
        file: "a.py".into(),
        function: "f".into(),
        test: TestId::new("t", *test),
        origin: if test.is_empty() { Origin::Arguments } else { Origin::Test },
        input: (*input).into(),
        result: (*result).into(),
    };
    results.iter().map(call).collect()
}

fn reasons(after: &[(&str, &str, &str)]) -> String {
    reasons_of(after, None)
}

fn reasons_of(after: &[(&str, &str, &str)], exchange: Option<Exchange>) -> String {
    let before: Vec<_> = (0..8).map(|n| (n.to_string(), format!("returns {n}"))).collect();
    let mut old: Vec<_> = before.iter().map(|(input, result)| ("", input.as_str(), result.as_str())).collect();
    old.extend([("fails", "9", "raises KeyError"), ("passes", "10", "returns 10"), ("", "11", "raises TypeError")]);
    let changed = |input: &str| after.iter().find(|(_, other, _)| *other == input);
    let new: Vec<_> = old.iter().map(|call| changed(call.1).copied().unwrap_or(*call)).collect();
    let warnings = warnings(&calls(&old), &calls(&new), &[TestId::new("t", "fails")], exchange);
    warnings.into_iter().map(|warning| warning.reason).collect::<Vec<_>>().join("; ")
}

#[test]
fn texts_that_passing_tests_vouch_for_are_told() {
    let own: Vec<String> = (0..5).map(|n| format!("passes {n}")).collect();
    let near: Vec<String> = (0..5).map(|n| format!("near {n}")).collect();
    let version = |text: &str| -> Vec<Call> {
        let one = |n: usize| {
            let [call, drawn] = [(&own[n], "'/b/c'"), (&near[n], text)].map(|(input, result)| {
                let result = format!("returns {result}");
                calls(&[(&own[n], input, &result)]).remove(0)
            });
            [call, Call { origin: Origin::Arguments, ..drawn }]
        };
        (0..5).flat_map(one).collect()
    };
    let reasons = |before: &str| {
        let with = |text: &str, failing: &str| [version(text), calls(&[("fails", "9", failing)])].concat();
        let (before, after) = (with(before, "raises KeyError"), with("'a/b/c'", "returns 9"));
        let reasons = warnings(&before, &after, &[TestId::new("t", "fails")], None);
        reasons.into_iter().map(|warning| warning.reason).collect::<Vec<_>>().join("; ")
    };
    assert!(reasons("'/b/c'").starts_with("inputs near 5 tests that passed before"), "{}", reasons("'/b/c'"));
    assert_eq!(reasons("'/b'"), "", "no test asks for that text");
}

#[test]
fn objects_in_a_state_that_cannot_be_say_nothing_of_the_code() {
    let of = |origin, result: &str| {
        let call = |result: &str| vec![Call { origin, ..calls(&[("", "1", result)]).remove(0) }];
        warnings(&call("returns 1"), &call(result), &[], None).len()
    };
    assert_eq!(of(Origin::Fields, "raises java.lang.ArrayIndexOutOfBoundsException: 18 for char[15]"), 0);
    assert_eq!(of(Origin::Fields, "raises java.lang.IllegalStateException: closed"), 1);
    assert_eq!(of(Origin::Arguments, "raises java.lang.ArrayIndexOutOfBoundsException: 18 for char[15]"), 1);
}

#[test]
fn what_differs_without_a_patch_is_left_out() {
    let one = calls(&[("", "1", "returns 1"), ("", "2", "returns [a, b]")]);
    let other = calls(&[("", "1", "returns 1"), ("", "2", "returns [b, a]")]);
    let mut patched = calls(&[("", "1", "returns 7"), ("", "2", "returns [b, a]")]);
    keep_stable(&mut patched, &one, &other);
    assert_eq!(patched, calls(&[("", "1", "returns 7")]));
    // An input that holds the time is no input of the next run.
    let mut patched = calls(&[("", "1", "returns 7"), ("", "2", "returns [a, b]")]);
    keep_stable(&mut patched, &one, &[]);
    assert_eq!(patched, calls(&[("", "2", "returns [a, b]")]));
    assert_eq!(kind("raises KeyError: 'x: y'"), kind("raises KeyError and leaves a=1"));
}

#[test]
fn a_change_that_is_wider_near_passing_tests_is_told() {
    let near = |test: &str, changed: usize| -> Vec<Call> {
        let result = |n: usize| format!("returns {}", if n < changed { n + 100 } else { n });
        let call = |n: usize| Call {
            origin: Origin::Arguments,
            ..calls(&[(test, &format!("{test}{n}"), &result(n))])[0].clone()
        };
        (0..9).map(call).collect()
    };
    let both = |failing, passing| [near("fails", failing), near("passes", passing)].concat();
    let reasons = |failing, passing| {
        let reasons = warnings(&both(0, 0), &both(failing, passing), &[TestId::new("t", "fails")], None);
        reasons.into_iter().map(|warning| warning.reason).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(reasons(5, 4), "", "a repair changes more near what fails");
    assert_eq!(reasons(4, 5), "", "that may be chance");
    assert!(reasons(3, 6).starts_with("6 of 9 drawn inputs near tests that passed before"), "{}", reasons(3, 6));
}

#[test]
fn what_met_the_fault_of_the_failing_tests_was_not_right() {
    let version = |error: &str, changed: bool| {
        let result = |n: usize| if changed || n >= 6 { "returns 1".to_owned() } else { error.to_owned() };
        let near = |test: &str, n: usize, at: usize| Call {
            origin: Origin::Arguments,
            ..calls(&[(test, &format!("{test}{n}"), &result(at))])[0].clone()
        };
        let own = calls(&[("fails", "own", if changed { "returns 1" } else { error })]);
        let failing = (0..9).map(|n| near("fails", n, n + 5));
        own.into_iter().chain(failing).chain((0..9).map(|n| near("passes", n, n))).collect::<Vec<Call>>()
    };
    let wide = |error: &str| {
        let found = warnings(&version(error, false), &version(error, true), &[TestId::new("t", "fails")], None);
        found.iter().any(|warning| warning.reason.starts_with("6 of 9 drawn inputs near tests that passed before"))
    };
    assert!(wide("raises ValueError: too high"));
    assert!(!wide("raises IndexError: list index out of range"));
}

#[test]
fn what_failing_tests_do_not_call_is_told() {
    let reasons = |failing: &[(&str, &str, &str)]| {
        let version = |result: &str, failing: &[_]| [&calls(&[("", "1", result)])[..], &calls(failing)].concat();
        let before: Vec<_> = failing.iter().map(|(test, input, _)| (*test, *input, "returns 3")).collect();
        let (old, new) = (version("returns 1", &before), version("returns 2", failing));
        let warnings = warnings(&old, &new, &[TestId::new("t", "fails")], None);
        warnings.into_iter().map(|warning| warning.reason).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(reasons(&[("fails", "9", "returns 4")]), "");
    let uncalled = reasons(&[]);
    assert!(uncalled.starts_with("no failing test calls it, and 1 drawn input gives another result"), "{uncalled}");
}

#[test]
fn what_no_failing_test_asks_for_is_told() {
    let wanted = ("fails", "9", "returns 9");
    assert_eq!(reasons(&[wanted, ("", "3", "returns 4")]), "", "one more input is what a repair changes");
    let narrow = reasons(&[wanted]);
    assert!(narrow.starts_with("of 9 drawn inputs near the failing tests none"), "{narrow}");
    assert_eq!(
        reasons_of(&[wanted], Some(Exchange::Operators)),
        "",
        "where an edge was off by one, nothing else changes"
    );
    let moved = [wanted, ("", "3", "raises KeyError")];
    assert_eq!(reasons_of(&moved, Some(Exchange::Operators)), "", "a check that was the wrong way round");
    assert!(reasons(&moved).starts_with("1 drawn input gave a result before"), "{}", reasons(&moved));
    let passing = reasons(&[wanted, ("passes", "10", "returns 9")]);
    assert!(passing.starts_with("1 input of tests that passed before gives another result"), "{passing}");
    assert!(!passing.contains("none changes"), "{passing}");
    let swallows = reasons(&[wanted, ("", "11", "returns None")]);
    assert!(swallows.contains("f(11) returns None, and before: raises TypeError"), "{swallows}");
    assert!(reasons(&[wanted, ("", "3", "no end")]).contains("1 drawn input gave a result before and gives none now"));
    let same: Vec<_> = ["1", "2", "3", "4"].map(|n| ("", n, "returns 50")).into();
    let same = reasons(&[&[wanted][..], &same].concat());
    assert!(same.contains("4 drawn inputs that gave several results give one now"), "{same}");
    let opposite = [("fails", "9", "returns 9"), ("", "11", "returns 9"), ("", "1", "returns 9")];
    assert!(
        reasons_of(&opposite, Some(Exchange::Operators)).contains("raised an exception that no failing test meets")
    );
    assert_eq!(
        reasons_of(&opposite, Some(Exchange::Negation)),
        "",
        "the opposite of an operator, and a result asked for"
    );
    let cured = [wanted, ("", "11", "returns None")];
    assert_eq!(reasons_of(&cured, Some(Exchange::Negation)), "", "behind the wrong side of a check code faults");
    let moved = [wanted, ("", "11", "returns 1"), ("", "3", "raises TypeError"), ("passes", "10", "returns 9")];
    assert_eq!(reasons_of(&moved, Some(Exchange::Operators)).matches("; ").count(), 2);
    assert_eq!(reasons_of(&moved, Some(Exchange::Negation)), "", "some inputs meet now what others met before");
}

#[test]
fn another_result_beside_exceptions_that_are_gone_is_told() {
    let version = |gone: usize, raises: &str, first: &str| {
        let mut calls = calls(&[("fails", "0", raises), ("", "1", first)]);
        let drawn: Vec<String> = (2..2 + gone).map(|n| n.to_string()).collect();
        drawn.iter().for_each(|input| calls.extend(self::calls(&[("", input, raises)])));
        calls
    };
    let told = |gone, first: &str, exchange| {
        let (before, after) = (version(gone, "raises KeyError", "returns 1"), version(gone, "returns 0", first));
        let found = warnings(&before, &after, &[TestId::new("t", "fails")], exchange);
        found.into_iter().map(|warning| warning.reason).collect::<Vec<_>>().join("; ")
    };
    assert!(told(3, "returns 2", None).starts_with("1 drawn input gives another result, where the failing"));
    assert_eq!(told(3, "returns 1", None), "");
    assert_eq!(told(2, "returns 2", None), "", "a fault that gives wrong results, too");
    assert_eq!(told(3, "returns 2", Some(Exchange::Negation)), "", "an edge was off by one");
}

#[test]
fn the_same_exception_for_null_is_no_other_result() {
    let null = |what: &str| format!("raises NullPointerException: Cannot invoke \"String.{what}()\"");
    let version = |what: &str| calls(&[("passes", "null", null(what).as_str())]);
    assert_eq!(warnings(&version("length"), &version("trim"), &[], None), []);
}

#[test]
fn nothing_is_near_what_is_empty() {
    assert!(holds_nothing("items=[], most=3") && holds_nothing("self=Cart(), text=\"\""));
    assert!(!holds_nothing("items=['a', []], most=3") && !holds_nothing("text=\"[]\""));
}
