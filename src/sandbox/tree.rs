//! A process and everything below it, as `/proc` shows them: how much memory they hold, how many they are, and their end.

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::collections::HashSet;
use std::fs;

/// What a process tree holds together.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Held {
    /// Resident memory in KiB; shared pages count once for each process.
    pub(super) resident_kib: u64,
    /// Processes.
    pub(super) processes: usize,
}

fn children(pid: i32) -> Vec<i32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    tasks
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|text| text.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<i32>>())
        .collect()
}

/// The process and all its descendants, parents first.
pub(super) fn members(root: i32) -> Vec<i32> {
    let (mut all, mut known) = (vec![root], HashSet::from([root]));
    let mut next = 0;
    while let Some(&pid) = all.get(next) {
        all.extend(children(pid).into_iter().filter(|child| known.insert(*child)));
        next += 1;
        // A bomb is not worth walking to its end.
        if all.len() > 4096 {
            break;
        }
    }
    all
}

fn resident_kib(pid: i32) -> u64 {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else { return 0 };
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// What the tree holds now.
pub(super) fn held(root: i32) -> Held {
    let members = members(root);
    Held { resident_kib: members.iter().map(|&pid| resident_kib(pid)).sum(), processes: members.len() }
}

/// Kills the process, its group and all its descendants.
pub(super) fn kill_all(root: i32) {
    if root <= 1 {
        return;
    }
    let members = members(root);
    // Errors mean that it is gone already, which is what is wanted.
    let _ = killpg(Pid::from_raw(root), Signal::SIGKILL);
    for pid in members {
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
}
