//! Live progress on stderr: a line an event, and what is being done now.
//!
//! On a terminal a moving line names the phase and how far it is; elsewhere a line each half minute does.

use crate::domain::{Event, EventSink, Outcome, Progress as Phase, Watcher};
use crate::report;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How often a long phase says that it goes on, where there is no terminal.
const HEARTBEAT: Duration = Duration::from_secs(30);

/// Prints events as they happen, and the phase under way.
pub struct Progress {
    bar: ProgressBar,
    state: Arc<Mutex<State>>,
}

struct State {
    tried: u64,
    /// What is being done, as it is shown.
    phase: String,
    began: Instant,
    /// When something was printed the last time.
    printed: Instant,
}

impl Progress {
    /// Progress on stderr; off a terminal lines only.
    pub fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let now = Instant::now();
        let state = State { tried: 0, phase: String::new(), began: now, printed: now };
        let state = Arc::new(Mutex::new(state));
        if !std::io::stderr().is_terminal() {
            let state = Arc::downgrade(&state);
            std::thread::spawn(move || beat(&state));
        }
        Self { bar, state }
    }

    /// Shows phases as they go on.
    pub fn watcher(&self) -> Watcher {
        let (bar, state) = (self.bar.clone(), Arc::downgrade(&self.state));
        Watcher::new(move |phase| {
            let Some(state) = state.upgrade() else { return };
            let text = shown(phase);
            bar.set_message(text.clone());
            lock(&state).phase = text;
        })
    }

    /// Removes the moving line.
    pub fn finish(&self) {
        lock(&self.state).phase.clear();
        self.bar.finish_and_clear();
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A phase as a line: `running the tests: 310 of 1144 classes`.
fn shown(phase: &Phase) -> String {
    match phase.of {
        Some(of) => format!("{}: {} of {of} classes", phase.phase, phase.done),
        None => phase.phase.clone(),
    }
}

/// Says now and then what is being done, until nobody listens any more.
fn beat(state: &Weak<Mutex<State>>) {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let Some(state) = state.upgrade() else { return };
        let mut state = lock(&state);
        if !state.phase.is_empty() && state.printed.elapsed() >= HEARTBEAT {
            super::tell(&format!("{} ({} s)", state.phase, state.began.elapsed().as_secs()));
            state.printed = Instant::now();
        }
    }
}

impl EventSink for Progress {
    fn emit(&self, event: &Event) -> std::io::Result<()> {
        if let Some(line) = report::progress_line(event) {
            self.bar.suspend(|| super::tell(&line));
            let mut state = lock(&self.state);
            state.printed = Instant::now();
            // What was being done before is over.
            if !matches!(event, Event::Notice { .. }) {
                self.bar.set_message(line.clone());
                state.phase = line;
            }
        }
        if let Event::Validated { outcome, origin, .. } = event {
            let mut state = lock(&self.state);
            state.tried += u64::from(*outcome != Outcome::PassedWarm);
            let text = format!("candidate {}: {outcome} ({origin})", state.tried);
            self.bar.set_message(text.clone());
            state.phase = text;
        }
        Ok(())
    }
}
