//! Names: where a change to what a statement reads helps, the value that a name has there may be what is wrong.
//!
//! Example: a condition that is widened mends some tests, and reads `self.strip`; the default of the parameter `strip`,
//! which no test's lines tell of, is worth a try.

use super::edit::Change;
use super::syntax::Unit;
use tree_sitter::Node;

/// What gives a name a value, in Java, C and Python, with the field that holds the name.
const SETTERS: [(&str, &str); 8] = [
    ("variable_declarator", "name"),
    ("init_declarator", "declarator"),
    ("assignment_expression", "left"),
    ("assignment", "left"),
    ("augmented_assignment", "left"),
    ("default_parameter", "name"),
    ("typed_default_parameter", "name"),
    ("keyword_argument", "name"),
];
/// What a value that a name gets does not reach out of.
const LIMITS: [&str; 4] = ["block", "compound_statement", "class_body", "module"];

/// The name whose value the first of some changes decides; `None` where it is part of no such value.
pub(super) fn set_by<'u>(unit: &'u Unit, changes: &[Change]) -> Option<&'u str> {
    let range = &changes.first()?.range;
    let node = unit.root().descendant_for_byte_range(range.start, range.end)?;
    let around = std::iter::successors(Some(node), Node::parent).take_while(|node| !LIMITS.contains(&node.kind()));
    let target = |node: Node<'u>| {
        let (_, field) = SETTERS.iter().find(|(kind, _)| *kind == node.kind())?;
        node.child_by_field_name(field)
    };
    let target = around.filter_map(target).next()?;
    (target.end_byte() <= range.start).then(|| names(unit.text(target)).last()).flatten()
}

/// The names in a text, in their order; words of the language among them.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RepoPath;
    use crate::language::{Java, Language, Python};

    /// The name that a change of the first `what` in a text sets.
    fn set(text: &str, what: &str, language: &'static dyn Language) -> Option<String> {
        let unit = Unit::new(RepoPath::new("a").unwrap(), text.into(), language).unwrap();
        let start = text.find(what).unwrap();
        let change = Change { range: start..start + what.len(), text: String::new() };
        set_by(&unit, &[change]).map(str::to_owned)
    }

    #[test]
    fn a_change_sets_the_name_whose_value_it_is_part_of() {
        let python = "def read(text, strip=False):\n    self.limit = text.find(',') - 1\n    return open(mode='r')\n";
        let found = |what| set(python, what, &Python);
        assert_eq!(found("False").as_deref(), Some("strip"));
        assert_eq!(found("- 1").as_deref(), Some("limit"));
        assert_eq!(found("'r'").as_deref(), Some("mode"));
        assert_eq!(found("self.limit"), None, "another name, not its value");
        let java = "class A { int limit = 3; void f(int a) { this.limit = a > 1 ? a : 7; g(a + 9); } }";
        let found = |what| set(java, what, &Java);
        assert_eq!((found("3").as_deref(), found("7").as_deref()), (Some("limit"), Some("limit")));
        assert_eq!(found("9"), None);
    }
}
