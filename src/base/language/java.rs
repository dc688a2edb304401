//! Java, 8 to 21.

mod body;
mod declaration;
mod statement;

use super::{Body, Brackets, Language, Modifiers, Owner, Parameter, Syntax, Wrapped, children, parse, text_of};
use crate::domain::RepoPath;
use camino::Utf8Path;
use tree_sitter::Node;

/// Packages of the platform and of test libraries: classes in them could replace the judge's.
const FOREIGN_PACKAGES: [&str; 7] = ["java", "javax", "jdk", "sun", "junit", "org.junit", "org.hamcrest"];

/// Node kinds of tree-sitter-java.
static SYNTAX: Syntax = Syntax {
    comments: &["line_comment", "block_comment"],
    types: &[
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    ],
    methods: &["method_declaration", "annotation_type_element_declaration"],
    constructors: &["constructor_declaration", "compact_constructor_declaration"],
    fields: &["field_declaration", "constant_declaration"],
    member_lists: &["class_body", "interface_body", "enum_body", "annotation_type_body", "enum_body_declarations"],
    enum_constants: &["enum_constant"],
    initializers: &["static_initializer", "block"],
    imports: &["import_declaration"],
    packages: &["package_declaration"],
    loops: &["for_statement", "enhanced_for_statement", "while_statement", "do_statement"],
    unsigned: &["modifiers", "annotation", "marker_annotation", ";"],
    brackets: Brackets { opens: " {", closes: "}", ends: ";" },
};

/// The Java language.
#[derive(Debug)]
pub struct Java;

impl Java {
    /// One formal parameter: its type without annotations and modifiers, with dots (`String...`) for the last one where
    /// that takes any number of arguments.
    pub fn parameter(&self, node: Node<'_>, text: &str) -> Option<Parameter> {
        declaration::parameter(node, text)
    }
}

impl Language for Java {
    fn name(&self) -> &'static str {
        "java"
    }
    fn title(&self) -> &'static str {
        "Java"
    }
    fn grammar(&self) -> tree_sitter::Language {
        tree_sitter_java::LANGUAGE.into()
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
        "java"
    }
    fn is_test_name(&self, stem: &str) -> bool {
        stem.starts_with("Test") || ["Test", "Tests", "TestCase", "IT"].iter().any(|end| stem.ends_with(end))
    }
    fn foreign(&self, _: &Utf8Path, text: &str) -> Option<String> {
        let package = package_of(text, self);
        let below = |folder: &&&str| {
            package.strip_prefix(**folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        FOREIGN_PACKAGES.iter().find(below).map(|_| format!("in the package `{package}`"))
    }

    fn documentation<'tree>(&self, node: Node<'tree>, text: &str) -> Option<Node<'tree>> {
        declaration::documentation(node, text)
    }
    fn modifiers(&self, node: Node<'_>, text: &str) -> Modifiers {
        declaration::modifiers(node, text)
    }
    fn parameters(&self, list: Node<'_>, text: &str) -> Vec<Parameter> {
        children(list).into_iter().filter_map(|node| self.parameter(node, text)).collect()
    }
    fn supertypes(&self, node: Node<'_>, text: &str) -> Vec<String> {
        declaration::supertypes(node, text)
    }
    fn declared(&self, field: Node<'_>, text: &str) -> Vec<(String, String)> {
        declaration::declared(field, text)
    }
    fn annotations_end(&self, node: Node<'_>, text: &str) -> Option<usize> {
        declaration::annotations_end(node, text)
    }
    fn package(&self, node: Node<'_>, text: &str) -> String {
        declaration::named_behind("package", node, text)
    }
    fn imports(&self, node: Node<'_>, text: &str, _: &RepoPath) -> Vec<String> {
        vec![declaration::named_behind("import", node, text)]
    }
    fn is_import(&self, line: &str) -> bool {
        line.starts_with("import ") && line.split("//").next().is_some_and(|code| code.trim_end().ends_with(';'))
    }
    fn is_type_name(&self, name: &str) -> bool {
        name.starts_with(char::is_uppercase)
    }
    fn body(&self, node: Node<'_>, text: &str, owner: Owner<'_>) -> Body {
        body::body(node, text, owner)
    }
    fn executes(&self, node: Node<'_>) -> bool {
        statement::executes(node)
    }
    fn assigned<'t>(&self, statement: Node<'_>, text: &'t str) -> Option<&'t str> {
        statement::assigned(statement, text)
    }
    fn wrapped(&self, members: &str) -> Wrapped {
        Wrapped { text: format!("class Wrapper {{\n{members}\n}}\n"), class: "Wrapper" }
    }
}

fn package_of(text: &str, language: &dyn Language) -> String {
    let Some(tree) = parse(text, language) else { return String::new() };
    let found = children(tree.root_node()).into_iter().find(|node| SYNTAX.packages.contains(&node.kind()));
    let name = found.and_then(|node| children(node).into_iter().find(|c| c.kind().ends_with("identifier")));
    name.map(|name| text_of(name, text).split_whitespace().collect()).unwrap_or_default()
}
