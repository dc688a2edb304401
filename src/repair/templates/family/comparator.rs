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
        differences(site, out);
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

/// A difference that a comparison returns, which overflows for numbers far apart.
fn differences(site: &Site<'_>, out: &mut Vec<Edit>) {
    let value = site.statement.named_child(0).filter(|_| site.statement.kind() == "return_statement");
    let Some(node) = value.filter(|value| value.kind() == "binary_expression") else { return };
    let side = |field: &str| node.child_by_field_name(field);
    let (Some(left), Some(sign), Some(right)) = (side("left"), side("operator"), side("right")) else { return };
    let compares = site.callable().and_then(|method| method.child_by_field_name("name"));
    let compares = compares.is_some_and(|name| site.text(name).starts_with("compare"));
    if compares && site.text(sign) == "-" && !is_compound_expression(left) && !is_compound_expression(right) {
        let text = format!("Integer.compare({}, {})", site.text(left), site.text(right));
        out.push(site.replacement(node, text, 0.9));
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
    fn a_difference_becomes_a_comparison() {
        let code = "class Step {
    int at;
    public int compareTo(Step other) {
        return at - other.at;
    }
    int to(Step other) {
        return at - other.at;
    }
}";
        assert_eq!(proposals(&Comparator, code, 4), ["return Integer.compare(at, other.at);"]);
        assert!(proposals(&Comparator, code, 7).is_empty());
    }

    #[test]
    fn the_other_direction() {
        assert_eq!(proposals(&Comparator, RANK, 4), ["return right.compareTo(left);"]);
        assert_eq!(proposals(&Comparator, RANK, 7), ["all.sort(Comparator.comparing(String::length).reversed());"]);
    }
}
