//! The pictures of the report. Each is a pure function of the study, narrow enough to be read on a phone, and every
//! number in it stands in a table too.

use super::svg::{self, Anchor, Svg, plain, ticks};
use crate::domain::ToolName;
use crate::domain::words::clipped;
use crate::report::study::tables::{Cumulative, MEASURES, Measure, by_cost, by_time, quantile};
use crate::report::study::{LevelCounts, Quality, RunFacts, Study};
use serde::Serialize;
use std::collections::BTreeSet;

/// Width of every picture, in its own units.
const WIDE: f64 = 360.0;

/// Classes of sets and lines, by their place.
pub(super) const SETS: [&str; 3] = ["set-a", "set-b", "set-c"];

/// A picture with what stands over it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Chart {
    /// Name for its file: `repairs-by-cost`.
    pub file: String,
    /// Heading.
    pub title: String,
    /// How to read it.
    note: String,
    /// Colours and what they mean: class and words.
    key: Vec<(&'static str, String)>,
    /// The picture.
    svg: String,
}

/// All pictures that the runs have something to show in.
pub(super) fn charts(study: &Study) -> Vec<Chart> {
    let pooled = |chart: Option<Chart>| chart.map(|chart| chart.noted(study.pooled()));
    let all = [
        pooled(flow(study)),
        cumulative("repairs-by-cost", "Repairs against cost", by_cost(study)),
        cumulative("repairs-by-time", "Repairs against time", by_time(study)),
    ];
    let of = [Quality::Plausible, Quality::Correct];
    let sets =
        of.into_iter().flat_map(|quality| [super::venn::venn(study, quality), super::upset::upset(study, quality)]);
    let each = for_each_configuration(study, boxes).into_iter().chain(for_each_configuration(study, tools));
    all.into_iter().flatten().chain(each).chain(sets.flatten()).collect()
}

/// A chart of every configuration, the name of the configuration in its heading; more than a page can hold share one.
fn for_each_configuration(study: &Study, chart: fn(&[&RunFacts]) -> Option<Chart>) -> Vec<Chart> {
    let names: Vec<&String> = study.configurations.keys().collect();
    let of = |name: &str| study.runs.iter().filter(|run| run.setting.line == name).collect::<Vec<_>>();
    match names.len() {
        2..=SETS_MOST => {
            let named = names.iter().enumerate().filter_map(|(at, name)| {
                let mut chart = chart(&of(name))?;
                chart.title = format!("{}: {}", chart.title, clipped(name, 40));
                chart.file = format!("{}-{}", chart.file, at + 1);
                Some(chart)
            });
            named.collect()
        }
        _ => {
            let all: Vec<&RunFacts> = study.runs.iter().collect();
            chart(&all).map(|chart| chart.noted(study.pooled())).into_iter().collect()
        }
    }
}

/// Most configurations that have pictures of their own.
const SETS_MOST: usize = 4;

impl Chart {
    /// A picture.
    pub(super) fn new(file: &str, title: &str, key: Vec<(&'static str, String)>, svg: String) -> Self {
        Self { file: file.to_owned(), title: title.to_owned(), note: String::new(), key, svg }
    }

    /// Says how to read it, behind the caption so far.
    pub(super) fn noted(mut self, note: impl AsRef<str>) -> Self {
        self.note = format!("{} {}", self.note, note.as_ref()).trim().to_owned();
        self
    }

    /// The picture as a file of its own, with its key below it: it needs no other file, and is drawn for paper.
    pub(super) fn alone(&self) -> String {
        svg::alone(&self.svg, &self.key, &svg::in_colours(super::FIGURE, &super::style(super::STYLE)))
    }
}

/// From level to level: how many runs came, were repaired, escalated, failed.
fn flow(study: &Study) -> Option<Chart> {
    const BAR: f64 = 26.0;
    const STEP: f64 = 74.0;
    let levels = &study.escalation;
    let most = levels.iter().map(|counts| counts.entered).max().filter(|most| *most > 0)? as f64;
    let width = |n: u64| WIDE * n as f64 / most;
    let mut svg = Svg::default();
    for (at, counts) in levels.iter().enumerate() {
        let top = STEP * at as f64 + 20.0;
        let LevelCounts { entered, repaired, escalated, failed, correct, .. } = *counts;
        svg.text((0.0, top - 6.0), Anchor::Start, "name", counts.level.label());
        let came = format!("{entered} entered, {repaired} repaired");
        svg.text((WIDE, top - 6.0), Anchor::End, "soft", &came);
        let parts = [
            ("went", escalated, "escalated"),
            ("correct", correct, "repaired, correct"),
            ("repaired", repaired - correct, "repaired, not known to be correct"),
            ("gave", failed, "failed"),
        ];
        let mut left = 0.0;
        for (class, n, words) in parts.into_iter().filter(|(_, n, _)| *n > 0) {
            let wide = width(n);
            svg.rect((left, top), (wide, BAR), class, &format!("{n} {words}"));
            let digits = n.to_string();
            if wide > 9.0 * digits.len() as f64 {
                svg.text((left + wide / 2.0, top + 17.5), Anchor::Middle, &format!("in-{class}"), &digits);
            }
            left += wide;
        }
        if let Some(next) = levels.get(at + 1) {
            let (here, there) = (width(escalated), width(escalated.min(next.entered)));
            let (y, below) = (top + BAR, top + STEP);
            let band = format!("M0,{y:.1} L{here:.1},{y:.1} L{there:.1},{below:.1} L0,{below:.1} Z");
            svg.path(&band, "band", &format!("{escalated} escalated"));
        }
    }
    let high = STEP * (levels.len() - 1) as f64 + 20.0 + BAR;
    let sum = |of: fn(&LevelCounts) -> u64| levels.iter().map(of).sum::<u64>();
    let key = [
        ("correct", "repaired, correct", sum(|counts| counts.correct)),
        ("repaired", "repaired", sum(|counts| counts.repaired - counts.correct)),
        ("went", "escalated", sum(|counts| counts.escalated)),
        ("gave", "failed", sum(|counts| counts.failed)),
    ];
    let key = key.into_iter().filter(|(.., n)| *n > 0).map(|(class, words, _)| (class, words.to_owned())).collect();
    let label = "How many runs entered each level, were repaired there, escalated or failed; as the table Escalation";
    Some(Chart::new("escalation", "From level to level", key, svg.finish(WIDE, high, label)))
}

/// Cumulative lines: repairs of each configuration against what they took.
fn cumulative(file: &'static str, title: &'static str, sums: Option<Cumulative>) -> Option<Chart> {
    const HIGH: f64 = 170.0;
    const LEFT: f64 = 34.0;
    let Cumulative { unit, lines, .. } = sums?;
    let ends = lines.iter().filter_map(|(_, sums)| sums.last());
    let most = ends.copied().fold(0.0, f64::max);
    let repairs = lines.iter().map(|(_, sums)| sums.len()).max().unwrap_or(0);
    let x = |cost: f64| LEFT + (WIDE - LEFT - 4.0) * cost / most;
    let y = |n: f64| 8.0 + HIGH * (1.0 - n / repairs as f64);
    let mut svg = Svg::default();
    for n in ticks(repairs as f64).into_iter().filter(|n| n.fract() == 0.0) {
        svg.line((LEFT, y(n)), (WIDE, y(n)), "grid");
        svg.text((LEFT - 6.0, y(n) + 4.0), Anchor::End, "soft", &format!("{n:.0}"));
    }
    for tick in ticks(most) {
        svg.line((x(tick), y(0.0)), (x(tick), y(0.0) + 4.0), "whisker");
        let anchor = if x(tick) > WIDE - 16.0 { Anchor::End } else { Anchor::Middle };
        svg.text((x(tick), HIGH + 26.0), anchor, "soft", &plain(tick));
    }
    for ((_, sums), class) in lines.iter().zip(SETS) {
        let mut data = format!("M{:.1},{:.1}", x(0.0), y(0.0));
        for (before, cost) in sums.iter().enumerate() {
            data.push_str(&format!(" H{:.1} V{:.1}", x(*cost), y((before + 1) as f64)));
        }
        svg.path(&data, &format!("sums line-{class}"), "");
    }
    let named = match unit {
        "s" => "seconds of wall time, the quickest repair first",
        "tokens" => "tokens, the cheapest repair first",
        _ => "US dollars, the cheapest repair first",
    };
    svg.text((LEFT + (WIDE - LEFT) / 2.0, HIGH + 44.0), Anchor::Middle, "soft", named);
    let label = format!("{title}: the sum of {named}; the same figures are in {file}.csv");
    let key = match &lines[..] {
        [_] => Vec::new(),
        _ => lines.iter().zip(SETS).map(|((name, _), class)| (class, clipped(name, 48))).collect(),
    };
    Some(Chart::new(file, title, key, svg.finish(WIDE, HIGH + 50.0, &label)))
}

/// RepairAgent's Figure 9: boxes from quarter to quarter, whiskers from 5 to 95 per cent, for plausible runs and the others.
fn boxes(runs: &[&RunFacts]) -> Option<Chart> {
    const PANEL: f64 = 94.0;
    let mut svg = Svg::default();
    let mut panels = 0;
    for measure in MEASURES.iter().filter(|measure| ["seconds", "tokens", "USD"].contains(&measure.name)) {
        let groups = [("repaired", measure.values(runs, true)), ("gave", measure.values(runs, false))];
        let most = groups.iter().map(|(_, values)| quantile(values, 0.95)).fold(0.0, f64::max);
        if most <= 0.0 {
            continue;
        }
        let top = PANEL * f64::from(panels);
        panels += 1;
        svg.text((0.0, top + 12.0), Anchor::Start, "name", measure.name);
        let (left, wide) = (4.0, WIDE - 70.0);
        let scale = |value: f64| left + wide * (value / most).min(1.0);
        svg.line((left, top + 68.0), (left + wide, top + 68.0), "grid");
        for tick in ticks(most) {
            svg.line((scale(tick), top + 68.0), (scale(tick), top + 71.0), "whisker");
            let anchor = if tick > 0.0 { Anchor::Middle } else { Anchor::Start };
            svg.text((scale(tick), top + 83.0), anchor, "soft", &plain(tick));
        }
        for (row, (class, values)) in groups.iter().enumerate().filter(|(_, (_, values))| !values.is_empty()) {
            one_box(&mut svg, top + 20.0 + 23.0 * row as f64, class, values, &scale, measure);
        }
    }
    let key = vec![("repaired", "plausible".to_owned()), ("gave", "others".to_owned())];
    let note = "Boxes hold the middle half with the median, which is written beside; whiskers run from 5 to 95 %.";
    let label = "Distributions of seconds, tokens and dollars a run; the same figures are in the table Distributions";
    let svg = svg.finish(WIDE, PANEL * f64::from(panels), label);
    (panels > 0).then(|| Chart::new("distributions", "Time, tokens and money of a run", key, svg).noted(note))
}

fn one_box(svg: &mut Svg, top: f64, class: &str, values: &[f64], x: &dyn Fn(f64) -> f64, measure: &Measure) {
    let decimals = measure.decimals;
    let at = |share: f64| quantile(values, share);
    let middle = top + 9.0;
    svg.line((x(at(0.05)), middle), (x(at(0.95)), middle), "whisker");
    let title =
        format!("median {:.decimals$}, half of them {:.decimals$} to {:.decimals$}", at(0.5), at(0.25), at(0.75));
    svg.rect((x(at(0.25)), top), ((x(at(0.75)) - x(at(0.25))).max(1.5), 18.0), class, &title);
    svg.line((x(at(0.5)), top - 1.0), (x(at(0.5)), top + 19.0), "median");
    svg.text((WIDE, middle + 4.0), Anchor::End, "soft", &format!("{:.decimals$}", at(0.5)));
}

/// RepairAgent's Figure 10: calls a run of each tool, in correct runs and in all others.
fn tools(runs: &[&RunFacts]) -> Option<Chart> {
    const ROW: f64 = 34.0;
    let of = |correct: bool| runs.iter().filter(|run| run.correct() == correct).copied().collect::<Vec<_>>();
    let (correct, others) = (of(true), of(false));
    let names: BTreeSet<&ToolName> = runs.iter().flat_map(|run| run.tools.keys()).collect();
    let each = |name: &ToolName, runs: &[&RunFacts]| {
        let calls: u64 = runs.iter().filter_map(|run| run.tools.get(name)).map(|used| used.calls).sum();
        if runs.is_empty() { 0.0 } else { calls as f64 / runs.len() as f64 }
    };
    let mut rows: Vec<(String, f64, f64)> =
        names.into_iter().map(|name| (name.to_string(), each(name, &correct), each(name, &others))).collect();
    rows.sort_by(|a, b| (b.1 + b.2).total_cmp(&(a.1 + a.2)));
    let most = rows.iter().flat_map(|row| [row.1, row.2]).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let mut svg = Svg::default();
    for (at, (name, of_correct, of_others)) in rows.iter().enumerate() {
        let top = ROW * at as f64;
        svg.text((136.0, top + 18.0), Anchor::End, "tool", &clipped(name, 23));
        for (line, (class, mean)) in [("correct", of_correct), ("gave", of_others)].into_iter().enumerate() {
            let y = top + 3.0 + 13.0 * line as f64;
            let wide = (WIDE - 180.0) * mean / most;
            svg.rect((140.0, y), (wide, 11.0), class, "");
            svg.text((146.0 + wide, y + 9.5), Anchor::Start, "small", &format!("{mean:.2}"));
        }
    }
    let key = vec![("correct", "correct repairs".to_owned()), ("gave", "all other runs".to_owned())];
    let label = "Calls of each tool a run, of correct repairs and of all others; as the table By tool";
    let high = ROW * rows.len() as f64;
    Some(Chart::new("tools", "Tool calls per run", key, svg.finish(WIDE, high, label)))
}
