//! A key that does not print.

use secrecy::{ExposeSecret, SecretString};

/// A secret text: no `Debug`, message or journal shows it; its memory is cleared when it is dropped.
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Takes the text without surrounding white space, as files and variables often have it.
    pub fn new(text: &str) -> Self {
        Self(SecretString::from(text.trim()))
    }

    /// The text itself: for the header of a request and for the list of what is to be redacted.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Enough to tell two keys apart: the last four characters, when the key is long enough not to be told by them.
    pub fn tail(&self) -> String {
        const SHOWN: usize = 4;
        const LONG_ENOUGH: usize = 16;
        let letters: Vec<char> = self.expose().chars().collect();
        if letters.len() < LONG_ENOUGH {
            "…".to_owned()
        } else {
            "…".chars().chain(letters[letters.len() - SHOWN..].iter().copied()).collect()
        }
    }

    pub(super) fn inner(&self) -> &SecretString {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_does_not_print() {
        let secret = Secret::new(" sk-test-0123456789abcd\n");
        assert_eq!(secret.expose(), "sk-test-0123456789abcd");
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        assert_eq!(secret.tail(), "…abcd");
        assert_eq!(Secret::new("short").tail(), "…");
    }
}
