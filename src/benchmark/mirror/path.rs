//! Which files a request may ask for.

use camino::Utf8PathBuf;
use percent_encoding::percent_decode_str;

/// The path behind the secret word; `None` without it, and for names that no repository has.
pub(super) fn below(word: &str, target: &str) -> Option<Utf8PathBuf> {
    let rest = target.strip_prefix('/')?.strip_prefix(word)?.strip_prefix('/')?;
    let path = percent_decode_str(rest).decode_utf8().ok()?;
    let is_name = |part: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-+~$@!,()[]".contains(c);
        !part.is_empty() && !part.starts_with('.') && part.chars().all(plain)
    };
    path.split('/').all(is_name).then(|| path.as_ref().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_files_behind_the_word_are_paths() {
        let path = |target: &str| below("w", target).map(String::from);
        assert_eq!(path("/w/a/b-1%2B2.jar"), Some("a/b-1+2.jar".into()));
        for refused in ["/a/b", "/w/../x", "/w/a/%2e%2e/x", "/w/a//x", "/w//etc/passwd", "/w/a?x=1", "/w/a%00b", "w/a"]
        {
            assert_eq!(path(refused), None, "{refused}");
        }
        for refused in ["http://127.0.0.1:80/", "127.0.0.1:22", "*", ""] {
            assert_eq!(path(refused), None, "{refused}");
        }
    }
}
