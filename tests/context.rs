//! `unidebug bench context`: what first prompts hold of the developers' repairs, on the fixtures that ship.

use crate::support::unidebug;
use serde_json::Value;

#[test]
fn first_prompts_hold_the_repairs_of_small_bugs() {
    let done = unidebug(&["bench", "context", "fixtures:r*", "--format", "json"]);
    done.expect_code(0);
    let object: Value = serde_json::from_str(done.stdout.lines().last().unwrap()).unwrap();
    let bugs = object["bugs"].as_array().unwrap();
    assert!(bugs.len() >= 2, "{object}");
    for bug in bugs {
        let selections = bug["selections"].as_array().unwrap();
        assert_eq!(selections.len(), 5);
        for selection in selections {
            assert!(selection["of"].as_u64().unwrap() >= 1 && selection["tokens"].as_u64().unwrap() > 50, "{bug}");
        }
        assert_eq!(selections[0]["complete"], true, "{bug}");
        let more = selections[1]["tokens"].as_u64().unwrap() - selections[0]["tokens"].as_u64().unwrap();
        assert!((20..600).contains(&more), "values of the run are few and cost {more} tokens");
        assert!(done.stderr.contains(bug["bug"].as_str().unwrap()), "each bug is told as it is measured");
    }
    unidebug(&["bench", "context", "fixtures:none*"]).expect_code(2);
}
