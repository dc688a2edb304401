//! What all bugs of a batch may use together: never more, and with a raised cap the batch goes on where it was.

use crate::support::{Batch, Gate, Served, Unidebug, dollars, status, steady, up_to_level_3};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

const BUGS: usize = 3;

/// Bugs that are worked on two at a time.
struct Capped {
    batch: Batch,
}

impl Capped {
    fn new() -> Self {
        Self { batch: Batch::of(BUGS, steady(Duration::from_millis(15), up_to_level_3)) }
    }

    fn folder(&self) -> String {
        self.batch.folder("batch")
    }

    /// `bench run` with these caps of all bugs together.
    fn run(&self, caps: &[&str]) -> Unidebug {
        self.batch.run_in(&self.folder(), &[&["--jobs", "2"], caps].concat())
    }

    fn status(&self) -> Value {
        status(&self.folder())
    }

    fn served(&self) -> Vec<Served> {
        self.batch.endpoint.served()
    }

    fn tokens(&self) -> u64 {
        tokens(&self.served())
    }
}

fn tokens(served: &[Served]) -> u64 {
    served.iter().map(|served| served.tokens.0 + served.tokens.1).sum()
}

/// Requests and tokens of one bug whose run nothing disturbs.
fn alone() -> (usize, u64) {
    let (gate, endpoint) = (Gate::new(), steady(Duration::ZERO, up_to_level_3));
    gate.run(&endpoint, &["--levels", "L1..L3"]).run().expect_code(0);
    (endpoint.served().len(), tokens(&endpoint.served()))
}

#[test]
fn a_batch_never_exceeds_its_cap_and_goes_on_with_a_higher_one() {
    let (requests, each) = alone();
    for in_dollars in [false, true] {
        let batch = Capped::new();
        let cap = each * 3 / 2;
        let typed = |cap: u64| if in_dollars { format!("0.{cap:06}") } else { cap.to_string() };
        let flag = if in_dollars { "--total-cost" } else { "--total-tokens" };
        let stopped = batch.run(&[flag, &typed(cap)]).run();
        stopped.expect_code(5);
        assert!(stopped.stderr.contains("a cap of this batch is reached"), "{stopped}");
        assert!(stopped.stderr.contains("the same command goes on") && stopped.stdout.contains("caps: "), "{stopped}");
        let used = batch.tokens();
        assert!(used > 0 && used <= cap, "{used} of {cap}");
        let status = batch.status();
        assert!(status["over"].as_u64() < Some(BUGS as u64) && status["failed_by_environment"] == Value::Array(vec![]));
        let counted = &status["caps"]["used_tokens"];
        assert!(counted.as_u64() >= Some(used) && (in_dollars || counted.as_u64() <= Some(cap)), "{status}");

        let same = batch.run(&[]).run();
        same.expect_code(5);
        assert!(batch.tokens() <= cap, "without a raise the cap stays");

        let done = batch.run(&[flag, &typed(each * 20)]).run();
        done.expect_code(0);
        let served = batch.served();
        assert_eq!(served.len(), requests * BUGS, "nothing is paid for twice: {done}");
        assert_eq!(served.iter().map(|served| served.body.to_string()).collect::<BTreeSet<_>>().len(), requests);
        let status = batch.status();
        assert_eq!((status["over"].as_u64(), status["plausible"]["3"].as_u64()), (Some(3), Some(3)), "{status}");
        assert_eq!(status["caps"]["used_tokens"].as_u64(), Some(batch.tokens()), "what was held back is settled");
        assert!((status["cost_usd"].as_f64().unwrap() - dollars(&served)).abs() < 1e-9, "{status}");
    }
}

#[test]
fn runs_that_are_killed_again_and_again_keep_to_the_cap_of_their_batch() {
    let (_, each) = alone();
    let cap = each * 2;
    let batch = Capped::new();
    let caps = ["--total-tokens", &cap.to_string()];
    // Every run kills itself when its third answer comes, three times.
    batch.run(&[&caps[..], &["--retry-pause", "10ms"]].concat()).env("UNIDEBUG_FAILPOINT", "send.after:3").run();
    let status = batch.status();
    assert_eq!(status["failed_by_environment"].as_array().map(Vec::len), Some(BUGS), "{status}");
    assert!(batch.tokens() <= cap, "{} of {cap}", batch.tokens());
    assert!(status["caps"]["used_tokens"].as_u64() >= Some(batch.tokens()), "{status}");
    Unidebug::new(&["bench", "resubmit", &batch.folder()]).run().expect_code(0);
    batch.run(&[]).run().expect_code(5);
    assert!(batch.tokens() <= cap, "{} of {cap}", batch.tokens());
    batch.run(&["--total-tokens", &(each * 20).to_string()]).run().expect_code(0);
    assert_eq!(batch.status()["over"].as_u64(), Some(3));
}

#[test]
fn caps_that_cannot_be_kept_are_refused_and_a_time_that_is_up_begins_nothing() {
    let batch = Capped::new();
    let prices = batch.batch.gates[0].path("prices.json").to_str().unwrap().to_owned();
    let unpriced = batch.run(&["--total-cost", "1"]).without("--prices").without(&prices).run();
    unpriced.expect_code(2);
    assert!(unpriced.stderr.contains("price of `scripted` is unknown"), "{unpriced}");
    assert!(batch.served().is_empty(), "nothing may be sent before");
    let late = Capped::new();
    let stopped = late.run(&["--total-time", "100ms"]).run();
    assert!(stopped.expect_code(5).stderr.contains("the time of this batch is up"), "{stopped}");
    assert_eq!(late.status()["over"].as_u64(), Some(2), "what was begun is done, and no third one is begun");
    let elsewhere = late.run(&["--total-time", "1h", "--executor", "shards"]).run();
    assert!(elsewhere.expect_code(2).stderr.contains("--total-time"), "{elsewhere}");
}
