//! Where a developer changed the code: the classes of RepairAgent's Tables IV and V.

use crate::report::diff::{Kind, Line, lines};
use serde::Serialize;

/// How far the developer's repair is spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LocationType {
    /// At most one line out and at most one line in, at one place.
    SingleLine,
    /// More, in one file.
    MultiLine,
    /// Several files.
    MultiFile,
}

impl LocationType {
    /// The name in tables.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::SingleLine => "single line",
            Self::MultiLine => "several lines",
            Self::MultiFile => "several files",
        }
    }

    /// Reads it off the developer's unified diff; `None` when that changes nothing.
    pub(crate) fn of(diff: &str) -> Option<Self> {
        let (mut files, mut places, mut lost, mut put) = (0, 0, 0, 0);
        let mut before = Kind::Same;
        // A note that the last line has no end stands between lines of one place.
        for Line { kind, .. } in lines(diff).into_iter().filter(|line| !line.text.starts_with('\\')) {
            let changes = |kind| matches!(kind, Kind::Added | Kind::Removed);
            files += usize::from(kind == Kind::File && before != Kind::File);
            lost += usize::from(kind == Kind::Removed);
            put += usize::from(kind == Kind::Added);
            places += usize::from(changes(kind) && !changes(before));
            before = kind;
        }
        match (files, places, lost, put) {
            (_, 0, ..) => None,
            (2.., ..) => Some(Self::MultiFile),
            (_, 1, 0..=1, 0..=1) => Some(Self::SingleLine),
            _ => Some(Self::MultiLine),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_off_the_diff() {
        let head = "--- a/A.java\n+++ b/A.java\n@@ -1,3 +1,3 @@\n";
        let of = |rest: &str| LocationType::of(&format!("{head}{rest}"));
        assert_eq!(of(" a\n-b\n+c\n d\n"), Some(LocationType::SingleLine));
        assert_eq!(of(" a\n+c\n"), Some(LocationType::SingleLine));
        assert_eq!(of(" a\n-b\n+c\n+d\n"), Some(LocationType::MultiLine));
        assert_eq!(of("-a\n+b\n c\n-d\n+e\n"), Some(LocationType::MultiLine));
        assert_eq!(of(&format!("-a\n+b\n{}-a\n+b\n", head.replace('A', "B"))), Some(LocationType::MultiFile));
        assert_eq!(of("-a\n\\ No newline at end of file\n+b\n"), Some(LocationType::SingleLine));
        assert_eq!(of(" a\n---i;\n+++i;\n"), Some(LocationType::SingleLine));
        assert_eq!(of(" a\n"), None);
        assert_eq!(LocationType::of(""), None);
    }
}
