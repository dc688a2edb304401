//! Runs and their reports as resources: `unidebug://runs/NAME/FILE`.

use super::roots::Granted;
use crate::benchmark;
use crate::cli::error::Failure;
use crate::cli::finish::read_report;
use crate::cli::frozen::Frozen;
use crate::cli::runs;
use crate::journal::{History, RunDir};
use crate::report::{self, Tally};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

/// Runs that are listed, the newest first.
const LISTED: usize = 50;
/// What every address begins with.
const PREFIX: &str = "unidebug://runs/";

/// A file of a run that can be read.
#[derive(Clone, Copy)]
struct File {
    name: &'static str,
    mime: &'static str,
    about: &'static str,
}

const REPORT: File = File { name: "report.json", mime: "application/json", about: "the report of the run" };
const COMMENT: File = File { name: "report.md", mime: "text/markdown", about: "the report for people" };
const PATCH: File = File { name: "patch.diff", mime: "text/x-diff", about: "the plausible patch" };

/// The newest runs that may be seen.
pub(super) fn list(granted: &Granted) -> Vec<Resource> {
    let shown = runs::names().into_iter().filter(|name| is_shown(name, granted));
    let mut listed = Vec::new();
    for name in shown.take(LISTED) {
        let folder = runs::folder().join(&name);
        for file in [REPORT, COMMENT, PATCH] {
            // The text for people is made of the report when it is asked for.
            let source = if file.name == COMMENT.name { REPORT.name } else { file.name };
            if folder.join(source).is_file() {
                let uri = format!("{PREFIX}{name}/{}", file.name);
                let resource = Resource::new(uri, format!("{name}/{}", file.name));
                listed.push(resource.with_description(file.about).with_mime_type(file.mime));
            }
        }
    }
    listed
}

/// The form of their addresses.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let form = |file: File| {
        ResourceTemplate::new(format!("{PREFIX}{{run}}/{}", file.name), file.name)
            .with_description(file.about)
            .with_mime_type(file.mime)
    };
    [REPORT, COMMENT, PATCH].map(form).into()
}

/// What an address holds.
///
/// # Errors
/// There is no such run or file, or it may not be seen.
pub(super) fn read(uri: &str, granted: &Granted) -> Result<ResourceContents, Failure> {
    let unknown = || Failure::unusable(format!("no resource `{uri}`"), "`resources/list` names them");
    let (run, file) = uri.strip_prefix(PREFIX).and_then(|rest| rest.split_once('/')).ok_or_else(unknown)?;
    let file = [REPORT, COMMENT, PATCH].into_iter().find(|known| known.name == file).ok_or_else(unknown)?;
    // A name is one of those in the folder of runs, so no path can be made of it.
    let run = runs::names().into_iter().find(|name| name == run && is_shown(name, granted)).ok_or_else(unknown)?;
    let folder = runs::folder().join(run);
    let text = if file.name == COMMENT.name {
        let report = read_report(&folder)?;
        let history = History::read(&RunDir::journal_in(&folder))?;
        report::comment(&report, &Tally::over(history.events()))
    } else {
        std::fs::read_to_string(folder.join(file.name)).map_err(|_| unknown())?
    };
    Ok(ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(file.mime.to_owned()),
        text,
        meta: None,
    })
}

fn is_shown(name: &str, granted: &Granted) -> bool {
    let frozen = Frozen::read(&runs::folder().join(name)).ok();
    let bug = frozen.and_then(|frozen| benchmark::parse_bug(&frozen.bug).ok());
    bug.is_some_and(|bug| granted.shows(&bug))
}
