//! Prices of models: a small dated list of our own, or a file in litellm's schema. What is not listed is unknown.

use crate::domain::{Cost, Usage};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use std::collections::BTreeMap;

/// Public list prices, in US dollars per token, keys as in litellm's map.
const BUNDLED: &str = include_str!("prices.json");

/// When the bundled list was last compared with the vendors' price pages.
const BUNDLED_DATE: &str = "2025-09-01";

/// Why a file of prices cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PriceError {
    /// It cannot be read.
    #[error("cannot read prices from `{path}`: {cause}\nhint: give a readable JSON file")]
    Unreadable {
        /// The file.
        path: Utf8PathBuf,
        /// What the system said.
        cause: String,
    },
    /// It is not of the schema.
    #[error(
        "`{path}` is no list of prices: {what}\nhint: the form is {{\"model\": {{\"input_cost_per_token\": 1e-6, \
         \"output_cost_per_token\": 2e-6}}}}"
    )]
    Malformed {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong.
        what: String,
    },
}

/// The price of one model, US dollars per token.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Price {
    input: f64,
    cached: f64,
    output: f64,
    /// Above 200,000 prompt tokens, for vendors whose long contexts cost more.
    long: Option<(f64, f64)>,
}

/// Prompts longer than this many tokens have their own price in litellm's schema.
const LONG_CONTEXT: u64 = 200_000;

/// Prices by model.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    models: BTreeMap<String, Price>,
    source: String,
}

impl Prices {
    /// The bundled list.
    pub fn bundled() -> Self {
        let source = format!("bundled list of {BUNDLED_DATE}");
        Self::parse(BUNDLED, source.clone()).unwrap_or_else(|_| Self { models: BTreeMap::new(), source })
    }

    /// The bundled list, with the models of a file in litellm's schema put over it.
    ///
    /// # Errors
    /// The file cannot be read or is not of that schema.
    pub fn load(path: &Utf8Path) -> Result<Self, PriceError> {
        let unreadable =
            |cause: std::io::Error| PriceError::Unreadable { path: path.to_owned(), cause: cause.to_string() };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let own = Self::parse(&text, format!("`{path}` over the bundled list of {BUNDLED_DATE}"))
            .map_err(|what| PriceError::Malformed { path: path.to_owned(), what })?;
        let mut all = Self::bundled();
        all.models.extend(own.models);
        Ok(Self { source: own.source, ..all })
    }

    fn parse(text: &str, source: String) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let entries = value.as_object().ok_or("it is no JSON object")?;
        let mut models = BTreeMap::new();
        for (name, entry) in entries {
            // Entries that are not priced by token (images, audio, notes on the schema) are passed over.
            if let Some(price) = price(entry).map_err(|what| format!("`{name}`: {what}"))? {
                models.insert(name.clone(), price);
            }
        }
        Ok(Self { models, source })
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
        #[allow(clippy::cast_precision_loss)]
        let [fresh, cached, output] =
            [usage.prompt_tokens - cached, cached, usage.completion_tokens].map(|tokens| tokens as f64);
        let is_long = usage.prompt_tokens > LONG_CONTEXT;
        let (input_price, output_price) = price.long.filter(|_| is_long).unwrap_or((price.input, price.output));
        Cost(Some(fresh * input_price + cached * price.cached + output * output_price))
    }

    /// By exact name; `provider/model` is looked up without its provider too. Names are never guessed: a dated
    /// snapshot can cost more than the model it is a snapshot of.
    fn price(&self, model: &str) -> Option<&Price> {
        let bare = model.rsplit_once('/').map(|(_, bare)| bare);
        self.models.get(model).or_else(|| self.models.get(bare?))
    }
}

/// The price in an entry; `None` when it is not priced by token.
fn price(entry: &Value) -> Result<Option<Price>, String> {
    let field = |name: &str| match entry.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64().filter(|price| price.is_finite() && *price >= 0.0) {
            Some(price) => Ok(Some(price)),
            None => Err(format!("{name} is `{value}`, not a price")),
        },
    };
    let (Some(input), Some(output)) = (field("input_cost_per_token")?, field("output_cost_per_token")?) else {
        return Ok(None);
    };
    // Without a price for cached tokens they cost what fresh ones do: an upper bound.
    let cached = field("cache_read_input_token_cost")?.unwrap_or(input);
    let long = field("input_cost_per_token_above_200k_tokens")?.zip(field("output_cost_per_token_above_200k_tokens")?);
    Ok(Some(Price { input, cached, output, long }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(prompt: u64, cached: u64, completion: u64) -> Usage {
        Usage {
            requests: 1,
            prompt_tokens: prompt,
            cached_tokens: cached,
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
        assert!(prices.source().contains("2025-09-01"));
        assert_costs(prices.cost("gpt-4o-mini", &usage(1_000_000, 400_000, 100_000)), 0.09 + 0.03 + 0.06);
        assert_costs(prices.cost("openai/gpt-4o-mini", &usage(0, 0, 1_000_000)), 0.6);
        assert_eq!(prices.cost("gpt-4o-mini-2099", &usage(1, 0, 1)), Cost::UNKNOWN);
        assert!(!prices.knows("scripted"));
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
        assert!(prices.knows("gpt-4o") && !prices.knows("dall-e"));
        std::fs::write(&path, r#"{"m": {"input_cost_per_token": -1, "output_cost_per_token": 1}}"#).unwrap();
        let error = Prices::load(&path).unwrap_err().to_string();
        assert!(error.contains("`m`: input_cost_per_token is `-1`") && error.contains("hint:"), "{error}");
    }
}
