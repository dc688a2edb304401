//! Plain data that every room speaks: ids, bug, location, patch, outcome, artifact, event.
//!
//! Nothing here awaits, reads a file or starts a process; behaviour lives in the rooms that use these types.

mod artifact;
mod bug;
mod cap;
mod case_file;
mod choice;
mod confidence;
mod event;
mod fingerprint;
mod hidden;
mod hypothesis;
mod ids;
mod location;
mod outcome;
mod patch;
mod problem;
mod progress;
mod reasons;
mod refusal;
mod repo_path;
mod reproduction;
mod test;
mod usage;
pub mod words;

pub use artifact::{Artifact, Mark, MarkKind, MethodSummary, PatchAttempt, Reference, Slice, Summary};
pub use bug::{Bug, FailingTest};
pub use cap::{Cap, Reached};
pub use case_file::CaseFile;
pub use choice::{Choice, Group, Split};
pub use confidence::{Confidence, ConfidenceWord};
pub use event::{Change, Disagreement, Event, EventSink, Policy as PolicyKind, Scope, SurerJudge, Unanswered};
pub use fingerprint::Fingerprint;
pub use hidden::{BadGlob, Hidden};
pub use hypothesis::Hypothesis;
pub use ids::{AgentName, BugId, InvalidId, Level, TestId, ToolName, outer_class};
pub use location::{LineSpan, Location, Ranking, Suspect};
pub use outcome::{Diagnostic, HeldOut, Outcome, Validation};
pub use patch::{FileChange, Patch};
pub use problem::Problem;
pub use progress::{Progress, Watcher};
pub use refusal::{InvalidValue, Refusal};
pub use repo_path::{InvalidPath, RepoPath};
pub use reproduction::Reproduction;
pub use test::{Failure, Frame, Loss, RunEnd, TestReport, TestResult, TestStatus};
pub use usage::{Cost, Usage};
