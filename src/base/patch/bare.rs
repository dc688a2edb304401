//! Patches in answers that call no tool: a bare diff, search-and-replace blocks, a code block of whole methods or of a
//! whole file, a list of edits in JSON (as FixAgent's models answer).

use super::diff;
use super::members::{self, MethodNode};
use super::proposal::{Proposal, parse};
use super::{Edits, MethodEdit, Originals, render};
use crate::domain::{FileChange, Patch, RepoPath};
use crate::language::{self, Language, children, decode, text_of};
use std::fmt::Write;

/// What a bare answer is read against.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// The original files.
    pub originals: &'a dyn Originals,
    /// The file that code without a path is for.
    pub default_file: Option<&'a RepoPath>,
    /// The language of the code.
    pub language: &'static dyn Language,
}

/// A fenced block of an answer.
struct Block {
    /// What stands behind the opening fence: `java`, `java src/A.java`.
    info: String,
    /// The last line of text before the block.
    before: String,
    body: String,
}

/// Reads an answer; `None` when it holds no patch. What stands outside of the blocks is taken as the explanation.
pub fn parse_bare(text: &str, shown: &Shown<'_>) -> Option<Proposal> {
    let text = text.replace("\r\n", "\n");
    let (blocks, prose) = blocks(&text);
    let explanation = prose.trim().trim_matches('=').trim();
    let explained = |edits: Edits, prose: &str| Proposal {
        edits,
        explanation: (!prose.is_empty()).then(|| prose.to_owned()),
        analysis: None,
    };
    let json = blocks.iter().map(|block| block.body.as_str()).chain([text.as_str()]).find_map(json_edits);
    if let Some(mut proposal) = json {
        proposal.explanation =
            proposal.explanation.or_else(|| (!explanation.is_empty()).then(|| explanation.to_owned()));
        return Some(proposal);
    }
    let whole = Block { info: String::new(), before: String::new(), body: text.clone() };
    let replaced: String = if text.contains("<<<<<<< ") { search_replace(&text) } else { String::new() };
    if !replaced.is_empty() {
        return Some(explained(Edits::Diff(replaced), ""));
    }
    let diffs: Vec<String> =
        blocks.iter().filter(|block| is_diff(block)).map(|block| with_header(block, shown)).collect();
    if !diffs.is_empty() {
        return Some(explained(Edits::Diff(diffs.join("\n")), explanation));
    }
    if is_diff(&whole) {
        return Some(explained(Edits::Diff(text.clone()), ""));
    }
    code(&blocks, shown).map(|edits| explained(edits, explanation))
}

/// The fenced blocks of an answer and the text outside of them; a block that is never closed ends with the answer.
fn blocks(text: &str) -> (Vec<Block>, String) {
    let mut found: Vec<Block> = Vec::new();
    let mut prose = String::new();
    let mut open: Option<Block> = None;
    let mut before = String::new();
    for line in text.lines() {
        let fence = line.trim_start().strip_prefix("```");
        match (&mut open, fence) {
            (None, Some(info)) => {
                open = Some(Block { info: info.trim().to_owned(), before: before.clone(), body: String::new() });
            }
            (Some(_), Some(rest)) if rest.trim().is_empty() => found.extend(open.take()),
            (Some(block), _) => {
                let ends = line.strip_suffix("```");
                block.body.push_str(ends.unwrap_or(line));
                block.body.push('\n');
                if ends.is_some() {
                    found.extend(open.take());
                }
            }
            (None, None) => {
                let _ = writeln!(prose, "{line}");
                if !line.trim().is_empty() {
                    line.trim().clone_into(&mut before);
                }
            }
        }
    }
    found.extend(open);
    (found, prose)
}

fn json_edits(text: &str) -> Option<Proposal> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    parse(&serde_json::from_str(text).ok()?).ok()
}

fn is_diff(block: &Block) -> bool {
    let lines: Vec<&str> = block.body.lines().collect();
    let headed = lines.windows(2).any(|pair| pair[0].starts_with("--- ") && pair[1].starts_with("+++ "));
    let marked = lines.iter().any(|line| line.starts_with("@@") || line.starts_with("*** Update File:"));
    let named = ["diff", "patch"].iter().any(|name| block.info.starts_with(name));
    (headed || marked || named) && diff::parse(&block.body).is_ok()
}

/// A diff without a header takes the path that was named just before it.
fn with_header(block: &Block, shown: &Shown<'_>) -> String {
    let headed = block.body.lines().any(|line| line.starts_with("+++ ") || line.starts_with("*** "));
    match path_in(&block.before, shown).filter(|_| !headed) {
        Some(path) => format!("--- a/{path}\n+++ b/{path}\n{}", block.body),
        None => block.body.clone(),
    }
}

/// The existing source file that a line of text names, in quotes, after a colon, as a comment.
fn path_in(line: &str, shown: &Shown<'_>) -> Option<RepoPath> {
    let edges = |c: char| !(c.is_alphanumeric() || matches!(c, '/' | '_' | '$'));
    let words = line.split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '*' | '(' | ')' | ':' | ','));
    let named = words.map(|word| word.trim_matches(edges)).filter(|word| shown.language.is_source((*word).into()));
    named.filter_map(|word| existing(word, shown)).next()
}

fn existing(name: &str, shown: &Shown<'_>) -> Option<RepoPath> {
    let exact = RepoPath::new(name).ok().filter(|path| shown.originals.read(path).is_some());
    exact.or_else(|| language::resolve(name, shown.originals.paths().iter(), shown.language).ok().cloned())
}

/// Blocks of `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE` as hunks of a diff; a path above one is its file.
fn search_replace(text: &str) -> String {
    let mut out = String::new();
    let mut side = None;
    let mut path = "";
    for line in text.lines() {
        let trimmed = line.trim();
        match side {
            None if trimmed.starts_with("<<<<<<<") => {
                if !path.is_empty() {
                    let _ = write!(out, "--- a/{path}\n+++ b/{path}\n");
                }
                out.push_str("@@ @@\n");
                side = Some('-');
            }
            None if trimmed.starts_with("```") || trimmed.is_empty() => {}
            None => {
                let name = trimmed.trim_matches(['`', '*', ':', '#', ' ']);
                path = if name.contains('.') && !name.contains(char::is_whitespace) { name } else { "" };
            }
            Some('-') if trimmed.starts_with("=======") => side = Some('+'),
            Some('+') if trimmed.starts_with(">>>>>>>") => side = None,
            Some(mark) => {
                let _ = writeln!(out, "{mark}{line}");
            }
        }
    }
    if side.is_some() || diff::parse(&out).is_err() { String::new() } else { out }
}

/// Edits of blocks of code: whole files as a diff when every block is one, else methods.
fn code(blocks: &[Block], shown: &Shown<'_>) -> Option<Edits> {
    let is_code = |block: &&Block| {
        let tag = block.info.split([' ', ':']).next().unwrap_or("");
        tag.is_empty() || tag.eq_ignore_ascii_case(shown.language.fence())
    };
    let blocks: Vec<&Block> = blocks.iter().filter(is_code).collect();
    let whole: Vec<Option<String>> = blocks.iter().map(|block| whole_file(block, shown)).collect();
    if !whole.is_empty() && whole.iter().all(Option::is_some) {
        return Some(Edits::Diff(whole.into_iter().flatten().collect()));
    }
    let edits: Vec<MethodEdit> = blocks.iter().flat_map(|block| method_edits(block, shown)).collect();
    (!edits.is_empty()).then_some(Edits::Methods(edits))
}

/// The file that a block of code is for.
fn file_of(block: &Block, shown: &Shown<'_>) -> Option<RepoPath> {
    let first = block.body.lines().next().filter(|line| line.trim_start().starts_with(shown.language.line_comment()));
    let named = path_in(&block.info, shown)
        .or_else(|| first.and_then(|line| path_in(line, shown)))
        .or_else(|| path_in(&block.before, shown));
    named
        .or_else(|| {
            let tree = language::parse(&block.body, shown.language)?;
            let types = members::types(tree.root_node(), &block.body, shown.language.syntax());
            let outer = types.first()?.path.clone();
            let of_type = existing(&outer, shown).filter(|path| path.stem() == outer);
            of_type.filter(|path| Some(path) != shown.default_file)
        })
        .or_else(|| shown.default_file.cloned())
}

/// The diff from the original to a block that holds the whole file: all of its types and methods are there. A block
/// that leaves some out shows only a part, and what it leaves out must not be lost.
fn whole_file(block: &Block, shown: &Shown<'_>) -> Option<String> {
    let path = file_of(block, shown)?;
    let bytes = shown.originals.read(&path)?;
    let original = decode(&bytes).0;
    let (before, after) = (names(&original, shown)?, names(&block.body, shown)?);
    if before.is_empty() || !before.iter().all(|name| after.contains(name)) {
        return None;
    }
    let text = if original.contains("\r\n") { block.body.replace('\n', "\r\n") } else { block.body.clone() };
    let change = FileChange { path, before: Some(original.into_bytes().into()), after: text.into_bytes().into() };
    Some(render(&Patch { files: vec![change] }))
}

/// Types, fields and methods of a text; `None` when it does not parse.
fn names(text: &str, shown: &Shown<'_>) -> Option<Vec<String>> {
    let syntax = shown.language.syntax();
    let tree = language::parse(text, shown.language)?;
    if tree.root_node().has_error() {
        return None;
    }
    let types = members::types(tree.root_node(), text, syntax);
    let fields = types.iter().flat_map(|kind| {
        let all = members::members(kind.node, syntax).into_iter().filter(|node| syntax.fields.contains(&node.kind()));
        all.flat_map(|node| members::field_names(node, text, shown.language))
            .map(|name| format!("{}.{name}", kind.path))
            .collect::<Vec<_>>()
    });
    let methods = members::methods(tree.root_node(), text, shown.language);
    let mut names: Vec<String> = methods.iter().map(MethodNode::qualified).collect();
    names.extend(fields);
    names.extend(types.into_iter().map(|kind| kind.path));
    Some(names)
}

/// Each method of a block as an edit: of the method of that name and those parameter types where the file has it, else
/// as a new member. Blocks of a whole type give its methods that are not as in the original.
fn method_edits(block: &Block, shown: &Shown<'_>) -> Vec<MethodEdit> {
    let syntax = shown.language.syntax();
    let Some(path) = file_of(block, shown) else { return Vec::new() };
    let Some(original) = shown.originals.read(&path).map(|bytes| decode(&bytes).0) else { return Vec::new() };
    let Some(old_tree) = language::parse(&original, shown.language) else { return Vec::new() };
    let old = members::methods(old_tree.root_node(), &original, shown.language);
    let whole_type = language::parse(&block.body, shown.language)
        .filter(|tree| !members::types(tree.root_node(), &block.body, syntax).is_empty())
        .map(|tree| (tree, block.body.clone()));
    let nested = whole_type.is_some();
    let alone = || members::parse_as_members(&block.body, shown.language).map(|(tree, wrapped)| (tree, wrapped.text));
    let Some((tree, text)) = whole_type.or_else(alone) else { return Vec::new() };
    let edit = |method: &MethodNode<'_>| {
        let same = |other: &&MethodNode<'_>| {
            other.name == method.name
                && other.params == method.params
                && (!nested || members::ends_alike(&other.class, &method.class))
        };
        let target = old.iter().find(same);
        let code = members::whole_lines(method.node, &text, shown.language);
        let unchanged = target.is_some_and(|old| {
            let old = text_of(old.node, &original);
            super::compare::same_members(old, text_of(method.node, &text), shown.language)
        });
        (!unchanged).then(|| MethodEdit {
            file_path: path.as_str().to_owned(),
            method: target.map(MethodNode::qualified),
            code,
        })
    };
    let mut edits: Vec<MethodEdit> =
        members::methods(tree.root_node(), &text, shown.language).iter().filter_map(edit).collect();
    let imports: Vec<&str> = children(tree.root_node())
        .into_iter()
        .filter(|node| syntax.imports.contains(&node.kind()))
        .map(|node| text_of(node, &text))
        .collect();
    if !edits.is_empty() && !imports.is_empty() {
        edits.push(MethodEdit { file_path: path.as_str().to_owned(), method: None, code: imports.join("\n") });
    }
    edits
}

#[cfg(test)]
mod tests;
