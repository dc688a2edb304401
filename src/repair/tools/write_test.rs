//! `write_test`: adds a test to the project's tests and runs it on the present code. Only a test that fails each time, for
//! the reason that the issue gives, is accepted; the checkout itself is never written.
//!
//! The place is confined: a new file in a folder that holds tests, or a member added to a test file that is there.

use super::issue::{SpokenOf, is_test};
use super::{Effect, Observation, ToolContext, ToolError, TypedTool, Workbench, failure_text};
use crate::code::outline_text;
use crate::domain::{FileChange, Refusal, RepoPath, Reproduction, TestId};
use crate::language;
use crate::patch;
use crate::validate::{NewTest, Reproduced};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeSet;

/// The tool that proposes a test for an issue.
pub(crate) const WRITE_TEST: &str = "write_test";
/// The key under which a refused test says why.
pub(crate) const WHY_NOT: &str = "why_not";
/// Names of files that are no tests, though they stand among them.
const NO_TESTS: [&str; 4] = ["conftest", "tests", "__init__", "setup"];
/// Folders that are named where a path is refused.
const FOLDERS: usize = 4;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// The whole new test file; for a test file that is there, the test method alone, with the imports it needs in front.
    code: String,
    /// The test file, relative to the project; a new one beside the nearest tests when absent.
    #[serde(default)]
    file_path: Option<String>,
    /// The name of the test method; needed when `code` brings several.
    #[serde(default)]
    test: Option<String>,
    /// How the test shows what the issue reports.
    #[serde(default)]
    explanation: Option<String>,
}

pub(super) struct WriteTest;

#[async_trait]
impl TypedTool for WriteTest {
    const NAME: &'static str = WRITE_TEST;
    const ABOUT: &'static str = "add a test and run it on the present code; accepted when it fails as the issue says";
    type Args = Args;

    async fn run(&self, args: Args, cx: &ToolContext<'_>) -> Result<Observation, ToolError> {
        let bench = cx.bench;
        let issue = bench.bug.requirements.clone().unwrap_or_default();
        let placed = place(&args, bench, &issue).and_then(|path| {
            let change = patch::with_test(&path, &args.code, &bench.originals, bench.language);
            let change = change.map_err(|error| error.to_string())?;
            let id = test_of(&change, args.test.as_deref(), bench)?;
            Ok((change, id))
        });
        let (change, id) = match placed {
            Ok(placed) => placed,
            Err(why) => return Ok(refused(&why)),
        };
        let text = String::from_utf8_lossy(&change.after).into_owned();
        let test = NewTest { file: &change.path, text: &text, id: &id, issue: &issue };
        Ok(match bench.validator.probe().reproduces(&test).await? {
            Reproduced::No(why) => refused(&why),
            Reproduced::Yes { test, failure } => {
                let note = format!(
                    "{test} fails on the present code, three times of three:\n{}",
                    failure_text(&failure, false)
                );
                let before = change.before.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
                let explanation = args.explanation.unwrap_or_default();
                let found = Reproduction { file: change.path, before, after: text, test, failure, explanation };
                Observation::plain(note).with(Effect::Accomplished(json!(found)))
            }
        })
    }
}

/// A test that is not accepted, with the reason.
fn refused(why: &str) -> Observation {
    Observation::plain(why).with(Effect::Accomplished(json!({WHY_NOT: why})))
}

/// The file that the test goes into.
fn place(args: &Args, bench: &Workbench, issue: &str) -> Result<RepoPath, Refusal> {
    let Some(given) = args.file_path.as_deref().map(str::trim).filter(|path| !path.is_empty()) else {
        return beside_tests(&args.code, bench, issue);
    };
    let path = RepoPath::new(given).map_err(|error| error.to_string())?;
    if bench.index.file(&path).is_some_and(|file| file.test) && is_test_file(&path, bench) {
        return Ok(path);
    }
    let folders = test_folders(bench);
    let parent = folder_of(&path);
    let inside = folders.contains(parent) || own_test_roots(bench).any(|root| path.is_within(root));
    let exists = path.under(&bench.checkout.root).symlink_metadata().is_ok();
    if inside && !exists && is_test_file(&path, bench) {
        return Ok(path);
    }
    let known: Vec<&str> = folders.iter().take(FOLDERS).copied().collect();
    let why = if exists { "it is there and holds no tests" } else { "no tests are looked for there" };
    Err(format!("{path} cannot hold the test: {why}. Tests stand in {}", known.join(", ")).into())
}

/// Whether a file is a test by its place and its name.
fn is_test_file(path: &RepoPath, bench: &Workbench) -> bool {
    let project = &bench.checkout.project;
    let stem = path.stem();
    bench.language.is_source(path.as_str().into())
        && !NO_TESTS.contains(&stem)
        && (bench.language.is_test_name(stem) || bench.index.file(path).is_some())
        && language::is_test(path, &project.source_roots, &project.test_roots, bench.language)
}

/// Folders of tests that hold nothing else.
fn own_test_roots(bench: &Workbench) -> impl Iterator<Item = &RepoPath> {
    let project = &bench.checkout.project;
    let shared =
        |root: &RepoPath| root.as_str().is_empty() || project.source_roots.iter().any(|own| own.is_within(root));
    project.test_roots.iter().filter(move |root| !shared(root))
}

/// Folders in which test files lie.
fn test_folders(bench: &Workbench) -> BTreeSet<&str> {
    let tests = bench.index.files().iter().filter(|file| file.test && file.methods().any(is_test));
    tests.map(|file| folder_of(&file.path)).collect()
}

fn folder_of(path: &RepoPath) -> &str {
    path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A new file beside the nearest tests: in Java as package and class say, else under a name that is free.
fn beside_tests(code: &str, bench: &Workbench, issue: &str) -> Result<RepoPath, Refusal> {
    let spoken = SpokenOf::of(bench, issue);
    let near = spoken.tests.first().ok_or("the project has no test to stand beside; name a `file_path`")?;
    let extension = bench.language.extension();
    let outline = outline_text(&near.path, code, bench.language);
    let in_package = || {
        let class = outline.types.first()?.simple_name();
        let folder = near.package.replace('.', "/");
        let root = folder_of(&near.path).strip_suffix(&folder)?.trim_end_matches('/');
        let inside = outline.package.replace('.', "/");
        let parts: Vec<&str> = [root, &inside].into_iter().filter(|part| !part.is_empty()).collect();
        RepoPath::new(&format!("{}/{class}.{extension}", parts.join("/"))).ok()
    };
    let free = |path: &RepoPath| path.under(&bench.checkout.root).symlink_metadata().is_err();
    let numbered = || {
        let names = (1..).map(|n| if n == 1 { "test_issue".to_owned() } else { format!("test_issue_{n}") });
        let folder = RepoPath::new(folder_of(&near.path)).ok()?;
        names.take(100).filter_map(|name| folder.join(&format!("{name}.{extension}")).ok()).find(free)
    };
    let path = if bench.language.module(&near.path).is_some() { numbered() } else { in_package().filter(free) };
    let path = path.filter(|path| is_test_file(path, bench));
    path.ok_or_else(|| {
        format!("it is not clear where the test belongs; name a `file_path` beside {}", near.path).into()
    })
}

/// The test that a change of a file brings.
fn test_of(change: &FileChange, named: Option<&str>, bench: &Workbench) -> Result<TestId, Refusal> {
    let outline = |bytes: &[u8]| outline_text(&change.path, &String::from_utf8_lossy(bytes), bench.language);
    let (before, after) = (change.before.as_deref().map(outline), outline(&change.after));
    if after.broken {
        return Err(format!("the code of {} cannot be parsed; give whole lines of code", change.path).into());
    }
    let old: BTreeSet<(&str, &str)> = before
        .iter()
        .flat_map(|file| file.methods())
        .map(|method| (method.class.as_str(), method.name.as_str()))
        .collect();
    let new: Vec<_> =
        after.methods().filter(|method| is_test(method) && !old.contains(&(&*method.class, &*method.name))).collect();
    let wanted = named.map(|name| bare(name).to_owned()).filter(|name| !name.is_empty());
    let found: Vec<_> = new.iter().filter(|method| wanted.as_ref().is_none_or(|name| method.name == *name)).collect();
    let method = match (found.as_slice(), new.as_slice()) {
        ([one], _) => one,
        ([], []) => return Err("`code` brings no test: a method that the test framework runs".into()),
        ([], _) => return Err(format!("`test` names none of the new tests: {}", listed(&new)).into()),
        _ => return Err(format!("`code` brings several tests; name the one in `test`: {}", listed(&new)).into()),
    };
    let module = &bench.checkout.project.module;
    let inside = change.path.below(module).and_then(|inside| RepoPath::new(inside).ok());
    let package = inside.and_then(|path| bench.language.module(&path)).map_or(after.package.clone(), |at| at.package);
    let class = method.class.replace('.', "$");
    let class = if package.is_empty() { class } else { format!("{package}.{class}") };
    Ok(TestId::new(class, method.name.as_str()))
}

fn listed(methods: &[&crate::code::Method]) -> String {
    methods.iter().map(|method| method.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// A method's name without what people write around it.
fn bare(name: &str) -> &str {
    let name = name.rsplit(['#', ':', '.']).next().unwrap_or(name);
    name.split(['(', '[']).next().unwrap_or(name).trim()
}
