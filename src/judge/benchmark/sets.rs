//! Sets of bugs that papers name, so that their tables can be filled again.
//!
//! A set is what it was when the paper was written; an installation that is newer may have deprecated some of it. Only
//! sets whose members are known one by one are here: FixAgent's 806 bugs of Defects4J are given as a count alone.

use super::defects4j;
use crate::domain::BugId;

/// A set of bugs with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedSet {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// The benchmark.
    pub benchmark: &'static str,
    /// Projects with the numbers of their bugs: `1,3-65`.
    members: &'static [(&'static str, &'static str)],
}

/// Defects4J 1.2.0, by its own README.
const D4J_1_2: &[(&str, &str)] = &[
    ("Chart", "1-26"),
    ("Closure", "1-133"),
    ("Lang", "1-65"),
    ("Math", "1-106"),
    ("Mockito", "1-38"),
    ("Time", "1-27"),
];

/// The active bugs of Defects4J 2.0.0, by its own README.
const D4J_2_0: &[(&str, &str)] = &[
    ("Chart", "1-26"),
    ("Cli", "1-5,7-40"),
    ("Closure", "1-62,64-92,94-176"),
    ("Codec", "1-18"),
    ("Collections", "25-28"),
    ("Compress", "1-47"),
    ("Csv", "1-16"),
    ("Gson", "1-18"),
    ("JacksonCore", "1-26"),
    ("JacksonDatabind", "1-112"),
    ("JacksonXml", "1-6"),
    ("Jsoup", "1-93"),
    ("JxPath", "1-22"),
    ("Lang", "1,3-65"),
    ("Math", "1-106"),
    ("Mockito", "1-38"),
    ("Time", "1-20,22-27"),
];

const ALL: &[NamedSet] = &[
    NamedSet { name: "d4j-1.2", about: "all bugs of Defects4J 1.2.0", benchmark: defects4j::NAME, members: D4J_1_2 },
    NamedSet {
        name: "d4j-2.0",
        about: "the active bugs of Defects4J 2.0.0",
        benchmark: defects4j::NAME,
        members: D4J_2_0,
    },
    NamedSet {
        name: "repairagent-835",
        about: "what RepairAgent was measured on: the active bugs of Defects4J 2.0.0",
        benchmark: defects4j::NAME,
        members: D4J_2_0,
    },
];

/// The set of that name.
pub fn named(name: &str) -> Option<NamedSet> {
    ALL.iter().find(|set| set.name == name).copied()
}

/// The names of all sets.
pub fn set_names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|set| set.name)
}

impl NamedSet {
    /// Its members, by project, then by number.
    pub fn ids(&self) -> Vec<BugId> {
        let id =
            |project: &str, number| BugId { benchmark: self.benchmark.into(), name: format!("{project}-{number}") };
        let of =
            |(project, ranges): &(&str, &str)| numbers(ranges).into_iter().map(|n| id(project, n)).collect::<Vec<_>>();
        self.members.iter().flat_map(of).collect()
    }
}

/// The numbers that a text like `1,3-65` means.
fn numbers(text: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    text.split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_the_sizes_that_were_published() {
        for (name, size) in [("d4j-1.2", 395), ("d4j-2.0", 835), ("repairagent-835", 835)] {
            assert_eq!(named(name).unwrap().ids().len(), size, "{name}");
        }
        assert_eq!(set_names().count(), 3);
        assert!(named("fixagent-806").is_none(), "its members were never published");
    }

    #[test]
    fn members_are_what_the_lists_say() {
        let ids: Vec<String> = named("d4j-2.0").unwrap().ids().iter().map(BugId::to_string).collect();
        for (id, is_in) in [("Lang-1", true), ("Lang-2", false), ("Closure-63", false), ("Collections-25", true)] {
            assert_eq!(ids.contains(&format!("defects4j:{id}")), is_in, "{id}");
        }
        assert_eq!(numbers("1,3-5"), [1, 3, 4, 5]);
    }
}
