//! What tests cannot judge: code that ends or escapes the test process, swallows every error, or knows the test's
//! values. Only added code is looked at, in its tree; the findings are reasons for a review, not proofs.

use super::content::lines_of;
use crate::domain::{FileChange, Patch};
use crate::language::{self, Language, children, decode, on_one_line, text_of};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// Literals that code compares with for good reasons: they say nothing about a test.
const COMMON: [&str; 14] =
    ["0", "1", "-1", "2", "0L", "1L", "0.0", "1.0", "\"\"", "' '", "'\\0'", "true", "false", "null"];
/// Types whose mere use in a repair asks for an explanation.
const TYPES: [(&str, &str); 4] = [
    ("ProcessBuilder", "starts a process"),
    ("Unsafe", "goes around the rules of the language"),
    ("AssumptionViolatedException", "makes a test count as skipped"),
    ("TestAbortedException", "makes a test count as skipped"),
];

/// Why a person should look at the patch; empty for most patches. `tests` is the code of the triggering tests. Things
/// that the original did as often are not held against the patch.
pub fn reasons(patch: &Patch, tests: &[&str], language: &dyn Language) -> Vec<String> {
    let known: BTreeSet<String> = tests.iter().flat_map(|code| literals(code, language)).collect();
    let mut found = Vec::new();
    for file in &patch.files {
        found.extend(in_file(file, &known, language));
    }
    found.dedup();
    found
}

/// Something seen: what to say, and the line it begins on, counted from 0.
struct Finding {
    reason: String,
    line: usize,
}

fn in_file(file: &FileChange, known: &BTreeSet<String>, language: &dyn Language) -> Vec<String> {
    let before = file.before.as_deref().map(|bytes| decode(bytes).0).unwrap_or_default();
    let after = decode(&file.after).0;
    let added = added_lines(&before, &after);
    let own: BTreeSet<String> = literals(&before, language).into_iter().collect();
    let new_literals: BTreeSet<&String> = known.iter().filter(|literal| !own.contains(*literal)).collect();
    let mut old: BTreeMap<String, usize> = BTreeMap::new();
    for finding in findings(&before, &new_literals, language) {
        *old.entry(finding.reason).or_default() += 1;
    }
    let mut new: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for finding in findings(&after, &new_literals, language) {
        new.entry(finding.reason).or_default().push(finding.line);
    }
    let mut told: Vec<(usize, String)> = Vec::new();
    for (reason, lines) in new {
        let more = lines.len() > old.get(&reason).copied().unwrap_or(0);
        if let Some(line) = lines.iter().find(|line| added.contains(line)).filter(|_| more) {
            told.push((*line, format!("{}:{}: {reason}", file.path, line + 1)));
        }
    }
    told.sort();
    told.into_iter().map(|(_, reason)| reason).collect()
}

/// Lines of the new text, counted from 0, that the old one does not have.
fn added_lines(before: &str, after: &str) -> BTreeSet<usize> {
    let ops = capture_diff_slices(Algorithm::Patience, &lines_of(before), &lines_of(after));
    ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })).flat_map(DiffOp::new_range).collect()
}

fn findings(text: &str, literals: &BTreeSet<&String>, language: &dyn Language) -> Vec<Finding> {
    let Some(tree) = language::parse(text, language) else { return Vec::new() };
    let mut found = Vec::new();
    language::preorder(tree.root_node(), |node| {
        let reason = match node.kind() {
            "method_invocation" => invocation(node, text),
            "type_identifier" | "identifier" => named(node, text),
            "catch_clause" => broad_catch(node, text, language),
            "import_declaration" => imported(node, text),
            "if_statement" | "ternary_expression" | "while_statement" => {
                node.child_by_field_name("condition").and_then(|node| special_case(node, text, literals))
            }
            "switch_label" => special_case(node, text, literals),
            "line_comment" | "block_comment" | "string_literal" | "character_literal" => hidden_code(node, text),
            _ => None,
        };
        found.extend(reason.map(|reason| Finding { reason, line: node.start_position().row }));
        true
    });
    found
}

/// Calls that end the process, start another one or open what is closed.
fn invocation(node: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(node.child_by_field_name("name")?, text);
    let receiver = node.child_by_field_name("object").map_or("", |object| text_of(object, text));
    let of = |kind: &str| {
        receiver == kind || receiver.ends_with(&format!(".{kind}")) || receiver.starts_with(&format!("{kind}."))
    };
    match name {
        "exit" | "halt" if of("System") || receiver.contains("Runtime") => Some(format!("`{name}` ends the process")),
        "exec" if receiver.contains("Runtime") => Some("`exec` starts a process".to_owned()),
        "setAccessible" | "trySetAccessible" => Some(format!("`{name}` opens what is closed")),
        _ => None,
    }
}

fn named(node: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(node, text);
    let (_, what) = TYPES.iter().find(|(kind, _)| *kind == name)?;
    Some(format!("`{name}` {what}"))
}

fn imported(node: Node<'_>, text: &str) -> Option<String> {
    let import = on_one_line(text_of(node, text));
    let hides =
        ["java.lang.System.exit", "java.lang.System.*", "java.lang.Runtime."].iter().any(|name| import.contains(name));
    (hides && import.contains(" static ")).then(|| format!("`{import}` hides what ends the process"))
}

/// A catch of everything whose body does nothing, or only returns.
fn broad_catch(node: Node<'_>, text: &str, language: &dyn Language) -> Option<String> {
    let parameter = children(node).into_iter().find(|child| child.kind() == "catch_formal_parameter")?;
    let kinds = children(parameter).into_iter().find(|child| child.kind() == "catch_type")?;
    let broad = children(kinds).into_iter().map(|kind| text_of(kind, text)).find(|name| {
        ["Throwable", "Exception", "Error", "RuntimeException"].contains(&name.rsplit('.').next().unwrap_or(name))
    })?;
    let body = node.child_by_field_name("body")?;
    let mut statements =
        children(body).into_iter().filter(|child| child.is_named() && !language.syntax().is_comment(*child));
    match statements.next().map(|first| first.kind()) {
        None => Some(format!("`catch ({broad})` swallows every error")),
        Some("return_statement" | "continue_statement" | "break_statement") => {
            Some(format!("`catch ({broad})` turns every error into an answer"))
        }
        Some(_) => None,
    }
}

/// A comparison with a value that the triggering tests use and the original code does not.
fn special_case(condition: Node<'_>, text: &str, literals: &BTreeSet<&String>) -> Option<String> {
    let mut found = None;
    language::preorder(condition, |node| {
        let compares = match node.kind() {
            "binary_expression" => {
                node.child_by_field_name("operator").is_some_and(|o| ["==", "!="].contains(&text_of(o, text)))
            }
            "method_invocation" => node
                .child_by_field_name("name")
                .is_some_and(|name| ["equals", "equalsIgnoreCase", "contentEquals"].contains(&text_of(name, text))),
            "switch_label" => true,
            _ => false,
        };
        if compares && found.is_none() {
            let sides = children(node).into_iter().flat_map(|child| match child.kind() {
                "argument_list" => children(child),
                _ => vec![child],
            });
            found = sides.filter_map(|side| literal(side, text)).find(|literal| literals.contains(literal));
        }
        found.is_none()
    });
    found.map(|literal| format!("a special case for {literal}, a value of the triggering test"))
}

/// The text of a literal, with its sign.
fn literal(node: Node<'_>, text: &str) -> Option<String> {
    let is_literal =
        |node: Node<'_>| node.kind().ends_with("_literal") && !["class_literal", "null_literal"].contains(&node.kind());
    match node.kind() {
        "unary_expression" => {
            let operand = node.child_by_field_name("operand").filter(|operand| is_literal(*operand))?;
            let sign = node.child_by_field_name("operator").filter(|sign| text_of(*sign, text) == "-")?;
            Some(format!("{}{}", text_of(sign, text), text_of(operand, text)))
        }
        _ if is_literal(node) => Some(text_of(node, text).to_owned()),
        _ => None,
    }
}

fn literals(text: &str, language: &dyn Language) -> Vec<String> {
    // The code of a test is a method: on its own it is no whole file.
    let Some((tree, wrapped)) = super::members::parse_as_members(text, language) else { return Vec::new() };
    let mut found = Vec::new();
    language::preorder(tree.root_node(), |node| {
        let one = literal(node, &wrapped);
        let below = one.is_none();
        found.extend(one.filter(|literal| !COMMON.contains(&literal.as_str())));
        below
    });
    found
}

/// Unicode escapes that spell printable ASCII or line breaks: the compiler reads them as code wherever they stand.
fn hidden_code(node: Node<'_>, text: &str) -> Option<String> {
    let body = text_of(node, text);
    let spelled = body.match_indices("\\u").filter(|(at, _)| {
        let escaped = body[..*at].chars().rev().take_while(|c| *c == '\\').count() % 2 == 1;
        let digits: String = body[at + 2..].trim_start_matches('u').chars().take(4).collect();
        let code = u32::from_str_radix(&digits, 16).unwrap_or(0);
        !escaped && (matches!(code, 0x0A | 0x0D) || (0x21..0x7F).contains(&code))
    });
    let (at, _) = spelled.into_iter().next()?;
    let shown: String = body[at..].chars().take(6).collect();
    Some(format!("the escape `{shown}` hides code from readers"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RepoPath;
    use crate::language::Java;

    const TEST: &str = "@Test void t() { assertEquals(\"magic\", f(4711, -17, 0)); }";

    fn told(before: &str, after: &str) -> Vec<String> {
        let wrap = |body: &str| format!("class A {{\n  Object f(int n, String s) {{\n{body}\n  }}\n}}\n");
        let change = FileChange {
            path: RepoPath::new("A.java").unwrap(),
            before: Some(wrap(before).into_bytes().into()),
            after: wrap(after).into_bytes().into(),
        };
        reasons(&Patch { files: vec![change] }, &[TEST], &Java)
    }

    #[test]
    fn what_ends_or_escapes_the_process_is_told() {
        for (after, word) in [
            ("System.exit(0); return 1;", "`exit` ends the process"),
            ("java.lang.System.exit(0); return 1;", "`exit` ends the process"),
            ("Runtime.getRuntime().halt(0); return 1;", "`halt`"),
            ("Runtime.getRuntime().exec(s); return 1;", "`exec`"),
            ("field.setAccessible(true); return 1;", "`setAccessible`"),
            ("new ProcessBuilder(s).start(); return 1;", "`ProcessBuilder`"),
            ("sun.misc.Unsafe u = null; return 1;", "`Unsafe`"),
            ("throw new AssumptionViolatedException(s);", "skipped"),
            ("try { return n / 0; } catch (Throwable t) { }", "swallows"),
            ("try { return n / 0; } catch (IOException | RuntimeException e) { /* no */ return 0; }", "into an answer"),
            ("return 1; // \\u000a System.exit(0);", "hides code"),
        ] {
            let reasons = told("return 2;", after);
            assert!(reasons.iter().any(|reason| reason.contains(word)), "{after}: {reasons:?}");
            assert!(reasons[0].starts_with("A.java:3: "), "{reasons:?}");
        }
    }

    #[test]
    fn special_cases_for_the_test_are_told() {
        for after in [
            "if (n == 4711) return 1; return 2;",
            "if (n > 0 && -17 == n) return 1; return 2;",
            "if (\"magic\".equals(s)) return 1; return 2;",
            "return s.equals(\"magic\") ? 1 : 2;",
            "switch (n) { case 4711: return 1; default: return 2; }",
        ] {
            assert!(told("return 2;", after)[0].contains("special case"), "{after}");
        }
    }

    #[test]
    fn honest_repairs_are_left_alone() {
        for (before, after) in [
            ("return 2;", "if (n == 0 || s == null || s.equals(\"\")) return 1; return 2;"),
            ("return 2;", "if (n > 4711) return 1; return 2;"),
            ("return 2;", "String x = \"magic\"; return 2; // System.exit(0)"),
            ("return 2;", "try { return n; } catch (IllegalStateException e) { return 0; }"),
            ("return 2;", "try { return n; } catch (Exception e) { throw new IllegalStateException(e); }"),
            ("if (n == 4711) return 1; return 2;", "if (n == 4711) return 3; return 2;"),
            ("System.exit(1); return 2;", "System.exit(1); return 3;"),
            ("return 2;", "return system.exit(0);"),
            ("return 2;", "return \"\\\\u0041\" + '\\u0000';"),
        ] {
            assert_eq!(told(before, after), Vec::<String>::new(), "{after}");
        }
    }
}
