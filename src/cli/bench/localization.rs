//! `unidebug bench localization`: how early rankings name what developers changed, by formula.

use super::Solved;
use super::localization_table::{Measured, Table, WITHOUT};
use super::measured::{BenchLocalizationArgs, TableFormat};
use crate::benchmark;
use crate::cli::error::Failure;
use crate::cli::tell;
use crate::domain::BugId;
use crate::localize::{self, Formula, Placement};
use crate::tools::Workbench;
use std::collections::BTreeMap;

/// Measures every bug of the set, one after the other; a bug that cannot be measured is named and left out.
///
/// # Errors
/// The set cannot be had, or no bug of it can be measured.
pub(super) async fn run(args: &BenchLocalizationArgs) -> Result<u8, Failure> {
    let settings = benchmark::Settings { root: args.measured.root.clone(), ..benchmark::Settings::default() };
    let bugs = benchmark::select(&args.measured.set, &settings)?;
    let formulas = if args.formula.is_empty() {
        Formula::ALL.to_vec()
    } else {
        args.formula.iter().map(|named| named.0).collect()
    };
    let mut table = Table::new(&args.measured.set, &formulas);
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
            format!("no bug of `{}` could be measured; the first: {why}", args.measured.set),
            "a bug needs a failing test and a developer's repair to be measured against",
        ));
    }
    crate::cli::print(&match args.measured.form() {
        TableFormat::Text => table.text(),
        TableFormat::Md => table.markdown(),
        TableFormat::Json => table.json(),
    });
    Ok(0)
}

async fn measure(bug: &BugId, args: &BenchLocalizationArgs, formulas: &[Formula]) -> Result<Measured, Failure> {
    let solved = Solved::open(bug, &args.measured).await?;
    let (bench, repaired) = (&solved.bench, solved.repaired());
    let place = |ranked: &Workbench, formula: Option<Formula>| -> Placement {
        let ranking = localize::rank(&localize::Inputs {
            index: &ranked.index,
            failing: &ranked.bug.failing,
            coverage: ranked.coverage.as_ref(),
            spectrum: ranked.spectrum.as_ref().filter(|_| formula.is_some()),
            formula: formula.unwrap_or_default(),
            changed: None,
        });
        localize::evaluate(&ranked.index, &ranking, &repaired)
    };
    let mut places: BTreeMap<&'static str, Placement> =
        formulas.iter().map(|formula| (formula.name(), place(bench, Some(*formula)))).collect();
    places.insert(WITHOUT, place(bench, None));
    let tests = bench.spectrum.as_ref().map_or((0, 0), |spectrum| {
        let (passed, failed): (Vec<_>, Vec<_>) = spectrum.tests().partition(|(_, passed, _)| *passed);
        (failed.len(), passed.len())
    });
    Ok(Measured { bug: bug.clone(), places, failing: tests.0, passing: tests.1 })
}
