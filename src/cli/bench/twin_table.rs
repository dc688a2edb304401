//! What `bench twin` tells of the twins.

use super::measured::TableFormat;
use crate::benchmark::twin::{Manner, Twin};
use crate::domain::{BugId, Outcome};
use crate::twin::Caution;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Names that stay and are told in a line.
const SHOWN: usize = 4;

/// A twin that is alike.
pub(super) struct Made {
    declared: usize,
    kept: BTreeMap<String, &'static str>,
    rewritten: usize,
    reordered: usize,
    manner: Manner,
    /// The judge's word on the developer's repair.
    repair: Outcome,
}

impl Made {
    pub(super) fn of(twin: &Twin, manner: Manner, repair: Outcome) -> Self {
        let Twin { declared, kept, rewritten, reordered, .. } = twin;
        Self { declared: *declared, kept: kept.clone(), rewritten: *rewritten, reordered: *reordered, manner, repair }
    }

    fn changed(&self) -> usize {
        self.declared - self.kept.len()
    }

    /// One line on it.
    pub(super) fn text(&self) -> String {
        let repair = match self.repair {
            Outcome::Plausible => "repair carried over".to_owned(),
            word => format!("repair {word} as that of the original"),
        };
        let mut text = format!(
            "tests alike, {repair}; {} of {} names changed, {} places in other words, {} files in another order",
            self.changed(),
            self.declared,
            self.rewritten,
            self.reordered
        );
        let kept: Vec<String> = self.kept.iter().take(SHOWN).map(|(name, why)| format!("`{name}` ({why})")).collect();
        if !kept.is_empty() {
            let more = self.kept.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let _ = write!(text, "; kept: {}{more}", kept.join(", "));
        }
        text
    }
}

/// The twins of a set, and which bugs have none.
pub(super) fn report(form: TableFormat, made: &BTreeMap<BugId, Made>, left_out: &BTreeMap<BugId, String>) -> String {
    match form {
        TableFormat::Json => format!("{}\n", object(made, left_out)),
        TableFormat::Text => table(made, left_out, false),
        TableFormat::Md => table(made, left_out, true),
    }
}

fn sums(made: &BTreeMap<BugId, Made>) -> (usize, usize) {
    (made.values().map(Made::changed).sum(), made.values().map(|one| one.declared).sum())
}

fn table(made: &BTreeMap<BugId, Made>, left_out: &BTreeMap<BugId, String>, markdown: bool) -> String {
    let mut text = String::new();
    let (changed, declared) = sums(made);
    let share = 100.0 * changed as f64 / declared.max(1) as f64;
    let plausible = made.values().filter(|one| one.repair == Outcome::Plausible).count();
    let all = made.values().filter(|one| one.kept.is_empty()).count();
    if markdown {
        text.push_str("| bug | names changed | declared | places | files reordered |\n|---|---|---|---|---|\n");
        for (bug, one) in made {
            let _ = writeln!(
                text,
                "| {bug} | {} | {} | {} | {} |",
                one.changed(),
                one.declared,
                one.rewritten,
                one.reordered
            );
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "{} of {} bugs have a twin: its tests end as theirs; the developer's repair is plausible in {plausible}, in others as \
         the original's",
        made.len(),
        made.len() + left_out.len()
    );
    let _ = writeln!(text, "{changed} of {declared} declared names changed ({share:.1} %); all of them in {all} twins");
    let cautious = made.values().filter(|one| one.manner.caution == Caution::Much).count();
    if cautious > 0 {
        let _ = writeln!(text, "{cautious} of them with much caution, because more was not alike");
    }
    for (bug, why) in left_out {
        let _ = writeln!(text, "{}left out: {bug}: {why}", if markdown { "\n" } else { "" });
    }
    text
}

fn object(made: &BTreeMap<BugId, Made>, left_out: &BTreeMap<BugId, String>) -> Value {
    let (changed, declared) = sums(made);
    let twin = |(bug, one): (&BugId, &Made)| {
        json!({"bug": bug, "changed": one.changed(), "declared": one.declared, "kept": one.kept,
            "rewritten": one.rewritten, "reordered": one.reordered, "cautious": one.manner.caution == Caution::Much,
            "other_words": one.manner.rewrites, "repair": one.repair})
    };
    let left: BTreeMap<String, &String> = left_out.iter().map(|(bug, why)| (bug.to_string(), why)).collect();
    json!({"schema": 1, "twins": made.iter().map(twin).collect::<Vec<_>>(), "changed": changed, "declared": declared,
        "left_out": left})
}
