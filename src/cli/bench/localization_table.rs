//! The table of `bench localization`, as text, Markdown and JSON.

use crate::domain::BugId;
use crate::localize::{Formula, Placement, Scores, Tops};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The row without a formula: coverage of the failing tests, traces, calls and names alone.
pub(super) const WITHOUT: &str = "no formula";

/// One bug, measured.
pub(super) struct Measured {
    /// The bug that was measured.
    pub bug: BugId,
    /// Where its first faulty place stands, by formula.
    pub places: BTreeMap<&'static str, Placement>,
    /// Failing tests of its spectrum.
    pub failing: usize,
    /// Passing tests of its spectrum.
    pub passing: usize,
}

impl Measured {
    /// The bug in one line, by one formula.
    pub(super) fn line(&self, formula: &str) -> String {
        let place = |at: Option<usize>| at.map_or("-".to_owned(), |at| at.to_string());
        let Some(placed) = self.places.get(formula) else { return self.bug.to_string() };
        format!(
            "{}: line {}, method {}, file {} (of {} failing and {} passing tests)",
            self.bug,
            place(placed.line),
            place(placed.method),
            place(placed.file),
            self.failing,
            self.passing
        )
    }
}

/// All bugs of a set.
pub(super) struct Table {
    set: String,
    ways: Vec<&'static str>,
    /// Measured ones, in the set's order.
    pub bugs: Vec<Measured>,
    /// The others, and why.
    pub left_out: BTreeMap<BugId, String>,
}

impl Table {
    /// A table with no bug in it.
    pub(super) fn new(set: &str, formulas: &[Formula]) -> Self {
        let ways = formulas.iter().map(|formula| formula.name()).chain([WITHOUT]).collect();
        Self { set: set.to_owned(), ways, bugs: Vec::new(), left_out: BTreeMap::new() }
    }

    fn scores(&self) -> Vec<(&'static str, Scores)> {
        let of = |way: &&'static str| {
            let placements: Vec<Placement> = self.bugs.iter().filter_map(|bug| bug.places.get(way).copied()).collect();
            (*way, Scores::of(&placements))
        };
        self.ways.iter().map(of).collect()
    }

    /// For a terminal.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{} bugs of {}; Top-1/3/5/10\n", self.bugs.len(), self.set);
        let _ = writeln!(
            text,
            "{:<12} {:<13} {:<13} {:<13} {:>6} {:>10}",
            "formula", "line", "method", "file", "EXAM", "first rank"
        );
        for (way, scores) in self.scores() {
            let Scores { line, method, file, exam, first_rank, .. } = scores;
            let (line, method, file) = (spelled(line), spelled(method), spelled(file));
            let _ = writeln!(text, "{way:<12} {line:<13} {method:<13} {file:<13} {exam:>6.3} {first_rank:>10.1}");
        }
        self.note_left_out(&mut text);
        text
    }

    /// For a page: the sums, then every bug by the first formula.
    pub(super) fn markdown(&self) -> String {
        let mut text = format!("{} bugs of `{}`; Top-1/3/5/10.\n\n", self.bugs.len(), self.set);
        text.push_str("| formula | line | method | file | EXAM | first rank |\n|---|---|---|---|---|---|\n");
        for (way, scores) in self.scores() {
            let Scores { line, method, file, exam, first_rank, .. } = scores;
            let (line, method, file) = (spelled(line), spelled(method), spelled(file));
            let _ = writeln!(text, "| {way} | {line} | {method} | {file} | {exam:.3} | {first_rank:.1} |");
        }
        let Some(first) = self.ways.first() else { return text };
        let _ = write!(text, "\nPlace of the first faulty one, by {first}:\n\n");
        text.push_str("| bug | line | method | file | EXAM | failing / passing tests |\n|---|---|---|---|---|---|\n");
        for bug in &self.bugs {
            let Some(placed) = bug.places.get(first) else { continue };
            let [line, method, file] =
                [placed.line, placed.method, placed.file].map(|at| at.map_or("–".into(), |at| at.to_string()));
            let (id, exam) = (&bug.bug, placed.exam);
            let _ =
                writeln!(text, "| {id} | {line} | {method} | {file} | {exam:.3} | {} / {} |", bug.failing, bug.passing);
        }
        self.note_left_out(&mut text);
        text
    }

    /// For programs: one object on one line.
    pub(super) fn json(&self) -> String {
        let formulas: Value = self.scores().iter().map(|(way, scores)| ((*way).to_owned(), json!(scores))).collect();
        let bugs: Vec<Value> = self
            .bugs
            .iter()
            .map(|bug| {
                let tests = json!({"failing": bug.failing, "passing": bug.passing});
                json!({"bug": bug.bug, "places": bug.places, "tests": tests})
            })
            .collect();
        let left_out: Value = self.left_out.iter().map(|(bug, why)| (bug.to_string(), json!(why))).collect();
        let object = json!({"schema": 1, "set": self.set, "formulas": formulas, "bugs": bugs, "left_out": left_out});
        format!("{object}\n")
    }

    fn note_left_out(&self, text: &mut String) {
        for (bug, why) in &self.left_out {
            let _ = writeln!(text, "\nleft out {bug}: {why}");
        }
    }
}

fn spelled(tops: Tops) -> String {
    format!("{}/{}/{}/{}", tops.top1, tops.top3, tops.top5, tops.top10)
}
