//! A run in a process that waits for runs: requests go in, records come out.

use super::keys::Keys;
use super::records::Listener;
use crate::sandbox::Served;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

/// More bytes of records than any suite writes.
const MOST: u64 = 128 << 20;

/// Reads what a waiting process answers to a run, line by line, and hands out a key for each test that begins, until a line
/// is its end.
///
/// # Errors
/// The process is gone.
pub(super) async fn follow<T>(
    served: &mut Served,
    keys: &Keys,
    bytes: &mut Vec<u8>,
    end: impl Fn(&Listener, &[u8]) -> Option<T>,
) -> std::io::Result<T> {
    let mut lines = BufReader::with_capacity(1 << 16, (&mut served.answers).take(MOST));
    let mut listener = Listener::new(keys);
    loop {
        let begin = bytes.len();
        if lines.read_until(b'\n', bytes).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = &bytes[begin..];
        if let Some(end) = end(&listener, line) {
            return Ok(end);
        }
        if let Some(key) = listener.answer(line) {
            served.requests.write_all(key.as_bytes()).await?;
        }
    }
}
