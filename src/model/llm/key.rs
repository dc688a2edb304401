//! The content key of a request: what makes two requests the same.

use super::Query;
use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// SHA-256 in hex over the request as canonical JSON: model, messages, parameters, tools and the sample's number. The
/// endpoint's address is no part of it, so that a recording made at one address answers at any.
pub fn key(query: &Query) -> String {
    let canonical = sorted(serde_json::to_value(query).unwrap_or(Value::Null)).to_string();
    HEXLOWER.encode(&Sha256::digest(canonical))
}

/// The same value with the keys of all objects in order.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(members.into_iter().collect())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Message, ToolSpec};
    use super::*;
    use serde_json::json;

    fn query() -> Query {
        Query {
            model: "m".into(),
            messages: vec![Message { role: "user".into(), content: "hello".into() }],
            tools: Vec::new(),
            form: None,
            effort: None,
            temperature: None,
            max_tokens: None,
            sample: 0,
        }
    }

    #[test]
    fn every_part_of_a_request_makes_another_key() {
        let mut others = vec![query(); 6];
        others[0].model = "n".into();
        others[1].messages[0].content.push(' ');
        others[2].temperature = Some(0.0);
        others[3].max_tokens = Some(1);
        others[4].sample = 1;
        others[5].tools = vec![ToolSpec { name: "t".into(), description: String::new(), parameters: json!({}) }];
        let mut keys: Vec<String> = others.iter().chain([&query()]).map(key).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), 7);
        assert!(keys.iter().all(|key| key.len() == 64));
    }

    #[test]
    fn a_key_does_not_change_between_versions_or_with_the_order_of_schema_keys() {
        assert_eq!(key(&query()), "5bd09f5b8bd682415bd197331faa3ee82afa6cebd2291934f6e9efacc04d05bc");
        let tool = |parameters| ToolSpec { name: "t".into(), description: String::new(), parameters };
        let (mut a, mut b) = (query(), query());
        a.tools = vec![tool(json!({"type": "object", "required": ["x", "y"]}))];
        b.tools = vec![tool(json!({"required": ["x", "y"], "type": "object"}))];
        assert_eq!(key(&a), key(&b));
    }
}
