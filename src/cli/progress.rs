//! Live progress on stderr: a line an event.

use crate::domain::{Event, EventSink, Outcome};
use crate::report;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Mutex;
use std::time::Duration;

/// Prints events as they happen; on a terminal the candidates are counted on one moving line.
pub struct Progress {
    bar: ProgressBar,
    tried: Mutex<u64>,
}

impl Progress {
    /// Progress on stderr; hidden off a terminal except for its lines.
    pub fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, tried: Mutex::new(0) }
    }

    /// Removes the moving line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl EventSink for Progress {
    fn emit(&self, event: &Event) -> std::io::Result<()> {
        if let Some(line) = report::progress_line(event) {
            self.bar.suspend(|| super::tell(&line));
        }
        if let Event::Validated { outcome, origin, .. } = event {
            let mut tried = self.tried.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            *tried += u64::from(*outcome != Outcome::PassedWarm);
            self.bar.set_message(format!("candidate {tried}: {outcome} ({origin})"));
        }
        Ok(())
    }
}
