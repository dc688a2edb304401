//! What the phases of the judge took, by the clock and of the processors.

use super::processor::processor;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use unidebug::domain::Watcher;

/// The phases of a confirmation in which the triggering tests run in a plain process, and in forms that must fail.
pub const PLAIN: &str = "running the triggering tests in a process of their own";
pub const CONTROLS: &str = "running the triggering tests reversed";

/// What something took.
#[derive(Clone, Copy, Default)]
pub struct Cost {
    pub wall: f64,
    pub processor: f64,
}

impl std::ops::Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { wall: self.wall + other.wall, processor: self.processor + other.processor }
    }
}

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} s ({:.2} s CPU)", self.wall, self.processor)
    }
}

/// When each phase began, and what the processors had done until then.
#[derive(Clone, Default)]
pub struct Phases(Arc<Mutex<Vec<(String, Instant, f64)>>>);

impl Phases {
    /// Notes that a phase begins.
    pub fn note(&self, name: &str) {
        let mut phases = self.0.lock().unwrap();
        if phases.last().is_none_or(|(last, ..)| *last != name) {
            phases.push((name.to_owned(), Instant::now(), processor()));
        }
    }

    /// Notes the phases of a judge.
    pub fn watcher(&self) -> Watcher {
        let phases = self.clone();
        Watcher::new(move |progress| phases.note(&progress.phase))
    }

    /// Forgets all phases so far.
    pub fn forget(&self) {
        self.0.lock().unwrap().clear();
    }

    /// What all parts of a phase took that is over.
    pub fn cost_of(&self, phase: &str) -> Cost {
        let phases = self.0.lock().unwrap();
        let ends = phases.iter().skip(1).map(|(_, at, processor)| (*at, *processor));
        let all = phases.iter().zip(ends).filter(|((name, ..), _)| name == phase);
        let costs = all.map(|((_, begin, before), (end, after))| Cost {
            wall: (end - *begin).as_secs_f64(),
            processor: after - before,
        });
        costs.fold(Cost::default(), |sum, cost| sum + cost)
    }
}
