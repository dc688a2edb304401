//! A request for a file, as far as the mirror takes any.

use camino::Utf8PathBuf;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Longer heads are no request of a build tool's.
const MOST_HEAD: usize = 16 << 10;

/// The first line of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// The target as it was sent.
    target: String,
    /// Whether the content is asked for, too.
    pub(super) wants_body: bool,
}

impl Request {
    /// Reads a head; `None` when it is none, or asks for anything but a file.
    pub(super) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<Self> {
        let mut head = Vec::new();
        let mut chunk = [0; 2048];
        while memchr::memmem::find(&head, b"\r\n\r\n").is_none() {
            let count = stream.read(&mut chunk).await.ok().filter(|&count| count > 0)?;
            head.extend_from_slice(&chunk[..count]);
            if head.len() > MOST_HEAD {
                return None;
            }
        }
        Self::parse(&String::from_utf8_lossy(&head))
    }

    fn parse(head: &str) -> Option<Self> {
        let mut words = head.lines().next()?.split(' ');
        let wants_body = match words.next()? {
            "GET" => true,
            "HEAD" => false,
            _ => return None,
        };
        Some(Self { target: words.next()?.to_owned(), wants_body })
    }

    /// The path behind the secret word; `None` without it, and for names that no repository has.
    pub(super) fn path_below(&self, word: &str) -> Option<Utf8PathBuf> {
        let path = decoded(self.target.strip_prefix('/')?.strip_prefix(word)?.strip_prefix('/')?)?;
        let is_name = |part: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-+~$@!,()[]".contains(c);
            !part.is_empty() && !part.starts_with('.') && part.chars().all(plain)
        };
        path.split('/').all(is_name).then(|| path.into())
    }
}

/// Without percent signs.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_files_behind_the_word_are_paths() {
        let path = |line: &str| Request::parse(line).and_then(|request| request.path_below("w")).map(String::from);
        assert_eq!(path("GET /w/a/b-1%2B2.jar HTTP/1.1\r\n"), Some("a/b-1+2.jar".into()));
        assert_eq!(path("HEAD /w/a.pom HTTP/1.1"), Some("a.pom".into()));
        for refused in [
            "PUT /w/a HTTP/1.1",
            "GET /a/b HTTP/1.1",
            "GET /w/../x HTTP/1.1",
            "GET /w/a/%2e%2e/x HTTP/1.1",
            "GET /w/a//x HTTP/1.1",
            "GET /w//etc/passwd HTTP/1.1",
            "GET /w/a?x=1 HTTP/1.1",
            "GET /w/a%00b HTTP/1.1",
            "GET http://127.0.0.1:80/ HTTP/1.1",
            "CONNECT 127.0.0.1:22 HTTP/1.1",
            "",
        ] {
            assert_eq!(path(refused), None, "{refused}");
        }
    }
}
