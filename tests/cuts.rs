//! When a test is cut, and when it must not be: a machine may be busy or stand still, and a candidate may hang.

use crate::support::Trial;
use futures::StreamExt;
use unidebug::domain::{Outcome, Patch, Validation};

const CLOCK: &str = "package a;\npublic class Clock {\n  public static int hour(int minutes) { return minutes / 61; }\n  public static void tick() \
                     throws Exception {\n    // here\n  }\n}\n";

const TEST: &str = "package a;\nimport org.junit.*;\npublic class ClockTest {\n  @Test public void hour() { Assert.assertEquals(2, \
                    Clock.hour(120)); }\n  @Test public void ticks() throws Exception { Clock.tick(); }\n}\n";

/// Stops its own process for longer than the test may take, and lets its watch look at the time afterwards.
const STOPPED: &str = "new ProcessBuilder(\"sh\", \"-c\", \"kill -STOP $PPID; sleep 4; kill -CONT $PPID\").start().waitFor(); Thread.sleep(300);";

/// Gives way to busy processes on every processor, and then wants a little time for itself.
const STARVED: &str = "Process busy = new ProcessBuilder(\"sh\", \"-c\", \"for i in $(seq $(nproc)); do timeout 4 sh -c 'while :; do :; done' & \
                       done; for t in /proc/$PPID/task/*; do renice -n 19 -p ${t##*/}; done >/dev/null; echo ready\").start(); \
                       busy.getInputStream().read(); java.lang.management.ThreadMXBean time = \
                       java.lang.management.ManagementFactory.getThreadMXBean(); while (time.getCurrentThreadCpuTime() < 400000000L) { } \
                       Thread.sleep(300);";

/// Whether others leave so little of the machine that a test which gives way to them never comes to its end.
fn is_overloaded() -> bool {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap();
    let load: f64 = load.split(' ').next().unwrap().parse().unwrap();
    let most = 2.5 * std::thread::available_parallelism().unwrap().get() as f64;
    if load > most {
        eprintln!("passed over: at load {load} nothing can be starved on purpose and still end");
    }
    load > most
}

async fn clock() -> Trial {
    let machine = format!(
        "package a;\npublic class Machine {{\n  public static void stops() throws Exception {{ {STOPPED} }}\n  public static void \
         isBusy() throws Exception {{ {STARVED} }}\n}}\n"
    );
    let files = [("src/a/Clock.java", CLOCK), ("src/a/Machine.java", &machine), ("test/a/ClockTest.java", TEST)];
    Trial::new(&files).await
}

/// The repair, with this code in the method of another test, which passed before.
fn repaired(trial: &Trial, code: &str) -> Patch {
    let mut patch = trial.patch("src/a/Clock.java", "// here", code);
    let text = String::from_utf8(patch.files[0].after.to_vec()).unwrap();
    patch.files[0].after = text.replace("/ 61", "/ 60").into_bytes().into();
    patch
}

/// What both judges say of it.
async fn validations(trial: &Trial, code: &str) -> [Validation; 2] {
    let patch = repaired(trial, code);
    let judge = trial.open().await;
    [judge.screen_one(&patch).await.unwrap(), judge.judge().confirm(&patch).await.unwrap()]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_is_not_cut_for_time_in_which_it_could_not_run() {
    let trial = clock().await;
    for (what, code) in [("stopped", "Machine.stops();"), ("starved", "Machine.isBusy();")] {
        if what == "starved" && is_overloaded() {
            continue;
        }
        let [warm, cold] = validations(&trial, code).await;
        assert_eq!(warm.outcome, Outcome::PassedWarm, "{what}: {warm:?}");
        assert!(cold.is_plausible(), "{what}: {cold:?}");
        for validation in [warm, cold] {
            // Where others are busy too, the starved test may be cut at five times its limit, and pass alone.
            let cut = validation.detail.contains("cut") && what == "stopped";
            assert!(!cut && validation.seconds > 4.0, "{what}: {validation:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_of_a_test_that_it_always_comes_to_is_a_regression() {
    let limited = TEST.replace("@Test public void ticks", "@Test(timeout = 1500) public void ticks");
    let trial = Trial::new(&[("src/a/Clock.java", CLOCK), ("test/a/ClockTest.java", &limited)]).await;
    for validation in validations(&trial, "Thread.sleep(3000);").await {
        // On a busy machine even waiting may look like starving.
        let word =
            validation.outcome == Outcome::Regression || validation.outcome == Outcome::Timeout && is_overloaded();
        assert!(word, "{validation:?}");
        assert!(validation.detail.contains("a.ClockTest#ticks"), "{validation:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_only_waits_until_the_limit_of_the_test_itself_is_not_let_through() {
    let limited = TEST.replace("@Test public void ticks", "@Test(timeout = 2500) public void ticks");
    let trial = Trial::new(&[("src/a/Clock.java", CLOCK), ("test/a/ClockTest.java", &limited)]).await;
    // On a busy machine even waiting may look like starving.
    for validation in validations(&trial, "Thread.sleep(60000);").await {
        assert!(matches!(validation.outcome, Outcome::Regression | Outcome::Timeout), "{validation:?}");
    }
}

/// What hangs, and whether the cold judge is asked too.
const ENDLESS: [(&str, &str, bool); 8] = [
    ("an endless loop", "while (true) { }", true),
    ("an endless loop that makes garbage", "while (true) { new StringBuilder(\"x\").append(1 << 20); }", false),
    ("a loop elsewhere", "Thread t = new Thread(() -> { while (true) { } }); t.start(); t.join();", false),
    ("an endless sleep", "Thread.sleep(Long.MAX_VALUE);", true),
    ("naps", "while (true) { Thread.sleep(1); }", false),
    ("waiting for a lock", "synchronized (Clock.class) { Clock.class.wait(); }", false),
    ("waiting for a caller", "new java.net.ServerSocket(0).accept();", false),
    ("waiting for another program", "new ProcessBuilder(\"sleep\", \"1000\").start().waitFor();", false),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_never_ends_is_cut() {
    let trial = clock().await;
    let trial = &trial;
    let each = ENDLESS.iter().map(|&(what, code, both)| async move {
        let patch = repaired(trial, code);
        let judge = trial.open().await;
        let mut all = vec![judge.screen_one(&patch).await.unwrap()];
        if both {
            all.push(judge.judge().confirm(&patch).await.unwrap());
        }
        for validation in all {
            assert_eq!(validation.outcome, Outcome::Timeout, "{what}: {validation:?}");
            assert!(validation.detail.contains("a.ClockTest#ticks"), "{what}: {validation:?}");
            // Two seconds and five, of the processor or of waiting: the rest is start and a busy machine.
            assert!(validation.seconds < 90.0, "{what}: {validation:?}");
        }
    });
    futures::stream::iter(each).buffer_unordered(4).collect::<Vec<()>>().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_that_took_its_process_along_before_and_is_not_the_bug_stops_no_repair() {
    let ends = TEST.replace("Clock.tick(); }", "Clock.tick(); }\n  @Test public void ends() { System.exit(1); }");
    let mut trial = Trial::new(&[("src/a/Clock.java", CLOCK), ("test/a/ClockTest.java", &ends)]).await;
    trial.options.failing = vec!["ClockTest#hour".parse().unwrap()];
    let [warm, cold] = validations(&trial, "").await;
    assert_eq!(warm.outcome, Outcome::PassedWarm, "{warm:?}");
    assert!(cold.is_plausible(), "{cold:?}");
}
