//! Which bugs of a list are meant: by project, by what a repair takes, or a sample that anybody can draw again.

use super::Summary;
use super::error::NoChoice;
use crate::domain::BugId;
use crate::domain::InvalidValue;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What is wanted of a list. Empty means all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// Projects to keep.
    pub projects: Vec<String>,
    /// Kinds to keep: `single-line`, `multi-line`, `missing-code`, `multi-file`.
    pub kinds: Vec<String>,
    /// Only bugs that were repaired on this day or later; those of which nobody knows the day are left out.
    pub since: Option<Day>,
    /// How many bugs to draw.
    pub sample: Option<Sample>,
}

/// A sample: the same seed draws the same bugs from the same list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// How many bugs are drawn.
    pub size: usize,
    /// Bounds for each project.
    pub per_project: PerProject,
    /// Where chance begins.
    pub seed: u64,
}

/// A day as ISO 8601 writes it: `2024-05-31`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Day(jiff::civil::Date);

impl FromStr for Day {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        text.parse().map(Self).map_err(|_| format!("`{text}` is no day; write it as 2024-05-31").into())
    }
}

impl TryFrom<String> for Day {
    type Error = InvalidValue;
    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How many bugs a sample has of each project; written `1..2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PerProject {
    /// At least so many of each project.
    pub least: usize,
    /// At most so many.
    pub most: usize,
}

impl Default for PerProject {
    fn default() -> Self {
        Self { least: 0, most: usize::MAX }
    }
}

impl FromStr for PerProject {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let bounds = text.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match bounds {
            Some((least, most)) if least <= most && most > 0 => Ok(Self { least, most }),
            _ => Err("write the least and the most, as `1..2`".into()),
        }
    }
}

impl TryFrom<String> for PerProject {
    type Error = InvalidValue;
    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

/// The project a bug belongs to: its name without the number, or without the hash of a commit. A bug without either is
/// its benchmark's own.
pub(crate) fn project_of(id: &BugId) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_hash = |text: &str| text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match id.name.rsplit_once('-') {
        Some((project, last)) if is_number(last) || is_hash(last) => project,
        _ => &id.benchmark,
    }
}

/// The bugs that are meant, in the order of the list.
///
/// # Errors
/// One line: nothing is left, or the list has no sample of that size.
pub fn choose(list: Vec<Summary>, choice: &Choice) -> Result<Vec<Summary>, NoChoice> {
    let of_project = |bug: &Summary| {
        let project = project_of(&bug.id);
        choice.projects.is_empty() || choice.projects.iter().any(|wanted| wanted.eq_ignore_ascii_case(project))
    };
    let of_kind =
        |bug: &Summary| choice.kinds.is_empty() || bug.kind.as_ref().is_some_and(|k| choice.kinds.contains(k));
    let late_enough = |bug: &Summary| {
        let Some(since) = &choice.since else { return true };
        bug.repaired.as_ref().and_then(|day| day.parse::<Day>().ok()).is_some_and(|day| day >= *since)
    };
    if let Some(since) = choice.since.as_ref().filter(|_| list.iter().all(|bug| bug.repaired.is_none())) {
        return Err(format!("of no bug of the list is known when it was repaired, so none is since {since}").into());
    }
    let known = known(&list);
    let wanted = |bug: &Summary| of_project(bug) && of_kind(bug) && late_enough(bug);
    let mut chosen: Vec<Summary> = list.into_iter().filter(wanted).collect();
    if chosen.is_empty() {
        return Err(format!("no bug is left; the list has {known}").into());
    }
    if let Some(sample) = &choice.sample {
        let drawn = draw(&chosen, sample)?;
        chosen.retain(|bug| drawn.contains(&bug.id));
    }
    Ok(chosen)
}

/// Projects and kinds of a list, for a message.
fn known(list: &[Summary]) -> String {
    let mut projects: Vec<&str> = list.iter().map(|bug| project_of(&bug.id)).collect();
    let mut kinds: Vec<&str> = list.iter().filter_map(|bug| bug.kind.as_deref()).collect();
    for names in [&mut projects, &mut kinds] {
        names.sort_unstable();
        names.dedup();
    }
    let kinds = if kinds.is_empty() { "none".into() } else { kinds.join(", ") };
    format!("the projects {} and the kinds {kinds}", projects.join(", "))
}

/// Draws by a hash of seed and id, so that a bug more in the list moves no other.
fn draw(list: &[Summary], sample: &Sample) -> Result<Vec<BugId>, NoChoice> {
    let PerProject { least, most } = sample.per_project;
    let mut ranked: Vec<(Vec<u8>, &BugId)> = list.iter().map(|bug| (rank(sample.seed, &bug.id), &bug.id)).collect();
    ranked.sort();
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut first, mut later) = (Vec::new(), Vec::new());
    for (_, id) in ranked {
        let count = taken.entry(project_of(id)).or_default();
        *count += 1;
        match *count {
            n if n <= least => first.push(id.clone()),
            n if n <= most => later.push(id.clone()),
            _ => {}
        }
    }
    if first.len() > sample.size {
        let projects = taken.len();
        return Err(format!("{least} of each of {projects} projects are more than {}", sample.size).into());
    }
    let all = first.len() + later.len();
    if all < sample.size {
        return Err(format!(
            "there are {all} bugs to draw from, at most {most} of each project, and not {}",
            sample.size
        )
        .into());
    }
    first.extend(later.into_iter().take(sample.size - first.len()));
    Ok(first)
}

fn rank(seed: u64, id: &BugId) -> Vec<u8> {
    Sha256::digest(format!("{seed} {id}")).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list() -> Vec<Summary> {
        let bug = |name: String, kind: &str| Summary {
            kind: Some(kind.to_owned()),
            ..Summary::new(BugId { benchmark: "defects4j".into(), name }, String::new())
        };
        let of = |project: &'static str, n: u32| {
            (1..=n).map(move |i| bug(format!("{project}-{i}"), if i % 2 == 0 { "multi-line" } else { "single-line" }))
        };
        of("Lang", 9).chain(of("Math", 30)).chain(of("Time", 2)).collect()
    }

    fn names(chosen: &[Summary]) -> Vec<&str> {
        chosen.iter().map(|bug| bug.id.name.as_str()).collect()
    }

    #[test]
    fn projects_and_kinds_are_kept_in_order() {
        let choice = Choice { projects: vec!["lang".into(), "Time".into()], ..Choice::default() };
        let chosen = choose(list(), &Choice { kinds: vec!["multi-line".into()], ..choice.clone() }).unwrap();
        assert_eq!(names(&chosen), ["Lang-2", "Lang-4", "Lang-6", "Lang-8", "Time-2"]);
        let none = choose(list(), &Choice { kinds: vec!["x".into()], ..choice }).unwrap_err();
        assert!(none.contains("the projects Lang, Math, Time and the kinds multi-line, single-line"), "{none}");
    }

    #[test]
    fn bugs_since_a_day_are_those_whose_day_is_known() {
        let mut bugs = list();
        let since = |bugs: &[Summary], day: &str| {
            choose(bugs.to_vec(), &Choice { since: Some(day.parse().unwrap()), ..Choice::default() })
        };
        assert!(since(&bugs, "2022-01-01").unwrap_err().contains("of no bug of the list is known"));
        for (bug, day) in bugs.iter_mut().zip(["2021-12-31", "2022-01-01", "2024-05-31"]) {
            bug.repaired = Some(day.into());
        }
        assert_eq!(names(&since(&bugs, "2022-01-01").unwrap()), ["Lang-2", "Lang-3"]);
        assert!(since(&bugs, "2025-01-01").unwrap_err().starts_with("no bug is left"));
        assert!(
            ["2022-13-01", "2022-02-30", "22-01-01", "2022-1-1", "today"]
                .iter()
                .all(|text| text.parse::<Day>().is_err())
        );
    }

    #[test]
    fn a_bug_belongs_to_what_stands_before_its_number_or_hash() {
        let of = |text: &str| project_of(&text.parse().unwrap()).to_owned();
        assert_eq!(of("defects4j:JacksonCore-12"), "JacksonCore");
        assert_eq!(of("gitbug-java:owner-my-repo-0a1b2c3d4e5f"), "owner-my-repo");
        assert_eq!(of("fixtures:ring-buffer"), "fixtures");
    }

    #[test]
    fn what_cannot_be_drawn_is_said() {
        let sample = |size, per_project: &str| {
            let sample = Sample { size, per_project: per_project.parse().unwrap(), seed: 1 };
            choose(list(), &Choice { sample: Some(sample), ..Choice::default() })
        };
        assert!(sample(9, "0..2").unwrap_err().contains("6 bugs to draw from, at most 2"));
        assert!(sample(2, "1..2").unwrap_err().contains("1 of each of 3 projects are more than 2"));
    }

    proptest! {
        #[test]
        fn a_sample_has_its_size_and_its_bounds_and_is_drawn_again(seed: u64, size in 3usize..=7, least in 0usize..=1) {
            let sample = Sample { size, per_project: PerProject { least, most: 3 }, seed };
            let choice = Choice { sample: Some(sample), ..Choice::default() };
            let chosen = choose(list(), &choice).unwrap();
            prop_assert_eq!(chosen.len(), size);
            for project in ["Lang", "Math", "Time"] {
                let n = chosen.iter().filter(|bug| project_of(&bug.id) == project).count();
                prop_assert!((least..=3).contains(&n));
            }
            prop_assert_eq!(chosen, choose(list(), &choice).unwrap());
        }
    }
}
