//! The functions that patches change, and the constants that they hold.

use super::Draw;
use crate::domain::words::names;
use crate::domain::{FileChange, Patch, RepoPath};
use crate::language::{self, Language, children, decode, preorder, text_of};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// Functions that are called at most.
const FUNCTIONS: usize = 6;
/// Constants that are drawn from.
const CONSTANTS: usize = 10;
/// Characters of a text that is drawn from.
const LONGEST: usize = 40;

/// The functions that patches change and that there were before, with the constants in them, the patches' own included.
pub(super) fn changed(patches: &[&Patch], language: &dyn Language) -> Draw {
    let mut functions: BTreeSet<(RepoPath, String)> = BTreeSet::new();
    let mut held = Held::default();
    for file in patches.iter().flat_map(|patch| &patch.files).filter(|file| !file.deletes()) {
        if language.is_source(file.path.as_str().into()) {
            of_file(file, language, &mut functions, &mut held);
        }
    }
    Draw {
        functions: functions.into_iter().take(FUNCTIONS).collect(),
        constants: held.constants.into_iter().take(CONSTANTS).collect(),
        absent: held.absent,
        ..Draw::default()
    }
}

fn of_file(file: &FileChange, language: &dyn Language, functions: &mut BTreeSet<(RepoPath, String)>, held: &mut Held) {
    let Some(before) = file.before.as_deref().map(|bytes| decode(bytes).0) else { return };
    let after = decode(&file.after).0;
    let (before, after) = (Functions::of(&before, language), Functions::of(&after, language));
    let is_new = |(name, value): &(&String, &String)| before.values.get(*name).is_some_and(|old| old != *value);
    let changed: Vec<&str> = after.values.iter().filter(is_new).map(|(name, _)| name.as_str()).collect();
    for (name, (text, own)) in &after.by_name {
        let Some((old, olds)) = before.by_name.get(name) else { continue };
        if text != old || changed.iter().any(|value| names(text, value)) {
            functions.insert((file.path.clone(), name.clone()));
            held.extend(own);
            held.extend(olds);
        }
    }
}

/// What inputs are drawn by.
#[derive(Debug, Default)]
struct Held {
    constants: BTreeSet<String>,
    /// Names that may be `None`, or null.
    absent: BTreeSet<String>,
}

impl Held {
    fn extend(&mut self, other: &Self) {
        self.constants.extend(other.constants.iter().cloned());
        self.absent.extend(other.absent.iter().cloned());
    }
}

/// The functions of a file by their names: text, and what they hold. Of those with the same name the texts are joined.
struct Functions {
    by_name: BTreeMap<String, (String, Held)>,
    /// What is set outside of functions, by its name: functions that name it change with it.
    values: BTreeMap<String, String>,
}

impl Functions {
    fn of(text: &str, language: &dyn Language) -> Self {
        let mut found = Self { by_name: BTreeMap::new(), values: BTreeMap::new() };
        if let Some(tree) = language::parse(text, language) {
            found.walk(tree.root_node(), &mut Vec::new(), text, language);
        }
        found
    }

    fn walk(&mut self, node: Node<'_>, types: &mut Vec<String>, text: &str, language: &dyn Language) {
        let name = || language.name_of(node).map(|name| text_of(name, text).to_owned());
        if language.syntax().is_method(node) {
            let Some(name) = name() else { return };
            let entry = self.by_name.entry([types.as_slice(), &[name]].concat().join(".")).or_default();
            entry.0.push_str(text_of(node, text));
            entry.1.extend(&Held { constants: constants(node, text), absent: absent(node, text) });
            return;
        }
        // An assignment of Python, the declarator of a field of Java.
        let set = node.child_by_field_name("left").filter(|_| node.kind() == "assignment");
        let set = set.or_else(|| node.child_by_field_name("name").filter(|_| node.kind() == "variable_declarator"));
        if let Some(set) = set {
            self.values.insert(text_of(set, text).to_owned(), text_of(node, text).to_owned());
        }
        let name = language.syntax().is_type(node).then(name).flatten();
        let is_type = name.is_some();
        types.extend(name);
        for child in children(node) {
            self.walk(child, types, text, language);
        }
        if is_type {
            types.pop();
        }
    }
}

/// Numbers and short texts that a function holds, as JSON.
fn constants(function: Node<'_>, text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    preorder(function, |node| {
        let literal = text_of(node, text);
        match node.kind() {
            "integer" | "float" | "decimal_integer_literal" | "decimal_floating_point_literal" => {
                let digits = literal.trim_end_matches(['l', 'L', 'd', 'D', 'f', 'F']);
                let number = digits.parse::<i64>().map(Into::into).or_else(|_| digits.parse::<f64>().map(Into::into));
                found.extend(number.ok().map(|number: serde_json::Value| number.to_string()));
                false
            }
            "string" | "string_literal" | "character_literal" => {
                let inside = literal.trim_matches(['"', '\'']);
                if !inside.contains('\\') && literal.len() <= LONGEST && !literal.starts_with(['f', 'r', 'b']) {
                    found.insert(serde_json::Value::from(inside).to_string());
                }
                false
            }
            _ => true,
        }
    });
    found
}

/// Names that a function compares with `None` or null, and parameters that say by default or type that they may be it.
fn absent(function: Node<'_>, text: &str) -> BTreeSet<String> {
    let is_none = |node: Node<'_>| matches!(node.kind(), "none" | "null_literal");
    let mut found = BTreeSet::new();
    preorder(function, |node| {
        let says = |field, words: &[&str]| {
            let of_field = node.child_by_field_name(field).map(|said| text_of(said, text)).unwrap_or_default();
            words.iter().any(|word| names(of_field, word))
        };
        let may_be_none = match node.kind() {
            "comparison_operator" | "binary_expression" => children(node).into_iter().any(is_none),
            "default_parameter" => says("value", &["None"]),
            "typed_parameter" | "typed_default_parameter" => says("type", &["None", "Optional"]),
            "formal_parameter" => {
                children(node).first().is_some_and(|first| text_of(*first, text).contains("Nullable"))
            }
            _ => false,
        };
        let mut inside = children(node).into_iter().filter(|_| may_be_none);
        found.extend(inside.find(|child| child.kind() == "identifier").map(|name| text_of(name, text).to_owned()));
        true
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Java, Python};

    #[test]
    fn a_value_that_functions_name_changes_them() {
        let python = "import re\n\nEND = re.compile('$')\nSTART = 1\n\n\ndef ends(text):\n    return END.match(text)\n\n\n\
            def starts(text):\n    return START, WEEKEND\n";
        let (names, _) = draw("m.py", python, &python.replace("'$'", "'x$'"), &Python);
        assert_eq!(names, ["ends"]);
        let java = "class A {\n  static final int MOST = 3;\n  boolean fits(int n) { return n < MOST; }\n\
            \x20 int other() { return MOSTLY; }\n}\n";
        let (names, _) = draw("A.java", java, &java.replace("= 3", "= 4"), &Java);
        assert_eq!(names, ["A.fits"]);
    }

    fn draw(path: &str, before: &str, after: &str, language: &dyn Language) -> (Vec<String>, Vec<String>) {
        let path = RepoPath::new(path).unwrap();
        let file = FileChange { path, before: Some(before.as_bytes().into()), after: after.as_bytes().into() };
        let draw = changed(&[&Patch { files: vec![file] }], language);
        (draw.functions.into_iter().map(|(_, name)| name).collect(), draw.constants)
    }

    #[test]
    fn changed_functions_are_named_with_their_constants() {
        let before = "class A:\n    @cached\n    def f(self, n):\n        return n > 18\n\ndef g():\n    return 1\n";
        let after = before.replace("n > 18", "n >= 17 or n == 'x'");
        let (functions, constants) = draw("a.py", before, &after, &Python);
        assert_eq!(functions, ["A.f"]);
        assert_eq!(constants, ["\"x\"", "17", "18"]);
        let before = "class A { static class B { int f(long n) { return n > 3L ? 1 : 0; } } int g() { return 2; } }";
        let (functions, constants) = draw("A.java", before, &before.replace("n > 3L", "n >= 3L"), &Java);
        assert_eq!((functions, constants), (vec!["A.B.f".into()], vec!["0".into(), "1".into(), "3".into()]));
    }

    #[test]
    fn names_that_may_be_none_are_known() {
        let all = |before: &str, path: &str, language: &dyn Language| {
            let after = before.replace("return 1", "return 2");
            let file = FileChange {
                path: RepoPath::new(path).unwrap(),
                before: Some(before.as_bytes().into()),
                after: after.as_bytes().into(),
            };
            changed(&[&Patch { files: vec![file] }], language).absent.into_iter().collect::<Vec<_>>()
        };
        let python = "def f(a: str | None, b: Optional[int] = 3, c=None, d=NoneSuch, e: int = 1, *, g: Optionally):\n\
            \x20   if e is not None and g == 1:\n        return 1\n";
        assert_eq!(all(python, "a.py", &Python), ["a", "b", "c", "e"]);
        let java = "class A { int f(@Nullable String a, String b, String c) { if (null != b && c != a) return 1; return 0; } }";
        assert_eq!(all(java, "A.java", &Java), ["a", "b"]);
    }

    #[test]
    fn what_is_new_has_nothing_to_be_compared_with() {
        let (functions, _) = draw("a.py", "X = 1\n", "X = 2\n\ndef f():\n    return X\n", &Python);
        assert!(functions.is_empty());
    }
}
