//! A parameter that a constructor or a setter takes and forgets, beside a field of its name.
//!
//! Source: TBar's *insert missed statement* (FP4), for the one statement that names alone tell.
//! Example: `def __init__(self, limit): self.items = []`, where another method asks `self.limit`, gets `self.limit = limit`.

use super::shadow::has_field;
use crate::domain::words;
use crate::language::children;
use crate::templates::edit::Edit;
use crate::templates::site::{Site, shortened};
use crate::templates::syntax::ancestors;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(crate) struct Unkept;

impl Template for Unkept {
    fn name(&self) -> &'static str {
        "missing_field"
    }

    fn prior(&self) -> Prior {
        0.9
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let Some((function, body, is_after)) = function(site) else { return };
        if !ancestors(function).any(is_class) {
            return;
        }
        let (inside, is_indented) = (site.text(body), site.unit.language.is_indented());
        for name in parameters(site, function).filter(|name| !uses(inside, name)) {
            for (object, field) in fields(site, function, name) {
                let kept = format!("{object}.{field}");
                let is_field = if is_indented { reads(&site.unit.text, &field) } else { has_field(site, &field) };
                if is_field && !words::names(inside, &kept) {
                    let code = format!("{kept} = {name}{}", if is_indented { "" } else { ";" });
                    let note = format!("inserted `{}`: nothing kept `{name}`", shortened(&code));
                    let insert = if is_after { Site::insertion_after } else { Site::insertion_before };
                    out.push(insert(site, &code, 1.0, note.as_str()));
                }
            }
        }
    }
}

fn is_class(node: Node<'_>) -> bool {
    matches!(node.kind(), "class_body" | "class_definition")
}

/// The function, with its body, whose first statement the site is; what calls the constructor of a superclass counts where
/// it is all there is, and something comes after it.
fn function<'t>(site: &Site<'t>) -> Option<(Node<'t>, Node<'t>, bool)> {
    let body = site.statement.parent()?;
    let function = body.parent().filter(|node| {
        matches!(node.kind(), "function_definition" | "constructor_declaration" | "method_declaration")
    })?;
    let does_something = |node: &Node<'_>| (site.unit.rules.is_site)(*node) && !is_text(*node);
    let statements: Vec<Node<'t>> = children(body).into_iter().filter(does_something).collect();
    let first = statements.iter().find(|node| !calls_super(site.text(**node)));
    let wanted = first.or(statements.last())?;
    (*wanted == site.statement).then_some((function, body, first.is_none()))
}

fn calls_super(statement: &str) -> bool {
    statement.starts_with("super(") || statement.contains("__init__(")
}

/// Whether a statement is the text that describes a function of Python.
fn is_text(statement: Node<'_>) -> bool {
    statement.named_child_count() == 1 && statement.named_child(0).is_some_and(|child| child.kind() == "string")
}

/// The names of a function's parameters.
fn parameters<'s>(site: &'s Site<'_>, function: Node<'_>) -> impl Iterator<Item = &'s str> {
    let all = function.child_by_field_name("parameters").map(children).unwrap_or_default();
    let name = |node: &Node<'_>| match node.kind() {
        "identifier" => Some(*node).map(|node| node.byte_range()),
        "typed_parameter" | "list_splat_pattern" | "dictionary_splat_pattern" => {
            node.named_child(0).map(|child| child.byte_range())
        }
        _ => node.child_by_field_name("name").map(|child| child.byte_range()),
    };
    let ranges: Vec<_> = all.iter().filter_map(name).collect();
    ranges.into_iter().filter_map(|range| site.unit.text.get(range))
}

/// The fields that may keep a parameter, each with its object.
fn fields(site: &Site<'_>, function: Node<'_>, name: &str) -> Vec<(String, String)> {
    if !site.unit.language.is_indented() {
        return vec![("this".to_owned(), name.to_owned())];
    }
    let object = parameters(site, function).next().unwrap_or_default();
    if object == name {
        Vec::new()
    } else {
        ["", "_", "__"].map(|mark| (object.to_owned(), format!("{mark}{name}"))).to_vec()
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a text holds a name that is no attribute.
fn uses(text: &str, name: &str) -> bool {
    let is_whole = |at: usize| !text[..at].ends_with(|c| is_word(c) || c == '.') && ends(text, at + name.len());
    text.match_indices(name).any(|(at, _)| is_whole(at))
}

/// Whether a text reads an attribute of any object.
fn reads(text: &str, name: &str) -> bool {
    text.match_indices(&format!(".{name}")).any(|(at, found)| ends(text, at + found.len()))
}

/// Whether a word ends at a place.
fn ends(text: &str, at: usize) -> bool {
    !text[at..].starts_with(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::{proposals, whole_proposals_in_python};

    #[test]
    fn a_parameter_that_is_forgotten_beside_a_field_of_its_name_is_kept() {
        let java = "class Jar {
    int limit;
    String name;
    Jar(int limit, String name) {
        this.name = name;
    }
    boolean isFull(int n) { return n >= limit; }
}";
        assert_eq!(proposals(&Unkept, java, 5), ["this.limit = limit;"]);
        assert!(proposals(&Unkept, java, 7).is_empty());
        let python = "class Jar:
    def __init__(self, limit, name=None):
        \"\"\"A jar.\"\"\"
        super().__init__()
        self.name = name

    def is_full(self, n):
        return n >= self._limit
";
        let kept = |source: &str, line| whole_proposals_in_python(&Unkept, source, line);
        let with = python.replace("        self.name", "        self._limit = limit\n        self.name");
        assert_eq!(kept(python, 5), [with]);
        assert!(kept(python, 4).is_empty(), "what a superclass does comes first");
        assert!(kept(&python.replace("self._limit", "self.most"), 5).is_empty());
        let alone = python.replace("        self.name = name\n", "").replace("limit, name=None", "*limit");
        let with = alone.replace("__init__()\n", "__init__()\n        self._limit = limit\n");
        assert_eq!(kept(&alone, 4), [with]);
        let elsewhere = python.replace("self._limit", "1") + "\n\ndef size(jar):\n    return jar.limit\n";
        assert_eq!(kept(&elsewhere, 5).len(), 1);
    }
}
