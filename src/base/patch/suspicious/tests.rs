//! What a person should look at, and what is usual.

use super::*;
use crate::language::{Java, Python};

const TEST: &str = "@Test void t() { assertEquals(\"magic\", f(4711, -17, 0)); }";

fn reviewed(before: &str, after: &str) -> Vec<String> {
    let wrap = |body: &str| format!("class A {{\n  Object f(int n, String s) {{\n{body}\n  }}\n}}\n");
    told_of("A.java", [&wrap(before), &wrap(after)], &[TEST], &Java)
}

#[test]
fn a_part_of_a_text_of_the_test_is_one_of_its_values_when_it_tells_which_text_is_meant() {
    let test = "@Test void t() { assertThrows(E.class, () -> read(\"Fri Feb 30 12:00:00 UTC 2024\")); }";
    let found = |condition: &str| {
        let text = |body: &str| format!("class A {{\n  Date read(String s) {{\n{body}    return parse(s);\n  }}\n}}\n");
        let path = crate::domain::RepoPath::new("A.java").unwrap();
        let after = text(&format!("    if (s.contains({condition})) throw new E();\n"));
        let file = FileChange { path, before: Some(text("").as_bytes().into()), after: after.as_bytes().into() };
        values_of_tests(&Patch { files: vec![file] }, &[test], &Java)
    };
    assert_eq!(found("\"Feb 30\""), ["\"Feb 30\""]);
    for usual in ["\"UTC\"", "\":00:00\"", "\"Mar 31\"", "\"Fri Feb\""] {
        assert!(found(usual).is_empty(), "{usual}");
    }
}

#[test]
fn a_message_that_a_test_asks_for_is_none_of_its_values_where_it_is_thrown() {
    let values = |language: &dyn Language, name: &str, after: &str, test: &str| {
        let path = crate::domain::RepoPath::new(name).unwrap();
        let file = FileChange { path, before: None, after: after.as_bytes().into() };
        values_of_tests(&Patch { files: vec![file] }, &[test], language)
    };
    let java = |does: &str| {
        let after = format!("class A {{ String f(String s) {{ if (s == null) {does}; return s; }} }}");
        values(&Java, "A.java", &after, "@Test void t() { assertEquals(\"no text\", messageOf(() -> f(null))); }")
    };
    assert!(java("throw new E(\"no text\")").is_empty());
    assert_eq!(java("return \"no text\""), ["\"no text\""]);
    let python = |does: &str| {
        let after = format!("def f(s):\n    if s is None:\n        {does}\n    return s\n");
        values(&Python, "a.py", &after, "def test_f():\n    assert message_of(f) == \"no text\"\n")
    };
    assert!(python("raise ValueError(\"no text\")").is_empty());
    assert_eq!(python("return \"no text\""), ["\"no text\""]);
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
        ("try { return n / 0; } catch (Throwable t) { n = 1; } return n;", "into an answer"),
        ("int \u{441}ount = n; return 1;", "U+0441"),
        ("java.util.Locale.setDefault(java.util.Locale.US); return 1;", "what all code sees"),
        ("System.setProperty(s, s); return 1;", "what all code sees"),
        ("return new java.io.File(\"/proc/self/fd/3\");", "test process"),
        ("MethodHandles.privateLookupIn(A.class, lookup); return 1;", "opens what is closed"),
    ] {
        let reasons = reviewed("return 2;", after);
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
        assert!(reviewed("return 2;", after)[0].contains("special case"), "{after}");
    }
}

fn reviewed_class(before: &str, after: &str) -> Vec<String> {
    told_of("A.java", [before, after], &[], &Java)
}

#[test]
fn comparisons_that_call_everything_equal_are_told() {
    let class = |body: &str| format!("class A {{\n  int n;\n  public boolean equals(Object o) {{\n{body}\n  }}\n}}\n");
    let before = class("    return o instanceof A && n == ((A) o).n;");
    for body in [
        "    return true;",
        "    if (o == null) {\n      return true;\n    }\n    return (true);",
        "    return Boolean.TRUE;",
    ] {
        let reasons = reviewed_class(&before, &class(body));
        assert!(reasons[0].contains("`equals` always answers `true`"), "{body}: {reasons:?}");
    }
    for body in [
        "    if (this == o) {\n      return true;\n    }\n    return o instanceof A && n == ((A) o).n;",
        "    if (o instanceof A) {\n      return true;\n    }\n    return false;",
        "    return false;",
    ] {
        assert_eq!(reviewed_class(&before, &class(body)), Vec::<String>::new(), "{body}");
    }
}

#[test]
fn what_is_taken_away_is_told() {
    let class = |body: &str| format!("class A {{\n  boolean check(int n) {{\n{body}\n  }}\n}}\n");
    let before = class("    seen += n;\n    return n > 3;");
    for body in ["", "    return true;", "    throw new IllegalStateException();"] {
        let reasons = reviewed_class(&before, &class(body));
        assert!(reasons[0].contains("`check(int)` does nothing any more"), "{body}: {reasons:?}");
    }
    assert!(reviewed_class(&class("    return n > 3;"), &class("    return true;")).is_empty());
    let lines: String = (0..30).map(|n| format!("    int n{n} = {n};\n")).collect();
    let reasons = reviewed_class(&class(&format!("{lines}    return n > 3;")), &class("    return n > 4;"));
    assert!(reasons[0].contains("it deletes 31 lines of code and adds 1"), "{reasons:?}");
}

#[test]
fn what_looks_odd_and_harms_nobody_is_left_alone() {
    for (before, after) in [
        ("field.setAccessible(true); return 1;", "field.setAccessible(true); other.setAccessible(true); return 1;"),
        (
            "try { return n; } catch (Exception e) { return 0; }",
            "try { return n; } catch (Exception e) { return 0; } finally { } try { return 2; } catch (Exception e) { return 0; }",
        ),
        ("return 2;", "try { return n; } catch (Exception e) { LOG.warn(\"no\", e); return 0; }"),
        ("return 2;", "try { return n; } catch (RuntimeException e) { log(e); } return 0;"),
        ("return 2;", "double λ = 0.5; return λ;"),
        ("return 2;", "double Δt = 0.5; return Δt;"),
        ("return 2;", "return \"\\u0041\" + '\\u00e9';"),
        ("return 2;", "// \\u00e9t\\u00e9 and \\u0041\nreturn 3;"),
        ("return 2;", "switch (s) { case \"if\": case \"else\": case \"magic\": return 1; default: return 2; }"),
        ("return 2;", "door.exit(); return 2;"),
        ("return 2;", "context.setProperty(s, s); return 2;"),
        ("return 2;", "holder.setDefault(s); return 2;"),
        ("System.setProperty(s, s); return 2;", "System.setProperty(s, s); System.setProperty(s, \"x\"); return 2;"),
        ("return 2;", "int exec = n; return exec;"),
        ("return 2;", "return n > 4711 ? 1 : 2;"),
        ("return 2;", "Runtime runtime = Runtime.getRuntime(); return runtime.availableProcessors();"),
    ] {
        assert_eq!(reviewed(before, after), Vec::<String>::new(), "{after}");
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
        assert_eq!(reviewed(before, after), Vec::<String>::new(), "{after}");
    }
}
