//! Which files a request may ask for.

use camino::Utf8PathBuf;
use data_encoding::HEXLOWER;
use percent_encoding::percent_decode_str;

/// What a request asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Requested {
    /// The address of a repository that the request names.
    pub repository: Option<String>,
    /// The file's path in a repository.
    pub path: Utf8PathBuf,
}

/// What is asked for behind the secret: `/SECRET/PATH`, or `/SECRET/@ADDRESS/PATH` with a repository's address in
/// hexadecimal. `None` without the secret, and for names that no repository has.
pub(super) fn below(secret: &str, target: &str) -> Option<Requested> {
    let rest = target.strip_prefix('/')?.strip_prefix(secret)?.strip_prefix('/')?;
    let (repository, rest) = match rest.strip_prefix('@').map(|named| named.split_once('/')) {
        Some(named) => {
            let (address, rest) = named?;
            (Some(String::from_utf8(HEXLOWER.decode(address.as_bytes()).ok()?).ok()?), rest)
        }
        None => (None, rest),
    };
    let path = percent_decode_str(rest).decode_utf8().ok()?;
    let is_name = |part: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-+~$@!,()[]".contains(c);
        !part.is_empty() && !part.starts_with('.') && part.chars().all(plain)
    };
    path.split('/').all(is_name).then(|| Requested { repository, path: path.as_ref().into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_files_behind_the_word_are_paths() {
        let path = |target: &str| below("w", target).map(|requested| requested.path.into_string());
        assert_eq!(path("/w/a/b-1%2B2.jar"), Some("a/b-1+2.jar".into()));
        for refused in ["/a/b", "/w/../x", "/w/a/%2e%2e/x", "/w/a//x", "/w//etc/passwd", "/w/a?x=1", "/w/a%00b", "w/a"]
        {
            assert_eq!(path(refused), None, "{refused}");
        }
        for refused in ["http://127.0.0.1:80/", "127.0.0.1:22", "*", ""] {
            assert_eq!(path(refused), None, "{refused}");
        }
    }

    #[test]
    fn a_request_may_name_a_repository() {
        let requested =
            |target: &str| below("w", target).map(|requested| (requested.repository, requested.path.into_string()));
        let address = HEXLOWER.encode(b"https://m2.example.org/x");
        let found = requested(&format!("/w/@{address}/a/b.jar"));
        assert_eq!(found, Some((Some("https://m2.example.org/x".into()), "a/b.jar".into())));
        for refused in ["/w/@zz/a", "/w/@/../a", "/w/@ff/a", "/w/@6161", "/w/@6161/../a"] {
            assert_eq!(requested(refused), None, "{refused}");
        }
    }
}
