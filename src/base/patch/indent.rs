//! Moving written code to the indentation of the place it goes to.

use crate::language::Language;

/// The white space a line starts with.
pub(super) fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Moves a line written at the indentation `from` to the indentation `to`, keeping what it has beyond `from`.
pub(super) fn shifted(line: &str, from: &str, to: &str) -> String {
    if from == to || line.trim().is_empty() {
        return line.to_owned();
    }
    let own = indent_of(line);
    let body = &line[own.len()..];
    if let Some(beyond) = own.strip_prefix(from) {
        return format!("{to}{}{body}", in_style(beyond, from, to));
    }
    if from.starts_with(own) {
        // Less indented than what it stands beside: it keeps the distance.
        let less = columns(from) - columns(own);
        return format!("{}{body}", without(to, less));
    }
    line.to_owned()
}

/// Spaces beyond the common indentation become tabs where the file has tabs, and the other way round.
fn in_style(beyond: &str, from: &str, to: &str) -> String {
    let tabs = |text: &str| !text.is_empty() && text.chars().all(|c| c == '\t');
    let spaces = |text: &str| text.chars().all(|c| c == ' ');
    if tabs(to) && spaces(from) && !beyond.is_empty() && spaces(beyond) {
        let unit = (from.len() / to.len()).max(1);
        let unit = if from.is_empty() { 4 } else { unit };
        return format!("{}{}", "\t".repeat(beyond.len() / unit), " ".repeat(beyond.len() % unit));
    }
    if tabs(from) && spaces(to) && tabs(beyond) {
        return " ".repeat(beyond.len() * (to.len() / from.len()).max(1));
    }
    beyond.to_owned()
}

fn columns(indent: &str) -> usize {
    indent.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

fn without(indent: &str, columns_less: usize) -> String {
    let mut shorter = indent.to_owned();
    let mut left = columns_less;
    while left > 0 {
        match shorter.pop() {
            Some('\t') => left = left.saturating_sub(4),
            Some(_) => left -= 1,
            None => break,
        }
    }
    shorter
}

/// Moves a whole declaration so that its first line stands at `to`.
pub(super) fn moved(code: &[String], to: &str, language: &dyn Language) -> Vec<String> {
    if language.is_indented() { indented(code, to) } else { block(code, to) }
}

/// The same where indentation is part of the code: what was given without the indentation of its first line alone is
/// left where it stands.
fn indented(code: &[String], to: &str) -> Vec<String> {
    let Some(first) = code.first() else { return Vec::new() };
    let rest = || code.iter().skip(1).filter(|line| !line.trim().is_empty());
    let shallowest = rest().map(|line| indent_of(line)).min_by_key(|indent| columns(indent)).unwrap_or("");
    let placed = indent_of(first).is_empty() && !to.is_empty() && columns(shallowest) > columns(to);
    let from = indent_of(first);
    let start = shifted(first, from, to);
    let rest = code.iter().skip(1).map(|line| if placed { line.clone() } else { shifted(line, from, to) });
    std::iter::once(start).chain(rest).collect()
}

/// Moves a whole declaration so that its first line stands at `to`. Where its first line was given without its
/// indentation, the closing line tells how the rest was written.
fn block(code: &[String], to: &str) -> Vec<String> {
    let Some(first) = code.first() else { return Vec::new() };
    let last = code.iter().rev().find(|line| !line.trim().is_empty());
    let from = match last {
        Some(last) if code.len() > 1 && last.trim_start().starts_with(['}', ')']) => indent_of(last),
        _ => indent_of(first),
    };
    let inside_text_block = code.iter().any(|line| line.contains("\"\"\""));
    if inside_text_block
        && code.iter().skip(1).any(|line| !line.trim().is_empty() && !indent_of(line).starts_with(from))
    {
        // Part of a string literal may stand left of the code: moving the lines could change its value.
        return code.to_vec();
    }
    let start = if indent_of(first).is_empty() { format!("{to}{first}") } else { shifted(first, indent_of(first), to) };
    let rest = code.iter().skip(1).map(|line| shifted(line, from, to));
    std::iter::once(start).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(code: &str, to: &str) -> String {
        let lines: Vec<String> = code.lines().map(str::to_owned).collect();
        block(&lines, to).join("\n")
    }

    #[test]
    fn blocks_move_as_a_whole() {
        assert_eq!(moved("int f() {\n    return 1;\n}", "  "), "  int f() {\n      return 1;\n  }");
        assert_eq!(moved("int f() {\n        return 1;\n    }", "    "), "    int f() {\n        return 1;\n    }");
        assert_eq!(moved("    int f() {\n        return 1;\n    }", "    "), "    int f() {\n        return 1;\n    }");
        assert_eq!(moved("int f() {\n    if (x)\n        y();\n}", "\t"), "\tint f() {\n\t\tif (x)\n\t\t\ty();\n\t}");
        assert_eq!(moved("int a;", "  "), "  int a;");
    }

    #[test]
    fn indentation_that_is_code_keeps_its_steps() {
        let moved = |code: &str, to: &str| {
            let lines: Vec<String> = code.lines().map(str::to_owned).collect();
            indented(&lines, to).join("\n")
        };
        let method = "    def f(self):\n        return {\n            1: 2,\n        }";
        assert_eq!(moved("def f(self):\n    return {\n        1: 2,\n    }", "    "), method);
        assert_eq!(moved(method, "    "), method);
        assert_eq!(moved(method.trim_start(), "    "), method);
        assert_eq!(moved(method, ""), "def f(self):\n    return {\n        1: 2,\n    }");
    }

    #[test]
    fn lines_keep_their_distance() {
        assert_eq!(shifted("      x", "    ", "  "), "    x");
        assert_eq!(shifted("  }", "    ", "        "), "      }");
        assert_eq!(shifted("        x", "    ", "\t"), "\t\tx");
        assert_eq!(shifted("\t\tx", "\t", "    "), "        x");
        assert_eq!(shifted("", "    ", "\t"), "");
    }
}
