//! `unidebug inspect`: how a run came to its end, read off its journal; and its exports for other tools.

pub(super) mod args;
#[cfg(feature = "tui")]
mod screen;
#[cfg(feature = "tui")]
mod tree;

use super::error::Failure;
use super::report::{run_dirs, write};
use crate::domain::Outcome;
use crate::domain::words::counted;
use crate::journal::Journal;
use crate::report::study::{RunFacts, name_rows};
use crate::report::walk::export::{self, Predictions, Unpredictable};
use crate::report::walk::{self, Walk};
use crate::sandbox::pager;
use args::{InspectArgs, InspectFormat};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::IsTerminal;

/// Shows or writes runs.
///
/// # Errors
/// A folder holds no run; a journal is damaged; runs do not fit the form; a file cannot be written.
pub(super) async fn inspect(args: &InspectArgs) -> Result<u8, Failure> {
    let dirs = run_dirs(&args.runs)?;
    if args.screen {
        return on_screen(alone(&dirs)?);
    }
    let format = match (args.html, args.json) {
        (true, _) => InspectFormat::Html,
        (_, true) => InspectFormat::Json,
        _ => args.format,
    };
    match format {
        InspectFormat::Text => {
            let texts: Result<Vec<_>, Failure> =
                dirs.iter().map(|dir| Ok(walk::text(&Walk::read(dir)?, args.prompts))).collect();
            let text = texts?.join("\n\n");
            match &args.out {
                Some(file) => write(file, anstream::adapter::strip_str(&text).to_string())?,
                None => page(&text).await,
            }
        }
        InspectFormat::Html => {
            let page = walk::html(&walks(&dirs)?);
            let page = page.map_err(|error| Failure::io("making the page", &std::io::Error::other(error)))?;
            one_text(&page, args.out.as_deref())?;
        }
        InspectFormat::Json => one_text(&lines(walks(&dirs)?.iter().map(|walk| json!(walk))), args.out.as_deref())?,
        InspectFormat::Sweagent => each(&dirs, args, "traj", export::sweagent)?,
        InspectFormat::Mini => each(&dirs, args, "traj.json", export::mini)?,
        InspectFormat::Swebench => predictions(&dirs, args, export::swebench)?,
        InspectFormat::MultiSwebench => predictions(&dirs, args, export::multi_swebench)?,
        InspectFormat::Diffs => diffs(&dirs, args)?,
        InspectFormat::Otlp => {
            let spans = dirs.iter().map(|dir| spans(dir)).collect::<Result<Vec<_>, _>>()?;
            one_text(&lines(spans.into_iter()), args.out.as_deref())?;
        }
    }
    Ok(0)
}

#[cfg(feature = "tui")]
fn on_screen(dir: &Utf8Path) -> Result<u8, Failure> {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return Err(Failure::usage("--screen needs a terminal", "leave it out, or take `--html`"));
    }
    screen::show(&Walk::read(dir)?).map_err(|error| Failure::io("drawing on the terminal", &error))
}

#[cfg(not(feature = "tui"))]
fn on_screen(_: &Utf8Path) -> Result<u8, Failure> {
    Err(Failure::usage("this build has no full screen", "build it with the feature `tui`, or leave out `--screen`"))
}

/// A run as spans. It began when its settings were frozen.
fn spans(dir: &Utf8Path) -> Result<Value, Failure> {
    let frozen = dir.join("config.json").metadata().and_then(|about| about.modified());
    let frozen = frozen.map_err(|error| Failure::io(&format!("reading {dir}"), &error))?;
    let began = frozen.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    Ok(export::otlp(&RunFacts::read(dir)?, began, &Journal::read_timed(dir)?))
}

fn walks(dirs: &[Utf8PathBuf]) -> Result<Vec<Walk>, Failure> {
    dirs.iter().map(|dir| Ok(Walk::read(dir)?)).collect()
}

fn lines(objects: impl Iterator<Item = Value>) -> String {
    objects.map(|object| format!("{object}\n")).collect()
}

fn one_text(text: &str, out: Option<&Utf8Path>) -> Result<(), Failure> {
    match out {
        Some(file) => write(file, text),
        None => {
            super::print(text);
            Ok(())
        }
    }
}

/// On a terminal through the user's pager, elsewhere as it is.
async fn page(text: &str) {
    let stdout = std::io::stdout();
    if stdout.is_terminal() {
        let coloured = anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never;
        let text = if coloured { text.to_owned() } else { anstream::adapter::strip_str(text).to_string() };
        match pager::show(&text).await {
            Ok(true) => return,
            Ok(false) => {}
            Err(error) => super::tell(&format!("no pager: {error}")),
        }
    }
    super::print(text);
}

/// A folder with `NAME/NAME.ending` for each run, as batches of these tools leave it; one run alone also to stdout.
fn each(dirs: &[Utf8PathBuf], args: &InspectArgs, ending: &str, form: fn(&Walk) -> Value) -> Result<(), Failure> {
    let Some(folder) = &args.out else {
        let dir = alone(dirs)?;
        super::print(&format!("{:#}\n", form(&Walk::read(dir)?)));
        return Ok(());
    };
    let mut names = Names::default();
    for dir in dirs {
        let walk = Walk::read(dir)?;
        let name = names.next(&walk.facts);
        write_in(&folder.join(&name), &format!("{name}.{ending}"), &format!("{:#}\n", form(&walk)))?;
    }
    super::tell(&format!("in {folder}: {}", counted(dirs.len(), "trajectory")));
    Ok(())
}

fn predictions(
    dirs: &[Utf8PathBuf],
    args: &InspectArgs,
    form: fn(&[RunFacts]) -> Result<Predictions, Unpredictable>,
) -> Result<(), Failure> {
    let mut runs: Vec<RunFacts> = dirs.iter().map(|dir| RunFacts::read(dir)).collect::<Result<_, _>>()?;
    name_rows(&mut runs);
    let predictions = form(&runs).map_err(|why| Failure::unusable(why.to_string(), why.hint()))?;
    predictions.notes.iter().for_each(|note| super::tell(note));
    one_text(&lines(predictions.lines.into_iter()), args.out.as_deref())
}

/// `NAME.diff` for each run that ended with a patch.
/// With `--candidates` also `NAME/0001-failed.diff` and so on for what was tried.
fn diffs(dirs: &[Utf8PathBuf], args: &InspectArgs) -> Result<(), Failure> {
    let Some(folder) = &args.out else {
        let facts = RunFacts::read(alone(dirs)?)?;
        super::print(facts.report.and_then(|report| report.patch).as_deref().unwrap_or(""));
        return Ok(());
    };
    std::fs::create_dir_all(folder).map_err(|error| Failure::io(&format!("creating {folder}"), &error))?;
    let (mut names, mut written) = (Names::default(), 0);
    for dir in dirs {
        let walk = Walk::read(dir)?;
        let name = names.next(&walk.facts);
        if let Some(patch) = walk.facts.report.as_ref().and_then(|report| report.patch.as_deref()) {
            write_in(folder, &format!("{name}.diff"), patch)?;
            written += 1;
        }
        if args.candidates {
            for (file, diff) in tried(&walk) {
                write_in(&folder.join(&name), &file, diff)?;
            }
        }
    }
    super::tell(&format!("in {folder}: {} of {}", counted(written, "patch"), counted(dirs.len(), "run")));
    Ok(())
}

/// What was tried, in order, with names that say what became of it.
fn tried(walk: &Walk) -> Vec<(String, &str)> {
    let candidates = walk.runs.iter().flat_map(|run| run.cycles.iter().flat_map(|cycle| &cycle.candidates));
    let whole = candidates.filter(|candidate| !candidate.diff.is_empty() && candidate.outcome != Outcome::Duplicate);
    let named = whole
        .enumerate()
        .map(|(nth, candidate)| (format!("{:04}-{}.diff", nth + 1, candidate.outcome), candidate.diff.as_str()));
    named.collect()
}

/// The only run; several need a folder.
fn alone(dirs: &[Utf8PathBuf]) -> Result<&Utf8Path, Failure> {
    match dirs {
        [dir] => Ok(dir),
        _ => Err(Failure::usage(
            format!("{} runs do not fit on one stdout", dirs.len()),
            "name a folder with `--out DIR`",
        )),
    }
}

/// A name for each run: the bug's, with a number from its second run on.
#[derive(Default)]
struct Names {
    given: BTreeSet<String>,
}

impl Names {
    fn next(&mut self, facts: &RunFacts) -> String {
        let name = export::file_name(&facts.bug);
        let numbered = (2u32..).map(|nth| format!("{name}.{nth}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !self.given.contains(name));
        let name = free.unwrap_or(name);
        self.given.insert(name.clone());
        name
    }
}

fn write_in(folder: &Utf8Path, name: &str, text: &str) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::io(&format!("creating {folder}"), &error))?;
    write(&folder.join(name), text)
}
