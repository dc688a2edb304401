//! Modules of libraries that the tests of a project import. A run of all tests has loaded them all before the first test
//! begins, and a test may use one that another test module imports: `click.testing` after `import click`.

use super::Python;
use std::collections::BTreeSet;

impl Python {
    /// The texts of the test modules.
    pub(super) fn texts(&self) -> impl Iterator<Item = String> + '_ {
        let root = self.checkout.project.module.under(&self.checkout.root);
        self.files.iter().filter_map(move |(_, file)| std::fs::read_to_string(root.join(file)).ok())
    }
}

/// Submodules that some source imports, in any of its lines: what is no module is told as well.
pub(super) fn submodules(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in text.lines().map(str::trim_start) {
        if let Some(names) = line.strip_prefix("import ") {
            let names = names.split(',').map(|name| first_word(name.trim_start()));
            found.extend(names.flat_map(with_parents));
        } else if let Some((package, names)) = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) {
            let package = package.trim();
            found.extend(with_parents(package));
            let names = names.trim_start_matches('(').split(',').map(|name| first_word(name.trim()));
            found.extend(names.map(|name| format!("{package}.{name}")));
        }
    }
    found.retain(|name| is_submodule(name));
    found
}

/// A name as far as it is one: what stands before a blank, a comment or a bracket.
fn first_word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').next().unwrap_or(text)
}

/// `a.b` and `a.b.c` for `a.b.c`.
fn with_parents(name: &str) -> impl Iterator<Item = String> + '_ {
    let ends = name.match_indices('.').map(|(at, _)| at).skip(1).chain([name.len()]);
    ends.map(|end| name[..end].to_owned())
}

fn is_submodule(name: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    name.contains('.') && name.split('.').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_imports_are_read() {
        let text = "import os, click.testing as t, a.b.c\nfrom rich.prompt import Prompt, (\n    from . import x\n\
                    from .own import y\nfrom unittest import mock  # all\nfrom a import (one, two)\nimportant = 1\n";
        let found: Vec<String> = submodules(text).into_iter().collect();
        let expected =
            ["a.b", "a.b.c", "a.one", "a.two", "click.testing", "rich.prompt", "rich.prompt.Prompt", "unittest.mock"];
        assert_eq!(found, expected);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(import |from |\\.|[a-z]|,|\\(| import |\n|\\PC){0,80}") {
            for name in submodules(&text) {
                proptest::prop_assert!(is_submodule(&name) && !name.contains(char::is_whitespace), "{name}");
            }
        }
    }
}
