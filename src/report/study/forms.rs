//! Tables as text, Markdown and CSV.

use super::{Cell, Table};
use std::fmt::Write;

/// Tables that are there to be read.
fn read(tables: &[Table]) -> impl Iterator<Item = &Table> {
    tables.iter().filter(|table| !table.is_data)
}

/// Tables for a terminal: columns aligned, numbers to the right.
pub fn text(tables: &[Table]) -> String {
    let mut out = String::new();
    for table in read(tables) {
        let _ = writeln!(out, "{}", table.title.to_uppercase());
        let widths: Vec<usize> = (0..table.columns.len())
            .map(|at| {
                let cells = table.rows.iter().map(|row| row[at].shown().chars().count());
                cells.chain([table.columns[at].chars().count()]).max().unwrap_or(0)
            })
            .collect();
        let head: Vec<Cell> = table.columns.iter().map(|name| Cell::from(name.as_ref())).collect();
        for row in std::iter::once(&head).chain(&table.rows) {
            let line: Vec<String> = row
                .iter()
                .enumerate()
                .map(|(at, cell)| {
                    let right = table.rows.iter().any(|row| row[at].is_number());
                    let (text, width) = (cell.shown(), widths[at]);
                    if right { format!("{text:>width$}") } else { format!("{text:<width$}") }
                })
                .collect();
            let _ = writeln!(out, "  {}", line.join("  ").trim_end());
        }
        if !table.note.is_empty() {
            let _ = writeln!(out, "  ({})", table.note.trim_end_matches('.'));
        }
        out.push('\n');
    }
    out
}

/// Tables as GitHub's Markdown.
pub fn markdown(tables: &[Table]) -> String {
    let mut out = String::new();
    for table in read(tables) {
        let _ = writeln!(out, "## {}\n", table.title);
        if !table.note.is_empty() {
            let _ = writeln!(out, "{}\n", table.note);
        }
        let _ = writeln!(out, "| {} |", table.columns.join(" | "));
        let rule = (0..table.columns.len())
            .map(|at| if table.rows.iter().any(|row| row[at].is_number()) { "---:" } else { "---" });
        let _ = writeln!(out, "| {} |", rule.collect::<Vec<_>>().join(" | "));
        for row in &table.rows {
            let cells: Vec<String> =
                row.iter().map(|cell| cell.shown().replace('|', "\\|").replace('\n', " ")).collect();
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
        out.push('\n');
    }
    out
}

/// One table as CSV (RFC 4180); what is unknown is an empty field.
///
/// # Errors
/// Never in practice: it is written into memory.
pub fn csv(table: &Table) -> std::io::Result<String> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(table.columns.iter().map(|column| column.as_bytes()))?;
    for row in &table.rows {
        writer
            .write_record(row.iter().map(|cell| if *cell == Cell::Unknown { String::new() } else { cell.shown() }))?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
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
        assert!(markdown(&[table()]).contains("| a\\|b, \"c\" | 7 |\n"));
        assert!(markdown(&[table()]).contains("| --- | ---: |"));
        assert_eq!(csv(&table()).unwrap(), "who,n\n\"a|b, \"\"c\"\"\",7\nlong name,\n");
    }
}
