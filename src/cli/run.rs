//! `unidebug run`: one bug, from its id to a validated patch.

use super::args::RunArgs;
use super::error::Failure;
use super::models::Models;
use super::open::{Opened, state_folder};
use super::progress::Progress;
use crate::agent::evidence::Without;
use crate::agent::policy::EngineBudget;
use crate::agent::profile;
use crate::domain::{AgentName, Event, EventSink, Level, Outcome, Patch, PolicyKind};
use crate::escalate::{Escalator, Repair, Verdict, level};
use crate::journal::{Journal, RunDir, SCHEMA as JOURNAL_SCHEMA, Tee};
use crate::llm::Redactor;
use crate::patch;
use crate::prompt::Library;
use crate::report::{self, By, Model, RunReport, Tally, VerdictWord};
use crate::tools::{Registry, Workbench};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the built-in engine tries before the first paid call.
const FIRST_TIME: Duration = Duration::from_secs(8);

/// Levels to climb.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels(pub Vec<Level>);

/// Reads `L1` or `L1..L3`; every level of it must be offered.
///
/// # Errors
/// A sentence for clap.
pub fn levels(text: &str) -> Result<Levels, String> {
    let offered = level::OFFERED;
    let names: Vec<&str> = offered.iter().map(|l| l.label()).collect();
    let find = |name: &str| {
        let named = offered.iter().copied().find(|l| l.label().eq_ignore_ascii_case(name));
        named.ok_or_else(|| format!("`{name}` is no level; there is {}", names.join(", ")))
    };
    let (first, last) = match text.split_once("..") {
        Some((first, last)) => (find(first)?, find(last)?),
        None => (find(text)?, find(text)?),
    };
    let chosen: Vec<Level> = offered.iter().copied().filter(|l| (first..=last).contains(l)).collect();
    if chosen.is_empty() { Err(format!("`{text}` runs backwards")) } else { Ok(Levels(chosen)) }
}

/// Runs one bug.
///
/// # Errors
/// Everything that keeps the bug from being tried; a bug that stays unrepaired is exit code 1.
pub async fn run(args: Box<RunArgs>) -> Result<u8, Failure> {
    let started = Instant::now();
    let registry = Registry::builtin();
    let library = Arc::new(Library::load(args.minds.prompts.as_deref())?);
    let profiles = profile::load(args.minds.agents.as_deref(), &registry.names())?;
    let names: Vec<AgentName> = profiles.iter().map(|p| p.name.clone()).collect();
    let opened = Opened::check(&args.bug, &args.source).await?;
    let models = Arc::new(Models::open(&args.minds, &names).await?);
    let folder = run_folder(&args, &opened)?;
    let telling = Telling::start(&folder, &args, &models.redactor)?;
    telling.emit(&started_event(&opened))?;
    if models.for_lack_of_a_key {
        telling.notice(
            "no key is configured, so the built-in engine works alone (OPENAI_API_KEY and --model change that)",
        )?;
    }
    let bench = opened.bench(&folder, &args.source, args.accept_suspicious, &*telling.sink).await?;
    let escalator = escalator(&args, profiles, registry, library, &models, &telling);
    let verdict = escalator.repair(&bench).await?;
    let report = report(&args, &models, &bench, &folder, &telling, &verdict, started);
    finish(&args, &bench, &folder, &telling, &report, &verdict)
}

/// Where the run's events go: journal, sums, progress.
struct Telling {
    sink: Arc<dyn EventSink>,
    tally: Arc<Tally>,
    progress: Option<Arc<Progress>>,
}

impl Telling {
    /// Makes the run directory with its frozen configuration, then the journal.
    fn start(folder: &Utf8Path, args: &RunArgs, redactor: &Arc<Redactor>) -> Result<Self, Failure> {
        let dir = RunDir::create(folder)?;
        let frozen = format!("{:#}\n", frozen(args));
        write(&folder.join("config.json"), frozen.as_bytes())?;
        let redactor = redactor.clone();
        let journal = Journal::begin(dir)?.scrubbed(Arc::new(move |text| redactor.text(text)));
        let tally = Arc::new(Tally::default());
        let progress = (!args.quiet).then(|| Arc::new(Progress::new()));
        let mut sinks: Vec<Arc<dyn EventSink>> = vec![Arc::new(journal), tally.clone()];
        if let Some(progress) = &progress {
            sinks.push(progress.clone());
        }
        Ok(Self { sink: Arc::new(Tee::new(sinks)), tally, progress })
    }

    fn emit(&self, event: &Event) -> Result<(), Failure> {
        self.sink.emit(event).map_err(|e| Failure::io("the journal cannot be written", &e))
    }

    fn notice(&self, text: &str) -> Result<(), Failure> {
        self.emit(&Event::Notice { text: text.to_owned() })
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        if let Some(progress) = &self.progress {
            progress.finish();
        }
    }
}

fn started_event(opened: &Opened) -> Event {
    Event::RunStarted {
        schema: JOURNAL_SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        bug: opened.bug.clone(),
        sandbox: opened.sandbox.name().to_owned(),
    }
}

/// The settings that decide what a run does, as they were; no key is among them.
fn frozen(args: &RunArgs) -> serde_json::Value {
    json!({
        "schema": 1, "version": env!("CARGO_PKG_VERSION"), "bug": args.bug,
        "levels": args.levels.0, "model": args.minds.model, "base_url": args.minds.base_url,
        "no_first": args.minds.no_first, "attempts": args.attempts, "no_review": args.no_review, "seed": args.seed, "variants": args.variants, "max_candidates": args.max_candidates,
        "max_time_seconds": args.source.max_time.as_secs_f64(), "accept_suspicious": args.accept_suspicious,
        "localization": format!("{:?}", args.source.localization).to_lowercase(),
        "sandbox": format!("{:?}", args.source.sandbox).to_lowercase(),
        "failing": args.source.failing, "root": args.source.root, "build": args.source.build, "test": args.source.test,
        "agents": args.minds.agents, "prompts": args.minds.prompts,
    })
}

fn run_folder(args: &RunArgs, opened: &Opened) -> Result<Utf8PathBuf, Failure> {
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => {
            let stamp = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3f");
            let short = opened.bug.name.rsplit('/').next().unwrap_or("bug");
            state_folder().join("runs").join(format!("{stamp}-{}-{short}", opened.bug.benchmark))
        }
    };
    std::path::absolute(&folder)
        .ok()
        .and_then(|path| Utf8PathBuf::from_path_buf(path).ok())
        .ok_or_else(|| Failure::usage(format!("--out: {folder} is no usable path"), "give a folder"))
}

fn escalator(
    args: &RunArgs,
    profiles: Vec<profile::Profile>,
    registry: Registry,
    library: Arc<Library>,
    models: &Arc<Models>,
    telling: &Telling,
) -> Escalator {
    let mut levels = args.levels.0.clone();
    if models.any_model() && !args.minds.no_first {
        levels.insert(0, Level::First);
    }
    let (models, prompts, sink) = (models.clone(), library.clone(), telling.sink.clone());
    let full = EngineBudget { time: args.source.max_time, candidates: args.max_candidates, seed: args.seed };
    let alone = args.levels.0.len() == 1;
    let deadline = Instant::now() + args.source.max_time;
    Escalator {
        profiles,
        registry,
        library,
        sink: telling.sink.clone(),
        levels,
        attempts: args.attempts,
        mind: Box::new(move |level, agent| models.mind(level, agent, &prompts, &sink)),
        engine: Box::new(move |level| {
            let left = deadline.saturating_duration_since(Instant::now());
            EngineBudget { time: engine_time(level, left, alone), ..full }
        }),
        review: !args.no_review,
        variants: args.variants,
        without: Without::default(),
        deadline,
    }
}

/// How long the engine may search in one agent run, of the time that is left. It goes on where it stopped, so the
/// shares only decide who gets to say so; something is left for everybody.
fn engine_time(level: Level, left: Duration, alone: bool) -> Duration {
    match level {
        Level::First => FIRST_TIME.min(left),
        _ if alone => left,
        Level::L1 => left.mul_f64(0.4),
        Level::L2 | Level::L3 => left.mul_f64(0.25),
        Level::Refine => left.mul_f64(0.15),
    }
}

fn report(
    args: &RunArgs,
    models: &Models,
    bench: &Workbench,
    folder: &Utf8Path,
    telling: &Telling,
    verdict: &Verdict,
    started: Instant,
) -> RunReport {
    let sums = telling.tally.sums();
    let (name, endpoint) = models.describe();
    let repair = match verdict {
        Verdict::Plausible(repair) => Some(&**repair),
        _ => None,
    };
    let (word, analysis) = match verdict {
        Verdict::Plausible(repair) => (VerdictWord::Plausible, repair.analysis.clone()),
        Verdict::Unrepaired { analysis } => (VerdictWord::Unrepaired, analysis.clone()),
        Verdict::Exhausted { cap } => (VerdictWord::Exhausted, Some(cap.clone())),
    };
    let mut seconds = sums.seconds;
    seconds.wall = started.elapsed().as_secs_f64();
    // One candidate is compiled while another is tested, so that their times overlap and can add up to more.
    seconds.tests = seconds.tests.min(seconds.wall - seconds.model);
    RunReport {
        schema: report::SCHEMA,
        bug: bench.bug.id.clone(),
        verdict: word,
        level: repair.map(|r| r.level),
        by: repair.map(|r| by(r, sums.at_repair.as_ref().unwrap_or(&sums.usage))),
        patch: repair.map(|r| patch::render(&r.attempt.patch)),
        files: repair.map(|r| r.attempt.patch.paths().cloned().collect()).unwrap_or_default(),
        correct: repair.and_then(|r| correct(bench, &r.attempt.patch)),
        localization: format!("{:?}", args.source.localization).to_lowercase(),
        model: Model { name, endpoint },
        validations: sums.validations,
        usage: sums.usage,
        seconds,
        analysis,
        run_dir: folder.to_string(),
    }
}

fn by(repair: &Repair, usage: &crate::domain::Usage) -> By {
    let asked = repair.policy != PolicyKind::Builtin;
    By {
        agent: repair.agent.clone(),
        policy: repair.policy,
        attempt: repair.number,
        request: if asked { usage.requests } else { 0 },
        cost_usd: usage.cost_usd.0,
    }
}

fn correct(bench: &Workbench, found: &Patch) -> Option<bool> {
    let oracle = bench.checkout.oracle.as_ref()?;
    patch::compare::correct(found, &oracle.files, &bench.originals, bench.language)
}

/// Keeps the patch and the report, prints them, applies the patch where that was asked for.
fn finish(
    args: &RunArgs,
    bench: &Workbench,
    folder: &Utf8Path,
    telling: &Telling,
    report: &RunReport,
    verdict: &Verdict,
) -> Result<u8, Failure> {
    if let Verdict::Plausible(repair) = verdict {
        write(&folder.join("patch.diff"), &patch::render_bytes(&repair.attempt.patch))?;
        for (nth, other) in repair.others.iter().enumerate() {
            write(&folder.join(format!("plausible-{}.diff", nth + 2)), &patch::render_bytes(&other.patch))?;
        }
        if args.apply {
            apply(bench, &repair.attempt.patch)?;
        }
    }
    let object = serde_json::to_value(report).map_err(|e| Failure::io("the report cannot be made", &e.into()))?;
    write(&folder.join("report.json"), format!("{object:#}\n").as_bytes())?;
    telling.emit(&Event::Finished { report: object.clone() })?;
    // The private copy and the compiled classes can be made again; a run directory keeps what cannot.
    for scratch in ["checkout", "work"] {
        let _ = std::fs::remove_dir_all(folder.join(scratch));
    }
    if let Some(progress) = &telling.progress {
        progress.finish();
    }
    let mut outcomes = telling.tally.sums().outcomes;
    outcomes.remove(&Outcome::PassedWarm);
    if args.json {
        super::print(&format!("{object}\n"));
    } else {
        super::print(&report::human(report, &outcomes));
    }
    Ok(match report.verdict {
        VerdictWord::Plausible => 0,
        VerdictWord::Unrepaired => 1,
        VerdictWord::Exhausted => 5,
    })
}

/// Writes the patch into the project's own folder, if its files are still what they were.
fn apply(bench: &Workbench, found: &Patch) -> Result<(), Failure> {
    let id = &bench.bug.id;
    if id.benchmark != "local" {
        return Err(Failure::usage(
            format!("--apply: {id} is no project of yours"),
            "apply the patch of the run directory by hand",
        ));
    }
    let root = Utf8Path::new(&id.name);
    for file in &found.files {
        let now = std::fs::read(file.path.under(root)).ok();
        if now.as_deref() != file.before.as_deref() {
            return Err(Failure::unusable(
                format!("--apply: {} changed while the bug was worked on; nothing was written", file.path),
                "apply the patch of the run directory by hand",
            ));
        }
    }
    for file in &found.files {
        write(&file.path.under(root), &file.after)?;
    }
    Ok(())
}

fn write(path: &Utf8Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|e| Failure::io(&format!("cannot write {path}"), &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_and_bad_ones_are_explained() {
        assert_eq!(levels("L1").unwrap().0, vec![Level::L1]);
        assert_eq!(levels("l1..L1").unwrap().0, vec![Level::L1]);
        assert_eq!(levels("L1..L3").unwrap().0, vec![Level::L1, Level::L2, Level::L3]);
        assert!(levels("L3..L1").unwrap_err().contains("runs backwards"));
        assert!(levels("L9").unwrap_err().contains("`L9` is no level"));
    }
}
