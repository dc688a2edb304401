//! Code that ends, leaves or changes the process it runs in.

use crate::language::{on_one_line, text_of};
use tree_sitter::Node;

/// Types whose mere use in a repair asks for an explanation.
const TYPES: [(&str, &str); 4] = [
    ("ProcessBuilder", "starts a process"),
    ("Unsafe", "goes around the rules of the language"),
    ("AssumptionViolatedException", "makes a test count as skipped"),
    ("TestAbortedException", "makes a test count as skipped"),
];

/// Setters of what belongs to the whole process: a test may pass because of the setting alone.
const PROCESS_WIDE: [(&str, &[&str]); 3] = [
    ("System", &["setProperty", "setProperties", "clearProperty", "setOut", "setErr", "setIn", "setSecurityManager"]),
    ("Locale", &["setDefault"]),
    ("TimeZone", &["setDefault"]),
];

/// Calls that end the process, start another one or open what is closed.
pub(super) fn invocation(node: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(node.child_by_field_name("name")?, text);
    let receiver = node.child_by_field_name("object").map_or("", |object| text_of(object, text));
    let of = |kind: &str| {
        receiver == kind || receiver.ends_with(&format!(".{kind}")) || receiver.starts_with(&format!("{kind}."))
    };
    match name {
        "exit" | "halt" if of("System") || receiver.contains("Runtime") => Some(format!("`{name}` ends the process")),
        "exec" if receiver.contains("Runtime") => Some("`exec` starts a process".to_owned()),
        "load" | "loadLibrary" if of("System") || receiver.contains("Runtime") => {
            Some(format!("`{name}` brings code that is not Java"))
        }
        "setAccessible" | "trySetAccessible" | "privateLookupIn" => Some(format!("`{name}` opens what is closed")),
        _ => PROCESS_WIDE
            .iter()
            .find(|(kind, names)| of(kind) && names.contains(&name))
            .map(|(kind, _)| format!("`{kind}.{name}` changes what all code sees, the tests too")),
    }
}

pub(super) fn named(node: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(node, text);
    let (_, what) = TYPES.iter().find(|(kind, _)| *kind == name)?;
    Some(format!("`{name}` {what}"))
}

pub(super) fn imported(node: Node<'_>, text: &str) -> Option<String> {
    let import = on_one_line(text_of(node, text));
    let hides =
        ["java.lang.System.exit", "java.lang.System.*", "java.lang.Runtime."].iter().any(|name| import.contains(name));
    (hides && import.contains(" static ")).then(|| format!("`{import}` hides what ends the process"))
}

/// A path or a name by which code finds the process that judges it.
pub(super) fn inside(node: Node<'_>, text: &str) -> Option<String> {
    let literal = text_of(node, text).trim_matches('"');
    let known = ["/proc/", "unidebug.runner", "unidebug/runner"];
    known.iter().any(|start| literal.starts_with(start)).then(|| format!("`{literal}` reaches into the test process"))
}
