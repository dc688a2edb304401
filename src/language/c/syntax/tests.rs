use super::C;
use crate::language::{Language, read_in_two_ways};
use camino::Utf8Path;

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
