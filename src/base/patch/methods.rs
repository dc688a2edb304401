//! Whole methods by name and parameter types. What documents a method stays unless the code brings its own.

use super::indent;
use super::members::{MethodNode, Wanted, methods, parse_as_members, whole_lines};
use super::original::{Original, Splice, unappliable, written_lines};
use super::{MethodEdit, PatchError, insert};
use crate::domain::LineSpan;
use crate::language::{self, Language, first_line, last_line};
use tree_sitter::Tree;

/// Methods that an error lists.
const SHOWN: usize = 12;

/// Edits of one file: replaced methods, inserted members, imports and nested types.
///
/// # Errors
/// Methods that are not there or not the only ones of their name, with what is there; code that is no member.
pub(super) fn edits(
    file: &Original,
    edits: &[&MethodEdit],
    language: &'static dyn Language,
) -> Result<Vec<Splice>, PatchError> {
    let tree = language::parse(&file.text, language).ok_or_else(|| unappliable("the grammar cannot be loaded"))?;
    let mut splices = Vec::new();
    let mut inserted = insert::Insertions::new(file, &tree, language);
    for edit in edits {
        let code = unfenced(&edit.code);
        match edit.method.as_deref().map(str::trim).filter(|method| !method.is_empty()) {
            Some(name) if is_new(&tree, file, name, &code, language) => inserted.add(&code)?,
            Some(name) => {
                let code = inserted.take_imports(&code);
                splices.push(replace(file, &tree, name, &code, &mut inserted, language)?);
            }
            None => inserted.add(&code)?,
        }
    }
    splices.extend(inserted.splices());
    Ok(splices)
}

/// Whether code declares the named method and nothing in the file has that name: then it is meant as a new member,
/// although a new member needs no `method`.
fn is_new(tree: &Tree, file: &Original, name: &str, code: &str, language: &'static dyn Language) -> bool {
    let wanted = Wanted::of(name, language);
    let named = |tree: &Tree, text: &str| {
        methods(tree.root_node(), text, language).iter().any(|method| method.name == wanted.name)
    };
    let brought = parse_as_members(code, language).is_some_and(|(tree, wrapped)| named(&tree, &wrapped.text));
    brought && wanted.class.is_none() && !named(tree, &file.text)
}

/// Lines of the methods that edits replace; edits that insert, or that name no single method, have none.
pub(super) fn replaced(file: &Original, edits: &[&MethodEdit], language: &'static dyn Language) -> Vec<LineSpan> {
    let Some(tree) = language::parse(&file.text, language) else { return Vec::new() };
    let all = methods(tree.root_node(), &file.text, language);
    let target = |edit: &&MethodEdit| {
        let name = edit.method.as_deref().map(str::trim).filter(|method| !method.is_empty())?;
        let wanted = Wanted::of(name, language);
        let (new_tree, wrapped) = parse_as_members(&unfenced(&edit.code), language)?;
        let brought = methods(new_tree.root_node(), &wrapped.text, language);
        let brought = brought.iter().find(|method| method.name == wanted.name)?;
        let found = the_one(file, &all, &wanted, name, brought).ok()?;
        let whole = language.whole(found.node);
        Some(LineSpan { first: first_line(whole), last: last_line(whole) })
    };
    edits.iter().filter_map(target).collect()
}

/// Code without the fence of a code block around it.
pub(super) fn unfenced(code: &str) -> String {
    let code = code.replace("\r\n", "\n");
    let trimmed = code.trim_matches(['\n', '\r']);
    let Some(inner) = trimmed.trim_start().strip_prefix("```") else { return trimmed.to_owned() };
    let inner = inner.split_once('\n').map_or("", |(_, rest)| rest);
    inner.rsplit_once("```").map_or(inner, |(body, _)| body).trim_matches('\n').to_owned()
}

fn replace(
    file: &Original,
    tree: &Tree,
    name: &str,
    code: &str,
    inserted: &mut insert::Insertions<'_>,
    language: &'static dyn Language,
) -> Result<Splice, PatchError> {
    let wanted = Wanted::of(name, language);
    let (new_tree, wrapped) =
        parse_as_members(code, language).ok_or_else(|| unappliable("the grammar cannot be loaded"))?;
    let brought = methods(new_tree.root_node(), &wrapped.text, language);
    let own = brought.iter().filter(|method| method.name == wanted.name).collect::<Vec<_>>();
    let Some(first) = own.first() else {
        let what = match brought.first() {
            Some(other) => format!("it declares `{}`", other.name),
            None => "it declares no method".to_owned(),
        };
        return Err(unappliable(format!(
            "the code for `{name}` in {} is not that whole method: {what}; give the declaration and the body",
            file.path
        )));
    };
    let all = methods(tree.root_node(), &file.text, language);
    let target = the_one(file, &all, &wanted, name, first)?;
    let new = own.iter().copied().find(|method| method.params == target.params).unwrap_or(first);
    // Code that does not parse is taken as it is: where its method ends cannot be known, and the compiler tells why.
    let broken = new_tree.root_node().has_error();
    let text = if broken || (brought.len() == 1 && new.class == wrapped.class) {
        code.to_owned()
    } else {
        for other in brought.iter().filter(|other| other.node.id() != new.node.id()) {
            inserted.add(&whole_lines(other.node, &wrapped.text, language))?;
        }
        whole_lines(new.node, &wrapped.text, language)
    };
    Ok(splice(file, target, new, &wrapped.text, &text, language))
}

/// The method that is meant; without parameter types, those of the given code decide between overloads.
fn the_one<'m, 'tree>(
    file: &Original,
    all: &'m [MethodNode<'tree>],
    wanted: &Wanted,
    name: &str,
    brought: &MethodNode<'_>,
) -> Result<&'m MethodNode<'tree>, PatchError> {
    let fitting: Vec<_> = all.iter().filter(|method| wanted.fits(method)).collect();
    let fitting = match fitting.as_slice() {
        [_, _, ..] if wanted.params.is_none() => {
            let same: Vec<_> = fitting.iter().copied().filter(|method| method.params == brought.params).collect();
            if same.len() == 1 { same } else { fitting }
        }
        _ => fitting,
    };
    match fitting.as_slice() {
        [only] => Ok(only),
        [] => {
            let named: Vec<_> = all.iter().filter(|method| method.name == wanted.name).collect();
            let shown = if named.is_empty() { all.iter().collect() } else { named };
            let what = if shown.is_empty() { "no method at all".to_owned() } else { listed(&shown) };
            Err(unappliable(format!("no method `{name}` in {}; there is {what}", file.path)))
        }
        several => Err(unappliable(format!(
            "`{name}` names several methods in {}: {}; give the class and the parameter types",
            file.path,
            listed(several)
        ))),
    }
}

fn listed(methods: &[&MethodNode<'_>]) -> String {
    let mut names: Vec<String> = methods.iter().take(SHOWN).map(|method| format!("`{}`", method.qualified())).collect();
    if methods.len() > SHOWN {
        names.push(format!("{} more", methods.len() - SHOWN));
    }
    names.join(", ")
}

/// Puts the new text where the method stands, from its documentation on when the code brings one. Annotations stay
/// when the code brings none: whoever rewrites a body rarely means to drop `@Override`.
fn splice(
    file: &Original,
    target: &MethodNode<'_>,
    new: &MethodNode<'_>,
    wrapped: &str,
    code: &str,
    language: &dyn Language,
) -> Splice {
    let whole = language.whole(target.node);
    let brings_documentation = code.trim_start().starts_with("/**");
    let old_documentation = language.documentation(target.node, &file.text);
    let brings_annotations = language.annotations_end(new.node, wrapped).is_some();
    let start = match old_documentation.filter(|_| brings_documentation) {
        Some(comment) => comment.start_byte(),
        None if !brings_annotations && !brings_documentation => {
            language.annotations_end(target.node, &file.text).unwrap_or(whole.start_byte())
        }
        None => whole.start_byte(),
    };
    let line = file.line_of(start);
    let before = &file.text[file.start(line)..start];
    let indent = if before.trim().is_empty() { before } else { indent::indent_of(file.line(line)) };
    let mut moved = indent::moved(&written_lines(code), indent, language);
    // Commented-out code in the first column stays there.
    let outer: Vec<&str> = (line..=file.line_of(target.node.end_byte()))
        .map(|n| file.line(n))
        .filter(|line| !line.starts_with(indent) && line.trim().starts_with(language.line_comment()))
        .collect();
    for new in &mut moved {
        if let Some(old) = outer.iter().find(|old| old.trim() == new.trim()) {
            (*old).clone_into(new);
        }
    }
    let moved = moved.join(file.line_end(line));
    Splice { range: start..target.node.end_byte(), text: moved.strip_prefix(indent).unwrap_or(&moved).to_owned() }
}
