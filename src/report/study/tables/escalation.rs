//! From rung to rung: what each repaired, and what that cost.

use super::tokens;
use crate::report::study::{Cell, RunFacts, Study, Table};

pub fn rungs(study: &Study) -> Table {
    let columns = [
        "rung",
        "runs that came to it",
        "repaired",
        "% of these",
        "correct",
        "went on",
        "gave up",
        "requests",
        "tokens",
        "USD",
        "USD a repair",
        "s",
        "s a repair",
    ];
    let note = "Level 0 is the built-in engine before the first paid call. A rung's cost is that of all runs that came \
                to it, so cost a repair is what one more repair costs there. Seconds are those in models and tools.";
    Table::new("escalation", "Escalation", &columns).note(note).rows(study.escalation.iter().map(|rung| {
        vec![
            rung.level.label().into(),
            rung.entered.into(),
            rung.repaired.into(),
            Cell::percent(rung.repaired, rung.entered),
            rung.correct.into(),
            rung.went_on.into(),
            rung.given_up.into(),
            rung.usage.requests.into(),
            tokens(&rung.usage).into(),
            Cell::money(&rung.usage),
            Cell::money_each(&rung.usage, rung.repaired),
            Cell::Number(rung.seconds, 1),
            Cell::mean(rung.seconds, rung.repaired, 1),
        ]
    }))
}

pub fn places(study: &Study) -> Table {
    let columns = [
        "rung and agent",
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
    let note = "Repairs: runs whose plausible patch the agent made on that rung. Agents that hand over no patch help \
                those that do, and have a cost without repairs of their own.";
    Table::new("places", "By rung and agent", &columns).note(note).rows(study.places.iter().map(|(place, facts)| {
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

/// Repairs, the cheapest first, against what they cost together.
#[derive(Debug, Clone, PartialEq)]
pub struct Climb {
    /// What cost is counted in: dollars where any were paid, else tokens, else seconds.
    pub unit: &'static str,
    /// Digits behind the point.
    pub decimals: usize,
    /// The sum of costs after each repair.
    pub sums: Vec<f64>,
}

/// The climb of the repaired runs; `None` when there are none.
pub fn climb(study: &Study) -> Option<Climb> {
    let repaired: Vec<&RunFacts> = study.runs.iter().filter(|run| run.plausible()).collect();
    if repaired.is_empty() {
        return None;
    }
    let dollars: Option<Vec<f64>> = repaired.iter().map(|run| run.usage.cost_usd.0).collect();
    let used: Vec<f64> = repaired.iter().map(|run| tokens(&run.usage) as f64).collect();
    let some = |costs: &Vec<f64>| costs.iter().any(|cost| *cost > 0.0);
    let (unit, decimals, mut costs) = match dollars.filter(some) {
        Some(dollars) => ("USD", 4, dollars),
        None if some(&used) => ("tokens", 0, used),
        None => ("s", 1, repaired.iter().map(|run| run.seconds.wall).collect()),
    };
    costs.sort_by(f64::total_cmp);
    let mut sum = 0.0;
    let sums = costs.into_iter().map(|cost| {
        sum += cost;
        sum
    });
    Some(Climb { unit, decimals, sums: sums.collect() })
}

pub fn repairs_by_cost(study: &Study) -> Table {
    let mut table = Table::new("repairs-by-cost", "Repairs against cost", &["repairs", "cost so far", "unit"]);
    table.is_data = true;
    let Some(Climb { unit, decimals, sums }) = climb(study) else { return table };
    table.rows((1u64..).zip(sums).map(|(n, sum)| vec![n.into(), Cell::Number(sum, decimals), unit.into()]))
}
