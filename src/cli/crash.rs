//! A panic is a fault of ours. It is reported like any other error, and without secrets: whatever a message or a
//! backtrace quotes may hold a key.

use super::error::Failure;
use super::interrupt;
use crate::llm::Redactor;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::PanicHookInfo;
use std::sync::{Arc, OnceLock};

/// What knows the secrets of this process, once a key was read.
static REDACTOR: OnceLock<Arc<Redactor>> = OnceLock::new();

/// Tells panics from now on, and keeps what is in memory from other processes: no dump of it is written, and none of
/// the same user reads this one's environment, in which the key is.
pub(super) fn prepare() {
    std::panic::set_hook(Box::new(tell));
    // Where the system does not know this, it is as open as before.
    let _ = nix::sys::prctl::set_dumpable(false);
}

/// Lets panics be reported without these secrets.
pub(super) fn keep_secret(redactor: &Arc<Redactor>) {
    // The first is the one of the run; others differ in nothing.
    let _ = REDACTOR.set(redactor.clone());
}

fn tell(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let what = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let place = info.location().map_or_else(String::new, |at| format!(" ({}:{})", at.file(), at.line()));
    let trace = Backtrace::capture();
    let trace = if trace.status() == BacktraceStatus::Captured { format!("\n{trace}") } else { String::new() };
    let what = what.unwrap_or("for no known reason");
    let message = format!("unidebug broke, which is a fault of its own: {what}{place}{trace}");
    let clean = match REDACTOR.get() {
        Some(redactor) => redactor.text(&message).into_owned(),
        None => Redactor::of_environment(None).text(&message).into_owned(),
    };
    // Other threads may go on: the object for programs is the main thread's.
    let json = super::wants_json() && std::thread::current().name() == Some("main");
    Failure::fault(clean, format!("{}; RUST_BACKTRACE=1 shows where it broke", interrupt::way_back())).print(json);
}
