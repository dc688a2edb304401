//! When the next request may leave: a rate the user set, and pauses the endpoint asked for. All requests to an endpoint
//! share it: what one is told to wait, the others need not find out one by one.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

#[derive(Debug)]
pub(super) struct Pace {
    gap: Duration,
    next: Mutex<Option<Instant>>,
}

impl Pace {
    /// At most so many requests in a minute; any number without.
    pub(super) fn new(per_minute: Option<u32>) -> Self {
        let gap = per_minute.map_or(Duration::ZERO, |most| Duration::from_secs(60) / most.max(1));
        Self { gap, next: Mutex::new(None) }
    }

    /// Waits for the next free moment and takes it.
    pub(super) async fn turn(&self) {
        let at = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            let at = next.map_or(now, |next| next.max(now));
            *next = Some(at + self.gap);
            at
        };
        tokio::time::sleep_until(at).await;
    }

    /// Nothing leaves before this pause is over.
    pub(super) fn pause(&self, pause: Duration) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let until = Instant::now() + pause;
        *next = Some(next.map_or(until, |next| next.max(until)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn requests_leave_at_their_rate_and_after_a_pause() {
        let started = Instant::now();
        let pace = Pace::new(Some(1200));
        for _ in 0..3 {
            pace.turn().await;
        }
        assert!(started.elapsed() >= Duration::from_millis(100), "{:?}", started.elapsed());
        let free = Pace::new(None);
        free.pause(Duration::from_millis(60));
        let started = Instant::now();
        free.turn().await;
        assert!(started.elapsed() >= Duration::from_millis(55), "{:?}", started.elapsed());
    }
}
