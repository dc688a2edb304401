//! One permanent thread that starts every process.
//!
//! The kernel's "parent died" signal fires when the *thread* that forked ends, and an async runtime retires idle
//! threads; a job forked from one of those would be killed in the middle of its work.

use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

type Work = Box<dyn FnOnce() + Send>;

fn thread() -> &'static Sender<Work> {
    static THREAD: OnceLock<Sender<Work>> = OnceLock::new();
    THREAD.get_or_init(|| {
        let (sender, receiver) = channel::<Work>();
        std::thread::spawn(move || {
            for work in receiver {
                work();
            }
        });
        sender
    })
}

/// Starts the command from the permanent thread. The command and the descriptors it owns are dropped there.
pub(super) async fn spawn(mut command: Command) -> std::io::Result<Child> {
    let (answer, spawned) = oneshot::channel();
    let runtime = tokio::runtime::Handle::current();
    let work: Work = Box::new(move || {
        let _inside = runtime.enter();
        // A receiver that is gone drops the child, which kills it.
        let _ = answer.send(command.spawn());
    });
    let gone = || std::io::Error::other("the thread that starts processes is gone");
    thread().send(work).map_err(|_| gone())?;
    spawned.await.map_err(|_| gone())?
}
