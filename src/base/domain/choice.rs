//! Several plausible patches beside each other, as drawn inputs tell them apart.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Patches that behave alike on every drawn input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Their places in [`Choice::patches`], from 0.
    pub patches: Vec<usize>,
    /// Drawn inputs that give another result than without the patch and that no failing test gives.
    pub changed: usize,
    /// What drawn inputs say against them.
    pub warnings: Vec<String>,
}

/// An input on which groups disagree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// The call: `total(prices=[])`.
    pub input: String,
    /// What the untouched code gives.
    pub before: String,
    /// What each group gives, in the order of the groups.
    pub results: Vec<String>,
}

/// What drawn inputs say of several plausible patches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The patches as unified diffs, the chosen one first.
    pub patches: Vec<String>,
    /// Inputs that every version was called with; 0 where nothing could be compared.
    pub compared: usize,
    /// The patches grouped by behaviour, the best group first.
    pub groups: Vec<Group>,
    /// Where groups disagree.
    pub splits: Vec<Split>,
}

impl Choice {
    /// Why the first patch may not be what was meant: others behave otherwise, and drawn inputs say nothing against those
    /// either. `None` where there are no such ones.
    pub fn rivals(&self) -> Option<String> {
        let rivals = self.groups.iter().enumerate().skip(1).filter(|(_, group)| group.warnings.is_empty());
        let rivals: Vec<(usize, usize)> = rivals.map(|(nth, group)| (nth, group.patches.len())).collect();
        let (first, _) = rivals.first()?;
        let count: usize = rivals.iter().map(|(_, patches)| patches).sum();
        let others = if count == 1 { "another patch passes" } else { "other patches pass" };
        let shown = self.splits.iter().find_map(|split| {
            let (own, other) = (split.results.first()?, split.results.get(*first)?);
            (own != other).then(|| format!(": {} {own}, with another one it {other}", split.input))
        });
        Some(format!(
            "{others} the same tests and {} otherwise{}",
            if count == 1 { "behaves" } else { "behave" },
            shown.unwrap_or_default()
        ))
    }
}

impl fmt::Display for Choice {
    /// One line for the whole, one for each group, and those of the inputs where they disagree.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plausible = self.patches.len();
        if self.compared == 0 {
            return write!(f, "{plausible} plausible patches; what they do with drawn inputs could not be compared");
        }
        let (compared, kinds) = (self.compared, self.groups.len());
        let behave = if kinds == 1 { "all behave alike".into() } else { format!("{kinds} behaviours") };
        write!(f, "{plausible} plausible patches, {behave} on {compared} drawn inputs")?;
        for (nth, group) in self.groups.iter().enumerate() {
            let patches: Vec<String> = group.patches.iter().map(|at| (at + 1).to_string()).collect();
            let noun = if patches.len() == 1 { "patch" } else { "patches" };
            let name = letter(nth);
            write!(f, "\n  {name}: {noun} {}; changes {} inputs", patches.join(", "), group.changed)?;
            for warning in &group.warnings {
                write!(f, "\n     {warning}")?;
            }
        }
        for Split { input, before, results } in &self.splits {
            write!(f, "\n  which is right? {input} (without a patch: {before})")?;
            for (nth, result) in results.iter().enumerate() {
                write!(f, "\n     {}: {result}", letter(nth))?;
            }
        }
        Ok(())
    }
}

/// The name of a group.
fn letter(nth: usize) -> char {
    u8::try_from(nth).ok().and_then(|nth| b'A'.checked_add(nth)).filter(u8::is_ascii_uppercase).map_or('?', char::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(warnings: &[&[&str]]) -> Choice {
        let group = |(nth, warnings): (usize, &&[&str])| Group {
            patches: vec![nth],
            changed: nth,
            warnings: warnings.iter().map(|text| (*text).to_owned()).collect(),
        };
        let results = (0..warnings.len()).map(|nth| format!("returns {nth}")).collect();
        let split = Split { input: "f(17)".into(), before: "returns 9".into(), results };
        Choice {
            patches: Vec::new(),
            compared: 9,
            groups: warnings.iter().enumerate().map(group).collect(),
            splits: vec![split],
        }
    }

    #[test]
    fn a_patch_that_behaves_otherwise_and_is_not_warned_of_is_a_rival() {
        assert_eq!(choice(&[&[]]).rivals(), None);
        assert_eq!(choice(&[&[], &["it changes what passed"]]).rivals(), None);
        let text =
            "another patch passes the same tests and behaves otherwise: f(17) returns 0, with another one it returns 2";
        assert_eq!(choice(&[&[], &["it changes what passed"], &[]]).rivals().as_deref(), Some(text));
        let text =
            "other patches pass the same tests and behave otherwise: f(17) returns 0, with another one it returns 1";
        assert_eq!(choice(&[&[], &[], &[]]).rivals().as_deref(), Some(text));
    }
}
