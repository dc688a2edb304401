//! Documentation of methods, as much of it as an agent needs: it is the specification.

use crate::code::{Method, SourceFile};
use crate::domain::LineSpan;
use crate::domain::words::clipped;

/// Lines of documentation of a method that is likely to be the place.
const MAX_DOC_LINES: usize = 12;
/// Characters of a first sentence.
const BRIEF: usize = 90;
/// Tags of documentation that say nothing about behaviour.
const IDLE_TAGS: [&str; 4] = ["@since", "@author", "@see", "@version"];

/// The documentation of a method shown in full: it is the specification. In short its first sentence; else its lines,
/// of which a long one keeps the head, without tags that say nothing about behaviour.
pub(super) fn doc(file: &SourceFile, method: &Method, explained: bool) -> String {
    if method.doc_first >= method.span.first {
        return String::new();
    }
    if !explained {
        let first = file.line(method.span.first).unwrap_or("");
        let indent = &first[..first.len() - first.trim_start().len()];
        return method.summary.as_ref().map_or_else(String::new, |summary| format!("{indent}// {}\n", brief(summary)));
    }
    let whole = LineSpan { first: method.doc_first, last: method.span.first - 1 };
    if whole.len() as usize <= MAX_DOC_LINES {
        // As it stands in the file: whoever answers with the whole method must be able to keep it.
        return format!("{}\n", file.lines(whole));
    }
    let lines = (method.doc_first..method.span.first).filter_map(|n| file.line(n));
    let written: Vec<&str> = lines
        .filter(|line| {
            let content = line.trim_start_matches([' ', '\t', '*']).trim_end();
            !content.is_empty() && !IDLE_TAGS.iter().any(|tag| content.starts_with(tag))
        })
        .collect();
    let shown = written.len().min(MAX_DOC_LINES);
    let mut text = written[..shown].join("\n");
    if shown < written.len() && !written[shown..].iter().all(|line| line.trim() == "*/") {
        text.push_str(" …");
    }
    if !text.trim_end().ends_with("*/") {
        text.push_str(" */");
    }
    text.push('\n');
    text
}

/// A first sentence may be long: its head tells what the method is for.
pub(super) fn brief(summary: &str) -> String {
    clipped(summary, BRIEF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::outline_text;
    use crate::domain::RepoPath;
    use crate::language::Java;

    const CODE: &str = "class Cart {\n    static class Line {\n        /**\n         * Sums up. Twice never.\n         *\n         * @param n how many\n         * @since 1.2\n         */\n        int sum(final int n) {\n            return n;\n        }\n    }\n}\n";

    fn file() -> SourceFile {
        outline_text(&RepoPath::new("Cart.java").unwrap(), CODE, &Java)
    }

    #[test]
    fn documentation_is_a_sentence_unless_the_method_is_likely_the_place() {
        let file = file();
        let method = file.methods().next().unwrap();
        assert_eq!(doc(&file, method, false), "        // Sums up\n");
        assert_eq!(
            doc(&file, method, true),
            "        /**\n         * Sums up. Twice never.\n         *\n         * @param n how many\n         * @since 1.2\n         */\n",
            "as it stands in the file"
        );
    }

    #[test]
    fn documentation_that_is_cut_still_ends_as_a_comment() {
        let tags: String = (0..40).map(|n| format!(" * @param p{n} value\n")).collect();
        let code = format!("class A {{\n/**\n * Does.\n{tags} */\nvoid f() {{}}\n}}\n");
        let file = outline_text(&RepoPath::new("A.java").unwrap(), &code, &Java);
        let text = doc(&file, file.methods().next().unwrap(), true);
        assert_eq!(text.lines().count(), MAX_DOC_LINES);
        assert!(text.ends_with("value … */\n"), "{text}");
    }
}
