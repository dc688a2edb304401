//! Where a developer changed the code: the classes of RepairAgent's Tables IV and V.

use serde::Serialize;

/// How far the developer's repair is spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LocationType {
    /// At most one line out and at most one line in, at one place.
    SingleLine,
    /// More, in one file.
    MultiLine,
    /// Several files.
    MultiFile,
}

impl LocationType {
    /// The name in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::SingleLine => "single line",
            Self::MultiLine => "several lines",
            Self::MultiFile => "several files",
        }
    }

    /// Reads it off the developer's unified diff; `None` when that changes nothing.
    pub fn of(diff: &str) -> Option<Self> {
        let (mut files, mut places, mut lost, mut put) = (0, 0, 0, 0);
        let (mut in_hunk, mut in_place) = (false, false);
        let mut lines = diff.lines().peekable();
        while let Some(line) = lines.next() {
            let changes = in_hunk && line.starts_with(['-', '+']);
            // In a hunk `--- ` can be a removed line; a head is followed by its second half.
            if line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ ")) {
                (files, in_hunk, in_place) = (files + 1, false, false);
                continue;
            }
            in_hunk |= line.starts_with("@@");
            lost += usize::from(changes && line.starts_with('-'));
            put += usize::from(changes && line.starts_with('+'));
            places += usize::from(changes && !in_place);
            in_place = changes;
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
        assert_eq!(of(" a\n"), None);
        assert_eq!(LocationType::of(""), None);
    }
}
