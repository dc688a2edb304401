//! The endpoint of a run: its address, its key, its prices and caps, and the first contact.

use super::bench::args::OfBatch;
use super::config::Config;
use super::error::Failure;
use super::failpoints;
use super::interrupt;
use super::prices;
use crate::journal::History;
use crate::llm::{
    Account, Budget, Capped, Caps, ChatModel, Deferred, Endpoint, Gated, OpenAi, PROVIDERS, Prices, Provider, Query,
    Recorder, Redacting, Redactor, Secret,
};
use std::sync::Arc;

/// The variable of the key when neither a setting nor a provider names another.
pub(super) const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// Where requests go.
#[derive(Debug, Clone)]
pub(super) struct Address {
    /// The base URL.
    pub url: String,
    /// The provider, when it is one that is known.
    pub provider: Option<&'static Provider>,
    /// The key, when one is configured.
    pub key: Option<Secret>,
    /// The variable in which it was looked for.
    pub variable: String,
}

impl Address {
    /// Reads the settings and the key.
    ///
    /// # Errors
    /// An unknown provider, a key file that cannot be read.
    pub(super) fn read(config: &Config) -> Result<Self, Failure> {
        let named = config.provider.as_deref().map(provider).transpose()?;
        let default = PROVIDERS[0].base_url;
        let region = ["AWS_REGION", "AWS_DEFAULT_REGION"].iter().find_map(|name| std::env::var(name).ok());
        let url = config.base_url.clone().or_else(|| named.map(|p| p.base_url_in(region.as_deref())));
        let url = url.unwrap_or_else(|| default.to_owned());
        let variable = config.key_variable.clone().or_else(|| named.and_then(|p| p.key_variable).map(str::to_owned));
        let variable = variable.unwrap_or_else(|| KEY_VARIABLE.to_owned());
        let key = match &config.key_file {
            Some(file) => Some(std::fs::read_to_string(file).map_err(|e| {
                Failure::model(format!("cannot read the key in {file}: {e}"), "name a readable file with `key_file`")
            })?),
            None => std::env::var(&variable).ok(),
        };
        let key = key.filter(|key| !key.trim().is_empty()).map(|key| Secret::new(&key));
        let provider = named.or_else(|| Provider::at(&url));
        Ok(Self { url, provider, key, variable })
    }

    /// The endpoint with its prices; nothing is sent yet.
    ///
    /// # Errors
    /// No key where one is needed, an unreadable price list.
    pub(super) fn endpoint(&self, config: &Config, name: &str) -> Result<Endpoint, Failure> {
        let mut endpoint = Endpoint::new(&self.url, self.key.clone());
        if endpoint.key.is_none() && !endpoint.is_local() {
            return Err(Failure::model(
                format!("no key for the model `{name}` at {}", self.url),
                format!("set {}, or use `--model builtin`, which needs none", self.variable),
            ));
        }
        endpoint.provider = self.provider;
        endpoint.stream = config.stream;
        endpoint.concurrency = config.concurrency.map_or(endpoint.concurrency, usize::from);
        endpoint.requests_per_minute = config.requests_per_minute;
        endpoint.prices = Some(Arc::new(price_list(config)?));
        if let Some(most) = config.caps.call.time {
            endpoint.patience.total = endpoint.patience.total.min(most.0);
        }
        Ok(endpoint)
    }
}

/// The provider of that name.
fn provider(name: &str) -> Result<&'static Provider, Failure> {
    Provider::named(name).ok_or_else(|| {
        let known: Vec<&str> = PROVIDERS.iter().map(|provider| provider.name).collect();
        Failure::usage(
            format!("no provider `{name}`; known: {}", known.join(", ")),
            "any other endpoint is named by its address with --base-url",
        )
    })
}

/// The price list in force.
///
/// # Errors
/// The file cannot be read or is of another schema.
pub(super) fn price_list(config: &Config) -> Result<Prices, Failure> {
    match &config.prices {
        Some(path) => Ok(Prices::load(path)?),
        None => match prices::own_list().filter(|own| own.is_file()) {
            Some(own) => Prices::load(&own)
                .map_err(|e| Failure::unusable(e.to_string(), "make it anew: `unidebug prices update FILE`")),
            None => Ok(Prices::bundled()),
        },
    }
}

/// Opens the endpoint and asks for the models, before anything is compiled.
///
/// # Errors
/// No key, an endpoint that cannot be reached or does not know a model, a price that is unknown under a cap in dollars.
pub(super) async fn contact(
    config: &Config,
    address: &Address,
    models: &[&str],
    redactor: &Arc<Redactor>,
    before: Option<&History>,
    of_batch: OfBatch,
) -> Result<Arc<dyn ChatModel>, Failure> {
    let OfBatch { account, requests } = of_batch;
    let endpoint = address.endpoint(config, models[0])?;
    let prices = endpoint.prices.clone();
    let prices = if requests.is_some() { prices.map(|list| Arc::new(list.in_batches())) } else { prices };
    if let (Some(prices), Some(flag)) = (&prices, cap_in_dollars(config, account.as_deref())?) {
        refuse_unpriced(flag, models, prices)?;
    }
    let client = OpenAi::new(endpoint)?;
    let client: Arc<dyn ChatModel> = match requests {
        // The batch made the first contact.
        Some(mailbox) => Arc::new(Deferred::new(mailbox, client.endpoint(), prices.clone())),
        None => {
            for name in models {
                client.reach(name).await.map_err(|error| error.map(|text| redactor.text(&text).into_owned()))?;
            }
            Arc::new(client)
        }
    };
    let usd = config.max_cost.map(|usd| usd.0);
    let budget = Budget::new(Caps { tokens: config.max_tokens, usd, allow_unpriced: config.allow_unpriced });
    // Caps lie innermost: near the end of a budget they shorten answers, which must not change what is recorded.
    let client = failpoints::around_model(client, "send");
    let capped = Capped::new(client, budget, prices).drawing_on(account);
    count(&capped, before).map_err(|error| Failure::io("the account of the batch cannot be kept", &error))?;
    let mut model = failpoints::around_model(Arc::new(capped), "reserve");
    if let Some(folder) = &config.record {
        let recorder = Recorder::create(model, folder, redactor.clone());
        let recorder = recorder.map_err(|e| Failure::unusable(e.to_string(), "choose another folder with --record"))?;
        model = Arc::new(recorder);
    }
    Ok(Arc::new(Gated::new(Arc::new(Redacting::new(model, redactor.clone())), interrupt::gate())))
}

/// Counts what earlier sessions spent.
fn count(capped: &Capped, before: Option<&History>) -> std::io::Result<()> {
    let query = |request: &serde_json::Value| serde_json::from_value::<Query>(request.clone()).ok();
    let answered = before.into_iter().flat_map(|history| history.bought());
    let unanswered = before.into_iter().flat_map(|history| history.in_flight());
    capped.count(answered.filter_map(|(request, usage)| Some((query(request)?, usage))), unanswered.filter_map(query))
}

/// The option that capped dollars, where that cap must be kept.
fn cap_in_dollars(config: &Config, account: Option<&Account>) -> Result<Option<&'static str>, Failure> {
    let of_batch = account.map_or(Ok(false), Account::is_in_dollars);
    let of_batch = of_batch.map_err(|error| Failure::io("the account of the batch cannot be read", &error))?;
    Ok(match (config.allow_unpriced, config.max_cost.is_some(), of_batch) {
        (false, true, _) => Some("--max-cost"),
        (false, false, true) => Some("--total-cost"),
        _ => None,
    })
}

/// A cap in money cannot be kept for a model whose price nobody knows.
fn refuse_unpriced(flag: &str, models: &[&str], prices: &Prices) -> Result<(), Failure> {
    match models.iter().find(|name| !prices.knows(name)) {
        Some(name) => Err(Failure::usage(
            format!("{flag}: the price of `{name}` is unknown ({})", prices.source()),
            "give its price with --prices, cap tokens instead, or allow it with --allow-unpriced",
        )),
        None => Ok(()),
    }
}
