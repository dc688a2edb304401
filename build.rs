//! Tells the program its version; a release also learns which commit it was built from.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // Builds for development would be made again after every commit.
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let version = match is_release.then(commit).flatten() {
        Some(commit) => {
            println!("cargo:rustc-env=BUILT_FROM_COMMIT={commit}");
            format!("{version} ({commit})")
        }
        None => version,
    };
    // Cargo hands these to tests as well, where a name with our prefix would be a setting.
    println!("cargo:rustc-env=VERSION_WITH_COMMIT={version}");
}

/// The commit that is built; none where there is no git, or no repository that holds this file: sources that were
/// unpacked inside of another one are not its commit.
fn commit() -> Option<String> {
    let git = |args: &[&str]| {
        let done = Command::new("git").args(args).output().ok().filter(|done| done.status.success())?;
        Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
    };
    for changed in ["src", "Cargo.toml", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={changed}");
    }
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    git(&["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"])
}
