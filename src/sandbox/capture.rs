//! Keeps head and tail of a stream while draining all of it, so that a loud program neither blocks nor fills memory.

use std::collections::VecDeque;
use tokio::io::{AsyncRead, AsyncReadExt};

/// How a JVM is told where its temporary files go, where it has no `/tmp` of its own.
pub(super) const JAVA_SCRATCH: &str = "-Djava.io.tmpdir=";
/// What it says about that, which no test and no compiler said.
const JAVA_NOTICE: &[u8] = b"Picked up JAVA_TOOL_OPTIONS: -Djava.io.tmpdir=";

/// The text without the JVM's remark on our own option.
pub(super) fn without_notice(output: Vec<u8>) -> Vec<u8> {
    if memchr::memmem::find(&output, JAVA_NOTICE).is_none() {
        return output;
    }
    let lines = output.split_inclusive(|&byte| byte == b'\n');
    lines.filter(|line| !line.starts_with(JAVA_NOTICE)).flatten().copied().collect()
}

/// Bytes from the beginning and from the end of a stream.
#[derive(Debug, Default)]
pub(super) struct HeadTail {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: u64,
    half: usize,
}

impl HeadTail {
    /// Keeps at most `limit` bytes, half of them from the end.
    pub(super) fn new(limit: usize) -> Self {
        Self { half: limit / 2, ..Self::default() }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let to_head = bytes.len().min(self.half.saturating_sub(self.head.len()));
        self.head.extend_from_slice(&bytes[..to_head]);
        let mut rest = &bytes[to_head..];
        if rest.len() > self.half {
            self.dropped += (rest.len() - self.half) as u64;
            rest = &rest[rest.len() - self.half..];
        }
        let over = (self.tail.len() + rest.len()).saturating_sub(self.half);
        self.dropped += over as u64;
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// What was kept; a line in between tells how much is missing.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut output = self.head;
        if self.dropped > 0 {
            output.extend_from_slice(format!("\n[… {} bytes left out …]\n", self.dropped).as_bytes());
        }
        output.extend(self.tail);
        output
    }
}

/// Reads to the end of the stream into the shared buffer, so that what came is there even if the end never comes.
pub(super) async fn drain(mut from: impl AsyncRead + Unpin, into: std::sync::Arc<std::sync::Mutex<HeadTail>>) {
    let mut chunk = vec![0; 64 << 10];
    loop {
        match from.read(&mut chunk).await {
            Ok(0) | Err(_) => return,
            Ok(count) => {
                if let Ok(mut buffer) = into.lock() {
                    buffer.push(&chunk[..count]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HeadTail;
    use proptest::prelude::*;

    #[test]
    fn a_loud_stream_keeps_head_and_tail() {
        let mut stream = HeadTail::new(8);
        stream.push(b"abcdefgh");
        stream.push(b"ijklmnop");
        assert_eq!(String::from_utf8(stream.finish()).unwrap(), "abcd\n[… 8 bytes left out …]\nmnop");
    }

    proptest! {
        #[test]
        fn a_quiet_stream_is_kept_whole(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..5)) {
            let mut stream = HeadTail::new(200);
            parts.iter().for_each(|part| stream.push(part));
            prop_assert_eq!(stream.finish(), parts.concat());
        }
    }
}
