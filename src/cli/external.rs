//! What other tools found out and the user gives: a ranking of lines, findings of static analysis.

use super::config::{Config, LocalizationArg};
use super::error::Failure;
use crate::domain::{Event, EventSink};
use crate::localize::given;
use crate::tools::{Workbench, sarif};
use camino::Utf8Path;

/// Lines of a ranking that the journal keeps.
const KEPT: usize = 50;

/// Puts on the bench what was given.
///
/// # Errors
/// A file that cannot be read, or that says nothing of this code.
pub(super) fn add_to(bench: &mut Workbench, config: &Config, sink: &dyn EventSink) -> Result<(), Failure> {
    if let Some(LocalizationArg::Given(path)) = &config.localization {
        let name = path.file_name().unwrap_or("a file");
        let given = given::read(&read("--localization", path)?, name, &bench.index)
            .map_err(|what| Failure::unusable(format!("--localization {path}: {what}"), FORMS))?;
        if given.unknown > 0 {
            notice(sink, format!("{} lines of {path} name no line of the code", given.unknown))?;
        }
        bench.ranking = given.ranking;
        let mut ranking = bench.ranking.clone();
        ranking.lines.truncate(KEPT);
        emit(sink, &Event::Localized { ranking })?;
    }
    for path in &config.analysis {
        let found = sarif::read(&read("--analysis", path)?, &bench.index).map_err(|what| {
            Failure::unusable(format!("--analysis {path}: {what}"), "give a SARIF file, version 2.1.0")
        })?;
        notice(sink, format!("{} findings of {path} lie in the code", found.len()))?;
        bench.findings.extend(found);
    }
    Ok(())
}

fn notice(sink: &dyn EventSink, text: String) -> Result<(), Failure> {
    emit(sink, &Event::Notice { text })
}

fn emit(sink: &dyn EventSink, event: &Event) -> Result<(), Failure> {
    sink.emit(event).map_err(|e| Failure::io("the journal cannot be written", &e))
}

const FORMS: &str = "a line each: `file,line,score`, or as GZoltar and FLACOCO write them";

fn read(flag: &str, path: &Utf8Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|e| Failure::unusable(format!("{flag} {path}: {e}"), "give a file that can be read"))
}
