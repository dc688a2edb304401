//! `bench merge` over parts that are not done: what has begun is not lost, what is at work is left alone, and everything
//! that is not over is named.

use crate::support::{Batch, Finished, status, steady, up_to_level_3};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A batch of two bugs in two parts: the first is over in one of them, the second has begun in the other.
struct Parts {
    batch: Batch,
    over: String,
    begun: String,
    whole: String,
    /// The run directory of the second bug, in each of them.
    second: String,
}

impl Parts {
    fn new() -> Self {
        let batch = Batch::of(2, steady(Duration::ZERO, up_to_level_3));
        let [over, begun, whole] = ["over", "begun", "whole"].map(|name| batch.folder(name));
        for part in [&over, &begun] {
            batch.run_in(part, &["--executor", "shards"]).run().expect_code(0);
        }
        batch.command("work", &over, &["--shard", "1/2", "--quiet"]).run().expect_code(0);
        let dies = ["--shard", "2/2", "--quiet", "--retry-pause", "10ms"];
        batch.command("work", &begun, &dies).env("UNIDEBUG_FAILPOINT", "send.after:3").run().expect_code(0);
        assert_eq!((status(&over)["over"].as_u64(), status(&begun)["over"].as_u64()), (Some(1), Some(0)));
        let second = status(&begun)["failed_by_environment"][0]["unit"].as_str().unwrap().to_owned();
        Self { batch, over, begun, whole, second }
    }

    fn merge(&self) -> Finished {
        let done = self.batch.command("merge", &self.over, &[&self.begun, "--out", &self.whole]).run();
        done.expect_code(0);
        done
    }

    fn second_in(&self, folder: &str) -> PathBuf {
        Path::new(folder).join(&self.second)
    }
}

#[test]
fn what_has_begun_comes_along_is_named_and_goes_on_without_paying_again() {
    let parts = Parts::new();
    let merged = parts.merge();
    assert!(merged.stdout.starts_with("1 run came, and 1 that have begun\n"), "{merged}");
    assert!(merged.stdout.contains("not over: ") && merged.stdout.contains("(failed by the environment)"), "{merged}");
    assert!(merged.stdout.contains(&format!("go on: unidebug bench work {}", parts.whole)), "{merged}");
    assert!(parts.merge().stdout.starts_with("0 runs came\n"), "what has begun here stays");

    let paid = parts.batch.endpoint.served().len();
    let alone = Batch::of(1, steady(Duration::ZERO, up_to_level_3));
    alone.run_in(&alone.folder("batch"), &[]).run().expect_code(0);
    parts.batch.command("resubmit", &parts.whole, &["--executor", "local", "--quiet"]).run().expect_code(0);
    assert_eq!(status(&parts.whole)["over"], 2);
    let more = parts.batch.endpoint.served().len() - paid;
    assert!(more < alone.endpoint.served().len(), "{more} requests were paid for after the merge");
    let again = parts.merge();
    assert_eq!(again.stdout, format!("0 runs came\nreport: unidebug report {}\n", parts.whole));
    assert!(!Path::new(&parts.whole).join(".unfinished").exists());
}

#[test]
fn what_is_at_work_is_left_and_makes_way_when_it_is_over_elsewhere() {
    let parts = Parts::new();
    let owner = File::open(parts.second_in(&parts.begun).join("lock")).unwrap();
    owner.lock().unwrap();
    let merged = parts.merge();
    let notice = format!("is worked on in {}: merge again when it is over", parts.begun);
    assert!(merged.stdout.starts_with("1 run came\n") && merged.stdout.contains(&notice), "{merged}");
    assert!(merged.stdout.contains("(waits)") && !parts.second_in(&parts.whole).exists(), "{merged}");
    drop(owner);
    parts.merge();

    std::fs::write(parts.second_in(&parts.whole).join("of-the-other-run"), "").unwrap();
    parts.batch.command("resubmit", &parts.begun, &[]).run().expect_code(0);
    parts.batch.command("work", &parts.begun, &["--shard", "2/2", "--quiet"]).run().expect_code(0);
    let owner = File::open(parts.second_in(&parts.whole).join("lock"));
    assert!(owner.is_err(), "a copy is nobody's");
    let merged = parts.merge();
    assert!(merged.stdout.starts_with("1 run came\nreport: "), "{merged}");
    assert!(!parts.second_in(&parts.whole).join("of-the-other-run").exists(), "two runs were mixed");
}
