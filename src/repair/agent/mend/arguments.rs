//! Arguments against the schema of a tool: names mended, near types converted, the rest refused with what is known.

use super::values::{a_type, convert, is_of, shown, types};
use super::{Match, Threshold, match_name, quoted};
use crate::domain::Refusal;
use serde_json::{Map, Value};

/// References deeper than this do not occur in schemas of tools; a cyclic one ends here.
const MAX_DEPTH: usize = 16;

/// Mends arguments by the tool's JSON schema (`properties`, `required`, local `$ref`s). Returns the arguments and a
/// note for each change; what is not clear is refused. Values are converted only where nothing is lost: `"12"` for a
/// number, one text for a list of texts, a list of lines for a text, JSON inside a text.
///
/// # Errors
/// An argument is missing, ambiguous or of another type; the text is for the model.
pub fn mend_args(args: &Value, schema: &Value, threshold: Threshold) -> Result<(Value, Vec<String>), Refusal> {
    let mut mender = Mender { root: schema, threshold, notes: Vec::new() };
    let args = mender.whole(args)?;
    Ok((args, mender.notes))
}

struct Mender<'a> {
    root: &'a Value,
    threshold: Threshold,
    notes: Vec<String>,
}

impl Mender<'_> {
    /// The top level: an object; a lone value is taken for the only argument that is needed.
    fn whole(&mut self, args: &Value) -> Result<Value, Refusal> {
        let schema = self.resolve(self.root, 0);
        let args = match args {
            Value::Null => Value::Object(Map::new()),
            Value::String(text) if text.trim_start().starts_with('{') => {
                serde_json::from_str(text).unwrap_or_else(|_| args.clone())
            }
            other => other.clone(),
        };
        if args.is_object() {
            return self.object(&args, schema, "", 0);
        }
        match (required(schema).as_slice(), properties(schema).map(Map::len)) {
            (&[only], _) => self.lone(only, args, schema),
            (&[], Some(1)) => {
                let only = properties(schema).and_then(|all| all.keys().next().cloned()).unwrap_or_default();
                self.lone(&only, args, schema)
            }
            _ => Err(format!("the arguments must be one JSON object ({})", takes(schema)).into()),
        }
    }

    fn lone(&mut self, only: &str, args: Value, schema: &Value) -> Result<Value, Refusal> {
        self.notes.push(format!("the value was taken for `{only}`"));
        self.object(&Value::Object(Map::from_iter([(only.to_owned(), args)])), schema, "", 0)
    }

    fn object(&mut self, value: &Value, schema: &Value, place: &str, depth: usize) -> Result<Value, Refusal> {
        let (Some(given), Some(known)) = (value.as_object(), properties(schema)) else { return Ok(value.clone()) };
        let mut members = Map::new();
        let mut strange = Vec::new();
        for (name, value) in given {
            if known.contains_key(name) {
                members.insert(name.clone(), value.clone());
            } else {
                strange.push((name, value));
            }
        }
        for (name, value) in strange {
            self.rename(name, value, known, &mut members, place, schema)?;
        }
        let needed = required(schema);
        members.retain(|name, value| !value.is_null() || needed.contains(&name.as_str()));
        let missing: Vec<&str> = needed.into_iter().filter(|name| !members.contains_key(*name)).collect();
        if !missing.is_empty() {
            let are = if missing.len() == 1 { "is" } else { "are" };
            return Err(format!("{}{} {are} missing ({})", within(place), quoted(missing), takes(schema)).into());
        }
        for (name, value) in &mut members {
            let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
            *value = self.value(value, &known[name], &place, depth + 1)?;
        }
        Ok(Value::Object(members))
    }

    /// A name the schema does not have: mended when that is clear, dropped with a note when it means nothing.
    fn rename(
        &mut self,
        name: &str,
        value: &Value,
        known: &Map<String, Value>,
        members: &mut Map<String, Value>,
        place: &str,
        schema: &Value,
    ) -> Result<(), Refusal> {
        let free: Vec<&str> = known.keys().map(String::as_str).filter(|key| !members.contains_key(*key)).collect();
        match match_name(name, &free, self.threshold) {
            Match::Exact => {}
            Match::Mended(right) => {
                self.notes.push(format!("{}`{name}` was taken for `{right}`", within(place)));
                members.insert(right, value.clone());
            }
            Match::Ambiguous(candidates) => {
                let candidates = quoted(candidates.iter().map(String::as_str));
                return Err(format!("{}`{name}` can mean {candidates}; write the full name", within(place)).into());
            }
            Match::Unknown(_) if schema.get("additionalProperties").is_some_and(|rule| rule != &Value::Bool(false)) => {
                members.insert(name.to_owned(), value.clone());
            }
            Match::Unknown(_) => {
                self.notes.push(format!(
                    "{}`{name}` is not known here and was left out ({})",
                    within(place),
                    takes(schema)
                ));
            }
        }
        Ok(())
    }

    fn value(&mut self, value: &Value, schema: &Value, place: &str, depth: usize) -> Result<Value, Refusal> {
        if depth > MAX_DEPTH {
            return Ok(value.clone());
        }
        let schema = self.resolve(schema, 0);
        if let Some(options) = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(*key)?.as_array()) {
            return self.one_of(value, options, place, depth);
        }
        let types = types(schema);
        if types.is_empty() || types.iter().any(|name| is_of(value, name)) {
            return self.inside(value, schema, place, depth);
        }
        for name in &types {
            if let Some(converted) = convert(value, name, schema) {
                self.notes.push(format!("`{place}` was read as {}", a_type(name)));
                return self.inside(&converted, schema, place, depth);
            }
        }
        let wanted = types.iter().map(|name| a_type(name)).collect::<Vec<_>>().join(" or ");
        Err(format!("`{place}` must be {wanted}, and is {}", shown(value)).into())
    }

    /// The first option the value already fits, else the first it can be made to fit.
    fn one_of(&mut self, value: &Value, options: &[Value], place: &str, depth: usize) -> Result<Value, Refusal> {
        let fits = |option: &&Value| {
            let types = types(self.resolve(option, 0));
            types.is_empty() || types.iter().any(|name| is_of(value, name))
        };
        if let Some(option) = options.iter().find(fits) {
            return self.value(value, option, place, depth + 1);
        }
        let mut refusal = Refusal::from(format!("`{place}` has a form that is not known"));
        for option in options {
            let notes = self.notes.len();
            match self.value(value, option, place, depth + 1) {
                Ok(mended) => return Ok(mended),
                Err(error) => {
                    self.notes.truncate(notes);
                    refusal = error;
                }
            }
        }
        Err(refusal)
    }

    /// A value of the right type: its members and items are looked at.
    fn inside(&mut self, value: &Value, schema: &Value, place: &str, depth: usize) -> Result<Value, Refusal> {
        match value {
            Value::Object(_) => self.object(value, schema, place, depth),
            Value::Array(list) => {
                let Some(items) = schema.get("items") else { return Ok(value.clone()) };
                let each = list.iter().enumerate();
                each.map(|(index, item)| self.value(item, items, &format!("{place}[{index}]"), depth + 1)).collect()
            }
            _ => Ok(value.clone()),
        }
    }

    /// Follows a local reference.
    fn resolve<'s>(&self, schema: &'s Value, depth: usize) -> &'s Value
    where
        Self: 's,
    {
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
        match target.and_then(|pointer| self.root.pointer(pointer)) {
            Some(found) if depth < MAX_DEPTH => self.resolve(found, depth + 1),
            _ => schema,
        }
    }
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

fn required(schema: &Value) -> Vec<&str> {
    let list = schema.get("required").and_then(Value::as_array);
    list.map(|names| names.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

/// What an object takes, for messages: optional names carry a question mark.
fn takes(schema: &Value) -> String {
    let needed = required(schema);
    let names: Vec<String> = properties(schema)
        .map(|all| {
            all.keys().map(|key| format!("{key}{}", if needed.contains(&key.as_str()) { "" } else { "?" })).collect()
        })
        .unwrap_or_default();
    if names.is_empty() { "no arguments are needed".to_owned() } else { format!("known here: {}", names.join(", ")) }
}

fn within(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("in `{place}`: ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[derive(schemars::JsonSchema)]
    #[allow(dead_code)]
    struct ReadRange {
        file_path: String,
        start_line: u32,
        end_line: Option<u32>,
    }

    #[derive(schemars::JsonSchema)]
    #[allow(dead_code)]
    struct Edit {
        file_path: String,
        code: String,
    }

    #[derive(schemars::JsonSchema)]
    #[allow(dead_code)]
    struct WriteFix {
        edits: Option<Vec<Edit>>,
        key_words: Option<Vec<String>>,
    }

    fn schema<T: schemars::JsonSchema>() -> Value {
        serde_json::to_value(schemars::schema_for!(T)).unwrap()
    }

    fn mend<T: schemars::JsonSchema>(args: Value) -> Result<(Value, Vec<String>), Refusal> {
        mend_args(&args, &schema::<T>(), Threshold::USUAL)
    }

    #[test]
    fn names_are_mended_and_told() {
        let (args, notes) = mend::<ReadRange>(json!({"filePath": "A.java", "start": 3, "end_lime": 5})).unwrap();
        assert_eq!(args, json!({"file_path": "A.java", "start_line": 3, "end_line": 5}));
        assert_eq!(notes.len(), 3);
        assert_eq!(notes[0], "`filePath` was taken for `file_path`");
        let refused = mend::<ReadRange>(json!({"file_path": "A.java", "line": 3})).unwrap_err();
        assert!(refused.contains("`line` can mean `start_line`, `end_line`"), "{refused}");
    }

    #[test]
    fn near_values_are_converted() {
        let (args, notes) =
            mend::<ReadRange>(json!({"file_path": ["A.java"], "start_line": "3", "end_line": 5.0})).unwrap();
        assert_eq!(args, json!({"file_path": "A.java", "start_line": 3, "end_line": 5}));
        assert_eq!(notes.len(), 3);
        assert_eq!(mend::<WriteFix>(json!({"key_words": "sum"})).unwrap().0, json!({"key_words": ["sum"]}));
        assert_eq!(
            mend::<WriteFix>(json!({"key_words": "[\"a\", \"b\"]"})).unwrap().0,
            json!({"key_words": ["a", "b"]})
        );
        let (args, _) =
            mend::<WriteFix>(json!({"edits": {"path": "x", "file_path": "A", "code": ["a", "b"]}})).unwrap();
        assert_eq!(args, json!({"edits": [{"file_path": "A", "code": "a\nb"}]}));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_what_is_known() {
        let refused = mend::<ReadRange>(json!({"file_path": "A.java"})).unwrap_err();
        assert_eq!(&*refused, "`start_line` is missing (known here: file_path, start_line, end_line?)");
        let refused = mend::<ReadRange>(json!({"file_path": "A.java", "start_line": "three"})).unwrap_err();
        assert_eq!(&*refused, "`start_line` must be a whole number, and is \"three\"");
        let refused = mend::<WriteFix>(json!({"edits": [{"code": "x"}]})).unwrap_err();
        assert!(refused.starts_with("in `edits[0]`: `file_path` is missing"), "{refused}");
        let (args, notes) =
            mend::<ReadRange>(json!({"file_path": "A", "start_line": 1, "end_line": null, "why": 1})).unwrap();
        assert_eq!(args, json!({"file_path": "A", "start_line": 1}));
        assert!(notes[0].contains("`why` is not known here"), "{notes:?}");
    }

    #[test]
    fn a_lone_value_is_the_only_argument() {
        #[derive(schemars::JsonSchema)]
        #[allow(dead_code)]
        struct Hypothesis {
            hypothesis: String,
        }
        assert_eq!(mend::<Hypothesis>(json!("off by one")).unwrap().0, json!({"hypothesis": "off by one"}));
        assert!(mend::<ReadRange>(json!("A.java")).unwrap_err().contains("one JSON object"));
        assert_eq!(mend::<WriteFix>(Value::Null).unwrap().0, json!({}));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            "[a-z0-9\\[{\"]{0,8}".prop_map(Value::from),
        ];
        let name =
            prop_oneof![Just("edits".to_owned()), Just("file_path".to_owned()), Just("code".to_owned()), "[a-z_]{1,9}"];
        leaf.prop_recursive(4, 30, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((name.clone(), inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_arguments_are_mended_or_refused_and_mending_is_final(args in any_json()) {
            if let Ok((mended, _)) = mend::<WriteFix>(args) {
                let (again, notes) = mend::<WriteFix>(mended.clone()).unwrap();
                prop_assert_eq!(again, mended);
                prop_assert!(notes.is_empty(), "{:?}", notes);
            }
        }
    }
}
