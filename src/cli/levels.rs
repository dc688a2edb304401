//! Which levels to climb, as typed.

use crate::domain::Level;
use crate::escalate::level;

/// Levels to climb.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels(pub Vec<Level>);

/// Reads `L1` or `L1..L3`; every level of it must be offered.
///
/// # Errors
/// A sentence for clap.
pub fn levels(text: &str) -> Result<Levels, String> {
    let offered = level::OFFERED;
    let names: Vec<&str> = offered.iter().map(|l| l.label()).collect();
    let find = |name: &str| {
        let named = offered.iter().copied().find(|l| l.label().eq_ignore_ascii_case(name));
        named.ok_or_else(|| format!("`{name}` is no level; there is {}", names.join(", ")))
    };
    let (first, last) = match text.split_once("..") {
        Some((first, last)) => (find(first)?, find(last)?),
        None => (find(text)?, find(text)?),
    };
    let chosen: Vec<Level> = offered.iter().copied().filter(|l| (first..=last).contains(l)).collect();
    if chosen.is_empty() { Err(format!("`{text}` runs backwards")) } else { Ok(Levels(chosen)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_and_bad_ones_are_explained() {
        assert_eq!(levels("L1").unwrap().0, vec![Level::L1]);
        assert_eq!(levels("l1..L1").unwrap().0, vec![Level::L1]);
        assert_eq!(levels("L1..L3").unwrap().0, vec![Level::L1, Level::L2, Level::L3]);
        assert!(levels("L3..L1").unwrap_err().contains("runs backwards"));
        assert!(levels("L9").unwrap_err().contains("`L9` is no level"));
    }
}
