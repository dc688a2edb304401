//! A way out of a job without network, to one server of this program and nothing else.
//!
//! Behind landlock the job may connect to the server's port. In a network space of its own it cannot, so this program,
//! started inside, listens on that port and passes everything on to the server's socket.

use super::confine::ended_as;
use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};
use std::io;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode};

/// Where a server of this program waits for a job: at both places the same.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Door {
    /// Its port on 127.0.0.1.
    pub port: u16,
    /// Its socket in the file system.
    pub socket: Utf8PathBuf,
}

/// Starts the program and passes its connections on until it ends.
pub(super) fn run(door: &Door, words: &[String]) -> io::Result<ExitCode> {
    let Some((program, args)) = words.split_first() else { return Err(io::ErrorKind::InvalidInput.into()) };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, door.port))?;
    let socket = door.socket.clone();
    std::thread::spawn(move || {
        for inside in listener.incoming().flatten() {
            // A server that is gone is one that cannot be reached.
            let Ok(outside) = UnixStream::connect(&socket) else { continue };
            std::thread::spawn(move || join(inside, outside));
        }
    });
    ended_as(Command::new(program).args(args).spawn()?.wait()?)
}

/// Passes bytes in both directions until both have ended.
fn join(inside: TcpStream, outside: UnixStream) -> io::Result<()> {
    let (mut from_inside, mut to_outside) = (inside.try_clone()?, outside.try_clone()?);
    let there = std::thread::spawn(move || {
        let _ = io::copy(&mut from_inside, &mut to_outside);
        let _ = to_outside.shutdown(Shutdown::Write);
    });
    let (mut from_outside, mut to_inside) = (outside, inside);
    let _ = io::copy(&mut from_outside, &mut to_inside);
    let _ = to_inside.shutdown(Shutdown::Write);
    let _ = there.join();
    Ok(())
}
