//! Bytes of a source file as text, and back without losing one.

/// How a file's bytes spell its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// ISO-8859-1: one byte per character, so every file can be read and written back exactly.
    Latin1,
}

/// Text of the bytes: UTF-8 where they are valid, else ISO-8859-1.
pub fn decode(bytes: &[u8]) -> (String, Encoding) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), Encoding::Utf8),
        Err(_) => (bytes.iter().map(|&byte| char::from(byte)).collect(), Encoding::Latin1),
    }
}

/// Bytes of the text.
///
/// # Errors
/// The first character that the encoding cannot spell.
pub fn encode(text: &str, encoding: Encoding) -> Result<Vec<u8>, char> {
    match encoding {
        Encoding::Utf8 => Ok(text.as_bytes().to_vec()),
        Encoding::Latin1 => text.chars().map(|c| u8::try_from(c).map_err(|_| c)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives() {
        let bytes: Vec<u8> = (0..=255).collect();
        let (text, encoding) = decode(&bytes);
        assert_eq!(encoding, Encoding::Latin1);
        assert_eq!(encode(&text, encoding).unwrap(), bytes);
        assert_eq!(encode("naïve €", Encoding::Latin1), Err('€'));
    }
}
