//! More machines: the same folder, a worker on each. A scheduler only has to start `unidebug bench work`; which units
//! are left is read from the folder, so that a task that is killed, requeued or started twice does no harm.

use super::{BatchError, Plan, left};
use crate::sandbox::own::trusted;
use camino::{Utf8Path, Utf8PathBuf};
use std::time::Duration;

/// Name of the job script in a batch's folder.
const SCRIPT: &str = "job.sh";
/// Seconds before the end of its time at which a task is warned: longer than a worker waits for answers on their way.
const WARNING: u32 = 180;

/// How a batch is spread over machines that see its folder.
#[derive(Debug, Clone)]
pub(crate) struct Spread {
    /// This program, as the machines see it.
    pub program: Utf8PathBuf,
    /// The batch's folder.
    pub folder: Utf8PathBuf,
    /// Into how many parts it is cut.
    pub shards: usize,
    /// Units at a time on one machine.
    pub jobs: usize,
    /// After a failure of the environment: so long nobody tries the unit again.
    pub pause: Duration,
    /// Further options of `sbatch`, each with its value: `--partition=cpu`.
    pub options: Vec<String>,
}

/// The commands that together do what is left, for GNU parallel, ssh or any scheduler: one a shard.
pub(crate) fn commands(spread: &Spread, plan: &Plan) -> Vec<String> {
    let Spread { program, folder, shards, jobs, pause, .. } = spread;
    let words = |at: usize| {
        let (shard, jobs, pause) = (format!("{at}/{shards}"), jobs.to_string(), seconds(*pause));
        let work = [program.as_str(), "bench", "work", folder.as_str(), "--shard", &shard];
        let words = work.into_iter().chain(["--jobs", &jobs, "--retry-pause", &pause]).collect::<Vec<_>>();
        shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" "))
    };
    left(folder, plan, *shards).into_iter().map(words).collect()
}

/// Hands what is left to Slurm, as an array with a task for each shard that has some; gives the job's id, or `None`
/// when nothing is left.
///
/// # Errors
/// The script cannot be written, there is no `sbatch`, or it refuses.
pub(crate) async fn submit(spread: &Spread, plan: &Plan) -> Result<Option<String>, BatchError> {
    let tasks = left(&spread.folder, plan, spread.shards);
    if tasks.is_empty() {
        return Ok(None);
    }
    if let Some(option) = spread.options.iter().find(|option| option.contains('\n') || !option.starts_with('-')) {
        return Err(BatchError::Scheduler { what: format!("`{option}` is no option of sbatch") });
    }
    let file = spread.folder.join(SCRIPT);
    let written = std::fs::write(&file, script(spread, &tasks));
    written.map_err(|source| BatchError::Io { what: "writing the job script", path: file.clone(), source })?;
    let done = trusted("sbatch", &["--parsable".to_owned(), file.to_string()]).await?;
    match done.code {
        Some(0) => Ok(Some(done.stdout.trim().to_owned())),
        Some(code) => Err(BatchError::Scheduler { what: format!("`sbatch {file}` ended with code {code}") }),
        None => Err(BatchError::Scheduler { what: format!("`sbatch {file}` was killed") }),
    }
}

/// A Slurm job script: an array whose tasks queue again when their node fails or their time ends. A task is warned
/// before that: its worker saves what is paid for and stops, and goes on from its journal when it is its turn again.
fn script(spread: &Spread, tasks: &[usize]) -> String {
    let Spread { program, folder, shards, jobs, pause, options } = spread;
    let pause = seconds(*pause);
    let quoted = |text: &Utf8Path| shlex::try_quote(text.as_str()).map_or_else(|_| text.to_string(), Into::into);
    let (program, batch) = (quoted(program), quoted(folder));
    let options: String = options.iter().map(|option| format!("#SBATCH {option}\n")).collect();
    format!(
        "#!/bin/sh\n\
         #SBATCH --job-name=unidebug\n\
         #SBATCH --array={}\n\
         #SBATCH --cpus-per-task={}\n\
         #SBATCH --requeue\n\
         #SBATCH --open-mode=append\n\
         #SBATCH --signal=B:USR1@{WARNING}\n\
         #SBATCH --output={batch}/slurm-%A_%a.txt\n\
         {options}\
         # Warned that its time is nearly up, the task lets the worker save what it has, and queues again.\n\
         warned=\n\
         trap 'warned=1; kill -TERM \"$worker\"' USR1\n\
         trap 'kill -TERM \"$worker\"' TERM INT\n\
         {program} bench work {batch} --shard \"$SLURM_ARRAY_TASK_ID/{shards}\" --jobs {jobs} \
         --retry-pause {pause} &\n\
         worker=$!\n\
         wait \"$worker\"\n\
         code=$?\n\
         # A signal ends the waiting, not the worker.\n\
         while kill -0 \"$worker\" 2>/dev/null; do\n\
         \x20 wait \"$worker\"\n\
         \x20 code=$?\n\
         done\n\
         if [ -n \"$warned\" ] && [ \"$code\" -ne 0 ]; then\n\
         \x20 exec scontrol requeue \"${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID\"\n\
         fi\n\
         exit \"$code\"\n",
        ranges(tasks),
        jobs * 2
    )
}

/// `15s`, as the program reads it.
fn seconds(time: Duration) -> String {
    format!("{}s", time.as_secs_f64())
}

/// `1-3,7`: numbers that rise, as an array's option takes them.
fn ranges(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let range = |&(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    runs.iter().map(range).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Configuration;

    fn spread() -> (Spread, Plan) {
        let bugs = ["fixtures:a", "fixtures:b"].map(|id| id.parse().unwrap()).to_vec();
        let plan = Plan::new(bugs, vec![Configuration { name: "run".into(), args: Vec::new() }], 1).unwrap();
        let (program, folder) = ("/opt/my tools/unidebug".into(), "/no such/a b".into());
        let pause = Duration::from_secs(15);
        (Spread { program, folder, shards: 2, jobs: 1, pause, options: vec!["--partition=cpu".into()] }, plan)
    }

    #[test]
    fn paths_with_blanks_stay_one_word() {
        let (spread, plan) = spread();
        let made = commands(&spread, &plan);
        let wanted = "'/opt/my tools/unidebug' bench work '/no such/a b' --shard 2/2 --jobs 1 --retry-pause 15s";
        assert_eq!(made[1], wanted);
        let script = script(&spread, &[1, 2]);
        assert!(script.contains("#SBATCH --array=1-2\n") && script.contains("#SBATCH --partition=cpu\n"), "{script}");
        assert!(script.contains("\n'/opt/my tools/unidebug' bench work '/no such/a b' --shard"), "{script}");
        assert!(script.contains(" --jobs 1 --retry-pause 15s &\n"), "{script}");
    }

    #[test]
    fn numbers_in_a_row_are_a_range() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), "1-3,7,9-10");
        assert_eq!(ranges(&[4]), "4");
    }
}
