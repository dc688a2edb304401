//! From level to level: what each repaired, and what that cost.

use super::tokens;
use crate::report::study::{Cell, Study, Table};

pub(super) fn by_level(study: &Study) -> Table {
    let columns = [
        "level",
        "runs that entered",
        "repaired",
        "% repaired",
        "correct",
        "escalated",
        "failed",
        "requests",
        "tokens",
        "USD",
        "USD a repair",
        "s",
        "s a repair",
    ];
    let note = "Level 0 is the built-in engine before the first paid call. A level's cost is that of all runs that \
                entered it; the cost of a repair is what one more repair costs there. Seconds are those in models and \
                tools.";
    Table::new("escalation", "Escalation", &columns).note(note).rows(study.escalation.iter().map(|counts| {
        vec![
            counts.level.label().into(),
            counts.entered.into(),
            counts.repaired.into(),
            Cell::percent(counts.repaired, counts.entered),
            counts.correct.into(),
            counts.escalated.into(),
            counts.failed.into(),
            counts.usage.requests.into(),
            tokens(&counts.usage).into(),
            Cell::money(&counts.usage),
            Cell::money_each(&counts.usage, counts.repaired),
            Cell::Number(counts.seconds, 1),
            Cell::mean(counts.seconds, counts.repaired, 1),
        ]
    }))
}

pub(super) fn places(study: &Study) -> Table {
    let columns = [
        "level and agent",
        "started",
        "repairs",
        "requests",
        "tokens",
        "USD",
        "USD a start",
        "USD a repair",
        "model s",
        "tool s",
    ];
    let note = "Repairs: runs whose plausible patch the agent made on that level. Agents that hand over no patch help \
                those that do, and have a cost without repairs of their own.";
    Table::new("places", "By level and agent", &columns).note(note).rows(study.places.iter().map(|(place, facts)| {
        vec![
            place.to_string().into(),
            facts.started.into(),
            facts.repairs.into(),
            facts.usage.requests.into(),
            tokens(&facts.usage).into(),
            Cell::money(&facts.usage),
            Cell::money_each(&facts.usage, facts.started),
            Cell::money_each(&facts.usage, facts.repairs),
            Cell::Number(facts.model_seconds, 1),
            Cell::Number(facts.tool_seconds, 1),
        ]
    }))
}
