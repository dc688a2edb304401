//! `bench run --batch`: who sends the requests of each configuration, and which configurations can wait for answers.

use super::plan::config_of;
use crate::batch::{Configuration, Plan, Posts};
use crate::cli::config::Config;
use crate::cli::effect;
use crate::cli::endpoint::Address;
use crate::cli::error::Failure;
use crate::domain::Level;
use crate::journal::failpoint;
use crate::llm::{OpenAi, Post};
use camino::Utf8Path;
use std::time::Duration;

/// Where a batch keeps what is asked together.
const FOLDER: &str = "requests";
/// Strategies that ask little enough to wait for each answer.
const SHORT: [&str; 2] = ["direct", "lite"];

/// A sender for each configuration; the first contact is made.
///
/// # Errors
/// A configuration that asks too much, no model, or an endpoint without batches; those of the first contact.
pub(super) async fn of(plan: &Plan, folder: &Utf8Path, pause: Duration) -> Result<Posts, Failure> {
    let mut posts = Vec::new();
    for (at, configuration) in plan.configurations.iter().enumerate() {
        let (config, _) = config_of(configuration)?;
        check(configuration, &config)?;
        let models = effect::models(&config)?;
        let (Some(first), address) = (models.first(), Address::read(&config)?) else {
            let what = format!("--batch: `{}` asks no model", configuration.name);
            return Err(Failure::usage(what, "name one with `--model` behind `--`"));
        };
        if !address.provider.is_some_and(|provider| provider.abilities.batches) {
            let what = format!("--batch: {} is not known to take batches of requests", address.url);
            return Err(Failure::usage(
                what,
                "use `--provider openai` or `--provider anthropic`, or leave out `--batch`",
            ));
        }
        let post = Post::new(
            OpenAi::new(address.endpoint(&config, first)?)?,
            folder.join(FOLDER).join(at.to_string()),
            pause,
            failpoint::reach,
        );
        for model in &models {
            post.reach(model).await?;
        }
        posts.push(post);
    }
    Ok(Posts::of(posts))
}

/// Each answer can take a day: only what asks once or a few times can wait for it.
fn check(configuration: &Configuration, config: &Config) -> Result<(), Failure> {
    let only_first = config.levels.as_ref().is_some_and(|levels| levels.0.iter().all(|level| *level == Level::L1));
    if only_first || SHORT.contains(&config.strategy.as_str()) {
        return Ok(());
    }
    let what = format!("--batch: `{}` would wait for dozens of answers, one after the other", configuration.name);
    Err(Failure::usage(what, "use `--strategy direct`, `--strategy lite` or `--levels L1` behind `--`"))
}
