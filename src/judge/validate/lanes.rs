//! A suite split over the processors: classes are dealt out in pieces, which get smaller towards the end, so that all
//! lanes end at about the same time. Each piece runs in a fresh process, in the lane's own copy; where classes are quick, a
//! piece holds enough of them to be worth a process.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lanes at most: each has a copy and a process of its own.
const MOST: usize = 8;
/// Classes that one process runs at most.
const PIECE: usize = 200;
/// How long a process should be at work at least, as far as the lanes stay even.
const WORTH: Duration = Duration::from_secs(1);

/// How many lanes this machine has.
pub(super) fn count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).clamp(1, MOST)
}

/// How many of the classes that are left the next piece holds, after so many were done in some time.
fn size(left: usize, lanes: usize, done: usize, time: Duration) -> usize {
    let in_a_lane = done as f64 / lanes as f64 / time.as_secs_f64().max(1e-3);
    let worth = ((in_a_lane * WORTH.as_secs_f64()).ceil() as usize).min(left.div_ceil(lanes));
    left.div_ceil(2 * lanes).max(worth).clamp(1, PIECE)
}

/// Classes that are still to be run.
pub(super) struct Queue {
    classes: Mutex<VecDeque<String>>,
    lanes: usize,
    all: usize,
    begin: Instant,
    done: AtomicUsize,
    stopped: AtomicBool,
}

impl Queue {
    /// Classes in the order in which they are dealt out.
    pub(super) fn new(classes: Vec<String>, lanes: usize) -> Self {
        let all = classes.len();
        let (done, stopped) = Default::default();
        Self { classes: Mutex::new(classes.into()), lanes, all, begin: Instant::now(), done, stopped }
    }

    /// The next piece; `None` when nothing is left or the run was stopped.
    pub(super) fn next(&self) -> Option<Vec<String>> {
        if self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        let piece = size(classes.len(), self.lanes, self.done.load(Ordering::Relaxed), self.begin.elapsed());
        let piece: Vec<String> = std::iter::from_fn(|| classes.pop_front()).take(piece).collect();
        (!piece.is_empty()).then_some(piece)
    }

    /// Nothing further is dealt out.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// So many classes were run; returns how many in all, and of how many.
    pub(super) fn finish(&self, classes: usize) -> (usize, usize) {
        (self.done.fetch_add(classes, Ordering::Relaxed) + classes, self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_get_smaller_towards_the_end() {
        let queue = Queue::new((0..20).map(|n| n.to_string()).collect(), 2);
        let sizes: Vec<usize> = std::iter::from_fn(|| queue.next()).map(|piece| piece.len()).collect();
        assert_eq!(sizes, [5, 4, 3, 2, 2, 1, 1, 1, 1]);
        assert_eq!(size(11, 2, 5, Duration::from_millis(500)), 5, "five are worth a process");
        assert_eq!(size(6, 2, 14, Duration::from_secs(1)), 3, "the other lane gets as many");
        assert_eq!(size(6, 2, 5, Duration::from_secs(20)), 2, "slow ones are dealt out one by one");
        let stopped = Queue::new(vec!["a".into(), "b".into()], 1);
        assert_eq!(stopped.next().unwrap(), ["a"]);
        stopped.stop();
        assert_eq!(stopped.next(), None);
    }
}
