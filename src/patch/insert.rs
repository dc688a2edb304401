//! Inserting imports, fields, methods and nested types into a file's main type.

use super::PatchError;
use super::indent;
use super::members::{TypeNode, bare_type, field_names, members, methods, parse_as_members, types};
use super::original::{Original, Splice, unappliable, written_lines};
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
    pub fn new(file: &'a Original, tree: &'a Tree, language: &'static dyn Language) -> Self {
        Self { file, tree, language, imports: Vec::new(), fields: Vec::new(), others: Vec::new() }
    }

    /// Takes code: import lines, then any members.
    ///
    /// # Errors
    /// Code that is no member, or one that the type has already.
    pub fn add(&mut self, code: &str) -> Result<(), PatchError> {
        let code = self.take_imports(code);
        if code.trim().is_empty() { Ok(()) } else { self.add_members(&code) }
    }

    /// Takes the import lines that code begins with; what is left is returned.
    pub fn take_imports(&mut self, code: &str) -> String {
        let mut rest = Vec::new();
        for line in code.lines() {
            let trimmed = line.trim();
            if rest.iter().all(|line: &&str| line.trim().is_empty()) && is_import(trimmed) {
                self.add_import(trimmed);
            } else {
                rest.push(line);
            }
        }
        rest.join("\n").trim_matches('\n').to_owned()
    }

    fn add_import(&mut self, line: &str) {
        let import = on_one_line(line.split("//").next().unwrap_or(line));
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
        let main = self.main_type().ok_or_else(|| unappliable(format!("{} declares no type", self.file.path)))?;
        let (tree, wrapped) =
            parse_as_members(code, self.language).ok_or_else(|| unappliable("the grammar cannot be loaded"))?;
        let wrapper = types(tree.root_node(), &wrapped, syntax).into_iter().next();
        let found = wrapper.map(|wrapper| members(wrapper.node, syntax)).unwrap_or_default();
        let is_member = |node: &Node<'_>| {
            syntax.is_method(*node)
                || syntax.is_type(*node)
                || syntax.fields.contains(&node.kind())
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
            self.refuse_twin(*node, &wrapped, main.node)?;
        }
        if real.iter().all(|node| syntax.fields.contains(&node.kind())) {
            self.fields.push(code.to_owned());
        } else {
            self.others.push(code.to_owned());
        }
        Ok(())
    }

    /// A second member of the same name never compiles; whoever sends one means to replace the first.
    fn refuse_twin(&self, node: Node<'_>, text: &str, main: Node<'_>) -> Result<(), PatchError> {
        let syntax = self.language.syntax();
        let twin =
            |what: String, hint: &str| Err(unappliable(format!("{} has {what} already; {hint}", self.file.path)));
        let name = node.child_by_field_name("name").map_or("", |name| text_of(name, text));
        let there = members(main, syntax);
        if syntax.is_method(node) {
            let params = node.child_by_field_name("parameters").map(|p| crate::language::parameter_types(p, text));
            let params: Vec<_> = params.unwrap_or_default().iter().map(|param| bare_type(param)).collect();
            let own = methods(main, &self.file.text, syntax).into_iter().filter(|m| m.node.parent().is_some());
            let direct = |id: usize| there.iter().any(|member| member.id() == id);
            if own.into_iter().any(|m| direct(m.node.id()) && m.name == name && m.params == params) {
                let overload = format!("`{name}({})`", params.join(","));
                return twin(format!("a method {overload}"), "give that as `method` to replace it");
            }
        } else if syntax.fields.contains(&node.kind()) {
            let new = field_names(node, text);
            let old = there.iter().filter(|member| syntax.fields.contains(&member.kind()));
            if let Some(name) = old.flat_map(|field| field_names(*field, &self.file.text)).find(|n| new.contains(n)) {
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
        let stem = self.file.path.file_name().split('.').next().unwrap_or("");
        let all = types(self.tree.root_node(), &self.file.text, self.language.syntax());
        all.iter().find(|kind| kind.path == stem).or(all.first()).cloned()
    }

    /// The edits for everything taken.
    pub fn splices(self) -> Vec<Splice> {
        let mut splices = self.import_splices();
        let Some(main) = self.main_type() else { return splices };
        if !self.fields.is_empty() {
            splices.extend(self.field_splice(&main));
        }
        if !self.others.is_empty() {
            splices.extend(self.member_splices(&main));
        }
        splices
    }

    /// Each import before the first one of its kind that sorts after it, else behind the last one.
    fn import_splices(&self) -> Vec<Splice> {
        let there = self.import_nodes();
        let text = |node: Node<'_>| on_one_line(text_of(node, &self.file.text));
        let is_static = |import: &str| import.starts_with("import static ");
        let line_of = |byte: usize| self.file.line_of(byte);
        let mut new = self.imports.clone();
        new.sort();
        let insert = |line: usize, lines: &[String]| self.file.replace_lines(line..line, lines);
        if there.is_empty() {
            let packages = self.language.syntax().packages;
            let package = children(self.tree.root_node()).into_iter().find(|node| packages.contains(&node.kind()));
            let mut lines = new;
            if lines.is_empty() {
                return Vec::new();
            }
            let line = package.map_or(0, |node| line_of(node.end_byte()) + 1);
            lines.insert(if package.is_some() { 0 } else { lines.len() }, String::new());
            return vec![insert(line, &lines)];
        }
        let place = |import: &String| {
            let kind: Vec<_> = there.iter().filter(|node| is_static(&text(**node)) == is_static(import)).collect();
            let after = kind.iter().find(|node| text(***node) > *import);
            let line = match after {
                Some(node) => line_of(node.start_byte()),
                None => kind.last().copied().or(there.last()).map_or(0, |node| line_of(node.end_byte()) + 1),
            };
            insert(line, std::slice::from_ref(import))
        };
        new.iter().map(place).collect()
    }

    /// The indentation of members: that of the first one, else one step deeper than the type.
    fn member_indent(&self, main: &TypeNode<'_>) -> String {
        let line_indent = |byte: usize| indent::indent_of(self.file.line(self.file.line_of(byte))).to_owned();
        let own_line =
            |node: &Node<'_>| self.file.line_of(node.start_byte()) != self.file.line_of(main.node.start_byte());
        match members(main.node, self.language.syntax()).iter().find(|member| own_line(member)) {
            Some(member) => line_indent(member.start_byte()),
            None => {
                let outer = line_indent(main.node.start_byte());
                let step = if self.file.text.contains("\n\t") { "\t" } else { "    " };
                format!("{outer}{step}")
            }
        }
    }

    fn moved(&self, code: &str, indent: &str) -> Vec<String> {
        indent::block(&written_lines(code), indent)
    }

    /// Fields go behind the last field, or to the top of the body.
    fn field_splice(&self, main: &TypeNode<'_>) -> Option<Splice> {
        let syntax = self.language.syntax();
        let indent = self.member_indent(main);
        let lines: Vec<String> = self.fields.iter().flat_map(|code| self.moved(code, &indent)).collect();
        let all = members(main.node, syntax);
        let last = all.iter().rfind(|member| syntax.fields.contains(&member.kind()));
        let constants = all.iter().any(|member| syntax.enum_constants.contains(&member.kind()));
        if constants && last.is_none() {
            return self.end_splice(main, &[lines]);
        }
        let body = main.node.child_by_field_name("body")?;
        let end = self.file.line_end(self.file.line_of(body.start_byte()));
        let after = last.map_or(body.start_byte() + 1, |field| field.end_byte());
        let text: String = lines.iter().flat_map(|line| [end, line.as_str()]).collect();
        // What follows the place on its line, a comment for example, belongs to it.
        let rest = self.file.start(self.file.line_of(after) + 1);
        let tail = self.file.text[after..rest].trim_end();
        if tail.is_empty() || tail.trim_start().starts_with(self.language.line_comment()) {
            let at = after + tail.len();
            return Some(Splice { range: at..at, text });
        }
        Some(Splice { range: after..after, text: format!("{text}{end}") })
    }

    fn member_splices(&self, main: &TypeNode<'_>) -> Option<Splice> {
        let indent = self.member_indent(main);
        let blocks: Vec<Vec<String>> = self.others.iter().map(|code| self.moved(code, &indent)).collect();
        self.end_splice(main, &blocks)
    }

    /// Blocks before the closing brace of the type, each behind a blank line; the list of an enumeration's constants is
    /// closed first.
    fn end_splice(&self, main: &TypeNode<'_>, blocks: &[Vec<String>]) -> Option<Splice> {
        let body = main.node.child_by_field_name("body")?;
        let closing = children(body).into_iter().rfind(|child| child.kind() == "}")?;
        let line = self.file.line_of(closing.start_byte());
        let end = self.file.line_end(line);
        let start = self.file.start(line);
        let before = self.file.text[..closing.start_byte()].trim_end_matches([' ', '\t']);
        let own_line = before.len() == start;
        let content_end = before.trim_end().len();
        let syntax = self.language.syntax();
        let listed = children(body);
        let open_list = listed.iter().any(|child| syntax.enum_constants.contains(&child.kind()))
            && !listed.iter().any(|child| child.kind() == "enum_body_declarations");
        let mut text = String::new();
        let at = if own_line { content_end } else { before.len() };
        if open_list {
            text.push(';');
        }
        let empty_body = content_end == body.start_byte() + 1;
        for (i, block) in blocks.iter().enumerate() {
            text.push_str(end);
            if i > 0 || !empty_body {
                text.push_str(end);
            }
            text.push_str(&block.join(end));
        }
        if !own_line {
            text.push_str(end);
            text.push_str(indent::indent_of(self.file.line(self.file.line_of(main.node.start_byte()))));
        }
        // A comment on the last line of content would swallow a semicolon: the list is closed right behind its end.
        if open_list {
            let last = listed.iter().rfind(|child| child.is_named() && !syntax.is_comment(**child))?;
            if last.end_byte() != at {
                let comma = self.file.text[last.end_byte()..at].contains(',');
                let tail = self.file.text[last.end_byte()..at].to_owned();
                let closed = if comma { tail.replacen(',', ",;", 1) } else { format!(";{tail}") };
                return Some(Splice { range: last.end_byte()..at, text: format!("{closed}{}", &text[1..]) });
            }
        }
        let until = if own_line { at } else { closing.start_byte() };
        Some(Splice { range: at..until, text })
    }
}

fn is_import(line: &str) -> bool {
    line.starts_with("import ") && line.split("//").next().is_some_and(|code| code.trim_end().ends_with(';'))
}
