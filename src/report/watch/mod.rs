//! A batch while it is worked on, as one page: what it shows, and the page itself. Who serves it fills [`Snapshot`].

use super::page::{CHOOSE, render, style};
use serde::Serialize;
use std::collections::BTreeMap;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// How far a batch is at one moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Snapshot {
    /// Bugs in all.
    pub units: usize,
    /// Bugs by state, in the order in which they are shown.
    pub states: Vec<(&'static str, usize)>,
    /// What was spent and what is left, in words.
    pub spent: String,
    /// The same against the caps of the batch; empty without any.
    pub left: String,
    /// Levels, each as it fills.
    pub levels: Vec<LevelRow>,
    /// Candidates that were judged, by what became of them.
    pub candidates: BTreeMap<&'static str, usize>,
    /// What kept bugs from being tried, or from being repaired, and how often.
    pub failures: BTreeMap<String, usize>,
    /// When the rest is done; `None` before enough is over.
    pub finish: Option<Finish>,
    /// The bugs, in the order of the plan.
    pub bugs: Vec<BugRow>,
}

/// One level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct LevelRow {
    /// Its name.
    pub level: String,
    /// Bugs that came so far.
    pub entered: usize,
    /// Of these, repaired here.
    pub plausible: usize,
    /// Of these, at work here now.
    pub now: usize,
}

/// How long the rest takes, in seconds, at the pace of what is over.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Finish {
    /// If it goes well.
    pub low: f64,
    /// Most likely.
    pub likely: f64,
    /// If it goes badly.
    pub high: f64,
}

impl Finish {
    /// The time of `rest` bugs when `done` took so long; with the range in which nineteen of twenty such paces lie. A
    /// pace is not known before three are done.
    #[allow(clippy::cast_precision_loss)]
    pub(crate) fn of(done: usize, seconds: f64, rest: usize) -> Option<Self> {
        const FEWEST: usize = 3;
        if done < FEWEST || rest == 0 || seconds <= 0.0 {
            return None;
        }
        let (counted, rest) = (done as f64, rest as f64);
        let spread = 1.96 * counted.sqrt();
        let after = |done: f64| rest * seconds / done;
        Some(Self { low: after(counted + spread), likely: after(counted), high: after((counted - spread).max(0.5)) })
    }
}

/// One bug.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct BugRow {
    /// Its run directory in the batch, which is its name here.
    pub unit: String,
    /// The bug.
    pub bug: String,
    /// The configuration; empty where there is only one.
    pub configuration: String,
    /// Its state, one of those in [`Snapshot::states`].
    pub state: &'static str,
    /// The agent at work, or the level that repaired it.
    pub place: String,
    /// The last step, or why it is not over.
    pub step: String,
    /// Milliseconds since 1970 at which its journal grew last; 0 when it has none.
    pub heard_ms: u64,
    /// Dollars, where they are known.
    pub cost_usd: Option<f64>,
    /// Seconds it took, when it is over.
    pub seconds: Option<f64>,
}

/// What the template sees.
#[derive(Serialize)]
struct Page<'a> {
    title: String,
    folder: &'a str,
}

/// The page; everything in it comes by events.
///
/// # Errors
/// The template is wrong, which its test would have found.
pub(crate) fn html(folder: &str) -> Result<String, minijinja::Error> {
    let name = folder.rsplit('/').next().unwrap_or(folder);
    render(TEMPLATE, &Page { title: format!("unidebug: {name}"), folder })
}

/// The page's style.
pub(crate) fn css() -> String {
    style(STYLE)
}

/// The page's script.
pub(crate) fn script() -> String {
    format!("\"use strict\";\n{SCRIPT}{CHOOSE}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_told_with_its_range_once_a_pace_is_known() {
        assert_eq!((Finish::of(2, 60.0, 5), Finish::of(9, 90.0, 0)), (None, None));
        let finish = Finish::of(16, 160.0, 32).unwrap();
        assert!((finish.likely - 320.0).abs() < 1e-9);
        assert!(finish.low > 210.0 && finish.low < 320.0 && finish.high > 320.0 && finish.high < 640.0, "{finish:?}");
        assert!(Finish::of(3, 10.0, 1).unwrap().high.is_finite());
    }

    #[test]
    fn what_a_folder_is_called_does_not_end_a_tag() {
        let page = html("/tmp/<script>").unwrap();
        assert!(page.contains("&lt;script&gt;") && !page.contains("/tmp/<script>"));
    }
}
