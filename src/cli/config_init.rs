//! `unidebug config init`: a commented file to begin with.

use super::config::user_file;
use super::error::Failure;

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

# Levels to climb, and the isolation of everything that is compiled or tested.
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
pub fn init() -> Result<u8, Failure> {
    let file = user_file().ok_or_else(|| Failure::unusable("no folder for settings is known", "set HOME"))?;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(|e| Failure::io(&format!("cannot make {folder}"), &e))?;
    }
    let new = std::fs::OpenOptions::new().write(true).create_new(true).open(&file);
    let written = new.and_then(|mut new| std::io::Write::write_all(&mut new, TEMPLATE.as_bytes()));
    match written {
        Ok(()) => super::print(&format!("written: {file}\n")),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let hint = "edit it, or move it away first; `unidebug config show` tells what it says";
            return Err(Failure::unusable(format!("{file} is there already; nothing was written"), hint));
        }
        Err(error) => return Err(Failure::io(&format!("cannot write {file}"), &error)),
    }
    Ok(0)
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
}
