//! Names of test modules that a project's settings of pytest give.

use camino::Utf8Path;
use globset::{Glob, GlobSet, GlobSetBuilder};

/// Files with settings of pytest and the section that holds them, in the order in which pytest looks: the first with such a
/// section counts.
const INI: [(&str, &str); 2] = [("pytest.ini", "pytest"), (".pytest.ini", "pytest")];
const TOML: &str = "pyproject.toml";
const LATER: [(&str, &str); 2] = [("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")];
const KEY: &str = "python_files";

/// What `python_files` matches in a project's settings of pytest, by the name of a file; nothing where no setting says it.
///
/// See <https://docs.pytest.org/en/stable/reference/reference.html#confval-python_files>.
pub(in crate::benchmark) fn test_modules(root: &Utf8Path) -> GlobSet {
    let read = |name: &str| std::fs::read_to_string(root.join(name)).ok();
    let ini = |(name, section): &(&str, &str)| of_ini(&read(name)?, section);
    let found = INI.iter().find_map(ini).or_else(|| of_toml(&read(TOML)?)).or_else(|| LATER.iter().find_map(ini));
    let mut names = GlobSetBuilder::new();
    // The folders of a pattern are left out: a file is known by its name.
    let globs = found.unwrap_or_default().into_iter().filter_map(|glob| Glob::new(glob.rsplit('/').next()?).ok());
    // What takes every module, as `*.py`, tells no test from the product.
    let tells = globs.filter(|glob| !glob.compile_matcher().is_match("__init__.py"));
    tells.for_each(|glob| _ = names.add(glob));
    names.build().unwrap_or_default()
}

/// The value in a section of an INI file; empty where the section does not name the key, `None` without the section.
fn of_ini(text: &str, section: &str) -> Option<Vec<String>> {
    let head = format!("[{section}]");
    let mut lines = text.lines().skip_while(|line| line.trim_end() != head).skip(1).peekable();
    lines.peek()?;
    let inside = lines.take_while(|line| !line.starts_with('['));
    let mut after = inside.skip_while(|line| {
        line.split_once(['=', ':']).is_none_or(|(key, _)| line.starts_with(char::is_whitespace) || key.trim() != KEY)
    });
    let first = after.next().and_then(|line| line.split_once(['=', ':'])).map_or("", |(_, value)| value);
    let further = after.take_while(|line| line.starts_with(char::is_whitespace) || line.is_empty());
    let words =
        |line: &str| line.split_whitespace().take_while(|word| !word.starts_with('#')).map(str::to_owned).collect();
    Some([first].into_iter().chain(further).flat_map(|line| -> Vec<String> { words(line) }).collect())
}

fn of_toml(text: &str) -> Option<Vec<String>> {
    let settings: toml::Table = text.parse().ok()?;
    let pytest = settings.get("tool")?.get("pytest")?;
    let options = pytest.get("ini_options").unwrap_or(pytest);
    Some(match options.get(KEY) {
        Some(toml::Value::String(names)) => names.split_whitespace().map(str::to_owned).collect(),
        Some(toml::Value::Array(names)) => names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect(),
        _ => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(files: &[(&str, &str)], names: &[&'static str]) -> Vec<&'static str> {
        let temp = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(temp.path().join(name), text).unwrap();
        }
        let found = test_modules(Utf8Path::from_path(temp.path()).unwrap());
        names.iter().copied().filter(|name| found.is_match(name)).collect()
    }

    #[test]
    fn the_first_file_with_settings_of_pytest_names_the_modules() {
        let names = ["tests_cart.py", "check_cart.py", "cart_spec.py", "cart.py"];
        let toml = ("pyproject.toml", "[tool.pytest.ini_options]\npython_files = [\"tests_*.py\"]\n");
        let cfg = (
            "setup.cfg",
            "[metadata]\nname = x\n[tool:pytest]\naddopts = -q\npython_files =\n    check_*.py  # ours\n    spec/*_spec.py\n[flake8]\n",
        );
        assert_eq!(matched(&[toml], &names), ["tests_cart.py"]);
        assert_eq!(matched(&[cfg], &names), ["check_cart.py", "cart_spec.py"]);
        assert_eq!(matched(&[toml, cfg], &names), ["tests_cart.py"]);
        assert_eq!(matched(&[("pytest.ini", "[pytest]\naddopts = -q\n"), toml], &names), [""; 0]);
        assert_eq!(matched(&[("tox.ini", "[tox]\nenvlist = py\n"), cfg], &names), ["check_cart.py", "cart_spec.py"]);
        assert_eq!(
            matched(&[("pyproject.toml", "[tool.pytest.ini_options]\npython_files = \"*_spec.py check_*\"")], &names),
            ["check_cart.py", "cart_spec.py"]
        );
        assert_eq!(matched(&[("pyproject.toml", "[tool")], &names), [""; 0]);
        let all = ("pytest.ini", "[pytest]\npython_files = *.py tests/*.py check_*.py\n");
        assert_eq!(matched(&[all], &names), ["check_cart.py"], "the product is no test");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(\\[pytest\\]\n)?(python_files ?[=:]?.{0,20}\n?|.{0,30}\n){0,6}") {
            of_ini(&text, "pytest");
            of_toml(&text);
        }
    }
}
