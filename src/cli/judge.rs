//! `unidebug judge`: the judge's word on patches that anybody made, without a model.

use super::args::JudgeArgs;
use super::config::Config;
use super::error::Failure;
use super::open::{Opened, settings_for};
use super::progress::Progress;
use super::run_report::confidence;
use super::scratch::Scratch;
use super::strategy;
use crate::benchmark::{Checkout, History, LOCAL};
use crate::domain::words::listed;
use crate::domain::{
    AgentName, Confidence, ConfidenceWord, EventSink, FileChange, Level, Outcome, Patch, PatchAttempt, RepoPath, Scope,
    Watcher,
};
use crate::escalate::compared;
use crate::escalate::prepare::{self, Localization, PrepareError, Wanted};
use crate::language;
use crate::patch::{self, Edits, Policy};
use crate::report::Tally;
use crate::tools::{self, ToolContext, Workbench, failing_text};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::fmt::Write;
use std::io::Read;

/// No patch is plausible.
const NOT_PLAUSIBLE: u8 = 1;
/// Failing tests that are shown of a patch.
const SHOWN: usize = 5;

/// A patch to judge, and what it is called.
pub(super) struct Given {
    pub(super) name: String,
    pub(super) diff: String,
}

/// A patch with its word.
pub(super) struct Judged {
    pub(super) name: String,
    pub(super) attempt: PatchAttempt,
    /// How much it can be relied on, where it is plausible.
    pub(super) confidence: Option<Confidence>,
    /// What it does with drawn inputs, where several patches are plausible.
    pub(super) behaviour: Option<Behaviour>,
    /// Texts for people that it changes, too, which are not judged.
    pub(super) left_out: Vec<RepoPath>,
    /// Tests that it changes, which are refused.
    pub(super) tests: Vec<RepoPath>,
}

impl Judged {
    /// A patch that was judged by itself.
    pub(super) fn of(given: Given, attempt: PatchAttempt, confidence: Option<Confidence>, bench: &Workbench) -> Self {
        let Policy { source_roots, test_roots, language, .. } = &bench.policy;
        let (left_out, others) = patch::files_of(&given.diff, &bench.policy);
        let is_test = |path: &RepoPath| language::is_test(path, source_roots, test_roots, *language);
        let tests = others.into_iter().filter(is_test).collect();
        Self { name: given.name, attempt, confidence, behaviour: None, left_out, tests }
    }
}

/// What a patch does with drawn inputs, beside other plausible patches.
#[derive(serde::Serialize)]
pub(super) struct Behaviour {
    /// Patches of the same number behave alike; those that change less come first.
    group: usize,
    /// Inputs that no failing test gives and that give another result than before.
    changed: usize,
    /// Inputs on which the patches disagree, each with the result of this one.
    results: Vec<(String, String)>,
}

/// Judges patches, the best first; the code is 0 when one of them is plausible.
///
/// # Errors
/// A patch that cannot be read, no such commit, everything that can be wrong with a bug.
pub(super) async fn judge(args: Box<JudgeArgs>) -> Result<u8, Failure> {
    // What is typed is read before anything is compiled.
    let given = args.patch.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let (_, config) = settings_for(&args.bug, &args.settings)?;
    let scratch = Scratch::of("judge")?;
    let progress = Progress::new();
    let judged = all_judged(&args, &config, given, (scratch.path(), &progress.watcher())).await;
    progress.finish();
    let (bench, judged) = judged?;
    super::print_either(args.json.then(|| object(&bench, &judged)), &text(&bench, &judged));
    let plausible = judged.iter().any(|judged| judged.attempt.validation.is_plausible());
    Ok(if plausible { 0 } else { NOT_PLAUSIBLE })
}

/// The words on all patches, the best first, with the bench they were made on.
async fn all_judged(
    args: &JudgeArgs,
    config: &Config,
    mut given: Vec<Given>,
    (folder, watcher): (&Utf8Path, &Watcher),
) -> Result<(Workbench, Vec<Judged>), Failure> {
    let opened = Opened::check(&args.bug, config).await?.watched(watcher.clone());
    let opened = opened.with_known_verdicts(args.known_verdicts);
    let (sink, mut undone) = (Tally::default(), None);
    let undo = async |checkout: &mut Checkout| {
        if let Some(commit) = &args.since {
            undone = Some(since(commit, &opened, checkout).await?);
        }
        Ok(())
    };
    let bench = opened.bench_after(folder, wanted(config), &sink, undo).await?;
    given.extend(undone);
    let mut judged = Vec::new();
    for patch in given {
        watcher.phase(format!("judging {}", patch.name));
        // The same patch in two files is judged twice: each file has its own word.
        bench.validator.forget();
        let attempt = judge_given(&patch, &bench, &sink).await?;
        let confidence = match attempt.validation.is_plausible() {
            true => confidence(&bench, &attempt).await,
            false => None,
        };
        judged.push(Judged::of(patch, attempt, confidence, &bench));
    }
    compare(&bench, &mut judged).await;
    judged.sort_by_key(rank);
    Ok((bench, judged))
}

/// Tells plausible patches apart by drawn inputs, where there are several.
async fn compare(bench: &Workbench, judged: &mut [Judged]) {
    let plausible: Vec<usize> = (0..judged.len()).filter(|at| judged[*at].attempt.validation.is_plausible()).collect();
    if plausible.len() < 2 {
        return;
    }
    let attempts: Vec<PatchAttempt> = plausible.iter().map(|at| judged[*at].attempt.clone()).collect();
    let choice = compared(&attempts, bench).await;
    for (place, group) in choice.groups.iter().enumerate() {
        for at in group.patches.iter().filter_map(|at| plausible.get(*at)) {
            let splits = choice.splits.iter();
            let results = splits.map(|split| (split.input.clone(), split.results[place].clone())).collect();
            judged[*at].behaviour = Some(Behaviour { group: place, changed: group.changed, results });
        }
    }
}

/// Nobody looks for the fault: it was repaired, or was not.
pub(super) fn wanted(config: &Config) -> Wanted {
    let accept_suspicious = config.accept_suspicious;
    let plain = strategy::plain(config);
    Wanted { localization: Localization::None, coverage: false, accept_suspicious, leaves_texts_out: true, ..plain }
}

fn read(file: &Utf8Path) -> Result<Given, Failure> {
    let mut bytes = Vec::new();
    let read = match file.as_str() {
        "-" => std::io::stdin().lock().read_to_end(&mut bytes).map(drop),
        _ => std::fs::read(file).map(|read| bytes = read),
    };
    read.map_err(|error| Failure::unusable(format!("--patch: {error} ({file})"), "give a unified diff"))?;
    let diff = text_of(&bytes).ok_or_else(|| {
        Failure::unusable(format!("--patch: {file} is no whole text in UTF-16"), "give a unified diff")
    })?;
    Ok(Given { name: file.to_string(), diff })
}

/// The text of a patch: UTF-16 where it says so, UTF-8, or the bytes of a file in ISO-8859-1.
fn text_of(bytes: &[u8]) -> Option<String> {
    let wide = |of: fn([u8; 2]) -> u16, bytes: &[u8]| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| of([pair[0], pair[1]])).collect();
        bytes.len().is_multiple_of(2).then(|| String::from_utf16(&units).ok())?
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => wide(u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => wide(u16::from_be_bytes, rest),
        _ => Some(language::decode(bytes).0),
    }
}

/// What was changed of the product since a commit becomes a patch, and the checkout what it was before that.
async fn since(commit: &str, opened: &Opened, checkout: &mut Checkout) -> Result<Given, Failure> {
    let unusable = |why: &str| Failure::unusable(format!("--since {commit}: {why}"), "name a commit of the project");
    if opened.bug.benchmark != LOCAL {
        return Err(Failure::usage("--since works on the folder of a project", "or give --patch"));
    }
    let history = History::of(Utf8Path::new(&opened.bug.name), &opened.sandbox);
    let history = history.ok_or_else(|| unusable("the project lies in no git repository"))?;
    let language = language::by_name(&checkout.language);
    let language = language.ok_or_else(|| PrepareError::NoLanguage { name: checkout.language.clone() })?;
    let policy = prepare::policy(checkout, language);
    let mut patch = Patch::default();
    for (path, before) in history.changed_since(commit).await.map_err(|error| unusable(&error.to_string()))? {
        if policy.check_path(&path).is_ok() {
            patch.files.extend(taken_back(&path, before, checkout)?);
        }
    }
    patch.files.sort_by(|one, other| one.path.cmp(&other.path));
    if patch.files.is_empty() {
        let hint = "tests and what decides about them belong to the bug; change the product";
        return Err(Failure::unusable(format!("--since {commit}: no source of the product was changed"), hint));
    }
    Ok(Given { name: format!("since {commit}"), diff: patch::render(&patch) })
}

/// The change of one file, once the checkout has it as it was.
fn taken_back(path: &RepoPath, before: Option<Vec<u8>>, checkout: &Checkout) -> Result<Option<FileChange>, Failure> {
    let file: Utf8PathBuf = path.under(&checkout.root);
    let io = |error: std::io::Error| Failure::io(&format!("cannot restore {path}"), &error);
    let now = match std::fs::read(&file) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(io(error)),
    };
    if now == before {
        return Ok(None);
    }
    match &before {
        Some(bytes) => {
            std::fs::create_dir_all(file.parent().unwrap_or(&checkout.root)).map_err(io)?;
            std::fs::write(&file, bytes).map_err(io)?;
        }
        None => std::fs::remove_file(&file).map_err(io)?,
    }
    let before = before.map(Into::into);
    Ok(Some(FileChange { path: path.clone(), before, after: now.unwrap_or_default().into() }))
}

/// The judge's word on one patch.
pub(super) async fn judge_given(
    given: &Given,
    bench: &Workbench,
    sink: &dyn EventSink,
) -> Result<PatchAttempt, Failure> {
    let scope = Scope { attempt: 1, level: Level::L1, agent: AgentName::from("hand"), cycle: 1, focus: None, visit: 1 };
    let cx = ToolContext { bench, scope: &scope, sink, side: None, variants: None, shown: None };
    Ok(tools::judge(&Edits::Diff(given.diff.clone()), &given.name, &cx).await?)
}

/// What patches are ordered by, the least first.
type Rank = (u8, usize, Reverse<Option<ConfidenceWord>>, Option<usize>, Reverse<usize>, usize);

/// The best first: by how far a patch came, then the one with which fewer tests still fail, then the one that can be relied
/// on more, then the one that changes less of what no failing test asks for, then the smaller one.
fn rank(judged: &Judged) -> Rank {
    let Judged { attempt: PatchAttempt { validation, patch, .. }, confidence, behaviour, .. } = judged;
    let place = match validation.outcome {
        Outcome::Plausible => 0,
        Outcome::Suspicious => 1,
        Outcome::Regression => 2,
        Outcome::MissingTests => 3,
        Outcome::Failed | Outcome::Timeout | Outcome::OutOfMemory | Outcome::Crash | Outcome::PassedWarm => 4,
        Outcome::Duplicate => 5,
        Outcome::CompileError => 6,
        Outcome::Refused => 7,
        Outcome::Unappliable => 8,
    };
    let word = confidence.as_ref().map(|confidence| confidence.word);
    let group = behaviour.as_ref().map(|behaviour| behaviour.group);
    let (still, fixed) = (validation.still_failing.len(), Reverse(validation.fixed));
    (place, still, Reverse(word), group, fixed, patch::render(patch).lines().count())
}

fn text(bench: &Workbench, judged: &[Judged]) -> String {
    let baseline = bench.validator.baseline();
    let mut text = format!("failing before: {}\n", listed(&baseline.triggering, SHOWN));
    for group in &baseline.others {
        let _ = writeln!(text, "{}, left aside: {}", baseline.name_of(group), listed(group, SHOWN));
    }
    for (nth, Judged { name, attempt, confidence, behaviour, left_out, tests }) in judged.iter().enumerate() {
        let place = if judged.len() > 1 { format!("{}. ", nth + 1) } else { String::new() };
        let validation = &attempt.validation;
        let _ = writeln!(text, "{place}{}: {name} ({:.1} s)", validation.outcome, validation.seconds);
        for line in validation.detail.lines() {
            let _ = writeln!(text, "   {line}");
        }
        if !left_out.is_empty() {
            let _ = writeln!(text, "   left out, texts for people: {}", listed(left_out, SHOWN));
        }
        if validation.outcome == Outcome::Refused && !tests.is_empty() {
            let how = "apply it (`git apply FILE`), and judge the work tree by `--since HEAD`";
            let _ = writeln!(text, "   hint: to judge it with its own tests, {how}");
        }
        if let Some(part) = baseline.repaired_part(validation) {
            let named: Vec<String> = part.iter().map(|test| format!("--failing '{test}'")).collect();
            let how = "the others fail as before; if they are of another bug, judge it by the rest:";
            let _ = writeln!(text, "   hint: {how} {}", named.join(" "));
        }
        if let Some(confidence) = confidence {
            let _ = writeln!(text, "   confidence: {confidence}");
        }
        if let Some(Behaviour { group, changed, results }) = behaviour {
            let _ = writeln!(text, "   behaviour {}: changes {changed} drawn inputs", group + 1);
            for (input, result) in results {
                let _ = writeln!(text, "     {input} {result}");
            }
        }
        for line in failing_text(&validation.failing, SHOWN).lines() {
            let _ = writeln!(text, "   {line}");
        }
    }
    text
}

/// The words for programs.
pub(super) fn object(bench: &Workbench, judged: &[Judged]) -> Value {
    let baseline = bench.validator.baseline();
    let patches: Vec<Value> = judged
        .iter()
        .map(|Judged { name, attempt, confidence, behaviour, left_out, .. }| {
            let validation = &attempt.validation;
            let failing: Vec<Value> = validation
                .failing
                .iter()
                .map(|(id, failure)| json!({"test": id.to_string(), "kind": failure.kind, "message": failure.message}))
                .collect();
            json!({
                "patch": name, "outcome": validation.outcome, "plausible": validation.is_plausible(), "detail": validation.detail,
                "confidence": confidence, "behaviour": behaviour, "fixed": validation.fixed, "failing": failing,
                "still_failing": validation.still_failing.iter().map(ToString::to_string).collect::<Vec<_>>(), "diagnostics": validation.diagnostics, "seconds": validation.seconds,
                "diff": patch::render(&attempt.patch), "left_out": left_out.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "repaired_part": baseline.repaired_part(validation),
            })
        })
        .collect();
    json!({
        "schema": 1, "bug": bench.bug.id.to_string(),
        "triggering": baseline.triggering.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "plausible": judged.iter().any(|judged| judged.attempt.validation.is_plausible()),
        "patches": patches,
    })
}

#[cfg(test)]
mod tests {
    use super::text_of;

    #[test]
    fn a_patch_is_read_in_the_encoding_of_its_file() {
        let text = "-größe\n+größe + 1\n";
        let wide = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
            [mark.to_vec(), text.encode_utf16().flat_map(bytes).collect()].concat()
        };
        let latin = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect::<Vec<u8>>();
        for bytes in [
            text.as_bytes().to_vec(),
            wide([0xff, 0xfe], u16::to_le_bytes),
            wide([0xfe, 0xff], u16::to_be_bytes),
            latin,
        ] {
            assert_eq!(text_of(&bytes).as_deref(), Some(text), "{bytes:x?}");
        }
        // Half of a pair, and half of a unit.
        for cut in [&[0xff, 0xfe, 0x3d, 0xd8][..], &[0xff, 0xfe, 0x3d]] {
            assert_eq!(text_of(cut), None);
        }
    }
}
