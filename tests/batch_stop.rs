//! A batch that is told to stop, by a person or a scheduler: its runs save what is paid for, and nothing is paid twice.

use crate::support::{Batch, Finished, Reply, status, steady, up_to_level_3};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const BUGS: usize = 2;
/// Long enough for the first request of each bug to leave before the other's answer is there.
const SLOW: Duration = Duration::from_secs(8);

/// Waits until so many requests are on their way.
fn wait_for(batch: &Batch, requests: usize) {
    let until = Instant::now() + Duration::from_secs(120);
    while batch.endpoint.served().len() < requests {
        assert!(Instant::now() < until, "{} requests came", batch.endpoint.served().len());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(child: &Child) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGTERM).unwrap();
}

fn exit_of(child: Child) -> (Option<i32>, String) {
    let done = child.wait_with_output().unwrap();
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

/// Goes on to the end: every question was paid for once by each bug.
fn all_was_paid_once(done: &Finished, batch: &Batch, folder: &str) {
    done.expect_code(0);
    let state = status(folder);
    assert_eq!(
        (state["over"].as_u64(), state["begun"].as_array().map(Vec::len)),
        (Some(BUGS as u64), Some(0)),
        "{state}"
    );
    let alone = Batch::of(1, steady(Duration::ZERO, up_to_level_3));
    alone.run_in(&alone.folder("batch"), &[]).run().expect_code(0);
    assert_eq!(batch.endpoint.served().len(), BUGS * alone.endpoint.served().len(), "something was paid for twice");
}

#[test]
fn a_batch_told_to_stop_waits_for_answers_that_are_paid_for() {
    let slow = Arc::new(AtomicBool::new(true));
    let slowly = slow.clone();
    let batch = Batch::of(
        BUGS,
        steady(Duration::ZERO, move |agent, nth| {
            let reply = up_to_level_3(agent, nth);
            if slowly.load(Ordering::SeqCst) { Reply::After(SLOW, Box::new(reply)) } else { reply }
        }),
    );
    let (folder, home) = (batch.folder("batch"), tempfile::tempdir().unwrap());
    let child = batch.run_in(&folder, &["--jobs", "2"]).start(home.path());
    wait_for(&batch, BUGS);
    signal(&child);
    let (code, errors) = exit_of(child);
    assert_eq!(code, Some(130), "{errors}");
    assert!(errors.contains("waiting for 2 bugs to save") && errors.contains("the same command goes on"), "{errors}");
    assert_eq!(batch.endpoint.served().len(), BUGS, "nothing new is asked");
    let state = status(&folder);
    assert_eq!(state["failed_by_environment"], Value::Array(Vec::new()), "{state}");
    let agents: Vec<&Value> = state["begun"].as_array().unwrap().iter().map(|unit| &unit["at"]["agent"]).collect();
    assert!(agents.len() == BUGS && agents.iter().all(|agent| *agent == "locator" || *agent == "fixer"), "{state}");

    slow.store(false, Ordering::SeqCst);
    all_was_paid_once(&batch.run_in(&folder, &["--jobs", "2"]).run(), &batch, &folder);
}
