//! What gcc and clang complain of, read from the output of a build.

use camino::Utf8Path;
use regex::Regex;
use std::sync::LazyLock;
use unidebug_base::domain::{Diagnostic, RepoPath};

/// `src/stack.c:12:5: error: …`, with or without a column.
static ERROR: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^([^:\s]+\.[ch]):(\d+):(?:\d+:)? (?:fatal )?error: (.+)$").ok());
/// `src/stack.c:12:5: warning: …`.
static WARNING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^([^:\s]+\.[ch]):(\d+):(?:\d+:)? warning: (.+)$").ok());
/// `stack.c:(.text+0x1f): undefined reference to `f'` of the linker.
static LINKER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"((?:undefined reference to|multiple definition of) .+)$").ok());

/// Errors of the compiler; where it has none, those of the linker. Paths are told inside the copy.
pub(super) fn diagnostics(output: &str, tree: &Utf8Path) -> Vec<Diagnostic> {
    let found = of_compiler(output, tree, ERROR.as_ref());
    if !found.is_empty() {
        return found;
    }
    let of_linker = |line: &str| Some(LINKER.as_ref()?.captures(line)?[1].to_owned());
    output.lines().filter_map(of_linker).map(|message| Diagnostic { file: None, line: 0, message }).collect()
}

/// What the compiler warns of, each once.
pub(super) fn warnings(output: &str, tree: &Utf8Path) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for warning in of_compiler(output, tree, WARNING.as_ref()) {
        if !found.contains(&warning) {
            found.push(warning);
        }
    }
    found
}

fn of_compiler(output: &str, tree: &Utf8Path, kind: Option<&Regex>) -> Vec<Diagnostic> {
    let parse = |line: &str| {
        let found = kind?.captures(line)?;
        let path = Utf8Path::new(&found[1]);
        let inside = path.strip_prefix(tree).unwrap_or(path);
        let file = RepoPath::new(inside.as_str().trim_start_matches("./")).ok();
        Some(Diagnostic { file, line: found[2].parse().unwrap_or(0), message: found[3].to_owned() })
    };
    output.lines().filter_map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_with_their_place() {
        let output = "cc -c src/a.c\nsrc/a.c: In function 'f':\nsrc/a.c:3:5: warning: unused\n/copy/src/a.c:4:9: error: expected ';' before '}' token\n";
        let found = diagnostics(output, "/copy".into());
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].file.as_ref().unwrap().as_str(), found[0].line), ("src/a.c", 4));
        let warned = warnings(&format!("{output}src/a.c:3:5: warning: unused\n"), "/copy".into());
        assert_eq!((warned.len(), warned[0].message.as_str()), (1, "unused"));
        let linker = "/usr/bin/ld: a.o: in function `main':\na.c:(.text+0x9): undefined reference to `g'\n";
        assert_eq!(diagnostics(linker, "/copy".into())[0].message, "undefined reference to `g'");
    }
}
