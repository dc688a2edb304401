//! The code index of one checkout: outline, methods, calls, dependency graph, keyword search. Syntax trees are dropped
//! after the outline.
//!
//! Positions count lines from 1; byte ranges lie in the decoded text. Other rooms know how
//! the code behaves when it runs.

mod calls;
mod depend;
mod index;
mod outline;
mod search;
mod skeleton;
mod syntax;

pub use calls::{CallSite, called_names};
pub use depend::{Dependency, DependencyGraph};
pub use index::CodeIndex;
pub use outline::outline_text;
pub use search::{Hit, SearchHits, subtoken_ranges, subtokens};
pub use skeleton::{Detail, Member, skeleton};
pub use syntax::syntax_errors;

pub use crate::language::{Call, Unresolved};

use crate::domain::{LineSpan, RepoPath};
use crate::language::Encoding;
use compact_str::CompactString;
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
    /// A file that is the type around what it declares.
    Module,
}

/// A method or constructor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// The file that declares it.
    pub file: RepoPath,
    /// The enclosing type with its outer types: `Outer.Inner`.
    pub class: String,
    /// Its name; for a constructor the type's name.
    pub name: String,
    /// Parameter types as written, without annotations and `final`; `String...` for varargs; where the language writes no
    /// types, the names.
    pub params: Vec<String>,
    /// The least and the most arguments of a call; no most for any number.
    pub arity: (usize, Option<usize>),
    /// Declaration without body on one line: `private static int gcd(int a, int b)`.
    pub signature: String,
    /// First sentence of its documentation comment.
    pub summary: Option<String>,
    /// All lines, from the first annotation or modifier (not the documentation comment) to the closing brace.
    pub span: LineSpan,
    /// First line of the documentation comment, or `span.first`.
    pub doc_first: u32,
    /// Byte range in the decoded text from the first annotation or modifier to the closing brace.
    pub bytes: std::ops::Range<usize>,
    /// Lines of the body; `None` for abstract methods.
    pub body: Option<LineSpan>,
    /// Whether it is `private`.
    pub private: bool,
    /// Whether it is a constructor.
    pub constructor: bool,
    /// Annotations by simple name: `Test`, `Override`.
    pub annotations: Vec<CompactString>,
    /// Calls in its body, in order.
    pub calls: Vec<Call>,
    /// Simple names the body reads (identifiers and types), each once, in order.
    pub names: Vec<CompactString>,
    /// Parameters and local variables with their declared types as written, in order.
    pub variables: Vec<(CompactString, CompactString)>,
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
    /// The name it is declared with.
    pub name: String,
    /// Declared type as written.
    pub type_name: String,
    /// Declaration on one line, cut after 120 characters.
    pub declaration: String,
    /// The lines of the declaration.
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
    /// The lines of the declaration.
    pub span: LineSpan,
    /// Fields, in order.
    pub fields: Vec<Field>,
    /// Methods and constructors, in order; nested types have their own entry.
    pub methods: Vec<Method>,
    /// Calls in initialisers of fields and in static blocks.
    pub calls: Vec<Call>,
}

impl Type {
    /// The name without outer types.
    pub fn simple_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }
}

/// One source file.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Where it lies in the checkout.
    pub path: RepoPath,
    /// Package, empty for the default one.
    pub package: String,
    /// Imported names as written, `static` kept in front: `java.util.List`, `static org.junit.Assert.*`.
    pub imports: Vec<String>,
    /// Decoded text: UTF-8, else ISO-8859-1.
    pub text: Arc<str>,
    /// How the file's bytes spell the text; a changed text is written back the same way.
    pub encoding: Encoding,
    /// Types of the file, outer before inner.
    pub types: Vec<Type>,
    /// Whether it lies in a test root.
    pub test: bool,
    /// Whether the grammar met errors.
    pub broken: bool,
    /// Byte offset at which each line starts.
    starts: Vec<u32>,
}

impl SourceFile {
    /// How many lines the text has; a final line end opens no further line.
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// Line `n`, counted from 1, without its line end.
    pub fn line(&self, n: u32) -> Option<&str> {
        (1..=self.line_count()).contains(&n).then(|| self.lines(LineSpan { first: n, last: n }))
    }

    /// Whole lines, both ends inclusive, without the last line end; clipped to the file, empty outside of it.
    pub fn lines(&self, span: LineSpan) -> &str {
        let last = span.last.min(self.line_count());
        if span.first == 0 || span.first > last {
            return "";
        }
        let start = self.starts[span.first as usize - 1] as usize;
        let end = self.starts.get(last as usize).map_or(self.text.len(), |&end| end as usize);
        let lines = &self.text[start..end];
        let lines = lines.strip_suffix('\n').unwrap_or(lines);
        lines.strip_suffix('\r').unwrap_or(lines)
    }

    /// All methods and constructors of the file, type by type.
    pub fn methods(&self) -> impl Iterator<Item = &Method> {
        self.types.iter().flat_map(|kind| &kind.methods)
    }

    /// The innermost method whose span holds the line.
    pub fn method_at(&self, line: u32) -> Option<&Method> {
        self.methods().filter(|method| method.span.contains(line)).min_by_key(|method| method.span.len())
    }
}
