//! JSON as models write it.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn read(text: &str) -> Value {
    document(text).unwrap_or_else(|refusal| panic!("{refusal:?}: {text}")).value
}

#[test]
fn what_models_do_to_json_is_forgiven() {
    assert_eq!(read(r#"{"a": [1, 2,], "b": true,}"#), json!({"a": [1, 2], "b": true}));
    assert_eq!(read(r#"{'a': 'it\'s', b: None, "c": True}"#), json!({"a": "it's", "b": null, "c": true}));
    assert_eq!(read("{\"a\": \"x\ny\"}"), json!({"a": "x\ny"}));
    assert_eq!(read(r#"{"a": {"b": [1, {"c": 2"#), json!({"a": {"b": [1, {"c": 2}]}}));
    assert_eq!(read("{\"a\": 1 // why\n, /* and */ \"b\": 2}"), json!({"a": 1, "b": 2}));
    assert_eq!(read("{\"a\": \"x\"\n \"b\": 2}"), json!({"a": "x", "b": 2}));
    assert_eq!(read(r#"{"re": "\d+\.\w"}"#), json!({"re": "\\d+\\.\\w"}));
    assert_eq!(read("{\"a\": \"\"\"x \"y\"\nz\"\"\", \"b\": \"\"}"), json!({"a": "x \"y\"\nz", "b": ""}));
}

#[test]
fn quotes_left_unescaped_in_code_belong_to_the_code() {
    assert_eq!(read(r#"{"code": "return "x";", "n": 1}"#), json!({"code": "return \"x\";", "n": 1}));
    assert_eq!(read(r#"{"code": "f("a", b);"}"#), json!({"code": "f(\"a\", b);"}));
    assert_eq!(read(r#"{"code": "f("a", "b");", "n": 1}"#), json!({"code": "f(\"a\", \"b\");", "n": 1}));
    assert_eq!(read(r#"{"code": "x["k"] = 1;"}"#), json!({"code": "x[\"k\"] = 1;"}));
}

#[test]
fn a_string_that_is_cut_is_told_apart_from_missing_braces() {
    assert!(document(r#"{"a": "half a pa"#).unwrap_err().cut);
    let open = document(r#"{"a": "whole""#).unwrap();
    assert!(open.unfinished && open.repaired);
    assert_eq!(document("{\"a\": 1\n```\nprose").unwrap().value, json!({"a": 1}));
}

#[test]
fn program_text_is_no_document() {
    for code in ["{ return x; }", "{ \"a\", \"b\" }", "{ default: run(); }", "[i]", "{x}", "{{{{{{"] {
        assert!(document(code).is_err(), "{code}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e12..1e12f64).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        r#"[a-z(){}\[\]"',:;/\\ \n]{0,30}"#.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn strict_json_means_what_it_says(inner in any_json(), pretty: bool) {
        let value = json!({"v": inner});
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let read = document(&text).unwrap();
        prop_assert_eq!(&read.value, &serde_json::from_str::<Value>(&text).unwrap());
        prop_assert!(!read.repaired && !read.unfinished && read.length == text.len());
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), noise in r#"[{}\[\]"':,a\\u0 \n`/*]{0,80}"#) {
        for text in [text.clone(), noise.clone(), format!("{{{text}"), format!("{{\"a\":{noise}")] {
            if let Ok(read) = document(&text) {
                prop_assert!(read.length <= text.len() && text.is_char_boundary(read.length));
            }
        }
    }
}
