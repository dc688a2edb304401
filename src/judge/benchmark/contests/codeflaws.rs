//! `codeflaws`: 3,902 programs in C of Codeforces (Tan et al., ICSE-C 2017), from the folder of the published archive.
//!
//! A bug is a folder `<contest>-<problem>-bug-<rejected>-<accepted>` with a program of either submission
//! (`<contest>-<problem>-<submission>.c`), inputs and answers for repair (`input-pos1`, `output-neg1`, …), and others that
//! are held out (`heldout-input-pos1`, …). Its makefile and scripts are not run; `test-genprog.sh` is read, for it names the
//! cases that are for repair: other inputs are cut where the contest's page cuts them, or have several answers.

use super::{Cases, Program, names, words};
use crate::benchmark::nearest::unknown_bug;
use crate::benchmark::settings::Settings;
use crate::benchmark::{Benchmark, BenchmarkError, Case, Checkout, Summary};
use crate::domain::{BugId, TestId};
use camino::{Utf8Path, Utf8PathBuf};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

const NAME: &str = "codeflaws";
const ROOT_VARIABLE: &str = "UNIDEBUG_CODEFLAWS_ROOT";
const HINT: &str = "unpack codeflaws.tar.gz, and pass the folder with `--root DIR` or `UNIDEBUG_CODEFLAWS_ROOT`";
/// The flags of the set's own makefiles; old programs declare less than compilers of today ask for.
const BUILD: &str = "cc -std=c99 -fno-optimize-sibling-calls -fno-strict-aliasing -fno-asm \
                     -Wno-error=implicit-function-declaration -Wno-error=implicit-int -o program";
/// Before names of files that are held out.
const HELD_OUT: &str = "heldout-";
/// The script that names the cases for repair.
const SCRIPT: &str = "test-genprog.sh";
/// Begins of names of cases that the wrong program fails.
const NEGATIVE: &str = "neg";
/// The end of an input or answer that the contest's page cuts.
const CUT: &str = "...";
/// `p2) run_test "$INPUT_NAME"2 "$OUTPUT_NAME"2 ;;`, `n1) run_test "$NEGINPUT_NAME"1 …`
static NAMED_CASE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"run_test "\$(NEG)?INPUT_NAME"(\d+) "#).ok());

/// Codeflaws as a benchmark: an unpacked archive with a folder for each bug.
pub(in crate::benchmark) struct Codeflaws {
    root: Utf8PathBuf,
}

/// What a folder's name says.
struct Named<'n> {
    problem: &'n str,
    rejected: &'n str,
    accepted: &'n str,
}

impl<'n> Named<'n> {
    fn of(folder: &'n str) -> Option<Self> {
        let (problem, submissions) = folder.split_once("-bug-")?;
        let (rejected, accepted) = submissions.split_once('-')?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (contest, letter) = problem.split_once('-')?;
        let is_word = !letter.is_empty() && letter.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (is_number(contest) && is_word && is_number(rejected) && is_number(accepted)).then_some(Self {
            problem,
            rejected,
            accepted,
        })
    }

    fn program(&self, submission: &str) -> String {
        format!("{}-{submission}.c", self.problem)
    }
}

impl Codeflaws {
    /// The folder at `--root` or `UNIDEBUG_CODEFLAWS_ROOT`.
    ///
    /// # Errors
    /// No root is given, or it holds no such bug.
    pub(in crate::benchmark) fn new(settings: &Settings) -> Result<Self, BenchmarkError> {
        let Some(root) = settings.root_or_env(ROOT_VARIABLE) else {
            return Err(BenchmarkError::Missing { what: "codeflaws needs its archive".into(), hint: HINT.into() });
        };
        // The archive unpacks to a folder of its name.
        let inner = root.join(NAME);
        let root = if inner.is_dir() { inner } else { root };
        let is_set = root.is_dir() && names(&root)?.iter().any(|name| Named::of(name).is_some());
        if !is_set {
            let what = "no folder here is named as a bug of Codeflaws, such as `71-A-bug-18359456-18359477`".into();
            return Err(BenchmarkError::Root { what, path: root, hint: HINT.into() });
        }
        Ok(Self { root })
    }

    /// The cases of a bug whose files begin with that; named by what follows `input`.
    fn cases(folder: &Utf8Path, before: &str) -> Result<Cases, BenchmarkError> {
        let named = names(folder)?.into_iter().filter_map(|name| {
            let rest = name.strip_prefix(before)?.strip_prefix("input")?;
            let (input, output) = (folder.join(&name), folder.join(format!("{before}output{rest}")));
            let number = rest.trim_start_matches('-');
            let is_word = number.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') && !number.is_empty();
            is_word.then(|| (format!("{before}{number}"), input, output))
        });
        Cases::read(named.collect::<Vec<_>>())
    }

    /// Those that the contest's page does not seem to cut. Some whole ones end so too: a map of a maze, for one.
    fn whole(mut cases: Cases) -> Cases {
        let all = cases.read.len();
        let is_cut = |text: &str| text.trim_end().ends_with(CUT);
        cases.read.retain(|case| !is_cut(&case.input) && !is_cut(&case.output));
        cases.left_out += all - cases.read.len();
        cases
    }

    /// The cases for repair, and which of them fail: as the set's own script names them, if it is there.
    fn cases_for_repair(folder: &Utf8Path) -> Result<(Cases, Option<Vec<TestId>>), BenchmarkError> {
        let mut cases = Self::cases(folder, "")?;
        let named = named_cases(&std::fs::read_to_string(folder.join(SCRIPT)).unwrap_or_default());
        if named.is_empty() {
            return Ok((Self::whole(cases), None));
        }
        cases.read.retain(|case| named.contains(&case.name));
        cases.left_out = 0;
        let fails = cases.read.iter().filter(|case| case.name.starts_with(NEGATIVE));
        let failing: Vec<TestId> = fails.map(Case::test).collect();
        Ok((cases, (!failing.is_empty()).then_some(failing)))
    }
}

/// The cases that a script names: `neg1`, `pos2`.
fn named_cases(script: &str) -> BTreeSet<String> {
    let Some(named) = NAMED_CASE.as_ref() else { return BTreeSet::new() };
    let name =
        |found: regex::Captures<'_>| format!("{}{}", if found.get(1).is_some() { NEGATIVE } else { "pos" }, &found[2]);
    named.captures_iter(script).map(name).collect()
}

#[async_trait::async_trait]
impl Benchmark for Codeflaws {
    fn name(&self) -> &'static str {
        NAME
    }

    fn list(&self) -> Result<Vec<BugId>, BenchmarkError> {
        let mut ids = names(&self.root)?;
        ids.retain(|name| Named::of(name).is_some());
        ids.sort();
        Ok(ids.into_iter().map(|name| BugId { benchmark: NAME.into(), name }).collect())
    }

    fn describe(&self, id: &BugId) -> Result<Summary, BenchmarkError> {
        let unknown = || self.list().map_or_else(|error| error, |listed| unknown_bug(id, &listed));
        let named = Named::of(&id.name).filter(|_| self.root.join(&id.name).is_dir()).ok_or_else(unknown)?;
        let title = format!("a program for {} of Codeforces gives wrong answers", named.problem);
        Ok(Summary::new(id.clone(), title))
    }

    async fn checkout(&self, id: &BugId, into: &Utf8Path) -> Result<Checkout, BenchmarkError> {
        self.describe(id)?;
        let folder = self.root.join(&id.name);
        let damaged = |what: &str| BenchmarkError::Root {
            what: what.to_owned(),
            path: folder.clone(),
            hint: "the folder seems to be damaged; unpack codeflaws.tar.gz again".into(),
        };
        let Some(named) = Named::of(&id.name) else { return Err(damaged("the folder has no name of a bug")) };
        let (cases, triggering) = Self::cases_for_repair(&folder)?;
        if cases.read.is_empty() {
            return Err(damaged("no input has an answer (`input-pos1` and `output-pos1`)"));
        }
        let file = named.program(named.rejected);
        let program = Program {
            language: "c",
            file: &file,
            buggy: &folder.join(&file),
            accepted: &folder.join(named.program(named.accepted)),
            build: Some(words(&format!("{BUILD} {file} -lm"))),
            run: words("./program"),
        };
        let checkout = program.checkout(id, into, (cases, Self::whole(Self::cases(&folder, HELD_OUT)?)))?;
        Ok(Checkout { triggering, ..checkout })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_names_the_cases_for_repair() {
        let script = "case $1 in\np1) run_test \"$INPUT_NAME\"1 \"$OUTPUT_NAME\"1 ;;\n\
                      n1) run_test \"$NEGINPUT_NAME\"1 \"$NEGOUTPUT_NAME\"1 ;;\nesac\n";
        assert_eq!(named_cases(script), ["neg1", "pos1"].map(str::to_owned).into());
        assert!(named_cases("").is_empty());
    }

    #[test]
    fn names_of_bugs_are_read() {
        let named = Named::of("71-A-bug-18359456-18359477").unwrap();
        assert_eq!((named.program(named.rejected), named.accepted), ("71-A-18359456.c".into(), "18359477"));
        assert_eq!(Named::of("534-B1-bug-1-2").unwrap().problem, "534-B1");
        for other in ["71-A-18359456.c", "all-script", "71-A-bug-1", "71-A-bug-1-2-3", "../A-bug-1-2", "7-../x-bug-1-2"]
        {
            assert!(Named::of(other).is_none(), "{other}");
        }
    }
}
