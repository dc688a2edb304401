//! What an agent is shown before its first query: what a good engineer would look up first.
//!
//! The failing tests with the failing statement marked, cleaned failures, and code chosen by [`select`]: the union of
//! the tests' callees and the covered methods, their private callees, twins of hot methods, and a lean skeleton. Code
//! is cut by method and never by characters, and every method is said to be *in full* or *signature only*.

mod code;
mod select;
mod tests;

use crate::domain::{CaseFile, LineSpan, RepoPath};
use crate::prompt::count_tokens;
use crate::tools::Workbench;

/// A part of the evidence, for the table of tokens by section.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its heading.
    pub title: &'static str,
    /// Its text without the heading.
    pub text: String,
}

/// The evidence of one agent run; it does not change from cycle to cycle.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// Its parts, in order.
    pub sections: Vec<Section>,
    /// Lines of the original that it shows.
    pub shown: Vec<(RepoPath, LineSpan)>,
}

/// Token budgets of the sections, at four characters each.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Failing tests with their failures.
    pub tests: usize,
    /// Methods in full.
    pub code: usize,
    /// Signatures and fields.
    pub skeleton: usize,
    /// Requirements.
    pub requirements: usize,
}

impl Budget {
    /// For finding the bug: more code, because the place is not known.
    pub const LOCATE: Self = Self { tests: 700, code: 1500, skeleton: 300, requirements: 400 };
    /// For repairing it: the marked methods and what they call.
    pub const REPAIR: Self = Self { tests: 450, code: 1200, skeleton: 250, requirements: 400 };
}

/// Which part of the evidence is left out: the papers' own first prompts hold no coverage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Without {
    /// Coverage of the failing tests.
    pub coverage: bool,
}

impl Evidence {
    /// Evidence for finding the bug.
    pub fn to_locate(bench: &Workbench, _case: &CaseFile, without: Without) -> Self {
        let mut evidence = Self::default();
        evidence.add_tests(bench, Budget::LOCATE.tests);
        evidence.add_requirements(bench);
        let choice = select::reached(bench, without);
        evidence.add_code(bench, &choice, &[], Budget::LOCATE);
        evidence
    }

    /// Evidence for repairing it: in full only what Locator marked and what that calls; without marks as for finding.
    pub fn to_repair(bench: &Workbench, case: &CaseFile, without: Without) -> Self {
        let mut evidence = Self::default();
        evidence.add_tests(bench, Budget::REPAIR.tests);
        evidence.add_requirements(bench);
        match case.marks() {
            Some((marks, explanation)) => {
                let choice = select::around(bench, marks);
                evidence.add_code(bench, &choice, marks, Budget::REPAIR);
                evidence.push("Locator's explanation", explanation.trim().to_owned());
            }
            None => {
                let choice = select::reached(bench, without);
                evidence.add_code(bench, &choice, &[], Budget::LOCATE);
            }
        }
        evidence.add_attempts(case);
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

    fn push(&mut self, title: &'static str, text: String) {
        if !text.trim().is_empty() {
            self.sections.push(Section { title, text });
        }
    }

    fn add_tests(&mut self, bench: &Workbench, budget: usize) {
        let (text, shown) = tests::render(bench, budget);
        self.push("Failing tests", text);
        self.shown.extend(shown);
    }

    fn add_requirements(&mut self, bench: &Workbench) {
        if let Some(requirements) = &bench.bug.requirements {
            self.push("Requirements", head(requirements, Budget::LOCATE.requirements));
        }
    }

    fn add_code(&mut self, bench: &Workbench, choice: &select::Choice, marks: &[crate::domain::Mark], budget: Budget) {
        let (text, shown) = code::render(bench, choice, marks, budget);
        self.push("Code", text);
        self.shown.extend(shown);
    }

    /// What was tried before this agent began, newest first, so far as it teaches something.
    fn add_attempts(&mut self, case: &CaseFile) {
        const SHOWN: usize = 3;
        let mut text = String::new();
        for attempt in case.attempts.iter().rev().take(SHOWN) {
            let validation = &attempt.validation;
            let diff = crate::patch::render(&attempt.patch);
            text.push_str(&format!("```diff\n{diff}```\n{}: {}\n", validation.outcome, validation.detail));
        }
        for note in &case.engine_notes {
            text.push_str(&format!("- {note}\n"));
        }
        self.push("Tried before, without success", text);
    }
}

/// The first lines of a text that fit, with a word on what was left out.
fn head(text: &str, tokens: usize) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    for line in lines.by_ref() {
        if count_tokens(&kept) + count_tokens(line) > tokens {
            kept.push_str(&format!("(and {} more lines)\n", lines.count() + 1));
            return kept;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}
