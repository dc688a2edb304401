//! An exception of the inside reaches a caller who waits for another one.
//!
//! Source: TBar's *insert missed statement* (FP4) around a statement, as the exception-handling patterns of
//! ManySStuBs4J; both exceptions are known from the failing tests. Example: a store that lets a `ClassCastException` of
//! its map through where callers were promised an `IllegalArgumentException`.

use crate::language::children;
use crate::templates::edit::Edit;
use crate::templates::site::{Site, shortened};
use crate::templates::syntax::ancestors;
use crate::templates::{Prior, Template};

/// See the module.
pub(crate) struct Translate;

impl Template for Translate {
    fn name(&self) -> &'static str {
        "translate"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let kind = site.statement.kind();
        let wraps = matches!(kind, "expression_statement" | "return_statement" | "local_variable_declaration");
        let works = site.expressions.iter().any(|node| {
            matches!(
                node.kind(),
                "method_invocation"
                    | "array_access"
                    | "cast_expression"
                    | "object_creation_expression"
                    | "field_access"
            )
        });
        if !wraps || !works || !site.in_block() {
            return;
        }
        let (before, code) = hoisted(site);
        for thrown in &site.clues.thrown {
            let known = |above: tree_sitter::Node<'_>| {
                above.kind().starts_with("try_") && site.text(above).contains(&format!("catch ({thrown} "))
            };
            if ancestors(site.statement).any(known) {
                continue;
            }
            let wrap = |handler: &str| format!("{before}try {{ {code} }} catch ({thrown} failed) {{ {handler} }}");
            for expected in site.clues.expected.iter().filter(|expected| *expected != thrown) {
                let note = format!("turned `{thrown}` of `{}` into `{expected}`", shortened(site.text(site.statement)));
                let handler = format!("throw new {expected}(failed.getMessage());");
                out.push(Edit::replace(site.statement, wrap(&handler), 0.9, note));
            }
            if let Some(leave) = site.bail_out() {
                let note = format!("left the method when `{}` throws", shortened(site.text(site.statement)));
                out.push(Edit::replace(site.statement, wrap(&leave), 0.4, note));
            }
        }
    }
}

/// What must stand in front of the `try`, and the statement inside: a variable that is used later is declared outside.
fn hoisted(site: &Site<'_>) -> (String, String) {
    let code = site.text(site.statement).to_owned();
    if site.statement.kind() != "local_variable_declaration" {
        return (String::new(), code);
    }
    let declarators: Vec<_> =
        children(site.statement).into_iter().filter(|child| child.kind() == "variable_declarator").collect();
    let [only] = declarators.as_slice() else { return (String::new(), code) };
    let parts = (site.statement.child_by_field_name("type"), only.child_by_field_name("name"));
    let (Some(kind), Some(name), Some(value)) = (parts.0, parts.1, only.child_by_field_name("value")) else {
        return (String::new(), code);
    };
    if site.text(kind) == "var" {
        return (String::new(), code);
    }
    (format!("{} {}; ", site.text(kind), site.text(name)), format!("{} = {};", site.text(name), site.text(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::Clues;
    use crate::templates::testing::{proposals, whole_proposals_for};

    const STORE: &str = "class Store {
    int find(java.util.TreeMap<Object, Integer> map, Object key) {
        Integer found = map.get(key);
        return found;
    }
}";

    #[test]
    fn what_came_becomes_what_was_waited_for() {
        let clues = Clues {
            thrown: vec!["ClassCastException".into()],
            expected: vec!["IllegalArgumentException".into()],
            ..Clues::default()
        };
        let texts = whole_proposals_for(&Translate, STORE, 3, &clues);
        let wanted = "Integer found; try { found = map.get(key); } catch (ClassCastException failed) \
                      { throw new IllegalArgumentException(failed.getMessage()); }";
        assert!(texts.iter().any(|text| text.contains(wanted)), "{texts:#?}");
        assert!(proposals(&Translate, STORE, 3).is_empty(), "nothing is known of exceptions");
    }
}
