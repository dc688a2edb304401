//! Places in files whose types stand in braces.

use super::Insertions;
use crate::language::{children, on_one_line, text_of};
use crate::patch::indent;
use crate::patch::members::{TypeNode, members};
use crate::patch::original::{Splice, written_lines};
use tree_sitter::Node;

/// The edits for everything taken.
pub(super) fn splices(taken: &Insertions<'_>) -> Vec<Splice> {
    let mut splices = taken.import_splices();
    let Some(main) = taken.main_type() else { return splices };
    if !taken.fields.is_empty() {
        splices.extend(taken.field_splice(&main));
    }
    if !taken.others.is_empty() {
        splices.extend(taken.member_splices(&main));
    }
    splices
}

impl Insertions<'_> {
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
        indent::moved(&written_lines(code), indent, self.language)
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

    /// Blocks before the closing brace of the type, each behind a blank line. The list of an enumeration's constants
    /// is closed before them.
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
