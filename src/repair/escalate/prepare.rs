//! From a checkout to a bug on the bench: baseline, index, bug metadata, coverage, first ranking.

mod near;
mod untested;

pub use untested::open_untested;

use crate::benchmark::{Checkout, History, LOCAL, product_resources};
use crate::code::CodeIndex;
use crate::domain::words::listed;
use crate::domain::{Bug, BugId, Event, EventSink, FailingTest, Failure, Hidden, Ranking, RepoPath, TestId};
use crate::journal::Tee;
use crate::language::{self, Language};
use crate::localize::{self, ChangedLines, Formula};
use crate::patch::{Folder, Policy};
use crate::retrieve::{Finder, Guard, LocalIndex, RetrieveError, pairs};
use crate::sandbox::Sandbox;
use crate::tools::analysers::Analysers;
use crate::tools::{Observed, Workbench, test_texts};
use crate::validate::{self, ADDRESSES, Baseline, ChooseScope, Doubts, ValidateError, Validator};
use camino::Utf8Path;
use near::Near;
use serde::Deserialize;
use std::sync::{Arc, OnceLock};

/// Why a bug cannot be put on the bench.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The judge cannot work.
    #[error(transparent)]
    Validate(#[from] ValidateError),
    /// Nothing here speaks the language.
    #[error("the language `{name}` is not supported")]
    NoLanguage {
        /// Its name.
        name: String,
    },
    /// The developer's repair is wanted and there is none.
    #[error("`--localization perfect|file` needs the developer's repair, and {bug} comes without one")]
    NoOracle {
        /// Which bug.
        bug: BugId,
    },
    /// The corpus of repairs is damaged.
    #[error(transparent)]
    Retrieve(#[from] RetrieveError),
    /// The journal cannot be written.
    #[error("the journal cannot be written: {0}")]
    Journal(#[from] std::io::Error),
}

/// How the first ranking is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Localization {
    /// From what single tests executed, and from traces, calls and names.
    #[default]
    Spectrum,
    /// The developer's lines; every report says so.
    Perfect,
    /// The developer's files; every report says so.
    File,
    /// None.
    None,
}

impl Localization {
    /// The word of the command line and of reports.
    pub fn label(self) -> &'static str {
        match self {
            Self::Spectrum => "spectrum",
            Self::Perfect => "perfect",
            Self::File => "file",
            Self::None => "none",
        }
    }
}

/// What is wanted of the bench.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// How the first ranking is made.
    pub localization: Localization,
    /// By which formula, where tests decide.
    pub formula: Formula,
    /// Whether coverage of the tests is measured and shown.
    pub coverage: bool,
    /// Whether the version history may say what is suspicious.
    pub history: bool,
    /// Whether candidates with suspicious constructs may become plausible.
    pub accept_suspicious: bool,
    /// Whether patches may change texts for people, too, which are left out.
    pub leaves_texts_out: bool,
    /// Files that no model may see.
    pub hidden: Hidden,
}

impl Wanted {
    /// Whether what single tests execute makes the first ranking.
    fn is_by_tests(&self) -> bool {
        self.coverage && self.localization == Localization::Spectrum
    }
}

impl Default for Wanted {
    fn default() -> Self {
        let (localization, formula) = Default::default();
        let (hidden, accept_suspicious, leaves_texts_out) = Default::default();
        Self { localization, formula, coverage: true, history: true, accept_suspicious, leaves_texts_out, hidden }
    }
}

/// What a patch for a checkout may touch.
pub fn policy(checkout: &Checkout, language: &'static dyn Language) -> Policy {
    let project = &checkout.project;
    let mut policy = Policy::new(project.source_roots.clone(), project.test_roots.clone(), language);
    policy.resources = product_resources(checkout);
    policy
}

/// Compiles a checkout, makes its baseline and puts the bug on the bench; without a sink nobody is notified.
///
/// # Errors
/// See [`PrepareError`].
pub async fn open(
    checkout: Checkout,
    sandbox: &Sandbox,
    options: validate::Options,
    wanted: Wanted,
    sink: Option<&dyn EventSink>,
) -> Result<Workbench, PrepareError> {
    let language = language::by_name(&checkout.language);
    let language = language.ok_or_else(|| PrepareError::NoLanguage { name: checkout.language.clone() })?;
    let near = Near::of(&checkout, language, &wanted);
    let scope: Option<Arc<dyn ChooseScope>> = match wanted.is_by_tests() {
        true => Some(near.clone()),
        false => None,
    };
    let options = validate::Options { accept_suspicious: wanted.accept_suspicious, scope, ..options };
    let validator = validate::open(&checkout, sandbox, options).await?;
    let nobody = Tee::new(Vec::new());
    let analysers = Analysers::of(&checkout.language, sandbox);
    let sink = sink.unwrap_or(&nobody);
    let mut bench = bench(checkout, &near, validator, analysers, wanted, sink).await?;
    if bench.bug.id.benchmark == LOCAL {
        bench.history = History::of(Utf8Path::new(&bench.bug.id.name), sandbox);
    }
    Ok(bench)
}

/// Puts a bug on the bench, with the baseline that its validator made.
///
/// # Errors
/// See [`PrepareError`].
async fn bench(
    checkout: Checkout,
    near: &Near,
    mut validator: Validator,
    analysers: Analysers,
    wanted: Wanted,
    sink: &dyn EventSink,
) -> Result<Workbench, PrepareError> {
    let (index, language) = (near.index().await, near.language);
    let baseline = validator.baseline();
    let mut failing = localize::failing_tests(&index, baseline);
    // What failed by itself says more than what was cut.
    failing.sort_by_key(|test| test.timed_out);
    let sanitized = if wanted.coverage { validator.probe().sanitized().await? } else { None }.unwrap_or_default();
    place_crashes(&mut failing, &sanitized);
    let spectrum = if wanted.is_by_tests() {
        validator.probe().spectrum(&near::scope(&index, &failing, baseline)).await?
    } else {
        None
    };
    let coverage = match &spectrum {
        Some(spectrum) => Some(spectrum.failing()),
        None if wanted.coverage => validator.probe().failing_coverage().await?,
        None => None,
    };
    if coverage.is_none() && wanted.coverage {
        let text = "coverage of the failing tests could not be measured; traces and names decide alone".to_owned();
        sink.emit(&Event::Notice { text })?;
    }
    let broken_by = baseline.broken_by.clone().filter(|_| wanted.history);
    let changed = broken_by.as_ref().map(ChangedLines::of);
    let ranking = match wanted.localization {
        Localization::Spectrum => localize::rank(&localize::Inputs {
            index: &index,
            failing: &failing,
            coverage: coverage.as_ref(),
            spectrum: spectrum.as_ref(),
            formula: wanted.formula,
            changed: changed.as_ref(),
        }),
        Localization::None => Ranking::default(),
        Localization::Perfect | Localization::File => {
            from_oracle(wanted.localization, &checkout, &index, &baseline.triggering)?
        }
    };
    let measured = spectrum.is_some().then_some(&ranking);
    let located = localize::locate(&index, &failing, coverage.as_ref(), measured);
    let bug = Bug {
        id: checkout.bug.clone(),
        language: checkout.language.clone(),
        failing,
        located,
        requirements: checkout.requirements.clone(),
        passing: baseline.passing.len(),
    };
    tell(&bug, &ranking, baseline, sink)?;
    let solutions = solutions(&checkout, &index)?;
    let mut policy = policy(&checkout, language);
    policy.default_file.clone_from(&bug.located);
    policy.leaves_texts_out = wanted.leaves_texts_out;
    if !wanted.accept_suspicious {
        let tests = test_texts(&bug, &index).into_iter().map(str::to_owned).collect();
        validator = validator.doubting(Doubts { tests, language });
    }
    Ok(Workbench {
        language,
        originals: Folder::new(&checkout.root).without(wanted.hidden),
        policy,
        coverage,
        spectrum,
        ranking,
        index,
        bug,
        validator,
        broken_by,
        solutions,
        history: None,
        findings: Vec::new(),
        analysers,
        sanitized,
        graph: OnceLock::new(),
        observed: Observed::default(),
        checkout,
    })
}

/// A test that crashed says no place; the sanitizer that ended it does.
fn place_crashes(failing: &mut [FailingTest], sanitized: &[Failure]) {
    let Some(crash) = sanitized.iter().find(|report| report.kind == ADDRESSES) else { return };
    for test in failing.iter_mut().filter(|test| test.failure.frames.is_empty()) {
        test.failure.frames.clone_from(&crash.frames);
    }
}

/// The shipped corpus behind the leak guard.
fn solutions(checkout: &Checkout, index: &CodeIndex) -> Result<Finder, RetrieveError> {
    let guard = checkout.oracle.as_ref().map(|oracle| {
        let repaired: Vec<(&str, String)> = oracle
            .files
            .iter()
            .map(|(path, bytes)| {
                let before = index.file(path).map_or("", |file| file.text.as_ref());
                (before, String::from_utf8_lossy(bytes).into_owned())
            })
            .collect();
        let files = repaired.iter().map(|(before, after)| (*before, after.as_str()));
        Guard::of(files, oracle.canary.as_deref())
    });
    let mut finder = Finder::new(guard);
    finder.add(Arc::new(LocalIndex::of(pairs::shipped()?)));
    Ok(finder)
}

/// The developer's lines or files: only when they were asked for by name.
fn from_oracle(
    how: Localization,
    checkout: &Checkout,
    index: &CodeIndex,
    tests: &[TestId],
) -> Result<Ranking, PrepareError> {
    let oracle = checkout.oracle.as_ref().ok_or_else(|| PrepareError::NoOracle { bug: checkout.bug.clone() })?;
    let texts: Vec<(&RepoPath, String)> =
        oracle.files.iter().map(|(path, bytes)| (path, String::from_utf8_lossy(bytes).into_owned())).collect();
    let repaired: Vec<(&RepoPath, &str)> = texts.iter().map(|(path, text)| (*path, text.as_str())).collect();
    Ok(match how {
        Localization::Perfect => localize::oracle::perfect(index, &repaired, tests),
        _ => localize::oracle::file(index, &repaired, tests),
    })
}

/// Tests named in one notice.
const NAMED: usize = 3;
/// Further bugs that are named.
const BUGS: usize = 5;

/// What broke the tests, as far as that is known, and what else fails, for people: other bugs.
fn broken_and_left(baseline: &Baseline) -> Vec<String> {
    let broken = baseline.broken_by.iter().map(|change| format!("the failing tests pass without {}", change.name));
    let mut notes: Vec<String> = broken.collect();
    for group in baseline.others.iter().take(BUGS) {
        let first = group.first().map(TestId::to_string).unwrap_or_default();
        let how = format!("work on it with `--failing '{first}'`, or on all with `--all`");
        notes.push(format!("{}, left for later: {} ({how})", baseline.name_of(group), listed(group, NAMED)));
    }
    notes
}

fn tell(bug: &Bug, ranking: &Ranking, baseline: &Baseline, sink: &dyn EventSink) -> std::io::Result<()> {
    const KEPT: usize = 50;
    sink.emit(&Event::Baseline {
        passing: baseline.passing.len(),
        triggering: baseline.triggering.clone(),
        set_aside: baseline.set_aside.iter().map(|(id, why)| (id.clone(), why.clone())).collect(),
        located: bug.located.clone(),
        seconds: baseline.spent,
    })?;
    let unread = bug.failing.iter().filter_map(|test| Some(format!("{}: {}", test.id, test.failure.syntax_error()?)));
    for text in unread.take(NAMED).chain(broken_and_left(baseline)) {
        sink.emit(&Event::Notice { text })?;
    }
    let mut capped = ranking.clone();
    capped.lines.truncate(KEPT);
    sink.emit(&Event::Localized { ranking: capped })
}
