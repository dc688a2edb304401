//! Variables of loops, comprehensions and lambdas that nothing reads any more: what is done for each item hangs on none.

use crate::domain::{FileChange, Patch};
use crate::language::{self, Language, children, decode, preorder, text_of};
use tree_sitter::Node;

/// Expressions with one value for each item.
const COMPREHENSIONS: [&str; 4] =
    ["list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"];

/// The first variable that was read before a patch and is not with it.
pub(super) fn no_longer_read(patch: &Patch, language: &'static dyn Language) -> Option<String> {
    let new = |file: &FileChange| {
        let mut before = unread(&decode(file.before.as_deref()?).0, language);
        let is_new = |name: &String| match before.iter().position(|old| old == name) {
            Some(at) => before.swap_remove(at) != *name,
            None => true,
        };
        unread(&decode(&file.after).0, language).into_iter().find(is_new)
    };
    super::programs(patch, language).find_map(new)
}

/// The variables in a text that nothing reads, each as often as there are such.
fn unread(text: &str, language: &dyn Language) -> Vec<String> {
    let Some(tree) = language::parse(text, language) else { return Vec::new() };
    let mut found = Vec::new();
    preorder(tree.root_node(), |node| {
        let (sets, bodies) = variables(node);
        for name in sets.into_iter().flat_map(identifiers).map(|name| text_of(name, text)) {
            let mut read = bodies.iter().flat_map(|body| identifiers(*body));
            if !name.starts_with('_') && !read.any(|other| text_of(other, text) == name) {
                found.push(name.to_owned());
            }
        }
        true
    });
    found
}

/// What sets the variables of a node, and what may read them.
fn variables(node: Node<'_>) -> (Option<Node<'_>>, Vec<Node<'_>>) {
    let field = |name| node.child_by_field_name(name);
    match node.kind() {
        "enhanced_for_statement" => (field("name"), field("body").into_iter().collect()),
        "for_statement" if field("left").is_some() => (field("left"), field("body").into_iter().collect()),
        "lambda_expression" => {
            // A parameter with a type has names that are no variables.
            let parameters = field("parameters").filter(|node| node.kind() != "formal_parameters");
            (parameters, field("body").into_iter().collect())
        }
        kind if COMPREHENSIONS.contains(&kind) => {
            let clauses: Vec<Node<'_>> = children(node).into_iter().filter(|c| c.kind() == "for_in_clause").collect();
            let [clause] = clauses.as_slice() else { return (None, Vec::new()) };
            let others = children(node).into_iter().filter(|child| child != clause);
            (clause.child_by_field_name("left"), others.collect())
        }
        _ => (None, Vec::new()),
    }
}

fn identifiers(below: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    preorder(below, |node| {
        if node.kind() == "identifier" {
            found.push(node);
        }
        true
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Java, Python};

    #[test]
    fn variables_that_nothing_reads_are_found() {
        let python = |text: &str| unread(text, &Python);
        assert_eq!(python("flat = all(not isinstance(item, list) for item in data)\n"), [""; 0]);
        assert_eq!(python("flat = all(not list for item in data)\n"), ["item"]);
        assert_eq!(python("x = {key: 1 for key, value in rows if value}\n"), [""; 0]);
        assert_eq!(python("for _ in rows:\n    pass\nfor row in rows:\n    n += 1\n"), ["row"]);
        let java = |line: &str| unread(&format!("class A {{ void f() {{ {line} }} }}"), &Java);
        assert_eq!(java("for (String each : rows) { n += each.length(); }"), [""; 0]);
        assert_eq!(java("for (String each : rows) { n++; }"), ["each"]);
        assert_eq!(java("rows.removeIf(row -> true);"), ["row"]);
    }
}
