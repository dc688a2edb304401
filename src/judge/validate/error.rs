//! Why nothing can be judged.

use super::failing::AsideReason;
use crate::benchmark::BenchmarkError;
use crate::domain::TestId;
use crate::sandbox::SandboxError;
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeMap;

/// Why nothing can be judged here: the environment's fault, never a candidate's.
#[derive(Debug, thiserror::Error)]
pub enum ValidateError {
    /// The buggy project does not compile.
    #[error("the project does not compile before any change: {first}")]
    BaselineDoesNotCompile {
        /// The compiler's first complaint.
        first: String,
        /// What to do, where more is known than that it must compile.
        hint: Option<String>,
    },
    /// No test fails.
    #[error("nothing to repair: no test fails{} and {passing} pass", but(aside))]
    NothingFails {
        /// How many tests passed.
        passing: usize,
        /// Tests that fail and say nothing about the code, each with the reason.
        aside: Vec<(TestId, AsideReason)>,
        /// The project's own command that ran them.
        command: Option<String>,
    },
    /// A test that was asked for does not fail or does not exist.
    #[error("{what}")]
    Triggering {
        /// What is wrong with it.
        what: String,
        /// What to do.
        hint: String,
    },
    /// A tool is missing or broken.
    #[error("{what}")]
    Tool {
        /// What went wrong.
        what: String,
        /// What to do.
        hint: String,
    },
    /// Reading or writing failed.
    #[error("{what}: {source} ({path})")]
    Io {
        /// What was being done.
        what: String,
        /// On which file.
        path: Utf8PathBuf,
        /// The cause.
        source: std::io::Error,
    },
}

impl ValidateError {
    /// What to do about it, in one line.
    pub fn hint(&self) -> String {
        match self {
            Self::BaselineDoesNotCompile { hint: Some(hint), .. } => hint.clone(),
            Self::BaselineDoesNotCompile { .. } => {
                "make the project compile first; only its behaviour is repaired".into()
            }
            Self::NothingFails { aside, .. } if !aside.is_empty() => {
                let hint = aside.iter().find_map(|(_, why)| why.hint());
                hint.unwrap_or("name one of them with --failing CLASS#METHOD, if it is the bug all the same").into()
            }
            Self::NothingFails { command: Some(command), .. } => {
                format!("`{command}` ran; name another command with --test, or a test with --failing")
            }
            Self::NothingFails { .. } => "name a failing test with --failing CLASS#METHOD".into(),
            Self::Triggering { hint, .. } | Self::Tool { hint, .. } => hint.clone(),
            Self::Io { .. } => "check the disk and the permissions of that path".into(),
        }
    }
}

impl From<SandboxError> for ValidateError {
    fn from(error: SandboxError) -> Self {
        let hint = match &error {
            SandboxError::Unavailable { hint, .. } => hint.clone(),
            SandboxError::Spawn { program, .. } => format!("check that {program} is installed and executable"),
            SandboxError::Io { .. } => "check the limits of open files and processes".into(),
        };
        Self::Tool { what: error.to_string(), hint }
    }
}

impl From<BenchmarkError> for ValidateError {
    fn from(error: BenchmarkError) -> Self {
        match error {
            BenchmarkError::Io { what, path, source } => Self::Io { what, path, source },
            other => Self::Tool { what: other.to_string(), hint: other.hint() },
        }
    }
}

/// What of the failing tests was set aside, for a sentence: the commonest reasons, each with its first tests.
fn but(aside: &[(TestId, AsideReason)]) -> String {
    const NAMED: usize = 3;
    let mut by_reason: BTreeMap<&AsideReason, Vec<&TestId>> = BTreeMap::new();
    for (id, why) in aside {
        by_reason.entry(why).or_default().push(id);
    }
    let mut reasons: Vec<_> = by_reason.into_iter().collect();
    reasons.sort_by_key(|(_, tests)| std::cmp::Reverse(tests.len()));
    let rest: usize = reasons.iter().skip(NAMED).map(|(_, tests)| tests.len()).sum();
    let more = if rest > 0 { format!("; {rest} more") } else { String::new() };
    let one = |(why, tests): &(&AsideReason, Vec<&TestId>)| {
        let names: Vec<String> = tests.iter().take(NAMED).map(ToString::to_string).collect();
        let more = tests.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}: {why}", names.join(", "))
    };
    match aside {
        [] => String::new(),
        _ => format!(
            " but for reasons outside the code ({}{more})",
            reasons.iter().take(NAMED).map(one).collect::<Vec<_>>().join("; ")
        ),
    }
}

/// An [`ValidateError::Io`] about a path.
pub fn io_error(what: &str, path: &Utf8Path) -> impl FnOnce(std::io::Error) -> ValidateError + use<> {
    let (what, path) = (what.to_owned(), path.to_owned());
    move |source| ValidateError::Io { what, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_fail_for_one_reason_are_named_together() {
        let test = |id: &str, why| (id.parse().unwrap(), why);
        let error = ValidateError::NothingFails {
            passing: 7,
            aside: vec![
                test("A#n", AsideReason::from("net")),
                test("B#1", AsideReason::LibraryTooOld),
                test("B#2", AsideReason::LibraryTooOld),
                test("B#3", AsideReason::LibraryTooOld),
                test("C#4", AsideReason::LibraryTooOld),
            ],
            command: None,
        };
        assert_eq!(
            error.to_string(),
            "nothing to repair: no test fails but for reasons outside the code (B#1, B#2, B#3 and 1 more: a library that \
             it uses does not work on a Java as new as this one; A#n: net) and 7 pass"
        );
        assert!(error.hint().contains("--java-home"));
    }
}
