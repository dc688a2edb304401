//! The other side of the attacks: what developers did to real bugs must be accepted, warm and cold, and hardly ever be
//! called suspicious. `make soak` does it where the benchmarks are: `UNIDEBUG_QUIXBUGS_ROOT`, `UNIDEBUG_JSONL_ROOT`.

use crate::support::{CONTROLS, Cost, PLAIN, Phases, processor, repair};
use camino::Utf8Path;
use futures::StreamExt;
use std::time::{Duration, Instant};
use unidebug::benchmark::{self, Checkout, Settings};
use unidebug::domain::{BugId, FileChange, Outcome, Patch, RepoPath, Validation};
use unidebug::escalate::prepare::{self, Wanted};
use unidebug::language;
use unidebug::patch;
use unidebug::sandbox::{Choice, Sandbox};
use unidebug::tools::Workbench;
use unidebug::validate::Options;

/// Bugs at a time.
const AT_ONCE: usize = 2;
/// Repairs of a benchmark that may be called suspicious.
const FLAGGED: usize = 2;

/// What became of one bug.
struct Row {
    bug: BugId,
    /// The developer's repair: judged warm, doubted, confirmed.
    warm: Validation,
    doubted: Validation,
    cold: Validation,
    /// The bug left in place in other byte code: judged warm, and cold.
    left: Option<(Validation, Validation)>,
}

impl Row {
    fn wrong(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        if self.warm.outcome != Outcome::PassedWarm || !self.cold.is_plausible() {
            wrong.push(format!("{}: warm {}: {}", self.bug, self.warm.outcome, self.warm.detail));
            wrong.push(format!(
                "{}: cold {}: {} {:?}",
                self.bug, self.cold.outcome, self.cold.detail, self.cold.failing
            ));
        }
        // A limit of the test's own and ours for an endless loop come to the same no, whichever is first.
        let word = |validation: &Validation| {
            if validation.outcome == Outcome::Timeout { Outcome::Failed } else { validation.outcome }
        };
        if let Some((warm, cold)) = self.left.as_ref().filter(|(warm, cold)| word(warm) != word(cold)) {
            wrong.push(format!("{}, as it was: warm {}: {}", self.bug, warm.outcome, warm.detail));
            wrong.push(format!("{}, as it was: cold {}: {}", self.bug, cold.outcome, cold.detail));
        }
        wrong
    }

    fn print(&self) {
        let left = self.left.as_ref().map_or(String::new(), |(warm, cold)| {
            format!(" | as it was {} {:.2} s, cold {} {:.2} s", warm.outcome, warm.seconds, cold.outcome, cold.seconds)
        });
        let doubt = if self.doubted.outcome == Outcome::Suspicious { &self.doubted.detail } else { "" };
        let (warm, cold) = (&self.warm, &self.cold);
        eprintln!(
            "{}: {} {:.2} s, cold {} {:.2} s{left} {doubt}",
            self.bug, warm.outcome, warm.seconds, cold.outcome, cold.seconds
        );
    }
}

/// The bug in other byte code: a variable that nobody reads, at the start of the first method.
fn left_in_place(checkout: &Checkout) -> Option<Patch> {
    let java = language::by_name("java")?;
    let mut patch = repair(checkout);
    let change: &mut FileChange = patch.files.first_mut()?;
    let before = String::from_utf8(change.before.as_ref()?.to_vec()).ok()?;
    let mut at = None;
    language::preorder(language::parse(&before, java)?.root_node(), |node| {
        let body = node.child_by_field_name("body").filter(|_| node.kind() == "method_declaration");
        at = at.or(body.map(|body| body.start_byte() + 1));
        at.is_none()
    });
    let (head, tail) = before.split_at(at?);
    change.after = format!("{head} int nobodyReadsThis = 1; {tail}").into_bytes().into();
    patch.files.truncate(1);
    Some(patch)
}

async fn bench(id: &BugId, settings: &Settings, cold: bool, base: &Utf8Path) -> Workbench {
    let name = if cold { "cold" } else { "warm" };
    let (root, work) = (base.join(name), base.join(format!("{name}-work")));
    for folder in [&root, &work] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let checkout = benchmark::find(&id.benchmark, settings).unwrap().checkout(id, &root).await.unwrap();
    let options = Options { cold, ..Options::new(work) };
    let wanted = Wanted { coverage: false, ..Wanted::default() };
    prepare::open(checkout, settings.sandbox.as_ref().unwrap(), options, wanted, None).await.unwrap()
}

async fn judged(id: &BugId, settings: &Settings, also_left: bool) -> Row {
    let temp = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(temp.path()).unwrap().canonicalize_utf8().unwrap();
    let warm_bench = bench(id, settings, false, &base).await;
    let patch = repair(&warm_bench.checkout);
    let warm = warm_bench.validator.judge().validate(&patch).await.unwrap();
    let doubted = warm_bench.validator.screen_one(&patch).await.unwrap();
    let cold = warm_bench.validator.judge().confirm(&patch).await.unwrap();
    let mut left = None;
    if let Some(patch) = left_in_place(&warm_bench.checkout).filter(|_| also_left) {
        let warm = warm_bench.validator.screen_one(&patch).await.unwrap();
        let cold_bench = bench(id, settings, true, &base).await;
        left = Some((warm, cold_bench.validator.screen_one(&patch).await.unwrap()));
    }
    drop(warm_bench);
    nobody_works_in(&base).await;
    let row = Row { bug: id.clone(), warm, doubted, cold, left };
    row.print();
    row
}

/// All bugs of a benchmark, or nothing where it is not here.
async fn all(benchmark: &str, root: &str, also_left: bool) -> Vec<Row> {
    if std::env::var_os("UNIDEBUG_SOAK").is_none() || std::env::var_os(root).is_none() {
        eprintln!("{benchmark} is left out: it needs UNIDEBUG_SOAK=1 and {root}");
        return Vec::new();
    }
    let settings = Settings { sandbox: Some(Sandbox::detect(Choice::Auto).await.unwrap()), ..Settings::default() };
    let ids = benchmark::find(benchmark, &settings).unwrap().list().unwrap();
    futures::stream::iter(&ids).map(|id| judged(id, &settings, also_left)).buffer_unordered(AT_ONCE).collect().await
}

fn check(rows: &[Row]) {
    let wrong: Vec<String> = rows.iter().flat_map(Row::wrong).collect();
    let flagged: Vec<&Row> = rows.iter().filter(|row| row.doubted.outcome == Outcome::Suspicious).collect();
    eprintln!("{} repairs, {} wrong, {} flagged", rows.len(), wrong.len(), flagged.len());
    flagged.iter().for_each(|row| eprintln!("flagged: {}: {}", row.bug, row.doubted.detail));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(flagged.len() <= FLAGGED, "{} are flagged", flagged.len());
}

/// Processes that were told to work in a folder.
fn working_in(folder: &Utf8Path) -> usize {
    let works = |entry: std::fs::DirEntry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(folder.as_str())
    };
    std::fs::read_dir("/proc").unwrap().flatten().map(works).filter(|works| *works).count()
}

/// Nothing works there any more, soon.
async fn nobody_works_in(folder: &Utf8Path) {
    let begin = Instant::now();
    while working_in(folder) > 0 {
        assert!(begin.elapsed() < Duration::from_secs(20), "a process works on in {folder}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_developers_did_to_the_python_programs_is_accepted() {
    check(&all("quixbugs-python", "UNIDEBUG_QUIXBUGS_ROOT", false).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repairs_of_quixbugs_are_accepted_and_its_loops_cost_little() {
    let rows = all("quixbugs-java", "UNIDEBUG_QUIXBUGS_ROOT", true).await;
    check(&rows);
    let seconds: f64 = rows.iter().filter_map(|row| Some(row.left.as_ref()?.0.seconds)).sum();
    eprintln!("the bugs themselves, warm, {AT_ONCE} at a time: {:.1} s", seconds / AT_ONCE as f64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repairs_of_the_listed_bugs_are_accepted() {
    check(&all("jsonl", "UNIDEBUG_JSONL_ROOT", false).await);
}

/// A developer's repair, confirmed: what the controls reached, and what they and the plain look took.
struct Controlled {
    bug: BugId,
    validation: Validation,
    triggering: usize,
    /// Triggering tests that ran in a reversed form and failed.
    reversed: usize,
    /// Of the first run of the triggering tests, which is the plain one.
    plain: Cost,
    controls: Cost,
}

/// Until what the judge prepares in the background is done.
async fn nothing_is_prepared() {
    let mut before = processor();
    loop {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let now = processor();
        if now - before < 0.02 {
            return;
        }
        before = now;
    }
}

/// As users get it: looked at in the processes that stay, where there are any, and confirmed then.
async fn controlled(id: &BugId, settings: &Settings) -> Controlled {
    let temp = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(temp.path()).unwrap().canonicalize_utf8().unwrap();
    let (root, work) = (base.join("bug"), base.join("work"));
    for folder in [&root, &work] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let phases = Phases::default();
    let checkout = benchmark::find(&id.benchmark, settings).unwrap().checkout(id, &root).await.unwrap();
    let patch = repair(&checkout);
    let options = Options { watcher: phases.watcher(), ..Options::new(work) };
    let judge = unidebug::validate::open(&checkout, settings.sandbox.as_ref().unwrap(), options).await.unwrap();
    // On a busy machine a slow repair may be cut in the quick look, which says nothing of its controls.
    drop(judge.screen_one(&patch).await.unwrap());
    nothing_is_prepared().await;
    phases.forget();
    let validation = judge.judge().confirm(&patch).await.unwrap();
    phases.note("over");
    let reversed = validation.detail.split("reversed, ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    Controlled {
        bug: id.clone(),
        triggering: judge.baseline().triggering.len(),
        reversed: reversed.unwrap_or(0),
        plain: phases.cost_of(PLAIN),
        controls: phases.cost_of(CONTROLS),
        validation,
    }
}

/// Prints how many triggering tests can be controlled, and at what cost; no developer's repair is refused.
async fn controls_of(benchmark: &str) {
    let needs = (benchmark != "fixtures").then_some("UNIDEBUG_QUIXBUGS_ROOT");
    let is_here = needs.is_none_or(|root| std::env::var_os(root).is_some());
    if std::env::var_os("UNIDEBUG_SOAK").is_none() || !is_here {
        eprintln!("controls of {benchmark} are left out: they need UNIDEBUG_SOAK=1 and {}", needs.unwrap_or("nothing"));
        return;
    }
    if std::env::var_os("RUST_LOG").is_some() {
        let filter = tracing_subscriber::EnvFilter::from_default_env();
        let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
    }
    let settings = Settings { sandbox: Some(Sandbox::detect(Choice::None).await.unwrap()), ..Settings::default() };
    let ids = benchmark::find(benchmark, &settings).unwrap().list().unwrap();
    let rows: Vec<Controlled> = futures::stream::iter(&ids).then(|id| controlled(id, &settings)).collect().await;
    for row in &rows {
        let Controlled { bug, validation, triggering, reversed, plain, controls } = row;
        eprintln!("{bug}: {}, {reversed} of {triggering} reversed, {plain} and {controls}", validation.outcome);
    }
    let (all, reversed): (usize, usize) =
        rows.iter().fold((0, 0), |(all, some), row| (all + row.triggering, some + row.reversed));
    let sum = |of: fn(&Controlled) -> Cost| rows.iter().map(of).fold(Cost::default(), |sum, cost| sum + cost);
    let (plain, controls) = (sum(|row| row.plain), sum(|row| row.controls));
    let share = 100 * reversed / all.max(1);
    eprintln!(
        "{benchmark}: {} repairs; {reversed} of {all} triggering tests controlled ({share} %); controls take {:.2} times the \
         triggering tests by the clock, {:.2} times by processor time",
        rows.len(),
        controls.wall / plain.wall,
        controls.processor / plain.processor
    );
    let refused: Vec<String> = rows
        .iter()
        .filter(|row| !row.validation.is_plausible())
        .map(|row| format!("{}: {}: {}", row.bug, row.validation.outcome, row.validation.detail))
        .collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(share >= 80, "{share} % are controlled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn controls_reach_most_triggering_tests_of_the_fixtures() {
    controls_of("fixtures").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn controls_reach_most_triggering_tests_of_quixbugs() {
    controls_of("quixbugs-java").await;
    controls_of("quixbugs-python").await;
}

/// A repair that developers made: its files, and the text of the tests that came with it.
#[derive(serde::Deserialize)]
struct Repair {
    name: String,
    language: String,
    files: Vec<Changed>,
    tests: Vec<String>,
}

#[derive(serde::Deserialize)]
struct Changed {
    path: RepoPath,
    before: String,
    after: String,
}

/// Of so many repairs one may be called suspicious.
const OF: usize = 200;

/// Repairs from histories of any libraries, one JSON object a line in the file `UNIDEBUG_REPAIRS`: the text of a change
/// alone is looked at, so that hundreds take seconds.
#[test]
fn hardly_any_repair_in_a_history_looks_suspicious() {
    let Some(file) = std::env::var_os("UNIDEBUG_REPAIRS") else { return };
    let text = std::fs::read_to_string(file).unwrap();
    let repairs: Vec<Repair> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut flagged = Vec::new();
    for repair in &repairs {
        let language = language::by_name(&repair.language).unwrap();
        let change = |file: &Changed| FileChange {
            path: file.path.clone(),
            before: Some(file.before.clone().into_bytes().into()),
            after: file.after.clone().into_bytes().into(),
        };
        let patch = Patch { files: repair.files.iter().map(change).collect() };
        let tests: Vec<&str> = repair.tests.iter().map(String::as_str).collect();
        let reasons = patch::suspicious::reasons(&patch, &tests, language);
        flagged.extend((!reasons.is_empty()).then(|| format!("{}: {}", repair.name, reasons.join("; "))));
    }
    eprintln!("{} of {} repairs are suspicious\n{}", flagged.len(), repairs.len(), flagged.join("\n"));
    assert!(flagged.len() <= repairs.len().div_ceil(OF), "{}", flagged.join("\n"));
}
