//! Batches on a cluster: a stand-in for `sbatch` in every run, real daemons of Slurm in `make soak`.

mod cluster;

use crate::support::{Batch, Unidebug, essence, expect_same, possibly_billed, status, steady, up_to_level_3};
use cluster::{Cluster, LIVE, wait};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

/// Does what the real one does with an array: one task after the other, each with its number.
const RUNS: &str = "[ \"$1\" = --parsable ] || exit 9\narray=$(sed -n 's/^#SBATCH --array=//p' \"$2\")\n\
                    for i in $(echo \"$array\" | tr , '\\n' | sed 's/-/ /' | while read a b; do seq $a ${b:-$a}; done); do\n\
                    SLURM_ARRAY_TASK_ID=$i sh \"$2\" >/dev/null 2>&1 || exit 8\ndone\necho 4711";
/// Takes the array and starts nothing.
const TAKES: &str = "echo 4711";

/// A folder with a stand-in for `sbatch`, and one for `scontrol` that keeps what it was asked; the variable `PATH`.
fn stand_ins(folder: &Path, sbatch: &str) -> String {
    let bin = folder.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let scontrol = format!("echo \"$@\" >> {}", folder.join("asked.txt").display());
    for (name, script) in [("sbatch", sbatch), ("scontrol", &scontrol)] {
        std::fs::write(bin.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    format!("{}:{}", bin.display(), std::env::var("PATH").unwrap())
}

fn quick(bugs: usize) -> Batch {
    Batch::of(bugs, steady(Duration::ZERO, up_to_level_3))
}

#[test]
fn slurm_gets_an_array_with_a_task_for_each_shard_that_has_something_left() {
    let (keep, batch) = (tempfile::tempdir().unwrap(), quick(3));
    let (path, folder) = (stand_ins(keep.path(), RUNS), batch.folder("batch"));
    let spread = ["--executor", "slurm", "--shards", "3"];
    // Shard 2 is done by hand.
    batch.run_in(&folder, &["--executor", "shards", "--shards", "3"]).run().expect_code(0);
    batch.command("work", &folder, &["--shard", "2/3", "--quiet"]).run().expect_code(0);
    let typed = batch.run_in(&folder, &[&spread[..], &["--sbatch-arg=--partition=cpu"]].concat()).env("PATH", &path);
    let done = typed.run();
    assert!(done.expect_code(0).stdout.starts_with("job 4711: "), "{done}");
    let script = std::fs::read_to_string(Path::new(&folder).join("job.sh")).unwrap();
    assert!(script.contains("#SBATCH --array=1,3\n") && script.contains("#SBATCH --partition=cpu\n"), "{script}");
    assert_eq!(status(&folder)["over"], 3);
    let again = batch.command("resubmit", &folder, &spread).env("PATH", &path).run();
    assert_eq!(again.expect_code(0).stdout, "nothing is left to do\n");
    let other = quick(1);
    let odd = other.run_in(&batch.folder("odd"), &[&spread[..], &["--sbatch-arg", "cpu"]].concat());
    let odd = odd.env("PATH", &path).run();
    assert!(odd.expect_code(3).stderr.contains("`cpu` is no option of sbatch"), "{odd}");
}

fn signal(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

#[test]
fn a_task_that_is_warned_saves_what_is_paid_for_and_queues_again() {
    let (keep, batch) = (tempfile::tempdir().unwrap(), Batch::of(2, steady(Duration::from_millis(500), up_to_level_3)));
    let (path, folder) = (stand_ins(keep.path(), TAKES), batch.folder("batch"));
    let spread = ["--executor", "slurm", "--shards", "1", "--jobs", "2"];
    batch.run_in(&folder, &spread).env("PATH", &path).run().expect_code(0);
    let script = Path::new(&folder).join("job.sh").to_str().unwrap().to_owned();
    // What the node's daemon does: the shell gets the script, and the job's numbers as variables.
    let task = || {
        let job = batch.command("work", &folder, &[]).under(&["sh", &script]).env("PATH", &path);
        job.env("SLURM_ARRAY_JOB_ID", "4711").env("SLURM_ARRAY_TASK_ID", "1")
    };
    let requeues = || std::fs::read_to_string(keep.path().join("asked.txt")).unwrap_or_default();
    for (sent, requeued) in [(Signal::SIGUSR1, "requeue 4711_1\n"), (Signal::SIGTERM, "")] {
        let _ = std::fs::remove_file(keep.path().join("asked.txt"));
        let before = batch.endpoint.served().len();
        let mut child = task().start(keep.path());
        assert!(wait(Duration::from_secs(120), || batch.endpoint.served().len() >= before + 3), "nothing is asked");
        signal(&child, sent);
        child.wait().unwrap();
        assert_eq!(requeues(), requeued, "after {sent}");
        assert!(status(&folder)["over"].as_u64() < Some(2), "it came to its end before it was warned");
    }
    let done = task().run();
    done.expect_code(0);
    assert_eq!((requeues().as_str(), status(&folder)["over"].as_u64()), ("", Some(2)), "{done}");
    let alone = quick(1);
    alone.run_in(&alone.folder("batch"), &[]).run().expect_code(0);
    assert_eq!(batch.endpoint.served().len(), 2 * alone.endpoint.served().len(), "something was paid for twice");
}

/// Six bugs as an array on a cluster of one node: a task is killed, then the node goes down with two others, and all is
/// gone on with.
#[test]
fn a_batch_on_a_cluster_survives_its_tasks_and_its_node() {
    const BUGS: usize = 6;
    if std::env::var_os("UNIDEBUG_SOAK").is_none() {
        eprintln!("passed over: it starts daemons; `make soak` runs it");
        return;
    }
    let mut cluster = match Cluster::start() {
        Ok(cluster) => cluster,
        Err(why) => {
            eprintln!("passed over: there is no Slurm here: {why}");
            return;
        }
    };
    let begin = Instant::now();
    let batch = Batch::of(BUGS, steady(Duration::from_millis(400), up_to_level_3));
    let (single, folder, merged) = (batch.folder("single"), batch.folder("batch"), batch.folder("merged"));
    batch.run_in(&single, &["--jobs", "3"]).run().expect_code(0);
    let paid = batch.endpoint.served().len();
    let configuration = cluster.configuration().to_str().unwrap().to_owned();
    let on_cluster = |program: Unidebug| program.env("SLURM_CONF", &configuration).run();
    let requests = || batch.endpoint.served().len() - paid;
    let spread = ["--executor", "slurm", "--shards", "6"];
    let done = on_cluster(batch.run_in(&folder, &spread));
    assert!(done.expect_code(0).stdout.starts_with("job "), "{done}");

    assert!(wait(Duration::from_secs(120), || requests() >= 4), "no task began: {}", cluster.ask("squeue", &[]));
    let (_, number) = cluster.jobs("RUNNING").remove(0);
    assert!(cluster.kill_task(&number) > 0);
    let gone = || !cluster.jobs(LIVE).iter().any(|(_, at)| *at == number);
    assert!(wait(Duration::from_secs(60), gone), "task {number} is not gone");
    let so_far = requests();
    assert!(wait(Duration::from_secs(120), || requests() >= so_far + 6 && cluster.jobs("RUNNING").len() == 2));
    let running = cluster.jobs("RUNNING");
    cluster.kill_node();
    let put_back = || running.iter().all(|job| cluster.jobs("PENDING").contains(job));
    assert!(wait(Duration::from_secs(120), put_back), "not queued again: {}", cluster.ask("squeue", &[]));
    cluster.start_node();
    cluster.finish();
    let state = status(&folder);
    assert_eq!(state["over"], BUGS - 1, "the task that was killed is left: {state}");

    let done = on_cluster(batch.command("resubmit", &folder, &spread));
    assert!(done.expect_code(0).stdout.starts_with("job "), "{done}");
    let script = std::fs::read_to_string(Path::new(&folder).join("job.sh")).unwrap();
    assert!(script.contains(&format!("#SBATCH --array={number}\n")), "{script}");
    cluster.finish();
    batch.command("merge", &folder, &["--out", &merged]).run().expect_code(0);
    expect_same(&essence(&merged), &essence(&single));
    let (twice, possibly) = ((requests() - paid) as u64, possibly_billed(Path::new(&merged)));
    assert!(twice <= possibly && possibly <= 3 * 4, "{twice} were bought twice, {possibly} were on their way");
    eprintln!(
        "{BUGS} bugs, task {number} and node killed: {paid} requests alone, {twice} more, {:.0?}",
        begin.elapsed()
    );
}
