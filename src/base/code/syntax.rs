//! A cheap look at a text before a compiler is asked.

use crate::language::{self, Language, first_line};

/// Lines, counted from 1, on which the grammar could not read the text or missed something; each once, in order.
///
/// Compare with the lines of the original: a file that was unreadable before is not the candidate's fault.
pub fn syntax_errors(text: &str, language: &dyn Language) -> Vec<u32> {
    let Some(tree) = language::parse(text, language) else { return Vec::new() };
    let mut lines = Vec::new();
    language::preorder(tree.root_node(), |node| {
        if node.is_error() || node.is_missing() {
            lines.push(first_line(node));
        }
        node.has_error() && !node.is_error()
    });
    lines.sort_unstable();
    lines.dedup();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Java;

    #[test]
    fn lines_that_do_not_parse_are_named() {
        assert!(syntax_errors("class A {\n  int f() { return 1; }\n}\n", &Java).is_empty());
        let broken = syntax_errors("class A {\n  int f() { return 1 }\n  int g() { return (2; }\n}\n", &Java);
        assert!(broken.contains(&2) && broken.contains(&3), "{broken:?}");
        assert!(!syntax_errors("class A {\n  int f() { return 1; }\n", &Java).is_empty());
    }
}
