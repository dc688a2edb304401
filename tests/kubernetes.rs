//! Batches on Kubernetes: the Job that is printed, run by a stand-in for `kubectl` that kills pods.

use crate::support::{Batch, essence, expect_same, possibly_billed, status, steady, up_to_level_3};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Runs a Job as a cluster would, with what goes wrong.
fn cluster(job: &str, home: &Path, batch: &str, kills: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_unidebug")).parent().unwrap().to_str().unwrap().to_owned();
    let mut kubectl = Command::new("python3")
        .args([concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kubernetes/kubectl.py"), "create", "-f", "-"])
        .env("PATH", format!("{program}:{}", std::env::var("PATH").unwrap()))
        .env("KILLS", kills)
        .env("WATCH", batch)
        .env("XDG_STATE_HOME", home)
        .env("XDG_CONFIG_HOME", home)
        .env("UNIDEBUG_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
        // What `envFrom` makes of the secret.
        .env("OPENAI_API_KEY", "sk-batch-0123456789abcdef")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    kubectl.stdin.take().unwrap().write_all(job.as_bytes()).unwrap();
    kubectl.wait_with_output().unwrap()
}

#[test]
fn a_job_whose_pods_are_evicted_and_killed_comes_to_what_one_machine_comes_to() {
    let batch = Batch::of(3, steady(Duration::from_millis(150), up_to_level_3));
    let (single, folder) = (batch.folder("single"), batch.folder("batch"));
    batch.run_in(&single, &["--jobs", "3"]).run().expect_code(0);
    let paid = batch.endpoint.served().len();
    let volume = format!("work:{}", Path::new(&folder).parent().unwrap().display());
    let pods = ["--image", "registry.example/unidebug:1", "--volume", &volume, "--secret", "key", "--memory", "2Gi"];
    let spread = [&["--executor", "kubernetes", "--shards", "3"], &pods[..]].concat();
    let printed = batch.run_in(&folder, &spread).run();
    let mut job: Value = serde_json::from_str(&printed.expect_code(0).stdout).unwrap();
    assert_eq!(job["spec"]["completions"], 3, "{job}");
    // One after the other, so that a pod is ended after a request of its own.
    job["spec"]["parallelism"] = 1.into();
    let home = tempfile::tempdir().unwrap();
    let done = cluster(&job.to_string(), home.path(), &folder, "0:evict 1:kill 1:evict");
    let output = String::from_utf8_lossy(&done.stdout).into_owned();
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{output}{errors}");
    assert!(output.contains("Ignore") && output.contains("index 1: code 137, Count"), "{output}{errors}");
    assert_eq!(status(&folder)["over"], 3, "{output}{errors}");
    expect_same(&essence(&folder), &essence(&single));
    let twice = batch.endpoint.served().len() - paid - paid;
    assert!(u64::try_from(twice).unwrap() <= possibly_billed(Path::new(&folder)), "paid for twice: {twice}\n{output}");
    // Nothing is left: no Job is printed, and `kubectl` gets none.
    let again = batch.run_in(&folder, &spread).run();
    assert_eq!((again.expect_code(0).stdout.as_str(), again.stderr.contains("nothing is left")), ("", true), "{again}");
}

#[test]
fn what_cannot_be_mended_by_another_try_fails_its_index() {
    let batch = Batch::of(1, steady(Duration::ZERO, up_to_level_3));
    let folder = batch.folder("batch");
    let mount = format!("work:{}", Path::new(&folder).parent().unwrap().display());
    let run = |volume: &str, more: &[&str]| {
        let pods = ["--executor", "kubernetes", "--shards", "1", "--image", "i", "--volume", volume];
        batch.run_in(&folder, &[&pods[..], more].concat()).run()
    };
    let unseen = run("work:/elsewhere", &[]);
    assert!(unseen.expect_code(2).stderr.contains("no volume holds the batch's folder"), "{unseen}");
    let printed = run(&mount, &[]);
    let mut job: Value = serde_json::from_str(&printed.expect_code(0).stdout).unwrap();
    // The image of somebody else's batch: its folder holds none.
    let command = &mut job["spec"]["template"]["spec"]["containers"][0]["command"][2];
    *command = json!(command.as_str().unwrap().replace(&folder, "/no/such/batch"));
    let home = tempfile::tempdir().unwrap();
    let done = cluster(&job.to_string(), home.path(), &folder, "");
    assert_eq!(String::from_utf8_lossy(&done.stdout), "index 0: code 3, FailIndex\n");
    assert_eq!(done.status.code(), Some(1));
}
