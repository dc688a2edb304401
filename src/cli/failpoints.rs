//! Moments of a run at which tests kill it, put around the models and the judge; a release has none of it.

use crate::llm::ChatModel;
use crate::tools::Workbench;
#[cfg(debug_assertions)]
use crate::validate::Judge;
use std::sync::Arc;

/// The same model with a moment before and after each request: `send.before`, `send.after` for the name `send`.
#[cfg(debug_assertions)]
pub(super) fn around_model(model: Arc<dyn ChatModel>, name: &'static str) -> Arc<dyn ChatModel> {
    Arc::new(debug::Around { inner: model, name })
}

/// The same judge with moments around its work.
#[cfg(debug_assertions)]
pub(super) fn around_judge(bench: &mut Workbench) {
    let around = |inner| -> Arc<dyn Judge> { Arc::new(debug::Around { inner, name: "" }) };
    bench.validator = bench.validator.clone().around(around);
}

/// The same model.
#[cfg(not(debug_assertions))]
pub(super) fn around_model(model: Arc<dyn ChatModel>, _: &'static str) -> Arc<dyn ChatModel> {
    model
}

/// The same judge.
#[cfg(not(debug_assertions))]
pub(super) fn around_judge(_: &mut Workbench) {}

#[cfg(debug_assertions)]
mod debug {
    use crate::domain::{Disagreement, Patch, Validation};
    use crate::journal::failpoint::reach;
    use crate::llm::{Answer, ChatModel, ModelError, Query};
    use crate::validate::{Baseline, Judge, OnResult, ValidateError};
    use std::sync::Arc;

    pub(super) struct Around<T: ?Sized> {
        pub inner: Arc<T>,
        pub name: &'static str,
    }

    #[async_trait::async_trait]
    impl ChatModel for Around<dyn ChatModel> {
        fn endpoint(&self) -> String {
            self.inner.endpoint()
        }

        async fn ask(&self, query: &Query) -> Result<Answer, ModelError> {
            reach(&format!("{}.before", self.name));
            let answer = self.inner.ask(query).await;
            reach(&format!("{}.after", self.name));
            answer
        }
    }

    #[async_trait::async_trait]
    impl Judge for Around<dyn Judge> {
        fn baseline(&self) -> &Baseline {
            self.inner.baseline()
        }

        async fn validate(&self, patch: &Patch) -> Result<Validation, ValidateError> {
            reach("validate.before");
            let validation = self.inner.validate(patch).await;
            reach("validate.after");
            validation
        }

        async fn validate_all(&self, patches: &[Patch], on_result: &mut OnResult<'_>) -> Result<(), ValidateError> {
            self.inner.validate_all(patches, on_result).await
        }

        async fn confirm(&self, patch: &Patch) -> Result<Validation, ValidateError> {
            reach("confirm.before");
            let validation = self.inner.confirm(patch).await;
            reach("confirm.after");
            validation
        }

        fn disagreements(&self) -> Vec<Disagreement> {
            self.inner.disagreements()
        }
    }
}
