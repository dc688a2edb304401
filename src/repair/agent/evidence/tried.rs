//! What was tried before an agent began and why it failed: each candidate once, near relatives of one as a line each.

use super::Evidence;
use crate::domain::words::{self, clipped, on_one_line};
use crate::domain::{
    AgentName, CaseFile, Failure, Frame, LineSpan, Outcome, Patch, PatchAttempt, RepoPath, TestId, Validation,
};
use crate::language::decode;
use crate::patch::differing;
use crate::tools::failing_text;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Candidates that are shown as a diff, the newest last.
const DIFFS: usize = 3;
/// Candidates that are shown as a line.
const LINES: usize = 12;
/// Causes of failure of the nearest candidate that are shown.
const CAUSES: usize = 3;
/// Sayings of agents that are shown, the newest last.
const SAYINGS: usize = 3;
/// Characters of a saying.
const SAYING: usize = 600;
/// Characters of a candidate on one line.
const LINE: usize = 160;
/// Characters of what became of it.
const RESULT: usize = 240;

/// A candidate as it is shown, with every time it was proposed.
struct Tried<'c> {
    attempt: &'c PatchAttempt,
    authors: Vec<&'c AgentName>,
    /// How often the same was proposed again.
    again: usize,
    /// Where it changes the code.
    places: Vec<(RepoPath, LineSpan)>,
}

impl Evidence {
    /// What was tried before this agent began and why it failed, the newest last; without what tests said of it where
    /// that is not to be known. `asker` is told which of it is its own.
    pub(super) fn add_history(&mut self, case: &CaseFile, asker: &AgentName, no_results: bool) {
        let (tried, repeated) = distinct(case);
        let mut text = candidates(&tried, asker, no_results);
        if repeated > 0 {
            let more = words::counted(repeated, "more proposal");
            let _ = writeln!(text, "- {more} had the code of earlier candidates");
        }
        for note in case.engine_notes.iter().filter(|_| !no_results) {
            let _ = writeln!(text, "- {note}");
        }
        text.push_str(&sayings(case));
        self.push("Tried before, without success", text);
    }
}

/// Each candidate once, oldest first, and how many proposals repeated one in another form.
fn distinct(case: &CaseFile) -> (Vec<Tried<'_>>, usize) {
    let mut tried: Vec<Tried<'_>> = Vec::new();
    let mut repeated = 0;
    for (nth, attempt) in case.attempts.iter().enumerate() {
        let same = |one: &&mut Tried<'_>| match attempt.patch.is_empty() {
            true => one.attempt.patch.is_empty() && one.attempt.validation.detail == attempt.validation.detail,
            false => one.attempt.patch == attempt.patch,
        };
        let author = case.authors.get(nth);
        if let Some(known) = tried.iter_mut().find(same) {
            known.again += 1;
            known.authors.extend(author.filter(|author| !known.authors.contains(author)));
        } else if attempt.validation.outcome == Outcome::Duplicate {
            repeated += 1;
        } else {
            let authors = author.into_iter().collect();
            tried.push(Tried { attempt, authors, again: 0, places: places(&attempt.patch) });
        }
    }
    (tried, repeated)
}

/// The candidate that came nearest as a diff, and those that change other places; what changes the same places as one of
/// these is a variant of it and gets a line.
fn candidates(tried: &[Tried<'_>], asker: &AgentName, no_results: bool) -> String {
    let mut shown: Vec<usize> = Vec::new();
    let mut nearest: Vec<usize> = (0..tried.len()).rev().collect();
    nearest.sort_by_key(|&nth| std::cmp::Reverse(nearness(&tried[nth].attempt.validation)));
    for nth in nearest {
        let variant = shown.iter().any(|&other| overlap(&tried[nth].places, &tried[other].places));
        if shown.len() < DIFFS && !variant && !tried[nth].attempt.patch.is_empty() {
            shown.push(nth);
        }
    }
    let lines: Vec<usize> = (0..tried.len()).filter(|nth| !shown.contains(nth)).collect();
    let left = lines.len().saturating_sub(LINES);
    let mut text = String::new();
    if left > 0 {
        let _ = writeln!(text, "({left} older candidates: {})", counted(lines[..left].iter().map(|&nth| &tried[nth])));
    }
    for &nth in &lines[left..] {
        text.push_str(&line(&tried[nth], asker, no_results));
    }
    let best = shown.first().copied();
    shown.sort_unstable();
    for &nth in &shown {
        text.push_str(&whole(&tried[nth], asker, best == Some(nth), no_results));
    }
    text
}

/// How near a candidate came: by the triggering tests that pass; then what compiled, and how far into their code the
/// triggering tests got that still fail; of equals the newest is taken.
fn nearness(validation: &Validation) -> (usize, bool, u64) {
    let still_fail = validation.failing.iter().filter(|_| validation.outcome == Outcome::Failed);
    let reached = still_fail.filter_map(|(test, failure)| place(test, failure)?.line).map(u64::from).sum();
    (validation.fixed, validation.outcome != Outcome::CompileError, reached)
}

/// Where in its own class a test failed.
fn place<'f>(test: &TestId, failure: &'f Failure) -> Option<&'f Frame> {
    failure.frames.iter().rev().find(|frame| frame.class == test.class)
}

fn counted<'t>(tried: impl Iterator<Item = &'t Tried<'t>>) -> String {
    let mut counts: BTreeMap<Outcome, usize> = BTreeMap::new();
    for one in tried {
        *counts.entry(one.attempt.validation.outcome).or_default() += 1;
    }
    counts.iter().map(|(outcome, n)| format!("{n} {outcome}")).collect::<Vec<_>>().join(", ")
}

/// One line: what it made of the code, and what became of it.
fn line(tried: &Tried<'_>, asker: &AgentName, no_results: bool) -> String {
    let whose = if tried.authors.contains(&asker) { "yours: " } else { "" };
    let changed = match tried.attempt.patch.is_empty() {
        true => "a patch that did not fit".to_owned(),
        false => clipped(&on_one_line(&changed(&tried.attempt.patch)), LINE),
    };
    let result = if no_results { String::new() } else { format!(" => {}", result(tried)) };
    format!("- {whose}{changed}{result}{}\n", again(tried))
}

fn result(tried: &Tried<'_>) -> String {
    let validation = &tried.attempt.validation;
    let detail = validation.detail.lines().next().unwrap_or("");
    let cause = validation.failing.first().map_or_else(String::new, |(test, failure)| {
        let at =
            place(test, failure).and_then(|frame| frame.line).map_or_else(String::new, |n| format!(" in line {n}"));
        format!("; {}: {}{at}", test.bare_method(), failure.message.lines().next().unwrap_or(&failure.kind))
    });
    clipped(&on_one_line(&format!("{}: {detail}{cause}", validation.outcome)), RESULT)
}

fn again(tried: &Tried<'_>) -> String {
    match tried.again {
        0 => String::new(),
        1 => " (proposed again once)".to_owned(),
        n => format!(" (proposed again {n} times)"),
    }
}

/// A diff with its author, what it came to and why.
fn whole(tried: &Tried<'_>, asker: &AgentName, best: bool, no_results: bool) -> String {
    let attempt = tried.attempt;
    let validation = &attempt.validation;
    let mut text = String::new();
    let names: Vec<&str> = tried.authors.iter().map(|author| author.as_str()).collect();
    if tried.authors.contains(&asker) {
        text.push_str("Your patch:\n");
    } else if !names.is_empty() {
        let _ = writeln!(text, "A patch of {}:", names.join(" and "));
    }
    let _ = writeln!(text, "```diff\n{}```", crate::patch::render(&attempt.patch));
    if no_results {
        return text;
    }
    let _ = writeln!(text, "{}: {}{}", validation.outcome, validation.detail, again(tried));
    if !attempt.explanation.is_empty() {
        let _ = writeln!(text, "its author said: {}", clipped(&on_one_line(&attempt.explanation), SAYING));
    }
    if best {
        text.push_str(&failing_text(&validation.failing, CAUSES));
    }
    text
}

/// What agents said when they ended without a repair: equal sayings once, with all who said so.
fn sayings(case: &CaseFile) -> String {
    let mut analyses: Vec<(&str, Vec<(&AgentName, usize)>)> = Vec::new();
    for (agent, analysis) in &case.analyses {
        // The last saying counts: it goes to the end.
        let mut speakers = match analyses.iter().position(|(text, _)| text == analysis) {
            Some(at) => analyses.remove(at).1,
            None => Vec::new(),
        };
        match speakers.iter_mut().find(|(name, _)| *name == agent) {
            Some((_, times)) => *times += 1,
            None => speakers.push((agent, 1)),
        }
        analyses.push((analysis, speakers));
    }
    let mut text = String::new();
    for (analysis, speakers) in analyses.iter().skip(analyses.len().saturating_sub(SAYINGS)) {
        let names: Vec<String> = speakers
            .iter()
            .map(|(name, times)| if *times > 1 { format!("{name} ({times} times)") } else { name.to_string() })
            .collect();
        let _ = writeln!(text, "- {} said: {}", names.join(" and "), clipped(&on_one_line(analysis), SAYING));
    }
    text
}

/// The changed lines of a patch on one line: `-` what was there, `+` what stands there then.
pub fn changed(patch: &Patch) -> String {
    let diff = crate::patch::render(patch);
    let is_change =
        |line: &&str| line.starts_with(['+', '-']) && !line.starts_with("+++ ") && !line.starts_with("--- ");
    let parts: Vec<String> = diff
        .lines()
        .filter(is_change)
        .map(|line| format!("{} {}", &line[..1], line[1..].trim()))
        .filter(|part| part.len() > 2)
        .collect();
    parts.join(" ")
}

/// Lines of the original that a patch changes, by file: from its first to its last hunk's.
fn places(patch: &Patch) -> Vec<(RepoPath, LineSpan)> {
    let mut places = Vec::new();
    for file in &patch.files {
        let [before, after] = [file.before.as_deref().unwrap_or_default(), &*file.after].map(|bytes| decode(bytes).0);
        for op in differing(&before, &after) {
            let range = op.old_range();
            let first = u32::try_from(range.start + 1).unwrap_or(u32::MAX);
            let last = u32::try_from(range.end.max(range.start + 1)).unwrap_or(u32::MAX);
            places.push((file.path.clone(), LineSpan { first, last }));
        }
    }
    places
}

/// Whether two patches change a line in common, or neighbours.
fn overlap(one: &[(RepoPath, LineSpan)], other: &[(RepoPath, LineSpan)]) -> bool {
    let near = |a: &LineSpan, b: &LineSpan| a.first <= b.last.saturating_add(1) && b.first <= a.last.saturating_add(1);
    one.iter().any(|(path, span)| other.iter().any(|(file, lines)| path == file && near(span, lines)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::FileChange;

    fn attempt(after: &str, outcome: Outcome, explanation: &str) -> PatchAttempt {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let change = FileChange {
            path: RepoPath::new("A.java").unwrap(),
            before: Some(before.as_bytes().into()),
            after: after.as_bytes().into(),
        };
        PatchAttempt {
            patch: Patch { files: vec![change] },
            validation: Validation::without_tests(outcome, "2 of 2 tests fail"),
            explanation: explanation.into(),
        }
    }

    fn section(case: &CaseFile) -> String {
        let (tried, repeated) = distinct(case);
        format!("{}({repeated})", candidates(&tried, &"fixer".into(), false))
    }

    #[test]
    fn a_candidate_stands_once_and_its_variants_are_a_line_each() {
        let here = |code: &str| format!("a\n{code}\nc\nd\ne\nf\ng\nh\n");
        let first = attempt(&here("x < 1"), Outcome::Failed, "one");
        let again = attempt(&here("x < 1"), Outcome::Duplicate, "one more time");
        let variant = attempt(&here("x <= 1"), Outcome::CompileError, "two");
        let elsewhere = attempt("a\nb\nc\nd\ne\nf\nz\nh\n", Outcome::Failed, "three");
        let attempts = vec![first, again.clone(), elsewhere, variant, again];
        let authors = vec!["fixer".into(), "fixer".into(), "fixer_pro".into(), "fixer".into(), "fixer".into()];
        let case = CaseFile { attempts, authors, ..CaseFile::default() };
        let text = section(&case);
        assert_eq!(text.matches("x < 1").count(), 1, "{text}");
        assert!(text.contains("- yours: - b + x <= 1 => compile_error: 2 of 2 tests fail\n"), "{text}");
        assert!(text.contains("failed: 2 of 2 tests fail (proposed again 2 times)\n"), "{text}");
        assert!(text.contains("A patch of fixer_pro:\n") && text.contains("Your patch:\n"), "{text}");
        assert_eq!(text.matches("```diff").count(), 2, "{text}");
    }

    #[test]
    fn of_variants_the_one_that_came_nearest_is_shown() {
        let here = |code: &str| format!("a\n{code}\nc\nd\ne\nf\ng\nh\n");
        let mut near = attempt(&here("near"), Outcome::Failed, "one");
        near.validation.fixed = 1;
        let attempts =
            vec![attempt(&here("first"), Outcome::Failed, "x"), near, attempt(&here("last"), Outcome::Failed, "y")];
        let authors = vec!["fixer".into(); 3];
        let text = section(&CaseFile { attempts, authors, ..CaseFile::default() });
        assert!(text.contains("\n+near\n") && text.contains("+ first =>") && text.contains("+ last =>"), "{text}");
    }

    #[test]
    fn of_variants_that_fix_no_test_the_one_that_got_farthest_is_shown_and_each_line_names_its_cause() {
        let fails_at = |code: &str, line: u32, message: &str| {
            let mut one = attempt(&format!("a\n{code}\nc\nd\ne\nf\ng\nh\n"), Outcome::Failed, "x");
            let (class, method) = ("CartTest".into(), "total".into());
            let frame = Frame { class, method, file: None, line: Some(line) };
            let failure = Failure { message: message.into(), frames: vec![frame], ..Failure::default() };
            one.validation.failing = vec![(TestId::new("CartTest", "total"), failure)];
            one
        };
        let broken = attempt("a\n(\nc\nd\ne\nf\ng\nh\n", Outcome::CompileError, "y");
        let attempts = vec![fails_at("far", 9, "was 3"), fails_at("near", 7, "was null"), broken];
        let text = section(&CaseFile { attempts, authors: vec!["fixer".into(); 3], ..CaseFile::default() });
        assert!(text.contains("\n+far\n"), "{text}");
        assert!(text.contains("+ near => failed: 2 of 2 tests fail; total: was null in line 7\n"), "{text}");
        assert!(text.contains("+ ( => compile_error: 2 of 2 tests fail\n"), "{text}");
    }

    #[test]
    fn equal_sayings_stand_once() {
        let say = |name: &str, text: &str| (AgentName::from(name), text.to_owned());
        let analyses = vec![say("fixer", "x"), say("fixer_pro", "x"), say("fixer", "y"), say("fixer", "x")];
        let text = sayings(&CaseFile { analyses, ..CaseFile::default() });
        assert_eq!(text, "- fixer said: y\n- fixer (2 times) and fixer_pro said: x\n");
    }
}
