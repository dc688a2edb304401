//! The plan of a batch: what was typed, or what stands in a plan file.

use super::args::BenchRunArgs;
use crate::batch::{Configuration, Plan, PlanFile};
use crate::benchmark::{self, Settings};
use crate::cli::args::{Cli, Command};
use crate::cli::choice::ChoiceArgs;
use crate::cli::config::{Config, Layers};
use crate::cli::effect;
use crate::cli::error::Failure;
use clap::Parser;
use std::collections::BTreeSet;

/// What is to be run.
struct Wanted {
    sets: Vec<String>,
    choice: ChoiceArgs,
    repetitions: u32,
    configurations: Vec<Configuration>,
}

/// The plan that was typed or named; `here` when this machine does the work.
///
/// # Errors
/// A plan file cannot be read, a set or an argument is wrong, nothing is left.
pub(super) fn plan(args: &BenchRunArgs, here: bool) -> Result<Plan, Failure> {
    let Wanted { sets, choice, repetitions, configurations } = match &args.sets[..] {
        [file] if file.ends_with(".toml") => written(file, args)?,
        _ => typed(args),
    };
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    for configuration in &configurations {
        let settings = checked(configuration, here)?;
        for set in &sets {
            let mut new = benchmark::select(set, &settings)?;
            new.retain(|bug| seen.insert(bug.to_string()));
            all.extend(benchmark::describe(&new, &settings)?);
        }
    }
    let bugs = choice.of(all)?.into_iter().map(|bug| bug.id).collect();
    Ok(Plan::new(bugs, configurations, repetitions)?)
}

fn typed(args: &BenchRunArgs) -> Wanted {
    Wanted {
        sets: args.sets.clone(),
        choice: args.choice.clone(),
        repetitions: args.repeat.unwrap_or(1),
        configurations: vec![Configuration { name: Configuration::UNNAMED.into(), args: args.args.clone() }],
    }
}

fn written(file: &str, args: &BenchRunArgs) -> Result<Wanted, Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::unusable(format!("the plan {file} cannot be read: {error}"), "name a file that can be read")
    })?;
    let plan: PlanFile = toml::from_str(&text).map_err(|error| {
        Failure::usage(format!("{file}: {error}"), "see `unidebug bench run --help` for the form of a plan")
    })?;
    let mut configurations = plan.configurations;
    if args.repeat.is_some() || !args.choice.is_all() || (!args.args.is_empty() && !configurations.is_empty()) {
        let what = format!("{file} says what is run, and so does the command line");
        return Err(Failure::usage(what, "write repetitions, choice of bugs and configurations into the plan"));
    }
    if plan.sample.is_none() && (plan.per_project.is_some() || plan.seed.is_some()) {
        let what = format!("{file}: `per_project` and `seed` belong to a sample");
        return Err(Failure::usage(what, "say with `sample` how many bugs to draw"));
    }
    if configurations.is_empty() {
        configurations.push(Configuration { name: Configuration::UNNAMED.into(), args: args.args.clone() });
    }
    let PlanFile { project, kind, since, sample, per_project, seed, .. } = plan;
    let choice = ChoiceArgs { project, kind, since, sample: sample.map(Into::into), per_project, seed };
    Ok(Wanted { sets: plan.bugs, choice, repetitions: plan.repetitions, configurations })
}

/// What a configuration says about where bugs are. Its arguments are read as `run` reads them, before anything is paid
/// for, and so is the model's key when this machine does the work (`here`).
fn checked(configuration: &Configuration, here: bool) -> Result<Settings, Failure> {
    let (config, layers) = config_of(configuration)?;
    effect::check(&layers, &config)?;
    if here {
        effect::check_key(&config)?;
    }
    Ok(Settings { root: config.root, ..Settings::default() })
}

/// The settings of a configuration.
///
/// # Errors
/// Its arguments are not those of a run, or wrong.
pub(super) fn config_of(configuration: &Configuration) -> Result<(Config, Layers), Failure> {
    let words = ["unidebug", "run", "BUG"].into_iter().map(str::to_owned);
    let wrong = |what: &str| {
        let name = &configuration.name;
        Failure::usage(format!("the arguments of `{name}` are wrong: {what}"), "they are those of `unidebug run`")
    };
    let cli = Cli::try_parse_from(words.chain(configuration.args.iter().cloned())).map_err(|error| {
        let text = error.to_string();
        wrong(text.lines().next().unwrap_or("").trim_start_matches("error: "))
    })?;
    let Command::Run(run) = cli.command else { return Err(wrong("they name another command")) };
    if run.out.is_some() || run.apply || run.dry_run || run.all {
        return Err(wrong("`--out`, `--apply`, `--dry-run` and `--all` belong to a single run"));
    }
    if run.name.is_some() && configuration.named().is_some() {
        return Err(wrong("`--name` is said twice: the plan has a name already"));
    }
    let layers = Layers::read(None, &run.settings)?;
    Ok((layers.config()?, layers))
}
