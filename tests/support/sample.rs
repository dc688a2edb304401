//! Long tables of cases: all of them in a soak, else a part, and another one with the next commit.

use std::process::Command;

/// Every so manieth of the cases, or all in a soak. Which part it is goes by the number of commits; `UNIDEBUG_PART` names
/// one.
pub fn sample<T>(all: impl IntoIterator<Item = T>, one_in: usize) -> impl Iterator<Item = T> {
    let (first, step) = if is_patient() { (0, 1) } else { (part(one_in), one_in) };
    all.into_iter().skip(first).step_by(step)
}

/// Whether all of it is wanted: each takes seconds.
pub fn is_patient() -> bool {
    std::env::var_os("UNIDEBUG_SOAK").is_some()
}

fn part(of: usize) -> usize {
    let named = std::env::var("UNIDEBUG_PART").ok().and_then(|part| part.parse::<usize>().ok());
    let number = named.unwrap_or_else(commits) % of;
    eprintln!("part {number} of {of}: UNIDEBUG_PART={number} runs it again, UNIDEBUG_SOAK=1 runs all");
    number
}

fn commits() -> usize {
    let count =
        Command::new("git").args(["rev-list", "--count", "HEAD"]).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    count.ok().and_then(|done| String::from_utf8(done.stdout).ok()?.trim().parse().ok()).unwrap_or(0)
}

#[test]
fn parts_are_the_whole() {
    if !is_patient() {
        let sampled: Vec<i32> = sample(0..7, 3).collect();
        assert!(
            (2..=3).contains(&sampled.len()) && sampled.windows(2).all(|pair| pair[1] - pair[0] == 3),
            "{sampled:?}"
        );
    }
    assert_eq!(sample(0..7, 1).count(), 7);
}
