//! Facts about a project that its own commands build and test.

use super::{Checked, CommandJudge};
use crate::domain::{Diagnostic, Failure, HeldOut, Patch, RepoPath, TestId, TestReport};
use crate::validate::{Coverage, Enough, Probe, Spectrum, SpectrumScope, ValidateError, failing};
use std::time::Duration;

/// How long passing tests are measured with a plausible patch.
const NEAR: Duration = Duration::from_secs(10);

impl CommandJudge {
    async fn measured(&self, time: Duration) -> Result<Option<Spectrum>, ValidateError> {
        match &self.toolchain {
            Some(toolchain) => toolchain.spectrum(self, time).await,
            None => Ok(None),
        }
    }

    async fn checked(&self) -> Result<Option<&Checked>, ValidateError> {
        match &self.toolchain {
            Some(toolchain) => toolchain.checked(self).await,
            None => Ok(None),
        }
    }
}

#[async_trait::async_trait]
impl Probe for CommandJudge {
    async fn run_tests(&self, tests: &[TestId]) -> Result<TestReport, ValidateError> {
        let mut report = self.untouched(None).await?;
        if !tests.is_empty() {
            report.results.retain(|id, _| tests.iter().any(|name| failing::matches(name, id)));
        }
        Ok(report)
    }

    async fn held_out(&self, patch: &Patch) -> Result<Option<HeldOut>, ValidateError> {
        self.run_held_out(patch).await
    }

    async fn failing_coverage(&self) -> Result<Option<Coverage>, ValidateError> {
        Ok(self.measured(Duration::ZERO).await?.map(|spectrum| spectrum.failing()))
    }

    async fn spectrum(&self, scope: &SpectrumScope) -> Result<Option<Spectrum>, ValidateError> {
        self.measured(scope.time).await
    }

    async fn executed(&self, patch: &Patch, _: &Enough<'_>) -> Result<Option<Spectrum>, ValidateError> {
        let Some(toolchain) = &self.toolchain else { return Ok(None) };
        self.options.watcher.phase("measuring what the tests run of the patch");
        toolchain.executed(self, patch, NEAR).await
    }

    async fn sanitized(&self) -> Result<Option<Vec<Failure>>, ValidateError> {
        Ok(self.checked().await?.map(|checked| checked.reports.clone()))
    }

    async fn warnings(&self, file: &RepoPath) -> Result<Option<Vec<Diagnostic>>, ValidateError> {
        let of_file = |warning: &&Diagnostic| warning.file.as_ref() == Some(file);
        Ok(self.checked().await?.map(|checked| checked.warnings.iter().filter(of_file).cloned().collect()))
    }
}
