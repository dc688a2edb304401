//! Modules of a project that pytest loads as plugins: they decide about results as `conftest.py` does.

use crate::domain::RepoPath;
use camino::Utf8Path;

/// Files whose options pytest reads.
const SETTINGS: [&str; 4] = ["pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml"];
/// Files that can name plugins by `pytest_plugins`.
const CONFTESTS: [&str; 3] = ["conftest.py", "tests/conftest.py", "test/conftest.py"];
/// Under which a project offers plugins to others: they are its product.
const OFFERED: &str = "pytest11";

/// Whether pytest loads the file as a plugin that the project keeps for its tests.
pub(in crate::validate) fn is_plugin(root: &Utf8Path, path: &RepoPath) -> bool {
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap_or_default();
    let settings = SETTINGS.map(read).join("\n");
    if settings.contains(OFFERED) || read("setup.py").contains(OFFERED) {
        return false;
    }
    let module = path.as_str().trim_end_matches(".py").trim_end_matches("/__init__").replace('/', ".");
    let named = options(&settings).into_iter().chain(CONFTESTS.iter().flat_map(|name| listed(&read(name))));
    named.into_iter().any(|name| module == name || module.ends_with(&format!(".{name}")))
}

/// What settings give pytest as options: the values of `addopts`, whatever other programs are called with beside them.
fn added(settings: &str) -> Vec<&str> {
    let value = |rest: &str| {
        let start = rest.len() - rest.trim_start_matches([' ', '\t', '=']).len();
        let given = &rest[start..];
        let end = match given.get(..3) {
            Some(quotes @ ("\"\"\"" | "\'\'\'")) => given[3..].find(quotes).map(|end| end + 3),
            _ if given.starts_with('[') => given.find("]\n"),
            // Further lines of a value are indented.
            _ => given.match_indices('\n').map(|(at, _)| at).find(|at| !given[at + 1..].starts_with([' ', '\t'])),
        };
        start + end.unwrap_or(given.len())
    };
    settings.split("addopts").skip(1).map(|rest| &rest[..value(rest)]).collect()
}

/// The names behind `-p`.
fn options(settings: &str) -> Vec<String> {
    let added = added(settings).join("\n");
    let words: Vec<&str> = added
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '[' | ']' | '='))
        .filter(|word| !word.is_empty())
        .collect();
    let behind = words.windows(2).filter(|pair| pair[0] == "-p").map(|pair| pair[1]);
    let joined = words.iter().filter_map(|word| word.strip_prefix("-p").filter(|name| !name.is_empty()));
    behind.chain(joined).filter(|name| !name.starts_with("no:")).map(str::to_owned).collect()
}

/// The names that `pytest_plugins` is given.
fn listed(conftest: &str) -> Vec<String> {
    let Some((_, given)) = conftest.split_once("pytest_plugins") else { return Vec::new() };
    let given = given.trim_start_matches([' ', '=', '\n']);
    let end = match given.chars().next() {
        Some('[') => given.find(']'),
        Some('(') => given.find(')'),
        _ => given.find('\n'),
    };
    let given = &given[..end.unwrap_or(given.len())];
    given.split(['"', '\'']).skip(1).step_by(2).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_named_in_settings_and_conftests_are_plugins() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        std::fs::write(root.join("pytest.ini"), "[pytest]\naddopts = -q -p wraps -p no:cacheprovider\n").unwrap();
        std::fs::write(root.join("conftest.py"), "pytest_plugins = [\n    'shop.helping',\n]\nother = 'adding'\n")
            .unwrap();
        let is = |path: &str| is_plugin(root, &RepoPath::new(path).unwrap());
        assert!(is("wraps.py") && is("src/wraps/__init__.py") && is("shop/helping.py"));
        assert!(!is("adding.py") && !is("shop/cart.py") && !is("helping.py"));
        let checks = "[testenv]\ncommands =\n    mypy -p adding\n[pytest]\naddopts =\n    -q\n    -p inner.more\nxfail_strict = 1\n";
        std::fs::write(root.join("tox.ini"), checks).unwrap();
        let toml = "[tool.pytest.ini_options]\naddopts = [\n  \"-p\", \"listed\",\n  \"-k\", \"a[0]\",\n  \"-pjoined\",\n]\n\
                    [tool.other]\nrun = \"mypy -p shop.cart\"\n";
        std::fs::write(root.join("pyproject.toml"), toml).unwrap();
        assert!(is("inner/more.py") && is("listed.py") && is("joined.py"));
        assert!(!is("adding.py") && !is("shop/cart.py"), "another program is called with it");
        std::fs::write(root.join("pyproject.toml"), "[tool.pytest.ini_options]\naddopts = \"\"\"\n-p quoted\n\"\"\"\n")
            .unwrap();
        assert!(is("quoted.py"));
        std::fs::write(root.join("setup.cfg"), "[options.entry_points]\npytest11 =\n    wraps = wraps\n").unwrap();
        assert!(!is("wraps.py"), "a plugin for others is the product");
    }
}
