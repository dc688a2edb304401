//! How far a batch is, while somebody works on it: a table on a terminal, elsewhere a line now and then.

use crate::batch::{Progress, Running};
use crate::cli::width;
use crate::domain::words::counted;
use crate::llm::Waiting;
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Units at work that are listed; of more only the number is shown.
pub(super) const LISTED: usize = 12;

/// The display of one worker.
pub(super) struct Live {
    bar: ProgressBar,
    quiet: bool,
    begin: Instant,
    /// Units that were over when the worker began: they tell nothing about its pace.
    before: usize,
    last: Mutex<usize>,
}

impl Live {
    /// A display; `before` units were over when the work began.
    pub(super) fn new(units: usize, before: usize, quiet: bool) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(units as u64) };
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent}%\n{msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_secs(1));
        Self { bar, quiet, begin: Instant::now(), before, last: Mutex::new(usize::MAX) }
    }

    /// Shows how far the batch is.
    pub(super) fn tell(&self, progress: &Progress) {
        self.bar.set_position(progress.over as u64);
        let left = left(progress, self.begin.elapsed(), self.before);
        if !self.bar.is_hidden() {
            let table = table(progress, self.begin.elapsed(), left);
            let lines: Vec<String> = table.lines().map(|line| width::cut(line, width::columns(), 0)).collect();
            self.bar.set_message(lines.join("\n"));
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if self.bar.is_hidden() && !self.quiet && *last != progress.over {
            *last = progress.over;
            anstream::eprintln!("{}", line(progress, left));
        }
    }

    /// Takes the table away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The time that the rest takes at the pace so far; `None` before anything is over, and when nothing is left.
fn left(progress: &Progress, elapsed: Duration, before: usize) -> Option<Duration> {
    let done = u32::try_from(progress.over.checked_sub(before)?).ok()?;
    let rest = u32::try_from(progress.units.checked_sub(progress.over)?).ok().filter(|&rest| rest > 0)?;
    elapsed.checked_div(done)?.checked_mul(rest)
}

/// `12/40 completed, 9 plausible (L1 8, L2 1), $0.12, ETA 0:03:10; running: …`
fn line(progress: &Progress, left: Option<Duration>) -> String {
    let mut text = counts(progress);
    if let Some(left) = left {
        let _ = write!(text, ", ETA {}", clock(left));
    }
    if let Some(waiting) = waiting(progress) {
        let _ = write!(text, "; {waiting}");
    }
    if !progress.running.is_empty() {
        let bugs: Vec<String> = progress.running.iter().map(|running| running.unit.bug.to_string()).collect();
        let _ = write!(text, "; running: {}", bugs.join(", "));
    }
    text
}

fn table(progress: &Progress, elapsed: Duration, left: Option<Duration>) -> String {
    let (plausible, levels) = plausible(progress);
    let left = left.map_or_else(|| "unknown".to_owned(), clock);
    let mut text = format!("completed  {} of {}\nplausible  {plausible}{levels}\n", progress.over, progress.units);
    if !progress.troubles.is_empty() {
        let next = progress.troubles.iter().filter_map(|(_, trouble)| trouble.again_in()).min();
        let next = next.map(|wait| format!(", tried again in {}", clock(wait))).unwrap_or_default();
        let _ = writeln!(text, "failed     {} by the environment{next}", progress.troubles.len());
    }
    let _ = writeln!(text, "cost       {}", cost(progress));
    let _ = write!(text, "time       {}, ETA {left}", clock(elapsed));
    if let Some(waiting) = waiting(progress) {
        let _ = write!(text, "\nwaits      {waiting}");
    }
    for Running { unit, since, at } in progress.running.iter().take(LISTED) {
        let at = at
            .as_ref()
            .map_or_else(|| "prepares".to_owned(), |at| format!("{} {}, cycle {}", at.level, at.agent, at.cycle));
        let _ = write!(text, "\nrunning    {:<40} {at:<28} {}", unit.bug.to_string(), clock(*since));
    }
    if let Some(more) = progress.running.len().checked_sub(LISTED).filter(|&more| more > 0) {
        let _ = write!(text, "\n           and {more} more");
    }
    text
}

/// `waits for 12 answers of 1 batch, 4 are ready`
fn waiting(progress: &Progress) -> Option<String> {
    let Waiting { batches, requests, done } = progress.waiting?;
    let batches = counted(batches, "batch");
    Some(format!("waits for {} of {batches}, {done} are ready", counted(requests, "answer")))
}

/// `12/40 completed, 9 plausible (L1 8, L2 1), 1 failed by the environment, $0.12`
pub(super) fn counts(progress: &Progress) -> String {
    let (plausible, levels) = plausible(progress);
    let trouble = match progress.troubles.len() {
        0 => String::new(),
        n => format!(", {n} failed by the environment"),
    };
    format!(
        "{}/{} completed, {plausible} plausible{levels}{trouble}, {}",
        progress.over,
        progress.units,
        cost(progress)
    )
}

/// How many are plausible, and ` (L1 8, L2 1)`.
fn plausible(progress: &Progress) -> (usize, String) {
    let text = |(level, n): (&String, &usize)| match level.parse::<u8>() {
        Ok(0) => format!("level 0 {n}"),
        Ok(level) => format!("L{level} {n}"),
        Err(_) => format!("{level} {n}"),
    };
    let levels: Vec<String> = progress.plausible.iter().map(text).collect();
    let levels = if levels.is_empty() { String::new() } else { format!(" ({})", levels.join(", ")) };
    (progress.plausible.values().sum(), levels)
}

fn cost(progress: &Progress) -> String {
    progress.cost_usd.map_or_else(|| "unknown price".to_owned(), |cost| format!("${cost:.4}"))
}

/// `1:02:03`
pub(super) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Configuration, Plan, Trouble};
    use crate::domain::{Level, Scope};

    fn progress() -> Progress {
        let bugs = ["fixtures:a", "fixtures:b", "fixtures:c"].map(|id| id.parse().unwrap()).to_vec();
        let plan = Plan::new(bugs, vec![Configuration { name: "run".into(), args: Vec::new() }], 4).unwrap();
        let unit = plan.units().remove(1);
        let trouble = Trouble { tries: 1, code: Some(3), message: "no JDK".into(), at_ms: 0, pause_ms: 15_000 };
        let at = Scope { attempt: 1, level: Level::L2, agent: "slicer".into(), cycle: 3, focus: None, visit: 1 };
        Progress {
            waiting: None,
            units: 12,
            over: 6,
            plausible: [("0".to_owned(), 1), ("1".to_owned(), 3), ("refine".to_owned(), 1)].into(),
            troubles: vec![(unit.clone(), trouble)],
            begun: Vec::new(),
            cost_usd: Some(0.25),
            running: vec![Running { unit, since: Duration::from_secs(75), at: Some(at) }],
        }
    }

    #[test]
    fn the_table_tells_what_is_done_repaired_spent_left_and_who_works() {
        let progress = progress();
        let elapsed = Duration::from_secs(200);
        let left = left(&progress, elapsed, 2);
        assert_eq!(left, Some(Duration::from_secs(300)), "four in 200 seconds, six to go");
        let wanted = "completed  6 of 12\nplausible  5 (level 0 1, L1 3, refine 1)\nfailed     1 by the environment, tried again in 0:00:00\n\
                      cost       $0.2500\ntime       0:03:20, ETA 0:05:00\n\
                      running    fixtures:b                               L2 slicer, cycle 3           0:01:15";
        assert_eq!(table(&progress, elapsed, left), wanted);
    }

    #[test]
    fn the_line_is_the_same_in_short() {
        let wanted = "6/12 completed, 5 plausible (level 0 1, L1 3, refine 1), 1 failed by the environment, $0.2500, \
                      ETA 1:00:00; running: fixtures:b";
        assert_eq!(line(&progress(), Some(Duration::from_secs(3600))), wanted);
        assert_eq!(left(&Progress { over: 12, ..progress() }, Duration::from_secs(9), 2), None);
        assert_eq!(left(&progress(), Duration::from_secs(9), 6), None, "nothing is over yet");
        assert_eq!(counts(&Progress::default()), "0/0 completed, 0 plausible, unknown price");
    }
}
