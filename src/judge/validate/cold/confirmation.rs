//! The confirmation of a candidate: all tests of its module, the controls, the tests of other modules, and the project's
//! own command where ours is in doubt.

use super::ColdJudge;
use crate::benchmark::{Checkout, Project};
use crate::domain::words::listed;
use crate::domain::{Disagreement, Outcome, Patch, RepoPath, SurerJudge, TestId, Validation};
use crate::validate::confirm::Confirmation;
use crate::validate::controls::{self, Controlled};
use crate::validate::jvm::Jvm;
use crate::validate::subject::{Build, Copy};
use crate::validate::suite::same_group;
use crate::validate::tested::Tested;
use crate::validate::{Baseline, Options, ValidateError, own};
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

/// Failing tests that are named of a candidate.
const NAMED: usize = 3;

/// Times that the project's own command is asked about one candidate.
const MOST_DISAGREEMENTS: usize = 5;

impl ColdJudge {
    /// Judges a candidate with all tests, once its classes are there; `excused` tests, none of them triggering, are those on
    /// which our runner and the project's own command differ.
    async fn confirm_build(
        &self,
        patch: &Patch,
        build: Arc<Build>,
        excused: &BTreeSet<TestId>,
    ) -> Result<Validation, ValidateError> {
        let order = self.subject.order(patch, &build);
        let timed = self.timed();
        let confirmation = Confirmation {
            subject: &*self.subject,
            baseline: &timed,
            bug: &self.baseline,
            untouched: &self.own.untouched,
            expected: self.own.expected().await?,
            patch,
            build,
            order,
            excused,
        };
        confirmation.run().await
    }

    /// What the tests of other modules say of a patch that their own module's accept.
    async fn confirm_in_modules(&self, patch: &Patch, mut own: Validation) -> Result<Validation, ValidateError> {
        let Some(reactor) = &self.subject.checkout().reactor else { return Ok(own) };
        self.subject.options().watcher.phase("compiling the modules that depend on the change");
        let changed: Vec<RepoPath> = patch.paths().cloned().collect();
        let (mut modules, nothing) = (Vec::new(), Baseline::default());
        for project in reactor.affected(&changed).await? {
            let name = project.module.clone();
            let module = self.module(project).await?;
            if module.subject.tests().is_empty() {
                continue;
            }
            let build = match module.subject.build(patch).await? {
                Ok(build) => Arc::new(build),
                Err(refused) => {
                    return Ok(Validation { detail: format!("in module {name}: {}", refused.detail), ..refused });
                }
            };
            let order = module.subject.order(patch, &build);
            let confirmation = Confirmation {
                subject: &*module.subject,
                baseline: &nothing,
                bug: &self.baseline,
                untouched: &module.untouched,
                expected: module.expected().await?,
                patch,
                build,
                order,
                excused: &BTreeSet::new(),
            };
            let answer = confirmation.run().await?;
            if !answer.is_plausible() {
                return Ok(Validation { detail: format!("in module {name}: {}", answer.detail), ..answer });
            }
            modules.push(name.to_string());
            own.still_failing.extend(answer.still_failing);
        }
        if !modules.is_empty() {
            own.detail.push_str(&format!("; and those of {}", modules.join(", ")));
        }
        Ok(own)
    }

    /// Another module, opened once.
    async fn module(&self, project: Project) -> Result<Arc<Tested>, ValidateError> {
        let mut others = self.others.lock().await;
        if let Some(known) = others.get(&project.module) {
            return Ok(known.clone());
        }
        let folder = project.module.clone();
        let checkout = Checkout { project, ..self.subject.checkout().clone() };
        let subject = Jvm::prepare(&checkout, &self.sandbox, self.subject.options().clone()).await?;
        let module = Arc::new(Tested::new(Arc::new(subject)));
        others.insert(folder, module.clone());
        Ok(module)
    }

    /// All tests of the module, the controls, then the tests of other modules.
    pub(super) async fn confirm_everywhere(
        &self,
        patch: &Patch,
        build: Arc<Build>,
    ) -> Result<Validation, ValidateError> {
        let own = self.confirm_with_own(patch, build.clone()).await?;
        if !own.is_plausible() {
            return Ok(own);
        }
        let controlled = self.controlled(patch, &build, own).await?;
        if !controlled.is_plausible() {
            return Ok(controlled);
        }
        self.confirm_in_modules(patch, controlled).await
    }

    /// The confirmation. A test that fails here and passes under the project's own command does not speak against the
    /// patch, but for triggering tests. Those have what they need here, for they passed in the first look: where one passes
    /// under that command alone, the patch can tell who tests it.
    async fn confirm_with_own(&self, patch: &Patch, build: Arc<Build>) -> Result<Validation, ValidateError> {
        let mut excused = BTreeSet::new();
        for _ in 0..MOST_DISAGREEMENTS {
            let answer = self.confirm_build(patch, build.clone(), &excused).await?;
            if answer.is_plausible() || !own::is_doubtful(&answer) {
                return Ok(answer);
            }
            let against: Vec<TestId> = answer.failing.iter().map(|(id, _)| id.clone()).collect();
            let is_triggering = |id: &TestId| self.baseline.triggering.iter().any(|test| same_group(test, id));
            if against.iter().any(is_triggering) {
                return Ok(answer);
            }
            let Some(name) = self.own_passes(patch, &against).await? else { return Ok(answer) };
            let detail =
                format!("`{name}` passes {} and our runner does not: {}", listed(&against, NAMED), answer.detail);
            self.disagree(answer.outcome, Outcome::PassedWarm, detail);
            excused.extend(against);
        }
        self.confirm_build(patch, build, &excused).await
    }

    /// Whether the triggering tests see what the code does; they passed.
    async fn controlled(
        &self,
        patch: &Patch,
        build: &Arc<Build>,
        passed: Validation,
    ) -> Result<Validation, ValidateError> {
        self.subject.options().watcher.phase("running the triggering tests reversed");
        let (failed, of) = match controls::control(&*self.subject, &self.timed(), patch, build).await? {
            Controlled::Against(objection) => return Ok(objection),
            Controlled::Passed { failed, of } => (failed, of),
        };
        let said = match failed {
            0 => "no triggering test could be reversed, so that none was controlled".to_owned(),
            _ => format!("reversed, {failed} of the {of} triggering tests fail, as they must"),
        };
        Ok(Validation { detail: format!("{}; {said}", passed.detail), ..passed })
    }

    /// The name of the project's own command, when it passes the triggering tests and these.
    async fn own_passes(&self, patch: &Patch, against: &[TestId]) -> Result<Option<String>, ValidateError> {
        let Some(command) = self.subject.checkout().own.clone() else { return Ok(None) };
        self.subject.options().watcher.phase(format!("asking `{}`", command.name()));
        let copy = Copy::for_build(self.subject.checkout(), &self.subject.options().work_dir, patch)?;
        let own_result = own::ask(&*command, &copy.tree, &self.baseline, against, self.subject.longest()).await?;
        Ok(matches!(own_result, own::OwnResult::Passes).then(|| command.name()))
    }

    fn disagree(&self, first: Outcome, then: Outcome, detail: String) {
        let disagreement = Disagreement { judge: SurerJudge::Own, first, then, detail };
        tracing::info!("{disagreement}");
        self.disagreements.lock().unwrap_or_else(PoisonError::into_inner).push(disagreement);
    }
}

/// The reason against a patch whose code refers to what a repair hardly needs.
pub(super) fn doubted(build: &Build, options: &Options) -> Option<Validation> {
    let doubts = &build.news.doubts;
    let counts = !doubts.is_empty() && !options.accept_suspicious;
    let detail = || format!("the tests pass, but its code refers to what a repair hardly needs: {}", doubts.join("; "));
    counts.then(|| Validation::without_tests(Outcome::Suspicious, detail()))
}
