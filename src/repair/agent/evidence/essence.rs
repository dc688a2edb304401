//! What is left of evidence when there is little room.

use super::Evidence;
use crate::prompt::count_tokens;

/// Sections without which a question makes no sense.
const NEEDED: [&str; 5] = ["Issue", "Failing tests", "Tests of the project", "Suspicious segment", "Code"];

/// Tokens that each of them may keep.
const TOKENS: usize = 600;

impl Evidence {
    /// The failing tests and the code, each cut to its first lines.
    pub(crate) fn essence(&self) -> String {
        let needed = self.sections.iter().filter(|section| NEEDED.contains(&section.title));
        needed.map(|section| format!("## {}\n{}\n\n", section.title, head(&section.text, TOKENS).trim_end())).collect()
    }
}

/// The first lines of a text that fit, with a word on what was left out.
pub(super) fn head(text: &str, tokens: usize) -> String {
    let mut out = String::new();
    let mut lines = text.lines();
    for line in lines.by_ref() {
        if count_tokens(&out) + count_tokens(line) > tokens {
            out.push_str(&format!("(and {} more lines)\n", lines.count() + 1));
            return out;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::evidence::Section;

    #[test]
    fn tests_and_code_stay_and_the_rest_goes() {
        let section = |title, text: &str| Section { title, text: text.to_owned() };
        let long = "int x = 1;\n".repeat(4000);
        let sections = vec![section("Failing tests", "it fails"), section("Summary", "s"), section("Code", &long)];
        let text = Evidence { sections, shown: Vec::new() }.essence();
        assert!(text.starts_with("## Failing tests\nit fails") && !text.contains("Summary"));
        assert!(count_tokens(&text) < 2 * TOKENS && text.contains("more lines"), "{}", count_tokens(&text));
    }
}
