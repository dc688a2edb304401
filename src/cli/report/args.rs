//! What was typed behind `unidebug report`.

use crate::domain::InvalidValue;
use crate::report::study::Published;
use camino::Utf8PathBuf;
use clap::{Args, ValueEnum};
use std::str::FromStr;

/// `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Run directories, or folders that hold some.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<Utf8PathBuf>,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
    /// The same as `--format html`.
    #[arg(long, conflicts_with = "format")]
    pub html: bool,
    /// The same as `--format json`.
    #[arg(long, conflicts_with_all = ["format", "html"])]
    pub json: bool,
    /// Write into this file instead of stdout; with CSV, LaTeX and SVG into this folder, a file for each table or figure.
    #[arg(long, value_name = "PATH")]
    pub out: Option<Utf8PathBuf>,
    /// Write a page of every run beside the page of `--out`, with its prompts, and lead to it.
    #[arg(long, requires = "out")]
    pub whole_runs: bool,
    /// Heading of the report.
    #[arg(long)]
    pub title: Option<String>,
    /// Bugs that others repaired, to be compared with: a list that comes with the program, as `repairagent` or
    /// `chatrepair`, or a file with one id a line, `plausible` behind those that are no more; may be repeated.
    #[arg(long, value_name = "NAME[=FILE]")]
    pub published: Vec<NamedList>,
    /// Only runs of this configuration, by the name that the report gives it; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub configuration: Vec<String>,
    /// Show patches that wait for a person beside the developer's, ask for a verdict and a reason, and keep both.
    #[arg(long, conflicts_with_all = ["format", "html", "json", "out", "title", "published"])]
    pub review: bool,
    /// Review only so many, drawn at random: what is found then holds for all that wait.
    #[arg(long, value_name = "N", requires = "review", value_parser = clap::value_parser!(u32).range(1..))]
    pub sample: Option<u32>,
    /// Seed of the sample: the same number draws the same patches.
    #[arg(long, value_name = "N", requires = "sample", default_value_t = 0)]
    pub seed: u64,
    /// The name that stands beside each verdict of a review.
    #[arg(long, value_name = "NAME", requires = "review", env = "UNIDEBUG_REVIEWER")]
    pub reviewer: Option<String>,
}

/// A list of repaired bugs: a file under a name of the user's, or one that comes with the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NamedList {
    /// A list of the user's own, given as `NAME=FILE`.
    File {
        /// How reports call the list.
        name: String,
        /// A text with the id of one repaired bug a line.
        file: Utf8PathBuf,
    },
    /// By its name alone.
    Shipped(Published),
}

impl FromStr for NamedList {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text.split_once('=') {
            Some((name, file)) if !name.trim().is_empty() && !file.is_empty() => {
                Ok(Self::File { name: name.trim().to_owned(), file: file.into() })
            }
            Some(_) => Err("write a name and a file, as `paper=repaired.txt`".into()),
            None => Published::shipped(text).map(Self::Shipped).ok_or_else(|| {
                let known = Published::shipped_names().collect::<Vec<_>>().join(", ");
                format!("no list `{text}` comes with the program, but {known}; or write NAME=FILE").into()
            }),
        }
    }
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For a terminal.
    Text,
    /// Tables in Markdown.
    Md,
    /// A comment on a pull request for each run, in Markdown: cause, patch, how sure one can be.
    Comment,
    /// Annotations for GitHub's runners.
    Github,
    /// SARIF 2.1.0, with the patch as a fix.
    Sarif,
    /// One page that needs nothing else.
    Html,
    /// Everything, for programs.
    Json,
    /// A row for each run; with `--out DIR` every table as a file.
    Csv,
    /// Every table for a paper, in the style of booktabs; with `--out DIR` each as a file.
    Latex,
    /// Every figure as a file below `--out DIR`.
    Svg,
    /// The same as PDF, with their fonts.
    Pdf,
}
