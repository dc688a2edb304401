//! Reproducer's answer: a test that was run and fails as the issue says, or why there is none.

use super::{explanation, fenced_blocks, prose};
use crate::domain::{Artifact, Refusal, Reproduction};
use crate::tools::WHY_NOT;
use serde_json::{Value, json};

/// Reads what running the test came to, and how the agent ended, in one phrase.
pub(super) fn read(args: &Value) -> Result<(Artifact, String), Refusal> {
    if let Some(why) = args[WHY_NOT].as_str() {
        return Err(why.into());
    }
    match serde_json::from_value::<Reproduction>(args.clone()) {
        Ok(found) => {
            let how = format!("{} reproduces the issue", found.test);
            Ok((Artifact::Test(Box::new(found)), how))
        }
        // Who gives up says why.
        Err(_) => Ok((Artifact::Nothing { explanation: explanation(args) }, "no test reproduces the issue".into())),
    }
}

/// The arguments as an object, or a block of code with the words around it.
pub(super) fn bare(answer: &Value) -> Option<Value> {
    let Some(text) = answer.as_str() else { return answer.get("code").is_some().then(|| answer.clone()) };
    let code = fenced_blocks(text);
    (!code.trim().is_empty()).then(|| json!({"code": code, "explanation": prose(text)}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_code_is_an_answer_and_a_refused_test_is_none() {
        let answer = json!("Like this:\n```python\ndef test_x():\n    assert f() == 1\n```\nIt fails.");
        let args = bare(&answer).unwrap();
        assert_eq!(args["code"], "def test_x():\n    assert f() == 1\n");
        assert_eq!(args["explanation"], "Like this: It fails.");
        assert!(bare(&json!("I do not know")).is_none());
        assert_eq!(&*read(&json!({"why_not": "it passes"})).unwrap_err(), "it passes");
        let (given_up, _) = read(&json!({"explanation": "too vague"})).unwrap();
        assert_eq!(given_up, Artifact::Nothing { explanation: "too vague".into() });
    }
}
