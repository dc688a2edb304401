//! Java, 8 to 21.

use super::{Language, Syntax};

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
};

/// The Java language.
#[derive(Debug)]
pub struct Java;

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
}
