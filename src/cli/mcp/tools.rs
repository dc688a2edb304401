//! The tools that a client sees: names, arguments and what each is for.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Deserialize;

/// A bug, for tools that ask for no more.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OnBug {
    /// Full path of a project inside a granted root, or `benchmark:id` as `unidebug bugs` lists them.
    pub bug: String,
    /// Failing tests to work on, `Class#method`, `Class` or `file.py::Class::test`; those that fail where none is named.
    #[serde(default)]
    pub failing: Vec<String>,
    /// Suspicious lines that are told; 10 when absent.
    #[serde(default)]
    pub top: Option<usize>,
}

/// `judge_patch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JudgePatch {
    /// Full path of a project inside a granted root, or `benchmark:id`.
    pub bug: String,
    /// The patch as a unified diff against the project as it lies there.
    pub patch: String,
    /// Failing tests to work on; those that fail where none is named.
    #[serde(default)]
    pub failing: Vec<String>,
}

/// `run_tests`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RunTests {
    /// Full path of a project inside a granted root, or `benchmark:id`.
    pub bug: String,
    /// Tests by class, method or both; what fails, and what was run to find that out, where none is named.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Failing tests to work on; those that fail where none is named.
    #[serde(default)]
    pub failing: Vec<String>,
}

/// `search_code`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchCode {
    /// Full path of a project inside a granted root, or `benchmark:id`.
    pub bug: String,
    /// Names of variables, methods or classes, or parts of them.
    pub key_words: Vec<String>,
}

/// `repair`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Repair {
    /// Full path of a project inside a granted root, or `benchmark:id`.
    pub bug: String,
    /// Failing tests to repair; those that fail where none is named.
    #[serde(default)]
    pub failing: Vec<String>,
    /// Wall time in seconds, below the host's cap.
    #[serde(default)]
    pub max_seconds: Option<f64>,
    /// US dollars, below the host's cap.
    #[serde(default)]
    pub max_cost: Option<f64>,
}

/// A tool by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// A verdict on a patch.
    JudgePatch,
    /// The lines that are most suspicious.
    Localize,
    /// Level 1.
    Triage,
    /// Results of tests.
    RunTests,
    /// Keywords in the code.
    SearchCode,
    /// A run on a bug, up to a repair.
    Repair,
}

impl Name {
    const ALL: [Self; 6] =
        [Self::JudgePatch, Self::Localize, Self::Triage, Self::RunTests, Self::SearchCode, Self::Repair];

    /// The tool of this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.label() == name)
    }

    fn label(self) -> &'static str {
        match self {
            Self::JudgePatch => "judge_patch",
            Self::Localize => "localize",
            Self::Triage => "triage",
            Self::RunTests => "run_tests",
            Self::SearchCode => "search_code",
            Self::Repair => "repair",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::JudgePatch => {
                "Judge a patch by tests, in a sandbox and on a copy: plausible only if it compiles, every failing test \
                 passes and nothing that passed breaks. A refused patch comes with the reason. Changes to tests, build \
                 files and constructs that look at the test run are refused. The second patch of the same project is \
                 judged faster."
            }
            Self::Localize => "Rank the lines that probably cause the failing tests, with a reason for each.",
            Self::Triage => {
                "Where to look and, where a simple repair is found, a patch that passed every test: level 1 alone."
            }
            Self::RunTests => "Run tests of a project with failing tests, in a sandbox and on a copy.",
            Self::SearchCode => "Find members whose code holds keywords, in all sources and tests, with lines.",
            Self::Repair => {
                "Search for a patch that makes the failing tests pass, under the caps of the host. The project is not \
                 changed: the result holds the patch. Long: ask for progress, cancel to stop."
            }
        }
    }

    fn schema(self) -> schemars::Schema {
        match self {
            Self::JudgePatch => schemars::schema_for!(JudgePatch),
            Self::Localize | Self::Triage => schemars::schema_for!(OnBug),
            Self::RunTests => schemars::schema_for!(RunTests),
            Self::SearchCode => schemars::schema_for!(SearchCode),
            Self::Repair => schemars::schema_for!(Repair),
        }
    }

    fn tool(self) -> Tool {
        let mut schema: JsonObject = self.schema().as_object().cloned().unwrap_or_default();
        // Names of our types tell an agent nothing, and are paid for in every prompt.
        for key in ["title", "description", "$schema"] {
            schema.shift_remove(key);
        }
        // Nothing of the user's is written by any of them; a repair leaves a run directory, and may ask a model.
        let is_repair = self == Self::Repair;
        let open_world = matches!(self, Self::Repair | Self::Triage);
        let hints = ToolAnnotations::new().read_only(!is_repair).destructive(false).open_world(open_world);
        Tool::new(self.label(), self.about(), schema).with_annotations(hints)
    }
}

/// All tools that the server offers to a host.
pub(super) fn list() -> Vec<Tool> {
    Name::ALL.into_iter().map(Name::tool).collect()
}
