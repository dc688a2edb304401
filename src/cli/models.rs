//! Who decides for which agent: the texts of `--model`, aliases, recordings; the endpoint is [`super::endpoint`]'s.

use super::bench::args::OfBatch;
use super::config::Config;
use super::crash;
use super::endpoint::{self, Address};
use super::error::Failure;
use crate::agent::policy::ModelSettings;
use crate::domain::{AgentName, EventSink, Level, PolicyKind};
use crate::escalate::{Decider, REPRODUCER, Temperatures};
use crate::journal::{History, Past};
use crate::llm::{ChatModel, Family, Form, PricedBudget, Redacting, Redactor, Replay};
use crate::prompt::Library;
use camino::Utf8Path;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The model when a key is configured and no model is named.
const DEFAULT_MODEL: &str = "gpt-4o-mini";
/// The part of `--model` that names who generates code for the tool of that name.
const CODER: &str = "generate_method_body";
/// The word for the built-in engine.
const BUILTIN: &str = "builtin";

/// What one `--model` names.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Named {
    Builtin,
    Replay(String),
    Model(String),
}

impl Named {
    /// A text, or what its alias stands for; an alias does not stand for another one.
    fn read(text: &str, aliases: &BTreeMap<String, String>) -> Self {
        let text = aliases.get(text).map_or(text, String::as_str);
        match text.strip_prefix("replay:") {
            Some(path) => Self::Replay(path.to_owned()),
            None if text == BUILTIN => Self::Builtin,
            None => Self::Model(text.to_owned()),
        }
    }
}

/// Whether models are asked, and what they were asked before.
#[derive(Clone, Copy)]
pub(super) enum Contact<'h> {
    /// For the first time.
    First,
    /// After these requests, which count against the caps.
    Again(&'h History),
    /// Not at all.
    None,
}

impl<'h> Contact<'h> {
    fn history(self) -> Option<&'h History> {
        if let Self::Again(history) = self { Some(history) } else { None }
    }
}

/// Who decides, by part.
pub(super) struct Models {
    default: Named,
    named: bool,
    parts: BTreeMap<String, Named>,
    replays: BTreeMap<String, Arc<dyn ChatModel>>,
    endpoint: Option<Arc<dyn ChatModel>>,
    form: Option<Form>,
    effort: Option<String>,
    /// Temperatures that were asked for, by part; the empty part is the default.
    temperatures: BTreeMap<String, f64>,
    max_answer: Option<u32>,
    /// Keeps secrets out of requests, recordings and the journal.
    pub redactor: Arc<Redactor>,
    /// Whether the built-in engine runs only because no key is configured.
    pub for_lack_of_a_key: bool,
    /// Whether requests are sent as batches, at another price.
    pub in_batches: bool,
    /// What one should know of the endpoint.
    pub note: Option<&'static str>,
}

impl Models {
    /// Reads `--model` and makes the first contact with the endpoint where one is needed.
    ///
    /// # Errors
    /// Unknown parts; no key for a named model; an endpoint that cannot be reached, refuses the key or does not know
    /// the model; an unreadable recording or price list.
    pub(super) async fn open(
        config: &Config,
        agents: &[AgentName],
        contact: Contact<'_>,
        of_batch: OfBatch,
    ) -> Result<Self, Failure> {
        let address = Address::read(config)?;
        let (default, parts) = read_parts(config, agents)?;
        let named = default.is_some();
        let for_lack_of_a_key = default.is_none() && address.key.is_none();
        let default = default.unwrap_or_else(|| usual(&address));
        let mut models = Self {
            default,
            named,
            parts,
            replays: BTreeMap::new(),
            endpoint: None,
            form: Some(config.answers).filter(|form| *form != Form::Text),
            effort: config.reasoning_effort.map(|effort| effort.label().to_owned()),
            temperatures: read_temperatures(config, agents)?,
            max_answer: config.max_answer,
            redactor: Arc::new(Redactor::of_environment(address.key.clone())),
            for_lack_of_a_key,
            in_batches: of_batch.requests.is_some(),
            note: None,
        };
        crash::keep_secret(&models.redactor);
        let named: Vec<Named> = std::iter::once(&models.default).chain(models.parts.values()).cloned().collect();
        if matches!(contact, Contact::None) {
            models.be_silent(&named);
            return Ok(models);
        }
        for one in &named {
            if let Named::Replay(path) = one {
                let replay = Replay::open(Utf8Path::new(path))?;
                // A request is looked up as it was recorded: without secrets.
                let replay = Redacting::new(Arc::new(replay), models.redactor.clone());
                models.replays.insert(path.clone(), Arc::new(replay));
            }
        }
        let names: Vec<&str> =
            named.iter().filter_map(|n| if let Named::Model(name) = n { Some(name.as_str()) } else { None }).collect();
        if !names.is_empty() {
            let before = contact.history();
            let client = endpoint::contact(config, &address, &names, &models.redactor, before, of_batch).await?;
            models.endpoint = Some(client);
            models.note = address.provider.and_then(|provider| provider.note);
        }
        Ok(models)
    }

    /// Names of the models that an endpoint would be asked for. Nothing is sent.
    ///
    /// # Errors
    /// Unknown parts, an unreadable key.
    pub(super) fn names(config: &Config, agents: &[AgentName]) -> Result<Vec<String>, Failure> {
        let name = |named| if let Named::Model(name) = named { Some(name) } else { None };
        Ok(all_named(config, agents)?.into_iter().filter_map(name).collect())
    }

    /// Whether a model or a recording would be asked.
    ///
    /// # Errors
    /// As [`Models::names`].
    pub(super) fn any_named(config: &Config, agents: &[AgentName]) -> Result<bool, Failure> {
        Ok(all_named(config, agents)?.iter().any(|named| *named != Named::Builtin))
    }

    /// Models that answer nothing: what was answered stands in a journal.
    fn be_silent(&mut self, named: &[Named]) {
        let silent: Arc<dyn ChatModel> = Arc::new(Replay::new(Vec::new()));
        for one in named {
            match one {
                Named::Builtin => {}
                Named::Model(_) => self.endpoint = Some(silent.clone()),
                Named::Replay(path) => drop(self.replays.insert(path.clone(), silent.clone())),
            }
        }
    }

    /// Whether the default was named, and not chosen by whether there is a key.
    pub(super) fn is_named(&self) -> bool {
        self.named
    }

    /// The default as `--model` takes it.
    pub(super) fn chosen(&self) -> String {
        match &self.default {
            Named::Builtin => BUILTIN.to_owned(),
            Named::Replay(path) => format!("replay:{path}"),
            Named::Model(name) => name.clone(),
        }
    }

    /// Whether any part asks an endpoint or a recording.
    pub(super) fn any_model(&self) -> bool {
        std::iter::once(&self.default).chain(self.parts.values()).any(|named| *named != Named::Builtin)
    }

    /// Name and endpoint for the report.
    pub(super) fn describe(&self) -> (String, Option<String>) {
        match &self.default {
            Named::Builtin => (BUILTIN.to_owned(), self.endpoint.as_ref().map(|model| model.endpoint())),
            Named::Replay(path) => (format!("replay:{path}"), Some("replay".to_owned())),
            Named::Model(name) => (name.clone(), self.endpoint.as_ref().map(|model| model.endpoint())),
        }
    }

    /// Who decides for an agent on a level: the agent's own model, else the level's, else the default.
    pub(super) fn decider(
        &self,
        level: Level,
        agent: &AgentName,
        temperature: Temperatures,
        library: &Arc<Library>,
        sink: &Arc<dyn EventSink>,
        past: &Arc<Past>,
    ) -> Decider {
        if level == Level::First && agent.as_str() != REPRODUCER {
            return Decider::Builtin;
        }
        let named = self.parts.get(agent.as_str()).or_else(|| self.parts.get(level.label())).unwrap_or(&self.default);
        let setting = [agent.as_str(), level.label(), ""].into_iter().find_map(|part| self.temperatures.get(part));
        let temperature = setting.map_or(temperature, |setting| Temperatures::fixed(*setting));
        let coder = self.parts.get(CODER).and_then(|named| match named {
            Named::Model(name) => Some((self.endpoint.clone()?, name.clone())),
            Named::Replay(path) => Some((self.replays.get(path)?.clone(), String::new())),
            Named::Builtin => None,
        });
        let model_settings = |model: &Arc<dyn ChatModel>, name: &str| ModelSettings {
            model: model.clone(),
            name: name.to_owned(),
            temperature: Some(temperature.first),
            again: Some(temperature.again),
            answer_tokens: self.max_answer.unwrap_or_else(|| Family::of(name).answer_tokens),
            coder: coder.clone(),
            form: self.form,
            effort: self.effort.clone(),
            priced_budget: PricedBudget::default(),
            library: library.clone(),
            sink: sink.clone(),
            past: past.clone(),
        };
        match named {
            Named::Builtin => Decider::Builtin,
            Named::Model(name) => match &self.endpoint {
                Some(endpoint) => {
                    Decider::Model { model_settings: Box::new(model_settings(endpoint, name)), kind: PolicyKind::Llm }
                }
                None => Decider::Builtin,
            },
            Named::Replay(path) => match self.replays.get(path) {
                Some(replay) => {
                    Decider::Model { model_settings: Box::new(model_settings(replay, "")), kind: PolicyKind::Replay }
                }
                None => Decider::Builtin,
            },
        }
    }
}

/// Who decides where no model is named.
fn usual(address: &Address) -> Named {
    if address.key.is_some() { Named::Model(DEFAULT_MODEL.into()) } else { Named::Builtin }
}

/// Who decides anywhere, the default first.
fn all_named(config: &Config, agents: &[AgentName]) -> Result<Vec<Named>, Failure> {
    let (default, parts) = read_parts(config, agents)?;
    let default = match default {
        Some(default) => default,
        None => usual(&Address::read(config)?),
    };
    Ok(std::iter::once(default).chain(parts.into_values()).collect())
}

/// Splits `PART=MODEL` from plain `MODEL` and checks the parts.
fn read_parts(config: &Config, agents: &[AgentName]) -> Result<(Option<Named>, BTreeMap<String, Named>), Failure> {
    let mut default = None;
    let mut parts = BTreeMap::new();
    for text in &config.model {
        match text.split_once('=') {
            Some((part, model)) if !part.contains(':') && !model.is_empty() => {
                if part != CODER {
                    check_part("--model", text, part, agents)?;
                }
                parts.insert(part.to_owned(), Named::read(model, &config.models));
            }
            _ if text.trim().is_empty() => {
                return Err(Failure::usage("`--model` is empty", "name a model, or `builtin`"));
            }
            _ => default = Some(Named::read(text, &config.models)),
        }
    }
    Ok((default, parts))
}

/// Refuses a part that is no level and no agent.
fn check_part(flag: &str, text: &str, part: &str, agents: &[AgentName]) -> Result<(), Failure> {
    if ["L1", "L2", "L3", "refine"].contains(&part) || agents.iter().any(|agent| agent.as_str() == part) {
        return Ok(());
    }
    let names: Vec<&str> = agents.iter().map(AgentName::as_str).collect();
    Err(Failure::usage(
        format!("`{flag} {text}`: `{part}` is no level and no agent"),
        format!("parts are L1, L2, L3, refine and the agents {}", names.join(", ")),
    ))
}

/// Splits `PART=T` from plain `T` and checks both.
fn read_temperatures(config: &Config, agents: &[AgentName]) -> Result<BTreeMap<String, f64>, Failure> {
    let mut all = BTreeMap::new();
    for text in &config.temperature {
        let (part, number) = text.split_once('=').unwrap_or(("", text));
        if !part.is_empty() {
            check_part("--temperature", text, part, agents)?;
        }
        match number.trim().parse::<f64>() {
            Ok(temperature) if (0.0..=2.0).contains(&temperature) => drop(all.insert(part.to_owned(), temperature)),
            _ => {
                let what = format!("`--temperature {text}`: `{number}` is no temperature");
                return Err(Failure::usage(what, "give a number from 0 to 2, as `0.7` or `locator=0.2`"));
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(texts: &[&str]) -> Result<(Option<Named>, BTreeMap<String, Named>), Failure> {
        let config = Config {
            model: texts.iter().map(|t| (*t).to_owned()).collect(),
            models: BTreeMap::from([("strong".to_owned(), "o3".to_owned())]),
            ..Config::default()
        };
        read_parts(&config, &["locator".into(), "fixer".into()])
    }

    #[test]
    fn models_differ_by_level_and_agent() {
        let (default, by_part) = parts(&["gpt-4o-mini", "L1=strong", "locator=builtin"]).unwrap();
        assert_eq!(default, Some(Named::Model("gpt-4o-mini".into())));
        assert_eq!(by_part["L1"], Named::Model("o3".into()));
        assert_eq!(by_part["locator"], Named::Builtin);
        assert_eq!(parts(&["replay:a=b"]).unwrap().0, Some(Named::Replay("a=b".into())));
    }

    #[test]
    fn temperatures_differ_by_part_and_are_checked() {
        let read = |texts: &[&str]| {
            let temperature = texts.iter().map(|t| (*t).to_owned()).collect();
            read_temperatures(&Config { temperature, ..Config::default() }, &["locator".into()])
        };
        let all = read(&["0.7", "locator=0", "refine=1.5"]).unwrap();
        assert_eq!((all[""], all["locator"], all["refine"]), (0.7, 0.0, 1.5));
        assert!(read(&["warm"]).unwrap_err().message.contains("`warm` is no temperature"));
        assert!(read(&["3"]).is_err() && read(&["locater=0.1"]).is_err());
    }

    #[test]
    fn an_unknown_part_is_named() {
        let failure = parts(&["locater=o3"]).unwrap_err();
        assert_eq!(failure.exit, super::super::error::USAGE);
        assert!(failure.hint.contains("locator, fixer"), "{}", failure.hint);
    }
}
