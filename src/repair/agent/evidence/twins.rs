//! Twins of marked lines: places of the product whose lines are the same but for names. A fault seldom comes alone.

use crate::code::SourceFile;
use crate::domain::Mark;
use crate::domain::words::clipped;
use crate::tools::Workbench;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Twins that are named.
const TWINS: usize = 4;
/// Where there are more, it is how the project writes such code.
const IDIOM: usize = 8;
/// Words and signs in three lines that make them no accident.
const TELLING: usize = 16;
/// Characters of a line.
const LINE: usize = 100;
/// Words that are never names of a variable.
const KEPT: [&str; 24] = [
    "return", "throw", "new", "else", "try", "catch", "raise", "not", "in", "and", "or", "is", "None", "True", "False",
    "null", "true", "false", "this", "self", "break", "continue", "int", "if",
];

/// The twins of all marks; empty when there are none.
pub(super) fn text(bench: &Workbench, marks: &[Mark]) -> String {
    let mut found: Vec<(&SourceFile, u32)> = Vec::new();
    for mark in marks {
        let place = &mark.location;
        let Some(form) = bench.index.file(&place.file).and_then(|file| form(file, place.line)) else { continue };
        let own = |file: &SourceFile, line: u32| {
            marks.iter().any(|mark| mark.location.file == file.path && mark.location.line.abs_diff(line) < 2)
        };
        let mut twins: Vec<(&SourceFile, u32)> = Vec::new();
        for file in bench.index.files().iter().filter(|file| !file.test) {
            let same = (1..=file.line_count()).filter(|line| self::form(file, *line).as_ref() == Some(&form));
            twins.extend(same.filter(|line| !own(file, *line)).map(|line| (&**file, line)));
        }
        if twins.len() <= IDIOM {
            found.extend(
                twins
                    .into_iter()
                    .filter(|twin| !found.iter().any(|(file, line)| file.path == twin.0.path && *line == twin.1))
                    .collect::<Vec<_>>(),
            );
        }
    }
    let mut text = String::new();
    for (file, line) in found.iter().take(TWINS) {
        let method = bench.index.method_at(&file.path, *line).map_or("", |method| method.name.as_str());
        let code = clipped(file.line(*line).unwrap_or("").trim(), LINE);
        let _ = writeln!(text, "- {}:{line} in {method}: `{code}`", file.path);
    }
    if !text.is_empty() {
        text.push_str("Lines like the marked ones: repair them too where the cause is the same.\n");
    }
    text
}

/// A line with its neighbours as what is compared; nothing where they say too little.
fn form(file: &SourceFile, line: u32) -> Option<Vec<String>> {
    let around = line.checked_sub(1).filter(|before| *before > 0)?..=line + 1;
    let mut names = BTreeMap::new();
    let mut form = Vec::new();
    for line in around {
        let text = file.line(line)?.trim();
        if text.is_empty() {
            return None;
        }
        form.extend(words(text, &mut names));
        form.push("\n".to_owned());
    }
    (form.len() >= TELLING).then_some(form)
}

/// Words and signs of a line. Names of variables are numbered in their order; what is called, literals and signs stay.
fn words(text: &str, names: &mut BTreeMap<String, usize>) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' | '\'' => rest[1..].find(first).map_or(rest.len(), |at| at + 2),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (word, behind) = rest.split_at(end);
        rest = behind;
        if word.trim().is_empty() {
            continue;
        }
        let is_name = first.is_alphabetic() && !KEPT.contains(&word) && !behind.trim_start().starts_with('(');
        let count = names.len();
        words.push(match is_name {
            true => format!("#{}", names.entry(word.to_owned()).or_insert(count)),
            false => word.to_owned(),
        });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::outline_text;
    use crate::domain::RepoPath;
    use crate::language::Java;

    #[test]
    fn names_do_not_count_and_calls_and_signs_do() {
        let file = |condition: &str, name: &str| {
            let code = format!(
                "class A {{\n  int f(int {name}) {{\n    int size = rows({name});\n    if ({condition}) {{\n      return size - 1;\n    }}\n  }}\n}}\n"
            );
            outline_text(&RepoPath::new("A.java").unwrap(), &code, &Java)
        };
        let marked = form(&file("index > size", "index"), 4);
        assert!(marked.is_some());
        assert_eq!(marked, form(&file("at > size", "at"), 4));
        assert_ne!(marked, form(&file("at >= size", "at"), 4));
        assert_eq!(form(&file("at > size", "at"), 1), None, "a line without neighbours says nothing");
    }
}
