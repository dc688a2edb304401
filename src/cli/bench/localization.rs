//! `unidebug bench localization`: how early rankings name what developers changed, by formula.

use super::localization_table::{Measured, Table, WITHOUT};
use crate::benchmark;
use crate::cli::args::{BenchLocalizationArgs, TableFormat};
use crate::cli::error::Failure;
use crate::cli::open::Opened;
use crate::cli::{tell, way};
use crate::domain::{BugId, EventSink, RepoPath};
use crate::localize::{self, Formula, Placement};
use crate::report::Tally;
use crate::tools::Workbench;
use camino::Utf8Path;
use std::collections::BTreeMap;

/// Measures every bug of the set, one after the other; a bug that cannot be measured is named and left out.
///
/// # Errors
/// The set cannot be had, or no bug of it can be measured.
pub async fn run(args: &BenchLocalizationArgs) -> Result<u8, Failure> {
    let settings = benchmark::Settings { root: args.root.clone(), ..benchmark::Settings::default() };
    let bugs = benchmark::select(&args.set, &settings)?;
    let formulas = if args.formula.is_empty() {
        Formula::ALL.to_vec()
    } else {
        args.formula.iter().map(|named| named.0).collect()
    };
    let mut table = Table::new(&args.set, &formulas);
    for bug in bugs {
        match measure(&bug, args, &formulas).await {
            Ok(measured) => {
                tell(&measured.line(formulas.first().map_or(WITHOUT, |formula| formula.name())));
                table.bugs.push(measured);
            }
            Err(failure) => {
                tell(&format!("{bug}: {} (hint: {})", failure.message, failure.hint));
                table.left_out.insert(bug, failure.message);
            }
        }
    }
    if table.bugs.is_empty() {
        let why = table.left_out.values().next().cloned().unwrap_or_default();
        return Err(Failure::unusable(
            format!("no bug of `{}` could be measured; the first: {why}", args.set),
            "a bug needs a failing test and a developer's repair to be measured against",
        ));
    }
    crate::cli::print(&match args.format {
        TableFormat::Text => table.text(),
        TableFormat::Md => table.markdown(),
        TableFormat::Json => table.json(),
    });
    Ok(0)
}

async fn measure(bug: &BugId, args: &BenchLocalizationArgs, formulas: &[Formula]) -> Result<Measured, Failure> {
    let config = super::config(args.root.as_ref(), args.java_home.as_ref(), args.sandbox);
    let opened = Opened::check(&bug.to_string(), &config).await?.without_warm_judge();
    let folder = tempfile::Builder::new().prefix("unidebug-bench-").tempdir();
    let folder = folder.map_err(|error| Failure::io("no folder for the checkout", &error))?;
    let path =
        Utf8Path::from_path(folder.path()).ok_or_else(|| Failure::unusable("TMPDIR is not UTF-8", "set another"))?;
    let sink = Tally::default();
    let bench = opened.bench(path, way::plain(&config), &sink as &dyn EventSink).await?;
    let oracle = bench.checkout.oracle.as_ref().filter(|oracle| !oracle.files.is_empty());
    let oracle = oracle.ok_or_else(|| {
        Failure::unusable("it comes without a developer's repair", "name one with `fixed` or `patch` in bugs.jsonl")
    })?;
    let texts: Vec<(&RepoPath, String)> =
        oracle.files.iter().map(|(path, bytes)| (path, String::from_utf8_lossy(bytes).into_owned())).collect();
    let repaired: Vec<(&RepoPath, &str)> = texts.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let place = |ranked: &Workbench, formula: Option<Formula>| -> Placement {
        let ranking = localize::rank(&localize::Inputs {
            index: &ranked.index,
            failing: &ranked.bug.failing,
            coverage: ranked.coverage.as_ref(),
            spectrum: ranked.spectrum.as_ref().filter(|_| formula.is_some()),
            formula: formula.unwrap_or_default(),
        });
        localize::evaluate(&ranked.index, &ranking, &repaired)
    };
    let mut places: BTreeMap<&'static str, Placement> =
        formulas.iter().map(|formula| (formula.name(), place(&bench, Some(*formula)))).collect();
    places.insert(WITHOUT, place(&bench, None));
    let tests = bench.spectrum.as_ref().map_or((0, 0), |spectrum| {
        let passed = spectrum.tests.iter().filter(|(_, passed, _)| *passed).count();
        (spectrum.tests.len() - passed, passed)
    });
    Ok(Measured { bug: bug.clone(), places, failing: tests.0, passing: tests.1 })
}
