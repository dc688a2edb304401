//! A short name for some content: equal content has one name, and other content has another.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// A fingerprint under way.
#[derive(Default)]
pub struct Fingerprint(Sha256);

impl Fingerprint {
    /// Adds bytes. Their length counts, so that `ab`, `c` and `a`, `bc` differ.
    pub fn add(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let bytes = bytes.as_ref();
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// The name: 24 hexadecimal digits.
    pub fn name(&self) -> String {
        HEXLOWER.encode(&self.0.clone().finalize()[..12])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_counts_with_its_limits() {
        let name = |parts: &[&str]| {
            parts
                .iter()
                .fold(Fingerprint::default(), |mut all, part| {
                    all.add(part);
                    all
                })
                .name()
        };
        assert_eq!(name(&["ab", "c"]), name(&["ab", "c"]));
        assert_ne!(name(&["ab", "c"]), name(&["a", "bc"]));
        assert_eq!(name(&[]).len(), 24);
    }
}
