//! The pictures of the report. Each is a pure function of the study, narrow enough to be read on a phone, and every
//! number in it stands in a table too.

use super::svg::{Anchor, Svg, cut};
use crate::report::study::tables::{Climb, MEASURES, Measure, climb, quantile};
use crate::report::study::{Rung, Study};
use serde::Serialize;

/// Width of every picture, in its own units.
const WIDE: f64 = 360.0;

/// A picture with what stands over it.
#[derive(Debug, Serialize)]
pub struct Chart {
    /// Heading.
    title: &'static str,
    /// How to read it.
    note: &'static str,
    /// Colours and what they mean: class and words.
    key: Vec<(&'static str, String)>,
    /// The picture.
    svg: String,
}

/// All pictures that the runs have something to show in.
pub fn charts(study: &Study) -> Vec<Chart> {
    [flow(study), climbing(study), boxes(study), tools(study), super::venn::venn(study)].into_iter().flatten().collect()
}

impl Chart {
    /// A picture.
    pub fn new(title: &'static str, note: &'static str, key: Vec<(&'static str, String)>, svg: String) -> Self {
        Self { title, note, key, svg }
    }
}

/// From rung to rung: how many runs came, were repaired, went on, gave up.
fn flow(study: &Study) -> Option<Chart> {
    const BAR: f64 = 26.0;
    const STEP: f64 = 74.0;
    let rungs = &study.escalation;
    let most = rungs.iter().map(|rung| rung.entered).max().filter(|most| *most > 0)? as f64;
    let width = |n: u64| WIDE * n as f64 / most;
    let mut svg = Svg::default();
    for (at, rung) in rungs.iter().enumerate() {
        let top = STEP * at as f64 + 20.0;
        let Rung { entered, repaired, went_on, given_up, correct, .. } = *rung;
        svg.text((0.0, top - 6.0), Anchor::Start, "name", rung.level.label());
        let came = format!("{entered} came, {repaired} repaired");
        svg.text((WIDE, top - 6.0), Anchor::End, "soft", &came);
        let parts = [
            ("went", went_on, "went on"),
            ("correct", correct, "repaired, correct"),
            ("repaired", repaired - correct, "repaired, not known to be correct"),
            ("gave", given_up, "gave up"),
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
        if let Some(next) = rungs.get(at + 1) {
            let (here, there) = (width(went_on), width(went_on.min(next.entered)));
            let (y, below) = (top + BAR, top + STEP);
            let band = format!("M0,{y:.1} L{here:.1},{y:.1} L{there:.1},{below:.1} L0,{below:.1} Z");
            svg.path(&band, "band", &format!("{went_on} went on"));
        }
    }
    let high = STEP * (rungs.len() - 1) as f64 + 20.0 + BAR;
    let sum = |of: fn(&Rung) -> u64| rungs.iter().map(of).sum::<u64>();
    let key = [
        ("correct", "repaired, correct", sum(|rung| rung.correct)),
        ("repaired", "repaired", sum(|rung| rung.repaired - rung.correct)),
        ("went", "went on", sum(|rung| rung.went_on)),
        ("gave", "gave up", sum(|rung| rung.given_up)),
    ];
    let key = key.into_iter().filter(|(.., n)| *n > 0).map(|(class, words, _)| (class, words.to_owned())).collect();
    let label = "How many runs came to each rung, were repaired there, went on or gave up; as the table Escalation";
    Some(Chart::new("From rung to rung", "", key, svg.finish(WIDE, high, label)))
}

/// A line that climbs: repairs against what they cost.
fn climbing(study: &Study) -> Option<Chart> {
    const HIGH: f64 = 170.0;
    const LEFT: f64 = 34.0;
    let Climb { unit, decimals, sums } = climb(study)?;
    let (most, repairs) = (sums.last().copied().filter(|most| *most > 0.0)?, sums.len());
    let x = |cost: f64| LEFT + (WIDE - LEFT - 4.0) * cost / most;
    let y = |n: usize| 8.0 + HIGH * (1.0 - n as f64 / repairs as f64);
    let mut svg = Svg::default();
    for share in [0.0, 0.5, 1.0] {
        let n = (repairs as f64 * share).round() as usize;
        svg.line((LEFT, y(n)), (WIDE, y(n)), "grid");
        svg.text((LEFT - 6.0, y(n) + 4.0), Anchor::End, "soft", &n.to_string());
        let anchor = [Anchor::Start, Anchor::Middle, Anchor::End][(share * 2.0) as usize];
        let places = if share == 0.0 { 0 } else { decimals };
        let text = format!("{:.places$}", most * share);
        svg.text((x(most * share), HIGH + 26.0), anchor, "soft", &text);
    }
    let mut data = format!("M{:.1},{:.1}", x(0.0), y(0));
    for (before, cost) in sums.iter().enumerate() {
        data.push_str(&format!(" H{:.1} V{:.1}", x(*cost), y(before + 1)));
    }
    svg.path(&data, "climb", "");
    let named = match unit {
        "s" => "seconds of wall time, the quickest repair first",
        "tokens" => "tokens, the cheapest repair first",
        _ => "US dollars, the cheapest repair first",
    };
    svg.text((LEFT + (WIDE - LEFT) / 2.0, HIGH + 44.0), Anchor::Middle, "soft", named);
    let label = format!("{repairs} repairs for {most:.decimals$} {unit}, the cheapest first");
    Some(Chart::new("Repairs against cost", "", Vec::new(), svg.finish(WIDE, HIGH + 50.0, &label)))
}

/// Boxes from quarter to quarter, whiskers from 5 to 95 per cent, for plausible runs and the others.
fn boxes(study: &Study) -> Option<Chart> {
    const PANEL: f64 = 94.0;
    let mut svg = Svg::default();
    let mut panels = 0;
    for measure in MEASURES.iter().filter(|measure| ["seconds", "tokens", "USD"].contains(&measure.name)) {
        let groups = [("repaired", measure.values(study, true)), ("gave", measure.values(study, false))];
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
        svg.text((left, top + 81.0), Anchor::Start, "soft", "0");
        let decimals = measure.decimals;
        svg.text((left + wide, top + 81.0), Anchor::End, "soft", &format!("{most:.decimals$}"));
        for (row, (class, values)) in groups.iter().enumerate().filter(|(_, (_, values))| !values.is_empty()) {
            one_box(&mut svg, top + 20.0 + 23.0 * row as f64, class, values, &scale, measure);
        }
    }
    let key = vec![("repaired", "plausible".to_owned()), ("gave", "others".to_owned())];
    let note = "Boxes hold the middle half with the median, which is written beside; whiskers run from 5 to 95 %.";
    let label = "Distributions of seconds, tokens and dollars a run; the same figures are in the table Distributions";
    let svg = svg.finish(WIDE, PANEL * f64::from(panels), label);
    (panels > 0).then(|| Chart::new("Time, tokens and money of a run", note, key, svg))
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

/// Calls a run of each tool, in correct runs and in all others.
fn tools(study: &Study) -> Option<Chart> {
    const ROW: f64 = 34.0;
    let (correct, others) = (study.all.correct, study.all.runs - study.all.correct);
    let names: std::collections::BTreeSet<_> =
        study.tools_of_correct.keys().chain(study.tools_of_others.keys()).collect();
    let each = |calls: u64, of: u64| if of == 0 { 0.0 } else { calls as f64 / of as f64 };
    let mut rows: Vec<(String, f64, f64)> = names
        .into_iter()
        .map(|name| {
            let calls = |group: &std::collections::BTreeMap<_, crate::report::study::ToolFacts>| {
                group.get(name).map_or(0, |used| used.calls)
            };
            let (a, b) = (calls(&study.tools_of_correct), calls(&study.tools_of_others));
            (name.to_string(), each(a, correct), each(b, others))
        })
        .collect();
    rows.sort_by(|a, b| (b.1 + b.2).total_cmp(&(a.1 + a.2)));
    let most = rows.iter().flat_map(|row| [row.1, row.2]).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let mut svg = Svg::default();
    for (at, (name, of_correct, of_others)) in rows.iter().enumerate() {
        let top = ROW * at as f64;
        svg.text((136.0, top + 18.0), Anchor::End, "tool", &cut(name, 24));
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
    Some(Chart::new("Calls of tools a run", "", key, svg.finish(WIDE, high, label)))
}
