//! What a declaration in C says: the name inside its declarators, parameters, fields and macros, headers.

use camino::{Utf8Component, Utf8Path};
use tree_sitter::Node;
use unidebug_base::domain::RepoPath;
use unidebug_base::language::{Language, Parameter, Takes, children, on_one_line, text_of};

/// The declarators of a declaration, from the outside in: `*f(int)` is a pointer, a function and a name.
fn declarators(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(node.child_by_field_name("declarator"), |node| {
        let inner = node.kind() == "parenthesized_declarator" || node.kind() == "attributed_declarator";
        node.child_by_field_name("declarator")
            .or_else(|| children(*node).into_iter().find(|child| inner && child.is_named() && !child.is_extra()))
    })
}

/// The name that a declaration gives.
pub(super) fn name(node: Node<'_>) -> Option<Node<'_>> {
    declarators(node).last().filter(|last| last.kind().ends_with("identifier"))
}

/// The declarator of a function that gives it its parameters: the innermost one, where it returns a function.
pub(super) fn function(node: Node<'_>) -> Option<Node<'_>> {
    declarators(node).filter(|each| each.kind() == "function_declarator").last()
}

/// The parameters; `(void)` is none.
pub(super) fn parameters(list: Node<'_>, text: &str) -> Vec<Parameter> {
    let all = children(list).into_iter();
    let found = all.filter_map(|node| match node.kind() {
        "parameter_declaration" => {
            let named = name(node);
            let written = on_one_line(text_of(node, text));
            let name = named.map_or("", |name| text_of(name, text)).to_owned();
            let kind = named.map_or(written.clone(), |at| without(node, at, text));
            (written != "void").then(|| Parameter { shown: kind.clone(), name, kind, takes: Takes::One })
        }
        "variadic_parameter" => {
            Some(Parameter { shown: "...".into(), name: String::new(), kind: "...".into(), takes: Takes::Any })
        }
        _ => None,
    });
    found.collect()
}

/// The type of a parameter: what is written without its name.
fn without(node: Node<'_>, name: Node<'_>, text: &str) -> String {
    let before = text.get(node.start_byte()..name.start_byte()).unwrap_or("");
    let after = text.get(name.end_byte()..node.end_byte()).unwrap_or("");
    on_one_line(&format!("{before}{after}")).trim().to_owned()
}

/// Names and types that a member of a file or of a structure declares; a macro has the type `macro`.
pub(super) fn declared(field: Node<'_>, text: &str) -> Vec<(String, String)> {
    if let Some(name) = field.child_by_field_name("name").filter(|_| field.kind().starts_with("preproc")) {
        return vec![(text_of(name, text).to_owned(), "macro".to_owned())];
    }
    let kind = field.child_by_field_name("type").map(|kind| on_one_line(text_of(kind, text))).unwrap_or_default();
    let mut cursor = field.walk();
    let each = field.children_by_field_name("declarator", &mut cursor);
    let named = each.filter_map(|declarator| {
        let end = std::iter::once(declarator).chain(declarators(declarator)).last()?;
        end.kind().ends_with("identifier").then(|| (text_of(end, text).to_owned(), kind.clone()))
    });
    named.collect()
}

/// The header of the project that a line includes, as the module that it is.
pub(super) fn included(node: Node<'_>, text: &str, file: &RepoPath, language: &dyn Language) -> Option<String> {
    let path = node.child_by_field_name("path").filter(|path| path.kind() == "string_literal")?;
    let named = text_of(path, text).trim_matches('"');
    let folder = Utf8Path::new(file.as_str()).parent().unwrap_or(Utf8Path::new(""));
    let mut parts: Vec<String> = Vec::new();
    for part in folder.join(named).components() {
        match part {
            Utf8Component::Normal(name) => parts.push(name.to_owned()),
            Utf8Component::ParentDir => drop(parts.pop()),
            _ => {}
        }
    }
    let module = language.module(&RepoPath::new(&parts.join("/")).ok()?)?;
    Some(if module.package.is_empty() { module.name } else { format!("{}.{}", module.package, module.name) })
}

/// What the compiler reads otherwise than a reader, or our scanner, in a line.
pub(super) fn read_otherwise(line: &str, quoted: Option<&regex::Regex>) -> Option<&'static str> {
    let trigraph = line
        .match_indices("??")
        .any(|(at, _)| line[at + 2..].starts_with(['=', '/', '\'', '(', ')', '!', '<', '>', '-']));
    if trigraph {
        return Some("hold a trigraph, which some compilers read as another character");
    }
    let bare = line.trim_end_matches([' ', '\t', '\u{c}', '\u{b}']);
    if bare.len() < line.len() && bare.ends_with('\\') {
        return Some("end a line with a backslash and blanks, which goes on in the next line for some compilers alone");
    }
    if line.strip_suffix('\\').is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric() || c == '_')) {
        return Some(
            "break a line inside a word by a backslash, which the compiler reads as one word with the next line",
        );
    }
    let code = quoted.map_or(line.into(), |quoted| quoted.replace_all(line, "\"\""));
    let (code, comment) = code.split_once("//").map_or((&*code, None), |(code, comment)| (code, Some(comment)));
    if comment.is_some_and(|comment| comment.ends_with('\\')) {
        return Some("end a comment with a backslash, which makes a comment of the next line");
    }
    let digraph = ["<%", "%>", "<:", ":>", "%:"].iter().any(|pair| code.contains(pair));
    digraph.then_some("hold a digraph, which the compiler reads as a bracket or `#`")
}
