//! The commands of README and of the guide in `docs/` are commands that the program takes.

use crate::support::unidebug;
use std::fs;
use std::path::{Path, PathBuf};

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = docs.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.extend(["README.md", "CONTRIBUTING.md"].map(|page| root.join(page)));
    pages.sort();
    pages
}

/// The commands of this program in blocks of shell, each in words: without comments, pipes and what goes to files.
fn commands(page: &str) -> Vec<Vec<String>> {
    let blocks = page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let text = blocks.collect::<String>().replace("\\\n", " ");
    let ours = text.lines().filter_map(|line| line.trim().strip_prefix("unidebug "));
    let words = ours.map(|line| shlex::split(line).unwrap_or_else(|| panic!("no shell reads this: {line}")));
    let end = |word: &String| matches!(word.as_str(), "|" | ">" | "&&" | "&");
    words.map(|words| words.into_iter().take_while(|word| !end(word)).collect()).collect()
}

#[test]
fn every_command_of_the_guide_is_taken() {
    let mut taken = 0;
    for page in pages() {
        for words in commands(&fs::read_to_string(&page).unwrap()) {
            // Asking for help behind a command reads all that stands before it, and does nothing.
            let (own, passed_on) = match words.iter().position(|word| word == "--") {
                Some(at) => (&words[..at], Some(&words[at + 1..])),
                None => (&words[..], None),
            };
            let mut commands: Vec<Vec<&str>> = vec![own.iter().map(String::as_str).collect()];
            commands.extend(
                passed_on.map(|rest| ["run", "a:b"].into_iter().chain(rest.iter().map(String::as_str)).collect()),
            );
            for mut command in commands {
                command.push("--help");
                let done = unidebug(&command);
                assert!(done.code == Some(0), "{}: {command:?}: {done}", page.display());
                taken += 1;
            }
        }
    }
    assert!(taken > 60, "{taken} commands were found");
}

#[test]
fn links_of_the_guide_lead_somewhere() {
    let link = regex::Regex::new(r"\]\(([^)#:]+)(?:#[^)]*)?\)").unwrap();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for found in link.captures_iter(&text) {
            let place = page.parent().unwrap().join(&found[1]);
            assert!(place.exists(), "{}: {}", page.display(), &found[1]);
        }
    }
}
