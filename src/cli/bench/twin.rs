//! `unidebug bench twin`: twins of bugs, each judged beside its original.

use super::Solved;
use super::measured::{BenchTwinArgs, MeasuredArgs};
use super::twin_table::{Made, report};
use crate::benchmark;
use crate::benchmark::twin::{self, Manner, Twin};
use crate::cli::error::Failure;
use crate::cli::tell;
use crate::domain::{BugId, FileChange, Outcome, Patch, TestId, Validation};
use crate::tools::Workbench;
use crate::twin::Caution;
use crate::validate::ValidateError;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

/// The list that holds the twin which is being judged.
const ON_TRIAL: &str = "on-trial.jsonl";
/// What is tried until a twin is alike: each changes less than the one before it.
const MANNERS: [(Caution, bool); 3] = [(Caution::Little, true), (Caution::Much, true), (Caution::Much, false)];

/// Makes a twin of every bug of the set; a bug whose twin is not alike is named and left out.
///
/// # Errors
/// The set cannot be had, the folder is in use or cannot be written, or no bug of the set has a twin.
pub(super) async fn run(args: &BenchTwinArgs) -> Result<u8, Failure> {
    let settings = benchmark::Settings { root: args.measured.root.clone(), ..benchmark::Settings::default() };
    let bugs = benchmark::select(&args.measured.set, &settings)?;
    let out = new_folder(&args.out)?;
    let mut lines = String::new();
    let (mut made, mut left_out) = (BTreeMap::new(), BTreeMap::new());
    for bug in bugs {
        match twin_of(&bug, args, &out).await {
            Ok((twin, line)) => {
                tell(&format!("{bug}: {}", twin.text()));
                lines.push_str(&format!("{line}\n"));
                write(&out.join(twin::FILE), &lines)?;
                made.insert(bug, twin);
            }
            Err(failure) => {
                tell(&format!("{bug}: {} (hint: {})", failure.message, failure.hint));
                left_out.insert(bug, failure.message);
            }
        }
    }
    if made.is_empty() {
        let why = left_out.values().next().cloned().unwrap_or_default();
        let what = format!("no bug of `{}` has a twin; the first: {why}", args.measured.set);
        return Err(Failure::unusable(what, "a bug needs a developer's repair, and tests in Java or Python"));
    }
    crate::cli::print(&report(args.measured.form(), &made, &left_out));
    Ok(0)
}

/// The folder, made if need be, without links.
fn new_folder(out: &Utf8Path) -> Result<Utf8PathBuf, Failure> {
    let failed = |error| Failure::io(&format!("cannot make {out}"), &error);
    fs::create_dir_all(out).map_err(failed)?;
    if out.read_dir_utf8().map_err(failed)?.next().is_some() {
        return Err(Failure::unusable(format!("--out: {out} is not empty"), "name a new folder"));
    }
    out.canonicalize_utf8().map_err(failed)
}

fn write(file: &Utf8Path, text: &str) -> Result<(), Failure> {
    fs::write(file, text).map_err(|error| Failure::io(&format!("cannot write {file}"), &error))
}

/// The twin of a bug that is alike, with its line in the list.
async fn twin_of(bug: &BugId, args: &BenchTwinArgs, out: &Utf8Path) -> Result<(Made, Value), Failure> {
    let original = Solved::open(bug, &args.measured).await?;
    let name: String = bug.to_string().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let place = format!("bugs/{}", name.trim_matches('-'));
    let folder = out.join(&place);
    let mut first = None;
    for (caution, rewrites) in MANNERS {
        let manner = Manner { seed: args.seed, caution, rewrites };
        let tried = tried(&original, manner, (out, &place), &args.measured).await;
        let removed = |error| Failure::io(&format!("cannot remove {folder}"), &error);
        match tried {
            Ok((twin, repair)) => {
                let names: BTreeMap<&str, &str> = twin.naming.pairs().collect();
                let names_json = json!({"original": bug, "names": names, "kept": twin.kept});
                write(&folder.join("names.json"), &format!("{names_json:#}\n"))?;
                return Ok((Made::of(&twin, manner, repair), twin.line));
            }
            Err(failure) => {
                first.get_or_insert(failure);
            }
        }
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(removed)?;
        }
    }
    Err(first.unwrap_or_else(|| Failure::unusable("nothing was tried", "report it")))
}

/// A twin that is alike, in one manner.
async fn tried(
    original: &Solved,
    manner: Manner,
    (out, place): (&Utf8Path, &str),
    args: &MeasuredArgs,
) -> Result<(Twin, Outcome), Failure> {
    let twin = twin::make(&original.bench.checkout, manner, (&out.join(place), place), &original.sandbox).await?;
    let list = out.join(ON_TRIAL);
    write(&list, &format!("{}\n", twin.line))?;
    let judged = alike(&original.bench, &twin, &list, args).await;
    fs::remove_file(&list).map_err(|error| Failure::io(&format!("cannot remove {list}"), &error))?;
    judged.map(|repair| (twin, repair))
}

/// Judges a twin: its tests end as those of the original, and the developer's repair is plausible, or has the word there
/// that it has for the original.
async fn alike(original: &Workbench, twin: &Twin, list: &Utf8Path, args: &MeasuredArgs) -> Result<Outcome, Failure> {
    let id = BugId { benchmark: twin::NAME.into(), name: original.checkout.bug.to_string() };
    let args =
        MeasuredArgs { root: Some(list.to_owned()), java_home: args.java_home.clone(), set: String::new(), ..*args };
    let solved = Solved::open(&id, &args).await?;
    let ends = |bench: &Workbench, name: &dyn Fn(&TestId) -> TestId| -> BTreeMap<TestId, bool> {
        let results = &bench.validator.baseline().report.results;
        results.iter().map(|(id, result)| (name(id), result.passed())).collect()
    };
    let (before, after) = (ends(original, &|id| twin.test(id)), ends(&solved.bench, &TestId::clone));
    let differs = before.iter().find(|(id, passed)| after.get(*id) != Some(*passed)).map(|(id, _)| id);
    let differs = differs.or_else(|| after.keys().find(|id| !before.contains_key(*id)));
    let unlike = |what: String| Failure::unusable(what, "it is left out of the twins");
    if let Some(id) = differs {
        let how = |passed: Option<&bool>| passed.map_or("is absent", |passed| if *passed { "passes" } else { "fails" });
        let what = format!("its twin is not alike: {id} {} there and {} here", how(after.get(id)), how(before.get(id)));
        return Err(unlike(what));
    }
    let mut triggering: Vec<TestId> = original.validator.baseline().triggering.iter().map(|id| twin.test(id)).collect();
    let mut of_twin = solved.bench.validator.baseline().triggering.clone();
    triggering.sort();
    of_twin.sort();
    if triggering != of_twin {
        return Err(unlike("its twin is not alike: other tests are its triggering ones".into()));
    }
    let validation = verdict_of(&solved.bench).await?;
    if validation.is_plausible() || verdict_of(original).await?.outcome == validation.outcome {
        return Ok(validation.outcome);
    }
    let detail = validation.detail.lines().next().unwrap_or_default();
    Err(unlike(format!("the repair does not carry over: {} ({detail})", validation.outcome)))
}

/// The judge's word on the developer's repair.
async fn verdict_of(bench: &Workbench) -> Result<Validation, Failure> {
    // What was judged before is judged anew, not called a duplicate.
    bench.validator.forget();
    let judged = bench.validator.verdict(&repair(bench)?).await;
    let failed = |error: ValidateError| Failure::unusable(error.to_string(), "it is left out of the twins");
    Ok(judged.map_err(failed)?.validation)
}

/// The developer's repair of a bug on the bench as a patch.
fn repair(bench: &Workbench) -> Result<Patch, Failure> {
    let mut files = Vec::new();
    for (path, after) in bench.checkout.oracle.iter().flat_map(|oracle| &oracle.files) {
        let before = match fs::read(path.under(&bench.checkout.root)) {
            Ok(bytes) => Some(bytes.into()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(Failure::io(&format!("cannot read {path}"), &error)),
        };
        files.push(FileChange { path: path.clone(), before, after: after.clone().into() });
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(Patch { files })
}
