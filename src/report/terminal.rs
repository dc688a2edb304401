//! Foreign text on a terminal.

/// Text of models, tests and projects as a terminal may get it: what a terminal would obey, and what turns the direction
/// of reading round so that code reads as something else, is shown as an escape. Line breaks and tabs stay.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            '\r' => {}
            c if c.is_control() || turns(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// As [`visible`], on one line.
pub(super) fn visible_line(text: &str) -> String {
    visible(text).replace(['\n', '\t'], " ")
}

/// Marks, embeddings, overrides and isolates of the bidirectional algorithm (Unicode Standard Annex 9).
fn turns(c: char) -> bool {
    matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown_instead() {
        assert_eq!(visible("a\u{1b}[2Jb\r\n\tc\u{9b}31m"), "a\\u{1b}[2Jb\n\tc\\u{9b}31m");
        assert_eq!(visible("x \u{202e}y"), "x \\u{202e}y");
        assert_eq!(visible_line("a\nb\tc"), "a b c");
    }

    proptest! {
        #[test]
        fn nothing_is_left_to_obey(text in any::<String>()) {
            prop_assert!(!visible_line(&text).chars().any(|c| c.is_control() || turns(c)));
        }
    }
}
