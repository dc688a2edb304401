//! From a text to its outline: types, fields, methods. The tree is dropped.

use super::{Field, Method, SourceFile, Type, TypeKind};
use crate::domain::words::clipped;
use crate::domain::{LineSpan, RepoPath};
use crate::language::{
    self, Body, Language, Owner, Syntax, arity, children, first_line, last_line, on_one_line, text_of,
};
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
    let mut outline = Outline { path, text, language, syntax: language.syntax(), types: Vec::new() };
    for node in outline.members(tree.root_node()) {
        if outline.syntax.packages.contains(&node.kind()) {
            file.package = language.package(node, text);
        } else if outline.syntax.imports.contains(&node.kind()) {
            file.imports.extend(language.imports(node, text, path));
        }
    }
    match language.module(path) {
        Some(module) => {
            file.package = module.package;
            outline.module(tree.root_node(), module.name);
        }
        None => outline.top_level(tree.root_node()),
    }
    file.types = outline.types;
    fit(&mut file.types);
    file
}

/// Gives back what lists took in advance: outlines of a whole project are kept.
fn fit(types: &mut Vec<Type>) {
    types.shrink_to_fit();
    for kind in types {
        kind.calls.shrink_to_fit();
        kind.fields.shrink_to_fit();
        kind.methods.shrink_to_fit();
        for method in &mut kind.methods {
            method.calls.shrink_to_fit();
            method.names.shrink_to_fit();
            method.variables.shrink_to_fit();
        }
    }
}

/// Offsets at which lines start; a final line end opens no further line. Of a text beyond 4 GiB, which the index leaves
/// out, as far as they go.
fn line_starts(text: &str) -> Vec<u32> {
    let mut starts = if text.is_empty() { Vec::new() } else { vec![0] };
    let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
    starts.extend(ends.filter_map(|(at, _)| u32::try_from(at + 1).ok()));
    if starts.last().is_some_and(|&last| last as usize == text.len()) {
        starts.pop();
    }
    starts.shrink_to_fit();
    starts
}

struct Outline<'a> {
    path: &'a RepoPath,
    text: &'a str,
    language: &'a dyn Language,
    syntax: &'static Syntax,
    types: Vec<Type>,
}

impl<'a> Outline<'a> {
    /// The file as the type around everything in it.
    fn module(&mut self, root: Node<'_>, name: String) {
        let kind = Type {
            signature: format!("module {name}"),
            name,
            kind: TypeKind::Module,
            supertypes: Vec::new(),
            summary: self.summary(root),
            span: LineSpan { first: 1, last: last_line(root).max(1) },
            fields: Vec::new(),
            methods: Vec::new(),
            calls: Vec::new(),
        };
        self.add_body(kind, root, None, 0);
    }

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
            let stem = self.path.stem().to_owned();
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
            for node in loose {
                self.add_method(node, &mut implicit, None);
            }
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
        let Some(name) = self.language.name_of(node).map(|name| text_of(name, self.text)) else { return };
        if depth > MAX_NESTING || name.is_empty() {
            return;
        }
        let kind = Type {
            name: if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") },
            kind: type_kind(node.kind()),
            signature: self.signature(node),
            supertypes: self.language.supertypes(node, self.text),
            summary: self.summary(node),
            span: self.span(node),
            fields: Vec::new(),
            methods: Vec::new(),
            calls: Vec::new(),
        };
        if let Some(body) = node.child_by_field_name("body") {
            self.add_body(kind, body, self.language.parameters_of(node), depth);
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
                self.add_method(node, &mut kind, components);
            } else if self.syntax.fields.contains(&node.kind()) {
                kind.fields.extend(self.fields(node));
                kind.calls.extend(self.body(node, &kind).calls);
            } else if self.syntax.initializers.contains(&node.kind()) {
                kind.calls.extend(self.body(node, &kind).calls);
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
        let Some(name) = self.language.name_of(node).map(|name| text_of(name, self.text).to_owned()) else {
            return;
        };
        let span = LineSpan { first: first_line(node), last: last_line(node) };
        let outer = self.types[owner].name.clone();
        let simple = self.types[owner].simple_name().to_owned();
        let calls = node.child_by_field_name("arguments").map(|args| self.body(args, &self.types[owner]).calls);
        self.types[owner].calls.extend(calls.unwrap_or_default());
        let declaration = clipped(&on_one_line(text_of(node, self.text)), MAX_DECLARATION);
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

    fn body(&self, node: Node<'_>, owner: &Type) -> Body {
        self.language.body(node, self.text, Owner { name: owner.simple_name(), supertypes: &owner.supertypes })
    }

    /// Lines of a declaration with its decorators.
    fn span(&self, node: Node<'_>) -> LineSpan {
        let whole = self.language.whole(node);
        LineSpan { first: first_line(whole), last: last_line(whole) }
    }

    /// Adds a method to its type, with the fields it is the first to name.
    fn add_method(&self, node: Node<'_>, owner: &mut Type, components: Option<Node<'_>>) {
        let body = node.child_by_field_name("body");
        let scanned = body.map_or_else(Body::default, |body| self.body(body, owner));
        for field in &scanned.fields {
            if !owner.fields.iter().any(|known| known.name == field.name) {
                let declaration = clipped(&field.declaration, MAX_DECLARATION);
                let (name, type_name) = (field.name.clone(), field.kind.clone());
                owner.fields.push(Field { name, type_name, declaration, span: field.span });
            }
        }
        owner.methods.extend(self.method(node, owner, components, scanned));
    }

    fn method(&self, node: Node<'_>, owner: &Type, components: Option<Node<'_>>, scanned: Body) -> Option<Method> {
        let name = text_of(self.language.name_of(node)?, self.text).to_owned();
        let list = self.language.parameters_of(node).or(components);
        let parameters = list.map(|list| self.language.parameters(list, self.text)).unwrap_or_default();
        let mut variables: Vec<_> = parameters.iter().map(|p| ((&*p.name).into(), (&*p.kind).into())).collect();
        variables.extend(scanned.variables);
        let modifiers = self.language.modifiers(node, self.text);
        let span = self.span(node);
        let body = node.child_by_field_name("body");
        Some(Method {
            file: self.path.clone(),
            class: owner.name.clone(),
            arity: arity(&parameters),
            params: parameters.into_iter().map(|parameter| parameter.shown).collect(),
            signature: self.signature(node),
            summary: self.summary(node),
            doc_first: self.language.documentation(node, self.text).map_or(span.first, first_line),
            span,
            bytes: self.language.whole(node).byte_range(),
            body: body.map(|body| LineSpan { first: first_line(body), last: last_line(body) }),
            private: modifiers.private,
            constructor: modifiers.constructor,
            annotations: modifiers.annotations,
            calls: scanned.calls,
            names: scanned.names,
            variables,
            name,
        })
    }

    fn fields(&self, node: Node<'_>) -> Vec<Field> {
        let declaration = clipped(on_one_line(text_of(node, self.text)).trim_end_matches(';'), MAX_DECLARATION);
        let span = LineSpan { first: first_line(node), last: last_line(node) };
        let field = |(name, type_name)| Field { name, type_name, declaration: declaration.clone(), span };
        self.language.declared(node, self.text).into_iter().map(field).collect()
    }

    /// The declaration without annotations, comments and body, on one line.
    fn signature(&self, node: Node<'_>) -> String {
        let body = node.child_by_field_name("body").map(|body| body.id());
        let mut signature = self.language.modifiers(node, self.text).words.join(" ");
        let mut end = None;
        for child in children(node) {
            if Some(child.id()) == body || child.kind() == "default" {
                break;
            }
            if self.syntax.unsigned.contains(&child.kind()) || self.syntax.is_comment(child) {
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

    fn summary(&self, node: Node<'_>) -> Option<String> {
        let documentation = self.language.documentation(node, self.text).or_else(|| self.language.docstring(node));
        documentation.and_then(|text| first_sentence(text_of(text, self.text)))
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

/// The first sentence of a documentation comment, without markup.
fn first_sentence(comment: &str) -> Option<String> {
    let inner =
        comment.trim_start_matches("/**").trim_start_matches("/*").trim_end_matches("*/").trim_matches(['"', '\'']);
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
    (!sentence.is_empty()).then(|| clipped(sentence, MAX_SUMMARY))
}

#[cfg(test)]
pub(super) mod tests;
