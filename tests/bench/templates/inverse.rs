//! How early the engine has the inverse of a small change: of changes made at drawn places of a library, the place of the
//! original among the candidates for that one statement.

use camino::Utf8Path;
use std::fs;
use unidebug::code::{CodeIndex, syntax_errors};
use unidebug::domain::{Location, Ranking, RepoPath, Suspect};
use unidebug::language::{self, Language};
use unidebug::templates::{Candidate, Engine, Options};

/// Places drawn for one kind of change.
const PLACES: usize = 24;
/// Draws after which a kind counts as rare.
const DRAWS: usize = 600;
/// Candidates looked at.
const CANDIDATES: usize = 100;
/// Larger files are left out, for each place costs a reading of its file; bytes.
const LARGEST: usize = 60_000;

/// What stands in a line, and what is written instead, in any language.
const CHANGES: &[(&str, &str)] = &[
    (" > ", " >= "),
    (" < ", " <= "),
    (" >= ", " > "),
    (" <= ", " < "),
    (" == ", " != "),
    (" != ", " == "),
    (" + ", " - "),
    (" - ", " + "),
    (" += ", " -= "),
    (" += ", " = "),
    (" + 1", ""),
    (" - 1", ""),
    ("0", "1"),
    ("1", "0"),
    ("1", "2"),
];
/// What is changed in Java alone.
const IN_JAVA: &[(&str, &str)] = &[
    (" && ", " || "),
    (" || ", " && "),
    ("if (!", "if ("),
    ("if (", "if (!"),
    ("return true", "return false"),
    ("return false", "return true"),
    ("= true", "= false"),
    ("(false", "(true"),
    ("++", "--"),
    ("Math.min", "Math.max"),
    ("continue;", "break;"),
    ("this.", ""),
];
/// What is changed in Python alone.
const IN_PYTHON: &[(&str, &str)] = &[
    (" and ", " or "),
    (" or ", " and "),
    ("if not ", "if "),
    ("if ", "if not "),
    (" is not None", " is None"),
    (" is None", " is not None"),
    (" in ", " not in "),
    (" not in ", " in "),
    ("return True", "return False"),
    ("return False", "return True"),
    ("= True", "= False"),
    ("=False", "=True"),
    ("[1:]", "[0:]"),
    ("min(", "max("),
    ("continue", "break"),
    ("self.", ""),
    ("elif ", "if "),
];

/// Prints a row for each kind of change.
pub fn print(index: &CodeIndex) {
    let files: Vec<&str> =
        index.files().iter().filter(|file| !file.test && file.text.len() < LARGEST).map(|file| &*file.text).collect();
    let own = if index.language().name() == "python" { IN_PYTHON } else { IN_JAVA };
    println!("{:<14} {:<14} places  first  in 5  in 10  in 30  in {CANDIDATES}", "was", "becomes");
    let mut draw = Draw(88_172_645_463_325_252);
    for (was, becomes) in CHANGES.iter().chain(own).filter(|_| !files.is_empty()) {
        let mut ranks = Vec::new();
        for _ in 0..DRAWS {
            if ranks.len() == PLACES {
                break;
            }
            let text = files[draw.below(files.len())];
            let places: Vec<usize> = text.match_indices(was).map(|(at, _)| at).collect();
            if !places.is_empty() {
                let at = places[draw.below(places.len())];
                ranks.extend(rank(text, at, (was, becomes), index.language()));
            }
        }
        let within = |most: usize| ranks.iter().flatten().filter(|rank| **rank < most).count();
        let [first, five, ten, thirty, all] = [1, 5, 10, 30, CANDIDATES].map(within);
        println!("{was:<14} {becomes:<14} {:>6} {first:>6} {five:>5} {ten:>6} {thirty:>6} {all:>7}", ranks.len());
    }
}

/// The place of the original among the candidates, `Some(None)` where it is not; `None` where nothing was changed.
fn rank(text: &str, at: usize, change: (&str, &str), language: &'static dyn Language) -> Option<Option<usize>> {
    let (was, becomes) = change;
    let is_part = |next: Option<char>| next.is_some_and(|next| next.is_alphanumeric() || matches!(next, '_' | '.'));
    let is_number = was.bytes().all(|byte| byte.is_ascii_digit());
    let (before, after) = (&text[..at], &text[at + was.len()..]);
    // A digit of a longer number, and the `if` of an `elif`, are something else.
    if (is_number || was.starts_with("if"))
        && (is_part(before.chars().next_back()) || is_number && is_part(after.chars().next()))
    {
        return None;
    }
    let tree = language::parse(text, language)?;
    let inside = tree.root_node().descendant_for_byte_range(at, at + 1)?;
    if ["string", "comment"].iter().any(|kind| inside.kind().contains(kind)) {
        return None;
    }
    let broken = format!("{before}{becomes}{after}");
    if !syntax_errors(&broken, language).is_empty() {
        return None;
    }
    let folder = tempfile::tempdir().ok()?;
    let root = Utf8Path::from_path(folder.path())?;
    fs::create_dir(root.join("src")).ok()?;
    fs::write(root.join(format!("src/A.{}", language.extension())), &broken).ok()?;
    let index = CodeIndex::build(root, &[RepoPath::new("src").ok()?], &[], language);
    let ranking = suspects(&index, vec![before.matches('\n').count() + 1])?;
    let found = Engine::new(&index, &ranking, Options::default()).next_batch(CANDIDATES);
    Some(found.iter().position(|candidate| is_original(candidate, text, language)))
}

/// A ranking of the first file's lines, all alike.
pub fn suspects(index: &CodeIndex, lines: Vec<usize>) -> Option<Ranking> {
    let file = &index.files().first()?.path;
    let suspect = |line: usize| {
        let location = Location { file: file.clone(), line: u32::try_from(line).ok()? };
        Some(Suspect { location, method: None, score: 1.0, reasons: Vec::new() })
    };
    Some(Ranking { lines: lines.into_iter().map(suspect).collect::<Option<_>>()?, ..Ranking::default() })
}

/// Whether the candidate makes the text again, but for white space, comments, parentheses and the kind of quotes.
pub fn is_original(candidate: &Candidate, text: &str, language: &dyn Language) -> bool {
    let is_said = |sign: &char| !sign.is_whitespace() && !"()".contains(*sign);
    let plain = |text: &str| {
        let text = without_comments(text, language);
        text.chars().filter(is_said).collect::<String>().replace('\'', "\"")
    };
    let after = candidate.patch.files.first().map(|file| String::from_utf8_lossy(&file.after).into_owned());
    after.is_some_and(|after| plain(&after) == plain(text))
}

fn without_comments(text: &str, language: &dyn Language) -> String {
    let mut kept = text.to_owned();
    if let Some(tree) = language::parse(text, language) {
        let mut comments = Vec::new();
        language::preorder(tree.root_node(), |node| {
            if language.syntax().is_comment(node) {
                comments.push(node.byte_range());
            }
            true
        });
        comments.into_iter().rev().for_each(|range| kept.replace_range(range, ""));
    }
    kept
}

/// The same numbers in every run (xorshift64).
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).unwrap_or_default()
    }
}
