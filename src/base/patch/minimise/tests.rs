//! Patches made smaller by a judge that only looks for words.

use super::*;
use crate::language::Java;
use proptest::prelude::*;

const BEFORE: &str = "class A {
    int a = 1;
    int f(int x) {
        return x + 1;
    }

    int g(int y) {
        return y;
    }
}
";

fn patch(after: &str) -> Patch {
    let path = RepoPath::new("src/A.java").unwrap();
    Patch { files: vec![FileChange { path, before: Some(BEFORE.as_bytes().into()), after: after.as_bytes().into() }] }
}

/// The smallest patch that a judge passes, and how many it was asked about.
fn minimised(after: &str, passes: &dyn Fn(&str) -> bool, judged: &dyn Fn(LineSpan) -> bool) -> (String, usize) {
    let mut minimiser = Minimiser::new(&patch(after), &Java, &|_, span| judged(span));
    let mut runs = 0;
    while let Some(smaller) = minimiser.propose() {
        let text = String::from_utf8(smaller.files[0].after.to_vec()).unwrap();
        runs += 1;
        minimiser.answer(passes(&text));
    }
    (String::from_utf8(minimiser.best().files[0].after.to_vec()).unwrap(), runs)
}

#[test]
fn hunks_that_are_not_needed_go() {
    let after = BEFORE.replace("a = 1", "a = 2").replace("x + 1", "x - 1").replace("return y", "return y * y");
    let (smallest, runs) = minimised(&after, &|text| text.contains("x - 1"), &|_| true);
    assert_eq!(smallest, BEFORE.replace("x + 1", "x - 1"));
    assert!(runs <= 8, "{runs}");
}

#[test]
fn a_hunk_stays_whole_whatever_the_tests_do_not_see() {
    let after = BEFORE.replace("return x + 1;", "seen(x);\n        return x - 1;");
    let (smallest, runs) = minimised(&after, &|text| text.contains("x - 1"), &|_| true);
    assert_eq!((smallest, runs), (after, 0));
}

#[test]
fn what_no_test_runs_stays() {
    let after = BEFORE.replace("x + 1", "x - 1").replace("return y", "return y - 1");
    let (smallest, _) = minimised(&after, &|text| text.contains("x - 1"), &|span| span.contains(4));
    assert_eq!(smallest, after, "no test runs `g`, so nobody can say that its change is not needed");
}

#[test]
fn new_files_and_what_needs_everything_stay() {
    let mut whole = patch(&BEFORE.replace("x + 1", "x - 1"));
    let path = RepoPath::new("src/B.java").unwrap();
    whole.files.push(FileChange { path, before: None, after: b"class B {}\n"[..].into() });
    let mut minimiser = Minimiser::new(&whole, &Java, &|_, _| true);
    while minimiser.propose().is_some() {
        minimiser.answer(false);
    }
    assert_eq!(minimiser.best(), whole);
}

proptest! {
    #[test]
    fn any_bytes_are_taken_apart_and_put_together_again(before in "[a-c \n(){};\"/*é]{0,60}", after in "[a-c \n(){};\"/*é]{0,60}") {
        let path = RepoPath::new("src/A.java").unwrap();
        let change = FileChange { path, before: Some(before.as_bytes().into()), after: after.as_bytes().into() };
        let whole = Patch { files: vec![change] };
        let mut minimiser = Minimiser::new(&whole, &Java, &|_, _| true);
        if !whole.is_empty() {
            prop_assert_eq!(minimiser.best(), whole.clone());
        }
        while minimiser.propose().is_some() {
            minimiser.answer(false);
        }
        if !whole.is_empty() {
            prop_assert_eq!(minimiser.best(), whole, "nothing was left out");
        }
    }
}
