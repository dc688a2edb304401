//! `kill -9` over whole batches, at random moments: what they report at the end is what an undisturbed one reports, and
//! only requests on their way are paid for twice.

use crate::support::{Batch, Unidebug, essence, expect_same, possibly_billed, status, steady, up_to_level_3};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::{Duration, Instant};

const BUGS: usize = 4;
const JOBS: usize = 2;
/// How long every answer takes.
const PAUSE: Duration = Duration::from_millis(15);
/// A run asks at most so much at the same time.
const AT_ONCE: usize = 4;

/// Who dies.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Whom {
    /// The batch alone: its runs work on under their own locks.
    Batch,
    /// The batch with all its runs, as when a machine goes down.
    All,
}

/// Starts the batch, kills it after a time; whether it died of that.
fn killed(program: &Unidebug, home: &Path, after: Duration, whom: Whom) -> bool {
    let mut child = program.start(home);
    let begin = Instant::now();
    while begin.elapsed() < after && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let id = Pid::from_raw(i32::try_from(child.id()).unwrap());
    // An error says that it is over.
    let _ = if whom == Whom::All { killpg(id, Signal::SIGKILL) } else { kill(id, Signal::SIGKILL) };
    child.wait().unwrap().signal() == Some(9)
}

/// Five batches die in a usual run; in `make soak` twenty. Kills that come after the end count as none.
#[test]
fn a_batch_that_is_killed_again_and_again_reports_what_an_undisturbed_one_does() {
    let enough = if std::env::var_os("UNIDEBUG_SOAK").is_some() { 20 } else { 5 };
    let jobs = JOBS.to_string();
    let own = ["--jobs", &jobs];
    let batch = Batch::of(BUGS, steady(PAUSE, up_to_level_3));
    let quiet = batch.folder("quiet");
    batch.run_in(&quiet, &own).run().expect_code(0);
    let (wanted, paid) = (essence(&quiet), batch.endpoint.served().len());
    assert_eq!(wanted["all"]["plausible"], BUGS, "{wanted}");

    let mut random = fastrand::Rng::with_seed(11);
    let (mut deaths, mut batches) = (0, 0);
    while deaths < enough {
        batches += 1;
        let (folder, home) = (batch.folder(&format!("killed-{batches}")), tempfile::tempdir().unwrap());
        let before = (batch.endpoint.served().len(), deaths);
        // In a group of its own, that can be killed as a whole.
        let program = batch.run_in(&folder, &own).under(&["setsid"]);
        for _ in 0..enough - deaths {
            let whom = if random.bool() { Whom::Batch } else { Whom::All };
            deaths += usize::from(killed(&program, home.path(), Duration::from_millis(random.u64(100..3500)), whom));
        }
        batch.run_in(&folder, &own).run().expect_code(0);
        assert_eq!(status(&folder)["over"], BUGS);
        expect_same(&essence(&folder), &wanted);
        let served = batch.endpoint.served().len() - before.0;
        let (twice, possibly) = (served - paid, possibly_billed(Path::new(&folder)));
        assert!(twice as u64 <= possibly, "{twice} requests were served twice, {possibly} are possibly billed");
        let most = AT_ONCE * JOBS * (deaths - before.1);
        assert!(possibly <= most as u64, "{possibly} requests on their way at {} deaths", deaths - before.1);
    }
    eprintln!("{deaths} batches died; {batches} were gone on with to their end");
}
