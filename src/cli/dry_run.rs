//! `run --dry-run`: what would be asked, how large it is and what it can cost at most. Nothing is sent.

use super::config::Config;
use super::error::Failure;
use super::models::Contact;
use super::scratch::Scratch;
use super::session::Session;
use super::telling::Telling;
use crate::escalate::preview::Preview;
use crate::journal::{Past, Tee};
use crate::prompt::count_tokens;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// Prints what a run would ask.
///
/// # Errors
/// Everything that keeps a bug from being opened.
pub async fn dry_run(bug: &str, config: Config, as_json: bool, quiet: bool) -> Result<u8, Failure> {
    let scratch = Scratch::of("dry")?;
    let session = Session::open(bug, config.clone(), Contact::None, None).await?;
    let telling = Telling::to(Arc::new(Tee::new(Vec::new())), Arc::new(Past::default()), quiet);
    let previews = session.preview(scratch.path(), &telling).await?;
    telling.quiet();
    let sums = Sums::of(&previews, &config);
    super::print(&if as_json { format!("{}\n", sums.json(&previews, bug)) } else { sums.text(&previews) });
    Ok(0)
}

/// The most that all of it can take.
struct Sums {
    queries: u64,
    tokens: u64,
    usd: Option<f64>,
    capped_tokens: u64,
    capped_usd: Option<f64>,
}

impl Sums {
    fn of(previews: &[Preview], config: &Config) -> Self {
        let tokens = previews.iter().map(|preview| preview.most.tokens).sum();
        let usd = previews.iter().map(|preview| preview.most.cost.0).sum::<Option<f64>>();
        let cap = config.max_cost.map(|usd| usd.0).filter(|_| !config.allow_unpriced || usd.is_some());
        Self {
            queries: previews.iter().map(|preview| preview.queries).sum(),
            tokens,
            usd,
            capped_tokens: config.max_tokens.map_or(tokens, |most| most.min(tokens)),
            capped_usd: match (usd, cap) {
                (Some(usd), Some(cap)) => Some(usd.min(cap)),
                (usd, cap) => usd.or(cap),
            },
        }
    }

    fn json(&self, previews: &[Preview], bug: &str) -> Value {
        let requests: Vec<Value> = previews
            .iter()
            .map(|preview| {
                json!({
                    "level": preview.level, "agent": preview.agent, "queries": preview.queries,
                    "prompt_tokens": tokens(preview), "request": preview.request,
                })
            })
            .collect();
        json!({
            "schema": 1, "dry_run": true, "bug": bug, "requests": requests,
            "most": {"queries": self.queries, "tokens": self.capped_tokens, "cost_usd": self.capped_usd},
        })
    }

    fn text(&self, previews: &[Preview]) -> String {
        if previews.is_empty() {
            return "nothing would be asked: the built-in engine works alone\n".to_owned();
        }
        let mut text = String::new();
        for preview in previews {
            let (level, agent, model) = (preview.level, &preview.agent, &preview.request.model);
            let _ = writeln!(text, "==== {level} {agent}, by {model}: {} tokens at first ====", tokens(preview));
            for message in &preview.request.messages {
                let _ = writeln!(text, "---- {} ----\n{}", message.role, message.content.trim_end());
            }
            text.push('\n');
        }
        let _ = writeln!(
            text,
            "{:<8} {:<12} {:>13} {:>8} {:>12} {:>10}",
            "level", "agent", "first prompt", "queries", "most tokens", "most cost"
        );
        for preview in previews {
            let cost = dollars(preview.most.cost.0);
            let (level, agent) = (preview.level.to_string(), preview.agent.to_string());
            let _ = writeln!(
                text,
                "{level:<8} {agent:<12} {:>13} {:>8} {:>12} {cost:>10}",
                tokens(preview),
                preview.queries,
                preview.most.tokens
            );
        }
        let _ = writeln!(
            text,
            "\nwithout caps at most {} queries, {} tokens, {}",
            self.queries,
            self.tokens,
            dollars(self.usd)
        );
        let _ = writeln!(
            text,
            "with the caps in force at most {} tokens, {}",
            self.capped_tokens,
            dollars(self.capped_usd)
        );
        text.push_str(
            "nothing was sent; agents that work later are told what was learnt before, which is not known yet\n",
        );
        text
    }
}

fn tokens(preview: &Preview) -> usize {
    preview.request.messages.iter().map(|message| count_tokens(&message.content)).sum()
}

fn dollars(usd: Option<f64>) -> String {
    usd.map_or_else(|| "unknown".to_owned(), |usd| format!("${usd:.2}"))
}
