//! Long tables of cases: all of them in a soak, else a part, and another one with the next commit.

use std::process::Command;

/// One case of `one_in`, or all in a soak. Which part it is goes by the number of commits; `UNIDEBUG_PART` names one.
pub fn sample<T>(all: impl IntoIterator<Item = T>, one_in: usize) -> impl Iterator<Item = T> {
    if is_patient() { part(all, 0, 1) } else { part(all, number(), one_in) }
}

/// Whether all of it is wanted: each takes seconds.
pub fn is_patient() -> bool {
    std::env::var_os("UNIDEBUG_SOAK").is_some()
}

fn part<T>(all: impl IntoIterator<Item = T>, number: usize, of: usize) -> impl Iterator<Item = T> {
    all.into_iter().skip(number % of).step_by(of)
}

/// The number of the part. A test that fails shows what it printed.
fn number() -> usize {
    let named = std::env::var("UNIDEBUG_PART").ok().and_then(|part| part.parse().ok());
    let number = named.unwrap_or_else(commits);
    eprintln!("a part of a table: UNIDEBUG_PART={number} runs it again, UNIDEBUG_SOAK=1 runs all");
    number
}

fn commits() -> usize {
    let git = ["rev-list", "--count", "HEAD"];
    let count = Command::new("git").args(git).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    count.ok().and_then(|done| String::from_utf8(done.stdout).ok()?.trim().parse().ok()).unwrap_or(0)
}

#[test]
fn parts_are_the_whole() {
    let mut all: Vec<i32> = (0..3).flat_map(|number| part(0..7, number, 3)).collect();
    all.sort_unstable();
    assert_eq!(all, [0, 1, 2, 3, 4, 5, 6]);
    assert!(part(0..7, 8, 3).eq([2, 5]), "any number names a part");
}
