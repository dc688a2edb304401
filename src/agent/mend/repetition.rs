//! Memory of the calls of one agent run: doing the same again teaches nothing.

use serde_json::Value;
use std::collections::HashMap;

/// Which calls were made in this agent run, and when.
#[derive(Debug, Clone, Default)]
pub struct Repetition {
    cycles: HashMap<(String, String), u32>,
}

impl Repetition {
    /// Remembers a call, or refuses it when the same tool was called with the same arguments before. Order of keys,
    /// white space around texts and arguments that are null make no difference. The refusal is told to the model.
    ///
    /// # Errors
    /// The call repeats an earlier one; the text names its cycle.
    pub fn admit(&mut self, tool: &str, args: &Value, cycle: u32) -> Result<(), String> {
        match self.cycles.entry((tool.to_owned(), normal_form(args))) {
            std::collections::hash_map::Entry::Occupied(earlier) => Err(format!(
                "`{tool}` with the same arguments was already called in cycle {}; its result is among the gathered \
                 information; use it, or call with other arguments",
                earlier.get()
            )),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(cycle);
                Ok(())
            }
        }
    }

    /// Forgets all calls of a tool: its results can be different now, as those of the tests after a change.
    pub fn forget(&mut self, tool: &str) {
        self.cycles.retain(|(name, _), _| name != tool);
    }
}

/// Equal for arguments that mean the same.
fn normal_form(args: &Value) -> String {
    fn normal(value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(text.trim().to_owned()),
            Value::Array(items) => items.iter().map(normal).collect(),
            Value::Object(members) => {
                let mut sorted: Vec<_> = members.iter().filter(|(_, value)| !value.is_null()).collect();
                sorted.sort_by_key(|(key, _)| key.as_str());
                Value::Object(sorted.into_iter().map(|(key, value)| (key.clone(), normal(value))).collect())
            }
            other => other.clone(),
        }
    }
    normal(args).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_same_call_is_refused_with_its_cycle() {
        let mut memory = Repetition::default();
        memory.admit("read_range", &json!({"file_path": "A.java", "start_line": 1}), 2).unwrap();
        memory.admit("read_range", &json!({"file_path": "A.java", "start_line": 2}), 3).unwrap();
        let same = json!({"start_line": 1, "file_path": " A.java", "end_line": null});
        assert!(memory.admit("read_range", &same, 4).unwrap_err().contains("cycle 2"));
        memory.admit("extract_method", &same, 5).unwrap();
        memory.forget("read_range");
        memory.admit("read_range", &same, 6).unwrap();
    }
}
