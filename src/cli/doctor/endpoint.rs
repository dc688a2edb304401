//! The endpoint: key, contact, and what a model can do, found out by tiny calls whose price is told first.

use super::{Check, State};
use crate::cli::config::Config;
use crate::cli::endpoint::{Address, price_list};
use crate::cli::tell;
use crate::domain::{Cost, Problem};
use crate::llm::{Finding, OpenAi, Redactor};

pub(super) async fn checks(config: &Config) -> Vec<Check> {
    let mut checks = Vec::new();
    match price_list(config) {
        Ok(prices) => checks.push(Check::ok("prices", prices.source())),
        Err(failure) => checks.push(Check::not(State::Missing, "prices", failure.message, failure.hint)),
    }
    match Address::read(config) {
        Ok(address) => checks.extend(contact(config, &address).await),
        Err(failure) => checks.push(Check::not(State::Missing, "endpoint", failure.message, failure.hint)),
    }
    checks.extend(proxies());
    checks
}

/// Only a model that was named is asked: everything else would cost money that nobody offered.
async fn contact(config: &Config, address: &Address) -> Vec<Check> {
    let named = |text: &String| config.models.get(text).unwrap_or(text).clone();
    let models: Vec<String> =
        config.model.iter().map(|text| named(&text.rsplit('=').next().unwrap_or("").to_owned())).collect();
    let at_endpoint: Vec<&String> =
        models.iter().filter(|name| *name != "builtin" && !name.starts_with("replay:")).collect();
    let mut checks: Vec<Check> = Vec::new();
    if let Some(note) = address.provider.and_then(|provider| provider.note) {
        checks.push(Check::not(State::Note, "provider", note, "nothing to mend; know it"));
    }
    let Some(first) = at_endpoint.first() else {
        let detail = match &address.key {
            Some(key) => format!("{} with the key that ends in {}; not asked", address.url, key.tail()),
            None => format!("no key in {}: the built-in engine works alone", address.variable),
        };
        let fix = "`unidebug doctor --model NAME` asks a model with a few tokens";
        checks.push(Check::not(State::Note, "endpoint", detail, fix));
        return checks;
    };
    let client = match address.endpoint(config, first) {
        Ok(endpoint) => OpenAi::new(endpoint),
        Err(failure) => {
            checks.push(Check::not(State::Missing, "endpoint", failure.message, failure.hint));
            return checks;
        }
    };
    let redactor = Redactor::of_environment(address.key.clone());
    match client {
        Err(error) => checks.push(check(&redactor, "endpoint", State::Missing, &error.into_problem())),
        Ok(client) => {
            for model in at_endpoint {
                let most = match client.probe_cost(model) {
                    Cost(Some(usd)) => format!("at most ${usd:.5}"),
                    Cost(None) => "a price that is unknown".to_owned(),
                };
                tell(&format!("asking {model} at {}: 2 tiny calls, {most}", address.url));
                checks.extend(client.probe(model).await.iter().map(|finding| of(&redactor, model, finding)));
            }
        }
    }
    checks
}

fn of(redactor: &Redactor, model: &str, Finding { what, ok, detail }: &Finding) -> Check {
    let what = format!("{model}: {what}");
    let state = match ok {
        true => State::Ok,
        false if what.ends_with("contact") || what.ends_with("text") => State::Missing,
        false => State::Note,
    };
    check(redactor, &what, state, detail)
}

/// What was seen of the endpoint, without secrets.
fn check(redactor: &Redactor, what: &str, state: State, problem: &Problem) -> Check {
    let detail = redactor.text(&problem.what);
    let fix = redactor.text(problem.hint.as_deref().unwrap_or("see what the endpoint says"));
    match state {
        State::Ok => Check::ok(what, detail),
        _ => Check::not(state, what, detail, fix),
    }
}

/// Variables that decide how the endpoint is reached.
fn proxies() -> Vec<Check> {
    let names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "SSL_CERT_FILE"];
    let set = names.into_iter().filter(|name| std::env::var(name).is_ok_and(|value| !value.is_empty()));
    set.map(|name| Check::ok("network", format!("{name} is set and followed"))).collect()
}
