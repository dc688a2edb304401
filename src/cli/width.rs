//! How wide the terminal is, and lines that fit.

use crate::domain::words::clipped;
use std::io::stderr;

/// Columns where nothing says how wide it is.
const USUAL: usize = 120;
/// Columns that stay free at the end of a moving line: where Ctrl-C is echoed, no line may be full.
const FREE: usize = 4;

/// Columns of the terminal, as it is now.
pub(super) fn columns() -> usize {
    let given = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let measured = || terminal_size::terminal_size_of(stderr()).map(|(width, _)| usize::from(width.0));
    given.or_else(measured).unwrap_or(USUAL)
}

/// The line as far as it fits beside `taken` columns.
pub(super) fn cut(line: &str, columns: usize, taken: usize) -> String {
    clipped(line, columns.saturating_sub(taken + FREE))
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_line_keeps_to_its_columns() {
        assert_eq!(cut("candidate 7: failed", 80, 6), "candidate 7: failed");
        let short = cut("candidate 7: failed", 20, 6);
        assert_eq!(short, "candidate…");
        assert!(short.chars().count() + 6 < 20);
        assert_eq!(cut("äöü", 4, 9), "…");
    }
}
