//! Calls in the wrong order: the second step of a chain should be the first.
//!
//! Source: TBar's *mutate method invocation expression* (FP10) and *move statement* (FP14), inside one expression.
//! Example: `text.toLowerCase().replace("A", "b")`, which never finds a capital letter.

use crate::templates::edit::Edit;
use crate::templates::site::{Site, shortened};
use crate::templates::{Prior, Template};

/// See the module.
pub(crate) struct Chain;

impl Template for Chain {
    fn name(&self) -> &'static str {
        "chain"
    }

    fn prior(&self) -> Prior {
        0.5
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for outer in site.of_kind("method_invocation") {
            let Some(inner) = outer.child_by_field_name("object").filter(|o| o.kind() == "method_invocation") else {
                continue;
            };
            let Some(start) = inner.child_by_field_name("object") else { continue };
            let text = &site.unit.text;
            let first = &text[start.end_byte()..inner.end_byte()];
            let second = &text[inner.end_byte()..outer.end_byte()];
            let same = match (site.kind(start), site.kind(inner), site.kind(outer)) {
                (Some(a), Some(b), Some(c)) => a.erasure() == b.erasure() && b.erasure() == c.erasure(),
                _ => true,
            };
            let weight = if same { 0.8 } else { 0.3 };
            if first != second {
                let note = format!("exchanged the calls `{}` and `{}`", shortened(first), shortened(second));
                out.push(Edit::replace(outer, format!("{}{second}{first}", site.text(start)), weight, note));
            }
            let note = format!("dropped the call `{}`", shortened(first));
            out.push(Edit::replace(outer, format!("{}{second}", site.text(start)), weight * 0.6, note));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    #[test]
    fn steps_change_places() {
        let source = "class Slug {
    String slug(String text) {
        return text.toLowerCase().replace(\"A\", \"b\");
    }
}";
        assert_eq!(
            proposals(&Chain, source, 3),
            ["return text.replace(\"A\", \"b\").toLowerCase();", "return text.replace(\"A\", \"b\");"]
        );
    }
}
