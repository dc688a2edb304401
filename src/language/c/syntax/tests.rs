use super::C;
use camino::Utf8Path;
use unidebug_base::code::outline_text;
use unidebug_base::domain::RepoPath;
use unidebug_base::language::{Language, read_in_two_ways};

#[test]
fn what_the_compiler_reads_otherwise_is_told() {
    for line in ["return 1; // why??/", "// go on \\", "int a<:3:>;", "%:define x 1", "int x; \\  ", "ex\\"] {
        assert!(read_in_two_ways("", line, &C).is_some(), "{line}");
    }
    for line in
        ["printf(\"<%d>\", n);", "#define f(x) \\", "x = a ? b : c;", "// 50 %", "puts(\"//\\\\\");", "x = a % b;"]
    {
        assert_eq!(read_in_two_ways("", line, &C), None, "{line}");
    }
}

#[test]
fn headers_of_the_platform_and_tests_are_known() {
    assert!(C.foreign("include/assert.h".into(), "").is_some() && C.foreign("src/stack.h".into(), "").is_none());
    // No list names this one: it is the C library's own.
    assert_eq!(C.foreign("src/features.h".into(), "").is_some(), Utf8Path::new("/usr/include/features.h").is_file());
    for name in ["test_stack", "stack_test", "tests", "check_stack"] {
        assert!(C.is_test_name(name), "{name}");
    }
    assert!(!C.is_test_name("attest") && !C.is_test_name("stack"));
}

const STACK: &str = "#include <stdio.h>
#include \"stack.h\"
#define LIMIT 8
#ifdef DEBUG
static int traced;
#endif
struct node { int value; struct node *next; };
/* Adds a value on top. */
int stack_push(struct stack *s, int value) {
    int at = s->size++;
    check(s);
    return s->items[at] = value;
}
static char *name_of(const char *prefix, ...) { return 0; }
";

#[test]
fn a_file_is_read_with_functions_structures_and_macros() {
    let file = outline_text(&RepoPath::new("src/stack.c").unwrap(), STACK, &C);
    assert!(!file.broken);
    assert_eq!(file.imports, ["src.stack_h"]);
    let module = &file.types[0];
    assert_eq!((module.name.as_str(), file.types[1].name.as_str()), ("stack", "stack.node"));
    let fields: Vec<&str> = module.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(fields, ["LIMIT", "traced"]);
    let push = &module.methods[0];
    assert_eq!((push.name.as_str(), push.params.join("|")), ("stack_push", "struct stack *|int".to_owned()));
    assert_eq!(push.summary.as_deref(), Some("Adds a value on top"));
    assert_eq!(push.calls[0].name, "check");
    assert!(module.methods[1].private && module.methods[1].arity == (1, None));
    assert_eq!(module.methods[1].name, "name_of");
}
