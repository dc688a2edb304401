//! From a text to its outline: types, fields, methods. The tree is dropped.

use super::scan::{self, Body};
use super::{Field, Method, SourceFile, Type, TypeKind};
use crate::domain::{LineSpan, RepoPath};
use crate::language::{self, Language, Syntax, children, documentation, first_line, last_line, on_one_line, text_of};
use std::sync::Arc;
use tree_sitter::Node;

/// Types nested deeper than this are left out: no hand-written code does it, and the outline is built recursively.
const MAX_NESTING: usize = 64;
/// Characters kept of a field's declaration.
const MAX_DECLARATION: usize = 120;
/// Characters kept of a documentation comment's first sentence.
const MAX_SUMMARY: usize = 200;

/// The outline of one text, for example of a patched file. Broken code gives what could be read of it.
pub fn outline_text(path: &RepoPath, text: &str, language: &dyn Language) -> SourceFile {
    let mut file = SourceFile {
        path: path.clone(),
        package: String::new(),
        imports: Vec::new(),
        text: Arc::from(text),
        encoding: language::Encoding::Utf8,
        types: Vec::new(),
        test: false,
        broken: true,
        starts: line_starts(text),
    };
    let Some(tree) = language::parse(text, language) else { return file };
    file.broken = tree.root_node().has_error();
    let mut outline = Outline { path, text, syntax: language.syntax(), types: Vec::new() };
    for node in children(tree.root_node()) {
        if outline.syntax.packages.contains(&node.kind()) {
            file.package = declared_name(node, text, "package");
        } else if outline.syntax.imports.contains(&node.kind()) {
            file.imports.push(declared_name(node, text, "import"));
        }
    }
    outline.top_level(tree.root_node());
    file.types = outline.types;
    file
}

/// Offsets at which lines start; a final line end opens no further line.
fn line_starts(text: &str) -> Vec<usize> {
    let mut starts = if text.is_empty() { Vec::new() } else { vec![0] };
    starts.extend(text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at + 1));
    if starts.last() == Some(&text.len()) {
        starts.pop();
    }
    starts
}

/// `a.b.C` of `import a.b.C;`.
fn declared_name(node: Node<'_>, text: &str, keyword: &str) -> String {
    let flat = on_one_line(text_of(node, text));
    let flat = flat.split_once(keyword).map_or(flat.as_str(), |(_, rest)| rest);
    flat.trim_end_matches(';').trim().to_owned()
}

struct Outline<'a> {
    path: &'a RepoPath,
    text: &'a str,
    syntax: &'static Syntax,
    types: Vec<Type>,
}

impl<'a> Outline<'a> {
    fn top_level(&mut self, root: Node<'_>) {
        let mut loose = Vec::new();
        for node in self.members(root) {
            if self.syntax.is_type(node) {
                self.add_type(node, "", 0);
            } else if self.syntax.is_method(node) {
                loose.push(node);
            }
        }
        // Methods outside any type: a compact source file, or a broken one whose class was not recognised.
        if let Some(first) = loose.first() {
            let stem = self.path.file_name().split('.').next().unwrap_or("").to_owned();
            let span = LineSpan { first: first_line(*first), last: last_line(root) };
            let mut implicit = Type {
                name: stem.clone(),
                kind: TypeKind::Class,
                signature: format!("class {stem}"),
                supertypes: Vec::new(),
                summary: None,
                span,
                fields: Vec::new(),
                methods: Vec::new(),
                calls: Vec::new(),
            };
            implicit.methods = loose.into_iter().filter_map(|node| self.method(node, &implicit, None)).collect();
            self.types.push(implicit);
        }
    }

    /// Members below a node, through wrappers and through what the grammar could not read.
    fn members<'tree>(&self, node: Node<'tree>) -> Vec<Node<'tree>> {
        let mut found = Vec::new();
        let mut open: Vec<_> = children(node).into_iter().rev().collect();
        while let Some(next) = open.pop() {
            if next.is_error() || self.syntax.member_lists.contains(&next.kind()) {
                open.extend(children(next).into_iter().rev());
            } else {
                found.push(next);
            }
        }
        found
    }

    fn add_type(&mut self, node: Node<'_>, outer: &str, depth: usize) {
        let Some(name) = node.child_by_field_name("name").map(|name| text_of(name, self.text)) else { return };
        if depth > MAX_NESTING || name.is_empty() {
            return;
        }
        let kind = Type {
            name: if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") },
            kind: type_kind(node.kind()),
            signature: self.signature(node),
            supertypes: self.supertypes(node),
            summary: self.summary(node),
            span: LineSpan { first: first_line(node), last: last_line(node) },
            fields: Vec::new(),
            methods: Vec::new(),
            calls: Vec::new(),
        };
        if let Some(body) = node.child_by_field_name("body") {
            self.add_body(kind, body, node.child_by_field_name("parameters"), depth);
        } else {
            self.types.push(kind);
        }
    }

    fn add_body(&mut self, mut kind: Type, body: Node<'_>, components: Option<Node<'_>>, depth: usize) {
        let mut nested = Vec::new();
        for node in self.members(body) {
            if self.syntax.is_type(node) || self.syntax.enum_constants.contains(&node.kind()) {
                nested.push(node);
            } else if self.syntax.is_method(node) {
                kind.methods.extend(self.method(node, &kind, components));
            } else if self.syntax.fields.contains(&node.kind()) {
                kind.fields.extend(self.fields(node));
                kind.calls.extend(scan::body(node, self.text, &kind).calls);
            } else if self.syntax.initializers.contains(&node.kind()) {
                kind.calls.extend(scan::body(node, self.text, &kind).calls);
            }
        }
        let name = kind.name.clone();
        let at = self.types.len();
        self.types.push(kind);
        for node in nested {
            if self.syntax.is_type(node) {
                self.add_type(node, &name, depth + 1);
            } else {
                self.add_constant(node, at, depth);
            }
        }
    }

    /// A constant of an enumeration is a field of it; one with a body is also a type, so that its methods are found.
    fn add_constant(&mut self, node: Node<'_>, owner: usize, depth: usize) {
        let Some(name) = node.child_by_field_name("name").map(|name| text_of(name, self.text).to_owned()) else {
            return;
        };
        let span = LineSpan { first: first_line(node), last: last_line(node) };
        let outer = self.types[owner].name.clone();
        let simple = self.types[owner].simple_name().to_owned();
        let calls =
            node.child_by_field_name("arguments").map(|args| scan::body(args, self.text, &self.types[owner]).calls);
        self.types[owner].calls.extend(calls.unwrap_or_default());
        let declaration = cut(&on_one_line(text_of(node, self.text)), MAX_DECLARATION);
        self.types[owner].fields.push(Field { name: name.clone(), type_name: simple.clone(), declaration, span });
        let Some(body) = node.child_by_field_name("body") else { return };
        let constant = Type {
            name: format!("{outer}.{name}"),
            kind: TypeKind::Class,
            signature: name,
            supertypes: vec![simple],
            summary: self.summary(node),
            span,
            fields: Vec::new(),
            methods: Vec::new(),
            calls: Vec::new(),
        };
        if depth < MAX_NESTING {
            self.add_body(constant, body, None, depth + 1);
        }
    }

    fn method(&self, node: Node<'_>, owner: &Type, components: Option<Node<'_>>) -> Option<Method> {
        let name = text_of(node.child_by_field_name("name")?, self.text).to_owned();
        let parameters = node.child_by_field_name("parameters").or(components);
        let body = node.child_by_field_name("body");
        let scanned = body.map_or_else(Body::default, |body| scan::body(body, self.text, owner));
        let mut variables: Vec<_> = parameters
            .into_iter()
            .flat_map(children)
            .filter_map(|parameter| language::parameter(parameter, self.text))
            .map(|(kind, name)| (name, kind))
            .collect();
        variables.extend(scanned.variables);
        let modifiers = scan::modifiers(node, self.text);
        let span = LineSpan { first: first_line(node), last: last_line(node) };
        Some(Method {
            file: self.path.clone(),
            class: owner.name.clone(),
            params: parameters.map(|p| language::parameter_types(p, self.text)).unwrap_or_default(),
            signature: self.signature(node),
            summary: self.summary(node),
            doc_first: documentation(node, self.text, self.syntax).map_or(span.first, first_line),
            span,
            bytes: node.byte_range(),
            body: body.map(|body| LineSpan { first: first_line(body), last: last_line(body) }),
            private: modifiers.words.iter().any(|word| word == "private"),
            constructor: self.syntax.constructors.contains(&node.kind()),
            annotations: modifiers.annotations,
            calls: scanned.calls,
            names: scanned.names,
            variables,
            name,
        })
    }

    fn fields(&self, node: Node<'_>) -> Vec<Field> {
        let declaration = cut(on_one_line(text_of(node, self.text)).trim_end_matches(';'), MAX_DECLARATION);
        let type_name = node.child_by_field_name("type").map(|kind| on_one_line(text_of(kind, self.text)));
        let span = LineSpan { first: first_line(node), last: last_line(node) };
        let names = children(node).into_iter().filter(|child| child.kind() == "variable_declarator");
        names
            .filter_map(|declarator| declarator.child_by_field_name("name"))
            .map(|name| Field {
                name: text_of(name, self.text).to_owned(),
                type_name: type_name.clone().unwrap_or_default(),
                declaration: declaration.clone(),
                span,
            })
            .collect()
    }

    /// The declaration without annotations, comments and body, on one line.
    fn signature(&self, node: Node<'_>) -> String {
        let body = node.child_by_field_name("body").map(|body| body.id());
        let mut signature = scan::modifiers(node, self.text).words.join(" ");
        let mut end = None;
        for child in children(node) {
            if Some(child.id()) == body || child.kind() == "default" {
                break;
            }
            let skipped = ["modifiers", "annotation", "marker_annotation", ";"];
            if skipped.contains(&child.kind()) || self.syntax.is_comment(child) {
                continue;
            }
            if end != Some(child.start_byte()) && !signature.is_empty() {
                signature.push(' ');
            }
            signature.push_str(&on_one_line(text_of(child, self.text)));
            end = Some(child.end_byte());
        }
        signature
    }

    fn supertypes(&self, node: Node<'_>) -> Vec<String> {
        let mut names = Vec::new();
        for child in children(node) {
            if ["superclass", "super_interfaces", "extends_interfaces"].contains(&child.kind()) {
                let lists = children(child);
                let kinds = lists.into_iter().flat_map(|n| if n.kind() == "type_list" { children(n) } else { vec![n] });
                names.extend(kinds.filter(Node::is_named).map(|n| scan::simple_type(text_of(n, self.text))));
            }
        }
        names.retain(|name| !name.is_empty());
        names
    }

    fn summary(&self, node: Node<'_>) -> Option<String> {
        documentation(node, self.text, self.syntax).and_then(|comment| first_sentence(text_of(comment, self.text)))
    }
}

fn type_kind(node_kind: &str) -> TypeKind {
    match node_kind {
        "interface_declaration" => TypeKind::Interface,
        "enum_declaration" => TypeKind::Enum,
        "record_declaration" => TypeKind::Record,
        "annotation_type_declaration" => TypeKind::Annotation,
        _ => TypeKind::Class,
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The first sentence of a documentation comment, without markup.
fn first_sentence(comment: &str) -> Option<String> {
    let inner = comment.trim_start_matches("/**").trim_end_matches("*/");
    let lines = inner.lines().map(|line| line.trim().trim_start_matches('*').trim());
    let prose: Vec<_> = lines.skip_while(|line| line.is_empty()).take_while(|line| !line.starts_with('@')).collect();
    let mut plain = String::new();
    let mut tag = false;
    for c in on_one_line(&prose.join(" ")).chars() {
        match c {
            '<' => tag = true,
            '>' if tag => tag = false,
            '{' | '}' => {}
            _ if !tag => plain.push(c),
            _ => {}
        }
    }
    for word in ["@code ", "@link ", "@linkplain ", "@literal ", "@inheritDoc"] {
        plain = plain.replace(word, "");
    }
    let plain = on_one_line(&plain);
    let sentence = plain.split_once(". ").map_or(plain.as_str(), |(first, _)| first);
    let sentence = sentence.trim_end_matches('.').trim();
    (!sentence.is_empty()).then(|| cut(sentence, MAX_SUMMARY))
}

#[cfg(test)]
pub(super) mod tests;
