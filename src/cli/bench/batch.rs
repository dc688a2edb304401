//! `unidebug bench run|status|resubmit|work|merge`: many bugs.

use super::args::{
    BenchFolderArgs, BenchMergeArgs, BenchResubmitArgs, BenchRunArgs, BenchWorkArgs, ExecutorArg, PodArgs, SpreadArgs,
    WorkerArgs,
};
use super::live::{self, Live};
use super::plan::plan;
use super::posts;
use crate::batch::{self, BatchError, Merged, Plan, Pod, Posts, Progress, Spread, State, Trouble, Unit, Worker};
use crate::cli::config::variables_of_settings;
use crate::cli::error::{Failure, LATER};
use crate::cli::interrupt;
use crate::domain::words::{counted, listed};
use crate::llm::{PostError, Standing};
use crate::report::RunReport;
use crate::sandbox::own::is_on_path;
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use serde_json::json;
use std::fmt::Write;
use std::time::Instant;

/// This program in an image.
const IN_IMAGE: &str = "unidebug";

/// Begins a batch, or goes on with it.
///
/// # Errors
/// The plan is wrong, or no unit can be run.
pub(super) async fn run(args: &BenchRunArgs) -> Result<u8, Failure> {
    let executor = args.executor.unwrap_or(ExecutorArg::Local);
    if args.total_time.is_some() && executor != ExecutorArg::Local {
        let hint = "a scheduler has time limits of its own; `--max-time` behind `--` caps each bug";
        return Err(Failure::usage("--total-time belongs to work that is done here and now", hint));
    }
    if executor == ExecutorArg::Slurm && !is_on_path("sbatch") {
        let hint = "run it on a login node of the cluster, or take `--executor local` or `shards`";
        return Err(Failure::unusable("Slurm is not installed here: there is no `sbatch`", hint));
    }
    if args.batch && executor != ExecutorArg::Local {
        let hint = "leave out `--executor`: runs are short, and what takes time is the vendor's batch";
        return Err(Failure::usage("--batch belongs to work that is done here", hint));
    }
    if executor == ExecutorArg::Kubernetes {
        pod_of(&args.spread.pod)?;
    }
    let plan = plan(args, executor == ExecutorArg::Local)?;
    let folder = whole(&args.out);
    let posts = if args.batch { posts::of(&plan, &folder, args.batch_pause.0).await? } else { Posts::default() };
    plan.freeze(&folder)?;
    batch::limit(&folder, args.total_tokens, args.total_cost.map(|usd| usd.0))?;
    let until = args.total_time.map(|time| Instant::now() + time.0);
    let batch = Batch { folder: &folder, plan: &plan, quiet: args.quiet, json: args.json };
    batch.hand_out(executor, &args.spread, until, posts).await
}

/// A batch whose plan is frozen.
struct Batch<'a> {
    folder: &'a Utf8Path,
    plan: &'a Plan,
    quiet: bool,
    json: bool,
}

impl Batch<'_> {
    /// Gives what is left to whoever does the work.
    async fn hand_out(
        &self,
        executor: ExecutorArg,
        how: &SpreadArgs,
        until: Option<Instant>,
        posts: Posts,
    ) -> Result<u8, Failure> {
        let Self { folder, plan, quiet, json } = *self;
        if executor == ExecutorArg::Local {
            let done = work_on(&Worker { until, posts, ..worker(folder, plan, &how.each) }, quiet).await;
            if !json {
                crate::cli::print(&ends(folder, plan));
            }
            let code = show(folder, plan, json)?;
            return done.map(|()| if code == 0 { failed(folder, plan) } else { code });
        }
        let SpreadArgs { shards, each: WorkerArgs { jobs, retry_pause }, sbatch_arg, pod } = how;
        let spread = Spread {
            program: if executor == ExecutorArg::Kubernetes { IN_IMAGE.into() } else { program()? },
            folder: folder.to_owned(),
            shards: usize::from(*shards),
            jobs: usize::from(*jobs),
            pause: retry_pause.0,
            options: sbatch_arg.clone(),
        };
        let text = match executor {
            ExecutorArg::Shards => {
                batch::commands(&spread, plan).iter().map(|command| format!("{command}\n")).collect()
            }
            ExecutorArg::Kubernetes => match batch::job(&spread, &pod_of(pod)?, plan)? {
                Some(job) => format!("{job:#}\n"),
                None => {
                    // No Job is printed, for `kubectl` would take anything else for one.
                    crate::cli::tell("nothing is left to do");
                    String::new()
                }
            },
            _ => match batch::submit(&spread, plan).await? {
                Some(id) => format!("job {id}: `unidebug bench status {folder}` tells how far it is\n"),
                None => "nothing is left to do\n".to_owned(),
            },
        };
        crate::cli::print(&text);
        Ok(0)
    }
}

/// What the pods are made of.
fn pod_of(args: &PodArgs) -> Result<Pod, Failure> {
    let hint = "build one by docs/Containerfile, and name it with `--image`";
    let image = args.image.clone().ok_or_else(|| Failure::usage("--executor kubernetes needs an image", hint))?;
    let PodArgs { volume, secret, memory, .. } = args.clone();
    Ok(Pod { image, volumes: volume, secrets: secret, variables: variables_of_settings(), memory })
}

/// Does a part of a batch.
///
/// # Errors
/// There is no batch, or no unit can be run.
pub(super) async fn work(args: &BenchWorkArgs) -> Result<u8, Failure> {
    let folder = whole(&args.batch);
    let plan = Plan::read(&folder)?;
    let shard = args.shard.map(|shard| shard.0);
    work_on(&Worker { shard, ..worker(&folder, &plan, &args.each) }, args.quiet).await?;
    Ok(0)
}

/// A worker for the whole batch, without an end.
fn worker<'a>(folder: &'a Utf8Path, plan: &'a Plan, each: &WorkerArgs) -> Worker<'a> {
    let (jobs, pause) = (usize::from(each.jobs), each.retry_pause.0);
    Worker { folder, plan, jobs, pause, shard: None, until: None, posts: Posts::default(), gate: interrupt::gate() }
}

/// Prints how far a batch is.
///
/// # Errors
/// There is no batch.
pub(super) fn status(args: &BenchFolderArgs) -> Result<u8, Failure> {
    let folder = whole(&args.batch);
    show(&folder, &Plan::read(&folder)?, args.json)
}

/// Lets units that the environment failed be tried again, and hands out what is left.
///
/// # Errors
/// There is no batch; those of the executor.
pub(super) async fn resubmit(args: &BenchResubmitArgs) -> Result<u8, Failure> {
    let folder = whole(&args.batch);
    let plan = Plan::read(&folder)?;
    let again = batch::forgive(&folder, &plan)?;
    if let Some(executor) = args.executor {
        return Batch { folder: &folder, plan: &plan, quiet: args.quiet, json: false }
            .hand_out(executor, &args.spread, None, Posts::default())
            .await;
    }
    let text = if args.json {
        format!("{}\n", json!({"schema": 1, "again": again}))
    } else {
        format!(
            "{} will be tried again: `unidebug bench work {folder}`, or name an --executor\n",
            counted(again, "run")
        )
    };
    crate::cli::print(&text);
    Ok(0)
}

/// Brings parts of a batch together, and says what is not over and how to go on with it.
///
/// # Errors
/// The parts have different plans; something cannot be copied.
pub(super) fn merge(args: &BenchMergeArgs) -> Result<u8, Failure> {
    let parts: Vec<Utf8PathBuf> = args.parts.iter().map(|part| whole(part)).collect();
    let into = whole(&args.out);
    let Merged { over, begun, at_work } = batch::merge(&into, &parts)?;
    let mut text = format!("{} came", counted(over, "run"));
    if begun > 0 {
        let _ = write!(text, ", and {begun} that have begun");
    }
    text.push('\n');
    for (unit, folder) in &at_work {
        let _ = writeln!(text, "{} is worked on in {folder}: merge again when it is over", unit.bug);
    }
    let plan = Plan::read(&into)?;
    let open: Vec<String> = plan.units().iter().filter_map(|unit| still_open(unit, &into)).collect();
    if !open.is_empty() {
        let _ = writeln!(text, "not over: {}\ngo on: unidebug bench work {into}", listed(&open, live::LISTED));
    }
    let _ = writeln!(text, "report: unidebug report {into}");
    crate::cli::print(&text);
    Ok(0)
}

/// A unit that is not over, by its bug and how far it is.
fn still_open(unit: &Unit, folder: &Utf8Path) -> Option<String> {
    let at = match unit.state(folder) {
        State::Over(_) => return None,
        State::Waiting => "waits",
        State::Begun => "has begun",
        State::Trouble(_) => "failed by the environment",
    };
    Some(format!("{} ({at})", unit.bug))
}

/// A line for each bug that is over: verdict, time, candidates.
fn ends(folder: &Utf8Path, plan: &Plan) -> String {
    let line = |unit: &Unit| {
        let State::Over(report) = unit.state(folder) else { return None };
        let Ok(report) = RunReport::deserialize(&report) else {
            return Some(format!("{:<16}  {}\n", "unreadable", unit.folder));
        };
        let (verdict, seconds) = (report.verdict.title(), report.seconds.wall);
        let tried = counted(report.candidates.proposed, "candidate");
        Some(format!("{verdict:<16}  {seconds:>8.1} s  {tried:>17}  {}\n", unit.folder))
    };
    plan.units().iter().filter_map(line).collect()
}

/// The exit code of what the environment failed for good, as `run` has it; 0 when it failed nothing.
fn failed(folder: &Utf8Path, plan: &Plan) -> u8 {
    let progress = batch::progress(folder, plan);
    let codes = progress.troubles.iter().filter(|(_, trouble)| trouble.again_in().is_none());
    codes.filter_map(|(_, trouble)| u8::try_from(trouble.code?).ok()).max().unwrap_or(0)
}

async fn work_on(worker: &Worker<'_>, quiet: bool) -> Result<(), Failure> {
    interrupt::note_batch();
    let before = batch::progress(worker.folder, worker.plan);
    let live = Live::new(before.units, before.over, quiet);
    let done = worker.work(&|progress| live.tell(progress)).await;
    live.finish();
    Ok(done?)
}

/// Prints how far a batch is, with what the environment failed. Code 75 while something is left to do.
fn show(folder: &Utf8Path, plan: &Plan, json: bool) -> Result<u8, Failure> {
    let standing = batch::standing(folder)?;
    let progress = batch::progress(folder, plan);
    let given_up = progress.troubles.iter().filter(|(_, trouble)| trouble.again_in().is_none()).count();
    let text = if json { object(folder, &progress, standing) } else { text(folder, &progress, standing) };
    crate::cli::print(&text);
    Ok(if progress.over + given_up < progress.units { LATER } else { 0 })
}

fn object(folder: &Utf8Path, progress: &Progress, standing: Option<Standing>) -> String {
    let failed = progress.troubles.iter().map(|(unit, trouble)| {
        let Trouble { tries, code, message, .. } = trouble;
        let again = trouble.again_in().map(|wait| wait.as_secs());
        json!({
            "unit": unit.folder, "bug": unit.bug, "tries": tries, "code": code, "message": message, "again_in_s": again,
        })
    });
    let begun = progress.begun.iter().map(|unit| {
        let at = unit.at(folder);
        let at = at.map(|at| json!({"attempt": at.attempt, "level": at.level, "agent": at.agent, "cycle": at.cycle}));
        json!({"unit": unit.folder, "bug": unit.bug, "at": at})
    });
    let object = json!({
        "schema": 1, "units": progress.units, "over": progress.over, "plausible": progress.plausible,
        "failed_by_environment": failed.collect::<Vec<_>>(), "begun": begun.collect::<Vec<_>>(),
        "cost_usd": progress.cost_usd,
        "caps": standing.map(|now| json!({
            "tokens": now.tokens, "usd": now.usd, "used_tokens": now.used_tokens, "used_usd": now.used_usd,
        })),
    });
    format!("{object}\n")
}

fn text(folder: &Utf8Path, progress: &Progress, standing: Option<Standing>) -> String {
    let mut text = format!("{}\n", live::counts(progress));
    if let Some(standing) = &standing {
        let _ = writeln!(text, "caps: {}", batch::standing_text(standing));
    }
    for (unit, trouble) in &progress.troubles {
        let (Trouble { tries, message, .. }, again) = (trouble, trouble.again_in().map(live::clock));
        let again = again.map(|wait| format!("tried again in {wait}"));
        let end = again.unwrap_or_else(|| "given up; `bench resubmit` tries again".to_owned());
        let _ = writeln!(text, "{}: {message} (failed {}; {end})", unit.bug, counted(*tries, "time"));
    }
    for unit in &progress.begun {
        let at = unit.at(folder).map(|at| format!(": {} {}, cycle {}", at.level, at.agent, at.cycle));
        let _ = writeln!(text, "{}: begun{}", unit.bug, at.unwrap_or_default());
    }
    let _ = writeln!(text, "report: unidebug report {folder}");
    text
}

fn program() -> Result<Utf8PathBuf, Failure> {
    let found = std::env::current_exe().map_err(|error| Failure::io("finding this program", &error))?;
    Utf8PathBuf::from_path_buf(found)
        .map_err(|path| Failure::unusable(format!("{} is no UTF-8", path.display()), "move the program"))
}

fn whole(folder: &Utf8Path) -> Utf8PathBuf {
    let whole = std::path::absolute(folder).ok().and_then(|path| Utf8PathBuf::from_path_buf(path).ok());
    whole.unwrap_or_else(|| folder.to_owned())
}

impl From<BatchError> for Failure {
    fn from(error: BatchError) -> Self {
        let hint = error.hint();
        match error {
            BatchError::Post(PostError::Model(error)) => error.into(),
            BatchError::Cap { what } => Self::cap(what, hint),
            BatchError::Interrupted => Self::interrupted(hint),
            BatchError::Plan { .. } | BatchError::Usage { .. } | BatchError::Volume { .. } => {
                Self::usage(error.to_string(), hint)
            }
            BatchError::Io { what, path, source } => Self::io(&format!("{what} ({path})"), &source),
            _ => Self::unusable(error.to_string(), hint),
        }
    }
}
