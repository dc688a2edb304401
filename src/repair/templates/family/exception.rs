//! Exceptions that are thrown instead of a result, or a result instead of an exception.
//!
//! Source: TBar's *insert missed statement* (FP4) and *mutate return statement* (FP12); ManySStuBs4J's *missing throws
//! exception*. Example: a parser that returns `null` for a blank line where its callers expect a refusal.

use crate::templates::edit::Edit;
use crate::templates::site::{Site, shortened};
use crate::templates::syntax::ancestors;
use crate::templates::{Prior, Template};

/// See the module.
pub(crate) struct Exception;

/// What a method says to a caller who asked for something impossible.
const REFUSALS: [&str; 2] = ["IllegalArgumentException", "IllegalStateException"];

impl Template for Exception {
    fn name(&self) -> &'static str {
        "exception"
    }

    fn prior(&self) -> Prior {
        0.3
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let statement = site.statement;
        let text = shortened(site.text(statement));
        match statement.kind() {
            "throw_statement" => {
                if let Some(leave) = site.bail_out() {
                    out.push(Edit::replace(statement, leave.clone(), 0.5, format!("replaced `{text}` by `{leave}`")));
                }
                for created in site.of_kind("object_creation_expression") {
                    let Some(kind) = created.child_by_field_name("type") else { continue };
                    for other in thrown_nearby(site).iter().filter(|other| *other != site.text(kind)) {
                        out.push(site.replacement(kind, other, 0.5));
                    }
                }
            }
            "return_statement" => {
                let nothing = statement.named_child(0).is_none_or(|value| value.kind().ends_with("_literal"));
                for refusal in REFUSALS.iter().filter(|_| nothing) {
                    let code = format!("throw new {refusal}();");
                    out.push(Edit::replace(statement, code.clone(), 0.5, format!("replaced `{text}` by `{code}`")));
                }
            }
            "expression_statement" if site.in_block() => caught(site, &text, out),
            _ => {}
        }
    }
}

/// Exceptions that this file throws elsewhere.
fn thrown_nearby(site: &Site<'_>) -> Vec<String> {
    let mined = std::iter::once(&site.own).chain(&site.near);
    let created =
        mined.flat_map(|ingredients| &ingredients.expressions).filter(|i| i.shape == "object_creation_expression");
    let mut names: Vec<String> = created
        .filter_map(|ingredient| ingredient.kind.as_ref())
        .filter(|kind| kind.erasure().ends_with("Exception"))
        .map(|kind| kind.as_str().to_owned())
        .chain(REFUSALS.iter().map(|name| (*name).to_owned()))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Swallows what the statement throws, when nothing around it catches yet.
fn caught(site: &Site<'_>, text: &str, out: &mut Vec<Edit>) {
    let calls = site.expressions.iter().any(|node| node.kind() == "method_invocation");
    let guarded = ancestors(site.statement).any(|above| above.kind().starts_with("try_"));
    if !calls || guarded {
        return;
    }
    let code = site.text(site.statement);
    let leave = site.bail_out().unwrap_or_default();
    let wrapped = format!("try {{ {code} }} catch (RuntimeException failed) {{ {leave} }}");
    out.push(Edit::replace(site.statement, wrapped, 0.2, format!("left the method when `{text}` throws")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    #[test]
    fn refusals_and_results_are_exchanged() {
        let source = "class Line {
    Object parse(String s) {
        if (s.isEmpty()) {
            return null;
        }
        if (s.startsWith(\"#\")) {
            throw new IllegalStateException(s);
        }
        return s;
    }
}";
        assert_eq!(proposals(&Exception, source, 4)[0], "throw new IllegalArgumentException();");
        let lines = proposals(&Exception, source, 7);
        assert_eq!(lines, ["return null;", "throw new IllegalArgumentException(s);"]);
        assert!(proposals(&Exception, source, 9).is_empty());
    }
}
