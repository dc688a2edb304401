//! The `--json` object of a run (DESIGN.md, section 7): stable, with a schema number.

use crate::domain::words::{counted, listed};
use crate::domain::{
    AgentName, BugId, Choice, Confidence, HeldOut, Level, PolicyKind, Reached, RepoPath, TestId, Usage,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Schema of the object; older ones are read, newer ones refused.
pub(crate) const SCHEMA: u32 = 2;

/// Tests that still fail and are named.
const STILL_FAILING_SHOWN: usize = 3;

/// File of a run directory that holds the developer's repair as a diff. It is written when the run is over: no agent
/// that could still ask may see it.
pub(crate) const DEVELOPER: &str = "developer.diff";

/// How a run ended, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VerdictWord {
    /// A patch passed everything.
    Plausible,
    /// No test was found that shows what an issue reports.
    NotReproduced,
    /// None did.
    #[serde(alias = "unrepaired")]
    NoRepair,
    /// A cap was reached first.
    #[serde(alias = "exhausted")]
    StoppedAtCap,
}

impl VerdictWord {
    /// The words for people; JSON has underscores in them.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Plausible => "plausible",
            Self::NotReproduced => "not reproduced",
            Self::NoRepair => "no repair",
            Self::StoppedAtCap => "stopped at a cap",
        }
    }
}

/// In what a patch equals the developer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Equality {
    /// In the syntax tree's normal form: layout, comments, parentheses and safe changes of order aside.
    SyntaxTree,
    /// In what both compile to.
    Bytecode,
}

/// Who made the plausible patch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct By {
    /// The agent.
    pub agent: AgentName,
    /// Who decided for it.
    pub policy: PolicyKind,
    /// In which attempt, from 1.
    pub attempt: u32,
    /// Number of requests that had been answered when it came; 0 without a model.
    pub request: u64,
    /// What had been spent by then.
    pub cost_usd: Option<f64>,
}

/// Which model was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Model {
    /// Its name, or `builtin`.
    pub name: String,
    /// Where requests went; `null` for the built-in engine.
    pub endpoint: Option<String>,
}

/// How many candidates came how far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Candidates {
    /// All that were proposed.
    #[serde(alias = "candidates")]
    pub proposed: u64,
    /// Of these, compiled.
    pub compiled: u64,
    /// Of these, plausible.
    pub plausible: u64,
}

/// Where the time went, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Seconds {
    /// All of it.
    pub wall: f64,
    /// Waiting for a model.
    pub model: f64,
    /// Baseline and candidates.
    pub tests: f64,
    /// Copying, compiling and preparing before the first test ran; 0 in runs of older programs.
    #[serde(default)]
    pub setup: f64,
    /// Finding out, at the end, how far a repair can be relied on; 0 in runs of older programs.
    #[serde(default)]
    pub checks: f64,
}

/// What was retrieved for Helper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Retrieved {
    /// Ids and addresses of what it was given.
    pub sources: Vec<String>,
    /// Results that were kept from it because they give the bug's own repair away.
    pub dropped: usize,
}

/// What the built-in engine did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Searching {
    /// Candidates that were judged.
    pub candidates: u64,
    /// Seconds of its searches, judging included.
    pub seconds: f64,
    /// Of these, seconds spent on making candidates.
    pub making: f64,
}

impl Searching {
    /// Candidates a second, end to end.
    pub(crate) fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.candidates as f64 / self.seconds } else { 0.0 }
    }

    /// Share of the time that went into making candidates, `0.0..=1.0`.
    pub(crate) fn share(&self) -> f64 {
        if self.seconds > 0.0 { (self.making / self.seconds).min(1.0) } else { 0.0 }
    }
}

/// A test that was written for an issue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WrittenTest {
    /// The test.
    pub id: TestId,
    /// Its file.
    pub file: RepoPath,
    /// The file's change as a unified diff.
    pub diff: String,
    /// The exception by which it fails on the present code.
    pub fails_by: String,
    /// The message of that exception.
    pub message: String,
    /// Why this is what the issue reports, in the words of who wrote it.
    pub explanation: String,
}

/// The whole object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Which bug.
    pub bug: BugId,
    /// How it ended.
    pub verdict: VerdictWord,
    /// On which level the patch came; 0 is the built-in engine before the first paid call.
    pub level: Option<Level>,
    /// Who made it.
    pub by: Option<By>,
    /// The patch as a unified diff that `git apply` takes.
    pub patch: Option<String>,
    /// Changed files.
    pub files: Vec<RepoPath>,
    /// The test that was written for an issue; it is no part of the patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<WrittenTest>,
    /// `true` when equal to the developer's patch, else `null`: never `false` without a review.
    pub correct: Option<bool>,
    /// In what it is equal; absent in runs of older programs, which compared tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equal_by: Option<Equality>,
    /// How the patch does on tests that are held out, for benchmarks that have some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
    /// How much the patch can be relied on beyond its tests, with the reasons; absent in runs of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// How drawn inputs tell several plausible patches apart, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// Tests that fail with the patch as they did without it: of another bug, of the environment, or of what the patch
    /// leaves to be done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub still_failing: Vec<TestId>,
    /// Failing tests that are skipped with the patch for an exception that skips others without it: they cannot tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<TestId>,
    /// Whose own command confirmed the patch besides the cold process, for benchmarks that have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_by: Option<String>,
    /// Why a patch's word is this program's own, for benchmarks whose runner was not seen to agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverified: Option<String>,
    /// How suspicious lines were found: `spectrum`, `perfect`, `file`, `none`.
    pub localization: String,
    /// The version of the JDK that compiled and tested; absent for other languages, and in runs of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jdk: Option<String>,
    /// The model.
    pub model: Model,
    /// Candidates.
    #[serde(alias = "validations")]
    pub candidates: Candidates,
    /// Tokens and money.
    pub usage: Usage,
    /// Requests whose responses never came, because the program was killed or the endpoint failed: the endpoint may
    /// bill them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub possibly_billed: u64,
    /// Time.
    pub seconds: Seconds,
    /// What Helper was given, when it searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieved: Option<Retrieved>,
    /// The built-in engine's part; absent when it did not search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<Searching>,
    /// What the agents said last when nothing was found, or why a run stopped.
    pub analysis: Option<String>,
    /// The cap at which it stopped; absent in runs of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<Reached>,
    /// The run directory.
    pub run_dir: String,
}

impl RunReport {
    /// What is said of the tests with a plausible patch.
    pub(crate) fn what_passes(&self) -> String {
        let skipped = match self.skipped.len() {
            0 => String::new(),
            n => format!(" but for {n} that cannot tell,"),
        };
        format!("the failing tests pass{skipped} and nothing that passed broke")
    }

    /// One sentence on the tests that still fail; `None` when none does.
    pub(crate) fn still_failing(&self) -> Option<String> {
        let count = self.still_failing.len();
        let names = listed(&self.still_failing, STILL_FAILING_SHOWN);
        let (fail, they) = if count == 1 { ("fails", "it") } else { ("fail", "they") };
        (count > 0)
            .then(|| format!("{} still {fail} as {they} did before the patch: {names}", counted(count, "other test")))
    }
}

/// The object as readers of an older schema know it: its older names, and nothing else.
pub(crate) fn in_schema(schema: u32, mut report: Value) -> Value {
    if schema > 1 {
        return report;
    }
    report["schema"] = schema.into();
    report["verdict"] = match VerdictWord::deserialize(&report["verdict"]) {
        // It knew no tests but those that fail.
        Ok(VerdictWord::NoRepair | VerdictWord::NotReproduced) => "unrepaired".into(),
        Ok(VerdictWord::StoppedAtCap) => "exhausted".into(),
        _ => report["verdict"].take(),
    };
    if let Some(object) = report.as_object_mut()
        && let Some(mut counted) = object.remove("candidates")
    {
        if let Some(counted) = counted.as_object_mut()
            && let Some(all) = counted.remove("proposed")
        {
            counted.insert("candidates".into(), all);
        }
        object.insert("validations".into(), counted);
    }
    report
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_older_schema_has_its_older_names_and_is_read() {
        let new = json!({"schema": 2, "verdict": "stopped_at_cap", "candidates": {"proposed": 3, "compiled": 2, "plausible": 0}});
        let old = json!({"schema": 1, "verdict": "exhausted", "validations": {"candidates": 3, "compiled": 2, "plausible": 0}});
        assert_eq!(in_schema(1, new.clone()), old);
        assert_eq!(in_schema(2, new.clone()), new);
        for report in [old, new] {
            assert_eq!(VerdictWord::deserialize(&report["verdict"]).unwrap(), VerdictWord::StoppedAtCap);
            let counted = report.get("candidates").or(report.get("validations")).unwrap();
            assert_eq!(Candidates::deserialize(counted).unwrap().proposed, 3);
        }
    }
}
