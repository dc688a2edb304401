//! Control that leaves a loop, a `switch` or a method in the wrong way, or does not leave.
//!
//! Source: TBar's *insert missed statement* (FP4) and *mutate return statement* (FP12), for jumps.
//! Example: a `switch` that falls through from one case into the next for want of a `break`.

use crate::templates::edit::Edit;
use crate::templates::shape::Shape;
use crate::templates::site::{Site, shortened};
use crate::templates::syntax::{ancestors, enclosing_loop};
use crate::templates::{Prior, Template};

/// See the module.
pub struct Jump;

impl Template for Jump {
    fn name(&self) -> &'static str {
        "jump"
    }

    fn prior(&self) -> Prior {
        0.4
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let in_loop = enclosing_loop(site.statement).is_some();
        let in_switch = site.statement.parent().is_some_and(|p| p.shape() == "switch_block_statement_group");
        match site.statement.shape() {
            "break_statement" | "continue_statement" => {
                let other = if site.statement.shape() == "break_statement" { "continue;" } else { "break;" };
                if in_loop {
                    out.push(replaced(site, other, 0.8));
                }
                out.extend(site.bail_out().map(|leave| replaced(site, &leave, 0.4)));
            }
            "return_statement" if in_loop => {
                out.push(replaced(site, "break;", 0.4));
                out.push(replaced(site, "continue;", 0.4));
            }
            "expression_statement" => {
                let last = site.statement.next_named_sibling().is_none();
                if in_switch && last {
                    out.push(site.insertion_after("break;", 0.9, "added the missing `break`"));
                } else if in_loop
                    && last
                    && ancestors(site.statement).nth(1).is_some_and(|n| n.shape() == "if_statement")
                {
                    for word in ["break;", "continue;"] {
                        out.push(site.insertion_after(word, 0.5, format!("added `{word}` to the branch")));
                    }
                }
            }
            _ => {}
        }
    }
}

fn replaced(site: &Site<'_>, by: &str, weight: f64) -> Edit {
    let note = format!("replaced `{}` by `{by}`", shortened(site.text(site.statement)));
    Edit::replace(site.statement, by, weight, note)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    #[test]
    fn jumps_are_exchanged_and_added() {
        let source = "class Mode {
    int read(int mode, int[] all) {
        int n = 0;
        for (int a : all) {
            if (a < 0) {
                continue;
            }
            switch (mode) {
                case 1:
                    n += a;
                default:
                    n++;
            }
        }
        return n;
    }
}";
        assert_eq!(proposals(&Jump, source, 6), ["break;", "return 0;"]);
        assert_eq!(proposals(&Jump, source, 10), ["break;"]);
    }
}
