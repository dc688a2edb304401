//! Inserting imports, fields, methods and nested types into a file's main type, or into the file itself.

mod braces;
mod indented;

use super::PatchError;
use super::members::{TypeNode, bare_type, field_names, members, methods, parse_as_members, types};
use super::original::{Original, Splice, unappliable};
use crate::language::{Language, children, on_one_line, text_of};
use tree_sitter::{Node, Tree};

/// What is to be inserted into one file.
pub(super) struct Insertions<'a> {
    file: &'a Original,
    tree: &'a Tree,
    language: &'static dyn Language,
    imports: Vec<String>,
    fields: Vec<String>,
    others: Vec<String>,
}

impl<'a> Insertions<'a> {
    pub(super) fn new(file: &'a Original, tree: &'a Tree, language: &'static dyn Language) -> Self {
        Self { file, tree, language, imports: Vec::new(), fields: Vec::new(), others: Vec::new() }
    }

    /// Takes code: import lines, then any members.
    ///
    /// # Errors
    /// Code that is no member, or one that the type has already.
    pub(super) fn add(&mut self, code: &str) -> Result<(), PatchError> {
        let code = self.take_imports(code);
        if code.trim().is_empty() { Ok(()) } else { self.add_members(&code) }
    }

    /// Takes the import lines that code begins with; what is left is returned.
    pub(super) fn take_imports(&mut self, code: &str) -> String {
        let mut rest = Vec::new();
        for line in code.lines() {
            let trimmed = line.trim();
            if rest.iter().all(|line: &&str| line.trim().is_empty()) && self.language.is_import(trimmed) {
                self.add_import(trimmed);
            } else {
                rest.push(line);
            }
        }
        rest.join("\n").trim_matches('\n').to_owned()
    }

    fn add_import(&mut self, line: &str) {
        let import = on_one_line(line.split(self.language.line_comment()).next().unwrap_or(line));
        if !self.imports.contains(&import) && !self.has_import(&import) {
            self.imports.push(import);
        }
    }

    fn import_nodes(&self) -> Vec<Node<'a>> {
        let imports = self.language.syntax().imports;
        children(self.tree.root_node()).into_iter().filter(|node| imports.contains(&node.kind())).collect()
    }

    /// Whether the import is there already, or one of the whole package.
    fn has_import(&self, import: &str) -> bool {
        let star = import.rsplit_once('.').map(|(package, _)| format!("{package}.*;"));
        self.import_nodes().into_iter().any(|node| {
            let there = on_one_line(text_of(node, &self.file.text));
            there == import || Some(&there) == star.as_ref()
        })
    }

    fn add_members(&mut self, code: &str) -> Result<(), PatchError> {
        let syntax = self.language.syntax();
        let (tree, wrapped) =
            parse_as_members(code, self.language).ok_or_else(|| unappliable("the grammar cannot be loaded"))?;
        let text = &wrapped.text;
        let alone = self.language.is_indented();
        let home = if alone { self.tree.root_node() } else { self.declared_type()?.node };
        let wrapper = types(tree.root_node(), text, syntax).into_iter().next().filter(|_| !alone);
        let found = members_of(wrapper.map_or(tree.root_node(), |wrapper| wrapper.node), self.language);
        let declares = |node: &Node<'_>| {
            syntax.fields.contains(&node.kind()) && !field_names(*node, text, self.language).is_empty()
        };
        let is_member = |node: &Node<'_>| {
            syntax.is_method(*node)
                || syntax.is_type(*node)
                || declares(node)
                || syntax.initializers.contains(&node.kind())
        };
        let real: Vec<_> = found.into_iter().filter(is_member).collect();
        if real.is_empty() || tree.root_node().has_error() {
            return Err(unappliable(format!(
                "the code to insert into {} is no whole member, import or nested type; to change a method give its \
                 name as `method`, to change single lines give a diff",
                self.file.path
            )));
        }
        for node in &real {
            self.refuse_twin(*node, text, home)?;
        }
        if real.iter().all(|node| syntax.fields.contains(&node.kind())) {
            self.fields.push(code.to_owned());
        } else {
            self.others.push(code.to_owned());
        }
        Ok(())
    }

    fn declared_type(&self) -> Result<TypeNode<'a>, PatchError> {
        self.main_type().ok_or_else(|| unappliable(format!("{} declares no type", self.file.path)))
    }

    /// A second member of the same name never compiles; whoever sends one means to replace the first.
    fn refuse_twin(&self, node: Node<'_>, text: &str, main: Node<'_>) -> Result<(), PatchError> {
        let syntax = self.language.syntax();
        let twin =
            |what: String, hint: &str| Err(unappliable(format!("{} has {what} already; {hint}", self.file.path)));
        let name = self.language.name_of(node).map_or("", |name| text_of(name, text));
        let there = members_of(main, self.language);
        if syntax.is_method(node) {
            let params = self.language.parameters_of(node).map(|list| self.language.parameters(list, text));
            let params: Vec<_> = params.unwrap_or_default().iter().map(|param| bare_type(&param.shown)).collect();
            let own = methods(main, &self.file.text, self.language).into_iter().filter(|m| m.node.parent().is_some());
            let direct = |id: usize| there.iter().any(|member| member.id() == id);
            let same = |other: &[String]| !self.language.has_overloads() || params == other;
            if own.into_iter().any(|m| direct(m.node.id()) && m.name == name && same(&m.params)) {
                let overload = format!("`{name}({})`", params.join(","));
                return twin(format!("a method {overload}"), "give that as `method` to replace it");
            }
        } else if syntax.fields.contains(&node.kind()) {
            let new = field_names(node, text, self.language);
            let old = there.iter().filter(|member| syntax.fields.contains(&member.kind()));
            let old = old.flat_map(|field| field_names(*field, &self.file.text, self.language));
            if let Some(name) = old.into_iter().find(|name| new.contains(name)) {
                return twin(format!("a field `{name}`"), "give a diff to change it");
            }
        } else if syntax.is_type(node) {
            let all = types(self.tree.root_node(), &self.file.text, syntax);
            if all.iter().any(|kind| kind.path.rsplit('.').next() == Some(name)) {
                return twin(format!("a type `{name}`"), "give single methods, or a diff, to change it");
            }
        }
        Ok(())
    }

    /// The type named like the file, else the first one.
    fn main_type(&self) -> Option<TypeNode<'a>> {
        let stem = self.file.path.stem();
        let all = types(self.tree.root_node(), &self.file.text, self.language.syntax());
        all.iter().find(|kind| kind.path == stem).or(all.first()).cloned()
    }

    /// The edits for everything taken.
    pub(super) fn splices(self) -> Vec<Splice> {
        if self.language.is_indented() { indented::splices(&self) } else { braces::splices(&self) }
    }
}

/// The members of a type, or of a file that is one.
fn members_of<'tree>(home: Node<'tree>, language: &dyn Language) -> Vec<Node<'tree>> {
    if home.child_by_field_name("body").is_some() {
        members(home, language.syntax())
    } else {
        flattened(home, language)
    }
}

/// What stands at the top of a file, through wrappers.
fn flattened<'tree>(root: Node<'tree>, language: &dyn Language) -> Vec<Node<'tree>> {
    let lists = language.syntax().member_lists;
    let below = |node: Node<'tree>| if lists.contains(&node.kind()) { flattened(node, language) } else { vec![node] };
    children(root).into_iter().filter(Node::is_named).flat_map(below).collect()
}
