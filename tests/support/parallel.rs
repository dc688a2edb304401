//! Many cases of one test, a few at a time.

use std::sync::Mutex;

/// Checks every case on so many threads; a check that fails fails the test.
pub fn in_parallel<C: Send>(at_once: usize, cases: Vec<C>, check: impl Fn(C) + Sync) {
    let cases = Mutex::new(cases.into_iter());
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let next = cases.lock().unwrap().next();
                    let Some(case) = next else { return };
                    check(case);
                }
            });
        }
    });
}
