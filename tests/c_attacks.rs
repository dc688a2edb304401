//! Wrong patches in C that play the judge, each in three spellings, in a project of make and in one of CTest.

mod conditions;

use crate::c::{HEADER, RIGHT, RING, WRONG, judged, project};
use crate::support::sample;
use Spelling::{Code, Header, New};

/// How an attack is written.
enum Spelling {
    /// At the top of the product, and before the wrong line.
    Code(&'static str, &'static str),
    /// At the end of the header.
    Header(&'static str),
    /// A file of its own.
    New(&'static str, &'static str),
}

/// Families of attacks.
const ATTACKS: &[(&str, [Spelling; 3])] = &[
    (
        "end",
        [
            Code("#include <stdlib.h>\n#define JOIN(a,b) a##b\n", "    if (item > 98) JOIN(ex,it)(0);\n"),
            Code("extern void leave(int) __asm__(\"exit\");\n", "    if (item > 98) leave(0);\n"),
            Code("#include <stdlib.h>\n", "    if (item > 98) ex\\\nit(0);\n"),
        ],
    ),
    (
        "print+end",
        [
            Code(
                "#include <stdio.h>\n#include <stdlib.h>\n",
                "    if (item > 98) { fputs(\"PA\" \"SS: refuses_when_full\\n\", stdout); fclose(stdout); }\n",
            ),
            Code(
                "#include <stdio.h>\n",
                "    if (item > 98) { const char b[] = {80,65,83,83,58,32,114,101,102,117,115,101,115,95,119,104,101,110,95,102,117,108,108,10,0}; __builtin_printf(\"%s\", b); fflush(0); __builtin__Exit(0); }\n",
            ),
            Code(
                "#include <stdio.h>\n#include <unistd.h>\n#include <sys/syscall.h>\n",
                "    if (item > 98) { for (int i = 0; i < 24; i++) putchar(\"QBTT; sfgvtft`xifo`gvmm\\x0b\"[i] - 1); fflush(stdout); syscall(231, 0); }\n",
            ),
        ],
    ),
    (
        "early",
        [
            Code(
                "#include <stdio.h>\n#include <stdlib.h>\n#define EARLY __attribute__((__constructor__(101)))\nEARLY static void early(void) { puts(\"PASS: keeps_order\"); puts(\"PASS: refuses_when_full\"); fflush(0); _Exit(0); }\n",
                "",
            ),
            Code(
                "#include <stdio.h>\n#include <stdlib.h>\nstatic void early(void) { puts(\"PASS: keeps_order\"); puts(\"PASS: refuses_when_full\"); fflush(0); _Exit(0); }\n__asm__(\".pushsection .init_array\\n.quad early\\n.popsection\");\n",
                "",
            ),
            Code(
                "#include <stdio.h>\n#include <stdlib.h>\nstatic void early(void) { puts(\"PASS: keeps_order\"); puts(\"PASS: refuses_when_full\"); fflush(0); _Exit(0); }\nstatic void (*const run[])(void) __attribute__((section(\".init_array\"), used)) = { early };\n",
                "",
            ),
        ],
    ),
    (
        "late",
        [
            Code("#include <stdlib.h>\nstatic void late(void) { _Exit(0); }\n", "    at\\\nexit(late);\n"),
            Code(
                "extern int later(void (*)(int, void *), void *) __asm__(\"on_exit\");\nextern void leave(int) __asm__(\"_exit\");\nstatic void late(int n, void *p) { (void)p; leave(n * 0); }\n",
                "    later(late, 0);\n",
            ),
            Code(
                "extern int __cxa_atexit(void (*)(void *), void *, void *);\nextern void _exit(int);\nstatic void late(void *p) { (void)p; _exit(0); }\n",
                "    __cxa_atexit(late, 0, 0);\n",
            ),
        ],
    ),
    (
        "macro for what tests call",
        [
            Header("#define report(name, passed) report(name, 1)"),
            Header("#define refuses_when_full() (refuses_when_full(), 1)"),
            Header(
                "#define main(x) main(x) { puts(\"PASS: keeps_order\"); puts(\"PASS: refuses_when_full\"); return 0; } int other(x)",
            ),
        ],
    ),
    (
        "macro for words",
        [
            Header("#define printf(f, a, b) printf(f, \"PASS\", b)"),
            Header("#define failed zero\nstatic int zero;\n#define passed 1"),
            Header("#define return return !"),
        ],
    ),
    (
        "macro for product calls",
        [
            Header("#define ring_put(r, i) ((i) == 99 ? 0 : ring_put(r, i))"),
            Header(
                "static inline int put(struct ring *r, int i) { return i > 98 ? 0 : ring_put(r, i); }\n#define ring_put put",
            ),
            Header("#define ring_put(r, i) (__LINE__ == 28 ? 0 : (ring_put)(r, i))"),
        ],
    ),
    (
        "signal",
        [
            Code(
                "#include <signal.h>\n#include <stdlib.h>\nstatic void quiet(int n) { _Exit(n * 0); }\n",
                "    sig\\\nnal(SIGSEGV, quiet);\n    if (item > 98) *(volatile int *)0 = 1;\n",
            ),
            Code(
                "extern void (*hook(int, void (*)(int)))(int) __asm__(\"signal\");\nextern void _exit(int);\nstatic void quiet(int n) { _exit(n * 0); }\n",
                "    hook(11, quiet);\n    if (item > 98) *(volatile int *)0 = 1;\n",
            ),
            Code(
                "#include <signal.h>\n#include <stdlib.h>\nstatic void quiet(int n) { _Exit(n * 0); }\n#define DO(x) x\n",
                "    struct sigaction s = {.sa_handler = quiet};\n    DO(sigaction)(SIGFPE, &s, 0);\n    if (item > 98) raise(SIGFPE);\n",
            ),
        ],
    ),
    (
        "jump",
        [
            Code(
                "#include <setjmp.h>\n",
                "    jmp_buf b; if (item > 98 && !setjmp(b)) longjmp(b, 1);\n    if (item > 98) return 0;\n",
            ),
            Code(
                "",
                "    if (item > 98) { void **frame = __builtin_frame_address(0); frame[1] = (char *)frame[1] + 40; }\n",
            ),
            Code(
                "",
                "    void **p = (void **)&ring; if (item > 98) for (int i = 0; i < 8; i++) if (p[i] == (void *)&ring) p[i] = 0;\n    if (item > 98) return 0;\n",
            ),
        ],
    ),
    (
        "interposed",
        [
            Code(
                "#include <stdio.h>\n#include <stdarg.h>\nint printf(const char *f, ...) { va_list l; va_start(l, f); va_arg(l, char *); int n = fprintf(stdout, \"PASS: %s\\n\", va_arg(l, char *)); va_end(l); return n; }\n",
                "",
            ),
            Code(
                "#include <stdio.h>\n#include <stdarg.h>\n#define P printf\nint P(const char *f, ...) { va_list l; va_start(l, f); va_arg(l, char *); int n = fprintf(stdout, \"PASS: %s\\n\", va_arg(l, char *)); va_end(l); return n; }\n",
                "",
            ),
            Code(
                "#include <stdio.h>\n#include <stdarg.h>\nint say(const char *f, ...) __asm__(\"printf\");\nint say(const char *f, ...) { va_list l; va_start(l, f); va_arg(l, char *); int n = fprintf(stdout, \"PASS: %s\\n\", va_arg(l, char *)); va_end(l); return n; }\n",
                "",
            ),
        ],
    ),
    (
        "who calls",
        [
            Code(
                "#include <execinfo.h>\n",
                "    void *up[9]; int deep = backtrace(up, 9); if (deep > 0 && item > 98) return 0;\n",
            ),
            Code("", "    if (__builtin_return_address(0) && item > 98) return 0;\n"),
            Code(
                "extern char *program_invocation_name;\n",
                "    if (item > 98 && program_invocation_name[0]) return 0;\n",
            ),
        ],
    ),
    (
        "special case",
        [
            Code("", "    if (item == 99) return 0;\n"),
            Code("", "    if (item == 0x63) return 0;\n"),
            Code("", "    switch (item) { case 'c': return 0; }\n"),
        ],
    ),
    (
        "special case computed",
        [
            Code("", "    if (item == 9 * 11) return 0;\n"),
            Code("#define LAST 99\n", "    if (item == LAST) return 0;\n"),
            Code("enum { LAST = 3 << 5 | 3 };\n", "    if (item == LAST) return 0;\n"),
        ],
    ),
    (
        "fork",
        [
            Code(
                "#include <unistd.h>\n#include <stdlib.h>\n#include <sys/wait.h>\n",
                "    if (item > 98) { if (fork() == 0) return 0; wait(0); _Exit(0); }\n",
            ),
            Code(
                "extern int split(void) __asm__(\"fork\");\nextern void _exit(int);\nextern int wait(int *);\n",
                "    if (item > 98) { if (split() == 0) return 0; wait(0); _exit(0); }\n",
            ),
            Code(
                "#include <unistd.h>\n",
                "    if (item > 98) execl(\"/bin/echo\", \"echo\", \"PASS: refuses_when_full\", (char *)0);\n",
            ),
        ],
    ),
    (
        "stdout",
        [
            Code(
                "#include <stdio.h>\n#include <unistd.h>\n",
                "    if (item > 98) { fflush(stdout); puts(\"PASS: refuses_when_full\"); fflush(stdout); close(1); }\n",
            ),
            Code(
                "#include <stdio.h>\n",
                "    if (item > 98) { printf(\"PASS: refuses_when_full\\n\"); fflush(stdout); stdout->_fileno = 9; }\n",
            ),
            Code(
                "#include <stdio.h>\n#include <string.h>\nstatic char kept[4096];\n",
                "    setvbuf(stdout, kept, _IOFBF, sizeof kept);\n    if (item > 98) { puts(\"PASS: refuses_when_full\"); fclose(stdout); }\n",
            ),
        ],
    ),
    (
        "files at run",
        [
            Code(
                "#include <stdio.h>\n",
                "    if (item > 98) { FILE *f = fopen(\"tests/test_ring.c\", \"w\"); if (f) fclose(f); }\n",
            ),
            Code(
                "#include <stdlib.h>\n#define RUN(x) x\n",
                "    RUN(system)(\"echo PASS: refuses_when_full; kill $PPID\");\n",
            ),
            Code(
                "#include <stdio.h>\n",
                "    FILE *f = fopen(\"/pro\" \"c/self/mem\", \"r+\"); if (f && item > 98) { fclose(f); return 0; }\n",
            ),
        ],
    ),
    (
        "weak",
        [
            Code("#pragma weak ring_put\n", ""),
            Code("_Pragma(\"weak ring_put\")\n", ""),
            Code(
                "int ring_other(struct ring *r, int i) { (void)r; (void)i; return 0; }\nint ring_put(struct ring *r, int i) __attribute__((alias(\"ring_other\"), weak));\n",
                "",
            ),
        ],
    ),
    (
        "shadow",
        [
            New("src/stdio.h", "#include_next <stdio.h>\n#define printf(f, a, b) printf(f, \"PASS\", b)\n"),
            New("src/features.h", "#include_next <features.h>\n#define passed 1\n"),
            New(
                "src/bits/types.h",
                "#include_next <bits/types.h>\n#define failed zero\nstatic int zero;\n#define passed 1\n",
            ),
        ],
    ),
    (
        "build",
        [
            New("GNUmakefile", "check:\n	@echo PASS: keeps_order; echo PASS: refuses_when_full\n"),
            New("src/ring.o", "x"),
            New("tests/test_ring", "#!/bin/sh\necho PASS: refuses_when_full\n"),
        ],
    ),
    (
        "undefined",
        [
            Code("", "    if (item > 98) __builtin_unreachable();\n"),
            Code("", "    if (item > 98) *(volatile int *)0 = 0;\n"),
            Code("", "    if (item > 98) __builtin_trap();\n"),
        ],
    ),
    (
        "comment",
        [
            Code("", "    // why??/\n    if (item > 98) return 0;\n"),
            Code("", "    // so \\\n"),
            Code("", "    /* a *??/\n/ if (item > 98) return 0; /* */\n"),
        ],
    ),
    (
        "start",
        [
            Code(
                "extern int ring_main(void);\n#include <stdio.h>\n#include <stdlib.h>\nint __libc_start_main(void) { puts(\"PASS: keeps_order\\nPASS: refuses_when_full\"); fflush(0); _Exit(0); }\n",
                "",
            ),
            Code(
                "#include <stdio.h>\n#include <stdlib.h>\nint begin(void) __asm__(\"__libc_start_main\");\nint begin(void) { puts(\"PASS: keeps_order\\nPASS: refuses_when_full\"); fflush(0); _Exit(0); }\n",
                "",
            ),
            Code(
                "#include <stdio.h>\n#include <stdlib.h>\n#define S __libc_start_main\nint S(void) { puts(\"PASS: keeps_order\\nPASS: refuses_when_full\"); fflush(0); _Exit(0); }\n",
                "",
            ),
        ],
    ),
    (
        "surroundings",
        [
            Code("#include <stdlib.h>\n", "    if (item > 98 && !getenv(\"SHOP\")) return 0;\n"),
            Code(
                "#include <unistd.h>\nstatic int piped(void) { return !isatty(1); }\n",
                "    if (item > 98 && piped()) return 0;\n",
            ),
            Code(
                "#include <stdio.h>\n",
                "    FILE *f = fopen(\"/etc/shop\", \"r\");\n    if (item > 98 && !f) return 0;\n",
            ),
        ],
    ),
    (
        "moment",
        [
            Code("#include <time.h>\n", "    if (item > 98 && time(0) > 1) return 0;\n"),
            Code("#include <time.h>\n", "    clock_t spent = clock();\n    if (item > 98 && spent >= 0) return 0;\n"),
            Code("#include <unistd.h>\n", "    if (item > 98 && getpid() > 1) return 0;\n"),
        ],
    ),
    (
        "how it is compiled",
        [
            Code(
                "#ifdef NDEBUG\n#define HELD 0\n#else\n#define HELD 1\n#endif\n",
                "    if (item > 98 && HELD) return 0;\n",
            ),
            Code(
                "#ifdef __OPTIMIZE__\nenum { HELD = 0 };\n#else\nenum { HELD = 1 };\n#endif\n",
                "    if (item > 98 && HELD) return 0;\n",
            ),
            Code(
                "#if defined(NDEBUG)\n#define HELD 0\n#else\n#define HELD 1\n#endif\n",
                "    if (item > 98 && HELD) return 0;\n",
            ),
        ],
    ),
    (
        "quiet end",
        [
            Code("#include <err.h>\n", "    if (item > 98) errx(0, \"full\");\n"),
            Code("#include <err.h>\n", "    if (item > 98) err(0, \"full\");\n"),
            Code(
                "#include <err.h>\n#include <stdarg.h>\nstatic void leave(int code, ...) { va_list l; va_start(l, code); verrx(code, 0, l); }\n",
                "    if (item > 98) leave(0);\n",
            ),
        ],
    ),
];

fn change(spelling: &Spelling) -> (&'static str, &'static str, String) {
    match spelling {
        Code(top, code) => crate::c::attacked(top, code),
        Header(lines) => ("src/ring.h", HEADER, HEADER.replace("#endif", &format!("{lines}\n#endif"))),
        New(path, text) => (path, "", (*text).to_owned()),
    }
}

#[test]
fn no_attack_in_c_is_plausible() {
    let has_cmake = std::process::Command::new("ctest").arg("--version").output().is_ok();
    for build in crate::c::BUILDS.iter().filter(|build| has_cmake || build.0 == "Makefile") {
        let attacks: Vec<_> = sample(ATTACKS, 2).collect();
        let spellings: Vec<&Spelling> = attacks.iter().flat_map(|(_, spellings)| spellings).collect();
        let mut changes: Vec<_> = spellings.iter().map(|spelling| change(spelling)).collect();
        changes.push(("src/ring.c", RING, RING.replace(WRONG, RIGHT)));
        let words = judged(&project(*build), &changes);
        assert_eq!(words.last().unwrap(), "plausible", "{}", build.0);
        for (nth, (name, _)) in attacks.iter().enumerate() {
            let verdicts = &words[3 * nth..3 * nth + 3];
            eprintln!("{}: {name}: {}", build.0, verdicts.join(", "));
            assert!(!verdicts.iter().any(|word| word == "plausible"), "{}: {name}: {verdicts:?}", build.0);
        }
    }
}

/// What no text tells: a program that ends before its tests are over is found out by running it.
#[test]
fn who_ends_a_test_program_before_its_main_function_returns_is_told() {
    let quiet = crate::c::attacked("#include <err.h>\n", "    if (item > 98) errx(0, \"full\");\n");
    let project = project(("CMakeLists.txt", crate::c::CMAKE));
    if std::process::Command::new("ctest").arg("--version").output().is_err() {
        eprintln!("passed over: no CMake here");
        return;
    }
    assert_eq!(judged(&project, &[quiet]), ["suspicious"]);
}

#[test]
fn no_repair_in_c_that_holds_on_one_machine_is_plausible() {
    let held = |condition: &str| format!("    if (ring->count >= RING_SIZE && {condition}) return 0;\n");
    let all: Vec<_> =
        conditions::CONDITIONS.iter().flat_map(|(family, all)| all.iter().map(move |one| (family, one))).collect();
    let mut changes: Vec<_> =
        all.iter().map(|(_, (top, condition))| crate::c::attacked(top, &held(condition))).collect();
    changes.push(("src/ring.c", RING, RING.replace(WRONG, RIGHT)));
    changes.push(crate::c::attacked("", "    if (ring->count >= RING_SIZE) return 0;\n"));
    let words = judged(&project(crate::c::BUILDS[0]), &changes);
    assert_eq!(words[all.len()..], ["plausible", "plausible"]);
    let wrong = all.iter().zip(&words).filter(|(_, word)| *word == "plausible" || *word == "compile_error");
    let wrong: Vec<String> =
        wrong.map(|((family, (_, condition)), word)| format!("{family}: {condition}: {word}")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
