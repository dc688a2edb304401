//! Moments at which tests kill the process: `UNIDEBUG_FAILPOINT=name`, or `name:3` for the third time it is reached. With
//! `!` in front of the name it panics there instead, and the message holds all of its environment.
//!
//! They exist in debug builds alone; a release holds neither their names nor the variable's.

use std::fs::File;

/// The variable that names one.
#[cfg(debug_assertions)]
const VARIABLE: &str = "UNIDEBUG_FAILPOINT";

/// The moment that was chosen, if any.
#[cfg(debug_assertions)]
static CHOSEN: std::sync::LazyLock<Option<Chosen>> = std::sync::LazyLock::new(|| {
    let text = std::env::var(VARIABLE).ok()?;
    let (name, times) = text.rsplit_once(':').unwrap_or((text.as_str(), "1"));
    let plain = name.trim_start_matches('!');
    Some(Chosen { name: plain.to_owned(), panics: plain != name, left: times.parse::<usize>().ok()?.into() })
});

/// A chosen moment.
#[cfg(debug_assertions)]
struct Chosen {
    name: String,
    panics: bool,
    /// How often it is still to pass.
    left: std::sync::atomic::AtomicUsize,
}

/// Ends the process as `kill -9` does, or panics, when this is the chosen moment.
#[cfg(debug_assertions)]
pub fn reach(name: &str) {
    if !is_chosen(name) {
        return;
    }
    if CHOSEN.as_ref().is_some_and(|chosen| chosen.panics) {
        panic!("reached {name} with {:?}", std::env::vars_os());
    }
    kill();
}

/// In a release, nothing.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub fn reach(_: &str) {}

/// Ends the process in the middle of a write.
#[cfg(debug_assertions)]
pub(super) fn tear(name: &str, file: &mut File, line: &str) {
    use std::io::Write;
    if is_chosen(name) {
        let _ = file.write_all(&line.as_bytes()[..line.len() / 2]);
        kill();
    }
}

/// In a release, nothing.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub(super) fn tear(_: &str, _: &mut File, _: &str) {}

#[cfg(debug_assertions)]
fn is_chosen(name: &str) -> bool {
    use std::sync::atomic::Ordering;
    let Some(Chosen { name: chosen, left, .. }) = &*CHOSEN else { return false };
    chosen == name && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)) == Ok(1)
}

#[cfg(debug_assertions)]
fn kill() {
    let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGKILL);
}
