//! `unidebug self-test`: whether a bug can be repaired on this machine, by repairing one in each language.

use super::args::SelfTestArgs;
use super::config::{Config, SandboxArg, Time};
use super::doctor;
use super::error::{Failure, UNUSABLE};
use super::scratch::Scratch;
use super::triage::{self, How};
use crate::benchmark;
use camino::Utf8Path;
use serde_json::{Value, json};
use std::fmt::Write;

/// The bug in Java, which comes with the program.
const JAVA: &str = "fixtures:roman-numerals";
/// The bug in Python: the last price is left out.
const PYTHON: [(&str, &str); 2] = [
    (
        "cart.py",
        "def total(prices):\n    result = 0\n    for at in range(len(prices) - 1):\n        result += prices[at]\n    return result\n",
    ),
    (
        "test_cart.py",
        "from cart import total\n\n\ndef test_two():\n    assert total([1, 2]) == 3\n\n\ndef test_none():\n    assert total([]) == 0\n",
    ),
];

/// What became of the bug in one language.
struct Tried {
    language: &'static str,
    seconds: f64,
    /// Why it was not repaired, and what to do.
    failed: Option<(String, String)>,
}

/// Repairs both, and says what is missing; the code is 0 when one of them was repaired.
///
/// # Errors
/// The folder for temporary files cannot be written.
pub(super) async fn self_test(args: &SelfTestArgs) -> Result<u8, Failure> {
    let scratch = Scratch::of("self-test")?;
    let python = scratch.path().join("cart");
    write(&python).map_err(|error| Failure::io(&format!("writing {python}"), &error))?;
    let tried = [tried("Python", python.as_str(), args.max_time).await, tried("Java", JAVA, args.max_time).await];
    let lacks = doctor::lacks(&Config::default()).await;
    super::print(&if args.json { object(&tried, &lacks) } else { text(&tried, &lacks) });
    Ok(if tried.iter().any(|tried| tried.failed.is_none()) { 0 } else { UNUSABLE })
}

fn write(folder: &Utf8Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    PYTHON.iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text))
}

async fn tried(language: &'static str, bug: &str, time: Time) -> Tried {
    let begun = std::time::Instant::now();
    let failed = match repaired(bug, time).await {
        Ok(true) => None,
        Ok(false) => Some(("no patch within the time".to_owned(), "try again on a machine with less load".to_owned())),
        Err(failure) => Some((failure.message, failure.hint)),
    };
    Tried { language, seconds: begun.elapsed().as_secs_f64(), failed }
}

async fn repaired(bug: &str, time: Time) -> Result<bool, Failure> {
    let config = Config {
        model: vec!["builtin".to_owned()],
        max_time: Some(time),
        sandbox: SandboxArg::Auto,
        ..Config::default()
    };
    let how = How { top: 1, quiet: true, listener: None };
    let (triaged, _) = triage::with(&benchmark::parse_bug(bug)?, config, &[], &how).await?;
    Ok(triaged.fix.is_some())
}

fn text(tried: &[Tried], lacks: &[String]) -> String {
    let mut text = String::new();
    for Tried { language, seconds, failed } in tried {
        let _ = match failed {
            None => writeln!(text, "{language:<8}a bug was repaired in {seconds:.1} s"),
            Some((why, hint)) => writeln!(text, "{language:<8}not repaired: {why}\n        hint: {hint}"),
        };
    }
    for line in lacks {
        let _ = writeln!(text, "missing {line}");
    }
    if lacks.is_empty() {
        text.push_str("nothing is missing; `unidebug doctor` lists what was looked at\n");
    }
    text
}

fn object(tried: &[Tried], lacks: &[String]) -> String {
    let bugs: Vec<Value> = tried
        .iter()
        .map(|Tried { language, seconds, failed }| {
            json!({"language": language, "repaired": failed.is_none(), "seconds": seconds,
                   "why": failed.as_ref().map(|(why, _)| why), "hint": failed.as_ref().map(|(_, hint)| hint)})
        })
        .collect();
    format!("{}\n", json!({"schema": 1, "bugs": bugs, "missing": lacks}))
}
