//! The wrong object is made: another implementation of the same interface keeps the order that is wanted.
//!
//! Source: TBar's *mutate class instance creation* (FP5).
//! Example: headers that must be printed as they were added, kept in a `new HashMap<>()`, become a `LinkedHashMap`.

use crate::templates::edit::Edit;
use crate::templates::site::Site;
use crate::templates::{Prior, Template};

/// See the module.
pub(crate) struct Creation;

/// Classes with the same interface and another order.
const SIBLINGS: &[(&str, &[&str])] = &[
    ("HashMap", &["LinkedHashMap", "TreeMap"]),
    ("LinkedHashMap", &["HashMap", "TreeMap"]),
    ("TreeMap", &["LinkedHashMap", "HashMap"]),
    ("HashSet", &["LinkedHashSet", "TreeSet"]),
    ("LinkedHashSet", &["TreeSet", "HashSet"]),
    ("TreeSet", &["LinkedHashSet", "HashSet"]),
    ("Stack", &["LinkedList"]),
    ("ArrayDeque", &["LinkedList"]),
    ("StringBuffer", &["StringBuilder"]),
];

impl Template for Creation {
    fn name(&self) -> &'static str {
        "creation"
    }

    fn prior(&self) -> Prior {
        0.3
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for node in site.of_kind("object_creation_expression") {
            let Some(kind) = node.child_by_field_name("type") else { continue };
            let text = site.text(kind);
            let (name, rest) = text.split_at(text.find('<').unwrap_or(text.len()));
            let simple = name.rsplit('.').next().unwrap_or(name);
            let Some((_, others)) = SIBLINGS.iter().find(|(known, _)| *known == simple) else { continue };
            for (at, other) in others.iter().enumerate() {
                // The full name spares an import.
                let weight = 0.7 / (1.0 + at as f64 * 0.3);
                out.push(site.replacement(kind, format!("java.util.{other}{rest}"), weight));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    #[test]
    fn another_order() {
        let source = "import java.util.*;
class Headers {
    Map<String, String> all = new HashMap<>();
}";
        assert_eq!(
            proposals(&Creation, source, 3),
            [
                "Map<String, String> all = new java.util.LinkedHashMap<>();",
                "Map<String, String> all = new java.util.TreeMap<>();"
            ]
        );
    }
}
