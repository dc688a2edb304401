//! A project whose bug no failing test shows yet, on the bench: its code and its tests, without a ranking.

use super::{PrepareError, Wanted, policy, solutions};
use crate::benchmark::Checkout;
use crate::code::CodeIndex;
use crate::domain::{Bug, Ranking};
use crate::language;
use crate::patch::Folder;
use crate::sandbox::Sandbox;
use crate::tools::analysers::Analysers;
use crate::tools::issue::SpokenOf;
use crate::tools::{Observed, Workbench};
use crate::validate::{self, Untested, Validator};
use std::sync::{Arc, OnceLock};

/// Puts a checkout on the bench before any test of it fails. Its requirements are the text of the issue.
///
/// # Errors
/// The language is not supported, or only the project's own command can test it.
pub fn open_untested(
    checkout: Checkout,
    sandbox: &Sandbox,
    options: validate::Options,
    wanted: Wanted,
) -> Result<Workbench, PrepareError> {
    let language = language::by_name(&checkout.language);
    let language = language.ok_or_else(|| PrepareError::NoLanguage { name: checkout.language.clone() })?;
    let project = &checkout.project;
    let index =
        CodeIndex::without(&wanted.hidden, &checkout.root, &project.source_roots, &project.test_roots, language);
    let work_dir = options.work_dir.to_path_buf();
    let judge = Arc::new(Untested::new(&checkout, sandbox, options)?);
    let bug = Bug {
        id: checkout.bug.clone(),
        language: checkout.language.clone(),
        failing: Vec::new(),
        located: None,
        requirements: checkout.requirements.clone(),
        passing: 0,
    };
    let mut bench = Workbench {
        language,
        originals: Folder::new(&checkout.root).without(wanted.hidden),
        policy: policy(&checkout, language),
        coverage: None,
        spectrum: None,
        ranking: Ranking::default(),
        validator: Validator::new(judge.clone(), judge, work_dir),
        solutions: solutions(&checkout, &index)?,
        index: Arc::new(index),
        bug,
        broken_by: None,
        history: None,
        findings: Vec::new(),
        analysers: Analysers::of(&checkout.language, sandbox),
        sanitized: Vec::new(),
        observed: Observed::default(),
        graph: OnceLock::new(),
        checkout,
    };
    let issue = bench.bug.requirements.clone().unwrap_or_default();
    bench.bug.located = SpokenOf::of(&bench, &issue).methods.first().map(|method| method.file.clone());
    Ok(bench)
}
