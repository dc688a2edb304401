//! Variables of loops, comprehensions and lambdas that nothing reads any more: what is done for each item hangs on none.

use crate::domain::{FileChange, Patch};
use crate::language::{self, Language, children, decode, preorder, text_of};
use tree_sitter::Node;

/// Expressions with one value for each item.
const COMPREHENSIONS: [&str; 4] =
    ["list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"];

/// The first variable that is read less often with a patch than before, and not at all more often.
pub(super) fn no_longer_read(patch: &Patch, language: &'static dyn Language) -> Option<String> {
    let new = |file: &FileChange| {
        let before = set(&decode(file.before.as_deref()?).0, language);
        let after = set(&decode(&file.after).0, language);
        let count = |all: &[(String, bool)], name: &str, is_read| {
            all.iter().filter(|(other, read)| other == name && *read == is_read).count()
        };
        let is_lost = |name: &&String| {
            count(&after, name, false) > count(&before, name, false)
                && count(&after, name, true) < count(&before, name, true)
        };
        after.iter().map(|(name, _)| name).find(is_lost).cloned()
    };
    super::programs(patch, language).find_map(new)
}

/// The variables that loops, comprehensions and lambdas in a text set, and whether something in them reads each.
fn set(text: &str, language: &dyn Language) -> Vec<(String, bool)> {
    let Some(tree) = language::parse(text, language) else { return Vec::new() };
    let mut found = Vec::new();
    preorder(tree.root_node(), |node| {
        let (sets, bodies) = variables(node);
        for name in sets.into_iter().flat_map(identifiers).map(|name| text_of(name, text)) {
            let mut read = bodies.iter().flat_map(|body| identifiers(*body));
            found.push((name.to_owned(), read.any(|other| text_of(other, text) == name)));
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
    use crate::domain::RepoPath;
    use crate::language::{Java, Python};

    #[test]
    fn variables_that_nothing_reads_are_found() {
        let unread = |text: &str, language: &dyn Language| {
            let found = set(text, language).into_iter().filter(|(_, is_read)| !is_read);
            found.map(|(name, _)| name).collect::<Vec<_>>()
        };
        let python = |text: &str| unread(text, &Python);
        assert_eq!(python("flat = all(not isinstance(item, list) for item in data)\n"), [""; 0]);
        assert_eq!(python("flat = all(not list for item in data)\n"), ["item"]);
        assert_eq!(python("x = {key: 1 for key, value in rows if value}\n"), [""; 0]);
        assert_eq!(python("for each in rows:\n    each()\nfor row in rows:\n    n += 1\n"), ["row"]);
        let java = |line: &str| unread(&format!("class A {{ void f() {{ {line} }} }}"), &Java);
        assert_eq!(java("for (String each : rows) { n += each.length(); }"), [""; 0]);
        assert_eq!(java("for (String each : rows) { n++; }"), ["each"]);
        assert_eq!(java("rows.removeIf(row -> true);"), ["row"]);
    }

    #[test]
    fn what_was_never_read_is_not_lost() {
        let lost = |before: &str, after: &str| {
            let bytes = |text: &str| text.as_bytes().into();
            let path = RepoPath::new("a.py").unwrap();
            let file = FileChange { path, before: Some(bytes(before)), after: bytes(after) };
            no_longer_read(&Patch { files: vec![file] }, &Python)
        };
        let reads = "x = all(item > 0 for item in data)\n";
        assert_eq!(lost(reads, "x = all(data for item in data)\n").as_deref(), Some("item"));
        assert_eq!(lost(reads, &format!("{reads}for turn in range(3):\n    again()\n")), None, "a new loop");
        assert_eq!(lost("for row in rows:\n    n += 1\n", "for row in rows:\n    n += 2\n"), None);
        assert_eq!(lost(reads, "x = min(data) > 0\n"), None, "the loop is gone, too");
    }
}
