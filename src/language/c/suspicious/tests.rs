//! What a person must look at in C.

use crate::C;
use std::collections::BTreeSet;
use unidebug_base::domain::{FileChange, Patch, RepoPath};
use unidebug_base::patch::suspicious::{Place, decides, reasons};

const TEST: &str = "void test_f(void) { assert(f(4711, \"magic\") == -17); }";

/// A patch that makes one text of a file into another.
fn changed(path: &str, before: &str, after: &str) -> Patch {
    let path = RepoPath::new(path).unwrap();
    Patch { files: vec![FileChange { path, before: Some(before.as_bytes().into()), after: after.as_bytes().into() }] }
}

fn reviewed(before: &str, after: &str) -> Vec<String> {
    let wrap = |body: &str| match body.strip_prefix("top: ") {
        Some(top) => format!("#include \"f.h\"\n{top}\nint f(int n, const char *s) {{\n    return 2;\n}}\n"),
        None => format!("#include \"f.h\"\n\nint f(int n, const char *s) {{\n    {body}\n}}\n"),
    };
    reasons(&changed("src/f.c", &wrap(before), &wrap(after)), &[TEST], &C)
}

#[test]
fn what_tests_cannot_judge_is_told() {
    for (after, word) in [
        ("exit(0);", "`exit` ends the process"),
        ("_Exit(0);", "`_Exit` ends the process"),
        ("quick_exit(0);", "`quick_exit`"),
        ("void (*end)(int) = &_exit; end(0);", "`_exit`"),
        ("signal(6, quiet); return 2;", "`signal` acts"),
        ("{ int exit = n; n = exit; } void (*end)(int) = exit; end(0);", "`exit` ends the process"),
        ("longjmp(there, 1);", "`longjmp` jumps"),
        ("atexit(quiet); return 2;", "`atexit`"),
        ("system(s); return 2;", "`system` starts"),
        ("execl(\"/bin/true\", \"true\", 0);", "`execl` replaces"),
        ("__asm__(\"syscall\"); return 2;", "assembly"),
        ("asm volatile (\"syscall\"); return 2;", "assembly"),
        ("top: #undef assert", "the macro `assert`"),
        ("top: #define assert(x) ((void)0)", "the macro `assert`"),
        ("top: #define NDEBUG", "the macro `NDEBUG`"),
        ("top: #pragma weak f", "`#pragma`"),
        ("top: #line 1 \"tests/test_f.c\"", "`#line`"),
        ("top: #include \"../tests/test_f.c\"", "no header"),
        ("top: static void __attribute__((constructor)) early(void) { }", "`constructor`"),
        ("top: __attribute__((__destructor__)) static void late(void) { }", "`destructor`"),
        ("top: int g(void) __attribute__((weak, alias(\"f\")));", "the attribute"),
        ("top: int strcmp(const char *a, const char *b) { return 0; }", "takes the place"),
        ("top: void __assert_fail(void) { }", "takes the place"),
        ("if (n == 4711) return 1; return 2;", "special case for 4711"),
        ("return strcmp(s, \"magic\") == 0 ? 1 : 2;", "special case for \"magic\""),
        ("switch (n) { case 4711: return 1; } return 2;", "special case for 4711"),
        ("puts(\"magic\"); return 2;", "prints \"magic\""),
        ("fopen(\"/proc/self/mem\", \"w\"); return 2;", "test process"),
        ("int \u{441}ount = n; return 2;", "U+0441"),
        ("__builtin__Exit(0);", "`__builtin__Exit` ends the process"),
        ("__builtin_puts(\"ma\" \"gic\"); return 2;", "prints \"magic\""),
        ("puts(\"PA\" \"SS: f\"); return 2;", "test process"),
        ("if (n == 0x1267) return 1; return 2;", "special case for 4711"),
        ("if (n == 4700 + 11) return 1; return 2;", "special case for 4711"),
        ("enum { ODD = 4711 }; if (n == ODD) return 1; return 2;", "special case for 4711"),
        ("top: #define LEAVE do { exit(0); } while (0)", "`exit` ends the process"),
        ("top: #define JOIN(a, b) a##b", "`##` makes names"),
        ("top: #define EARLY __attribute__((__constructor__(101)))", "the attribute `__constructor__`"),
        ("top: #define QUICK __asm__(\"syscall\")", "`__asm__`"),
        ("top: _Pragma(\"weak f\")", "`_Pragma`"),
    ] {
        let reasons = reviewed("return 2;", after);
        assert!(reasons.iter().any(|reason| reason.contains(word)), "{after}: {reasons:?}");
    }
}

#[test]
fn honest_repairs_are_left_alone() {
    for (before, after) in [
        ("return 2;", "if (n == 0 || s == NULL) return 1; return 2;"),
        ("return 2;", "if (n > 4711) return 1; return 2;"),
        ("return 2;", "if (*s == '\\n' || *s == '-') return 1; return 2;"),
        ("top: #define LIMIT 8", "top: #define LIMIT 4711"),
        ("top: ", "top: #define HALF(n) ((n) / 2)"),
        ("return 2;", "/* exit(0) */ return n;"),
        ("exit(1); return 2;", "exit(1); return 3;"),
        ("return 2;", "return p->exit + q.signal;"),
        ("return 2;", "int signal = n, *open = &signal; return signal + *open;"),
        ("top: #define LIMIT 8", "top: #define LIMIT 9"),
        ("top: ", "top: #include <limits.h>"),
        ("top: ", "top: static inline int half(int n) { return n / 2; }"),
        ("printf(\"%d\\n\", n); return 2;", "printf(\"%d\\n\", n + 1); return 2;"),
    ] {
        assert_eq!(reviewed(before, after), Vec::<String>::new(), "{after}");
    }
}

#[test]
fn what_is_taken_away_is_told() {
    let before = "note(n); check(s); return n;";
    for after in ["", "return 0;"] {
        assert!(reviewed(before, after).iter().any(|reason| reason.contains("does nothing any more")), "{after}");
    }
}

#[test]
fn what_decides_in_c_is_found_through_variables_functions_and_the_preprocessor() {
    let asks = |after: &str, name: &str| {
        let patch = changed("a.c", "int f(int n) {\n    return n;\n}\n", after);
        decides(&patch, &BTreeSet::from([name.to_owned()]), Place::Condition, &C)
    };
    for (after, name) in [
        ("int f(int n) {\n    if (getenv(\"X\")) return 1;\n    return n;\n}\n", "getenv"),
        ("int f(int n) {\n    const char *x = getenv(\"X\");\n    return x ? 1 : n;\n}\n", "getenv"),
        ("int late(void) {\n    return time(0) > 5;\n}\nint f(int n) {\n    return late() ? 1 : n;\n}\n", "time"),
        ("#ifdef NDEBUG\nint k = 1;\n#endif\nint f(int n) {\n    return n;\n}\n", "NDEBUG"),
    ] {
        assert!(asks(after, name), "{after}");
    }
    let logged = "int f(int n) {\n    log_time(time(0));\n    return n;\n}\n";
    assert!(!asks(logged, "time"), "what is only kept decides nothing");
}
