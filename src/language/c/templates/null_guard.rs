//! A pointer that is followed although it may be `NULL`.
//!
//! Source: TBar's *insert null pointer checker* (FP2), for pointers.
//! Example: `while (at->next != NULL)` on a list that may be empty becomes `while (at != NULL && at->next != NULL)`.

use tree_sitter::Node;
use unidebug_repair::templates::shape::Shape;
use unidebug_repair::templates::syntax::{bare, condition_of};
use unidebug_repair::templates::{Edit, Prior, Site, Template};

/// See the module.
pub(super) struct NullGuard;

impl Template for NullGuard {
    fn name(&self) -> &'static str {
        "null_guard"
    }

    fn prior(&self) -> Prior {
        0.8
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        // After a crash it is the likeliest of all.
        let share = if site.clues.crashed { 1.0 } else { 0.4 };
        for name in followed(site) {
            if let Some(condition) = condition_of(site.statement) {
                let old = site.text(condition);
                let operand = if old.contains("||") || old.contains('?') { format!("({old})") } else { old.to_owned() };
                let note = format!("asked first whether `{name}` is `NULL`");
                out.push(Edit::replace(condition, format!("{name} != NULL && {operand}"), share, note.clone()));
                out.push(Edit::replace(condition, format!("{name} == NULL || {operand}"), share * 0.6, note));
            } else if site.in_block() && site.statement.shape() != "local_variable_declaration" {
                let text = site.text(site.statement);
                let indent = site.unit.indent(site.statement);
                let end = site.unit.line_end();
                let guarded = format!("if ({name} != NULL) {{{end}{indent}    {text}{end}{indent}}}");
                let note = format!("left out what follows `{name}` where it is `NULL`");
                out.push(Edit::replace(site.statement, guarded, share * 0.7, note));
            }
            if let Some(leave) = site.bail_out().filter(|_| site.in_block()) {
                let code = format!("if ({name} == NULL) {{ {leave} }}");
                out.push(site.insertion_before(&code, share * 0.6, format!("left where `{name}` is `NULL`")));
            }
        }
    }
}

/// Pointers that the statement follows, each once.
fn followed<'s>(site: &Site<'s>) -> Vec<&'s str> {
    let mut names: Vec<&str> = Vec::new();
    for &node in &site.expressions {
        let Some(inner) = pointer(site, node).map(bare).filter(|inner| inner.kind() == "identifier") else { continue };
        let name = site.text(inner);
        let is_pointer = site.kind(inner).is_some_and(|kind| kind.is_array());
        if is_pointer && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What a node follows: `p` of `p->next`, `*p` and `p[i]`.
fn pointer<'t>(site: &Site<'_>, node: Node<'t>) -> Option<Node<'t>> {
    let follows = match node.kind() {
        "field_expression" => site.text(node.child_by_field_name("operator")?) == "->",
        "pointer_expression" => site.text(node).starts_with('*'),
        "subscript_expression" => true,
        _ => false,
    };
    node.child_by_field_name("argument").filter(|_| follows)
}
