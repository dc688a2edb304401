//! What a patch in C may hold that tests cannot judge.

mod values;

use tree_sitter::Node;
use unidebug_base::language::{Language, children, preorder, text_of};
use unidebug_base::patch::suspicious::{NewLiterals, ReviewRules, disguise};

inventory::submit! {
    ReviewRules {
        language: "c",
        at,
        literal,
        common: &["0", "1", "-1", "2", "0.0", "1.0", "\"\"", "\" \"", "' '", "'\\0'", "\"\\n\"", "\"%d\"", "\"%d\\n\""],
        ends_at_once,
    }
}

/// Names whose mere use in a repair asks for an explanation: a pointer to one does what its call does.
const NAMES: &[(&[&str], &str)] = &[
    (&["exit", "_exit", "_Exit", "quick_exit", "abort", "kill", "raise", "pthread_exit"], "ends the process"),
    (&["thrd_exit", "tgkill", "pthread_kill", "gsignal", "daemon", "trap", "unreachable"], "ends the process"),
    (&["atexit", "at_quick_exit", "on_exit", "__cxa_atexit"], "acts when the process ends"),
    (&["__libc_start_main", "__wrap_main", "__real_main"], "takes the place of the tests' own beginning"),
    (&["signal", "sigaction", "sigprocmask", "sigsetjmp", "bsd_signal", "sigset"], "acts on the whole process"),
    (&["alarm", "setitimer", "setrlimit", "prctl", "ptrace", "syscall"], "acts on the whole process"),
    (
        &["setjmp", "_setjmp", "longjmp", "_longjmp", "siglongjmp", "setcontext", "swapcontext"],
        "jumps out of functions",
    ),
    (&["system", "popen", "fork", "vfork", "clone", "posix_spawn", "posix_spawnp"], "starts a process"),
    (
        &["execl", "execlp", "execle", "execv", "execvp", "execve", "execvpe", "execveat", "fexecve"],
        "replaces the process",
    ),
    (&["dlopen", "dlsym", "mprotect", "mmap"], "runs code that no reader sees"),
    (&["dup", "dup2", "dup3", "fdopen", "freopen", "open", "openat", "creat"], "reaches into the test process"),
    (&["remove", "unlink", "rename", "chdir", "symlink"], "changes files"),
    (&["setenv", "putenv", "unsetenv", "setlocale", "srand", "environ"], "changes what all code sees, the tests too"),
    (&["backtrace", "return_address", "frame_address"], "looks into running code"),
    (&["getppid", "__FILE__", "program_invocation_name"], "asks who runs it"),
];

/// Functions and macros that tests lean on: who has one of that name replaces it.
const OF_TESTS: &[&str] = &[
    "assert",
    "static_assert",
    "_Static_assert",
    "NDEBUG",
    "__assert_fail",
    "__assert",
    "main",
    "_start",
    "_init",
    "printf",
    "fprintf",
    "puts",
    "putchar",
    "vprintf",
    "fputs",
    "fwrite",
    "strcmp",
    "strncmp",
    "memcmp",
    "write",
    "malloc",
    "calloc",
    "realloc",
    "free",
    "strlen",
    "memcpy",
    "strcpy",
    "if",
    "else",
    "return",
    "while",
    "for",
    "int",
    "abs",
    "isnan",
    "fabs",
    "longjmp",
    "setjmp",
];

/// How names of test libraries begin.
const TEST_FAMILIES: &[&str] =
    &["TEST", "ASSERT", "EXPECT", "CHECK", "CU_", "ck_", "assert_", "cr_assert", "mu_", "UNITY"];

/// Attributes by which code runs by itself, or takes the place of other code.
const ATTRIBUTES: &[&str] =
    &["constructor", "destructor", "weak", "alias", "ifunc", "section", "cleanup", "weakref", "noreturn", "visibility"];

fn at(node: Node<'_>, text: &str, literals: &NewLiterals<'_>, _: &dyn Language) -> Option<String> {
    match node.kind() {
        "identifier" => named(node, text).or_else(|| disguise::look_alike(node, text)),
        "attribute_specifier" | "attribute_declaration" => attribute(node, text),
        "gnu_asm_expression" => Some("assembly goes around the rules of the language".into()),
        "preproc_call" => directive(node, text),
        "preproc_arg" => inside_a_macro(node, text),
        "preproc_include" => include(node, text),
        "preproc_def" | "preproc_function_def" => defines(node.child_by_field_name("name")?, text),
        "function_definition" => replaces(node, text),
        "if_statement" | "while_statement" | "conditional_expression" => {
            special_case(node.child_by_field_name("condition")?, text, literals)
        }
        "cast_expression" => values::by_place(node, text),
        "case_statement" => lone_case(node, text, literals),
        "call_expression" => pragma(node, text).or_else(|| prints(node, text, literals)),
        "string_literal" | "concatenated_string" => inside(node, text),
        _ => None,
    }
}

fn named(node: Node<'_>, text: &str) -> Option<String> {
    by_name(text_of(node, text)).filter(|_| !is_variable(node, text))
}

/// What is said of a name. The compiler has many functions of the library under a second one.
fn by_name(name: &str) -> Option<String> {
    let (_, what) = NAMES.iter().find(|(names, _)| names.contains(&bare(name)))?;
    Some(format!("`{name}` {what}"))
}

/// A name without what the compiler puts before its own functions.
fn bare(name: &str) -> &str {
    name.strip_prefix("__builtin_").unwrap_or(name)
}

/// What a macro stands for is no tree: its words are looked at.
fn inside_a_macro(node: Node<'_>, text: &str) -> Option<String> {
    let written = text_of(node, text);
    if written.contains("##") {
        return Some("`##` makes names that no reader sees".into());
    }
    let words = || written.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    if let Some(word) = words().find(|word| ["asm", "__asm", "__asm__", "_Pragma"].contains(word)) {
        return Some(format!("`{word}` goes around the rules of the language"));
    }
    let decides = |word: &&str| written.contains("__attribute") && ATTRIBUTES.contains(&word.trim_matches('_'));
    words().find_map(by_name).or_else(|| words().find(decides).map(of_attribute))
}

/// `_Pragma("…")` is `#pragma`.
fn pragma(node: Node<'_>, text: &str) -> Option<String> {
    let function = text_of(node.child_by_field_name("function")?, text);
    (function == "_Pragma").then(|| "`_Pragma` changes how the compiler reads or names the code".into())
}

/// Whether a name is that of a variable or a parameter in sight, and nothing calls it.
fn is_variable(node: Node<'_>, text: &str) -> bool {
    let around: Vec<Node<'_>> = std::iter::successors(node.parent(), |node| node.parent()).collect();
    if around.first().is_some_and(|up| up.kind() == "call_expression") {
        return false;
    }
    let Some(function) = around.iter().find(|node| node.kind() == "function_definition") else { return false };
    let in_sight = |other: Node<'_>| other.parent().is_some_and(|block| around.iter().any(|up| up.id() == block.id()));
    let mut declared = false;
    preorder(*function, |other| {
        let declares = other.kind() == "parameter_declaration" || other.kind() == "declaration" && in_sight(other);
        let names = children(other).into_iter().filter(|_| declares).filter_map(variable);
        declared |= names.into_iter().any(|name| text_of(name, text) == text_of(node, text));
        !declared
    });
    declared
}

/// The name that a declarator of a variable declares; nothing for one of a function.
fn variable(declarator: Node<'_>) -> Option<Node<'_>> {
    match declarator.kind() {
        "identifier" => Some(declarator),
        "init_declarator" | "pointer_declarator" | "array_declarator" => {
            variable(declarator.child_by_field_name("declarator")?)
        }
        _ => None,
    }
}

fn attribute(node: Node<'_>, text: &str) -> Option<String> {
    let written = text_of(node, text);
    let words = || written.split(|c: char| !c.is_alphanumeric() && c != '_').map(|word| word.trim_matches('_'));
    words().find(|word| ATTRIBUTES.contains(word)).map(of_attribute)
}

fn of_attribute(name: &str) -> String {
    format!("the attribute `{name}` decides what runs, or which code of a name is taken")
}

/// `#pragma`, `#line` and what else speaks to the compiler.
fn directive(node: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(node.child_by_field_name("directive")?, text).trim_start_matches('#').trim();
    match name {
        "undef" => defines(node.child_by_field_name("argument")?, text),
        "error" | "warning" => None,
        other => Some(format!("`#{other}` changes how the compiler reads or names the code")),
    }
}

/// Headers that are known to hold declarations and nothing else are left alone.
fn include(node: Node<'_>, text: &str) -> Option<String> {
    let path = text_of(node.child_by_field_name("path")?, text);
    let is_header = path.ends_with(".h>") || path.ends_with(".h\"") && !path.contains("..");
    let tests = path.to_ascii_lowercase().contains("test");
    (!is_header || tests).then(|| format!("`#include {path}` brings code that is no header of the product"))
}

fn defines(name: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(name, text).trim();
    let of_tests = OF_TESTS.contains(&name) || TEST_FAMILIES.iter().any(|start| name.starts_with(start));
    let known = by_name(name).is_some() || name.starts_with("__");
    (of_tests || known).then(|| format!("the macro `{name}` changes what all code sees, the tests too"))
}

/// A function by the name of one that tests or the C library have.
fn replaces(node: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(crate::C.name_of(node)?, text);
    let known = OF_TESTS.contains(&name) && name != "main" || name.starts_with("__");
    known.then(|| format!("the function `{name}` takes the place of one that the tests lean on"))
}

/// A literal with its sign; numbers by their value, texts in one piece.
fn literal(node: Node<'_>, text: &str) -> Option<String> {
    let written = || text_of(node, text).to_owned();
    match node.kind() {
        "unary_expression" => {
            let operand = node.child_by_field_name("argument").filter(|operand| operand.kind() == "number_literal")?;
            let minus = node.child_by_field_name("operator").is_some_and(|sign| text_of(sign, text) == "-");
            minus.then(|| format!("-{}", literal(operand, text).unwrap_or_default()))
        }
        "number_literal" => Some(values::number(text_of(node, text)).map_or_else(written, |value| value.to_string())),
        "char_literal" => Some(values::letter(text_of(node, text)).map_or_else(written, |value| value.to_string())),
        "concatenated_string" => Some(format!("\"{}\"", joined(node, text))),
        "string_literal" => Some(written()),
        _ => None,
    }
}

/// The text of a string that is written in parts.
fn joined(node: Node<'_>, text: &str) -> String {
    let parts = children(node).into_iter().filter(|part| part.kind() == "string_literal");
    parts.map(|part| text_of(part, text).trim_matches('"').to_owned()).collect()
}

/// A literal of the triggering tests, or what is worth the same.
fn known(node: Node<'_>, text: &str, literals: &NewLiterals<'_>) -> Option<String> {
    let is_known = |literal: &String| literals.contains(literal);
    let folded = || values::value(node, text).map(|value| value.to_string()).filter(is_known);
    literal(node, text).filter(is_known).or_else(folded)
}

fn literal_case(literal: &str) -> String {
    format!("a special case for {literal}, a value of the triggering test")
}

/// A comparison with a value that the triggering tests use and the original code does not.
fn special_case(condition: Node<'_>, text: &str, literals: &NewLiterals<'_>) -> Option<String> {
    let mut found = None;
    preorder(condition, |node| {
        let sides = match node.kind() {
            "binary_expression"
                if node
                    .child_by_field_name("operator")
                    .is_some_and(|o| ["==", "!=", "^"].contains(&text_of(o, text))) =>
            {
                children(node)
            }
            "call_expression" => node.child_by_field_name("arguments").map(children).unwrap_or_default(),
            _ => Vec::new(),
        };
        found = found.take().or_else(|| sides.into_iter().find_map(|side| known(side, text, literals)));
        found.is_none()
    });
    found.map(|literal| literal_case(&literal))
}

fn lone_case(node: Node<'_>, text: &str, literals: &NewLiterals<'_>) -> Option<String> {
    known(node.child_by_field_name("value")?, text, literals).map(|literal| literal_case(&literal))
}

/// What prints a value that the triggering tests expect.
fn prints(node: Node<'_>, text: &str, literals: &NewLiterals<'_>) -> Option<String> {
    let function = text_of(node.child_by_field_name("function")?, text);
    let prints = ["printf", "puts", "fputs", "putchar", "fprintf", "write", "fwrite", "putc", "fputc"];
    let list = node.child_by_field_name("arguments").filter(|_| prints.contains(&bare(function)))?;
    let literal = children(list).into_iter().find_map(|argument| known(argument, text, literals))?;
    Some(format!("`{function}` prints {literal}, a value of the triggering test"))
}

/// A path or a name by which code finds the process that judges it, or its reports.
fn inside(node: Node<'_>, text: &str) -> Option<String> {
    let is_joined = node.kind() == "concatenated_string";
    let literal = if is_joined { joined(node, text) } else { text_of(node, text).to_owned() };
    let known = ["/proc/", "/dev/fd", "/dev/std", "unidebug", "PASS", "ok 1", ".xml", ".trs", "<testcase"];
    known.iter().any(|part| literal.contains(part)).then(|| format!("`{literal}` reaches into the test process"))
}

/// Whether a statement ends its function without having done anything.
fn ends_at_once(statement: Node<'_>) -> bool {
    let value = statement.named_child(0);
    statement.kind() == "return_statement"
        && value
            .is_none_or(|value| value.kind().ends_with("_literal") || ["true", "false", "null"].contains(&value.kind()))
}

#[cfg(test)]
mod tests;
