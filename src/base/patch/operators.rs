//! Whether a patch exchanges operators and nothing else, as a repair does of an edge that was off by one.

use super::content::{differing, lines_of};
use crate::domain::{FileChange, Patch};
use crate::language::decode;

/// Operators that are words, in Python.
const WORDS: [&str; 5] = ["and", "or", "not", "in", "is"];

/// Operators, each with the one that is true where it is not; of `==` and `!=` the part that differs.
const OPPOSITES: [[&str; 2]; 5] = [["=", "!"], ["<", ">="], [">", "<="], ["", "!"], ["", "not"]];

/// What a patch exchanges that changes operators alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// Operators of any kind: an edge may have been off by one.
    Operators,
    /// One, by its opposite.
    Negation,
}

impl Exchange {
    /// `None` where the lines that a patch adds hold not just the names, numbers and words of those that it takes away, in
    /// the same order.
    pub fn of(patch: &Patch) -> Option<Self> {
        let files: Option<Vec<Vec<[String; 2]>>> = patch.files.iter().map(exchanged_in).collect();
        let pieces: Vec<[String; 2]> = files?.into_iter().flatten().collect();
        match &pieces[..] {
            [] => None,
            [[old, new]] if are_opposite(old, new) => Some(Self::Negation),
            _ => Some(Self::Operators),
        }
    }
}

/// Whether a patch does nothing but take a part of a condition away, with its `and` or `or`.
pub fn drops_an_operand(patch: &Patch) -> bool {
    let pieces: Vec<[String; 2]> = patch.files.iter().flat_map(|file| changed_in(file).0).collect();
    let [[old, new]] = &pieces[..] else { return false };
    let (gone, added) = differing_part(old, new);
    let mut signs = gone.split_whitespace();
    added.is_empty() && signs.any(|word| ["and", "or", "&&", "||"].contains(&word))
}

/// Names, numbers and words that one expression loses before that counts as code which is taken away: an edge that was off by
/// one, or a call that is too much, loses fewer.
const LOST: usize = 3;

/// Whether a patch does nothing but take several names and numbers out of one piece of code, of which something is left.
pub fn takes_words_out(patch: &Patch) -> bool {
    let pieces: Vec<[String; 2]> = patch.files.iter().flat_map(|file| changed_in(file).0).collect();
    let [[old, new]] = &pieces[..] else { return false };
    let (old, new): (Vec<&str>, Vec<&str>) = (words(old).collect(), words(new).collect());
    let mut left = old.iter();
    let is_rest = new.iter().all(|word| left.any(|known| known == word));
    is_rest && !new.is_empty() && old.len() >= new.len() + LOST
}

/// Whether two pieces of code differ in one operator, by its opposite.
fn are_opposite(old: &str, new: &str) -> bool {
    let (old, new) = differing_part(old, new);
    OPPOSITES.iter().any(|[one, other]| (old, new) == (*one, *other) || (old, new) == (*other, *one))
}

/// What lies between the same begin and the same end of two pieces.
fn differing_part<'t>(old: &'t str, new: &'t str) -> (&'t str, &'t str) {
    let begin = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum::<usize>();
    let (old, new) = (&old[begin..], &new[begin..]);
    let same = old.chars().rev().zip(new.chars().rev()).take_while(|(a, b)| a == b);
    let end = same.map(|(c, _)| c.len_utf8()).sum::<usize>();
    (old[..old.len() - end].trim(), new[..new.len() - end].trim())
}

/// The pieces of a file that differ, before and after; `None` where more than operators does.
fn exchanged_in(file: &FileChange) -> Option<Vec<[String; 2]>> {
    let (pieces, [gone, added]) = changed_in(file);
    (!added.is_empty() && gone == added).then_some(pieces)
}

/// The pieces of a file that differ, before and after, and the words of all of them.
fn changed_in(file: &FileChange) -> (Vec<[String; 2]>, [Vec<String>; 2]) {
    let before = file.before.as_deref().map(|bytes| decode(bytes).0).unwrap_or_default();
    let after = decode(&file.after).0;
    let (old, new) = (lines_of(&before), lines_of(&after));
    let ([mut gone, mut added], mut pieces) = ([Vec::new(), Vec::new()], Vec::new());
    for op in differing(&before, &after) {
        gone.extend(old[op.old_range()].iter().flat_map(|line| words(line)).map(str::to_owned));
        added.extend(new[op.new_range()].iter().flat_map(|line| words(line)).map(str::to_owned));
        pieces.push([old[op.old_range()].concat(), new[op.new_range()].concat()]);
    }
    (pieces, [gone, added])
}

/// Names, numbers and words of a line, without those that are operators.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty() && !WORDS.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RepoPath;

    #[test]
    fn exchanged_operators_are_told_from_new_code() {
        let before = "def f(age):\n    return age < 18 or not age\n";
        let exchange = |after: &str| {
            let path = RepoPath::new("a.py").unwrap();
            let file = FileChange { path, before: Some(before.as_bytes().into()), after: after.as_bytes().into() };
            Exchange::of(&Patch { files: vec![file] })
        };
        let line = |text: &str| exchange(&format!("def f(age):\n    {text}\n"));
        assert_eq!(line("return age <= 18 and age"), Some(Exchange::Operators));
        assert_eq!(line("return age <= 18 or not age"), Some(Exchange::Operators), "an edge");
        assert_eq!(line("return age > 18 or not age"), Some(Exchange::Operators), "an edge and its side");
        assert_eq!(line("return age >= 18 or not age"), Some(Exchange::Negation));
        assert_eq!(line("return age < 18 or age"), Some(Exchange::Negation));
        assert_eq!(line("return age < 18 or age == 18 or not age"), None, "a special case");
        assert_eq!(line("return age < 19 or not age"), None, "another number");
        assert_eq!(exchange(before), None, "nothing");
    }

    #[test]
    fn a_part_of_a_condition_that_is_taken_away_is_told_from_one_that_changes() {
        let before = "def f(age):\n    if age < 18 and not age:\n        return 1\n";
        let drops = |line: &str| {
            let after = before.replace("if age < 18 and not age:", line);
            let path = RepoPath::new("a.py").unwrap();
            let file = FileChange { path, before: Some(before.as_bytes().into()), after: after.as_bytes().into() };
            drops_an_operand(&Patch { files: vec![file] })
        };
        assert!(drops("if age < 18:") && drops("if not age:"));
        assert!(!drops("if age < 18 or not age:") && !drops("if age < 18 and age:"));
    }

    #[test]
    fn an_expression_that_loses_most_of_its_words_is_told_from_one_that_loses_few() {
        let takes = |before: &str, after: &str| {
            let path = RepoPath::new("a.py").unwrap();
            let before = Some(before.as_bytes().into());
            takes_words_out(&Patch { files: vec![FileChange { path, before, after: after.as_bytes().into() }] })
        };
        assert!(takes("size = min(n and 1, len(all))\n", "size = n\n"));
        assert!(!takes("size = min(n and 1, len(all))\n", "size = min(n or 1, len(all))\n"));
        assert!(!takes("size = len(all) - 1\n", "size = len(all)\n"), "an edge");
        assert!(!takes("size = min(n and 1, len(all))\n", "size = all\nn = 1\n"), "in another order");
    }
}
