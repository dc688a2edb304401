//! Keeps a benchmark bug's own repair out of what is retrieved for it.

use super::Solution;
use std::collections::BTreeSet;

/// A shorter line of a repair says too little to be recognised by.
const TELLING: usize = 16;
/// Names of benchmarks: whoever writes of one of them may quote the repair.
const BENCHMARKS: [&str; 6] = ["defects4j", "quixbugs", "gitbug", "bugsinpy", "swe-bench", "bugs.jar"];
/// Places where a project's own repairs and their discussion lie.
const FORGES: [&str; 7] =
    ["github.com", "gitlab.com", "bitbucket.org", "sourceforge.net", "issues.apache.org", "jira.", "gitbox.apache.org"];

/// What a repair is recognised by.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    /// Lines that the repair adds, without white space.
    lines: BTreeSet<String>,
    canary: Option<String>,
}

impl Guard {
    /// A guard for a repair, given by its files before and after, and by a text that stands nowhere else.
    pub(crate) fn of<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>, canary: Option<&str>) -> Self {
        let mut lines = BTreeSet::new();
        for (before, after) in files {
            let known: BTreeSet<String> = before.lines().map(code).collect();
            let added = after.lines().map(code).filter(|line| line.len() >= TELLING && !known.contains(line));
            lines.extend(added);
        }
        Self { lines, canary: canary.map(str::to_owned) }
    }

    /// Whether a result gives the repair away: it holds one of its lines, or comes from where the repair is at home.
    pub(crate) fn gives_away(&self, found: &Solution) -> bool {
        let Solution { id, symptom, before, after, why } = found;
        let text = [symptom, before, after, why].map(String::as_str).join("\n");
        let address = id.to_ascii_lowercase();
        let at_home = address.starts_with("http") && FORGES.iter().any(|forge| address.contains(forge));
        let named = |name: &&str| address.contains(*name) || text.to_ascii_lowercase().contains(*name);
        let squeezed = squeezed(&text);
        at_home
            || BENCHMARKS.iter().any(named)
            || self.canary.as_ref().is_some_and(|canary| text.contains(canary))
            || self.lines.iter().any(|line| squeezed.contains(line))
    }
}

/// A line without white space and without what stands behind `//`: others would comment on it in other words.
fn code(line: &str) -> String {
    squeezed(line.split_once("//").map_or(line, |(code, _)| code))
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solution(id: &str, after: &str) -> Solution {
        Solution { id: id.into(), symptom: "full too early".into(), after: after.into(), ..Solution::default() }
    }

    #[test]
    fn lines_of_the_repair_and_its_home_give_it_away() {
        let before = "boolean isFull() {\n return size >= slots.length - 1;\n}";
        let after = "boolean isFull() {\n return size >= slots.length; // all of them\n}";
        let guard = Guard::of([(before, after)], Some("canary-7"));
        assert!(guard.gives_away(&solution("a", "{ return size>=slots.length; }")));
        assert!(guard.gives_away(&solution("b", "canary-7")));
        assert!(guard.gives_away(&solution("https://github.com/a/b/commit/1", "i < n")));
        assert!(guard.gives_away(&solution("https://x.org/Defects4J-Lang-1", "i < n")));
        assert!(!guard.gives_away(&solution("c", "return used >= seats.length;")));
        assert!(!guard.gives_away(&solution("d", "boolean isFull() {")), "a line that was there before says nothing");
    }
}
