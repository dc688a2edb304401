//! Bugs that others repaired, by lists: those that come with the program, and files of the user's.

use serde::Serialize;
use std::collections::BTreeSet;

/// The lists that come with the program: ids of bugs, each with where it was read.
const SHIPPED: [(&str, &str); 11] = [
    ("repairagent", include_str!("published/repairagent.txt")),
    ("chatrepair", include_str!("published/chatrepair.txt")),
    ("iter", include_str!("published/iter.txt")),
    ("selfapr", include_str!("published/selfapr.txt")),
    ("repilot", include_str!("published/repilot.txt")),
    ("alpharepair", include_str!("published/alpharepair.txt")),
    ("rewardrepair", include_str!("published/rewardrepair.txt")),
    ("tbar", include_str!("published/tbar.txt")),
    ("recoder", include_str!("published/recoder.txt")),
    ("cure", include_str!("published/cure.txt")),
    ("coconut", include_str!("published/coconut.txt")),
];
/// What stands behind a bug whose repair passes the tests and is not known to be correct.
const PLAUSIBLE: &str = "plausible";

/// The benchmark of the lists that come with the program.
pub(crate) const SHIPPED_OF: &str = "defects4j";

/// What is counted of repairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Quality {
    /// Repairs that pass all tests.
    Plausible,
    /// Of these, repairs that are known to be correct.
    Correct,
}

/// What somebody published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Published {
    /// Whose list.
    pub name: String,
    /// Bugs whose repair is correct.
    pub correct: BTreeSet<String>,
    /// Bugs with a plausible repair, the correct ones among them; `None` where the list tells of none.
    pub plausible: Option<BTreeSet<String>>,
}

impl Published {
    /// Reads a list: one bug a line, as `defects4j:Lang-1` or only `Lang-1`, and behind it `plausible` where the repair
    /// is no more than that. Anything else behind it, and what stands behind `#`, is passed over.
    pub(crate) fn parse(name: &str, text: &str) -> Self {
        let (mut correct, mut only_plausible) = (BTreeSet::new(), BTreeSet::new());
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.split('#').next().unwrap_or_default();
            let mut words = line.split([',', ';', '\t', ' ']).map(str::trim).filter(|word| !word.is_empty());
            let Some(bug) = words.next() else { continue };
            let is_only_plausible = words.next().is_some_and(|word| word.eq_ignore_ascii_case(PLAUSIBLE));
            if is_only_plausible { &mut only_plausible } else { &mut correct }.insert(bug.to_owned());
        }
        let plausible = (!only_plausible.is_empty()).then(|| correct.union(&only_plausible).cloned().collect());
        Self { name: name.to_owned(), correct, plausible }
    }

    /// The list of that name that comes with the program.
    pub(crate) fn shipped(name: &str) -> Option<Self> {
        let (name, text) = SHIPPED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(Self::parse(name, text))
    }

    /// The names of the lists that come with the program.
    pub(crate) fn shipped_names() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|(name, _)| *name)
    }

    /// The bugs of that quality; `None` where the list does not tell.
    pub(crate) fn bugs(&self, quality: Quality) -> Option<&BTreeSet<String>> {
        match quality {
            Quality::Plausible => self.plausible.as_ref(),
            Quality::Correct => Some(&self.correct),
        }
    }
}

/// The tried bugs that a list means, by id or by the name behind the benchmark's; case does not matter.
pub(super) fn whole_ids(listed: &BTreeSet<String>, tried: &BTreeSet<String>) -> BTreeSet<String> {
    let listed: BTreeSet<String> = listed.iter().map(|name| name.to_lowercase()).collect();
    let means = |id: &&String| {
        let id = id.to_lowercase();
        let name = id.split_once(':').map_or(id.as_str(), |(_, name)| name);
        listed.contains(&id) || listed.contains(name)
    };
    tried.iter().filter(means).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_list_is_read_as_people_write_it() {
        let list = Published::parse(
            "paper",
            "\u{feff}# repaired\nLang-1, correct\nlang-5\n\ndefects4j:Math-2 #\r\nMath-3,plausible",
        );
        let tried = ["defects4j:Lang-1", "defects4j:Lang-5", "defects4j:Math-2", "defects4j:Math-3"];
        let tried = tried.iter().map(|bug| (*bug).to_owned()).collect();
        let found = |quality| whole_ids(list.bugs(quality).unwrap(), &tried).len();
        assert_eq!((found(Quality::Correct), found(Quality::Plausible)), (3, 4));
        assert_eq!(Published::parse("bare", "Lang-1\n").plausible, None);
    }

    /// Origin: the sums of RepairAgent's Table III (it counts `Compress 27` of SelfAPR twice), of FixAgent's Table 1 for
    /// Repilot, CoCoNuT and CURE, and of what TBar's and ITER's authors keep in their repositories.
    #[test]
    fn shipped_lists_have_the_sizes_that_were_published() {
        let wanted = [
            ("repairagent", 164, None),
            ("chatrepair", 162, None),
            ("iter", 57, Some(119)),
            ("selfapr", 109, None),
            ("repilot", 116, None),
            ("alpharepair", 74, None),
            ("rewardrepair", 100, None),
            ("tbar", 69, Some(101)),
            ("recoder", 67, None),
            ("cure", 57, None),
            ("coconut", 44, None),
        ];
        assert_eq!(wanted.map(|(name, ..)| name).to_vec(), Published::shipped_names().collect::<Vec<_>>());
        for (name, correct, plausible) in wanted {
            let list = Published::shipped(name).unwrap();
            assert_eq!((list.correct.len(), list.plausible.map(|bugs| bugs.len())), (correct, plausible), "{name}");
            let (_, text) = SHIPPED.iter().find(|(known, _)| *known == name).unwrap();
            assert!(text.contains("# from github.com/") && text.contains(", commit "), "{name} says where it was read");
        }
    }
}
