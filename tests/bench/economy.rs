//! What a repair costs when the model answers well at once: requests, tokens by prompt section, and whether the code
//! that was shown held every method of the repair.
//!
//! ```text
//! cargo bench --bench economy -- --quixbugs DIR --project DIR [--methods 20] [--skip N] [--only NAME] [--save DIR]
//! ```
//!
//! A local endpoint plays a perfect model: Locator marks the lines that the developer's repair changes, Fixer answers
//! with that repair. The program is run as a user runs it, so that every candidate is compiled and judged. Tokens are
//! characters divided by four, of whole requests and answers.
// What tests and benches share is public to both.
#![allow(unreachable_pub)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/endpoint.rs"]
mod endpoint;
#[path = "economy/measure.rs"]
mod measure;
#[path = "economy/mutants.rs"]
mod mutants;
#[path = "economy/perfect.rs"]
mod perfect;
#[path = "../support/program.rs"]
mod program;
#[path = "economy/table.rs"]
mod table;

use camino::{Utf8Path, Utf8PathBuf};
use measure::{Measured, measure};
use perfect::{Repair, Repaired};
use unidebug::benchmark::{Settings, find};

/// Seed of the drawn methods and of their mutations.
const SEED: u64 = 1;

/// What was typed.
#[derive(Default)]
struct Args {
    quixbugs: Option<Utf8PathBuf>,
    project: Option<Utf8PathBuf>,
    methods: usize,
    /// Draws that an earlier run has measured.
    skip: usize,
    only: Option<String>,
    save: Option<Utf8PathBuf>,
}

impl Args {
    fn read() -> Self {
        let quixbugs = std::env::var("UNIDEBUG_QUIXBUGS_ROOT").ok().map(Utf8PathBuf::from);
        let mut args = Self { methods: 20, quixbugs, ..Self::default() };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{word} needs a value"));
            match word.as_str() {
                "--quixbugs" => args.quixbugs = Some(value().into()),
                "--project" => args.project = Some(value().into()),
                "--methods" => args.methods = value().parse().expect("--methods takes a number"),
                "--skip" => args.skip = value().parse().expect("--skip takes a number"),
                "--only" => args.only = Some(value()),
                "--save" => args.save = Some(value().into()),
                // Passed by cargo itself.
                "--bench" => {}
                other => panic!("unknown argument {other}"),
            }
        }
        args
    }
}

fn main() {
    let args = Args::read();
    if args.quixbugs.is_none() && args.project.is_none() {
        println!("economy: nothing to measure; name a clone with --quixbugs DIR, a Maven project with --project DIR");
        return;
    }
    if let Some(root) = &args.quixbugs {
        let done: Vec<Measured> = quixbugs(root, &args).iter().map(|(repair, root)| one(repair, root, &args)).collect();
        println!("{}", table::summary("QuixBugs", &done));
    }
    if let Some(project) = &args.project {
        let done = drawn(project, &args);
        println!("{}", table::summary(&format!("{} methods of {project}, one line mutated", done.len()), &done));
    }
}

/// Every program with the developer's repair, and the arguments that name it.
fn quixbugs(root: &Utf8Path, args: &Args) -> Vec<(Repair, Vec<String>)> {
    let benchmark = find("quixbugs-java", &Settings { root: Some(root.to_owned()), ..Settings::default() }).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let wanted = |name: &str| args.only.as_deref().is_none_or(|only| name.contains(only));
    let ids = benchmark.list().unwrap().into_iter().filter(|id| wanted(&id.name));
    ids.map(|id| {
        let folder = tempfile::tempdir().unwrap();
        let into = Utf8Path::from_path(folder.path()).unwrap();
        let checkout = runtime.block_on(benchmark.checkout(&id, into)).unwrap();
        let oracle = checkout.oracle.unwrap();
        let files = oracle.files.iter().map(|(path, after)| Repaired {
            path: path.clone(),
            before: std::fs::read_to_string(path.under(into)).unwrap(),
            after: String::from_utf8_lossy(after).into_owned(),
        });
        let repair = Repair { name: id.name.clone(), files: files.collect() };
        (repair, vec![id.to_string(), "--root".to_owned(), root.to_string()])
    })
    .collect()
}

/// Methods in the order of the seed, one line of each mutated, until enough of them make a test fail.
fn drawn(project: &Utf8Path, args: &Args) -> Vec<Measured> {
    let copy = mutants::Copy::of(project);
    let mut done: Vec<Measured> = Vec::new();
    for mutant in mutants::draw(&copy, SEED).into_iter().skip(args.skip) {
        if done.len() == args.methods {
            break;
        }
        if args.only.as_deref().is_some_and(|only| !mutant.name.contains(only)) {
            continue;
        }
        copy.with(&mutant, |root| {
            let run = measure(&mutant, &[root.to_string()], args.save.as_deref());
            match run {
                Ok(measured) => {
                    println!("{}", table::row(&measured));
                    done.push(measured);
                }
                Err(why) => println!("{:<44} drawn again: {why}", mutant.name),
            }
        });
    }
    done
}

fn one(repair: &Repair, bug: &[String], args: &Args) -> Measured {
    let measured = measure(repair, bug, args.save.as_deref()).unwrap_or_else(|why| panic!("{}: {why}", repair.name));
    println!("{}", table::row(&measured));
    measured
}
