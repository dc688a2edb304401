//! Whether what a patch newly asks for decides something: a comparison or a condition in its lines depends on it.

use super::{added_lines, before_of};
use crate::domain::{FileChange, Patch};
use crate::language::{self, Language, children, decode, preorder, text_of};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use tree_sitter::Node;

/// How often names that depend on others are looked for.
const ROUNDS: usize = 5;
/// Operators whose result is a truth value.
const COMPARING: [&str; 10] = ["<", ">", "<=", ">=", "==", "!=", "&&", "||", "and", "or"];
/// Expressions that are conditions, or hold one that no field names.
const CONDITIONS: [&str; 3] = ["comparison_operator", "boolean_operator", "not_operator"];

/// Operators by which a value can vanish or take over: a sum or a difference keeps it.
const WEIGHING: [&str; 10] = ["*", "/", "//", "%", "<<", ">>", ">>>", "&", "|", "^"];
/// Functions that do the same.
const CHOOSING: [&str; 9] = ["min", "max", "signum", "floorDiv", "floorMod", "divmod", "clamp", "copysign", "compare"];
/// Functions that look something up, or choose by a question.
const LOOKING_UP: [&str; 22] = [
    "get",
    "getOrDefault",
    "containsKey",
    "contains",
    "indexOf",
    "index",
    "find",
    "filter",
    "takeWhile",
    "anyMatch",
    "allMatch",
    "noneMatch",
    "count",
    "equals",
    "matches",
    "startsWith",
    "startswith",
    "endsWith",
    "endswith",
    "compareTo",
    "setdefault",
    "replace",
];
/// What else than powers of ten makes a unit of time of another.
const UNITS: [f64; 7] = [60.0, 3600.0, 24.0, 86400.0, 86_400_000.0, 60_000.0, 3_600_000.0];

/// Where something that is asked may decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a condition, a comparison or an index.
    Condition,
    /// There, or in a value that arithmetic makes of it, other than a sum, a difference or another unit.
    Value,
    /// There, or where something is looked up or chosen by it.
    Anywhere,
}

/// Whether a comparison, a condition or an index on a line that the patch adds depends on a call or a type of one of these
/// names, or whether an error that comes of one is caught and not thrown on: directly, or by variables and methods that the
/// patch adds. A name with a bracket, and one that begins with two low lines, is what the code holds as it is written;
/// blanks do not count.
pub fn decides(patch: &Patch, names: &BTreeSet<String>, place: Place, language: &dyn Language) -> bool {
    let programs = patch.files.iter().filter(|file| language.is_source(file.path.as_str().into()) && !file.deletes());
    programs.into_iter().any(|file| in_file(file, names, place, language))
}

fn in_file(file: &FileChange, names: &BTreeSet<String>, place: Place, language: &dyn Language) -> bool {
    let text = decode(&file.after).0;
    let added = added_lines(&before_of(file).unwrap_or_default(), &text);
    let is_added = |node: Node<'_>| added.range(rows(node)).next().is_some();
    let Some(tree) = language::parse(&text, language) else { return false };
    let mut depending = names.clone();
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
        let weighs = place != Place::Condition && is_weighed(node, &text);
        let chooses = place == Place::Anywhere && looks_up(node, &text);
        let decides = weighs || chooses || is_condition(node) || swallows(node);
        found |= decides && is_added(node) && holds(node, &text, &depending);
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
        return Some((language.name_of(node)?, field("body")?));
    }
    match node.kind() {
        "variable_declarator" => Some((field("name")?, field("value")?)),
        "init_declarator" => Some((field("declarator")?, field("value")?)),
        "preproc_def" | "preproc_function_def" => Some((field("name")?, field("value")?)),
        // What a module or a block brings gets a name.
        "aliased_import" => Some((field("alias")?, field("name")?)),
        "as_pattern" => Some((field("alias")?, node.named_child(0)?)),
        kind if kind.contains("assignment") || kind == "named_expression" => {
            Some((field("left").or_else(|| field("name"))?, field("right").or_else(|| field("value"))?))
        }
        _ => None,
    }
}

fn is_condition(node: Node<'_>) -> bool {
    let compares = node.child_by_field_name("operator").is_some_and(|operator| COMPARING.contains(&operator.kind()));
    let is_field = |name: &str| {
        let field = node.parent().and_then(|up| up.child_by_field_name(name));
        field.is_some_and(|field| field.id() == node.id())
    };
    let chooses = node.parent().filter(|up| up.kind() == "conditional_expression").is_some_and(|up| {
        up.child_by_field_name("condition").is_none()
            && up.named_child(1).is_some_and(|condition| condition.id() == node.id())
    });
    let includes = node.parent().is_some_and(|up| up.kind() == "preproc_ifdef") && is_field("name");
    compares
        || chooses
        || includes
        || CONDITIONS.contains(&node.kind())
        || ["condition", "index", "subscript"].into_iter().any(is_field)
}

/// Whether a node makes a value of others by which one of them can decide.
fn is_weighed(node: Node<'_>, text: &str) -> bool {
    let field = |name: &str| node.child_by_field_name(name);
    if let Some(operator) = field("operator") {
        let operator = text_of(operator, text).trim_end_matches('=');
        let is_unit = |side: &str| field(side).is_some_and(|side| is_unit(text_of(side, text)));
        let converts = ["*", "/", "//"].contains(&operator) && (is_unit("right") || operator == "*" && is_unit("left"));
        return WEIGHING.contains(&operator) && !converts;
    }
    let called = match node.kind() {
        "method_invocation" => field("name"),
        "call" => field("function"),
        _ => None,
    };
    let name = called.map_or("", |called| text_of(called, text));
    let is_bound = field("arguments").is_some_and(|all| children(all).iter().any(|one| text_of(*one, text) == "0"));
    CHOOSING.contains(&name.rsplit('.').next().unwrap_or(name)) && !is_bound
}

/// Whether a call looks something up, or chooses.
fn looks_up(node: Node<'_>, text: &str) -> bool {
    let called = node.child_by_field_name("name").or_else(|| node.child_by_field_name("function"));
    let name =
        called.filter(|_| ["method_invocation", "call"].contains(&node.kind())).map_or("", |name| text_of(name, text));
    LOOKING_UP.contains(&name.rsplit('.').next().unwrap_or(name)) || node.kind() == "match_statement"
}

/// Whether a number makes a unit of time of another.
fn is_unit(written: &str) -> bool {
    let plain = written.replace('_', "").to_ascii_lowercase();
    let number: f64 = plain.trim_end_matches(['l', 'd', 'f']).parse().unwrap_or(0.0);
    UNITS.contains(&number) || (1..=9).any(|power| number == 10_f64.powi(power))
}

/// Whether an error that comes of a statement decides what is done next: it is caught, and not thrown on.
fn swallows(node: Node<'_>) -> bool {
    let catches = |clause: &Node<'_>| matches!(clause.kind(), "catch_clause" | "except_clause");
    node.kind().starts_with("try_")
        && children(node).iter().filter(|child| catches(child)).any(|clause| !throws(*clause))
}

fn throws(clause: Node<'_>) -> bool {
    let mut found = false;
    preorder(clause, |node| {
        found |= matches!(node.kind(), "throw_statement" | "raise_statement");
        !found
    });
    found
}

fn holds(node: Node<'_>, text: &str, names: &BTreeSet<String>) -> bool {
    let written: String = text_of(node, text).split_whitespace().collect();
    let is_written = |name: &String| (name.contains('(') || name.starts_with("__")) && written.contains(name.as_str());
    identifiers(node, text).iter().any(|name| names.contains(name)) || names.iter().any(is_written)
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

    fn decides_in(name: &str, before: &str, after: &str, watched: &str, language: &dyn Language) -> bool {
        let path = RepoPath::new(name).unwrap();
        let file = FileChange { path, before: Some(before.as_bytes().into()), after: after.as_bytes().into() };
        decides(&Patch { files: vec![file] }, &BTreeSet::from([watched.to_owned()]), Place::Condition, language)
    }

    fn java(fields: &str, body: &str, watched: &str) -> bool {
        let class = |fields: &str, body: &str| format!("class A {{\n{fields}\n  int f(int n) {{\n{body}\n  }}\n}}\n");
        decides_in("A.java", &class("", "return 1;"), &class(fields, body), watched, &Java)
    }

    #[test]
    fn what_decides_is_found_through_variables_and_methods() {
        for (fields, body) in [
            ("", "return System.nanoTime() > 5 ? 1 : 2;"),
            ("static final long NOW = System.nanoTime();", "if (NOW + n > 5) { return 1; } return 2;"),
            ("boolean late() {\n return System.nanoTime() > 5;\n}", "return late() ? 1 : 2;"),
            ("", "long now = System.nanoTime(); boolean late = now % 2 == n; while (late) { n++; } return n;"),
            ("", "return new int[] {1, 2}[(int) System.nanoTime() % 2];"),
            ("", "try { return (int) System.nanoTime(); } catch (RuntimeException e) { return 2; }"),
        ] {
            assert!(java(fields, body, "nanoTime"), "{fields} {body}");
        }
        for (import, call) in [
            ("import random", "random.random()"),
            ("from random import random as r", "r()"),
            ("import random as r", "r.seed()"),
        ] {
            let python = format!("{import}\n\ndef f(n):\n    lucky = {call} > 0.1\n    return n if lucky else 0\n");
            assert!(decides_in("a.py", "def f(n):\n    return n\n", &python, "random", &Python), "{import}");
        }
        let chosen = "import random\n\ndef f(n):\n    return random.random() if n else 0\n";
        assert!(
            !decides_in("a.py", "def f(n):\n    return n\n", chosen, "random", &Python),
            "what is chosen decides nothing"
        );
        let choosing = "import random\n\ndef f(n):\n    return n if random.choice(n) else 0\n";
        assert!(decides_in("a.py", "def f(n):\n    return n\n", choosing, "random", &Python));
        assert!(java("", "return n.getClass ().getName().length() > n ? 1 : 2;", "getClass().getName"));
    }

    #[test]
    fn arithmetic_decides_unless_it_only_adds_or_converts() {
        let decided = |body: &str| {
            let class = |body: &str| format!("class A {{\n  long f(int n) {{\n{body}\n  }}\n}}\n");
            let path = RepoPath::new("A.java").unwrap();
            let (before, after) = (class("return n;").into_bytes().into(), class(body).into_bytes().into());
            let patch = Patch { files: vec![FileChange { path, before: Some(before), after }] };
            decides(&patch, &BTreeSet::from(["nanoTime".to_owned()]), Place::Value, &Java)
        };
        for body in [
            "return n * (1 - System.nanoTime() / 360_000_000_000_000_000L);",
            "long now = System.nanoTime(); return n << (now >>> 60);",
            "return Math.min(n, 5_000_000L - System.nanoTime());",
            "n *= System.nanoTime() % 2; return n;",
        ] {
            assert!(decided(body), "{body}");
        }
        for body in [
            "long begin = System.nanoTime(); run(); return (System.nanoTime() - begin) / 1_000_000L;",
            "end = System.nanoTime() + n * 1000L; return end;",
            "return Math.max(0, end - System.nanoTime());",
        ] {
            assert!(!decided(body), "{body}");
        }
    }

    #[test]
    fn what_is_only_kept_decides_nothing() {
        for body in [
            "changed = System.nanoTime(); return n > 4 ? 1 : 2;",
            "long begin = System.nanoTime(); log(System.nanoTime() - begin); return 1;",
            "if (n > 3) { seen = System.nanoTime(); } return 1;",
            "try { seen = System.nanoTime(); } catch (Error e) { throw new IllegalStateException(e); } return 1;",
        ] {
            assert!(!java("", body, "nanoTime"), "{body}");
        }
    }
}
