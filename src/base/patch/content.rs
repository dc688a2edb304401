//! What the new text of a file may not hold.

use super::original::refused;
use super::{PatchError, Policy};
use crate::domain::FileChange;
use crate::language::{decode, read_in_two_ways};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::BTreeMap;

/// Bytes that a proposal may have.
pub(super) const MAX_BYTES: usize = 256 * 1024;
/// Files that a patch may change.
pub(super) const MAX_FILES: usize = 20;
/// Lines that a patch may delete and insert together.
const MAX_LINES: usize = 2000;

/// Checks the files of a patch as they would be.
///
/// # Errors
/// Names the file and what it may not hold.
pub(super) fn check(files: &[FileChange], policy: &Policy) -> Result<(), PatchError> {
    if files.len() > MAX_FILES {
        return Err(refused(format!("the patch changes {} files; at most {MAX_FILES} are accepted", files.len())));
    }
    let lines: usize = files.iter().map(changed_lines).sum();
    if lines > MAX_LINES {
        return Err(refused(format!("the patch changes {lines} lines; at most {MAX_LINES} are accepted")));
    }
    for file in files {
        let before = file.before.as_deref().map(|bytes| decode(bytes).0).unwrap_or_default();
        let after = decode(&file.after).0;
        if after.contains('\0') {
            return Err(refused(format!("{} would hold NUL characters", file.path)));
        }
        if let Some(why) = read_in_two_ways(&before, &after, policy.language) {
            return Err(refused(format!("{} would {why}", file.path)));
        }
        if let Some(hidden) = new_hidden(&before, &after) {
            let code = u32::from(hidden);
            return Err(refused(format!(
                "{} would hold the invisible character U+{code:04X}; it hides from readers what the code does",
                file.path
            )));
        }
        check_package(file, &before, &after, policy)?;
    }
    Ok(())
}

/// Lines of a text with their line ends.
pub fn lines_of(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Where two texts are alike and where they differ, by lines counted from 0.
pub(super) fn compared(before: &str, after: &str) -> Vec<DiffOp> {
    capture_diff_slices(Algorithm::Patience, &lines_of(before), &lines_of(after))
}

/// Where two texts differ, by lines counted from 0.
pub fn differing(before: &str, after: &str) -> Vec<DiffOp> {
    let mut ops = compared(before, after);
    ops.retain(|op| !matches!(op, DiffOp::Equal { .. }));
    ops
}

fn changed_lines(file: &FileChange) -> usize {
    let before = file.before.as_deref().map(|bytes| decode(bytes).0).unwrap_or_default();
    let ops = differing(&before, &decode(&file.after).0);
    ops.iter().map(|op| op.old_range().len() + op.new_range().len()).sum()
}

/// Characters that change the direction of text or take no space: Unicode's property `Default_Ignorable_Code_Point`, without
/// the variation selectors, which belong to the sign before them.
fn is_hidden(c: char) -> bool {
    let is_ignorable = matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}');
    is_ignorable && !is_variation_selector(c)
}

/// Whether a character chooses how the one before it looks, and shows nothing itself.
pub(super) fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

fn new_hidden(before: &str, after: &str) -> Option<char> {
    let count = |text: &str| {
        let mut found: BTreeMap<char, usize> = BTreeMap::new();
        for c in text.chars().filter(|c| is_hidden(*c)) {
            *found.entry(c).or_default() += 1;
        }
        found
    };
    let old = count(before);
    count(after).into_iter().find(|(c, times)| *times > old.get(c).copied().unwrap_or(0)).map(|(c, _)| c)
}

/// A file where only files of the platform and of test libraries stand could replace the judge's.
fn check_package(file: &FileChange, before: &str, after: &str, policy: &Policy) -> Result<(), PatchError> {
    let mentions =
        |text: &str| text.lines().filter(|line| line.contains("package")).map(str::to_owned).collect::<Vec<_>>();
    if file.before.is_some() && mentions(before) == mentions(after) {
        return Ok(());
    }
    let roots = policy.source_roots.iter().filter_map(|root| file.path.below(root));
    let inside = roots.min_by_key(|inside| inside.len()).unwrap_or(file.path.as_str());
    let foreign = |text: &str| policy.language.foreign(inside.into(), text);
    match foreign(after) {
        Some(place) if file.before.is_none() || foreign(before).as_ref() != Some(&place) => {
            Err(refused(format!("{} would be {place}, which is not the project's", file.path)))
        }
        _ => Ok(()),
    }
}
