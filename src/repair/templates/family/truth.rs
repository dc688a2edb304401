//! The wrong one of two truths.
//!
//! Source: TBar's *mutate literal expression* (FP9). Example: `return false;` behind the loop of a check that found nothing
//! wrong becomes `return true;`.

use crate::templates::edit::Edit;
use crate::templates::shape::Shape;
use crate::templates::site::Site;
use crate::templates::{Prior, Template};

/// Turns a literal truth into the other one; the same in all languages.
pub struct Truth;

impl Template for Truth {
    fn name(&self) -> &'static str {
        "truth_value"
    }

    fn prior(&self) -> Prior {
        0.8
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for &node in &site.expressions {
            let other = match site.text(node) {
                "true" => "false",
                "false" => "true",
                "True" => "False",
                "False" => "True",
                _ => continue,
            };
            let weight = match node.parent().map(|parent| parent.shape()) {
                Some("argument_list" | "keyword_argument") => 0.8,
                Some("return_statement" | "assignment" | "assignment_expression" | "variable_declarator") => 0.9,
                _ => 0.6,
            };
            out.push(site.replacement(node, other, weight));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    #[test]
    fn what_is_returned_comes_before_what_is_compared() {
        let source = "class Gate {\n  boolean open() {\n    return true;\n  }\n  boolean shut(boolean a) {\n    \
                      return use(a == true, false);\n  }\n}\n";
        assert_eq!(proposals(&Truth, source, 3), ["return false;"]);
        let lines = proposals(&Truth, source, 6);
        assert_eq!(lines, ["return use(a == true, true);", "return use(a == false, false);"]);
    }
}
