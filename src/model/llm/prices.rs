//! Prices of models: a small dated list of our own, or a file in litellm's schema. What is not listed is unknown.

use crate::domain::{Cost, Usage};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::Write;

/// Public list prices, in US dollars per token, keys as in litellm's map, whose numbers they are; what that no longer lists
/// is as it was in 2025-09.
const BUNDLED: &str = include_str!("prices.json");

/// When the bundled list was last compared with litellm's (its release 1.109.1).
const BUNDLED_DATE: &str = "2026-11-24";

/// Why a file of prices cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PriceError {
    /// It cannot be read.
    #[error("cannot read prices from `{path}`: {cause}")]
    Unreadable {
        /// The file.
        path: Utf8PathBuf,
        /// The error of the system.
        cause: String,
    },
    /// What was taken over cannot be written.
    #[error("cannot write prices into `{path}`: {cause}")]
    Unwritable {
        /// The file.
        path: Utf8PathBuf,
        /// The error of the system.
        cause: String,
    },
    /// It is not of the schema.
    #[error("`{path}` is no list of prices: {what}")]
    Malformed {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong.
        what: String,
    },
}

impl PriceError {
    /// What to do about it, in one sentence without a full stop.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "give a readable JSON file",
            Self::Unwritable { .. } => "check the rights of that folder",
            Self::Malformed { .. } => {
                "the form is {\"model\": {\"input_cost_per_token\": 1e-6, \"output_cost_per_token\": 2e-6}}"
            }
        }
    }
}

/// Why a text is no list of prices.
#[derive(Debug, thiserror::Error)]
enum NoPrices {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("it is no JSON object")]
    NoObject,
    #[error("`{0}`: {1}")]
    Entry(String, NoPrice),
}

/// A field of an entry that holds no price.
#[derive(Debug, thiserror::Error)]
#[error("{field} is `{value}`, not a price")]
struct NoPrice {
    field: String,
    value: Value,
}

/// US dollars per token.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rate {
    input: f64,
    cached: f64,
    /// Of a token that goes into the vendor's cache, where that is charged.
    written: f64,
    output: f64,
}

/// The price of one model.
#[derive(Debug, Clone, PartialEq)]
struct Price {
    usual: Rate,
    /// Rates of prompts with more tokens than the number, the smallest number first.
    long: Vec<(u64, Rate)>,
}

impl Rate {
    fn times(self, share: f64) -> Self {
        Self {
            input: self.input * share,
            cached: self.cached * share,
            written: self.written * share,
            output: self.output * share,
        }
    }
}

impl Price {
    fn times(&self, share: f64) -> Self {
        let long = self.long.iter().map(|(above, rate)| (*above, rate.times(share))).collect();
        Self { usual: self.usual.times(share), long }
    }

    fn rate(&self, prompt_tokens: u64) -> Rate {
        let reached = self.long.iter().rev().find(|(above, _)| prompt_tokens > *above);
        reached.map_or(self.usual, |(_, rate)| *rate)
    }
}

/// The entry that says when a list was taken over.
const TAKEN: &str = "_taken_over";
const INPUT: &str = "input_cost_per_token";
const CACHED: &str = "cache_read_input_token_cost";
const WRITTEN: &str = "cache_creation_input_token_cost";
const OUTPUT: &str = "output_cost_per_token";

/// How much more a token costs that goes into a cache, where a list does not tell: what Anthropic charges.
const WRITTEN_SHARE: f64 = 1.25;
/// What a request costs in a batch, of what it costs alone: at OpenAI's and at Anthropic's.
const IN_A_BATCH: f64 = 0.5;

/// Prices by model.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    models: BTreeMap<String, Price>,
    source: String,
    day: String,
}

/// What was taken over from a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// Models that have a price by token.
    pub models: usize,
    /// Entries whose prices cannot be read, which were left out.
    pub unreadable: usize,
}

impl Prices {
    /// The bundled list.
    pub fn bundled() -> Self {
        let source = format!("bundled list of {BUNDLED_DATE}");
        let models = Self::parse(BUNDLED).unwrap_or_default();
        Self { models, source, day: BUNDLED_DATE.to_owned() }
    }

    /// Takes a list in litellm's schema over into a file of one's own: the models priced by token, with the day (as
    /// `2026-11-22`) on which that was done. The file is there whole or as it was.
    ///
    /// # Errors
    /// The list cannot be read or holds no price, or the file cannot be written.
    pub fn take_over(list: &Utf8Path, into: &Utf8Path, day: &str) -> Result<Taken, PriceError> {
        let text = read(list)?;
        let malformed = |what: String| PriceError::Malformed { path: list.to_owned(), what };
        let value: Value = serde_json::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        let entries = value.as_object().ok_or_else(|| malformed("it is no JSON object".to_owned()))?;
        let mut merged = Map::new();
        let mut unreadable = 0;
        for (name, entry) in entries {
            match price(entry) {
                Ok(Some(_)) => {
                    let fields = entry.as_object().into_iter().flatten().filter(|(field, _)| is_of_rate(field));
                    let fields = fields.map(|(field, value)| (field.clone(), value.clone()));
                    merged.insert(name.clone(), Value::Object(fields.collect()));
                }
                Ok(None) => {}
                Err(_) => unreadable += 1,
            }
        }
        let taken = Taken { models: merged.len(), unreadable };
        if taken.models == 0 {
            return Err(malformed("it holds no price by token".to_owned()));
        }
        merged.insert(TAKEN.to_owned(), json!({"day": day}));
        let unwritable =
            |cause: std::io::Error| PriceError::Unwritable { path: into.to_owned(), cause: cause.to_string() };
        let folder = into.parent().unwrap_or(Utf8Path::new("."));
        std::fs::create_dir_all(folder).map_err(unwritable)?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(unwritable)?;
        let text = format!("{:#}\n", Value::Object(merged));
        file.write_all(text.as_bytes()).map_err(unwritable)?;
        file.persist(into).map_err(|error| unwritable(error.error))?;
        Ok(taken)
    }

    /// The bundled list, with the models of a file in litellm's schema put over it.
    ///
    /// # Errors
    /// The file cannot be read or is not of that schema.
    pub fn load(path: &Utf8Path) -> Result<Self, PriceError> {
        let text = read(path)?;
        let own = Self::parse(&text)
            .map_err(|error| PriceError::Malformed { path: path.to_owned(), what: error.to_string() })?;
        let mut all = Self::bundled();
        all.models.extend(own);
        let taken: Option<Value> = serde_json::from_str(&text).ok();
        if let Some(day) = taken.as_ref().and_then(|list| list[TAKEN]["day"].as_str()) {
            day.clone_into(&mut all.day);
            return Ok(Self { source: format!("`{path}` of {day} over the bundled list of {BUNDLED_DATE}"), ..all });
        }
        Ok(Self { source: format!("`{path}` over the bundled list of {BUNDLED_DATE}"), ..all })
    }

    fn parse(text: &str) -> Result<BTreeMap<String, Price>, NoPrices> {
        let value: Value = serde_json::from_str(text)?;
        let entries = value.as_object().ok_or(NoPrices::NoObject)?;
        let mut models = BTreeMap::new();
        for (name, entry) in entries {
            // Entries that are not priced by token (images, audio, notes on the schema) are passed over.
            if let Some(price) = price(entry).map_err(|what| NoPrices::Entry(name.clone(), what))? {
                models.insert(name.clone(), price);
            }
        }
        Ok(models)
    }

    /// The day of the list, as `2026-11-22`.
    pub fn day(&self) -> &str {
        &self.day
    }

    /// Where these prices come from and of which day, for reports.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the model has a price.
    pub fn knows(&self, model: &str) -> bool {
        self.price(model).is_some()
    }

    /// What this usage costs at list price; unknown for a model that is not listed.
    pub fn cost(&self, model: &str, usage: &Usage) -> Cost {
        let Some(price) = self.price(model) else { return Cost::UNKNOWN };
        let cached = usage.cached_tokens.min(usage.prompt_tokens);
        let written = usage.cache_write_tokens.min(usage.prompt_tokens - cached);
        let fresh = usage.prompt_tokens - cached - written;
        #[allow(clippy::cast_precision_loss)]
        let [fresh, cached, written, output] =
            [fresh, cached, written, usage.completion_tokens].map(|tokens| tokens as f64);
        let rate = price.rate(usage.prompt_tokens);
        Cost(Some(fresh * rate.input + cached * rate.cached + written * rate.written + output * rate.output))
    }

    /// The same list for requests that are sent as batches.
    #[must_use]
    pub fn in_batches(&self) -> Self {
        let models = self.models.iter().map(|(name, price)| (name.clone(), price.times(IN_A_BATCH))).collect();
        Self { models, source: format!("{}, halved for batches", self.source), day: self.day.clone() }
    }

    /// By exact name; `provider/model` is looked up without its provider too. Names are never guessed: a dated
    /// snapshot can cost more than the model it is a snapshot of.
    fn price(&self, model: &str) -> Option<&Price> {
        let bare = model.rsplit_once('/').map(|(_, bare)| bare);
        self.models.get(model).or_else(|| self.models.get(bare?))
    }
}

fn read(path: &Utf8Path) -> Result<String, PriceError> {
    std::fs::read_to_string(path)
        .map_err(|cause| PriceError::Unreadable { path: path.to_owned(), cause: cause.to_string() })
}

/// The price in an entry; `None` when it is not priced by token.
fn price(entry: &Value) -> Result<Option<Price>, NoPrice> {
    let field = |name: &str| match entry.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64().filter(|price| price.is_finite() && *price >= 0.0) {
            Some(price) => Ok(Some(price)),
            None => Err(NoPrice { field: name.to_owned(), value: value.clone() }),
        },
    };
    // Without a price for cached tokens they cost what fresh ones do: an upper bound.
    let rate = |suffix: &str| -> Result<Option<Rate>, NoPrice> {
        let named = |name: &str| field(&format!("{name}{suffix}"));
        let (input, cached, written, output) = (named(INPUT)?, named(CACHED)?, named(WRITTEN)?, named(OUTPUT)?);
        Ok(input.zip(output).map(|(input, output)| Rate {
            input,
            cached: cached.unwrap_or(input),
            written: written.unwrap_or(input * WRITTEN_SHARE),
            output,
        }))
    };
    let Some(usual) = rate("")? else { return Ok(None) };
    let mut long = Vec::new();
    for above in entry.as_object().into_iter().flat_map(Map::keys).filter_map(|name| long_context(name, INPUT)) {
        long.extend(rate(&format!("_above_{above}k_tokens"))?.map(|rate| (above.saturating_mul(1000), rate)));
    }
    long.sort_by_key(|(above, _)| *above);
    Ok(Some(Price { usual, long }))
}

/// The thousands of prompt tokens above which a field of that name holds: `input_cost_per_token_above_200k_tokens`.
fn long_context(field: &str, name: &str) -> Option<u64> {
    field.strip_prefix(name)?.strip_prefix("_above_")?.strip_suffix("k_tokens")?.parse().ok()
}

fn is_of_rate(field: &str) -> bool {
    [INPUT, CACHED, WRITTEN, OUTPUT].iter().any(|name| field == *name || long_context(field, name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(prompt: u64, cached: u64, completion: u64) -> Usage {
        Usage {
            requests: 1,
            prompt_tokens: prompt,
            cached_tokens: cached,
            cache_write_tokens: 0,
            completion_tokens: completion,
            cost_usd: Cost::UNKNOWN,
        }
    }

    fn assert_costs(cost: Cost, wanted: f64) {
        let Cost(Some(cost)) = cost else { panic!("unknown, not {wanted}") };
        assert!((cost - wanted).abs() < 1e-9, "{cost}, not {wanted}");
    }

    #[test]
    fn the_bundled_list_is_dated_and_prices_by_exact_name() {
        let prices = Prices::bundled();
        assert!(prices.source().contains("2026-11-24"));
        assert!(prices.knows("gpt-6-sol") && prices.knows("anthropic/claude-sonnet-5-5"));
        assert_costs(prices.cost("gpt-4o-mini", &usage(1_000_000, 400_000, 100_000)), 0.09 + 0.03 + 0.06);
        assert_costs(prices.cost("openai/gpt-4o-mini", &usage(0, 0, 1_000_000)), 0.6);
        assert_eq!(prices.cost("gpt-4o-mini-2099", &usage(1, 0, 1)), Cost::UNKNOWN);
        assert!(!prices.knows("scripted"));
    }

    #[test]
    fn tokens_that_go_into_a_cache_have_their_own_price_and_batches_half_of_it() {
        let prices = Prices::bundled();
        let written = Usage { cache_write_tokens: 200_000, ..usage(1_000_000, 400_000, 0) };
        assert_costs(prices.cost("claude-3-5-haiku-20241022", &Usage { prompt_tokens: 100_000, ..written }), 0.008);
        let short = Usage { cache_write_tokens: 50_000, ..usage(100_000, 40_000, 10_000) };
        let whole = 0.01 * 3.0 + 0.04 * 0.3 + 0.05 * 3.75 + 0.01 * 15.0;
        assert_costs(prices.cost("claude-sonnet-4-20250514", &short), whole);
        assert_costs(prices.in_batches().cost("claude-sonnet-4-20250514", &short), whole / 2.0);
    }

    #[test]
    fn a_published_list_is_taken_over_with_its_day() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let (list, own) = (folder.join("model_prices_and_context_window.json"), folder.join("own/prices.json"));
        let text = r#"{"sample_spec": {"mode": "chat"}, "odd": {"input_cost_per_token": "free", "output_cost_per_token": 1},
            "new": {"input_cost_per_token": 3e-6, "output_cost_per_token": 4e-6, "max_tokens": 8192, "mode": "chat",
                "input_cost_per_token_above_272k_tokens": 6e-6, "output_cost_per_token_above_272k_tokens": 8e-6}}"#;
        std::fs::write(&list, text).unwrap();
        let taken = Prices::take_over(&list, &own, "2026-11-22").unwrap();
        assert_eq!(taken, Taken { models: 1, unreadable: 1 });
        let prices = Prices::load(&own).unwrap();
        assert!(prices.knows("new") && prices.knows("gpt-4o"), "over the bundled list");
        assert_costs(prices.cost("new", &usage(300_000, 0, 0)), 1.8);
        assert_eq!(prices.day(), "2026-11-22");
        assert!(prices.source().contains("of 2026-11-22"), "{}", prices.source());
        std::fs::write(&list, "{}").unwrap();
        assert!(Prices::take_over(&list, &own, "2027-01-01").unwrap_err().to_string().contains("no price"));
        assert_eq!(Prices::load(&own).unwrap().day(), "2026-11-22", "what is there stays");
    }

    #[test]
    fn a_file_in_litellms_schema_is_put_over_the_list() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap().join("prices.json");
        let text = r#"{"sample_spec": {"mode": "chat"}, "dall-e": {"input_cost_per_pixel": 1},
            "scripted": {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6,
                "input_cost_per_token_above_200k_tokens": 3e-6, "output_cost_per_token_above_200k_tokens": 4e-6}}"#;
        std::fs::write(&path, text).unwrap();
        let prices = Prices::load(&path).unwrap();
        assert_costs(prices.cost("scripted", &usage(100_000, 0, 0)), 0.1);
        assert_costs(prices.cost("scripted", &usage(300_000, 0, 0)), 0.9);
        assert_costs(prices.cost("gpt-6-sol", &usage(270_000, 0, 0)), 0.54);
        assert_costs(prices.cost("gpt-6-sol", &usage(300_000, 100_000, 1000)), 0.8 + 0.04 + 0.015);
        assert!(prices.knows("gpt-4o") && !prices.knows("dall-e"));
        std::fs::write(&path, r#"{"m": {"input_cost_per_token": -1, "output_cost_per_token": 1}}"#).unwrap();
        let error = Prices::load(&path).unwrap_err();
        assert!(error.to_string().ends_with("`m`: input_cost_per_token is `-1`, not a price"), "{error}");
        assert!(error.hint().contains("input_cost_per_token"));
    }
}
