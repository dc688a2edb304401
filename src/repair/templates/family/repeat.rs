//! Something is done once that must be repeated, or repeated that must be done once.
//!
//! Source: TBar's *mutate conditional expression* (FP6) and ManySStuBs4J's *less specific if*, for the statement around
//! the condition. Example: `if (next != null) next = next.next;` in a search for the last node, which needs `while`.

use crate::templates::edit::Edit;
use crate::templates::shape::Shape;
use crate::templates::site::Site;
use crate::templates::{Prior, Template};

/// See the module.
pub struct Repeat;

impl Template for Repeat {
    fn name(&self) -> &'static str {
        "repeat"
    }

    fn prior(&self) -> Prior {
        0.3
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        let Some(word) = site.statement.child(0) else { return };
        let other = match site.statement.shape() {
            // An `if` with an `else` is no loop.
            "if_statement" if site.statement.part("alternative").is_none() => "while",
            "while_statement" => "if",
            _ => return,
        };
        let note = format!("replaced `{}` by `{other}`", site.text(word));
        out.push(Edit::replace(word, other, if other == "while" { 0.8 } else { 0.4 }, note));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    #[test]
    fn once_and_repeated() {
        let source = "class Last {
    int last(int n) {
        if (n > 9) {
            n = n / 10;
        }
        while (n < 0) {
            n++;
        }
        return n;
    }
}";
        assert_eq!(proposals(&Repeat, source, 3), ["while (n > 9) {"]);
        assert_eq!(proposals(&Repeat, source, 6), ["if (n < 0) {"]);
    }
}
