//! SHA-1 (RFC 3174), the sum that every Maven repository keeps beside its files. It finds what broke on the way; whom
//! the bytes come from is TLS's part.

/// The sum of some bytes, in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut state: [u32; 5] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0];
    let blocks = bytes.chunks_exact(64);
    let mut last = blocks.remainder().to_vec();
    blocks.for_each(|block| add(&mut state, block));
    last.push(0x80);
    while last.len() % 64 != 56 {
        last.push(0);
    }
    last.extend((bytes.len() as u64 * 8).to_be_bytes());
    last.chunks_exact(64).for_each(|block| add(&mut state, block));
    state.iter().map(|word| format!("{word:08x}")).collect()
}

fn add(state: &mut [u32; 5], block: &[u8]) {
    let mut words = [0_u32; 80];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
    }
    for at in 16..80 {
        words[at] = (words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16]).rotate_left(1);
    }
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    for (round, word) in words.iter().enumerate() {
        let (mixed, constant) = match round {
            0..20 => (b & c | !b & d, 0x5A82_7999),
            20..40 => (b ^ c ^ d, 0x6ED9_EBA1),
            40..60 => (b & c | b & d | c & d, 0x8F1B_BCDC),
            _ => (b ^ c ^ d, 0xCA62_C1D6_u32),
        };
        let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e).wrapping_add(constant).wrapping_add(*word);
        (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
    }
    for (sum, part) in state.iter_mut().zip([a, b, c, d, e]) {
        *sum = sum.wrapping_add(part);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sums_are_those_of_the_standard() {
        assert_eq!(super::hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(super::hex(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(super::hex(&[b'a'; 1_000_000]), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    }
}
