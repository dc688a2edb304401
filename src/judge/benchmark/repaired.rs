//! The developer's repair of a bug, where a benchmark has it as a repaired project or as a patch.

use super::copy::io_error;
use super::local::kind::language_of;
use super::{BenchmarkError, Oracle, Project, private_copy};
use crate::domain::RepoPath;
use crate::language::is_test;
use crate::sandbox::{Job, Sandbox};
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;
use std::time::Duration;

/// Time for applying a patch.
const APPLY: Duration = Duration::from_secs(60);

/// Product files of a repaired project that differ from the buggy one. Test files belong to both sides, and files that
/// the repair deletes are no part of it.
pub(super) fn from_folder(buggy: &Utf8Path, fixed: &Utf8Path, project: &Project) -> Result<Oracle, BenchmarkError> {
    let language = language_of(project, buggy);
    let mut files = Vec::new();
    for folder in &project.source_roots {
        let walk =
            ignore::WalkBuilder::new(folder.under(fixed)).standard_filters(false).sort_by_file_path(Ord::cmp).build();
        for entry in walk.flatten() {
            let Some(path) = Utf8Path::from_path(entry.path()).filter(|path| language.is_source(path)) else {
                continue;
            };
            let Ok(inside) =
                path.strip_prefix(fixed).map_err(|_| ()).and_then(|p| RepoPath::new(p.as_str()).map_err(|_| ()))
            else {
                continue;
            };
            if is_test(&inside, &project.source_roots, &project.test_roots, language) {
                continue;
            }
            let bytes = fs::read(path).map_err(|source| io_error("cannot read the repaired file", path, source))?;
            if fs::read(inside.under(buggy)).ok().as_ref() != Some(&bytes) {
                files.push((inside, bytes));
            }
        }
    }
    Ok(Oracle { files, canary: None })
}

/// The files that a patch makes of the buggy ones. It is applied to a copy of its own, which nobody else sees.
pub(super) async fn from_patch(
    buggy: &Utf8Path,
    patch: &Utf8Path,
    project: &Project,
    sandbox: &Sandbox,
) -> Result<Oracle, BenchmarkError> {
    let folder = tempfile::tempdir().map_err(|source| io_error("cannot make a folder for", patch, source))?;
    let fixed = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap_or_default();
    private_copy(buggy, &fixed)?;
    let job = Job::new("git", &fixed)
        .args(["apply", "--whitespace=nowarn", "-p1", patch.as_str()])
        .write(&fixed)
        .read([patch.to_owned()])
        .wall(APPLY);
    let failed = |what: String| BenchmarkError::Setup {
        what,
        hint: "the patch must apply to the buggy project with `git apply -p1`".into(),
    };
    let done = sandbox.run(job).await.map_err(|error| failed(format!("git could not be started: {error}")))?;
    if !done.exit.success() {
        let reason = String::from_utf8_lossy(&done.stderr).lines().next().unwrap_or("no reason given").to_owned();
        return Err(failed(format!("the developer's patch does not apply: {reason} ({patch})")));
    }
    from_folder(buggy, &fixed, project)
}
