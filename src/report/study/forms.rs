//! Tables as text, Markdown and CSV.

use super::{Cell, Table};
use crate::report::terminal::visible_line;
use std::fmt::Write;

/// Tables that are there to be read.
fn read(tables: &[Table]) -> impl Iterator<Item = &Table> {
    tables.iter().filter(|table| !table.is_data)
}

/// Tables for a terminal: columns aligned, numbers to the right.
pub(crate) fn text(tables: &[Table]) -> String {
    let mut out = String::new();
    for table in read(tables) {
        let _ = writeln!(out, "{}", table.title.to_uppercase());
        let head = table.columns.iter().map(|name| visible_line(name)).collect();
        let rows = table.rows.iter().map(|row| row.iter().map(|cell| visible_line(&cell.shown())).collect());
        let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
        let widest = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
        let columns: Vec<(usize, bool)> =
            (0..table.columns.len()).map(|at| (widest(at), table.is_number(at))).collect();
        for line in &lines {
            let fields = line.iter().zip(&columns).map(|(field, &(width, right))| {
                if right { format!("{field:>width$}") } else { format!("{field:<width$}") }
            });
            let _ = writeln!(out, "  {}", fields.collect::<Vec<_>>().join("  ").trim_end());
        }
        if !table.note.is_empty() {
            let _ = writeln!(out, "  ({})", table.note.trim_end_matches('.'));
        }
        out.push('\n');
    }
    out
}

/// A report as GitHub's Markdown.
pub(crate) fn markdown(title: &str, tables: &[Table]) -> String {
    let mut out = format!("# {}\n\n", in_markdown(title));
    let row = |out: &mut String, fields: Vec<String>| {
        let _ = writeln!(out, "| {} |", fields.join(" | "));
    };
    for table in read(tables) {
        let _ = writeln!(out, "## {}\n", table.title);
        if !table.note.is_empty() {
            let _ = writeln!(out, "{}\n", table.note);
        }
        row(&mut out, table.columns.iter().map(|name| in_markdown(name)).collect());
        let rule = |at| if table.is_number(at) { "---:" } else { "---" }.to_owned();
        row(&mut out, (0..table.columns.len()).map(rule).collect());
        for cells in &table.rows {
            row(&mut out, cells.iter().map(|cell| in_markdown(&cell.shown())).collect());
        }
        out.push('\n');
    }
    out
}

/// Foreign text as it may stand in a field of a table: on one line, without cells, tags or marks of its own.
fn in_markdown(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in visible_line(text).chars() {
        if matches!(c, '\\' | '|' | '<' | '*' | '`' | '[' | ']') {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

/// One table as CSV (RFC 4180); what is unknown is an empty field.
///
/// # Errors
/// Never in practice: it is written into memory.
pub(crate) fn csv(table: &Table) -> std::io::Result<String> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(table.columns.iter().map(|column| in_csv(column)))?;
    for row in &table.rows {
        let field = |cell: &Cell| match cell {
            Cell::Unknown => String::new(),
            Cell::Text(text) => in_csv(text),
            number => number.shown(),
        };
        writer.write_record(row.iter().map(field))?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Foreign text that a spreadsheet would take for a formula, behind the apostrophe that makes it a text there. Intervals
/// may begin with a minus.
fn in_csv(text: &str) -> String {
    let is_interval = || text.chars().all(|c| c.is_ascii_digit() || "-. to".contains(c));
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_interval();
    if is_formula { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            name: "t",
            title: "Title",
            note: "A note.".into(),
            columns: vec!["who".into(), "n".into()],
            rows: vec![vec!["a|b, \"c\"".into(), 7u64.into()], vec!["long name".into(), Cell::Unknown]],
            is_data: false,
        }
    }

    #[test]
    fn one_table_in_three_forms() {
        assert_eq!(
            text(&[table()]),
            "TITLE\n  who              n\n  a|b, \"c\"         7\n  long name  unknown\n  (A note)\n\n"
        );
        let page = markdown("T", &[table()]);
        assert!(page.starts_with("# T\n\n## Title\n") && page.contains("| a\\|b, \"c\" | 7 |\n"), "{page}");
        assert!(page.contains("| --- | ---: |"), "{page}");
        assert_eq!(csv(&table()).unwrap(), "who,n\n\"a|b, \"\"c\"\"\",7\nlong name,\n");
    }

    #[test]
    fn foreign_text_stays_text() {
        assert_eq!(in_markdown("a\\|<b>\n\u{1b}"), "a\\\\\\|\\<b> \\\\u{1b}");
        for (foreign, safe) in [("=1+1", "'=1+1"), ("-2+cmd", "'-2+cmd"), ("@a", "'@a"), ("-1.5 to 2.0", "-1.5 to 2.0")]
        {
            assert_eq!(in_csv(foreign), safe);
        }
        let mut foreign = table();
        foreign.rows = vec![vec!["a\u{1b}[2J\nb".into(), Cell::Number(-1.0, 1)]];
        assert!(text(&[foreign.clone()]).contains("  a\\u{1b}[2J b  -1.0\n"));
        assert!(csv(&foreign).unwrap().ends_with(",-1.0\n"));
    }
}
