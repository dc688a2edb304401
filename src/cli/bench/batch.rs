//! `unidebug bench run|status|resubmit|work|merge`: many bugs.

use super::args::{BenchFolderArgs, BenchMergeArgs, BenchRunArgs, BenchWorkArgs, ExecutorArg};
use crate::batch::{self, BatchError, Configuration, Plan, PlanFile, Progress, State, TRIES, Worker};
use crate::benchmark::{self, Settings};
use crate::cli::args::{Cli, Command};
use crate::cli::error::{Failure, LATER};
use crate::cli::interrupt;
use crate::domain::BugId;
use camino::{Utf8Path, Utf8PathBuf};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Name of the only configuration of a batch without a plan file.
const ONLY: &str = "run";

/// Begins a batch, or goes on with it.
///
/// # Errors
/// The plan is wrong, or no unit can be run.
pub async fn run(args: &BenchRunArgs) -> Result<u8, Failure> {
    if args.total_time.is_some() && args.executor != ExecutorArg::Local {
        let hint = "a scheduler has time limits of its own; `--max-time` behind `--` caps each bug";
        return Err(Failure::usage("--total-time belongs to work that is done here and now", hint));
    }
    let plan = plan(args)?;
    let folder = whole(&args.out);
    plan.freeze(&folder)?;
    batch::limit(&folder, args.total_tokens, args.total_cost.map(|usd| usd.0))?;
    let until = args.total_time.map(|time| Instant::now() + time.0);
    let (shards, jobs) = (usize::from(args.shards), usize::from(args.jobs));
    match args.executor {
        ExecutorArg::Local => {
            let done = work_on(&Worker { folder: &folder, plan: &plan, jobs, shard: None, until }, args.quiet).await;
            let code = show(&folder, &plan, false)?;
            done.map(|()| code)
        }
        ExecutorArg::Shards => {
            let commands = batch::commands(&program()?, &folder, shards, jobs);
            crate::cli::print(&format!("{}\n", commands.join("\n")));
            Ok(0)
        }
        ExecutorArg::Slurm => {
            let script = batch::script(&program()?, &folder, shards, jobs);
            let id = batch::submit(&folder, &script).await?;
            crate::cli::print(&format!("job {id}: `unidebug bench status {folder}` tells how far it is\n"));
            Ok(0)
        }
    }
}

/// Does a part of a batch.
///
/// # Errors
/// There is no batch, or no unit can be run.
pub async fn work(args: &BenchWorkArgs) -> Result<u8, Failure> {
    let folder = whole(&args.batch);
    let plan = Plan::read(&folder)?;
    let shard = args.shard.map(|shard| shard.0);
    let jobs = usize::from(args.jobs);
    work_on(&Worker { folder: &folder, plan: &plan, jobs, shard, until: None }, args.quiet).await?;
    Ok(0)
}

/// Prints how far a batch is.
///
/// # Errors
/// There is no batch.
pub fn status(args: &BenchFolderArgs) -> Result<u8, Failure> {
    let folder = whole(&args.batch);
    show(&folder, &Plan::read(&folder)?, args.json)
}

/// Lets units that the environment failed be tried again.
///
/// # Errors
/// There is no batch.
pub fn resubmit(args: &BenchFolderArgs) -> Result<u8, Failure> {
    let folder = whole(&args.batch);
    let plan = Plan::read(&folder)?;
    let again = batch::forgive(&folder, &plan);
    let text = if args.json {
        format!("{}\n", json!({"schema": 1, "again": again}))
    } else {
        format!("{again} units will be tried again: `unidebug bench work {folder}`\n")
    };
    crate::cli::print(&text);
    Ok(0)
}

/// Brings parts of a batch together.
///
/// # Errors
/// The parts have different plans; something cannot be copied.
pub fn merge(args: &BenchMergeArgs) -> Result<u8, Failure> {
    let parts: Vec<Utf8PathBuf> = args.parts.iter().map(|part| whole(part)).collect();
    let into = whole(&args.out);
    let came = batch::merge(&into, &parts)?;
    crate::cli::print(&format!("{came} runs came; `unidebug report {into}` shows them\n"));
    Ok(0)
}

/// The plan that was typed or named.
fn plan(args: &BenchRunArgs) -> Result<Plan, Failure> {
    let (sets, repetitions, configurations) = match &args.sets[..] {
        [file] if file.ends_with(".toml") => {
            let text = std::fs::read_to_string(file).map_err(|error| {
                Failure::unusable(format!("the plan {file} cannot be read: {error}"), "name a file that can be read")
            })?;
            let plan: PlanFile = toml::from_str(&text).map_err(|error| {
                Failure::usage(format!("{file}: {error}"), "see `unidebug bench run --help` for the form of a plan")
            })?;
            (plan.bugs, plan.repetitions, plan.configurations)
        }
        sets => (sets.to_vec(), args.repeat, Vec::new()),
    };
    let configurations = if configurations.is_empty() {
        vec![Configuration { name: ONLY.into(), args: args.args.clone() }]
    } else {
        configurations
    };
    let mut bugs: Vec<BugId> = Vec::new();
    for configuration in &configurations {
        let settings = checked(configuration)?;
        for set in &sets {
            bugs.extend(benchmark::select(set, &settings)?);
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    bugs.retain(|bug| seen.insert(bug.to_string()));
    Ok(Plan::new(bugs, configurations, repetitions)?)
}

/// What a configuration says about where bugs are; its arguments are read as `run` will read them, before anything is
/// paid for.
fn checked(configuration: &Configuration) -> Result<Settings, Failure> {
    let words = ["unidebug", "run", "BUG"].into_iter().map(str::to_owned);
    let wrong = |what: &str| {
        let name = &configuration.name;
        Failure::usage(format!("the arguments of `{name}` are wrong: {what}"), "they are those of `unidebug run`")
    };
    let cli = Cli::try_parse_from(words.chain(configuration.args.iter().cloned())).map_err(|error| {
        let text = error.to_string();
        wrong(text.lines().next().unwrap_or("").trim_start_matches("error: "))
    })?;
    let Command::Run(run) = cli.command else { return Err(wrong("they name another command")) };
    if run.out.is_some() || run.apply {
        return Err(wrong("`--out` and `--apply` belong to a single run"));
    }
    Ok(Settings { root: run.settings.source.root.clone(), ..Settings::default() })
}

async fn work_on(worker: &Worker<'_>, quiet: bool) -> Result<(), Failure> {
    interrupt::note_batch();
    let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(worker.plan.units().len() as u64) };
    if let Ok(style) = ProgressStyle::with_template("{elapsed} {bar:20} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    let (begin, before) = (Instant::now(), batch::progress(worker.folder, worker.plan).over);
    let last = std::sync::Mutex::new(usize::MAX);
    let tell = |progress: &Progress| {
        let line = line(progress, begin.elapsed(), before);
        bar.set_position(progress.over as u64);
        bar.set_message(line.clone());
        // Off a terminal the bar is silent: a line for each unit that ends.
        let mut last = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if bar.is_hidden() && !quiet && *last != progress.over {
            *last = progress.over;
            anstream::eprintln!("{line}");
        }
    };
    let done = worker.work(&tell).await;
    bar.finish_and_clear();
    Ok(done?)
}

/// `12/40 over, 9 plausible (L1 8, L2 1), $0.12, 3 min left; at work: …`
fn line(progress: &Progress, elapsed: Duration, before: usize) -> String {
    let mut text = counts(progress);
    let done = progress.over.saturating_sub(before);
    if let Some(each) = elapsed.as_secs().checked_div(done as u64).filter(|_| progress.over < progress.units) {
        let left = each * (progress.units - progress.over) as u64;
        let _ = write!(text, ", {} min left", left.div_ceil(60));
    }
    if !progress.running.is_empty() {
        let _ = write!(text, "; at work: {}", progress.running.join(", "));
    }
    text
}

fn counts(progress: &Progress) -> String {
    let plausible: usize = progress.plausible.values().sum();
    let rungs: Vec<String> = progress
        .plausible
        .iter()
        .map(|(rung, n)| match rung.parse::<u8>() {
            Ok(0) => format!("level 0 {n}"),
            Ok(level) => format!("L{level} {n}"),
            Err(_) => format!("{rung} {n}"),
        })
        .collect();
    let rungs = if rungs.is_empty() { String::new() } else { format!(" ({})", rungs.join(", ")) };
    let trouble = match progress.trouble {
        0 => String::new(),
        n => format!(", {n} failed by the environment"),
    };
    let cost = progress.cost_usd.map_or_else(|| "unknown price".to_owned(), |cost| format!("${cost:.4}"));
    format!("{}/{} over, {plausible} plausible{rungs}{trouble}, {cost}", progress.over, progress.units)
}

/// Prints how far a batch is, with what the environment failed. Code 75 while something is left to do.
fn show(folder: &Utf8Path, plan: &Plan, json: bool) -> Result<u8, Failure> {
    let standing = batch::standing(folder)?;
    let progress = batch::progress(folder, plan);
    let troubles: Vec<_> = plan
        .units()
        .into_iter()
        .filter_map(|unit| match unit.state(folder) {
            State::Trouble(trouble) => Some((unit, trouble)),
            _ => None,
        })
        .collect();
    let mut text = String::new();
    if json {
        let failed: Vec<_> = troubles
            .iter()
            .map(|(unit, trouble)| json!({"unit": unit.folder, "bug": unit.bug, "tries": trouble.tries, "code": trouble.code, "message": trouble.message}))
            .collect();
        let object = json!({
            "schema": 1, "units": progress.units, "over": progress.over, "plausible": progress.plausible,
            "failed_by_environment": failed, "cost_usd": progress.cost_usd,
            "caps": standing.map(|now| json!({
                "tokens": now.tokens, "usd": now.usd, "used_tokens": now.used_tokens, "used_usd": now.used_usd,
            })),
        });
        let _ = writeln!(text, "{object}");
    } else {
        let _ = writeln!(text, "{}", counts(&progress));
        if let Some(standing) = &standing {
            let _ = writeln!(text, "caps: {}", batch::told(standing));
        }
        for (unit, trouble) in &troubles {
            let end =
                if trouble.tries < TRIES { "will be tried again" } else { "given up; `bench resubmit` tries again" };
            let _ = writeln!(text, "{}: {} ({end})", unit.bug, trouble.message);
        }
        let _ = writeln!(text, "report: unidebug report {folder}");
    }
    crate::cli::print(&text);
    if progress.over + troubles.iter().filter(|(_, trouble)| trouble.tries >= TRIES).count() < progress.units {
        Ok(LATER)
    } else {
        Ok(0)
    }
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
            BatchError::Cap { what } => Self::cap(what, hint),
            BatchError::Interrupted => Self::interrupted(hint),
            BatchError::Plan { .. } | BatchError::Usage { .. } => Self::usage(error.to_string(), hint),
            BatchError::Io { what, path, source } => Self::io(&format!("{what} ({path})"), &source),
            _ => Self::unusable(error.to_string(), hint),
        }
    }
}
