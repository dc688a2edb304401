//! What the files of a patch refer to that they did not refer to before, and for which no repair has a use: the ends of the
//! process, its frames, hooks and objects, the test framework, parts of modules that are not the project's. The
//! interpreter's own parser reads them, so that no alias, coding or look-alike letter hides them.

use crate::validate::subject::News;

/// Names, with what is below them, and what their use does.
const NAMES: &[(&str, &str)] = &[
    ("os._exit", ENDS),
    ("posix._exit", ENDS),
    ("os.abort", ENDS),
    ("os.kill", ENDS),
    ("os.killpg", ENDS),
    ("sys.exit", ENDS),
    ("gc.get_objects", OTHERS),
    ("gc.get_referrers", OTHERS),
    ("gc.get_referents", OTHERS),
    ("ctypes", "goes around the rules of the language"),
    ("pytest", TESTS),
    ("_pytest", TESTS),
    ("pluggy", TESTS),
    ("unittest", TESTS),
    ("__main__", "looks at the program that runs it"),
    ("sys.modules", "looks at what is loaded"),
    ("sys.meta_path", IMPORTS),
    ("sys.path_hooks", IMPORTS),
    ("sys.path_importer_cache", IMPORTS),
    ("sys.orig_argv", "looks at the program that runs it"),
    ("sys.settrace", FRAMES),
    ("sys.setprofile", FRAMES),
    ("sys.excepthook", WIDE),
    ("sys.addaudithook", WIDE),
    ("faulthandler", FRAMES),
    ("sys.unraisablehook", WIDE),
    ("threading.excepthook", WIDE),
    ("threading.enumerate", THREADS),
    ("threading.active_count", THREADS),
];
/// Attributes, whatever they are taken from, and texts by which they are found.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("_getframe", FRAMES),
    ("_current_frames", FRAMES),
    ("currentframe", FRAMES),
    ("getouterframes", FRAMES),
    ("getinnerframes", FRAMES),
    ("format_stack", FRAMES),
    ("extract_stack", FRAMES),
    ("walk_stack", FRAMES),
    ("findCaller", FRAMES),
    ("f_back", FRAMES),
    ("f_locals", FRAMES),
    ("f_globals", FRAMES),
    ("tb_frame", FRAMES),
    ("gi_frame", FRAMES),
    ("cr_frame", FRAMES),
    ("get_objects", OTHERS),
    ("get_referrers", OTHERS),
    ("__subclasses__", OTHERS),
    ("__globals__", "looks into other code"),
    ("__closure__", "looks into other code"),
    ("meta_path", IMPORTS),
    ("path_hooks", IMPORTS),
    ("orig_argv", "looks at the program that runs it"),
    ("excepthook", WIDE),
];
const ENDS: &str = "ends the process";
const OTHERS: &str = "finds what belongs to others";
const TESTS: &str = "belongs to the tests";
const IMPORTS: &str = "changes how modules are found";
const FRAMES: &str = "looks into running code";
const WIDE: &str = "changes what all code sees, the tests too";
const THREADS: &str = "looks at the threads of others";

/// Begins of names by which code can tell where it runs, though there are honest uses of them.
const SENSES: &[&str] = &[
    "os.environ",
    "os.getenv",
    "os.getcwd",
    "os.path",
    "os.listdir",
    "os.stat",
    "sys.",
    "threading.",
    "inspect",
    "traceback",
    "logging",
    "warnings",
    "importlib",
    "builtins",
    "__import__",
    "globals",
    "vars",
    "getattr",
    "eval",
    "exec",
    "open",
    "pathlib",
    "platform",
    "RecursionError",
];

/// What news, as the interpreter's program tells them, mean. `tests` are names of test modules; `is_own` tells whether the
/// project has a module of that name.
pub(super) fn read(news: &[String], tests: &[String], is_own: impl Fn(&str) -> bool) -> News {
    let mut found = News::default();
    for each in news {
        let Some((kind, name)) = each.split_once(':') else { continue };
        let doubt = match kind {
            "d" => named(name),
            "a" => known(ATTRIBUTES, name).map(|what| format!("`{name}` {what}")),
            "s" => set(name, &is_own),
            "t" => text(name, tests),
            _ => None,
        };
        found.senses |= kind == "d" && SENSES.iter().any(|start| name.starts_with(start)) || doubt.is_some();
        found.doubts.extend(doubt);
    }
    found.doubts.sort();
    found.doubts.dedup();
    found
}

/// The names by which news may ask of the world around: what is imported, what every module has, and, behind their letters,
/// attributes and texts.
pub(super) fn asking(news: &[String]) -> impl Iterator<Item = &str> + Clone {
    news.iter().filter_map(|each| {
        let (kind, name) = each.split_once(':')?;
        match kind {
            "i" => Some(name),
            "d" if name.starts_with("__") => Some(name),
            "a" | "t" => Some(each.as_str()),
            _ => None,
        }
    })
}

/// The name of others that a new module takes.
pub(super) fn taken(news: &[String]) -> Option<&str> {
    news.iter().find_map(|each| each.strip_prefix("m:"))
}

fn known(table: &'static [(&str, &str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, what)| *what)
}

fn named(name: &str) -> Option<String> {
    let below = |known: &str| name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    NAMES.iter().find(|(known, _)| below(known)).map(|(_, what)| format!("`{name}` {what}"))
}

/// A part of a module that is set.
fn set(name: &str, is_own: &impl Fn(&str) -> bool) -> Option<String> {
    let top = name.split('.').next().unwrap_or(name);
    (!is_own(top)).then(|| format!("`{name}` is changed for all code, and `{top}` is not the project's"))
}

/// A text by which code finds what is not its own.
fn text(text: &str, tests: &[String]) -> Option<String> {
    let of_pytest = text == "pytest" || text.starts_with("_pytest") || text.starts_with("PYTEST");
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let holds = |name: &String| {
        let last = name.rsplit('.').next().unwrap_or(name);
        last.len() > 5 && text.split(|c| !is_part(c)).any(|word| word == last)
    };
    if of_pytest || tests.iter().any(holds) {
        return Some(format!("the text \"{text}\" belongs to the tests"));
    }
    known(ATTRIBUTES, text).map(|what| format!("the text \"{text}\" {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news_of(news: &[&str]) -> News {
        let news: Vec<String> = news.iter().map(|text| (*text).to_owned()).collect();
        read(&news, &["tests.test_cart".to_owned()], |name| name == "shop")
    }

    #[test]
    fn what_no_repair_needs_is_told() {
        for news in [
            "d:os._exit",
            "d:sys.modules",
            "d:pytest.skip",
            "a:f_back",
            "t:_getframe",
            "t:PYTEST_CURRENT_TEST",
            "t:tests.test_cart",
            "s:json.dumps",
            "d:threading.active_count",
        ] {
            assert_eq!(news_of(&[news]).doubts.len(), 1, "{news}");
        }
    }

    #[test]
    fn attributes_and_texts_may_ask_the_world_as_well_as_what_is_imported() {
        let news = ["i:time.time", "d:__file__", "d:total", "a:cache_info", "t:cache_info"].map(str::to_owned);
        assert!(asking(&news).eq(["time.time", "__file__", "a:cache_info", "t:cache_info"]));
    }

    #[test]
    fn what_repairs_need_is_not_told() {
        for news in [
            "d:os.path.join",
            "d:inspect.signature",
            "d:gc",
            "a:modules",
            "a:compile",
            "s:shop.rate",
            "t:a test of pytest",
            "t:cart",
            "d:unit",
            "d:self.sys.modules",
        ] {
            assert_eq!(news_of(&[news]).doubts, Vec::<String>::new(), "{news}");
        }
        assert!(news_of(&["d:os.environ"]).senses && !news_of(&["d:len"]).senses);
    }
}
