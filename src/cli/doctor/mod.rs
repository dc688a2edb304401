//! `unidebug doctor`: what is missing on this machine, with the fix for each.

mod endpoint;
mod machine;

use super::args::DoctorArgs;
use super::config::{Config, Layers};
use super::error::{Failure, UNUSABLE};
use super::open;
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::fmt::Write;

/// How a finding is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// As it should be.
    Ok,
    /// Something works less well, or not for everything.
    Note,
    /// No bug can be run before this is mended.
    Missing,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Check {
    what: String,
    state: State,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Check {
    fn ok(what: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { what: what.into(), state: State::Ok, detail: detail.into(), fix: None }
    }

    fn not(state: State, what: impl Into<String>, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { what: what.into(), state, detail: detail.into(), fix: Some(fix.into()) }
    }
}

/// Looks at everything.
///
/// # Errors
/// The settings cannot be read: nothing else can be looked at before.
pub(super) async fn doctor(args: Box<DoctorArgs>) -> Result<u8, Failure> {
    let layers = Layers::read(open::project_of(".").as_deref(), &args.settings)?;
    let config = layers.config()?;
    let mut checks = machine::checks(&config).await;
    checks.extend(endpoint::checks(&config).await);
    let missing = checks.iter().filter(|check| check.state == State::Missing).count();
    if args.json {
        let object = serde_json::json!({"schema": 1, "ok": missing == 0, "checks": checks});
        super::print(&format!("{object}\n"));
    } else {
        super::print(&as_text(&checks, missing));
    }
    Ok(if missing == 0 { 0 } else { UNUSABLE })
}

/// What this machine lacks, each with its remedy: a line each.
pub(super) async fn lacks(config: &Config) -> Vec<String> {
    let checks = machine::checks(config).await.into_iter();
    let line = |check: Check| match (check.state, check.fix) {
        (State::Missing, Some(fix)) => Some(format!("{}: {} (fix: {fix})", check.what, check.detail)),
        _ => None,
    };
    checks.filter_map(line).collect()
}

fn as_text(checks: &[Check], missing: usize) -> String {
    let mut text = String::new();
    for Check { what, state, detail, fix } in checks {
        let (word, colour) = match state {
            State::Ok => ("ok", AnsiColor::Green),
            State::Note => ("note", AnsiColor::Yellow),
            State::Missing => ("missing", AnsiColor::Red),
        };
        let style = Style::new().fg_color(Some(colour.into()));
        let _ = writeln!(text, "{style}{word:<8}{style:#} {what}: {detail}");
        if let Some(fix) = fix {
            let _ = writeln!(text, "         fix: {fix}");
        }
    }
    let _ = match missing {
        0 => writeln!(text, "\nnothing is missing"),
        _ => writeln!(text, "\n{missing} missing"),
    };
    text
}
