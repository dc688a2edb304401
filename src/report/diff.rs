//! A unified diff line by line: for pages, and with colours for a terminal.

use super::terminal::visible;
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::fmt::Write;

/// What a line of a unified diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// The names of a file before and after.
    File,
    /// Where a hunk stands.
    Place,
    /// A line that comes in.
    Added,
    /// A line that goes.
    Removed,
    /// Anything else.
    Same,
}

/// One line of a unified diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Line<'t> {
    /// What it is; pages take the word for a class.
    pub(super) kind: Kind,
    /// The whole line.
    pub(super) text: &'t str,
}

/// The lines of a unified diff. `--- ` begins a file only before `+++ `: else it is a line that goes and began with `-- `.
pub(super) fn lines(diff: &str) -> Vec<Line<'_>> {
    let mut rest = diff.lines().peekable();
    let mut in_head = false;
    let mut lines = Vec::new();
    while let Some(text) = rest.next() {
        let begins = text.starts_with("--- ") && rest.peek().is_some_and(|next| next.starts_with("+++ "));
        let kind = match text.as_bytes() {
            _ if begins || in_head => Kind::File,
            [b'+', ..] => Kind::Added,
            [b'-', ..] => Kind::Removed,
            [b'@', b'@', ..] => Kind::Place,
            _ => Kind::Same,
        };
        lines.push(Line { kind, text });
        in_head = begins;
    }
    lines
}

/// What the fixtures' repairs are marked with, so that tests can prove that no request holds one.
const CANARY: &str = "unidebug-oracle-";

/// The diff without such marks, each with the comment that holds it: they are no part of a repair.
pub(super) fn without_canary(diff: &str) -> String {
    let plain = diff.split_inclusive('\n').map(|line| {
        let comment = line.find(CANARY).and_then(|at| line[..at].rfind(['/', '#']).map(|end| &line[..=end]));
        let Some(before) = comment else { return line.to_owned() };
        let end = if line.ends_with('\n') { "\n" } else { "" };
        format!("{}{end}", before.trim_end_matches(['/', '#']).trim_end_matches([' ', '\t']))
    });
    plain.collect()
}

/// The diff with ANSI colours, and without what a terminal would obey besides; a writer that is no terminal strips them
/// (anstream does).
pub(crate) fn coloured(diff: &str) -> String {
    let mut text = String::with_capacity(diff.len() * 2);
    for line in lines(&visible(diff)) {
        let style = match line.kind {
            Kind::Added => AnsiColor::Green.on_default(),
            Kind::Removed => AnsiColor::Red.on_default(),
            Kind::Place => AnsiColor::Cyan.on_default(),
            Kind::File | Kind::Same => Style::new(),
        };
        let _ = writeln!(text, "{style}{}{style:#}", line.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decrements_and_increments_are_no_heads() {
        let diff = "--- a/A.java\n+++ b/A.java\n@@ -1,2 +1,2 @@\n i = 1;\n---i;\n+++i;\n--- x\n";
        let kinds: Vec<Kind> = lines(diff).iter().map(|line| line.kind).collect();
        use Kind::{Added, File, Place, Removed, Same};
        assert_eq!(kinds, [File, File, Place, Same, Removed, Added, Removed]);
    }

    #[test]
    fn marks_of_the_fixtures_are_not_shown() {
        let marked =
            "@@ -1,2 +1,3 @@\n-a / b\n+a / c // unidebug-oracle-elm-1-x\n+# unidebug-oracle-elm-1-x\n d # kept";
        assert_eq!(without_canary(marked), "@@ -1,2 +1,3 @@\n-a / b\n+a / c\n+\n d # kept");
        let python = "+    if at < n:  # unidebug-oracle-heron-71c4-playlist\n";
        assert_eq!(without_canary(python), "+    if at < n:\n");
    }

    #[test]
    fn only_our_own_colours_reach_a_terminal() {
        let text = coloured("+a\u{1b}[2J\n");
        assert!(text.contains("a\\u{1b}[2J") && text.matches('\u{1b}').count() == 2, "{text:?}");
    }
}
