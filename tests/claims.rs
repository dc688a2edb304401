//! Machines that share a folder without sharing locks: who owns a run directory, who may take it over, and what becomes of
//! an owner that was taken for dead.

use crate::support::{Gate, Reply, steady, up_to_level_3};
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// What another machine writes into its run directory, and renewed so long ago.
fn foreign_lease(folder: &Path, age: Duration) {
    std::fs::create_dir_all(folder).unwrap();
    let file = folder.join("lock");
    std::fs::write(&file, "process 7 on elsewhere\n00000000-0000-0000-0000-000000000000 1234\n").unwrap();
    File::options().write(true).open(file).unwrap().set_modified(SystemTime::now() - age).unwrap();
}

#[test]
fn a_run_of_another_machine_is_left_alone_until_nothing_is_heard_of_it() {
    let (gate, endpoint) = (Gate::new(), steady(Duration::ZERO, up_to_level_3));
    foreign_lease(&gate.run_dir(), Duration::from_secs(5));
    let refused = gate.run(&endpoint, &["--levels", "L1..L3"]).run();
    refused.expect_code(75);
    assert!(refused.stderr.contains("is owned by process 7 on elsewhere"), "{refused}");
    assert!(endpoint.served().is_empty());
    foreign_lease(&gate.run_dir(), Duration::from_secs(300));
    gate.run(&endpoint, &["--levels", "L1..L3"]).run().expect_code(0);
    assert_eq!(std::fs::metadata(gate.run_dir().join("lock")).unwrap().len(), 0, "the next one need not wait");
}

#[test]
fn an_owner_that_was_taken_for_dead_pays_for_nothing_more() {
    // The first answer takes long enough for what happens meanwhile.
    let script = |agent: &str, nth| match up_to_level_3(agent, nth) {
        reply if (agent, nth) == ("Locator", 1) => Reply::After(Duration::from_secs(3), Box::new(reply)),
        reply => reply,
    };
    let (gate, endpoint) = (Gate::new(), steady(Duration::ZERO, script));
    let home = tempfile::tempdir().unwrap();
    let child = gate.run(&endpoint, &["--levels", "L1..L3"]).start(home.path());
    let until = Instant::now() + Duration::from_secs(120);
    while endpoint.served().is_empty() {
        assert!(Instant::now() < until, "no request came");
        std::thread::sleep(Duration::from_millis(20));
    }
    foreign_lease(&gate.run_dir(), Duration::ZERO);
    let done = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(75), "{errors}");
    assert!(errors.contains("process 7 on elsewhere took") && errors.contains("hint:"), "{errors}");
    assert_eq!(endpoint.served().len(), 1, "it asked on");
    assert!(!gate.run_dir().join("report.json").exists());

    foreign_lease(&gate.run_dir(), Duration::from_secs(300));
    let alone = Gate::new();
    let quick = steady(Duration::ZERO, up_to_level_3);
    alone.run(&quick, &["--levels", "L1..L3"]).run().expect_code(0);
    gate.resume(&[]).run().expect_code(0);
    assert_eq!(endpoint.served().len(), quick.served().len(), "the answer that was there is not paid for again");
}
