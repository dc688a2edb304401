//! What the new text of a file may not hold.

use super::original::refused;
use super::{PatchError, Policy};
use crate::domain::FileChange;
use crate::language::{self, decode};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::BTreeMap;

/// Bytes that a proposal may have.
pub(super) const MAX_BYTES: usize = 256 * 1024;
/// Files that a patch may change.
pub(super) const MAX_FILES: usize = 20;
/// Lines that a patch may delete and insert together.
const MAX_LINES: usize = 2000;
/// Packages of the platform and of test libraries: classes in them could replace the judge's.
const FOREIGN_PACKAGES: [&str; 7] = ["java", "javax", "jdk", "sun", "junit", "org.junit", "org.hamcrest"];

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
pub(super) fn lines_of(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn changed_lines(file: &FileChange) -> usize {
    let before = file.before.as_deref().map(|bytes| decode(bytes).0).unwrap_or_default();
    let after = decode(&file.after).0;
    let ops = capture_diff_slices(Algorithm::Myers, &lines_of(&before), &lines_of(&after));
    let changed = |op: &DiffOp| match op {
        DiffOp::Equal { .. } => 0,
        other => other.old_range().len() + other.new_range().len(),
    };
    ops.iter().map(changed).sum()
}

/// Characters that change the direction of text or take no space.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200B}'..='\u{200F}' | '\u{061C}' | '\u{2060}' | '\u{FEFF}')
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

fn check_package(file: &FileChange, before: &str, after: &str, policy: &Policy) -> Result<(), PatchError> {
    let mentions =
        |text: &str| text.lines().filter(|line| line.contains("package")).map(str::to_owned).collect::<Vec<_>>();
    if file.before.is_some() && mentions(before) == mentions(after) {
        return Ok(());
    }
    let package = package_of(after, policy);
    let foreign = FOREIGN_PACKAGES
        .iter()
        .find(|foreign| package.strip_prefix(**foreign).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')));
    match foreign {
        Some(_) if file.before.is_none() || package_of(before, policy) != package => {
            Err(refused(format!("{} would be in the package `{package}`, which is not the project's", file.path)))
        }
        _ => Ok(()),
    }
}

fn package_of(text: &str, policy: &Policy) -> String {
    let Some(tree) = language::parse(text, policy.language) else { return String::new() };
    let packages = policy.language.syntax().packages;
    let found = language::children(tree.root_node()).into_iter().find(|node| packages.contains(&node.kind()));
    let name = found.and_then(|node| language::children(node).into_iter().find(|c| c.kind().ends_with("identifier")));
    name.map(|name| language::text_of(name, text).split_whitespace().collect()).unwrap_or_default()
}
