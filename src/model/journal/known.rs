//! Events that are in the journal already, for those who tell them again.

use crate::domain::Event;
use serde_json::Value;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Members that do not make two events different: times, and details that follow from what else they say and that
/// journals of schema 1 did not hold.
const ASIDE: [&str; 6] = ["seconds", "change", "shown", "diagnostics", "failing", "fixed"];

/// Events by what they say, each as often as it is there.
#[derive(Debug, Default)]
pub(super) struct Known {
    left: HashMap<u64, usize>,
}

impl Known {
    /// Knows these events.
    pub(super) fn of<'e>(events: impl IntoIterator<Item = &'e Event>) -> Self {
        let mut known = Self::default();
        for event in events {
            if let Ok(value) = serde_json::to_value(event) {
                *known.left.entry(print(&value)).or_default() += 1;
            }
        }
        known
    }

    /// Whether the event is there; each counts once.
    pub(super) fn take(&mut self, event: &Value) -> bool {
        if self.left.is_empty() {
            return false;
        }
        let print = print(event);
        let Some(left) = self.left.get_mut(&print) else { return false };
        *left -= 1;
        if *left == 0 {
            self.left.remove(&print);
        }
        true
    }
}

fn print(event: &Value) -> u64 {
    let mut hash = DefaultHasher::new();
    for (name, value) in event.as_object().into_iter().flatten().filter(|(name, _)| !ASIDE.contains(&name.as_str())) {
        (name, value.to_string()).hash(&mut hash);
    }
    hash.finish()
}
