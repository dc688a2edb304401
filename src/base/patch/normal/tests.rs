use super::form;
use crate::language::{Java, Language, Python};
use proptest::prelude::*;

fn same(a: &str, b: &str, language: &dyn Language) -> bool {
    let (a, b) = (form(a, language), form(b, language));
    assert!(a.is_some() && b.is_some(), "both can be read");
    a == b
}

/// Two bodies of a method with primitive and other parameters.
fn bodies(a: &str, b: &str) -> bool {
    let method = |body: &str| {
        format!("class A {{ int n; int f(int i, double d, boolean b, boolean c, String s, Integer w) {{ {body} }} }}")
    };
    same(&method(a), &method(b), &Java)
}

#[test]
fn parentheses_braces_and_empty_statements_say_nothing() {
    assert!(bodies("return (i + 1) * 2;", "return ((i) + 1) * (2);"));
    assert!(bodies("if (b) return 1; return 2;", "if ((b)) { return 1; }; return 2;"));
    assert!(bodies("if (b) f(); else if (c) g();", "if (b) { f(); } else { if (c) { g(); } }"));
    assert!(!bodies("return (i + 1) * 2;", "return i + 1 * 2;"));
    assert!(!bodies("return i - (1 - 2);", "return i - 1 - 2;"));
    assert!(!bodies("if (b) { if (c) f(); } else g();", "if (b) if (c) f(); else g();"));
    assert!(!bodies("if (b) { int k = 1; }", "if (b) { int k = 2; }"));
    assert!(!bodies("while (b);", "while (b) f();"));
}

#[test]
fn operands_change_places_only_where_it_cannot_matter() {
    assert!(bodies("return i + 2;", "return 2 + i;"));
    assert!(bodies("b = i > 3;", "b = 3 < i;"));
    assert!(bodies("b = s.length() >= 3;", "b = 3 <= s.length();"));
    assert!(bodies("b = null == s;", "b = s == null;"));
    assert!(bodies("b = i < 3 && d > 1;", "b = 1 < d && 3 > i;"));
    assert!(bodies("b = s != null || c;", "b = c || null != s;"));
    assert!(!bodies("return s + i;", "return i + s;"), "texts are joined in order");
    assert!(!bodies("b = s != null && s.isEmpty();", "b = s.isEmpty() && s != null;"), "the first guards the second");
    assert!(!bodies("b = w != null && w > 0;", "b = w > 0 && w != null;"), "unboxing can throw");
    assert!(!bodies("b = g() == h();", "b = h() == g();"), "calls come in order");
    assert!(!bodies("b = i / n > 0 && c;", "b = c && i / n > 0;"), "a division can throw");
    assert!(!bodies("return i - 2;", "return 2 - i;"));
    assert!(!bodies("return n + s;", "return s + n;"), "the type of a field is not looked up");
}

#[test]
fn a_name_is_primitive_only_where_it_is_seen_to_be() {
    assert!(bodies("for (int k = 0; k < i; k++) { f(k + i); }", "for (int k = 0; k < i; k++) f(i + k);"));
    assert!(bodies("int k = 1, l = 2; return k + l;", "int k = 1, l = 2; return l + k;"));
    assert!(!bodies("{ int k = 1; } return k + i;", "{ int k = 1; } return i + k;"), "the name ended");
    assert!(!bodies("int[] k = {}; f(k + d);", "int[] k = {}; f(d + k);"));
    assert!(!bodies("g((k, l) -> k + l);", "g((k, l) -> l + k);"));
    let inner = |sum: &str| format!("new A() {{ String m() {{ return {sum}; }} }};");
    assert!(!bodies(&inner("i + x"), &inner("x + i")), "an inherited field may have the name");
}

#[test]
fn a_name_means_a_field_outside_of_the_variable_that_has_it() {
    assert!(!bodies("for (int n : g(n + i)) f();", "for (int n : g(i + n)) f();"));
    assert!(bodies("for (int k : g()) f(k + i);", "for (int k : g()) f(i + k);"));
    assert!(!bodies("int k = g(n + i), n = 2;", "int k = g(i + n), n = 2;"));
    let record =
        |sum: &str| format!("class A {{ record P(int x, int y) {{}} String x; String f(int i) {{ return {sum}; }} }}");
    assert!(!same(&record("x + i"), &record("i + x"), &Java), "a record's component is no variable beside it");
}

#[test]
fn grouping_and_conversions_count() {
    let differ = [
        ("return d + (d + i);", "return d + d + i;"),
        ("return i / 2 * 3;", "return i * 3 / 2;"),
        ("return i * (2 / 3);", "return i * 2 / 3;"),
        ("return s + 1 + i;", "return s + (1 + i);"),
        ("return 'a' + s + i;", "return i + s + 'a';"),
        ("return (int) d * 2;", "return (int) (d * 2);"),
        ("return (long) i + n;", "return n + (long) i;"),
        ("i += d;", "i = i + d;"),
        ("return i++ + i;", "return i + i++;"),
        ("return a[i] + a[i++];", "return a[i++] + a[i];"),
        ("return -i - 1;", "return -(i - 1);"),
        ("return 1 * 1.0;", "return 1 * 1;"),
        ("return 1L;", "return 1;"),
        ("b = !(b && c);", "b = !b && c;"),
        ("b = (b ? c : b) || c;", "b = b ? c : b || c;"),
        ("f(i, n);", "f(n, i);"),
    ];
    for (a, b) in differ {
        assert!(!bodies(a, b), "{a} is not {b}");
    }
}

#[test]
fn an_escape_that_ends_a_comment_is_no_comment() {
    let file = |comment: &str| format!("class A {{ int f() {{ {comment}\n return 1; }} }}");
    assert!(form(&file("// \\u000a if (true) return 2;"), &Java).is_none());
    assert!(form(&file("/* \\u002a\\uu002f f(); /* */"), &Java).is_none());
    assert!(same(&file("// \\u0041 and \\\\u000a"), &file(""), &Java));
    assert!(same("a() # \\u000a\n", "a()\n", &Python));
}

#[test]
fn the_order_of_imports_and_modifiers_says_nothing() {
    let file = |imports: &str, modifiers: &str| format!("package p; {imports} class A {{ {modifiers} int f; }}");
    let a = file("import a.B; import c.D;", "private static final");
    assert!(same(&a, &file("import c.D; import a.B; import a.B;", "final private static"), &Java));
    assert!(!same(&a, &file("import a.B; import c.E;", "private static final"), &Java));
    assert!(!same(&a, &file("import a.B; import c.D;", "private static"), &Java));
}

#[test]
fn what_stands_in_texts_counts() {
    assert!(!bodies(r#"return "a\tb".length();"#, r#"return "c\tb".length();"#));
    assert!(!same("x = 'a\\nb'\n", "x = 'c\\nb'\n", &Python));
    assert!(same("x = 'a'\n", "x = \"a\"\n", &Python));
    assert!(!same("x = b'a'\n", "x = 'a'\n", &Python));
    assert!(!same("y = f'{x=}'\n", "y = f'{(x)=}'\n", &Python));
    assert!(!same("f'{g()}'\na()\n", "a()\n", &Python), "a text that is put together can call");
    assert!(!same("x = 'a' f'{g()}'\n", "x = 'a' 'g'\n", &Python));
}

#[test]
fn python_keeps_its_order_and_its_indentation() {
    assert!(same("if (a):\n    return_(a  +  1)\n", "if a:\n  return_((a + 1)) # why\n", &Python));
    assert!(!same("x = a + b\n", "x = b + a\n", &Python));
    assert!(!same("x = 1 == a\n", "x = a == 1\n", &Python));
    assert!(!same("import a\nimport b\n", "import b\nimport a\n", &Python));
    assert!(!same("if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n", &Python));
    assert!(!same("a < b < c\n", "a < (b < c)\n", &Python));
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    let deep = format!("class A {{ int f = {}1{}; }}", "(".repeat(3_000), ")".repeat(3_000));
    assert!(same(&deep, "class A { int f = 1; }", &Java));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        form(&text, &Java);
        form(&text, &Python);
    }

    #[test]
    fn layout_and_comments_never_count(blanks in proptest::collection::vec("[ \n]{1,3}|/\\*x\\*/|//y\n", 16)) {
        let words = ["class", "A", "{", "int", "f", "(", "int", "a", ")", "{", "return", "a", "+", "1", ";", "}"];
        let text: String = words.iter().zip(&blanks).map(|(word, blank)| format!("{word}{blank}")).collect();
        let alike = same(&format!("{text}}}"), "class A { int f(int a) { return a + 1; } }", &Java);
        prop_assert!(alike);
    }
}
