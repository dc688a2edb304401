//! `unidebug triage`: level 1 alone over many bugs, in every form it is written in.

use crate::levels::usual;
use crate::support::{Endpoint, unidebug};
use serde_json::Value;

const BUGS: [&str; 2] = ["fixtures:ring-buffer", "fixtures:roman-numerals"];

fn triaged(format: &str, more: &[&str]) -> String {
    let args = ["triage", BUGS[0], BUGS[1], "--model", "builtin", "--quiet", "--format", format];
    let done = unidebug(&[&args[..], more].concat());
    done.expect_code(0);
    done.stdout
}

#[test]
fn sarif_is_valid_and_holds_lines_and_a_fix() {
    let log: Value = serde_json::from_str(&triaged("sarif", &["--top", "3"])).unwrap();
    let mut schema: Value = serde_json::from_str(include_str!("schemas/sarif-2.1.0.json")).unwrap();
    // The published schema has a bracket too many here, which no regular expression may have; we name no language.
    for part in ["run", "toolComponent"] {
        schema["definitions"][part]["properties"]["language"].as_object_mut().unwrap().remove("pattern");
    }
    let schema = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> = schema.iter_errors(&log).map(|e| format!("{e} at {}", e.instance_path())).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let runs = log["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2, "a run a bug");
    let results = runs[0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/buffers/RingBuffer.java");
    assert!(place["region"]["startLine"].as_u64().unwrap() > 1);
    let change = &results[0]["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert!(change["insertedContent"]["text"].as_str().unwrap().contains("slots.length"), "{change}");
}

#[test]
fn annotations_are_one_a_line_and_json_holds_reasons_and_cost() {
    let text = triaged("github", &["--top", "2"]);
    let places: Vec<&str> = text.lines().filter(|line| line.contains("file=")).collect();
    assert_eq!(places.len(), 4, "{text}");
    for line in text.lines() {
        assert!(["::warning ", "::notice "].iter().any(|kind| line.starts_with(kind)), "{line}");
        let (properties, message) = line[2..].split_once("::").unwrap();
        assert!(!message.is_empty() && properties.split(' ').count() >= 2, "{line}");
    }
    assert!(places[0].starts_with("::warning file=src/buffers/RingBuffer.java,line="), "{}", places[0]);

    let object: Value = serde_json::from_str(triaged("json", &[]).lines().last().unwrap()).unwrap();
    let bug = &object["bugs"][0];
    assert_eq!(bug["bug"], BUGS[0]);
    assert!(!bug["lines"][0]["reasons"].as_array().unwrap().is_empty());
    assert!(bug["patch"].as_str().unwrap().starts_with("--- a/"));
    assert_eq!(bug["usage"]["requests"], 0);
}

#[test]
fn a_models_marks_come_first_and_no_other_level_is_climbed() {
    let endpoint = Endpoint::start(|agent, _, _| usual(agent));
    let url = endpoint.base_url();
    let args = ["triage", BUGS[0], "--model", "m", "--base-url", &url, "--no-first", "--format", "md", "--quiet"];
    let done = unidebug(&args);
    done.expect_code(0);
    let agents: Vec<String> = endpoint.served().into_iter().map(|served| served.agent).collect();
    assert_eq!(agents, ["Locator", "Fixer"]);
    let first = done.stdout.lines().find(|line| line.starts_with("| 1 |")).unwrap();
    assert!(first.contains("marked by Locator") && first.contains("slots.length - 1"), "{first}");
    assert!(done.stdout.contains("no patch") && done.stdout.contains("price unknown"), "{done}");
}

#[test]
fn a_bug_that_cannot_be_opened_is_told_among_the_others() {
    let nowhere = tempfile::tempdir().unwrap();
    let folder = nowhere.path().to_str().unwrap();
    let done = unidebug(&["triage", BUGS[0], folder, "--model", "builtin", "--quiet", "--top", "1"]);
    done.expect_code(0);
    assert!(done.stdout.contains("RingBuffer.java") && done.stdout.contains("local:"), "{done}");
    unidebug(&["triage", folder, "--model", "builtin", "--quiet"]).expect_code(3);
    unidebug(&["triage", "fixtures:no-such*", "--quiet"]).expect_code(2);
}
