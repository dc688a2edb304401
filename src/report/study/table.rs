//! A table and its values: one form that text, Markdown, CSV and the page share.

use super::Share;
use crate::domain::Usage;
use serde::Serialize;
use std::borrow::Cow;

/// One value of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Cell {
    /// A word.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number with its decimals.
    Number(f64, usize),
    /// Nothing is known.
    Unknown,
}

impl Cell {
    /// As people read it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(n) => n.to_string(),
            Self::Number(value, decimals) => format!("{value:.decimals$}"),
            Self::Unknown => "unknown".into(),
        }
    }

    /// Whether it is set to the right.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Self::Count(_) | Self::Number(..))
    }
}

impl Cell {
    /// Dollars.
    pub(super) fn money(usage: &Usage) -> Self {
        usage.cost_usd.0.map_or(Self::Unknown, |cost| Self::Number(cost, 4))
    }

    /// A share in per cent; empty when it is one of nothing.
    pub(super) fn percent(part: u64, of: u64) -> Self {
        if of == 0 { "".into() } else { Self::Number(100.0 * part as f64 / of as f64, 1) }
    }

    /// A mean; empty when it is one of nothing.
    pub(super) fn mean(sum: f64, of: u64, decimals: usize) -> Self {
        if of == 0 { "".into() } else { Self::Number(sum / of as f64, decimals) }
    }

    /// Dollars for each of `n`; empty for none.
    pub(super) fn money_each(usage: &Usage, n: u64) -> Self {
        match (usage.cost_usd.0, n) {
            (_, 0) => "".into(),
            (None, _) => Self::Unknown,
            (Some(cost), n) => Self::Number(cost / n as f64, 4),
        }
    }

    /// A share in per cent; empty when it is one of nothing.
    pub(super) fn share(share: Option<Share>) -> Self {
        share.map_or_else(|| "".into(), |share| Self::Number(100.0 * share.mean, 1))
    }

    /// The interval of a share, in per cent.
    pub(super) fn interval_of(share: Option<Share>) -> Self {
        share.map_or_else(|| "".into(), |share| Self::interval(share.interval))
    }

    /// An interval of shares, in per cent.
    pub(super) fn interval((low, high): (f64, f64)) -> Self {
        format!("{:.1} to {:.1}", 100.0 * low, 100.0 * high).into()
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
impl From<u64> for Cell {
    fn from(n: u64) -> Self {
        Self::Count(n)
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Table {
    /// Name for files and anchors: `escalation`.
    pub name: &'static str,
    /// Heading.
    pub title: &'static str,
    /// How to read it, in a sentence; may be empty.
    pub note: String,
    /// Headings of the columns.
    pub columns: Vec<Cow<'static, str>>,
    /// Rows, each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
    /// Whether it is the data of a chart, too long to be read: only CSV files hold it.
    pub is_data: bool,
}

impl Table {
    /// A table without rows.
    pub(super) fn new(name: &'static str, title: &'static str, columns: &[&'static str]) -> Self {
        let columns = columns.iter().map(|column| Cow::Borrowed(*column)).collect();
        Self { name, title, note: String::new(), columns, rows: Vec::new(), is_data: false }
    }

    /// Whether a column holds numbers, and is set to the right.
    pub(super) fn is_number(&self, column: usize) -> bool {
        self.rows.iter().any(|row| row[column].is_number())
    }

    /// Says how to read it.
    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Adds rows.
    pub(super) fn rows(mut self, rows: impl IntoIterator<Item = Vec<Cell>>) -> Self {
        self.rows.extend(rows);
        self
    }
}
