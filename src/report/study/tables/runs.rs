//! Every run in a row, with where its patch comes from.

use super::tokens;
use crate::report::study::{Cell, RunFacts, Study, Table};

pub(super) fn runs(study: &Study) -> Table {
    let columns = [
        "bug",
        "verdict",
        "correct",
        "level",
        "agent",
        "attempt",
        "request",
        "USD until plausible",
        "candidates",
        "tokens",
        "USD",
        "seconds",
        "configuration",
        "project",
    ];
    let note = "Level, agent, attempt, request and cost until then tell where the plausible patch comes from.";
    Table::new("runs", "Every run", &columns).note(note).rows(study.runs.iter().map(row))
}

fn row(run: &RunFacts) -> Vec<Cell> {
    let by = run.report.as_ref().filter(|_| run.plausible()).and_then(|report| report.by.as_ref());
    let empty = || Cell::from("");
    vec![
        run.bug.to_string().into(),
        run.verdict_title().into(),
        run.correctness_words().into(),
        run.level().map_or("", |level| level.label()).into(),
        by.map_or("", |by| by.agent.as_str()).into(),
        by.map_or_else(empty, |by| u64::from(by.attempt).into()),
        by.map_or_else(empty, |by| by.request.into()),
        by.map_or_else(empty, |by| by.cost_usd.map_or(Cell::Unknown, |cost| Cell::Number(cost, 4))),
        run.candidates.proposed.into(),
        tokens(&run.usage).into(),
        Cell::money(&run.usage),
        Cell::Number(run.seconds.wall, 1),
        run.setting.line.as_str().into(),
        run.project().into(),
    ]
}
