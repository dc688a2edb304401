//! Finds out what a run depends on besides its settings: the machine, the program, the dataset, and what the files hold
//! that settings name.

use super::config::Config;
use super::open::Opened;
use crate::agent::ablation::Part;
use crate::benchmark::History;
use crate::domain::words::counted;
use crate::llm::Redactor;
use crate::report::Conditions;
use crate::tools::analysers;
use camino::{Utf8Path, Utf8PathBuf};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The commit that the program was built from; empty in builds for development, and without a repository.
const COMMIT: &str = match option_env!("BUILT_FROM_COMMIT") {
    Some(commit) => commit,
    None => "",
};
/// Bytes of a fingerprint that are shown.
const SHOWN: usize = 6;

/// The conditions of this moment.
pub(super) async fn now(opened: &Opened, config: &Config, redactor: &Redactor) -> Conditions {
    let date = jiff::Timestamp::now().round(jiff::Unit::Second).map_or_else(|_| String::new(), |at| at.to_string());
    Conditions {
        date,
        command: std::env::args().skip(1).map(|word| redactor.text(&word).into_owned()).collect(),
        commit: COMMIT.to_owned(),
        host: nix::unistd::gethostname().map_or_else(|_| String::new(), |name| name.to_string_lossy().into_owned()),
        system: system(),
        cpu: cpu(),
        dataset: dataset(opened, config).await,
        content: content(config).into_iter().chain(analysers(config)).collect(),
    }
}

/// Analysers of this machine that agents can ask, by their names.
fn analysers(config: &Config) -> Option<(String, String)> {
    let installed = analysers::installed();
    let is_wanted = !config.without.iter().any(|part| part.0 == Part::Static);
    (is_wanted && !installed.is_empty()).then(|| ("analysers".to_owned(), installed.join(", ")))
}

fn system() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{} {} {}", std::env::consts::OS, release.trim(), std::env::consts::ARCH)
}

fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    format!("{model}, {}", counted(cores, "core"))
}

/// What the repository of the benchmark, or of the user's project, calls its state; without one the fingerprint of the
/// benchmark's file. Benchmarks that come with the program are as old as that.
async fn dataset(opened: &Opened, config: &Config) -> String {
    let of_project = (opened.bug.benchmark == crate::benchmark::LOCAL).then(|| Utf8PathBuf::from(&opened.bug.name));
    let Some(root) = of_project.or_else(|| config.root.clone()) else { return String::new() };
    let folder = if root.is_dir() { &*root } else { root.parent().unwrap_or(&root) };
    if let Some(history) = History::of(folder, &opened.sandbox)
        && let Ok(state) = history.state().await
    {
        return state;
    }
    if root.is_file() { fingerprint([&*root]) } else { String::new() }
}

/// Fingerprints of everything that settings name by its path and that can change a result.
fn content(config: &Config) -> BTreeMap<String, String> {
    let one = |path: &Option<Utf8PathBuf>| path.iter().map(|path| path.as_path().to_owned()).collect::<Vec<_>>();
    let named = [
        ("agents", one(&config.agents)),
        ("prompts", one(&config.prompts)),
        ("corpus", config.corpus.clone()),
        ("prices", one(&config.prices)),
        ("requirements", one(&config.requirements)),
        ("analysis", config.analysis.clone()),
    ];
    let some = named.into_iter().filter(|(_, paths)| !paths.is_empty());
    some.map(|(setting, paths)| (setting.to_owned(), fingerprint(paths.iter().map(|path| &**path)))).collect()
}

/// A fingerprint of files, and of all files in folders, by name and content.
fn fingerprint<'p>(paths: impl IntoIterator<Item = &'p Utf8Path>) -> String {
    let mut sum = Sha256::new();
    for path in paths {
        add(&mut sum, path, path);
        sum.update([0xff]);
    }
    format!("sha256 {}", HEXLOWER.encode(&sum.finalize()[..SHOWN]))
}

fn add(sum: &mut Sha256, base: &Utf8Path, path: &Utf8Path) {
    if let Ok(entries) = path.read_dir_utf8() {
        let mut below: Vec<Utf8PathBuf> = entries.flatten().map(|entry| entry.path().to_owned()).collect();
        below.sort();
        below.iter().for_each(|path| add(sum, base, path));
    } else if let Ok(bytes) = std::fs::read(path) {
        // The name of a file in a folder counts, where the folder lies does not.
        let name = path.strip_prefix(base).unwrap_or(path).as_str();
        sum.update((name.len() as u64).to_le_bytes());
        sum.update(name);
        sum.update((bytes.len() as u64).to_le_bytes());
        sum.update(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_follows_names_and_content_but_not_the_place() {
        let make = |file: &str, text: &str| {
            let dir = tempfile::tempdir().unwrap();
            std::fs::create_dir(dir.path().join("in")).unwrap();
            std::fs::write(dir.path().join("in").join(file), text).unwrap();
            fingerprint([Utf8Path::from_path(dir.path()).unwrap()])
        };
        assert_eq!(make("a.md", "x"), make("a.md", "x"));
        assert_ne!(make("a.md", "x"), make("a.md", "y"));
        assert_ne!(make("a.md", "x"), make("b.md", "x"));
        assert_eq!(make("a.md", "x").len(), "sha256 ".len() + 2 * SHOWN);
    }

    #[test]
    fn what_settings_name_by_path_has_a_fingerprint() {
        let dir = tempfile::tempdir().unwrap();
        let file = Utf8Path::from_path(dir.path()).unwrap().join("pairs.jsonl");
        std::fs::write(&file, "{}").unwrap();
        let config = Config { corpus: vec![file], ..Config::default() };
        assert_eq!(content(&config).keys().collect::<Vec<_>>(), ["corpus"]);
        assert!(content(&Config::default()).is_empty());
    }
}
