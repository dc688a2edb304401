//! Live progress on stderr: a line an event, and what is being done now.
//!
//! On a terminal a moving line names the phase and how far it is; elsewhere a line each half minute does.

use super::width;
use crate::domain::{Event, EventSink, Outcome, Progress as Phase, Watcher};
use crate::report;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Columns of the spinner and the clock beside the text.
const BESIDE: usize = 10;

/// Columns of the moving line at most.
/// What stands on it is not left behind where a wider terminal becomes one of the usual width.
const WIDEST: usize = 80;

/// How often a long phase says that it goes on, where there is no terminal.
const HEARTBEAT: Duration = Duration::from_secs(30);

/// Prints events as they happen, and the phase under way.
pub(super) struct Progress {
    bar: ProgressBar,
    /// What stands on the moving line; it is cut to the terminal's width whenever it is drawn.
    shown: Arc<Mutex<String>>,
    state: Arc<Mutex<State>>,
}

struct State {
    live: report::Live,
    tried: u64,
    /// What is being done, as it is shown.
    phase: String,
    began: Instant,
    /// When something was printed the last time.
    printed: Instant,
}

impl Progress {
    /// Progress on stderr; off a terminal lines only.
    pub(super) fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        let shown = Arc::new(Mutex::new(String::new()));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {cut}") {
            let shown = shown.clone();
            let cut = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
                let shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
                let _ = out.write_str(&width::cut(&shown, width::columns().min(WIDEST), BESIDE));
            };
            bar.set_style(style.with_key("cut", cut));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let now = Instant::now();
        let state = State { live: report::Live::default(), tried: 0, phase: String::new(), began: now, printed: now };
        let state = Arc::new(Mutex::new(state));
        if !std::io::stderr().is_terminal() {
            let state = Arc::downgrade(&state);
            std::thread::spawn(move || beat(&state));
        }
        Self { bar, shown, state }
    }

    /// Shows phases as they go on.
    pub(super) fn watcher(&self) -> Watcher {
        let (shown, state) = (self.shown.clone(), Arc::downgrade(&self.state));
        Watcher::new(move |phase| {
            let Some(state) = state.upgrade() else { return };
            let text = phase_text(phase);
            tracing::debug!("{text}");
            put(&shown, &text);
            lock(&state).phase = text;
        })
    }

    /// Removes the moving line.
    pub(super) fn finish(&self) {
        lock(&self.state).phase.clear();
        self.bar.finish_and_clear();
    }
}

/// Puts a text on the moving line; the next tick shows it.
fn put(shown: &Mutex<String>, text: &str) {
    text.clone_into(&mut shown.lock().unwrap_or_else(PoisonError::into_inner));
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A phase as a line: `running the tests: 310 of 1144 classes`.
fn phase_text(phase: &Phase) -> String {
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
        let line = lock(&self.state).live.line(event);
        if let Some(line) = line {
            self.bar.suspend(|| super::tell(&line));
            let mut state = lock(&self.state);
            state.printed = Instant::now();
            // What was being done before is over.
            if !matches!(event, Event::Notice { .. }) {
                let line = line.lines().next().unwrap_or_default().to_owned();
                put(&self.shown, &line);
                state.phase = line;
            }
        }
        if let Event::Validated { outcome, origin, .. } = event {
            let mut state = lock(&self.state);
            state.tried += u64::from(*outcome != Outcome::PassedWarm);
            let text = format!("candidate {}: {} ({origin})", state.tried, outcome.title());
            put(&self.shown, &text);
            state.phase = text;
        }
        Ok(())
    }
}
