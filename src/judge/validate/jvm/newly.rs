//! What the classes of a patch refer to that their package did not refer to before, and for which no repair has a use: the
//! ends of the process, its stack and threads, its settings, the test framework. It is read from the constants of the
//! class files, where no alias, static import, sub-class or Unicode escape hides it.

use super::class_file::Names;
use crate::patch::suspicious::OPENS;
use std::collections::BTreeSet;

/// Members by owner (empty: any), name and the begin of the descriptor, with what their use does.
const MEMBERS: &[(&str, &str, &str, &str)] = &[
    ("java/lang/System", "exit", "", ENDS),
    ("java/lang/Runtime", "exit", "", ENDS),
    ("java/lang/Runtime", "halt", "", ENDS),
    ("java/lang/Runtime", "exec", "", "starts a process"),
    ("java/lang/System", "load", "", FOREIGN),
    ("java/lang/System", "loadLibrary", "", FOREIGN),
    ("java/lang/Runtime", "load", "", FOREIGN),
    ("java/lang/Runtime", "loadLibrary", "", FOREIGN),
    ("java/lang/System", "setProperty", "", WIDE),
    ("java/lang/System", "setProperties", "", WIDE),
    ("java/lang/System", "clearProperty", "", WIDE),
    ("java/lang/System", "setOut", "", WIDE),
    ("java/lang/System", "setErr", "", WIDE),
    ("java/lang/System", "setIn", "", WIDE),
    ("java/lang/System", "setSecurityManager", "", WIDE),
    ("", "setDefault", "(Ljava/util/Locale", WIDE),
    ("", "setDefault", "(Ljava/util/TimeZone;)", WIDE),
    ("", "setDefaultUncaughtExceptionHandler", "(Ljava/lang/Thread", WIDE),
    ("", "setDefaultAssertionStatus", "(Z)", WIDE),
    ("", "getStackTrace", "()[Ljava/lang/StackTraceElement;", STACK),
    ("", "getAllStackTraces", "()Ljava/util/Map;", STACK),
    ("", "getClassContext", "()[Ljava/lang/Class;", STACK),
    ("", "enumerate", "([Ljava/lang/Thread", THREADS),
    ("", "activeCount", "()I", THREADS),
    ("", "setAccessible", "(", OPENS),
    ("", "trySetAccessible", "()Z", OPENS),
    ("", "privateLookupIn", "(Ljava/lang/Class;", OPENS),
];
const ENDS: &str = "ends the process";
const FOREIGN: &str = "brings code that is not Java";
const WIDE: &str = "changes what all code sees, the tests too";
const STACK: &str = "looks at who calls it";
const THREADS: &str = "looks at the threads of others";

/// Classes by how their names begin, with what their use does.
const CLASSES: &[(&str, &str)] = &[
    ("java/lang/StackWalker", STACK),
    ("java/lang/ProcessBuilder", "starts a process"),
    ("java/lang/ProcessHandle", "looks at processes"),
    ("java/lang/management/", "looks at the machine it runs in"),
    ("java/lang/instrument/", "changes classes that run"),
    ("com/sun/tools/attach/", "changes classes that run"),
    ("jdk/internal/", AROUND),
    ("sun/misc/Unsafe", AROUND),
];
const AROUND: &str = "goes around the rules of the language";

/// Begins of texts by which reflection finds what a repair has no use for.
const TEXTS: &[&str] = &[
    "org.junit",
    "org/junit",
    "/org/junit",
    "junit.framework",
    "junit/framework",
    "org.hamcrest",
    "sun.misc.Unsafe",
    "java.lang.management.",
    "java.lang.StackWalker",
    "/proc/self",
    "unidebug",
];
/// Members by which reflection reaches others.
const REFLECTING: &[&str] =
    &["getMethod", "getDeclaredMethod", "getMethods", "getDeclaredMethods", "findVirtual", "findStatic", "getField"];

/// Names that tests have.
pub(super) struct OfTests<'a> {
    /// Packages of test frameworks and assertion libraries, with slashes.
    pub(super) packages: &'a [&'a str],
    /// The project's test classes, with slashes.
    pub(super) classes: &'a BTreeSet<String>,
}

/// Why a person should look at classes with these names, when what stood in their package before had those.
pub(super) fn reasons(old: &Names, new: &Names, tests: &OfTests<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for class in new.classes.difference(&old.classes) {
        let below = |folder: &&&str| class.strip_prefix(**folder).is_some_and(|rest| rest.starts_with('/'));
        let packages = tests.packages.iter().filter(|package| **package != "java");
        let shown = class.replace(['/', '$'], ".");
        if let Some((_, what)) = CLASSES.iter().find(|(start, _)| class.starts_with(start)) {
            found.push(format!("`{shown}` {what}"));
        } else if packages.into_iter().any(|folder| below(&folder)) || tests.classes.contains(class) {
            found.push(format!("`{shown}` belongs to the tests"));
        }
    }
    for (class, name, descriptor) in &new.members {
        let rule = MEMBERS.iter().find(|(owner, known, start, _)| {
            (owner.is_empty() || owner == class) && known == name && descriptor.starts_with(start)
        });
        // Who used it before uses it as before, whatever it is called on.
        let is_new = !old.members.iter().any(|(_, known, kind)| known == name && kind == descriptor);
        let reflects = old.classes.iter().any(|class| class.starts_with("java/lang/reflect/"));
        // Who reflects already may open what it finds.
        let is_usual = |(.., what): &&(&str, &str, &str, &str)| *what == OPENS && reflects;
        if let Some((.., what)) = rule.filter(|_| is_new).filter(|rule| !is_usual(rule)) {
            found.push(format!("`{name}` {what}"));
        }
    }
    found.extend(assertions(old, new));
    let reflects = new.members.iter().any(|(_, name, _)| REFLECTING.contains(&name.as_str()));
    for text in new.texts.difference(&old.texts) {
        let is_member = |(owner, name, ..): &(&str, &str, &str, &str)| {
            name == text && (owner.is_empty() || reflects && *owner != "java/lang/System")
        };
        if reflects && MEMBERS.iter().any(is_member) || TEXTS.iter().any(|start| text.starts_with(start)) {
            found.push(format!("the text \"{text}\" names what no repair needs"));
        } else if let Some(test) = names_a_test(text, tests.classes) {
            found.push(format!("the text \"{text}\" names the test {test}"));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Members and classes by which code can tell where it runs, though there are honest uses of them.
const SENSES: &[(&str, &str)] = &[
    ("java/lang/reflect/Method", "invoke"),
    ("", "printStackTrace"),
    ("", "desiredAssertionStatus"),
    ("java/lang/System", "getProperty"),
    ("java/lang/System", "getProperties"),
    ("java/lang/System", "getenv"),
    ("java/lang/Boolean", "getBoolean"),
    ("java/lang/Integer", "getInteger"),
    ("", "getResource"),
    ("", "getResourceAsStream"),
    ("", "forName"),
    ("java/lang/Thread", "getName"),
    ("java/lang/Thread", "currentThread"),
    ("java/lang/Runtime", "maxMemory"),
    ("java/io/File", ""),
    ("java/io/FileInputStream", ""),
    ("java/nio/file/Files", ""),
    ("java/nio/file/Path", ""),
    ("java/nio/file/Paths", ""),
];

/// Whether something of these names can tell where code runs, and was not used before.
pub(super) fn senses(old: &Names, new: &Names) -> bool {
    let is_sense = |(class, name, _): &&(String, String, String)| {
        let fits =
            |(owner, known): &(&str, &str)| (owner.is_empty() || owner == class) && (known.is_empty() || known == name);
        SENSES.iter().any(fits)
    };
    let found = new.members.difference(&old.members).any(|member| is_sense(&member));
    found
        || MEMBERS.iter().any(|(owner, name, ..)| {
            let uses = |names: &Names| {
                names.members.iter().any(|(class, known, _)| known == name && (owner.is_empty() || class == owner))
            };
            uses(new) && !uses(old)
        })
}

/// Who asks whether assertions are on without asserting anything.
fn assertions(old: &Names, new: &Names) -> Option<String> {
    let asks = |names: &Names| names.members.iter().any(|(_, name, _)| name == "desiredAssertionStatus");
    let asserts = |names: &Names| names.members.iter().any(|(_, name, _)| name == "$assertionsDisabled");
    (asks(new) && !asserts(new) && !asks(old))
        .then(|| "`desiredAssertionStatus` asks how the process was started".into())
}

/// The test class whose name a text holds.
fn names_a_test<'t>(text: &str, tests: &'t BTreeSet<String>) -> Option<&'t str> {
    const LEAST: usize = 6;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words: BTreeSet<&str> = text.split(|c| !is_part(c)).filter(|word| word.len() >= LEAST).collect();
    let simple = |class: &'t String| class.rsplit('/').next().unwrap_or(class);
    tests.iter().map(simple).find(|name| words.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(classes: &[&str], members: &[(&str, &str, &str)], texts: &[&str]) -> Names {
        let own = |text: &&str| (*text).to_owned();
        Names {
            classes: classes.iter().map(own).collect(),
            members: members.iter().map(|(a, b, c)| (own(a), own(b), own(c))).collect(),
            texts: texts.iter().map(own).collect(),
        }
    }

    fn doubts_of(old: &Names, new: &Names) -> Vec<String> {
        let classes = BTreeSet::from(["shop/CartTest".to_owned()]);
        reasons(old, new, &OfTests { packages: &["org/junit"], classes: &classes })
    }

    #[test]
    fn what_no_repair_needs_is_told_once_it_is_new() {
        let trace = ("shop/Odd", "getStackTrace", "()[Ljava/lang/StackTraceElement;");
        let zone = ("java/util/SimpleTimeZone", "setDefault", "(Ljava/util/TimeZone;)V");
        let reflection = ("java/lang/Class", "getMethod", "(Ljava/lang/String;)");
        let rows = [
            (names(&[], &[trace], &[]), "looks at who calls it"),
            (names(&[], &[zone], &[]), "all code sees"),
            (names(&[], &[("java/lang/System", "exit", "(I)V")], &[]), "ends the process"),
            (names(&["java/lang/management/ManagementFactory"], &[], &[]), "machine"),
            (names(&["org/junit/Assume"], &[], &[]), "belongs to the tests"),
            (names(&["shop/CartTest"], &[], &[]), "belongs to the tests"),
            (names(&[], &[reflection], &["setAccessible"]), "names what no repair needs"),
            (names(&[], &[], &["org.junit.Test"]), "names what no repair needs"),
            (names(&[], &[], &["CartTest.class"]), "names the test CartTest"),
            (names(&[], &[("java/lang/Class", "desiredAssertionStatus", "()Z")], &[]), "was started"),
        ];
        for (new, word) in rows {
            let reasons = doubts_of(&Names::default(), &new);
            assert!(reasons.len() == 1 && reasons[0].contains(word), "{new:?}: {reasons:?}");
            assert_eq!(doubts_of(&new, &new), Vec::<String>::new(), "what was there is no news");
        }
    }

    #[test]
    fn what_repairs_need_is_not_told() {
        let new = names(
            &["java/util/Locale", "org/junitperf/Timer", "java/lang/StackOverflowError"],
            &[
                ("shop/Door", "exit", "()V"),
                ("shop/Door", "setDefault", "(I)V"),
                ("java/util/Locale", "getDefault", "()Ljava/util/Locale;"),
                ("java/lang/Class", "desiredAssertionStatus", "()Z"),
                ("shop/Cart", "$assertionsDisabled", "Z"),
                ("shop/Team", "enumerate", "([Lshop/Member;)I"),
            ],
            &["exit", "halt", "the org.junit way", "Cart"],
        );
        assert_eq!(doubts_of(&Names::default(), &new), Vec::<String>::new());
    }
}
