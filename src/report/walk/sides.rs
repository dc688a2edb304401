//! A diff as two columns: what was, and what is. Lines that go and lines that come in their place stand beside each other.

use crate::report::diff::{Kind, Line, lines};
use serde::Serialize;

/// One row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Row<'t> {
    /// What it is; the page takes the word for a class: `file`, `place`, `same`, `changed`, `added`, `removed`.
    pub kind: &'static str,
    /// The line before; `None` where one comes in.
    pub before: Option<&'t str>,
    /// The line after; `None` where one goes.
    pub after: Option<&'t str>,
}

/// The rows of a unified diff.
pub(super) fn rows(diff: &str) -> Vec<Row<'_>> {
    let (mut rows, mut gone, mut come) = (Vec::new(), Vec::new(), Vec::new());
    for Line { kind, text } in lines(diff) {
        match kind {
            Kind::Removed if come.is_empty() => gone.push(&text[1..]),
            Kind::Removed => {
                pair(&mut rows, &mut gone, &mut come);
                gone.push(&text[1..]);
            }
            Kind::Added => come.push(&text[1..]),
            Kind::File | Kind::Place => {
                pair(&mut rows, &mut gone, &mut come);
                let kind = if kind == Kind::File { "file" } else { "place" };
                rows.push(Row { kind, before: Some(text), after: None });
            }
            Kind::Same => {
                pair(&mut rows, &mut gone, &mut come);
                let text = text.strip_prefix(' ').unwrap_or(text);
                rows.push(Row { kind: "same", before: Some(text), after: Some(text) });
            }
        }
    }
    pair(&mut rows, &mut gone, &mut come);
    rows
}

fn pair<'t>(rows: &mut Vec<Row<'t>>, gone: &mut Vec<&'t str>, come: &mut Vec<&'t str>) {
    for at in 0..gone.len().max(come.len()) {
        let (before, after) = (gone.get(at).copied(), come.get(at).copied());
        let kind = match (before, after) {
            (Some(_), Some(_)) => "changed",
            (Some(_), None) => "removed",
            _ => "added",
        };
        rows.push(Row { kind, before, after });
    }
    gone.clear();
    come.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_goes_stands_beside_what_comes() {
        let diff = "--- a/A\n+++ b/A\n@@ -1,3 +1,3 @@\n a\n-b\n-c\n+d\n e\n+f\n";
        let found: Vec<_> = rows(diff).into_iter().map(|row| (row.kind, row.before, row.after)).collect();
        assert_eq!(
            found[3..],
            [
                ("same", Some("a"), Some("a")),
                ("changed", Some("b"), Some("d")),
                ("removed", Some("c"), None),
                ("same", Some("e"), Some("e")),
                ("added", None, Some("f")),
            ]
        );
    }

    proptest! {
        #[test]
        fn no_line_of_a_diff_is_lost(text in "([-+ @][a-zé]{0,3}\n){0,12}") {
            let rows = rows(&text);
            let both = rows.iter().filter(|row| row.kind == "changed").count();
            prop_assert_eq!(rows.len() + both, text.lines().count());
        }
    }
}
