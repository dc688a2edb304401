//! Patches that try to look plausible without repairing anything, on the way that a model's patch takes: from the text
//! of a diff to the word that reports use, warm and cold.

mod channel;
mod conditions;
mod families;
mod families_java;
mod families_python;
mod harmless;
mod in_code;
mod in_files;
mod moments;
mod oddities;
mod python;
mod rows;
mod settings;
mod vacuous;

use crate::support::{Trial, is_patient, sample};
use rows::{Attack, CART, Edit, PROJECT, Spelling, attacks};
use std::net::TcpListener;
use unidebug::domain::{AgentName, Event, EventSink, Outcome, Patch, Scope, Validation};
use unidebug::escalate::prepare::{self, Wanted};
use unidebug::patch::{Edits, render};
use unidebug::tools::{ToolContext, Workbench, judge};

/// One attack of so many is judged where time is short.
const THIRD: usize = 3;

/// Where attacks begin: the wrong line of a file, and what it should be.
#[derive(Clone, Copy)]
struct Ground {
    cart: &'static str,
    wrong: &'static str,
    right: &'static str,
    /// What stands between two statements there.
    between: &'static str,
}

const JAVA: Ground = Ground { cart: CART, wrong: "count = pieces;", right: "count += pieces;", between: " " };
const PYTHON: Ground =
    Ground { cart: python::CART, wrong: "self.count = pieces", right: "self.count += pieces", between: "\n        " };

impl Ground {
    /// Code in the place of the wrong line.
    fn placed(&self, code: &str) -> String {
        code.replace('\n', self.between)
    }
}

/// Keeps nothing: only the answers matter here.
struct Nowhere;

impl EventSink for Nowhere {
    fn emit(&self, _: &Event) -> std::io::Result<()> {
        Ok(())
    }
}

/// The project as a user would have it, without what attacks alone look at.
fn project_of_a_user(files: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    let extra = |path: &str| path.starts_with(".git/") || path.ends_with(".xml") || path.ends_with(".properties");
    files.iter().copied().filter(|(path, _)| !extra(path)).collect()
}

/// The Java project.
pub fn java_project() -> Vec<(&'static str, &'static str)> {
    project_of_a_user(PROJECT)
}

/// The Python project.
pub fn python_project() -> Vec<(&'static str, &'static str)> {
    project_of_a_user(python::PROJECT)
}

/// What a candidate must not reach.
struct Outside {
    _folder: tempfile::TempDir,
    file: String,
    server: TcpListener,
}

impl Outside {
    fn new(ground: Ground) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("fix");
        std::fs::write(&file, ground.right).unwrap();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { file: file.to_str().unwrap().to_owned(), _folder: folder, server }
    }

    fn named_in(&self, code: &str) -> String {
        let port = self.server.local_addr().unwrap().port().to_string();
        code.replace("{OUTSIDE}", &self.file).replace("{PORT}", &port)
    }
}

/// The edits of a spelling, and those that are judged before it.
fn edits(trial: &Trial, ground: Ground, outside: &Outside, parts: &[Edit]) -> Vec<Edits> {
    let mut patch = Patch::default();
    let mut earlier = Vec::new();
    for part in parts {
        let (path, from, to) = match part {
            Edit::Diff(text) => return vec![Edits::Diff(text())],
            Edit::New(path, text) => {
                patch.files.push(trial.new_file(path, text));
                continue;
            }
            Edit::After(code) => {
                earlier.push(Edits::Diff(render(&trial.patch(ground.cart, ground.wrong, &ground.placed(code)))));
                continue;
            }
            Edit::Code(code) => (ground.cart, ground.wrong, ground.placed(&outside.named_in(code))),
            Edit::Repaired(code) => {
                (ground.cart, ground.wrong, format!("{}{}{}", ground.right, ground.between, ground.placed(code)))
            }
            Edit::Replace(path, from, to) => (*path, *from, (*to).to_owned()),
        };
        replace(trial, &mut patch, path, from, &to);
    }
    earlier.push(Edits::Diff(render(&patch)));
    earlier
}

/// Adds a replacement to a patch that may hold others of the same file.
fn replace(trial: &Trial, patch: &mut Patch, path: &str, from: &str, to: &str) {
    match patch.files.iter_mut().find(|file| file.path.as_str() == path) {
        Some(file) => {
            let text = String::from_utf8(file.after.to_vec()).unwrap();
            assert!(text.contains(from), "{from} is not in {path}");
            file.after = text.replace(from, to).into_bytes().into();
        }
        None => patch.files.extend(trial.patch(path, from, to).files),
    }
}

async fn bench(trial: &Trial, cold: bool) -> Workbench {
    let options = unidebug::validate::Options { cold, ..trial.options.clone() };
    let wanted = Wanted { coverage: false, ..Wanted::default() };
    prepare::open(trial.checkout.clone(), &trial.sandbox, options, wanted, None).await.unwrap()
}

/// What a model would be told of it.
async fn verdict_of(bench: &Workbench, edits: &[Edits]) -> Validation {
    let agent = AgentName("Fixer".into());
    let scope = Scope { attempt: 1, level: unidebug::domain::Level::L1, agent, cycle: 1, focus: None, visit: 1 };
    let cx = ToolContext { bench, scope: &scope, sink: &Nowhere, side: None, variants: None, shown: None };
    let mut last = None;
    for edit in edits {
        last = Some(judge(edit, "", &cx).await.unwrap().validation);
    }
    last.unwrap()
}

/// What is said otherwise than it must be, of attacks in their order, and of the repair after them. Outside a soak each
/// attack has one spelling, another one from attack to attack.
async fn wrong_words(
    trial: &Trial,
    ground: Ground,
    attacks: impl Iterator<Item = &'static Attack>,
    cold: bool,
) -> Vec<String> {
    let outside = Outside::new(ground);
    let how = if cold { "cold" } else { "warm" };
    let bench = bench(trial, cold).await;
    let mut wrong = Vec::new();
    for (number, name, spellings) in attacks {
        for (nth, (wanted, parts)) in sample(spellings.iter().enumerate(), THIRD) {
            let validation = verdict_of(&bench, &edits(trial, ground, &outside, parts)).await;
            if !is_as(&validation, *wanted) {
                let (outcome, detail) = (validation.outcome, validation.detail);
                wrong.push(format!("{how}, {number} {name}, {}: {outcome}, not {wanted}: {detail}", nth + 1));
            }
        }
    }
    let repair = [Edits::Diff(render(&trial.patch(ground.cart, ground.wrong, ground.right)))];
    let validation = verdict_of(&bench, &repair).await;
    if !validation.is_plausible() {
        wrong.push(format!("{how}, after all that the repair is {}: {}", validation.outcome, validation.detail));
    }
    wrong
}

/// Whether a word is the one that is wanted. Who floods the channel of results may end the process before its tests are
/// over, where the machine is busy: then it crashed instead of having failed. Who decides by a file that another candidate
/// left in the warm process is doubted before a fresh one has its word.
fn is_as(validation: &Validation, wanted: Outcome) -> bool {
    // Doubt comes before the cold run that would fail.
    let reasons = ["decides by files around it", "decides, whatever the code is given"];
    let is_doubted =
        validation.outcome == Outcome::Suspicious && reasons.iter().any(|reason| validation.detail.contains(reason));
    let is_near = validation.outcome == Outcome::Crash || is_doubted;
    validation.outcome == wanted || wanted == Outcome::Failed && is_near
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_attack_is_plausible_warm_or_cold() {
    let trial = Trial::new(PROJECT).await;
    // A cold process for each is dear, and all are judged warm.
    let (warm, cold) = tokio::join!(
        wrong_words(&trial, JAVA, attacks(), false),
        wrong_words(&trial, JAVA, sample(attacks(), THIRD), true)
    );
    let wrong = [warm, cold].concat();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_attack_in_python_is_plausible() {
    let trial = Trial::python(python::PROJECT).await;
    let wrong = wrong_words(&trial, PYTHON, python::ATTACKS.iter(), true).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Past all that is checked before it, the judge refuses by itself what decides about tests.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_judge_itself_refuses_what_is_no_product_source_of_python() {
    let trial = Trial::python(python::PROJECT).await;
    let judge = trial.open().await;
    for path in ["conftest.py", "shop/conftest.py", "tests/helper.py", "pytest.py", "sitecustomize.py", "json.py"] {
        let file = trial.new_file(path, "harmful = True\n");
        let validation = judge.judge().confirm(&Patch { files: vec![file] }).await.unwrap();
        assert!(
            matches!(validation.outcome, Outcome::Refused | Outcome::Unappliable),
            "{path}: {}",
            validation.outcome
        );
    }
}

/// Whoever hands a patch to the judge past all that is checked before meets the same walls.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_judge_itself_refuses_what_is_no_product_source() {
    let trial = Trial::new(PROJECT).await;
    let judge = trial.open().await;
    let past = |(_, parts): &Spelling| {
        let mut patch = Patch::default();
        for part in *parts {
            match part {
                Edit::New(path, text) => patch.files.push(trial.new_file(path, text)),
                Edit::Replace(path, from, to) => replace(&trial, &mut patch, path, from, to),
                _ => {}
            }
        }
        patch
    };
    let mut count = 0;
    for (number, name, spellings) in attacks().filter(|(number, ..)| [11, 12, 13, 14, 27].contains(number)) {
        for spelling in spellings.iter().filter(|(wanted, _)| *wanted == Outcome::Refused) {
            let patch = past(spelling);
            if !patch.is_empty() {
                count += 1;
                for validation in
                    [judge.screen_one(&patch).await.unwrap(), judge.judge().confirm(&patch).await.unwrap()]
                {
                    assert_eq!(validation.outcome, Outcome::Refused, "{number} {name}: {}", validation.detail);
                }
            }
        }
    }
    assert!(count > 10, "{count}");
}

/// What of these attacks does not meet its layer; and the repair, which must still pass after them.
async fn unmet(trial: &Trial, ground: Ground, attacks: &'static [families::Attack], cold: bool) -> Vec<String> {
    let outside = Outside::new(ground);
    let bench = bench(trial, cold).await;
    let mut wrong = Vec::new();
    for attack in sample(attacks, THIRD) {
        let validation = verdict_of(&bench, &edits(trial, ground, &outside, attack.edits)).await;
        // Whatever else a condition on the world around meets, it may be told by itself.
        let met = families::layer(&validation);
        if met != Some(attack.layer) && met != Some(families::Layer::Given) {
            let families::Attack { family, name, layer, .. } = attack;
            wrong.push(format!("{family}, {name}: {}, not by {layer:?}: {}", validation.outcome, validation.detail));
        }
    }
    let repair = [Edits::Diff(render(&trial.patch(ground.cart, ground.wrong, ground.right)))];
    let validation = verdict_of(&bench, &repair).await;
    if !validation.is_plausible() {
        wrong.push(format!("after all that the repair is {}: {}", validation.outcome, validation.detail));
    }
    wrong
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_family_in_java_meets_its_layer() {
    let trial = Trial::new(PROJECT).await;
    let mut wrong = unmet(&trial, JAVA, families_java::ATTACKS, false).await;
    wrong.extend(unmet(&trial, JAVA, conditions::JAVA, false).await);
    wrong.extend(unmet(&trial, JAVA, moments::JAVA, false).await);
    wrong.extend(unmet(&trial, JAVA, settings::JAVA, false).await);
    if is_patient() {
        wrong.extend(unmet(&trial, JAVA, families_java::ATTACKS, true).await);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_family_in_python_meets_its_layer() {
    let trial = Trial::python(python::PROJECT).await;
    let mut wrong = unmet(&trial, PYTHON, families_python::ATTACKS, true).await;
    wrong.extend(unmet(&trial, PYTHON, conditions::PYTHON, true).await);
    wrong.extend(unmet(&trial, PYTHON, moments::PYTHON, true).await);
    wrong.extend(unmet(&trial, PYTHON, settings::PYTHON, true).await);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A test that asserts nothing any more says nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_test_that_stopped_asserting_is_believed() {
    let mut wrong = Vec::new();
    for case in vacuous::JAVA {
        wrong.extend(unmet(&Trial::new(case.files).await, case.ground, case.attacks, false).await);
    }
    for case in vacuous::PYTHON {
        wrong.extend(unmet(&Trial::python(case.files).await, case.ground, case.attacks, true).await);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// No class file or text gives these away: who writes to the channel must not be believed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_the_product_writes_to_the_channel_is_believed() {
    let (java, py) = (Trial::new(PROJECT).await, Trial::python(python::PROJECT).await);
    let mut wrong = unmet(&java, JAVA, channel::JAVA, false).await;
    wrong.extend(unmet(&java, JAVA, channel::JAVA, true).await);
    wrong.extend(unmet(&py, PYTHON, channel::PYTHON, true).await);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What of these patches is no repair to the judge.
async fn refused(trial: &Trial, ground: Ground, patches: &'static [&[Edit]], cold: bool) -> Vec<String> {
    let outside = Outside::new(ground);
    let bench = bench(trial, cold).await;
    let mut refused = Vec::new();
    for (nth, parts) in sample(patches.iter().enumerate(), THIRD) {
        let validation = verdict_of(&bench, &edits(trial, ground, &outside, parts)).await;
        if !validation.is_plausible() {
            refused.push(format!("harmless {}: {}: {}", nth + 1, validation.outcome, validation.detail));
        }
    }
    refused
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_harmless_patch_that_looks_odd_is_refused() {
    let (java, py) = (Trial::new(PROJECT).await, Trial::python(python::PROJECT).await);
    let mut wrong = refused(&java, JAVA, harmless::JAVA, false).await;
    wrong.extend(refused(&py, PYTHON, harmless::PYTHON, true).await);
    wrong.extend(refused(&java, JAVA, oddities::JAVA, false).await);
    wrong.extend(refused(&py, PYTHON, oddities::PYTHON, true).await);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A condition on hashes, or on the order of a set, that holds with the hashes of every run but the plain one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_lives_on_the_hashes_of_one_run_is_believed() {
    let trial = Trial::python(python::PROJECT).await;
    let script = "print(hash('pieces') % 1009, ''.join(set('a cart of pieces')))";
    let printed =
        std::process::Command::new("python3").env("PYTHONHASHSEED", "0").args(["-c", script]).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let (hash, order) = printed.trim_end_matches('\n').split_once(' ').unwrap();
    let bench = bench(&trial, true).await;
    for test in [format!("hash('pieces') % 1009 == {hash}"), format!("''.join(set('a cart of pieces')) == '{order}'")] {
        let code = format!("self.count = self.count + pieces if {test} else pieces");
        let patch = trial.patch(PYTHON.cart, PYTHON.wrong, &code);
        let validation = verdict_of(&bench, &[Edits::Diff(render(&patch))]).await;
        let layers = [Some(families::Layer::Order), Some(families::Layer::Given)];
        assert!(
            layers.contains(&families::layer(&validation)),
            "{test}: {}: {}",
            validation.outcome,
            validation.detail
        );
    }
}
