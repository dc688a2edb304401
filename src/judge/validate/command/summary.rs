//! What a test tool says at its end, for people: how many tests did not pass. Its reports lie in a folder that the code
//! under test can write; what the tool said must agree with them.

use regex::Regex;
use std::sync::LazyLock;

/// Sums that test tools print, each with the numbers of tests that did not pass.
static SUMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let all = [
        // Surefire and JUnit; a line of one class tells its time.
        r"^(?:\[\w+\] )?Tests run: *\d+, +Failures: *(\d+)(?:, +Errors: *(\d+))?(?:, +Skipped: *\d+)?$",
        // JUnit's text runner.
        r"^OK \(\d+ tests?\)$",
        // JUnit's console.
        r"^\[ +(\d+) tests failed +\]$",
        // pytest.
        r"^=* ?(?:(\d+) failed,? ?)?(?:\d+ (?:passed|skipped|deselected|xfailed|xpassed|warnings?),? ?)*(?:(\d+) errors?,? ?)?in \d[\d.]*s(?: \([\d:]+\))? ?=*$",
        // unittest.
        r"^FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?.*\)$",
        r"^OK(?: \(skipped=\d+\))?$",
    ];
    all.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
});

/// How many tests failed, as the tool says; `None` when it says nothing that is known. Each module of a build has a sum of
/// its own.
pub(super) fn failures(output: &str) -> Option<usize> {
    let sums: Vec<usize> = output.lines().filter_map(|line| sum(line.trim())).collect();
    (!sums.is_empty()).then(|| sums.iter().sum())
}

fn sum(line: &str) -> Option<usize> {
    let found = SUMS.iter().find_map(|pattern| pattern.captures(line))?;
    Some(found.iter().skip(1).flatten().filter_map(|number| number.as_str().parse::<usize>().ok()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_test_tools_are_read() {
        let rows = [
            ("[ERROR] Tests run: 4, Failures: 1, Errors: 2, Skipped: 0", Some(3)),
            (
                "[ERROR] Tests run: 4, Failures: 1, Errors: 2, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! - in a.T",
                None,
            ),
            ("Tests run: 4,  Failures: 1", Some(1)),
            ("OK (4 tests)", Some(0)),
            ("[         2 tests failed          ]", Some(2)),
            ("=================== 1 failed, 3 passed, 1 warning, 2 errors in 0.12s ====================", Some(3)),
            ("4 passed in 0.01s", Some(0)),
            ("FAILED (failures=1, errors=2)", Some(3)),
            ("FAILED (errors=2)", Some(2)),
            ("OK (skipped=1)", Some(0)),
            ("it is OK now", None),
            ("", None),
        ];
        for (line, wanted) in rows {
            assert_eq!(failures(line), wanted, "{line}");
        }
        assert_eq!(failures("Tests run: 1, Failures: 1\nx\nTests run: 3, Failures: 1"), Some(2), "two modules");
    }
}
