//! Replacing parts of a text.

use std::ops::Range;

/// A part of a text and what stands there instead.
pub(super) type Edit = (Range<usize>, String);

/// The text with its parts replaced; parts that overlap one before them are left as they are.
pub(super) fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in edits {
        if range.start >= at
            && let Some(between) = text.get(at..range.start)
        {
            out.push_str(between);
            out.push_str(&new);
            at = range.end;
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
