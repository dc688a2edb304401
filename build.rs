//! Makes a build see new and removed files of the folders that are compiled into the program: the compiler follows
//! only changes of files it already knows. A release also learns which commit it was built from.

use std::process::Command;

fn main() {
    for folder in ["prompts", "agents", "fixtures/bugs", "src/validate/jvm/java"] {
        println!("cargo:rerun-if-changed={folder}");
    }
    // Builds for development would be made again after every commit.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        name_commit();
    }
}

/// Nothing is named where there is no repository, or no git.
fn name_commit() {
    let git = |args: &[&str]| {
        let done = Command::new("git").args(args).output().ok().filter(|done| done.status.success())?;
        Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
    };
    if let Some(commit) = git(&["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]) {
        println!("cargo:rustc-env=UNIDEBUG_COMMIT={commit}");
    }
    for changed in ["src", "Cargo.toml", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={changed}");
    }
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
}
