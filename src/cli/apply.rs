//! `unidebug apply`: a run's patch in the project's own folder, and out of it again.
//!
//! A run keeps its patched files whole, before and after. A file is written only while it is what the run saw, and
//! taken back only while it is what was written: whatever else changed in the tree stays.

use super::args::ApplyArgs;
use super::error::Failure;
use super::finish::read_report;
use super::runs;
use super::telling::Telling;
use crate::domain::{BugId, FileChange, Patch, RepoPath};
use crate::journal::RunDir;
use crate::report::RunReport;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::json;

/// Folders of a run directory with the patched files, whole.
const BEFORE: &str = "patched/before";
const AFTER: &str = "patched/after";

/// Applies a run's patch, or takes it back.
///
/// # Errors
/// There is no run, it has no patch, it is no project's, or its files changed.
pub fn apply(args: &ApplyArgs) -> Result<u8, Failure> {
    let folder = runs::find(&args.run)?;
    // Who has no frozen settings is no run.
    RunDir::frozen(&folder)?;
    let report = read_report(&folder)?;
    let files = if args.undo { undo(&folder, &report)? } else { put(&folder, &report)? };
    if args.json {
        super::print(&format!("{}\n", json!({"schema": 1, "undone": args.undo, "files": files, "run": folder})));
    } else {
        super::print(&told(&files, args.undo, &folder));
    }
    Ok(0)
}

/// What was written, for people.
pub fn told(files: &[RepoPath], undone: bool, folder: &Utf8Path) -> String {
    let names: Vec<&str> = files.iter().map(RepoPath::as_str).collect();
    let names = names.join(", ");
    if undone {
        return format!("undone: {names}\n");
    }
    format!("applied: {names}\nundo:    unidebug apply {} --undo\n", runs::name(folder))
}

/// Refuses a bug that has no folder of the user's to write to.
///
/// # Errors
/// It is a benchmark's.
pub fn refuse_foreign(bug: &BugId) -> Result<(), Failure> {
    if bug.benchmark == "local" {
        return Ok(());
    }
    Err(Failure::usage(
        format!("--apply: {bug} is no project of yours"),
        "run it without --apply; `patch.diff` in the run directory holds the patch",
    ))
}

/// Keeps the files of a patch in the run directory.
///
/// # Errors
/// They cannot be written.
pub fn keep(telling: &Telling, patch: &Patch) -> Result<(), Failure> {
    for file in &patch.files {
        if let Some(before) = &file.before {
            telling.save(&format!("{BEFORE}/{}", file.path), before)?;
        }
        telling.save(&format!("{AFTER}/{}", file.path), &file.after)?;
    }
    Ok(())
}

/// Writes the patch of a run into its project; the files that it has changed.
///
/// # Errors
/// No patch, no project, or a file that is not what the run saw: then nothing is written.
pub fn put(folder: &Utf8Path, report: &RunReport) -> Result<Vec<RepoPath>, Failure> {
    let (root, patch) = patch_of(folder, report)?;
    change(&root, &patch, "changed since the bug was worked on; nothing was written", "apply")
}

fn undo(folder: &Utf8Path, report: &RunReport) -> Result<Vec<RepoPath>, Failure> {
    let (root, patch) = patch_of(folder, report)?;
    let back = |file: FileChange| FileChange {
        before: (!file.deletes()).then(|| file.after.clone()),
        after: file.before.unwrap_or_default(),
        path: file.path,
    };
    let patch = Patch { files: patch.files.into_iter().map(back).collect() };
    change(&root, &patch, "is not as the patch left it; nothing was undone", "undo")
}

fn patch_of(folder: &Utf8Path, report: &RunReport) -> Result<(Utf8PathBuf, Patch), Failure> {
    refuse_foreign(&report.bug)?;
    if report.patch.is_none() {
        return Err(Failure::unusable(
            format!("the run `{folder}` has no patch"),
            "`unidebug inspect` shows what it did",
        ));
    }
    let read = |path: &RepoPath| {
        let after = std::fs::read(path.under(&folder.join(AFTER))).ok()?;
        let before = std::fs::read(path.under(&folder.join(BEFORE))).ok();
        Some(FileChange { path: path.clone(), before: before.map(Into::into), after: after.into() })
    };
    let files: Option<Vec<FileChange>> = report.files.iter().map(read).collect();
    let files = files.ok_or_else(|| {
        let hint = format!("type `git apply {folder}/patch.diff` in the project");
        Failure::unusable(format!("the run `{folder}` did not keep its patched files"), hint)
    })?;
    Ok((Utf8PathBuf::from(&report.bug.name), Patch { files }))
}

/// Changes all files, or none: each must be what it was, or be changed already.
fn change(root: &Utf8Path, patch: &Patch, refusal: &str, what: &str) -> Result<Vec<RepoPath>, Failure> {
    for file in &patch.files {
        let now = std::fs::read(file.path.under(root)).ok();
        // A session that was killed after this has done it.
        let done = now.as_deref() == Some(&*file.after) || file.after.is_empty() && now.is_none();
        if !done && now.as_deref() != file.before.as_deref() {
            return Err(Failure::unusable(
                format!("{what}: {} {refusal}", file.path),
                "merge by hand: `patch.diff` in the run directory holds the patch",
            ));
        }
    }
    for file in &patch.files {
        write(&file.path.under(root), file)?;
    }
    Ok(patch.paths().cloned().collect())
}

fn write(path: &Utf8Path, file: &FileChange) -> Result<(), Failure> {
    let failed = |e| Failure::io(&format!("cannot write {path}"), &e);
    // What is left without a byte is not there any more.
    if file.after.is_empty() {
        return if path.exists() { std::fs::remove_file(path).map_err(failed) } else { Ok(()) };
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, &file.after).map_err(failed)
}
