//! A unified diff with colours for a terminal; the text is the same without them.

use anstyle::{AnsiColor, Style};
use std::fmt::Write;

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const PLACE: Style = AnsiColor::Cyan.on_default();

/// The diff with ANSI colours; a writer that is no terminal strips them (anstream does).
pub fn coloured(diff: &str) -> String {
    let mut text = String::with_capacity(diff.len() * 2);
    for line in diff.lines() {
        let style = match line.as_bytes() {
            [b'+', ..] if !line.starts_with("+++") => ADDED,
            [b'-', ..] if !line.starts_with("---") => REMOVED,
            [b'@', ..] => PLACE,
            _ => Style::new(),
        };
        let _ = writeln!(text, "{style}{line}{style:#}");
    }
    text
}

/// What a line of a unified diff is, as pages name it.
pub(super) fn kind(line: &str) -> &'static str {
    match line {
        _ if line.starts_with("+++") || line.starts_with("---") => "file",
        _ if line.starts_with('+') => "added",
        _ if line.starts_with('-') => "removed",
        _ if line.starts_with("@@") => "place",
        _ => "same",
    }
}
