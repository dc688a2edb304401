//! The families in C: what they propose for small functions.

use super::{names, types};
use crate::C;
use camino::Utf8Path;
use std::sync::Arc;
use unidebug_base::code::CodeIndex;
use unidebug_base::domain::{Location, Ranking, RepoPath, Suspect};
use unidebug_repair::templates::syntax::Unit;
use unidebug_repair::templates::{Candidate, Engine, Options};

const SOURCE: &str = "#include <stdio.h>

static int limit = 10;

static int shift(int by, const char *text)
{
    return by + text[0];
}

int count(const char *text, int *found, size_t size)
{
    int n = 0, *last = found;
    for (int i = 0; i < size; i++) {
        if (text[i] > 'a' && found[i]) {
            n += found[i] / 2;
            continue;
        } else if (n) {
            n = shift(n, text);
        }
    }
    return n;
}
";

/// What the engine tries where one line of a source is suspicious, the likeliest first.
fn candidates(source: &str, line: u32) -> Vec<Candidate> {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    std::fs::create_dir(root.join("src")).unwrap();
    std::fs::write(root.join("src/a.c"), source).unwrap();
    let index = CodeIndex::build(root, &[RepoPath::new("src").unwrap()], &[], &C);
    let location = Location { file: RepoPath::new("src/a.c").unwrap(), line };
    let suspect = Suspect { location, method: None, score: 1.0, reasons: Vec::new() };
    let ranking = Ranking { lines: vec![suspect], tests: Vec::new(), source: "given".into() };
    Engine::new(&index, &ranking, Options::default()).next_batch(10_000)
}

/// The text that a candidate leaves behind.
fn text_after(candidate: &Candidate) -> String {
    String::from_utf8(candidate.patch.files[0].after.to_vec()).unwrap()
}

/// The line of each text that the engine proposes for a line.
fn proposed(line: u32) -> Vec<String> {
    let texts = candidates(SOURCE, line);
    let texts = texts.iter().map(text_after);
    let at = usize::try_from(line).unwrap() - 1;
    texts.map(|text| text.lines().nth(at).unwrap_or_default().trim().to_owned()).collect()
}

#[test]
fn variables_have_the_types_of_their_declarators() {
    let unit = Unit::new(RepoPath::new("a.c").unwrap(), Arc::from(SOURCE), &C).unwrap();
    let at = unit.statement_at(15).unwrap();
    let shown: Vec<String> =
        names::visible(at, &unit).iter().map(|v| format!("{} {}", v.kind.as_ref().unwrap(), v.name)).collect();
    assert_eq!(shown, ["int i", "int n", "int[] last", "char[] text", "int[] found", "int size", "int limit"]);
    for (text, kind) in [
        ("unsigned long long", "int"),
        ("const struct node *", "node[]"),
        ("uint8_t", "int"),
        ("static float", "double"),
        ("bool", "boolean"),
        ("char **", "char[][]"),
        ("FILE *", "FILE[]"),
    ] {
        assert_eq!(types::of(text).as_str(), kind, "{text}");
    }
}

#[test]
fn the_families_of_expressions_know_c() {
    for (line, wanted) in [
        (7, "return by - text[0];"),
        (7, "return by;"),
        (13, "for (int i = 0; i <= size; i++) {"),
        (13, "for (int i = 1; i < size; i++) {"),
        (13, "for (int i = 0; i < n; i++) {"),
        (14, "if (text[i] >= 'a' && found[i]) {"),
        (14, "if (text[i] > 'a' || found[i]) {"),
        (14, "if (found[i]) {"),
        (14, "if (text[i] > 'a' && found[i] && n > 0) {"),
        (15, "n += found[i + 1] / 2;"),
        (15, "n += last[i] / 2;"),
        (15, "n += found[i] * 2;"),
        (15, "n -= found[i] / 2;"),
        (15, "n = found[i] / 2;"),
        (16, "break;"),
        (16, "return 0;"),
        (17, "} else if (!n) {"),
        (18, "n = shift(i, text);"),
        (18, "n = shift(n + 1, text);"),
        (21, "return limit;"),
        (21, "return n + 1;"),
    ] {
        let all = proposed(line);
        assert!(all.iter().any(|text| text == wanted), "{wanted}: {all:#?}");
    }
}

#[test]
fn no_proposal_asks_what_only_java_can() {
    let all: Vec<String> = [7, 12, 13, 14, 15, 18, 21].into_iter().flat_map(proposed).collect();
    for word in [".length", "null", "true", "false", ".size()"] {
        assert!(!all.iter().any(|text| text.contains(word)), "{word}: {all:#?}");
    }
}

#[test]
fn statements_are_copied_moved_and_removed() {
    let all: Vec<String> = candidates(SOURCE, 15).iter().map(text_after).collect();
    assert!(all.iter().any(|text| text.contains("            continue;\n            n += found[i] / 2;")));
    assert!(all.iter().any(|text| !text.contains("n += found[i] / 2;") && text.contains("continue;")));
    assert!(all.iter().any(|text| text.contains("n = i;")), "an assignment");
}

#[test]
fn a_pointer_that_is_followed_may_be_null() {
    let source = "struct node { int value; struct node *next; };\n\nint last(struct node *at)\n{\n    \
                  while (at->next != NULL) {\n        at = at->next;\n    }\n    return at->value;\n}\n";
    let of = |line| {
        let all = candidates(source, line);
        let guards = all.iter().filter(|candidate| candidate.template == "null_guard");
        guards.map(text_after).collect::<Vec<String>>()
    };
    assert!(of(5)[0].contains("while (at != NULL && at->next != NULL) {"), "{:#?}", of(5));
    assert!(of(8).iter().any(|text| text.contains("    if (at == NULL) { return 0; }\n    return at->value;")));
}
