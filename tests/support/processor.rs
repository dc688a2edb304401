//! What this process and all that it ever started took of the processors.

use nix::sys::resource::{UsageWho, getrusage};

/// Processor seconds of everything this process ever started. The kernel does not credit a parent with what runs in a
/// name space of its own, so the sandbox must be off where this is asked.
pub fn processor() -> f64 {
    let reaped = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    let mut total = seconds(reaped.user_time()) + seconds(reaped.system_time());
    let mut open = vec![std::process::id()];
    while let Some(pid) = open.pop() {
        for task in std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            for child in children.split_whitespace().filter_map(|word| word.parse().ok()) {
                total += of_process(child);
                open.push(child);
            }
        }
    }
    total
}

/// User and system time of a process and of those it waited for, in seconds; 100 ticks are one on Linux.
fn of_process(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or("").split_whitespace().skip(11).take(4);
    fields.filter_map(|word| word.parse::<f64>().ok()).sum::<f64>() / 100.0
}
