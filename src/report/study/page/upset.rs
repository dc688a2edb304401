//! Sets of repaired bugs as an UpSet plot: a column for each combination that holds a bug, the largest first, with dots
//! for the sets it is made of. Unlike circles it can show more than three sets.

use super::charts::{Chart, SETS};
use super::svg::{Anchor, Svg};
use crate::domain::words::clipped;
use crate::report::study::{Overlap, Quality, Repaired, Study};
use std::collections::{BTreeMap, BTreeSet};

const WIDE: f64 = 360.0;
/// Most combinations that are drawn, and most sets.
const COLUMNS: usize = 12;
const ROWS: usize = 12;
/// Where columns begin, and their place on the picture.
const LEFT: f64 = 224.0;
const TALLEST: f64 = 90.0;
const TOP: f64 = 18.0;
const ROW: f64 = 22.0;
/// Where bars of whole sets end, and how long the longest is.
const BARS_END: f64 = 214.0;
const LONGEST: f64 = 46.0;

/// One combination.
struct Column<'a> {
    members: Vec<usize>,
    bugs: Vec<&'a str>,
}

/// The plot of two sets or more.
pub(super) fn upset(study: &Study, quality: Quality) -> Option<Chart> {
    let (file, title, Overlap { sets, .. }) = match quality {
        Quality::Plausible => ("overlap-upset", "Combinations of who repairs", &study.overlap),
        Quality::Correct => {
            ("overlap-of-correct-upset", "Combinations of who repairs correctly", &study.overlap_of_correct)
        }
    };
    let columns = columns(sets);
    if sets.len() < 2 || sets.len() > ROWS || columns.is_empty() {
        return None;
    }
    let svg = drawn(sets, &columns[..columns.len().min(COLUMNS)], title);
    let left_out = columns.len().saturating_sub(COLUMNS);
    let more = if left_out > 0 { format!(" {left_out} smaller combinations are left out.") } else { String::new() };
    let key = vec![(SETS[0], "bugs of exactly the sets with a dot".to_owned())];
    Some(
        Chart::new(file, title, key, svg)
            .noted(format!("A bug is counted in one column only; the bars on the left count all bugs of a set.{more}")),
    )
}

/// Every combination that holds a bug, the largest first.
fn columns(sets: &[Repaired]) -> Vec<Column<'_>> {
    let all: BTreeSet<&String> = sets.iter().flat_map(|set| &set.bugs).collect();
    let mut by_members: BTreeMap<Vec<usize>, Vec<&str>> = BTreeMap::new();
    for bug in all {
        let members = (0..sets.len()).filter(|&at| sets[at].bugs.contains(bug)).collect();
        by_members.entry(members).or_default().push(bug);
    }
    let mut columns: Vec<Column<'_>> = by_members.into_iter().map(|(members, bugs)| Column { members, bugs }).collect();
    columns.sort_by_key(|column| (std::cmp::Reverse(column.bugs.len()), column.members.len()));
    columns
}

#[allow(clippy::cast_precision_loss)]
fn drawn(sets: &[Repaired], columns: &[Column<'_>], title: &str) -> String {
    let mut svg = Svg::default();
    let step = ((WIDE - LEFT) / columns.len() as f64).min(30.0);
    let most = columns.iter().map(|column| column.bugs.len()).max().unwrap_or(1) as f64;
    let largest = sets.iter().map(|set| set.bugs.len()).max().unwrap_or(1).max(1) as f64;
    let ground = TOP + TALLEST;
    let y = |row: usize| ground + 20.0 + ROW * row as f64;
    for (row, set) in sets.iter().enumerate() {
        let long = LONGEST * set.bugs.len() as f64 / largest;
        svg.rect((BARS_END - long, y(row) - 5.0), (long, 10.0), SETS[0], &format!("{}: {}", set.name, set.bugs.len()));
        svg.text((0.0, y(row) + 4.0), Anchor::Start, "soft", &clipped(&set.name, 22));
        svg.text((BARS_END - long - 4.0, y(row) + 4.0), Anchor::End, "soft", &set.bugs.len().to_string());
        svg.line((LEFT, y(row)), (LEFT + step * columns.len() as f64, y(row)), "grid");
    }
    let mut shown = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        let x = LEFT + step * (at as f64 + 0.5);
        let high = TALLEST * column.bugs.len() as f64 / most;
        let names: Vec<&str> = column.members.iter().map(|&member| sets[member].name.as_str()).collect();
        let what = format!("{}: {}", names.join(" and "), column.bugs.len());
        svg.rect(
            (x - step * 0.3, ground - high),
            (step * 0.6, high),
            SETS[0],
            &format!("{what} ({})", column.bugs.join(", ")),
        );
        svg.text((x, ground - high - 4.0), Anchor::Middle, "soft", &column.bugs.len().to_string());
        if let (Some(first), Some(last)) = (column.members.first(), column.members.last()) {
            svg.line((x, y(*first)), (x, y(*last)), "line-set-a");
        }
        for member in &column.members {
            svg.circle((x, y(*member)), 4.5, SETS[0]);
        }
        shown.push(what);
    }
    svg.finish(WIDE, y(sets.len()) - 6.0, &format!("{title}: {}", shown.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, bugs: &[&str]) -> Repaired {
        Repaired { name: name.into(), bugs: bugs.iter().map(|bug| (*bug).to_owned()).collect() }
    }

    #[test]
    fn every_bug_is_in_the_column_of_exactly_those_that_repair_it() {
        let sets = [set("a", &["1", "2", "3"]), set("b", &["2", "3", "4"]), set("c<", &["3"]), set("d", &["2", "3"])];
        let columns = columns(&sets);
        let shown: Vec<(&[usize], usize)> = columns.iter().map(|one| (&one.members[..], one.bugs.len())).collect();
        assert_eq!(shown, [(&[0][..], 1), (&[1][..], 1), (&[0, 1, 3][..], 1), (&[0, 1, 2, 3][..], 1)]);
        let picture = drawn(&sets, &columns, "Combinations");
        assert_eq!(picture.matches("<circle").count(), 9);
        assert!(
            picture.contains("a and b and d: 1 (2)") && picture.contains("c&lt;") && !picture.contains("c<"),
            "{picture}"
        );
    }
}
