//! `unidebug init`: which model, and where its key is; asked once, on a terminal.
//!
//! No key is written: the settings say which variable or which file of the user's holds it.

use super::config_init;
use super::endpoint::KEY_VARIABLE;
use super::error::Failure;
use super::interrupt;
use crate::domain::InvalidValue;
use crate::llm::{Endpoint, PROVIDERS, Provider};
use camino::Utf8Path;
use dialoguer::console::{Term, user_attended, user_attended_stderr};
use dialoguer::{Input, Select};
use reqwest::Url;
use std::convert::Infallible;
use std::io;

/// What keys do in a list; stands before the first one.
const KEYS: &str = "arrow keys and enter choose, Esc ends; nothing is written before the end";
/// The same that `config init` says of a file it leaves alone.
const LEFT: &str = "edit it; `unidebug config show` tells what is in force";

/// Settings to be written, and the variable that has still to be set.
struct Answers {
    settings: Vec<(&'static str, toml::Value)>,
    missing: Option<String>,
}

/// Asks and writes.
///
/// # Errors
/// There is no terminal; a model is set already; the file cannot be written.
pub(super) async fn init() -> Result<u8, Failure> {
    if !user_attended() || !user_attended_stderr() {
        return Err(Failure::unusable(
            "init asks questions, and this is no terminal",
            "`unidebug config init` writes a commented file without asking; or give --provider and --model",
        ));
    }
    let _shown = Shown;
    // A person takes time, and may interrupt.
    interrupt::note_way_back("nothing was written; `unidebug init` asks again");
    let talked = tokio::task::spawn_blocking(talk).await;
    talked.map_err(|error| Failure::io("the questions", &io::Error::other(error)))?
}

/// The cursor, which lists hide: an interruption in one must not leave it hidden.
struct Shown;

impl Drop for Shown {
    fn drop(&mut self) {
        // A terminal that is gone needs no cursor.
        let _ = Term::stderr().show_cursor();
    }
}

fn talk() -> Result<u8, Failure> {
    let file = config_init::file()?;
    let known = if file.exists() { Some(read(&file)?) } else { None };
    super::tell(KEYS);
    let answers = ask().map_err(|error| match error.kind() {
        io::ErrorKind::Interrupted => Failure::interrupted(interrupt::way_back()),
        _ => Failure::io("asking", &error),
    })?;
    let Some(Answers { settings, missing }) = answers else {
        super::print(
            "nothing was written: the built-in engine works without a model, and `unidebug init` asks again\n\
             try:     unidebug run fixtures:roman-numerals\n",
        );
        return Ok(0);
    };
    config_init::write(&file, &config_init::with(known.as_deref(), &settings))?;
    let mut text = format!("written: {file}\n");
    if let Some(variable) = missing {
        text += &format!("next:    export {variable}=...    (in your shell's profile; no key is kept here)\n");
    }
    super::print(
        &(text + "check:   unidebug doctor    (two tiny calls)\ntry:     unidebug run fixtures:roman-numerals\n"),
    );
    Ok(0)
}

/// The user's file, which says nothing about models yet.
fn read(file: &Utf8Path) -> Result<String, Failure> {
    let text = std::fs::read_to_string(file).map_err(|e| Failure::io(&format!("cannot read {file}"), &e))?;
    let table: toml::Table = toml::from_str(&text)
        .map_err(|error| Failure::usage(format!("{file}: {}", error.message()), "correct the file"))?;
    match ["model", "provider", "base_url", "key_variable", "key_file"]
        .into_iter()
        .find(|name| table.contains_key(*name))
    {
        Some(name) => Err(Failure::unusable(format!("{file} sets `{name}` already; nothing was written"), LEFT)),
        None => Ok(text),
    }
}

/// All questions; `None` when the user wants no model, or no more questions.
fn ask() -> io::Result<Option<Answers>> {
    let Some(place) = place()? else { return Ok(None) };
    let mut settings = Vec::new();
    let (url, variable) = match place {
        Place::Known(provider) => {
            settings.push(("provider", provider.name.into()));
            (provider.base_url.to_owned(), provider.key_variable.map(str::to_owned))
        }
        Place::Own => {
            let Some(url) = line("its address (http://host:port/v1)", |url| Url::parse(url).map(drop))? else {
                return Ok(None);
            };
            settings.push(("base_url", url.clone().into()));
            let variable = (!Endpoint::new(&url, None).is_local()).then(|| KEY_VARIABLE.to_owned());
            (url, variable)
        }
    };
    let Some(model) = line(&format!("name of the model at {url} (empty: none)"), |_| Ok::<(), Infallible>(()))? else {
        return Ok(None);
    };
    settings.push(("model", vec![model].into()));
    let missing = match variable {
        Some(variable) => match key(&variable)? {
            Key::Ended => return Ok(None),
            Key::File(file) => {
                settings.push(("key_file", file.into()));
                None
            }
            Key::There => None,
            Key::Missing => Some(variable),
        },
        None => None,
    };
    Ok(Some(Answers { settings, missing }))
}

/// Where a model is.
enum Place {
    Known(&'static Provider),
    Own,
}

fn place() -> io::Result<Option<Place>> {
    let there = |provider: &Provider| provider.key_variable.filter(|name| is_set(name));
    let line = |provider: &Provider| match (there(provider), provider.key_variable) {
        (Some(name), _) => format!("{:<12} {name} is set", provider.name),
        (None, Some(name)) => format!("{:<12} needs {name}", provider.name),
        (None, None) => format!("{:<12} on this machine, {}", provider.name, provider.base_url),
    };
    let mut lines = vec!["none now     the built-in engine works alone, for nothing".to_owned()];
    lines.extend(PROVIDERS.iter().map(line));
    lines.push("another      any OpenAI-compatible address".to_owned());
    let likely = PROVIDERS.iter().position(|provider| there(provider).is_some()).map_or(0, |at| at + 1);
    let chosen = Select::new().with_prompt("which model service").items(&lines).default(likely).interact_opt()?;
    Ok(match chosen {
        None | Some(0) => None,
        Some(at) => Some(PROVIDERS.get(at - 1).map_or(Place::Own, Place::Known)),
    })
}

/// What is known of a key after the question.
enum Key {
    /// In its variable.
    There,
    /// In a file of the user's.
    File(String),
    /// To be put into its variable.
    Missing,
    /// No more questions.
    Ended,
}

fn key(variable: &str) -> io::Result<Key> {
    if is_set(variable) {
        super::tell(&format!("the key is in {variable}"));
        return Ok(Key::There);
    }
    let lines = [format!("in the variable {variable}, which is not set yet"), "in a file".to_owned()];
    match Select::new().with_prompt("where is the key").items(&lines).default(0).interact_opt()? {
        None => Ok(Key::Ended),
        Some(0) => Ok(Key::Missing),
        Some(_) => {
            let readable = |name: &str| {
                std::fs::read(name).map(drop).map_err(|error| InvalidValue::from(format!("{name}: {error}")))
            };
            let Some(file) = line("which file (empty: ends)", readable)? else { return Ok(Key::Ended) };
            // Settings are read in any folder.
            Ok(Key::File(std::path::absolute(file)?.display().to_string()))
        }
    }
}

fn is_set(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|key| !key.trim().is_empty())
}

/// A line that fits; `None` when it is empty.
fn line<E: ToString>(prompt: &str, fits: impl Fn(&str) -> Result<(), E>) -> io::Result<Option<String>> {
    let checked = |text: &String| if text.trim().is_empty() { Ok(()) } else { fits(text.trim()) };
    let text: String = Input::new().with_prompt(prompt).allow_empty(true).validate_with(checked).interact_text()?;
    Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
}
