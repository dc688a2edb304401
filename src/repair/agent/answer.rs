//! From a model's answer to one command: native tool calls, or JSON wherever and however the model wrote it.
//!
//! One command is run per cycle; further ones are named so that the model is told. An answer without any command is
//! handed on as text: it may be a bare patch or marked code, and what that means is not decided here.

mod candidate;
mod outside;
mod tagged;
mod tolerant;

use crate::llm;
use candidate::Candidate;
pub(super) use outside::named_outside;
use serde_json::Value;

/// Most starts of JSON that are tried in one answer; program text has many braces and few documents.
const MAX_STARTS: usize = 4096;

/// All attempts together read at most this many times the length of the answer.
const MAX_READS: usize = 16;

/// Longer texts are not given to the last resort, whose cost is not bounded by us.
const LAST_RESORT_BYTES: usize = 64 * 1024;

/// Prose before a command is kept as thoughts up to this many characters.
const MAX_THOUGHTS: usize = 4000;

/// A command as the model wrote it, before names are mended.
#[derive(Debug, Clone, PartialEq)]
pub struct RawCommand {
    /// The tool's name as written; empty when the answer is bare: then `args` is the text, or the object that was
    /// the whole answer and names no tool.
    pub name: String,
    /// The arguments as written: an object as a rule, but whatever the model sent.
    pub args: Value,
}

/// What an answer says.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The model's reasoning; may be empty.
    pub thoughts: String,
    /// The command to run.
    pub command: RawCommand,
    /// Names of further commands, which are not run.
    pub not_run: Vec<String>,
    /// Whether broken JSON was mended on the way.
    pub repaired: bool,
}

impl Reply {
    /// Whether the answer names no command.
    pub(crate) fn is_bare(&self) -> bool {
        self.command.name.is_empty()
    }
}

/// An answer nothing can be made of; the reason goes back to the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unreadable {
    /// What is wrong, and what would be right.
    pub reason: String,
}

/// Reads an answer. Takes time proportional to its length.
///
/// # Errors
/// It is empty, cut at its token limit, or tries to be a command and cannot be understood.
pub fn read(answer: &llm::Answer) -> Result<Reply, Unreadable> {
    let cut = answer.finish.as_deref() == Some("length");
    if !answer.calls.is_empty() {
        return native(answer, cut);
    }
    let (hidden, text) = split_thinking(&answer.text);
    if text.trim().is_empty() {
        return Err(empty(cut));
    }
    let mut found = commands(text, cut);
    if found.list.is_empty() && !found.cut && tries_a_command(text) {
        found = last_resort(text).unwrap_or(found);
    }
    if found.list.is_empty() && !cut {
        found = in_tags(text).or_else(|| with_plain_quotes(text)).unwrap_or(found);
    }
    if found.list.is_empty() {
        return without_command(text, cut, found);
    }
    let first = found.list.remove(0);
    let prose = if first.thoughts.is_empty() { prose(hidden, &text[..found.start]) } else { first.thoughts };
    Ok(Reply {
        thoughts: prose,
        command: RawCommand { name: first.name, args: first.args },
        not_run: found.list.into_iter().map(|command| command.name).collect(),
        repaired: found.repaired,
    })
}

fn empty(cut: bool) -> Unreadable {
    let reason = if cut {
        "the answer is empty: the limit of tokens was used up before any text came; think less and answer at once"
    } else {
        "the answer is empty; answer with one command as JSON"
    };
    Unreadable { reason: reason.to_owned() }
}

fn native(answer: &llm::Answer, cut: bool) -> Result<Reply, Unreadable> {
    let first = &answer.calls[0];
    let written = first.arguments.trim();
    let (args, repaired) = match arguments(written) {
        _ if written.is_empty() => (Value::Object(serde_json::Map::new()), false),
        Some((args, repaired, unfinished)) if !(cut && unfinished) => (args, repaired),
        _ if cut => return Err(cut_off()),
        _ => {
            let reason = format!("the arguments of `{}` are not readable as JSON; send one JSON object", first.name);
            return Err(Unreadable { reason });
        }
    };
    Ok(Reply {
        thoughts: answer.text.trim().to_owned(),
        command: RawCommand { name: first.name.clone(), args },
        not_run: answer.calls[1..].iter().map(|call| call.name.clone()).collect(),
        repaired,
    })
}

/// JSON text to a value: strictly, then tolerantly. Also tells whether it was mended and whether its end was missing.
fn arguments(written: &str) -> Option<(Value, bool, bool)> {
    if let Ok(value) = serde_json::from_str::<Value>(written) {
        return Some((value, false, false));
    }
    let start = written.find('{')?;
    let read = tolerant::document(&written[start..]).ok()?;
    Some((read.value, true, read.unfinished))
}

fn cut_off() -> Unreadable {
    Unreadable {
        reason: "the answer was cut at the limit of tokens before its command was complete; answer again, shorter: \
                 few thoughts, and only the lines that change"
            .to_owned(),
    }
}

/// Commands found in a text.
#[derive(Debug, Default)]
struct Commands {
    list: Vec<Candidate>,
    /// Byte at which the first one starts.
    start: usize,
    repaired: bool,
    /// Whether a document ends inside a string.
    cut: bool,
    /// An object that is nearly the whole text and names no command.
    plain: Option<Value>,
}

impl Commands {
    /// Takes what a document says; `alone` when it is nearly the whole text.
    fn add(&mut self, start: usize, read: tolerant::Document, alone: bool) {
        let list = candidate::of(&read.value, alone);
        if self.list.is_empty() && !list.is_empty() {
            (self.start, self.repaired) = (start, read.repaired);
        }
        if list.is_empty() && alone && read.value.is_object() {
            (self.plain, self.repaired) = (Some(read.value), read.repaired);
        }
        self.list.extend(list);
    }
}

/// Walks through the text and reads every JSON document that names a command.
fn commands(text: &str, cut: bool) -> Commands {
    let mut found = Commands::default();
    let mut at = 0;
    let mut reads = text.len().saturating_mul(MAX_READS);
    for _ in 0..MAX_STARTS {
        let Some(start) = text[at..].find(['{', '[']).map(|offset| at + offset) else { break };
        at = start + 1;
        if !may_start(&text.as_bytes()[start..]) {
            continue;
        }
        match tolerant::document(&text[start..]) {
            Ok(read) if !(cut && read.unfinished) => {
                at = start + read.length;
                found.add(start, read, is_most_of(text, at - start));
            }
            Ok(read) => {
                found.cut = true;
                reads = reads.saturating_sub(read.length);
            }
            Err(refusal) => {
                found.cut |= refusal.cut;
                reads = reads.saturating_sub(refusal.at);
            }
        }
        if reads == 0 {
            break;
        }
    }
    found
}

/// Whether what stands behind an opening bracket can be JSON: sorts out most of program text at once.
fn may_start(bytes: &[u8]) -> bool {
    let next = bytes[1..].iter().find(|byte| !byte.is_ascii_whitespace());
    match bytes[0] {
        b'{' => next.is_some_and(|byte| matches!(byte, b'"' | b'\'' | b'/') || byte.is_ascii_alphabetic()),
        _ => next == Some(&b'{'),
    }
}

/// Whether `length` bytes are all of the text but a fence and its language.
fn is_most_of(text: &str, length: usize) -> bool {
    const FENCES: usize = 16;
    text.trim().len() <= length + FENCES
}

/// Whether the text has the words of a command in the form that is asked for, or of a native call.
fn tries_a_command(text: &str) -> bool {
    let has = |word: &str| text.contains(&format!("\"{word}\"")) || text.contains(&format!("'{word}'"));
    has("command") || (has("name") && (has("args") || has("arguments")))
}

/// Commands in tags instead of JSON.
fn in_tags(text: &str) -> Option<Commands> {
    let (start, list) = tagged::commands(text)?;
    Some(Commands { list, start, repaired: true, ..Commands::default() })
}

/// What a text says that was written with typographic quotation marks for its strings.
fn with_plain_quotes(text: &str) -> Option<Commands> {
    let plain = text.replace(['\u{201c}', '\u{201d}', '\u{201e}'], "\"").replace(['\u{2018}', '\u{2019}'], "'");
    if plain == text || !tries_a_command(&plain) {
        return None;
    }
    let found = commands(&plain, false);
    // Byte positions of the two texts differ; nothing before the command is kept.
    (!found.list.is_empty()).then(|| Commands { start: 0, repaired: true, ..found })
}

/// A library that guesses more boldly than we do, for what nothing else could read.
fn last_resort(text: &str) -> Option<Commands> {
    let start = text.find('{')?;
    let end = text.rfind('}')? + 1;
    let broken = text.get(start..end).filter(|part| part.len() <= LAST_RESORT_BYTES)?;
    let value = llm_json::loads(broken, &llm_json::RepairOptions::default()).ok()?;
    let list = candidate::of(&value, false);
    (!list.is_empty()).then(|| Commands { list, start, repaired: true, ..Commands::default() })
}

/// An answer that names no command: bare, unless it tried to be one.
fn without_command(text: &str, cut: bool, found: Commands) -> Result<Reply, Unreadable> {
    // Half of a bare patch can apply as well as a whole one: it must not be tried.
    if cut && found.plain.is_none() {
        return Err(cut_off());
    }
    if found.plain.is_none() && tries_a_command(text) {
        return Err(broken());
    }
    let repaired = found.plain.is_some() && found.repaired;
    let args = found.plain.unwrap_or_else(|| Value::String(text.trim().to_owned()));
    let command = RawCommand { name: String::new(), args };
    Ok(Reply { thoughts: String::new(), command, not_run: Vec::new(), repaired })
}

fn broken() -> Unreadable {
    Unreadable {
        reason: "the answer holds no readable command; answer with one JSON object of the form {\"thoughts\": \"…\", \
                 \"command\": {\"name\": \"…\", \"args\": {…}}}, with line breaks in strings written as \\n and quotes \
                 as \\\""
            .to_owned(),
    }
}

/// Some models think aloud inside `<think>` before they answer: drafts in there are no commands.
fn split_thinking(text: &str) -> (&str, &str) {
    const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];
    let trimmed = text.trim_start();
    for (open, close) in TAGS {
        // The opening tag may be part of the model's own template and then never arrives.
        if let Some((thinking, rest)) = trimmed.split_once(close) {
            let thinking = thinking.strip_prefix(open).unwrap_or(thinking);
            if !rest.trim().is_empty() {
                return (thinking.trim(), rest);
            }
        }
    }
    ("", text)
}

/// The model's text before its command.
fn prose(hidden: &str, before: &str) -> String {
    let visible = before.trim().trim_end_matches("json").trim_end_matches(['`', '~']).trim();
    let text = if visible.is_empty() { hidden } else { visible };
    text.chars().take(MAX_THOUGHTS).collect()
}

#[cfg(test)]
mod tests;

/// The objects of a list of objects, wherever it stands in a text: how variants of a patch are answered. Elements that
/// are no objects are passed over; a text without a list gives none. Of a list that was cut the whole elements are given.
pub(crate) fn list(text: &str) -> Vec<Value> {
    let (_, text) = split_thinking(text);
    let starts = text.match_indices('[').map(|(at, _)| at).take(MAX_LIST_STARTS);
    for start in starts {
        let elements = match tolerant::document(&text[start..]) {
            Ok(read) if !read.unfinished => match read.value {
                Value::Array(elements) => elements.into_iter().filter(Value::is_object).collect(),
                _ => Vec::new(),
            },
            _ => whole_elements(&text[start + 1..]),
        };
        if !elements.is_empty() {
            return elements;
        }
    }
    Vec::new()
}

/// The objects at the start of a list whose end is missing, up to the one that is cut.
fn whole_elements(text: &str) -> Vec<Value> {
    let mut rest = text.trim_start();
    let mut elements = Vec::new();
    while rest.starts_with('{') {
        match tolerant::document(rest) {
            Ok(read) if !read.unfinished => {
                elements.push(read.value);
                rest = rest[read.length..].trim_start().trim_start_matches(',').trim_start();
            }
            _ => break,
        }
    }
    elements
}

/// Brackets of prose that are tried before a text counts as holding no list.
const MAX_LIST_STARTS: usize = 50;
