//! `unidebug bench pack`: a batch as one file that others can check.

use super::args::BenchPackArgs;
use crate::batch::{self, Plan};
use crate::cli::error::Failure;
use crate::domain::words::counted;
use crate::llm::Redactor;
use crate::report::study::{self, RunFacts, Study};
use std::borrow::Cow;

/// The page of the report in it.
const PAGE: &str = "report.html";
/// How to check it.
const README: &str = "README.md";

/// Packs what is over.
///
/// # Errors
/// There is no batch, nothing is over, a file holds a secret, or the archive cannot be written.
pub(super) fn pack(args: &BenchPackArgs) -> Result<u8, Failure> {
    let plan = Plan::read(&args.batch)?;
    let facts = study::run_dirs(&args.batch).iter().map(|dir| RunFacts::read(dir)).collect::<Result<Vec<_>, _>>()?;
    let mut facts: Vec<RunFacts> = facts.into_iter().filter(|run| run.report.is_some()).collect();
    study::name_rows(&mut facts);
    let study = Study::of(facts, Vec::new());
    let page = study::html(&study, "Report", &[]);
    let page = page.map_err(|error| Failure::io("making the page", &std::io::Error::other(error)))?;
    let json = format!("{:#}\n", serde_json::json!(study));
    let further = vec![
        (PAGE.to_owned(), page.into_bytes()),
        ("report.json".to_owned(), json.into_bytes()),
        (README.to_owned(), readme().into_bytes()),
    ];
    let redactor = Redactor::of_environment(None);
    let is_clean = |text: &str| matches!(redactor.text(text), Cow::Borrowed(_));
    let list = batch::pack(&args.batch, &plan, &args.out, further, &is_clean)?;
    let line = format!("{}, {} in {}\n", counted(list.runs, "run"), counted(list.files.len(), "file"), args.out);
    crate::cli::print(&line);
    Ok(0)
}

fn readme() -> String {
    format!(
        "# Runs of unidebug {}\n\n`report.html` is the report, `plan.json` what was run. Every run directory holds its \
         frozen settings\n(`config.json`), its journal with every request and response (`run.journal`), its report and its \
         patch.\n\nTo check it, unpack it and type, with unidebug of that version:\n\n    unidebug replay .\n\nEvery run is \
         executed again, offline and without a key, and held against its journal. Bugs that do not come\nwith the program \
         are not in here: name their folder with `--root`.\n",
        env!("CARGO_PKG_VERSION")
    )
}
