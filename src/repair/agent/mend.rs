//! The middleware's mending of names and arguments (RepairAgent, section III-E; DESIGN.md 4).
//!
//! A model that writes `readRange` means `read_range`; asking it again would cost a whole query. What is not clear is
//! refused with the candidates, never guessed.

mod arguments;
mod values;

pub use arguments::mend_args;

/// How far a misspelt name may be from the right one: edit distance divided by the longer length, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threshold {
    /// At most this far.
    AtMost(f64),
    /// Nearer than this.
    Below(f64),
}

impl Threshold {
    /// What serves best in practice.
    pub const USUAL: Self = Self::AtMost(0.25);
    /// The paper's bound (RepairAgent, section III-E).
    pub(crate) const PAPER: Self = Self::Below(0.1);

    fn admits(self, distance: f64) -> bool {
        match self {
            Self::AtMost(bound) => distance <= bound,
            Self::Below(bound) => distance < bound,
        }
    }
}

/// What a written name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// It is the name.
    Exact,
    /// It can only mean this name.
    Mended(String),
    /// It can mean any of these.
    Ambiguous(Vec<String>),
    /// It means none; these are nearest, best first, at most three.
    Unknown(Vec<String>),
}

/// A part of a name shorter than this says nothing: `a` is part of nearly every name.
const SHORTEST_PART: usize = 3;

/// Most names that an unknown one is compared to in a message.
const NEAREST: usize = 3;

/// Finds which of the available names was meant: equal, equal in snake case, one a part of the other, or misspelt.
/// The first of these that holds for exactly one name decides; when it holds for several, the name is ambiguous.
pub fn match_name(given: &str, available: &[&str], threshold: Threshold) -> Match {
    if available.contains(&given) {
        return Match::Exact;
    }
    let wanted = snake_case(given);
    let names: Vec<(&str, String)> = available.iter().map(|name| (*name, snake_case(name))).collect();
    let holding = |rule: &dyn Fn(&str) -> bool| -> Vec<String> {
        names.iter().filter(|(_, snake)| rule(snake)).map(|(name, _)| (*name).to_owned()).collect()
    };
    let part = |snake: &str| {
        let shorter = wanted.len().min(snake.len());
        shorter >= SHORTEST_PART && (snake.contains(&wanted) || wanted.contains(snake))
    };
    let rules: [&dyn Fn(&str) -> bool; 3] =
        [&|snake| snake == wanted, &part, &|snake| threshold.admits(distance(&wanted, snake))];
    for rule in rules {
        let mut found = holding(rule);
        match found.len() {
            0 => {}
            1 => return Match::Mended(found.remove(0)),
            _ => return Match::Ambiguous(found),
        }
    }
    let mut nearest = names;
    nearest.sort_by(|(_, a), (_, b)| distance(&wanted, a).total_cmp(&distance(&wanted, b)));
    Match::Unknown(nearest.into_iter().take(NEAREST).map(|(name, _)| name.to_owned()).collect())
}

/// Edit distance divided by the longer length.
fn distance(a: &str, b: &str) -> f64 {
    let longer = a.chars().count().max(b.chars().count()).max(1);
    #[allow(clippy::cast_precision_loss)]
    let share = strsim::levenshtein(a, b) as f64 / longer as f64;
    share
}

/// A name in lower case with `_` between its words: `readRange`, `Read-Range` and `READ_RANGE` become `read_range`.
fn snake_case(name: &str) -> String {
    /// Longer names are not compared further.
    const LONGEST: usize = 120;
    let mut snake = String::new();
    let mut before = ' ';
    for letter in name.trim().chars().take(LONGEST) {
        if letter.is_alphanumeric() {
            if letter.is_uppercase() && (before.is_lowercase() || before.is_numeric()) {
                snake.push('_');
            }
            snake.extend(letter.to_lowercase());
        } else if !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        before = letter;
    }
    snake.truncate(snake.trim_end_matches('_').len());
    snake
}

/// Names in back quotes, separated by commas.
fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TOOLS: [&str; 6] =
        ["read_range", "run_tests", "extract_tests", "write_fix", "search_code_base", "goal_accomplished"];

    fn usual(given: &str) -> Match {
        match_name(given, &TOOLS, Threshold::USUAL)
    }

    #[test]
    fn spellings_of_one_name_are_that_name() {
        assert_eq!(usual("read_range"), Match::Exact);
        for given in ["readRange", "READ_RANGE", "read-range", " Read Range ", "functions.read_range", "read_rnge"] {
            assert_eq!(usual(given), Match::Mended("read_range".into()), "{given}");
        }
        assert_eq!(usual("write_fixx"), Match::Mended("write_fix".into()));
        assert_eq!(usual("search_codebase"), Match::Mended("search_code_base".into()));
    }

    #[test]
    fn what_can_mean_two_names_is_not_guessed() {
        assert_eq!(usual("tests"), Match::Ambiguous(vec!["run_tests".into(), "extract_tests".into()]));
        assert_eq!(
            match_name("lime", &["line", "time"], Threshold::USUAL),
            Match::Ambiguous(vec!["line".into(), "time".into()])
        );
    }

    #[test]
    fn a_strange_name_is_unknown_and_the_nearest_are_named() {
        let Match::Unknown(nearest) = usual("execute_shell") else { panic!() };
        assert_eq!(nearest.len(), 3);
        assert!(matches!(usual(""), Match::Unknown(_)));
        assert!(matches!(usual("a"), Match::Unknown(_)));
        assert!(matches!(match_name("x", &[], Threshold::USUAL), Match::Unknown(none) if none.is_empty()));
    }

    #[test]
    fn the_papers_bound_is_stricter() {
        assert!(
            matches!(match_name("read_rnge", &TOOLS, Threshold::PAPER), Match::Unknown(_)),
            "1 of 10 is not below 0.1"
        );
        assert_eq!(match_name("search_code_bse", &TOOLS, Threshold::PAPER), Match::Mended("search_code_base".into()));
    }

    proptest! {
        #[test]
        fn any_name_is_matched_or_refused(given in any::<String>(), names in prop::collection::vec("[a-zA-Z_äß]{0,12}", 0..6)) {
            let available: Vec<&str> = names.iter().map(String::as_str).collect();
            match match_name(&given, &available, Threshold::USUAL) {
                Match::Exact => prop_assert!(names.contains(&given)),
                Match::Mended(name) => prop_assert!(names.contains(&name)),
                Match::Ambiguous(found) => prop_assert!(found.len() > 1 && found.iter().all(|name| names.contains(name))),
                Match::Unknown(near) => prop_assert!(near.len() <= 3),
            }
        }
    }
}
