//! What a project in C tries by compilers, linkers and make.

use super::{ISOLATED, Probe, ends_with, surroundings};
use camino::Utf8Path;
use std::process::Command;
use unidebug::sandbox::Choice;

/// What a project in C makes compilers, linkers and make do. `BASE` is the folder around the workspace, `VICTIM` a process.
const COMPILERS: &[(&str, &str)] = &[
    ("compile a secret into a program", r#"echo 'asm(".incbin \"BASE/secret\"");' > s.c && gcc -c s.c"#),
    ("include a secret", r#"echo '#include "BASE/secret"' > s.c && gcc -E s.c"#),
    ("include what another process was given", r#"echo '#include "/proc/VICTIM/environ"' > s.c && gcc -E s.c"#),
    (
        "find a secret while preprocessing",
        r#"printf '#if !__has_include("BASE/secret")\n#error no\n#endif\n' > s.c && gcc -E s.c"#,
    ),
    (
        "link a program to a place outside",
        "echo 'int main(void) { return 0; }' > p.c && gcc p.c -o BASE/outside && false",
    ),
    ("link into a sibling", "echo 'int main(void) { return 0; }' > p.c && gcc p.c -o BASE/sibling/x"),
    ("link a secret into an object", "ld -r -b binary BASE/secret -o s.o"),
    ("write dependencies outside", "echo 'int x;' > p.c && gcc -MD -MF BASE/sibling/x -c p.c"),
    (
        "read words for gcc from a secret",
        "echo 'int x;' > p.c && gcc @BASE/secret -c p.c 2>&1 | grep -q ' secret: linker input'",
    ),
    (
        "write by a program that gcc is told to start",
        "echo 'int x;' > p.c; gcc -wrapper /bin/sh,-c,'touch BASE/sibling/x' -c p.c; test -e BASE/sibling/x",
    ),
    ("change the compiler", r#": >> "$(readlink -f "$(command -v gcc)")""#),
    ("put a header where all compilers look", ": >> /usr/include/stdio.h || touch /usr/local/include/unidebug-probe.h"),
    (
        "read a secret by make",
        "printf 'include BASE/secret\\nall:\\n' > m.mk; make -f m.mk 2>&1 | grep -q 'missing separator'",
    ),
    ("write outside by a rule of make", "printf 'all:\\n\\ttouch BASE/sibling/x\\n' > m.mk && make -f m.mk all"),
    (
        "write outside before main",
        r#"cat > s.c <<'END'
#include <fcntl.h>
__attribute__((constructor)) static void early(void) { if (open("BASE/sibling/x", O_CREAT | O_WRONLY, 384) < 0) __builtin_trap(); }
int main(void) { return 0; }
END
gcc s.c -o s && ./s"#,
    ),
];

pub fn probes(base: &Utf8Path, victim: u32) -> Vec<Probe> {
    let fill = |script: &str| script.replace("BASE", base.as_str()).replace("VICTIM", &victim.to_string());
    COMPILERS.iter().map(|(name, script)| (*name, fill(script))).collect()
}

pub fn gcc_is_here() -> bool {
    Command::new("gcc").arg("--version").output().is_ok_and(|done| done.status.success())
}

/// Compilers that never end, or that take memory or disk without end, are ended.
pub async fn endless(choice: Choice) {
    if !gcc_is_here() {
        eprintln!("passed over: no gcc here");
        return;
    }
    let memory = "#define A(x) x x x x x x x x x x\\n#define B(x) A(A(A(A(x))))\\nint v[] = { B(B(1,)) };";
    let time = "#include __FILE__\\n#include __FILE__";
    let disk = "char big[1500000000] = { 1 };";
    for (source, words) in [(memory, "-c s.c"), (time, "-fmax-include-depth=200 -E s.c -o /dev/null"), (disk, "-c s.c")]
    {
        let around = surroundings();
        let script = format!("printf '{source}\\n' > s.c && gcc {words}");
        let (exit, output) = ends_with(choice, &script, &around).await;
        assert!(!exit.success(), "{choice:?}: {source}: {output}");
    }
    let around = surroundings();
    let (exit, output) =
        ends_with(choice, "echo 'int main(void) { return 0; }' > p.c && gcc p.c && ./a.out", &around).await;
    assert!(exit.success(), "{choice:?}: an ordinary program: {exit:?} {output}");
}

#[tokio::test]
async fn probes_of_compilers_come_through_where_nothing_holds_them() {
    if !gcc_is_here() {
        eprintln!("passed over: no gcc here");
        return;
    }
    let mut victim = Command::new("sleep").arg("60").spawn().unwrap();
    // Others would change the machine.
    for (name, _) in COMPILERS.iter().filter(|(_, script)| script.contains("BASE") || script.contains("VICTIM")) {
        let around = surroundings();
        let all = probes(&around.base, victim.id());
        let (_, script) = all.iter().find(|(known, _)| known == name).unwrap();
        let (exit, output) = ends_with(Choice::None, script, &around).await;
        let wrote = around.base.join("outside").exists() || around.base.join("sibling/x").exists();
        assert!(exit.success() || wrote, "{name}: {exit:?}: {output}\n{script}");
    }
    victim.kill().unwrap();
    victim.wait().unwrap();
}

#[tokio::test]
async fn compilers_have_an_end() {
    for choice in ISOLATED {
        endless(choice).await;
    }
}
