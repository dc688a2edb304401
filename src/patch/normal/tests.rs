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
