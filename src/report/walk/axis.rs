//! The time axis of a run: who worked when, on what, and what had been spent by then.

use super::Walk;
use crate::domain::words::clipped;
use crate::domain::{Outcome, Scope, Usage};
use crate::report::study::svg::{Anchor, Svg, plain, ticks};
use serde::Serialize;
use std::collections::BTreeMap;

/// Width of the picture, in its own units.
const WIDE: f64 = 720.0;
/// Where time begins; names stand before.
const LEFT: f64 = 170.0;
/// Height of a lane, and of a curve.
const LANE: f64 = 22.0;
const CURVE: f64 = 58.0;
/// Longest name of a lane.
const NAME: usize = 28;
/// Pauses that no eye sees, as a share of the whole: what stands on both sides is drawn as one.
const PAUSE: f64 = 0.002;

/// What time went into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Work {
    /// The tests before anything was changed.
    Tests,
    /// Waiting for an answer.
    Model,
    /// A tool.
    Tool,
    /// A candidate that was judged.
    Candidate,
}

impl Work {
    const ALL: [Self; 4] = [Self::Tests, Self::Model, Self::Tool, Self::Candidate];

    fn class(self) -> &'static str {
        match self {
            Self::Tests => "went",
            Self::Model => "set-a",
            Self::Tool => "set-b",
            Self::Candidate => "set-c",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Tests => "first test run",
            Self::Model => "waiting for a model",
            Self::Tool => "tools",
            Self::Candidate => "judging candidates",
        }
    }
}

/// Something that took time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Moment {
    /// Who; nobody before the first agent.
    pub scope: Option<Scope>,
    /// What kind of work.
    pub work: Work,
    /// What, in a word.
    pub what: String,
    /// The seconds of work at which it began and ended.
    pub span: (f64, f64),
    /// What it cost.
    pub usage: Usage,
    /// The judge's word on a candidate.
    pub outcome: Option<Outcome>,
}

/// The picture with its key, and every step with what it cost.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Axis {
    svg: String,
    key: Vec<(&'static str, &'static str)>,
    steps: Vec<Step>,
}

/// A row of figures.
#[derive(Debug, Clone, Serialize)]
struct Step {
    at: String,
    place: String,
    what: String,
    seconds: String,
    tokens: u64,
    cost: String,
    tokens_so_far: u64,
    cost_so_far: String,
}

/// The axis of a run; empty where nothing took time.
pub(super) fn axis(walk: &Walk) -> Axis {
    let end = walk.moments.iter().map(|moment| moment.span.1).fold(0.0, f64::max);
    if end <= 0.0 {
        return Axis::default();
    }
    let done = |work: &Work| walk.moments.iter().any(|moment| moment.work == *work);
    let key = Work::ALL.into_iter().filter(done).map(|work| (work.class(), work.words())).collect();
    Axis { svg: picture(&walk.moments, end), key, steps: steps(&walk.moments) }
}

fn lane(moment: &Moment) -> String {
    moment.scope.as_ref().map_or_else(|| "before any agent".to_owned(), |scope| super::place(&scope.run()))
}

fn tokens(usage: &Usage) -> u64 {
    usage.prompt_tokens + usage.completion_tokens
}

fn dollars(usage: &Usage) -> String {
    match usage.cost_usd.0 {
        _ if usage.requests == 0 => String::new(),
        Some(usd) => format!("{usd:.4}"),
        None => "unknown".to_owned(),
    }
}

/// Lanes of agents in the order in which they began, and below them what was spent by then.
fn picture(moments: &[Moment], end: f64) -> String {
    let x = |at: f64| LEFT + (WIDE - LEFT - 12.0) * at / end;
    let mut svg = Svg::default();
    let mut lanes: Vec<(String, Vec<&Moment>)> = Vec::new();
    for moment in moments {
        let name = lane(moment);
        match lanes.iter_mut().find(|(known, _)| *known == name) {
            Some((_, all)) => all.push(moment),
            None => lanes.push((name, vec![moment])),
        }
    }
    for (nth, (name, all)) in lanes.iter().enumerate() {
        let top = LANE * nth as f64;
        svg.text((LEFT - 8.0, top + 14.0), Anchor::End, "", &clipped(name, NAME));
        for (work, (from, to), words) in drawn(all, end * PAUSE) {
            svg.rect((x(from), top + 3.0), ((x(to) - x(from)).max(1.5), LANE - 7.0), work.class(), &words);
        }
    }
    let mut top = LANE * lanes.len() as f64;
    let spent: Vec<(f64, Usage)> = so_far(moments);
    let known = |usage: &Usage| usage.cost_usd.0.unwrap_or(0.0);
    if spent.last().is_some_and(|(_, usage)| tokens(usage) > 0) {
        let points = spent.iter().map(|(at, usage)| (x(*at), tokens(usage) as f64)).collect();
        top = curve(&mut svg, top, "tokens", points, "set-a");
    }
    if spent.last().is_some_and(|(_, usage)| known(usage) > 0.0) {
        let points = spent.iter().map(|(at, usage)| (x(*at), known(usage))).collect();
        top = curve(&mut svg, top, "US dollars", points, "set-b");
    }
    svg.line((LEFT, top + 4.0), (WIDE - 12.0, top + 4.0), "whisker");
    for tick in ticks(end) {
        svg.line((x(tick), 0.0), (x(tick), top + 8.0), "grid");
        svg.text((x(tick), top + 22.0), Anchor::Middle, "soft", &plain(tick));
    }
    svg.text((LEFT - 8.0, top + 22.0), Anchor::End, "soft", "seconds of work");
    svg.finish(
        WIDE,
        top + 28.0,
        "Which agent worked when, and what had been spent by then; as the table of steps below",
    )
}

/// What is drawn in a lane: work of one kind without a pause that could be seen is one bar.
fn drawn(all: &[&Moment], pause: f64) -> Vec<(Work, (f64, f64), String)> {
    let mut bars: Vec<(Work, (f64, f64), Vec<&str>)> = Vec::new();
    let mut sorted = all.to_vec();
    sorted.sort_by(|a, b| a.work.cmp(&b.work).then(a.span.0.total_cmp(&b.span.0)));
    for moment in sorted {
        match bars.last_mut().filter(|(work, span, _)| *work == moment.work && moment.span.0 <= span.1 + pause) {
            Some((_, span, what)) => {
                span.1 = span.1.max(moment.span.1);
                what.push(&moment.what);
            }
            None => bars.push((moment.work, moment.span, vec![&moment.what])),
        }
    }
    let titled = |(work, (from, to), what): (Work, (f64, f64), Vec<&str>)| {
        let what = if what.len() == 1 { what[0].to_owned() } else { format!("{} times", what.len()) };
        (work, (from, to), format!("{}: {what}, {from:.1} s to {to:.1} s", work.words()))
    };
    // Tools stand behind what they do: a candidate is judged inside the tool that wrote it.
    let (back, front): (Vec<_>, Vec<_>) = bars.into_iter().partition(|(work, ..)| *work == Work::Tool);
    back.into_iter().chain(front).map(titled).collect()
}

/// A cumulative sum; gives where the next thing begins.
fn curve(svg: &mut Svg, top: f64, name: &str, points: Vec<(f64, f64)>, class: &str) -> f64 {
    let most = points.last().map_or(1.0, |(_, sum)| *sum);
    let bottom = top + CURVE;
    let mut data = format!("M{LEFT:.1},{bottom:.1}");
    for (x, sum) in points {
        data += &format!(" H{x:.1} V{:.1}", bottom - (CURVE - 18.0) * sum / most);
    }
    data += &format!(" H{:.1}", WIDE - 12.0);
    svg.path(&data, &format!("sum line-{class}"), "");
    svg.text((LEFT - 8.0, bottom - 18.0), Anchor::End, "", name);
    let sum = if most.fract() == 0.0 { format!("{most:.0}") } else { format!("{most:.4}") };
    svg.text((LEFT - 8.0, bottom - 3.0), Anchor::End, "soft", &format!("{sum} in the end"));
    bottom
}

/// What had been spent after each answer.
fn so_far(moments: &[Moment]) -> Vec<(f64, Usage)> {
    let mut sum = Usage::default();
    let answers = moments.iter().filter(|moment| moment.usage.requests > 0);
    answers
        .map(|moment| {
            sum += moment.usage;
            (moment.span.1, sum)
        })
        .collect()
}

/// A row for each answer and tool call; candidates that followed each other are one.
fn steps(moments: &[Moment]) -> Vec<Step> {
    let alike = |a: &Moment, b: &Moment| a.work == Work::Candidate && b.work == a.work && a.scope == b.scope;
    let mut sum = Usage::default();
    let groups = moments.chunk_by(alike);
    groups
        .map(|group| {
            let mut own = Usage::default();
            group.iter().for_each(|moment| own += moment.usage);
            sum += own;
            let from = group.iter().map(|moment| moment.span.0).fold(f64::INFINITY, f64::min);
            let to = group.iter().map(|moment| moment.span.1).fold(0.0, f64::max);
            let cycle = group[0].scope.as_ref().filter(|scope| scope.cycle > 0);
            Step {
                at: format!("{from:.1}"),
                place: lane(&group[0]) + &cycle.map_or_else(String::new, |scope| format!(", cycle {}", scope.cycle)),
                what: summary(group),
                seconds: format!("{:.1}", to - from),
                tokens: tokens(&own),
                cost: dollars(&own),
                tokens_so_far: tokens(&sum),
                cost_so_far: dollars(&sum),
            }
        })
        .collect()
}

fn summary(group: &[Moment]) -> String {
    let mut outcomes: BTreeMap<Outcome, usize> = BTreeMap::new();
    group.iter().filter_map(|moment| moment.outcome).for_each(|outcome| *outcomes.entry(outcome).or_default() += 1);
    match group {
        [one] => one.what.clone(),
        _ => {
            let outcomes: Vec<String> = outcomes.iter().map(|(word, n)| format!("{n} {}", word.title())).collect();
            format!("{} candidates: {}", group.len(), outcomes.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(work: Work, from: f64, to: f64, tokens: u64) -> Moment {
        let requests = u64::from(tokens > 0);
        let usage = Usage { requests, prompt_tokens: tokens, ..Usage::default() };
        Moment { scope: None, work, what: "x".into(), span: (from, to), usage, outcome: None }
    }

    #[test]
    fn work_without_a_pause_is_one_bar_and_sums_grow() {
        let all = [
            moment(Work::Candidate, 0.0, 1.0, 0),
            moment(Work::Candidate, 1.001, 2.0, 0),
            moment(Work::Candidate, 5.0, 6.0, 0),
            moment(Work::Model, 6.0, 8.0, 10),
            moment(Work::Model, 8.0, 9.0, 5),
        ];
        let bars = drawn(&all.iter().collect::<Vec<_>>(), 0.01);
        let spans: Vec<_> = bars.iter().map(|(work, span, _)| (*work, *span)).collect();
        let wanted = [(Work::Model, (6.0, 9.0)), (Work::Candidate, (0.0, 2.0)), (Work::Candidate, (5.0, 6.0))];
        assert_eq!(spans, wanted);
        let sums: Vec<_> = so_far(&all).iter().map(|(at, usage)| (*at, tokens(usage))).collect();
        assert_eq!(sums, [(8.0, 10), (9.0, 15)]);
        let rows = steps(&all);
        assert_eq!(rows.iter().map(|row| row.tokens_so_far).collect::<Vec<_>>(), [0, 10, 15]);
        assert_eq!((rows[0].at.as_str(), rows[0].seconds.as_str()), ("0.0", "6.0"));
    }
}
