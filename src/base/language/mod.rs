//! What differs by programming language: grammar, comment syntax, which files are source.
//!
//! A language is one folder here, which [registers](Registered) it. Other rooms keep a table of what else they must know of
//! each language (how its projects are built, its families of repairs, …); a language's folder adds its rows to those tables
//! itself, so no other file names it. C is a crate of its own that does so; the rows of Java and Python stand in the rooms.

mod decode;
mod java;
mod naming;
mod python;
mod reading;
mod readings;
mod syntax;
pub mod trace;

pub use crate::domain::words::on_one_line;
pub use decode::{Encoding, decode, encode};
pub use java::Java;
pub use naming::{Unresolved, is_test, resolve};
pub use python::Python;
pub use reading::{Body, Brackets, Call, Introduced, Modifiers, Module, Owner, Parameter, Takes, Wrapped, arity};
pub use readings::read_in_two_ways;
pub(crate) use syntax::simple_type;
pub use syntax::{Syntax, between_commas, children, first_line, last_line, parse, preorder, text_of};

use crate::domain::{MarkKind, RepoPath};
use camino::Utf8Path;
use tree_sitter::Node;

/// A programming language, as far as the other rooms must know it.
pub trait Language: Send + Sync + std::fmt::Debug {
    /// The name in lower case: `java`.
    fn name(&self) -> &'static str;
    /// The name for texts: `Java`.
    fn title(&self) -> &'static str;
    /// The grammar that tree-sitter parses it by.
    fn grammar(&self) -> tree_sitter::Language;
    /// What starts a comment that runs to the end of the line.
    fn line_comment(&self) -> &'static str;
    /// What starts and ends a comment in the middle of a line, where the language has such.
    fn block_comment(&self) -> Option<(&'static str, &'static str)>;
    /// The tag of fenced code blocks.
    fn fence(&self) -> &'static str {
        self.name()
    }
    /// What kinds of nodes of the grammar mean.
    fn syntax(&self) -> &'static Syntax;
    /// The extension of source files, without the point.
    fn extension(&self) -> &'static str;
    /// Whether a file of this name is source of the language.
    fn is_source(&self, path: &Utf8Path) -> bool {
        path.extension() == Some(self.extension())
    }

    /// Locator's mark in the language's comment syntax: `// buggy line`.
    fn mark(&self, kind: MarkKind) -> String {
        let word = match kind {
            MarkKind::Buggy => "buggy line",
            MarkKind::Missing => "missing line",
        };
        format!("{} {word}", self.line_comment())
    }

    /// Whether line ends and indentation are part of the code, where other languages have semicolons and braces.
    fn is_indented(&self) -> bool {
        false
    }
    /// Whether two methods of a type may have the same name.
    fn has_overloads(&self) -> bool {
        true
    }
    /// The charset that a text says it is spelled in, where texts can say so.
    fn charset<'t>(&self, _text: &'t str) -> Option<&'t str> {
        None
    }
    /// What the compiler reads otherwise than people do in a line, in words that go on after "it would".
    fn read_otherwise(&self, _line: &str) -> Option<&'static str> {
        None
    }
    /// The module that a file is, where every file is one.
    fn module(&self, _: &RepoPath) -> Option<Module> {
        None
    }
    /// The name by which other code calls what is in a file: that of its main type or module.
    fn main_name(&self, path: &RepoPath) -> String {
        self.module(path).map_or_else(|| path.stem().to_owned(), |module| module.name)
    }
    /// Whether a file whose name begins like this, before the first point, is a test by its name.
    fn is_test_name(&self, stem: &str) -> bool;
    /// Where a file with that text stands, when nobody but the platform and test libraries may have files there, in
    /// words that go on after "it would be". `inside` is its path in its source root.
    fn foreign(&self, inside: &Utf8Path, text: &str) -> Option<String>;

    /// Whether a file includes declarations of another as text, as C includes headers.
    fn includes_declarations(&self) -> bool {
        false
    }
    /// Whether the node says nothing to the machine.
    fn is_comment(&self, node: Node<'_>, _text: &str) -> bool {
        self.syntax().is_comment(node)
    }
    /// A declaration with the decorators around it.
    fn whole<'tree>(&self, node: Node<'tree>) -> Node<'tree> {
        node
    }
    /// The comment right before a declaration that documents it.
    fn documentation<'tree>(&self, _: Node<'tree>, _text: &str) -> Option<Node<'tree>> {
        None
    }
    /// The text inside a declaration, or at the top of a file, that documents it.
    fn docstring<'tree>(&self, _: Node<'tree>) -> Option<Node<'tree>> {
        None
    }
    /// The name of a declaration.
    fn name_of<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        node.child_by_field_name("name")
    }
    /// The list of a declaration's parameters.
    fn parameters_of<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        node.child_by_field_name("parameters")
    }
    /// What stands around a declaration's name.
    fn modifiers(&self, node: Node<'_>, text: &str) -> Modifiers;
    /// The parameters of a list of them.
    fn parameters(&self, list: Node<'_>, text: &str) -> Vec<Parameter>;
    /// Simple names of the types that a type declaration names as above it.
    fn supertypes(&self, node: Node<'_>, text: &str) -> Vec<String>;
    /// Names and types of the fields that a member of a type declares.
    fn declared(&self, field: Node<'_>, text: &str) -> Vec<(String, String)>;
    /// Where what follows the leading annotations of a declaration begins; `None` when it has none.
    fn annotations_end(&self, node: Node<'_>, text: &str) -> Option<usize>;
    /// The package that a package declaration names.
    fn package(&self, _: Node<'_>, _text: &str) -> String {
        String::new()
    }
    /// The full names that an import declaration of a file brings; a package as a whole as `a.b.*`.
    fn imports(&self, node: Node<'_>, text: &str, file: &RepoPath) -> Vec<String>;
    /// Whether a line of code is an import.
    fn is_import(&self, line: &str) -> bool;
    /// Whether a name can be that of something a file imports to depend on it.
    fn is_type_name(&self, name: &str) -> bool;
    /// What a body or an initialiser holds.
    fn body(&self, node: Node<'_>, text: &str, owner: Owner<'_>) -> Body;
    /// Whether the node is a statement that can be wrong.
    fn executes(&self, node: Node<'_>) -> bool;
    /// The variable that a statement assigns.
    fn assigned<'t>(&self, statement: Node<'_>, text: &'t str) -> Option<&'t str>;
    /// Members of a type as a whole text that can be parsed.
    fn wrapped(&self, members: &str) -> Wrapped;
}

/// A language that the program knows; its folder submits it.
pub struct Registered(pub &'static dyn Language);

inventory::collect!(Registered);
inventory::submit! { Registered(&Java) }
inventory::submit! { Registered(&Python) }

/// Every language, by name.
pub fn all() -> Vec<&'static dyn Language> {
    let mut all: Vec<&'static dyn Language> = inventory::iter::<Registered>().map(|known| known.0).collect();
    all.sort_by_key(|language| language.name());
    all
}

/// The language of that name.
pub fn by_name(name: &str) -> Option<&'static dyn Language> {
    inventory::iter::<Registered>().map(|known| known.0).find(|language| language.name() == name)
}
