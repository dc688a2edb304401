//! What all units of a batch may use together: an account in its folder, on which each unit draws, and a time.

use super::{BatchError, Worker};
use crate::llm::{Account, Standing};
use camino::Utf8Path;
use std::time::Instant;

impl Worker<'_> {
    /// Whether another unit may be begun.
    ///
    /// # Errors
    /// The time is up.
    pub(super) fn check_time(&self) -> Result<(), BatchError> {
        let what = "the time of this batch is up".to_owned();
        if self.until.is_some_and(|until| Instant::now() >= until) { Err(BatchError::Cap { what }) } else { Ok(()) }
    }

    /// Whether all units together have a cap on money or tokens.
    ///
    /// # Errors
    /// The account cannot be read.
    pub(super) fn has_account(&self) -> Result<bool, BatchError> {
        Ok(standing(self.folder)?.is_some())
    }

    /// What to say when the account has refused a unit.
    pub(super) fn used_up(&self) -> BatchError {
        match standing(self.folder) {
            Ok(Some(standing)) => {
                BatchError::Cap { what: format!("a cap of this batch is reached: {}", standing_text(&standing)) }
            }
            Ok(None) => BatchError::Cap { what: "a cap of this batch is reached".to_owned() },
            Err(error) => error,
        }
    }
}

/// How the account of a batch stands; `None` when it has none.
///
/// # Errors
/// It cannot be read.
pub(crate) fn standing(folder: &Utf8Path) -> Result<Option<Standing>, BatchError> {
    Account::standing(folder).map_err(io(folder))
}

/// Caps all units of a batch together; what is not given stays as it was, and without any cap nothing is written.
///
/// # Errors
/// The account cannot be written.
pub(crate) fn limit(folder: &Utf8Path, tokens: Option<u64>, usd: Option<f64>) -> Result<(), BatchError> {
    if tokens.is_none() && usd.is_none() {
        return Ok(());
    }
    Account::limit(folder, tokens, usd).map_err(io(folder))
}

fn io(folder: &Utf8Path) -> impl FnOnce(std::io::Error) -> BatchError {
    move |source| BatchError::Io { what: "keeping the account of the batch", path: folder.to_owned(), source }
}

/// `$0.0123 of $0.02, 4000 of 5000 tokens are spent or held back`.
pub(crate) fn standing_text(standing: &Standing) -> String {
    let Standing { tokens, usd, used_tokens, used_usd } = standing;
    let money = usd.map(|usd| format!("${used_usd:.4} of ${usd}"));
    let tokens = tokens.map(|tokens| format!("{used_tokens} of {tokens} tokens"));
    format!("{} are spent or held back", money.into_iter().chain(tokens).collect::<Vec<_>>().join(", "))
}
