//! Tables as LaTeX for papers, in the style of the package booktabs.

use super::Table;
use crate::report::terminal::visible_line;

/// Longest text that stays on one line, in characters.
const LONG: usize = 60;

/// A table as a float of LaTeX; it needs `\usepackage{booktabs}`.
pub(crate) fn latex(table: &Table) -> String {
    let columns: String = (0..table.columns.len()).map(|at| column(table, at)).collect();
    let caption = match table.note.is_empty() {
        true => in_latex(table.title),
        false => format!("{}. {}", in_latex(table.title), in_latex(&table.note)),
    };
    let mut out = format!(
        "% \\usepackage{{booktabs}}\n\\begin{{table}}\n  \\centering\n  \\caption{{{caption}}}\n  \\label{{tab:{}}}\n  \
         \\begin{{tabular}}{{{columns}}}\n    \\toprule\n",
        table.name
    );
    let row = |fields: Vec<String>| format!("    {} \\\\\n", fields.join(" & "));
    out += &row(table.columns.iter().map(|name| in_latex(name)).collect());
    out += "    \\midrule\n";
    for cells in &table.rows {
        out += &row(cells.iter().map(|cell| in_latex(&cell.shown())).collect());
    }
    out + "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n"
}

/// How a column is set: long text is broken.
fn column(table: &Table, at: usize) -> &'static str {
    let is_long = || table.rows.iter().any(|row| row[at].shown().chars().count() > LONG);
    match table.is_number(at) {
        true => "r",
        false if is_long() => "p{0.6\\linewidth}",
        false => "l",
    }
}

/// Foreign text as LaTeX sets it: no character of it is a command, and two hyphens are no dash.
fn in_latex(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in visible_line(text).chars() {
        match c {
            '-' if !safe.ends_with('-') => safe.push('-'),
            '\\' => safe.push_str("\\textbackslash{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => safe.extend(['\\', c]),
            '~' => safe.push_str("\\textasciitilde{}"),
            '^' => safe.push_str("\\textasciicircum{}"),
            '<' => safe.push_str("\\textless{}"),
            '>' => safe.push_str("\\textgreater{}"),
            '|' => safe.push_str("\\textbar{}"),
            '"' => safe.push_str("\\textquotedbl{}"),
            '`' => safe.push_str("\\textasciigrave{}"),
            '-' => safe.push_str("{}-"),
            '…' => safe.push_str("\\ldots{}"),
            _ => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::study::Cell;

    #[test]
    fn foreign_text_is_no_command() {
        let mut table = Table::new("t", "50 % of A&B", &["--who", "n"]).note("Over \\input{/etc/passwd}.");
        table.rows.push(vec!["a_b $x$ ~^<>|\u{1b}".into(), 7u64.into()]);
        table.rows.push(vec!["".into(), Cell::Unknown]);
        let wanted = "% \\usepackage{booktabs}\n\\begin{table}\n  \\centering\n  \\caption{50 \\% of A\\&B. Over \
                      \\textbackslash{}input\\{/etc/passwd\\}.}\n  \\label{tab:t}\n  \\begin{tabular}{lr}\n    \\toprule\n    \
                      -{}-who & n \\\\\n    \\midrule\n    a\\_b \\$x\\$ \\textasciitilde{}\\textasciicircum{}\\textless{}\
                      \\textgreater{}\\textbar{}\\textbackslash{}u\\{1b\\} & 7 \\\\\n     & unknown \\\\\n    \\bottomrule\n  \
                      \\end{tabular}\n\\end{table}\n";
        assert_eq!(latex(&table), wanted);
    }
}
