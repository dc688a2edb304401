//! `unidebug runs`, and what names a run wherever one is asked for: its folder, its name in the state folder, `last`.

use super::args::RunsArgs;
use super::error::Failure;
use super::finish::{FAILURE, read_report};
use super::frozen::Frozen;
use super::open::state_folder;
use crate::benchmark::nearest;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use std::fmt::Write;

/// The word for the newest run.
const LAST: &str = "last";

/// Where runs lie that were given no folder.
pub(super) fn folder() -> Utf8PathBuf {
    state_folder().join("runs")
}

/// The folder of a run, by any of its names.
///
/// # Errors
/// There is no such run.
pub(super) fn find(name: &Utf8Path) -> Result<Utf8PathBuf, Failure> {
    // What is no folder is told by who looks for a run in it.
    if name.exists() || name.as_str().contains('/') {
        return Ok(name.canonicalize_utf8().unwrap_or_else(|_| name.to_owned()));
    }
    let known = names();
    let found = if name == LAST { known.first() } else { known.iter().find(|known| *known == name.as_str()) };
    found.map(|found| folder().join(found)).ok_or_else(|| {
        let near = nearest(name.as_str(), known.iter().map(String::as_str), 1).join("");
        let near = if near.is_empty() { String::new() } else { format!("; did you mean `{near}`?") };
        Failure::unusable(format!("no run was found in {name}{near}"), "`unidebug runs` lists the runs")
    })
}

/// The shortest name of a run: without the folder where that is the usual one.
pub(super) fn name(run: &Utf8Path) -> String {
    let usual = folder();
    let whole = usual.canonicalize_utf8().unwrap_or_else(|_| usual.clone());
    run.strip_prefix(usual).or_else(|_| run.strip_prefix(whole)).unwrap_or(run).to_string()
}

/// Names of the runs in the state folder, newest first: they begin with the time.
pub(super) fn names() -> Vec<String> {
    let entries = folder().read_dir_utf8().into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join("config.json").is_file())
        .map(|entry| entry.file_name().to_owned())
        .collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    names
}

/// One run, as it is listed.
struct Listed {
    name: String,
    bug: String,
    verdict: &'static str,
    when: String,
    cost: Option<f64>,
    used_model: bool,
}

/// Lists the runs of this machine, the newest first.
///
/// # Errors
/// None today; a run that cannot be read is listed as such.
pub(super) fn runs(args: &RunsArgs) -> Result<u8, Failure> {
    let all: Vec<Listed> = names().into_iter().take(args.most.unwrap_or(usize::MAX)).map(listed).collect();
    super::print(&if args.json { format!("{}\n", object(&all)) } else { text(&all) });
    Ok(0)
}

fn listed(name: String) -> Listed {
    let dir = folder().join(&name);
    let frozen = Frozen::read(&dir).ok();
    let report = read_report(&dir).ok();
    let bug = frozen.map_or_else(|| "unreadable".to_owned(), |frozen| frozen.bug);
    let unfinished = if dir.join(FAILURE).is_file() { "error" } else { "not finished" };
    let verdict = report.as_ref().map_or(unfinished, |report| report.verdict.title());
    let begun = dir.join("config.json").metadata().and_then(|about| about.modified()).ok();
    let when = begun.and_then(|time| jiff::Timestamp::try_from(time).ok());
    let when = when.map_or_else(String::new, |when| {
        when.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
    });
    let used_model = report.as_ref().is_some_and(|report| report.usage.requests > 0);
    Listed { name, bug, verdict, when, cost: report.and_then(|report| report.usage.cost_usd.0), used_model }
}

fn object(all: &[Listed]) -> Value {
    let runs = all.iter().map(|run| {
        json!({"name": run.name, "folder": folder().join(&run.name), "bug": run.bug, "verdict": run.verdict.replace(' ', "_"),
               "when": run.when, "cost_usd": run.cost})
    });
    json!({"schema": 1, "runs": runs.collect::<Vec<_>>()})
}

fn text(all: &[Listed]) -> String {
    if all.is_empty() {
        return format!("no run is in {} yet: `unidebug run fixtures:roman-numerals` makes one\n", folder());
    }
    let cost = |run: &Listed| match (run.used_model, run.cost) {
        (false, _) => "no model".to_owned(),
        (true, Some(usd)) => format!("${usd:.4}"),
        (true, None) => "unknown".to_owned(),
    };
    let mut text = format!("{:<16}  {:<16}  {:<8}  run and bug\n", "when", "verdict", "cost");
    for run in all {
        let _ = writeln!(text, "{:<16}  {:<16}  {:<8}  {}", run.when, run.verdict, cost(run), run.name);
        if !run.name.ends_with(run.bug.rsplit([':', '/']).next().unwrap_or_default()) || run.bug.starts_with('/') {
            let _ = writeln!(text, "{:<46}  {}", "", run.bug);
        }
    }
    text
}
