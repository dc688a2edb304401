//! `kill -9` over whole runs, at named and at random moments: the run goes on, ends as an undisturbed one does, and
//! nothing that was on the disk is paid for again.

use crate::support::{Endpoint, Finished, Gate, Served, dollars, in_parallel, steady, up_to_level_3};
use serde_json::Value;
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Levels of the runs: all agents, several at the same time, a candidate that fails and one that passes.
const LEVELS: [&str; 2] = ["--levels", "L1..L3"];
/// How long every answer takes.
const PAUSE: Duration = Duration::from_millis(15);
/// Runs at the same time.
const AT_ONCE: usize = 3;

/// Moments at which a run is killed, with the time it is passed; once where none is named.
const MOMENTS: &str = "frozen.after append.before append.torn append.after fsync.after baseline.before baseline.after \
    append.torn:5 reserve.before send.before send.after reserve.after fsync.after:2 append.torn:8 append.after:9 \
    send.before:3 send.after:4 validate.before validate.after append.torn:20 send.before:6 send.after:7 fsync.after:8 \
    reserve.after:9 append.before:30 append.torn:45 send.after:11 validate.before:2 validate.after:2 confirm.before \
    confirm.after append.torn:60 finish.before finish.after";

/// When a process is killed.
#[derive(Debug, Clone)]
enum Kill {
    /// At a fail point.
    At(&'static str),
    /// After a time.
    After(Duration),
}

/// What of a report must not depend on kills.
fn essence(report: &Value) -> Value {
    let mut report = report.clone();
    for name in ["seconds", "run_dir", "possibly_billed", "bug", "model"] {
        report.as_object_mut().unwrap().remove(name);
    }
    report
}

fn undisturbed() -> (Value, BTreeSet<String>) {
    let gate = Gate::new();
    let endpoint = steady(PAUSE, up_to_level_3);
    let done = gate.run(&endpoint, &LEVELS).run();
    done.expect_code(0);
    let report = done.json();
    assert_eq!((&report["level"], &report["by"]["agent"]), (&3.into(), &"fixer".into()), "{done}");
    let served = endpoint.served();
    assert!(served.len() >= 14 && bodies(&served).len() == served.len(), "{} requests", served.len());
    assert!((report["usage"]["cost_usd"].as_f64().unwrap() - dollars(&served)).abs() < 1e-9);
    (essence(&report), bodies(&served))
}

fn bodies(served: &[Served]) -> BTreeSet<String> {
    served.iter().map(|served| served.body.to_string()).collect()
}

/// Waits for a process that was told to die, or kills it; whether it died.
fn end(mut child: Child, kill: &Kill) -> bool {
    let begin = Instant::now();
    if let Kill::After(time) = kill {
        while begin.elapsed() < *time && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = child.kill();
    }
    child.wait().unwrap().signal() == Some(9)
}

/// Begins a run, kills it and what goes on with it, and then lets it end; also how many processes died of that.
fn disturbed(gate: &Gate, endpoint: &Endpoint, kills: &[Kill], home: &Path) -> (Finished, usize) {
    let mut deaths = 0;
    let next = || if gate.has_begun() { gate.resume(&[]) } else { gate.run(endpoint, &LEVELS) };
    for kill in kills {
        let program = match kill {
            Kill::At(moment) => next().env("UNIDEBUG_FAILPOINT", moment),
            Kill::After(_) => next(),
        };
        let died = end(program.start(home), kill);
        assert!(died || matches!(kill, Kill::After(_)), "{kill:?} was never reached");
        deaths += usize::from(died);
        // A batch does not look at a run again that has a report.
        let has_report = gate.run_dir().join("report.json").exists();
        assert!(!has_report || is_told(gate), "{kill:?}: there is a report, and the journal has no end");
    }
    (next().run(), deaths)
}

/// Whether the journal tells how the run ended.
fn is_told(gate: &Gate) -> bool {
    let journal = std::fs::read(gate.run_dir().join("run.journal")).unwrap();
    String::from_utf8_lossy(&journal).contains("\"kind\":\"finished\"")
}

/// Everything that is promised of one run with kills; gives how many processes died.
fn check(kills: &[Kill], wanted: &(Value, BTreeSet<String>)) -> usize {
    let gate = Gate::new();
    let endpoint = steady(PAUSE, up_to_level_3);
    let home = tempfile::tempdir().unwrap();
    let (done, deaths) = disturbed(&gate, &endpoint, kills, home.path());
    done.expect_code(0);
    let report = done.json();
    assert_eq!(essence(&report), wanted.0, "{kills:?}\n{done}");
    let served = endpoint.served();
    assert_eq!(bodies(&served), wanted.1, "{kills:?}: other requests than those of an undisturbed run");
    let possibly = report["possibly_billed"].as_u64().unwrap_or(0) as usize;
    let twice = served.len() - wanted.1.len();
    assert!(twice <= possibly, "{kills:?}: {twice} requests were served twice, {possibly} are possibly billed");
    assert!(possibly <= 4 * deaths, "{kills:?}: {possibly} requests on their way");
    let once = first_of_each(&served);
    assert!((report["usage"]["cost_usd"].as_f64().unwrap() - dollars(&once)).abs() < 1e-9, "{kills:?}\n{done}");
    let again = gate.resume(&[]).run();
    again.expect_code(0);
    assert_eq!(again.json(), report, "a finished run tells the same again");
    let saved = std::fs::read(gate.run_dir().join("report.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&saved).unwrap(), report, "{kills:?}: the report that is kept");
    assert_eq!(endpoint.served().len(), served.len());
    deaths
}

fn first_of_each(served: &[Served]) -> Vec<Served> {
    let mut seen = BTreeSet::new();
    served.iter().filter(|served| seen.insert(served.body.to_string())).cloned().collect()
}

#[test]
fn a_run_that_is_killed_at_any_named_moment_ends_as_if_it_was_not() {
    let wanted = undisturbed();
    let cases = MOMENTS.split_whitespace().map(|moment| vec![Kill::At(moment)]).collect();
    in_parallel(AT_ONCE, cases, |kills| assert!(check(&kills, &wanted) == 1));
}

/// Ten processes die in a usual run; in `make soak` two hundred. Kills that come after the end count as none.
#[test]
fn a_run_that_is_killed_again_and_again_ends_as_if_it_was_not() {
    let enough = if std::env::var_os("UNIDEBUG_SOAK").is_some() { 200 } else { 10 };
    let (wanted, begin) = (undisturbed(), Instant::now());
    let mut random = fastrand::Rng::with_seed(7);
    let mut kill = || Kill::After(Duration::from_millis(random.u64(20..900)));
    let (deaths, mut runs) = (AtomicUsize::new(0), 0);
    while deaths.load(Ordering::SeqCst) < enough {
        let cases: Vec<Vec<Kill>> = (0..AT_ONCE).map(|_| (0..5).map(|_| kill()).collect()).collect();
        runs += cases.len();
        in_parallel(AT_ONCE, cases, |kills| {
            deaths.fetch_add(check(&kills, &wanted), Ordering::SeqCst);
        });
    }
    eprintln!("{} processes of {runs} runs were killed in {:.0?}", deaths.into_inner(), begin.elapsed());
}

#[test]
fn a_run_killed_before_its_configuration_was_there_can_be_begun_in_the_same_folder() {
    let gate = Gate::new();
    let endpoint = steady(PAUSE, up_to_level_3);
    let home = tempfile::tempdir().unwrap();
    let moment = "frozen.before";
    let program = gate.run(&endpoint, &LEVELS).env("UNIDEBUG_FAILPOINT", moment);
    assert!(end(program.start(home.path()), &Kill::At(moment)));
    let nothing = gate.resume(&[]).run();
    nothing.expect_code(3);
    assert!(nothing.stderr.contains("holds no run"), "{nothing}");
    gate.run(&endpoint, &LEVELS).run().expect_code(0);
}
