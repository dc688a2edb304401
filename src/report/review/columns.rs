//! Two diffs side by side, for a terminal.

use std::fmt::Write;

/// Columns of the narrowest side.
const LEAST: usize = 24;

/// Both texts in two columns that are `width` wide together; long lines go on below.
pub(crate) fn side_by_side(left: (&str, &str), right: (&str, &str), width: usize) -> String {
    let side = (width.saturating_sub(3) / 2).max(LEAST);
    let column = |(title, text): (&str, &str)| {
        let mut lines = vec![title.to_owned(), "─".repeat(side)];
        lines.extend(text.lines().flat_map(|line| folded(line, side)));
        lines
    };
    let (left, right) = (column(left), column(right));
    let mut out = String::new();
    for at in 0..left.len().max(right.len()) {
        let cell = |lines: &[String]| lines.get(at).cloned().unwrap_or_default();
        let (a, b) = (cell(&left), cell(&right));
        let _ = writeln!(out, "{}", format!("{a:<side$} │ {b}").trim_end());
    }
    out
}

/// A line in pieces of at most `side` characters; tabs become spaces, so that columns stay columns.
fn folded(line: &str, side: usize) -> Vec<String> {
    let plain: Vec<char> = line.replace('\t', "    ").chars().filter(|c| !c.is_control()).collect();
    if plain.is_empty() {
        return vec![String::new()];
    }
    plain.chunks(side).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_texts_stand_beside_each_other() {
        let text = side_by_side(("found", "-a\n+b\n"), ("developer", &format!("-a\n+{}\n", "c".repeat(30))), 51);
        let bar = "─".repeat(24);
        let gap = " ".repeat(24);
        let wanted = format!(
            "found                    │ developer\n{bar} │ {bar}\n-a                       │ -a\n+b                       │ \
             +{}\n{gap} │ ccccccc\n",
            "c".repeat(23)
        );
        assert_eq!(text, wanted);
    }
}
