//! A comparison in the wrong direction: ascending for descending, receiver for argument.
//!
//! Source: ManySStuBs4J's *same function swap args* and *change caller in function call*.
//! Example: a ranking sorted by `left.points.compareTo(right.points)` that should start with the best.

use crate::templates::edit::Edit;
use crate::templates::site::{Site, shortened};
use crate::templates::syntax::{arguments, is_compound_expression};
use crate::templates::{Prior, Template};

/// See the module.
pub(crate) struct Comparator;

impl Template for Comparator {
    fn name(&self) -> &'static str {
        "comparator"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for node in site.of_kind("method_invocation") {
            let name = node.child_by_field_name("name").map_or("", |name| site.text(name));
            let receiver = node.child_by_field_name("object");
            let args = arguments(node);
            if let (Some(receiver), [argument]) = (receiver, args.as_slice()) {
                let same = match (site.kind(receiver), site.kind(*argument)) {
                    (Some(a), Some(b)) => a.erasure() == b.erasure() && !a.is_primitive(),
                    _ => name.starts_with("compareTo"),
                };
                let symmetric = matches!(name, "equals" | "equalsIgnoreCase");
                if same && !symmetric && !is_compound_expression(*argument) {
                    let (a, b) = (shortened(site.text(receiver)), shortened(site.text(*argument)));
                    let weight = if name.starts_with("compareTo") { 0.9 } else { 0.7 };
                    out.push(Edit::swap(site.unit, receiver, *argument, weight, format!("swapped `{a}` and `{b}`")));
                }
            }
            let ordered =
                matches!(name, "comparing" | "comparingInt" | "comparingLong" | "comparingDouble" | "naturalOrder");
            if ordered {
                let note = format!("reversed the order of `{}`", shortened(site.text(node)));
                let text = if name == "naturalOrder" {
                    site.text(node).replacen("naturalOrder", "reverseOrder", 1)
                } else {
                    format!("{}.reversed()", site.text(node))
                };
                out.push(Edit::replace(node, text, 0.6, note));
            }
            if let Some(receiver) = receiver.filter(|_| name == "reversed") {
                out.push(site.replacement(node, site.text(receiver), 0.8));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    const RANK: &str = "import java.util.*;
class Rank {
    int order(String left, String right) {
        return left.compareTo(right);
    }
    void sort(List<String> all) {
        all.sort(Comparator.comparing(String::length));
    }
}";

    #[test]
    fn the_other_direction() {
        assert_eq!(proposals(&Comparator, RANK, 4), ["return right.compareTo(left);"]);
        assert_eq!(proposals(&Comparator, RANK, 7), ["all.sort(Comparator.comparing(String::length).reversed());"]);
    }
}
