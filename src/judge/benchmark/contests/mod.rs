//! Programs of contests: they read an input and print an answer, and sets of inputs with answers are their tests.
//!
//! A checkout holds the buggy program and nothing else. Inputs and answers are known to the judge alone, but for those
//! that fail, which agents see as the failures they are. The accepted program becomes the oracle.

mod codeflaws;
mod condefects;

pub(super) use codeflaws::Codeflaws;
pub(super) use condefects::{ConDefects, JAVA, PYTHON};

use super::copy::io_error;
use super::{BenchmarkError, Case, Checkout, Oracle, Project, Runner};
use crate::domain::{BugId, RepoPath};
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;

/// An input or answer that is longer is left out with its case: it takes longer to read and tell than the bug is worth.
const MOST_BYTES: u64 = 16 << 20;

/// A program with its accepted version.
struct Program<'p> {
    /// Its language's name.
    language: &'static str,
    /// Under which name it lies in the checkout.
    file: &'p str,
    buggy: &'p Utf8Path,
    accepted: &'p Utf8Path,
    /// The command that builds the program; words, never a shell line.
    build: Option<Vec<String>>,
    /// The command that runs it on one input.
    run: Vec<String>,
}

impl Program<'_> {
    /// The checkout: the buggy program, alone in its folder.
    fn checkout(
        self,
        id: &BugId,
        into: &Utf8Path,
        (cases, held_out): (Cases, Cases),
    ) -> Result<Checkout, BenchmarkError> {
        let bytes =
            |path: &Utf8Path| fs::read(path).map_err(|source| io_error("cannot read the program", path, source));
        let (buggy, accepted) = (bytes(self.buggy)?, bytes(self.accepted)?);
        let place = RepoPath::new(self.file).map_err(|why| BenchmarkError::Root {
            what: format!("`{}` cannot be the name of a program: {why}", self.file),
            path: self.buggy.to_owned(),
            hint: "the clone seems to be damaged; fetch it again".into(),
        })?;
        let target = place.under(into);
        fs::write(&target, buggy).map_err(|source| io_error("cannot write the program", &target, source))?;
        let mut notes = vec![format!("{} cases; what `{}` prints decides", cases.read.len(), self.run.join(" "))];
        notes.extend((!held_out.read.is_empty()).then(|| {
            format!("{} held-out cases are run with a plausible patch; no agent sees them", held_out.read.len())
        }));
        let left_out = cases.left_out + held_out.left_out;
        notes.extend((left_out > 0).then(|| {
            format!("{left_out} cases are left out: without an answer, or of more than {} MiB", MOST_BYTES >> 20)
        }));
        let project = Project {
            source_roots: vec![RepoPath::default()],
            encoding: "UTF-8".into(),
            runner: Runner::Cases { build: self.build, run: self.run, cases: cases.read },
            ..Project::default()
        };
        Ok(Checkout {
            oracle: Some(Oracle { files: vec![(place, accepted)], canary: None }),
            held_out: held_out.read,
            notes,
            ..Checkout::new(id.clone(), into.to_owned(), self.language, project)
        })
    }
}

/// Cases of a folder.
#[derive(Debug, Default)]
struct Cases {
    read: Vec<Case>,
    /// How many have no answer, or are too long.
    left_out: usize,
}

impl Cases {
    /// The cases of these names, each with the files of its input and its answer.
    fn read(files: impl IntoIterator<Item = (String, Utf8PathBuf, Utf8PathBuf)>) -> Result<Self, BenchmarkError> {
        let mut cases = Self::default();
        for (name, input, output) in files {
            let is_short =
                |path: &Utf8Path| path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= MOST_BYTES);
            if !is_short(&input) || !is_short(&output) {
                cases.left_out += 1;
                continue;
            }
            let text = |path: &Utf8Path| {
                let bytes = fs::read(path).map_err(|source| io_error("cannot read a case", path, source))?;
                Ok::<_, BenchmarkError>(String::from_utf8_lossy(&bytes).into_owned())
            };
            cases.read.push(Case { name, input: text(&input)?, output: text(&output)?, tolerance: None });
        }
        Ok(cases)
    }
}

/// The names in a folder, sorted as a person would: `input-2` before `input-10`.
fn names(folder: &Utf8Path) -> Result<Vec<String>, BenchmarkError> {
    let failed = |source| io_error("cannot list the folder", folder, source);
    let entries = folder.read_dir_utf8().map_err(failed)?;
    let names: Result<Vec<String>, _> = entries.map(|entry| entry.map(|entry| entry.file_name().to_owned())).collect();
    let mut names = names.map_err(failed)?;
    names.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    Ok(names)
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}
