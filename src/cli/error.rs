//! Errors that teach: what, where, what is known, one hint; and the exit code of each.

use crate::agent::AgentError;
use crate::agent::profile::ProfileError;
use crate::benchmark::BenchmarkError;
use crate::domain::{Problem, Reached};
use crate::escalate::prepare::PrepareError;
use crate::escalate::{BuildError, RepairError, StrategyError};
use crate::journal::JournalError;
use crate::llm::{ModelError, PriceError, RecordingError};
use crate::prompt::PromptError;
use crate::sandbox::SandboxError;
use crate::tools::ToolError;
use crate::validate::ValidateError;
use serde_json::{Value, json};
use std::io::Write;

/// What a program is told where no test fails.
pub(super) const NOTHING_FAILS: &str = "nothing_fails";
/// A repetition differs from its recording.
pub(super) const DIVERGED: u8 = 1;
/// A test was not taken.
const DECLINED: u8 = 1;
/// What was typed is wrong.
pub(super) const USAGE: u8 = 2;
/// What it points at cannot be used.
pub(super) const UNUSABLE: u8 = 3;
/// The model cannot be asked.
pub(super) const MODEL: u8 = 4;
/// A cap is reached.
pub(super) const CAP: u8 = 5;
/// The program itself is at fault: the code of a panic.
const FAULT: u8 = 101;
/// Reading or writing failed.
pub(super) const IO: u8 = 74;
/// Another process has it: try again later.
pub(super) const LATER: u8 = 75;
/// The word for a run that waits for the answer to a request.
pub(super) const DEFERRED: &str = "deferred";
/// Ctrl-C.
pub(super) const INTERRUPTED: u8 = 130;

/// What to do at a cap that says nothing of its own.
const RAISE: &str = "raise the cap";

/// A command's error.
#[derive(Debug)]
pub(super) struct Failure {
    /// The code with which the program ends.
    pub exit: u8,
    /// Word for programs.
    pub code: &'static str,
    /// What failed, where, and what is known.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Failure {
    fn new(exit: u8, code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { exit, code, message: message.into(), hint: hint.into() }
    }

    /// What was typed is wrong.
    pub(super) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(USAGE, "usage", message, hint)
    }

    /// What was pointed at cannot be used.
    pub(super) fn unusable(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(UNUSABLE, "unusable", message, hint)
    }

    /// The model cannot be asked.
    pub(super) fn model(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(MODEL, "model", message, hint)
    }

    /// A cap is reached.
    pub(super) fn cap(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(CAP, "cap", message, hint)
    }

    /// The program itself is at fault.
    pub(super) fn fault(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(FAULT, "fault", message, hint)
    }

    /// Reading or writing failed, or another process has what is to be written.
    pub(super) fn io(what: &str, error: &std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::ResourceBusy {
            return Self::new(
                LATER,
                "run_directory",
                format!("{what}: {error}"),
                "wait for it, then go on with `unidebug resume`",
            );
        }
        Self::new(IO, "io", format!("{what}: {error}"), "check free space and permissions, then run it again")
    }

    /// A person does not take the test that was written for an issue.
    pub(super) fn declined() -> Self {
        let message = "the test was not taken; nothing was repaired";
        let hint = "say more in the issue, or write the test yourself; `unidebug resume last` asks again";
        Self::new(DECLINED, "test_declined", message, hint)
    }

    /// Ctrl-C; `way_back` says how to go on.
    pub(super) fn interrupted(way_back: impl Into<String>) -> Self {
        Self::new(INTERRUPTED, "interrupted", "interrupted", way_back)
    }

    /// Prints it to stderr, and under `--json` as the last line of stdout.
    pub(super) fn print(&self, json: bool) {
        let mut err = anstream::stderr().lock();
        let _ = writeln!(err, "error: {}\nhint: {}", self.message, self.hint);
        if json {
            super::print(&format!("{}\n", self.object()));
        }
    }

    /// It for programs.
    pub(super) fn object(&self) -> Value {
        json!({"schema": 1, "error": {"code": self.code, "message": self.message, "hint": self.hint}})
    }
}

impl From<BenchmarkError> for Failure {
    fn from(error: BenchmarkError) -> Self {
        let exit = match &error {
            BenchmarkError::UnknownBenchmark { .. }
            | BenchmarkError::UnknownBug { .. }
            | BenchmarkError::Absent { .. }
            | BenchmarkError::NotABug { .. } => USAGE,
            BenchmarkError::Io { .. } => IO,
            _ => UNUSABLE,
        };
        let code = match exit {
            USAGE => "unknown_bug",
            IO => "io",
            _ => "benchmark",
        };
        let hint = error.hint();
        Self::new(exit, code, error.to_string(), hint)
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        let exit = match error {
            JournalError::Io { ref cause, .. } if cause.kind() == std::io::ErrorKind::ResourceBusy => LATER,
            JournalError::Io { .. } => IO,
            JournalError::Owned { .. } => LATER,
            _ => UNUSABLE,
        };
        let hint = error.hint();
        Self::new(exit, "run_directory", error.to_string(), hint)
    }
}

impl From<SandboxError> for Failure {
    fn from(error: SandboxError) -> Self {
        let hint = error.hint();
        Self::new(UNUSABLE, "sandbox", error.to_string(), hint)
    }
}

impl From<ValidateError> for Failure {
    fn from(error: ValidateError) -> Self {
        let exit = if matches!(error, ValidateError::Io { .. }) { IO } else { UNUSABLE };
        let code = match &error {
            ValidateError::BaselineDoesNotCompile { .. } => "baseline_does_not_compile",
            ValidateError::NothingFails { .. } => NOTHING_FAILS,
            ValidateError::Triggering { .. } => "triggering",
            ValidateError::Tool { .. } => "tool",
            ValidateError::Io { .. } => "io",
        };
        let hint = error.hint();
        Self::new(exit, code, error.to_string(), hint)
    }
}

impl From<Reached> for Failure {
    fn from(reached: Reached) -> Self {
        let hint = if reached.hint.is_empty() { RAISE.to_owned() } else { reached.hint };
        Self::cap(reached.what, hint)
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        let hint = match &error {
            ModelError::Auth(_) => "set OPENAI_API_KEY to a key of this endpoint, or use `--model builtin`",
            ModelError::UnknownModel(_) => "give a model that the endpoint knows with `--model`",
            ModelError::Unreachable(_) => "check `--base-url`, and that the server is up; `--model builtin` needs none",
            ModelError::ContextLength(_) => "use a model with a larger context",
            ModelError::BadRequest(_) => {
                "the endpoint refuses the request; check `--base-url` (a missing /v1?) and `--model`"
            }
            ModelError::Failed(_) => "the endpoint kept failing; try again later",
            ModelError::OverBudget(_) => RAISE,
            ModelError::Deferred(_) => "the batch goes on with it when its answer is there",
            ModelError::NotRecorded(_) => "record the run again, or replay it with the program that recorded it",
        };
        let problem = error.into_problem();
        Self::model(problem.what, problem.hint.unwrap_or_else(|| hint.to_owned()))
    }
}

impl From<PriceError> for Failure {
    fn from(error: PriceError) -> Self {
        let hint = error.hint();
        Self::unusable(error.to_string(), hint)
    }
}

impl From<RecordingError> for Failure {
    fn from(error: RecordingError) -> Self {
        let hint = error.hint();
        Self::unusable(error.to_string(), hint)
    }
}

impl From<ProfileError> for Failure {
    fn from(error: ProfileError) -> Self {
        Self::new(UNUSABLE, "profile", error.to_string(), "correct the profile, or leave `--agents` away")
    }
}

impl From<PromptError> for Failure {
    fn from(error: PromptError) -> Self {
        let hint = error.hint();
        Self::new(UNUSABLE, "prompt", error.to_string(), hint)
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Correctable(what) => {
                Self::usage(what, "correct the arguments; `unidebug tool NAME` shows what it takes")
            }
            ToolError::Environment(error) => error.into(),
            ToolError::Journal(error) => Self::io("the journal cannot be written", &error),
        }
    }
}

impl From<AgentError> for Failure {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::Model(error) => error.into(),
            AgentError::Tool(error) => error.into(),
            AgentError::Prompt(error) => error.into(),
            AgentError::Journal(error) => Self::io("the journal cannot be written", &error),
            AgentError::StoppedAtCap(cap) => cap.into(),
            AgentError::Deferred(what) => Self::new(LATER, DEFERRED, what, "the batch goes on with it"),
            AgentError::Spent(Problem { what, hint }) => Self::cap(what, hint.unwrap_or_else(|| RAISE.to_owned())),
            AgentError::Nothing(what) => Self::cap(what, RAISE),
        }
    }
}

impl From<RepairError> for Failure {
    fn from(error: RepairError) -> Self {
        match error {
            RepairError::Agent(error) => error.into(),
            RepairError::NoProfile { .. } => {
                Self::unusable(error.to_string(), "complete the folder given with `--agents`")
            }
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Strategy(error) => error.into(),
            BuildError::Profile(error) => error.into(),
            BuildError::Prompt(error) => error.into(),
        }
    }
}

impl From<StrategyError> for Failure {
    fn from(error: StrategyError) -> Self {
        Self::unusable(error.to_string(), "build the program again")
    }
}

impl From<PrepareError> for Failure {
    fn from(error: PrepareError) -> Self {
        match error {
            PrepareError::Validate(error) => error.into(),
            PrepareError::NoLanguage { .. } => Self::unusable(error.to_string(), "Java and Python are"),
            PrepareError::NoOracle { .. } => Self::usage(error.to_string(), "use `--localization spectrum`"),
            PrepareError::Retrieve(_) => Self::unusable(error.to_string(), "build the program again"),
            PrepareError::Journal(error) => Self::io("the journal cannot be written", &error),
        }
    }
}
