//! The wrong method: one with a similar name or the same arguments was meant.
//!
//! Source: TBar's *mutate method invocation expression* (FP10.1) and ManySStuBs4J's *wrong function name*.
//! Example: `queue.peekFirst()` where the youngest element was wanted becomes `queue.peekLast()`.

use crate::code::Method;
use crate::templates::edit::Edit;
use crate::templates::infer::returned;
use crate::templates::library::confusable;
use crate::templates::site::{Site, similarity};
use crate::templates::syntax::{arguments, bare};
use crate::templates::types::ValueType;
use crate::templates::{Prior, Template};
use std::collections::BTreeMap;
use tree_sitter::Node;

/// See the module.
pub(crate) struct MethodName;

/// Other methods proposed for one call.
const MAX_OTHERS: usize = 12;

impl Template for MethodName {
    fn name(&self) -> &'static str {
        "method_name"
    }

    fn prior(&self) -> Prior {
        0.65
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for node in site.of_kind("method_invocation") {
            let Some(name) = node.child_by_field_name("name") else { continue };
            let mut others: BTreeMap<String, f64> =
                confusable(site.text(name)).map(|other| (other.to_owned(), 0.8)).collect();
            for (other, weight) in project_methods(site, node, site.text(name)) {
                let known = others.entry(other).or_insert(0.0);
                *known = known.max(weight);
            }
            let mut others: Vec<_> = others.into_iter().collect();
            others.sort_by(|a, b| b.1.total_cmp(&a.1));
            for (other, weight) in others.into_iter().take(MAX_OTHERS) {
                out.push(site.replacement(name, other, weight));
            }
        }
    }
}

/// Methods of the receiver's class that take as many arguments and return what is wanted.
fn project_methods(site: &Site<'_>, call: Node<'_>, name: &str) -> Vec<(String, f64)> {
    let arity = arguments(call).len();
    let current = site.typer().callee(call);
    let wanted = site.kind(call);
    let fits = |method: &&Method| {
        let kind = returned(method);
        let same = match (&wanted, &kind) {
            (Some(wanted), Some(kind)) => wanted.accepts(kind) || wanted.erasure() == kind.erasure(),
            (None, _) => true,
            (Some(_), None) => false,
        };
        method.name != name && !method.constructor && method.params.len() == arity && same
    };
    let weight = |method: &Method| {
        let same_parameters = current.is_some_and(|current| current.params == method.params);
        0.5 * similarity(name, &method.name) + if same_parameters { 0.5 } else { 0.2 }
    };
    let found: Vec<&Method> = match call.child_by_field_name("object").map(bare).filter(|o| o.kind() != "this") {
        None => site.index.file(&site.unit.path).map_or_else(Vec::new, |file| file.methods().filter(fits).collect()),
        Some(receiver) => {
            let owner = site.kind(receiver).unwrap_or_else(|| ValueType::new(site.text(receiver)));
            let class = site.index.class(owner.erasure());
            class.map_or_else(Vec::new, |(_, class)| class.methods.iter().filter(fits).collect())
        }
    };
    found.into_iter().map(|method| (method.name.clone(), weight(method))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const LINE: &str = "import java.util.*;
class Line {
    Deque<String> queue;
    boolean isShort(String s) { return true; }
    boolean isLong(String s) { return false; }
    int length(String s) { return 0; }
    String youngest() {
        return isShort(queue.peekFirst()) ? null : queue.peekFirst();
    }
}";

    #[test]
    fn confusable_and_neighbouring_methods() {
        let lines = proposals(&MethodName, LINE, 8);
        for wanted in [
            "return isLong(queue.peekFirst()) ? null : queue.peekFirst();",
            "return isShort(queue.peekFirst()) ? null : queue.peekLast();",
        ] {
            assert!(lines.contains(&wanted.to_owned()), "{lines:?}");
        }
        assert!(!lines.iter().any(|line| line.contains("return length(")), "another result type");
    }
}
