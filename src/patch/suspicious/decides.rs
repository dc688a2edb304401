//! Whether what a patch newly asks for decides something: a comparison or a condition in its lines depends on it.

use super::{added_lines, before_of};
use crate::domain::{FileChange, Patch};
use crate::language::{self, Language, decode, preorder, text_of};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use tree_sitter::Node;

/// How often names that depend on others are looked for.
const ROUNDS: usize = 5;
/// Operators whose result is a truth value.
const COMPARING: [&str; 10] = ["<", ">", "<=", ">=", "==", "!=", "&&", "||", "and", "or"];
/// Expressions that are conditions, or hold one that no field names.
const CONDITIONS: [&str; 4] = ["comparison_operator", "boolean_operator", "not_operator", "conditional_expression"];

/// Whether a comparison or a condition on a line that the patch adds depends on a call or a type of one of these names:
/// directly, or by variables and methods that the patch adds.
pub fn decides(patch: &Patch, asked: &BTreeSet<String>, language: &dyn Language) -> bool {
    let programs = patch.files.iter().filter(|file| language.is_source(file.path.as_str().into()) && !file.deletes());
    programs.into_iter().any(|file| in_file(file, asked, language))
}

fn in_file(file: &FileChange, asked: &BTreeSet<String>, language: &dyn Language) -> bool {
    let text = decode(&file.after).0;
    let added = added_lines(&before_of(file).unwrap_or_default(), &text);
    let is_added = |node: Node<'_>| added.range(rows(node)).next().is_some();
    let Some(tree) = language::parse(&text, language) else { return false };
    let mut depending = asked.clone();
    for _ in 0..ROUNDS {
        let known = depending.len();
        preorder(tree.root_node(), |node| {
            if is_added(node)
                && let Some((name, value)) = named_value(node, language)
                && holds(value, &text, &depending)
            {
                depending.extend(identifiers(name, &text));
            }
            true
        });
        if depending.len() == known {
            break;
        }
    }
    let mut found = false;
    preorder(tree.root_node(), |node| {
        found |= is_condition(node) && is_added(node) && holds(node, &text, &depending);
        !found
    });
    found
}

fn rows(node: Node<'_>) -> RangeInclusive<usize> {
    node.start_position().row..=node.end_position().row
}

/// What gets a value, and what the value is made of.
fn named_value<'t>(node: Node<'t>, language: &dyn Language) -> Option<(Node<'t>, Node<'t>)> {
    let field = |name: &str| node.child_by_field_name(name);
    if language.syntax().is_method(node) {
        return Some((field("name")?, field("body")?));
    }
    match node.kind() {
        "variable_declarator" => Some((field("name")?, field("value")?)),
        kind if kind.contains("assignment") || kind == "named_expression" => {
            Some((field("left").or_else(|| field("name"))?, field("right").or_else(|| field("value"))?))
        }
        _ => None,
    }
}

fn is_condition(node: Node<'_>) -> bool {
    let compares = node.child_by_field_name("operator").is_some_and(|operator| COMPARING.contains(&operator.kind()));
    let up = node.parent().and_then(|up| up.child_by_field_name("condition"));
    compares || CONDITIONS.contains(&node.kind()) || up.is_some_and(|condition| condition.id() == node.id())
}

fn holds(node: Node<'_>, text: &str, names: &BTreeSet<String>) -> bool {
    identifiers(node, text).iter().any(|name| names.contains(name))
}

fn identifiers(node: Node<'_>, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    preorder(node, |node| {
        if node.kind().ends_with("identifier") {
            found.push(text_of(node, text).to_owned());
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

    fn told(name: &str, before: &str, after: &str, asked: &str, language: &dyn Language) -> bool {
        let path = RepoPath::new(name).unwrap();
        let file = FileChange { path, before: Some(before.as_bytes().into()), after: after.as_bytes().into() };
        decides(&Patch { files: vec![file] }, &BTreeSet::from([asked.to_owned()]), language)
    }

    fn java(fields: &str, body: &str, asked: &str) -> bool {
        let class = |fields: &str, body: &str| format!("class A {{\n{fields}\n  int f(int n) {{\n{body}\n  }}\n}}\n");
        told("A.java", &class("", "return 1;"), &class(fields, body), asked, &Java)
    }

    #[test]
    fn what_decides_is_found_through_variables_and_methods() {
        for (fields, body) in [
            ("", "return System.nanoTime() > 5 ? 1 : 2;"),
            ("static final long NOW = System.nanoTime();", "if (NOW + n > 5) { return 1; } return 2;"),
            ("boolean late() {\n return System.nanoTime() > 5;\n}", "return late() ? 1 : 2;"),
            ("", "long now = System.nanoTime(); boolean late = now % 2 == n; while (late) { n++; } return n;"),
        ] {
            assert!(java(fields, body, "nanoTime"), "{fields} {body}");
        }
        let python = "import random\n\ndef f(n):\n    lucky = random.random() > 0.1\n    return n if lucky else 0\n";
        assert!(told("a.py", "def f(n):\n    return n\n", python, "random", &Python));
    }

    #[test]
    fn what_is_only_kept_decides_nothing() {
        for body in [
            "changed = System.nanoTime(); return n > 4 ? 1 : 2;",
            "long begin = System.nanoTime(); log(System.nanoTime() - begin); return 1;",
            "if (n > 3) { seen = System.nanoTime(); } return 1;",
        ] {
            assert!(!java("", body, "nanoTime"), "{body}");
        }
    }
}
