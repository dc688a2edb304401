//! `unidebug apply`: a run's patch in the project's own folder, and out of it again.
//!
//! A run keeps its patched files whole, before and after. A file is written only while it is what the run saw, and
//! taken back only while it is what was written: whatever else changed in the tree stays.

use super::args::ApplyArgs;
use super::error::Failure;
use super::event_sinks::EventSinks;
use super::finish::read_report;
use super::runs;
use crate::benchmark::LOCAL;
use crate::domain::{BugId, FileChange, Patch, RepoPath};
use crate::journal::RunDir;
use crate::report::RunReport;
use camino::Utf8Path;
use serde_json::json;
use std::sync::Arc;

/// Folders of a run directory with the patched files, whole.
const BEFORE: &str = "patched/before";
const AFTER: &str = "patched/after";

/// Applies a run's patch, or takes it back.
///
/// # Errors
/// There is no run, it has no patch, it is no project's, or its files changed.
pub(super) fn apply(args: &ApplyArgs) -> Result<u8, Failure> {
    let folder = runs::find(&args.run)?;
    // Who has no frozen settings is no run.
    RunDir::frozen(&folder)?;
    let report = read_report(&folder)?;
    let files = if args.undo { undo(&folder, &report)? } else { put(&folder, &report, args.leave_test)? };
    if args.json {
        super::print(&format!("{}\n", json!({"schema": 1, "undone": args.undo, "files": files, "run": folder})));
    } else {
        super::print(&notice(&files, args.undo, &folder));
    }
    Ok(0)
}

/// What was written, for people.
pub(super) fn notice(files: &[RepoPath], undone: bool, folder: &Utf8Path) -> String {
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
pub(super) fn refuse_foreign(bug: &BugId) -> Result<(), Failure> {
    if bug.benchmark == LOCAL {
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
pub(super) fn keep(event_sinks: &EventSinks, patch: &Patch) -> Result<(), Failure> {
    for file in &patch.files {
        if let Some(before) = &file.before {
            event_sinks.save(&format!("{BEFORE}/{}", file.path), before)?;
        }
        event_sinks.save(&format!("{AFTER}/{}", file.path), &file.after)?;
    }
    Ok(())
}

/// A file between two states; without bytes it is not there.
struct Change {
    path: RepoPath,
    from: Option<Vec<u8>>,
    to: Option<Vec<u8>>,
}

impl Change {
    fn reversed(self) -> Self {
        Self { from: self.to, to: self.from, ..self }
    }
}

/// Writes the patch of a run into its project, and the test that was written for an issue, unless it is left; the files
/// that it has changed.
///
/// # Errors
/// No patch, no project, or a file that is not what the run saw: then nothing is written.
pub(super) fn put(folder: &Utf8Path, report: &RunReport, leave_test: bool) -> Result<Vec<RepoPath>, Failure> {
    let changes = changes_of(folder, report, leave_test)?;
    write_all(&report.bug, changes, "changed since the bug was worked on; nothing was written", "apply")
}

fn undo(folder: &Utf8Path, report: &RunReport) -> Result<Vec<RepoPath>, Failure> {
    let changes = changes_of(folder, report, false)?.into_iter().map(Change::reversed).collect();
    write_all(&report.bug, changes, "is not as the patch left it; nothing was undone", "undo")
}

fn changes_of(folder: &Utf8Path, report: &RunReport, leave_test: bool) -> Result<Vec<Change>, Failure> {
    refuse_foreign(&report.bug)?;
    if report.patch.is_none() {
        return Err(Failure::unusable(
            format!("the run `{folder}` has no patch"),
            "`unidebug inspect` shows what it did",
        ));
    }
    let change = |file: FileChange| {
        let to = (!file.deletes()).then(|| file.after.to_vec());
        Change { path: file.path, from: file.before.map(|bytes| bytes.to_vec()), to }
    };
    let test = report.test.iter().filter(|_| !leave_test).map(|test| &test.file);
    let patch = recorded_patch(folder, report, report.files.iter().chain(test)).ok_or_else(|| {
        let hint = format!("type `git apply {folder}/patch.diff` in the project");
        Failure::unusable(format!("the run `{folder}` did not keep its patched files"), hint)
    })?;
    Ok(patch.files.into_iter().map(change).collect())
}

/// The patch of a run with its files whole; `None` where there is none, or the run did not keep them.
pub(super) fn patched(folder: &Utf8Path, report: &RunReport) -> Option<Patch> {
    recorded_patch(folder, report, &report.files)
}

fn recorded_patch<'p>(
    folder: &Utf8Path,
    report: &RunReport,
    files: impl IntoIterator<Item = &'p RepoPath>,
) -> Option<Patch> {
    let read = |path: &RepoPath| {
        let after: Arc<[u8]> = std::fs::read(path.under(&folder.join(AFTER))).ok()?.into();
        let before: Option<Arc<[u8]>> = std::fs::read(path.under(&folder.join(BEFORE))).ok().map(Into::into);
        Some(FileChange { path: path.clone(), before, after })
    };
    report.patch.as_ref()?;
    Some(Patch { files: files.into_iter().map(read).collect::<Option<_>>()? })
}

/// Changes all files, or none: each must be what it was, or be changed already.
fn write_all(bug: &BugId, changes: Vec<Change>, refusal: &str, what: &str) -> Result<Vec<RepoPath>, Failure> {
    let root = Utf8Path::new(&bug.name);
    for change in &changes {
        let now = std::fs::read(change.path.under(root)).ok();
        // A session that was killed after this has done it.
        if now != change.from && now != change.to {
            return Err(Failure::unusable(
                format!("{what}: {} {refusal}", change.path),
                "merge by hand: `patch.diff` in the run directory holds the patch",
            ));
        }
    }
    for change in &changes {
        let path = change.path.under(root);
        write(&path, change.to.as_deref()).map_err(|e| Failure::io(&format!("cannot write {path}"), &e))?;
    }
    Ok(changes.into_iter().map(|change| change.path).collect())
}

fn write(path: &Utf8Path, to: Option<&[u8]>) -> std::io::Result<()> {
    let Some(bytes) = to else {
        return if path.exists() { std::fs::remove_file(path) } else { Ok(()) };
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undone_a_file_is_what_it_was_empty_missing_or_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let bug: BugId = format!("local:{root}").parse().unwrap();
        // An empty file that gets content, a new one that stays empty, and one that is deleted.
        let states: [(&str, Option<&str>, Option<&str>); 4] = [
            ("shop/__init__.py", Some(""), Some("import till\n")),
            ("shop/new/__init__.py", None, Some("")),
            ("shop/old.py", Some("x = 1\n"), None),
            ("shop/till.py", Some("x = 1\n"), Some("x = 2\n")),
        ];
        let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
        let changes = || {
            let change = |(path, from, to): &(&str, _, _)| Change {
                path: RepoPath::new(path).unwrap(),
                from: bytes(*from),
                to: bytes(*to),
            };
            states.iter().map(change).collect::<Vec<_>>()
        };
        let now = |path: &str| std::fs::read_to_string(root.join(path)).ok();
        std::fs::create_dir(root.join("shop")).unwrap();
        for (path, from, _) in &states {
            from.iter().for_each(|text| std::fs::write(root.join(path), text).unwrap());
        }
        write_all(&bug, changes(), "", "apply").unwrap();
        for (path, _, to) in &states {
            assert_eq!(now(path).as_deref(), *to, "{path}");
        }
        write_all(&bug, changes().into_iter().map(Change::reversed).collect(), "", "undo").unwrap();
        for (path, from, _) in &states {
            assert_eq!(now(path).as_deref(), *from, "{path}");
        }
        // An empty file in the place of one that is missing is not what the run saw.
        std::fs::write(root.join("shop/new/__init__.py"), "mine\n").unwrap();
        let refused = write_all(&bug, changes(), "changed", "apply").unwrap_err();
        assert!(refused.message.contains("shop/new/__init__.py changed"), "{}", refused.message);
        assert_eq!(now("shop/__init__.py").as_deref(), Some(""), "nothing is written");
    }
}
