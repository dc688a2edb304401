//! Drawn inputs on the JVM: our agent notes what tests give the named methods, and our runner calls them with inputs near.

use super::observe::{BETWEEN, inside, with_agent};
use super::subject::Jvm;
use crate::validate::ValidateError;
use crate::validate::drawn::Draw;
use crate::validate::plan::Plan;
use crate::validate::records::Executed;
use crate::validate::subject::Copy;
use serde_json::Value;

/// Runs a plan in a copy and tells what the methods do with drawn inputs.
pub(super) async fn drawn(
    subject: &Jvm,
    copy: &Copy,
    mut plan: Plan,
    draw: &Draw,
) -> Result<Option<Executed>, ValidateError> {
    let named = |(file, name): &(_, String)| {
        let inside = inside(subject, file).filter(|inside| !inside.contains(BETWEEN))?;
        Some(format!("{name}:{inside}"))
    };
    let methods: Vec<String> = draw.functions.iter().filter_map(named).collect();
    if methods.is_empty() {
        return Ok(None);
    }
    let constants: Vec<String> = draw.constants.iter().filter_map(|constant| written(constant)).collect();
    plan.args.push(format!("-Dunidebug.draw={}", methods.join(BETWEEN)));
    plan.args.push(format!("-Dunidebug.draw.constants={}", constants.join(",")));
    let around: Vec<String> = draw.around.iter().map(|input| written_text(input)).collect();
    plan.args.push(format!("-Dunidebug.draw.around={}", around.join(",")));
    let absent: Vec<&str> = draw.absent.iter().map(String::as_str).collect();
    plan.args.push(format!("-Dunidebug.draw.absent={}", absent.join(",")));
    with_agent(subject, copy, plan).await
}

/// A constant as an argument can hold it: a number as it is, a text by its bytes.
fn written(constant: &str) -> Option<String> {
    match serde_json::from_str(constant).ok()? {
        Value::Number(number) => Some(format!("n{number}")),
        Value::String(text) => Some(written_text(&text)),
        _ => None,
    }
}

fn written_text(text: &str) -> String {
    text.bytes().fold("t".to_owned(), |hex, byte| format!("{hex}{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_safe_as_arguments() {
        assert_eq!(written("18.5").unwrap(), "n18.5");
        assert_eq!(written("\"a,|\"").unwrap(), "t612c7c");
        assert_eq!(written("true"), None);
    }
}
