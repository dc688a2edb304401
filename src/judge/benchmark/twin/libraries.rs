//! New names in Python: the interpreter says which attributes Python and the libraries have.

use super::{Manner, Renamed, Side};
use crate::benchmark::{BenchmarkError, Checkout, python};
use crate::sandbox::Sandbox;
use crate::twin::{Naming, Python, words_of};
use std::collections::BTreeSet;
use std::time::Duration;

const WALL: Duration = Duration::from_secs(120);
/// Prints every attribute of Python's types and of the modules that are named.
const ATTRIBUTES: &str = include_str!("attributes.py");

/// Both sides under new names.
pub(super) async fn renamed(
    checkout: &Checkout,
    (buggy, fixed): (&Side, &Side),
    manner: Manner,
    sandbox: &Sandbox,
) -> Result<Renamed, BenchmarkError> {
    let all: Vec<_> = buggy.sources.iter().chain(&fixed.sources).cloned().collect();
    let foreign = attributes(checkout, Python::libraries(&all), sandbox).await?;
    let (one, other) = (Python::read(&buggy.sources, foreign.clone()), Python::read(&fixed.sources, foreign.clone()));
    let mut declared = one.declared(manner.caution);
    let of_other = other.declared(manner.caution);
    declared.names.extend(of_other.names);
    declared.kept.extend(of_other.kept);
    let mut taken = words_of(&all);
    taken.extend(foreign);
    let naming = Naming::draw(&declared, &taken, true, manner.seed);
    let (buggy, fixed) = (one.renamed(&naming), other.renamed(&naming));
    Ok(Renamed { naming, declared, buggy, fixed })
}

/// Attributes that Python and these modules have.
async fn attributes(
    checkout: &Checkout,
    modules: BTreeSet<String>,
    sandbox: &Sandbox,
) -> Result<BTreeSet<String>, BenchmarkError> {
    let wants = python::wants(&checkout.root);
    let interpreter = python::find(checkout.project.python.as_deref(), &checkout.root, wants, sandbox).await?;
    let job = interpreter.isolated_job(&checkout.root, ATTRIBUTES).args(modules).wall(WALL);
    let failed = |what: String| BenchmarkError::Setup { what, hint: "check Python with `unidebug doctor`".into() };
    let done = sandbox.run(job).await.map_err(|error| failed(format!("Python could not be started: {error}")))?;
    let output = String::from_utf8_lossy(&done.stdout);
    let found: BTreeSet<String> = output.lines().map(str::to_owned).collect();
    if found.contains("append") {
        return Ok(found);
    }
    let last = String::from_utf8_lossy(&done.stderr).lines().last().unwrap_or("it said nothing").to_owned();
    Err(failed(format!("Python did not tell its attributes: {last}")))
}
