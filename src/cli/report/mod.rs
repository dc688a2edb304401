//! `unidebug report`: what runs came to, side by side.

pub(super) mod args;
mod review;

use super::error::Failure;
use super::findings::{self, End, Form};
use super::interrupt;
use super::runs;
use crate::report::study::{self, Published, RunFacts, SHIPPED_OF, Study, Table};
use crate::report::walk::{self, Walk, export};
use args::{NamedList, ReportArgs, ReportFormat};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::json;
use std::collections::BTreeSet;

/// Reads runs and prints or writes what they came to.
///
/// # Errors
/// A folder holds no run; a journal is damaged; a file cannot be written.
pub(super) async fn report(args: ReportArgs) -> Result<u8, Failure> {
    if args.review {
        let runs = read(&args)?;
        interrupt::note_way_back("every verdict is kept; the same command goes on with what is left");
        // A person takes time, and may interrupt.
        let reviewed = tokio::task::spawn_blocking(move || review::review(&runs, &args, &mut std::io::stdin().lock()));
        return reviewed.await.map_err(|error| Failure::io("the review", &std::io::Error::other(error)))?;
    }
    let args = &args;
    if let Some(form) = form(args.format) {
        let ends = run_dirs(&args.runs)?.iter().map(|dir| End::read(dir)).collect::<Result<Vec<_>, _>>()?;
        return printed(args, &findings::text(form, ends));
    }
    let runs = read(args)?;
    let lists = published(args, &runs)?;
    let study = Study::of(runs, lists);
    let title = args.title.clone().unwrap_or_else(|| title(&study));
    let format = match (args.html, args.json) {
        (true, _) => ReportFormat::Html,
        (_, true) => ReportFormat::Json,
        _ => args.format,
    };
    if let (Some(files), Some(folder)) = (files(&study, format)?, &args.out) {
        return each_file(folder, &files);
    }
    if args.whole_runs && format != ReportFormat::Html {
        return Err(Failure::usage("--whole-runs belongs to a page", "add `--html`"));
    }
    let text = match format {
        // The others speak of runs one by one.
        ReportFormat::Text | ReportFormat::Comment | ReportFormat::Github | ReportFormat::Sarif => {
            study::text(&study.tables())
        }
        ReportFormat::Md => study::markdown(&title, &study.tables()),
        ReportFormat::Json => format!("{}\n", json!(study)),
        ReportFormat::Html => {
            let whole = whole_runs(&study, args)?;
            study::html(&study, &title, &whole).map_err(in_page)?
        }
        ReportFormat::Latex => shown(&study).map(|table| study::latex(&table)).collect::<Vec<_>>().join("\n"),
        ReportFormat::Svg | ReportFormat::Pdf => {
            return Err(Failure::usage("figures are several files", "name a folder for them with `--out DIR`"));
        }
        ReportFormat::Csv => {
            let table = study.tables().into_iter().find(|table| table.name == "runs");
            let text = table.map(|table| study::csv(&table)).transpose();
            text.map_err(|error| Failure::io("writing CSV", &error))?.unwrap_or_default()
        }
    };
    printed(args, &text)
}

/// The forms that speak of runs one by one.
fn form(format: ReportFormat) -> Option<Form> {
    match format {
        ReportFormat::Comment => Some(Form::Comment),
        ReportFormat::Github => Some(Form::Github),
        ReportFormat::Sarif => Some(Form::Sarif),
        _ => None,
    }
}

fn printed(args: &ReportArgs, text: &str) -> Result<u8, Failure> {
    match &args.out {
        None => crate::cli::print(text),
        Some(file) => write(file, text)?,
    }
    Ok(0)
}

fn in_page(error: impl std::error::Error + Send + Sync + 'static) -> Failure {
    Failure::io("making the page", &std::io::Error::other(error))
}

/// Tables that are there to be read.
fn shown(study: &Study) -> impl Iterator<Item = Table> {
    study.tables().into_iter().filter(|table| !table.is_data)
}

/// Writes the page of every run into a folder beside the report's; gives where each is, seen from there.
fn whole_runs(study: &Study, args: &ReportArgs) -> Result<Vec<String>, Failure> {
    let Some(page) = args.out.as_ref().filter(|_| args.whole_runs) else { return Ok(Vec::new()) };
    let folder = page.with_extension("runs");
    std::fs::create_dir_all(&folder).map_err(|error| Failure::io(&format!("creating {folder}"), &error))?;
    let mut names = Vec::new();
    for (at, run) in study.runs.iter().enumerate() {
        let mut walk = Walk::read(&run.dir)?;
        walk.facts.setting.line.clone_from(&run.setting.line);
        let name = format!("{}-{}.html", at + 1, export::file_name(&run.bug));
        write(&folder.join(&name), &walk::html(&[walk]).map_err(in_page)?)?;
        names.push(format!("{}/{name}", folder.file_name().unwrap_or_default()));
    }
    Ok(names)
}

/// A file's name, and what it holds.
type NamedFile = (String, Vec<u8>);

/// What the form makes a file of each, by name; `None` for forms that are one text.
fn files(study: &Study, format: ReportFormat) -> Result<Option<Vec<NamedFile>>, Failure> {
    let named = |(name, text): (String, String), ending: &str| (format!("{name}.{ending}"), text.into_bytes());
    Ok(match format {
        ReportFormat::Csv => {
            let csv = |table: Table| study::csv(&table).map(|text| named((table.name.to_owned(), text), "csv"));
            let files: std::io::Result<Vec<_>> = study.tables().into_iter().map(csv).collect();
            Some(files.map_err(|error| Failure::io("writing CSV", &error))?)
        }
        ReportFormat::Latex => {
            Some(shown(study).map(|table| named((table.name.to_owned(), study::latex(&table)), "tex")).collect())
        }
        ReportFormat::Svg => Some(study::figures(study).into_iter().map(|figure| named(figure, "svg")).collect()),
        ReportFormat::Pdf => Some(pdf_files(study)?),
        _ => None,
    })
}

#[cfg(feature = "pdf")]
fn pdf_files(study: &Study) -> Result<Vec<NamedFile>, Failure> {
    use crate::report::study::{PdfError, PdfWriter};
    let hint = "install one (`apt-get install fonts-dejavu-core`), or take the figures with `--format svg`";
    let refused = |error: PdfError| Failure::unusable(error.to_string(), hint);
    let writer = PdfWriter::new().map_err(refused)?;
    let file = |(name, svg): (String, String)| Ok((format!("{name}.pdf"), writer.pdf(&svg).map_err(refused)?));
    study::figures(study).into_iter().map(file).collect()
}

#[cfg(not(feature = "pdf"))]
fn pdf_files(_: &Study) -> Result<Vec<NamedFile>, Failure> {
    let hint = "take the figures with `--format svg`, or install unidebug with `--features pdf`";
    Err(Failure::usage("this build writes no PDF", hint))
}

/// The runs that are meant, each under the name of its row among all that were named.
fn read(args: &ReportArgs) -> Result<Vec<RunFacts>, Failure> {
    let runs = run_dirs(&args.runs)?.into_iter().map(|dir| Ok(RunFacts::read(&dir)?));
    let mut runs = runs.collect::<Result<Vec<RunFacts>, Failure>>()?;
    study::name_rows(&mut runs);
    let known: BTreeSet<&str> = runs.iter().map(|run| run.setting.line.as_str()).collect();
    if let Some(missing) = args.configuration.iter().find(|name| !known.contains(name.as_str())) {
        let known = known.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let message = format!("--configuration: no run is of `{missing}`");
        return Err(Failure::usage(message, format!("the configurations are {known}")));
    }
    runs.retain(|run| args.configuration.is_empty() || args.configuration.contains(&run.setting.line));
    Ok(runs)
}

/// The run directories that are meant, each once.
///
/// # Errors
/// A folder holds none.
pub(super) fn run_dirs(folders: &[Utf8PathBuf]) -> Result<Vec<Utf8PathBuf>, Failure> {
    let mut all = Vec::new();
    for folder in folders {
        let dirs = study::run_dirs(&runs::find(folder)?);
        if dirs.is_empty() {
            let message = format!("no run was found in {folder}");
            return Err(Failure::unusable(message, "name run directories, or a folder that holds some"));
        }
        all.extend(dirs);
    }
    // A folder and a run inside it name that run twice.
    let mut seen = BTreeSet::new();
    all.retain(|dir| seen.insert(dir.canonicalize_utf8().unwrap_or_else(|_| dir.clone())));
    Ok(all)
}

/// Lists of repaired bugs that others published, each under its name.
fn published(args: &ReportArgs, runs: &[RunFacts]) -> Result<Vec<Published>, Failure> {
    let is_beside = runs.iter().any(|run| run.bug.benchmark == SHIPPED_OF);
    let read = |list: &NamedList| match list {
        NamedList::Shipped(list) if is_beside => Ok(list.clone()),
        NamedList::Shipped(list) => Err(Failure::usage(
            format!("the list of {} is of bugs of Defects4J, and none of these runs is", list.name),
            "report on runs of Defects4J, or name a list of your own: --published NAME=FILE",
        )),
        NamedList::File { name, file } => {
            let text = std::fs::read(file).map_err(|error| {
                Failure::unusable(
                    format!("the list of {name} cannot be read: {error} ({file})"),
                    "name a text file with one bug id a line: --published NAME=FILE",
                )
            })?;
            Ok(Published::parse(name, &String::from_utf8_lossy(&text)))
        }
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

fn each_file(folder: &Utf8Path, files: &[NamedFile]) -> Result<u8, Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::io(&format!("creating {folder}"), &error))?;
    files.iter().try_for_each(|(name, text)| write(&folder.join(name), text))?;
    Ok(0)
}

/// Writes a file.
///
/// # Errors
/// The system refused.
pub(super) fn write(file: &Utf8Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    std::fs::write(file, content).map_err(|error| Failure::io(&format!("writing {file}"), &error))
}
