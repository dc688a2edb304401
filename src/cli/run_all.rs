//! `unidebug run --all`: the bugs of one project, one after the other. Each is a run of its own, with its own directory,
//! caps and report; the first finds out which there are.

use super::apply;
use super::args::RunArgs;
use super::config::{Config, Layers};
use super::error::Failure;
use super::finish::{exit_code, finish, keep};
use super::run::{Done, one, shown};
use crate::domain::TestId;
use crate::domain::words::listed;
use crate::report;
use serde_json::{Value, json};
use std::collections::VecDeque;

/// Failing tests that are named of a bug.
const NAMED: usize = 3;

/// Works on every bug. One that cannot be worked on is reported among the others.
///
/// # Errors
/// The first bug cannot be worked on.
pub(super) async fn run_all(args: &RunArgs, bug: &str, layers: &Layers, config: Config) -> Result<u8, Failure> {
    let first = one(args, bug, layers, config.clone(), Some(1)).await?;
    let mut left: VecDeque<Vec<TestId>> = first.outcome.others.clone().into();
    let all = left.len() + 1;
    let mut ends = Ends { all, json: args.object.wanted(), objects: Vec::new(), code: 0 };
    let tests: Vec<TestId> = first.outcome.bench.validator.baseline().triggering.clone();
    ends.take(args, &tests, Ok(first))?;
    while let Some(tests) = left.pop_front() {
        let config = Config { failing: tests.iter().map(TestId::to_string).collect(), ..config.clone() };
        let nth = all - left.len();
        if !args.quiet {
            anstream::eprintln!("bug {nth} of {all}: {}", listed(&tests, NAMED));
        }
        ends.take(args, &tests, one(args, bug, layers, config, Some(nth)).await)?;
    }
    if let Some(schema) = ends.json {
        super::print(&format!("{}\n", json!({"schema": schema, "bugs": ends.objects})));
    }
    Ok(ends.code)
}

/// What the runs came to.
struct Ends {
    all: usize,
    /// The schema of the objects, where they are wanted.
    json: Option<u32>,
    objects: Vec<Value>,
    /// The worst exit code.
    code: u8,
}

impl Ends {
    /// Keeps the end of a run, and prints it for people.
    fn take(&mut self, args: &RunArgs, tests: &[TestId], done: Result<Done, Failure>) -> Result<(), Failure> {
        let failing: Vec<String> = tests.iter().map(TestId::to_string).collect();
        let code = match done {
            Ok(done) if let Some(schema) = self.json => {
                let report = report::in_schema(schema, keep(&done.folder, &done.event_sinks, &done.outcome)?);
                if args.apply && done.outcome.report.patch.is_some() {
                    apply::put(&done.folder, &done.outcome.report, args.leave_test)?;
                }
                self.objects.push(json!({"failing": failing, "run": done.folder, "report": report}));
                exit_code(done.outcome.report.verdict)
            }
            Ok(done) => {
                if self.all > 1 {
                    super::print(&format!("{}\n", listed(tests, NAMED)));
                }
                finish(&done.folder, &done.event_sinks, &done.outcome, shown(args))?
            }
            Err(failure) => {
                self.objects.push(json!({"failing": failing, "error": failure.message, "hint": failure.hint}));
                anstream::eprintln!("error: {}: {}\nhint: {}", listed(tests, NAMED), failure.message, failure.hint);
                failure.exit
            }
        };
        self.code = self.code.max(code);
        Ok(())
    }
}
