//! Statements that should not be there, or stand in the wrong place.
//!
//! Source: TBar's *remove buggy statement* (FP15) and *move statement* (FP14).
//! Example: a counter that is increased before it is printed and should be increased after.

use crate::language::children;
use crate::templates::edit::Edit;
use crate::templates::shape::Shape;
use crate::templates::site::{Site, shortened};
use crate::templates::syntax::{is_loop, is_simple_statement};
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// Deletes a statement, or a branch.
pub struct Remove;

/// Exchanges neighbours, and moves a statement out of or into a block.
pub struct Move;

impl Template for Remove {
    fn name(&self) -> &'static str {
        "remove"
    }

    fn prior(&self) -> Prior {
        0.35
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let statement = site.statement;
        let text = shortened(site.text(statement));
        match statement.shape() {
            "expression_statement" | "break_statement" | "continue_statement" => {
                let empty = if site.in_block() { "" } else { "{ }" };
                out.push(Edit::replace(statement, empty, 0.7, format!("removed `{text}`")));
            }
            "return_statement" | "throw_statement" if !is_last(statement) => {
                out.push(Edit::replace(statement, "", 0.4, format!("removed `{text}`")));
            }
            "if_statement" => {
                let branches = ["consequence", "alternative"].map(|field| statement.part(field));
                if let [Some(then), other] = branches {
                    let note = format!("did always what `{text}` does sometimes");
                    out.push(Edit::replace(statement, site.text(then), 0.4, note));
                    let rest = other.map_or("", |other| site.text(other));
                    out.push(Edit::replace(statement, rest, 0.4, format!("removed the branch of `{text}`")));
                }
            }
            kind if is_loop(kind) => {
                out.push(Edit::replace(statement, "", 0.15, format!("removed the loop `{text}`")));
            }
            _ => {}
        }
    }
}

/// Whether nothing follows in the block: removing it there would leave the method without a result.
fn is_last(statement: Node<'_>) -> bool {
    statement.next_named_sibling().is_none()
        && statement.parent().and_then(|p| p.parent()).is_some_and(|above| above.shape().ends_with("_declaration"))
}

impl Template for Move {
    fn name(&self) -> &'static str {
        "move"
    }

    fn prior(&self) -> Prior {
        0.35
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let statement = site.statement;
        if !is_simple_statement(statement.shape()) || !site.in_block() {
            return;
        }
        let text = shortened(site.text(statement));
        if let Some(next) = statement.next_named_sibling().filter(|next| !next.is_extra()) {
            let note = format!("moved `{text}` behind `{}`", shortened(first_line(site.text(next))));
            out.push(Edit::swap(site.unit, statement, next, 0.8, note));
        }
        if let Some(before) =
            statement.prev_named_sibling().filter(|b| !b.is_extra() && !is_simple_statement(b.shape()))
        {
            // Neighbouring simple statements are exchanged from the first one's side.
            let note = format!("moved `{text}` before `{}`", shortened(first_line(site.text(before))));
            out.push(Edit::swap(site.unit, before, statement, 0.6, note));
            into_block(site, before, &text, out);
        }
        out_of_block(site, &text, out);
    }
}

/// To the end of the block that stands before the statement.
fn into_block(site: &Site<'_>, before: Node<'_>, text: &str, out: &mut Vec<Edit>) {
    let fields = ["body", "consequence", "alternative"];
    for body in fields.iter().filter_map(|field| before.part(field)).filter(|b| b.shape() == "block") {
        let moved = format!("    {}{}{}", site.text(site.statement), site.unit.line_end(), site.unit.indent(before));
        let note = format!("moved `{text}` into the block before it");
        let edit = Edit::replace(site.statement, "", 0.6, note);
        let at = body.end_byte().saturating_sub(1);
        out.push(edit.and(at..at, moved));
    }
}

/// Behind, and before, the loop or `if` around the statement.
fn out_of_block(site: &Site<'_>, text: &str, out: &mut Vec<Edit>) {
    let Some(block) = site.statement.parent().filter(|parent| parent.shape() == "block") else { return };
    let Some(around) = block.parent().filter(|around| around.shape().ends_with("_statement")) else { return };
    let in_list = around.parent().is_some_and(|p| matches!(p.shape(), "block" | "constructor_body"));
    let others = children(block).into_iter().filter(|n| n.is_named() && !n.is_extra()).count();
    if !in_list || others < 2 {
        return;
    }
    let (end, indent, code) = (site.unit.line_end(), site.unit.indent(around), site.text(site.statement));
    let removed = |note| Edit::replace(site.statement, "", 0.6, note);
    let behind = removed(format!("moved `{text}` behind the block around it"));
    out.push(behind.and(around.end_byte()..around.end_byte(), format!("{end}{indent}{code}")));
    let before = removed(format!("moved `{text}` before the block around it"));
    out.push(before.and(around.start_byte()..around.start_byte(), format!("{code}{end}{indent}")));
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::{proposals, whole_proposals};

    const COUNT: &str = "class Count {
    int n;
    int run(int[] all) {
        for (int a : all) {
            n++;
            log(n);
        }
        return n;
    }
}";

    #[test]
    fn removed_and_exchanged() {
        assert_eq!(proposals(&Remove, COUNT, 5), [""]);
        assert!(proposals(&Remove, COUNT, 8).is_empty(), "the last return stays");
        assert!(proposals(&Move, COUNT, 5).contains(&"log(n);".to_owned()));
    }

    #[test]
    fn moved_out_of_the_loop() {
        let all = whole_proposals(&Move, COUNT, 6);
        assert!(all.iter().any(|text| text.contains("}\n        log(n);\n        return n;")), "{all:#?}");
    }
}
