//! All controls of all triggering tests in one process.
//!
//! A process for each kind of control costs several times what the triggering tests take, nearly always to hear that all is
//! well. So the changed forms of a test stand beside it as tests of their own: one compilation, one process. A test is
//! cleared when each form of it that must fail fails and the test itself, repeated where that can be, passes there. Forms
//! that share a process can disturb each other, by accident or because a patch counts what it is asked; so nothing is said
//! against a patch here: who is not cleared has each control in a process of its own.

use super::super::ValidateError;
use super::super::subject::Copy;
use super::change::Change;
use super::trial::{MOST, ROUNDS, TestCode, Trial, in_code, lacks_method, tell};
use super::{again, changes, failed, literals, near, test_copy};
use crate::domain::{Diagnostic, RepoPath, TestId, TestReport, TestStatus};
use crate::language;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Instant;

/// What needs no further control.
#[derive(Default)]
pub(super) struct Cleared {
    pub(super) tests: Vec<TestId>,
    /// How many of them failed in a reversed form.
    pub(super) reversed: usize,
}

/// What a form of a test shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It fails, since what it asserts is reversed.
    Reversed,
    /// It fails, since another value is expected, or an assertion is made to fail.
    Altered,
    /// It passes: the test again and again.
    Repeated,
}

/// A form of a test, as a copy beside it.
struct Form {
    role: Role,
    mark: String,
    /// What is written, and what may be written instead; the next one is the last.
    now: Change,
    others: Vec<Change>,
}

/// Invocations of one test method, in all classes that inherit it, and its forms.
struct Group {
    tests: Vec<TestId>,
    file: RepoPath,
    /// Where the method begins in the file.
    at: usize,
    forms: Vec<Form>,
}

impl Group {
    /// The copies of the test that a form is.
    fn copies(&self, form: &Form) -> impl Iterator<Item = TestId> {
        self.tests.iter().map(|test| test_copy::name_of_copy(test, &form.mark)).collect::<Vec<_>>().into_iter()
    }

    fn has(&self, role: Role) -> bool {
        self.forms.iter().any(|form| form.role == role)
    }

    /// What runs: the copies, and the tests as they are where no copy shows that they pass.
    fn runs(&self) -> Vec<TestId> {
        let own = if self.has(Role::Repeated) { &[][..] } else { &self.tests };
        self.forms.iter().flat_map(|form| self.copies(form)).chain(own.iter().cloned()).collect()
    }

    /// Whether everything went as it does with a right patch.
    fn is_clear(&self, report: &TestReport) -> bool {
        let is = |id: &TestId, wanted| report.results.get(id).is_some_and(|result| result.status == wanted);
        let as_wanted = |form: &Form| {
            let wanted = if form.role == Role::Repeated { TestStatus::Passed } else { TestStatus::Failed };
            let odd = self.copies(form).find(|id| !is(id, wanted));
            if let Some(odd) = &odd {
                tracing::debug!("{odd} is asked apart: {:?}", report.results.get(odd));
            }
            odd.is_none()
        };
        let passes = self.has(Role::Repeated) || self.tests.iter().all(|id| is(id, TestStatus::Passed));
        passes && self.forms.iter().all(as_wanted)
    }
}

/// Runs all forms of all triggering tests in one process; `doubts` tells whether a patch may be called suspicious.
///
/// # Errors
/// No process can be started.
pub(super) async fn cleared(trial: &Trial<'_>, doubts: bool) -> Result<Cleared, ValidateError> {
    let compares = doubts && near::changes_comparison(trial.patch, trial.language);
    let mut groups = groups(trial, doubts, compares);
    let begin = Instant::now();
    let Some(copy) = written(trial, &mut groups).await? else { return Ok(Cleared::default()) };
    let ready = begin.elapsed();
    let tests = groups.iter().flat_map(Group::runs).collect();
    let plan = trial.subject.plan_of(tests, trial.subject.deadlines_for(trial.baseline));
    let report = trial.subject.run(&copy, &plan).await?;
    let forms: usize = groups.iter().map(|group| group.forms.len()).sum();
    tracing::debug!(
        "{forms} forms of tests were made ready in {ready:.1?}; with their run it took {:.1?}",
        begin.elapsed()
    );
    for result in report.results.values().filter(|result| result.millis > 50) {
        tracing::debug!("{} took {} ms", result.id, result.millis);
    }
    let mut cleared = Cleared::default();
    for group in groups.into_iter().filter(|group| group.is_clear(&report)) {
        cleared.reversed += if group.has(Role::Reversed) { group.tests.len() } else { 0 };
        cleared.tests.extend(group.tests);
    }
    Ok(cleared)
}

/// The triggering tests with their forms; those that must have a process of their own are left out.
fn groups(trial: &Trial<'_>, doubts: bool, compares: bool) -> Vec<Group> {
    let mut methods: BTreeMap<TestId, Vec<TestId>> = BTreeMap::new();
    for test in trial.tests.iter().filter(|test| !test.method.is_empty()).take(MOST) {
        methods.entry(test.of_method()).or_default().push(test.clone());
    }
    let group = |(name, tests): (TestId, Vec<TestId>)| {
        if tests.iter().any(|test| again::is_slow(trial, test)) {
            return None;
        }
        let file = trial.subject.test_file(&name.class)?;
        let (text, _) = trial.text(&file)?;
        let see = |test: &TestCode<'_>| Some((test.method?.start_byte(), forms(test, trial, doubts, compares)?));
        let (at, forms) = in_code(&text, &name, &file, trial.language, see)?;
        Some(Group { tests, file, at, forms }).filter(|group| !group.forms.is_empty())
    };
    let mut groups: Vec<Group> = Vec::new();
    for group in methods.into_iter().filter_map(group) {
        match groups.iter_mut().find(|known| known.file == group.file && known.at == group.at) {
            Some(known) => known.tests.extend(group.tests),
            None => groups.push(group),
        }
    }
    groups
}

/// All forms of a test; `None` where one of them cannot be a copy beside it.
fn forms(test: &TestCode<'_>, trial: &Trial<'_>, doubts: bool, compares: bool) -> Option<Vec<Form>> {
    let one = |role, mark: &str, all: Vec<Change>| {
        let copies = all.into_iter().map(|change| test_copy::copy(test, change, mark));
        let mut others = copies.collect::<Option<Vec<Change>>>()?;
        Some(others.pop().map(|now| Form { role, mark: mark.to_owned(), now, others }))
    };
    let each = |letter: char, all: Vec<Change>| {
        let one = |(nth, change)| one(Role::Altered, &format!("{letter}{nth}"), vec![change]);
        all.into_iter().enumerate().map(one).collect::<Option<Vec<_>>>()
    };
    let mut values = literals::values(test, trial);
    values.drain(..values.len().saturating_sub(literals::VALUES));
    let mut found = vec![one(Role::Reversed, "R", changes(test, trial.language))?];
    found.extend(each('V', values)?);
    if doubts {
        found.extend(each('F', failed::reached(test, trial).into_iter().collect())?);
        found.push(one(Role::Repeated, again::MARK, again::repetitions(test, trial))?);
    }
    if compares {
        found.extend(each('N', near::others(test, trial.language))?);
    }
    Some(found.into_iter().flatten().collect())
}

/// A copy of the tree with all forms in it. Those that do not compile are exchanged for others, or dropped.
async fn written(trial: &Trial<'_>, groups: &mut Vec<Group>) -> Result<Option<Copy>, ValidateError> {
    for _ in 0..ROUNDS {
        groups.retain(|group| !group.forms.is_empty());
        let Some((files, places)) = texts(trial, groups).filter(|(files, _)| !files.is_empty()) else {
            return Ok(None);
        };
        let errors = match trial.subject.with_tests(trial.patch, trial.build, &files).await? {
            Ok(copy) => return Ok(Some(copy)),
            Err(errors) => errors,
        };
        tell(&errors);
        if !mend(groups, &places, &errors) {
            return Ok(None);
        }
    }
    Ok(None)
}

/// Where a form stands: its group, its place among the forms, and its lines, counted from 1.
type Place = (usize, usize, RangeInclusive<u32>);

/// Files as they are written.
type Written = Vec<(RepoPath, Vec<u8>)>;

/// The test files with all forms in them, and where those stand.
fn texts(trial: &Trial<'_>, groups: &[Group]) -> Option<(Written, Vec<Place>)> {
    let mut by_file: BTreeMap<&RepoPath, Vec<(usize, usize, usize, &str)>> = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        for (nth, form) in group.forms.iter().enumerate() {
            let (range, text) = form.now.edits.first()?;
            by_file.entry(&group.file).or_default().push((range.start, at, nth, text));
        }
    }
    let (mut files, mut places) = (Vec::new(), Vec::new());
    for (file, mut inserted) in by_file {
        let (text, encoding) = trial.text(file)?;
        inserted.sort_by_key(|(start, at, nth, _)| (*start, *at, *nth));
        let (mut written, mut from) = (String::new(), 0);
        let line = |text: &str| 1 + text.matches('\n').count() as u32;
        for (start, at, nth, copy) in inserted {
            written.push_str(text.get(from..start)?);
            let first = line(&written);
            written.push_str(copy);
            places.push((at, nth, first + 1..=line(&written)));
            from = start;
        }
        written.push_str(text.get(from..)?);
        files.push((file.clone(), language::encode(&written, encoding).ok()?));
    }
    Some((files, places))
}

/// Exchanges the forms that errors point at, or drops them; false where they point at none.
fn mend(groups: &mut [Group], places: &[Place], errors: &[Diagnostic]) -> bool {
    let is_meant = |place: &&Place| {
        let file = groups.get(place.0).map(|group| &group.file);
        errors.iter().any(|error| error.file.as_ref() == file && place.2.contains(&error.line))
    };
    let meant: Vec<(usize, usize)> = places.iter().filter(is_meant).map(|(at, nth, _)| (*at, *nth)).collect();
    for (at, group) in groups.iter_mut().enumerate() {
        let mut nth = 0;
        group.forms.retain_mut(|form| {
            nth += 1;
            if !meant.contains(&(at, nth - 1)) {
                return true;
            }
            form.others.retain(|change| !lacks_method(change, errors));
            let other = form.others.pop();
            other.map(|change| form.now = change).is_some()
        });
    }
    !meant.is_empty()
}
