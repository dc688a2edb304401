//! Values of a run on the JVM: an agent of ours puts calls into the watched methods as their classes are loaded.

use super::coverage::{harness, jacoco};
use super::harness::Harness;
use super::subject::Jvm;
use super::suite::agent;
use crate::domain::RepoPath;
use crate::sandbox::Job;
use crate::validate::observe::Watch;
use crate::validate::plan::Plan;
use crate::validate::records::Executed;
use crate::validate::subject::Copy;
use crate::validate::{ValidateError, io_error, suite};
use camino::{Utf8Path, Utf8PathBuf};
use std::time::Duration;

/// What makes an empty jar an agent. Its class lies on the class path, beside our runner.
const MANIFEST: &str = "Premain-Class: unidebug.runner.Watching\n";
/// Stands between two places; no path that holds it is watched.
pub(super) const BETWEEN: &str = "|";

/// Runs a plan and tells what each test did in the watched places.
pub(super) async fn observed(subject: &Jvm, mut plan: Plan, watch: &Watch) -> Result<Option<Executed>, ValidateError> {
    let places: Vec<String> = watch
        .places
        .iter()
        .filter_map(|(file, lines)| {
            let inside = inside(subject, file).filter(|name| !name.contains(BETWEEN))?;
            Some(format!("{}-{}:{inside}", lines.first, lines.last))
        })
        .collect();
    if places.is_empty() {
        return Ok(None);
    }
    plan.args.push(format!("-Dunidebug.observe={}", places.join(BETWEEN)));
    plan.args.push(format!("-Dunidebug.observe.names={}", watch.expressions.join(BETWEEN)));
    let copy = Copy::of(&subject.checkout, &subject.options.work_dir)?;
    with_agent(subject, &copy, plan).await
}

/// Runs a plan in a copy with our agent, whose further arguments the plan holds.
pub(super) async fn with_agent(subject: &Jvm, copy: &Copy, mut plan: Plan) -> Result<Option<Executed>, ValidateError> {
    // The libraries that change classes come with JaCoCo.
    let Some(jars) = jacoco(subject).await else { return Ok(None) };
    let harness = harness(subject, &jars).await?;
    let jar = agent_jar(subject, &harness).await?;
    let libraries: Vec<&str> = jars.iter().map(|jar| jar.as_str()).collect();
    plan.args.push(agent(&jar));
    if subject.jdk.major >= 9 {
        // What is left of a stream in memory is looked up in its fields.
        plan.args.extend(["--add-opens", "java.base/java.io=ALL-UNNAMED"].map(String::from));
    }
    plan.args.push(format!("-Dunidebug.agent.libraries={}", libraries.join(":")));
    let mut jvm = subject.suite(copy)?;
    jvm.harness = &harness;
    // Behind everything else: there to be read in the sandbox, and found by nobody.
    jvm.class_path.extend(jars.iter().cloned());
    let mut executed = Vec::new();
    suite::run(&jvm, &plan, &mut executed).await?;
    Ok(Some(executed))
}

/// The name by which class files know a source: with its package.
pub(super) fn inside(subject: &Jvm, file: &RepoPath) -> Option<String> {
    let roots = subject.checkout.project.source_roots.iter();
    let below = roots.filter_map(|root| file.below(root)).min_by_key(|name| name.len());
    below.map(str::to_owned)
}

/// The agent's jar, made once beside our runner's classes.
async fn agent_jar(subject: &Jvm, harness: &Harness) -> Result<Utf8PathBuf, ValidateError> {
    let jar = harness.classes.join("watching.jar");
    if jar.is_file() {
        return Ok(jar);
    }
    let io = |what: &str| io_error(what, &jar);
    let folder = tempfile::tempdir_in(&harness.classes).map_err(io("making the agent"))?;
    let folder = Utf8Path::from_path(folder.path()).unwrap_or(&harness.classes);
    std::fs::write(folder.join("manifest"), MANIFEST).map_err(io("making the agent"))?;
    let job = Job::new(subject.jdk.home.join("bin/jar"), folder)
        .args(["cfm", "watching.jar", "manifest", "manifest"])
        .read([subject.jdk.home.clone()])
        .write(folder)
        .wall(Duration::from_secs(60));
    let done = subject.sandbox.run(job).await?;
    if !done.exit.success() {
        return Err(ValidateError::Tool {
            what: format!("the JDK's `jar` failed: {}", String::from_utf8_lossy(&done.stderr).trim()),
            hint: "name another JDK with --java-home".into(),
        });
    }
    std::fs::rename(folder.join("watching.jar"), &jar).map_err(io("keeping the agent"))?;
    Ok(jar)
}
