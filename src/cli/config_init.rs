//! `unidebug config init`: a commented file to begin with.

use super::config::user_file;
use super::error::Failure;
use camino::{Utf8Path, Utf8PathBuf};

/// What is written: every line is a comment, so that nothing changes before somebody takes a `#` away.
const TEMPLATE: &str = r##"# Settings of unidebug. Take the `#` in front of a line away to set it; `unidebug config show` tells all values.

# Which model is asked. Without one, and without a key, the built-in engine works alone.
#model = ["gpt-4o-mini"]
# One of the known providers (openrouter, anthropic, ollama, vllm, ...), or an address of your own.
#provider = "openrouter"
#base_url = "http://127.0.0.1:8080/v1"
# The variable that holds the key, or a file.
#key_variable = "OPENAI_API_KEY"
#key_file = "~/.config/unidebug/key"

# Most that one bug may cost and take.
#max_cost = 0.5
#max_time = "15m"
#max_tokens = 200000

# Levels that may be entered, and the isolation of everything that is compiled or tested.
#levels = "L1..L3"
#sandbox = "auto"

# Files that no model may see, as globs.
#deny = ["secrets/**"]

# Short names for models.
#[models]
#cheap = "openai/gpt-4o-mini"
"##;

/// Writes the file.
///
/// # Errors
/// It is there already, or cannot be written.
pub(super) fn init() -> Result<u8, Failure> {
    let file = file()?;
    if file.exists() {
        let hint = "edit it, or move it away first; `unidebug config show` tells what it says";
        return Err(Failure::unusable(format!("{file} is there already; nothing was written"), hint));
    }
    write(&file, TEMPLATE)?;
    super::print(&format!("written: {file}\n"));
    Ok(0)
}

/// Where the user's settings belong.
///
/// # Errors
/// No folder of the user is known.
pub(super) fn file() -> Result<Utf8PathBuf, Failure> {
    user_file().ok_or_else(|| Failure::unusable("no folder for settings is known", "set HOME"))
}

/// Writes settings, whole or not at all.
///
/// # Errors
/// The system refused.
pub(super) fn write(file: &Utf8Path, text: &str) -> Result<(), Failure> {
    let refused = |error: std::io::Error| Failure::io(&format!("cannot write {file}"), &error);
    let folder = file.parent().unwrap_or(Utf8Path::new("."));
    std::fs::create_dir_all(folder).map_err(|e| Failure::io(&format!("cannot make {folder}"), &e))?;
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(refused)?;
    std::io::Write::write_all(&mut new, text.as_bytes()).map_err(refused)?;
    new.persist(file).map(drop).map_err(|error| refused(error.error))
}

/// The settings in a text (none: the commented one) with these set: each in place of the comment that offers it, or in
/// front of everything.
pub(super) fn with(text: Option<&str>, settings: &[(&str, toml::Value)]) -> String {
    let mut text = text.unwrap_or(TEMPLATE).to_owned();
    for (name, value) in settings {
        let line = format!("{name} = {value}");
        let offer = format!("#{name} = ");
        let offered = text.lines().find(|line| line.starts_with(&offer)).map(str::to_owned);
        text = match offered {
            Some(offered) => text.replacen(&offered, &line, 1),
            None => format!("{line}\n{text}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_file_offers_are_settings() {
        let offered: String = TEMPLATE
            .lines()
            .filter_map(|line| line.strip_prefix('#'))
            .filter(|line| !line.starts_with(' ') && !line.is_empty())
            .map(|line| format!("{line}\n"))
            .collect();
        let config: super::super::config::Config = toml::from_str(&offered).unwrap();
        assert_eq!((config.model.len(), config.deny.len(), config.models.len()), (1, 1, 1));
        assert!(config.max_cost.is_some() && config.max_time.is_some() && config.levels.is_some());
        assert!(toml::from_str::<toml::Table>(TEMPLATE).unwrap().is_empty(), "nothing is set before somebody says so");
    }

    #[test]
    fn what_is_set_stands_where_it_was_offered() {
        let model = ("model", toml::Value::from(vec!["a\"b"]));
        let fresh = with(None, std::slice::from_ref(&model));
        assert_eq!(fresh.lines().count(), TEMPLATE.lines().count());
        assert_eq!(toml::from_str::<toml::Table>(&fresh).unwrap()["model"][0].as_str(), Some("a\"b"));
        let own = with(Some("seed = 3\n[models]\nx = \"y\"\n"), &[model]);
        let own: toml::Table = toml::from_str(&own).unwrap();
        assert_eq!((own["seed"].as_integer(), own["model"][0].as_str()), (Some(3), Some("a\"b")));
    }
}
