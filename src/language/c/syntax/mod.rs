//! How C is written. A file is the type around its functions, structures, variables and macros, as a module of Python is.

mod body;
mod declaration;
mod include;

use camino::Utf8Path;
use std::sync::LazyLock;
use tree_sitter::Node;
use unidebug_base::domain::RepoPath;
use unidebug_base::language::{
    Body, Brackets, Language, Modifiers, Module, Owner, Parameter, Syntax, Wrapped, children, text_of,
};

/// Node kinds of tree-sitter-c.
static SYNTAX: Syntax = Syntax {
    comments: &["comment"],
    types: &["struct_specifier", "union_specifier", "enum_specifier", "type_definition"],
    methods: &["function_definition"],
    constructors: &[],
    fields: &["declaration", "field_declaration", "preproc_def", "preproc_function_def"],
    member_lists: &[
        "preproc_if",
        "preproc_ifdef",
        "preproc_elif",
        "preproc_elifdef",
        "preproc_else",
        "linkage_specification",
        "declaration_list",
    ],
    enum_constants: &["enumerator"],
    initializers: &[],
    imports: &["preproc_include"],
    packages: &[],
    loops: &["for_statement", "while_statement", "do_statement"],
    unsigned: &["attribute_specifier", "attribute_declaration", ";"],
    brackets: Brackets { opens: " {", closes: "}", ends: ";" },
};

/// Headers of test libraries: a file of that name hides them.
const OF_TESTS: &[&str] = &["assert.h", "check.h", "cmocka.h", "criterion.h", "gtest.h", "unity.h", "unity.c"];

/// Headers of the C library and of POSIX that tests lean on.
const OF_THE_PLATFORM: &[&str] = &[
    "ctype.h",
    "errno.h",
    "float.h",
    "inttypes.h",
    "limits.h",
    "math.h",
    "setjmp.h",
    "signal.h",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "strings.h",
    "time.h",
    "unistd.h",
];

/// Statements that do something when they are reached.
const EFFECTIVE: &[&str] = &[
    "expression_statement",
    "return_statement",
    "if_statement",
    "switch_statement",
    "case_statement",
    "break_statement",
    "continue_statement",
    "goto_statement",
];

/// What stands between quotes in a line: digraphs mean nothing there.
static QUOTED: LazyLock<Option<regex::Regex>> =
    LazyLock::new(|| regex::Regex::new(r#""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"#).ok());

/// The C language.
#[derive(Debug)]
pub struct C;

impl Language for C {
    fn name(&self) -> &'static str {
        "c"
    }
    fn title(&self) -> &'static str {
        "C"
    }
    fn grammar(&self) -> tree_sitter::Language {
        tree_sitter_c::LANGUAGE.into()
    }
    fn line_comment(&self) -> &'static str {
        "//"
    }
    fn block_comment(&self) -> Option<(&'static str, &'static str)> {
        Some(("/*", "*/"))
    }
    fn syntax(&self) -> &'static Syntax {
        &SYNTAX
    }
    fn extension(&self) -> &'static str {
        "c"
    }
    fn is_source(&self, path: &Utf8Path) -> bool {
        matches!(path.extension(), Some("c" | "h"))
    }
    fn has_overloads(&self) -> bool {
        false
    }
    fn includes_declarations(&self) -> bool {
        true
    }
    fn module(&self, path: &RepoPath) -> Option<Module> {
        let (folder, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
        let name = match name.strip_suffix(".h") {
            Some(stem) => format!("{stem}_h"),
            None => name.strip_suffix(".c")?.to_owned(),
        };
        Some(Module { package: folder.replace('/', "."), name })
    }
    fn is_test_name(&self, stem: &str) -> bool {
        let stem = stem.to_ascii_lowercase();
        let begins = ["test_", "test-", "check_"].iter().any(|start| stem.starts_with(start));
        begins
            || ["_test", "_tests", "-test", "_unittest"].iter().any(|end| stem.ends_with(end))
            || stem == "tests"
            || stem == "test"
    }
    fn foreign(&self, inside: &Utf8Path, _: &str) -> Option<String> {
        let name = inside.file_name()?;
        let known = OF_TESTS.contains(&name) || OF_THE_PLATFORM.contains(&name) || include::holds(inside);
        known.then(|| format!("the header `{name}`"))
    }
    fn read_otherwise(&self, line: &str) -> Option<&'static str> {
        declaration::read_otherwise(line, QUOTED.as_ref())
    }

    fn documentation<'tree>(&self, node: Node<'tree>, text: &str) -> Option<Node<'tree>> {
        let before = node.prev_sibling().filter(|before| SYNTAX.is_comment(*before))?;
        let above = before.end_position().row + 1 == node.start_position().row;
        (above && text_of(before, text).starts_with("/*")).then_some(before)
    }
    fn name_of<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        node.child_by_field_name("name").or_else(|| declaration::name(node))
    }
    fn parameters_of<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        declaration::function(node)?.child_by_field_name("parameters")
    }
    fn modifiers(&self, node: Node<'_>, text: &str) -> Modifiers {
        let of_file = |part: &Node<'_>| part.kind() == "storage_class_specifier" && text_of(*part, text) == "static";
        Modifiers { private: children(node).iter().any(of_file), ..Modifiers::default() }
    }
    fn parameters(&self, list: Node<'_>, text: &str) -> Vec<Parameter> {
        declaration::parameters(list, text)
    }
    fn supertypes(&self, _: Node<'_>, _: &str) -> Vec<String> {
        Vec::new()
    }
    fn declared(&self, field: Node<'_>, text: &str) -> Vec<(String, String)> {
        declaration::declared(field, text)
    }
    fn annotations_end(&self, _: Node<'_>, _: &str) -> Option<usize> {
        None
    }
    fn imports(&self, node: Node<'_>, text: &str, file: &RepoPath) -> Vec<String> {
        declaration::included(node, text, file, self).into_iter().collect()
    }
    fn is_import(&self, line: &str) -> bool {
        line.trim_start().strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with("include"))
    }
    fn is_type_name(&self, _: &str) -> bool {
        true
    }
    fn body(&self, node: Node<'_>, text: &str, _: Owner<'_>) -> Body {
        body::body(node, text)
    }
    fn executes(&self, node: Node<'_>) -> bool {
        let initialises = || {
            node.kind() == "declaration"
                && node.parent().is_some_and(|parent| parent.kind() != "for_statement")
                && children(node).iter().any(|part| part.kind() == "init_declarator")
        };
        EFFECTIVE.contains(&node.kind()) || SYNTAX.loops.contains(&node.kind()) || initialises()
    }
    fn assigned<'t>(&self, statement: Node<'_>, text: &'t str) -> Option<&'t str> {
        let inner = statement.named_child(0).filter(|_| statement.kind() == "expression_statement")?;
        let target = match inner.kind() {
            "assignment_expression" => inner.child_by_field_name("left")?,
            "update_expression" => inner.child_by_field_name("argument")?,
            _ => return None,
        };
        (target.kind() == "identifier").then(|| text_of(target, text))
    }
    fn wrapped(&self, members: &str) -> Wrapped {
        Wrapped { text: format!("{members}\n"), class: "" }
    }
}

#[cfg(test)]
mod tests;
