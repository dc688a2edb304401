//! A call that mixes up two others of the same name: the receiver of one with the arguments of the other.
//!
//! Source: ManySStuBs4J's *change caller in function call* together with *change operand*, as one edit; ingredients as
//! in TBar's *mutate method invocation expression* (FP10).
//! Example: `drafts.put(mail, when)` beside `sent.put(mail.id, now)`, where `sent.put(mail.id, when)` was meant.

use crate::language::{self, Java};
use crate::templates::edit::Edit;
use crate::templates::site::{Site, similarity};
use crate::templates::syntax::arguments;
use crate::templates::{Prior, Template};
use tree_sitter::Node;

/// See the module.
pub(crate) struct Crossover;

/// Calls nearby that are mixed in.
const MAX_OTHERS: usize = 8;

/// A call in pieces.
struct Call {
    receiver: String,
    arguments: Vec<String>,
}

impl Template for Crossover {
    fn name(&self) -> &'static str {
        "crossover"
    }

    fn prior(&self) -> Prior {
        0.3
    }

    fn propose(&self, site: &Site<'_>, out: &mut Vec<Edit>) {
        for node in site.of_kind("method_invocation") {
            let name = node.child_by_field_name("name").map_or("", |name| site.text(name));
            let Some(receiver) = node.child_by_field_name("object") else { continue };
            let own: Vec<&str> = arguments(node).into_iter().map(|argument| site.text(argument)).collect();
            for other in others(site, name, own.len()) {
                for kept in masks(own.len()) {
                    let mixed: Vec<&str> = (0..own.len())
                        .map(|at| if kept & (1 << at) != 0 { own[at] } else { other.arguments[at].as_str() })
                        .collect();
                    let text = format!("{}.{name}({})", other.receiver, mixed.join(", "));
                    let weight = 0.5 + 0.5 * similarity(site.text(receiver), &other.receiver);
                    out.push(site.replacement(node, text, weight));
                }
            }
        }
    }
}

/// Which arguments stay: any, but not all of three or more mixtures.
fn masks(arity: usize) -> std::ops::Range<usize> {
    0..(1 << arity.min(3))
}

/// Calls of the same name and arity in this member, with all their variables in sight.
fn others(site: &Site<'_>, name: &str, arity: usize) -> Vec<Call> {
    let calls = site.own.expressions.iter().filter(|i| i.shape == "method_invocation");
    let named = calls.filter(|i| i.text.contains(&format!(".{name}(")));
    let visible = named.filter(|i| i.uses.iter().all(|u| site.scope.iter().any(|v| v.name == u.name)));
    visible
        .filter_map(|i| pieces(&i.text, name))
        .filter(|call| call.arguments.len() == arity)
        .take(MAX_OTHERS)
        .collect()
}

/// Receiver and arguments of a call's text.
fn pieces(text: &str, name: &str) -> Option<Call> {
    let statement = format!("{text};");
    let tree = language::parse(&statement, &Java)?;
    let mut found = None;
    language::preorder(tree.root_node(), |node: Node<'_>| {
        if found.is_none() && node.kind() == "method_invocation" && node.start_byte() == 0 {
            let called = node.child_by_field_name("name").map(|n| language::text_of(n, &statement));
            let receiver = node.child_by_field_name("object").map(|n| language::text_of(n, &statement).to_owned());
            if let (Some(called), Some(receiver)) = (called, receiver)
                && called == name
            {
                let of = |n: Node<'_>| language::text_of(n, &statement).to_owned();
                found = Some(Call { receiver, arguments: arguments(node).into_iter().map(of).collect() });
            }
        }
        found.is_none()
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::testing::proposals;

    #[test]
    fn receiver_and_arguments_are_mixed() {
        let source = "import java.util.*;
class Box {
    void send(Map<String, Integer> sent, Map<Mail, Integer> drafts, Mail mail, int now, int later) {
        sent.put(mail.id, now);
        drafts.put(mail, later);
    }
}";
        let lines = proposals(&Crossover, source, 5);
        assert!(lines.contains(&"sent.put(mail.id, later);".to_owned()), "{lines:?}");
    }
}
