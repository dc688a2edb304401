//! Bugs whose tests are inputs with the outputs that are expected: what contests and courses have.

use super::Jsonl;
use super::entry::Entry;
use crate::benchmark::copy::io_error;
use crate::benchmark::facts::Words;
use crate::benchmark::{BenchmarkError, Case, Project, Runner, private_copy};
use crate::domain::RepoPath;
use crate::language::{self, Language};
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use std::collections::BTreeSet;

/// A case as a line has it; files are named relative to the file that the line stands in.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CaseEntry {
    /// Its name; its number when absent.
    name: Option<String>,
    /// What the program reads; nothing when absent.
    input: Option<String>,
    /// The same as a file.
    input_file: Option<Utf8PathBuf>,
    /// What it must print.
    output: Option<String>,
    /// The same as a file.
    output_file: Option<Utf8PathBuf>,
}

impl CaseEntry {
    fn is_clear(&self) -> bool {
        (self.input.is_none() || self.input_file.is_none()) && self.output.is_some() != self.output_file.is_some()
    }

    fn name(&self, nth: usize) -> String {
        self.name.clone().unwrap_or_else(|| (nth + 1).to_string())
    }
}

/// What is wrong with the part of a line that says how a program is run, in one line; `None` when nothing is.
pub(super) fn complaint(entry: &Entry) -> Option<String> {
    let Some(run) = &entry.run else {
        let alone = if entry.compile.is_some() { "compile" } else { "cases" };
        let without = entry.compile.is_some() || !entry.cases.is_empty();
        return without.then(|| format!("`{alone}` is given without `run`, the command that runs the program"));
    };
    if entry.facts.test.is_some() || entry.facts.build.is_some() {
        return Some("`run` and `cases` are given beside `build` or `test`: one of them says how it is tested".into());
    }
    if run.words().is_none() || entry.compile.as_ref().is_some_and(|words| words.words().is_none()) {
        return Some("`run` or `compile` is no command".into());
    }
    if entry.cases.is_empty() {
        return Some("`run` is given without `cases`".into());
    }
    if entry.tolerance.is_some_and(|most| !(0.0..1.0).contains(&most)) {
        return Some("`tolerance` is no number from 0 to below 1, such as 1e-6".into());
    }
    let mut names = BTreeSet::new();
    for (nth, case) in entry.cases.iter().enumerate() {
        let name = case.name(nth);
        if !case.is_clear() {
            return Some(format!("case `{name}` needs one of `output` and `output_file`, and at most one input"));
        }
        if name.is_empty() || name.contains(char::is_whitespace) || !names.insert(name.clone()) {
            return Some(format!("case `{name}` must have a name of its own, in one word"));
        }
    }
    None
}

impl Jsonl {
    /// A private copy of a program, with its commands and cases.
    ///
    /// # Errors
    /// A case's file cannot be read; the folder holds no program.
    pub(super) fn program(
        &self,
        entry: &Entry,
        run: &Words,
        folder: &Utf8Path,
        into: &Utf8Path,
    ) -> Result<(Project, Vec<String>), BenchmarkError> {
        let mut notes = private_copy(folder, into)?.left_out;
        let has = |language: &dyn Language| {
            let files = ignore::WalkBuilder::new(into).standard_filters(false).build().flatten();
            files
                .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
                .any(|path| language.is_source(&path))
        };
        let known = language::all();
        if !known.iter().any(|language| has(*language)) {
            let titles: Vec<&str> = known.iter().map(|language| language.title()).collect();
            return Err(BenchmarkError::Root {
                what: format!("the folder holds no program in one of {}", titles.join(", ")),
                path: folder.to_owned(),
                hint: "other languages are not repaired".into(),
            });
        }
        let cases: Vec<Case> =
            entry.cases.iter().enumerate().map(|(nth, case)| self.case(entry, nth, case)).collect::<Result<_, _>>()?;
        self.take_answers_away(entry, folder, into)?;
        let run = run.words().unwrap_or_default();
        notes.push(format!("{} cases are run by `{}`; what it prints decides", cases.len(), run.join(" ")));
        let sources = entry.facts.sources.clone();
        let project = Project {
            source_roots: if sources.is_empty() { vec![RepoPath::default()] } else { sources },
            test_roots: entry.facts.tests.clone(),
            encoding: entry.facts.encoding.clone().unwrap_or_default(),
            runner: Runner::Cases { build: entry.compile.as_ref().and_then(Words::words), run, cases },
            ..Project::default()
        };
        Ok((project, notes))
    }

    /// Takes the expected outputs out of a copy of the folder that they lie in: a program must not find them.
    fn take_answers_away(&self, entry: &Entry, folder: &Utf8Path, into: &Utf8Path) -> Result<(), BenchmarkError> {
        let folder = folder
            .canonicalize_utf8()
            .map_err(|source| io_error("cannot find the folder of a program", folder, source))?;
        for file in entry.cases.iter().filter_map(|case| case.output_file.as_deref()) {
            let path = self.place(entry, "a file of a case", file)?;
            let Ok(inside) = path.strip_prefix(&folder) else { continue };
            let copied = into.join(inside);
            match std::fs::remove_file(&copied) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(io_error("cannot take an expected output away", &copied, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn case(&self, entry: &Entry, nth: usize, case: &CaseEntry) -> Result<Case, BenchmarkError> {
        let text = |text: &Option<String>, file: &Option<Utf8PathBuf>| {
            let Some(file) = file else { return Ok(text.clone().unwrap_or_default()) };
            let path = self.place(entry, "a file of a case", file)?;
            let bytes =
                std::fs::read(&path).map_err(|source| io_error("cannot read a file of a case", &path, source))?;
            Ok::<_, BenchmarkError>(String::from_utf8_lossy(&bytes).into_owned())
        };
        Ok(Case {
            name: case.name(nth),
            input: text(&case.input, &case.input_file)?,
            output: text(&case.output, &case.output_file)?,
            tolerance: entry.tolerance,
        })
    }
}
