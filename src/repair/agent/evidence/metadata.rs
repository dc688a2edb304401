//! A first prompt as FixAgent's is (section 3.1): bug metadata and what the agents before made, nothing measured.

use super::{Budget, Evidence, head};
use crate::agent::profile::ContractKind;
use crate::domain::{CaseFile, RepoPath};
use crate::tools::Workbench;
use std::fmt::Write;

impl Evidence {
    /// Metadata for an agent that owes such an answer.
    pub(super) fn metadata(
        contract: ContractKind,
        bench: &Workbench,
        case: &CaseFile,
        focus: Option<&RepoPath>,
    ) -> Self {
        let mut evidence = Self::default();
        evidence.add_tests(bench, Budget::PAPERS);
        evidence.add_requirements(bench, Budget::PAPERS);
        if contract == ContractKind::Files {
            let product = bench.index.files().iter().filter(|file| !file.test);
            let tree: String = product.map(|file| format!("{}\n", file.path)).collect();
            evidence.push("Files of the product", head(&tree, Budget::TREE));
        }
        let marks = case.marks();
        let reads_segment = matches!(contract, ContractKind::Marks | ContractKind::Patch);
        if contract == ContractKind::Patch && marks.is_some() {
            evidence.add_marked(bench, case);
        } else if !(reads_segment && evidence.add_slice(bench, case)) {
            evidence.add_file(bench, focus.or(bench.bug.located.as_ref()), &[], Budget::PAPERS);
        }
        evidence.add_oracle(bench);
        if !matches!(contract, ContractKind::Summary | ContractKind::Reference | ContractKind::Files) {
            evidence.add_files(case);
            evidence.add_summaries(bench, case, usize::MAX);
        }
        if contract != ContractKind::Reference {
            evidence.add_reference(case);
        }
        evidence
    }

    /// The file that holds the marks, with the marks.
    fn add_marked(&mut self, bench: &Workbench, case: &CaseFile) {
        let Some((marks, explanation)) = case.marks() else { return };
        let mut files: Vec<&RepoPath> = marks.iter().map(|mark| &mark.location.file).collect();
        files.dedup();
        for file in files {
            self.add_file(bench, Some(file), marks, Budget::PAPERS);
        }
        self.push("Locator's explanation", explanation.trim().to_owned());
    }

    /// The developer's lines, where they were asked for by name.
    fn add_oracle(&mut self, bench: &Workbench) {
        if !bench.ranking.is_the_developers() {
            return;
        }
        let mut text = String::new();
        for suspect in &bench.ranking.lines {
            let _ = writeln!(text, "- {}", suspect.location);
        }
        self.push("Lines that have to change", text);
    }
}
