//! A suite split over the processors: classes are dealt out in pieces, which get smaller towards the end, so that all
//! lanes end at about the same time. Each piece runs in a fresh process, in the lane's own copy; where classes are quick
//! beside the start of a process, a piece holds enough of them to be worth it.

use crate::domain::{TestReport, TestResult, outer_class};
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Lanes at most: each has a copy and a process of its own.
const MOST: usize = 8;
/// Classes that one process runs at most.
const PIECE: usize = 200;
/// Times its start that a process should be at work at least, as far as the lanes stay even.
const WORTH: f64 = 2.0;
/// What a process is believed to need for its start before one was seen.
const START: f64 = 1.0;

/// How many lanes this machine has.
pub(super) fn count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).clamp(1, MOST)
}

/// What is known of the time that classes take.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    pieces: usize,
    classes: usize,
    /// Seconds of the tests in them.
    tests: f64,
    /// Seconds of processes in which no test ran.
    starts: f64,
}

impl Times {
    /// How many of the classes that are left the next piece holds.
    fn size(self, left: usize, lanes: usize) -> usize {
        let fair = left.div_ceil(2 * lanes);
        let size = match self.classes {
            0 => fair,
            classes => {
                let each = (self.tests / classes as f64).max(1e-6);
                let start = if self.pieces == 0 { START } else { self.starts / self.pieces as f64 };
                let worth = (WORTH * start / each).ceil() as usize;
                // No second process is started for what takes less time than its start, by as many that ran.
                let is_little = classes >= left && left as f64 * each <= start;
                let most = if is_little { left } else { left.div_ceil(lanes) };
                fair.max(worth.min(most))
            }
        };
        size.clamp(1, PIECE)
    }
}

/// Classes that are still to be run.
pub(super) struct Queue {
    classes: Mutex<VecDeque<String>>,
    lanes: usize,
    all: usize,
    times: Mutex<Times>,
    done: AtomicUsize,
    stopped: AtomicBool,
}

impl Queue {
    /// Classes in the order in which they are dealt out; an earlier report tells how long they take, if it knows them all.
    pub(super) fn new(classes: Vec<String>, lanes: usize, earlier: &TestReport) -> Self {
        let wanted: HashSet<&str> = classes.iter().map(|class| outer_class(class)).collect();
        let known = earlier.results.values().filter(|result| wanted.contains(result.id.outer_class()));
        let (mut seen, mut tests) = (HashSet::new(), 0.0);
        for result in known {
            seen.insert(result.id.outer_class());
            tests += seconds(result);
        }
        let is_known = seen.len() == wanted.len();
        let times =
            if is_known { Times { classes: classes.len(), tests, ..Times::default() } } else { Times::default() };
        let (done, stopped) = Default::default();
        Self { all: classes.len(), classes: Mutex::new(classes.into()), lanes, times: Mutex::new(times), done, stopped }
    }

    /// The next piece; `None` when nothing is left or the run was stopped.
    pub(super) fn next(&self) -> Option<Vec<String>> {
        if self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        let mut classes = lock(&self.classes);
        let piece = lock(&self.times).size(classes.len(), self.lanes);
        let piece: Vec<String> = std::iter::from_fn(|| classes.pop_front()).take(piece).collect();
        (!piece.is_empty()).then_some(piece)
    }

    /// Classes that have tests left come after the others.
    pub(super) fn put_back(&self, classes: Vec<String>) {
        lock(&self.classes).extend(classes);
    }

    /// Whether all classes were dealt out.
    pub(super) fn is_empty(&self) -> bool {
        lock(&self.classes).is_empty()
    }

    /// Nothing further is dealt out.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// So many classes were run in this time, with this report; returns how many in all, and of how many.
    pub(super) fn finish(&self, classes: usize, wall: Duration, report: &TestReport) -> (usize, usize) {
        let tests = report.results.values().map(seconds).sum::<f64>();
        let mut times = lock(&self.times);
        // What was measured now counts, not what was known before.
        let before = if times.pieces == 0 { Times::default() } else { *times };
        *times = Times {
            pieces: before.pieces + 1,
            classes: before.classes + classes,
            tests: before.tests + tests,
            starts: before.starts + (wall.as_secs_f64() - tests).max(0.0),
        };
        (self.done.fetch_add(classes, Ordering::Relaxed) + classes, self.all)
    }
}

fn seconds(result: &TestResult) -> f64 {
    result.millis as f64 / 1e3
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{TestId, TestStatus};
    use crate::validate::suite;

    fn report(classes: usize, millis: u64) -> TestReport {
        let result = |n: usize| {
            let id = TestId::new(n.to_string(), "t");
            (id.clone(), TestResult { id, status: TestStatus::Passed, failure: None, millis, loss: None })
        };
        TestReport { results: (0..classes).map(result).collect(), ..suite::empty() }
    }

    fn queue(classes: usize, earlier: &TestReport) -> Queue {
        Queue::new((0..classes).map(|n| n.to_string()).collect(), 2, earlier)
    }

    #[test]
    fn pieces_get_smaller_towards_the_end() {
        let queue = queue(20, &suite::empty());
        let sizes: Vec<usize> = std::iter::from_fn(|| queue.next()).map(|piece| piece.len()).collect();
        assert_eq!(sizes, [5, 4, 3, 2, 2, 1, 1, 1, 1]);
        queue.stop();
        assert_eq!(queue.next(), None);
    }

    #[test]
    fn a_piece_is_worth_its_process() {
        let after = |millis, wall| {
            let queue = queue(24, &suite::empty());
            let first = queue.next().unwrap().len();
            queue.finish(first, Duration::from_millis(wall), &report(first, millis));
            queue.next().unwrap().len()
        };
        assert_eq!(after(100, 1600), 9, "beside a second of start, each lane takes half of what is left");
        assert_eq!(after(500, 3200), 5, "slow ones are dealt out as before");
        assert_eq!(after(10, 1060), 9, "few ran: nobody knows whether the others are as quick");
        assert_eq!(queue(24, &report(24, 1500)).next().unwrap().len(), 6);
        assert_eq!(
            queue(24, &report(24, 100)).next().unwrap().len(),
            12,
            "an earlier report knows that they are quick"
        );
        assert_eq!(queue(24, &report(24, 10)).next().unwrap().len(), 24, "all take less than the start of a process");
        assert_eq!(queue(24, &report(23, 100)).next().unwrap().len(), 6, "and this one does not know them all");
    }
}
