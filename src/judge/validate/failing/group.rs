//! Failing tests of several bugs, grouped by what they run.
//!
//! Tests that fail for one reason run the faulty lines, or lines beside them, which most passing tests do not run. So tests
//! belong together when lines that few passing tests run are the same or near each other, or when they fail at the same
//! place. A test of which nothing telling is known counts with the largest group of which it may run a line, too; one that runs
//! no line of the product comes last, by itself. Of very many failing tests only some are measured; then groups belong together
//! where all their tests run a line that hardly any passing test runs. Where one bug is split in two, the other part is named,
//! and tested with every patch.

use super::{MEASURED, unloadable};
use crate::benchmark::ProductChange;
use crate::domain::{Frame, RepoPath, TestId, TestReport, outer_class};
use crate::patch::is_small_part;
use crate::validate::{Baseline, Spectrum, clean};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Share of the passing tests that may run a line which still tells one bug from another.
const COMMON: f64 = 0.5;
/// Share of them that may run a line which joins groups of tests of which some alone were measured.
const RARE: f64 = 0.02;
/// Lines of a file that are no further apart are near each other.
const NEAR: u32 = 8;

type Line<'s> = (&'s RepoPath, u32);

/// The groups, the largest first; those of which no test fails by running come last.
pub(super) fn groups(failing: Vec<TestId>, report: &TestReport, spectrum: &Spectrum) -> Vec<Vec<TestId>> {
    let classes: BTreeSet<&str> = failing.iter().map(TestId::outer_class).collect();
    let (nothing, is_partial, measured) = (Spectrum::default(), classes.len() > MEASURED, spectrum);
    // What some of many failing tests run says nothing of the others.
    let spectrum = if is_partial { &nothing } else { measured };
    let idle = idle(spectrum);
    let (mut idle, failing): (Vec<TestId>, Vec<TestId>) =
        failing.into_iter().partition(|id| idle.contains(id) && place(id, report).is_none());
    let failure_lines = failure_lines_of(&failing, spectrum, COMMON);
    let says_something =
        |id: &TestId| failure_lines.get(id).is_some_and(|lines| !lines.is_empty()) || place(id, report).is_some();
    let (failing, silent): (Vec<TestId>, Vec<TestId>) = failing.iter().cloned().partition(says_something);
    let mut groups: Vec<Vec<TestId>> = Vec::new();
    for id in failing {
        // A test may join groups that had nothing in common so far.
        let (with, without): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group| group.iter().any(|other| belong_together(&id, other, report, &failure_lines)));
        groups = without;
        let mut joined: Vec<TestId> = with.into_iter().flatten().collect();
        joined.push(id);
        groups.push(joined);
    }
    if is_partial {
        groups = joined_by_a_line(groups, measured);
    }
    groups.iter_mut().for_each(|group| group.sort());
    // Of groups of one size the one whose tests run least says most of where its bug is.
    let ran: BTreeMap<&TestId, usize> =
        spectrum.tests().map(|(id, _, ran)| (id, ran.map(|(_, lines)| lines.len()).sum())).collect();
    let least = |group: &[TestId]| group.iter().filter_map(|id| ran.get(id)).min().copied().unwrap_or(usize::MAX);
    let are_unloadable = |group: &Vec<TestId>| group.iter().all(|id| unloadable::is_unloadable(id, report));
    groups.sort_by_cached_key(|group| (are_unloadable(group), Reverse(group.len()), least(group), group.clone()));
    let apart = add_by_lines(silent, &mut groups, spectrum);
    groups.iter_mut().for_each(|group| group.sort());
    if !apart.is_empty() {
        groups.push(apart);
    }
    if !idle.is_empty() {
        idle.sort();
        groups.push(idle);
    }
    groups
}

/// Adds each test to the first group that runs a line which it runs, or one near it: otherwise they hardly fail by the same one.
/// What was not measured may run any line. Gives the tests that no group takes.
fn add_by_lines(tests: Vec<TestId>, groups: &mut [Vec<TestId>], spectrum: &Spectrum) -> Vec<TestId> {
    const ALL: f64 = 1.0;
    let failing: Vec<TestId> = groups.iter().flatten().chain(&tests).cloned().collect();
    let lines = failure_lines_of(&failing, spectrum, ALL);
    let of_group = |group: &Vec<TestId>| group.iter().map(|id| lines.get(id)).collect::<Option<Vec<_>>>();
    let ran: Vec<Option<Vec<_>>> = groups.iter().map(of_group).collect();
    let mut apart = Vec::new();
    for id in tests {
        let is_near = |ran: &Option<Vec<&BTreeSet<Line<'_>>>>| match (lines.get(&id), ran) {
            (Some(own), Some(ran)) => ran.iter().any(|lines| are_near(own, lines)),
            _ => true,
        };
        match ran.iter().position(is_near) {
            Some(group) => groups[group].push(id),
            None => apart.push(id),
        }
    }
    apart
}

/// Joins groups of which all measured tests run one line that hardly any passing test runs; none where no passing test was
/// measured, which could tell such a line.
fn joined_by_a_line(mut groups: Vec<Vec<TestId>>, spectrum: &Spectrum) -> Vec<Vec<TestId>> {
    if !spectrum.tests().any(|(_, passed, _)| passed) {
        return groups;
    }
    let failing: Vec<TestId> = groups.iter().flatten().cloned().collect();
    let lines = failure_lines_of(&failing, spectrum, RARE);
    let common = |group: &[TestId]| {
        let measured = group.iter().filter_map(|id| lines.get(id)).cloned();
        measured.reduce(|all, own| &all & &own).unwrap_or_default()
    };
    groups.sort_by_key(|group| Reverse(group.len()));
    let mut joined: Vec<(Vec<TestId>, BTreeSet<Line<'_>>)> = Vec::new();
    for group in groups {
        let own = common(&group);
        match joined.iter_mut().find(|(_, lines)| !lines.is_disjoint(&own)) {
            Some((with, lines)) => {
                with.extend(group);
                *lines = &*lines & &own;
            }
            None => joined.push((group, own)),
        }
    }
    joined.into_iter().map(|(group, _)| group).collect()
}

/// Of many classes with failing tests those that are measured: one for each place where tests fail, then the first others.
pub(super) fn to_measure(classes: Vec<String>, report: &TestReport) -> Vec<String> {
    let mut places: BTreeMap<&str, BTreeSet<_>> = BTreeMap::new();
    for result in report.failing() {
        places.entry(result.id.outer_class()).or_default().insert(place(&result.id, report));
    }
    let mut shown = BTreeSet::new();
    let mut brings_a_place = |class: &String| {
        let before = shown.len();
        shown.extend(places.get(outer_class(class)).into_iter().flatten().copied());
        shown.len() > before
    };
    let (first, others): (Vec<_>, Vec<_>) = classes.into_iter().partition(|class| brings_a_place(class));
    first.into_iter().chain(others).take(MEASURED).collect()
}

/// Whether all tests that a change broke are of one bug: it is one small part.
pub(in crate::validate) fn breaks_as_one(change: &ProductChange) -> bool {
    is_small_part(&change.revert)
}

/// The failing tests of a report that count with the triggering tests of a baseline, as if they had been known with those.
pub(in crate::validate) fn of_bug(baseline: &Baseline, report: &TestReport, spectrum: Spectrum) -> BTreeSet<TestId> {
    let new: BTreeSet<TestId> = report.failing().map(|result| result.id.clone()).collect();
    let mut all = TestReport::clone(&baseline.report);
    all.results.extend(report.results.clone());
    let known = baseline.triggering.iter().chain(baseline.others.iter().flatten()).filter(|id| !new.contains(id));
    let failing = known.chain(&new).cloned().collect();
    let groups = groups(failing, &all, &baseline.spectrum.with(spectrum));
    let is_of_bug = |group: &Vec<TestId>| group.iter().any(|id| baseline.triggering.contains(id));
    groups.into_iter().filter(is_of_bug).flatten().filter(|id| new.contains(id)).collect()
}

/// Failing tests that were measured and ran no line of the product.
fn idle(spectrum: &Spectrum) -> BTreeSet<TestId> {
    let failing = spectrum.tests().filter(|(_, passed, _)| !passed);
    failing.filter_map(|(id, _, mut ran)| ran.all(|(_, lines)| lines.is_empty()).then(|| id.clone())).collect()
}

/// Lines of each failing test that at most such a share of the passing tests run. Where no passing test was measured, all lines.
fn failure_lines_of<'s>(
    failing: &[TestId],
    spectrum: &'s Spectrum,
    share: f64,
) -> BTreeMap<&'s TestId, BTreeSet<Line<'s>>> {
    let mut lines: BTreeMap<&'s TestId, BTreeSet<Line<'s>>> = BTreeMap::new();
    // How many passing tests run a line, for the lines that count: those of failing tests.
    let mut runs: HashMap<&RepoPath, HashMap<u32, usize>> = HashMap::new();
    for (id, _, ran) in spectrum.tests().filter(|(id, passed, _)| !passed && failing.contains(id)) {
        let own: BTreeSet<Line<'s>> =
            ran.flat_map(|(file, lines)| lines.iter().map(move |line| (file, *line))).collect();
        own.iter().for_each(|(file, line)| {
            runs.entry(file).or_default().insert(*line, 0);
        });
        lines.insert(id, own);
    }
    let mut passing = 0usize;
    for (_, _, ran) in spectrum.tests().filter(|(_, passed, _)| *passed) {
        passing += 1;
        for (file, ran) in ran {
            let Some(counts) = runs.get_mut(file) else { continue };
            for line in ran {
                if let Some(count) = counts.get_mut(line) {
                    *count += 1;
                }
            }
        }
    }
    let most = share * passing as f64;
    for own in lines.values_mut() {
        own.retain(|(file, line)| runs[file][line] as f64 <= most);
    }
    lines
}

fn belong_together(
    one: &TestId,
    other: &TestId,
    report: &TestReport,
    failure_lines: &BTreeMap<&TestId, BTreeSet<Line<'_>>>,
) -> bool {
    if one.class == other.class && one.bare_method() == other.bare_method() {
        return true;
    }
    if place(one, report).is_some() && place(one, report) == place(other, report) {
        return true;
    }
    match (failure_lines.get(one), failure_lines.get(other)) {
        (Some(one), Some(other)) if !one.is_empty() && !other.is_empty() => are_near(one, other),
        // Where nothing was measured, tests of one class are taken for one bug.
        _ => one.outer_class() == other.outer_class(),
    }
}

fn are_near(one: &BTreeSet<Line<'_>>, other: &BTreeSet<Line<'_>>) -> bool {
    one.iter().any(|(file, line)| {
        let around = (*file, line.saturating_sub(NEAR))..=(*file, line.saturating_add(NEAR));
        other.range(around).next().is_some()
    })
}

/// Where in the product a test fails, when its trace tells.
pub(in crate::validate) fn place<'r>(id: &TestId, report: &'r TestReport) -> Option<(&'r str, Option<u32>)> {
    product_frame(&report.results.get(id)?.failure.as_ref()?.frames)
}

/// The innermost frame of the project outside of tests, as class and line.
fn product_frame(frames: &[Frame]) -> Option<(&str, Option<u32>)> {
    let frame = frames.iter().find(|frame| clean::is_project_frame(frame))?;
    (!is_test(&frame.class)).then_some((frame.class.as_str(), frame.line))
}

/// Whether a class or module is a test, or lies among tests, by its name.
fn is_test(class: &str) -> bool {
    let simple = crate::domain::outer_class(class).rsplit('.').next().unwrap_or(class);
    let is_named = simple.ends_with("Test") || simple.ends_with("Tests") || simple.ends_with("TestCase");
    let is_part = |part: &str| {
        matches!(part, "test" | "tests" | "conftest") || part.starts_with("test_") || part.ends_with("_test")
    };
    is_named || class.split('.').any(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{RunEnd, TestResult, TestStatus};
    use crate::validate::Coverage;

    fn coverage(file: &str, lines: &[u32]) -> Coverage {
        Coverage { lines: [(RepoPath::new(file).unwrap(), lines.iter().copied().collect())].into() }
    }

    fn grouped(tests: &[(&str, bool, &str, &[u32])]) -> Vec<String> {
        let id = |name: &str| name.parse::<TestId>().unwrap();
        let spectrum =
            Spectrum::of(tests.iter().map(|(name, passed, file, lines)| (id(name), *passed, coverage(file, lines))));
        let results = tests.iter().map(|(name, passed, ..)| {
            let status = if *passed { TestStatus::Passed } else { TestStatus::Failed };
            (id(name), TestResult { id: id(name), status, failure: None, millis: 1, loss: None })
        });
        let report = TestReport { end: RunEnd::Complete, results: results.collect(), output_tail: String::new() };
        let failing = report.failing().map(|result| result.id.clone()).collect();
        let name = |group: Vec<TestId>| group.iter().map(TestId::to_string).collect::<Vec<_>>().join(" ");
        groups(failing, &report, &spectrum).into_iter().map(name).collect()
    }

    #[test]
    fn two_bugs_are_told_apart_by_lines_that_few_passing_tests_run() {
        let found = grouped(&[
            ("CartTest#sums", false, "Cart.java", &[1, 10]),
            ("CartTest#adds", false, "Cart.java", &[1, 10, 11]),
            ("TaxTest#rounds", false, "Cart.java", &[1, 30]),
            ("CartTest#empty", true, "Cart.java", &[1]),
            ("TaxTest#none", true, "Cart.java", &[1, 2]),
        ]);
        assert_eq!(found, ["CartTest#adds CartTest#sums", "TaxTest#rounds"]);
    }

    #[test]
    fn tests_that_run_nothing_which_few_run_are_of_a_bug_only_if_they_run_a_line_of_it() {
        let converter: [(&str, bool, &str, &[u32]); 4] = [
            ("ConverterTest#winter", false, "Converter.java", &[1, 2]),
            ("ConverterTest#spring", false, "Converter.java", &[1, 2]),
            ("ConverterTest#summer", true, "Converter.java", &[1, 2]),
            ("ConverterTest#autumn", true, "Converter.java", &[1, 2]),
        ];
        let node = |file| ("NodeTest#next", false, file, &[2, 9][..]);
        let found = grouped(&[&converter[..], &[node("Node.java")]].concat());
        assert_eq!(found, ["NodeTest#next", "ConverterTest#spring ConverterTest#winter"]);
        let found = grouped(&[&converter[..], &[node("Converter.java")]].concat());
        assert_eq!(found, ["ConverterTest#spring ConverterTest#winter NodeTest#next"]);
    }

    #[test]
    fn a_test_that_runs_both_places_joins_them() {
        let found = grouped(&[
            ("A#a", false, "P.java", &[1]),
            ("B#b", false, "P.java", &[2]),
            ("C#both", false, "P.java", &[1, 2]),
        ]);
        assert_eq!(found, ["A#a B#b C#both"]);
    }

    #[test]
    fn of_groups_of_one_size_that_comes_first_which_runs_least() {
        let found = grouped(&[("A#whole", false, "P.java", &[1, 2, 3]), ("B#unit", false, "Q.java", &[50, 51])]);
        assert_eq!(found, ["B#unit", "A#whole"]);
    }

    #[test]
    fn modules_that_cannot_be_loaded_come_after_tests_that_fail_by_running() {
        let found = grouped(&[
            ("test_a", false, "P.java", &[1]),
            ("test_b", false, "P.java", &[1]),
            ("test_c#sums", false, "Q.java", &[50, 51, 52]),
        ]);
        assert_eq!(found, ["test_c#sums", "test_a test_b"]);
    }

    #[test]
    fn a_test_that_runs_nothing_of_the_product_comes_last() {
        let found = grouped(&[("A#missing", false, "P.java", &[]), ("B#b", false, "P.java", &[2])]);
        assert_eq!(found, ["B#b", "A#missing"]);
    }

    /// A test that fails in the product at a line.
    fn failing_at(name: &str, line: u32) -> (TestId, TestResult) {
        let frames = vec![Frame { class: "shop.Cart".into(), method: "add".into(), file: None, line: Some(line) }];
        let failure = Some(crate::domain::Failure { frames, ..Default::default() });
        let id = name.parse::<TestId>().unwrap();
        (id.clone(), TestResult { id, status: TestStatus::Failed, failure, millis: 1, loss: None })
    }

    fn report(results: impl IntoIterator<Item = (TestId, TestResult)>) -> TestReport {
        TestReport { end: RunEnd::Complete, results: results.into_iter().collect(), output_tail: String::new() }
    }

    #[test]
    fn of_many_classes_one_is_measured_for_each_place_where_tests_fail() {
        let classes: Vec<String> = (0..40).map(|nth| format!("T{nth:02}")).collect();
        let line = |class: &str| if class == "T39" { 9 } else { 1 };
        let report = report(classes.iter().map(|class| failing_at(&format!("{class}#fails"), line(class))));
        let measured = to_measure(classes, &report);
        assert_eq!(measured.len(), MEASURED);
        assert_eq!(measured[..3], ["T00", "T39", "T01"]);
    }

    #[test]
    fn groups_of_many_tests_are_joined_by_a_line_that_they_all_run_and_passing_ones_do_not() {
        let many: Vec<String> = (0..MEASURED).map(|nth| format!("T{nth:02}#fails")).collect();
        let many = many.iter().map(String::as_str);
        let failing = many.clone().map(|name| (name, 5)).chain([("Unit#fails", 6), ("Other#fails", 7)]);
        let report = report(failing.map(|(name, line)| failing_at(name, line)));
        let ran = many.map(|name| (name, false, &[1, 7, 100][..]));
        let ran = ran.chain([("Unit#fails", false, &[7][..]), ("Other#fails", false, &[1, 100])]);
        let ran = ran.chain([("Passes#one", true, &[1, 100][..]), ("Passes#two", true, &[1])]);
        let id = |name: &str| name.parse::<TestId>().unwrap();
        let spectrum = Spectrum::of(ran.map(|(name, passed, lines)| (id(name), passed, coverage("P.java", lines))));
        let failing: Vec<TestId> = report.results.keys().cloned().collect();
        let found = groups(failing.clone(), &report, &spectrum);
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [MEASURED + 1, 1], "{found:?}");
        assert_eq!(found[1], [id("Other#fails")]);
        let without_passing = spectrum.tests().filter(|(_, passed, _)| !passed).map(|(id, passed, ran)| {
            let lines = ran.map(|(file, lines)| (file.clone(), lines.clone())).collect();
            (id.clone(), passed, Coverage { lines })
        });
        let found = groups(failing, &report, &Spectrum::of(without_passing));
        assert_eq!(found.len(), 3, "no passing test tells which line counts: {found:?}");
    }

    #[test]
    fn what_tells_nothing_counts_with_the_largest_group() {
        let found = grouped(&[
            ("A#a", false, "P.java", &[1]),
            ("A#b", false, "P.java", &[2]),
            ("B#b", false, "Q.java", &[40]),
            ("C#c", false, "P.java", &[9]),
            ("D#d", true, "P.java", &[9]),
            ("D#e", true, "P.java", &[9]),
            ("D#f", true, "P.java", &[9, 70]),
        ]);
        assert_eq!(found, ["A#a A#b C#c", "B#b"]);
    }
}
