//! What tests cannot judge: code that ends or escapes the test process, swallows every error, answers every question
//! alike, knows the test's values, or reads as something else. Only what changed is looked at, in its tree; the findings
//! are reasons for a review, not proofs.

mod bodies;
mod decides;
pub mod disguise;
mod escapes;
mod given;
mod java;
mod literals;
mod looks;
mod python;
mod rules;

pub use decides::{Place, decides};
pub(super) use disguise::unicode_escapes;

use super::content::{differing, lines_of};
use crate::domain::{FileChange, Patch};
use crate::language::{self, Language, decode};
use literals::literals;
pub use rules::{NewLiterals, ReviewRules};
use similar::DiffOp;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Why a person should look at the patch; empty for most patches. `tests` is the code of the triggering tests. Things
/// that the file did already are not held against the patch.
pub fn reasons(patch: &Patch, tests: &[&str], language: &dyn Language) -> Vec<String> {
    let known: BTreeSet<String> = tests.iter().flat_map(|code| literals(code, language)).collect();
    // What is data is no program, and what moves was there before.
    let programs = || patch.files.iter().filter(|file| language.is_source(file.path.as_str().into()));
    let gone: Vec<String> = programs().filter(|file| file.deletes()).filter_map(before_of).collect();
    let kept: Vec<&FileChange> = programs().filter(|file| !file.deletes()).collect();
    let lost: Vec<BTreeSet<String>> = kept.iter().map(|file| lost(file, &known, language)).collect();
    let mut found = Vec::new();
    for (nth, file) in kept.iter().enumerate() {
        // What another file lost was moved here.
        let is_moved = |suspicion: &Suspicion| {
            lost.iter().enumerate().any(|(other, lost)| other != nth && lost.contains(&suspicion.reason))
        };
        let suspicions = in_file(file, &gone, &known, language).into_iter().filter(|suspicion| !is_moved(suspicion));
        found.extend(suspicions.map(|Suspicion { line, reason }| format!("{}:{}: {reason}", file.path, line + 1)));
    }
    found.dedup();
    found
}

/// Values in the code that a patch adds which stand in the triggering tests, and not in the file before. Other than
/// [`reasons`], it looks at all values, not only at those that code compares with: each is a sign, no reason to refuse. What
/// is thrown is left out: a test that asks for a message makes any repair hold it.
pub fn values_of_tests(patch: &Patch, tests: &[&str], language: &dyn Language) -> Vec<String> {
    let Some(rules) = rules::of(language) else { return Vec::new() };
    let known: BTreeSet<String> = tests.iter().flat_map(|code| literals(code, language)).collect();
    let mut found: BTreeSet<String> = BTreeSet::new();
    for file in patch.files.iter().filter(|file| language.is_source(file.path.as_str().into())) {
        let (before, after) = (before_of(file).unwrap_or_default(), decode(&file.after).0);
        let added = added_lines(&before, &after);
        let own: BTreeSet<String> = literals(&before, language).into_iter().collect();
        let Some(tree) = language::parse(&after, language) else { continue };
        language::preorder(tree.root_node(), |node| {
            let here = added.contains(&node.start_position().row);
            let value = (rules.literal)(node, &after).filter(|_| here);
            let is_known =
                |value: &String| known.contains(value) || known.iter().any(|text| is_telling_part(value, text));
            found.extend(value.filter(|value| is_known(value) && !own.contains(value)));
            !matches!(node.kind(), "throw_statement" | "raise_statement")
        });
    }
    found.into_iter().collect()
}

/// Characters of a part of a text that tells which text is meant.
const TELLING: usize = 5;

/// Whether a text is a part of another one, and no word of the field: it has a digit and more than one word, as `Feb 30` has.
fn is_telling_part(part: &str, text: &str) -> bool {
    let inside = part.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let inside = inside.or_else(|| part.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')));
    inside.is_some_and(|inside| {
        let is_telling = inside.chars().count() >= TELLING
            && inside.contains(|letter: char| letter.is_ascii_digit())
            && inside.contains(|letter: char| letter.is_whitespace());
        is_telling && text.contains(inside)
    })
}

/// Reasons that a file gave before, and no longer gives.
fn lost(file: &FileChange, known: &BTreeSet<String>, language: &dyn Language) -> BTreeSet<String> {
    let known = NewLiterals { values: known.iter().collect(), ..NewLiterals::default() };
    let reasons_in = |text: &str| findings(text, &known, language).into_iter().map(|finding| finding.reason);
    let after: BTreeSet<String> = reasons_in(&decode(&file.after).0).collect();
    before_of(file).iter().flat_map(|text| reasons_in(text)).filter(|reason| !after.contains(reason)).collect()
}

fn before_of(file: &FileChange) -> Option<String> {
    file.before.as_deref().map(|bytes| decode(bytes).0)
}

/// Lines of code that a patch must delete before that is a reason.
const MUCH: usize = 20;
/// So many times the lines that it adds.
const MORE: usize = 5;

/// How code is named that looks at classes.
const REFLECTS: &str = "java.lang.reflect.";
/// The reason for code that opens members by reflection.
pub const OPENS: &str = "opens what is closed";

/// Something seen: what to say, and its lines, counted from 0.
struct Finding {
    reason: String,
    lines: RangeInclusive<usize>,
}

/// A reason with its line, counted from 0, of the file after the patch.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Suspicion {
    line: usize,
    reason: String,
}

fn in_file(file: &FileChange, gone: &[String], known: &BTreeSet<String>, language: &dyn Language) -> Vec<Suspicion> {
    let before = before_of(file).unwrap_or_default();
    let after = decode(&file.after).0;
    let added = added_lines(&before, &after);
    let earlier = || gone.iter().chain([&before]);
    let own: BTreeSet<String> = earlier().flat_map(|text| literals(text, language)).collect();
    let values = || known.iter().filter(|literal| !own.contains(*literal)).collect();
    let in_old = NewLiterals { values: values(), ..NewLiterals::default() };
    let in_new = NewLiterals { values: values(), added: added.clone() };
    let old: BTreeSet<String> =
        earlier().flat_map(|text| findings(text, &in_old, language)).map(|finding| finding.reason).collect();
    let mut new: BTreeMap<String, Vec<RangeInclusive<usize>>> = BTreeMap::new();
    for finding in findings(&after, &in_new, language) {
        new.entry(finding.reason).or_default().push(finding.lines);
    }
    let mut suspicions: Vec<Suspicion> = Vec::new();
    // Who reflects already may open what it finds.
    new.retain(|reason, _| !(reason.ends_with(OPENS) && before.contains(REFLECTS)));
    for (reason, places) in new {
        let line = places.into_iter().find_map(|lines| added.range(lines).next());
        suspicions.extend(line.filter(|_| !old.contains(&reason)).map(|line| Suspicion { line: *line, reason }));
    }
    suspicions.extend(
        bodies::emptied(&before, &after, language).into_iter().map(|(reason, line)| Suspicion { line, reason }),
    );
    suspicions.extend(much_deleted(&before, &after, language));
    suspicions.extend(given::decided(&before, &after, &added, language));
    suspicions.sort();
    suspicions
}

/// Lines of the new text, counted from 0, that the old one does not have.
fn added_lines(before: &str, after: &str) -> BTreeSet<usize> {
    differing(before, after).iter().flat_map(DiffOp::new_range).collect()
}

/// A patch that takes much away and puts little in its place, with the line where most of it was.
fn much_deleted(before: &str, after: &str, language: &dyn Language) -> Option<Suspicion> {
    let is_code = |line: &str| {
        let line = line.trim();
        line.contains(char::is_alphanumeric) && !line.starts_with(['*', '/', '#'])
    };
    let (old, new) = (lines_of(before), lines_of(after));
    let (idle_old, idle_new) = (idle_lines(before, language), idle_lines(after, language));
    let count = |lines: &[&str], first: usize, idle: &BTreeSet<usize>| {
        lines.iter().enumerate().filter(|(nth, line)| is_code(line) && !idle.contains(&(first + nth))).count()
    };
    let (mut deleted, mut added, mut place) = (0, 0, (0, 0));
    for op in differing(before, after) {
        let here = count(&old[op.old_range()], op.old_range().start, &idle_old);
        deleted += here;
        added += count(&new[op.new_range()], op.new_range().start, &idle_new);
        place = place.max((here, op.new_range().start));
    }
    let much = deleted >= MUCH && deleted >= MORE * added;
    much.then(|| Suspicion { line: place.1, reason: format!("it deletes {deleted} lines of code and adds {added}") })
}

/// Lines, counted from 0, of comments and of texts that stand alone.
fn idle_lines(text: &str, language: &dyn Language) -> BTreeSet<usize> {
    let mut lines = BTreeSet::new();
    let Some(tree) = language::parse(text, language) else { return lines };
    language::preorder(tree.root_node(), |node| {
        let idle = language.is_comment(node, text);
        let (first, last) = (node.start_position(), node.end_position());
        // Code may stand before a comment on the first line.
        if idle
            && text
                .lines()
                .nth(first.row)
                .is_some_and(|line| line.get(..first.column).is_some_and(|before| before.trim().is_empty()))
        {
            lines.extend(first.row..=last.row);
        }
        !idle
    });
    lines
}

fn findings(text: &str, literals: &NewLiterals<'_>, language: &dyn Language) -> Vec<Finding> {
    let (Some(tree), Some(rules)) = (language::parse(text, language), rules::of(language)) else { return Vec::new() };
    let mut found = Vec::new();
    language::preorder(tree.root_node(), |node| {
        let first = node.start_position().row;
        if let Some(reason) = (rules.at)(node, text, literals, language) {
            // A comparison is as wrong on any of its lines; all else begins where it stands.
            let last = if language.syntax().is_method(node) { node.end_position().row } else { first };
            found.push(Finding { reason, lines: first..=last });
        }
        true
    });
    found
}

/// The reasons for one file that becomes another, with the code of a test.
#[cfg(test)]
fn told_of(path: &str, [before, after]: [&str; 2], tests: &[&str], language: &dyn Language) -> Vec<String> {
    let bytes = |text: &str| text.as_bytes().into();
    let path = crate::domain::RepoPath::new(path).unwrap();
    reasons(
        &Patch { files: vec![FileChange { path, before: Some(bytes(before)), after: bytes(after) }] },
        tests,
        language,
    )
}

#[cfg(test)]
mod tests;
