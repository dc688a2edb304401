//! Runs as code hosts read them: annotations, SARIF, a comment on a pull request.

use super::apply;
use super::error::Failure;
use super::finish::read_report;
use crate::benchmark::LOCAL;
use crate::journal::{History, RunDir};
use crate::report::triage::{self, Triaged};
use crate::report::{self, RunReport, Sums, Tally};
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;

/// Suspicious lines of a run that become findings.
const TOP: usize = 5;
/// The variable in which GitHub's runners name the folder of the repository; GitLab's has another.
const WORKSPACES: [&str; 2] = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"];

/// The form of what a run came to, for code hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// A comment on a pull request, in Markdown: cause, patch, how sure one can be.
    Comment,
    /// Annotations for GitHub's runners.
    Github,
    /// SARIF 2.1.0, with the patch as a fix.
    Sarif,
}

/// A run that is over.
pub(super) struct End {
    folder: Utf8PathBuf,
    report: RunReport,
    sums: Sums,
}

impl End {
    /// Of a run that just ended.
    pub(super) fn of(folder: &Utf8Path, report: RunReport, sums: Sums) -> Self {
        Self { folder: folder.to_owned(), report, sums }
    }

    /// Read from its directory.
    ///
    /// # Errors
    /// It is not over, or cannot be read.
    pub(super) fn read(folder: &Utf8Path) -> Result<Self, Failure> {
        let history = History::read(&RunDir::journal_in(folder))?;
        Ok(Self::of(folder, read_report(folder)?, Tally::over(history.events())))
    }
}

/// Runs in a form.
pub(super) fn text(form: Form, ends: Vec<End>) -> String {
    let triaged = |end: &End| Triaged::of_run(&end.report, &end.sums, apply::patched(&end.folder, &end.report), TOP);
    match form {
        Form::Comment => {
            let comments = ends.iter().map(|end| report::comment(&end.report, &end.sums));
            comments.collect::<Vec<_>>().join("\n")
        }
        Form::Github => triage::github(&placed(ends.iter().map(triaged).collect())),
        Form::Sarif => format!("{:#}\n", triage::sarif(&placed(ends.iter().map(triaged).collect()))),
    }
}

/// Paths as a code host knows them: from the folder of the repository, where the project is a part of it.
pub(super) fn placed(all: Vec<Triaged>) -> Vec<Triaged> {
    let workspace = WORKSPACES.iter().find_map(|name| std::env::var(name).ok());
    let workspace = workspace.and_then(|folder| Utf8PathBuf::from(folder).canonicalize_utf8().ok());
    let Some(workspace) = workspace else { return all };
    let place = |triaged: Triaged| {
        let project = Utf8PathBuf::from(&triaged.bug.name);
        match project.strip_prefix(&workspace) {
            Ok(below) if triaged.bug.benchmark == LOCAL && !below.as_str().is_empty() => triaged.below(below.as_str()),
            _ => triaged,
        }
    };
    all.into_iter().map(place).collect()
}
