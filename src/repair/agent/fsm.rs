//! The state machine (RepairAgent, Figure 2): a pure function over a profile's table, enforced and not advised.

use super::profile::{DONE, Profile, StateName};
use crate::domain::ToolName;
use crate::tools::GOAL_ACCOMPLISHED;

/// What a call did, as far as the machine must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The tool did its work.
    Done,
    /// The tool could not do its work (a patch that does not apply): the state is left as it was.
    Nothing,
}

/// Whether a tool may be used in a state.
pub(crate) fn offers(profile: &Profile, state: &StateName, tool: &ToolName) -> bool {
    profile.states.get(state).is_some_and(|s| s.tools.contains(tool))
}

/// States of the profile that offer the tool, for the refusal's text.
pub(crate) fn states_offering<'p>(profile: &'p Profile, tool: &ToolName) -> Vec<&'p StateName> {
    profile.states.iter().filter(|(_, s)| s.tools.contains(tool)).map(|(name, _)| name).collect()
}

/// The state after a call that was allowed.
pub(crate) fn next(profile: &Profile, state: &StateName, tool: &ToolName, effect: Effect) -> StateName {
    if effect == Effect::Nothing {
        return state.clone();
    }
    if tool.as_str() == GOAL_ACCOMPLISHED {
        return StateName(DONE.into());
    }
    profile.states.get(state).and_then(|s| s.next.get(tool)).unwrap_or(state).clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::profile;

    fn fixer() -> Profile {
        let tools = crate::tools::Registry::builtin();
        profile::parse("fixer.toml", include_str!("../../../agents/fixer.toml"), &tools.names()).unwrap()
    }

    fn walk(state: &str, tool: &str, effect: Effect) -> String {
        next(&fixer(), &StateName(state.into()), &tool.into(), effect).0
    }

    #[test]
    fn the_paper_s_arrows_are_followed() {
        for (from, tool, to) in [
            ("understand", "express_hypothesis", "collect"),
            ("understand", "run_tests", "understand"),
            ("collect", "write_fix", "try"),
            ("collect", "discard_hypothesis", "understand"),
            ("collect", "search_code_base", "collect"),
            ("try", "write_fix", "try"),
            ("try", "collect_more_information", "collect"),
            ("try", "discard_hypothesis", "understand"),
            ("try", "goal_accomplished", "done"),
        ] {
            assert_eq!(walk(from, tool, Effect::Done), to, "{from} --{tool}-->");
        }
    }

    #[test]
    fn a_patch_that_does_not_apply_leaves_the_state() {
        assert_eq!(walk("collect", "write_fix", Effect::Nothing), "collect");
    }

    #[test]
    fn tools_outside_the_state_are_not_offered() {
        let profile = fixer();
        assert!(!offers(&profile, &StateName("understand".into()), &"write_fix".into()));
        assert!(offers(&profile, &StateName("try".into()), &"read_range".into()));
        assert_eq!(states_offering(&profile, &"write_fix".into()).len(), 2);
    }
}
