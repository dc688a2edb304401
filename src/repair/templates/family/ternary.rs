//! A choice that should be no choice, or the other one.
//!
//! Source: TBar's *mutate conditional expression* (FP6) for `?:`, where neither operand is a statement.
//! Example: `width = wide ? parsed.width() : 80;` where asking `parsed` is itself the fault becomes `width = 80;`.

use crate::templates::edit::Edit;
use crate::templates::site::{Site, shortened};
use crate::templates::{Prior, Template};

/// See the module.
pub(crate) struct Ternary;

impl Template for Ternary {
    fn name(&self) -> &'static str {
        "ternary"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for node in site.of_kind("ternary_expression") {
            let part = |field: &str| node.child_by_field_name(field);
            let (Some(yes), Some(no)) = (part("consequence"), part("alternative")) else { continue };
            for (kept, which) in [(yes, "first"), (no, "second")] {
                let note =
                    format!("always the {which} choice, `{}`, in {}", shortened(site.text(kept)), site.place(node));
                out.push(Edit::replace(node, site.text(kept), 0.7, note));
            }
            let note =
                format!("exchanged the choices `{}` and `{}`", shortened(site.text(yes)), shortened(site.text(no)));
            out.push(Edit::swap(site.unit, yes, no, 0.6, note));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    #[test]
    fn one_of_two_or_the_other_way_round() {
        let source = "class Page {\n    int width(boolean wide, int n) {\n        return wide ? n : 80;\n    }\n}";
        assert_eq!(proposals(&Ternary, source, 3), ["return n;", "return 80;", "return wide ? 80 : n;"]);
    }
}
