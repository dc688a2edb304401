//! A lean view of a type: what it offers, without bodies that nobody asked for.

use super::{Field, Method, SourceFile, Type};
use crate::language::Language;
use std::fmt::Write;

/// How much of a member is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// It is counted, not shown.
    Omit,
    /// Its declaration alone.
    Signature,
    /// Its declaration and the first sentence of its documentation.
    Summary,
    /// Its whole text.
    Full,
}

/// A member of a type.
#[derive(Debug, Clone, Copy)]
pub enum Member<'a> {
    /// A field, or a constant of an enumeration.
    Field(&'a Field),
    /// A method or constructor.
    Method(&'a Method),
    /// A nested type.
    Nested(&'a Type),
}

impl Member<'_> {
    fn first_line(&self) -> u32 {
        match self {
            Self::Field(field) => field.span.first,
            Self::Method(method) => method.span.first,
            Self::Nested(kind) => kind.span.first,
        }
    }
}

/// The type's declaration and its members in the order of the file, each as `choose` says; runs of omitted members are
/// counted in a comment. Nested types are shown by declaration, or as skeletons of their own when `Full`.
pub fn skeleton(
    file: &SourceFile,
    kind: &Type,
    language: &dyn Language,
    choose: &dyn Fn(Member<'_>) -> Detail,
) -> String {
    let mut out = String::new();
    write_type(&mut out, (file, language), kind, choose, 0);
    out
}

/// A file and the language it is written in.
type Source<'a> = (&'a SourceFile, &'a dyn Language);

fn write_type(out: &mut String, source: Source<'_>, kind: &Type, choose: &dyn Fn(Member<'_>) -> Detail, depth: usize) {
    let (file, language) = source;
    let brackets = &language.syntax().brackets;
    let pad = "    ".repeat(depth);
    let inner = "    ".repeat(depth + 1);
    let _ = writeln!(out, "{pad}{}{}", kind.signature, brackets.opens);
    let mut omitted = 0_usize;
    for member in members(file, kind) {
        let detail = choose(member);
        if detail == Detail::Omit {
            omitted += 1;
            continue;
        }
        close_gap(out, &inner, &mut omitted, language);
        match member {
            Member::Field(field) => {
                let _ = writeln!(out, "{inner}{}{}", field.declaration.trim_end_matches([';', ',']), brackets.ends);
            }
            Member::Method(method) => write_method(out, source, method, detail, &inner),
            Member::Nested(nested) if detail == Detail::Full => write_type(out, source, nested, choose, depth + 1),
            Member::Nested(nested) => {
                let shown = [nested.signature.as_str(), brackets.opens, " … ", brackets.closes].concat();
                let _ = writeln!(out, "{inner}{}", shown.trim_end());
            }
        }
    }
    close_gap(out, &inner, &mut omitted, language);
    if !brackets.closes.is_empty() {
        let _ = writeln!(out, "{pad}{}", brackets.closes);
    }
}

fn close_gap(out: &mut String, pad: &str, omitted: &mut usize, language: &dyn Language) {
    if *omitted > 0 {
        let members = if *omitted == 1 { "member" } else { "members" };
        let _ = writeln!(out, "{pad}{} … {omitted} more {members}", language.line_comment());
        *omitted = 0;
    }
}

fn write_method(out: &mut String, (file, language): Source<'_>, method: &Method, detail: Detail, pad: &str) {
    if detail == Detail::Full {
        // Whole lines keep the indentation of the source, so the text can be compared with the file.
        let _ = writeln!(out, "{}", file.lines(method.span));
        return;
    }
    let summary = method.summary.as_deref().filter(|_| detail == Detail::Summary);
    let summary = summary.map(|s| format!(" {} {s}", language.line_comment())).unwrap_or_default();
    let _ = writeln!(out, "{pad}{}{}{summary}", method.signature, language.syntax().brackets.ends);
}

/// Members of a type in the order of the file; nested types only one level down.
fn members<'a>(file: &'a SourceFile, kind: &'a Type) -> Vec<Member<'a>> {
    let nested = |other: &&Type| other.name.rsplit_once('.').is_some_and(|(outer, _)| outer == kind.name);
    let mut all: Vec<Member<'a>> = kind.fields.iter().map(Member::Field).collect();
    all.extend(kind.methods.iter().map(Member::Method));
    all.extend(file.types.iter().filter(nested).map(Member::Nested));
    all.sort_by_key(Member::first_line);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::outline_text;
    use crate::domain::RepoPath;
    use crate::language::Java;

    #[test]
    fn a_skeleton_shows_what_was_chosen_and_counts_the_rest() {
        let text = "class A extends B {\n    private int n = 1;\n\n    /** Adds. More. */\n    int add(int m) {\n        return n + m;\n    }\n\n    void a() { }\n    void b() { }\n    static class In { int z; }\n}\n";
        let file = outline_text(&RepoPath::new("A.java").unwrap(), text, &Java);
        let view = skeleton(&file, &file.types[0], &Java, &|member| match member {
            Member::Field(_) => Detail::Signature,
            Member::Method(method) if method.name == "add" => Detail::Summary,
            Member::Method(_) => Detail::Omit,
            Member::Nested(_) => Detail::Signature,
        });
        let expected = "class A extends B {\n    private int n = 1;\n    int add(int m); // Adds\n    // … 2 more members\n    static class In { … }\n}\n";
        assert_eq!(view, expected);
        let full = skeleton(&file, &file.types[0], &Java, &|member| match member {
            Member::Method(method) if method.name == "add" => Detail::Full,
            _ => Detail::Omit,
        });
        assert!(full.contains("    int add(int m) {\n        return n + m;\n    }\n"), "{full}");
    }
}
