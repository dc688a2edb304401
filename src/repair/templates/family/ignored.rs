//! A result that is made and thrown away.
//!
//! Source: SpotBugs' *return value of method ignored* (RV), the same in all languages.
//! Example: `weight.add(w);` of a `BigDecimal` becomes `weight = weight.add(w);`; in Python the last call of a function becomes
//! what it returns.

use crate::language::children;
use crate::templates::edit::Edit;
use crate::templates::scope::Variable;
use crate::templates::site::{Site, shortened};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(crate) struct Ignored;

/// Methods of values that nothing changes, where nothing is known of types.
const PURE: [&str; 24] = [
    "strip",
    "lstrip",
    "rstrip",
    "lower",
    "upper",
    "title",
    "replace",
    "join",
    "format",
    "encode",
    "decode",
    "union",
    "trim",
    "concat",
    "toLowerCase",
    "toUpperCase",
    "replaceAll",
    "substring",
    "add",
    "subtract",
    "multiply",
    "divide",
    "negate",
    "plus",
];

impl Template for Ignored {
    fn name(&self) -> &'static str {
        "ignored_result"
    }

    fn prior(&self) -> Prior {
        0.7
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let value = site.statement.named_child(0).filter(|_| site.statement.kind() == "expression_statement");
        let Some(call) = value.filter(|value| matches!(value.kind(), "method_invocation" | "call")) else { return };
        let text = site.text(call);
        let put = |word: String, weight: f64| {
            let note = format!("put `{}` in front of `{}`", word.trim_end(), shortened(text));
            Edit::insert(call.start_byte(), word, weight, note)
        };
        for (name, weight) in keepers(site, call) {
            out.push(put(format!("{name} = "), weight));
        }
        if site.unit.language.is_indented() && is_last(site.statement) {
            out.push(put("return ".into(), 0.8));
        }
    }
}

/// Variables that may keep the result of a call, with weights: what the call asks, then what it takes.
fn keepers<'s>(site: &'s Site<'_>, call: Node<'_>) -> Vec<(&'s str, f64)> {
    let method = call.child_by_field_name("function").unwrap_or(call);
    let part = |field: &str| method.child_by_field_name(field).map(|node| site.text(node));
    let name = part("name").or_else(|| part("attribute")).unwrap_or_else(|| site.text(method));
    let result = site.kind(call).filter(|kind| !matches!(kind.as_str(), "void" | "boolean"));
    let takes = |variable: &Variable| match (&variable.kind, &result) {
        (Some(kind), Some(result)) => kind.accepts(result),
        _ => result.is_none() && PURE.contains(&name),
    };
    let known = |text: &str| site.scope.iter().find(|variable| variable.name == text && !variable.constant);
    let asked = part("object").and_then(known).filter(|variable| takes(variable)).map(|v| (v.name.as_str(), 1.0));
    let arguments = call.child_by_field_name("arguments").map(children).unwrap_or_default();
    let gives = result.is_some() || is_given_back(site, name);
    let taken = arguments.into_iter().filter_map(|node| known(site.text(node)));
    let taken = taken.filter(|variable| gives && (result.is_none() || takes(variable)));
    asked.into_iter().chain(taken.map(|variable| (variable.name.as_str(), 0.7))).collect()
}

/// Whether a function of the project with that name returns something.
fn is_given_back(site: &Site<'_>, name: &str) -> bool {
    let gives = |text: &str| text.lines().any(|line| line.trim_start().starts_with("return "));
    site.unit.language.is_indented() && site.index.methods_named(name).any(|method| gives(site.index.text(method)))
}

/// Whether a statement is the last one of a function, or of a branch that ends it.
fn is_last(statement: Node<'_>) -> bool {
    let mut node = statement;
    while let Some(parent) = node.parent() {
        let is_part = matches!(node.kind(), "block" | "elif_clause" | "else_clause");
        let mut after = std::iter::successors(node.next_named_sibling(), |next| next.next_named_sibling());
        if !is_part && after.any(|next| !next.is_extra()) {
            return false;
        }
        match parent.kind() {
            "function_definition" => return true,
            "block" | "if_statement" | "elif_clause" | "else_clause" | "with_statement" => node = parent,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::{proposals, whole_proposals_in_python};

    #[test]
    fn what_is_asked_or_taken_keeps_the_result() {
        let java = "import java.math.BigDecimal;
class Sum {
    BigDecimal all = BigDecimal.ZERO;
    void put(BigDecimal one, String name) {
        all.add(one);
        name.trim();
        System.out.println(name);
        clean(name);
    }
    String clean(String name) { return name; }
}";
        assert!(proposals(&Ignored, java, 5).contains(&"all = all.add(one);".to_owned()));
        assert_eq!(proposals(&Ignored, java, 6), ["name = name.trim();"]);
        assert!(proposals(&Ignored, java, 7).is_empty());
        assert_eq!(proposals(&Ignored, java, 8), ["name = clean(name);"]);
    }

    #[test]
    fn in_python_the_last_call_is_returned() {
        let source = "def clean(text):\n    text.strip()\n    if text:\n        g(text)\n    else:\n        h(text)\n";
        let of = |line| whole_proposals_in_python(&Ignored, source, line);
        assert_eq!(of(2), [source.replace("    text.", "    text = text.")]);
        assert_eq!(of(4), [source.replace("g(", "return g(")]);
        assert_eq!(of(6), [source.replace("h(", "return h(")]);
        let nested = "def f(x):\n    if x:\n        if x > 1:\n            g(x)\n    h(x)\n";
        assert!(whole_proposals_in_python(&Ignored, nested, 4).is_empty(), "more follows");
        assert_eq!(whole_proposals_in_python(&Ignored, nested, 5).len(), 1);
        let known = format!("{source}def g(text):\n    return text\n");
        assert!(
            whole_proposals_in_python(&Ignored, &known, 4)
                .contains(&known.replace(" g(text)\n    e", " text = g(text)\n    e"))
        );
    }
}
