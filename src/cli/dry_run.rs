//! `run --dry-run`: what would be asked, how large it is and what it can cost at most. Nothing is sent.

use super::bench::args::OfBatch;
use super::config::Config;
use super::endpoint::price_list;
use super::error::Failure;
use super::event_sinks::EventSinks;
use super::models::Contact;
use super::scratch::Scratch;
use super::session::Session;
use crate::domain::Usage;
use crate::domain::words::counted;
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
pub(super) async fn dry_run(
    bug: &str,
    config: Config,
    as_json: bool,
    quiet: bool,
    prompts: bool,
) -> Result<u8, Failure> {
    let scratch = Scratch::of("dry")?;
    let session = Session::open(bug, config.clone(), Contact::None, OfBatch::default()).await?;
    let event_sinks = EventSinks::to(Arc::new(Tee::new(Vec::new())), Arc::new(Past::default()), quiet);
    let previews = session.preview(scratch.path(), &event_sinks).await?;
    event_sinks.quiet();
    let sums = Sums::of(&previews, &config);
    super::print(&if as_json { format!("{}\n", sums.json(&previews, bug)) } else { sums.text(&previews, prompts) });
    Ok(0)
}

/// Tokens of an answer, where a likely cost is told.
const ANSWER: u64 = 500;

/// The most that all of it can take.
struct Sums {
    queries: u64,
    tokens: u64,
    usd: Option<f64>,
    capped_tokens: u64,
    capped_usd: Option<f64>,
    likely: Likely,
}

/// What a bug takes that the first level repairs at once.
struct Likely {
    queries: u64,
    tokens: u64,
    usd: Option<f64>,
}

impl Sums {
    fn of(previews: &[Preview], config: &Config) -> Self {
        let tokens = previews.iter().map(|preview| preview.most.tokens).sum();
        let usd = previews.iter().map(|preview| preview.most.cost.0).sum::<Option<f64>>();
        let cap = config.max_cost.map(|usd| usd.0).filter(|_| !config.allow_unpriced || usd.is_some());
        Self {
            likely: Likely::of(previews, config),
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
        let likely = &self.likely;
        json!({
            "schema": 1, "dry_run": true, "bug": bug, "requests": requests,
            "likely": {"queries": likely.queries, "tokens": likely.tokens, "cost_usd": likely.usd},
            "most": {"queries": self.queries, "tokens": self.capped_tokens, "cost_usd": self.capped_usd},
        })
    }

    fn text(&self, previews: &[Preview], prompts: bool) -> String {
        if previews.is_empty() {
            return "nothing would be asked: the built-in engine works alone\n".to_owned();
        }
        let mut text = self.table(previews);
        for preview in previews.iter().filter(|_| prompts) {
            let (level, agent, model) = (preview.level, &preview.agent, &preview.request.model);
            let _ = writeln!(text, "\n==== {level} {agent}, by {model}: {} tokens at first ====", tokens(preview));
            for message in &preview.request.messages {
                let _ = writeln!(text, "---- {} ----\n{}", message.role, message.content.trim_end());
            }
        }
        text
    }

    fn table(&self, previews: &[Preview]) -> String {
        let mut text = String::new();
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
                amount(preview.most.tokens)
            );
        }
        let _ = writeln!(
            text,
            "\nwithout caps at most {} queries, {} tokens, {}",
            self.queries,
            amount(self.tokens),
            dollars(self.usd)
        );
        let _ = writeln!(
            text,
            "with the caps in force at most {} tokens, {}",
            amount(self.capped_tokens),
            dollars(self.capped_usd)
        );
        let _ = writeln!(
            text,
            "likely, where each agent of the first level answers once with {ANSWER} tokens: {}, {} tokens, {}",
            counted(self.likely.queries, "query"),
            amount(self.likely.tokens),
            dollars(self.likely.usd)
        );
        text.push_str(
            "nothing was sent (`--show-prompts` prints the first prompts); agents that work later are told what was learnt before, which is not known yet\n",
        );
        text
    }
}

impl Likely {
    /// Each agent of the first level needs one query.
    fn of(previews: &[Preview], config: &Config) -> Self {
        let prices = price_list(config).ok();
        let first = previews.first().map(|preview| preview.level);
        let mut sum = Self { queries: 0, tokens: 0, usd: Some(0.0) };
        for preview in previews.iter().filter(|preview| Some(preview.level) == first) {
            let sent = tokens(preview) as u64;
            let usage = Usage { requests: 1, prompt_tokens: sent, completion_tokens: ANSWER, ..Usage::default() };
            let cost = prices.as_ref().and_then(|prices| prices.cost(&preview.request.model, &usage).0);
            sum.queries += 1;
            sum.tokens += sent + ANSWER;
            sum.usd = sum.usd.zip(cost).map(|(sum, cost)| sum + cost);
        }
        sum
    }
}

/// `16.3 M`, `4.1 k`, `312`.
fn amount(tokens: u64) -> String {
    match tokens {
        0..10_000 => tokens.to_string(),
        10_000..1_000_000 => format!("{:.1} k", tokens as f64 / 1e3),
        _ => format!("{:.1} M", tokens as f64 / 1e6),
    }
}

fn tokens(preview: &Preview) -> usize {
    preview.request.messages.iter().map(|message| count_tokens(&message.content)).sum()
}

fn dollars(usd: Option<f64>) -> String {
    usd.map_or_else(|| "unknown".to_owned(), |usd| format!("${usd:.2}"))
}
