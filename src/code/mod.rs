//! The code index of one checkout: outline, methods, calls, keyword search. Trees are dropped after the outline.

use crate::domain::{LineSpan, RepoPath};
use std::sync::Arc;

/// What a type declaration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TypeKind {
    /// `class`
    Class,
    /// `interface`
    Interface,
    /// `enum`
    Enum,
    /// `record`
    Record,
    /// `@interface`
    Annotation,
}

/// A call inside a method's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Name of the called method; for `new Foo(…)` the type's simple name.
    pub name: String,
    /// Text of the receiver (`list`, `this`, `Foo`), when there is one.
    pub receiver: Option<String>,
    /// How many arguments.
    pub arity: usize,
    /// Whether it is a constructor call.
    pub constructs: bool,
    /// Line, counted from 1.
    pub line: u32,
}

/// A method or constructor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// Its file.
    pub file: RepoPath,
    /// The enclosing type with its outer types: `Outer.Inner`.
    pub class: String,
    /// Its name; for a constructor the type's name.
    pub name: String,
    /// Parameter types as written, without annotations and `final`; `String...` for varargs.
    pub params: Vec<String>,
    /// Declaration without body on one line: `private static int gcd(int a, int b)`.
    pub signature: String,
    /// First sentence of its documentation comment.
    pub summary: Option<String>,
    /// All lines, from the first annotation or modifier (not the documentation comment) to the closing brace.
    pub span: LineSpan,
    /// First line of the documentation comment, or `span.first`.
    pub doc_first: u32,
    /// Byte range of `span` in the decoded text.
    pub bytes: std::ops::Range<usize>,
    /// Lines of the body; `None` for abstract methods.
    pub body: Option<LineSpan>,
    /// Whether it is `private`.
    pub private: bool,
    /// Whether it is a constructor.
    pub constructor: bool,
    /// Annotations by simple name: `Test`, `Override`.
    pub annotations: Vec<String>,
    /// Calls in its body, in order.
    pub calls: Vec<Call>,
    /// Simple names the body reads (identifiers), each once, in order.
    pub names: Vec<String>,
}

impl Method {
    /// `name(Type,Type)`: how patches and tools name an overload.
    pub fn overload(&self) -> String {
        format!("{}({})", self.name, self.params.join(","))
    }

    /// `Class.name(Type,Type)`.
    pub fn qualified(&self) -> String {
        format!("{}.{}", self.class, self.overload())
    }
}

/// A field of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Declaration on one line, cut after 120 characters.
    pub declaration: String,
    /// Lines.
    pub span: LineSpan,
}

/// A type declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    /// Name with outer types: `Outer.Inner`.
    pub name: String,
    /// What it is.
    pub kind: TypeKind,
    /// Declaration without body on one line.
    pub signature: String,
    /// Simple names of the types it extends or implements.
    pub supertypes: Vec<String>,
    /// First sentence of its documentation comment.
    pub summary: Option<String>,
    /// Lines.
    pub span: LineSpan,
    /// Fields, in order.
    pub fields: Vec<Field>,
    /// Methods and constructors, in order; nested types have their own entry.
    pub methods: Vec<Method>,
}

/// One source file.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Where.
    pub path: RepoPath,
    /// Package, empty for the default one.
    pub package: String,
    /// Imported names as written, `static` kept in front: `java.util.List`, `static org.junit.Assert.*`.
    pub imports: Vec<String>,
    /// Decoded text: UTF-8, else ISO-8859-1.
    pub text: Arc<str>,
    /// Types of the file, outer before inner.
    pub types: Vec<Type>,
    /// Whether it lies in a test root.
    pub test: bool,
    /// Whether the grammar met errors.
    pub broken: bool,
}
