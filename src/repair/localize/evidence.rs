//! What speaks for and against one statement: which tests ran it, how near it is to the failing assertion, whether it
//! stands in the failure's trace.

use super::Inputs;
use super::asserting::asserting;
use super::decisive::{Decider, Ran, deciders, lift};
use super::distance::Reach;
use super::formula::Counts;
use super::frames::{FRAME, Frames};
use super::locate::names_match;
use super::names::SharedNames;
use super::statements::{Statement, statements};
use crate::code::{Method, SourceFile};
use crate::domain::{Location, RepoPath, Suspect};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::RangeInclusive;

/// Execution of a line nobody saw run, in a method that ran: JaCoCo misses what stood before an exception.
const NOT_SEEN: f64 = 0.2;
/// Execution of a line nobody saw run that stands before the line of a frame: it probably ran, and the exception hid it.
const HIDDEN: f64 = 0.7;
/// Execution of a line when there is no coverage at all.
const UNKNOWN: f64 = 0.6;
/// The class of tests that are runs of the program itself, see `benchmark::Case`.
const CASES: &str = "cases";
/// Nearness of a method that ran although no readable call leads to it.
const DYNAMIC: f64 = 0.3;
/// Added to a line that the last change touched, where the failing tests pass without that change: the fault lies in it, or
/// in what it did not think of. More than all that a line has otherwise, so that those come first.
const CHANGED: f64 = 1.5;
/// Added to a line inside a loop when a test never ended.
const ENDLESS: f64 = 0.1;
/// Nearness from which a called method counts as pointed at.
const HOT: f64 = 0.75;
/// Nearness of a method with the name of one that is pointed at.
const SIBLING: f64 = 0.5;
/// What is left of the score of a helper that asserts.
const ASSERTING: f64 = 0.1;
/// Execution of a twin, a method with such a name, that no failing test ran: last of all, and not forgotten.
const TWIN: f64 = 0.05;
/// Failing tests that count, at most: many that one fault breaks repeat each other, and what passing tests say of a line
/// must not drown in them.
const ALIKE: u32 = 10;

/// Everything that is known of one bug, ready to be asked about single statements.
pub(super) struct Evidence<'a> {
    inputs: &'a Inputs<'a>,
    reach: Reach<'a>,
    frames: Frames,
    /// Failing and passing tests of the spectrum.
    totals: (u32, u32),
    /// Of each file, what every test that came there ran of it, and whether the test passed.
    runs: HashMap<&'a RepoPath, Vec<(bool, &'a BTreeSet<u32>)>>,
    /// The lines of each file that a failing test ran.
    failed: HashMap<&'a RepoPath, BTreeSet<u32>>,
    /// File and name of methods the failure points at: bugs come in twins of one name.
    hot: HashSet<(RepoPath, String)>,
    /// Lines that share a name with that of a failure.
    shared: SharedNames,
    /// Files of helpers that assert.
    asserting: BTreeSet<&'a RepoPath>,
    endless: bool,
    /// The one file of a program, where nothing else leads to a line: the bug is in it.
    only_file: Option<&'a RepoPath>,
}

impl<'a> Evidence<'a> {
    /// Gathers it.
    pub(super) fn of(inputs: &'a Inputs<'a>) -> Self {
        let mut evidence = Self {
            inputs,
            reach: Reach::of(inputs.index, inputs.failing),
            frames: Frames::default(),
            totals: (0, 0),
            runs: HashMap::new(),
            failed: HashMap::new(),
            hot: HashSet::new(),
            shared: SharedNames::default(),
            asserting: asserting(inputs.index, inputs.failing),
            endless: inputs.failing.iter().any(|test| test.timed_out),
            only_file: None,
        };
        for (_, passed, ran) in inputs.spectrum.iter().flat_map(|spectrum| spectrum.tests()) {
            let total = if passed { &mut evidence.totals.1 } else { &mut evidence.totals.0 };
            *total += 1;
            for (file, lines) in ran {
                evidence.runs.entry(file).or_default().push((passed, lines));
                if !passed {
                    evidence.failed.entry(file).or_default().extend(lines);
                }
            }
        }
        for (file, lines) in inputs.coverage.iter().flat_map(|coverage| &coverage.lines) {
            evidence.failed.entry(file).or_default().extend(lines);
        }
        for test in inputs.failing {
            evidence.frames.note(inputs.index, test);
        }
        evidence.note_hot();
        evidence.shared = SharedNames::of(inputs.index, &evidence.frames);
        evidence.note_only_file();
        evidence
    }

    /// Programs that are tested by what they print have no test that calls them, and not every language is measured.
    fn note_only_file(&mut self) {
        let product: Vec<_> = self.inputs.index.files().iter().filter(|file| !file.test).collect();
        let is_measured = self.inputs.spectrum.is_some() || self.inputs.coverage.is_some();
        let is_led_to = self.reach.iter().next().is_some() || !self.frames.is_empty();
        let is_by_cases = self.inputs.failing.iter().all(|test| test.id.class == CASES);
        if let ([file], true, false, false) = (&product[..], is_by_cases, is_measured, is_led_to) {
            self.only_file = Some(&file.path);
        }
    }

    /// Methods the failing statement calls, and those of the innermost frames.
    fn note_hot(&mut self) {
        let called = self.reach.iter().filter(|reached| reached.nearness >= HOT).map(|reached| reached.method);
        let framed = self.frames.innermost().filter_map(|(file, line)| self.inputs.index.method_at(file, line));
        self.hot = called.chain(framed).map(|method| (method.file.clone(), method.name.clone())).collect();
    }

    /// Statements of a file that can have run, with their scores; none for a file nothing leads to.
    pub(super) fn suspects(&self, file: &SourceFile) -> Vec<Suspect> {
        let touched = self.ran(&file.path)
            || self.only_file == Some(&file.path)
            || file.methods().any(|method| self.reach.get(method).is_some() || self.frames.depth(method).is_some());
        let unread: Vec<Suspect> = self.frames.unread.iter().filter(|at| at.file == file.path).map(unread).collect();
        if !touched || !unread.is_empty() {
            return unread;
        }
        let found = statements(&file.text, self.inputs.index.language());
        let deciders = deciders(&self.frames, file, &found);
        let mut seen = BTreeSet::new();
        let first_only = found.iter().filter(|statement| seen.insert(statement.lines.first));
        let mut ran: Vec<Ran<'_>> = first_only.filter_map(|statement| self.ran_of(file, statement)).collect();
        if self.inputs.spectrum.is_some() {
            lift(&mut ran);
        }
        ran.into_iter().map(|ran| self.suspect(file, ran, &deciders)).collect()
    }

    /// A statement with what its execution says; `None` when it cannot have run.
    fn ran_of<'s>(&self, file: &SourceFile, statement: &'s Statement) -> Option<Ran<'s>> {
        let method = file.method_at(statement.lines.first);
        let mut reasons = Vec::new();
        let execution = self.execution(file, method, statement, &mut reasons);
        let execution = execution.or_else(|| self.is_twin(method).then_some(TWIN))?;
        Some(Ran { statement, execution, reasons })
    }

    fn suspect(&self, file: &SourceFile, ran: Ran<'_>, deciders: &BTreeMap<u32, Decider>) -> Suspect {
        let Ran { statement, execution, mut reasons } = ran;
        let method = file.method_at(statement.lines.first);
        let nearness = self.nearness(file, method, &mut reasons);
        let mut score = execution * (0.2 + 0.6 * nearness);
        score += self.of_frames(file, statement, (execution, deciders), &mut reasons);
        score += execution * self.shared.bonus(file, statement.lines, &mut reasons);
        score += self.of_the_last_change(file, statement, &mut reasons);
        score += self.of_loops(statement, execution, &mut reasons);
        if self.asserting.contains(&file.path) {
            score *= ASSERTING;
            reasons.push("a helper that asserts".into());
        }
        Suspect {
            location: Location { file: file.path.clone(), line: statement.lines.first },
            method: method.map(Method::qualified),
            score,
            reasons,
        }
    }

    /// What a frame on the statement adds, or one that it decides on.
    fn of_frames(
        &self,
        file: &SourceFile,
        statement: &Statement,
        (execution, deciders): (f64, &BTreeMap<u32, Decider>),
        reasons: &mut Vec<String>,
    ) -> f64 {
        let frame = (statement.lines.first..=statement.lines.last)
            .filter_map(|line| self.frames.lines.get(&Location { file: file.path.clone(), line }))
            .min();
        if let Some(depth) = frame {
            // Who throws on purpose where passing tests want it to brings the news of a fault that lies elsewhere.
            let is_messenger = statement.throws && self.inputs.spectrum.is_some();
            reasons.push(format!("frame {} of the failure", depth + 1));
            let share = if is_messenger { execution } else { 1.0 };
            return share * FRAME / f64::from(depth + 1);
        }
        let Some(Decider { bonus, depth }) = deciders.get(&statement.lines.first) else { return 0.0 };
        reasons.push(format!("decides on frame {} of the failure", depth + 1));
        *bonus
    }

    /// Statements that the last change touched, whether a failing test ran them or not: a fault may show where nothing is
    /// measured, in another process, or when a module is loaded.
    pub(super) fn changes(&self, file: &SourceFile) -> Vec<Suspect> {
        if !self.inputs.changed.is_some_and(|changed| changed.lines.contains_key(&file.path)) {
            return Vec::new();
        }
        let suspect = |statement: &Statement| {
            let mut reasons = Vec::new();
            let score = self.of_the_last_change(file, statement, &mut reasons);
            let location = Location { file: file.path.clone(), line: statement.lines.first };
            let method = file.method_at(statement.lines.first).map(Method::qualified);
            (score > 0.0).then_some(Suspect { location, method, score, reasons })
        };
        let mut seen = BTreeSet::new();
        let found = statements(&file.text, self.inputs.index.language());
        found.iter().filter(|statement| seen.insert(statement.lines.first)).filter_map(suspect).collect()
    }

    /// What the last change adds where it touched the statement.
    fn of_the_last_change(&self, file: &SourceFile, statement: &Statement, reasons: &mut Vec<String>) -> f64 {
        let Some(changed) = self.inputs.changed else { return 0.0 };
        let own = statement.lines.first..=statement.lines.last;
        let touched = changed.lines.get(&file.path).and_then(|lines| lines.range(own).next());
        if touched.is_none() {
            return 0.0;
        }
        reasons.push(format!("changed by {}, without which the failing tests pass", changed.name));
        CHANGED
    }

    /// What a test that did not end adds to a statement in a loop.
    fn of_loops(&self, statement: &Statement, execution: f64, reasons: &mut Vec<String>) -> f64 {
        if !self.endless || statement.loops == 0 {
            return 0.0;
        }
        // The header decides when the loop ends, and what it asks about must change on the way.
        let (share, why) = match statement {
            Statement { header: true, .. } => (2.0, "a loop's header, and a test did not end"),
            Statement { progress: true, .. } => (2.5, "moves a loop on, and a test did not end"),
            _ => (1.0, "in a loop, and a test did not end"),
        };
        reasons.push(why.into());
        ENDLESS * execution * share
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
        if self.inputs.spectrum.is_some() {
            let mut counts = self.counts(&file.path, method.is_some(), lines.clone());
            if counts.failed_covered > 0 {
                counts.failed_covered += method.map_or(0, |method| self.ran_for_others(method));
                let (ran, all) = (counts.failed_covered, counts.failed);
                reasons.push(format!(
                    "ran in {ran} of {all} failing and {} of {} passing tests",
                    counts.passed_covered, counts.passed
                ));
                // One fault explains all failing tests more often than not, and formulas alone prefer what one of them
                // ran and no passing test did.
                let share = f64::from(ran) / f64::from(all);
                let score = self.inputs.formula.score(counts.with_failed_at_most(ALIKE));
                return Some((score * share).max(0.05));
            }
            return unseen.map(|execution| if execution >= 1.0 { 1.0 } else { execution / 2.0 });
        }
        if self.only_file == Some(&file.path) {
            reasons.push("nothing was measured, and the program is this one file".into());
            return Some(UNKNOWN);
        }
        let Some(coverage) = self.inputs.coverage.filter(|coverage| !coverage.lines.is_empty()) else {
            let reached = method.is_some_and(|m| self.reach.get(m).is_some() || self.frames.depth(m).is_some());
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
    fn unseen(&self, file: &SourceFile, method: &Method, lines: RangeInclusive<u32>) -> Option<f64> {
        let mut framed =
            self.frames.lines.keys().filter(|at| at.file == file.path && method.span.contains(at.line)).peekable();
        if framed.peek().is_some() {
            let is_framed = framed.clone().any(|at| lines.contains(&at.line));
            // What was seen to run behind it shows that nothing hid it.
            let hides = |at: &Location| *lines.end() < at.line && !self.one_ran(&file.path, *lines.end() + 1..=at.line);
            return Some(match is_framed {
                true => 1.0,
                false if framed.any(hides) => HIDDEN,
                false => NOT_SEEN,
            });
        }
        self.one_ran(&file.path, method.span.first..=method.span.last).then_some(NOT_SEEN)
    }

    /// The four counts of a statement.
    fn counts(&self, path: &RepoPath, in_method: bool, lines: RangeInclusive<u32>) -> Counts {
        let mut counts = Counts { failed: self.totals.0, passed: self.totals.1, ..Counts::default() };
        let runs = self.runs.get(path).map_or(&[][..], Vec::as_slice);
        for (passed, ran) in runs {
            if ran.range(lines.clone()).next().is_none() {
                continue;
            }
            // A static initialiser runs once, in whichever test comes first, and for all of them.
            if !in_method {
                return Counts { failed_covered: counts.failed, passed_covered: counts.passed, ..counts };
            }
            let covered = if *passed { &mut counts.passed_covered } else { &mut counts.failed_covered };
            *covered += 1;
        }
        counts
    }

    /// Failing tests with a frame in a method of which none of their own runs shows a line: it ran when a class was
    /// initialized, once and for all of them.
    fn ran_for_others(&self, method: &Method) -> u32 {
        let tests = self.frames.tests(method);
        if tests == 0 {
            return 0;
        }
        let measured = self.counts(&method.file, true, method.span.first..=method.span.last);
        tests.min(measured.failed).saturating_sub(measured.failed_covered)
    }

    /// Whether the method has the name of one the failure points at, in the same file.
    fn is_twin(&self, method: Option<&Method>) -> bool {
        method.is_some_and(|method| self.hot.contains(&(method.file.clone(), method.name.clone())))
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
        if nearness < SIBLING && self.is_twin(method) {
            nearness = SIBLING;
            reasons.push("has the name of a method the failure points at".into());
        }
        if let Some(depth) = method.and_then(|m| self.frames.depth(m)) {
            nearness = nearness.max(1.0 / (1.0 + 0.5 * f64::from(depth)));
        }
        let name = self.inputs.index.language().main_name(&file.path);
        if self.inputs.failing.iter().any(|test| names_match(test.id.simple_class(), &name)) {
            nearness = nearness.max(0.2) + 0.25;
            reasons.push("the test is named after the class".into());
        }
        nearness.min(1.25)
    }

    /// Whether a failing test ran anything of the file.
    fn ran(&self, path: &RepoPath) -> bool {
        self.failed.contains_key(path)
    }

    /// Whether a failing test ran one of the lines.
    fn one_ran(&self, path: &RepoPath, lines: RangeInclusive<u32>) -> bool {
        self.failed.get(path).is_some_and(|ran| ran.range(lines).next().is_some())
    }
}

/// The place where reading a file ended.
fn unread(at: &Location) -> Suspect {
    let reasons = vec!["the file cannot be read here".to_owned()];
    Suspect { location: at.clone(), method: None, score: 1.0, reasons }
}
