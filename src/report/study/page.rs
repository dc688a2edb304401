//! The report as one page that needs nothing else: no network, no other file.

use super::{Cell, Study};
use minijinja::Environment;
use serde::Serialize;

const TEMPLATE: &str = include_str!("page.html");
/// Name of the template; its ending turns escaping on.
const NAME: &str = "page.html";
/// Inner size of a chart, in its own units.
const WIDE: f64 = 640.0;
const HIGH: f64 = 200.0;

/// What the template sees.
#[derive(Serialize)]
struct Page<'a> {
    title: &'a str,
    all: &'a super::Counts,
    finished: u64,
    bars: Vec<Bar>,
    climb: Option<Climb>,
    tables: Vec<Shown>,
    runs: Vec<Run<'a>>,
    wide: f64,
    high: f64,
}

/// A table, ready to print.
#[derive(Serialize)]
struct Shown {
    name: &'static str,
    title: &'static str,
    note: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Field>>,
}

#[derive(Serialize)]
struct Column {
    title: &'static str,
    number: bool,
}

#[derive(Serialize)]
struct Field {
    text: String,
    /// What rows are sorted by: numbers as they are, everything else as text.
    sort: Option<f64>,
    /// Set to the right: numbers, and what stands for one.
    right: bool,
}

/// One bar of the escalation.
#[derive(Serialize)]
struct Bar {
    label: &'static str,
    entered: u64,
    repaired: u64,
    correct: u64,
    /// Widths in per cent of the widest bar.
    entered_width: f64,
    repaired_width: f64,
    correct_width: f64,
}

/// One run with its trajectory.
#[derive(Serialize)]
struct Run<'a> {
    bug: String,
    verdict: &'a str,
    correct: bool,
    level: &'a str,
    agent: &'a str,
    configuration: &'a str,
    dir: &'a str,
    analysis: &'a str,
    diff: Vec<Line<'a>>,
    steps: &'a [super::Step],
    notices: &'a [String],
}

#[derive(Serialize)]
struct Line<'a> {
    kind: &'static str,
    text: &'a str,
}

/// A line that climbs: repairs against what they cost.
#[derive(Serialize)]
struct Climb {
    points: String,
    most_cost: String,
    repairs: u64,
}

/// Renders the page.
///
/// # Errors
/// The template is wrong, which its test would have found.
pub fn html(study: &Study, title: &str) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    environment.add_template(NAME, TEMPLATE)?;
    let page = Page {
        title,
        all: &study.all,
        finished: study.all.finished(),
        bars: bars(study),
        climb: climb(study),
        tables: tables(study),
        runs: study.runs.iter().map(run).collect(),
        wide: WIDE,
        high: HIGH,
    };
    environment.get_template(NAME)?.render(minijinja::value::Serde(&page))
}

fn tables(study: &Study) -> Vec<Shown> {
    let field = |cell: Cell| {
        let sort = match &cell {
            Cell::Count(n) => Some(*n as f64),
            Cell::Number(value, _) => Some(*value),
            Cell::Text(_) | Cell::Unknown => None,
        };
        Field { text: cell.shown(), right: cell.is_number() || cell == Cell::Unknown, sort }
    };
    let shown = |table: super::Table| {
        let number = |at: usize| table.rows.iter().any(|row| row[at].is_number());
        let columns =
            table.columns.iter().enumerate().map(|(at, title)| Column { title, number: number(at) }).collect();
        let rows = table.rows.into_iter().map(|row| row.into_iter().map(field).collect()).collect();
        Shown { name: table.name, title: table.title, note: table.note, columns, rows }
    };
    study.tables().into_iter().map(shown).collect()
}

fn bars(study: &Study) -> Vec<Bar> {
    let most = study.escalation.iter().map(|rung| rung.entered).max().unwrap_or(0).max(1) as f64;
    let width = |n: u64| 100.0 * n as f64 / most;
    let bar = |rung: &super::Rung| Bar {
        label: rung.level.label(),
        entered: rung.entered,
        repaired: rung.repaired,
        correct: rung.correct,
        entered_width: width(rung.entered),
        repaired_width: width(rung.repaired),
        correct_width: width(rung.correct),
    };
    study.escalation.iter().map(bar).collect()
}

/// Only where something was paid: without a price there is nothing to climb along.
fn climb(study: &Study) -> Option<Climb> {
    let steps = study.repairs_by_cost();
    let (most_cost, repairs) = steps.last().copied().filter(|(cost, _)| *cost > 0.0)?;
    let x = |cost: f64| WIDE * cost / most_cost;
    let y = |n: u64| HIGH * (1.0 - n as f64 / repairs as f64);
    let mut points = format!("0,{HIGH}");
    let mut before = 0;
    for (cost, n) in steps {
        points.push_str(&format!(" {:.1},{:.1} {:.1},{:.1}", x(cost), y(before), x(cost), y(n)));
        before = n;
    }
    Some(Climb { points, most_cost: format!("{most_cost:.4}"), repairs })
}

fn run(facts: &super::RunFacts) -> Run<'_> {
    let report = facts.report.as_ref();
    let patch = report.and_then(|report| report.patch.as_deref()).unwrap_or("");
    Run {
        bug: facts.bug.to_string(),
        verdict: facts.verdict(),
        correct: facts.correct(),
        level: facts.level().map_or("", |level| level.label()),
        agent: report.and_then(|report| report.by.as_ref()).map_or("", |by| by.agent.as_str()),
        configuration: &facts.configuration,
        dir: facts.dir.as_str(),
        analysis: report.and_then(|report| report.analysis.as_deref()).unwrap_or(""),
        diff: patch.lines().map(line).collect(),
        steps: &facts.steps,
        notices: &facts.notices,
    }
}

fn line(text: &str) -> Line<'_> {
    let kind = match text {
        _ if text.starts_with("+++") || text.starts_with("---") => "file",
        _ if text.starts_with('+') => "added",
        _ if text.starts_with('-') => "removed",
        _ if text.starts_with("@@") => "place",
        _ => "same",
    };
    Line { kind, text }
}
