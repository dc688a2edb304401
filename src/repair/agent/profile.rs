//! An agent's profile: one TOML file in `agents/`, checked when it is loaded.

use crate::domain::{AgentName, Level, ToolName};
use crate::tools::{ANSWERS, GOAL_ACCOMPLISHED, WRITE_FIX, WRITE_TEST};
use camino::Utf8Path;
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The state that ends an agent run; no profile declares it.
pub(crate) const DONE: &str = "done";

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../agents");

/// A state of RepairAgent's machine (paper, Figure 2), by the name profiles use: `understand`, `collect`, `try`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(transparent)]
pub struct StateName(pub String);

impl std::fmt::Display for StateName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// One state: the tools it offers and where their use leads.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Tools offered here, the answer among them.
    pub tools: Vec<ToolName>,
    /// Tools offered here from level 2 on (FixAgent's toolbox); on level 1 one query should be enough.
    #[serde(default)]
    pub toolbox: Vec<ToolName>,
    /// Tool → next state; a tool that is not named stays, `goal_accomplished` always ends.
    #[serde(default)]
    pub next: BTreeMap<ToolName, StateName>,
}

/// What an agent run may use.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentBudget {
    /// Queries, at least 1; side queries cost none.
    pub cycles: u32,
    /// Unusable answers before the chain goes on without one (*m* of FixAgent's Algorithm 1).
    pub answers: u32,
}

/// Which answer is expected; see [`super::contract`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContractKind {
    /// Marked code (Locator).
    Marks,
    /// First and last line of a segment (Slicer).
    Slice,
    /// Methods of a file in words (Summarizer).
    Summary,
    /// Bug-related files (RepoFocus).
    Files,
    /// A reference solution with its sources (Helper).
    Reference,
    /// A test that fails as an issue says (Reproducer).
    Test,
    /// A plausible patch (Fixer, FixerPro).
    Patch,
}

/// When the run of an agent that repairs is over, beside its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// With the first plausible patch.
    #[default]
    Plausible,
    /// With the first patch that the tests judge, whatever they say: FixAgent's one answer. A patch that does not
    /// apply is an unusable answer.
    Judged,
    /// When the agent says so, which is refused before a patch is plausible (RepairAgent, Figure 2).
    Called,
}

fn usual_turn() -> String {
    "turn.md".into()
}

fn yes() -> bool {
    true
}

/// An agent, as data.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its name: `locator`.
    pub name: AgentName,
    /// Its name in prompts: `Locator`; the first line of its system prompt is `# Locator`.
    pub title: String,
    /// From which level on it works.
    pub level: u8,
    /// What it is for, in one phrase.
    pub goal: String,
    /// Its prompt file in `prompts/`.
    pub prompt: String,
    /// The prompt file of each query; the agent's own stands before it.
    #[serde(default = "usual_turn")]
    pub turn: String,
    /// Which answer it owes.
    pub contract: ContractKind,
    /// When a repairer's run ends.
    #[serde(default)]
    pub ends: Ending,
    /// Whether prompts speak of the state machine.
    #[serde(default = "yes")]
    pub guided: bool,
    /// Alias of its model; `--model` maps aliases, levels and agents to models.
    pub model: String,
    /// State it starts in.
    pub start: StateName,
    /// State it starts in when the case file already holds a hypothesis.
    #[serde(default)]
    pub start_with_hypothesis: Option<StateName>,
    /// What it may use.
    pub budget: AgentBudget,
    /// What it may call in each state, and where that leads.
    pub states: BTreeMap<StateName, State>,
}

impl Profile {
    /// The profile as it works on a level: with the toolbox from level 2 on.
    pub(crate) fn on(&self, level: Level) -> Self {
        let mut profile = self.clone();
        for state in profile.states.values_mut() {
            let toolbox = std::mem::take(&mut state.toolbox);
            if level >= Level::L2 {
                state.tools.extend(toolbox);
            }
        }
        profile
    }

    /// Leaves only the tools by which it answers: it has one cycle, and another call would be its last.
    pub(crate) fn only_answers(&mut self) {
        for state in self.states.values_mut() {
            state.tools.retain(|tool| ANSWERS.contains(&tool.as_str()));
            state.next.retain(|tool, _| state.tools.contains(tool));
        }
    }

    /// Whether any state has that tool.
    pub(crate) fn offers(&self, tool: &str) -> bool {
        self.states.values().any(|state| state.tools.iter().any(|offered| offered.as_str() == tool))
    }

    /// Every tool of any state, each once, in the order in which the states name them.
    pub(crate) fn tools(&self) -> Vec<ToolName> {
        let mut all: Vec<ToolName> = Vec::new();
        let start = self.states.get(&self.start);
        for state in start.into_iter().chain(self.states.values()) {
            for tool in &state.tools {
                if !all.contains(tool) {
                    all.push(tool.clone());
                }
            }
        }
        all
    }
}

/// Why a profile cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("agent profile {file}: {what}")]
pub struct ProfileError {
    /// The file that holds the profile.
    pub file: String,
    /// What is wrong with it, with the line where TOML knows it.
    pub what: String,
}

/// Loads all profiles: the embedded ones, replaced or joined by those of the embedded `folders` (of strategies), then by
/// those in the user's `folder`.
///
/// # Errors
/// Unreadable or malformed files, unknown tools (not in `known_tools`), states that lead nowhere, a start state
/// without the agent's answer.
pub fn load(folders: &[&str], folder: Option<&Utf8Path>, known_tools: &[&str]) -> Result<Vec<Profile>, ProfileError> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let own = folders.iter().filter_map(|name| EMBEDDED.get_dir(name));
    for file in EMBEDDED.files().chain(own.flat_map(|folder| folder.files())) {
        if let (Some(name), Some(text)) = (file.path().file_name().and_then(|n| n.to_str()), file.contents_utf8()) {
            texts.insert(name.to_owned(), text.to_owned());
        }
    }
    if let Some(folder) = folder {
        read_folder(folder, &mut texts)?;
    }
    texts
        .iter()
        .filter(|(name, _)| name.ends_with(".toml"))
        .map(|(name, text)| parse(name, text, known_tools))
        .collect()
}

fn read_folder(folder: &Utf8Path, texts: &mut BTreeMap<String, String>) -> Result<(), ProfileError> {
    let failed = |file: &Utf8Path, e: std::io::Error| ProfileError { file: file.to_string(), what: e.to_string() };
    for entry in folder.read_dir_utf8().map_err(|e| failed(folder, e))? {
        let entry = entry.map_err(|e| failed(folder, e))?;
        let path = entry.path();
        if path.extension() == Some("toml") {
            let text = std::fs::read_to_string(path).map_err(|e| failed(path, e))?;
            texts.insert(entry.file_name().to_owned(), text);
        }
    }
    Ok(())
}

/// Reads and checks one profile.
///
/// # Errors
/// See [`load`].
pub fn parse(file: &str, text: &str, known_tools: &[&str]) -> Result<Profile, ProfileError> {
    let wrong = |what: String| ProfileError { file: file.to_owned(), what };
    let profile: Profile = toml::from_str(text).map_err(|e| wrong(e.to_string().trim_end().to_owned()))?;
    let states = || profile.states.keys().map(|s| s.0.as_str()).collect::<Vec<_>>().join(", ");
    let exists = |name: &StateName, role: &str| match profile.states.contains_key(name) || name.0 == DONE {
        true => Ok(()),
        false => Err(wrong(format!("{role} `{name}` is no state of it; its states: {}", states()))),
    };
    exists(&profile.start, "start")?;
    if let Some(start) = &profile.start_with_hypothesis {
        exists(start, "start_with_hypothesis")?;
    }
    if profile.budget.cycles == 0 || profile.budget.answers == 0 {
        return Err(wrong("a budget of 0 cycles or 0 answers cannot do anything".into()));
    }
    for (name, state) in &profile.states {
        for tool in state.tools.iter().chain(&state.toolbox) {
            if !known_tools.contains(&tool.as_str()) {
                return Err(wrong(format!("state `{name}` offers the unknown tool `{tool}`")));
            }
        }
        for (tool, target) in &state.next {
            exists(target, &format!("next of `{tool}` in state `{name}`"))?;
            if !state.tools.contains(tool) {
                return Err(wrong(format!("state `{name}` leads on from `{tool}`, which it does not offer")));
            }
        }
    }
    check_answer(&profile).map_err(|error| wrong(error.to_string()))?;
    Ok(profile)
}

/// A first state in which the agent cannot answer.
#[derive(Debug, thiserror::Error)]
#[error("its first state `{start}` does not offer its answer, `{answer}`")]
struct NoAnswer {
    start: StateName,
    answer: &'static str,
}

/// The answer is always among the tools of the first state, so that one query can be enough.
fn check_answer(profile: &Profile) -> Result<(), NoAnswer> {
    if profile.ends == Ending::Called {
        // This machine has its patches in later states, by design.
        return Ok(());
    }
    let answer = match profile.contract {
        ContractKind::Patch => WRITE_FIX,
        ContractKind::Test => WRITE_TEST,
        _ => GOAL_ACCOMPLISHED,
    };
    for start in std::iter::once(&profile.start).chain(&profile.start_with_hypothesis) {
        let offered = profile.states.get(start).is_some_and(|s| s.tools.iter().any(|t| t.as_str() == answer));
        if !offered {
            return Err(NoAnswer { start: start.clone(), answer });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOLS: [&str; 2] = ["write_fix", "read_range"];
    const GOOD: &str = r#"
        name = "f"
        title = "F"
        level = 1
        goal = "g"
        prompt = "f.md"
        contract = "patch"
        model = "default"
        start = "a"
        budget = { cycles = 2, answers = 1 }
        [states.a]
        tools = ["write_fix"]
    "#;

    fn complaint(text: &str) -> String {
        parse("f.toml", text, &TOOLS).unwrap_err().to_string()
    }

    #[test]
    fn a_good_profile_is_read() {
        assert_eq!(parse("f.toml", GOOD, &TOOLS).unwrap().tools(), vec![ToolName::from("write_fix")]);
    }

    #[test]
    fn the_toolbox_opens_on_level_2() {
        let text = format!("{GOOD}\ntoolbox = [\"read_range\"]");
        let profile = parse("f.toml", &text, &TOOLS).unwrap();
        assert_eq!(profile.on(Level::L1).tools(), vec![ToolName::from("write_fix")]);
        assert_eq!(profile.on(Level::L2).tools(), vec![ToolName::from("write_fix"), ToolName::from("read_range")]);
        assert!(complaint(&format!("{GOOD}\ntoolbox = [\"hammer\"]")).contains("unknown tool `hammer`"));
    }

    #[test]
    fn each_mistake_is_named() {
        assert!(complaint(&GOOD.replace("write_fix", "wirte_fix")).contains("unknown tool `wirte_fix`"));
        assert!(
            complaint(&GOOD.replace(r#"start = "a""#, r#"start = "b""#))
                .contains("`b` is no state of it; its states: a")
        );
        assert!(complaint(&GOOD.replace("cycles = 2", "cycles = 0")).contains("0 cycles"));
        assert!(complaint(&GOOD.replace("[\"write_fix\"]", "[\"read_range\"]")).contains("does not offer its answer"));
        assert!(complaint(&GOOD.replace("goal =", "gaol =")).contains("gaol"));
        assert!(complaint(&format!("{GOOD}\nnext = {{ read_range = \"a\" }}")).contains("does not offer"));
    }
}
