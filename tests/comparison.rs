//! Two strategies on the fixtures, Java and Python, against a model that knows some repairs at once, some only when it is
//! shown more, and some never: what the report says of the pair is what the endpoint served. `make soak` takes every
//! fixture.

use crate::support::{Developer, Endpoint, Reply, Unidebug, folder_of, status, unidebug};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the model has to see of a bug before it knows the repair.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Needs {
    /// The failing tests and the code.
    Little,
    /// What the classes are for: level 2 tells it.
    Summary,
    /// How others repaired the like: level 3 tells it.
    Reference,
    /// No marked line: the mark leads it astray.
    NoMark,
    /// More than there is.
    Everything,
}

/// What the bugs need, in the order of the list, and again from the start.
const NEEDS: [Needs; 10] = [
    Needs::Little,
    Needs::Summary,
    Needs::Reference,
    Needs::NoMark,
    Needs::Everything,
    Needs::Summary,
    Needs::Reference,
    Needs::Summary,
    Needs::Little,
    Needs::Reference,
];

impl Needs {
    fn are_met_by(self, question: &str) -> bool {
        match self {
            Self::Little => true,
            Self::Summary => question.contains("## Summary\n"),
            Self::Reference => question.contains("## Reference solution\n"),
            Self::NoMark => !question.contains("buggy line"),
            Self::Everything => false,
        }
    }

    /// The start of the bug's row where the strategies stand side by side. On levels 2 and 3 a patch is made as small as
    /// the tests allow, so it may be another than the developer's.
    fn row(self, bug: &str) -> String {
        let [direct, unified] = match self {
            Self::Little => ["L1 direct: correct", "L1 fixer: correct"],
            Self::Summary => ["no repair", "L2 fixer: "],
            Self::Reference => ["no repair", "L3 fixer: "],
            Self::NoMark => ["L1 direct: correct", "no repair"],
            Self::Everything => ["no repair", "no repair"],
        };
        format!("| {bug} | {direct} | {unified}")
    }
}

/// The small set: bugs that are judged fast, in both languages.
const FEW: [&str; 5] = [
    "fixtures:glob-match",
    "fixtures:roman-numerals",
    "fixtures:playlist",
    "fixtures:ring-buffer",
    "fixtures:matrix-product",
];

/// The bugs of this run of the tests.
fn bugs() -> Vec<String> {
    if std::env::var_os("UNIDEBUG_SOAK").is_none() {
        return FEW.map(str::to_owned).to_vec();
    }
    let list = unidebug(&["bugs", "fixtures", "--json"]).expect_code(0).json();
    list["bugs"].as_array().unwrap().iter().map(|bug| bug["id"].as_str().unwrap().to_owned()).collect()
}

/// Which bugs a strategy was given the repair of.
type ByStrategy = BTreeMap<&'static str, BTreeSet<String>>;

/// A model that answers all agents from the developers' repairs, and the list of those that it gave away.
fn model(bugs: &[String]) -> (Endpoint, Arc<Mutex<ByStrategy>>) {
    let known: Vec<(Developer, Needs)> =
        bugs.iter().map(|id| Developer::of(id)).zip(NEEDS.into_iter().cycle()).collect();
    let by_strategy =
        Arc::new(Mutex::new(ByStrategy::from([("unified", BTreeSet::new()), ("direct", BTreeSet::new())])));
    let record = Arc::clone(&by_strategy);
    let endpoint = Endpoint::start(move |agent, _, body| {
        let question = body["messages"].as_array().unwrap().iter().map(|message| message["content"].as_str().unwrap());
        let question = question.collect::<Vec<_>>().join("\n");
        assert!(!question.contains("unidebug-oracle"), "the repair was shown");
        let (developer, needs) =
            known.iter().find(|(developer, _)| developer.is_asked_in(&question)).expect("a bug of the set");
        let strategy = if agent == "Direct" { "direct" } else { "unified" };
        let repairs = matches!(agent, "Direct" | "Fixer") && needs.are_met_by(&question);
        if repairs {
            record.lock().unwrap().get_mut(strategy).unwrap().insert(developer.bug.clone());
        }
        match strategy {
            "direct" if repairs => Reply::text(format!("This is why.\n```diff\n{}```\n", developer.diff)),
            "direct" => Reply::text("I cannot see from this what has to change."),
            _ if repairs => {
                Reply::command("write_fix", json!({"diff": developer.diff, "explanation": "as it was meant"}))
            }
            _ => developer.usual(agent, &question),
        }
    });
    (endpoint, by_strategy)
}

/// A batch of the bugs under both strategies.
fn compared(bugs: &[String], endpoint: &Endpoint, folder: &Path) -> String {
    let batch = folder.join("batch").to_str().unwrap().to_owned();
    let plan = folder.join("plan.toml");
    let configuration = |strategy: &str| {
        let url = endpoint.base_url();
        let args =
            ["--model", "scripted", "--base-url", &url, "--no-first", "--strategy", strategy, "--without", "skipping"];
        format!("\n[[configuration]]\nname = {strategy:?}\nargs = {args:?}\n")
    };
    std::fs::write(&plan, format!("bugs = {bugs:?}\n{}{}", configuration("unified"), configuration("direct"))).unwrap();
    let words = ["bench", "run", plan.to_str().unwrap(), "--out", &batch, "--jobs", "2", "--quiet"];
    Unidebug::new(&words).limit(Duration::from_secs(3600)).run().expect_code(0);
    assert_eq!(status(&batch)["over"].as_u64().unwrap() as usize, 2 * bugs.len(), "{}", status(&batch));
    batch
}

/// The bugs that a strategy repaired, as the report tells.
fn repaired(report: &Value, strategy: &str) -> BTreeSet<String> {
    let runs = report["runs"].as_array().unwrap().iter();
    let plausible =
        runs.filter(|run| run["setting"]["strategy"] == strategy && run["report"]["verdict"] == "plausible");
    plausible.map(|run| run["bug"].as_str().unwrap().to_owned()).collect()
}

/// What is wanted of two strategies on the same bugs, the first less the second, reckoned by going back to what the
/// figures mean.
struct Paired {
    bugs: usize,
    both: usize,
    only_a: usize,
    only_b: usize,
}

impl Paired {
    fn of(a: &BTreeSet<String>, b: &BTreeSet<String>, bugs: usize) -> Self {
        let both = a.intersection(b).count();
        Self { bugs, both, only_a: a.len() - both, only_b: b.len() - both }
    }

    /// The difference of the shares, the ends of its 95 % interval, and how likely it is by chance.
    fn figures(&self) -> [f64; 4] {
        let difference = (self.only_a as f64 - self.only_b as f64) / self.bugs as f64;
        let [low, high] = self.interval();
        [difference, low, high, self.by_chance()]
    }

    /// After Bonett and Price: what each bug adds to the difference, and one bug more on either side, taken as a sample
    /// with its mean and standard error.
    fn interval(&self) -> [f64; 2] {
        let neither_alone = self.bugs - self.only_a - self.only_b;
        let values = [(self.only_a + 1, 1.0), (self.only_b + 1, -1.0), (neither_alone, 0.0)];
        let sample: Vec<f64> = values.iter().flat_map(|&(times, value)| std::iter::repeat_n(value, times)).collect();
        let n = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / n;
        let variance = sample.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n;
        let half = Z * (variance / n).sqrt();
        [(mean - half).max(-1.0), (mean + half).min(1.0)]
    }

    /// McNemar's test by going through every way in which the bugs that only one repaired could have fallen.
    fn by_chance(&self) -> f64 {
        let (n, uneven) = (self.only_a + self.only_b, self.only_a.abs_diff(self.only_b));
        let ways = 1_u64 << n;
        let as_uneven = (0..ways).filter(|way| (2 * way.count_ones() as usize).abs_diff(n) >= uneven);
        as_uneven.count() as f64 / ways as f64
    }

    /// The last fields of a row.
    fn words(&self) -> String {
        let [difference, low, high, p] = self.figures();
        format!("{:.1} | {:.1} to {:.1} | {p:.4} |", 100.0 * difference, 100.0 * low, 100.0 * high)
    }
}

/// Standard normal quantile of a two-sided 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// Wilson's interval in per cent: the shares from which `hits` of `all` lie no further than 95 % of samples do, found by
/// halving.
fn wilson(hits: usize, all: usize) -> String {
    let share = hits as f64 / all as f64;
    let is_far = |p: f64| (share - p).abs() > Z * (p * (1.0 - p) / all as f64).sqrt();
    let end = |mut far: f64| {
        let mut near = share;
        for _ in 0..60 {
            let middle = f64::midpoint(far, near);
            if is_far(middle) { far = middle } else { near = middle }
        }
        100.0 * near
    };
    format!("{:.1} to {:.1}", end(0.0), end(1.0))
}

/// The configurations as the plan and so the report names them.
const OURS: &str = "unified";
const DIRECT: &str = "direct";

#[test]
fn two_strategies_differ_in_the_report_as_they_did_at_the_endpoint() {
    let bugs = bugs();
    let (endpoint, by_strategy) = model(&bugs);
    let folder = folder_of(&[]);
    let batch = compared(&bugs, &endpoint, folder.path());
    let by_strategy = by_strategy.lock().unwrap().clone();
    let form = |form: &str| unidebug(&["report", &batch, "--format", form]).expect_code(0).stdout.clone();
    let report: Value = serde_json::from_str(&form("json")).unwrap();
    for (strategy, given) in &by_strategy {
        assert_eq!(repaired(&report, strategy), *given, "by {strategy}");
    }
    eprintln!("{}", form("text"));

    let paired = Paired::of(&by_strategy["direct"], &by_strategy["unified"], bugs.len());
    let Paired { bugs: n, both, only_a, only_b } = paired;
    assert!(both > 0 && only_a > 0 && only_b > 0 && both + only_a + only_b < n, "all four fields: {by_strategy:?}");
    assert_eq!(report["pairs"].as_array().unwrap().len(), 1);
    let pair = &report["pairs"][0];
    let counted = json!([pair["a"], pair["b"], pair["bugs"], pair["both"], pair["only_a"], pair["only_b"]]);
    assert_eq!(counted, json!([DIRECT, OURS, n, both, only_a, only_b]));
    let figures = [&pair["difference"], &pair["interval"][0], &pair["interval"][1], &pair["p"]];
    for (figure, wanted) in figures.into_iter().zip(paired.figures()) {
        assert!((figure.as_f64().unwrap() - wanted).abs() < 1e-9, "{wanted} instead of {pair}");
    }
    let markdown = form("md");
    for row in rows(&bugs, &by_strategy) {
        assert!(markdown.contains(&row), "{row}\n{markdown}");
    }
}

/// The rows of the tables that set the strategies side by side.
fn rows(bugs: &[String], by_strategy: &ByStrategy) -> Vec<String> {
    let (ours, direct, n) = (&by_strategy["unified"], &by_strategy["direct"], bugs.len());
    let paired = Paired::of(direct, ours, n);
    let Paired { both, only_a, only_b, .. } = paired;
    let (by_us, directly) = (ours.len(), direct.len());
    let gain = Paired::of(ours, direct, n).words();
    let mut rows = vec![
        format!("| {DIRECT} | {OURS} | {n} | {both} | {only_a} | {only_b} | {}", paired.words()),
        format!("| scripted | {OURS} | {n} | {directly} | {by_us} | {} | {gain}", by_us - directly),
    ];
    for (name, repaired) in [(OURS, by_us), (DIRECT, directly)] {
        let share = 100.0 * repaired as f64 / n as f64;
        rows.push(format!("| {name} | {n} | {n} | {repaired} | {share:.1} | {} |", wilson(repaired, n)));
    }
    rows.extend(bugs.iter().zip(NEEDS.into_iter().cycle()).map(|(bug, needs)| needs.row(bug)));
    rows
}
