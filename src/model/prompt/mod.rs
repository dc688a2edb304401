//! Prompts: templates of `prompts/`, compiled into the program, replaceable file by file from a folder.
//!
//! What the templates say is theirs; this room loads and renders them strictly: a variable that is not given is an
//! error with its line, never an empty place in a prompt that somebody pays for.

mod error;
mod library;

pub use error::PromptError;
pub use library::Library;

/// Characters of one token in an offline estimate.
const CHARS_PER_TOKEN: usize = 4;

/// An offline estimate of how many tokens a text takes: its characters divided by four, rounded up. For reports and
/// shares of a budget; what an endpoint counted is always preferred.
pub fn count_tokens(text: &str) -> usize {
    text.chars().count().div_ceil(CHARS_PER_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::count_tokens;

    #[test]
    fn tokens_are_estimated_from_characters_and_not_from_bytes() {
        assert_eq!([count_tokens(""), count_tokens("a"), count_tokens("abcd"), count_tokens("abcde")], [0, 1, 1, 2]);
        assert_eq!(count_tokens("äöüß"), 1);
    }
}
