//! A variable that is read before anything gave it a value.
//!
//! Example: `UnboundLocalError` of `found` in `for x in xs: found = x` gets `found = None` in front of the loop.

use super::tree::function;
use crate::domain::words;
use crate::templates::edit::Edit;
use crate::templates::site::{Site, shortened};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(super) struct Initial;

impl Template for Initial {
    fn name(&self) -> &'static str {
        "missing_initialization"
    }

    fn prior(&self) -> Prior {
        0.95
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let Some(function) = function(site.statement) else { return };
        let Some(outermost) = outermost(site.statement, function) else { return };
        let (end, indent) = (site.unit.line_end(), site.unit.indent(outermost));
        for name in site.clues.undefined.iter().filter(|name| words::names(site.text(outermost), name)) {
            for (value, weight) in values(site.text(function), name) {
                let code = format!("{name} = {value}");
                let note = format!("inserted `{code}` before `{}`", shortened(site.text(outermost)));
                out.push(Edit::insert(outermost.start_byte(), format!("{code}{end}{indent}"), weight, note));
            }
        }
    }
}

/// The statement of the function's own block that holds a statement.
fn outermost<'t>(statement: Node<'t>, function: Node<'t>) -> Option<Node<'t>> {
    let body = function.child_by_field_name("body")?;
    std::iter::successors(Some(statement), |node| node.parent()).find(|node| node.parent() == Some(body))
}

/// What a variable may begin with, by what is done with it.
fn values(function: &str, name: &str) -> Vec<(&'static str, f64)> {
    const ALL: [(&str, &[&str]); 6] = [
        ("[]", &[".append(", ".extend(", ".insert("]),
        ("set()", &[".add(", ".discard("]),
        ("{}", &["[", ".setdefault(", ".update(", ".items("]),
        ("0", &[" += 1", " -= 1", " + 1"]),
        ("\"\"", &[" += \"", " += '", " += f"]),
        ("False", &[" = True"]),
    ];
    let is_done = |what: &&str| function.contains(&format!("{name}{what}"));
    let likely = ALL.iter().map(|(value, done)| (*value, if done.iter().any(is_done) { 1.0 } else { 0.5 }));
    likely.chain([("None", 0.8)]).collect()
}
