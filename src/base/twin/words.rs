//! New names, from a short list of words.

use super::{Role, drawn};
use std::collections::BTreeSet;

const KINDS: &[&str] = &[
    "amber", "basic", "brief", "broad", "calm", "central", "common", "cool", "dense", "direct", "distant", "early",
    "eastern", "even", "exact", "familiar", "firm", "former", "front", "gentle", "given", "grand", "guided", "hidden",
    "inner", "joint", "known", "latest", "lean", "level", "light", "local", "loose", "major", "marked", "mild",
    "minor", "narrow", "neutral", "northern", "novel", "open", "outer", "partial", "plain", "prime", "quiet", "rapid",
    "remote", "rough", "round", "safe", "second", "shared", "sharp", "silent", "simple", "single", "slow", "small",
    "smooth", "solid", "southern", "spare", "stable", "steady", "strict", "subtle", "swift", "tight", "upper", "usual",
    "vivid", "warm", "western", "wide", "young",
];
const ACTS: &[&str] = &[
    "adjust", "arrange", "assemble", "assess", "balance", "bind", "bring", "build", "carry", "collect", "combine",
    "consult", "deliver", "derive", "draw", "enter", "examine", "explore", "fetch", "follow", "form", "gather",
    "grant", "handle", "inspect", "lead", "locate", "manage", "measure", "mind", "obtain", "observe", "offer",
    "perform", "pick", "place", "plan", "prepare", "process", "produce", "reach", "refine", "report", "resolve",
    "review", "settle", "shape", "state", "supply", "survey", "tend", "trace", "track", "treat", "weigh", "work",
];
const THINGS: &[&str] = &[
    "account", "anchor", "archive", "arrow", "basin", "batch", "beacon", "board", "border", "branch", "bridge",
    "bundle", "cargo", "cabin", "canal", "carrier", "chapter", "circle", "cluster", "column", "compass", "corner",
    "course", "cycle", "depot", "device", "domain", "draft", "drawer", "engine", "entry", "estate", "fabric", "factor",
    "field", "figure", "flow", "folder", "frame", "garden", "gauge", "grain", "guide", "harbor", "hinge", "island",
    "journal", "kernel", "lane", "layer", "ledger", "lever", "market", "matter", "meadow", "member", "mirror",
    "module", "motion", "notice", "orbit", "outlet", "panel", "parcel", "pattern", "pillar", "pocket", "portion",
    "profile", "quarter", "record", "region", "ribbon", "river", "sample", "section", "sector", "segment", "series",
    "shelf", "signal", "socket", "sphere", "spindle", "stage", "station", "stream", "studio", "summit", "system",
    "target", "thread", "ticket", "timber", "token", "tower", "track", "trail", "tunnel", "valley", "vessel", "window",
    "yard",
];
/// Affixes by which test runners know what is a test, and programs what is private.
const TEST_ENDS: &[&str] = &["_TEST", "_test", "TestCase", "Tests", "Test", "IT"];

/// A name that nothing has: two words in the manner of the old one, with the affixes by which a test is known.
pub(super) fn fresh(name: &str, role: Role, snake: bool, seed: u64, used: &BTreeSet<String>) -> String {
    let inner = name.trim_start_matches('_');
    let under = &name[..name.len() - inner.len()];
    let (head, core) = test_head(inner, role);
    let tail = if role == Role::Value {
        ""
    } else {
        TEST_ENDS.iter().find(|end| core.ends_with(**end)).copied().unwrap_or("")
    };
    let mut attempt = 0_u64;
    loop {
        let number = drawn(seed, &[name, &attempt.to_string()]);
        let first = if role == Role::Call { ACTS } else { KINDS };
        let words = [pick(first, number), pick(THINGS, number >> 24)];
        let body = written(words, core, role, snake, !head.is_empty());
        // The list is finite, names are not.
        let number = if attempt > 64 { attempt.to_string() } else { String::new() };
        let fresh = format!("{under}{head}{body}{number}{tail}");
        if fresh != name && !used.contains(&fresh) {
            return fresh;
        }
        attempt += 1;
    }
}

/// The beginning by which a test is known, and the rest.
fn test_head(name: &str, role: Role) -> (&'static str, &str) {
    for (head, written) in [("test_", "test_"), ("Test", "Test"), ("test", "test")] {
        let Some(rest) = name.strip_prefix(head) else { continue };
        let fits = if head == "Test" { role == Role::Type && !rest.is_empty() } else { role != Role::Value };
        let begins = head == "test_" || !rest.starts_with(|c: char| c.is_ascii_lowercase());
        if fits && begins {
            return (written, rest);
        }
    }
    ("", name)
}

fn pick(list: &[&'static str], number: u64) -> &'static str {
    let at = usize::try_from(number % list.len() as u64).unwrap_or(0);
    list[at]
}

/// Two words as names of this kind are written.
fn written([one, other]: [&str; 2], old: &str, role: Role, snake: bool, behind: bool) -> String {
    let constant = old.len() > 1 && !old.chars().any(char::is_lowercase) && old.chars().any(char::is_uppercase);
    match role {
        Role::Type => format!("{}{}", capital(one), capital(other)),
        Role::Module if !snake => format!("{one}{other}"),
        Role::Value if constant => format!("{one}_{other}").to_uppercase(),
        _ if snake || old.contains('_') => format!("{}{one}_{other}", if behind { separator(old) } else { "" }),
        _ if behind || old.starts_with(char::is_uppercase) => format!("{}{}", capital(one), capital(other)),
        _ => format!("{one}{}", capital(other)),
    }
}

/// What parts the new words from `test`: nothing where the old name had it there.
fn separator(rest: &str) -> &'static str {
    if rest.starts_with('_') || rest.starts_with(|c: char| c.is_ascii_digit()) { "_" } else { "" }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
