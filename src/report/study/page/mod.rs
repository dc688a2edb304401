//! The report as one page that needs nothing else: no network, no other file.

mod charts;
#[cfg(feature = "pdf")]
mod pdf;
pub(in crate::report) mod svg;
mod upset;
mod venn;

use super::tables::tokens;
use super::{Cell, RunFacts, Study};
use crate::report::diff::{self, Line};
use crate::report::page::{CHOOSE, render, style};
use base64::prelude::{BASE64_STANDARD, Engine};
use charts::Chart;
#[cfg(feature = "pdf")]
pub(crate) use pdf::{PdfError, PdfWriter};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeSet;

const TEMPLATE: &str = include_str!("page.html");
/// Style of pictures, on the page and in files of their own.
pub(in crate::report) const FIGURE: &str = include_str!("figure.css");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Columns by whose words rows can be chosen, in tables of so many rows at least.
const CHOSEN: [&str; 5] = ["configuration", "verdict", "correct", "project", "level"];
const LONG: usize = 6;
/// More words than that are searched and not chosen from.
const MOST_WORDS: usize = 40;
/// The table whose rows lead to trajectories.
const RUNS: &str = "runs";

/// Longest text that is kept on one line, in characters.
const SHORT: usize = 32;

/// What the template sees.
#[derive(Serialize)]
struct Page<'a> {
    title: &'a str,
    style: String,
    script: String,
    all: &'a super::Counts,
    finished: u64,
    charts: Vec<Figure>,
    tables: Vec<Shown>,
    /// Words by which trajectories can be chosen.
    chosen: Vec<Filter>,
    runs: Vec<Run<'a>>,
}

/// A picture, with itself as a file.
#[derive(Serialize)]
struct Figure {
    #[serde(flatten)]
    chart: Chart,
    /// The file in base 64.
    alone: String,
}

/// A table, ready to print.
#[derive(Serialize)]
struct Shown {
    name: &'static str,
    title: &'static str,
    note: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Field>>,
    /// Whether each row leads to its run.
    leads: bool,
    /// Columns by whose words rows can be chosen.
    filters: Vec<Filter>,
    /// Whether it is long enough to be searched.
    searched: bool,
    /// The table as a file of CSV and of LaTeX, each in base 64.
    csv: String,
    latex: String,
}

/// A column of few words.
#[derive(Serialize)]
struct Filter {
    column: usize,
    title: String,
    words: BTreeSet<String>,
}

#[derive(Serialize)]
struct Column {
    title: Cow<'static, str>,
    number: bool,
}

#[derive(Serialize)]
struct Field {
    text: String,
    /// What rows are sorted by: numbers as they are, everything else as text.
    sort: Option<f64>,
    /// Set to the right: numbers, and what stands for one.
    right: bool,
    /// Kept on one line.
    short: bool,
}

/// One run with its trajectory.
#[derive(Serialize)]
struct Run<'a> {
    bug: String,
    verdict: &'a str,
    level: &'a str,
    project: String,
    agent: &'a str,
    correct: String,
    configuration: &'a str,
    dir: &'a str,
    /// The page that has all of it.
    whole: &'a str,
    analysis: &'a str,
    facts: Vec<(&'a str, String)>,
    diff: Vec<Line<'a>>,
    developer: Vec<Line<'a>>,
    steps: &'a [super::Step],
    notices: &'a [String],
}

/// Renders the page. `whole` names for each run, in the study's order, the page that has all of it; it may be empty.
///
/// # Errors
/// The template is wrong, which its test would have found.
pub(crate) fn html(study: &Study, title: &str, whole: &[String]) -> Result<String, minijinja::Error> {
    let page = Page {
        title,
        style: style(&format!("{FIGURE}{STYLE}")),
        script: format!("{SCRIPT}{CHOOSE}"),
        all: &study.all,
        finished: study.all.finished(),
        charts: charts::charts(study).into_iter().map(figure).collect(),
        tables: tables(study),
        chosen: chosen(study),
        runs: study.runs.iter().enumerate().map(|(at, facts)| run(facts, whole.get(at))).collect(),
    };
    render(TEMPLATE, &page)
}

/// The pictures as files of their own: name and SVG.
pub(crate) fn figures(study: &Study) -> Vec<(String, String)> {
    charts::charts(study).iter().map(|chart| (chart.file.clone(), chart.alone())).collect()
}

fn figure(chart: Chart) -> Figure {
    Figure { alone: BASE64_STANDARD.encode(chart.alone()), chart }
}

/// What trajectories can be chosen by: the words of the table of runs.
fn chosen(study: &Study) -> Vec<Filter> {
    let table = study.tables().into_iter().find(|table| table.name == RUNS);
    let known = ["verdict", "project", "level", "configuration"];
    table.iter().flat_map(words).filter(|filter| known.contains(&filter.title.as_str())).collect()
}

/// The columns of a table by whose words rows can be chosen.
fn filters(table: &super::Table) -> Vec<Filter> {
    if table.rows.len() < LONG { Vec::new() } else { words(table) }
}

fn words(table: &super::Table) -> Vec<Filter> {
    let chosen = table.columns.iter().enumerate().filter(|(_, title)| CHOSEN.contains(&&***title));
    let filters = chosen.map(|(column, title)| {
        let words = table.rows.iter().map(|row| row[column].shown()).filter(|word| !word.is_empty()).collect();
        Filter { column, title: title.to_string(), words }
    });
    let useful = |filter: &Filter| (2..=MOST_WORDS).contains(&filter.words.len());
    filters.filter(useful).collect()
}

fn tables(study: &Study) -> Vec<Shown> {
    let field = |cell: Cell| {
        let sort = match &cell {
            Cell::Count(n) => Some(*n as f64),
            Cell::Number(value, _) => Some(*value),
            Cell::Text(_) | Cell::Unknown => None,
        };
        let text = cell.shown();
        let short = text.chars().count() <= SHORT;
        Field { text, right: cell.is_number() || cell == Cell::Unknown, sort, short }
    };
    let shown = |table: super::Table| {
        let (filters, searched) = (filters(&table), table.rows.len() >= LONG);
        let csv = BASE64_STANDARD.encode(super::csv(&table).unwrap_or_default());
        let latex = BASE64_STANDARD.encode(super::latex(&table));
        let numbers: Vec<bool> = (0..table.columns.len()).map(|at| table.is_number(at)).collect();
        let columns = table.columns.into_iter().zip(numbers).map(|(title, number)| Column { title, number }).collect();
        let rows = table.rows.into_iter().map(|row| row.into_iter().map(field).collect()).collect();
        let leads = table.name == RUNS;
        Shown {
            name: table.name,
            title: table.title,
            note: table.note,
            columns,
            rows,
            leads,
            filters,
            searched,
            csv,
            latex,
        }
    };
    study.tables().into_iter().filter(|table| !table.is_data).map(shown).collect()
}

fn run<'s>(facts: &'s RunFacts, whole: Option<&'s String>) -> Run<'s> {
    let report = facts.report.as_ref();
    let by = report.filter(|_| facts.plausible()).and_then(|report| report.by.as_ref());
    Run {
        bug: facts.bug.to_string(),
        verdict: facts.verdict_title(),
        level: facts.level().map_or("", |level| level.label()),
        project: facts.project(),
        agent: by.map_or("", |by| by.agent.as_str()),
        correct: facts.correctness_words(),
        configuration: &facts.setting.line,
        dir: facts.dir.as_str(),
        whole: whole.map_or("", String::as_str),
        analysis: report.and_then(|report| report.analysis.as_deref()).unwrap_or(""),
        facts: provenance(facts),
        diff: diff::lines(facts.patch().unwrap_or("")),
        developer: diff::lines(facts.developer.as_deref().unwrap_or("")),
        steps: &facts.steps,
        notices: &facts.notices,
    }
}

/// Where the patch comes from and what the run cost, as pairs of a word and a value.
fn provenance(facts: &RunFacts) -> Vec<(&'static str, String)> {
    let dollars = |cost: Option<f64>| cost.map_or("unknown".to_owned(), |cost| format!("{cost:.4} USD"));
    let mut rows = Vec::new();
    let by = facts.report.as_ref().filter(|_| facts.plausible()).and_then(|report| report.by.as_ref());
    if let Some(by) = by {
        let policy = by.policy.title();
        let level = facts.level().map_or("", |level| level.label());
        rows.push(("patch by", format!("{} ({policy}) on {level}, attempt {}", by.agent, by.attempt)));
        if by.request > 0 {
            rows.push(("after", format!("{} requests, {}", by.request, dollars(by.cost_usd))));
        }
    }
    if let Some(review) = &facts.review {
        let word = if review.correct { "correct" } else { "wrong" };
        rows.push(("review", format!("{word}, by {} on {}: {}", review.by, review.at, review.reason)));
    }
    if let Some(kind) = facts.location_type {
        rows.push(("the developer changed", kind.label().to_owned()));
    }
    let usage = &facts.usage;
    let tokens = tokens(usage);
    if usage.requests > 0 {
        rows.push(("model", format!("{} requests, {tokens} tokens, {}", usage.requests, dollars(usage.cost_usd.0))));
    }
    rows.push(("candidates", facts.candidates.proposed.to_string()));
    rows.push(("time", format!("{:.1} s, of which {:.1} s tests", facts.seconds.wall, facts.seconds.tests)));
    rows
}
