//! Inputs and results of calls, short enough for people.

use crate::domain::words::clipped;

/// Characters of an input that are shown.
const INPUT: usize = 120;
/// Characters of a result that are shown.
const RESULT: usize = 90;
/// Characters that are shown of what long results have in common, before they part.
const SHARED: usize = 20;

/// A call with two results that differ, shown where they do.
pub(super) fn parted(call: &str, after: &str, before: &str) -> String {
    let (after, before) = without_shared_end(after, before);
    let shared = after.chars().zip(before.chars()).take_while(|(one, other)| one == other).count();
    let skipped = if shared + SHARED > RESULT { shared - SHARED } else { 0 };
    let shown = |result: &str| match skipped {
        0 => clipped(result, RESULT),
        _ => format!("…{}", clipped(&result.chars().skip(skipped).collect::<String>(), RESULT)),
    };
    format!("{} {}, and before: {}", clipped(call, INPUT), shown(after), shown(before))
}

/// Two results without what both leave behind.
fn without_shared_end<'r>(one: &'r str, other: &'r str) -> (&'r str, &'r str) {
    match (one.split_once(" and leaves "), other.split_once(" and leaves ")) {
        (Some((first, left)), Some((second, same))) if left == same && first != second => (first, second),
        _ => (one, other),
    }
}

/// Characters of two texts between what they begin and end with alike.
pub(super) fn apart(one: &str, other: &str) -> usize {
    let (long, short) = (one.chars().count(), other.chars().count());
    let begin = alike(one.chars(), other.chars());
    let end = alike(one.chars().rev(), other.chars().rev()).min(long.min(short) - begin);
    long + short - 2 * (begin + end)
}

fn alike(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_results_are_shown_whole_without_what_both_leave() {
        let shown = parted("total(n=2)", "returns 3 and leaves n=1", "returns 4 and leaves n=1");
        assert_eq!(shown, "total(n=2) returns 3, and before: returns 4");
        let shown = parted("f()", "returns 3 and leaves n=1", "returns 3 and leaves n=2");
        assert_eq!(shown, "f() returns 3 and leaves n=1, and before: returns 3 and leaves n=2");
    }

    #[test]
    fn texts_are_apart_by_what_is_between_their_common_ends() {
        assert_eq!(apart("returns 'a.tar'", "returns 'a.tar.gz'"), 3);
        assert_eq!(apart("returns 'a'", "returns 'a.tar.gz'"), 7);
        assert_eq!((apart("aa", "aaa"), apart("", "b"), apart("same", "same")), (1, 1, 0));
    }

    #[test]
    fn long_results_are_shown_where_they_part() {
        let long = |end: &str| format!("returns [{}{end}", "1, ".repeat(100));
        let shown = parted("f(x)", &long("7]"), &long("8]"));
        assert!(shown.contains("1, 7], and before: …") && shown.ends_with("1, 8]"), "{shown}");
        assert!(shown.chars().count() < 100, "{shown}");
        let other = parted(&"é".repeat(500), &format!("returns {}", "a".repeat(500)), "raises KeyError");
        assert!(other.chars().count() < INPUT + 2 * RESULT && other.ends_with("before: raises KeyError"), "{other}");
    }
}
