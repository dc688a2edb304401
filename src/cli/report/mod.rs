//! `unidebug report`: what runs came to, side by side.

pub mod args;
mod review;

use super::error::Failure;
use crate::report::study::{self, Repaired, RunFacts, Study};
use args::{NamedFile, ReportArgs, ReportFormat};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::json;

/// Reads runs and prints or writes what they came to.
///
/// # Errors
/// A folder holds no run; a journal is damaged; a file cannot be written.
pub async fn report(args: ReportArgs) -> Result<u8, Failure> {
    if args.review {
        let runs = read(&args)?;
        // A person takes time, and may interrupt.
        let reviewed = tokio::task::spawn_blocking(move || review::review(&runs, &args, &mut std::io::stdin().lock()));
        return reviewed.await.map_err(|error| Failure::io("the review", &std::io::Error::other(error)))?;
    }
    let args = &args;
    let study = Study::of(read(args)?, &published(args)?);
    let title = args.title.clone().unwrap_or_else(|| title(&study));
    let format = if args.html { ReportFormat::Html } else { args.format };
    if let (ReportFormat::Csv, Some(folder)) = (format, &args.out) {
        return each_table(&study, folder);
    }
    let text = match format {
        ReportFormat::Text => study::text(&study.tables()),
        ReportFormat::Md => study::markdown(&title, &study.tables()),
        ReportFormat::Json => format!("{}\n", json!(study)),
        ReportFormat::Html => study::html(&study, &title)
            .map_err(|error| Failure::io("making the page", &std::io::Error::other(error)))?,
        ReportFormat::Csv => {
            let table = study.tables().into_iter().find(|table| table.name == "runs");
            let text = table.map(|table| study::csv(&table)).transpose();
            text.map_err(|error| Failure::io("writing CSV", &error))?.unwrap_or_default()
        }
    };
    match &args.out {
        None => crate::cli::print(&text),
        Some(file) => write(file, &text)?,
    }
    Ok(0)
}

fn read(args: &ReportArgs) -> Result<Vec<RunFacts>, Failure> {
    run_dirs(&args.runs)?.iter().map(|dir| Ok(RunFacts::read(dir)?)).collect()
}

/// The run directories that are meant, each once.
///
/// # Errors
/// A folder holds none.
pub fn run_dirs(folders: &[Utf8PathBuf]) -> Result<Vec<Utf8PathBuf>, Failure> {
    let mut all = Vec::new();
    for folder in folders {
        let dirs = study::run_dirs(folder);
        if dirs.is_empty() {
            let message = format!("no run was found in {folder}");
            return Err(Failure::unusable(message, "name run directories, or a folder that holds some"));
        }
        all.extend(dirs);
    }
    // A folder and a run inside it name that run twice.
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|dir| seen.insert(dir.canonicalize_utf8().unwrap_or_else(|_| dir.clone())));
    Ok(all)
}

/// Lists of repaired bugs that others published, each under its name.
fn published(args: &ReportArgs) -> Result<Vec<Repaired>, Failure> {
    let read = |list: &NamedFile| {
        let text = std::fs::read(&list.file).map_err(|error| {
            Failure::unusable(
                format!("the list of {} cannot be read: {error} ({})", list.name, list.file),
                "name a text file with one bug id a line: --published NAME=FILE",
            )
        })?;
        Ok(Repaired::published(&list.name, &String::from_utf8_lossy(&text)))
    };
    args.published.iter().map(read).collect()
}

fn title(study: &Study) -> String {
    let mut names: Vec<&str> = study.runs.iter().map(|run| run.bug.benchmark.as_str()).collect();
    names.dedup();
    match (&study.runs[..], &names[..]) {
        ([run], _) => format!("unidebug on {}", run.bug),
        (_, [name]) => format!("unidebug on {name}"),
        _ => format!("unidebug on {} bugs", study.all.bugs),
    }
}

/// One CSV file a table.
fn each_table(study: &Study, folder: &Utf8Path) -> Result<u8, Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::io(&format!("creating {folder}"), &error))?;
    for table in study.tables() {
        let text = study::csv(&table).map_err(|error| Failure::io("writing CSV", &error))?;
        write(&folder.join(format!("{}.csv", table.name)), &text)?;
    }
    Ok(0)
}

/// Writes a file.
///
/// # Errors
/// The system refused.
pub fn write(file: &Utf8Path, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text).map_err(|error| Failure::io(&format!("writing {file}"), &error))
}
