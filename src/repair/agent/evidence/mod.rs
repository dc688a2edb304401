//! What an agent is shown before its first query: what a good engineer would look up first.
//!
//! The failing tests with the failing statement marked, cleaned failures, and code chosen by [`select`]: the union of
//! the tests' callees and the covered methods, their private callees, twins of hot methods, and a lean skeleton. Code
//! is cut by method and never by characters, and every method is said to be *in full* or *signature only*.

mod case;
mod code;
mod declared;
mod doc;
mod earlier;
mod essence;
mod layout;
mod metadata;
pub mod recall;
mod reproduce;
mod select;
mod tests;
mod tree;
mod tried;
mod twins;

pub use tried::changed;

use crate::agent::profile::{ContractKind, Profile};
use crate::domain::words::counted;
use crate::domain::{CaseFile, LineSpan, Mark, Patch, PatchAttempt, RepoPath, Suspect};
use crate::prompt::count_tokens;
use crate::retrieve::Solution;
use crate::tools::{Workbench, bearing_text, failure_text, solutions_text};
use essence::head;
use serde::Deserialize;
use std::fmt::Write;

/// A part of the evidence, for the table of tokens by section.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Section {
    /// Its heading, by which [`Evidence::essence`] knows what it must keep.
    pub title: &'static str,
    /// Its text without the heading.
    pub text: String,
}

/// The evidence of one agent run; it does not change from cycle to cycle.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// Its parts, in order.
    pub(crate) sections: Vec<Section>,
    /// Lines of the original that it shows.
    pub shown: Vec<(RepoPath, LineSpan)>,
}

/// Token budgets of the sections, at four characters each.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Failing tests with their failures.
    pub tests: usize,
    /// Failing tests whose code is shown; the others are named with their failure.
    pub tests_in_full: usize,
    /// Methods in full.
    pub code: usize,
    /// Signatures and fields.
    pub skeleton: usize,
    /// What is left of long requirements: their first lines.
    pub requirements: usize,
}

impl Budget {
    /// For finding the bug: more code, because the place is not known.
    pub(crate) const LOCATE: Self =
        Self { tests: 600, tests_in_full: 3, code: 1400, skeleton: 220, requirements: 1500 };
    /// For repairing it: the marked methods and what they call.
    pub(crate) const REPAIR: Self = Self { tests: 450, tests_in_full: 3, code: 900, skeleton: 200, requirements: 1500 };
    /// For slicing: the file whole, or all of it that the failing tests reach.
    pub(crate) const SLICE: Self =
        Self { tests: 800, tests_in_full: 3, code: 5000, skeleton: 1500, requirements: 1500 };
    /// For summarising one file.
    pub(crate) const SUMMARIZE: Self =
        Self { tests: 400, tests_in_full: 3, code: 5000, skeleton: 2000, requirements: 1500 };
    /// For overlooking the project, and for searching.
    pub(crate) const OVERLOOK: Self =
        Self { tests: 800, tests_in_full: 3, code: 700, skeleton: 300, requirements: 1500 };
    /// For a look at other files than the one that is shown.
    pub(crate) const ELSEWHERE: Self = Self { tests: 0, tests_in_full: 0, code: 1000, skeleton: 100, requirements: 0 };
    /// The papers' prompts: whole files, all requirements, and failing tests up to a number that no bug of their
    /// benchmarks but a few exceeds.
    pub(crate) const PAPERS: Self =
        Self { tests: 12_000, tests_in_full: 20, code: usize::MAX, skeleton: 1500, requirements: usize::MAX };
    /// For writing a test: the code that the issue speaks of, and the tests beside it.
    pub(crate) const REPRODUCE: Self =
        Self { tests: 1000, tests_in_full: 3, code: 1600, skeleton: 400, requirements: 3000 };
    /// All summaries together.
    pub(crate) const SUMMARIES: usize = 1200;
    /// A reference solution.
    pub(crate) const REFERENCE: usize = 600;
    /// The list of the product's files.
    pub(crate) const TREE: usize = 800;
    /// The dependency graph around the failing tests.
    pub(crate) const GRAPH: usize = 800;
}

/// Whose idea of a first prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipe {
    /// Ours: the code that the failing tests reach, by coverage and calls.
    #[default]
    Chosen,
    /// FixAgent's bug metadata (section 3.1): the bug-located file, failing tests, errors, requirements, and what the
    /// agents before made; no coverage, no ranking, no graph.
    Metadata,
    /// RepairAgent's first prompt: the code of the failing tests and what their first run said (sections V-E and VI-A);
    /// the agent asks for all else.
    Tests,
}

/// What agents see before their first query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct InitialView {
    /// How it is chosen.
    pub recipe: Recipe,
    /// Whether patches that failed are shown without what the tests said of them.
    pub no_results: bool,
    /// Whether the agent is shown what it answered before.
    pub earlier_answer: bool,
}

/// Reports of sanitizers that are shown.
const SANITIZED: usize = 3;
/// Lines of the ranking that Slicer is shown.
const RANKED: usize = 10;

impl Evidence {
    /// What an agent is shown, by its contract; `focus` is the file of an agent that runs once for each of several,
    /// `found` what was retrieved for it.
    pub(crate) fn of(
        agent: &Profile,
        bench: &Workbench,
        case: &CaseFile,
        initial_view: InitialView,
        focus: Option<&RepoPath>,
        found: &[Solution],
    ) -> Self {
        let mut evidence = match (initial_view.recipe, agent.contract) {
            (_, ContractKind::Test) => return Self::to_reproduce(bench),
            (Recipe::Tests, _) => Self::of_tests(bench),
            (Recipe::Metadata, contract) => Self::metadata(contract, bench, case, focus),
            (Recipe::Chosen, ContractKind::Marks) => Self::to_locate(bench, case),
            (Recipe::Chosen, ContractKind::Patch) => Self::to_repair(bench, case),
            (Recipe::Chosen, ContractKind::Slice) => Self::to_slice(bench, case),
            (Recipe::Chosen, ContractKind::Summary) => Self::to_summarize(bench, case, focus),
            (Recipe::Chosen, ContractKind::Files) => Self::to_overlook(bench, case),
            (Recipe::Chosen, ContractKind::Reference) => Self::to_help(bench, found),
        };
        if initial_view.recipe == Recipe::Tests {
            return evidence;
        }
        let again = initial_view.earlier_answer && evidence.add_earlier(bench, case, agent.contract, focus);
        // A summary says what the code does; what failed to repair it matters only to one that is made again.
        if agent.contract != ContractKind::Summary || again {
            evidence.add_history(case, &agent.name, initial_view.no_results);
        }
        evidence
    }

    /// The failing tests alone, with their code and results.
    fn of_tests(bench: &Workbench) -> Self {
        let mut evidence = Self::default();
        evidence.add_tests(bench, Budget::PAPERS);
        evidence
    }

    /// Evidence for finding the bug: Slicer's segment where there is one, else what the failing tests reach.
    pub(crate) fn to_locate(bench: &Workbench, case: &CaseFile) -> Self {
        let mut evidence = Self::of_bug(bench, Budget::LOCATE);
        if !evidence.add_slice(bench, case) {
            let choice = select::reached(bench);
            evidence.add_code(bench, &choice, &[], Budget::LOCATE);
        }
        evidence.add_observed(bench);
        evidence.with_findings(bench, case)
    }

    /// Evidence for repairing it: in full only what Locator marked and what that calls; without marks as for finding.
    pub(crate) fn to_repair(bench: &Workbench, case: &CaseFile) -> Self {
        let mut evidence = Self::of_bug(bench, Budget::REPAIR);
        match case.marks() {
            Some((marks, explanation)) => {
                let choice = select::around(bench, marks, explanation);
                evidence.add_code(bench, &choice, marks, Budget::REPAIR);
                evidence.push("The same code elsewhere", twins::text(bench, marks));
                evidence.push("Locator's explanation", explanation.trim().to_owned());
            }
            None if evidence.add_slice(bench, case) => {}
            None => {
                let choice = select::reached(bench);
                evidence.add_code(bench, &choice, &[], Budget::LOCATE);
            }
        }
        evidence.add_observed(bench);
        evidence.with_findings(bench, case)
    }

    /// Evidence for cutting out a segment: the bug-located file and the most suspicious lines.
    pub(crate) fn to_slice(bench: &Workbench, case: &CaseFile) -> Self {
        let mut evidence = Self::of_bug(bench, Budget::SLICE);
        evidence.add_file(bench, bench.bug.located.as_ref(), &[], Budget::SLICE);
        let ranked = bench.ranking.lines.iter().take(RANKED).map(|suspect| ranked_line(bench, suspect));
        evidence.push("Most suspicious lines", ranked.collect());
        evidence.add_elsewhere(bench);
        evidence.add_files(case);
        evidence.with_findings(bench, case)
    }

    /// Evidence for summarising one file: its methods within a budget, those that the failing tests reach first.
    pub(crate) fn to_summarize(bench: &Workbench, case: &CaseFile, focus: Option<&RepoPath>) -> Self {
        let mut evidence = Self::of_bug(bench, Budget::SUMMARIZE);
        evidence.add_file(bench, focus.or(bench.bug.located.as_ref()), &[], Budget::SUMMARIZE);
        evidence.add_reference(case);
        evidence
    }

    /// Evidence for naming the files that bear on the bug: the product's files and the graph around the failing tests.
    pub(crate) fn to_overlook(bench: &Workbench, case: &CaseFile) -> Self {
        let mut evidence = Self::of_bug(bench, Budget::OVERLOOK);
        evidence.push("Files of the product, with their lines", head(&tree::product(bench), Budget::TREE));
        evidence.push("Dependencies", head(&bearing_text(bench), Budget::GRAPH));
        evidence.add_summaries(bench, case, Budget::SUMMARIES);
        evidence
    }

    /// Evidence for a reference solution: the hottest code, and what a first search found.
    pub(crate) fn to_help(bench: &Workbench, found: &[Solution]) -> Self {
        let mut evidence = Self::of_bug(bench, Budget::OVERLOOK);
        let choice = select::reached(bench);
        evidence.add_code(bench, &choice, &[], Budget::OVERLOOK);
        evidence.push("Repairs of similar bugs", solutions_text(found));
        evidence
    }

    /// Evidence beside a patch that passed, for what is asked about it.
    pub(crate) fn of_follow_up(
        bench: &Workbench,
        case: &CaseFile,
        passed: &PatchAttempt,
        request: &'static str,
    ) -> Self {
        let mut evidence = Self::of_bug(bench, Budget::REPAIR);
        let choice = select::changed(bench, &passed.patch);
        evidence.add_code(bench, &choice, &[], Budget::REPAIR);
        let diff = crate::patch::render(&passed.patch);
        evidence.push(request, format!("```diff\n{diff}```\n{}\n", passed.explanation));
        evidence.with_findings(bench, case)
    }

    /// Evidence for variants of a patch that failed: the failing tests and the code that it changes.
    pub(crate) fn to_vary(bench: &Workbench, patch: &Patch) -> Self {
        let mut evidence = Self::of_bug(bench, Budget::REPAIR);
        let choice = select::changed(bench, patch);
        evidence.add_code(bench, &choice, &[], Budget::REPAIR);
        evidence
    }

    /// The whole text, as it stands in the prompt.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for section in &self.sections {
            text.push_str(&format!("## {}\n{}\n\n", section.title, section.text.trim_end()));
        }
        text
    }

    /// The same evidence in another order, for a model that would answer the same question in the same way.
    pub(crate) fn turn(&mut self, times: u32) {
        // Each number of turns is a permutation of its own, as long as there are that many.
        let mut left = std::mem::take(&mut self.sections);
        let mut rest = times as usize;
        while !left.is_empty() {
            let at = rest % left.len();
            rest /= left.len();
            self.sections.push(left.remove(at));
        }
        let text = format!(
            "You looked at this {} before and found no repair: look at it in another way.",
            counted(times, "time")
        );
        self.push("Again", text);
    }

    fn push(&mut self, title: &'static str, text: String) {
        if !text.trim().is_empty() {
            self.sections.push(Section { title, text });
        }
    }

    /// What every agent is shown of the bug: its tests and its requirements.
    fn of_bug(bench: &Workbench, budget: Budget) -> Self {
        let mut evidence = Self::default();
        evidence.add_tests(bench, budget);
        evidence.add_requirements(bench, budget);
        let reports = bench.sanitized.iter().take(SANITIZED).map(|report| failure_text(report, false));
        evidence.push("What sanitizers report", reports.collect());
        evidence
    }

    /// The same with what other agents found, at its end.
    fn with_findings(mut self, bench: &Workbench, case: &CaseFile) -> Self {
        self.add_summaries(bench, case, Budget::SUMMARIES);
        self.add_reference(case);
        self
    }

    /// What was looked up of runs and of history.
    fn add_observed(&mut self, bench: &Workbench) {
        let text_of = |text: Option<&Option<String>>| text.cloned().flatten().unwrap_or_default();
        self.push("Values of the failing run", text_of(bench.observed.values.get()));
        self.push("Last changes of the suspicious code", text_of(bench.observed.changes.get()));
    }

    fn add_tests(&mut self, bench: &Workbench, budget: Budget) {
        let (text, shown) = tests::render(bench, budget.tests, budget.tests_in_full);
        self.push("Failing tests", text);
        self.shown.extend(shown);
    }

    fn add_requirements(&mut self, bench: &Workbench, budget: Budget) {
        if let Some(requirements) = &bench.bug.requirements {
            self.push("Requirements", head(requirements, budget.requirements));
        }
    }

    fn add_code(&mut self, bench: &Workbench, choice: &select::Choice, marks: &[Mark], budget: Budget) {
        let (text, shown) = code::render(bench, choice, marks, budget);
        self.push("Code", text);
        self.shown.extend(shown);
    }

    /// The hottest methods of other files than the bug-located one, for that may be the wrong one.
    fn add_elsewhere(&mut self, bench: &Workbench) {
        if bench.bug.located.is_none() {
            return;
        }
        let choice = select::elsewhere(bench, bench.bug.located.as_ref());
        let (text, shown) = code::render(bench, &choice, &[], Budget::ELSEWHERE);
        if !shown.is_empty() {
            self.push("Code of other files that the failing tests reach", text);
            self.shown.extend(shown);
        }
    }

    /// One file: whole while it fits, else its methods within the budget, those that the failing tests reach first.
    fn add_file(&mut self, bench: &Workbench, path: Option<&RepoPath>, marks: &[Mark], budget: Budget) {
        let Some(file) = path.and_then(|path| bench.index.file(path)) else {
            return self.add_code(bench, &select::reached(bench), marks, budget);
        };
        if count_tokens(&file.text) <= budget.code {
            let (text, shown) = code::file(bench, file, marks);
            self.push("Code", text);
            self.shown.extend(shown);
        } else {
            let choice = select::in_file(bench, file);
            self.add_code(bench, &choice, marks, budget);
        }
    }
}

fn ranked_line(bench: &Workbench, suspect: &Suspect) -> String {
    let place = &suspect.location;
    let code = bench.index.file(&place.file).and_then(|file| file.line(place.line)).unwrap_or("").trim();
    format!("- {place}: {code} ({})\n", suspect.reasons.join(", "))
}

/// What is searched for when a bug is new: the failures, the names of the tests, and what the hottest methods do.
pub(crate) fn search_query(bench: &Workbench) -> String {
    const HOTTEST: usize = 2;
    let mut query = String::new();
    for test in &bench.bug.failing {
        let kind = test.failure.kind.rsplit('.').next().unwrap_or("");
        let message = test.failure.message.lines().next().unwrap_or("");
        let _ = writeln!(query, "{} {kind} {message}", test.id.bare_method());
    }
    for chosen in select::reached(bench).methods.iter().take(HOTTEST) {
        let summary = chosen.method.summary.as_deref().unwrap_or("");
        let _ = writeln!(query, "{} {summary}", chosen.method.name);
    }
    query
}
