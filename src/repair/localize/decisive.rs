//! Conditions that decide on suspicious statements: where failing tests alone take a branch, the condition may be the fault,
//! though every test runs it.

use super::frames::{FRAME, Frames};
use super::statements::Statement;
use crate::code::SourceFile;
use std::collections::BTreeMap;

/// Share of what a frame adds that goes to the nearest condition which decided that its line runs; of the next one around
/// it half as much, and so on.
const DECIDED: f64 = 0.5;
/// Share of what speaks for a statement that speaks for the condition which decides on it.
const DECISIVE: f64 = 0.8;

/// What a condition gets that decided on the line of a frame.
#[derive(Clone, Copy)]
pub(super) struct Decider {
    pub(super) bonus: f64,
    /// The frame's depth, from 0.
    pub(super) depth: u32,
}

/// A statement that can have run, with how much its execution speaks for it, and the reasons.
pub(super) struct Ran<'s> {
    pub(super) statement: &'s Statement,
    pub(super) execution: f64,
    pub(super) reasons: Vec<String>,
}

/// Gives conditions their share of what speaks for a statement on which they decide directly. The statements come in order
/// of their lines.
pub(super) fn lift(ran: &mut [Ran<'_>]) {
    for at in (0..ran.len()).rev() {
        let Some(decides) = ran[at].statement.decides else { continue };
        let mut passed_over = 0;
        let mut best: Option<(f64, u32)> = None;
        for inner in &ran[at + 1..] {
            let line = inner.statement.lines.first;
            if line > decides.last {
                break;
            }
            if line <= passed_over || !decides.contains(line) {
                continue;
            }
            // What it decides on speaks for the inner condition, and through it for this one.
            passed_over = inner.statement.decides.map_or(passed_over, |decides| decides.last);
            if best.is_none_or(|(execution, _)| inner.execution > execution) {
                best = Some((inner.execution, line));
            }
        }
        if let Some((execution, line)) = best.filter(|(execution, _)| execution * DECISIVE > ran[at].execution) {
            ran[at].execution = execution * DECISIVE;
            ran[at].reasons.push(format!("decides on line {line}"));
        }
    }
}

/// Conditions which decided that the line of a frame runs, by their first lines, with what each gets of that frame's
/// bonus: a line that only throws tells of a fault, and the condition before it may be the fault.
pub(super) fn deciders(frames: &Frames, file: &SourceFile, statements: &[Statement]) -> BTreeMap<u32, Decider> {
    let mut found: BTreeMap<u32, Decider> = BTreeMap::new();
    for (at, depth) in frames.lines.iter().filter(|(at, _)| at.file == file.path) {
        let method = file.method_at(at.line).map(|method| method.span);
        let is_near = |line: u32| method.is_none_or(|span| span.contains(line));
        let around = statements.iter().rev().filter(|statement| {
            let (first, lines) = (statement.lines.first, statement.decides);
            first < at.line && is_near(first) && lines.is_some_and(|lines| lines.contains(at.line))
        });
        for (nth, statement) in around.enumerate() {
            let bonus = DECIDED.powi(nth as i32 + 1) * FRAME / f64::from(depth + 1);
            let new = Decider { bonus, depth: *depth };
            let known = found.entry(statement.lines.first).or_insert(new);
            if bonus > known.bonus {
                *known = new;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::statements::statements;
    use super::*;
    use crate::language::Python;

    #[test]
    fn a_condition_has_a_share_of_what_it_decides_on_directly() {
        let code = "def f(a, b):
    if a:
        if b:
            go()
        stay()
    return a
";
        let found = statements(code, &Python);
        let executions = [0.2, 0.2, 1.0, 0.3, 0.1];
        let all = found.iter().zip(executions);
        let mut ran: Vec<Ran<'_>> =
            all.map(|(statement, execution)| Ran { statement, execution, reasons: Vec::new() }).collect();
        lift(&mut ran);
        let told: Vec<(u32, String)> =
            ran.iter().map(|ran| (ran.statement.lines.first, format!("{:.2}", ran.execution))).collect();
        assert_eq!(
            told,
            [(2, "0.64"), (3, "0.80"), (4, "1.00"), (5, "0.30"), (6, "0.10")].map(|(l, e)| (l, e.to_owned()))
        );
        assert_eq!(ran[0].reasons, ["decides on line 3"]);
    }
}
