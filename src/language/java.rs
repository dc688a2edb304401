//! Java, 8 to 21.

use super::Language;
use camino::Utf8Path;

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
    fn is_source(&self, path: &Utf8Path) -> bool {
        path.extension() == Some("java")
    }
}
