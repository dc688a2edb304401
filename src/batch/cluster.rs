//! More machines: the same folder, a worker on each. A scheduler only has to start `unidebug bench work`; which units
//! are left is read from the folder, so that a task that is killed, requeued or started twice does no harm.

use super::{BatchError, Plan, State};
use crate::sandbox::own::trusted;
use camino::{Utf8Path, Utf8PathBuf};

/// Name of the job script in a batch's folder.
const SCRIPT: &str = "job.sh";

/// The commands that together do the batch, for GNU parallel, ssh or any scheduler: one a shard.
pub fn commands(program: &Utf8Path, folder: &Utf8Path, shards: usize, jobs: usize) -> Vec<String> {
    let words = |at: usize| {
        let shard = format!("{at}/{shards}");
        let jobs = jobs.to_string();
        let words = [program.as_str(), "bench", "work", folder.as_str(), "--shard", &shard, "--jobs", &jobs];
        shlex::try_join(words).unwrap_or_else(|_| words.join(" "))
    };
    (1..=shards).map(words).collect()
}

/// A Slurm job script: an array with a task for each shard, which is put back into the queue when its node fails and is
/// warned a minute before its time ends.
pub fn script(program: &Utf8Path, folder: &Utf8Path, shards: usize, jobs: usize) -> String {
    let quoted = |text: &Utf8Path| shlex::try_quote(text.as_str()).map_or_else(|_| text.to_string(), Into::into);
    let (program, batch) = (quoted(program), quoted(folder));
    format!(
        "#!/bin/sh\n\
         #SBATCH --job-name=unidebug\n\
         #SBATCH --array=1-{shards}\n\
         #SBATCH --cpus-per-task={}\n\
         #SBATCH --requeue\n\
         #SBATCH --open-mode=append\n\
         #SBATCH --signal=B:INT@60\n\
         #SBATCH --output={batch}/slurm-%A_%a.txt\n\
         # `exec`, so that the scheduler's signal reaches the worker, which saves and stops.\n\
         exec {program} bench work {batch} --shard \"$SLURM_ARRAY_TASK_ID/{shards}\" --jobs {jobs}\n",
        jobs * 2
    )
}

/// Writes the script into the batch's folder and hands it to `sbatch`; gives the job's id.
///
/// # Errors
/// The script cannot be written, there is no `sbatch`, or it refuses.
pub async fn submit(folder: &Utf8Path, script: &str) -> Result<String, BatchError> {
    let file = folder.join(SCRIPT);
    std::fs::write(&file, script).map_err(|source| BatchError::Io {
        what: "writing the job script",
        path: file.clone(),
        source,
    })?;
    let done = trusted("sbatch", &["--parsable".to_owned(), file.to_string()]).await?;
    match done.code {
        Some(0) => Ok(done.stdout.trim().to_owned()),
        code => Err(BatchError::Scheduler { what: format!("`sbatch {file}` ended with {code:?}") }),
    }
}

/// Brings units that are over from other folders of the same plan into this one. A unit that is over here stays as it
/// is: no unit counts twice. Gives how many came.
///
/// # Errors
/// A folder holds another plan; something cannot be copied.
pub fn merge(into: &Utf8Path, parts: &[Utf8PathBuf]) -> Result<usize, BatchError> {
    let plans: Vec<Plan> = parts.iter().map(|part| Plan::read(part)).collect::<Result<_, _>>()?;
    let Some(plan) = plans.first() else { return Ok(0) };
    if let Some(at) = plans.iter().position(|other| other != plan) {
        return Err(BatchError::Merge { what: format!("{} holds another plan than {}", parts[at], parts[0]) });
    }
    plan.freeze(into)?;
    let mut came = 0;
    for unit in plan.units() {
        if matches!(unit.state(into), State::Over(_)) {
            continue;
        }
        let Some(part) = parts.iter().find(|part| matches!(unit.state(part), State::Over(_))) else { continue };
        copy(&unit.dir(part), &unit.dir(into))?;
        came += 1;
    }
    Ok(came)
}

/// Copies a run directory; its report, which says that it is over, comes last.
fn copy(from: &Utf8Path, to: &Utf8Path) -> Result<(), BatchError> {
    let io = |path: &Utf8Path| {
        let path = path.to_owned();
        move |source| BatchError::Io { what: "copying a run", path, source }
    };
    std::fs::create_dir_all(to).map_err(io(to))?;
    let mut entries: Vec<_> = from.read_dir_utf8().map_err(io(from))?.flatten().collect();
    entries.sort_by_key(|entry| entry.file_name() == "report.json");
    for entry in entries {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), &target).map_err(io(entry.path()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_blanks_stay_one_word() {
        let made = commands(Utf8Path::new("/opt/my tools/unidebug"), Utf8Path::new("/data/a b"), 2, 1);
        assert_eq!(made[1], "'/opt/my tools/unidebug' bench work '/data/a b' --shard 2/2 --jobs 1");
        let script = script(Utf8Path::new("/opt/my tools/unidebug"), Utf8Path::new("/data/a b"), 3, 2);
        assert!(
            script.contains("#SBATCH --array=1-3\n") && script.contains("exec '/opt/my tools/unidebug' bench work")
        );
    }
}
