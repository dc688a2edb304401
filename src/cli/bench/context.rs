//! `unidebug bench context`: whether first prompts hold every method that developers changed, and at how many tokens.

use super::Solved;
use super::measured::{MeasuredArgs, TableFormat};
use crate::agent::evidence::recall::{Held, Selection, held, methods_of};
use crate::benchmark;
use crate::cli::error::Failure;
use crate::cli::tell;
use crate::domain::BugId;
use crate::localize;
use crate::tools::Observed;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A way to choose, with or without coverage of the tests.
type Policy = (Selection, bool);

/// All that are measured: each selection with coverage, and level 1 without.
const POLICIES: [Policy; 5] = [
    (Selection::LevelOne, true),
    (Selection::WithValues, true),
    (Selection::LevelOne, false),
    (Selection::LevelTwo, true),
    (Selection::WholeFile, true),
];

/// Measures every bug of the set, one after the other; a bug that cannot be measured is named and left out.
///
/// # Errors
/// The set cannot be had, or no bug of it can be measured.
pub(super) async fn run(args: &MeasuredArgs) -> Result<u8, Failure> {
    let settings = benchmark::Settings { root: args.root.clone(), ..benchmark::Settings::default() };
    let (mut measured, mut left_out) = (BTreeMap::new(), BTreeMap::new());
    for bug in benchmark::select(&args.set, &settings)? {
        match measure(&bug, args).await {
            Ok(held) => {
                tell(&format!("{bug}: {}", line(&held)));
                measured.insert(bug, held);
            }
            Err(failure) => {
                tell(&format!("{bug}: {} (hint: {})", failure.message, failure.hint));
                left_out.insert(bug, failure.message);
            }
        }
    }
    if measured.is_empty() {
        let why = left_out.values().next().cloned().unwrap_or_default();
        let what = format!("no bug of `{}` could be measured; the first: {why}", args.set);
        return Err(Failure::unusable(
            what,
            "a bug needs a failing test and a developer's repair that changes a method",
        ));
    }
    crate::cli::print(&match args.form() {
        TableFormat::Text => table(&measured, &left_out, false),
        TableFormat::Md => table(&measured, &left_out, true),
        TableFormat::Json => format!("{}\n", object(&measured, &left_out)),
    });
    Ok(0)
}

async fn measure(bug: &BugId, args: &MeasuredArgs) -> Result<Vec<Held>, Failure> {
    let mut solved = Solved::open(bug, args).await?;
    let perfect = localize::oracle::perfect(&solved.bench.index, &solved.repaired(), &[]);
    let bench = &mut solved.bench;
    let methods = methods_of(bench, &perfect);
    if methods.is_empty() {
        return Err(Failure::unusable("the developer's repair changes no method", "measure another bug"));
    }
    let mut all = vec![None; POLICIES.len()];
    for with_coverage in [true, false] {
        if !with_coverage {
            bench.coverage = None;
            bench.ranking = localize::rank(&localize::Inputs {
                index: &bench.index,
                failing: &bench.bug.failing,
                coverage: None,
                spectrum: None,
                formula: localize::Formula::default(),
                changed: None,
            });
        }
        for (at, (selection, _)) in POLICIES.iter().enumerate().filter(|(_, policy)| policy.1 == with_coverage) {
            if *selection == Selection::WithValues {
                bench.see_values().await;
            }
            all[at] = Some(held(bench, &methods, *selection));
            bench.observed = Observed::default();
        }
    }
    Ok(all.into_iter().flatten().collect())
}

fn title((selection, with_coverage): Policy) -> String {
    format!("{}{}", selection.name(), if with_coverage { "" } else { ", no coverage" })
}

fn line(held: &[Held]) -> String {
    let one = |(policy, held): (&Policy, &Held)| {
        format!("{} {}/{} methods in {} tokens", title(*policy), held.methods, held.of, held.tokens)
    };
    POLICIES.iter().zip(held).map(one).collect::<Vec<_>>().join("; ")
}

/// Complete bugs, shown methods, and tokens of one policy over all bugs.
struct Row {
    complete: usize,
    methods: usize,
    of: usize,
    mean: usize,
    median: usize,
}

impl Row {
    fn of(nth: usize, measured: &BTreeMap<BugId, Vec<Held>>) -> Self {
        let held: Vec<Held> = measured.values().filter_map(|all| all.get(nth)).copied().collect();
        let mut tokens: Vec<usize> = held.iter().map(|held| held.tokens).collect();
        tokens.sort_unstable();
        Self {
            complete: held.iter().filter(|held| held.complete()).count(),
            methods: held.iter().map(|held| held.methods).sum(),
            of: held.iter().map(|held| held.of).sum(),
            mean: tokens.iter().sum::<usize>() / tokens.len().max(1),
            median: tokens.get(tokens.len() / 2).copied().unwrap_or(0),
        }
    }
}

fn table(measured: &BTreeMap<BugId, Vec<Held>>, left_out: &BTreeMap<BugId, String>, markdown: bool) -> String {
    let bugs = measured.len();
    let mut text = String::new();
    if markdown {
        text.push_str(
            "| selection | whole repair shown | methods shown | tokens, mean | median |\n|---|---|---|---|---|\n",
        );
    }
    for (nth, policy) in POLICIES.iter().enumerate() {
        let Row { complete, methods, of, mean, median } = Row::of(nth, measured);
        let title = title(*policy);
        let _ = if markdown {
            writeln!(text, "| {title} | {complete} of {bugs} | {methods} of {of} | {mean} | {median} |")
        } else {
            writeln!(
                text,
                "{title:<22} whole repair {complete:>3} of {bugs}   methods {methods:>3} of {of}   tokens mean {mean:>6} median {median:>6}"
            )
        };
    }
    for (bug, why) in left_out {
        let _ = writeln!(text, "{}left out: {bug}: {why}", if markdown { "\n" } else { "" });
    }
    text
}

fn object(measured: &BTreeMap<BugId, Vec<Held>>, left_out: &BTreeMap<BugId, String>) -> Value {
    let bug = |(bug, held): (&BugId, &Vec<Held>)| {
        let policies: Vec<Value> = POLICIES
            .iter()
            .zip(held)
            .map(|(policy, held)| {
                json!({"selection": title(*policy), "methods": held.methods, "of": held.of,
                    "complete": held.complete(), "tokens": held.tokens})
            })
            .collect();
        json!({"bug": bug, "selections": policies})
    };
    let left: BTreeMap<String, &String> = left_out.iter().map(|(bug, why)| (bug.to_string(), why)).collect();
    json!({"schema": 1, "bugs": measured.iter().map(bug).collect::<Vec<_>>(), "left_out": left})
}
