//! A patch as a unified diff that `git apply` takes.

use super::content::lines_of;
use crate::domain::{FileChange, Patch};
use crate::language::{Encoding, decode, encode};
use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices, group_diff_ops};

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// The patch as text for people and models: bytes that are not UTF-8 are read as ISO-8859-1.
pub fn render(patch: &Patch) -> String {
    patch.files.iter().map(|file| render_file(file).0).collect()
}

/// The patch in the exact bytes of its files, for `git apply`.
pub fn render_bytes(patch: &Patch) -> Vec<u8> {
    let bytes = |file| {
        let (text, encoding) = render_file(file);
        // A path may hold what ISO-8859-1 cannot spell; then the text goes as UTF-8.
        encode(&text, encoding).unwrap_or_else(|_| text.into_bytes())
    };
    patch.files.iter().flat_map(bytes).collect()
}

/// Both sides in one encoding, so that equal bytes are equal text.
fn sides(file: &FileChange) -> (String, String, Encoding) {
    let before = file.before.as_deref().unwrap_or(&[]);
    let (old, old_encoding) = decode(before);
    let (new, new_encoding) = decode(&file.after);
    if old_encoding == new_encoding {
        return (old, new, old_encoding);
    }
    let latin = |bytes: &[u8]| bytes.iter().map(|&byte| char::from(byte)).collect::<String>();
    (latin(before), latin(&file.after), Encoding::Latin1)
}

fn render_file(file: &FileChange) -> (String, Encoding) {
    let (before, after, encoding) = sides(file);
    let (old, new) = (lines_of(&before), lines_of(&after));
    let ops = capture_diff_slices(Algorithm::Patience, &old, &new);
    let groups = group_diff_ops(ops, CONTEXT);
    if groups.is_empty() {
        return (String::new(), encoding);
    }
    // As git does: a name with a space ends with a tab, which no name holds.
    let tab = if file.path.as_str().contains(' ') { "\t" } else { "" };
    let from = if file.before.is_some() { format!("a/{}{tab}", file.path) } else { "/dev/null".to_owned() };
    let to = if file.deletes() { "/dev/null".to_owned() } else { format!("b/{}{tab}", file.path) };
    let mut out = format!("--- {from}\n+++ {to}\n");
    for group in &groups {
        hunk(&mut out, group, &old, &new);
    }
    (out, encoding)
}

fn hunk(out: &mut String, group: &[DiffOp], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let old_range = range(first.old_range().start, last.old_range().end);
    let new_range = range(first.new_range().start, last.new_range().end);
    out.push_str(&format!("@@ -{old_range} +{new_range} @@\n"));
    for change in group.iter().flat_map(|op| op.iter_changes(old, new)) {
        out.push(match change.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        });
        let line: &str = change.value();
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// `first,count`; the count is left out when it is one, an empty range names the line before it.
fn range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}
