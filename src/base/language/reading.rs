//! What a language says of the nodes of its trees, in words that all languages share.

use crate::domain::LineSpan;
// A project has a hundred thousand of these names, nearly all short: they need no memory beside their owner's.
use compact_str::CompactString;

/// A call inside a method's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Name of the called method; for a constructor call the type's simple name.
    pub name: CompactString,
    /// Text of the receiver (`list`, `Foo`), when there is one. Whatever the language writes, `this` is the object itself,
    /// `super` the type above it, `new Foo(…)` a fresh object.
    pub receiver: Option<CompactString>,
    /// How many arguments.
    pub arity: usize,
    /// Whether it is a constructor call: `new Foo(…)`, `this(…)`, `super(…)`; in Python the call of a capitalised name.
    pub constructs: bool,
    /// Whether it is a method reference, `Foo::bar`; its arity is not known and given as 0.
    pub reference: bool,
    /// Line, counted from 1.
    pub line: u32,
    /// Byte range of the whole call in the decoded text, arguments included.
    pub bytes: std::ops::Range<usize>,
}

/// A field that a body introduces: Python's `self.items = []`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduced {
    /// The name of the field.
    pub name: String,
    /// Its type, as far as it is written; else empty.
    pub kind: String,
    /// The statement on one line.
    pub declaration: String,
    /// Lines of the statement.
    pub span: LineSpan,
}

/// What was found in a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Body {
    /// Calls, in order.
    pub calls: Vec<Call>,
    /// Simple names that are read (identifiers and types), each once, in order.
    pub names: Vec<CompactString>,
    /// Local variables with their types as written, in order.
    pub variables: Vec<(CompactString, CompactString)>,
    /// Fields of the owner that first appear here.
    pub fields: Vec<Introduced>,
}

/// The type a body stands in.
#[derive(Debug, Clone, Copy, Default)]
pub struct Owner<'a> {
    /// Its name without outer types.
    pub name: &'a str,
    /// Simple names of the types above it.
    pub supertypes: &'a [String],
}

/// What stands around a declaration's name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Words that belong to the signature, in order.
    pub words: Vec<String>,
    /// Annotations or decorators by simple name.
    pub annotations: Vec<CompactString>,
    /// Whether nobody outside of the type is meant to use it.
    pub private: bool,
    /// Whether it makes an object of its type.
    pub constructor: bool,
}

/// How many arguments of a call a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Exactly one argument.
    One,
    /// One, or its default.
    Maybe,
    /// Any number of arguments.
    Any,
    /// None: it is the object itself.
    Nothing,
}

/// A formal parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// How it is shown in the name of an overload: its type where the language has types, else its name.
    pub shown: String,
    /// Its name in the body of the method.
    pub name: String,
    /// Its type as written; empty when there is none.
    pub kind: String,
    /// What it takes.
    pub takes: Takes,
}

/// The least and the most arguments these parameters take; no most for any number.
pub fn arity(parameters: &[Parameter]) -> (usize, Option<usize>) {
    let count = |takes| parameters.iter().filter(|parameter| parameter.takes == takes).count();
    let least = count(Takes::One);
    (least, (count(Takes::Any) == 0).then(|| least + count(Takes::Maybe)))
}

/// A file that is itself a type: Python's modules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Names of its folders, joined by points; empty at the top.
    pub package: String,
    /// Its own name.
    pub name: String,
}

/// Code of members, made a whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrapped {
    /// The whole text.
    pub text: String,
    /// The type that was put around the members; empty when they stand alone.
    pub class: &'static str,
}

/// What stands around the body of a type when it is shown.
#[derive(Debug, PartialEq, Eq)]
pub struct Brackets {
    /// Behind the signature.
    pub opens: &'static str,
    /// On a line of its own at the end; empty for none.
    pub closes: &'static str,
    /// Behind a declaration without a body.
    pub ends: &'static str,
}
