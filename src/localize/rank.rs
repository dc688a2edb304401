//! One ranking of statement lines from everything the failing tests tell.
//!
//! Three kinds of evidence are combined, each in `0.0..=1.0`: *execution* (a formula over the spectrum, else coverage of
//! the failing tests, else "could have run"), *nearness* (static calls from the failing statement, frames, names), and
//! the *frame* that threw. Execution decides what is possible, the others what is likely: so the ranking works when
//! every test fails, for crashes and endless loops, and with no coverage at all.

use super::distance::Reach;
use super::formula::{Counts, Formula};
use super::locate::names_match;
use super::statements::{Statement, statements};
use crate::code::{CodeIndex, Method, SourceFile};
use crate::domain::{FailingTest, Location, Ranking, RepoPath, Suspect};
use crate::validate::{Coverage, Spectrum};
use std::collections::{BTreeMap, BTreeSet};

/// Lines kept of a ranking.
const MAX_LINES: usize = 1_000;
/// Execution of a line nobody saw run, in a method that ran: JaCoCo misses what stood before an exception.
const NOT_SEEN: f64 = 0.2;
/// Execution of a line nobody saw run that stands before the line of a frame: it probably ran, and the exception hid it.
const HIDDEN: f64 = 0.7;
/// Execution of a line when there is no coverage at all.
const UNKNOWN: f64 = 0.6;
/// Nearness of a method that ran although no readable call leads to it.
const DYNAMIC: f64 = 0.3;
/// Added for a frame of the failure on the line, divided by its depth.
const FRAME: f64 = 0.35;
/// Added to a line inside a loop when a test never ended.
const ENDLESS: f64 = 0.1;

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
}

/// Ranks statement lines; a statement of several lines is listed under its first one. Ties: file, then line.
pub fn rank(inputs: &Inputs<'_>) -> Ranking {
    let evidence = Evidence::of(inputs);
    let mut lines: Vec<Suspect> =
        inputs.index.files().iter().filter(|file| !file.test).flat_map(|file| evidence.suspects(file)).collect();
    let most = lines.iter().map(|suspect| suspect.score).fold(0.0, f64::max);
    for suspect in &mut lines {
        suspect.score = if most > 0.0 { suspect.score / most } else { 0.0 };
    }
    lines.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.location.cmp(&b.location)));
    lines.truncate(MAX_LINES);
    Ranking { lines, tests: inputs.failing.iter().map(|test| test.id.clone()).collect(), source: source(inputs) }
}

/// Methods by their most suspicious line, best first; lines outside methods are left out.
pub fn by_method(ranking: &Ranking) -> Vec<(&RepoPath, &str, f64)> {
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
    parts.join("+")
}

struct Evidence<'a> {
    inputs: &'a Inputs<'a>,
    reach: Reach<'a>,
    /// Depth of the shallowest product frame on a line, from 0.
    frames: BTreeMap<Location, u32>,
    /// Depth of the shallowest frame inside a method, by file and first line.
    framed: BTreeMap<(RepoPath, u32), u32>,
    totals: (u32, u32),
    endless: bool,
}

impl<'a> Evidence<'a> {
    fn of(inputs: &'a Inputs<'a>) -> Self {
        let mut evidence = Self {
            inputs,
            reach: Reach::of(inputs.index, inputs.failing),
            frames: BTreeMap::new(),
            framed: BTreeMap::new(),
            totals: (0, 0),
            endless: inputs.failing.iter().any(|test| test.timed_out),
        };
        for (_, passed, _) in inputs.spectrum.iter().flat_map(|spectrum| &spectrum.tests) {
            if *passed {
                evidence.totals.1 += 1;
            } else {
                evidence.totals.0 += 1;
            }
        }
        for test in inputs.failing {
            evidence.note_frames(test);
        }
        evidence
    }

    fn note_frames(&mut self, test: &FailingTest) {
        let index = self.inputs.index;
        let mut depth = 0;
        for frame in &test.failure.frames {
            let Some((file, _)) = index.class(&frame.class).filter(|(file, _)| !file.test) else { continue };
            if let Some(line) = frame.line {
                let known = self.frames.entry(Location { file: file.path.clone(), line }).or_insert(depth);
                *known = (*known).min(depth);
                if let Some(method) = file.method_at(line) {
                    let known = self.framed.entry((file.path.clone(), method.span.first)).or_insert(depth);
                    *known = (*known).min(depth);
                }
            }
            depth += 1;
        }
    }

    fn suspects(&self, file: &SourceFile) -> Vec<Suspect> {
        let touched = self.ran(&file.path)
            || file.methods().any(|method| self.reach.get(method).is_some() || self.depth(method).is_some());
        if !touched {
            return Vec::new();
        }
        let found = statements(&file.text, self.inputs.index.language());
        let mut seen = BTreeSet::new();
        let first_only = found.iter().filter(|statement| seen.insert(statement.lines.first));
        first_only.filter_map(|statement| self.suspect(file, statement)).collect()
    }

    fn suspect(&self, file: &SourceFile, statement: &Statement) -> Option<Suspect> {
        let method = file.method_at(statement.lines.first);
        let mut reasons = Vec::new();
        let execution = self.execution(file, method, statement, &mut reasons)?;
        let nearness = self.nearness(file, method, &mut reasons);
        let mut score = execution * (0.2 + 0.6 * nearness);
        let frame = (statement.lines.first..=statement.lines.last)
            .filter_map(|line| self.frames.get(&Location { file: file.path.clone(), line }))
            .min();
        if let Some(depth) = frame {
            score += FRAME / f64::from(depth + 1);
            reasons.push(format!("frame {} of the failure", depth + 1));
        }
        if self.endless && statement.loops > 0 {
            // The header decides when the loop ends.
            score += ENDLESS * execution * if statement.header { 2.0 } else { 1.0 };
            reasons.push("in a loop, and a test did not end".into());
        }
        Some(Suspect {
            location: Location { file: file.path.clone(), line: statement.lines.first },
            method: method.map(Method::qualified),
            score,
            reasons,
        })
    }

    /// How much execution speaks for the statement; `None` when it cannot have run.
    fn execution(
        &self,
        file: &SourceFile,
        method: Option<&Method>,
        statement: &Statement,
        reasons: &mut Vec<String>,
    ) -> Option<f64> {
        let lines = statement.lines.first..=statement.lines.last;
        let unseen = method.and_then(|m| self.unseen(file, m, lines.clone()));
        if let Some(spectrum) = self.inputs.spectrum {
            let counts = self.counts(spectrum, &file.path, lines.clone());
            if counts.failed_covered > 0 {
                let (ran, all) = (counts.failed_covered, counts.failed);
                reasons.push(format!(
                    "ran in {ran} of {all} failing and {} of {} passing tests",
                    counts.passed_covered, counts.passed
                ));
                return Some(self.inputs.formula.score(counts).max(0.05));
            }
            return unseen.map(|execution| if execution >= 1.0 { 1.0 } else { execution / 2.0 });
        }
        let Some(coverage) = self.inputs.coverage.filter(|coverage| !coverage.lines.is_empty()) else {
            let reached = method.is_some_and(|m| self.reach.get(m).is_some() || self.depth(m).is_some());
            let field = method.is_none() && file.methods().any(|m| self.reach.get(m).is_some());
            return if reached { Some(UNKNOWN) } else { field.then_some(UNKNOWN / 3.0) };
        };
        let ran = coverage.lines.get(&file.path).is_some_and(|ran| lines.into_iter().any(|line| ran.contains(&line)));
        if ran {
            reasons.push("ran in a failing test".into());
            return Some(1.0);
        }
        unseen
    }

    /// How likely a statement ran that coverage does not show; `None` when its method did not run at all. JaCoCo counts
    /// a line when the block it lies in was left, which an exception prevents.
    fn unseen(&self, file: &SourceFile, method: &Method, lines: std::ops::RangeInclusive<u32>) -> Option<f64> {
        let mut framed =
            self.frames.keys().filter(|at| at.file == file.path && method.span.contains(at.line)).peekable();
        if framed.peek().is_some() {
            let last = framed.clone().map(|at| at.line).max().unwrap_or(0);
            return Some(match framed.any(|at| lines.contains(&at.line)) {
                true => 1.0,
                false if *lines.end() < last => HIDDEN,
                false => NOT_SEEN,
            });
        }
        let ran = (method.span.first..=method.span.last).any(|line| self.line_ran(&file.path, line));
        ran.then_some(NOT_SEEN)
    }

    fn counts(&self, spectrum: &Spectrum, path: &RepoPath, lines: std::ops::RangeInclusive<u32>) -> Counts {
        let mut counts = Counts { failed: self.totals.0, passed: self.totals.1, ..Counts::default() };
        for (_, passed, coverage) in &spectrum.tests {
            let ran = coverage.lines.get(path).is_some_and(|ran| ran.range(lines.clone()).next().is_some());
            if ran && *passed {
                counts.passed_covered += 1;
            } else if ran {
                counts.failed_covered += 1;
            }
        }
        counts
    }

    fn nearness(&self, file: &SourceFile, method: Option<&Method>, reasons: &mut Vec<String>) -> f64 {
        let mut nearness: f64 = 0.0;
        if let Some(reached) = method.and_then(|m| self.reach.get(m)) {
            nearness = reached.nearness;
            let steps =
                if reached.calls == 1 { "called by the test".into() } else { format!("{} calls away", reached.calls) };
            reasons.push(if reached.nearness >= 1.0 { "called in the failing statement".into() } else { steps });
        } else if method.is_some() && self.ran(&file.path) {
            nearness = DYNAMIC;
        }
        if let Some(depth) = method.and_then(|m| self.depth(m)) {
            nearness = nearness.max(1.0 / (1.0 + 0.5 * f64::from(depth)));
        }
        let stem = file.path.file_name().split('.').next().unwrap_or("");
        if self.inputs.failing.iter().any(|test| names_match(test.id.simple_class(), stem)) {
            nearness = nearness.max(0.2) + 0.25;
            reasons.push("the test is named after the class".into());
        }
        nearness.min(1.25)
    }

    fn depth(&self, method: &Method) -> Option<u32> {
        self.framed.get(&(method.file.clone(), method.span.first)).copied()
    }

    fn ran(&self, path: &RepoPath) -> bool {
        self.inputs.coverage.is_some_and(|coverage| coverage.lines.contains_key(path))
            || self.inputs.spectrum.is_some_and(|s| s.tests.iter().any(|(_, _, c)| c.lines.contains_key(path)))
    }

    /// Whether a failing test ran the line.
    fn line_ran(&self, path: &RepoPath, line: u32) -> bool {
        let in_coverage = |coverage: &Coverage| coverage.lines.get(path).is_some_and(|lines| lines.contains(&line));
        self.inputs.coverage.is_some_and(in_coverage)
            || self.inputs.spectrum.is_some_and(|s| s.tests.iter().any(|(_, passed, c)| !passed && in_coverage(c)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::failing_tests;
    use super::super::metadata::tests::{baseline, frame, shop, wrong_total};
    use super::*;
    use crate::domain::{Failure, TestId, TestStatus};

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
        rank(&Inputs { index: &index, failing: &failing, coverage, spectrum, formula: Formula::Ochiai })
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
        let ranking = ranked(wrong_total(), TestStatus::Failed, None, Some(&Spectrum { tests }));
        assert_eq!(top(&ranking, 1), [8]);
        assert_eq!(ranking.source, "ochiai+trace+calls");
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
