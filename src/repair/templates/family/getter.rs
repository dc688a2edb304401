//! A value of one's own where the one that another object carries was meant.
//!
//! Source: TBar's *mutate variable* (FP13.2: by an expression). The expression is the getter that carries the name of
//! the wanted type, the commonest idiom of Java's interfaces; whether it exists is for the compiler to say.
//! Example: `format(date, locale)` with the formatter's own `locale` becomes `format(date, request.getLocale())`.

use crate::templates::edit::Edit;
use crate::templates::scope::Origin;
use crate::templates::site::Site;
use crate::templates::{Prior, Template};

/// See the module.
pub(crate) struct Getter;

/// Objects asked for one value at most.
const MAX_OWNERS: usize = 3;

impl Template for Getter {
    fn name(&self) -> &'static str {
        "getter"
    }

    fn prior(&self) -> Prior {
        0.35
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let is_class = |name: &str| name.starts_with(|c: char| c.is_uppercase()) && name.len() > 1;
        for node in site.of_kind("identifier") {
            let Some(variable) = site.scope.iter().find(|v| v.name == site.text(node)) else { continue };
            let Some(kind) = variable.kind.as_ref().filter(|kind| is_class(kind.erasure()) && !kind.is_array()) else {
                continue;
            };
            let assigned = node.parent().is_some_and(|parent| {
                parent.kind() == "assignment_expression" && parent.child_by_field_name("left") == Some(node)
            });
            if assigned || kind.is_string() || kind.is_numeric() || kind.is_boolean() {
                continue;
            }
            let is_object = |kind: &crate::templates::types::ValueType| {
                is_class(kind.erasure()) && !kind.is_array() && !kind.is_string() && !kind.is_numeric()
            };
            let owners = site.scope.iter().filter(|owner| {
                owner.origin != Origin::Field
                    && owner.name != variable.name
                    && owner.kind.as_ref().is_some_and(|of| is_object(of) && of.erasure() != kind.erasure())
            });
            for owner in owners.take(MAX_OWNERS) {
                let weight = if variable.origin == Origin::Field { 0.9 } else { 0.5 };
                out.push(site.replacement(node, format!("{}.get{}()", owner.name, kind.erasure()), weight));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    #[test]
    fn the_object_at_hand_is_asked_for_what_a_field_holds() {
        let source = "import java.util.*;
class Clock {
    TimeZone zone;
    String show(Calendar calendar, int style) {
        return render(zone, style);
    }
}";
        assert_eq!(proposals(&Getter, source, 5), ["return render(calendar.getTimeZone(), style);"]);
    }
}
